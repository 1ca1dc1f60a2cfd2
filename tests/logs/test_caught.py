"""Exceptions that a program caught and logged, and the one that ended it."""

import json
from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C
from workbench.targets.errors import TargetError

CAUGHT = (
    "java.lang.OutOfMemoryError: no room for 99 bytes\n\tat org.shop.Bitmap.load(Bitmap.java:7)\n"
)
THROWN = "java.lang.IllegalStateException: closed\n\tat org.shop.Till.open(Till.java:40)\n"
WRAPPED = THROWN + "Caused by: java.io.IOException: gone\n\tat org.shop.Coins.read(Coins.java:9)\n"
CSHARP = """\
Unhandled exception. System.InvalidOperationException: closed
 ---> System.IO.IOException: gone
   at Shop.Coins.Read(Int32 n) in /src/Coins.cs:line 9
   --- End of inner exception stack trace ---
   at Shop.Till.Open() in /src/Till.cs:line 40
"""
QUOTING = 'Cannot invoke "shop.Order.total()" because "<local2>" is null'
"""Java's own words (JEP 358), with quotation marks of their own."""


@pytest.mark.parametrize(
    ("text", "category", "function", "words"),
    [
        (CAUGHT + "FATAL EXCEPTION: main\n" + THROWN, C.UNCAUGHT_EXCEPTION, "org.shop.Till.open",
         "closed"),
        (CAUGHT + 'Exception in thread "main" ' + THROWN, C.UNCAUGHT_EXCEPTION,
         "org.shop.Till.open", "closed"),
        (THROWN + 'Exception in thread "main" ' + CAUGHT, C.OUT_OF_MEMORY, "org.shop.Bitmap.load",
         "no room"),
        ('Exception in thread "main" ' + WRAPPED, C.UNCAUGHT_EXCEPTION, "org.shop.Coins.read",
         "gone"),
        (CSHARP, C.UNCAUGHT_EXCEPTION, "Shop.Till.Open", "closed"),
        (f'Exception in thread "main" java.lang.NullPointerException: {QUOTING}\n'
         "\tat shop.Till.close(Till.java:41)\n", C.UNCAUGHT_EXCEPTION, "shop.Till.close", QUOTING),
    ],
)  # fmt: skip
def test_the_one_that_ended_it(
    tmp_path: Path, text: str, category: C, function: str, words: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)
    assert read.verdict is not None
    assert any(words in claim.text for claim in read.verdict.claims)


@pytest.mark.parametrize(
    "text", [THROWN, WRAPPED, "System.IO.IOException: gone\n   at Shop.A.B()\n"]
)
def test_a_stack_that_a_logger_may_have_written_ended_nothing(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text + "next request\n").category is None


SYNC = """\
Traceback (most recent call last):
  File "/srv/sync.py", line 12, in <module>
    connect()
  File "/srv/sync.py", line 40, in connect
    raise ConnectionError("gone")
ConnectionError: gone
"""
CART = "TypeError: total is not a function\n    at sum (/srv/cart.js:14:15)\n"


RAN_OUT = {
    "java": "java.lang.OutOfMemoryError: no room\n\tat org.shop.Bitmap.load(Bitmap.java:7)\n",
    "dotnet": "System.OutOfMemoryException: no room\n   at Shop.Till.Open()\n",
}


@pytest.mark.parametrize(("host", "before"), [
    ("java", ""), ("dotnet", ""), ("java", 'Exception in thread "main" '),
    ("dotnet", "Unhandled exception. "),
])  # fmt: skip
def test_what_a_managed_program_logged_and_what_its_runtime_said(
    tmp_path: Path, host: str, before: str
) -> None:
    log = f"2026-11-02 10:00:06,300 ERROR no rows\n{before}{RAN_OUT[host]}"
    read = read_text(tmp_path, log + "2026-11-02 10:00:11,400 INFO again\n")
    assert read.hosts[0] == host
    assert read.category is (C.OUT_OF_MEMORY if before else None)


