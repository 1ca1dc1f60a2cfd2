"""What a process uses, as WinDbg prints it: times; and the PEB."""

from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.patterns import causes
from analyzers.patterns.base import Pattern
from analyzers.registry import analyze
from tests.claims.holding import unproved
from workbench.model.category import Category
from workbench.model.facts import (
    AnyFact,
    Fact,
    FactBook,
    Process,
    ThreadTimes,
)
from workbench.model.hypothesis import Status, Verdict

RUNAWAY = """\
 User Mode Time
  Thread       Time
   12:1a2c      0 days 0:14:02.516
    0:55c       0 days 0:00:00.093
 Kernel Mode Time
  Thread       Time
   12:1a2c      0 days 0:00:11.000
 Elapsed Time
  Thread       Time
    0:55c       0 days 0:20:43.533
   12:1a2c      0 days 0:15:25.087
"""
NAMED = """\
 User Mode Time
  Thread       Time
    3:77f0 (Render worker)      1 days 2:00:00.250
"""
NT = " User Mode Time\n Thread    Time\n 4e0       0:12:16.0312\n 3d4       0:00:00.0000\n"
STACK = """\
0:003> ~12k
 # Child-SP          RetAddr               Call Site
00 000000e5`1a2ff5c0 00007ff6`12341234     svc!Parser::Scan+0x4c [c:\\src\\parser.cpp @ 88]
01 000000e5`1a2ff600 00007ff6`12345678     svc!Worker::Run+0x1e
02 000000e5`1a2ff640 00007ffb`00000000     kernel32!BaseThreadInitThunk+0x14
"""
WAITING = STACK.replace(
    "svc!Parser::Scan+0x4c [c:\\src\\parser.cpp @ 88]", "ntdll!NtWaitForSingleObject+0x14"
)
PEB = """\
PEB at 7ffdb000
    ImageBaseAddress:         00400000
    ImageFile:    'C:\\app\\svc.exe'
    CommandLine:  '"C:\\app\\svc.exe" -x'
"""
TEXTS = (RUNAWAY, NAMED, NT, PEB)

F = TypeVar("F", bound=Fact)


def read(text: str) -> list[AnyFact]:
    return list(analyze(Document("E1", "(opening)", "cdb", text)).facts)


def one(kind: type[F], text: str) -> F:
    (found,) = [fact for fact in read(text) if isinstance(fact, kind)]
    return found


def test_runaway_of_every_version() -> None:
    user, kernel, elapsed = [f for f in read(RUNAWAY) if isinstance(f, ThreadTimes)]
    assert [table.kind for table in (user, kernel, elapsed)] == ["user", "kernel", "elapsed"]
    top = user.items[0]
    assert (top.number, top.thread, top.seconds) == (12, 0x1A2C, 842.516)
    assert (top.line, top.shown) == (3, "0 days 0:14:02.516")
    assert elapsed.items[0].thread == 0x55C
    named = one(ThreadTimes, NAMED).items[0]
    assert (named.thread, named.seconds) == (0x77F0, 93600.25)
    old = one(ThreadTimes, NT).items[0]
    assert (old.number, old.thread, old.seconds) == (None, 0x4E0, 736.312)


def test_the_peb() -> None:
    process = one(Process, PEB)
    assert (process.executable, process.command_line) == (
        "C:\\app\\svc.exe", '"C:\\app\\svc.exe" -x',
    )  # fmt: skip


def book(*texts: str) -> tuple[FactBook, dict[str, str]]:
    facts, stored = FactBook(), dict[str, str]()
    for number, text in enumerate(texts, 1):
        facts.add(analyze(Document(f"E{number}", "", "cdb", text)).facts)
        stored[f"E{number}"] = text
    return facts, stored


def verdict(category: Category, *texts: str) -> Verdict:
    """The verdict of the one expert that proposes the cause; each of its claims holds."""
    facts, stored = book(*texts)
    (pattern,) = proposers(category, facts)
    found = pattern.evaluate(facts)
    assert not unproved(found.claims, facts, stored)
    return found


def proposers(category: Category, facts: FactBook) -> list[Pattern]:
    return [p for p in causes("windows") if p.category is category and p.propose(facts) is not None]


def test_a_busy_thread_whose_stack_runs() -> None:
    found = verdict(Category.HIGH_CPU, RUNAWAY, STACK)
    assert found.status is Status.CONFIRMED
    assert found.frame is not None
    assert found.frame.function == "Parser::Scan"
    said = " ".join(claim.text for claim in found.claims)
    assert 'hread 0x1a2c has number 12, used "0 days 0:14:02.516" of user time' in said


def test_two_listings_show_who_grew() -> None:
    later = RUNAWAY.replace("0:00:00.093", "0:00:40.093").replace("0:14:02.516", "0:14:02.616")
    found = verdict(Category.HIGH_CPU, RUNAWAY, later, STACK.replace("~12k", "~0k"))
    said = " ".join(claim.text for claim in found.claims)
    for shown in ("40.093", "00.093"):
        assert f'hread 0x55c has number 0, used "0 days 0:00:{shown}" of user time' in said


def test_a_busy_thread_that_waits_now_or_is_not_shown_stays_open() -> None:
    assert verdict(Category.HIGH_CPU, RUNAWAY, WAITING).status is Status.INCONCLUSIVE
    assert verdict(Category.HIGH_CPU, RUNAWAY).status is Status.INCONCLUSIVE


def test_equal_times_are_nobody_s_fault() -> None:
    quiet = RUNAWAY.replace("0:14:02.516", "0:00:02.516")
    facts, _ = book(quiet, STACK)
    assert not proposers(Category.HIGH_CPU, facts)


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_damage_is_survived_and_cited(text: str, data: st.DataObject) -> None:
    lines = text.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    cut = data.draw(st.integers(0, 60))
    noise = data.draw(st.text(max_size=30).filter(lambda s: "\n" not in s))
    lines[at] = lines[at][:cut] + noise
    damaged = "\n".join(data.draw(st.permutations(lines)) if data.draw(st.booleans()) else lines)
    facts = read(damaged)
    count = damaged.count("\n") + 1
    assert all(1 <= fact.cite.first <= fact.cite.last <= count for fact in facts)
    book = FactBook(facts)
    for pattern in causes("windows"):
        if pattern.propose(book) is not None:
            pattern.evaluate(book)
