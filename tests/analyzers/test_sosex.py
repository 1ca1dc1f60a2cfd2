"""SOSEX: deadlocks that it names, and its tables of who holds and who waits."""

from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.logs.reading import read_text
from workbench.model.category import Category
from workbench.model.facts import Lock, LockCycle, Wait

BEGIN = "0:000> !dlk\nExamining SyncBlocks...\nExamining CriticalSections...\n"
BEGIN += "Scanning for threads waiting on SyncBlocks...\n*DEADLOCK DETECTED*\n"
MONITORS = """\
CLR thread 0x5 holds the lock on SyncBlock 00000230aa5b3ab8 OBJ:000002300000edb0[Till.Drawer]
...and is waiting for the lock on SyncBlock 00000230aa5b3b08 OBJ:000002300000ed78[Till.Key]
CLR thread 0x4 holds the lock on SyncBlock 00000230aa5b3b08 OBJ:000002300000ed78[Till.Key]
...and is waiting for the lock on SyncBlock 00000230aa5b3ab8 OBJ:000002300000edb0[Till.Drawer]
CLR Thread 0x5 is waiting at Till.Drawer.Open(Till.Key)(+0xf IL,+0x3c Native)
CLR Thread 0x4 is waiting at System.Threading.Monitor.Enter(System.Object)(+0xf Native)

1 deadlock detected.
"""
MIXED = """\
CLR thread 0x1 holds the lock on SyncBlock 011e59b0 OBJ:02e93410[System.Object]
...and is waiting on CriticalSection 01216a58
CLR thread 0x3 holds CriticalSection 01216a58
...and is waiting for a Reader lock on ReaderWriterLock 01333a58
CLR thread 0x8 holds the Writer lock on ReaderWriterLock 01333a58
...and is waiting for the lock on SyncBlock 011e59b0 OBJ:02e93410[System.Object]
CLR Thread 0x1 is waiting at till!Drawer::Open+0x92
"""
BUSY = "0:000> !threadpool\nCPU utilization: 1%\nWorker Thread: Total: 90 Running: 90 Idle: 0 "
BUSY += "MaxLimit: 90 MinLimit: 8\nWork Request in Queue: 311\n"
TABLE = """\
Examining SyncBlocks...
{scan}
ClrThread  DbgThread  OsThread    LockType    Lock              LockLevel
------------------------------------------------------------------------------
0xaa       -1         0xffffffff  RWLockSlim  0000000160125d70  Writer
0x49       165        0x90        RWLockSlim  000000008003fbb8  Reader
0x1f       116        0x1140      SyncBlock   000000000786e190
0xa6       150        0x11c       thinlock    0000000080270878  (recursion:0)
"""


@pytest.mark.parametrize(
    ("text", "function", "threads"),
    [
        (MONITORS, "Till.Drawer.Open(Till.Key)", (5, 4)),
        (MIXED, "Drawer::Open", (1, 3, 8)),
    ],
)
@pytest.mark.parametrize("before", ["", BUSY])
def test_a_ring_that_it_names(
    tmp_path: Path, before: str, text: str, function: str, threads: tuple[int, ...]
) -> None:
    read = read_text(tmp_path, before + BEGIN + text)
    assert (read.category, read.function) == (Category.DEADLOCK, function)
    assert [cycle.threads for cycle in read.facts.all(LockCycle)] == [threads]


def test_no_ring_is_none(tmp_path: Path) -> None:
    text = BEGIN.replace("*DEADLOCK DETECTED*", "No deadlocks detected.")
    assert read_text(tmp_path, text).category is None


def test_who_holds_and_who_waits() -> None:
    held = analyze(Document("E1", "!mlocks", "cdb", TABLE.format(scan=""))).facts
    owners = [(fact.owner, fact.address) for fact in held if isinstance(fact, Lock)]
    assert owners == [(0x90, 0x8003FBB8), (0x1140, 0x786E190), (0x11C, 0x80270878)]
    scan = "Scanning for threads waiting on SyncBlocks...\n"
    waited = analyze(Document("E1", "!mwaits", "cdb", TABLE.format(scan=scan))).facts
    waits = [(fact.thread, fact.kind) for fact in waited if isinstance(fact, Wait)]
    assert waits[1:] == [(0x90, "rwlock"), (0x1140, "mutex"), (0x11C, "mutex")]
