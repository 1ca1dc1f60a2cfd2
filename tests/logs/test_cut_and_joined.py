"""Reports whose beginning was cut away, whose lines somebody joined, or that a handler ended."""

from pathlib import Path

import pytest

from analyzers.patterns.reported.case import Reports
from tests.logs.reading import Read, read_text
from workbench.model.category import Category as C
from workbench.model.facts import Stack

_ABORTED = (
    "Program terminated with signal 6, Aborted.\n"
    "#0  0xb7792424 in __kernel_vsyscall ()\n"
    "#1  0x4be11756 in raise () from /lib/libc.so.6\n"
    "#2  0x4be12f93 in abort () from /lib/libc.so.6\n"
    "#3  0x080b4ccf in give_up () at log.c:811\n"
    "#4  0x080b6136 in on_signal ({}=11, sip=0xbfaad08c) at init.c:147\n"
    "#5  <signal handler called>\n"
    "#6  0x08117ca2 in count (x=747) at till.c:33\n"
    "=> 0xb7792424 <__kernel_vsyscall+16>:\tpop    %ebp\n"
    "esp            0xbfaace74\t0xbfaace74\n"
)


def _place(read: Read) -> str | None:
    frame, _ = Reports(read.facts).fault_frame(read.findings[0])
    return frame.function if frame is not None else None


@pytest.mark.parametrize("argument", ["signo", "postgres_signal_arg"])
def test_a_handler_that_aborts_was_called_for_another_signal(tmp_path: Path, argument: str) -> None:
    read = read_text(tmp_path, _ABORTED.format(argument))
    assert [f.signal for f in read.findings] == ["SIGSEGV"]
    assert read.findings[0].address is None
    assert _place(read) == "count"
    assert read.category is None


def test_one_that_aborts_for_its_own_signal_is_told_as_before(tmp_path: Path) -> None:
    read = read_text(tmp_path, _ABORTED.format("other"))
    assert [f.signal for f in read.findings] == ["SIGABRT"]


_CUT = (
    "#8  0x00007ffff5eab43a in _int_free (av=0x7ffff6003ac0 <main_arena>, \n"
    "    p=<optimized out>, have_lock=<optimized out>) at ./malloc/malloc.c:4646\n"
    "#9  0x00007ffff5eaddae in __GI___libc_free (mem=0x5555556b89a0)\n"
    "    at ./malloc/malloc.c:3398\n"
    "#10 0x00007ffff72cb829 in acme::Till::~Till () from libtill.so\n"
)


def test_gdbs_stack_without_its_innermost_frames_is_one(tmp_path: Path) -> None:
    read = read_text(tmp_path, f"it ends with\n```\n{_CUT}```\n")
    stacks = read.facts.all(Stack)
    assert [[f.index for f in stack.frames] for stack in stacks] == [[8, 9, 10]]
    assert read.hosts == ["gdb"]


def test_frames_that_stand_in_one_line_are_taken_apart(tmp_path: Path) -> None:
    frames = (
        "#0  0x00007f4c0192b49b in raise () from /lib64/libpthread.so.0 #1  0x0000000000bec980 in "
        "on_signal (sig=11) at elog.c:5548 #2  <signal handler called> #3  0x00000000006c7e6e in "
        "count (till=0x0) at till.c:583 #4  main () at main.c:8\n"
    )
    read = read_text(tmp_path, f"From the stack:\n {frames}")
    assert _place(read) == "count"
    assert [f.signal for f in read.findings] == ["SIGSEGV"]


def test_what_rsyslog_writes_for_the_end_of_a_line(tmp_path: Path) -> None:
    text = (
        "Process 2150 (till) of user 1000 dumped core.#012#012Stack trace of thread 2150:#012"
        "#0  0x00007f488ab0c08f count (till + 0x10708f)#012#1  0x00007f4889e7a2ce main (till + "
        "0x5e2ce)#012\n"
    )
    read = read_text(tmp_path, text)
    assert [[f.function for f in s.frames] for s in read.facts.all(Stack)] == [["count", "main"]]


