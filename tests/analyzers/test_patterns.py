"""Patterns on facts made by hand: what is proved, what stays open, the rules of every verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns import PATTERNS, commands, dangling
from analyzers.patterns.case import Case
from analyzers.patterns.signs import repeated_byte, text_in
from analyzers.patterns.stated import mapped
from analyzers.patterns.stuck import nobody_left
from analyzers.registry import analyze
from workbench.agents.report.signature import _frames, _outside
from workbench.agents.report.threads import stack_frames
from workbench.claims.render import resting
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import (
    AbortMessage,
    AnyFact,
    Argument,
    Chunk,
    CoreHealth,
    CxxException,
    FactBook,
    Fault,
    Frame,
    GivenBack,
    Handled,
    Heap,
    Load,
    LockCycle,
    Memory,
    Place,
    Printed,
    Process,
    Region,
    Register,
    Registers,
    Repeat,
    Signal,
    SourceLine,
    Stack,
    StackShape,
    Typed,
    Wait,
)
from workbench.model.hypothesis import (
    HIGH_CONFIDENCE,
    ITEMS_FOR_HIGH,
    UPPER_RUNGS,
    Proposal,
    Status,
    Verdict,
)

EXE = "/opt/app/run"


def cite(item: int, first: int = 1, last: int = 0) -> Citation:
    return Citation(f"E{item}", first, last or first)


def region(start: int, end: int, kind: str, perms: str = "rw-", line: int = 1) -> Region:
    path = EXE if kind == "file" else None
    return Region(start=start, end=end, perms=perms, path=path, offset=0, kind=kind,
                  thread=7 if kind == "stack" else None, dumped=True, line=line)  # fmt: skip


MEMORY = Memory(
    cite=cite(3, 1, 9),
    regions=(
        region(0x400000, 0x410000, "file", "r-x", 1),
        region(0x410000, 0x420000, "file", "r--", 2),
        region(0x500000, 0x600000, "heap", "rw-", 3),
        region(0x7FFF0000, 0x7FFFF000, "stack", "rw-", 4),
    ),
)
PROCESS = Process(cite=cite(2), pid=7, command_line="run", executable=EXE, arch="x86_64",
                  os="Linux", threads=(7, 8), snapshot=False)  # fmt: skip
FRAME = Frame(index=0, function="work", file="a.c", line=5, address=0x400010, line_no=1)
MAIN = Frame(index=1, function="main", file="a.c", line=9, address=0x400020, line_no=2)
STACK = Stack(cite=cite(7, 1, 2), number=1, thread=7, name=None, current=True,
              frames=(FRAME, MAIN))  # fmt: skip


def signal(
    name: str = "SIGSEGV", number: int = 11, code: int = 1, sender: int | None = None
) -> Signal:
    return Signal(cite=cite(2, 3, 5), thread=7, number=number, name=name, code=code, code_name=None,
                  fault_address=None, sender_pid=sender, sender_uid=None)  # fmt: skip


def fault(access: str = "read", operand: int = 0x8, **more: object) -> Fault:
    given = {"instruction": "mov eax, dword ptr [rax + 8]", "mnemonic": "mov", **more}
    return Fault(cite=cite(4, 1, 8), thread=7, pc=0x400010, access=access, operand=operand, **given)  # type: ignore[arg-type]


def book(*facts: AnyFact) -> FactBook:
    return FactBook([PROCESS, MEMORY, STACK, *facts])


def verdict(category: str, facts: FactBook) -> Verdict:
    (found,) = (p.evaluate(facts) for p in PATTERNS if p.category is Category(category))
    return found


def proposed(facts: FactBook) -> dict[str, Proposal]:
    return {p.category.value: q for p in PATTERNS if (q := p.propose(facts)) is not None}


def confirmed(facts: FactBook) -> list[str]:
    """Of what is proposed, what stands."""
    return [c for c in proposed(facts) if verdict(c, facts).status is Status.CONFIRMED]


HEAP = Heap(cite=cite(5, 2, 3), start=0x500000, end=0x600000, chunks=9, in_use=8, free=1)
CHUNK = Chunk(cite=cite(6, 4), address=0x500100, start=0x5000F0, size=32, state="tcache", offset=0,
              heap=0x500000)  # fmt: skip
NULL = fault(base_register="rax", base_value=0)


def test_patterns_stand_in_the_contracts_order() -> None:
    order = list(Category)
    places = [order.index(pattern.category) for pattern in PATTERNS]
    assert places == sorted(set(places))


def test_a_null_operand_is_a_null_pointer() -> None:
    facts = book(signal(), NULL, HEAP)
    found = verdict("null-pointer-dereference", facts)
    assert found.status is Status.CONFIRMED
    assert found.frame is not None
    assert found.frame.function == "work"
    assert "0x8" in found.claims[1].text
    assert "`work` at `a.c:5`" in found.claims[0].text
    assert len(proposed(facts)) == 2


@pytest.mark.parametrize(
    ("below", "function", "thread", "inner", "stands"),
    [
        (0x400, None, 7, "work", "use-after-free"),
        # What calls nothing keeps its variables there.
        (0x80, None, 7, "work", "null-pointer-dereference"),
        (0x80, None, 7, "strlen", "use-after-free"),
        (0x80, None, 8, "strlen", "null-pointer-dereference"),  # so may the other thread's function
        (None, "clock_nanosleep", 8, "work", "use-after-free"),
    ],
)
def test_a_null_of_a_stack_that_took_its_memory_back(
    below: int | None, function: str | None, thread: int, inner: str, stands: str
) -> None:
    led = Load(at=0x400001, register="rdx", source=0x7FFF8000, value=0x7FFF1000, line=5)
    null = Load(at=0x400008, register="rax", source=0x7FFF1008, value=0, line=6)
    gone = GivenBack(cite=cite(6, 3), address=0x7FFF1000, thread=thread, below=below,
                     function=function)  # fmt: skip
    read = fault(base_register="rax", base_value=0, origin=(null, led))
    library = Frame(index=0, function="strlen", module="libc.so.6", address=0x7F0000000010)
    frames = (library, replace(FRAME, index=1)) if inner == "strlen" else (FRAME, MAIN)
    known = [PROCESS, MEMORY, replace(STACK, frames=frames), signal(), read]
    assert confirmed(FactBook([*known, gone])) == [stands]
    assert confirmed(FactBook([*known, replace(gone, address=0x7FFF2000)])) == [
        "null-pointer-dereference"
    ]


def test_a_null_out_of_the_heaps_rest_is_no_cause() -> None:
    null = Load(at=0x400008, register="rax", source=0x500100, value=0, line=6)
    read = fault(base_register="rax", base_value=0, origin=(null,))
    assert confirmed(book(signal(), read, HEAP, replace(CHUNK, state="top"))) == []
    assert confirmed(book(signal(), read, HEAP, replace(CHUNK, state="in-use"))) == [
        "null-pointer-dereference"
    ]


def test_a_null_out_of_memory_that_was_cut_off_is_not_proved() -> None:
    unread = Load(at=0x400008, register="rax", source=0x7FFF8000, value=None, line=6)
    read = fault(base_register="rax", base_value=0, origin=(unread,))
    cut = CoreHealth(cite=cite(1), truncated=True, executable=None, executable_matches=None,
                     dumped_bytes=1, missing_bytes=9)  # fmt: skip
    assert confirmed(book(signal(), read, cut)) == []
    assert confirmed(book(signal(), read)) == ["null-pointer-dereference"]


@pytest.mark.parametrize("name", ["at", "r->kind"])
@pytest.mark.parametrize(
    ("index", "type_", "stands"),
    [
        ("-1", "struct slot [8]", ["out-of-bounds-read"]),
        ("8", "struct slot [8][2]", ["out-of-bounds-read"]),
        (r"8 '\b'", "struct slot [8]", ["out-of-bounds-read"]),  # of a byte
        ("7", "struct slot [8]", ["null-pointer-dereference"]),
        ("3", "struct slot [1]", ["null-pointer-dereference"]),  # as many as were allocated
        ("-1", "struct slot *", ["null-pointer-dereference"]),
        ("-1", "const std::vector<slot, std::allocator<slot> > &", ["out-of-bounds-read"]),
        ("9", "std::vector<slot, std::allocator<slot> >", ["out-of-bounds-read"]),
        ("8", "std::vector<slot, std::allocator<slot> >", ["null-pointer-dereference"]),
        ("-1", "std::map<int, slot>", ["null-pointer-dereference"]),
        ("4", "std::array<slot, 4ul>", ["out-of-bounds-read"]),
        ("3", "std::array<slot, 4ul>", ["null-pointer-dereference"]),
    ],
)
def test_an_index_that_the_array_has_no_element_of(
    name: str, index: str, type_: str, stands: list[str]
) -> None:
    facts = (
        signal(),
        SourceLine(cite=cite(8, 1), line=5, text=f"use(r->slots[{name}].next->name);", file="a.c"),
        Printed(cite=cite(9, 1), frame=0, expression=f"r->slots[{name}].next", value="0x0"),
        Printed(cite=cite(10, 1), frame=0, expression=name, value=index),
        Printed(cite=cite(10, 2), frame=0, expression="r", value="0x7fff1000"),
        Typed(cite=cite(11, 1), frame=0, expression="r->slots", type=type_),
        Printed(
            cite=cite(12, 1),
            frame=0,
            value="9",
            expression="r->slots._M_impl._M_finish - r->slots._M_impl._M_start",
        ),
    )
    assert confirmed(book(*facts, NULL)) == stands
    allocated = Printed(cite=cite(10, 2), frame=0, expression="r", value="0x500100")
    facts = tuple(allocated if one == facts[4] else one for one in facts)
    counted = index == "-1" or "vector" in type_
    assert confirmed(book(*facts, NULL)) == (stands if counted else ["null-pointer-dereference"])
    cell = Load(at=0x400008, register="rax", source=0x500108, value=0, line=6)
    block = replace(CHUNK, state="in-use")  # an array at the end of an object may go on there
    held = book(*facts, replace(NULL, origin=(cell,)), HEAP, block,
                replace(block, address=0x500108, offset=8))  # fmt: skip
    assert confirmed(held) == (stands if counted else ["null-pointer-dereference"])


@pytest.mark.parametrize(
    ("line", "args", "held", "stands"),
    [
        ("const char *name = names[level];", "level=FATAL", "0x1", True),
        ("name = s->names[0] ? names[level] : other[level];", "level=FATAL", "0x1", False),
        ("const char *name = names[level];", "level=FATAL", "0x2", False),  # another by now
        ("const char *name = names[level];", "level=FATAL, name=0x1", "0x1", False),
    ],
)
def test_a_variable_that_was_read_from_behind_an_array(
    line: str, args: str, held: str, stands: bool
) -> None:
    """By the line of the load, where the element has the variable's value still."""
    kept = Load(at=0x400008, register="rdi", source=0x7FFF1000, value=1, line=6, own=True)
    read = Load(at=0x400002, register="rax", source=0x410028, value=1, line=7)
    facts = (
        signal(),
        SourceLine(cite=cite(8, 1), line=5, text="n += *name;", file="a.c"),
        Printed(cite=cite(9, 1), frame=0, expression="name", value="0x1"),
        SourceLine(cite=cite(10, 3), line=4, text=line, file="a.c", address=0x400002),
        Printed(cite=cite(11, 1), frame=0, expression="names[level]", value=held),
        Printed(cite=cite(12, 1), frame=0, expression="(int)level", value="5"),
        Typed(cite=cite(13, 1), frame=0, expression="names", type="const char * const[5]"),
        fault(operand=1, base_register="rdi", base_value=1, origin=(kept, read)),
    )
    stack = replace(STACK, frames=(replace(FRAME, args=args), MAIN))
    case = FactBook([PROCESS, MEMORY, stack, *facts])
    assert ("out-of-bounds-read" in confirmed(case)) is stands
    if stands:
        told = verdict("out-of-bounds-read", case).claims[1:4]
        assert [each.get("expression") for each in told] == ["name", "names[level]", "(int)level"]
        assert resting((told[0], *told)) == told


