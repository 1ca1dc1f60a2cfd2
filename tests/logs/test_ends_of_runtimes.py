"""What kernels, virtual machines and dialogs say of an end, each in its own form: the category, the
function or the place it names, and whether the system outlived it."""

from pathlib import Path

import pytest

from analyzers.patterns.reported.case import Reports
from tests.logs.reading import read_text
from workbench.model.category import Category as C

_DART = """\
2026-01-05T06:03:02.24526901Z    ===== CRASH =====
2026-01-05T06:03:02.245291604Z   si_signo=Segmentation fault(11), si_code=1, si_addr=0x2
2026-01-05T06:03:02.245348501Z   version=3.4.0 (Wed Jun 19 11:53:45 2024 +0200) on "linux_x64"
2026-01-05T06:03:02.2455Z        fp=7f460d87df98, sp=7f460d87df68, pc={pc}
2026-01-05T06:03:02.2456Z       pc 0x000055c6bfe04be1 fp 0x00007f39fbcf9950 till::Drawer::Open()+0x2
2026-01-05T06:03:02.2457Z      -- End of DumpStackTrace
"""
_OLD_DART = """\
till_1  | ===== CRASH =====
till_1  | version=2.2.0 (Unknown timestamp) on "linux_x64"
till_1  | si_signo=Segmentation fault(11), si_code=1, si_addr=0x8
till_1  | thread=2828, isolate=main()(0x56489afcc900)
till_1  |   [0x0000564851a3c059] till::Drawer::Count(long)
"""
_DART_CHECK = """\
../../runtime/vm/drawer.h: 25: error: unreachable code
version=3.4.0 (Thu Jul 25 17:23:38 2024 +0000) on "linux_x64"
  pc 0x000055d76c21fc1c fp 0x00007f5b3147cbb0 dart::Profiler::DumpStackTrace(void*)
  pc 0x000055d76befaca2 fp 0x00007f5b3147cc90 dart::Assert::Fail(char const*, ...)
  pc 0x000055d76c2b4dda fp 0x00007f5b3147cce0 till::Drawer::Print(void*) const
"""
_XNU = """\
panic(cpu 1 caller 0xffffff801d080ed5): "drawer: not shut!"@/src/bsd/drawer.c:25
Backtrace (CPU 1), Frame : Return Address
0xffffffb06376f0a0 : 0xffffff801c4a0d75 mach_kernel : _handle_debugger_trap + 0x5d5
0xffffffb06376f1e0 : 0xffffff801c94bf8f mach_kernel : trap_from_kernel + 0x26
0xffffffb06376f3a0 : 0xffffff801dda0216 mach_kernel : _panic + 0x54
0xffffffb06376f410 : 0xffffff801d080ed5 mach_kernel : _drawer_shut + 0x1215
"""
_NETBSD = """\
[ 157.500000] panic: lock error: Mutex: drawer_shut,76: assertion failed: OWNER(m) == curthread
[ 157.600000] cpu0: Begin traceback...
[ 157.600000] vpanic() at netbsd:vpanic+0x214
[ 157.600000] snprintf() at netbsd:snprintf
[ 157.600000] lockdebug_abort() at netbsd:lockdebug_abort+0x14c
[ 157.600000] drawer_shut() at netbsd:drawer_shut+0x1bc
"""
_OPENBSD = """\
uvm_fault(0xfffff3006cf11200, 0x98, 0, 1) -> e
fatal page fault in supervisor mode
trap type 6 code 0 rip ffffffff824bd3d8 cs 8 rflags 10246 cr2 98 cpl 0 rsp ffff80002a2299a0
panic: trap type 6, code=0, pc=ffffffff824bd3d8
Starting stack trace...
panic(ffffffff834f3c73) at panic+0x1d0 sys/kern/subr_prf.c:229
kerntrap(ffff80002a2298f0) at kerntrap+0x30b
drawer_open(ffff80002a221a20,fffff3006c8d1480) at drawer_open+0x368 sys/kern/drawer.c:91
end of kernel
"""
_ZIRCON = """\
ZIRCON KERNEL PANIC

<PAGE FAULT> Instruction Pointer   = 0x10:0xffffffff0014d1c4
<PAGE FAULT> Fault Linear Address  = 0x8
<PAGE FAULT> Error Code Type       = supervisor read data, page not present
Supervisor Page Fault exception, halting
 RIP: 0x0014d1c4  Drawer::Open object/drawer.cpp:104
"""
_ZIRCON_CHECK = """\
panic (caller 0xffffffff001dd965 frame 0xffffff95faf71b80): DEBUG ASSERT FAILED at (drawer.c:29): n
platform_halt suggested_action 0 reason 9
bt#00: 0x00105972 platform_halt platform/pc/power.cpp:122
bt#01: 0x001a22c4 _panic lib/debug/debug.cpp:39
bt#02: [ inline ] drawer_index lib/drawer/drawer.c:29
"""
_KFENCE = """\
[   39.900000] BUG: KFENCE: memory corruption in drawer_drop+0x8c/0x174
[   39.900000] Corrupted memory at 0x00000000c5d55ff8 [ ! ! . . . . . ] (in kfence-#214):
[   40.000000]  drawer_drop+0x8c/0x174
[   40.000000] CPU: 0 PID: 96 Comm: till Tainted: G    B   6.1.0 #1
"""
_FATAL = "till: potentially unexpected fatal signal 11.\nCPU: 0 PID: 127 Comm: till Not tainted\n"
_FATAL += "Invalid Read @ 0x00000008 by insn @ 0x102c6\n"
_LUA = "2026-01-05 12:27:33: ERROR[Main]: A fatal error occurred: LUA PANIC: unprotected error in "
_LUA += "call to Lua API ({})\nAborted\n"
_APPLE = "2026-01-05 09:57:04.725 Till[775:c07] {} Terminating app due to uncaught exception "
_APPLE += "'NSInvalidArgumentException', reason: '-[Drawer row]: unrecognized selector'\n"
_WER = "Problem signature:\n  Problem Event Name:\tAPPCRASH\n  Application Name:\ttill.exe\n"
_WER += "  Fault Module Name:\tStackHash_226a\n  Exception Code:\tc0000374\n"
_GAME = 'Unhandled exception "EXCEPTION_ACCESS_VIOLATION" at 0x7FF664FAB179 Till.exe+0CEB179\n'
_GAME += "Access Violation: Tried to read memory at 0x000000000014\n"
_MOD = "---- Minecraft Crash Report ----\n\nTime: now\nDescription: Mod loading failures\n\n"
_MOD += "till.DrawerLoadingException: Drawer loading has failed\n\n\n"
_MOD += "A detailed walkthrough of the error, its code path and all known details is as follows:\n"
_POOL = "login: panic: pool_do_put: lockfpl: double pool_put: 0xffffff001692bd18\n"
_POOL += "db_enter() at db_enter+0xa\npanic() at panic+0x147\npool_do_put(f) at pool_do_put+0x2e2\n"
_SLAB = (
    "panic(cpu 0 caller 0xffffff800ac3235c): slab_nextptr_panic: drawers buffer 0xffffffa0464b6000 "
)
_SLAB += "in slab 0xffffffa015c843a0 modified after free at offset 0: 0xccd900000000 out of range\n"
_SLAB += "0xffffffb050a6f140 : 0xffffff800ac3235c mach_kernel : _slab_nextptr_panic + 0x3ec\n"
_SLAB += "0xffffffb050a6f1c0 : 0xffffff800ac30132 mach_kernel : _drawer_take + 0x402\n"
_SHADOW = "[ 50.983422] general protection fault, probably for non-canonical address "
_SHADOW += (
    "0xdffffc000000000b: 0000 [#1] PREEMPT SMP KASAN\n[ 50.983423] KASAN: null-ptr-deref in range "
)
_SHADOW += (
    "[0x0000000000000058-0x000000000000005f]\n[ 50.983424] RIP: 0010:drawer_next+0x49/0x510\n"
)
_STOPPED = (
    "> BUGCHECK_CODE: d1\n>\n> BUGCHECK_P1: 14\n>\n> BUGCHECK_P2: 2\n>\n> FAULTING_THREAD: ff\n"
)
_UNITY = (
    "Caught fatal signal - signo:11 code:1 errno:0 addr:0x7fa5cd820670\nObtained 35 stack frames.\n"
)
_UNITY += "#0  0x007fa69e361980 in funlockfile\n#1  0x007fa69e361990 in till_open\n#2  0x"
_CUT = "DRIVER_IRQL_NOT_LESS_OR_EQUAL (d1)\nAn attempt was made.\nArguments:\n"
_CUT += "Arg1: 0000000000000014, memory referenced\nArg2: 0000000000000002, IRQL\n"


