"""Which line left None in an element of a Vec of Rust, and what a macro stands for."""

import pytest

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.emptied import _is_alone, _is_shortened, element_of
from workbench.agents.assisted.gathering import _whole
from workbench.agents.assisted.kept import _are_full
from workbench.agents.assisted.keyed import _takes_alone
from workbench.claims.source import SourceText
from workbench.claims.source.spots import spots
from workbench.model.investigation import Investigation

_TABLE = """\
struct Table { slots: Vec<Option<Session>>, closed: usize }
impl Table {
    fn new() -> Self { Table { slots: Vec::new(), closed: 0 } }
    fn open(&mut self, one: Session) { self.slots.push(Some(one)); }
    fn close(&mut self, at: usize) -> Option<Session> {
        self.slots[at].take()
    }
    fn user(&self, at: usize) -> &str { &self.slots[at].as_ref().unwrap().user }
    OTHER
}
"""


def _code(shown: str, language: str) -> Code:
    lines = tuple((at, at, line) for at, line in enumerate(shown.splitlines(), 1))
    return Code(Investigation(), [SourceText(language, "a", lines)])


@pytest.mark.parametrize(
    ("other", "alone"),
    [
        ("fn count(&self) -> usize { self.slots.iter().flatten().count() }", True),
        ("fn has(&self, at: usize) -> bool { self.slots[at].is_some() }", True),
        ("fn all(&self) -> &Vec<Option<Session>> { &self.slots }", True),
        ("fn put(&mut self, at: usize, one: Session) { self.slots[at] = Some(one); }", True),
        ("fn reset(&mut self, at: usize) { self.slots[at] = None; }", False),
        ("fn give(&mut self, at: usize) -> Option<Session> { self.slots[at].take() }", False),
        ("fn room(&mut self) { self.slots.push(None); }", False),
        ("fn wide(&mut self, n: usize) { self.slots.resize_with(n, || None); }", False),
        ("fn each(&mut self) { for one in &mut self.slots { *one = None; } }", False),
        ("fn each(&mut self) { for one in self.slots.iter_mut() { *one = None; } }", False),
        ("fn swap(&mut self) { std::mem::take(&mut self.slots[0]); }", False),
        ("fn gone(&mut self) { self.slots.swap(0, 1); }", False),
        ("fn raw(&mut self) { unsafe { self.wipe() } }", False),
        (
            "fn new_one(&mut self, one: Session) {\n self.slots.push(Some(one)\n .filter(ok));\n}",
            False,
        ),
        ("fn own(&self, one: Session) -> bool { Some(one).is_some() }", True),
    ],
)
def test_one_line_alone_leaves_none(other: str, alone: bool) -> None:
    code = _code(_TABLE.replace("OTHER", other), "rust")
    taken = next(one for one in code.of_kind("assigns") if one.at == 6)
    assert element_of(code, taken) == ("Table", "slots")
    assert _is_alone(code, "slots", taken) is alone


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("#define ROOM 8", {"ROOM": "8"}),
        ("#define ROOM (2 * HALF) /* as many */\n#define HALF 4",
         {"ROOM": "(2*HALF)", "HALF": "4"}),
        ("#ifdef BIG\n#define ROOM 16\n#else\n#define ROOM 8\n#endif", {}),
        ("#ifndef ROOM\n#define ROOM 8\n#endif", {}),
        ("#define ROOM 8\n#undef ROOM", {}),
        ("#define ROOM(n) 8", {}),
        ('#define NAME "a"', {}),
    ],
)  # fmt: skip
def test_what_a_macro_stands_for(shown: str, found: dict[str, str]) -> None:
    assert _code(shown, "c").constants == found


def test_a_part_of_a_longer_listing_tells_nothing() -> None:
    def listed(file: str, *at: int) -> SourceText:
        return SourceText("c", file, tuple((nth, one, f"x{one};") for nth, one in enumerate(at)))

    whole, part = listed("src/a.c", 1, 2, 3, 4), listed("a.c", 2, 3)
    other, more = listed("b.c", 2, 3), listed("a.c", 4, 5)
    assert _whole([part, more, whole, other, part]) == [more, whole, other]


_MAP = """\
struct Store {{
    std::map<int, std::unique_ptr<Item>> items_;
    void add(int id) {{
        items_.emplace(id,
                       std::make_unique<Item>());
    }}
    Item *of(int id) {{
        auto it = items_.find(id);
        return it->second.get();
    }}
    {}
}};
"""


@pytest.mark.parametrize(
    ("other", "full"),
    [
        ("int count() { return items_.size(); } // items_.clear(); swap(", True),
        ('void say() { log("reset(items_)"); }', True),
        ("void say() { for (const auto &one : items_)\n show(*one.second); }", True),
        ("void put(int id) { items_[id] =\n std::make_unique<Item>(); }", True),
        (
            "void end() { for (auto at = items_.begin(); at != items_.end();)\n"
            "at = items_.erase(at); }",
            True,
        ),
        ("void drop(int id) { items_.at(id) =\n nullptr; }", False),
        ("void drop(int id) { items_[id]\n.reset(); }", False),
        ("void drop(int id) { auto &one =\n items_.find(id)->second; one = nullptr; }", False),
        ("std::map<int, std::unique_ptr<Item>> take() { return std::move(items_); }", False),
    ],
)
def test_a_map_of_which_no_pointer_is_null(other: str, full: bool) -> None:
    code = _code(_MAP.format(other), "cpp")
    assert _are_full(code, "items_") is full


_KEYS = """\
struct Shop {{ items: HashMap<u32, Item>, order: Vec<u32>, by_day: HashMap<u32, Vec<usize>> }}
impl Shop {{
    fn new() -> Self {{
        Shop {{ items: HashMap::new(), order: Vec::new(), by_day: HashMap::new() }}
    }}
    fn gone(&mut self, id: u32) {{
        self.items.remove(&id);
    }}
    {}
}}
"""


@pytest.mark.parametrize(
    ("other", "alone"),
    [
        ("fn all(&self) -> usize { self.items // .clear()\n.len() }", True),
        ('fn say(&self) { println!("{} items.clear()", self.items.len()); }', True),
        ("fn none(&mut self) {\nself\n.items\n.clear();\n}", False),
        ("fn none(&mut self) { empty(&mut self.items); }", False),
        ("fn each(&self) { for one in &self.items { show(one); } }", True),
    ],
)
def test_one_line_alone_takes_keys(other: str, alone: bool) -> None:
    code = _code(_KEYS.format(other), "rust")
    line = next(one for one in code.of_kind("calls") if one.at == 7)
    assert _takes_alone(code, "items", line) is alone


@pytest.mark.parametrize(
    ("body", "shortened"),
    [
        ("each.retain(|one| *one != at);", True),
        ("each\n.retain(|one| *one != at);", True),
        ("for &one in each { show(one); }", True),
        ("for one in each { *one = at; }", False),
        ("each.push(at); // each.retain(", False),
        ("*each = Vec::new();", False),
    ],
)
def test_a_loop_that_only_takes_numbers_out(body: str, shortened: bool) -> None:
    loop = f"fn cut(&mut self, at: usize) {{ for each in self.by_day.values_mut() {{ {body} }} }}"
    code = _code(_KEYS.format(loop), "rust")
    spot = next(one for one in spots(code.texts[0], "by_day") if one.steps)
    assert _is_shortened(code, spot) is shortened