def test_who_dereferenced_a_null_that_was_passed_on() -> None:
    """A function behind another on the stack may have called a third, which jumped there; one that
    was inlined into its caller made the call all the same."""
    inner = Frame(index=0, function="strcmp", address=0x7F0000000010, module="libc.so.6", line_no=1)
    sort = Frame(index=1, function="msort", address=0x7F0000000020, module="libc.so.6", line_no=2)
    ours = replace(FRAME, index=2, line_no=3, inlined=True)
    stack = replace(STACK, cite=cite(7, 1, 4),
                    frames=(inner, sort, ours, replace(MAIN, index=3, line_no=4)))  # fmt: skip
    claims = verdict("null-pointer-dereference",
                     FactBook([PROCESS, MEMORY, stack, signal(), NULL])).claims  # fmt: skip
    assert [claim.get("caller") for claim in claims if claim.kind == "caller"] == ["main"]
    assert claims[0].text.startswith("A null pointer is dereferenced in a function that `work`")
    assert "Frame 0 is `strcmp`" in " ".join(claim.text for claim in claims)


def test_a_base_of_zero_with_a_far_index_is_still_null() -> None:
    facts = book(signal(), fault(operand=0x900000, base_register="rax", base_value=0))
    assert confirmed(facts) == ["null-pointer-dereference"]


def test_a_null_out_of_freed_memory_is_use_after_free() -> None:
    stale = fault(
        base_register="rax", base_value=0,
        origin=(Load(at=0x400008, register="rax", source=0x500100, value=0, line=6),),
    )  # fmt: skip
    facts = book(signal(), stale, HEAP, CHUNK)
    assert confirmed(facts) == ["use-after-free"]
    against = verdict("null-pointer-dereference", facts)
    assert against.status is Status.REJECTED
    assert CHUNK.cite in against.contradicting


@pytest.mark.parametrize(
    ("offset", "operand", "proved"),
    [
        (0, 0x100500000, True),  # the object's own address
        (0x40, 0x500130, True),
        (0x40, 0x100500000, False),  # a table's address less its first key lies anywhere
    ],
)
def test_an_index_that_leads_out_of_a_free_chunk_uses_nothing_freed(
    offset: int, operand: int, proved: bool
) -> None:
    at = CHUNK.address + offset
    wild = fault(operand=operand, base_register="rax", base_value=at)
    facts = book(signal(), wild, HEAP, replace(CHUNK, address=at, size=0x800, offset=offset))
    assert (confirmed(facts) == ["use-after-free"]) is proved


@pytest.mark.parametrize(("index", "base", "cause"), [
    ("rdx", 0x500100, ["out-of-bounds-read"]),  # of a pointer and null
    (None, 0, ["null-pointer-dereference"]),
    ("rdx", 0, ["null-pointer-dereference"]),
])  # fmt: skip
def test_a_difference_to_null_leads_from_where_it_was_added(
    index: str | None, base: int, cause: list[str]
) -> None:
    wild = fault(operand=(1 << 64) - 0x40, base_register="rsi", base_value=base,
                 index_register=index, index_value=-(base or 0x40) % (1 << 64))  # fmt: skip
    assert confirmed(book(signal(), wild)) == cause


HIGH = 0x5562_AC48_0000


@pytest.mark.parametrize(("base", "size", "found"), [
    (0xAC48_C2A0, 1 << 16, ["wild-pointer"]),
    (0xFFFF_FFFF_AC48_C2A0, 1 << 16, ["wild-pointer"]),  # it was an int's
    (0xAC58_C2A0, 1 << 16, []),  # no address has this half
    (0xAC48_C2A0, 1 << 27, []),  # in so much memory some address has any half
    (0x1_AC48_C2A0, 1 << 16, []),
])  # fmt: skip
def test_half_of_an_address_is_told(base: int, size: int, found: list[str]) -> None:
    memory = Memory(cite=cite(3, 1, 9), regions=(
        *MEMORY.regions, region(HIGH, HIGH + size, "heap", "rw-", 5)))  # fmt: skip
    bad = fault(operand=base + 8, base_register="rax", base_value=base)
    facts = FactBook([PROCESS, memory, STACK, signal(), bad])
    assert confirmed(facts) == found
    if found:
        (half,) = (c for c in verdict("wild-pointer", facts).claims if c.kind == "computed")
        assert half.get("left") == HIGH + 0xC2A0
        assert half.text.endswith(f"truncated to the bits 0 to 31 is {base:#x}.")


@pytest.mark.parametrize(
    ("bound", "size", "stands"),
    [
        ("9000", 0, []),
        ("7000", 0, ["out-of-bounds-read"]),
        ("9000", 0x2000, ["out-of-bounds-read"]),
        ("9000", 0x3000, []),  # its end is gone
    ],
)
def test_an_index_below_its_bound_did_not_lead_out_of_a_block_that_may_have_moved(
    bound: str, size: int, stands: list[str]
) -> None:
    start = 0x7F1BEE7F8000
    memory = Memory(cite=cite(3, 1, 9), regions=(
        *MEMORY.regions, region(start, start + 0x2000, "anonymous", "rw-", 5)))  # fmt: skip
    load = Load(at=0x400008, register="rax", source=0x7FFF1000, value=start + 16, line=6)
    bad = fault(operand=start + 0x2000, base_register="rax", base_value=start + 0x2000,
                origin=(load,), computed_line=5)  # fmt: skip
    line = SourceLine(cite=cite(8, 1), line=5, text="for (; i < n; i++) s += p[i];", file="a.c")
    held = [Printed(cite=cite(9, n), frame=0, expression=name, value=value)
            for n, (name, value) in enumerate((("i", "8176"), ("n", bound)), 1)]  # fmt: skip
    walked = [Chunk(cite=cite(10, 1), address=start + 16, start=start, size=size, state="in-use",
                    offset=0, heap=start)] if size else []  # fmt: skip
    facts = FactBook([PROCESS, memory, STACK, signal(), bad, line, *held, *walked])
    assert confirmed(facts) == stands


