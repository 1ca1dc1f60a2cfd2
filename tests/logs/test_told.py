"""What other programs, runtimes, supervisors and tools print is recognised and read."""

from pathlib import Path

import pytest

from analyzers.log.frames import Loose
from tests.logs.reading import read_text
from tests.logs.told_texts import TEXTS, Told
from workbench.model.category import Category as C
from workbench.targets.errors import TargetError


@pytest.mark.parametrize("name", TEXTS)
def test_a_report_is_read(tmp_path: Path, name: str) -> None:
    told: Told = TEXTS[name]
    read = read_text(tmp_path, told.text)
    assert told.host in read.hosts
    finding = min(read.findings, key=lambda one: (one.category is None, one.rank))
    assert finding.category == (told.category and told.category.value)
    assert (finding.signal, finding.address) == (told.signal, told.address)
    placed = [f"{f.file}:{f.line}" for role in finding.stacks for f in role.frames]
    assert told.place is None or told.place in (finding.place, *placed[:1])
    frames = [f.function for role in finding.stacks for f in role.frames if f.function]
    if told.function is not None:
        assert told.function in (finding.function or frames[0])
    if told.category is not None:
        assert read.category is told.category
    else:
        assert read.category is None, "nothing proves a cause"


TRAPPED = """\
Caused by:
    0: failed to invoke command default
    1: error while executing at wasm backtrace:
           0:  0x8f1 - till.wasm!take
           1: 0x10b7 - till.wasm!_start
    2: wasm trap: {said}
"""
CRASH_REPORT = """\
=CRASH REPORT==== 14-Nov-2026::09:12:44.201 ===
  crasher:
    pid: <0.412.0>
    exception error: no function clause matching till:take(flush) (src/till.erl, line 61)
      in function  gen_server:try_handle_call/4 (gen_server.erl, line 1113)
"""
X64DBG = """\
EXCEPTION_DEBUG_INFO:
           ExceptionCode: C0000005 (EXCEPTION_ACCESS_VIOLATION)
        ExceptionAddress: 0000000000000000
ExceptionInformation[00]: 0000000000000008 DEP Violation
ExceptionInformation[01]: 0000000000000000 Inaccessible Address
Last chance exception on 0000000000000000 (C0000005, EXCEPTION_ACCESS_VIOLATION)!
"""
LINKED = """\
EXCEPTION_DEBUG_INFO:
ExceptionInformation[00]: [00000000](x64dbg://localhost/address32#00000000) Read
ExceptionInformation[01]: [00000008](x64dbg://localhost/address32#00000008) Inaccessible Address
Last chance exception on [7F2ADE50](x64dbg://localhost/address32#7F2ADE50) \
([C0000005](x64dbg://localhost/address32#C0000005), EXCEPTION_ACCESS_VIOLATION)!
"""
FAILED_FAST = """\
EXCEPTION_DEBUG_INFO:
           ExceptionCode: C0000409 (STATUS_STACK_BUFFER_OVERRUN)
ExceptionInformation[00]: 000000000000000{}
Last chance exception on 00007FFA2FC0DB9E (C0000409, STATUS_STACK_BUFFER_OVERRUN)!
"""
GIN = """\
2026/01/02 03:04:05 [Recovery] 2026/01/02 - 03:04:05 panic recovered:
GET /till HTTP/1.1

runtime error: invalid memory address or nil pointer dereference
/usr/local/go/src/runtime/panic.go:261 (0x44b8d6)
\tpanicmem: panic(memoryError)
"""
RAISED = """\
Fatal error: exception {said}
Raised at Stdlib.failwith in file "stdlib.ml", line 29, characters 17-33
Called from Dune__exe__Coins.take in file "bin/coins.ml" (inlined), line 17, characters 4-16
Called from Dune__exe__Main in file "bin/main.ml", line 44, characters 10-31
"""


EVENTS = (
    ("Nom de l\u2019application d\u00e9faillante till.exe, version : 1.0.0.3, "
     "horodatage : 0x57899b8a\n"
     "Nom du module d\u00e9faillant : {module}, version : 1.0.0.9, horodatage : 0x621ef21b\n"
     "Code d\u2019exception : {code}\nD\u00e9calage d\u2019erreur : 0x00000000000f7143\n"),
    ("Name der fehlerhaften Anwendung: till.exe, Version: 1.0.0.3, Zeitstempel: 0x5bc06a3f\n"
     "Name des fehlerhaften Moduls: {module}, Version: 1.0.0.9, Zeitstempel: 0x524f83ff\n"
     "Ausnahmecode: {code}\nFehleroffset: 0x00074a30\n"),
    ("\u9519\u8bef\u5e94\u7528\u7a0b\u5e8f\u540d\u79f0: till.exe\uff0c\u7248\u672c: 1.0.0.3\uff0c"
     "\u65f6\u95f4\u6233: 0x676097e5\n\u9519\u8bef\u6a21\u5757\u540d\u79f0: {module}\uff0c"
     "\u7248\u672c: 1.0.0.9\uff0c\u65f6\u95f4\u6233: 0x67609807\n\u5f02\u5e38\u4ee3\u7801: {code}\n"
     "\u9519\u8bef\u504f\u79fb\u91cf: 0x00053372\n"),
)  # fmt: skip


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("module", ["drawer.dll", "till.exe"])
def test_windows_event_1000_in_another_language(tmp_path: Path, event: str, module: str) -> None:
    read = read_text(tmp_path, event.format(module=module, code="0xc0000374"))
    assert read.category is C.HEAP_CORRUPTION
    (finding,) = read.findings
    (frame,) = finding.stacks[0].frames
    assert frame.module == module
    assert frame.offset in (0xF7143, 0x74A30, 0x53372)
    read = read_text(tmp_path, event.format(module=module, code="0xc0000005"))
    assert (read.category, read.findings[0].signal) == (None, "SIGSEGV")


MONGOD = """\
{"t":{"$date":"2026-01-02T03:04:05.678+00:00"},"s":"F","c":"CONTROL","id":6384300,"ctx":"conn7","msg":\
"Writing fatal message","attr":{"message":"Got signal: 11 (Segmentation fault).\\n"}}
{"t":{"$date":"2026-01-02T03:04:05.679+00:00"},"s":"I","c":"CONTROL","id":31445,"ctx":"conn7","msg":\
"Frame","attr":{"frame":{"a":"55F0A3","b":"55F000","o":"A3","s":"_ZN4till5countEi","C":"till::count(int)\
","s+":"13"}}}
{"t":{"$date":"2026-01-02T03:04:05.679+00:00"},"s":"I","c":"CONTROL","id":31445,"ctx":"conn7","msg":\
"Frame","attr":{"frame":{"a":"55F1B4","b":"55F000","o":"1B4","s":"_ZN4till4openEv","s+":"9"}}}
"""


def test_mongods_frames(tmp_path: Path) -> None:
    finding = read_text(tmp_path, MONGOD).findings[0]
    frames = [(f.function, f.address) for role in finding.stacks for f in role.frames]
    assert frames == [("till::count(int)", 0x55F0A3), ("_ZN4till4openEv", 0x55F1B4)]


