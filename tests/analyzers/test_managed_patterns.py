"""The .NET experts, on what SOS and the runtime itself print."""

# ruff: noqa: E501 - lines as SOS prints them

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.patterns import causes
from analyzers.patterns.base import Pattern
from analyzers.patterns.waitgraph import WaitGraph
from analyzers.registry import analyze
from tests.claims.holding import unproved
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Rung, Status, Verdict

ENTER = "[HelperMethodFrame_1OBJ: 00007f2b862b9760] System.Threading.Monitor.Enter(System.Object)"


class Log:
    """Outputs of one host, read into facts."""

    def __init__(self, host: str = "dotnet-dump") -> None:
        self.host = host
        self.texts: dict[str, str] = {}
        self.facts = FactBook()

    def add(self, command: str, text: str) -> "Log":
        identifier = f"E{len(self.texts) + 1}"
        self.texts[identifier] = text
        self.facts.add(analyze(Document(identifier, command, self.host, text)).facts)
        return self

    def verdict(self, category: str) -> Verdict:
        """The verdict of the expert that proposes the cause; every claim of it holds."""
        found = self.experts(category)
        assert found, f"nobody proposes {category}"
        verdict = found[0].evaluate(self.facts)
        assert not unproved(verdict.claims, self.facts, self.texts)
        return verdict

    def experts(self, category: str) -> list[Pattern]:
        return [
            p
            for p in causes("managed")
            if p.category is Category(category) and p.propose(self.facts)
        ]

    def proposed(self) -> set[str]:
        return {p.category.value for p in causes("managed") if p.propose(self.facts)}


def stack(thread: int, *frames: str, number: int = 0) -> str:
    rows = [f"OS Thread Id: {thread:#x} ({number})", "        Child SP               IP Call Site"]
    rows += [f"00007F2B862B{9000 + 16 * n:04X} 00007F2FE392A9E5 {f}" for n, f in enumerate(frames)]
    return "\n".join(rows) + "\n"


def blocks(*rows: tuple[int, int, int, str]) -> str:
    """``syncblk``: MonitorHeld, owner, object, type."""
    head = (
        "Index         SyncBlock MonitorHeld Recursion Owning Thread Info          SyncBlock Owner"
    )
    body = [
        f"{n:5d} 000000000143D038  {held:11d}         1 00007F2B542D28C0 {owner:x}  20   {obj:016x} {kind}"
        for n, (held, owner, obj, kind) in enumerate(rows, 41)
    ]
    return "\n".join([head, *body, "-----------------------------", "Total           264", ""])


def test_a_ring_of_two_by_exclusion() -> None:
    log = Log().add("syncblk", blocks((603, 0x1DC1D, 0x7F2E90080FB8, "System.Object"),
                                      (3, 0x1DC1E, 0x7F2E90080FD0, "Shop.Cart")))  # fmt: skip
    log.add("clrstack -all", stack(0x1DC1D, ENTER, "Shop.A.One() [/src/a.cs @ 7]")
            + stack(0x1DC1E, ENTER, "Shop.B.Two() [/src/b.cs @ 9]"))  # fmt: skip
    verdict = log.verdict("deadlock")
    assert (verdict.status, verdict.rung) == (Status.CONFIRMED, Rung.STRUCTURE)
    said = " ".join(claim.text for claim in verdict.claims)
    for words in ("`Shop.A.One` at `a.cs:7` waits for a monitor in a cycle",
                  "Thread 0x1dc1d waits for a monitor at 0x7f2e90080fd0, which thread 0x1dc1e holds",
                  "0x7f2e90080fd0 is `Shop.Cart`"):  # fmt: skip
        assert words in said
    assert "object at 0x7f2e90080fb8 has MonitorHeld 603" in said
    (cycle,) = WaitGraph(log.facts).cycles
    assert cycle.threads == (0x1DC1D, 0x1DC1E)
    assert cycle.locks == (0x7F2E90080FD0, 0x7F2E90080FB8)