@pytest.mark.parametrize(("through", "stands"), [(False, []), (True, ["use-after-free"])])
def test_a_free_chunk_in_front_of_the_block_that_was_counted_from_was_not_used(
    through: bool, stands: list[str]
) -> None:
    """The last element of an empty vector lies there; a link of the block leads there, too."""
    end = Load(at=0x400001, register="rcx", source=0x7FFF1000, value=0x500120, line=8)
    link = Load(at=0x400004, register="rdx", source=0x500128, value=0x500100, line=7)
    word = Load(at=0x400008, register="rax", source=0x500100, value=0x6F77206F6C6C6500, line=6)
    bad = fault(operand=0x6F77206F6C6C6500, base_register="rax", base_value=0x6F77206F6C6C6500,
                origin=(word, link, end) if through else (word, end))  # fmt: skip
    key = replace(CHUNK, address=CHUNK.address + 8 - CHUNK.offset, offset=8, holds=word.value)
    for kept in ((), (key,)):  # which no data has by chance, but was read all the same
        assert confirmed(book(signal(), bad, HEAP, CHUNK, *kept)) == stands


BAD = 0x7878787878787878
SUM = "by add rax, rdx at 0x400004, where rdx = 0x50"
TOOK = "origin {}: rax was loaded with {:#x} from {:#x} ({}) by mov rax, qword ptr [{}] at 0x400008"
FIRST = TOOK.format(1, BAD, 0x500100, "heap rw-", "{}")
BLOCK = TOOK.format("{}", 0x5000C0, 0x7FFF1000, "stack rw-", "rbp - 8")


@pytest.mark.parametrize(("led", "walk"), [
    (True, (FIRST.format("rax"), f"origin 2: rax was computed as 0x500100 {SUM}", BLOCK.format(3))),
    (True, (FIRST.format("rax + rsi*8 + 8"), BLOCK.format(2))),
    (True, (FIRST.format("rdi + rsi*8"),
            "origin 2: rdi = 0x5000c0 was passed in as argument 1 of the function at 0x400000")),
    # no index, and a value that was stored there
    (False, (FIRST.format("rax + 8"), BLOCK.format(2))),
    (False, (FIRST.format("rax + rsi*8"),
             f"origin 2: {BAD:#x} was stored to 0x500100 from rax by mov", BLOCK.format(3))),
])  # fmt: skip
@pytest.mark.parametrize(("block", "state", "cause"), [
    ("in-use", "tcache", "out-of-bounds-read"), ("tcache", "tcache", "use-after-free"),
    ("in-use", "unsorted", None),  # it may have been one block with what is in use now
    ("in-use", "header", None), ("in-use", "in-use", None),
])  # fmt: skip
def test_an_index_that_leads_out_of_a_block_in_use_uses_nothing_freed(
    led: bool, walk: tuple[str, ...], block: str, state: str, cause: str | None
) -> None:
    text = "\n".join((
        "thread 7", "pc 0x400010: file run r-x, work+0x10",
        "instruction mov eax, dword ptr [rax + 8]", "mnemonic mov",
        f"access read at {BAD + 8:#x} through [rax + 8]",
        f"base register rax = {BAD:#x}: non-canonical", *walk))  # fmt: skip
    read = analyze(Document("E4", "@fault", "dump", text)).facts
    mine = replace(CHUNK, address=0x5000C0, start=0x5000B0, size=0x40, state=block)
    facts = book(signal(), *read, HEAP, replace(CHUNK, state=state), mine)
    told = cause if led else "use-after-free" if state in dangling.FREE_STATES else None
    assert confirmed(facts) == ([told] if told else [])


@pytest.mark.parametrize(("into", "state", "source", "cause"), [
    (0x500100, "header", 0x5000F8, "out-of-bounds-read"),
    (0x500100, "in-use", 0x5000F8, None),  # no element is named: a distance that an object keeps
    (0x500108, "in-use", 0x5000F8, None),
    (0x500100, "in-use", 0x500180, None),  # it may have been one block when the pointer was made
])  # fmt: skip
def test_an_index_that_leads_in_front_of_its_block(
    into: int, state: str, source: int, cause: str | None
) -> None:
    load = Load(at=0x400008, register="rax", source=source, value=BAD, led=into)
    bad = fault(operand=BAD, base_register="rax", base_value=BAD, origin=(load,))
    mine = replace(CHUNK, address=into, size=0x40, state="in-use", offset=into - 0x500100)
    other = replace(CHUNK, address=source, start=source & ~0x3F, state=state)
    assert confirmed(book(signal(), bad, HEAP, other, mine)) == ([cause] if cause else [])


def test_a_function_pointer_out_of_freed_memory_is_called() -> None:
    stale = fault(
        "execute", 0x55E710B43BAD, mnemonic="", instruction="", base_register=None,
        origin=(Load(at=0x400008, register="rdx", source=0x500100, value=0x55E710B43BAD, line=6),),
    )  # fmt: skip
    taken = replace(stale, pc=0x55E710B43BAD)
    said = verdict("use-after-free", book(signal(), taken, HEAP, CHUNK)).claims[0].text
    assert "calls a function pointer that it read from freed memory" in said
    other = replace(stale, pc=0x600000, operand=0x600000)
    said = verdict("use-after-free", book(signal(), other, HEAP, CHUNK)).claims[0].text
    assert "makes an indirect call by way of freed memory" in said


@pytest.mark.parametrize(("shared", "status"), [
    (True, Status.CONFIRMED),
    (False, Status.INCONCLUSIVE),
])  # fmt: skip
def test_freed_memory_that_frames_were_given(shared: bool, status: Status) -> None:
    mine = replace(STACK, frames=(replace(FRAME, args="item=0x500100"), MAIN))
    reader = Frame(index=0, function="read_all", file="a.c", line=7, address=0x400040, line_no=1,
                   args="list=0x500100" if shared else "list=0x500200")  # fmt: skip
    other = Stack(cite=cite(8, 1, 1), number=2, thread=8, name=None, frames=(reader,))
    facts = FactBook([PROCESS, MEMORY, mine, other, signal(), NULL, HEAP, CHUNK])
    found = verdict("use-after-free", facts)
    assert found.status is status
    given = [(c.get("thread"), c.get("function"), c.get("expression"), c.get("value"))
             for c in found.claims if c.kind == "value"]  # fmt: skip
    both = [(7, "work", "item", "0x500100"), (8, "read_all", "list", "0x500100")]
    assert given == both[: 2 if shared else 1]
    (chunk,) = (claim for claim in found.claims if claim.kind == "chunk")
    assert (chunk.get("start"), chunk.get("state")) == (0x5000F0, "tcache")


@pytest.mark.parametrize(("offset", "state", "cause"), [
    (0, "tcache", ["use-after-free"]),  # the allocator's own link
    (8, "tcache", ["use-after-free"]),  # its key
    (16, "tcache", []),  # a copy of the bytes, which proves nothing
    (8, "fastbin", []),
    (0, "in-use", []),
])  # fmt: skip
def test_only_the_allocators_own_link_tells_of_freed_memory_by_its_value(
    offset: int, state: str, cause: list[str]
) -> None:
    held = Chunk(cite=cite(6, 5), address=0x500100 + offset, start=0x5000F0, size=32, state=state,
                 offset=offset, heap=0x500000, holds=0xA824B5CA0938F044)  # fmt: skip
    bad = fault(operand=0xA824B5CA0938F044, base_register="rax", base_value=0xA824B5CA0938F044)
    assert confirmed(book(signal(), bad, HEAP, held)) == cause


@pytest.mark.parametrize(
    ("function", "file", "line", "cause"),
    [
        ("serve", "serve.cpp", 18, "uncaught-exception"),  # which is noexcept
        ("std::__terminate", "bits/c++config.h", 312, "std-terminate"),
        ("serve", "bits/c++config.h", 312, "std-terminate"),  # lldb 14 shows nothing inlined
    ],
)
def test_a_terminate_of_the_librarys_own_is_no_uncaught_exception(
    function: str, file: str, line: int, cause: str
) -> None:
    frames = (
        Frame(index=0, function="abort", module="libc.so.6", line_no=1),
        Frame(index=1, function="std::terminate()", module="libstdc++.so.6", line_no=2),
        Frame(index=2, function=function, file=file, line=line, module="run", line_no=3),
        Frame(index=3, function="main", file="serve.cpp", line=40, module="run", line_no=4),
    )
    thrown = CxxException(cite=cite(7), type="error", message="port", address=0x500100, handlers=0)
    stack = Stack(cite=cite(9), thread=7, current=True, frames=frames)
    abort = signal("SIGABRT", 6, -6, sender=7)
    assert confirmed(FactBook([PROCESS, MEMORY, stack, abort, thrown])) == [cause]