@pytest.mark.parametrize(
    ("text", "host", "tool", "category", "place"),
    [
        (RAISED.format(said='Invalid_argument("index out of bounds")'), "ocaml", "OCaml",
         C.UNCAUGHT_EXCEPTION, "bin/coins.ml:17"),
        (RAISED.format(said="Stack_overflow"), "ocaml", "OCaml", C.STACK_OVERFLOW, None),
        (RAISED.format(said='File "bin/coins.ml", line 9, characters 2-8: Assertion failed'),
         "ocaml", "OCaml", C.ASSERTION_FAILURE, "bin/coins.ml:9"),
        *((TRAPPED.format(said=said), "wasm", "WebAssembly", category, None)
          for said, category in (
              ("integer divide by zero", C.DIVIDE_BY_ZERO),
              ("call stack exhausted", C.STACK_OVERFLOW),
              ("wasm `unreachable` instruction executed", C.TRAP),
              ("out of bounds memory access", None))),
        ('ASSERT failure in QList<T>::at: "index out of range", file /qt/qlist.h, line 571\n',
         "check", "Qt", C.ASSERTION_FAILURE, "/qt/qlist.h:571"),
        (CRASH_REPORT, "erlang", "Erlang", C.UNCAUGHT_EXCEPTION, "src/till.erl:61"),
        ("Fatal error: Unexpectedly found nil: file /src/Till.swift, line 41\n", "swift", "Swift",
         C.PANIC, "/src/Till.swift:41"),
        ("Till/Till.swift:41: Fatal error: Index out of range\n", "swift", "Swift", C.PANIC,
         "Till/Till.swift:41"),
        ("Till/Till.swift:41: Fatal error\n", "swift", "Swift", C.PANIC, "Till/Till.swift:41"),
        ("Run-Time Check Failure #2 - Stack around the variable 'coins' was corrupted.\n", "msvc",
         "the C runtime", C.STACK_BUFFER_OVERFLOW, None),
        ("fatal error: unexpected signal during runtime execution\n[signal SIGSEGV: segmentation "
         "violation code=0x1 addr=0x0 pc=0x7f9d1c0a31f0]\n\ngoroutine 1 [syscall]:\n"
         "main._Cfunc_count(0x0)\n\t_cgo_gotypes.go:45 +0x47\n", "go", "Go",
         C.NULL_POINTER_DEREFERENCE, "_cgo_gotypes.go:45"),
        ("   *** caught segfault ***\naddress 0x18, cause 'memory not mapped'\n", "r", "R",
         C.NULL_POINTER_DEREFERENCE, None),
        (X64DBG, "x64dbg", "x64dbg", C.NULL_FUNCTION_POINTER_CALL, None),
        (LINKED, "x64dbg", "x64dbg", C.NULL_POINTER_DEREFERENCE, None),
        *((FAILED_FAST.format(number), "x64dbg", "x64dbg", category, None)
          for number, category in ((2, C.STACK_BUFFER_OVERFLOW), (7, C.EXPLICIT_ABORT), (5, None))),
        (GIN, "gin", "gin", None, None),
        ("/srv/till.rb:13:in `count': no coins\nin the till (Till::Empty)\n\tfrom "
         "/srv/till.rb:9:in `open'\n", "ruby", "Ruby", C.UNCAUGHT_EXCEPTION, "/srv/till.rb:13"),
        ("fatal page fault in supervisor mode\ntrap type 6 code 0 rip 0xffffffff8021beee cs 0x8 "
         "rflags 0x10206 cr2 0x18 ilevel 0\n", "bsd", "the kernel", C.NULL_POINTER_DEREFERENCE,
         None),
        ("2026-01-02T03:04:05.678+0000 F -  [conn7] Invariant failure n < 8 src/rows.cpp 14\n",
         "check", "the program's log", C.ASSERTION_FAILURE, "src/rows.cpp:14"),
        ("Fatal error: Cannot redeclare take() in /srv/till.php on line 3\n", "php", "PHP",
         C.EXPLICIT_ABORT, "/srv/till.php:3"),
    ],
)  # fmt: skip
def test_whose_fatal_error_it_is(
    tmp_path: Path, text: str, host: str, tool: str, category: C | None, place: str | None
) -> None:
    read = read_text(tmp_path, text)
    assert read.hosts == [host]
    assert (read.findings[0].tool, read.category) == (tool, category)
    placed = [f"{f.file}:{f.line}" for role in read.findings[0].stacks for f in role.frames]
    assert place is None or place in (read.findings[0].place, *placed[:1])


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("zsh: segmentation fault (core dumped)  ./till --open", "SIGSEGV"),
        ("zsh: abort      ./till", "SIGABRT"),
        ("[1]  + 84211 illegal hardware instruction  ./till", "SIGILL"),
        ("Abort trap: 6", "SIGABRT"),
        ("Segmentation fault: 11", "SIGSEGV"),
        ("make: *** [Makefile:12: test] Segmentation fault (core dumped)", "SIGSEGV"),
        ("make[2]: *** [Makefile:12: test] Error 134", "SIGABRT"),
        ("fish: Job 1, './till' terminated by signal SIGSEGV (Address boundary error)", "SIGSEGV"),
        ("test-setup.sh: line 328:    14 Segmentation fault      ./till", "SIGSEGV"),
        ("    SIGSEGV [   0.214s] till::drawer counts_empty", "SIGSEGV"),
        ("3/9 till:unit / drawer        FAIL     0.12s   killed by signal 11 SIGSEGV", "SIGSEGV"),
        ("npm error signal SIGABRT", "SIGABRT"),
        ("npm ERR! Exit status 139", "SIGSEGV"),
        ("PM2      | App [api:0] exited with code [0] via signal [SIGSEGV]", "SIGSEGV"),
        ("INFO - Task exited with return code Negsignal.SIGSEGV", "SIGSEGV"),
        ("End of file. (4) The worker died due to SIGSEGV", "SIGSEGV"),
        ("Process 'ForkPoolWorker-3' pid:27 exited with 'signal 9 (SIGKILL)'", "SIGKILL"),
        ("[till-4] process has died [pid 55, exit code -11, cmd /opt/till __name:=x].", "SIGSEGV"),
        ("failed (exitcode: -11) local_rank: 0 (pid: 44260) of binary: /usr/bin/python", "SIGSEGV"),
        ("ERROR: Job failed: exit code 137", "SIGKILL"),
        ("The program 'till.exe' has exited with code -1073741819 (0xc0000005) 'Access "
         "violation'.", "SIGSEGV"),
        ("srun: error: node042: task 3: Segmentation fault (core dumped)", "SIGSEGV"),
        # The kernel's own word of a program's fault on arm64 names no address.
        ("till[421]: unhandled exception: DABT (lower EL), ESR 0x0000000092000006, level 2 "
         "translation fault in till[aaaac5a30000+2000]\npc : 0000aaaac5a3071c", "SIGSEGV"),
    ],
)  # fmt: skip
def test_how_a_process_ended_and_no_cause(tmp_path: Path, text: str, signal: str) -> None:
    read = read_text(tmp_path, text + "\n")
    assert (read.category, read.findings[0].signal) == (None, signal)


@pytest.mark.parametrize(
    "text",
    [
        "ExecutorLostFailure Reason: Container killed by YARN for exceeding memory limits. 5 GB\n",
        '"State": {\n  "OOMKilled": true,\n  "ExitCode": 137\n}\n',
        'Exit Code: 137, Exit Message: "OOM Killed"\n',
        "slurmstepd: error: Detected 1 oom_kill event in StepId=123456.0.\n",
    ],
)
def test_who_says_that_memory_ran_out(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text).category is C.OUT_OF_MEMORY


HOOKED = """\
thread 'main' panicked at src/drawer.rs:31:9:
no coins
stack backtrace:
   0:     0x5cd7bc399cca - <std::sys::backtrace::BacktraceLock::print as core::fmt::Display>::fmt
   1:     0x5cd7bc9e9df4 - till::setup_hook::{{closure}}::hec8573ef9875d32a
   2:     0x5cd7bc39be02 - std::panicking::rust_panic_with_hook::had2118629c312a4a
   3:     0x5cd7bc39b744 - rust_begin_unwind
   4:     0x5cd7bc3c9ab3 - core::panicking::panic_fmt::h3b7a8b0f4f9b9a2f
   5:     0x5cd7bca11111 - till::drawer::count::haaaaaaaaaaaaaaaa
"""
CHECKED = """\
#0  0x00007fa5f1fd59fc in pthread_kill () from /lib/x86_64-linux-gnu/libc.so.6
#1  0x00007fa5f1f677f3 in abort () from /lib/x86_64-linux-gnu/libc.so.6
#2  0x0000562d5e570700 in {} (conditionName=0x5 "n") at assert.c:66
#3  0x00007fa5e6d4a4cc in count (n=3) at src/drawer.c:31
"""
OVERFLOWED = """\
#0  0x00007feb84bd7472 in __GI_abort () at ./stdlib/abort.c:79
#1  0x000055958ce7cbba in std::sys::pal::unix::abort_internal () at library/std/src/sys/mod.rs:305
#2  std::sys::pal::unix::stack_overflow::imp::signal_handler () at library/std/src/sys/so.rs:114
#3  <signal handler called>
#4  0x000055958ce55567 in till::count (n=3) at src/till.rs:31
"""


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        # A hook of the program's own stands above what it was called for.
        (HOOKED, C.PANIC, "till::drawer::count"),
        (CHECKED.format("ExceptionalCondition"), C.ASSERTION_FAILURE, "count"),
        (CHECKED.format("OPENSSL_die"), C.ASSERTION_FAILURE, "count"),
        (OVERFLOWED, C.STACK_OVERFLOW, "till::count"),
        (
            CHECKED.format("pad_func").replace("assert.c", "./stdio-common/vfprintf-internal.c"),
            C.EXPLICIT_ABORT,
            "count",
        ),
    ],
)
def test_who_is_behind_what_ends_a_process(
    tmp_path: Path, text: str, category: C, function: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)