@pytest.mark.parametrize(
    ("text", "category", "function", "said"),
    [
        (_DART.format(pc="2"), C.NULL_FUNCTION_POINTER_CALL, "till::Drawer::Open()", "si_addr"),
        (_DART.format(pc="55c6bfe04be1"), C.NULL_POINTER_DEREFERENCE, "till::Drawer::Open()", ""),
        (_OLD_DART, C.NULL_POINTER_DEREFERENCE, "till::Drawer::Count(long)", "si_addr=0x8"),
        (_DART_CHECK, C.ASSERTION_FAILURE, "till::Drawer::Print(void*) const", "runtime failed"),
        (_XNU, C.PANIC, "_drawer_shut", "not shut"),
        (_NETBSD, C.PANIC, "drawer_shut", "lock error"),
        (_OPENBSD, C.NULL_POINTER_DEREFERENCE, "drawer_open", "drawer.c:91"),
        (_ZIRCON, C.NULL_POINTER_DEREFERENCE, "Drawer::Open", "drawer.cpp:104"),
        (_ZIRCON_CHECK, C.ASSERTION_FAILURE, "drawer_index", "DEBUG ASSERT"),
        (_KFENCE, C.HEAP_CORRUPTION, "drawer_drop", "KFENCE"),
        (_FATAL, C.NULL_POINTER_DEREFERENCE, None, "a read at 0x8"),
        (_LUA.format("a nil value"), C.PANIC, None, "(a nil value)"),
        (_LUA.format("not enough memory"), C.OUT_OF_MEMORY, None, "not enough memory"),
        (_APPLE.format("***"), C.UNCAUGHT_EXCEPTION, None, "-[Drawer row]"),
        (_APPLE.format("**\\*"), C.UNCAUGHT_EXCEPTION, None, "-[Drawer row]"),
        ("Process is terminating due to StackOverflowException.\n[1] 12976 abort  dotnet till\n",
         C.STACK_OVERFLOW, None, "StackOverflowException"),
        (_WER, C.HEAP_CORRUPTION, None, "c0000374"),
        (_GAME, C.NULL_POINTER_DEREFERENCE, None, "0xceb179 of `Till.exe`"),
        (_MOD, C.UNCAUGHT_EXCEPTION, None, "Drawer loading has failed"),
        (_POOL, C.DOUBLE_FREE, "pool_do_put", "double pool_put"),
        (_SLAB, C.HEAP_CORRUPTION, "_drawer_take", "modified after free"),
        (_SHADOW, C.NULL_POINTER_DEREFERENCE, "drawer_next", ""),
        (_STOPPED, C.NULL_POINTER_DEREFERENCE, None, "bug check 0xd1"),
        (_UNITY, C.WILD_POINTER, "till_open", "0x7fa5cd820670"),
        (_CUT, C.NULL_POINTER_DEREFERENCE, None, "0x14"),
    ],
)  # fmt: skip
def test_each_is_told_by_its_own_words(
    tmp_path: Path, text: str, category: C, function: str | None, said: str
) -> None:
    read = read_text(tmp_path, text)
    assert read.category is category
    assert read.function == function
    assert said in read.cause


