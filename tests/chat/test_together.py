"""Statements that a question joins are held to the evidence one by one; who else crashed, whether a
ring of locks is there, and how large the access of a report was."""

import pytest
from msgspec.structs import replace

from tests.chat.conftest import Asker
from tests.chat.test_counts import ITEM
from tests.chat.test_stated import ENDED, FAULT, SEGV, STACK, THREADS, cite, told
from tests.logs.test_whose_frame import CAUSED
from workbench.agents.chat import values
from workbench.agents.chat.asked import read
from workbench.agents.chat.clauses import conjuncts
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.values import shown, tries
from workbench.model.category import Category
from workbench.model.facts import (
    AnyFact,
    FactBook,
    Finding,
    Frame,
    Locals,
    Lock,
    Process,
    Stack,
    Variable,
    Wait,
)
from workbench.model.investigation import Investigation
from workbench.model.target import Target, TargetKind


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("is a 40 and b null?", ["is a 40?", "is b null?"]),
        ("are a and b null?", ["is a null?", "is b null?"]),
        ("was it a read and was it null?", ["was it a read?", "was it null?"]),
        ("was the block 16 bytes and the access a read?",
         ["was the block 16 bytes?", "was the access a read?"]),
        ("does thread 4 hold queue and wait for ledger?",
         ["does thread 4 hold queue?", "does thread 4 wait for ledger?"]),
        ("is queue held by main and wanted by thread 2?",
         ["is queue held by main?", "is queue wanted by thread 2?"]),
        ("do threads 2 and 3 wait for ledger?", []),
        ("did save and load race?", []),
        ("is it between save and load?", []),
        ("is a 40 and not b?", []),
        ("what are a and b?", []),
        ("is a 40?", []),
    ],
)  # fmt: skip
def test_what_is_joined_is_asked_one_by_one(question: str, parts: list[str]) -> None:
    assert conjuncts(question) == parts


CALLED = """\
Program received signal SIGSEGV, Segmentation fault.
#0  0x000000000048d970 in weigh (coins=40, purse=0x0) at till.c:34
#1  0x000000000046d520 in main () at till.c:90
"""
TRACE = CAUSED.format(left=3)
USED = """\
==24137==ERROR: AddressSanitizer: heap-use-after-free on address 0x60040000b0f8 at pc 0x4f4d65 bp 0x7ffff28bfbe0 sp 0x7ffff28bfbd8
READ of size 8 at 0x60040000b0f8 thread T2
    #0 0x4f07b4 in weigh /src/till.c:56
0x60040000b0f8 is located 8 bytes inside of 16-byte region [0x60040000b0f0,0x60040000b100)
freed by thread T1 here:
    #0 0x7ffff4e609ea in free (/usr/lib64/libasan.so.0+0x119ea)
    #1 0x4f07d0 in shut /src/till.c:57
"""  # noqa: E501


@pytest.mark.parametrize(
    ("log", "question", "verdict"),
    [
        (CALLED, "is coins 40 and purse null?", "yes"),
        (CALLED, "is coins 41 and purse null?", "no"),
        (CALLED, "are coins and purse null?", "no"),
        (CALLED, "is coins 40 and purse a weasel?", "open"),
        (USED, "was it a read of 8 bytes?", "yes"),
        (USED, "was it a read of 4 bytes?", "no"),
        (USED, "was it a write of 8 bytes?", "no"),
        (USED, "was the memory freed by another thread?", "yes"),
        (USED, "was it freed by the same thread?", "no"),
        (USED, "was it a double free?", "no"),
        (USED, "was it a use after free?", "yes"),
        (USED, "was it a data race?", "open"),
        (TRACE, "did Ledger.save call JdbcTemplate.execute?", "yes"),
        (TRACE, "did JdbcTemplate.execute call Ledger.save?", ""),
    ],
)
async def test_a_log_decides_each(to_ask: Asker, log: str, question: str, verdict: str) -> None:
    reply = (await (await to_ask(log)).ask_question(question)).reply
    assert reply is not None
    assert reply.verdict == verdict


_RING = "is there a deadlock?"
WORKERS = Process(
    pid=70, command_line=None, executable=None, arch="x86_64", os="Linux", threads=(70, 71, 72),
    snapshot=False, cite=cite(13),
)  # fmt: skip


@pytest.mark.parametrize(
    ("waits", "refuted"),
    [
        (((71, 70), (72, 71)), {1}),
        (((71, 70),), set()),
        (((71, 70), (72, None)), set()),
        (((71, 72), (72, 71)), set()),
    ],
)
def test_no_ring_is_there_where_all_wait_for_the_one_that_crashed(
    waits: tuple[tuple[int, int | None], ...], refuted: set[int]
) -> None:
    known = [Wait(thread=who, kind="mutex", owner=whom, cite=cite(6)) for who, whom in waits]
    assert told(_RING, SEGV, FAULT, STACK, WORKERS, *known) == (refuted, set())


