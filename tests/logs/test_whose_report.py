"""Whose report it is: what Windows raised under Java, a stack's end, a tool's own frames."""

from pathlib import Path

import pytest

from analyzers.signature import signature
from tests.logs.reading import read_text
from workbench.model.category import Category as C

HEAD = """\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  {said}
#
# JRE version: OpenJDK Runtime Environment (17.0.2+8)
# Problematic frame:
# C  [till.dll+0x12]
#
"""
RAISED = " (0xc0000005) at pc=0x00007ffc1a2b0012, pid=4712, tid=9320"
NATIVE = """\
---------------  T H R E A D  ---------------

Current thread (0x000001f): JavaThread "main" [_thread_in_native, id=9320, \
stack(0x00000000700f0000,0x00000000701f0000)]

siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x{address:016x}

Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)
C  [till.so+0x12]  till_count+0x12
C  [till.so+0x44]  till_count+0x44
"""
FREED = """\
==4099==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000018 \
(pc 0x55d1c0de10 bp 0x7ffe10 sp 0x7ffe00 T0)
==4099==The signal is caused by a READ memory access.
    #0 0x55d1 in __sanitizer::atomic_compare_exchange_strong sanitizer_atomic_clang.h:80
    #1 0x55d2 in __asan::Allocator::Deallocate(void*) asan_allocator.cc:530
    #2 0x55d3 in __interceptor_free asan_malloc_linux.cc:125
    #3 0x55d4 in till_close /src/till.c:88:3
    #4 0x55d5 in main /src/main.c:9:3
"""
WARNED = """\
[   54.586790] WARNING: CPU: 1 PID: 6747 at drivers/till.c:81 till_check+0xdb/0x100
[   54.620747]  dump_stack+0x194/0x257
[   54.699305] RIP: 0010:till_check+0xdb/0x100
[   54.700305]  till_ioctl+0x6e/0xd0
[   61.889077] BUG: KASAN: use-after-free in till_send+0x141/0x2e0
[   61.889078] Read of size 8 at addr ffff8881ceba71f8 by task till/22
[   61.891826] Call Trace:
[   61.895826]  till_send+0x141/0x2e0
[   61.895827]  till_ioctl+0x6e/0xd0
"""
DEEP = """\
runtime: goroutine stack exceeds 1000000000-byte limit
fatal error: stack overflow

runtime stack:
runtime.throw(0x60f619, 0xe)
\t/usr/local/go/src/runtime/panic.go:619 +0x81
runtime.newstack()
\t/usr/local/go/src/runtime/stack.go:1054 +0x71f

goroutine 34 [running]:
shop.example/till.(*Drawer).Next(0xc420158000)
\t/home/ann/till/drawer.go:271 +0x218
shop.example/till.(*Drawer).Next(0xc420158000)
\t/home/ann/till/drawer.go:271 +0x218
"""
LEAKED = """\
==12==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 40 byte(s) in 1 object(s) allocated from:
    #0 0x4d5058 in malloc _asan_rtl_
    #1 0x80469a in till_new /src/till.c:952:34

SUMMARY: AddressSanitizer: 40 byte(s) leaked in 1 allocation(s).
"""
SENT = """\
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
ABI: 'arm64'
pid: 13935, tid: 14017, name: timer  >>> /vendor/bin/till <<<
signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
backtrace:
    #00 pc 0000000000051994  /vendor/lib64/libtill.so (till_watch+12)
    #01 pc 0000000000033168  /vendor/lib64/libtill.so (till_run+8)
"""
CONCURRENT = """\
fatal error: concurrent map {said}

goroutine 27 [running]:
main.(*Rates).Put(0xc0000b2000, 0x7)
\t/src/rates.go:21 +0x6f
created by main.main in goroutine 1
\t/src/main.go:19 +0x8e

goroutine 1 [semacquire]:
sync.runtime_Semacquire(0xc0000a4018?)
\t/usr/local/go/src/runtime/sema.go:62 +0x25
main.main()
\t/src/main.go:24 +0xd5

goroutine 7 [sleep]:
time.Sleep(0x3b9aca00)
\t/usr/local/go/src/runtime/time.go:195 +0x125
main.flush()
\t/src/flush.go:12 +0x30
"""