@pytest.mark.parametrize(
    ("instruction", "inner"),
    [
        ("movsd xmm0, qword ptr [0x28]", "count"),
        ("movsx eax, byte ptr [0x28]", "count"),
        ("movsd dword ptr [rdi], dword ptr [rsi]", "find"),  # it may be all that `find` has
        ("push qword ptr [0x28]", "find"),
    ],
)
def test_a_function_without_code_at_the_fault_is_not_its_place(
    instruction: str, inner: str
) -> None:
    frames = tuple(Frame(index=n, function=name, file="x.c", line=n + 9, inlined=not n, line_no=n)
                   for n, name in enumerate(("find", "count")))  # fmt: skip
    place = Place(cite=cite(8), frame=replace(frames[1], line=9, address=0x400010))
    bad = fault(instruction=instruction, mnemonic=instruction.split()[0])
    stack = Stack(cite=cite(9), thread=7, current=True, frames=frames)
    facts = FactBook([PROCESS, MEMORY, stack, signal(), bad, place])
    first = Case(facts).frames[0]
    assert (first.function, first.line) == (inner, 9)
    shown = _frames(facts, stack_frames(facts, frames))
    assert shown[0].function == inner  # what has no code there has no part in the signature


@pytest.mark.parametrize(("called", "category", "left"), [
    ("std::terminate", Category.UNCAUGHT_EXCEPTION, ["zot"]),
    ("std::panicking::begin_panic_handler", Category.PANIC, ["zot"]),
    ("std::terminate", Category.NULL_POINTER_DEREFERENCE, ["on_end", "std::terminate", "zot"]),
])  # fmt: skip
def test_what_is_told_of_the_end_has_no_part_in_the_signature(
    called: str, category: Category, left: list[str]
) -> None:
    frames = tuple(Frame(index=n, function=name, line_no=n)
                   for n, name in enumerate(("on_end", called, "zot")))  # fmt: skip
    stack = Stack(cite=cite(9), thread=7, current=True, frames=frames)
    facts = FactBook([PROCESS, MEMORY, stack, signal("SIGABRT", 6, -6, sender=7)])
    assert [frame.function for frame in _outside(facts, [*frames], category)] == left


def test_what_jumped_in_place_of_a_call_is_its_place() -> None:
    """Where its caller is the innermost frame that is left."""
    ran = Frame(index=0, function="zot", module=EXE, address=0x400030, line_no=3)
    for transfer, function in (("jump", "zot"), ("call", "work")):
        bad = fault("execute", 0x410020, running=ran, transfer=transfer, transfer_from=0x400030,
                    operand_symbol="named")  # fmt: skip
        found = verdict("wild-pointer", book(signal(), bad))
        assert found.frame is not None
        assert found.frame.function == function


def test_what_is_mapped_and_withheld_is_not_said_to_be_no_address() -> None:
    pool = region(0x700000, 0x702000, "none", "---", 5)
    memory = replace(MEMORY, regions=(*MEMORY.regions, pool))
    facts = FactBook([PROCESS, memory, STACK, signal(), fault(operand=0x700010)])
    assert "no access is allowed" in proposed(facts)["wild-pointer"].statement
    found = verdict("wild-pointer", facts)
    assert found.status is Status.INCONCLUSIVE
    assert "is mapped" in found.reason
    assert "was unmapped" not in " ".join(found.missing)


@pytest.mark.parametrize(("rbx", "starts"), [
    (0x500108, [0x5000F0]),
    (0x500208, [0x5001F0]),
    (0x7, []),  # each may be it: the word is told, and none of them
    (None, []),
])  # fmt: skip
def test_of_chunks_that_hold_one_link_a_register_tells_which_was_read(
    rbx: int | None, starts: list[int]
) -> None:
    held = [Chunk(cite=cite(6, n), address=0x500000 + n * 0x100, start=0x4FFFF0 + n * 0x100,
                  size=32, state="tcache", offset=0, heap=0x500000, holds=0x55F5888DC)
            for n in (1, 2, 3)]  # fmt: skip
    shown = [] if rbx is None else [Registers(cite=cite(1, 9), thread=7, frame=0,
                                              values=(Register("rbx", rbx, 9),))]  # fmt: skip
    bad = fault(operand=0x55F5888DC, base_register="rax", base_value=0x55F5888DC)
    again = [replace(one, cite=cite(7, one.cite.first)) for one in held]  # a second walk
    found = verdict("use-after-free", book(signal(), bad, HEAP, *held, *again, *shown))
    assert found.status is Status.CONFIRMED
    assert [c.get("start") for c in found.claims if c.kind == "chunk"] == starts
    marks = [c.get("value") for c in found.claims if c.kind == "mark"]
    assert marks == ([] if starts else [0x55F5888DC])


@pytest.mark.parametrize(("name", "status"), [("q->by", "inconclusive"), ("q", "confirmed")])
def test_a_small_number_that_memory_held_may_be_no_null(name: str, status: str) -> None:
    facts = (
        signal(),
        SourceLine(cite=cite(8, 1), line=5, text=f"return {name}->n;", file="a.c"),
        Printed(cite=cite(9, 1), frame=0, expression=name, value="0x18"),
    )
    read = fault(operand=0x18, base_register="rax", base_value=0x18)
    assert verdict("null-pointer-dereference", book(*facts, read)).status == status


@pytest.mark.parametrize(("value", "status"), [
    ("(struct glyph *) 0x0", Status.CONFIRMED),
    ("0", Status.INCONCLUSIVE),  # the scaled number may be the pointer: a page's
])  # fmt: skip
def test_a_null_that_an_index_was_added_to_in_front(value: str, status: Status) -> None:
    facts = (
        signal(),
        SourceLine(cite=cite(8, 1), line=5, text="return f->g[c].w;", file="a.c"),
        Printed(cite=cite(9, 1), frame=0, expression="f->g", value=value),
    )
    read = fault(operand=0x27168, base_register="rax", base_value=0x27168, root=0)
    assert verdict("null-pointer-dereference", book(*facts, read)).status is status


@pytest.mark.parametrize(("name", "size", "freed"), [
    ("r12 - 0x20", 32, False),  # in front of the block behind it: nothing of this one's is there
    ("r12 - 0x18", 32, True),
    ("r12 - 0x10", 16, False),  # the last word, which is the next header's
    ("r12 - 0x8", 16, True),
])  # fmt: skip
def test_what_lies_in_front_of_a_block_is_not_of_the_free_one_before_it(
    name: str, size: int, freed: bool
) -> None:
    text = (
        "thread 7\npc 0x400010: file run r-x, work+0x8\naccess read at 0x4 through [rax]\n"
        "base register rax = 0x4: near null, unmapped\norigin 1: rax was loaded with 0x4 from "
        f"0x500100 (heap rw-) by mov rax, qword ptr [{name}] at 0x40000c\n"
    )
    facts = analyze(Document("E4", "@fault", "dump", text)).facts
    chunk = replace(CHUNK, size=size)
    found = dangling.freed_origin(Case(book(signal(), HEAP, chunk, *facts)))
    assert (found is not None) is freed


def test_a_chunk_in_use_leaves_open_whether_it_was_freed_before() -> None:
    live = Chunk(cite=cite(6, 4), address=0x500100, start=0x5000F0, size=32, state="in-use",
                 offset=0, heap=0x500000)  # fmt: skip
    load = Load(at=1, register="rax", source=0x500100, value=0x777777777000)
    bad = fault(operand=0x777777777000, base_register="rax", base_value=0x777777777000,
                origin=(load,))  # fmt: skip
    facts = book(signal(), bad, HEAP, live)
    assert verdict("use-after-free", facts).status is Status.INCONCLUSIVE
    assert confirmed(facts) == []
    assert verdict("wild-pointer", facts).claims


@pytest.mark.parametrize(("base", "root", "status"), [
    (0, None, Status.CONFIRMED),
    (8, 0, Status.CONFIRMED),  # a member of a null object
    (55997, 55997, Status.REJECTED),  # an amount
    (8, 8, Status.REJECTED),
    ((1 << 64) - 1, None, Status.REJECTED),
    ((1 << 64) - 8, 0, Status.CONFIRMED),  # counted back from null to the object around it
    (9000, None, Status.INCONCLUSIVE),
    (40, None, Status.CONFIRMED),
])  # fmt: skip
def test_what_a_base_near_null_was_made_from_decides_whether_it_is_null(
    base: int, root: int | None, status: Status
) -> None:
    bad = fault(operand=(base + 0x18) % (1 << 64), base_register="rax", base_value=base, root=root)
    found = verdict("null-pointer-dereference", book(signal(), bad))
    assert found.status is status
    if status is Status.CONFIRMED:
        assert (found.confidence > 0.8) == (0 in (base, root))


@pytest.mark.parametrize(("heaps", "walked"), [
    ([], False), ([HEAP], True), ([HEAP, replace(HEAP, start=0x1, broken_at=0x9)], False),
])  # fmt: skip
def test_use_after_free_is_never_guessed(heaps: list[Heap], walked: bool) -> None:
    bad = fault(operand=0x777777777000, base_register="rax", base_value=0x777777777000)
    found = verdict("use-after-free", book(signal(), bad, *heaps))
    assert found.status is Status.INCONCLUSIVE
    assert ("a heap that can be walked" in found.missing[0]) is not walked


@pytest.mark.parametrize("kind", ["io", None])
def test_what_the_owner_of_a_lock_waits_for_is_no_longer_missing(kind: str | None) -> None:
    waits = [Wait(cite=cite(5, 1), thread=7, kind="mutex", address=0x410100, owner=8)]
    waits += [Wait(cite=cite(5, 2), thread=8, kind=kind, syscall="read")] if kind else []
    found = verdict("deadlock", book(*waits))
    assert found.status is Status.INCONCLUSIVE
    told = "whether what the owning thread waits for will come" if kind else "what the owning"
    assert found.missing[0].startswith(told)