def test_what_the_virtual_machine_itself_says_of_its_end(tmp_path: Path) -> None:
    record = "2026-11-02 10:00:06,300 INFO up\n"
    read = read_text(tmp_path, record + "Terminating due to java.lang.OutOfMemoryError: no room\n")
    assert (read.hosts, read.category) == (["java"], C.OUT_OF_MEMORY)
    ran_out = "java.lang.OutOfMemoryError: no room\nDumping heap to /d/java_pid7.hprof ...\n"
    log = record + ran_out + 'Exception in thread "till-9" ' + CAUGHT + record
    read = read_text(tmp_path, log)
    assert (read.category, read.function) == (C.OUT_OF_MEMORY, "org.shop.Bitmap.load")


@pytest.mark.parametrize("raised", [SYNC, CART])
@pytest.mark.parametrize(
    ("before", "after", "caught"),
    [
        ("2026-11-02 10:00:06,300 ERROR no rows\n", "2026-11-02 10:00:11,400 INFO again\n", True),
        ("2026-11-02 10:00:06,300 ERROR no rows\n", "", False),
        (
            "[2026-11-02 10:00:06,300: ERROR/Worker-2] no rows\n",
            "[2026-11-02 10:00:11,300: INFO/Worker-2] again\n",
            True,
        ),
        (
            "[2026-11-02 10:00:06,300] ERROR in till: no rows\n",
            '10.0.0.7 - - [02/Nov/2026 10:00:11] "GET / HTTP/1.1" 500 -\n',
            True,
        ),
        ("ERROR:    no rows\n\n", "INFO:     again\n", True),
        ("$ ./sync\n", "2026-11-02 10:00:11,400 INFO next job\n", False),
    ],
)
def test_an_exception_in_a_log_that_goes_on_ended_nothing(
    tmp_path: Path, raised: str, before: str, after: str, caught: bool
) -> None:
    read = read_text(tmp_path, before + raised + after)
    assert read.category is (None if caught else C.UNCAUGHT_EXCEPTION)
    assert [finding.ends for finding in read.findings] == [not caught]


BESIDE = "System.IO.IOException: gone\n   at Shop.A.B()\n"


@pytest.mark.parametrize(
    ("said", "raised"),
    [
        ("[2026-11-02 10:00:06,300: ERROR/Worker-2] Task till.sync[2f0c-1] raised unexpected: "
         "ConnectionError('gone')\n", SYNC),
        ("10:00:06 Exception on /till [GET]\n", SYNC),
        ("Internal Server Error: /till\n", SYNC),
        ("ERROR:    Exception in ASGI application\n", SYNC),
        ("ERROR:asyncio:Task exception was never retrieved\nfuture: <Task finished name='Task-2' "
         "coro=<run() done, defined at /srv/sync.py:9> exception=ConnectionError('gone')>\n", SYNC),
        ("fail: Microsoft.AspNetCore.Server.Kestrel[13]\n      Connection id \"0H\": An unhandled "
         "exception was thrown by the application.\n", BESIDE),
        ("Servlet.service() for servlet [till] in context with path [] threw exception\n", THROWN),
    ],
)  # fmt: skip
def test_what_a_framework_says_that_it_caught_ended_nothing(
    tmp_path: Path, said: str, raised: str
) -> None:
    read = read_text(tmp_path, said + raised)
    assert (read.category, [finding.ends for finding in read.findings]) == (None, [False])
    ended = SYNC.replace("ConnectionError", "ValueError")
    read = read_text(tmp_path, said + raised + ended)
    assert read.category is C.UNCAUGHT_EXCEPTION
    assert "ValueError" in read.cause


@pytest.mark.parametrize(
    ("after", "cause"), [(SYNC.replace("ConnectionError", "ValueError"), "ValueError"),
                         ("", "ConnectionError")],
)  # fmt: skip
def test_an_exception_in_a_records_first_line_did_not_end_what_another_one_ended(
    tmp_path: Path, after: str, cause: str
) -> None:
    text = f"2026-11-02 10:00:06 ERROR till: {SYNC}2026-11-02 10:00:11 INFO again\n{after}"
    assert cause in read_text(tmp_path, text).cause