@pytest.mark.parametrize(
    "top",
    ["internal/runtime/maps.fatal({0x4c1b2a?, 0xc000012018?})", "runtime.fatal({0x4c, 0x12})"],
)
def test_what_ends_a_go_program_made_no_access(tmp_path: Path, top: str) -> None:
    text = CONCURRENT.format(said="writes").replace(
        "main.(*Rates)", f"{top}\n\t/usr/local/go/src/runtime/panic.go:1053 +0x18\nmain.(*Rates)", 1
    )
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.DATA_RACE, "main.(*Rates).Put")
    assert read.verdict is not None
    assert not any("fatal`" in claim.text for claim in read.verdict.claims)
    found = signature(read.findings[0].stacks[0].frames)
    assert found is not None
    assert found.text == "main.Rates.Put"


def test_a_check_of_the_java_vm_is_not_the_programs(tmp_path: Path) -> None:
    said = "Internal Error (g1ConcurrentMark.cpp:1190), pid=4712, tid=9320"
    read = read_text(tmp_path, HEAD.format(said=said) + NATIVE.format(address=0x700F0FF8))
    assert read.category is C.ASSERTION_FAILURE
    assert read.cause.startswith("A check of the Java VM failed")


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("EXCEPTION_STACK_OVERFLOW" + RAISED, C.STACK_OVERFLOW),
        ("EXCEPTION_IN_PAGE_ERROR" + RAISED, C.BUS_ERROR),
        ("EXCEPTION_ILLEGAL_INSTRUCTION" + RAISED, C.ILLEGAL_INSTRUCTION),
        ("EXCEPTION_BREAKPOINT" + RAISED, C.TRAP),
        ("Internal Error (0xe06d7363), pid=4712, tid=9320", C.UNCAUGHT_EXCEPTION),
        ("Internal Error (0xc0000374), pid=4712, tid=9320", C.HEAP_CORRUPTION),
    ],
)
def test_says_what_windows_raised(tmp_path: Path, said: str, category: C) -> None:
    assert read_text(tmp_path, HEAD.format(said=said)).category is category


@pytest.mark.parametrize(
    ("address", "category"),
    [(0x700F0FF8, C.STACK_OVERFLOW), (0x7F0000A0, C.WILD_POINTER)],
)
def test_tells_the_stacks_end_from_a_wild_address(
    tmp_path: Path, address: int, category: C
) -> None:
    said = "SIGSEGV (0xb) at pc=0x00007ffc1a2b0012, pid=4712, tid=9320"
    text = HEAD.format(said=said) + NATIVE.format(address=address)
    read = read_text(tmp_path, text)
    assert read.findings[0].stack == (0x700F0000, 0x701F0000)
    assert read.findings[0].category == category.value


ANDROID = "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr {} in tid 7 (t)\n"
OOPS = "[ 13.4] BUG: unable to handle kernel paging request at {}\n[ 13.4] Oops: 0002 [#1] SMP\n"


@pytest.mark.parametrize(
    ("said", "address", "category"),
    [
        (ANDROID, "0xf6dc0000", None),
        (ANDROID, "0xf6dc0124", C.WILD_POINTER),
        (ANDROID, "0xb400007a1c2d3000", None),  # with the tag of its heap
        (ANDROID, "0xdead000000000000", C.WILD_POINTER),
        (ANDROID, "0xffff900000000000", C.WILD_POINTER),
        (OOPS, "ffffe0f000020000", None),
        (OOPS, "dead000000000000", C.WILD_POINTER),
    ],
)
def test_takes_no_page_that_begins_for_a_wild_address_where_one_may_be_mapped(
    tmp_path: Path, said: str, address: str, category: C | None
) -> None:
    assert read_text(tmp_path, said.format(address)).category is category


def test_takes_a_fault_inside_free_for_an_invalid_free(tmp_path: Path) -> None:
    read = read_text(tmp_path, FREED)
    assert (read.category, read.function) == (C.INVALID_FREE, "till_close")