def test_a_listing_without_frames_shows_no_end_of_a_stack() -> None:
    shape = StackShape(
        cite=cite(9),
        thread=7,
        pointer=0x7FFEFFF8,
        start=0x7FFF0000,
        end=0x7FFFF000,
        overflowed=True,
    )
    empty = Stack(cite=cite(7), thread=None, current=True, frames=())
    found = verdict("stack-overflow", FactBook([signal(), shape, empty]))
    assert found.status is Status.CONFIRMED


def test_a_signal_that_was_sent_is_no_fault() -> None:
    facts = book(signal(code=0, sender=99), NULL)
    assert list(proposed(facts)) == ["external-signal"]
    assert confirmed(facts) == ["external-signal"]
    own = book(signal(code=0, sender=7), NULL)  # a handler's, which sent its signal once more
    assert confirmed(own) == ["null-pointer-dereference"]
    for category in ("external-signal", "explicit-abort"):
        assert verdict(category, own).status is Status.REJECTED


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("free(): double free detected in tcache 2", "double-free"),
        ("double free or corruption (fasttop)", "double-free"),
        ("*** stack smashing detected ***: terminated", "stack-buffer-overflow"),
        ("*** buffer overflow detected ***: terminated", "buffer-overflow"),
        ("run: a.c:5: work: Assertion `n > 0' failed.", "assertion-failure"),
        ("malloc(): corrupted top size", "heap-corruption"),
        ("corrupted double-linked list", "heap-corruption"),
        ("munmap_chunk(): invalid pointer", "invalid-free"),
    ],
)
def test_the_runtimes_messages(text: str, category: str) -> None:
    message = AbortMessage(cite=cite(8), text=text)
    facts = book(signal("SIGABRT", 6, -6, 7), message)
    assert confirmed(facts) == [category]
    said = text.replace("`", "'")
    assert any(f'"{said}"' in claim.text for claim in verdict(category, facts).claims)
    assert verdict("explicit-abort", facts).status is Status.REJECTED


def test_the_pointer_decides_what_free_refused() -> None:
    message = AbortMessage(cite=cite(8), text="free(): invalid pointer")
    aborted = signal("SIGABRT", 6, -6, 7)

    def argument(value: int, where: str) -> Argument:
        return Argument(cite=cite(9), function="_ZdlPvm", register="rdi", value=value,
                        region=where, at=0x40000C)  # fmt: skip

    on_stack = book(aborted, message, HEAP, argument(0x7FFF0010, "stack"))
    assert confirmed(on_stack) == ["invalid-free"]
    told = verdict("invalid-free", on_stack).claims[1:3]
    assert [(each.kind, each.get("kind")) for each in told] == [
        ("argument", None),
        ("mapped", "stack"),
    ]
    assert "`operator delete`" in told[0].text
    inside = Chunk(cite=cite(6), address=0x500110, start=0x5000F0, size=64, state="in-use",
                   offset=16, heap=0x500000)  # fmt: skip
    assert confirmed(book(aborted, message, HEAP, argument(0x500110, "heap"), inside)) == [
        "invalid-free"
    ]


@pytest.mark.parametrize(("number", "named"), [("2147483903", []), ("0x800000ff", ["s->name"])])
def test_a_number_as_large_as_what_was_freed_does_not_name_it(
    number: str, named: list[str]
) -> None:
    free = Frame(index=0, function="free", address=0x700010, line_no=1)
    callers = replace(FRAME, index=1, line_no=2), replace(MAIN, index=2, line_no=3)
    stack = replace(STACK, cite=cite(7, 1, 3), frames=(free, *callers))
    given = Argument(cite=cite(9), function="free", register="rdi", value=0x800000FF,
                     region="unmapped", at=0x40000C)  # fmt: skip
    name = "p->used" if not named else "s->name"
    told = verdict("invalid-free", FactBook([
        PROCESS, MEMORY, stack, signal(), given,
        fault(operand=0x800000F7, base_register="rdi", base_value=0x800000FF),
        SourceLine(cite=cite(8, 1), line=5, text="p->used |= 1 << i; free(s->name);", file="a.c"),
        Printed(cite=cite(10, 1), frame=1, expression=name, value=number),
    ])).claims  # fmt: skip
    assert [claim.get("expression") for claim in told if claim.kind == "value"] == named


@pytest.mark.parametrize(
    ("perms", "text"),
    [
        ("rw-", "0x400000 is in a mapped file, mapped rw- from `run`."),
        ("???", "0x400000 is in a mapped file from `run`."),
    ],
)
def test_how_memory_is_mapped_is_told_where_it_is_known(perms: str, text: str) -> None:
    memory = Memory(cite=cite(3), regions=(region(0x400000, 0x410000, "file", perms),))
    assert [claim.text for claim in mapped(Case(FactBook([memory])), 0x400000)] == [text]


def test_a_size_that_reaches_out_of_a_whole_heap_may_be_read_inside_of_a_block() -> None:
    message = AbortMessage(cite=cite(8), text="double free or corruption (out)")
    assert confirmed(book(signal("SIGABRT", 6, -6, 7), message, HEAP)) == []


def test_a_free_chunk_proves_the_second_free() -> None:
    message = AbortMessage(cite=cite(8), text="double free or corruption (!prev)")
    given_back = Argument(cite=cite(9), function="free", register="rdi", value=0x500100,
                          region="heap", at=0x40000C)  # fmt: skip
    free = Chunk(cite=cite(6), address=0x500100, start=0x5000F0, size=3008, state="unsorted",
                 offset=0, heap=0x500000)  # fmt: skip
    facts = book(signal("SIGABRT", 6, -6, 7), message, given_back, free)
    assert confirmed(facts) == ["double-free"]
    assert verdict("heap-corruption", facts).status is Status.REJECTED


def test_an_overrun_names_the_chunk_in_front() -> None:
    message = AbortMessage(cite=cite(8), text="free(): invalid next size (fast)")
    broken = Heap(cite=cite(5, 2, 6), start=0x500000, end=0x600000, chunks=3, in_use=2, free=0,
                  broken_at=0x500100, broken="size", before=0x5000E0, overrun=True)  # fmt: skip
    facts = book(signal("SIGABRT", 6, -6, 7), message, broken)
    assert confirmed(facts) == ["heap-buffer-overflow"]
    told = verdict("heap-buffer-overflow", facts).claims[1]
    assert (told.get("state"), told.get("before")) == ("overrun", 0x5000E0)


@pytest.mark.parametrize(
    ("base", "stands"), [(0x28, "heap-buffer-overflow"), (0, "null-pointer-dereference")]
)
def test_a_number_taken_as_a_pointer_beside_an_overrun_came_of_it(base: int, stands: str) -> None:
    """Null that is seen to be null is left to itself."""
    broken = Heap(cite=cite(5, 2, 6), start=0x500000, end=0x600000, chunks=3, in_use=2, free=0,
                  broken_at=0x500100, broken="size", before=0x5000E0, overrun=True)  # fmt: skip
    access = fault(operand=base + 8, base_register="rax", base_value=base)
    assert confirmed(book(signal(), access, broken)) == [stands]
    assert confirmed(book(signal(), access)) == ["null-pointer-dereference"]


@pytest.mark.parametrize("complete", [False, True])
def test_out_of_stack_names_the_recursion(complete: bool) -> None:
    """Of a listing that is whole and has each function once, what stands again is left of calls."""
    shape = StackShape(
        cite=cite(10, 1, 9), thread=7, pointer=0x7FFEFFF0, start=0x7FFF0000, end=0x7FFFF000,
        guard="unmapped", guard_distance=-16, overflowed=True,
        recursion=(Repeat(address=0x400015, count=900, function="work", line=4),),
    )  # fmt: skip
    pushed = fault("write", 0x7FFEFFE8, base_register="rsp", base_value=0x7FFEFFF0)
    listed = replace(STACK, complete=complete)
    facts = FactBook([PROCESS, MEMORY, listed, signal(), pushed, shape])
    assert confirmed(facts) == ["stack-overflow"]
    said = " ".join(claim.text for claim in verdict("stack-overflow", facts).claims)
    assert ("900 times" in said) != complete
    assert "`work`" in said
    assert "ran over its end: the stack pointer is 0x7ffefff0, and it begins at 0x7fff0000" in said