def test_a_ring_of_three_needs_the_objects() -> None:
    """With three contended monitors nothing is left out but one's own: locals decide."""
    objects = (0x7F2E90080F00, 0x7F2E90080F18, 0x7F2E90080F30)
    rows = [(3, 0x1DC10 + n, obj, "Lock") for n, obj in enumerate(objects)]
    plain = "".join(stack(0x1DC10 + n, ENTER, f"Shop.F{n}.Go()") for n in range(3))
    log = Log().add("syncblk", blocks(*rows)).add("clrstack -all", plain)
    verdict = log.verdict("deadlock")
    assert verdict.status is Status.CONFIRMED
    assert "as does every thread whose monitor is waited for" in verdict.claims[0].text
    assert verdict.missing
    one_works = (
        Log().add("syncblk", blocks(*rows)).add("clrstack -all", plain.replace(ENTER, "A.B()", 1))
    )
    assert one_works.verdict("deadlock").status is Status.INCONCLUSIVE
    local = "    LOCALS:\n        0x00007F2B862B9020 = {:#018x}\n        0x00007F2B862B9028 = {:#018x}\n"
    with_locals = "".join(
        stack(0x1DC10 + n, ENTER, f"Shop.F{n}.Go()").rstrip()
        + "\n" + local.format(objects[n], objects[(n + 1) % 3])
        for n in range(3)
    )  # fmt: skip
    log.add("clrstack -all -a", with_locals)
    verdict = log.verdict("deadlock")
    (cycle,) = WaitGraph(log.facts).cycles
    assert set(cycle.threads) == {0x1DC10, 0x1DC11, 0x1DC12}
    assert verdict.confidence > 0.7


def test_one_thread_that_works_under_a_lock_is_no_deadlock() -> None:
    log = Log().add("syncblk", blocks((5, 0x1DC1D, 0x7F2E90080FB8, "System.Object")))
    log.add("clrstack -all", stack(0x1DC1D, "System.Net.Sockets.Socket.Receive(Byte[])", "A.Get()")
            + stack(0x1DC1E, ENTER, "A.Get()") + stack(0x1DC1F, ENTER, "A.Get()"))  # fmt: skip
    verdict = log.verdict("deadlock")
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.missing == ("what the holder of the monitor is waiting for",)


def test_owners_are_known_by_the_count_of_locks_alone() -> None:
    head = (
        "       ID OSID ThreadOBJ           State GC Mode     GC Alloc Context  Domain  Count Apt"
    )
    row = "   {n}    {n}  {t:x} 000000003D96F3{n}0  2020020 Preemptive  0:0 000000003D96AF60 {c}     Ukn \n"
    rows = "".join(row.format(n=n, t=0x1DC10 + n, c=count) for n, count in enumerate((0, 1, 1)))
    log = Log("lldb").add("clrthreads", f"{head}\n{rows}")
    log.add("clrstack -all", stack(0x1DC10, "A.Main()") + stack(0x1DC11, ENTER, "A.One()")
            + stack(0x1DC12, ENTER, "A.Two()"))  # fmt: skip
    verdict = log.verdict("deadlock")
    assert verdict.status is Status.CONFIRMED
    assert verdict.confidence <= 0.8
    assert verdict.missing


TASK = "System.Threading.Tasks.Task`1[[System.Int32, mscorlib]].GetResultCore(Boolean)"
DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch()"
POOL = (
    "CPU utilization: 3%\nWorker Thread: Total: {t} Running: {t} Idle: {i} MaxLimit: 32767 "
    "MinLimit: 4\nWork Request in Queue: {q}\n"
)


def workers(count: int, *top: str) -> str:
    return "".join(
        stack(0x1DC10 + n, *top, "Shop.Web.Handle(Int32)", DISPATCH) for n in range(count)
    )


def test_a_starved_pool_is_surer_with_its_own_numbers() -> None:
    log = Log().add("clrstack -all", workers(6, TASK))
    alone = log.verdict("thread-starvation")
    assert (alone.status, alone.rung) == (Status.CONFIRMED, Rung.STACK)
    assert alone.confidence <= 0.75
    assert alone.frame is not None
    assert alone.frame.function == "Shop.Web.Handle"
    log.add("threadpool", POOL.format(t=6, i=0, q=37))
    measured = log.verdict("thread-starvation")
    assert measured.rung is Rung.STRUCTURE
    assert measured.confidence > alone.confidence
    assert "There are 37 work items that wait in the thread pool's queue." in [
        claim.text for claim in measured.claims
    ]