LATE = SYNC.replace("sync.py", "late.py").replace("connect", "settle")
LATE = LATE.replace("ConnectionError: gone", "ValueError: late")
PRINTED = SYNC.replace("<module>", "run")
"""By traceback.print_exc, from the frame that caught it on."""
KILLED = "subprocess.CalledProcessError: Command '['sync']' returned non-zero exit status 1."
CHILD = "Unhandled exception. System.NullReferenceException: gone\n   at Shop.Child.Run()\n"
FAULT = "[ 120.1] {}[{}]: segfault at {} ip 00005561 sp 00007ffd8 error 4 in {}[5500+1000]\n"
ODD = (
    "/srv/till.c:26:9: runtime error: member access within misaligned address 0x0000006acfd5 for "
    "type 'struct coin', which requires 8 byte alignment\n"
)
OOM = (
    "Nov 20 11:00:01 web1 kernel: Out of memory: Killed process 991 (indexer) total-vm:8kB\n"
    "Nov 20 11:00:02 web1 systemd[1]: i.service: Main process exited, code=killed, status=9/KILL\n"
    "Nov 20 11:20:41 web1 till[1200]: terminate called without an active exception\n"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PRINTED + LATE, "ValueError: late"),
        (PRINTED + "retry\n" + LATE, "ValueError: late"),
        (PRINTED + LATE.replace("ValueError: late", "KeyboardInterrupt"), "ConnectionError"),
        (SYNC + LATE, "ConnectionError"),
        (OOM[: OOM.index("Nov 20 11:20")] + LATE, "Out of memory"),
        (SYNC + SYNC.replace("ConnectionError: gone", KILLED), "ConnectionError"),
        (SYNC + SYNC.replace("ConnectionError: gone", "KeyboardInterrupt"), "ConnectionError"),
        (SYNC + "Exception ignored in: <function f at 0x7f>\n" + PRINTED, "ConnectionError"),
        ("Exception in thread Thread-1:\n" + PRINTED + LATE, "ValueError: late"),
        (SYNC.replace("gone\n", "child said:\n") + LATE, "ConnectionError"),
        (CHILD + "Process terminated. Assertion failed.\n   at Shop.Host.Check()\n", "Host.Check"),
        (FAULT.format("a", 7, 10, "a") + FAULT.format("b", 8, 18, "b"), "b[8]"),
        (OOM, "terminate called"),
        (f"{ODD}==9==ERROR: AddressSanitizer: SEGV on unknown address 0x0000006acfdd (pc 0x55ee "
         "bp 0x1 sp 0x7ffe T0)\n    #0 0x55ee in total /srv/till.c:26\n", "SEGV on unknown addr"),
        (f"{ODD}==9==ERROR: AddressSanitizer: SEGV on unknown address (pc 0x55ee bp 0x1 "
         "sp 0x7ffe T0)\n    #0 0x55ee in total /srv/till.c:26\n", "misaligned"),
    ],
)  # fmt: skip
def test_of_two_ends_the_one_that_follows_from_no_other_is_told(
    tmp_path: Path, text: str, words: str
) -> None:
    assert words in read_text(tmp_path, text).cause


def test_what_an_exception_that_was_caught_came_of_was_caught_too(tmp_path: Path) -> None:
    during = "\nDuring handling of the above exception, another exception occurred:\n\n"
    text = "Internal Server Error: /till\n" + SYNC + during + SYNC.replace("sync.py", "late.py")
    assert read_text(tmp_path, text).category is None
    assert read_text(tmp_path, "Exception in ASGI application\n" + WRAPPED).category is None


RECOVERED = """\
PANIC: runtime error: invalid memory address or nil pointer dereference
goroutine 338 [running]:
till/vendor/negroni.(*Recovery).ServeHTTP.func1(0x7f)
\t/src/vendor/negroni/recovery.go:34 +0xe8
panic(0x6de540, 0x99fc40)
\t/usr/local/go/src/runtime/panic.go:522 +0x1b5
till.(*Drawer).Count(0x0)
\t/src/till/drawer.go:53 +0xa4
"""


def test_a_panic_that_a_servers_middleware_recovered(tmp_path: Path) -> None:
    read = read_text(tmp_path, RECOVERED)
    assert (read.hosts, read.category, read.findings[0].ends) == (["go"], None, False)
    read = read_text(tmp_path, "PANIC: ledger is torn\n")
    assert (read.hosts, read.category) == (["check"], C.PANIC)