@pytest.mark.parametrize("marks", ["_{}_", "**{}**"])
def test_a_head_that_a_page_emphasised(tmp_path: Path, marks: str) -> None:
    head = marks.format("A fatal error has been detected by the Java Runtime Environment:")
    read = read_text(
        tmp_path,
        f"{head}\n\n SIGSEGV (0xb) at pc=0x0164df71, pid=621, tid=39102560\n\n"
        " Problematic frame:\n C  [libtill.so+0xef71]  count+0x08\n",
    )
    assert read.findings[0].signal == "SIGSEGV"
    assert _place(read) == "count"


def test_an_older_monos_stack_stands_in_front(tmp_path: Path) -> None:
    text = (
        "Stacktrace:\n\n\nNative stacktrace:\n\n\tmono() [0x4a1dd8]\n"
        "\t/lib/x86_64-linux-gnu/libpthread.so.0(+0x10340) [0x7ffc40338340]\n"
        "\t/opt/libtill.so(count+0x2d) [0x5ae5bd]\n\tmono() [0x54aa31]\n\n"
        "=================================================================\n"
        "Got a SIGSEGV while executing native code. This usually indicates\n"
        "a fatal error in the mono runtime or one of the native libraries \n"
    )
    assert _place(read_text(tmp_path, text)) == "count"


def test_what_is_left_of_apples_json(tmp_path: Path) -> None:
    text = (
        '  "sip" : "enabled",\n  "vmRegionInfo" : "0x2a6adb8b9c0 is not in any region.",\n'
        '  "exception" : {"codes":"0x1, 0x2a6adb8b9c0","rawCodes":[1,2],"type":"EXC_BAD_ACCESS",'
        '"signal":"SIGSEGV","subtype":"KERN_INVALID_ADDRESS at 0x000002a6adb8b9c0"},\n'
        '  "faultingThread" : 36,\n  "threads" : [{"id":11666,"threadState":{"x":[{"value":26845\n'
    )
    read = read_text(tmp_path, text)
    assert (read.findings[0].signal, read.findings[0].address) == ("SIGSEGV", 0x2A6ADB8B9C0)
    assert read.findings[0].thread == 36


def test_a_game_that_writes_a_crash_report_has_ended(tmp_path: Path) -> None:
    trace = (
        "java.lang.NullPointerException: Ticking entity\n    at com.acme.Till.count(Till.java:7)\n"
    )
    head = "---- Minecraft Crash Report ----\n// Sorry :(\n\nTime: 02.07.14 20:58\n"
    read = read_text(tmp_path, f"{head}Description: Ticking entity\n\n{trace}")
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, "com.acme.Till.count")
    assert read_text(tmp_path, trace).category is None


def test_rubys_inlined_frames_have_no_address(tmp_path: Path) -> None:
    text = (
        "-- C level backtrace information -----------\n"
        "/opt/libruby.so.3.2(rb_print_backtrace+0xd) [0x7fa7daede56d] /tmp/ruby/vm_dump.c:785\n"
        "/opt/libruby.so.3.2(rb_vm_bugreport) /tmp/ruby/vm_dump.c:1080\n"
        "/opt/libruby.so.3.2(sigsegv+0x4b) [0x7fa7dae2df9b] /tmp/ruby/signal.c:964\n"
        "/lib64/libc.so.6(__restore_rt+0x0) [0x7fa7da97b9a0]\n"
        "/opt/till.so(count+0x412) [0x7fa7c7158df2] /opt/till/till.c:177\n"
    )
    read = read_text(tmp_path, text)
    assert [f.function for f in read.findings[0].stacks[0].frames] == ["count"]


