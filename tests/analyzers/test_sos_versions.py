"""SOS's words from .NET Framework 2 to .NET 10, 32-bit and 64-bit."""

# ruff: noqa: E501 - lines as SOS prints them

from typing import TypeVar

from analyzers.base import Document
from analyzers.registry import analyze
from workbench.model.facts import (
    AsyncTasks,
    Fact,
    GcHeap,
    GcRoots,
    HeapTypes,
    ManagedException,
    ManagedThreads,
    PoolState,
    Stack,
    StackObjects,
)

F = TypeVar("F", bound=Fact)


def one(kind: type[F], command: str, text: str) -> F:
    host = "cdb" if command.startswith("!") else "dotnet-dump"
    facts = analyze(Document("E1", command, host, text)).facts
    (found,) = [fact for fact in facts if isinstance(fact, kind)]
    return found


def test_framework_2_on_x64_shows_where_a_frame_returns_to() -> None:
    text = """\
OS Thread Id: 0x1234 (7)
Child-SP         RetAddr          Call Site
000000000012e6a0 000007ff001b0e5f System.Threading.Monitor.Enter(System.Object)
000000000012e6f0 000007ff001b0e10 Shop.A.One()
"""
    stack = one(Stack, "!clrstack", text)
    assert [f.function for f in stack.frames] == ["System.Threading.Monitor.Enter", "Shop.A.One"]
    assert [f.address for f in stack.frames] == [None, None]
    x86 = text.replace("Child-SP         RetAddr          Call Site", "ESP       EIP     ")
    assert one(Stack, "!clrstack", x86).frames[1].address == 0x7FF001B0E10


def test_an_exception_s_own_stack_is_no_native_one() -> None:
    text = """\
Exception object: 01f5e1a4
Exception type: System.InvalidOperationException
Message: Sequence contains no elements
InnerException: System.FormatException, use !PrintException 01f5d0f0 to see more
StackTrace (generated):
    SP       IP       Function
    0012F3E0 00CE0112 Shop!Shop.Form1.Go(Int32)+0x5a
    0012F44C 00CE0080 Shop!Shop.Program.Main()+0x10

StackTraceString: <none>
HResult: 80131509
"""
    facts = analyze(Document("E1", "!pe", "cdb", text)).facts
    assert not [fact for fact in facts if isinstance(fact, Stack)]
    thrown = one(ManagedException, "!pe", text)
    assert (thrown.hresult, thrown.inner[0].address) == (0x80131509, 0x1F5D0F0)
    assert thrown.frames[0].function == "Shop.Form1.Go"


def test_threads_whose_locks_are_not_counted() -> None:
    text = """\
 DBG   ID     OSID ThreadOBJ           State GC Mode     GC Alloc Context                  Domain           Count Apt Exception
   0    1     7d40 000055D1B3C4D5E0    20020 Preemptive  00007F1AB4E5F678:00007F1AB4E60FD0 000055D1B3C00000 -00001 Ukn System.AggregateException 00007f1ab4e11230
   6    2     7d46 000055D1B3C7D5E0    21220 Preemptive  0000000000000000:0000000000000000 000055D1B3C00000 -00001 Ukn (Finalizer)
"""
    first, second = one(ManagedThreads, "clrthreads", text).items
    assert (first.locks, first.exception) == (None, "System.AggregateException")
    assert second.role == "finalizer"


def test_the_heap_of_framework_2() -> None:
    text = """\
Number of GC Heaps: 1
generation 0 starts at 0x02c81018
ephemeral segment allocation context: none
 segment    begin allocated     size
01ee0000 01ee1000  02c89ff4 0x00da8ff4(14323700)
Large object heap starts at 0x02ee1000
 segment    begin allocated     size
02ee0000 02ee1000  03ee32b8 0x010022b8(16786104)
06ee0000 06ee1000  07ee32b8 0x010022b8(16786104)
Total Size  0x2dad564(47895908)
------------------------------
GC Heap Size  0x2dad564(47895908)
"""
    heap = one(GcHeap, "!eeheap -gc", text)
    assert (heap.bytes, heap.bytes_line) == (47895908, 12)


def test_the_heap_of_regions() -> None:
    text = """\
Number of GC Heaps: 1
----------------------------------------
Small object heap
         segment            begin        allocated        committed allocated size       committed size
generation 0:
    01e8c0fd9f60     01e8c2400020     01e8c25d2bf0     01e8c25e1000  0x1d2bd0 (1911760) 0x1e1000 (1970176)
Large object heap
         segment            begin        allocated        committed allocated size       committed size
    01e8c0fda3d8     01e8c4000020     01e8c4000220     01e8c4001000  0x200 (512)        0x1000 (4096)
Pinned object heap
         segment            begin        allocated        committed allocated size       committed size
    01e8c0fd9e00     01e8c1c00020     01e8c1c04038     01e8c1c11000  0x4018 (16408)      0x11000 (69632)
------------------------------
GC Allocated Heap Size:    Size: 0x2d1f38 (2957112) bytes.
GC Committed Heap Size:    Size: 0x2ef000 (3076096) bytes.
"""
    heap = one(GcHeap, "eeheap -gc", text)
    assert heap.bytes == 2957112