def test_lets_no_warning_hide_the_crash_behind_it(tmp_path: Path) -> None:
    read = read_text(tmp_path, WARNED)
    assert (read.category, read.function) == (C.USE_AFTER_FREE, "till_send")


def test_takes_neither_a_runtimes_own_stack_nor_a_tools_frame(tmp_path: Path) -> None:
    deep = read_text(tmp_path, DEEP)
    assert deep.category is C.STACK_OVERFLOW
    assert deep.function == "shop.example/till.(*Drawer).Next"
    assert read_text(tmp_path, LEAKED).function == "till_new"


def test_blames_no_other_process_where_no_sender_is_named(tmp_path: Path) -> None:
    assert read_text(tmp_path, SENT).category is not C.EXTERNAL_SIGNAL


@pytest.mark.parametrize("said", ["writes", "read and map write", "iteration and map write"])
def test_takes_no_waiting_goroutine_for_the_other_access(tmp_path: Path, said: str) -> None:
    read = read_text(tmp_path, CONCURRENT.format(said=said))
    assert (read.category, read.function) == (C.DATA_RACE, "main.(*Rates).Put")
    assert [role.role for role in read.findings[0].stacks] == ["access", "thread", "thread"]
    assert read.verdict is not None
    assert not [claim for claim in read.verdict.claims if claim.kind == "role"]


@pytest.mark.parametrize(
    ("at", "category"),
    [("skip_word (cut.c:14)", C.HEAP_BUFFER_OVERFLOW), ("sort_words (sort.c:8)", None)],
)
def test_a_shells_word_of_an_end_is_not_another_one(
    tmp_path: Path, at: str, category: C | None
) -> None:
    text = f"""\
==77== Memcheck, a memory error detector
==77== Invalid read of size 1
==77==    at 0x10921A: skip_word (cut.c:14)
==77==    by 0x1092B1: main (cut.c:30)
==77==  Address 0x4a6d09a is 0 bytes after a block of size 26 alloc'd
==77==    at 0x484884F: malloc (vg_replace_malloc.c:393)
==77==    by 0x109288: main (cut.c:26)
==77==
==77== Process terminating with default action of signal 11 (SIGSEGV)
==77==  Access not within mapped region at address 0x4E6E000
==77==    at 0x10921A: {at}
==77==    by 0x1092B1: main (cut.c:30)
Segmentation fault (core dumped)
"""
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("terminate called after throwing an instance of 'till::NoCoins'\n"
         "  what():  drawer 4 is empty\nAborted (core dumped)\n", "what(): drawer 4 is empty"),
        ("==9==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffd1 at pc 0x4c1 bp "
         "0x7ff sp 0x7fe\nWRITE of size 1 at 0x7ffd1 thread T0\n    #0 0x4c1a01 in label "
         "/q/label.c:17:14\n\nAddress 0x7ffd1 is located in stack of thread T0 at offset 48 in "
         "frame\n    #0 0x4c1990 in label /q/label.c:11\n\n  This frame has 1 object(s):\n"
         "    [32, 48) 'text' (line 12) <== Memory access at offset 48 overflows this variable\n",
         "'text' (line 12)"),
    ],
)  # fmt: skip
def test_the_headline_has_what_a_report_names(tmp_path: Path, text: str, named: str) -> None:
    assert named in read_text(tmp_path, text).cause


_DART = """\
===== CRASH =====
si_signo=Segmentation fault(11), si_code=1, si_addr=0x7f0ff4f81234
==================
WARNING: ThreadSanitizer: signal-unsafe call inside of a signal (pid=7328)
    #0 malloc tsan_interceptors_posix.cpp:666 (till+0x1efd)
    #1 drawer_open /src/till.c:12 (till+0x1efdfdc)
SUMMARY: ThreadSanitizer: signal-unsafe call inside of a signal /src/till.c:12 in drawer_open
"""


def test_the_stack_of_another_tools_report_tells_nothing_of_an_end(tmp_path: Path) -> None:
    read = read_text(tmp_path, _DART)
    assert read.category is not C.HEAP_CORRUPTION
    assert "drawer_open" not in (read.cause if read.verdict is not None else "")


