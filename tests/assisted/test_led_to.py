"""What a variable leads to that has nothing but addresses of members, and an array's elements."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.assisted.test_rivals import _code
from workbench.agents.assisted.carried import led_by
from workbench.agents.assisted.code import is_ahead
from workbench.agents.assisted.dump import Dump
from workbench.agents.assisted.extent import _of_tables
from workbench.agents.assisted.filled import _ends_it, _fills, _is_weighed
from workbench.agents.assisted.followed import is_taken
from workbench.agents.assisted.left import _is_address, may_release_such
from workbench.agents.assisted.marks import _are_zeros
from workbench.agents.assisted.members import _comes_with, _goes_through, is_born_with, set_behind
from workbench.agents.assisted.neighbours import _of_one
from workbench.agents.assisted.outside import _is_given_bound
from workbench.agents.assisted.released import _is_empty, _may_be_first
from workbench.agents.assisted.returned import _is_without_memory
from workbench.agents.assisted.rivals import _may_move
from workbench.model.facts import Frame
from workbench.model.investigation import Investigation

_TREE = """\
struct node { int key; struct node *left; struct node *right; };
static struct node *all;
static void put(struct node **at);
static void add(struct node *node, struct node *made, int key)
{
    struct node **next = key < node->key ? &node->left : &node->right;
    while (*next != NULL)
        next = &(*next)->right;
    *next = made;
    MORE
}
"""
_BOTH = {("node", "left"), ("node", "right")}


@pytest.mark.parametrize(
    ("more", "led"),
    [
        ("made->key = key;", True),
        ("(*next)->key = key;", True),
        ("made = *next;", True),
        ("put(next);", False),
        ("put(&*next);", False),
        ("next++;", False),
        ("next[1] = made;", False),
        ("struct node **other = next;", False),
        ("next = find(key);", False),
        ("next = (struct node **)made;", False),
        ("put((struct node **)&next);", False),
    ],
)
def test_a_link_is_followed_to_its_members(more: str, led: bool) -> None:
    code = _code(_TREE.replace("MORE", more), "c")
    assert code.linked("add", "next") == (_BOTH if led else set())
    assert is_taken(code, ("node", "left")) is not led
    stored = [one.at for one in code.stores("node", "left")]
    assert stored == ([9] if led else [])


@pytest.mark.parametrize(
    ("body", "through"),
    [
        ("free(b->data);\n free(b);", True),
        ("if (!b)\n return;\n free(b->data);", False),
        ("if (b)\n free(b->data);", False),
        ("int n = sizeof b->data;", False),
        ("b = other();\n free(b->data);", False),
    ],
)
def test_a_function_goes_through_what_it_is_given(body: str, through: bool) -> None:
    code = _code(f"struct buf {{ char *data; }};\nvoid drop(struct buf *b)\n{{\n {body}\n}}", "c")
    assert _goes_through(code, "drop", "b") is through


_LIST = """\
struct Item { int price; };
class List {
public:
    void add(int price) { items_.push_back(Item{price}); }
    MORE
private:
    std::vector<Item> items_;
};
int main()
{
    List list;
    list.add(1);
    return list.first();
}
"""


@pytest.mark.parametrize(
    ("more", "moves"),
    [
        (
            "int first() const { for (const Item &item : items_) return item.price; return 0; }",
            False,
        ),
        ("int first() { for (auto &item : items_) item.price = 0; return 0; }", False),
        ("int first() { auto &all = items_; return all[0].price; }", True),
        ("int first() { std::vector<Item> other; items_ = other; return 0; }", True),
        ("int first() { fill(items_); return 0; }", True),
    ],
)
def test_who_goes_over_the_elements_moves_none(more: str, moves: bool) -> None:
    code = _code(_LIST.replace("MORE", more), "cpp")
    code.frames = [Frame(index=0, function="main", line=13)]
    assert _may_move(code, ("List", "items_")) is moves


@pytest.mark.parametrize(
    ("declared", "may"), [("char *lines[3]", False), ("struct node *lines[3]", True),
                          ("void *lines[3]", True), ("struct node **lines", True)],
)  # fmt: skip
def test_an_element_is_released_as_what_it_is(declared: str, may: bool) -> None:
    code = _code(f"struct node {{ int key; }};\nvoid drop(void)\n{{\n    {declared};\n"
                 "    free(lines[0]);\n}", "c")  # fmt: skip
    assert may_release_such(code, code.of_kind("frees")[0], "node") is may


def test_other_parts_of_an_element_are_stored_with_it() -> None:
    code = _code("""\