def test_out_of_stack_is_told_where_the_recursion_goes_on() -> None:
    """Not where its innermost member called what only happened to need the last bytes."""
    shape = StackShape(
        cite=cite(10, 1, 9), thread=7, pointer=0x7FFEFFF0, start=0x7FFF0000, end=0x7FFFF000,
        guard="unmapped", guard_distance=-16, overflowed=True,
        recursion=(Repeat(address=0x400015, count=900, function="load", line=4),
                   Repeat(address=0x400055, count=899, function="depend", line=5)),
    )  # fmt: skip
    pushed = fault("write", 0x7FFEFFE8, base_register="rsp", base_value=0x7FFEFFF0)
    frames = [("_int_malloc", None, 0x7F0010), ("load", 90, 0x400035), ("depend", 40, 0x400055),
              ("load", 95, 0x400015), ("depend", 40, 0x400055), ("load", 95, 0x400015)]  # fmt: skip
    stack = Stack(cite=cite(9), thread=7, current=True, frames=tuple(
        Frame(index=index, function=name, file="a.c" if line else None, line=line, address=address,
              line_no=index + 1, module="a" if line else "libc.so.6")
        for index, (name, line, address) in enumerate(frames)
    ))  # fmt: skip
    facts = FactBook([PROCESS, MEMORY, stack, signal(), pushed, shape])
    where = verdict("stack-overflow", facts).frame
    assert where is not None
    assert (where.function, where.line) == ("depend", 40)


def test_divisor_decides_arithmetic() -> None:
    arithmetic = signal("SIGFPE", 8, 1)
    by_zero = book(arithmetic, Fault(cite=cite(4), thread=7, pc=0x400010, instruction="idiv ecx",
                                     mnemonic="idiv", access="none", divisor=0))  # fmt: skip
    assert confirmed(by_zero) == ["divide-by-zero"]
    overflow = book(
        arithmetic,
        Fault(cite=cite(4), thread=7, pc=0x400010, instruction="idiv ecx", mnemonic="idiv",
              access="none", divisor=0xFFFFFFFF, quotient_overflow=True),
    )  # fmt: skip
    assert confirmed(overflow) == ["integer-overflow"]


def test_an_exception_is_named_by_type_and_message() -> None:
    thrown = CxxException(cite=cite(11), type="std::out_of_range", message="no such row",
                          address=0x500200, uncaught=True)  # fmt: skip
    facts = book(signal("SIGABRT", 6, -6, 7), thrown)
    assert confirmed(facts) == ["uncaught-exception"]
    text = verdict("uncaught-exception", facts).claims[1].text
    assert "`std::out_of_range`" in text
    assert '"no such row"' in text


def test_a_vector_whose_resize_threw_gave_nothing_back() -> None:
    thrown = CxxException(cite=cite(11), type="std::length_error", message=None,
                          address=0x500200, uncaught=True)  # fmt: skip
    names = ("raise", "std::vector<int>::resize", "crop", "main")
    stack = replace(STACK, frames=tuple(
        Frame(index=at, function=name, address=0x400010 + at, line_no=at + 1,
              file="a.cc" if at > 1 else None, line=5 if at == 2 else None)
        for at, name in enumerate(names)
    ))  # fmt: skip
    lines = [SourceLine(cite=cite(8, at), line=at, text=text, file="a.cc") for at, text in (
        (4, "void crop(std::vector<int> &lines, int n) {"), (5, "    lines.resize(n);"), (6, "}"),
    )]  # fmt: skip
    facts = FactBook([PROCESS, MEMORY, stack, signal("SIGABRT", 6, -6, 7), thrown, *lines])
    said = [claim.text for claim in verdict("uncaught-exception", facts).claims]
    assert "`crop` calls `lines.resize` with `n`." in said, said


RING = (
    Wait(cite=cite(5, 1), thread=7, kind="mutex", address=0x410100, owner=8),
    Wait(cite=cite(5, 2), thread=8, kind="mutex", address=0x410200, owner=7),
    LockCycle(cite=cite(5, 3), threads=(7, 8), locks=(0x410100, 0x410200)),
)


def test_a_ring_of_owners_is_a_deadlock_even_when_a_signal_ended_it() -> None:
    facts = book(*RING)
    assert confirmed(facts) == ["deadlock"]
    claims = [claim.text for claim in verdict("deadlock", facts).claims]
    assert claims[1] == "Thread 7 waits for the mutex at 0x410100, which thread 8 holds."
    assert "Frame 0 of thread 7 is `work` at `a.c:5`." in claims
    ended = book(signal("SIGQUIT", 3, 0, 99), *RING)
    assert confirmed(ended) == ["deadlock"]


def test_what_a_signal_interrupted_is_told_of_its_handlers_failure() -> None:
    frames = (FRAME, Frame(index=1, signal_handler=True, line_no=2),
              replace(MAIN, index=2, line_no=3))  # fmt: skip
    stack = replace(STACK, cite=cite(7, 1, 3), frames=frames)
    said = "the signal had interrupted `main`"
    null = FactBook([PROCESS, MEMORY, stack, signal(), NULL])
    assert said in " ".join(c.text for c in verdict("null-pointer-dereference", null).claims)
    ring = LockCycle(cite=cite(5, 3), threads=(7,), locks=(0x410100,))
    found = verdict("deadlock", FactBook([PROCESS, MEMORY, stack, replace(RING[0], owner=7), ring]))
    assert said in " ".join(claim.text for claim in found.claims)
    assert "in a signal's handler" in found.recommendations[0]
    shown = [frame.function for frame in stack_frames(null, frames)]
    assert shown == ["work", "<signal handler called>", "main"]


def test_a_lock_in_freed_memory_is_no_deadlock() -> None:
    living = replace(PROCESS, snapshot=True)
    stuck = Wait(cite=cite(5, 1), thread=7, kind="mutex", address=0x500100, sound=False)
    join = Wait(cite=cite(5, 2), thread=8, kind="join", address=0x410200, owner=7)
    facts = [living, MEMORY, STACK, stuck, join]
    assert confirmed(FactBook(facts)) == []
    assert confirmed(FactBook([*facts, HEAP, CHUNK])) == ["use-after-free"]
    assert confirmed(FactBook([*facts[:3], replace(stuck, sound=True), join])) == ["deadlock"]


def test_the_headline_of_a_ring_names_the_functions_and_the_locks() -> None:
    first = replace(RING[0], name="accounts", name_line=6)
    second = replace(RING[1], name="journal`s", name_line=7)
    told = verdict("deadlock", book(first, second, RING[2])).claims
    assert [claim.kind for claim in told[:4]] == ["cause", "waits", "waits", "cycle"]
    assert told[0].get("function") == "work"
    assert [claim.get("name") for claim in told[1:3]] == ["accounts", "journal`s"]
    assert "`journal's`" in told[2].text
    cited = {citation for claim in told for citation in claim.citations}
    assert {Citation("E5", 6, 6), Citation("E5", 7, 7)} <= cited


def test_one_thread_that_waits_for_itself_is_no_ring_of_threads() -> None:
    own = replace(RING[0], owner=7)
    ring = LockCycle(cite=cite(5, 3), threads=(7,), locks=(0x410100,))
    claims = verdict("deadlock", book(own, ring)).claims
    assert "cycle" not in [claim.kind for claim in claims]
    assert claims[1].text == "Thread 7 waits for the mutex at 0x410100, which thread 7 holds."


def test_a_lock_whose_owner_is_gone() -> None:
    facts = book(Wait(cite=cite(5, 1), thread=7, kind="mutex", address=0x410100, owner=55))
    assert confirmed(facts) == ["deadlock"]
    assert "55" in verdict("deadlock", facts).claims[1].text


def test_the_dumps_health_caps_confidence() -> None:
    poor = CoreHealth(cite=cite(1), truncated=True, executable=None, executable_matches=None,
                      dumped_bytes=1, missing_bytes=9, ceiling=0.5)  # fmt: skip
    assert verdict("null-pointer-dereference", book(signal(), NULL, poor)).confidence == 0.5


def test_the_fault_of_another_thread_is_not_this_stacks() -> None:
    other = Stack(cite=cite(12), number=2, thread=8, name=None, frames=(FRAME,) * 9)
    case = Case(book(signal(), other))
    assert case.stack == STACK
    assert case.stack_of(8) == other


def test_only_the_call_that_frees_tells_what_was_freed() -> None:
    """A library of the program may stand in between: its own arguments are no pointers to free."""
    message = AbortMessage(cite=cite(8), text="free(): invalid size")
    through = Stack(
        cite=cite(7, 1, 4), number=1, thread=7, name=None, current=True,
        frames=(
            Frame(index=0, function="_int_free", address=0x700010, line_no=1),
            Frame(index=1, function="free", address=0x700020, line_no=2),
            Frame(index=2, function="std::string::_M_mutate()", address=0x700030, line_no=3),
            Frame(index=3, function="main", file="a.cpp", line=9, address=0x400020, line_no=4),
        ),
    )  # fmt: skip
    this = Argument(cite=cite(9), function=None, register="rdi", value=0x7FFF0010, region="stack",
                    at=0x40001B)  # fmt: skip
    facts = FactBook([PROCESS, MEMORY, through, signal("SIGABRT", 6, -6, 7), message, this])
    assert verdict("invalid-free", facts).status is not Status.CONFIRMED
    tests = [command.text for command in proposed(facts)["invalid-free"].tests]
    assert "frame apply level 2 -q info registers" in tests


def test_a_push_through_a_lost_stack_pointer_is_no_write_to_constants() -> None:
    pushed = fault("write", 0x410FF8, mnemonic="call", base_register="rsp", base_value=0x411000,
                   stack_pointer=0x411000)  # fmt: skip
    assert confirmed(book(signal(), pushed)) == ["stack-overflow"]