_REGION = (
    "    #28 0x7f14c04ce6b9 in start_thread (/lib/libpthread.so.0+0x76b9)\n\n"
    "0x60300000ca44 is located {} 20-byte region [0x60300000ca30,0x60300000ca44)\n"
    "{}allocated by thread T6 here:\n"
    "    #0 0x5415b0 in malloc /llvm/asan/asan_malloc_linux.cc:101\n"
    "    #1 0x7f14c0f66298 in make(unsigned int) /src/till.cpp:53:3\n"
)
_FREED = (
    "freed by thread T6 here:\n    #0 0x5415a0 in free /llvm/asan/asan_malloc_linux.cc:88\n"
    "    #1 0x7f14c0f66200 in drop /src/till.cpp:60:3\n\npreviously "
)


@pytest.mark.parametrize(
    ("where", "freed", "category"),
    [
        ("0 bytes to the right of", "", C.HEAP_BUFFER_OVERFLOW),
        ("4 bytes before", "", C.HEAP_BUFFER_OVERFLOW),
        ("4 bytes inside of", _FREED, C.USE_AFTER_FREE),
        ("4 bytes inside of", "", None),
    ],
)
def test_where_an_access_lay_is_left_of_a_report(
    tmp_path: Path, where: str, freed: str, category: C | None
) -> None:
    read = read_text(tmp_path, _REGION.format(where, freed))
    assert read.category is category
    assert _place(read) is None


def test_code_without_a_name_failed_and_not_who_called_it(tmp_path: Path) -> None:
    stack = (
        "#0  __restore_sigs (set=0x7ffd6dec4360) at ./arch/x86_64/syscall_arch.h:40\n"
        "#1  0x00007fc96de517a9 in raise (sig=6) at src/signal/raise.c:11\n"
        "#2  0x00007fc96de34f7a in abort () at src/exit/abort.c:11\n"
        "#3  0x00007fc96de35026 in __assert_fail (expr=0x1) at src/exit/assert.c:7\n"
        "{}#5  0x000055fa2cbe14e4 in compile ()\n"
    )
    head = "Program terminated with signal SIGABRT, Aborted.\n"
    nameless = read_text(tmp_path, head + stack.format("#4  0x000055fa2c5578ca in ?? ()\n"))
    assert nameless.category is C.ASSERTION_FAILURE
    assert "compile" not in nameless.cause
    frame, _ = Reports(nameless.facts).fault_frame(nameless.findings[0])
    assert frame is not None
    assert (frame.function, frame.address) == (None, 0x55FA2C5578CA)
    assert read_text(tmp_path, head + stack.format("")).function == "compile"


def test_a_library_stands_behind_at_where_kde_shows_it(tmp_path: Path) -> None:
    text = (
        "Application: Till (till), signal: Segmentation fault\n\n"
        "Thread 1 (Thread 0x7f5963fff700 (LWP 3544)):\n[KCrash Handler]\n"
        "#5  0x00007f59977ca8f6 in  () at /usr/lib/till/libtill.so\n"
        "#6  0x00007f5a5f764ac2 in QObject::event(QEvent*) () at /usr/lib/libQt5Core.so.5\n"
    )
    frames = read_text(tmp_path, text).facts.all(Stack)[0].frames[-2:]
    assert [(f.function, f.module) for f in frames] == [
        (None, "/usr/lib/till/libtill.so"),
        ("QObject::event(QEvent*)", "/usr/lib/libQt5Core.so.5"),
    ]


@pytest.mark.parametrize("line", ["`{}`", "05-16 12:43:07.629: E/Till(31031): {}", "`{}"])
def test_one_line_in_marks_or_behind_an_older_front(tmp_path: Path, line: str) -> None:
    text = line.format("thread 'main' panicked at 'no coins', src/till.rs:7:5")
    assert [f.message for f in read_text(tmp_path, f"{text}\n").findings] == ["no coins"]


def test_rustc_tells_of_its_own_failure(tmp_path: Path) -> None:
    read = read_text(tmp_path, "error: internal compiler error: unexpected panic\n")
    assert [f.tool for f in read.findings] == ["rustc"]