BARE = """\
{}
PC=0x4641a2 m=0 sigcode={}

goroutine 1 [chan receive]:
till/coins.take(...)
\t/src/coins/take.go:17 +0x79
"""


@pytest.mark.parametrize(
    ("said", "code", "category"),
    [
        # Of kill(2): a watchdog's, or asked for.
        ("SIGABRT: abort", "0", C.EXTERNAL_SIGNAL),
        ("SIGQUIT: quit", "0", C.EXTERNAL_SIGNAL),
        ("SIGABRT: abort", "18446744073709551610", C.EXPLICIT_ABORT),
        ("SIGFPE: floating-point exception", "1", C.DIVIDE_BY_ZERO),
        ("SIGSEGV: segmentation violation", "1", None),
        ("SIGSEGV: segmentation violation", "1 addr=0x18", C.NULL_POINTER_DEREFERENCE),
        ("SIGSEGV: segmentation violation", "128 addr=0x0", None),
    ],
)
def test_a_signal_that_go_makes_no_panic_of(
    tmp_path: Path, said: str, code: str, category: C | None
) -> None:
    read = read_text(tmp_path, BARE.format(said, code))
    assert (read.category, read.findings[0].signal) == (category, said.partition(":")[0])


UWSGI = """\
!!! uWSGI process 7092 got Segmentation Fault !!!
*** backtrace of 7092 ***
/usr/bin/uwsgi(uwsgi_backtrace+0x29) [0x46d2a9]
/usr/bin/uwsgi(uwsgi_segfault+0x21) [0x46d431]
/lib64/libc.so.6(+0x326a0) [0x7ffff59e86a0]
/srv/till/_till.so(drawer_count+0x20) [0x7ffff6996d60]
"""
GODOT = """\
handle_crash: Program crashed with signal 11
[1] ./till.x86_64() [0xbcc6f6] (/src/till/drawer.cpp:31)
"""
EMACS = """\
Fatal error 11: Segmentation fault
Backtrace:
emacs(+0x14be5e)[0x55bbb888be5e]
/lib/x86_64-linux-gnu/libpthread.so.0(+0x12890)[0x7f1d4278c890]
emacs(drawer_count+0x37)[0x55bbb8842837]
"""
NAMELESS = """\
Invalid memory access (signal 11) at address 0x18
[0x454def] __crystal_sigfault_handler +63
[0x7f9c9c8f5390] ???
[0x434ae4] ???
[0x45475f] main +47
"""
HALTED = "***** BUS FAULT *****\n  Stacking error\n***** HARD FAULT *****\n"
WDT = """\
Guru Meditation Error: Core  1 panic'ed (Interrupt wdt timeout on CPU1).
EXCVADDR: 0x00000000
"""
TASK = """\
E (10303) task_wdt: Task watchdog got triggered.
abort() was called at PC 0x400e1a2f on core 0
"""


@pytest.mark.parametrize(
    ("text", "category", "frame"),
    [
        (UWSGI, None, ("drawer_count", None)), (GODOT, None, (None, "/src/till/drawer.cpp")),
        (EMACS, None, ("drawer_count", None)),
        # What the program's entry called has no name.
        (NAMELESS, C.NULL_POINTER_DEREFERENCE, (None, None)),
        # The stack had no room, or its pointer was lost; no address belongs to a watchdog.
        (HALTED, None, None), (WDT, None, None), (TASK, None, None),
    ],
)  # fmt: skip
def test_where_a_crash_handler_says_it_was(
    tmp_path: Path, text: str, category: C | None, frame: tuple[str | None, str | None] | None
) -> None:
    read = read_text(tmp_path, text)
    first = next((r.frames[0] for f in read.findings for r in f.stacks), None)
    assert (read.category, first and (first.function, first.file)) == (category, frame)
    assert category is None or read.function is None


@pytest.mark.parametrize(
    "text",
    [
        "The job exit code -5 means that no seats are left.\n",
        "user.name@example.com(12): hello\n",
        "Use of uninitialized value $n in addition at /srv/till.pl line 3.\n",
        "/src/tests/drawer.cpp:33: FAILED:\n  REQUIRE( coins == 3 )\nwith expansion:\n  2 == 3\n",
        "ERROR: the BoundsError was handled\n",
        "The reason: OOMKilled pods are noisy, says the manual.\n",
        "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n",
        "- Fix Thread 1: EXC_BAD_ACCESS (code=1, address=0x0) when it closes\n",
        'It said "The instruction at 0x00401000 referenced memory at 0x00000010." last year.\n',
    ],
)
def test_what_is_no_crash_is_none(tmp_path: Path, text: str) -> None:
    from workbench.targets.errors import TargetError

    with pytest.raises(TargetError):
        read_text(tmp_path, text)


def test_a_signal_that_the_program_handled_is_none(tmp_path: Path) -> None:
    text = "--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_ACCERR, si_addr=0x7f1c2c000000} ---\n"
    text += "rt_sigreturn({mask=[]}) = 0\n+++ exited with 0 +++\n"
    assert read_text(tmp_path, text).findings == []
    text = "First chance exception on 76AD9C14 (C0000005, EXCEPTION_ACCESS_VIOLATION)!\n"
    assert read_text(tmp_path, text).findings == []


FREEBSD = """\
Fatal trap 12: page fault while in kernel mode
cpuid = 3; apic id = 06
fault virtual address	= {address}
fault code		= supervisor read data, page not present
instruction pointer	= 0x20:0xffffffff80d2a4c1
panic: page fault
cpuid = 3
KDB: stack backtrace:
#0 0xffffffff80c53dc5 at kdb_backtrace+0x65
#1 0xffffffff80c06741 at vpanic+0x151
#2 0xffffffff810b1fa7 at trap_fatal+0x387
#3 0xffffffff81088e78 at calltrap+0x8
#4 0xffffffff80d3b4d2 at till_output+0x1552
#5 0xffffffff80bc3bfd at fork_exit+0x7d
"""
CHECKED = 'panic: kernel diagnostic assertion "t->coins > 0" failed: file "/sys/till.c", line 20'
OPENBSD = f"""\
{CHECKED}
Stopped at      db_enter+0x14:  popq    %rbp
db_enter() at db_enter+0x14
panic(ffffffff8209d0e1) at panic+0xbf
__assert(ffffffff8211b1fd,ffffffff82092ab5,44e,ffffffff820f1e3c) at __assert+0x25
till_insert(ffff800000f1e800,ffff80002d5f0a40) at till_insert+0x3f1
"""
TRAPPED = """\
uvm_fault(0xfffffd811e9d2b40, 0x0, 0, 1) -> e
kernel: page fault trap, code=0
Stopped at      till_free+0x5e:  movq    0x10(%rax),%rcx
till_free(0) at till_free+0x5e
"""
NETBSD = f"""\
[ 8123.551203] {CHECKED}
[ 8123.551203] cpu1: Begin traceback...
[ 8123.551203] vpanic() at netbsd:vpanic+0x160
[ 8123.561210] kern_assert() at netbsd:kern_assert+0x4b
[ 8123.561210] till_close() at netbsd:till_close+0x1a5
"""


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        (FREEBSD.format(address="0x18"), C.NULL_POINTER_DEREFERENCE, "till_output"),
        (FREEBSD.format(address="0x7db3a6f01000"), C.WILD_POINTER, "till_output"),
        (OPENBSD, C.ASSERTION_FAILURE, "till_insert"),
        (TRAPPED, C.NULL_POINTER_DEREFERENCE, "till_free"),
        (NETBSD, C.ASSERTION_FAILURE, "till_close"),
    ],
)
def test_a_panic_of_a_bsd_kernel(tmp_path: Path, text: str, category: C, function: str) -> None:
    read = read_text(tmp_path, text)
    assert (read.hosts, read.findings[0].category) == (["bsd"], category.value)
    assert read.function == function