void add(struct list *list, int n)
{
    struct cell *cell = &list->cells[n];
    cell->key = 1;
    cell->value = 2;
    list->used = n;
    list->cells[n].key = 3;
    list->cells[n].name[n] = 4;
}""", "c")  # fmt: skip
    stores = {one.at: one for one in code.of_kind("assigns")}
    assert [one.at for one in _of_one(code, stores[4])] == [4, 5]
    assert [one.at for one in _of_one(code, stores[7])] == [7]
    assert _of_one(code, stores[8]) == []


_TABLE = """\
struct img {{ int wide; int high; int *px; }};
static struct img *img_new(int wide, int high)
{{
    struct img *img = malloc(sizeof *img);
    img->wide = wide;
    img->high = {high};
    img->px = malloc(wide * wide * sizeof *img->px);
    return img;
}}
static void fill(struct img *at, int v)
{{
    for (int y = 0; y {sign} at->high; y++)
        for (int x = 0; x < at->wide; x++)
            at->px[{index}] = v;
}}
"""


@pytest.mark.parametrize(
    ("index", "more", "found"),
    [
        ("y * at->wide + x", {}, ["img->high*img->wide"]),
        ("at->wide * y + x", {}, ["img->high*img->wide"]),
        ("x + y * at->wide", {}, ["img->high*img->wide"]),
        ("y * at->high + x", {}, []),
        ("x * at->wide + y", {}, []),
        ("y * at->wide + x", {"sign": "<="}, []),
        ("y * at->wide + x", {"high": "high + 1"}, []),
        ("y * at->wide + x + 1", {}, []),
    ],
)
def test_a_table_has_as_many_elements_as_its_rows(
    index: str, more: dict[str, str], found: list[str]
) -> None:
    code = _code(_TABLE.format(index=index, **{"sign": "<", "high": "high"} | more), "c")
    made = next(one for one in code.of_kind("allocates") if one.at == 7)
    assert list(_of_tables(code, made)) == found


@pytest.mark.parametrize(
    ("asked", "may"),
    [
        ("if (shape->name == name)", False),
        ("if (shape && shape->name == name)", False),
        ("if (!shape || shape->name == name)", True),
        ("if (other->name == name)", True),
    ],
)
def test_what_a_smart_pointer_gives_is_what_it_was_gone_through(asked: str, may: bool) -> None:
    code = _code(f"""\
const Shape *find(const Shapes &shapes, const std::string &name)
{{
    for (const auto &shape : shapes)
        {asked}
            return shape.get();
    return nullptr;
}}""", "cpp")  # fmt: skip
    code.null = True
    back = next(one for one in code.of_kind("returns") if one.at == 5)
    assert code.may_be(back, back.of("expression")) is may


@pytest.mark.parametrize(
    ("add", "more", "behind"),
    [
        ("list->head = item;", "", ["count"]),
        ("list->head = item;", "list->count = 0;", ["count"]),
        ("if (item->id)\n        list->head = item;", "", []),
        ("list->head = find(list);", "", []),
        ("list->head = item;", "list->count = 4;", []),
        ("list->head = item;", "list->count++;", []),
    ],
)
def test_a_count_that_only_follows_a_member_shows_it_was_set(
    add: str, more: str, behind: list[str]
) -> None:
    code = _code(f"""\
struct list {{ struct item *head; int count; }};
static void list_add(struct list *list, struct item *item)
{{
    item->next = list->head;
    {add}
    list->count++;
}}
static void list_other(struct list *list)
{{
    {more}
}}
int main(void)
{{
    struct list list = {{0}};
}}""", "c")  # fmt: skip
    code.null = True
    assert list(set_behind(code, "list", "head")) == behind


def test_a_variable_that_begins_with_what_was_there_shows_nothing() -> None:
    code = _code("""\