def test_a_large_block_that_was_freed_is_not_mapped_any_more() -> None:
    block = 0x7F3300000010
    gone = fault(operand=block + 5, base_register="rax", base_value=block, origin_call="malloc",
                 origin=(Load(at=1, register="rax", source=0x7FFF0010, value=block),))  # fmt: skip
    assert confirmed(book(signal(), gone, HEAP)) == ["use-after-free"]


def test_a_computed_pointer_is_no_freed_block() -> None:
    """A row of whole pages, any number of them behind the first, begins as a large block does."""
    block = 0x7F3300000010
    row = fault(operand=block, base_register="r12", base_value=block)
    assert "use-after-free" not in confirmed(book(signal(), row, HEAP))
    kept = Load(at=1, register="rax", source=0x7FFF0010, value=block)
    first = Load(at=0, register="rax", source=0x7FFF0020, value=0x501010)
    for origin, told in (((kept, first), False), ((replace(kept, source=0x501020), first), True)):
        assert (
            "use-after-free" in confirmed(book(signal(), replace(row, origin=origin), HEAP))
        ) is told


@pytest.mark.parametrize(
    ("signature", "function"),
    [
        ("work", "work"),
        ("unsigned int ag(unsigned int)", "ag"),
        ("T Stack<T>::pop() [with T = long int]", "Stack<T>::pop"),
        ("int main(int, char**)", "main"),
    ],
)
def test_the_assertion_names_its_place(signature: str, function: str) -> None:
    text = f"run: dir/a.cc:5: {signature}: Assertion `n > 0' failed."
    unnamed = Frame(index=0, address=0x400010, trust="unwound", line_no=1)
    stripped = Stack(cite=cite(7), number=1, thread=7, name=None, current=True,
                     frames=(unnamed,))  # fmt: skip
    facts = FactBook([PROCESS, MEMORY, stripped, signal("SIGABRT", 6, -6, 7),
                      AbortMessage(cite=cite(8), text=text)])  # fmt: skip
    found = verdict("assertion-failure", facts)
    assert found.status is Status.CONFIRMED
    assert found.frame is not None
    assert (found.frame.function, found.frame.file, found.frame.line) == (function, "dir/a.cc", 5)


@pytest.mark.parametrize(
    ("kind", "category"), [("running", "infinite-loop"), ("io", "blocked-on-io")]
)
def test_what_one_look_cannot_tell_stays_open(kind: str, category: str) -> None:
    living = Process(cite=cite(2), pid=7, command_line="run", executable=EXE, arch="x86_64",
                     os="Linux", threads=(7,), snapshot=True)  # fmt: skip
    wait = Wait(cite=cite(5), thread=7, kind=kind, syscall="epoll_wait" if kind == "io" else None)
    facts = FactBook([living, MEMORY, STACK, wait])
    assert category in proposed(facts)
    found = verdict(category, facts)
    assert found.status is Status.INCONCLUSIVE
    assert found.claims
    assert found.missing
    assert found.frame is not None


def test_the_last_word_of_a_free_chunk_lies_in_the_next_header() -> None:
    ending = Chunk(cite=cite(6, 4), address=0x500FF8, start=0x500370, size=0xC90, state="unsorted",
                   offset=0xC78, heap=0x500000)  # fmt: skip
    load = Load(at=1, register="rax", source=0x501000, value=0xC90, line=6)
    small = fault(operand=0xC90, base_register="rax", base_value=0xC90, origin=(load,))
    assert confirmed(book(signal(), small, HEAP, ending)) == ["use-after-free"]


def test_an_end_inside_of_a_signal_handler_is_not_the_first_cause() -> None:
    handled = Stack(
        cite=cite(7, 1, 4), number=1, thread=7, name=None, current=True,
        frames=(
            Frame(index=0, function="abort", address=0x700010, line_no=1),
            Frame(index=1, function="on_fault", file="a.c", line=2, address=0x400010, line_no=2),
            Frame(index=2, signal_handler=True, line_no=3),
            Frame(index=3, function="work", file="a.c", line=9, address=0x400020, line_no=4),
        ),
    )  # fmt: skip
    found = verdict("explicit-abort", FactBook(
        [PROCESS, MEMORY, handled, signal("SIGABRT", 6, -6, 7)]))  # fmt: skip
    assert found.status is Status.INCONCLUSIVE
    assert found.frame is not None
    assert found.frame.function == "work"


@pytest.mark.parametrize("name", ["work", None])
def test_an_end_by_code_without_a_name_asks_for_its_symbols(name: str | None) -> None:
    ended = Stack(
        cite=cite(7, 1, 2), number=1, thread=7, name=None, current=True,
        frames=(
            Frame(index=0, function="abort", address=0x700010, line_no=1),
            Frame(index=1, function=name, address=0x400010, line_no=2),
        ),
    )  # fmt: skip
    libc = Region(start=0x700000, end=0x710000, perms="r-x", path="/lib/libc.so.6", offset=0,
                  kind="file", thread=None, dumped=True, line=5)  # fmt: skip
    memory = Memory(cite=cite(3, 1, 9), regions=(*MEMORY.regions, libc))
    found = verdict("explicit-abort", FactBook(
        [PROCESS, memory, ended, signal("SIGABRT", 6, -6, 7)]))  # fmt: skip
    assert found.status is Status.CONFIRMED
    assert any("runtime's own" in text for text in found.missing) is (name is None)


def test_filler_and_text_are_told_from_addresses() -> None:
    assert text_in(0x4141414141414141) == "AAAAAAAA"
    assert text_in(0x7F0041414141) is None
    assert text_in(0x1111222233334444) is None
    assert repeated_byte(0xFEFEFEFEFEFEFEFE) == 0xFE
    assert repeated_byte(0) is None
    assert repeated_byte(0x41) is None


NUMBERS = st.sampled_from(
    [0, 8, 0xFFF, 0x3927, 0x400010, 0x410008, 0x500100, 0x600000, 0x7FFEFFE8, 0x7FFFF000,
     0x777777777000, 0x4141414141414141, (1 << 64) - 8]
)  # fmt: skip
MAYBE = st.none() | NUMBERS
CITES = st.builds(cite, st.integers(1, 9), st.integers(1, 5))
NAMES = st.none() | st.sampled_from(
    ["work", "main", "free", "_int_free", "abort", "__assert_fail", "std::terminate()",
     "__cxa_throw", "__cxa_rethrow", "__strcpy_chk", "__stack_chk_fail", "__addvsi3",
     "operator delete(void*)", "__cxa_pure_virtual", "core::panicking::panic"]
)  # fmt: skip
FRAMES = st.builds(
    Frame, index=st.integers(0, 5), function=NAMES, address=MAYBE, line_no=st.integers(1, 5),
    file=st.none() | st.just("a.c"), line=st.none() | st.just(3), signal_handler=st.booleans(),
)  # fmt: skip
STATES = st.sampled_from(["in-use", "tcache", "fastbin", "unsorted", "bin", "top", "header"])
FACTS = st.lists(
    st.one_of(
        st.builds(
            signal,
            st.sampled_from(
                ["SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL", "SIGTRAP", "SIGQUIT"]),
            st.just(1), st.sampled_from([-6, 0, 1, 2, 128]), st.none() | st.sampled_from([7, 99]),
        ),
        st.builds(
            Fault, cite=CITES, thread=st.just(7), pc=NUMBERS, instruction=st.none(),
            mnemonic=st.none() | st.sampled_from(["mov", "movaps", "idiv", "ret", "hlt", "ud2"]),
            access=st.sampled_from(["read", "write", "execute", "none"]), operand=MAYBE,
            base_register=st.none() | st.just("rax"), base_value=MAYBE, divisor=MAYBE,
            index_register=st.none() | st.just("rcx"), index_value=MAYBE,
            transfer=st.sampled_from([None, "call", "return", "unknown"]), transfer_from=MAYBE,
            quotient_overflow=st.booleans(),
            origin=st.lists(
                st.builds(Load, at=NUMBERS, register=st.sampled_from(["rax", "rip"]),
                          source=NUMBERS, value=MAYBE), max_size=2).map(tuple),
        ),
        st.builds(Stack, cite=CITES, number=st.none(), thread=st.sampled_from([None, 7, 8]),
                  name=st.none(), current=st.booleans(),
                  frames=st.lists(FRAMES, max_size=6).map(tuple)),
        st.builds(
            StackShape, cite=CITES, thread=st.just(7), pointer=NUMBERS, start=MAYBE, end=MAYBE,
            overflowed=st.booleans(), smashed=st.booleans(), smash_word=MAYBE,
            recursion=st.lists(st.builds(Repeat, address=NUMBERS, count=st.integers(2, 99),
                                         function=NAMES), max_size=1).map(tuple),
            below=st.lists(FRAMES, max_size=2).map(tuple),
            scanned=st.lists(FRAMES, max_size=2).map(tuple),
        ),
        st.builds(Chunk, cite=CITES, address=NUMBERS, start=NUMBERS, size=st.just(32),
                  state=STATES, offset=st.sampled_from([-8, 0, 8, 16]), heap=NUMBERS, holds=MAYBE),
        st.builds(Heap, cite=CITES, start=NUMBERS, end=NUMBERS, chunks=st.just(3),
                  in_use=st.just(2), free=st.integers(0, 1), broken_at=MAYBE, before=MAYBE,
                  overrun=st.booleans()),
        st.builds(Argument, cite=CITES, function=NAMES, register=st.just("rdi"), value=NUMBERS,
                  region=st.sampled_from(["stack", "heap", "file", "unmapped"]), at=NUMBERS),
        st.builds(AbortMessage, cite=CITES, text=st.sampled_from(
            ["free(): invalid pointer", "free(): invalid size", "double free or corruption (top)",
             "*** buffer overflow detected ***: terminated", 'x: Assertion `a == "b"\' failed.',
             "malloc(): corrupted top size", "", '"', "\n"])),
        st.builds(CxxException, cite=CITES, type=st.just("int"), message=st.none() | st.just("m"),
                  address=NUMBERS, uncaught=st.sampled_from([None, True, False])),
        st.builds(Wait, cite=CITES, thread=st.sampled_from([7, 8]),
                  kind=st.sampled_from(["mutex", "condition", "join", "io", "running", "sleep"]),
                  syscall=st.none() | st.just("read"), address=MAYBE,
                  owner=st.none() | st.sampled_from([7, 8, 55])),
        st.builds(LockCycle, cite=CITES, threads=st.just((7, 8)), locks=st.just((1, 2))),
        st.builds(Registers, cite=CITES, thread=st.just(0), frame=st.integers(0, 3), values=st.just(
            (Register("rip", 0x400010, 1), Register("rsp", 0x7FFF0010, 2)))),
        st.sampled_from([PROCESS, MEMORY, STACK]),
    ),
    max_size=12,
)  # fmt: skip