def test_an_application_that_does_not_respond_is_told_and_nothing_concluded(
    tmp_path: Path,
) -> None:
    text = "E ActivityManager: ANR in com.till (com.till/.Drawer)\nE ActivityManager: PID: 9312\n"
    text += "E ActivityManager: Reason: Input dispatching timed out (no answer in 5001ms)\n"
    read = read_text(tmp_path, text)
    [found] = read.findings
    assert (found.process, found.message[:8], read.category) == (9312, "Input di", None)


def test_what_ended_a_program_stands_behind_its_anr(tmp_path: Path) -> None:
    caught = (
        "java.lang.OutOfMemoryError: Failed to allocate\n\tat till.Drawer.open(Drawer.java:1)\n"
    )
    anr = "ActivityManager: ANR in com.till\nActivityManager: Reason: Broadcast of Intent\n"
    fatal = (
        "FATAL EXCEPTION: main\nProcess: com.till, PID: 13954\njava.lang.IllegalStateException\n"
    )
    read = read_text(tmp_path, caught + anr + fatal + "\tat till.Drawer.shut(Drawer.java:31)\n")
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, "till.Drawer.shut")


def test_the_frame_of_a_macs_panic(tmp_path: Path) -> None:
    text = 'panic(cpu 6 caller 0xffffff8014ac2838): till: "no coins"\nBacktrace (CPU 6), Frame :\n'
    for name in ("mach_kernel : _panic_trap_to_debugger + 0x273", "mach_kernel : _panic + 0x54",
                 "com.till.drawer : __ZN4till5countEv + 0x1af"):  # fmt: skip
        text += f"0xffffffb08181bbf0 : 0xffffff8012a9d68a {name}\n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.PANIC, "__ZN4till5countEv")


@pytest.mark.parametrize(
    ("text", "category", "words"),
    [
        ("panic(cpu 0 caller 0xfffffe0013522): Kernel data abort. at pc 0xfffffe00132794, lr 0x1 "
         "(saved state: 0xf)\n\t  pc:  0xfffffe00132794 far: 0x0000000000000008\n",
         C.NULL_POINTER_DEREFERENCE, "Kernel data abort"),
        ("===== CRASH =====\nsi_signo=Segmentation fault(11), si_code=1, si_addr=(nil)\n"
         "  pc 0x000055c4a4c1d2f4 fp 0x00007ffc3a4e1c90 Till::Count+0x44\n",
         C.NULL_POINTER_DEREFERENCE, "Till::Count"),
        ("===== CRASH =====\nExceptionCode=-1073741676, ExceptionFlags=0, ExceptionAddress=0F\n"
         "  pc 0x00007ff765db0744 fp 0x0000003c772fcd70 Till_Split+0xe724\n",
         C.DIVIDE_BY_ZERO, "Till_Split"),
        ("=CRASH REPORT==== 3-Jun-2018::17:42:24 ===\n  crasher:\n    exception error: badarg\n"
         "      in function  'Elixir.Till':count/3 (lib/till.ex, line 45)\n",
         C.UNCAUGHT_EXCEPTION, "till.ex:45"),
        ("Fatal error: exception Stack overflow\n", C.STACK_OVERFLOW, "Stack overflow"),
        ("thread 'main' panicked at 'no', till.rs:5:1\nstack backtrace:\n   8:   0x10a590533 - "
         "_rust_begin_unwind\n   9:   0x10a43c7ad - till::count::h736a41a5d4519ff6\n",
         C.PANIC, "till::count"),
        ("[ 797.722950] ====\n[ 797.730264] BUG: KASan: use after free in till_free+0x2c9/0x340 "
         "[till] at addr ffff880d59947040\n[ 797.740360] Read of size 8 by task ksoftirqd/2/15\n"
         "[ 797.753308] BUG till_cache (Tainted: P    B      O   ): kasan: bad access detected\n",
         C.USE_AFTER_FREE, "till_free"),
        ("Feb  9 12:50:38 l28 [643.553311] BUG: unable to handle kernel NULL pointer dereference at"
         "           (null)\nFeb  9 12:50:38 l28 [643.553582] IP: [<ffffffffa009e8fa>] "
         "till_open+0x8aa/0x1210 [till]\n",
         C.NULL_POINTER_DEREFERENCE, "till_open"),
        ("`==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1\n"
         "READ of size 4 at 0x602000000010 thread T0\n    #0 0x1 in count till.c:35\n",
         C.USE_AFTER_FREE, "till.c:35"),
        ("Fatal Python error: Cannot recover from stack overflow.\n\nCurrent thread 0x00007fff78:\n"
         "File \"till.py\", line 11 in count\n", C.STACK_OVERFLOW, "till.py:11"),
        ("till: internal error: evacuate: strange closure 6\n    (GHC version 7.4.2 for x)\n",
         C.ASSERTION_FAILURE, "strange closure"),
        ("till: Stack space overflow: current size 33624 bytes.\n"
         "till: Use `+RTS -Ksize -RTS' to increase it.\n", C.STACK_OVERFLOW, "current size"),
        ("till: Heap exhausted;\ntill: Current maximum heap size is 536870912 bytes (512 MB).\n"
         "till: Use `+RTS -M<size>' to increase it.\n",
         C.OUT_OF_MEMORY, "Heap exhausted"),
        ("Error: hang up\n    at TLSSocket.onHangUp (_tls_wrap.js:1092:19)\n"
         "    at TLSSocket.emit (events.js:185:7)\n    at send (/srv/till.js:9:3)\n",
         C.UNCAUGHT_EXCEPTION, "till.js:9"),
        ("terminate called after throwing an instance of 'Shut'\n(gdb) bt\n#0  0x00007ffff4 in "
         "*__GI_raise (sig=6) at raise.c:64\n#1  0x00007ffff4ec in *__GI_abort () at abort.c:92\n"
         "#2  0x0000435791 in count (n=1) at till.c:18\n",
         C.UNCAUGHT_EXCEPTION, "till.c:18"),
    ],
)  # fmt: skip
def test_the_place_of_what_is_told(tmp_path: Path, text: str, category: C, words: str) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, words in read.cause) == (category, True)


def test_what_a_fuzzer_counts_is_no_frame() -> None:
    assert Loose()("#2\tINITED cov: 5 ft: 5 corp: 1/1b exec/s: 0 rss: 30Mb", 1) is None


def test_an_address_of_javas_own_report_is_none_of_compiled_code(tmp_path: Path) -> None:
    text = "# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    text += "#  SIGSEGV (0xb) at pc=0x0000000000020820, pid=1, tid=7\n#\n"
    text += "Native frames: (J=compiled Java code)\nC  0x0000000000020820\n"
    text += "C  [libtill.so+0x637dc]  till_open+0x1\n"
    (finding,) = read_text(tmp_path, text).findings
    assert [f.function for role in finding.stacks for f in role.frames] == [None, "till_open"]


@pytest.mark.parametrize(
    "text",
    [
        "What does exit code 137 mean?\nExit code 139 is a segmentation fault.\n",
        "If it exited with 134, look at the log.\n",
        "exit code 0xC0000005 means an access violation\n",
    ],
)
def test_what_is_said_of_exit_codes_is_no_end(tmp_path: Path, text: str) -> None:
    with pytest.raises(TargetError):
        read_text(tmp_path, text)