def test_no_frame_of_what_was_logged_is_that_of_the_end(tmp_path: Path) -> None:
    at = "2026-11-02 10:00:06,300 ERROR no rows\n"
    text = f"{at}{CART}{at}FATAL ERROR: Reached heap limit - JavaScript heap out of memory\n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.OUT_OF_MEMORY, None)


PANICKED = "thread 'pool-3' panicked at src/h.rs:41:22:\nno row\nnote: run with x\n"
AT = "[2026-11-20T10:00:0{}Z INFO  srv] served\n"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        (AT.format(1) + PANICKED + AT.format(2), None),
        (AT.format(1) + PANICKED, C.PANIC),
        (AT.format(1) + PANICKED.replace("pool-3", "main") + AT.format(2), C.PANIC),
        ("[ RUN      ] Pool.dies\nfree(): double free detected in tcache 2\n"
         "[       OK ] Pool.dies (12 ms)\n", None),
        ("[ RUN      ] Pool.dies\nfree(): double free detected in tcache 2\n"
         "[ RUN      ] Pool.adds\n[       OK ] Pool.adds (12 ms)\n", C.DOUBLE_FREE),
        ("[ RUN      ] Pool.dies\n==7==ERROR: AddressSanitizer: heap-use-after-free on address "
         "0x61 at pc 0x5\nREAD of size 4 at 0x61\n    #0 0x5581 in pack /src/pack.c:31:9\n"
         "==7==ABORTING\n[       OK ] Pool.dies (12 ms)\n", None),
        ("[ RUN      ] Pool.adds\nsrc/row.c:9:2: runtime error: division by zero\n"
         "[       OK ] Pool.adds (12 ms)\n", C.DIVIDE_BY_ZERO),
    ],
)  # fmt: skip
def test_a_panic_or_a_death_that_was_outlived(
    tmp_path: Path, text: str, category: C | None
) -> None:
    assert read_text(tmp_path, text).category is category


FAULT = """\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f11aa0011aa, pid=90, tid=91
#
# Problematic frame:
# C  [libtill.so+0x11aa]  till_total+0x1a
#
siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000008
"""
DEEP = 'Exception in thread "pool-3" java.lang.StackOverflowError\n\tat a.Tree.depth(Tree.java:1)\n'
POOLED = 'Exception in thread "pool-1" ' + THROWN
KILLED = "Nov 26 10:00:08 h kernel: nginx[140]: segfault at 0 ip 0000561f sp 00007ffe error 4\n"
FULL = "java.lang.OutOfMemoryError: Java heap space\nDumping heap to java_pid71.hprof ...\n"
DIED = 'Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f0e5b3fe740 (most recent \
call first):\n  File "/srv/{}.py", line 12 in {}\n'
SEGV = "[ 9.1] blit[15]: segfault at 18 ip 0000561f sp 00007ffe error 4 in blit[5610+31000]\n"
WAITING = 'Traceback (most recent call last):\n  File "/srv/q.py", line 7, in <module>\n    go()\n'
LEFT = "subprocess.CalledProcessError: Command '['blit']' died with <Signals.SIG{}>.\n"
POOL = "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated \
abruptly while the future was running or pending.\n"
EXPECTED = "thread 'tests::no_zero' panicked at src/lib.rs:12:9:\nzero\ntest no_zero ... ok\n"
CARGO = "  process didn't exit successfully: `/w/target/debug/deps/app-1a` (signal: {})\n"
APP = "FATAL EXCEPTION: main\nProcess: org.shop.till, PID: {}\n"
DEAD = "android.os.DeadObjectException\n\tat org.shop.Till.open(Till.java:40)\n"
ONE_BY_ONE = "test a::b - should panic ... thread 'a::b' panicked at src/a.rs:12:5:\nzero\nok\n"
ALSO = "test a::c ... thread 'a::c' panicked at src/a.rs:31:9:\nassertion failed: n\nFAILED\n"
LOST_WORKER = (
    "billiard.exceptions.WorkerLostError: Worker exited prematurely: signal 9 (SIGKILL).\n"
)
FAILED = """\
Exception in thread "main" java.io.IOException: {} failed with exit code 139
\tat a.Encode.run(Encode.java:4)
"""
TESTED = "thread 'pool::deep' panicked at src/pool.rs:9:5:\nno row\ntest pool::deep ... {}\n"
UNITY = "NullReferenceException: not set\n  at Hud.Show () [0x00000] in <00000000>:0\n"
TOMBSTONE = """\
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
pid: 90, tid: 92, name: UnityMain  >>> org.shop.game <<<
signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10
backtrace:
      #00 pc 0000000000a12b30  /data/app/lib/arm64/libil2cpp.so (Player_Update+48)
"""
LOST = """\
Traceback (most recent call last):
  File "/srv/sync.py", line 12, in run
    go()
KeyError: 1
"""


