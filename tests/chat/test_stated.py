"""A person's statements of signals, threads, locks, frames and values are verified or refuted."""

import pytest
from msgspec.structs import replace

from tests.chat.conftest import GDB_LOG, Asker
from workbench.agents.chat.asked import read
from workbench.agents.chat.lines import Numbered
from workbench.agents.chat.meant import known_names, threads_named
from workbench.agents.chat.measured import measures
from workbench.agents.chat.stated import stated
from workbench.agents.chat.stated_values import amounts
from workbench.agents.chat.talk import Talk, against, agreed
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.critique import Conclusion
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import (
    AnyFact,
    CxxException,
    FactBook,
    Fault,
    Finding,
    Frame,
    Lock,
    LockCycle,
    Process,
    Register,
    Registers,
    Repeat,
    Signal,
    Stack,
    StackShape,
    Thread,
    Threads,
    Wait,
)
from workbench.model.investigation import Investigation
from workbench.model.target import Target, TargetKind


def cite(number: int) -> Citation:
    return Citation("E1", number, number)


SEGV = Signal(
    thread=70, number=11, name="SIGSEGV", code=1, code_name="SEGV_MAPERR", fault_address=0x5008,
    sender_pid=None, sender_uid=None, cite=cite(1),
)  # fmt: skip
FAULT = Fault(
    thread=70, pc=0x1010, instruction="mov", mnemonic="mov", access="read", operand=0x500008,
    base_register="rax", base_value=0x500000, origin_call="seek", origin_value=0, cite=cite(2),
)  # fmt: skip
TOP = Frame(index=0, function="total", file="shop.c", line=8, line_no=3)
MAIN = Frame(index=1, function="main", file="shop.c", line=20, line_no=4)
STACK = Stack(number=1, thread=70, name=None, frames=(TOP, MAIN), current=True, cite=cite(3))
THREADS = Threads(
    items=tuple(Thread(number=n, thread=69 + n, name=None, current=False) for n in range(1, 6)),
    cite=cite(9),
)
OWNERS = (
    Wait(thread=71, kind="mutex", owner=72, name="ledger", cite=cite(6)),
    Wait(thread=70, kind="join", owner=71, cite=cite(7)),
    Lock(owner=73, name="queue", cite=cite(8)),
    THREADS,
)
THROWN = CxxException(
    type="ParseError", message="port 99 timed out", address=0x10, uncaught=True, cite=cite(10)
)
OUTER, INNER = (
    Registers(
        thread=thread, frame=0, cite=cite(line),
        values=(Register(name="rax", value=value, line=line),
                Register(name="rbx", value=0x10, line=line + 1)),
    )
    for thread, line, value in ((71, 15, 0), (70, 17, 0x500000))
)  # fmt: skip
ENDED = Process(
    pid=70, command_line=None, executable=None, arch="x86_64", os="Linux", threads=(70,),
    snapshot=False, cite=cite(13),
)  # fmt: skip


def told(
    text: str, *facts: AnyFact, category: Category = Category.UNKNOWN
) -> tuple[set[int], set[int]]:
    """The lines that refute what is stated, and those that verify it."""
    item = Evidence(
        id="E1", command="@fault", source=Source.FILE, intent="", at="", sha256="", size=1,
        lines=20, call_hash="",
    )  # fmt: skip
    state = Investigation(facts=FactBook(facts), evidence={"E1": item})
    if category is not Category.UNKNOWN:
        said = replace(say("frame", (cite(3),), function="total"), status=Outcome.VERIFIED)
        state.conclusion = Conclusion(
            hypothesis="H1", category=category, confidence=0.9, claims=(said,), frame=TOP
        )
    lines = "\n".join(f"line {number}" for number in range(1, 21))
    found = list(stated(Talk(state, read(text, known_names(state)), lambda _: lines)))
    return (
        {one.claim.citations[0].first for one in against(found)},
        {claim.citations[0].first for claim in agreed(found)},
    )


