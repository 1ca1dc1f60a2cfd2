"""Reports of further systems and libraries, and of what a report's own first line names: the
category, the frame, and how the process ended."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

_UCX = """\
Sun Jun  3 10:44:38 2018[1,3]<stderr>:[t:4 :0:4] Caught signal 11 (Segmentation fault: {why})
Sun Jun  3 10:44:38 2018[1,3]<stderr>:==== backtrace ====
Sun Jun  3 10:44:38 2018[1,3]<stderr>: 0 0x000000000001fce0 drawer_open()  /src/till/drawer.c:483
Sun Jun  3 10:44:38 2018[1,3]<stderr>: 1 0x0000000000402770 main()  ???:0
"""
_SBCL = """\
CORRUPTION WARNING in SBCL pid 59150 pthread 0x1dae05ec0:
Memory fault at 0x10 (pc=0x10316bb88)
The integrity of this image is possibly compromised.
"""
_ORACLE = """\
Errors in file /oracle/log/till.trc:
ORA-07445: exception encountered: core dump [open()+11] [SIGSEGV] [ADDR:0x8] [Address not mapped] []
"""
_HAIKU = """\
Debug information for team /boot/system/apps/Till (975):
CPU(s): 4x Intel Core

Active Threads:
\tthread 975: Till (main)
\tthread 980: looper
\t\tstate: {state}

\t\tFrame\t\tIP\t\t\tFunction Name
\t\t-----------------------------------------------
{top}\t\t0x7f6c74d155d0\t0x114cca77895\tDrawer::Open() + 0x15
\t\t0x7f6c74d156b0\t0x114cca7c0ff\tTill::MessageReceived(BMessage*) + 0x43f
"""
_BUILD = "287a71fbebe381639be6f600014fc12f"
_OHOS = f"""\
Module name:org.till.app
Version:1.0.0
Pid:15716
Reason:Signal:SIGSEGV(SEGV_MAPERR)@0x0000000000000060
Thread name:org.till
#00 pc 0000000000037e54 /app/libtill.so(till::Drawer::Open()+64) ({_BUILD})
#01 pc 000000000008ffb0 /app/libtill.so ({_BUILD})
"""
_BUGLY = f"""\
pid: 19026, tid: 20705, name: till  >>> org.till.app <<<
signal: 11 (SIGSEGV), code: 1 (SEGV_MAPERR) fault addr: 0x4
    ip: 0xc3310020  sp: 0xb17bb820  lr: 0xc2b30877  pc: 0xc2b3089c
        #00    pc 0012389c    /app/libtill.so [armeabi-v7a::{_BUILD}]
"""
_ROOT = """\
 *** Break *** segmentation violation

===========================================================
There was a crash.
===========================================================
#0  0x00007ff49ed33a3c in waitpid () from /usr/lib64/libc.so.6
#1  0x00007ff4a17dbb24 in TUnixSystem::StackTrace() () from /opt/root/lib/libCore.so.6.22
#2  <signal handler called>
#3  0x000000000048d970 in drawer_open (hands=40) at till.c:342
"""
_DEEP = """\
Invalid memory access (signal 11) at address 0x7fff5637eff8
[4446512923] *CallStack::print_backtrace:Int32 +107
[140735832497834] _sigtramp +26
[4446506025] *count:NoReturn +9 (524046 times)
[4446505864] main +40
"""
_XORG = """\
Sep 21 16:36:22 till /usr/libexec/gdm[1115]: (EE) Backtrace:
Sep 21 16:36:22 till /usr/libexec/gdm[1115]: (EE) 0: /bin/Xorg (OsLookup+0x139) [0x59ab89]
Sep 21 16:36:22 till /usr/libexec/gdm[1115]: (EE) Received signal 11 sent by process 4025, uid 0
"""
_BOLD = """\
Faulting application name: till.exe, version: 2.0.10.1125, time stamp: 0x6210a972
Faulting module name: ntdll.dll, version: 10.0.19041.1806, time stamp: 0x1000a5b9
**Exception code: 0xc0000374**
Fault offset: 0x00000000000ff609
"""
_FORTRAN = """\
forrtl: severe (174): SIGSEGV, segmentation fault occurred
Image              PC                Routine            Line        Source
till               00000000004AF0AA  for__signal_handl     Unknown  Unknown
libpthread-2.26.s  00001534C199F310  Unknown               Unknown  Unknown
libc-2.26.so       00001534C1659311  cfree                 Unknown  Unknown
"""
_OBS = """\
Unhandled exception: c0000005
Date/Time: 2023-09-20, 16:05:23
Fault address: {pc} (c:\\windows\\system32\\d3d11.dll)