@pytest.mark.parametrize(
    ("text", "category"),
    [
        (FULL + FAULT, C.NULL_POINTER_DEREFERENCE),
        (FULL, C.OUT_OF_MEMORY),
        (POOLED + 'Exception in thread "main" ' + CAUGHT, C.OUT_OF_MEMORY),
        (POOLED + CAUGHT, C.UNCAUGHT_EXCEPTION),
        (LOST + DIED.format("blit", "blit"), None),
        (LOST + DIED.format("sync", "run"), C.UNCAUGHT_EXCEPTION),
        (DIED.format("blit", "blit") + SYNC, None),
        (LOST, C.UNCAUGHT_EXCEPTION),
        (LOST.replace("KeyError: 1", "KeyboardInterrupt"), C.EXTERNAL_SIGNAL),
        (DEEP + KILLED, C.STACK_OVERFLOW),
        # Who waits for a process ends because that one did.
        (SEGV + WAITING + LEFT.format("SEGV: 11"), C.NULL_POINTER_DEREFERENCE),
        (SEGV + WAITING + LEFT.format("ABRT: 6"), C.UNCAUGHT_EXCEPTION),
        (SEGV.replace("blit", "python3") + WAITING + POOL, C.NULL_POINTER_DEREFERENCE),
        # The kernel tells of every program: of this one, where somebody names it.
        (SEGV + WAITING + POOL, None),
        (SEGV.replace("blit", "nginx") + WAITING + LEFT.format("SEGV: 11"), C.UNCAUGHT_EXCEPTION),
        (SEGV + WAITING + LEFT.format("SEGV: 11").replace("['blit']", "'cd q; ./blit -v'"),
         C.NULL_POINTER_DEREFERENCE),
        (SEGV + SEGV.replace("blit", "nginx").replace("[15]: segfault at 18", "[16]: segfault at "
         "7e00001234") + WAITING + LEFT.format("SEGV: 11"), C.NULL_POINTER_DEREFERENCE),
        (SEGV.replace("blit[15]", "pool-2[15]") + WAITING + LEFT.format("SEGV: 11"),
         C.NULL_POINTER_DEREFERENCE),
        (WAITING + POOL, C.UNCAUGHT_EXCEPTION),
        # Whoever goes on says how another one ended.
        (LOST.replace("KeyError: 1\n", LOST_WORKER), None),
        (SEGV + FAILED.format("blit"), C.NULL_POINTER_DEREFERENCE),
        (SEGV + FAILED.format("pack"), None),
        (SEGV + WAITING + "RuntimeError: DataLoader worker (pid 15) is killed by signal: "
         "Segmentation fault.\n", C.NULL_POINTER_DEREFERENCE),
        (WAITING + "RuntimeError: DataLoader worker (pid 193) is killed by signal: Killed.\n"
         "[ 9.2] Out of memory: Killed process 193 (python) total-vm:2kB, anon-rss:1kB\n",
         C.OUT_OF_MEMORY),
        (WAITING + "RuntimeError: DataLoader worker (pid 194) is killed by signal: Killed.\n"
         "[ 9.2] Out of memory: Killed process 193 (python) total-vm:2kB, anon-rss:1kB\n",
         C.UNCAUGHT_EXCEPTION),
        # A panic need not end its process; none ends by a fault.
        (EXPECTED + CARGO.format("11, SIGSEGV: invalid memory reference"), None),
        (EXPECTED + CARGO.format("6, SIGABRT: process abort signal"), C.PANIC),
        (LOST + "./run.sh: line 3:  2823 Segmentation fault      (core dumped) app\n", None),
        (UNITY + TOMBSTONE, C.NULL_POINTER_DEREFERENCE),
        # What a test panicked with that ended well ended nothing.
        (TESTED.format("ok") + TESTED.replace("no row", "assertion failed: b")
         .replace("deep", "adds").format("FAILED"), C.ASSERTION_FAILURE),
        (TESTED.format("FAILED"), C.PANIC),
        (TESTED.format("ok"), None),
        (ONE_BY_ONE + ALSO, C.ASSERTION_FAILURE),
        (ONE_BY_ONE, None),
        (TESTED.format("FAILED") + "test pool::deep ... ok\n", C.PANIC),  # another program's
        # Another app's end stands behind this one's, or its own does.
        (APP.format(40) + THROWN + TOMBSTONE, C.NULL_POINTER_DEREFERENCE),
        (APP.format(90) + THROWN + TOMBSTONE, C.UNCAUGHT_EXCEPTION),
        (APP.format(40) + CAUGHT + APP.format(90) + THROWN, C.UNCAUGHT_EXCEPTION),
        (APP.format(90) + CAUGHT + APP.format(90) + THROWN, C.OUT_OF_MEMORY),
        (APP.format(40) + CAUGHT + APP.format(90) + DEAD, C.OUT_OF_MEMORY),
    ],
)  # fmt: skip
def test_what_ends_by_no_fault_is_not_what_a_fault_ended(
    tmp_path: Path, text: str, category: C | None
) -> None:
    assert read_text(tmp_path, text).category is category


