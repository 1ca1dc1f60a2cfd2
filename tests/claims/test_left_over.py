"""The one expression of a line whose value no debugger knows."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.registry import analyze
from tests.analyzers.outputs import GDB
from workbench.claims.book import Book
from workbench.claims.expressions import ROWS, left_over, used
from workbench.claims.say import say
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Fault, Frame, Load, Memory, Region

_KNOWN = {
    "t": "0x5000",
    "t->slots": "0x6000",
    "it": "{_M_node = 0x7000}",
    "it.home": "true",
    "&all": "0x8000",
    "all.items": "{_M_start = 0x9000}",
    "hash": "{long (int)} 0x401000",
    "text": '0xa000 "aaaa"...',
    **dict.fromkeys(
        ("at", "best", "base", "find", "i", "key", "m", "p", "q", "row", "sum"), "<optimized out>"
    ),
}


@pytest.mark.parametrize(
    ("line", "left", "file", "how"),
    [
        (
            "t->slots[hash(key) % t->size]->hits++;",
            "t->slots[hash(key) % t->size]",
            "a.c",
            "through",
        ),
        ("return it->second->area();", "it->second", "a.cpp", "through"),
        ("sum += t->slots[t->slots[0]]->hits;", "t->slots[t->slots[0]]", "a.c", "through"),
        ("sum = i * 2 / (m.hi - m.lo);", "m.hi - m.lo", "a.c", "divides"),
        ("sum = i / 2 / (m.hi - m.lo);", "", "a.c", "divides"),  # by either
        ("sum += all.items[i]->price * all.items[i]->count;", "all.items[i]", "a.cpp", "through"),
        ("unsafe { (*at).value }", "at", "a.rs", "through"),
        ("unsafe { *base.add(at) = 0 };", "at", "a.rs", "index"),
        ("unsafe { *base.add(at) = 0 };", "base", "a.rs", "through"),
        ("sum += p->cost + q->cost;", "", "a.c", "through"),  # either
        ("sum += t->name[t->name.size() - 1];", "", "a.cpp", "through"),  # no pointer, but has one
        ("sum += t->name[t->size - 1];", "t->name", "a.cpp", "through"),
        ("sum += m.cost + p->cost;", "", "a.cpp", "through"),  # `m` may be a reference
        ("sum += m.cost + p->cost;", "p", "a.c", "through"),
        ("p->next = NEXT(q);", "", "a.c", "through"),  # a macro goes through what it is given
        ("p->next = of(q);", "", "a.c", "through"),
        ("return mine.mm->pgd;", "", "a.c", "through"),  # `#define mine cpu->task[0]`
        ("t->slots[0] = p->cost * SIZE;", "", "a.c", "through"),
        ("struct row *row = p->rows;", "p", "a.c", "through"),
        ("row_t *row = std::hash(p->rows);", "p", "a.cpp", "through"),
        ("p->next = find(q)->next;", "", "a.c", "through"),
        ("p->next = *(q + n);", "", "a.c", "through"),
        ("p->next = **q;", "", "a.c", "through"),
        ("if ((*it.home)->number > best)", "*it.home", "a.cpp", "through"),
        ("n += (*at)->owner->served;", "", "a.cpp", "through"),  # `*at` or `(*at)->owner`
        ("*t++ = it->home;", "t", "a.c", "through"),  # what it holds is no more what was used
        (
            "sum += t->cost(p[i]);",
            "",
            "a.cpp",
            "through",
        ),  # a virtual call goes through a table, too
        ("t->slots[0] = 0;", "", "a.c", "through"),  # all of it is known
        ("t->slots[0] = text[0];", "", "a.c", "through"),  # so is a pointer to a text that is cut
    ],
)
def test_what_is_left_over(line: str, left: str, file: str, how: str) -> None:
    fault = Fault(
        cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None, access="read"
    )
    assert left_over(line, Frame(index=0, file=file), _KNOWN, fault, how) == left


@pytest.mark.parametrize(("base", "left"), [(0x4141, "t->flag"), (0x5000, "")])
def test_nothing_is_left_over_by_what_holds_the_bad_address_itself(base: int, left: str) -> None:
    fault = Fault(
        cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None, access="read",
        base_value=base,
    )  # fmt: skip
    line = "for (; t; t = t->slots) sum += t->due + *t->flag;"
    assert left_over(line, Frame(index=0, file="a.c"), _KNOWN, fault, "through") == left


def test_a_word_that_was_read_in_an_object_is_no_variables() -> None:
    load = Load(at=1, register="rdx", source=0x7FF0, value=0)
    fault = Fault(cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None,
                  access="read", origin=(load,))  # fmt: skip
    frame = Frame(index=0, file="a.cpp")
    values = dict.fromkeys(("n", "base", "all", "sum"), "<optimized out>")
    assert not left_over("return n.weight > base->weight;", frame, values, fault, "through")
    for way in (fault, replace(fault, origin=(), loaded_far=True)):
        assert left_over("sum += all.skin->w;", frame, values, way, "through") == "all.skin"


def test_where_an_element_lies_is_not_what_it_holds() -> None:
    load = Load(at=1, register="rax", source=0x8FF0, value=0)
    fault = Fault(cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None,
                  access="read", origin_call="std::vector<S*>::operator[]")  # fmt: skip
    for way, left in ((fault, ""), (replace(fault, origin=(load,)), "all.items[i]")):
        frame = Frame(index=0, file="a.cpp")
        assert left_over("return all.items[i]->n;", frame, _KNOWN, way, "through") == left


def test_one_of_two_nulls_is_not_left_over() -> None:
    fault = Fault(cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None,
                  access="read", origin_call="Own<S>::operator->", origin_value=0)  # fmt: skip
    for held, left in (("{at = 0x9000}", "all.items[i]"), ("{at = 0x0}", "")):
        known = _KNOWN | {"row": held}
        line, frame = "return row->n + all.items[i]->n;", Frame(index=0, file="a.cpp")
        assert left_over(line, frame, known, fault, "through") == left


def test_a_variable_that_changed_since_is_still_the_functions_own() -> None:
    text = (
        "thread 7\npc 0x401221: file a r-x, cut+0x88\n"
        "access write at 0x0 through [rax]\nbase register rax = 0x0: near null, unmapped\n"
        "origin 1: rax was loaded by mov rax, qword ptr [rbp - 8] at 0x401215 from 0x7ff528 (stack "
        "of thread 7 rw-); that now holds 0x1, which is not the value that was used: it changed "
        "since\n"
    )
    (fault,) = analyze(Document("E1", "@fault", "dump", text)).facts
    assert isinstance(fault, Fault)
    frame = Frame(index=0, file="a.c")
    assert left_over("*colon++ = 0;", frame, {"colon": "..."}, fault, "through") == "colon"


def test_a_null_that_the_compiler_knows_is_in_no_register() -> None:
    command = "frame apply level 0 -q ptype /o *at"
    (layout,) = analyze(Document("E2", command, "gdb", GDB[command])).facts
    fault = Fault(cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None,
                  access="read", operand=8, base_value=0)  # fmt: skip
    book = Book(FactBook((fault, layout)), {}, str, lambda _: ())
    (row,) = ROWS["operand"](book, say("operand", ()), ())
    assert (row.values["member"], row.values["value"]) == ("value", 0)
    assert "register" not in row.values


@pytest.mark.parametrize(("base", "index", "left"), [
    (0x5018, None, "&p[i]"), (0x5018, "rdx", "p"), (0, None, "p")
])  # fmt: skip
def test_an_elements_address_is_not_its_arrays(base: int, index: str | None, left: str) -> None:
    fault = Fault(cite=Citation("E1"), thread=1, pc=1, instruction=None, mnemonic=None,
                  access="read", base_value=base, index_register=index)  # fmt: skip
    assert left_over("sum += p[i];", Frame(index=0, file="a.c"), _KNOWN, fault, "through") == left


_INDEX = """thread 7
pc 0x401221: file a r-x, cut+0x88
access read at 0x55562bea52b0 through [rbx + rdx*8]
base register rbx = 0x55555556aeb0: heap rw-
index register rdx = 0x1ad27480: decimal 450000000
"""
_SCALED = "index origin 1: rdx was computed as 0x1ad27480 by lea rdx, [rdx + rdx*4] at 0x401215\n"
_LOADED = ("index origin 2: rdx was loaded with {} from 0x7fff0008 (stack of thread 7 rw-) by "
           "movsxd rdx, dword ptr [rbp - 8] at 0x401211\n")  # fmt: skip


@pytest.mark.parametrize(("walk", "register", "value"), [
    (_SCALED + _LOADED.format("0x55d4a80"), None, 90000000),
    (_SCALED + _LOADED.format("0x7"), None, None),  # something was added, too
    (_SCALED, None, None),
    (_LOADED.format("0x1ad27480"), "rdx", 450000000),
])  # fmt: skip
def test_an_index_is_what_was_scaled(walk: str, register: str | None, value: int | None) -> None:
    (fault,) = analyze(Document("E1", "@fault", "dump", _INDEX + walk)).facts
    assert isinstance(fault, Fault)
    heap = Region(start=0x555555559000, end=0x55555557A000, perms="rw-", path=None, offset=0,
                  kind="heap", thread=None, dumped=True)  # fmt: skip
    memory = Memory(cite=Citation("E2"), regions=(heap,))
    assert used(fault, memory) == ("index", register, value)


def test_a_divisor_is_what_divides() -> None:
    fault = Fault(cite=Citation("E1"), thread=1, pc=1, instruction="idiv esi", mnemonic="idiv",
                  access="none", divisor=0)  # fmt: skip
    assert used(fault, None) == ("divides", None, 0)
