"""What a question takes for granted of pointers, places, owners and ends is held to the facts."""

import pytest
from msgspec.structs import replace

from tests.chat.conftest import spoken
from workbench.agents.chat.asked import read
from workbench.agents.chat.presumed import presumed
from workbench.agents.chat.talk import against, agreed
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.critique import Conclusion
from workbench.model.facts import (
    AnyFact,
    CxxException,
    ExceptionRecord,
    FactBook,
    Fault,
    Frame,
    Locals,
    Lock,
    Module,
    Process,
    Signal,
    Stack,
    Thread,
    Threads,
    Variable,
    Wait,
)
from workbench.model.investigation import Investigation


def cite(number: int) -> Citation:
    return Citation("E1", number, number)


SEGV = Signal(
    thread=70, number=11, name="SIGSEGV", code=1, code_name="SEGV_MAPERR", fault_address=0x5008,
    sender_pid=None, sender_uid=None, cite=cite(1),
)  # fmt: skip
FAULT = Fault(
    thread=70, pc=0x1010, instruction="mov", mnemonic="mov", access="read", operand=0x500008,
    base_register="rax", base_value=0x500000, cite=cite(2),
)  # fmt: skip
TOP = Frame(index=0, function="total", file="shop.c", line=8, line_no=3)
MAIN = Frame(index=1, function="main", file="shop.c", line=20, line_no=4)
STACK = Stack(number=1, thread=70, name=None, frames=(TOP, MAIN), current=True, cite=cite(3))
MODULES = tuple(
    Module(name=name, path=name, base=base, end=base + 0x1000, build_id=None, status="found",
           symbols="symbols", cite=cite(5))
    for name, base in (("shop", 0x1000), ("libc.so.6", 0x9000), ("libcrypto.so.3", 0xA000))
)  # fmt: skip
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
VARIABLES = Locals(
    function="total",
    variables=(
        Variable(name="head", value="0x0", line=11),
        Variable(name="order", value="(struct order *) 0x55550000", line=12),
    ),
    cite=cite(11),
)  # fmt: skip
SNAPSHOT = Process(
    pid=70, command_line=None, executable=None, arch="x86_64", os="linux", threads=(70,),
    snapshot=True, cite=cite(13),
)  # fmt: skip
ENDED = replace(SNAPSHOT, os="Linux", snapshot=False)
OVERFLOW = ExceptionRecord(
    platform="windows", code=0xC00000FD, name="EXCEPTION_STACK_OVERFLOW", thread=70, cite=cite(14)
)


def told(
    text: str, *facts: AnyFact, category: Category = Category.UNKNOWN
) -> tuple[set[int], set[int]]:
    """The lines that deny, and those that agree."""
    state = Investigation(facts=FactBook(facts))
    if category is not Category.UNKNOWN:
        state.conclusion = Conclusion(
            hypothesis="H1", category=category, confidence=0.9, claims=(), frame=TOP
        )
    told = list(presumed(spoken(read(text), state, lambda _, number: f"line {number}")))
    return (
        {one.claim.citations[0].first for one in against(told)},
        {claim.citations[0].first for claim in agreed(told)},
    )


@pytest.mark.parametrize(
    ("text", "denied", "agreed"),
    [
        ("it was a null pointer", {2}, set()),
        ("who freed it, and was it null?", {2}, set()),
        ("it was not null", set(), set()),
        ("why was it null?", set(), set()),
        ("the string was null terminated", set(), set()),
        ("was head null?", set(), {11}),
        ("order was NULL, right?", {12}, set()),
        ("was it a write?", {2}, set()),
        ("it was reading", set(), {2}),
    ],
)
def test_pointers_and_accesses(text: str, denied: set[int], agreed: set[int]) -> None:
    assert told(text, SEGV, FAULT, VARIABLES) == (denied, agreed)


@pytest.mark.parametrize(
    ("text", "denied", "agreed"),
    [
        ("it crashed in libc", {2}, set()),
        ("did it crash in libcrypto?", {2}, set()),
        ("the crash was in shop", set(), {2}),
        ("It crashed in total", set(), {3}),
        ("it crashed in main, right?", {3}, set()),
        ("did it fail in shop.c?", set(), {3}),
        ("it crashed in production", set(), set()),
        ("where in libc did it crash?", set(), set()),
        ("thread 2 crashed", {1}, set()),
        ("is it a logic error?", set(), set()),
        ("did thread 1 crash?", set(), {1}),
        ("it hung, right?", {1}, set()),
        ("the exception was a timeout", {1}, set()),
        ("was an exception thrown?", {1}, set()),
        ("it crashed in printf", {3}, set()),
        ("the bug happened in main", set(), set()),
        ("what went wrong is in main", set(), set()),
        ("did the main thread crash?", set(), {1}),
    ],
)
def test_places_and_threads(text: str, denied: set[int], agreed: set[int]) -> None:
    facts: tuple[AnyFact, ...] = (SEGV, FAULT, STACK, *MODULES, THREADS, ENDED)
    assert told(text, *facts, category=Category.USE_AFTER_FREE) == (denied, agreed)


@pytest.mark.parametrize(
    ("text", "denied", "agreed"),
    [
        ("thread 3 held the lock", set(), {6}),
        ("thread 2 held the lock", set(), {6, 8}),  # one of its own may be in no wait
        ("does thread 1 hold a mutex?", set(), {6, 8}),
        ("does thread 1 hold ledger?", {6}, set()),
        ("thread 4 holds ledger", {6}, set()),
        ("thread 4 owns queue", set(), {8}),
        ("thread 3 had a problem", set(), set()),
        ("is thread 2 stuck?", set(), {6}),
        ("does thread 1 wait?", set(), {7}),
        ("does thread 1 wait for ledger?", {7}, set()),
        ("why does thread 1 wait?", set(), set()),
        ("which lock does thread 3 hold?", set(), set()),
    ],
)
def test_owners_of_locks(text: str, denied: set[int], agreed: set[int]) -> None:
    assert told(text, *OWNERS) == (denied, agreed)


@pytest.mark.parametrize(
    ("text", "denied", "agreed"),
    [
        ("the exception was a timeout", set(), {10}),
        ("std::bad_alloc was thrown", {10}, set()),
        ("it was a parse error, right?", set(), {10}),
        ("the exception was uncaught", set(), set()),
        ("was an exception thrown?", set(), {10}),
        ("what was the exception?", set(), set()),
    ],
)
def test_kinds_of_exceptions(text: str, denied: set[int], agreed: set[int]) -> None:
    assert told(text, THROWN) == (denied, agreed)


def test_a_process_that_still_ran_did_not_crash() -> None:
    for text in ("it crashed", "why did it crash?", "did it segfault?"):
        assert told(text, SNAPSHOT) == ({13}, set())
    assert told("why does it hang?", SNAPSHOT) == (set(), set())
    assert told("it was an access violation", OVERFLOW) == ({14}, set())