def test_who_is_killed_for_memory_runs_no_frame(tmp_path: Path) -> None:
    read = read_text(tmp_path, LOST + "next one\n    Last State: Terminated\n"
                     "      Reason:       OOMKilled\n      Exit Code:    137\n")  # fmt: skip
    assert (read.category, read.function) == (C.OUT_OF_MEMORY, None)


def test_no_frame_of_an_exception_is_the_allocators(tmp_path: Path) -> None:
    text = "free(): double free detected in tcache 2\n[pool] worker 7 died, restarting\n"
    text += "Unhandled exception. System.InvalidOperationException: x\n   at Till.Rows.Read()\n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.DOUBLE_FREE, None)


def test_a_shell_tells_how_a_child_ended_and_no_cause(tmp_path: Path) -> None:
    read = read_text(tmp_path, "./ci.sh: line 12: 22119 Killed                  ./integration\n")
    assert (read.hosts, read.category) == (["supervisor"], None)
    assert (read.findings[0].signal, read.findings[0].process) == ("SIGKILL", 22119)


def test_every_line_of_a_container_has_a_time(tmp_path: Path) -> None:
    lines = ["ERROR:sync:no rows", *SYNC.splitlines(), "INFO:sync:again"]
    worn = "".join(f"2026-11-02T10:00:06.3Z stderr F {line}\n" for line in lines)
    assert read_text(tmp_path, worn).category is None
    alone = "".join(f"2026-11-02T10:00:06.3Z stderr F {line}\n" for line in SYNC.splitlines())
    read = read_text(tmp_path, alone)
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, "connect")


def test_what_ended_it_stands_behind_what_was_logged(tmp_path: Path) -> None:
    first = "2026-11-02 10:00:06,300 ERROR no rows\n" + SYNC
    first += "2026-11-02 10:00:11,400 INFO again\n"
    ended = SYNC.replace("ConnectionError", "ValueError")
    read = read_text(tmp_path, first + ended)
    assert read.category is C.UNCAUGHT_EXCEPTION
    assert "ValueError" in read.cause


@pytest.mark.parametrize("raised", [SYNC, CART])
@pytest.mark.parametrize("message", [{"msg": "no rows"}, {}])
def test_a_trace_in_a_loggers_record(tmp_path: Path, raised: str, message: dict[str, str]) -> None:
    record = json.dumps({**message, "level": "error", "exception": raised}) + "\n"
    after = json.dumps({"msg": "again", "level": "info"}) + "\n"
    assert read_text(tmp_path, record + after).category is None
    assert read_text(tmp_path, record).category is C.UNCAUGHT_EXCEPTION