def test_a_heading_is_no_exception(tmp_path: Path) -> None:
    dump = "Full thread dump OpenJDK 64-Bit Server VM (21.0.2 mixed mode):\n\n"
    dump += '"main" #1 prio=5 os_prio=0 tid=0x00007f28 nid=0x5b03 runnable [0x00007f]\n'
    dump += "   java.lang.Thread.State: RUNNABLE\n\tat till.Drawer.open(Drawer.java:25)\n\n"
    read = read_text(tmp_path, f"{dump}Heap\n garbage-first heap   total 262144K, used 9357K\n")
    assert not [f for f in read.findings if f.kind == "Heap"]


@pytest.mark.parametrize(
    "line",
    [
        "[   45.800000] BUG: using __this_cpu_read() in preemptible [00000000] code: till/6729\n",
        "[   45.800000] WARNING: suspicious RCU usage\n",
    ],
)
def test_a_kernel_goes_on_after_a_check_that_warns(tmp_path: Path, line: str) -> None:
    read = read_text(
        tmp_path, f"{line}[   45.900000] Call Trace:\n[   45.900000]  drawer_open+0x188/0x930\n"
    )
    assert read.category is C.ASSERTION_FAILURE
    assert [f.ends for f in read.findings] == [None]
    assert read.cause.startswith("A check of the kernel's own failed in `drawer_open`")