Thread 5D0: (Crashed)
Stack            EIP              Arg0             Arg1             Arg2             Arg3    Address
00000037EFCFFB70 00007FFCC3963A08 {zero} {zero} {zero} {zero} d3d11.dll!0x7ffcc3963a08
00000037EFCFFD90 00007FFCA7693037 {zero} {zero} {zero} {zero} till.dll!drawer_open+0x14
""".replace("{zero}", "0" * 16)
_PETSC = """\
[0]PETSC ERROR: ------------------------------------------------------------------------
[0]PETSC ERROR: Caught signal number 11 SEGV: Segmentation Violation
[0]PETSC ERROR: ---------------------  Stack Frames ------------------------------------
[0]PETSC ERROR: {frame}
"""
_ESP8266 = """\
Exception ({cause}):
epc1=0x40202777 epc2=0x00000000 epc3=0x00000000 excvaddr={at} depc=0x00000000
"""
_VIRTUALBOX = """\
!!R0-Assertion Failed!!
Expression: pDrawer->cCoins > 0
Location  : VirtualBox-7.2.18/src/VBox/VMM/Drawer.cpp(827) int drawer_open(PVMCC, PDRAWER)
"""
_NUTTX = """\
arm_hardfault: Hard Fault:
arm_hardfault:   CFAULTS: {cfsr} HFAULTS: 40000000 DFAULTS: 00000000 BFAULTADDR: 0000016c AFAULTS: 0
arm_hardfault: PANIC!!! Hard fault: 40000000
up_assert: Assertion failed at file:armv8-m/arm_hardfault.c line: 134 task: init
"""
_NUTTX_ASSERTS = (
    "_assert: Assertion failed : at file: till/drawer.c:113 task: till process: till 0x4\n"
)
_PX4 = """\
System fault Occurred on: 2020-09-28-18:21:22
 Type:Hard Fault in file:armv7-m/arm_hardfault.c at line: 134 running task: till
 r8:0x0816d70c r9:0x00000002  sp:0x2002fc98 lr:0x080e1ce5 pc:0x00000000
"""
_NULL_IP = "\t\t00000000\t00000000\t?\n\t\t\tUnable to retrieve disassembly for IP 0\n"
_CALLED = (
    "\t\t00000000\t0x60fac112\tcommpage_syscall + 0x2\n\t\t0x72793788\t0x2e2c561\tdebugger + 0x31\n"
)

_HANDLED = "\t\t0x717ad2f8\t0x6137b1db\tcommpage_signal_handler + 0x43\n"


@pytest.mark.parametrize(
    ("text", "category", "address", "function"),
    [
        (_UCX.format(why="address not mapped to object at address 0x140"),
         C.NULL_POINTER_DEREFERENCE, 0x140, "drawer_open"),
        (_UCX.format(why="Sent by the kernel at address (nil)"), None, None, "drawer_open"),
        (_SBCL, C.NULL_POINTER_DEREFERENCE, 0x10, None),
        (_ORACLE, C.NULL_POINTER_DEREFERENCE, 0x8, None),
        (_HAIKU.format(state="Exception (Segment violation)", top=_NULL_IP),
         C.NULL_FUNCTION_POINTER_CALL, None, "Drawer::Open()"),
        (_HAIKU.format(state="Exception (Segment violation)", top=""), None, None,
         "Drawer::Open()"),
        (_HAIKU.format(state="Call (abort() called)", top=_CALLED), C.EXPLICIT_ABORT, None,
         "Drawer::Open()"),
        (_OHOS, C.NULL_POINTER_DEREFERENCE, 0x60, "till::Drawer::Open()"),
        (_BUGLY, C.NULL_POINTER_DEREFERENCE, 4, None),
        (_ROOT, None, None, None),
        (_DEEP, C.STACK_OVERFLOW, 0x7FFF5637EFF8, "*count:NoReturn"),
        (_DEEP.replace("524046", "46"), None, 0x7FFF5637EFF8, "*count:NoReturn"),
        (_XORG, C.EXTERNAL_SIGNAL, None, None),
        (_BOLD, C.HEAP_CORRUPTION, None, None),
        (_FORTRAN, None, None, "cfree"),
        (_OBS.format(pc="7FFCC3963A08"), None, None, "drawer_open"),
        (_OBS.format(pc="0"), C.NULL_FUNCTION_POINTER_CALL, None, "drawer_open"),
        (_PETSC.format(frame="#1 Open() at /src/drawer.c:262"), None, None, "Open"),
        (_PETSC.format(frame="[0] Open line 4002 /src/drawer.c"), None, None, "Open"),
        (_ESP8266.format(cause=28, at="0x00000008"), C.NULL_POINTER_DEREFERENCE, 8, None),
        (_ESP8266.format(cause=2, at="0x40202777"), C.WILD_POINTER, 0x40202777, None),
        (_ESP8266.format(cause=9, at="0x40202779"), C.MISALIGNED_ACCESS, 0x40202779, None),
        (_ESP8266.format(cause=4, at="0x00000000"), None, None, None),
        (_ESP8266.format(cause=0, at="0x00000000"), C.ILLEGAL_INSTRUCTION, None, None),
        (_VIRTUALBOX, C.ASSERTION_FAILURE, None, None),
        (_NUTTX.format(cfsr="00008200"), C.NULL_POINTER_DEREFERENCE, 0x16C, None),
        (_NUTTX.format(cfsr="00000400"), None, None, None),
        (_NUTTX.format(cfsr="01000000"), C.MISALIGNED_ACCESS, None, None),
        (_NUTTX_ASSERTS, C.ASSERTION_FAILURE, None, None),
        (_PX4, C.NULL_FUNCTION_POINTER_CALL, None, None),
        (_HAIKU.format(state="Call (abort() called)", top=_CALLED + _HANDLED), None, None,
         "Drawer::Open()"),
    ],
)  # fmt: skip
def test_a_report_of_a_further_system_is_read(
    tmp_path: Path, text: str, category: C | None, address: int | None, function: str | None
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.findings[0].address) == (category, address)
    if function is not None:
        frames = [f.function for one in read.findings for role in one.stacks for f in role.frames]
        assert next(name for name in frames if name) == function


_KCSAN = """\
==================================================================
BUG: KCSAN: data-race in tick_sched_do_timer / drawer_count

