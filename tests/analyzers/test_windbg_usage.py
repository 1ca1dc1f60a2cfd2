"""What a process uses, as WinDbg prints it: times, address space, heaps, handles."""

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
    AddressSpace,
    AnyFact,
    Fact,
    FactBook,
    Handles,
    HeapBlocks,
    NativeHeaps,
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
SPACE = """\

--- Usage Summary ---------------- RgnCount ----------- Total Size -------- %ofBusy %ofTotal
Heap                                   1012          6fe1b000 (   1.748 GB)  90.12%   87.40%
Free                                     85           3e51000 (  62.316 MB)            3.04%
<unknown>                               380           d1c3000 ( 209.762 MB)  10.56%   10.24%

--- State Summary ---------------- RgnCount ----------- Total Size -------- %ofBusy %ofTotal
MEM_FREE                                 85           3e51000 (  62.316 MB)            3.04%

--- Largest Region by Usage ----------- Base Address -------- Region Size ----------
Heap                                        5a50000            fd0000 (  15.813 MB)
Free                                       70a50000            4d0000 (   4.813 MB)
"""
OLD_SPACE = """\
-------------------- Usage SUMMARY --------------------------
    TotSize (      KB)   Pct(Tots) Pct(Busy)   Usage
   39b32000 (  945352) : 45.08%    61.98%    : RegionUsageIsVAD
   1cab1000 (  469700) : 22.40%    00.00%    : RegionUsageFree
       1000 (       4) : 00.00%    00.00%    : RegionUsagePeb
       Tot: 7fff0000 (2097088 KB) Busy: 6353f000 (1627388 KB)

------------------- State SUMMARY --------------------------
    TotSize (      KB)   Pct(Tots)  Usage
   3152f000 (  808124) : 38.54%   : MEM_COMMIT

Largest free region: Base 6b0b2000 - Size 0203e000 (33016 KB)
"""
WIDE_SPACE = """\
--- Usage Summary ---------------- RgnCount ----------- Total Size -------- %ofBusy %ofTotal
Free                                    255     7ffe`e1cfa000 ( 127.995 TB)           99.99%
Heap                                   1013        0`0a4e4000 ( 164.891 MB)   3.57%    0.00%
"""
HANDLES = """\
Handle 00000004
  Type         	Directory
66316 Handles
Type           	Count
None           	9
Key            	65602
ALPC Port      	17
"""
HEAPS = """\
LFH Key                   : 0x6573276f
  Heap     Flags   Reserv  Commit  Virt   Free  List   UCR  Virt  Lock  Fast
                    (k)     (k)    (k)     (k) length      blocks cont. heap
-----------------------------------------------------------------------------
000f0000 00000002    1024    552   1024    257     7     1    0      0   LFH
012e0000 00001002  776448 118128 776448 109939   746   532    0      0   LFH
    External fragmentation  93 % (746 free blocks)
    Virtual address fragmentation  84 % (532 uncommited ranges)
-----------------------------------------------------------------------------
"""
BLOCKS = """\
 heap @ 012e0000
group-by: TOTSIZE max-display: 20
    size     #blocks     total     ( %) (percent of total busy bytes)
    19fa40 7a - c614280  (93.96)
    62d30 4 - 18b4c0  (0.73)
"""
PEB = """\
PEB at 7ffdb000
    ImageBaseAddress:         00400000
    ImageFile:    'C:\\app\\svc.exe'
    CommandLine:  '"C:\\app\\svc.exe" -x'
"""
THROWN = """\
Exception object: 02b41e3c
Exception type:   System.OutOfMemoryException
Message:          <none>
InnerException:   <none>
StackTrace (generated):
<none>
HResult: 8007000e
"""
TEXTS = (RUNAWAY, NAMED, NT, SPACE, OLD_SPACE, WIDE_SPACE, HANDLES, HEAPS, BLOCKS, PEB)

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


def test_address_space_of_every_version() -> None:
    space = one(AddressSpace, SPACE)
    heap = space.taken("Heap")
    assert heap is not None
    assert (heap.bytes, heap.regions, heap.shown, heap.line) == (0x6FE1B000, 1012, "1.748 GB", 3)
    assert space.largest_free is not None
    assert (space.largest_free.bytes, space.largest_free.line) == (0x4D0000, 12)
    assert [row.name for row in space.states] == ["MEM_FREE"]
    old = one(AddressSpace, OLD_SPACE)
    assert [row.name for row in old.usage][:2] == ["RegionUsageIsVAD", "RegionUsageFree"]
    assert old.largest_free is not None
    assert old.largest_free.bytes == 0x203E000
    wide = one(AddressSpace, WIDE_SPACE).taken("free")
    assert wide is not None
    assert wide.bytes == 0x7FFEE1CFA000


def test_handles_heaps_blocks_and_the_peb() -> None:
    handles = one(Handles, HANDLES)
    assert (handles.total, handles.kinds[0].name, handles.kinds[0].count) == (66316, "Key", 65602)
    assert "ALPC Port" in {kind.name for kind in handles.kinds}
    heaps = one(NativeHeaps, HEAPS)
    assert [(h.address, h.committed >> 10) for h in heaps.items] == [
        (0xF0000, 552),
        (0x12E0000, 118128),
    ]
    blocks = one(HeapBlocks, BLOCKS)
    assert blocks.heap == 0x12E0000
    assert (blocks.items[0].size, blocks.items[0].count, blocks.items[0].percent) == (
        0x19FA40, 0x7A, 93.96,
    )  # fmt: skip
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


def test_a_full_address_space_ends_by_a_failed_allocation() -> None:
    found = verdict(Category.OUT_OF_MEMORY, SPACE, THROWN)
    assert found.status is Status.CONFIRMED
    assert verdict(Category.OUT_OF_MEMORY, SPACE).status is Status.INCONCLUSIVE
    facts, _ = book(OLD_SPACE, THROWN)
    assert not proposers(Category.OUT_OF_MEMORY, facts)


def test_blocks_of_one_size_fill_a_heap() -> None:
    found = verdict(Category.MEMORY_LEAK, BLOCKS, HEAPS)
    assert (found.status, found.confidence) == (Status.CONFIRMED, 0.65)
    facts, _ = book(WIDE_SPACE, HEAPS)
    assert not proposers(Category.MEMORY_LEAK, facts)


def test_heaps_that_take_the_space_stay_open_without_their_blocks() -> None:
    assert verdict(Category.MEMORY_LEAK, SPACE).status is Status.INCONCLUSIVE


def test_handles_of_one_kind_pile_up() -> None:
    found = verdict(Category.MEMORY_LEAK, HANDLES)
    assert found.claims[1].text == "There are 65602 of 66316 open handles of the kind Key."
    facts, _ = book(HANDLES.replace("66316", "6631").replace("65602", "6560"))
    assert not proposers(Category.MEMORY_LEAK, facts)


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