struct list { struct item *head; int count; };
static void list_add(struct list *list, struct item *item)
{
    item->next = 0;
    list->head = item;
    list->count++;
}
int main(void)
{
    struct list list;
}""", "c")  # fmt: skip
    code.null = True
    assert list(set_behind(code, "list", "head")) == []


_KEYS = """\
struct ses { long opened; char *key; };
static struct ses *made(const char *key)
{
    struct ses *s = malloc(sizeof *s);
    s->opened = 1;
    s->key = strdup(key);
    return s;
}
static void ended(struct ses *s)
{
    free(s->key);
}
int main(void)
{
    struct ses *one = made("one"), *two = made("two");
    MORE
    ended(one);
    ended(two);
}
"""


@pytest.mark.parametrize(
    ("more", "may"),
    [
        ("two->opened = one->opened;", True),
        ("two->key = one->key;", False),
        ("*two = *one;", False),
        ("memcpy(two, one, sizeof *two);", False),
        ("char **key = &two->key; *key = one->key;", False),
    ],
)
def test_a_line_releases_a_block_twice_that_no_two_objects_share(more: str, may: bool) -> None:
    code = _code(_KEYS.replace("MORE", more), "c")
    (free,) = (one for one in code.of_kind("frees") if one.function == "ended")
    assert _may_be_first(code, free) is may


_MAKER = """\
struct part { struct link *link; int count; };
static struct part *part_new(const char *text)
{
    struct part *p = calloc(1, sizeof *p);
    FIRST
    p->link = link_of(text);
    SECOND
    if (CHECK) {
        free(p);
        return NULL;
    }
    THIRD
    return p;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "check", "third", "born"),
    [
        ("p->count = 1;", "p->count++;", "p->link == NULL", "p->count = 2;", True),
        ("", "", "!p->link", "", True),
        ("", "", "p == NULL", "", False),
        ("", "", "!p->link && p->count", "", False),
        ("", "", "!p->link", "p->link = link_of(NULL);", False),
        ("last = p;", "", "!p->link", "", False),
        ("", "note(p);", "!p->link", "", False),
        ("", "if (p->count) return p;", "!p->link", "", False),
        ("struct part *other = p;", "", "!p->link", "", False),
    ],
)
def test_who_asks_before_it_returns_an_object_has_set_its_member(
    first: str, second: str, check: str, third: str, born: bool
) -> None:
    source = _MAKER.replace("FIRST", first).replace("SECOND", second)
    code = _code(source.replace("CHECK", check).replace("THIRD", third), "c")
    code.null = True
    assert is_born_with(code, "part", "link") is born


_GIVEN = """\
struct text { int length; };
struct node { struct node *next; struct text *text; };
static void put(struct node *n, struct text *t)
{
    if (n->next)
        put(n->next, DEEPER);
    else
        n->text = t;
}
static void add(struct node *n)
{
    struct text *made = malloc(sizeof *made);
    put(n, GIVEN);
}
"""


@pytest.mark.parametrize(
    ("deeper", "given", "more", "address"),
    [
        ("t", "made", "", True),
        ("t", "(struct text *)1", "", False),
        ("t + 1", "made", "", False),
        ("other", "made", "", False),
        ("t", "made", "void (*any)(struct node *, struct text *) = put;", False),
        ("t", "made", "void more(struct node *n, long l) { put(n, (void *)l); }", False),
    ],
)
def test_a_parameter_is_an_address_that_all_calls_give(
    deeper: str, given: str, more: str, address: bool
) -> None:
    source = _GIVEN.replace("DEEPER", deeper).replace("GIVEN", given)
    code = _code(source + more, "c")
    [store] = code.stores("node", "text")
    assert _is_address(code, store, "t") is address


@pytest.mark.parametrize(
    ("first", "zeros"),
    [
        ("struct order o = {.number = 4, .name = \"a, {b}\"};", True),
        ("struct order all[2] = {{.number = 4}, {0}};", True),
        ("struct order o = {4};", False),
        ("struct order o = {.items = {{.count = 4}}};", False),
        ("struct order o = {.items[0].count = 4};", False),
        ("struct order o = ORDER(4);", False),
        ("struct order o = *other();", False),
        ("struct order o;", False),
        ("struct item i = {.count = 4};", False),
        ("struct order o = {0}; struct item *i = &o.items[1];", True),
        ("struct item i = {NULL};", True), ("struct item i = {FIRST, 4};", False),
        ("struct item i = {FIRST};", True), ("struct order o = {FIRST};", False),
    ],
)  # fmt: skip
def test_a_part_of_a_variable_begins_as_zeros(first: str, zeros: bool) -> None:
    code = _code("struct item { struct part *part; int count; };\n"
                 "struct order { int number; const char *name; struct item items[4]; };\n"
                 f"void run(void)\n{{\n    {first}\n}}\n", "c")  # fmt: skip
    assert _are_zeros(code, "item") is zeros