write to 0xffffffff82ddb32c of 4 bytes by interrupt on cpu 0:
 tick_sched_do_timer+0x18a/0x1b0 kernel/time/tick-sched.c:193
 __run_hrtimer kernel/time/hrtimer.c:1685 [inline]
till_crypto: disagrees about version of symbol module_layout
 __do_IRQ+0xfc/0x170
 do_IRQ+0x28/0x40
{other}
value changed: 0x00000000 -> 0x1a000080
"""
_READS = "\nread to 0xffffffff82ddb32c of 4 bytes by task 25 on cpu 1:\n drawer_count+0x5e/0x70\n"


@pytest.mark.parametrize(("other", "stacks"), [(_READS, 2), ("", 1)])
def test_a_race_is_between_the_stacks_that_are_of_accesses(
    tmp_path: Path, other: str, stacks: int
) -> None:
    read = read_text(tmp_path, _KCSAN.format(other=other))
    first = read.findings[0]
    assert [role.frames[0].function for role in first.stacks] == [
        "tick_sched_do_timer",
        "drawer_count",
    ][:stacks]


_LOCKED = """\
NMI watchdog: Watchdog detected hard LOCKUP on cpu 0
Pid: 0, comm: till Not tainted 3.8.9-200.fc18.x86_64 #1
Call Trace:
  <NMI>  [<ffffffff810eb800>] ? watchdog_overflow_callback+0x60/0xd0
  [<ffffffff811261ce>] __perf_event_overflow+0x8e/0x220
  [<ffffffff81028b02>] intel_pmu_handle_irq+0x1b2/0x370
  [<ffffffff816466f0>] do_nmi+0xd0/0x310
  [<ffffffff81645c41>] end_repeat_nmi+0x1e/0x2e