_OTHER = Stack(
    number=2, thread=71, name=None, cite=cite(5),
    frames=(Frame(index=0, function="pack", file="shop.c", line=50, line_no=5),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "facts", "category", "refuted"),
    [
        ("did pack crash?", (_OTHER,), Category.NULL_POINTER_DEREFERENCE, {3}),
        ("did pack panic?", (_OTHER,), Category.PANIC, {3}),
        ("did it crash at line 9?", (), Category.NULL_POINTER_DEREFERENCE, {3}),
        ("was it caught by the handler in main?", (), Category.UNCAUGHT_EXCEPTION, {3}),
        ("did main crash?", (_OTHER,), Category.NULL_POINTER_DEREFERENCE, set()),
        ("did unpack crash?", (_OTHER,), Category.NULL_POINTER_DEREFERENCE, set()),
        ("was it a failed assertion?", (), Category.NULL_POINTER_DEREFERENCE, {3}),
        ("was it a null pointer dereference?", (), Category.ASSERTION_FAILURE, {3}),
        ("was it a use after free?", (), Category.ASSERTION_FAILURE, set()),
        ("is the lock queue free?", (Lock(owner=73, name="queue", cite=cite(8)),),
         Category.UNKNOWN, {8}),
    ],
)  # fmt: skip
def test_what_the_end_rules_out(
    text: str, facts: tuple[AnyFact, ...], category: Category, refuted: set[int]
) -> None:
    found = told(text, SEGV, FAULT, STACK, THREADS, ENDED, *facts, category=category)
    assert found == (refuted, set())


@pytest.mark.parametrize(
    ("index", "told"), [(1, "`shelf[1].id` is 12."), (3, "`shelf` has 3 elements (E2:1)")]
)
def test_an_element_of_a_vector_is_read_without_a_call(index: int, told: str) -> None:
    asked = read(f"what is shelf[{index}].id?", {"shelf": True})
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, chosen_debugger="gdb")
    name, inside = f"shelf[{index}].id", "shelf._M_impl"
    command = next(tries(name, asked, state)).text
    texts = {
        command: "Cannot call functions in the program: may-call-functions is off.\n",
        command.replace(name, f"{inside}._M_finish - {inside}._M_start"): "$1 = 3\n",
        command.replace(name, f"{inside}._M_start[{index}].id"): "$2 = 12\n",
    }
    ids = dict(zip(texts, ("E1", "E2", "E3"), strict=True))
    state.evidence = {ids[one]: replace(ITEM, id=ids[one], command=one) for one in texts}
    answers = {ids[one]: text for one, text in texts.items()}
    one = shown(name, Talk(state, asked, answers.__getitem__))
    assert one is not None
    said = [claim.text for claim in values.told(one)] or [one.outside]
    assert said[0].startswith(told)


@pytest.mark.parametrize(("level", "told"), [(0, "`shelf` in `stock` is 12."), (1, "")])
def test_a_local_is_no_variable_of_libc_whatever_the_command_names(level: int, told: str) -> None:
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    frames = (Frame(index=0, function="stock", file="till.rs", line=7),)
    rows = Locals(cite=cite(3), function=None, frame=level,
                  variables=(Variable(name="shelf", value="12", line=3),))  # fmt: skip
    stack = Stack(number=1, thread=70, name=None, frames=frames, current=True, cite=cite(1))
    state = Investigation(target=target, chosen_debugger="gdb", facts=FactBook([SEGV, stack, rows]))
    texts = {
        f"frame apply level {level} -q info locals": "shelf = 12\n",
        "frame apply level 0 -q print shelf": "$1 = 12\n",
        "info variables -q -n ^shelf$": "File ./stdlib/shelf.c:\n7:\tstatic int shelf;\n",
    }
    ids = dict(zip(texts, ("E1", "E2", "E3"), strict=True))
    state.evidence = {ids[one]: replace(ITEM, id=ids[one], command=one) for one in texts}
    answers = {ids[one]: text for one, text in texts.items()}
    one = shown("shelf", Talk(state, read("what is shelf?"), answers.__getitem__))
    assert one is not None
    assert "".join(claim.text for claim in values.told(one)) == told


def test_an_access_of_a_race_has_no_one_size() -> None:
    race = Finding(
        cite=cite(5), tool="ThreadSanitizer", kind="data race", message="data race", line=5,
        category=Category.DATA_RACE, access="write", size=8,
    )  # fmt: skip
    assert told("was it a write of 4 bytes?", race) == (set(), set())