_COPY = """\
struct tag { char *name; };
static char *last;
static char *copied(const char *from)
{
    char *to = malloc(strlen(from));
    FIRST
    strcpy(to, from);
    SECOND
    return to;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "calls"),
    [
        ("if (!to) return NULL;", "", 1),
        ("", "puts(to);", 1),
        ("", "strcat(to, from);", 2),
        ("", "to[3] = 1;", 0),
        ("", "last = to;", 0),
        ("", 'sscanf(from, "%s", to);', 0),
        ("char *at = to;", "*at++ = 1;", 0),
        ("", "shout(to);", 0),
    ],
)
def test_calls_of_one_function_alone_fill_a_block(first: str, second: str, calls: int) -> None:
    code = _code(_COPY.replace("FIRST", first).replace("SECOND", second), "c")
    (line,) = code.of_kind("allocates")
    assert len(_fills(code, line, code.of_kind("returns", line.function))) == calls


@pytest.mark.parametrize(
    ("call", "weighed"),
    [
        ("strcpy(to, from);", True),
        ("strcpy(to, last);", False),
        ('strcat(to, ".");', True),
        ('sprintf(to, "%s", from);', True),
        ('sprintf(to, "%s", last);', False),
        ("memcpy(to, from, strlen(from) + 1);", True),
        ("memcpy(to, from, strlen(from));", False),
        ("snprintf(to, 8, from);", False),
    ],
)
def test_a_block_was_asked_for_by_all_that_is_copied_there(call: str, weighed: bool) -> None:
    text = _COPY.replace("strcpy(to, from);", call).replace("FIRST", "").replace("SECOND", "")
    code = _code(text, "c")
    (line,) = code.of_kind("allocates")
    fills = _fills(code, line, code.of_kind("returns", line.function))
    assert all(
        _ends_it(code, one, alone=True) and _is_weighed(code, one, line.of("size")) for one in fills
    ) is weighed  # fmt: skip
    assert fills


_STATES = """\
enum state { NEW, KEYED, READY };
struct ses { enum state state; struct key *key; };
struct ses *made(void) { struct ses *s = calloc(1, sizeof *s); return s; }
void start(struct ses *s)
{
    s->key = &first;
    s->state = KEYED;
}
void ready(struct ses *s)
{
    if (s->state == KEYED)
        s->state = READY;
}
void other(struct ses *s, int n)
{
    ANOTHER
}
"""


@pytest.mark.parametrize(
    ("another", "comes"),
    [
        ("", True),
        ("s->state = NEW;", True),
        ("s->state = READY;", False),
        ("s->state = KEYED;", False),
        ("s->state = n;", False),
        ("if (n)\n s->key = &first;\n s->state = KEYED;", False),
    ],
)
def test_a_state_is_got_to_where_a_member_was_set(another: str, comes: bool) -> None:
    code = _code(_STATES.replace("ANOTHER", another), "c")
    code.null = True
    stores = code.stores("ses", "state")
    assert all(_comes_with(code, one, "key", "READY") for one in stores) is comes


@pytest.mark.parametrize(
    ("loop", "path", "led"),
    [
        ("for (Item &it : items_)", "&it", True),
        ("for (Item it : items_)", "it", False),
        ("for (Item &it : others_)", "&it", False),
        ("Item &it = items_[n];", "&it", True),
        ("Item *it = &items_[n];", "it", True),
        ("Item *it = items_[n].next;", "it", False),
        ("Item *it = &items_[n]; it = other;", "it", False),
    ],
)
def test_a_variable_leads_to_an_element(loop: str, path: str, led: bool) -> None:
    text = "struct Item { int n; Item *next; };\nstruct All { std::vector<Item> items_, others_;\n"
    code = _code(f"{text}void f(int n, Item *other)\n{{\n{loop}\nn = 1; }} }};\n", "cpp")
    assert (led_by(code, "All::f", path, ("All", "items_")) is not None) is led


@pytest.mark.parametrize(
    ("body", "member"),
    [("return lock_;", "lock_"), ("n_++; return lock_;", ""), ("return *other;", "")],
)
def test_a_method_that_returns_a_member_is_that_member(body: str, member: str) -> None:
    text = f"struct A {{ Lock lock_; int n_; Lock &lock() {{ {body} }} }};\nvoid f(A *a) {{ }}\n"
    ports: Any = SimpleNamespace(state=Investigation())
    dump = Dump(ports, [], _code(text, "cpp"), None)
    made = dump._by_members("&a->lock()", "f")
    assert made == (f"&a->{member}" if member else None)


@pytest.mark.parametrize(
    ("begin", "empty"),
    [
        ("List(int n) { items_.reserve(n); }", True),
        ("List(int n) : first_(nullptr) { items_.reserve(n); }", True),
        ("List(int n) { items_.push_back(Item{n});\n items_.reserve(n); }", False),
        ("List(int n) { first_ = items_.data();\n items_.reserve(n); }", False),
        ("List(List &other) { other.items_.reserve(4); }", False),
        ("List(int n) { other_.items_.reserve(n); }", False),
        ("List(int n) { items_.resize(n); }", False),
        ("void room(int n) { items_.reserve(n); }", False),
    ],
)
def test_room_that_a_constructor_makes_lets_go_of_nothing(begin: str, empty: bool) -> None:
    source = _LIST.replace("MORE", begin).replace("private:", "private:\n    Item *first_;")
    code = _code(source, "cpp")
    grown = [one for one in code.of_kind("frees") if "push_back" not in one.of("callee")]
    assert [_is_empty(code, one) for one in grown] == [empty]


@pytest.mark.parametrize(
    ("made", "test", "without"),
    [
        ("malloc(64)", "text == NULL", True),
        ("malloc(sizeof *text)", "!text", True),
        ("malloc(n)", "!text", False),
        ("find(n)", "!text", False),
        ("malloc(64)", "!text || n == 0", False),
        ("malloc(64)", "n == 0", False),
        ("malloc(64);\n    text = find(n)", "!text", False),
        ("malloc(64);\n    fill(&text)", "!text", False),
    ],
)
def test_a_small_allocation_does_not_fail(made: str, test: str, without: bool) -> None:
    code = _code(f"char *get(int n)\n{{\n    char *text = {made};\n    if ({test})\n"
                 "        return NULL;\n    return text;\n}", "c")  # fmt: skip
    code.null = True
    assert _is_without_memory(code, code.of_kind("returns")[0]) is without


@pytest.mark.parametrize(("now", "ahead"), [(5, True), (6, False), (2, False), (9, False)])
def test_where_a_function_stands_by_a_line_of_another_is_not_known(now: int, ahead: bool) -> None:
    code = _code("int first(struct s *s)\n{\n    return s->n;\n}\nint main(void)\n{\n"
                 "    s->n = 1;\n    s->n = 2;\n}", "c")  # fmt: skip
    code.frames = [Frame(index=0, function="main", line=now + 1)]
    assert is_ahead(code, code.stores("s", "n")[0]) is ahead


@pytest.mark.parametrize(
    ("member", "loop", "given"),
    [
        ("text", "while (*from)", True),
        ("text", "while (*from != 0)", True),
        ("room", "while (*from)", False),  # which is to fit, whatever comes
        ("text", "while (n->more)", False),
        ("text", "for (int at = 0; at < n->more; at++)", True),
        ("room", "for (int at = 0; at < n->more; at++)", False),
    ],
)
def test_a_block_may_be_too_small_for_what_its_function_was_given(
    member: str, loop: str, given: bool
) -> None:
    body = f"char *out = n->{member};\n {loop}\n *out++ = *from++;\n *out = 0;"
    code = _code(
        "struct name { char *text; char room[8]; int more; };\n"
        f"void set(struct name *n, const char *from)\n{{\n {body}\n}}",
        "c",
    )
    stores = [one for one in code.of_kind("assigns", "set") if one.of("target")[:1] == "*"]
    assert len(stores) == 2
    assert [_is_given_bound(code, one, ("name", member)) for one in stores] == [given] * 2