@pytest.mark.parametrize(
    ("caller", "category"),
    [("__aeabi_idiv0+8", C.DIVIDE_BY_ZERO), ("drawer_open+8", C.EXPLICIT_ABORT)],
)
def test_arms_division_by_zero_is_raised_by_its_runtime(
    tmp_path: Path, caller: str, category: C
) -> None:
    text = f"""\
pid: 4351, tid: 4380, name: till  >>> org.till <<<
signal 8 (SIGFPE), code -6 (SI_TKILL), fault addr 0x10ff

backtrace:
    #00 pc 00037b4c  /system/lib/libc.so (tgkill+12)
    #01 pc 00014beb  /system/lib/libc.so (raise+10)
    #02 pc 0057d994  /data/app/lib/libtill.so ({caller})
    #03 pc 002d99a1  /data/app/lib/libtill.so (count+4)
"""
    assert read_text(tmp_path, text).category is category


_UNITS = """\
May 02 10:00:11 box systemd[1]: ingest.service: Main process exited, code=dumped, status=6/ABRT
May 02 10:00:11 box systemd[1]: ingest.service: Failed with result 'core-dump'.
May 02 10:03:45 box systemd[1]: report.service: A process of this unit has been killed by the OOM \
killer.
May 02 10:03:45 box systemd[1]: report.service: Main process exited, code=killed, status=9/KILL
May 02 10:03:45 box systemd[1]: report.service: Failed with result 'oom-kill'.
"""


def test_what_ended_another_unit_is_another_failure(tmp_path: Path) -> None:
    verdict = read_text(tmp_path, _UNITS).verdict
    assert verdict is not None
    told = " ".join(claim.text for claim in verdict.claims)
    assert "another failure" in told
    assert "ingest.service: Main process exited" in told
    assert "report.service: Main process exited" not in told


_NO_PANIC = """\
thread 'main' panicked at 'no bin 7', src/bins.rs:18:9
stack backtrace:
   0: std::panicking::begin_panic
   1: bins::get
fatal runtime error: failed to initiate panic, error 5
Aborted (core dumped)
"""


def test_the_abort_that_a_panic_ends_in_is_no_other_failure(tmp_path: Path) -> None:
    read = read_text(tmp_path, _NO_PANIC)
    assert read.verdict is not None
    assert '"no bin 7"' in read.cause
    assert not any("another failure" in claim.text for claim in read.verdict.claims)


_OVERWRITTEN = """\
==3310== Invalid write of size 8
==3310==    at 0x109201: ring_put (ring.c:22)
==3310==    by 0x109311: main (main.c:14)
==3310==  Address 0x4a5a0b0 is 0 bytes after a block of size 64 alloc'd
==3310==    at 0x483B7F3: malloc (in /usr/lib/vgpreload_memcheck-amd64-linux.so)
==3310==    by 0x1091d4: ring_new (ring.c:9)
==3310==
valgrind: m_mallocfree.c:280 (mk_plain_bszB): Assertion 'bszB != 0' failed.
"""


def test_valgrinds_own_assertion_is_not_the_programs(tmp_path: Path) -> None:
    read = read_text(tmp_path, _OVERWRITTEN)
    assert (read.category, read.function) == (C.HEAP_BUFFER_OVERFLOW, "ring_put")


def test_the_stack_of_a_heap_checks_abort_is_its_own(tmp_path: Path) -> None:
    text = """\
malloc(): unaligned tcache chunk detected
[till-host:04411] *** Process received signal ***
[till-host:04411] Signal: Aborted (6)
[till-host:04411] Signal code:  (-6)
[till-host:04411] [ 0] /lib/libc.so.6(+0x42520)[0x7f2b6b0e8520]
[till-host:04411] [ 1] /lib/libc.so.6(abort+0xd3)[0x7f2b6b0ce7f3]
[till-host:04411] [ 2] /lib/libc.so.6(malloc+0x1a3)[0x7f2b6b14b3a3]
[till-host:04411] [ 3] ./till(drawer_split+0x51)[0x55c0a1b2c3d7]
[till-host:04411] *** End of error message ***
"""
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.HEAP_CORRUPTION, "drawer_split")
    assert read.verdict is not None
    assert not any("another failure" in claim.text for claim in read.verdict.claims)