@pytest.mark.parametrize(
    ("text", "refuted", "verified"),
    [
        ("it was killed by SIGABRT", {1}, set()),
        ("was it a segfault?", set(), {1}),
        ("it died of a bus error", {1}, set()),
        ("it crashed with SIGBUS in total", {1}, set()),
        ("we send SIGTERM at shutdown", set(), set()),
        ("it got SIGTERM before", set(), set()),
        ("it was no segfault", set(), set()),
        ("why was it SIGBUS?", set(), set()),
        ("was it SIGBUS or SIGSEGV?", set(), set()),
        ("thread 2 crashed", {1}, set()),
        ("did thread 1 crash?", set(), {1}),
        ("did the main thread crash?", set(), {1}),
        ("did thread 1 crash in main?", set(), set()),
        ("thread 2 had a problem", set(), set()),
        ("was it a write?", {2}, set()),
        ("was the fault address 0x5008?", set(), {1}),
        ("was the fault address 0x5010?", {1}, set()),
        ("was the faulting address null?", {1}, set()),
        ("was the address of the buffer 0x5008?", set(), set()),
        ("is rax 0x500000?", set(), {17}),
        ("is rax null?", {17}, set()),
        ("is rbx 0x10?", set(), {18}),
        ("is rax 0 in frame 1?", set(), set()),
        ("is rax more than 0?", set(), set()),
        ("it was reading", set(), {2}),
        ("was it a read or a write?", set(), set()),
        ("was it writing to the log?", set(), set()),
        ("frame 0 is main", {3}, set()),
        ("is frame 1 main?", set(), {4}),
        ("frame 1 is in shop.c", set(), {4}),
        ("is frame 7 main?", set(), set()),
        ("did it get SIGSEGV in main?", set(), set()),
        ("is it a read of 0x10?", set(), set()),
        ("did seek return null?", set(), {2}),
        ("did seek return 5?", set(), set()),
        ("did main return null?", set(), set()),
        ("is it a write to 0x10?", {2}, set()),
    ],
)
def test_how_it_ended(text: str, refuted: set[int], verified: set[int]) -> None:
    assert told(text, SEGV, FAULT, STACK, THREADS, ENDED, OUTER, INNER) == (refuted, verified)


@pytest.mark.parametrize(
    "text",
    [
        "The bug happened in total, and main only saw it.",
        "it crashed in main",
        "it crashed in production",
        "it was a null pointer",
        "it was a double free",
        "it hung",
        "it was a network outage in libc",
        "the fault happened before main",
    ],
)
def test_no_place_no_cause_and_no_moment_is_refuted(text: str) -> None:
    refuted, _ = told(text, SEGV, FAULT, STACK, THREADS, category=Category.USE_AFTER_FREE)
    assert not refuted


@pytest.mark.parametrize(
    ("text", "verified"),
    [
        ("it was a use after free", {3}),
        ("was freed memory used?", {3}),
        ("was read-only freed memory used?", {3}),
        ("was it a use after free in total?", {3}),
        ("was it a use after free in main?", set()),
        ("did it crash in total?", {3}),
        ("it was no use after free", set()),
        ("why was it a use after free?", set()),
        ("was it a use after free caused by the parser?", set()),
        ("did the use after free kill a worker?", set()),
        ("was shelf a use after free?", set()),
        ("did it crash at line 8?", {3}),
        ("is the faulting line shop.c:8?", {3}),
        ("did it crash at line 20?", set()),
        ("was it at main.c:8?", set()),
    ],
)
def test_the_cause_that_was_concluded_is_verified(text: str, verified: set[int]) -> None:
    assert told(text, SEGV, STACK, category=Category.USE_AFTER_FREE) == (set(), verified)