def test_types_with_prefixed_tables_and_the_old_total() -> None:
    text = """\
Statistics:
        MT      Count     TotalSize Class Name
0x79330a00     61,005   315,568,148 System.String
0x000e43e8        244   143,488,500      Free
Total 384,371 objects, Total size: 700,342,112
"""
    heap = one(HeapTypes, "!dumpheap -stat", text)
    assert (heap.free, heap.bytes, heap.whole) == (143488500, 700342112, True)
    assert (heap.items[0].table, heap.items[0].count) == (0x79330A00, 61005)


def test_other_commands_list_a_part_of_the_heap() -> None:
    text = """\
generation 2 has 18928 finalizable objects (0000000002f0->0000000003f0)
Ready for finalization 12047 objects (0000000002f0->0000000003f0)
Statistics for all finalizable objects (including all objects ready for finalization):
      MT    Count    TotalSize Class Name
7910d61c    18928   9000000 Shop.Handle
Total 18928 objects
"""
    assert one(HeapTypes, "!finalizequeue", text).whole is False
    assert one(HeapTypes, "(opening)", f"x\n{text}").whole is False
    stats = "Statistics:\n          MT    Count    TotalSize Class Name\n7f1ab4e11230      412        39552 Shop.C+<Get>d__4\nTotal 412 objects\n"
    assert one(HeapTypes, "dumpasync -stats", stats).whole is False
    tasks = one(AsyncTasks, "dumpasync -stats", stats)
    assert (tasks.count, tasks.items) == (412, ("412 Shop.C+<Get>d__4",))


def test_roots_of_framework_2() -> None:
    text = """\
Note: Roots found on stacks may be false positives. Run "!help gcroot" for
more info.
Scan Thread 0 OSTHread 1380
ESP:12f3d8:Root:01ef2e4c(System.Windows.Forms.Application+ThreadContext)->
01ef1a18(Shop.Cache)->
01ef2000(Shop.Order)
Scan Thread 2 OSTHread 12e4
DOMAIN(0015BF58):HANDLE(Pinned):13c1304:Root:02ee3030(System.Object[])->
01ef1a18(Shop.Cache)->
"""
    roots = one(GcRoots, "!gcroot 01ef2000", text)
    assert [(s.address, s.type) for s in roots.steps] == [
        (0x1EF2E4C, "System.Windows.Forms.Application+ThreadContext"),
        (0x1EF1A18, "Shop.Cache"),
        (0x1EF2000, "Shop.Order"),
    ]
    assert (roots.root, roots.target, roots.cite.first) == ("ESP:12f3d8", 0x1EF2000, 4)


def test_roots_that_name_a_static_variable() -> None:
    text = """\
HandleTable:
    00007f1b2a9913e8 (strong handle)
          -> 7f1ab6c00020     System.Object[]
          -> 7f1ab6c12f48     System.Collections.Generic.List<Shop.Order> (static variable: Shop.Cache.All)
          -> 7f1ab4e11230     Shop.Order

Thread 7d40:
    7ffd2a5b 7f1b0c11 Shop.Program.Main(System.String[])
          -> 7f1ab4e11230     Shop.Order

Found 2 unique roots.
"""
    roots = one(GcRoots, "gcroot 7f1ab4e11230", text)
    assert [s.static for s in roots.steps] == [None, "Shop.Cache.All", None]
    assert roots.steps[1].type == "System.Collections.Generic.List<Shop.Order>"
    assert len(roots.steps) == 3


def test_objects_in_registers() -> None:
    text = "OS Thread Id: 0x1380 (0)\nRSP/REG          Object           Name\n000000000012E6A8 0000000002b41e3c System.Object\nrbx              0000000002b41e44 Shop.Order\n"
    found = one(StackObjects, "!dso", text)
    assert [(o.slot, o.type) for o in found.items] == [
        (0x12E6A8, "System.Object"), (None, "Shop.Order"),
    ]  # fmt: skip


def test_pools_of_framework_2_and_of_portable_threads() -> None:
    old = one(
        PoolState,
        "!threadpool",
        "CPU utilization 81%\nWorker Thread: Total: 25 Running: 25 Idle: 0 MaxLimit: 25 MinLimit: 4\nWork Request in Queue: 42\n",
    )
    assert (old.cpu, old.queued, old.maximum) == (81, 42, 25)
    new = one(
        PoolState,
        "threadpool",
        "Portable thread pool\nCPU utilization:  97%\nWorkers Total:    24\nWorkers Running:  24\nWorkers Idle:     0\nWorker Min Limit: 8\nWorker Max Limit: 32767\n",
    )
    assert (new.cpu, new.running, new.idle) == (97, 24, 0)
