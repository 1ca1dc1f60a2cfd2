"""The .NET experts for what a process uses up: workers, memory, processors."""

from tests.analyzers.test_managed_patterns import Log, stack
from workbench.model.hypothesis import Status

POOL = """\
CPU utilization: {cpu}%
Worker Thread: Total: 4 Running: 4 Idle: 0 MaxLimit: 4 MinLimit: 4
Work Request in Queue: {queued}
"""
DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch()"
HEAD = "Statistics:\n              MT    Count    TotalSize Class Name\n"


def heap(**types: tuple[int, int]) -> str:
    rows = [f"00007f1ab4e1{n:04x} {count:8d} {size:12d} {name.replace('_', '.')}"
            for n, (name, (count, size)) in enumerate(types.items())]  # fmt: skip
    total = sum(count for count, _ in types.values())
    return HEAD + "\n".join(rows) + f"\nTotal {total} objects\n"


def said(log: Log, category: str) -> str:
    return " ".join(claim.text for claim in log.verdict(category).claims)


def test_workers_that_all_wait_for_a_database() -> None:
    frames = ("System.Threading.WaitHandle.WaitOne(Int32)", "Shop.Db.Open()", DISPATCH)
    log = Log().add("threadpool", POOL.format(cpu=3, queued=42))
    log.add("clrstack -all", "".join(stack(0x1000 + n, *frames, number=n) for n in range(4)))
    verdict = log.verdict("thread-starvation")
    assert (verdict.status, verdict.frame and verdict.frame.function) == (
        Status.CONFIRMED, "Shop.Db.Open",
    )  # fmt: skip
    assert "There are 4 threads in `Shop.Db.Open`." in said(log, "thread-starvation")


def test_a_pool_with_room_is_not_starved() -> None:
    frames = ("System.Threading.WaitHandle.WaitOne(Int32)", "Shop.Db.Open()", DISPATCH)
    log = Log().add("threadpool", POOL.format(cpu=3, queued=0).replace("Idle: 0", "Idle: 2"))
    log.add("clrstack -all", "".join(stack(0x1000 + n, *frames, number=n) for n in range(2)))
    assert "thread-starvation" not in log.proposed()


def test_workers_of_a_host_count_by_the_runtime_s_list() -> None:
    rows = "".join(
        f"   {n}    {n}   10{n:02x} 000001F4A2B3C0{n:02X}  1029220 Preemptive  "
        f"0000000000000000:0000000000000000 000001f4a2000000 0     MTA (Threadpool Worker)\n"
        for n in range(4)
    )
    frames = ("System.Threading.Tasks.Task.Wait(Int32)", "Shop.Page.OnLoad()")
    log = Log().add("clrthreads", " DBG   ID     OSID ThreadOBJ    State GC Mode\n" + rows)
    log.add("clrstack -all", "".join(stack(0x1000 + n, *frames, number=n) for n in range(4)))
    assert log.verdict("thread-starvation").status is Status.CONFIRMED


def test_the_static_variable_that_keeps_them() -> None:
    log = Log().add("dumpheap -stat", heap(Shop_Order=(400000, 40 << 20)))
    log.add("gcroot 7f1ab4e11230", "HandleTable:\n    00007f1b2a9913e8 (strong handle)\n"
            "          -> 7f1ab6c12f48     Shop.Cache (static variable: Shop.Cache.All)\n"
            "          -> 7f1ab4e11230     Shop.Order\n\nFound 1 unique roots.\n")  # fmt: skip
    assert "The static variable `Shop.Cache.All` keeps one of them." in said(log, "memory-leak")


def test_busy_processors_and_code_that_runs() -> None:
    log = Log().add("threadpool", POOL.format(cpu=97, queued=0).replace("Idle: 0", "Idle: 1"))
    log.add("clrstack -all", stack(0x1001, "Shop.Parser.Scan() [/src/parser.cs @ 88]", DISPATCH))
    verdict = log.verdict("high-cpu")
    assert verdict.status is Status.CONFIRMED
    assert "Frame 0 of thread 0x1001 is `Shop.Parser.Scan` at `parser.cs:88`." in said(
        log, "high-cpu"
    )
    collects = Log().add("threadpool", POOL.format(cpu=81, queued=0))  # while a collection runs
    assert "high-cpu" not in collects.proposed()
    idle = Log().add("threadpool", POOL.format(cpu=97, queued=0))
    assert idle.verdict("high-cpu").status is Status.INCONCLUSIVE