def test_one_large_frame_that_runs_out_of_stack_is_no_recursion() -> None:
    shape = StackShape(thread=70, pointer=0x7000, overflowed=True, cite=cite(11))
    again = replace(shape, recursion=(Repeat(address=0x1010, count=900),))
    deep = replace(STACK, frames=(*(replace(TOP, index=at) for at in range(40)), MAIN))
    text = "was it infinite recursion?"
    for facts, verified in (
        ((STACK, shape), set()),
        ((STACK, again), {3}),
        ((deep,), {3}),
        ((STACK, replace(deep, thread=71)), set()),
    ):
        found = told(text, SEGV, *facts, category=Category.STACK_OVERFLOW)
        assert found == (set(), verified)
    overflow = told("was it a stack overflow?", SEGV, STACK, category=Category.STACK_OVERFLOW)
    assert overflow == (set(), {3})


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        ("is total part of the deadlock?", (70,)),
        ("is the total thread in the cycle?", (70,)),
        ("does thread total wait?", (70,)),
        ("is total blocked?", (70,)),
        ("does the thread wait?", ()),
        ("is total part of the program?", ()),
    ],
)
def test_a_thread_is_named_by_what_it_runs(text: str, threads: tuple[int, ...]) -> None:
    assert threads_named(read(text), Investigation(facts=FactBook([STACK])))[1] == threads


@pytest.mark.parametrize(
    ("text", "refuted", "verified"),
    [
        ("thread 2 holds a lock", set(), set()),  # it may hold one that nobody waits for
        ("thread 3 held the lock", set(), {6}),
        ("does thread 1 hold ledger?", {6}, set()),
        ("does thread total hold ledger?", {6}, set()),
        ("thread 4 holds ledger", {6}, set()),
        ("thread 4 owns queue", set(), {8}),
        ("is queue held?", set(), {8}),
        ("is queue a lock?", set(), set()),
        ("does thread 4 hold queue.lock?", set(), set()),
        ("thread 4 wants to own queue soon", set(), set()),
        ("is thread 2 stuck?", set(), {6}),
        ("does thread 1 wait?", set(), {7}),
        ("does thread 2 wait for ledger?", set(), {6}),
        ("does thread 2 wait for queue?", {6}, set()),
        ("does thread 2 wait for main?", {6}, set()),
        ("does thread 2 wait for thread 3?", set(), {6}),
        ("does thread 2 wait for thread 4?", {6}, set()),
        ("does thread 1 wait for thread 2?", set(), {7}),
        ("does thread 4 wait for thread 1?", set(), set()),
        ("do threads 2 and 3 wait?", set(), set()),
        ("is queue held by thread 73?", set(), {8}),
        ("is queue held by thread 2?", {8}, set()),
        ("is queue locked by thread 71?", {8}, set()),
        ("is queue held by anybody?", set(), {8}),
        ("is thread 2 stuck in total?", set(), set()),
        ("does thread 3 hold 0x4d6480?", set(), set()),
        ("why does thread 1 wait?", set(), set()),
        ("which lock does thread 3 hold?", set(), set()),
        ("thread 3 held the lock before", set(), set()),
    ],
)
def test_owners_of_locks(text: str, refuted: set[int], verified: set[int]) -> None:
    assert told(text, *OWNERS, STACK) == (refuted, verified)


@pytest.mark.parametrize(
    ("text", "refuted", "verified"),
    [
        ("std::bad_alloc was thrown", {10}, set()),
        ("it was a ParseError, right?", set(), {10}),
        ("a ParseError was thrown in total", set(), set()),  # where, nothing tells
        ("an IoError was thrown in total", {10}, set()),
        ("the exception was uncaught", set(), set()),
        ("an IoError was logged earlier", set(), set()),
    ],
)
def test_types_of_exceptions(text: str, refuted: set[int], verified: set[int]) -> None:
    assert told(text, THROWN) == (refuted, verified)


def thrown(message: str, line: int) -> Finding:
    return Finding(tool="java", kind="exception", message=message, line=line, cite=cite(line))


@pytest.mark.parametrize(
    ("text", "refuted", "verified"),
    [
        ("was it a RuntimeException?", set(), {5}),
        ("was a java.lang.RuntimeException thrown?", set(), {5}),
        ("was it a NullPointerException?", {5}, set()),
        ("was it an IllegalStateException?", set(), set()),  # others are derived from it
        ("was it a RuntimeException in main?", set(), set()),
        ("did thread 2 throw a RuntimeException?", set(), set()),
        ("was the ArrayStoreException that the log names thrown?", set(), set()),
    ],
)
def test_exceptions_of_a_report(text: str, refuted: set[int], verified: set[int]) -> None:
    ended = thrown("Caused by: java.lang.RuntimeException: no KeyError: 1", 5)
    assert told(text, ended) == (refuted, verified)
    logged = replace(thrown("java.lang.IllegalStateException", 6), ends=False)
    assert told(text, ended, logged) == (refuted, verified)
    assert told(text, ended, replace(logged, ends=None)) == (set(), set())  # which one ended it?


