"""What SOS prints, in its own words: lldb, dotnet-dump and WinDbg, .NET Framework to .NET 8."""

from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from workbench.model.facts import (
    AsyncTasks,
    FinalizerQueue,
    GcHeap,
    GcRoots,
    HeapTypes,
    ManagedException,
    ManagedThreads,
    Monitors,
    PoolState,
    Stack,
    StackObjects,
    Threads,
)
from workbench.model.facts.base import Fact

_F = TypeVar("_F", bound=Fact)


def read(kind: type[_F], command: str, text: str, host: str = "dotnet-dump") -> list[_F]:
    """The facts of one kind that an output states."""
    facts = analyze(Document("E1", command, host, text)).facts
    return [fact for fact in facts if isinstance(fact, kind)]


FRAMEWORK_THREADS = """\
ThreadCount: 3
UnstartedThread: 0
BackgroundThread: 1
PendingThread: 0
DeadThread: 1
Hosted Runtime: no
                                      PreEmptive   GC Alloc           Lock
       ID OSID ThreadOBJ    State     GC       Context       Domain   Count APT Exception
   0    1  a10 00210fd0   200a020 Enabled  00000000:00000000 0015c100     2 MTA
   2    2 2c40 00192480      b220 Enabled  00000000:00000000 0015c100     0 MTA (Finalizer)
XXXX    5      0 002a1210   1019820 Disabled 00000000:00000000 0015c100     0 Ukn (Threadpool Worker) System.IO.IOException (00a9b2c8) (nested exceptions)
"""  # noqa: E501


def test_threads_of_the_framework() -> None:
    (threads,) = read(ManagedThreads, "!threads", FRAMEWORK_THREADS)
    first, second, third = threads.items
    assert (first.number, first.thread, first.object, first.locks) == (0, 0xA10, 0x210FD0, 2)
    assert second.role == "finalizer"
    assert (third.number, third.role, third.exception) == (
        None,
        "pool-worker",
        "System.IO.IOException",
    )
    assert third.exception_address == 0xA9B2C8
    assert first.line == 9


def test_native_threads_of_dotnet_dump() -> None:
    (threads,) = read(Threads, "threads", "> threads\n*0 0x1DBFF (121855)\n 1 0x1DC01 (121857)\n")
    assert [(t.number, t.thread, t.current) for t in threads.items] == [
        (0, 121855, True),
        (1, 121857, False),
    ]


STACK = """\
OS Thread Id: 0x1dc1d (20)
        Child SP               IP Call Site
00007F2B862B9610 00007f305abc6360 [GCFrame: 00007f2b862b9610]
00007F2B862B9760 00007f305abc6360 [HelperMethodFrame_1OBJ: 00007f2b862b9760] System.Threading.Monitor.Enter(System.Object)
00007F2B862B98B0 00007F2FE392A9E5 Shop.Orders.Lock(System.Object) [/home/me/shop/orders.cs @ 57]
    PARAMETERS:
        this (0x00007F2B862B9900) = 0x00007f2e90080fb8
        other = <no data>
    LOCALS:
        0x00007F2B862B98C0 = 0x00007f2e90080fd0
        <CLR reg> = 0x0000000000000001

00007F2B862B9910 00007F2FE02B7BA2 System.Threading.Tasks.Task`1[[System.Int32, mscorlib]].InnerInvoke()
"""  # noqa: E501


def test_stack_with_locals() -> None:
    (stack,) = read(Stack, "clrstack -a", STACK)
    assert (stack.thread, stack.number, stack.managed, stack.current) == (0x1DC1D, 20, True, True)
    assert [f.function for f in stack.frames] == [
        "System.Threading.Monitor.Enter",
        "Shop.Orders.Lock",
        "System.Threading.Tasks.Task`1[[System.Int32, mscorlib]].InnerInvoke",
    ]
    frame = stack.frames[1]
    assert (frame.file, frame.line, frame.line_no) == ("/home/me/shop/orders.cs", 57, 5)
    (objects,) = read(StackObjects, "clrstack -a", STACK)
    assert [(o.address, o.slot, o.frame) for o in objects.items] == [
        (0x7F2E90080FB8, 0x7F2B862B9900, 1),
        (0x7F2E90080FD0, 0x7F2B862B98C0, 1),
    ]