@pytest.mark.parametrize(
    ("before", "ends"),
    [("", True), ("worker: ", True), ("[2018-07-30 12:50:24] worker crashed: ", False),
     ("fetch failed, will retry: ", False)],
)  # fmt: skip
def test_who_puts_words_before_a_traceback_holds_the_exception(
    tmp_path: Path, before: str, ends: bool
) -> None:
    read = read_text(tmp_path, before + SYNC + "fetched on second try\n")
    assert read.category is (C.UNCAUGHT_EXCEPTION if ends else None)


@pytest.mark.parametrize("text", [f'he said "look: {SYNC}"', "fixed: Fatal Python error: x\n",
    "till.exe: unhandled exception (5) at 0x7ff61234, code 0xc0000005\n",
    "till[331]: using channel (7) at 10 nip 3 lr 0 code 2\n",
])  # fmt: skip
def test_a_mention_is_no_error_of_the_program(tmp_path: Path, text: str) -> None:
    with pytest.raises(TargetError):
        read_text(tmp_path, text)


STACK = "CallStack (from HasCallStack):\n  {}, called at src/Shop/Db.hs:88:5 in shop-1:Shop.Db\n"
WATCHDOG = "E (10317) task_wdt: Task watchdog got triggered. The following tasks did not reset:\n"
GURU = "Guru Meditation Error: Core  0 panic'ed ({}). Exception was unhandled.\nPC      : {} \n"
PASCAL = "Runtime error 201 at $0000000000421A3C\n  $0000000000421A3C\n"
RAISED = "raised SHOP.CLOSED : {}\n"
SENT = "forrtl: error ({}): process {} (SIG{})\n"


@pytest.mark.parametrize(
    ("text", "category", "words"),
    [
        # GHC.Stack's prettyCallStack, which loggers print, and GHC's error
        ("[Warn] slow\n" + STACK.format("logWarn"), None, ""),
        ("[Warn] slow\n" + STACK.format("logWarn") + "till: bad\n" + STACK.format("error"),
         C.UNCAUGHT_EXCEPTION, "error, called"),
        ("till: Assertion failed\n" + STACK.format("assert"), C.UNCAUGHT_EXCEPTION, "assert"),
        # a program's own words behind Free Pascal's, and those of its base class
        (PASCAL + "Expected: 12 rows\n", C.PANIC, "201"),
        (PASCAL + "ERROR: step 3\n", C.PANIC, "201"),
        ("An unhandled exception occurred at $0000000000401234:\nException: no till\n",
         C.UNCAUGHT_EXCEPTION, "no till"),
        # what a program says was raised, and GNAT's place or stack
        ("raised ALARM.DISK_FULL : /var at 97%\n" * 2, None, ""),
        ("raised ALARM.HOT : 91C\nraised CONSTRAINT_ERROR : till.adb:31 index check failed\n",
         C.PANIC, "till.adb:31"),
        (RAISED.format("till.adb:31"), C.UNCAUGHT_EXCEPTION, "till.adb:31"),
        (RAISED.format("no till\nLoad address: 0x400000"), C.UNCAUGHT_EXCEPTION, "no till"),
        ("raised ADA.IO_EXCEPTIONS.NAME_ERROR : coins.txt\n", C.UNCAUGHT_EXCEPTION, "coins"),
        # signals that somebody sent
        (SENT.format(78, "killed", "TERM"), C.EXTERNAL_SIGNAL, "SIGTERM"),
        (SENT.format(69, "interrupted", "INT"), C.EXTERNAL_SIGNAL, "SIGINT"),
        # a warning, unless CONFIG_ESP_TASK_WDT_PANIC is set
        (WATCHDOG + GURU.format("LoadProhibited", "0x400d5a10\nEXCVADDR: 0x00000008"),
         C.NULL_POINTER_DEREFERENCE, "LoadProhibited"),
        (WATCHDOG + GURU.format("IntegerDivideByZero", "0x400d5a10"), C.DIVIDE_BY_ZERO, "Divide"),
    ],
)  # fmt: skip
def test_what_a_runtime_prints_where_it_ended(
    tmp_path: Path, text: str, category: C | None, words: str
) -> None:
    try:
        read = read_text(tmp_path, text)
    except TargetError:
        assert category is None
        return
    assert read.category is category
    claims = read.verdict.claims if read.verdict is not None else ()
    assert not words or any(words in claim.text for claim in claims)