def test_a_type_of_the_program_may_be_derived_from_the_one_that_is_named() -> None:
    ours = thrown("Caused by: shop.MissingLoaf: none", 5)
    assert told("was it a NullPointerException?", ours) == (set(), set())
    mentioned = replace(ours, message="expected a KeyError: 1")
    assert told("was it a KeyError?", mentioned) == (set(), set())


def test_the_fault_address_of_a_report() -> None:
    first = Finding(
        tool="kernel", kind="fault", message="page fault", line=4, address=0xE0, access_line=5,
        cite=cite(4),
    )  # fmt: skip
    panic = Finding(tool="kernel", kind="panic", message="panic: trap", line=6, cite=cite(6))
    other = replace(first, address=0xF0, line=7, cite=cite(7))
    assert told("was the fault address 0xe0?", first, panic) == (set(), {4})
    assert told("is the address 0xe8?", first, panic) == ({4}, set())
    assert told("is the address of the list 0xe8?", first, panic) == (set(), set())
    assert told("was the fault address 0xe0?", first, other) == (set(), set())
    assert told("was the fault address 0xe0?", replace(first, access_line=0)) == (set(), set())


@pytest.mark.parametrize(
    ("text", "line", "right"),
    [
        ("is eax 6?", "eax=006ffabc ebx=778958c0", [False]),
        ("is ecx 16?", "eax=006ffabc ecx=00000010", [True]),
        ("is ecx 10?", "eax=006ffabc ecx=00000010", []),  # as it stands there, or 0xa
        ("is rdx 0?", "RAX=0x0000000000000000, RDX=0x0000000000000015", [False]),
        ("is r8 null?", "R7: 0000000000000001 R08: 0000000000000000", [True]),
        ("is r8 null?", "R8 =0x0000000000000000, R9 =0x00000000000000ec", [True]),
        ("is r8 0 in frame 2?", "R8 =0x0000000000000000, R9 =0x00000000000000ec", []),
        ("is x1 0?", "    x0  0000007b5c0  x1  0000000000000001", [False]),
        ("is rsp 0?", "RSP: 0018:ffff88006cf2f8f8  EFLAGS: 00010246", []),
        ("is rax 0?", "rax 0000000000000000 then rax=0000000000000001", []),
        ("is rax 0?", "mov %rax 0000000000000001", []),
    ],
)
def test_a_register_that_a_log_shows(text: str, line: str, right: list[bool]) -> None:
    item = Evidence(
        id="E1", command="log", source=Source.FILE, intent="", at="", sha256="", size=1, lines=1,
        call_hash="",
    )  # fmt: skip
    target = Target(path="log", kind=TargetKind.TRANSCRIPT, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, facts=FactBook([]), evidence={"E1": item})
    talk = Talk(state, read(text, {}), lambda _: line)
    talk.lines = [Numbered("E1", "log", 1, line)]
    known = [*measures("E1", "log", [(1, line)])]
    assert [one.agrees for one in [*amounts(talk, known), *stated(talk)]] == right


@pytest.mark.parametrize(
    ("text", "refuted", "verified"),
    [
        ("is thread 3 sleeping?", set(), {11}),
        ("does thread 3 sleep?", set(), {11}),
        ("is baker asleep?", set(), {11}),
        ("is seller asleep?", set(), set()),
        ("is thread 2 asleep?", set(), set()),  # it waits for a mutex: a kernel calls that so too
        ("does thread 3 wait for ledger?", {11}, set()),
        ("does thread 2 wait for ledger?", set(), {6}),
        ("does thread 5 wait for ledger?", set(), set()),
        ("does thread 3 wait for ledger after the sleep?", set(), set()),
    ],
)
def test_a_thread_that_sleeps(text: str, refuted: set[int], verified: set[int]) -> None:
    asleep = Wait(thread=72, kind="sleep", syscall="clock_nanosleep", cite=cite(11))
    baker = replace(STACK, number=3, thread=72, frames=(replace(TOP, function="baker"),))
    assert told(text, *OWNERS, asleep, baker) == (refuted, verified)
    waits = "does thread 5 wait for ledger?"
    fault, ended = replace(FAULT, thread=74), replace(SEGV, thread=74)
    assert told(waits, *OWNERS, fault, ended) == ({1}, set())
    assert told(waits, *OWNERS, FAULT, ended) == (set(), set())  # a signal that was sent to it