"""


def test_a_lockup_is_in_what_the_watchdog_interrupted(tmp_path: Path) -> None:
    below = "  <<EOE>>  [<ffffffff810944f0>] drawer_count+0x90/0xa0\n"
    read = read_text(tmp_path, _LOCKED + below)
    assert read.findings[0].stacks[0].frames[0].function == "drawer_count"
    assert read_text(tmp_path, _LOCKED).findings[0].stacks == ()


_POWERPC = """\
[ 104.669944] Unable to handle kernel paging request for data at address 0x00000060
[ 104.669951] Faulting instruction address: 0xd0000000008cb4dc
[ 104.669962] Oops: Kernel access of bad area, sig: 11 [#1]
[ 104.670397] NIP [d0000000008cb4dc] .drawer_open+0x7c/0x390 [till]
[ 104.670406] LR [d0000000008cb4d8] .drawer_open+0x78/0x390 [till]
[ 104.670419] Call Trace:
[ 104.670426] [c000000010f930b0] [c000000008068df8] .till_probe+0x278/0x390 (unreliable)
"""
_STALL = """\
rcu:         0-....: (65131 ticks this GP) idle=7fa/1/0x4000000000000002 softirq=461259/461259
NMI backtrace for cpu 0
CPU: 0 PID: 353 Comm: till Not tainted 5.3.0 #1
Call Trace:
 dump_stack+0x5c/0x80
 nmi_cpu_backtrace.cold.6+0x13/0x50
"""


def test_kernels_of_other_processors_and_cut_ones_are_read(tmp_path: Path) -> None:
    read = read_text(tmp_path, _POWERPC)
    assert (read.category, read.findings[0].address) == (C.NULL_POINTER_DEREFERENCE, 0x60)
    names = [frame.function for frame in read.findings[0].stacks[0].frames]
    assert names == ["drawer_open", "till_probe"]
    stalled = read_text(tmp_path, _STALL)
    assert (stalled.category, stalled.findings[0].stacks) == (C.INFINITE_LOOP, ())
    killed = "Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled\n"
    assert read_text(tmp_path, killed).category is C.OUT_OF_MEMORY


_LATE = """\
Exception Type:  EXC_CRASH (SIGKILL)
Exception Codes: 0x0000000000000000, 0x0000000000000000
Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d
Termination Description: SPRINGBOARD, watchdog transgression: till exhausted {what} time allowance
"""


def test_who_did_not_answer_in_time_hung(tmp_path: Path) -> None:
    late = read_text(tmp_path, _LATE.format(what="real (wall clock)"))
    assert (late.category, late.findings[0].kind) == (None, "watchdog")
    assert read_text(tmp_path, _LATE.format(what="CPU")).category is C.HIGH_CPU


def test_paddles_stack_ends_in_the_innermost_frame(tmp_path: Path) -> None:
    text = """\
--------------------------------------
C++ Traceback (most recent call last):
--------------------------------------
0   void till::Runner::step<float>(till::Drawer const&)
1   till::Drawer::open(int)
2   paddle::framework::SignalHandle(char const*, int)
3   paddle::platform::GetCurrentTraceBackString[abi:cxx11]()

----------------------
Error Message Summary:
----------------------
FatalError: `Segmentation fault` is detected by the operating system.
  [TimeInfo: *** Aborted at 1609296385 (unix time) try "date -d @1609296385" if you are using ***]
  [SignalInfo: *** SIGSEGV (@0x10) received by PID 4431 (TID 0x7f7a9d1f2740) from PID 16 ***]

Segmentation fault (core dumped)
"""
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "till::Drawer::open(int)")
    assert read.verdict is not None
    assert not any("another failure" in claim.text for claim in read.verdict.claims)


@pytest.mark.parametrize(
    ("words", "category"),
    [
        ("access violation", None),
        ("int divide by zero", C.DIVIDE_BY_ZERO),
        ("stack overflow", C.STACK_OVERFLOW),
        ("code 0x8001010d", None),
    ],
)
def test_pythons_fatal_exceptions_on_windows(
    tmp_path: Path, words: str, category: C | None
) -> None:
    text = f"""\
Windows fatal exception: {words}

Thread 0x00002a1c (most recent call first):
  File "C:\\Python311\\Lib\\threading.py", line 324 in wait
  File "C:\\till\\pool.py", line 60 in idle

Current thread 0x00001b40 (most recent call first):
  File "C:\\Python311\\Lib\\ctypes\\__init__.py", line 410 in __call__
  File "C:\\till\\drawer.py", line 31 in open_drawer
"""
    read = read_text(tmp_path, text)
    (found,) = read.findings
    assert found.message == f"Windows fatal exception: {words}"
    assert read.category is category
    assert category is None or read.function == "open_drawer"


def test_an_exception_of_windows_may_be_handled(tmp_path: Path) -> None:
    text = """\
Windows fatal exception: access violation

Current thread 0x00001b40 (most recent call first):
  File "C:\\till\\drawer.py", line 31 in open_drawer
  File "C:\\till\\main.py", line 8 in <module>
INFO till: 120 notes
Traceback (most recent call last):
  File "C:\\till\\main.py", line 20, in <module>
    store(notes)
  File "C:\\till\\store.py", line 12, in store
    raise ValueError("no room")
ValueError: no room
"""
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, "store")