def test_a_pool_with_free_workers_is_not_starved() -> None:
    idle = "System.Threading.LowLevelLifoSemaphore.WaitForSignal(Int32)"
    worker = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart()"
    log = Log().add("clrstack -all", workers(2, TASK) + stack(0x1DD00, idle, worker))
    assert log.verdict("thread-starvation").status is Status.INCONCLUSIVE


def test_workers_that_wait_for_a_monitor_are_no_starvation() -> None:
    log = Log().add("clrstack -all", workers(6, ENTER))
    assert "thread-starvation" not in log.proposed()


HEAP = (
    "Statistics:\n          MT    Count    TotalSize Class Name\n"
    "00007fb969c806c0      179        48234 System.String\n"
    "00007fb969234608    {count}     {size} {kind}\nTotal {all} objects\n"
)


def test_a_heap_that_one_type_fills() -> None:
    text = HEAP.format(count=90000, size=21600000, kind="Shop.Order", all=90179)
    verdict = Log().add("dumpheap -stat", text).verdict("memory-leak")
    assert verdict.status is Status.CONFIRMED
    assert verdict.confidence <= 0.65
    assert verdict.missing == ("a second dump, to see which types grow",)


def test_numbers_in_groups_of_digits_are_the_same_numbers() -> None:
    text = HEAP.format(count="90,000", size="21,600,000", kind="Shop.Order", all="90,179")
    claim = Log().add("dumpheap -stat", text).verdict("memory-leak").claims[1]
    assert "90000 objects of `Shop.Order` take 21600000 bytes" in claim.text


@pytest.mark.parametrize(("count", "size"), [(3, 21600000), (90000, 49000)])
def test_a_few_large_arrays_or_a_small_heap_are_no_leak(count: int, size: int) -> None:
    text = HEAP.format(count=count, size=size, kind="Shop.Order", all=count)
    assert "memory-leak" not in Log().add("dumpheap -stat", text).proposed()


CONSOLE = """\
Unhandled exception. Shop.OrderException: order 17 cannot be read
 ---> System.FormatException: The input string 'seventeen' was not in a correct format.
   at System.Int32.Parse(String s)
   at Shop.Orders.Parse(String text) in /src/shop/Orders.cs:line 14
   --- End of inner exception stack trace ---
   at Shop.Orders.Load(String text) in /src/shop/Orders.cs:line 20
   at Shop.Program.Main(String[] args) in /src/shop/Program.cs:line 8
"""


def test_what_the_runtime_prints_of_an_uncaught_exception() -> None:
    verdict = Log("dotnet").add("(opening)", CONSOLE).verdict("uncaught-exception")
    assert verdict.status is Status.CONFIRMED
    assert verdict.claims[0].text.startswith("`Shop.Orders.Load` at `Orders.cs:20` threw")
    assert "`Shop.OrderException` wraps it" in verdict.claims[2].text


@pytest.mark.parametrize(
    ("kind", "message", "category"),
    [
        ("System.MissingMethodException", "Method not found: 'Void A.B()'.", "missing-method"),
        ("System.IO.FileLoadException", "The located assembly's manifest", "version-mismatch"),
        ("System.DllNotFoundException", "Unable to load shared library", "library-load-failure"),
        ("System.OutOfMemoryException", "Array dimensions exceeded", "out-of-memory"),
        ("System.DivideByZeroException", "Attempted to divide by zero.", "divide-by-zero"),
        ("System.InvalidOperationException", "Sequence contains no", "uncaught-exception"),
    ],
)
def test_an_exceptions_type_may_stand_for_a_narrower_cause(
    kind: str, message: str, category: str
) -> None:
    log = Log("dotnet")
    log.add("(opening)", f"Unhandled exception. {kind}: {message}\n   at A.Main(String[] a)\n")
    assert log.proposed() == {category}
    assert log.verdict(category).status is Status.CONFIRMED