async def test_what_is_refuted_is_told_with_the_value_of_its_line(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    reply = (await session.ask_question("frame 0 is main")).reply
    assert reply is not None
    (one,) = reply.contradictions
    assert "close_drawer" in one.claim.text
    (line,) = {str(cite) for cite in one.claim.citations}
    text = await session.evidence_text(line.split(":")[0])
    assert "close_drawer" in text.split("\n")[int(line.split(":")[1].split("-")[0]) - 1]


def _packer(thread: int, line: int) -> Stack:
    frame = Frame(index=0, function="pack", file="p.c", line=8, line_no=line)
    return Stack(number=thread - 69, thread=thread, name="packer", frames=(frame,), cite=cite(line))


@pytest.mark.parametrize(
    ("text", "refuted", "verified"),
    [
        ("did the packer thread crash?", set(), {1}),
        ("did the sorter thread crash?", set(), set()),
        ("does pack hold queue?", set(), {8}),
        ("is queue held by packer?", set(), {8}),
        ("is ledger held by pack?", set(), {6}),
        ("is queue held by total?", {8}, set()),
        ("does total hold queue?", {8}, set()),
        ("does pack wait for ledger?", set(), {6}),
    ],
)
def test_one_of_the_threads_that_a_name_means_may_be_it(
    text: str, refuted: set[int], verified: set[int]
) -> None:
    crashed = replace(SEGV, thread=73)
    packers = (_packer(71, 14), _packer(72, 15), _packer(73, 16))
    assert told(text, crashed, STACK, *OWNERS, *packers) == (refuted, verified)


def test_a_thread_that_only_waits_is_no_part_of_the_ring() -> None:
    ring = LockCycle(threads=(71, 72), locks=(0x10, 0x20), cite=cite(12))
    stacks = tuple(
        Stack(number=n, thread=69 + n, name=None, current=False, cite=cite(13),
              frames=(Frame(index=0, function=name, line_no=13),))
        for n, name in ((2, "debit"), (3, "credit"), (4, "serve"))
    )  # fmt: skip
    for text, found in (
        ("is thread 71 part of the deadlock?", (set(), {12})),
        ("is thread 73 part of the deadlock?", ({12}, set())),
        ("does thread 73 wait because of the deadlock?", (set(), set())),
        ("does anyone wait for thread 71?", (set(), {7})),
        ("does anyone wait for the credit thread?", (set(), {6})),
        ("does anyone wait for the serve thread?", (set(), set())),
        ("does debit wait for credit?", (set(), {6})),
        ("does debit wait for serve?", ({6}, set())),
        ("is there a deadlock between debit and credit?", (set(), {12})),
        ("is there a deadlock between debit and serve?", ({12}, set())),
        ("is there a deadlock between threads 71 and 73?", ({12}, set())),
    ):
        assert told(text, ring, *OWNERS, *stacks, category=Category.DEADLOCK) == found


def test_words_that_only_a_library_has_for_variables_name_none() -> None:
    inner = Frame(index=0, function="__assert_fail_base", line_no=1, module="libc.so.6",
                  args='assertion=0x5607 "n <= stock", bytes=8')  # fmt: skip
    outer = Frame(index=1, function="take", line_no=2, args="bytes=3")
    for frames, names in (((inner,), set()), ((inner, outer), {"bytes"})):
        stack = Stack(number=1, thread=70, name=None, frames=frames, current=True, cite=cite(3))
        known = known_names(Investigation(facts=FactBook([stack])))
        assert {name for name, variable in known.items() if variable} == names
