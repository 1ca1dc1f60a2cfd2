"""Logs of tools that do not run here, in their own formats: what happened, where, and by whom."""

from pathlib import Path

import pytest

from analyzers.log.stacks import role_of
from tests.logs.reading import read_text
from workbench.model.category import Category as C

RUST = """\
thread 'worker-2' panicked at src/till.rs:41:9:
assertion `left == right` failed: drawer
  left: 3
 right: 4
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:645:5
   1: core::panicking::panic_fmt
             at /rustc/abc/library/core/src/panicking.rs:72:14
   2: till::Drawer::close
             at ./src/till.rs:41:9
   3: till::main
             at ./src/main.rs:8:5
"""
GO = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x48f2a1]

goroutine 19 [running]:
panic({0x4a1b40?, 0x553d10?})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
shop.example/till.(*Drawer).Count(0x0, {0xc000012345, 0x4})
\t/home/ann/till/drawer.go:27 +0x21
main.main()
\t/home/ann/till/main.go:12 +0x2d
exit status 2
"""
DELVE = """\
Exception has occurred: panic "runtime error: index out of range [4] with length 3"
Stack:
\t3  0x0000000000c16509 in till.(*Drawer).Count
\t    at C:/src/till/drawer.go:27
\t4  0x0000000000c19277 in main.main
\t    at C:/src/till/main.go:12
"""
GO_RACE = """\
==================
WARNING: DATA RACE
Write at 0x00c00001c0b8 by goroutine 8:
  main.(*Till).add()
      /home/ann/till/main.go:14 +0x44

Previous read at 0x00c00001c0b8 by goroutine 7:
  main.(*Till).sum()
      /home/ann/till/main.go:19 +0x3c
==================
"""
JAVA = """\
Exception in thread "till-1" java.lang.IllegalStateException: drawer is open
\tat org.shop.Till.close(Till.java:88)
\tat org.shop.Main.main(Main.java:12)
Caused by: java.io.IOException: no coins
\tat org.shop.Coins.read(Coins.java:31)
\t... 2 more
"""
HOTSPOT = """\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f1c3c0a1f2e, pid=4021, tid=4022
#
# Problematic frame:
# C  [libtill.so+0x11f2e]  till_read_coin+0x1e
#

siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000008

Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)
C  [libtill.so+0x11f2e]  till_read_coin+0x1e
C  [libtill.so+0x12011]  Java_org_shop_Till_read+0x31
"""
KASAN = """\
[   61.207345] ==================================================================
[   61.207901] BUG: KASAN: slab-use-after-free in till_close+0x4c/0x90 [till]
[   61.208411] Read of size 8 at addr ffff888103a2c008 by task closer/412
[   61.208888]
[   61.209001] CPU: 1 PID: 412 Comm: closer Tainted: G           O       6.6.8 #1
[   61.209444] Call Trace:
[   61.209555]  <TASK>
[   61.209666]  dump_stack_lvl+0x48/0x60
[   61.209777]  print_report+0xcf/0x620
[   61.209888]  kasan_report+0xa7/0xe0
[   61.210001]  till_close+0x4c/0x90 [till]
[   61.210112]  __fput+0x1f0/0x450
[   61.210223]  </TASK>
[   61.210334]
[   61.210445] Allocated by task 400:
[   61.210556]  kasan_save_stack+0x22/0x50
[   61.210667]  till_open+0x31/0x80 [till]
[   61.210778]
[   61.210889] Freed by task 409:
[   61.211001]  kasan_save_stack+0x22/0x50
[   61.211112]  till_drop+0x19/0x30 [till]
"""
OOPS = """\
Nov  2 10:00:01 box [12.000001] BUG: kernel NULL pointer dereference, address: 0000000000000028
Nov  2 10:00:01 box kernel: [ 12.000002] #PF: supervisor write access in kernel mode
Nov  2 10:00:01 box kernel: [ 12.000003] Oops: 0002 [#1] PREEMPT SMP
Nov  2 10:00:01 box kernel: [ 12.000004] CPU: 0 PID: 77 Comm: insmod Not tainted 6.6.8 #1
Nov  2 10:00:01 box kernel: [ 12.000005] RIP: 0010:till_init+0x1f/0x40 [till]
Nov  2 10:00:01 box kernel: [ 12.000006] Call Trace:
Nov  2 10:00:01 box kernel: [ 12.000007]  do_one_initcall+0x56/0x2f0
"""
SEGFAULT = (
    "Nov  2 10:00:01 box kernel: till[812]: segfault at 18 ip 000055f0c0de1159 "
    "sp 00007ffd1c2a9e10 error 4 in till[55f0c0de1000+1000]\n"
)
TOMBSTONE = """\
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
Build fingerprint: 'acme/till/till:14/UP1A/1:user/release-keys'
ABI: 'arm64'
pid: 2201, tid: 2219, name: RenderThread  >>> org.shop.till <<<
signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010
Cause: null pointer dereference
    x0  0000000000000000  x1  0000007b2c4f1000
    sp  0000007b2c4f0f00  lr  0000007c1a2b3c4d  pc  0000007c1a2b3d00
backtrace:
      #00 pc 0000000000023d00  /data/app/till/lib/libtill.so (Drawer::count()+16) (BuildId: 0a0b)
      #01 pc 0000000000024100  /data/app/till/lib/libtill.so (till_run+64) (BuildId: 0a0b)
"""
APPLE = """\
Process:               till [611]
Path:                  /Applications/till.app/Contents/MacOS/till
Code Type:             ARM-64 (Native)
OS Version:            macOS 14.1 (23B74)
Crashed Thread:        2

Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000018

Thread 0:
0   libsystem_kernel.dylib        \t0x0000000181c2d954 mach_msg2_trap + 8

Thread 2 Crashed:
0   till                          \t0x0000000102b3c1f0 Drawer::count() const + 32 (drawer.cpp:51)
1   till                          \t0x0000000102b3c400 run_till + 120 (main.cpp:9)
"""
STACKWALK = """\
Operating system: Linux
                  0.0.0 Linux 6.1.0
CPU: amd64
Crash reason:  SIGSEGV /SEGV_MAPERR
Crash address: 0x8

Thread 0 (crashed)
 0  till!Drawer::count() [drawer.cpp : 51 + 0x4]
    rax = 0x0000000000000000
    Found by: given as instruction pointer in context
 1  till!main [main.cpp : 9 + 0x8]

Thread 1
 0  libc.so.6 + 0x10e15d
"""
COREDUMPCTL = """\
           PID: 3120 (till)
        Signal: 6 (ABRT)
  Command Line: ./till --open
    Executable: /usr/bin/till
       Message: Process 3120 (till) of user 1000 dumped core.

                Stack trace of thread 3120:
                #0  0x00007f2b1c8a9e2c __pthread_kill_implementation (libc.so.6 + 0x8ae2c)
                #1  0x00007f2b1c845446 __assert_fail (libc.so.6 + 0x35e32)
                #2  0x000055d0c0de1189 close_drawer (till + 0x1189)
                #3  0x000055d0c0de11b0 main (till + 0x11b0)
"""
DUMPED = COREDUMPCTL.replace("__assert_fail", "malloc_printerr")
DUMPED = (
    "Nov 2 10:03:01 host systemd-coredump[9]: [\U0001f855] " + DUMPED[DUMPED.index("Process") :]
)
APPORT = """\
ProblemType: Crash
ExecutablePath: /usr/bin/till
Signal: 11
SegvAnalysis:
 Segfault happened at: 0x55d0c0de1159 <count_coins+9>:\tmov    0x8(%rax),%eax
 PC (0x55d0c0de1159) ok
 source "0x8(%rax)" (0x00000008) not located in a known VMA region (needed readable region)!
SegvReason: reading NULL VMA
Stacktrace:
 #0  0x000055d0c0de1159 in count_coins (it=0x0) at till.c:5
 #1  0x000055d0c0de1180 in main () at till.c:9
"""
CHROMIUM = """\
[4120:4121:1102/100301.123456:FATAL:drawer.cc(77)] Check failed: coins_ > 0 (0 vs. 0)
#0 0x55d0c0de1159 base::debug::CollectStackTrace()
#1 0x55d0c0de1200 logging::LogMessage::~LogMessage()
#2 0x55d0c0de1300 till::Drawer::Close() [../../till/drawer.cc:77:3]
Received signal 6
"""
TERMINATE = """\
terminate called after throwing an instance of 'till::NoCoins'
  what():  drawer 4 is empty
Aborted (core dumped)
"""
NODE = """\
/srv/till/drawer.js:12
    throw new RangeError("no coins");
    ^

RangeError: no coins
    at Drawer.close (/srv/till/drawer.js:12:11)
    at Object.<anonymous> (/srv/till/main.js:4:3)
"""
DOTNET = """\
Unhandled exception. System.InvalidOperationException: drawer 4 is open
   at Till.Drawer.Close(Int32 coins) in /src/Drawer.cs:line 31
   at Till.Program.Main() in /src/Program.cs:line 8
"""
LINKER = (
    "till: error while loading shared libraries: libcoin.so.3: cannot open shared object file\n"
)


@pytest.mark.parametrize(
    ("text", "category", "function", "words"),
    [
        (RUST, C.ASSERTION_FAILURE, "till::Drawer::close", "till.rs:41"),
        (GO, C.NULL_POINTER_DEREFERENCE, "shop.example/till.(*Drawer).Count", "drawer.go:27"),
        (DELVE, C.PANIC, "till.(*Drawer).Count", "drawer.go:27"),
        (GO_RACE, C.DATA_RACE, "main.(*Till).add", "0xc00001c0b8"),
        (JAVA, C.UNCAUGHT_EXCEPTION, "org.shop.Coins.read", "no coins"),
        (HOTSPOT, C.NULL_POINTER_DEREFERENCE, "till_read_coin", "SIGSEGV"),
        (KASAN, C.USE_AFTER_FREE, "till_close", "a read of 8 bytes at 0xffff888103a2c008"),
        (OOPS, C.NULL_POINTER_DEREFERENCE, "till_init", "0000000000000028"),
        (SEGFAULT, C.NULL_POINTER_DEREFERENCE, None, "segfault at 18"),
        (TOMBSTONE, C.NULL_POINTER_DEREFERENCE, "Drawer::count()", "null pointer"),
        (APPLE, C.NULL_POINTER_DEREFERENCE, "Drawer::count() const", "drawer.cpp:51"),
        (STACKWALK, C.NULL_POINTER_DEREFERENCE, "Drawer::count()", "SIGSEGV"),
        (COREDUMPCTL, C.ASSERTION_FAILURE, "close_drawer", "6 (ABRT)"),
        (DUMPED, C.HEAP_CORRUPTION, "close_drawer", "dumped core"),
        (APPORT, C.NULL_POINTER_DEREFERENCE, "count_coins", "till.c:5"),
        (CHROMIUM, C.ASSERTION_FAILURE, "till::Drawer::Close()", "coins_ > 0"),
        (TERMINATE, C.UNCAUGHT_EXCEPTION, None, "till::NoCoins"),
        (NODE, C.UNCAUGHT_EXCEPTION, "Drawer.close", "drawer.js:12"),
        (LINKER, C.LIBRARY_LOAD_FAILURE, None, "libcoin.so.3"),
    ],
    ids=lambda value: value.value if isinstance(value, C) else "",
)  # fmt: skip
def test_what_a_log_says(
    tmp_path: Path, text: str, category: C, function: str | None, words: str
) -> None:
    read = read_text(tmp_path, text)
    assert read.category is category
    assert read.function == function
    assert words in read.cause


@pytest.mark.parametrize(
    ("outer", "function"),
    [
        ("System.AggregateException", "Till.Rates.Lookup"),
        ("Till.ClosingFailed", "Till.Program.Main"),
    ],
)
def test_what_only_carries_another_exception_is_not_where_it_was_thrown(
    tmp_path: Path, outer: str, function: str
) -> None:
    read = read_text(
        tmp_path,
        f"""Unhandled exception. {outer}: one or more failed
 ---> System.InvalidOperationException: no elements
   at System.Linq.Enumerable.First[TSource](IEnumerable`1 source)
   at Till.Rates.Lookup(String code) in /src/Rates.cs:line 44
   --- End of inner exception stack trace ---
   at System.Threading.Tasks.Task.ThrowIfExceptional(Boolean all)
   at Till.Program.Main(String[] args) in /src/Program.cs:line 17
""",
    )
    assert read.function == function
    inner = "System.InvalidOperationException" in read.cause.partition("wraps it")[0]
    assert inner is (function == "Till.Rates.Lookup"), "the frame's own exception"


@pytest.mark.parametrize(
    ("file", "function"),
    [("/home/bob/shop/Cart.cs", "Internal.Cart.Total"), ("/_/src/libraries/Cart.cs", "Shop.Main")],
)
def test_a_namespace_that_dotnet_has_as_well(tmp_path: Path, file: str, function: str) -> None:
    head = "Unhandled exception. System.InvalidOperationException: closed\n"
    stack = f"   at Internal.Cart.Total() in {file}:line 12\n   at Shop.Main() in /a.cs:line 3\n"
    read = read_text(tmp_path, head + stack)
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, function)


def test_an_unhandled_exception_of_dotnet(tmp_path: Path) -> None:
    read = read_text(tmp_path, DOTNET)
    assert read.category is C.UNCAUGHT_EXCEPTION
    assert read.verdict is not None
    assert any("drawer 4 is open" in claim.text for claim in read.verdict.claims)


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("*** glibc detected *** ./till: double free or corruption (fasttop): 0x08d4 ***",
         C.DOUBLE_FREE),
        ("*** glibc detected *** /usr/bin/till: free(): invalid pointer: 0x08d4 ***",
         C.INVALID_FREE),
        ("(till:41): GLib-ERROR **: 10:11:12.131: ../gmem.c:106: failed to allocate 4096 bytes",
         C.OUT_OF_MEMORY),
        ("GLib-ERROR **: ../gmem.c:106: failed to allocate 18446744073709551000 bytes", None),
        ("(till:41): Gtk-ERROR **: cannot open display", C.EXPLICIT_ABORT),
        ("(till:41): GLib-GObject-CRITICAL **: g_object_unref: assertion 'G_IS_OBJECT' failed",
         None),
        ("[1][critical][assert] source/common/till.cc:87] assert failure: n == 0 || m",
         C.ASSERTION_FAILURE),
        ("[1][critical][assert] source/common/till.cc:259] panic: not reached", C.PANIC),
        ("free(): invalid pointer", C.INVALID_FREE),
        ("double free or corruption (!prev)", C.HEAP_CORRUPTION),
        ("free(): double free detected in tcache 2", C.DOUBLE_FREE),
        ("corrupted size vs. prev_size", C.HEAP_CORRUPTION),
        ("*** stack smashing detected ***: terminated", C.STACK_BUFFER_OVERFLOW),
        ("*** buffer overflow detected ***: terminated", C.BUFFER_OVERFLOW),
        ("pure virtual method called", C.PURE_VIRTUAL_CALL),
        ("memory allocation of 99999999999 bytes failed", C.OUT_OF_MEMORY),
        ("thread 'main' has overflowed its stack", C.STACK_OVERFLOW),
        ("a.c:3:7: runtime error: division by zero", C.DIVIDE_BY_ZERO),
        ("==7== Jump to the invalid address stated on the next line\n==7==    at 0x0: ???\n"
         "==7==    by 0x10915A: main (till.c:5)\n"
         "==7==  Address 0x0 is not stack'd, malloc'd or (recently) free'd",
         C.NULL_FUNCTION_POINTER_CALL),
        ("Process:         Till [49]\nIdentifier:      org.till\nCode Type:       X86-64\n"
         "OS Version:      Mac OS X 10.14.0 (18A391)\nReport Version:  104\n\n"
         "Exception Type:  SIGSEGV\nException Codes: SEGV_MAPERR at 0x18\nCrashed Thread:  0\n\n"
         "Thread 0 Crashed:\n0   Till    0x000000010864e100 0x10864e000 + 256\n",
         C.NULL_POINTER_DEREFERENCE),
        ("a.c:3:7: runtime error: load of misaligned address 0x0601 for type 'int'",
         C.MISALIGNED_ACCESS),
        ("==7==ERROR: AddressSanitizer: stack-overflow on address 0x7ffc10 (pc 0x4a5 T0)",
         C.STACK_OVERFLOW),
        ("==7==ERROR: AddressSanitizer: requested allocation size 0x7ff0000000 exceeds maximum",
         C.OUT_OF_MEMORY),
        ("==7==WARNING: MemorySanitizer: use-of-uninitialized-value", C.UNINITIALIZED_VALUE),
        ("WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=3)", C.DEADLOCK),
        ("==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0000e5e5e5e5 (pc 0x1234567 T0)",
         C.USE_AFTER_FREE),
        ("==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x0000 T0)",
         C.NULL_FUNCTION_POINTER_CALL),
        ("==7==ERROR: AddressSanitizer: SEGV on unknown address 0x03e900003b7b (pc 0x7f0ba6 T0)",
         C.EXTERNAL_SIGNAL),
        ("panic: all is lost\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/b.go:3 +0x2", C.PANIC),
        ("panic: runtime error: integer divide by zero\n\ngoroutine 7 "
         "[running]:\nmain.list()\n\t/a/b.go:3 +0x2", C.DIVIDE_BY_ZERO),
        ("till[7]: thread 'a' (12) has overflowed its stack\ntill[7]: fatal runtime error: x",
         C.STACK_OVERFLOW),
        ("fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n"
         "main.main()\n\t/a/b.go:3 +0x2", C.DEADLOCK),
    ],
)  # fmt: skip
def test_one_line_may_be_all_there_is(tmp_path: Path, line: str, category: C) -> None:
    end = "==7==ABORTING\n" if "Sanitizer: " in line else ""  # its first line alone proves nothing
    assert read_text(tmp_path, f"starting\n{line}\n{end}").category is category


def test_the_tools_own_words_overrule_how_it_ended(tmp_path: Path) -> None:
    text = (
        "Assertion failure: coins > 0, at /src/drawer.cpp:77\n\n"
        'Thread 1 "till" received signal SIGSEGV, Segmentation fault.\n'
        "#0  0x0000000000b7e884 in Drawer::close (this=0x1) at /src/drawer.cpp:77\n"
        "#1  0x0000000000b7e900 in main () at /src/main.cpp:9\n"
        "rax            0x0                 0\n"
        "rip            0xb7e884            0xb7e884\n"
        "=> 0xb7e884 <Drawer::close()+52>:\tmovl   $0x0,0x0\n"
    )
    read = read_text(tmp_path, text)
    assert read.category is C.ASSERTION_FAILURE
    assert read.function == "Drawer::close"


def test_a_failed_check_of_v8_keeps_its_message_and_its_place(tmp_path: Path) -> None:
    text = "#\n# Fatal error in ../../src/objects.cc, line 163\n# Check failed: map.is_stable.\n#\n"
    read = read_text(tmp_path, text)
    assert read.category is C.ASSERTION_FAILURE
    assert "map.is_stable" in read.cause
    assert read.verdict is not None
    assert read.verdict.frame is not None
    assert (read.verdict.frame.file, read.verdict.frame.line) == ("../../src/objects.cc", 163)


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("  Uninitialized value was created by a heap allocation", "alloc"),
        ("==7==  Uninitialised value was created by a stack allocation", "alloc"),
        ("Uninit was created at:", "alloc"),
        ("  Uninitialized value was stored to memory at", "other"),
        ("  Thread T1 (tid=8, running) created by main thread at:", "create"),
    ],
)
def test_where_what_was_never_set_came_from_is_no_thread(title: str, role: str) -> None:
    assert role_of(title, first=False) == role