SWIFT = """\
*** Signal 11: Backtracing from 0x7f8606d48784... done ***

*** Program crashed: Bad pointer dereference at 0x0000000000000000 ***

Thread 0 "till":

0  0x00007f86059fccce <unknown> in libc.so.6

Thread 9 crashed:

 0                0x00007f8606d48784 swift::RefCounts<int>::incrementSlow(int) + 84 in libswiftCore.so
 1 [ra]           0x00007f8606d03d25 Drawer.count(coins:) + 20 in till at /src/Drawer.swift:41:7
10 [ra] [thunk]   0x00007f8606d03e25 Till.main() + 20 in till
"""  # noqa: E501
CORE = """\
PID: 760 (till)
Signal: 11 (SEGV)
Message: Process 760 (till) of user 1002 dumped core.

Stack trace of thread 760:
#0  0x000000746c756166 n/a (n/a + 0x0)
#1  0x000055c28912c541 drawer_close (till + 0x1541)
"""
TAGGED = """\
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
pid: 5100, tid: 5100, name: tilld  >>> /system/bin/tilld <<<
signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
Abort message: '==5100==ERROR: HWAddressSanitizer: tag-mismatch on address 0x0042a0826510
WRITE of size 1 at 0x0042a0826510 tags: 32/3d (ptr/mem) in thread T0
    #0 0x7b24d90a08  (/system/lib64/libtill.so+0xa08)

Cause: use-after-free
'
backtrace:
      #00 pc 0000000000050a2c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+164)
"""
GUARDED = """\
*** GWP-ASan detected a memory error ***
Double Free at 0x7feccab26000 (a 41-byte allocation) by thread 31027 here:
  #0 /app/bin/till(+0x2a10) [0x5580]
  #1 Drawer::drop(int) /src/drawer.cpp:77
"""
GROUP = """\
[ 9.1] Memory cgroup out of memory: Kill process 193 (node) score 1899 or sacrifice child
[ 9.2] Killed process 193 (node) total-vm:22353736kB, anon-rss:551876kB, file-rss:144kB
"""


DUMPED = """\
      KERNEL: /usr/lib/debug/vmlinux
       PANIC: "BUG: kernel NULL pointer dereference, address: 0000000000000028"
crash> bt
PID: 2211     TASK: ffff9a0b41c80000  CPU: 3    COMMAND: "kworker/3:1"
 #0 [ffffb1a2c0f3bb28] machine_kexec at ffffffff8b06a0c7
 #1 [ffffb1a2c0f3bd20] asm_exc_page_fault at ffffffff8bc00b62
    [exception RIP: ext_put+14]
 #2 [ffffb1a2c0f3bdd8] ext_release at ffffffffc0a21555 [extmod]
"""
JETSAM = """\
{"bug_type":"298","timestamp":"2026-03-01 10:11:12.00 +0100","os_version":"iPhone OS 17.4"}
{
  "largestProcess": "Till",
  "processes": [
    {
      "name": "Till",
      "pid": 412,
      "reason": "per-process-limit"
    }
  ]
}
"""


