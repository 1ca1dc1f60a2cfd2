"""What the experts conclude from WinDbg's text, and that every word of it stands in cited lines."""

import re

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.analyzers.windbg_texts import (
    ANALYZE,
    BUGCHECK,
    FREED_ACCESS,
    LOCKS,
    MANAGED,
    OLD_ANALYZE,
    PAGE_HEAP,
    RPC,
    STACKS,
    VERIFIER,
)
from tests.claims.holding import unproved
from workbench.agents import experts
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Status, Verdict


def conclude(*texts: str) -> tuple[Category, Verdict] | None:
    """The surest confirmed cause of a log in sections; its claims are held to their lines."""
    facts, stored = FactBook(), {}
    for number, text in enumerate(texts, 1):
        name = f"E{number}"
        stored[name] = text
        facts.add(analyze(Document(name, "(opening)", "cdb", text)).facts)
    proposals, failed = experts.proposals(facts, set())
    assert failed == []
    for proposal in proposals:
        verdict = experts.verdict(proposal.category, facts)
        assert not unproved(verdict.claims, facts, stored)
        if verdict.status is Status.CONFIRMED:
            return proposal.category, verdict
    return None


def event(name: str, code: str, place: str, instruction: str, registers: str = "") -> str:
    """A stop in a live debugger, with the stack below it."""
    return (
        f"(1a2c.2b40): {name} - code {code} (!!! second chance !!!)\n{registers}"
        f"{place}:\n00361044 {instruction}\n0:000> kb\nChildEBP RetAddr  Args to Child\n"
        f"0012fb80 003610b0 00000001 00000002 00000003 {place} [d:\\src\\app\\work.cpp @ 77]\n"
        "0012fba0 00361200 00000001 00000002 00000003 app!main+0x30 [d:\\src\\app\\main.cpp @ 12]\n"
    )


def block(name: str, value: str, ip: str = "00361044") -> str:
    names = ("eax", "ebx", "ecx", "edx", "esi", "edi")
    shown = dict.fromkeys(names, "00000000") | {name: value}
    return (
        " ".join(f"{one}={shown[one]}" for one in names)
        + f"\neip={ip} esp=0012fb5c ebp=0012fb80 iopl=0         nv up ei pl zr na po nc\n"
    )