def test_stack_of_the_framework() -> None:
    text = (
        "0:005> ~5e !clrstack\nOS Thread Id: 0xd40 (5)\nESP       EIP     \n"
        "022cf588 7c90eb94 [HelperMethodFrame_1OBJ: 022cf588] System.Threading.Monitor.Enter(...)\n"
        "022cf660 00cb0250 DeadlockApp.Worker.Run()\n"
    )
    (stack,) = read(Stack, "~5e !clrstack", text)
    assert stack.frames[1].function == "DeadlockApp.Worker.Run"
    assert stack.thread == 0xD40


def test_native_stacks_are_none_of_ours() -> None:
    text = "Child-SP          RetAddr           Call Site\n" \
           "00000000`1b9fea28 000007f8`0e6b11f2 ntdll!NtDelayExecution+0xa\n"  # fmt: skip
    assert read(Stack, "k", text) == []


EXCEPTION = """\
Exception object: 00007fbbf802d128
Exception type:   Shop.OrderException
Message:          order 17 cannot be read
 in the second line of it
InnerException:   System.FormatException, Use printexception 00007FBBF802A128 to see more.
StackTrace (generated):
    SP               IP               Function
    00007FFF27C8C480 00007FBC20CA1798 shop.dll!Shop.Orders.Load(System.String)+0xb8 [C:\\src\\orders.cs @ 12]

StackTraceString: <none>
HResult: 80131500
There are nested exceptions on this thread. Run with -nested for details

Nested exception -------------------------------------------------------------
Exception object: 00007fbbf802a128
Exception type:   System.FormatException
Message:          Input string was not in a correct format.
InnerException:   <none>
StackTrace (generated):
    <none>
StackTraceString: <none>
HResult: 80131537
"""  # noqa: E501


def test_exception_with_an_inner_one() -> None:
    (found,) = read(ManagedException, "pe -nested", EXCEPTION)
    assert (found.type, found.hresult) == ("Shop.OrderException", 0x80131500)
    assert found.message == "order 17 cannot be read\nin the second line of it"
    (inner,) = found.inner
    assert (inner.type, inner.hresult) == ("System.FormatException", 0x80131537)
    assert inner.message == "Input string was not in a correct format."
    (frame,) = found.frames
    assert (frame.function, frame.module, frame.line) == ("Shop.Orders.Load", "shop.dll", 12)


SYNC = """\
Index         SyncBlock MonitorHeld Recursion Owning Thread Info          SyncBlock Owner
   41 000000000143D038          603         1 00007F2B542D28C0 1dc1d  20   00007f2e90080fb8 System.Object
   43 000000000143D0c8            2         0 0000000000000000     none    00007f2e90080fe8 Shop.Cart
-----------------------------
Total           264
Free            0
"""  # noqa: E501


def test_held_monitors() -> None:
    (monitors,) = read(Monitors, "syncblk", SYNC)
    first, second = monitors.items
    assert (first.owner, first.object, first.waiters) == (0x1DC1D, 0x7F2E90080FB8, 301)
    assert (second.owner, second.waiters, second.type) == (None, 1, "Shop.Cart")


def test_no_monitor_is_held() -> None:
    (monitors,) = read(Monitors, "syncblk", SYNC.split("\n")[0] + "\n---\nTotal 3\n")
    assert monitors.items == ()


@pytest.mark.parametrize(
    "text",
    [
        "CPU utilization: 1%\nWorker Thread: Total: 12 Running: 12 Idle: 0 MaxLimit: 32767 "
        "MinLimit: 4\nWork Request in Queue: 37\n",
        "Using the Portable thread pool.\n\nCPU utilization:  1%\nWorkers Total:    12\n"
        "Workers Running:  12\nWorkers Idle:     0\nWorker Min Limit: 4\n"
        "Worker Max Limit: 32767\n\nWork Request in Queue: 37\n",
    ],
)
def test_pool_of_every_version(text: str) -> None:
    (pool,) = read(PoolState, "threadpool", text)
    assert (pool.total, pool.running, pool.idle, pool.minimum) == (12, 12, 0, 4)
    assert (pool.maximum, pool.queued, pool.cpu) == (32767, 37, 1)