@pytest.mark.parametrize(
    ("text", "category", "signal", "function", "words"),
    [
        ("h systemd[1]: till.service: main process exited, code=dumped, status=11/SEGV\n",
         None, "SIGSEGV", None, ""),
        ("container die 5b1c (exitCode=139, name=till)\n", None, "SIGSEGV", None, ""),
        ("till-1 exited with code 134\n", None, "SIGABRT", None, ""),
        ("##[error]Process completed with exit code 139.\n", None, "SIGSEGV", None, ""),
        ("7/9 Test #7: pool .............***Exception: SegFault  0.11 sec\n", None, "SIGSEGV", None,
         ""),
        ("1/1 Test  #1: pool ...........Subprocess aborted***Exception:   0.05 sec\n", None,
         "SIGABRT", None, ""),
        ('==> rel\neheap_alloc: Cannot allocate 2280657000 bytes of memory (of type "heap").\n'
         "Aborted\n", C.OUT_OF_MEMORY, None, None, "eheap_alloc"),
        (SWIFT, C.NULL_POINTER_DEREFERENCE, "SIGSEGV", "Drawer.count(coins:)", "Bad pointer"),
        ("*** Swift runtime failure: arithmetic overflow ***\n\nThread 3 crashed:\n"
         "0 [ra] 0x00007f8606d03d25 Drawer.count(coins:) + 20 in till\n", C.PANIC, None,
         "Drawer.count(coins:)", "arithmetic overflow"),
        (CORE, None, "SIGSEGV", None, ""),
        (TAGGED, C.USE_AFTER_FREE, "SIGABRT", None, "use-after-free"),
        (GUARDED, C.DOUBLE_FREE, None, "Drawer::drop(int)", ""),
        ("FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal.\n 1: 0xa04200 node::Abort() [node]\n"
         "Aborted (core dumped)\n", C.ASSERTION_FAILURE, None, None, "Empty MaybeLocal"),
        # A program's fault, as the kernel tells it on each processor.
        ("kern.info kernel: [ 5479.109560] do_page_fault(): sending SIGSEGV to till for invalid "
         "write access to 0000000c\n[ 5479.118155] epc = 00401743 in till[400000+b2000]\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "offset 0x1743 of `till`"),
        ("[ 9.101] till: unhandled page fault (11) at 0x00000004, code 0x017\n[ 9.102] "
         "PC is at 0x10a4c\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "unhandled page fault"),
        ("[ 9.101] till[31]: unhandled level 1 translation fault (11) at 0x00000010, "
         "esr 0x92000005, in libtill.so[7f9a1c0000+31000]\n"
         "[ 9.102] pc : [<0000007f9a1d2b40>] lr : [<0>]\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "offset 0x12b40 of `libtill.so`"),
        ("[ 9.101] till[31]: unhandled signal 11 code 0x1 at 0x0000000000000003 in "
         "libtill.so[3f80a3e000+121000]\n[ 9.102] epc : 0000003f80ab6698 ra : 0000003f80bf6a2a\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "offset 0x78698 of `libtill.so`"),
        ("[ 9.101] till[31]: unhandled signal 11 at 00000010 nip 100005e4 lr 100005d0 code 30001\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "unhandled signal 11"),
        ("[ 9.101] till[31]: unhandled synchronous abort (translation table walk) (7) at "
         "0xb6f01000, code 0x82c\n", C.BUS_ERROR, "SIGBUS", None, "table walk"),
        ("[ 9.101] till[31]: segfault (11) at 10 nip 100005e4 lr 100005d0 code 1 in "
         "till[10000000+10000]\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None,
         "offset 0x5e4 of `till`"),
        ("[ 9.101] till[31]: segfault at 50 ip 00007f88766c71e0 sp 00007ffe8c583868 error 4 in "
         "libtill.so[131e0,7f88766c0000+3e000] likely on CPU 0 (core 0, socket 0)\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "offset 0x131e0 of `libtill.so`"),
        ("A jest worker process (pid=135769) was terminated by another process: signal=SIGSEGV, "
         "exitCode=null.\n", None, "SIGSEGV", None, ""),
        ("npm ERR! command failed\nnpm ERR! signal SIGBUS\n", None, "SIGBUS", None, ""),
        ("fio: pid=22811, got signal=11\n", None, "SIGSEGV", None, ""),
        ("  process didn't exit successfully: `till.exe` (exit code: 0xc0000005, "
         "STATUS_ACCESS_VIOLATION)\n", None, "SIGSEGV", None, ""),
        ("  process didn't exit successfully: `till.exe` (exit code: 0xc0000135, "
         "STATUS_DLL_NOT_FOUND)\n", C.LIBRARY_LOAD_FAILURE, None, None, "STATUS_DLL_NOT_FOUND"),
        ("     | unit-lib exited with -1073741819\n", None, "SIGSEGV", None, ""),
        (GROUP, C.OUT_OF_MEMORY, None, None, "of a control group that had reached its"),
        ("SUMMARY: AddressSanitizer: heap-buffer-overflow (till:x86_64+0xb5030) in drawer_put\n",
         C.HEAP_BUFFER_OVERFLOW, None, "drawer_put", ""),
        ("SUMMARY: AddressSanitizer: heap-buffer-overflow (till+0xb5030) in __asan_memcpy\n",
         C.HEAP_BUFFER_OVERFLOW, None, None, ""),
        # Reports as people paste them, with what monitors and pages put around them.
        ("03:04:05.678 -> Guru Meditation Error: Core  1 panic'ed (StoreProhibited). Exception was "
         "unhandled.\n03:04:05.678 -> PC      : 0x400ea924  PS      : 0x00060130\n"
         "03:04:05.679 -> EXCVADDR: 0x00000126  LBEG    : 0x400014fd\n",
         C.NULL_POINTER_DEREFERENCE, None, None, "in the code at 0x400ea924"),
        ("[1711] data fault: Alignment fault on read\npanic (caller 0x41e2b0cc): data abort\n"
         "r12 0x00000000 usp 0x00000000 ulr 0x00000000 pc  0x41e2b0cc\n", C.MISALIGNED_ACCESS, None,
         None, "The code at 0x41e2b0cc"),
        ("E: ***** DATA ABORT *****\nE: Permission Fault @ 0x317a2d18\n", None, None, None, ""),
        ("Project till.exe raised exception class $C0000005 with message 'access violation at "
         "0x0041f2a3: read of address 0x00000010'.\n", C.NULL_POINTER_DEREFERENCE, None, None,
         "read of address 0x00000010"),
        ("Unhandled exception: EAccessViolation: Access violation\n  Stack trace:\n  "
         "$00000000007C63E5 line 7058, column 5 of grids.pas in /usr/lib/till\n", None, None, None,
         ""),
        ("Exception: class: EAccessViolation, message: Access violation\n", None, None, None, ""),
        ("till: thread blocked indefinitely in an MVar operation\n", C.MISSED_WAKEUP, None, None,
         ""),
        ("till: <<loop>>\n", C.INFINITE_LOOP, None, None, "<<loop>>"),
        (DUMPED, C.NULL_POINTER_DEREFERENCE, None, "ext_put", "0000000000000028"),
        (JETSAM, C.OUT_OF_MEMORY, None, None, "per-process-limit"),
        ("Faulting application name: till.exe, version: 1.0.0.0, time stamp: 0x66a8c32f\n"
         "Faulting module name: drawer.dll, version: 3.1.6.0, time stamp: 0x5f1a0b9c\n"
         "Exception code: 0xc000027b\nFault offset: 0x4b2c3a\n", C.UNCAUGHT_EXCEPTION, None, None,
         "offset 0x4b2c3a of `drawer.dll`"),
        ("Unhandled Exception: EXCEPTION_ACCESS_VIOLATION reading address 0x0\n\nTill_Core\n"
         "Till_Coins!UDrawer::Count() [C:\\till\\Drawer.cpp:59]\n", C.NULL_POINTER_DEREFERENCE,
         "SIGSEGV", "UDrawer::Count()", "`Drawer.cpp:59`"),
        ("    [ 2227.011089] Unable to handle kernel NULL pointer dereference at virtual address "
         "0000000c\n"
         "    [ 2227.029027] Internal error: Oops: 96000005 [#1] SMP\n"
         "    [ 2227.058116] PC is at till_count+0x1f8/0x2dc\n", C.NULL_POINTER_DEREFERENCE, None,
         "till_count", ""),
        ("```Sep 11 22:20:57 till user.alert kernel: [762362.081651] Unable to handle kernel NULL "
         "pointer dereference at virtual address 00000000\nSep 11 22:20:57 till user.emerg kernel: "
         "[762362.081971] Internal error: Oops: 80000007 [#1] ARM\nSep 11 22:20:57 till user.warn "
         "kernel: [762362.082082] PC is at 0x0\n", C.NULL_FUNCTION_POINTER_CALL, None, None, ""),
        ("thread '<main>' panicked at 'called `Option::unwrap()` on a `None` value', "
         "../src/libcore/option.rs:330\nstack backtrace:\n"
         "   7:     0x5615e5857f9f - panicking::panic_fmt::h9f005ee999496200zYL\n"
         "   9:     0x5615e57c0f7d - option::Option<T>::unwrap::h16515609606882990218\n"
         "  10:     0x5615e57c0a77 - till::count::h8f005ee999496200wYL\n", C.PANIC, None,
         "till::count::h8f005ee999496200wYL", ""),
        # the stack of who created a thread, of a report that was cut above it
        ("    #0 0x5645e1be2295 in pthread_create (/usr/bin/till+0x3d8295)\n"
         "    #1 0x5645e2208229 in Pool::start() /src/pool.cpp:676\n"
         "SUMMARY: AddressSanitizer: heap-use-after-free (/usr/bin/till+0x438f0f) in "
         "__interceptor_memcpy.part.0\n", C.USE_AFTER_FREE, None, None, ""),
        ("[node13:40763:0:40790] Caught signal 11 (Segmentation fault: address not mapped to "
         "object at address 0x10)\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, ""),
        # behind what stood on the line; a checked call that refused nothing
        ("ann@box:~$ [box:7] *** Process received signal ***\n[box:7] Signal: Segmentation fault "
         "(11)\n[box:7] Failing at address: (nil)\n"
         "[box:7] [ 0] /lib/libc.so.6(+0x354b0)[0x7fc3a51084b0]\n"
         "[box:7] [ 1] /lib/libc.so.6(__fprintf_chk+0x5b)[0x7fc3a51e9b2b]\n"
         "[box:7] [ 2] till(count+0x2a)[0x40197a]\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV",
         "count", ""),
        ("[box:7] Signal: Segmentation fault (11)\n[box:7] Failing at address: 0x12\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, ""),
        ("Error: signal 11:\n0   till            0x000000010ae27403 onSignal + 51\n"
         "1   libsystem_platform.dylib  0x00007fff94c41f1a _sigtramp + 26\n"
         "2   till            0x000000010ae27500 count + 6\n", None, "SIGSEGV", None, ""),
        ("I (4907) TILL: Counting Guru Meditation Error: Core  0 panic'ed (LoadProhibited). "
         "Exception was unhandled.\nPC      : 0x400014fd  PS      : 0x00060e30\n"
         "EXCVADDR: 0x00000050  LBEG    : 0x400014fd\n", C.NULL_POINTER_DEREFERENCE, None, None,
         "in the code at 0x400014fd"),
        ("[ pid=7, timestamp=9 ] Process aborted! signo=SIGSEGV(11), reason=SEGV_MAPERR, "
         "si_addr=0x10, randomSeed=3\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, ""),
        ("E/TC:? 0 User mode undef-abort at address 0x0\n"
         "E/TC:? 0  cause 0000000000000002 epc 00000000400814C4 tval 0000000000000000\n",
         C.ILLEGAL_INSTRUCTION, None, None, "The code at 0x400814c4"),
        ("[ 6.100001] till[31]: unhandled signal 11 code 0x1 at 0x0000000000000010 in "
         "till[10000+1000]\n" * 2, C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, "till[31]"),
        ("7] signal (11.1): Segmentation fault\nin expression starting at till.jl:1\n"
         "count at /src/till.jl:7\n", None, "SIGSEGV", None, ""),
        ("Exception: EXCEPTION_ACCESS_VIOLATION at 0x6b5e158a -- count at /src/till.c:7\n"
         "in expression starting at till.jl:1\ncount at /src/till.c:7\n", None, "SIGSEGV", None,
         ""),
        ("  CrashHandlerException: Program crashed with signal 11\n"
         "[2] Till::count(int) (/src/till.cpp:7)\n", None, "SIGSEGV", None, ""),
        ('{"t":{"$date":"2026-01-02T03:04:05.678+00:00"},"s":"F","c":"-","id":23089,"ctx":"c",'
         '"msg":"Fatal assertion","attr":{"msgid":50853,"file":"src/till/rows.cpp","line":48}}\n',
         C.ASSERTION_FAILURE, None, None, "`rows.cpp:48`"),
        *((f"{words} at 0x00007FF6A1B21A4C in till.exe: 0xC0000005: Access violation reading "
           "location 0x0000000000000008.\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None,
           "in the code of `till.exe`")
          for words in ("Unhandled exception", "Exception thrown")),
        ("Problem Event Name: APPCRASH\n  Fault Module Name: drawer.dll\n"
         "  Exception Code: c0000374\n  Exception Offset: 00000000000000a0\n", C.HEAP_CORRUPTION,
         "SIGABRT", None, "`drawer.dll`"),
        ("Exception Code: c0000094 (EXCEPTION_INT_DIVIDE_BY_ZERO)\n"
         "Exception Address: 5883E7F3 (drawer.dll + 3e7f3)\n", C.DIVIDE_BY_ZERO, "SIGFPE", None,
         "offset 0x3e7f3 of `drawer.dll`"),
        ("till.dll caused an Access Violation (0xc0000005)\n  in module till.dll at 0033:3f446835."
         "\n\nStack Trace of Crashed Thread 21:\n0x00007FF83F446835 (till) count\n", None,
         "SIGSEGV", None, ""),
        ("till Segmentation fault on shard 0.\ntill Backtrace:\ntill   0x29411a8\n", None,
         "SIGSEGV", None, ""),
        ("[ 9.101] till[31]: segfault at 0 ip 0000000000000000 sp 00007ffd2b1c5e80 error 14 in "
         "till[400000+1000]\n", C.NULL_FUNCTION_POINTER_CALL, "SIGSEGV", None,
         "the code of `till`"),
        ("==00:00:00:01.234 47== Invalid read of size 4\n"
         "==00:00:00:01.234 47==    at 0x109171: count (till.c:22)\n"
         "==00:00:00:01.234 47==  Address 0x4a8f040 is 0 bytes inside a block of size 16 free'd\n"
         "==00:00:00:01.234 47==    at 0x483F0C3: free (vg_replace_malloc.c:872)\n",
         C.USE_AFTER_FREE, None, "count", "till.c:22"),
        ("[77] signal (11.128): Segmentation fault\nin expression starting at REPL[3]:1\n"
         "count at /src/till.c:7\n", None, "SIGSEGV", None, ""),
        ("signal (6.-6): Aborted\nin expression starting at REPL[3]:1\n", None,
         "SIGABRT", None, ""),
        ("RequestId: 3f2c Error: Runtime exited with error: signal: segmentation fault\n"
         "Runtime.ExitError\n", None, "SIGSEGV", None, ""),
        ("2026/01/02 03:04:05 till: signal: aborted (core dumped)\n", None, "SIGABRT", None, ""),
        ("Additional info:\nreporter:       libreport-2.17.9\ncrash_function: count\n\nTruncated "
         "backtrace:\nThread no. 1 (2 frames)\n #0 count at /src/till.c:7\n", None, None, None,
         ""),
        ("reason:         till killed by SIGSEGV\ncrash_function: count\n", None, "SIGSEGV", None,
         ""),
        ("Unhandled exception: page fault on read access to 0x0000000000000000 in 64-bit code "
         "(0x006ffff9e7f1d8).\nBacktrace:\n=>0 0x006ffff9e7f1d8 in adobe till (+0x62f1d8) "
         "(0000000000000000)\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None,
         "in the code at 0x6ffff9e7f1d8"),
        ("wine: Unhandled page fault on read access to 0x7d925744 at address 0x7d925744 (thread "
         "0009), starting debugger...\n", C.WILD_POINTER, "SIGSEGV", None, "a pointer to no code"),
        # the Play Console's frames
        ("signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------\nAbort message: 'Scudo ERROR:"
         " invalid chunk state when deallocating address 0x200006ff5c677d0'\nbacktrace:\n"
         "  #00  pc 0x00000000000518dc  /apex/bionic/libc.so (abort+168)\n"
         "  #01  pc 0x0000000000017a8c  /data/libtill.so (count+4)\n", C.DOUBLE_FREE, "SIGABRT",
         "count", ""),
        ("Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)\n"
         "==== backtrace (tid:1220203) ====\n0 0x0000000000012ce0 __funlockfile()  :0\n"
         "1 0x000000000067af0e count()  till.cpp:0\n2 0x000000000001d85e start()  ???:0\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", "count", ""),
        (" *** Process received signal ***\n Signal: Segmentation fault (11)\n Failing at address: "
         "(nil)\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, ""),
        ("Received signal 11 at 1618802713 (si_addr 0x8, PC 0x55e6f97121dd); aborting...\n"
         "zlog_signal+0x18c    7ff6d0c1a2ad     7ffe50e570d0 /lib/libfrr.so.0 (mapped at 0x7ff6d0b7"
         "b000)\n    ---- signal ----\n"
         "count+0x14           55e6f97121dd     7ffe50e579e0 /sbin/till (mapped at 0x55e6f9711000)"
         "\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", "count", "`count`"),
        ("debug      0> 2021-07-01T16:22:36.445+0000 7fd501047080 -1 *** Caught signal "
         "(Segmentation fault) **\n in thread 7fd501047080 thread_name:till\n", None, "SIGSEGV",
         None, ""),
        # below the stack pointer: of probes as well
        ("Error #1: UNADDRESSABLE ACCESS beyond top of stack: reading 0x0e7ff3e0-0x0e7ff3e8 8 "
         "byte(s)\n# 0 ___chkstk_ms  [cygwin.S:132]\n# 1 count  [till.c:7]\n", None, None, None,
         ""),
        ("Error #5: UNADDRESSABLE ACCESS beyond heap bounds: writing 0x02f9b34c-0x02f9b350 4 "
         "byte(s)\n# 0 replace_memmove  [d:\\drmemory\\drmemory\\replace.c:740]\n"
         "# 1 ntdll.dll!RtlCopySid  +0x21  (0x77071ea2 <ntdll.dll+0x61ea2>)\n"
         "# 2 count   [C:\\till\\till.c:7]\n", C.HEAP_BUFFER_OVERFLOW, None, "count", "till.c:7"),
        ("[  DEATH   ] tcmalloc/segv_handler.cc:168] *** GWP-ASan (https://a.org/gwp-asan.html)  "
         "has detected a memory error ***\n[  DEATH   ] tcmalloc/segv_handler.cc:9] Use-after-free"
         " (read) occurs in thread 27 at:\n", C.USE_AFTER_FREE, None, None, ""),
        ("error: thread 9 panic: reached unreachable code\n"
         "/usr/lib/zig/std/debug.zig:518:14: 0x17fcebc in assert (std.zig)\n"
         "src/till.zig:7:15: 0x1b1d6b2 in count (till.zig)\n", C.PANIC, None, "count",
         "`till.zig:7`"),
        ("Abnormal program termination: C:\\VC\\include\\vector(1931) : Assertion failed: vector "
         "subscript out of range\n", C.ASSERTION_FAILURE, None, None, "`vector:1931`"),
        ("Application popup: till.exe - Application Error : The instruction at \"0x7c910a19\" "
         "referenced memory at \"0x00000010\". The memory could not be \"written\".\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, ""),
        ("  + Exception Group Traceback (most recent call last):\n"
         "  |   File \"/app/till.py\", line 30, in <module>\n  |     asyncio.run(main())\n"
         "  |   File \"/app/till.py\", line 22, in main\n"
         "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
         "  +-+------- 1 ----\n    | Traceback (most recent call last):\n"
         "    |   File \"/app/till.py\", line 12, in count\n"
         "    | IndexError: list index out of range\n    +------------\n",
         C.UNCAUGHT_EXCEPTION, None, "main", "ExceptionGroup"),
        ("E/flutter ( 8843): [ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled "
         "Exception: RangeError (index): Invalid value: Valid value range is empty: 0\n"
         "E/flutter ( 8843): #0      List.[] (dart:core-patch/growable_array.dart:264:36)\n"
         "E/flutter ( 8843): #1      Till.count (package:till/till.dart:41:12)\n",
         C.UNCAUGHT_EXCEPTION, None, "Till.count", "`till.dart:41`"),
        ("mimalloc: error: double free detected of block 0x20000aa0 with size 32\n", C.DOUBLE_FREE,
         None, None, ""),
        ("PHP Fatal error:  Uncaught Error: Maximum call stack size of 8339456 bytes (zend.max_"
         "allowed_stack_size - zend.reserved_stack_size) reached. Infinite recursion? in "
         "/app/t.php:7\nStack trace:\n#0 /app/t.php(7): count_coins(1)\n", C.STACK_OVERFLOW, None,
         "count_coins", ""),
        ("Then: Thread 1: EXC_BAD_ACCESS (code=1, address=0x8)\n", C.NULL_POINTER_DEREFERENCE, None,
         None, ""),
        ("Thread 1: EXC_BAD_ACCESS (code=2, address=0x8)\n", None, None, None, ""),
        ("Thread 1: Fatal error: Index out of range\n", C.PANIC, None, None, ""),
        # of a pointer that was free already, or never malloc's, as well
        ("systemd-coredump[2860]: Process 2847 (till) of user 1000 dumped core.\nStack trace of "
         "thread 2847:\n#0  0x00007ff37db6abc5 raise (libc.so.6 + 0x3dbc5)\n"
         "#1  0x00007ff37db538a4 abort (libc.so.6 + 0x268a4)\n"
         "#2  0x00007ff37dbb4e1c malloc_printerr (libc.so.6 + 0x87e1c)\n"
         "#3  0x00007ff37dbb6674 _int_free (libc.so.6 + 0x89674)\n"
         "#4  0x0000556a4dfb6539 count (till + 0x1539)\n", None, None, None, ""),
        ("Description: The application requested process termination through System.Environment."
         "FailFast.\nMessage: no coins\nStack:\n   at System.Environment.FailFast(System.String)"
         "\n   at Till.Count()\n", C.EXPLICIT_ABORT, None, "Till.Count()", ""),
        ("Description: The process was terminated due to an internal error in the .NET Runtime at "
         "IP 00007FFD2F5C1234 (00007FFD2F5A0000) with exit code 80131506.\n", None, None, None,
         ""),
        ("Fatal error: exception Assert_failure(\"bin/till.ml\", 14, 2)\nRaised at Till.count in "
         "file \"bin/till.ml\", line 14, characters 2-20\n", C.ASSERTION_FAILURE, None,
         "Till.count", ""),
        ("The instruction at 0x0000000000000000 referenced memory at 0x0000000000000000.\nThe "
         "memory could not be read.\n", C.NULL_FUNCTION_POINTER_CALL, "SIGSEGV", None, ""),
        # Crashlytics' pages, and the Play Console's, which has the signal in its title
        ("          Crashed: Thread: SIGABRT  0x0000000000000000\n#00 pc 0x7137c libc.so (BuildId: "
         "61a049a7ad18156ebc52d8d483539df9)\n", None, "SIGABRT", None, ""),
        ("Crashed: Thread : SIGSEGV  0x0000000000000018\n#00 pc 0x7137c libtill.so (count+24)\n",
         C.NULL_POINTER_DEREFERENCE, "SIGSEGV", "count", ""),
        ("pid: 0, tid: 0 >>> com.till <<<\n\nbacktrace:\n  #00  pc 000000000004e44c  /apex/"
         "lib64/bionic/libc.so (abort+164)\n  #00  pc 00000000002bd350  /data/app/libtill.so "
         "(count+8)\n", C.EXPLICIT_ABORT, "SIGABRT", "count", ""),
        ("pid: 0, tid: 0 >>> com.till <<<\n\nbacktrace:\n  #00  pc 00000000002bd350  /data/app/"
         "libtill.so (count+8)\n", None, None, None, ""),
        ("Crashed: com.apple.main-thread\nEXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x2d623636612d6365\n"
         "0  libobjc.A.dylib                0x15c8 objc_msgSend + 8\n"
         "1  Till                           0x4f02a0 (Missing)\n", C.WILD_POINTER, "SIGSEGV", None,
         "0x4f02a0"),
        ("till(78771,0x70000c4fe000) malloc: *** error for object 0x7ffb2cf08088: incorrect "
         "checksum for freed object - object was probably modified after being freed.\n*** SIGILL "
         "(@0x7fff528963d2) received by PID 78771 (TID 0x7000073a1000) stack trace: ***\n"
         "    @     0x7fff528963d3 __abort\n    @     0x7fff5299eb28 szone_error\n"
         "    @     0x7fff5299476b tiny_free_list_remove_ptr\n    @     0x7fff529aa254 free_tiny\n"
         "    @     0x105548277 count\n", C.HEAP_CORRUPTION, None, "count", ""),
        (" fatal error has been detected by the Java Runtime Environment:\n#\n#  EXCEPTION_ACCESS_"
         "VIOLATION (0xc0000005) at pc=0x00007fff8d9e2b60, pid=15548, tid=10792\n#\n# Problematic "
         "frame:\n# C  [till.dll+0x192b60]\n", None, "SIGSEGV", None, ""),
        ("fatal: morestack on g0\nSIGSEGV: segmentation violation\nPC=0x472894 m=8 sigcode=1.\n",
         None, "SIGSEGV", None, ""),
        ("Uncaught Kotlin exception: kotlin.IndexOutOfBoundsException: index: 4, size: 3\n"
         "    at 0   till.kexe     0x1026e8d49  kfun:kotlin.Throwable#<init>(kotlin.String?){} + 9"
         " \n    at 1   till.kexe     0x1026e8e01     ThrowIndexOutOfBoundsException + 97 \n"
         "    at 2   till.kexe     0x10271e0f5  kfun:org.till.Drawer#count(kotlin.Int){}kotlin.Int "
         "+ 105 (/src/till.kt:41:5)\n", C.UNCAUGHT_EXCEPTION, None, "org.till.Drawer#count",
         "`till.kt:41`"),
        # Visual Studio and Windows in other languages, by the order of what they say
        *((f"{words} 0x{8:016X}{rest}\n", C.NULL_POINTER_DEREFERENCE, "SIGSEGV", None, place)
          for words, rest, place in (
              ("0x00007FF6A1B21A4C \u5904(\u4f4d\u4e8e till.exe \u4e2d)\u5f15\u53d1\u7684"
               "\u5f02\u5e38: 0xC0000005: \u8bfb\u53d6\u4f4d\u7f6e",
               " \u65f6\u53d1\u751f\u8bbf\u95ee\u51b2\u7a81\u3002",
               "in the code of `till.exe`"),
              ("Ausnahme ausgel\xf6st bei 0x00007FF6A1B21A4C in till.exe: 0xC0000005: "
               "Zugriffsverletzung beim Lesen an Position", ".", "in the code of `till.exe`"),
              ("Die Anweisung in 0x62c41f72 verweist auf Speicher bei",
               '. Der Vorgang "read" konnte im Speicher nicht durchgef\xfchrt werden.', ""))),
        # a handler may have got the first
        ("Exception thrown at 0x00007FFF4BEA1BD5 (KernelBase.dll) in till.exe: 0xC0000005: Access "
         "violation reading location 0xFFFFFFFFFFFFFFFF.\n`Unhandled exception at "
         "0x00007FFF1BD4B478 (drawer.dll) in till.exe: Stack cookie instrumentation code detected "
         "a stack-based buffer overrun.`\n", C.STACK_BUFFER_OVERFLOW, "SIGSEGV", None,
         "The code of `drawer.dll` leaves"),
        ("Ereignisname: APPCRASH\nProblemsignatur:\nP1: till.exe\nP2: 1.0.0.3\nP3: 5db5eef0\n"
         "P4: drawer.dll\nP5: 1.0.0.3\nP6: 99ca0526\nP7: c00000fd\nP8: 00000000000a1117\n",
         C.STACK_OVERFLOW, "SIGSEGV", None, "`drawer.dll`"),
        *((f"Version=1\nEventType=BEX64\nSig[0].Name=Name\nSig[0].Value=till.exe\n"
           "Sig[3].Name=Modul\nSig[3].Value=drawer.dll\nSig[6].Value=000000000006d4c8\n"
           f"Sig[7].Value=c0000409\nSig[8].Value=000000000000000{number}\n", category, "SIGABRT",
           None, "`drawer.dll`") for number, category in (
               (2, C.STACK_BUFFER_OVERFLOW), (5, None))),
    ],
)  # fmt: skip
def test_what_a_few_lines_tell(
    tmp_path: Path,
    text: str,
    category: C | None,
    signal: str | None,
    function: str | None,
    words: str,
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.findings[0].signal) == (category, signal)
    if read.verdict is not None and category is not None:
        assert read.function == function
        assert words in read.cause