_DIVIDED = "Program received signal SIGFPE, Arithmetic exception.\n"
_FRAME = (
    "0x0000555555582852 in share (till=0x555555930670, hands=0x5555572748f0)\n    at till.c:25\n"
)


@pytest.mark.parametrize(
    ("source", "below", "category"),
    [
        ("x = i % till->hands.size();", "", C.DIVIDE_BY_ZERO),
        ("x = i / hands;", "(gdb) p hands\n$1 = 0\n", C.DIVIDE_BY_ZERO),
        ("x = i / hands;", "(gdb) p hands\n$1 = -1\n", C.INTEGER_OVERFLOW),
        ("x = i / hands;", "(gdb) bt full\n#0  share () at till.c:25\n        hands = 0\n",
         C.DIVIDE_BY_ZERO),
        ("x = i / hands;", "(gdb) bt full\n#0  share () at till.c:25\nNo locals.\n"
         "#1  main () at till.c:90\n        hands = 0\n", None),
        ("x = i / hands;", "(gdb) p coins\n$1 = 0\n", None),
        ("x = i / hands;", "", None),
    ],
)  # fmt: skip
def test_a_refused_division_is_by_zero_where_the_divisor_tells(
    tmp_path: Path, source: str, below: str, category: C | None
) -> None:
    read = read_text(tmp_path, f"{_DIVIDED}{_FRAME}25\t        {source}\n{below}")
    assert read.category is category
    stop = next(f for f in read.findings if f.tool == "the debugger")
    assert stop.category in (C.DIVIDE_BY_ZERO, C.INTEGER_OVERFLOW)
    assert stop.sure is (category is not None)


def test_a_fault_without_its_address_is_told_and_gives_way_to_one_with_it(tmp_path: Path) -> None:
    told = "Got a SIGSEGV while executing native code. This usually indicates\n\n"
    told += "        Native stacktrace:\n        0x7f44765151f2 - /opt/till/libtill.so :\n"
    alone = read_text(tmp_path, told)
    assert alone.category is None
    known = Reports(alone.facts).primary
    assert known is not None
    assert (known.category, known.address) == (C.WILD_POINTER, None)
    assert [f.stacks[0].frames[0].module for f in alone.findings] == ["/opt/till/libtill.so"]
    stop = "Program received signal SIGSEGV, Segmentation fault.\n"
    stop += "0x0000555555582852 in share (hands=0x0) at till.c:25\n25\t        x = hands->left;\n"
    assert (
        read_text(tmp_path, f"mysqld got signal 11 ;\n{stop}").category
        is C.NULL_POINTER_DEREFERENCE
    )