CASES: dict[str, tuple[tuple[str, ...], Category, tuple[str, ...]]] = {
    "null read": ((ANALYZE,), Category.NULL_POINTER_DEREFERENCE,
                  ("`Basket::total` at `basket.cpp:41`", "0x30", "0x7ff6a1b21064")),
    "null write": ((OLD_ANALYZE,), Category.NULL_POINTER_DEREFERENCE,
                   ("`set_limit` at `limits.cpp:12`", "writes to 0x10")),
    "deadlock": ((LOCKS,), Category.DEADLOCK,
                 ("cycle of threads", "0x1f08", "0x2c10", "`app!g_orders`", "`app!g_stock`")),
    "verifier stop": ((VERIFIER,), Category.HEAP_BUFFER_OVERFLOW,
                      ("`close_page` at `page.c:90`", "of 56 bytes", '"corrupted suffix pattern"')),
    "page heap": ((FREED_ACCESS, PAGE_HEAP), Category.USE_AFTER_FREE,
                  ("`Cache::get` at `cache.cpp:77`", "free-ed allocation")),
    "bug check": ((BUGCHECK,), Category.NULL_POINTER_DEREFERENCE,
                  ("0xd1 (`DRIVER_IRQL_NOT_LESS_OR_EQUAL`)", "wrote to 0x10 at IRQL 2",
                   "`RatsDpc` at `dpc.c:101`")),
    "managed": ((MANAGED,), Category.UNCAUGHT_EXCEPTION,
                ("`System.AggregateException`", "One or more errors occurred.")),
    "rpc": ((RPC,), Category.BLOCKED_ON_IO,
            ("thread 1 is `fetch_rates`", "remote call", '"1120"', "0x1a4")),
    "division": ((event("Integer divide-by-zero", "c0000094", "app!rate+0x14",
                        "f7f9            idiv    eax,ecx", block("eax", "00000007")),),
                 Category.DIVIDE_BY_ZERO, ("`rate` at `work.cpp:77`", "0xc0000094", "0x2b40")),
    "overflow": ((event("Integer overflow", "c0000095", "app!rate+0x14",
                        "f7f9            idiv    eax,ecx",
                        block("ecx", "ffffffff").replace("eax=00000000", "eax=80000000")),),
                 Category.INTEGER_OVERFLOW, ("`rate` at `work.cpp:77`", "smallest integer")),
    "freed pointer": ((event("Access violation", "c0000005", "app!walk+0x14",
                             "8b4108          mov     eax,dword ptr [ecx+8] "
                             "ds:0023:feeefef6=????????", block("ecx", "feeefeee")),),
                      Category.USE_AFTER_FREE, ("`walk` at `work.cpp:77`", "0xfeeefeee")),
    "pointer never set": ((event("Access violation", "c0000005", "app!walk+0x14",
                                 "8b4108          mov     eax,dword ptr [ecx+8] "
                                 "ds:0023:cdcdcdd5=????????", block("ecx", "cdcdcdcd")),),
                          Category.UNINITIALIZED_POINTER, ("`walk`", "0xcdcdcdcd")),
    "assertion": ((event("Break instruction exception", "80000003", "app!parse+0x14",
                         "cc              int     3")
                   + "\nAssertion failed: count > 0, file d:\\src\\app\\work.cpp, line 77\n",),
                  Category.ASSERTION_FAILURE, ("`parse` at `work.cpp:77`", "count > 0")),
    "breakpoint": ((event("Break instruction exception", "80000003", "app!parse+0x14",
                          "cc              int     3"),),
                   Category.TRAP, ("`parse` at `work.cpp:77`", "0x80000003")),
    "stack": ((event("Stack overflow", "c00000fd", "app!deep+0x4", "53              push    ebx"),),
              Category.STACK_OVERFLOW, ("`deep`",)),
    "heap": ((event("Unknown exception", "c0000374", "ntdll!RtlReportCriticalFailure+0x29",
                    "cc              int     3"),),
             Category.HEAP_CORRUPTION, ("`main` at `main.cpp:12`", "0xc0000374")),
    "heap under a debugger": (
        ("(bac.4f40): Break instruction exception - code 80000003 (first chance)\n"
         "ntdll!RtlReportCriticalFailure+0x56:\n00007ff9`45f6f222 cc              int     3\n",
         "0:000> k\n # Child-SP          RetAddr               Call Site\n"
         "00 0000005d`30bde1d0 00007ff9`45f77fe2 ntdll!RtlReportCriticalFailure+0x56\n"
         "01 0000005d`30bde2c0 00007ff9`45f782ca ntdll!RtlpHeapHandleError+0x12\n"
         "02 0000005d`30bde410 00007ff6`0786a220 ntdll!RtlFreeHeap+0x51\n"
         "03 0000005d`30bde450 00007ff6`075367be app!main+0x30 [d:\\src\\app\\main.cpp @ 12]\n"),
        Category.HEAP_CORRUPTION, ("`main` at `main.cpp:12`", "`RtlpHeapHandleError`")),
    "c++": ((event("C++ EH exception", "e06d7363", "KERNELBASE!RaiseException+0x58",
                   "c9              leave"),),
            Category.UNCAUGHT_EXCEPTION, ("`main` at `main.cpp:12`", "C++")),
    "library": ((event("DLL not found", "c0000135", "ntdll!LdrpInitializeProcess+0x10",
                       "cc              int     3"),),
                Category.LIBRARY_LOAD_FAILURE, ("0xc0000135",)),
    "fast fail": (("ExceptionAddress: 00007ff6a1b21064 (app!__report_gsfailure+0x1d)\n"
                   "   ExceptionCode: c0000409 (Security check failure or stack buffer overrun)\n"
                   "  ExceptionFlags: 00000001\nNumberParameters: 1\n"
                   "   Parameter[0]: 0000000000000002\n"
                   "Subcode: 0x2 FAST_FAIL_STACK_COOKIE_CHECK_FAILURE\n"
                   "\nFAULTING_THREAD:  00002b40\n\nSTACK_TEXT:\n"
                   "000000c1`f2d6f8a0 00007ff6`a1b2113c     : 00000000`00000002 00000000`00000000 "
                   "00000000`00000000 00000000`00000000 : app!__report_gsfailure+0x1d\n"
                   "000000c1`f2d6f8d0 00007ff6`a1b21390     : 00000000`00000001 00000000`00000000 "
                   "00000000`00000000 00000000`00000000 : app!copy_name+0x3c "
                   "[D:\\a\\n.cpp @ 17]\n",),
                  Category.STACK_BUFFER_OVERFLOW, ("`copy_name` at `n.cpp:17`", "code is 0x2")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_cause_and_what_it_names(name: str) -> None:
    texts, category, words = CASES[name]
    found = conclude(*texts)
    assert found is not None
    assert found[0] is category
    for word in words:
        assert word in " ".join(claim.text for claim in found[1].claims)


def test_code_in_no_module_is_said_to_be_so() -> None:
    text = (
        "FAULTING_IP:\n+205\n25d80b01 cc              int     3\n\n"
        "EXCEPTION_RECORD:  ffffffff -- (.exr 0xffffffffffffffff)\nExceptionAddress: 25d80b01\n"
        "ExceptionCode: 80000003 (Break instruction exception)\n\nFAULTING_THREAD:  00000f68\n\n"
        "STACK_TEXT:\nWARNING: Frame IP not in any known module. Following frames may be wrong.\n"
        "0053e39c 746c37f5 010000f0 08900850 01000044 0x25d80b01\n"
        "0053e430 014f5ac7 25d80010 00000003 0053e780 engine!enter+0x205 [c:\\e\\enter.cpp @ 39]\n"
    )
    found = conclude(text)
    assert found is not None
    assert found[0] is Category.TRAP
    assert "no module" in found[1].claims[0].text
    assert "`enter` at `enter.cpp:39`" in found[1].claims[1].text


def test_an_owner_that_runs_makes_no_deadlock() -> None:
    running = LOCKS.replace(
        "RtlEnterCriticalSection+0xf2\n02 000000c1`f32ff300", "Spin+0xf2\n02 000000c1`f32ff300"
    )
    running = running.replace(
        "NtWaitForAlertByThreadId+0x14\n01 000000c1`f32ff200", "spin+0x1\n01 000000c1`f32ff200"
    )
    found = conclude(running)
    assert found is not None
    assert found[0] is Category.THREAD_STARVATION
    assert "not a deadlock" in found[1].claims[0].text
    assert "runs while" in found[1].claims[0].text


def test_what_an_owner_waits_for_may_be_behind_it() -> None:
    alone = LOCKS[: LOCKS.index("CritSec app!g_stock")] + LOCKS[LOCKS.index("Scanned") :]
    held = alone.replace(
        "RtlEnterCriticalSection+0xf2\n02 000000c1`f32ff300", "Join+0xf2\n02 000000c1`f32ff300"
    )
    found = conclude(held)
    assert found is not None
    assert found[0] is Category.THREAD_STARVATION
    assert "no deadlock" not in found[1].claims[0].text
    assert "not a deadlock" not in found[1].claims[0].text
    assert "deadlock" in found[1].missing[0]


def test_the_only_section_that_is_listed_need_not_be_the_one_that_is_waited_for() -> None:
    alone = LOCKS[: LOCKS.index("CritSec app!g_stock")] + LOCKS[LOCKS.index("Scanned") :]
    bare = alone.replace(": 00007ff6`a1b40120", ": 00000000`00000000")
    bare = bare.replace("00007ff6`a1b40120 0000", "00000000`00000000 0000")
    assert conclude(bare) is None


def test_a_lock_whose_owner_is_gone_is_a_deadlock() -> None:
    gone = LOCKS.replace("OwningThread       2c10", "OwningThread       3333")
    gone = gone[: gone.index("CritSec app!g_stock")] + gone[gone.index("Scanned") :]
    found = conclude(
        gone[: gone.index("   2  Id: 1a2c.2c10 Suspend: 0 Teb: 000000c1`f2e11000 Unfrozen\n #")]
    )
    assert found is not None
    assert found[0] is Category.DEADLOCK
    assert "owner is no thread of the process any more" in found[1].claims[0].text
    assert "which thread 0x3333 holds" in found[1].claims[1].text


def test_a_resource_of_the_kernel_has_an_owner_too() -> None:
    found = conclude(
        "kd> kb\nChildEBP RetAddr  Args to Child\n"
        "fcd4499c 80102521 fc664ee0 ffb08ea8 fcd44a4c nt!ExpWaitForResource+0x114\n"
        "fcd449e8 fc6509fa fc664ee0 fef27c08 fee4fca8 nt!ExAcquireResourceExclusiveLite+0xa5\n"
        "fcd449ec 00000000 00000000 00000000 00000000 rdr!CreateScb+0x2ff\n",
        "kd> !locks fc664ee0\nResource @ rdr!ScbLock (0xfc664ee0)    Exclusively owned\n"
        "    NumberOfExclusiveWaiters = 1\n     Threads: ffaf5410-01<*>\n",
        "kd> !thread ffaf5410\n"
        "THREAD ffaf5410  Cid e7.e8  Teb: 7ffde000 WAIT: (Executive) KernelMode Non-Alertable\n"
        "    feecf698  SynchronizationEvent\nPriority 11 BasePriority 7\n\n"
        "ChildEBP RetAddr  Args to Child\n"
        "fec6b974 fc655976 feecf698 00000000 00000000 nt!KeWaitForSingleObject+0x218\n"
        "fec6ba5c fc6509fa e1263968 fef29208 feecf668 rdr!ExchangeWithWait+0x38\n",
    )
    assert found is not None
    assert found[0] is Category.THREAD_STARVATION
    for word in ("`rdr!ScbLock`", "0xffaf5410", "`ExchangeWithWait` waits while"):
        assert word in " ".join(claim.text for claim in found[1].claims)


def test_driver_verifiers_deadlock() -> None:
    found = conclude(
        "0: kd> !deadlock\n\nDeadlock detected (2 resources in 2 threads):\n\n"
        "Thread 0: A B\nThread 1: B A\n\nWhere:\nThread 0 = 8d3ba030\nThread 1 = 8d15c030\n"
        "Lock A =   bba2af30 Type 'Spinlock'\nLock B =   rats!GlobalLock Type 'Spinlock'\n"
    )
    assert found is not None
    assert found[0] is Category.DEADLOCK
    assert any("rats!GlobalLock" in claim.text for claim in found[1].claims)


def test_terminate_is_told_from_abort() -> None:
    found = conclude(
        "(6fd4.2198): Security check failure or stack buffer overrun - code c0000409 "
        "(first/second chance not available)\nSubcode: 0x7 FAST_FAIL_FATAL_APP_EXIT\n"
        "ucrtbase!abort+0x4e:\n00007ffb`26fd286e cd29            int     29h\n0:000> k\n"
        " # Child-SP          RetAddr               Call Site\n"
        "00 00000000`0014e1b0 00007ffb`26fd1f9f     ucrtbase!abort+0x4e\n"
        "01 00000000`0014e1e0 00007ffb`1a2b1a91     ucrtbase!terminate+0x1f\n"
        "02 00000000`0014e300 00007ff7`3d231d17     app!run+0x77 [D:\\a\\main.cpp @ 458]\n"
    )
    assert found is not None
    assert found[0] is Category.STD_TERMINATE
    assert "`run` at `main.cpp:458`" in found[1].claims[0].text


def test_a_return_to_data_tells_of_a_smashed_stack() -> None:
    found = conclude(
        "(1f8.c0c): Access violation - code c0000005 (!!! second chance !!!)\n"
        + block("eax", "00000001", ip="41414141")
        + "41414141 ??              ???\n0:000> kb\nChildEBP RetAddr  Args to Child\n"
        "000ff72c 41414141 41414141 41414141 41414141 0x41414141\n"
        "000ff730 41414141 41414141 41414141 41414141 0x41414141\n"
    )
    assert found is not None
    assert found[0] is Category.STACK_BUFFER_OVERFLOW
    assert "0x41414141" in found[1].claims[1].text


@pytest.mark.parametrize(
    ("instruction", "category", "words"),
    [
        ("8801            mov     byte ptr [ecx],al", Category.HEAP_BUFFER_OVERFLOW, "writes"),
        ("8a01            mov     al,byte ptr [ecx]", Category.OUT_OF_BOUNDS_READ, "reads"),
    ],
)
def test_an_access_behind_a_block_in_use(instruction: str, category: Category, words: str) -> None:
    touched = event("Access violation", "c0000005", "app!fill+0x14",
                    f"{instruction} ds:0023:005d6000=??", block("ecx", "005d6000"))  # fmt: skip
    found = conclude(touched, PAGE_HEAP[PAGE_HEAP.index("0:000> !heap -p -a 5d5ff8") :])
    assert found is not None
    assert found[0] is category
    assert f"`fill` at `work.cpp:77` {words} past the end" in found[1].claims[0].text


def on_stack(event: str, *functions: str) -> str:
    """A stop of thread 0 in these functions, innermost first, above the program's own."""
    listed = (*functions, "app!Desk::run+0x9f [d:\\src\\app\\desk.cpp @ 31]", "app!main+0x30")
    rows = "".join(f"{n:02x} 0000005d`30bde{n:03x} 00007ff9`45f77f{n:02x}     {name}\n"
                   for n, name in enumerate(listed))  # fmt: skip
    head = f"(1a2c.2b40): {event}\n{listed[0].split(' ')[0]}:\n00007ff9`45f6f222 cc  int     3\n"
    return f"{head}0:000> k\n # Child-SP          RetAddr               Call Site\n{rows}"


BROKE = "Break instruction exception - code 80000003 (!!! second chance !!!)"
FATAL_EXIT = ("Security check failure or stack buffer overrun - code c0000409 "
              "(!!! second chance !!!)\nSubcode: 0x7 FAST_FAIL_FATAL_APP_EXIT")  # fmt: skip


@pytest.mark.parametrize(
    ("event", "functions", "category"),
    [
        (BROKE, ("app!failwithmessage+0x234", "app!_RTC_StackFailure+0x122",
                 "app!_RTC_CheckStackVars+0x66"), Category.STACK_BUFFER_OVERFLOW),
        (BROKE, ("app!failwithmessage+0x234", "app!_RTC_UninitUse+0x122"),
         Category.UNINITIALIZED_VALUE),
        (BROKE, ("ucrtbased!_purecall+0x1d",), Category.PURE_VIRTUAL_CALL),
        (BROKE, ("ucrtbased!abort+0x1d", "ucrtbased!terminate+0x1f"), Category.STD_TERMINATE),
        (BROKE, ("ucrtbased!abort+0x1d",), Category.EXPLICIT_ABORT),
        (BROKE, ("ucrtbased!_CrtDbgReport+0x5f",), Category.ASSERTION_FAILURE),
        # The debug heap's own: what it found, its message says.
        (BROKE, ("ucrtbased!_CrtDbgReport+0x5f", "ucrtbased!free_dbg_nolock+0x2a3",
                 "ucrtbased!_free_dbg+0x7b"), None),
        (FATAL_EXIT, ("ucrtbase!abort+0x4e", "VCRUNTIME140!_purecall+0x1d"),
         Category.PURE_VIRTUAL_CALL),
        (FATAL_EXIT, ("ucrtbase!abort+0x4e", "ucrtbase!common_assert_to_stderr_direct+0xe5",
                      "ucrtbase!_wassert+0x6f"), Category.ASSERTION_FAILURE),
        (FATAL_EXIT, ("ucrtbase!abort+0x4e",), Category.EXPLICIT_ABORT),
        ("C++ EH exception - code e06d7363 (!!! second chance !!!)",
         ("KERNELBASE!RaiseException+0x69",), Category.UNCAUGHT_EXCEPTION),
        # A handler may be there that was not asked yet.
        ("C++ EH exception - code e06d7363 (first chance)", ("KERNELBASE!RaiseException+0x69",),
         None),
        ("CLR exception - code e0434352 (first chance)", ("clr!RaiseException+0x69",), None),
    ],
)  # fmt: skip
def test_what_the_c_runtime_ended_the_program_for(
    event: str, functions: tuple[str, ...], category: Category | None
) -> None:
    found = conclude(on_stack(event, *functions))
    assert (found and found[0]) == category
    if category is Category.EXPLICIT_ABORT:
        said = "\nAssertion failed: count > 0, file d:\\src\\app\\desk.cpp, line 31\n"
        asserted = conclude(on_stack(event, *functions) + said)
        assert asserted is not None
        assert asserted[0] is Category.ASSERTION_FAILURE
    if found is not None:
        assert (found[1].frame and found[1].frame.function) == "Desk::run"


@pytest.mark.parametrize(
    ("code", "category"),
    [(3, Category.CORRUPTED_POINTER), (4, Category.UNKNOWN), (10, Category.WILD_POINTER),
     (11, Category.WRITE_TO_READ_ONLY_MEMORY), (14, Category.UNKNOWN),
     (29, Category.CORRUPTED_POINTER), (64, Category.WILD_POINTER), (65, Category.TYPE_CONFUSION)],
)  # fmt: skip
def test_what_a_fast_fail_proves(code: int, category: Category) -> None:
    found = conclude(on_stack(FATAL_EXIT.replace("0x7 FAST", f"{code:#x} FAST"), "ntdll!Check+0x1"))
    assert found is not None
    assert found[0] is category


def test_a_debugger_that_broke_in_ended_nothing() -> None:
    event = on_stack(BROKE, "ntdll!DbgBreakPoint", "ntdll!DbgUiRemoteBreakin+0x4e")
    assert conclude(event) is None


def test_another_block_that_was_freed_says_nothing_of_the_fault() -> None:
    found = conclude(ANALYZE, PAGE_HEAP)
    assert found is not None
    assert found[0] is Category.NULL_POINTER_DEREFERENCE


def test_stacks_alone_invent_nothing() -> None:
    assert conclude(STACKS["kn"][0]) is None


def test_a_stop_code_that_no_category_fits_is_told_by_its_name() -> None:
    text = BUGCHECK.replace("DRIVER_IRQL_NOT_LESS_OR_EQUAL (d1)", "DRIVER_POWER_STATE_FAILURE (9f)")
    found = conclude(text)
    assert found is not None
    assert found[0] is Category.UNKNOWN
    assert "0x9f (`DRIVER_POWER_STATE_FAILURE`)" in found[1].claims[1].text


@pytest.mark.parametrize(
    ("code", "name", "first", "category"),
    [
        ("c2", "BAD_POOL_CALLER", 7, Category.DOUBLE_FREE),
        ("c2", "BAD_POOL_CALLER", 4, Category.HEAP_CORRUPTION),
        ("c2", "BAD_POOL_CALLER", 0x46, Category.INVALID_FREE),
        ("c2", "BAD_POOL_CALLER", 9, Category.UNKNOWN),  # freed at a wrong IRQL
        ("c4", "DRIVER_VERIFIER_DETECTED_VIOLATION", 0x10, Category.INVALID_FREE),
        ("c4", "DRIVER_VERIFIER_DETECTED_VIOLATION", 0x14, Category.DOUBLE_FREE),
        ("c4", "DRIVER_VERIFIER_DETECTED_VIOLATION", 0x16, Category.UNKNOWN),
        ("d1", "DRIVER_IRQL_NOT_LESS_OR_EQUAL", 0x10, Category.NULL_POINTER_DEREFERENCE),
        ("d1", "DRIVER_IRQL_NOT_LESS_OR_EQUAL", 0xFFFFA88C1F2D6000, Category.UNKNOWN),  # pageable
        ("101", "CLOCK_WATCHDOG_TIMEOUT", 0x18, Category.UNKNOWN),
        ("18", "REFERENCE_BY_POINTER", 0, Category.UNKNOWN),
        ("2d", "SCSI_DISK_DRIVER_INTERNAL", 1, Category.UNKNOWN),
        ("7f", "UNEXPECTED_KERNEL_MODE_TRAP", 8, Category.UNKNOWN),  # or the hardware's
    ],
)
def test_what_a_stop_code_proves(code: str, name: str, first: int, category: Category) -> None:
    text = BUGCHECK.replace("DRIVER_IRQL_NOT_LESS_OR_EQUAL (d1)", f"{name} ({code})")
    found = conclude(text.replace("Arg1: 0000000000000010", f"Arg1: {first:016x}"))
    assert found is not None
    assert found[0] is category


@pytest.mark.parametrize(
    ("code", "how", "meaning", "category", "words"),
    [
        ("a", 8, "bitfield :", Category.NULL_FUNCTION_POINTER_CALL, "ran 0x10"),
        ("a", 1, "bitfield :", Category.NULL_POINTER_DEREFERENCE, "wrote to 0x10"),
        ("50", 1, "value 0 = read operation, 1 = write operation.",
         Category.NULL_POINTER_DEREFERENCE, "wrote to 0x10"),
        ("50", 2, "X64: bit 0 set if the fault was due to a not-present PTE.",
         Category.NULL_POINTER_DEREFERENCE, "wrote to 0x10"),
        ("50", 1, "X64: bit 0 set if the fault was due to a not-present PTE.",
         Category.NULL_POINTER_DEREFERENCE, "used 0x10"),
    ],
)  # fmt: skip
def test_what_the_kernel_did_at_an_address(
    code: str, how: int, meaning: str, category: Category, words: str
) -> None:
    text = BUGCHECK.replace("DRIVER_IRQL_NOT_LESS_OR_EQUAL (d1)", f"PAGE_FAULT ({code})")
    at = "Arg2" if code == "50" else "Arg3"
    text = re.sub(rf"{at}: .*", f"{at}: {how:016x}, {meaning}", text)
    found = conclude(text)
    assert found is not None
    assert found[0] is category
    assert any(words in claim.text for claim in found[1].claims)


KERNEL_BREAK = """\
*** Fatal System Error: 0x0000001e
{arguments}
Break instruction exception - code 80000003 (first chance)
nt!DbgBreakPointWithStatus:
fffff807`66206310 cc              int     3
"""


@pytest.mark.parametrize(
    ("arguments", "category"),
    [
        ("    (0xFFFFFFFFC0000094,0xFFFFF8077404BE9C,0x0000000000000000,0x0000000000000000)\n",
         Category.DIVIDE_BY_ZERO),
        ("    (0xFFFFFFFFC0000005,0xFFFFF8077404BE9C,0x0000000000000000,0x0000000000000000)\n",
         Category.UNKNOWN),
        ("", Category.UNKNOWN),
    ],
)  # fmt: skip
def test_the_break_into_the_debugger_is_not_what_stopped_the_kernel(
    arguments: str, category: Category
) -> None:
    found = conclude(KERNEL_BREAK.format(arguments=arguments))
    assert found is not None
    assert (found[0], found[1].frame) == (category, None)


ECXR = """\
0:000> .ecxr
rax=0000000000000000 rbx=000001f0aa112200 rcx=0000000000000001
rdx=0000000000000000 rsi=0000000000000000 rdi=0000000000000001
rip=00007ff6401a2233 rsp=000000a0111ff8a0 rbp=000000a0111ff9a0
{symbol}00007ff6`401a2233 {instruction}
"""
BREAK = """\
EXCEPTION_RECORD:  (.exr -1)
ExceptionAddress: 00007ff6401a2233
   ExceptionCode: {code}
  ExceptionFlags: 00000000
NumberParameters: 0

"""


@pytest.mark.parametrize(
    ("instruction", "symbol", "code", "more", "category"),
    [
        ("cc              int     3", "till!open+0x63:\n", "80000003", "", Category.TRAP),
        ("cd03            int     3", "", "80000003", "", Category.TRAP),
        ("cd2d            int     2Dh", "till!open+0x63:\n", "80000003", "", Category.TRAP),
        ("cc              int     3", "till!open+0x63:\n", "80000003",
         "Assertion failed: drawer, file d:\\src\\till.cpp, line 77\n", Category.ASSERTION_FAILURE),
        ("f4              hlt", "till!open+0x63:\n", "c0000096", "",
         Category.ILLEGAL_INSTRUCTION),
    ],
)  # fmt: skip
def test_an_instruction_that_was_run_was_not_refused(
    instruction: str, symbol: str, code: str, more: str, category: Category
) -> None:
    found = conclude(
        ECXR.format(instruction=instruction, symbol=symbol), BREAK.format(code=code) + more
    )
    assert found is not None
    assert found[0] is category


@pytest.mark.parametrize(
    ("shown", "instruction", "category"),
    [
        (".ecxr", "488902          mov     qword ptr [rdx+18h],rax ds:00000000`00000018=????????",
         Category.NULL_POINTER_DEREFERENCE),
        (".ecxr", "488b07          mov     rax,qword ptr [rbx] ds:000001f0`aa112200=????????",
         None),  # as what a small dump left out
        (".ecxr", "488b02          mov     rax,qword ptr [rdx] ds:00000000`00000000=00000001",
         None),
        ("r", "488902          mov     qword ptr [rdx+18h],rax ds:00000000`00000018=????????",
         None),
    ],
)  # fmt: skip
def test_where_the_exception_came_tells_what_it_was_on_the_pages_that_nothing_has(
    shown: str, instruction: str, category: Category | None
) -> None:
    text = ECXR.format(instruction=instruction, symbol="till!open+0x63:\n")
    found = conclude(text.replace(".ecxr", shown))
    assert (found and found[0]) == category