def test_the_innermost_exception_tells_the_cause_of_its_wrapper() -> None:
    text = (
        "Unhandled exception. System.TypeInitializationException: The type initializer for 'A' "
        "threw an exception.\n ---> System.DllNotFoundException: Unable to load shared library "
        "'sqlite3'\n   at A..cctor()\n   --- End of inner exception stack trace ---\n"
        "   at A.Main(String[] a)\n"
    )
    assert Log("dotnet").add("(opening)", text).proposed() == {"library-load-failure"}


def test_a_finalizer_that_waits() -> None:
    head = (
        "       ID OSID ThreadOBJ           State GC Mode     GC Alloc Context  Domain  Count Apt"
    )
    row = "   2    2  1dc12 000000003D96F310  21220 Preemptive  0:0 000000003D96AF60 0     Ukn (Finalizer)"
    log = Log("lldb").add("clrthreads", f"{head}\n{row}\n")
    log.add("clrstack -all", stack(0x1DC12, ENTER, "Shop.Connection.Finalize()"))
    verdict = log.verdict("finalizer-blockage")
    assert verdict.status is Status.CONFIRMED
    log.add(
        "finalizequeue",
        "generation 0 has 4 objects (1->2)\nReady for finalization 1,500 objects (1->2)\n",
    )
    assert log.verdict("finalizer-blockage").confidence >= verdict.confidence


def test_recursion_that_sos_cannot_walk() -> None:
    head = (
        "       ID OSID ThreadOBJ           State GC Mode     GC Alloc Context  Domain  Count Apt"
    )
    row = "   1    1  1dc12 000000003D96F310  20020 Cooperative  0:0 000000003D96AF60 0     Ukn"
    rows = ["* thread #1: tid = 121874, name = 'dotnet', stop reason = signal SIGABRT"]
    rows += ["  * frame #0: 0x00007f59d48a8eec libc.so.6`__GI_abort at abort.c:79"]
    rows += [
        "    frame #1: 0x00007f59531ec2b2 libclrjit.so`sigsegv_handler(int, siginfo_t*, void*)"
    ]
    rows += [f"    frame #{n}: 0x00007f595a6c170a" for n in range(2, 60)]
    log = Log("lldb").add("clrthreads", f"{head}\n{row}\n")
    log.add("thread backtrace --count 64", "\n".join(rows) + "\n")
    nameless = log.verdict("stack-overflow")
    assert "The code at 0x7f595a6c170a calls itself" in nameless.claims[0].text
    (expert,) = [p for p in causes("managed") if p.category is Category.STACK_OVERFLOW]
    (ask,) = expert.followup(log.facts)
    spelt = ask.spelt("lldb")
    assert spelt is not None
    log.add(
        spelt.text, "MethodDesc:   00007f5959a544d8\nMethod Name:          Program.Depth(Node)\n"
    )
    verdict = log.verdict("stack-overflow")
    assert verdict.claims[1].text == "0x7f595a6c170a is `Program.Depth`."
    assert verdict.frame is not None
    assert verdict.frame.function == "Program.Depth"
    assert expert.followup(log.facts) == ()


def test_a_managed_stack_that_one_method_fills() -> None:
    log = Log().add("clrstack", stack(0x1DC12, *["Program.Depth(Node)"] * 500, "Program.Main()"))
    assert log.verdict("stack-overflow").status is Status.CONFIRMED


PIECES = [
    stack(0x1DC1D, ENTER, "A.One()"), stack(0x1DC1E, TASK, "A.Two()", DISPATCH), CONSOLE,
    blocks((603, 0x1DC1D, 0x10, "T"), (3, 0x1DC1E, 0x20, "U")), POOL.format(t=2, i=0, q=1),
    HEAP.format(count=90000, size=21600000, kind="Shop.Order", all=1),
]  # fmt: skip


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=80), max_size=6),
    st.sampled_from(["dotnet-dump", "lldb", "cdb", "dotnet"]),
    st.integers(0, 400),
)
def test_no_text_breaks_an_expert_and_every_claim_holds(
    pieces: list[str], host: str, cut: int
) -> None:
    log = Log(host)
    for piece in pieces:
        log.add("clrstack -all", piece[cut % (len(piece) + 1) :] if cut % 3 else piece)
    for pattern in causes("managed"):
        pattern.followup(log.facts)
        pattern.evaluate(log.facts)
        if pattern.propose(log.facts) is not None:
            log.verdict(pattern.category.value)