@given(FACTS)
def test_every_verdict_keeps_the_rules(facts: list[AnyFact]) -> None:
    known = FactBook(facts)
    for pattern in PATTERNS:
        proposal = pattern.propose(known)
        assert proposal is None or 0 < proposal.confidence < 1
        for command in (*(proposal.tests if proposal else ()), *pattern.followup(known)):
            assert command.intent
            assert not any(mark in command.text for mark in "=\n;|!") or "=0x" in command.text
        found = pattern.evaluate(known)
        assert 0 <= found.confidence <= 1
        if found.status is Status.REJECTED:
            assert found.contradicting
        elif found.status is Status.INCONCLUSIVE:
            assert found.missing
        else:
            assert found.claims
            assert all(claim.citations for claim in found.claims)
            assert {c for claim in found.claims for c in claim.citations} <= set(found.supporting)
        if found.confidence > HIGH_CONFIDENCE:
            assert found.rung in UPPER_RUNGS
            assert len({c.evidence for c in found.supporting}) >= ITEMS_FOR_HIGH


def test_a_small_number_taken_for_a_pointer_is_no_null() -> None:
    load = Load(at=0x400008, register="rax", source=0x7FFF1000, value=0x4D, line=6)
    small = fault(operand=0x4D, base_register="rax", base_value=0x4D, origin=(load,))
    found = verdict("null-pointer-dereference", book(signal(), small))
    assert found.status is Status.REJECTED
    wild = verdict("wild-pointer", book(signal(), small))
    assert wild.status is Status.INCONCLUSIVE
    assert "uses a number as a pointer" in wild.claims[0].text


def test_a_small_number_given_to_a_format_may_be_no_pointer() -> None:
    names = ("__strlen_evex", "__vfprintf_internal", "__vsnprintf_internal", "work", "main")
    frames = tuple(
        Frame(index=n, function=name, file="a.c" if n > 2 else None, line=5 if n > 2 else None,
              address=0x400010 + 16 * n, line_no=n + 1)
        for n, name in enumerate(names)
    )  # fmt: skip
    stack = Stack(cite=cite(7, 1, 5), number=1, thread=7, name=None, current=True, frames=frames)
    read = fault(operand=0x195, base_register="rdi", base_value=0x195)
    found = verdict("null-pointer-dereference", FactBook([PROCESS, MEMORY, stack, signal(), read]))
    assert (found.status, found.confidence) == (Status.INCONCLUSIVE, 0.5)
    assert "`rdi` holds 0x195" in found.claims[0].text
    assert "`__strlen_evex`" in found.claims[1].text
    assert "%s" in found.recommendations[0]


@pytest.mark.parametrize(("operand", "status"), [(0x18, "confirmed"), (0x11, "inconclusive")])
def test_a_word_near_null_that_no_member_could_be_is_no_proof(operand: int, status: str) -> None:
    read = fault(operand=operand, operand_size=8, base_register="rbx", base_value=operand - 8)
    assert verdict("null-pointer-dereference", book(signal(), read)).status == status


@pytest.mark.parametrize(("more", "status"), [
    ({"base_value": 3}, "inconclusive"),  # a number that stood where a text's address belongs
    ({"base_value": 3, "passed_line": 2}, "confirmed"),  # the caller took the member's address
    ({"base_value": 3, "root": 0}, "confirmed"),
    ({"base_value": 0}, "confirmed"),
])  # fmt: skip
def test_a_number_that_is_read_through_as_it_is_need_not_be_null(
    more: dict[str, int], status: str
) -> None:
    read = fault(operand=more["base_value"], operand_size=1, base_register="rax", **more)
    assert verdict("null-pointer-dereference", book(signal(), read)).status == status


@pytest.mark.parametrize(("file", "place", "line"), [
    ("/usr/include/c++/12/variant", "in `work`.", None),  # inlined, with no frame of its own
    ("/src/shop.cpp", "`work` at `shop.cpp:5`", 5),
])  # fmt: skip
def test_a_line_of_the_libraries_header_is_not_the_programs_place(
    file: str, place: str, line: int | None
) -> None:
    frame = replace(FRAME, file=file)
    stack = replace(STACK, frames=(frame, MAIN))
    found = verdict("null-pointer-dereference",
                    FactBook([PROCESS, MEMORY, stack, signal(), NULL]))  # fmt: skip
    assert place in found.claims[0].text
    assert found.frame is not None
    assert found.frame.line == line


def test_a_trap_of_the_compilers_is_told_so() -> None:
    for mnemonic, told in (("ud2", "a compiler put a trap"), ("vaddps", "the processor refuses")):
        ran = fault("none", instruction=mnemonic, mnemonic=mnemonic)
        found = verdict("illegal-instruction", book(signal("SIGILL", 4, 2), ran))
        assert told in found.claims[0].text


def test_a_signal_that_a_handler_caught_is_the_one_to_explain() -> None:
    abort = replace(signal(), number=6, name="SIGABRT", code=-6, code_name="SI_TKILL",
                    fault_address=None, sender_pid=7, cite=cite(1))  # fmt: skip
    names = ("raise", "on_crash", None, "work", "main")
    frames = tuple(
        Frame(index=n, function=name, signal_handler=name is None, address=0x400010 + 16 * n,
              file="a.c" if n > 2 else None, line=n, line_no=n + 1)
        for n, name in enumerate(names)
    )  # fmt: skip
    stack = Stack(cite=cite(3, 1, 5), number=1, thread=7, name=None, current=True, frames=frames)
    handled = Handled(cite=cite(4, 3), first=signal(), context=0x7FFF0000)
    facts = FactBook([PROCESS, MEMORY, stack, abort, handled, NULL])
    found = verdict("null-pointer-dereference", facts)
    assert found.status is Status.CONFIRMED
    assert found.frame is not None
    assert found.frame.function == "work"
    said = " ".join(claim.text for claim in found.claims)
    assert "SIGSEGV came first" in said
    assert "by SIGABRT" in said
    assert "explicit-abort" not in confirmed(facts)


def test_a_failed_division_without_its_code_is_open() -> None:
    failed = Signal(cite=cite(1), thread=7, number=8, name="SIGFPE", code=1, sender_uid=None,
                    code_name="FPE_INTDIV", fault_address=0x400010, sender_pid=None)  # fmt: skip
    unread = fault(access="none", instruction=None, mnemonic=None)
    found = verdict("divide-by-zero", book(failed, unread))
    assert found.status is Status.INCONCLUSIVE  # the smallest number by -1 raises it too
    seven = fault(access="none", mnemonic="idiv", divisor=7)
    assert verdict("divide-by-zero", book(failed, seven)).status is Status.REJECTED


def test_the_heap_is_not_asked_about_what_lies_at_null() -> None:
    assert [one.text for one in commands.heap(8, None, 0x4052A0)] == ["@heap 0x4052a0"]
    assert commands.heap(0, 8) == ()


@pytest.mark.parametrize(("sender", "left"), [(7, False), (None, False), (900, True)])
def test_a_thread_that_sent_the_signal_and_has_ended_was_there(
    sender: int | None, left: bool
) -> None:
    sent = replace(signal(), code=-6, fault_address=None, sender_pid=sender)
    asleep = Wait(cite=cite(8, 2), thread=7, kind="futex", syscall="futex", address=0x7F0010)
    alone = replace(PROCESS, threads=(7,))
    assert nobody_left(Case(FactBook([alone, sent, asleep]))) is left