def test_heap_types_with_groups_of_digits() -> None:
    text = (
        "Statistics:\n          MT  Count   TotalSize Class Name\n"
        "7f55b7cd0c00      1          24 System.SharedStatics\n"
        "558bdc9a3000     12       4,096 Free\n"
        "7f55b7cf1230 90,003 186,488,460 System.Byte[]\n"
        "Total 90,016 objects, 186,492,580 bytes\n"
    )
    (heap,) = read(HeapTypes, "dumpheap -stat", text)
    assert heap.items[0].name == "System.Byte[]"
    assert (heap.items[0].count, heap.items[0].bytes) == (90003, 186488460)
    assert (heap.free, heap.bytes, heap.objects, heap.whole) == (4096, 186492580, 90016, True)
    (some,) = read(HeapTypes, "dumpheap -stat -type Byte", text)
    assert not some.whole


def test_gc_heap_with_large_objects() -> None:
    text = (
        "Number of GC Heaps: 1\nLarge object heap\n"
        "         segment            begin        allocated        committed allocated size "
        "committed size\n"
        "    7f1c5c000000     7f1c5c000028     7f1c5c0244b8     7f1c5c025000 0x24490 (148624)"
        "       0x25000 (151552)\n------------------------------\n"
        "GC Allocated Heap Size:    Size: 0x1272120 (19341600) bytes.\n"
        "GC Committed Heap Size:    Size: 0x1300000 (19922944) bytes.\n"
    )
    (heap,) = read(GcHeap, "eeheap -gc", text)
    assert heap.bytes == 19341600


def test_finalizer_queue_of_several_heaps() -> None:
    text = (
        "SyncBlocks to be cleaned up: 0\nHeap 0\n"
        "generation 0 has 4 objects (15bc90->15bca0)\n"
        "Ready for finalization 1,500 objects (15bca0->15bca0)\n------\nHeap 1\n"
        "generation 0 has 2 finalizable objects (0015bc90->0015bca0)\n"
        "Ready for finalization 7 objects (0015bca0->0015bca0)\n"
    )
    (queue,) = read(FinalizerQueue, "finalizequeue", text)
    assert (queue.ready, queue.ready_line) == (1507, 4)


def test_roots_and_tasks() -> None:
    text = (
        "HandleTable:\n    00007fb9a0001000 (strong handle)\n"
        "          -> 7fb969c682b8     System.Object[] \n"
        "          -> 7fb969234698     System.Collections.Generic.List<Subscriber> "
        "(static variable: Program.Cache)\n"
        "          -> 7fb969234608     Subscriber \n\nFound 1 unique roots.\n"
    )
    (roots,) = read(GcRoots, "gcroot 7fb969234608", text)
    assert roots.target == 0x7FB969234608
    assert [step.line for step in roots.steps] == [3, 4, 5]
    assert roots.root.endswith("(strong handle)")
    text = (
        "STACK 1\n00007f1c5c000028 00007f1c5c0244b8 (0) Shop.Orders+<LoadAsync>d__1\n"
        ".00007f1c5c000128 00007f1c5c0244b8 (2) Shop.Program+<Main>d__0\n"
    )
    (tasks,) = read(AsyncTasks, "dumpasync", text)
    assert (tasks.count, tasks.items) == (1, ("Shop.Orders+<LoadAsync>d__1 (0)",))


def test_objects_on_a_stack() -> None:
    text = (
        "OS Thread Id: 0x7c4 (6)\nRSP/REG          Object           Name\n"
        "rbx              00007f9acc029eb0 Account\n"
        "00007F9ACB7FE5A0 00007f9acc029eb0 System.String    some text\n"
    )
    (found,) = read(StackObjects, "sos DumpStackObjects", text, "lldb")
    assert [(o.slot, o.type) for o in found.items] == [
        (None, "Account"),
        (0x7F9ACB7FE5A0, "System.String"),
    ]


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([*(FRAMEWORK_THREADS + STACK + EXCEPTION + SYNC).split("\n")]) | st.text(),
        max_size=40,
    ),
    st.sampled_from(["clrstack -all", "pe", "!dumpheap -stat", "gcroot 0", "(opening)", ""]),
    st.sampled_from(["dotnet-dump", "lldb", "cdb"]),
)
def test_no_text_breaks_a_reader(lines: list[str], command: str, host: str) -> None:
    text = "\n".join(lines)
    count = text.count("\n") + 1
    for fact in analyze(Document("E1", command, host, text)).facts:
        assert fact.cite.last <= count
