"""Which frame of a log is the program's: never the tool's, the harness's or another failure's."""

from pathlib import Path

import pytest

from analyzers.log.frames import Loose
from analyzers.owners.windows import is_system_frame
from tests.logs.reading import read_text
from workbench.agents.looking import ended_in
from workbench.model.category import Category as C
from workbench.model.facts import Frame

ERROR = "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55\n"
READ = "READ of size 4 at 0x602000000010 thread T0\n"
FREED = "freed by thread T0 here:\n    #0 0x49 in free asan_malloc_linux.cpp:52:3\n"
FREED += "    #1 0x4f in drop_row /src/rows.c:12:2\n\n"
ALLOCATED = (
    "previously allocated by thread T0 here:\n    #0 0x49 in malloc asan_malloc_linux.cpp:69\n"
)
ALLOCATED += "    #1 0x4f in new_row /src/rows.c:5:9\n"


def stack(*frames: str) -> str:
    return "".join(f"    #{n} 0x{0x4F0000 + 64 * n:x} {f}\n" for n, f in enumerate(frames)) + "\n"


REPORTS = (
    "QMessageLogger::fatal(char const*, ...) const (/lib/libQt5Core.so.5+0x9)",
    "g_log_structured_array (/lib/libglib-2.0.so.0+0x9)",
    "Poco::Bugcheck::nullPointer(char const*)",
    "boost::assertion_failed(char const*, char const*)",
    "google::LogMessageFatal::~LogMessageFatal()",
    "spdlog::details::backtracer::push_back",
    "_Py_FatalErrorFunc",
    "rb_bug",
)
# Of a program: the library that has such a namespace has no source called so.
OWN = (
    ("logging::Sink::write", "/src/app/sink.cpp"),
    ("logging::CheckQuota", "/src/app/quota.cc"),
    ("WTF::Vector::at", "/src/app/vector.cpp"),
    ("core::Engine::step", "/src/app/engine.cpp"),
    ("test::Fixture::load", "/src/app/fixture.cc"),
    ("Internal.Store.Load", "/src/app/Store.cs"),
    ("runtime.Pool.take", "/src/app/pool.js"),
)
HARNESS = (
    "in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) FuzzerLoop.cpp:611:15",
    "in fuzzer::FuzzerDriver(int*, char***) FuzzerDriver.cpp:860:9",
    "in main (/out/row_fuzzer+0x50)",
    "in __libc_start_main (/lib/libc.so.6+0x29d90)",
)


@pytest.mark.parametrize(
    ("frames", "function"),
    [
        (("in (/out/row_fuzzer+0x4)", "in read_row /src/rows.c:40:7"), "read_row"),
        (("in __asan_memcpy asan_interceptors.cpp:22", "in read_row /src/rows.c:40", *HARNESS),
         "read_row"),
        (("in FuzzedDataProvider::ConsumeBool() fuzzer/FuzzedDataProvider.h:9",
          "in LLVMFuzzerTestOneInput /src/fuzz_rows.cc:7", *HARNESS), "LLVMFuzzerTestOneInput"),
        (("in __asan_memcpy asan_interceptors.cpp:22", *HARNESS), None),
        (("in testing::internal::AssertHelper::operator=(Message const&) gtest.cc:43",
          "in RowTest_Reads_Test::TestBody() /src/rows_test.cc:20",
          "in testing::Test::Run() gtest.cc:2500", "in main gtest_main.cc:53"),
         "RowTest_Reads_Test::TestBody()"),
        (("in logging::LogMessage::Flush() base/logging.cc:532", "in read_row /src/rows.c:40"),
         "read_row"),
        *(((f"in {reports}", "in read_row /src/rows.c:40"), "read_row") for reports in REPORTS),
        (("in _mm_load_si128 emmintrin.h:697", "in read_row /src/rows.c:40"), "read_row"),
        (("in _$LT$usize$u20$as$u20$core..slice..index..SliceIndex$LT$$u5b$T$u5d$$GT$$GT$::index::"
          "h3718c850271acd97 index.rs:27", "in __rustc::__rust_abort rt.rs:33",
          "in read_row /src/rows.rs:40"), "read_row"),
        (("in libcodec.so.3", "in read_row /src/rows.c:40"), "read_row"),
        (("in 0x0", "in read_row /src/rows.c:40"), "read_row"),
        (("in .memcpy", "in .read_row /src/rows.c:40"), ".read_row"),
        (("in <function called from gdb>", "in read_row /src/rows.c:40"), "read_row"),
        (("in ~StubRoutines::call_stub", "in read_row /src/rows.c:40"), "read_row"),
        (("in WTF::Vector<till::Row,0>::at wtf/Vector.h:1007", "in read_row rows.c:40"),
         "read_row"),
        *(((f"in {name} {file}:41", "in read_row /src/rows.c:40"), name) for name, file in OWN),
        (("in core::option::expect_failed /rustc/9f/library/core/src/option.rs:7",
          "in read_row /src/rows.rs:40"), "read_row"),
        (("in closure #1 (Swift.UInt8) -> () in closure #1 () -> () in Swift._assertionFailure(_: "
          "Swift.String) -> Swift.Never", "in read_row /src/rows.c:40"), "read_row"),
        (("in v8::api_internal::ToLocalEmpty() v8/src/api/api.cc:9", "in read_row /src/rows.c:40"),
         "read_row"),
    ],
)  # fmt: skip
def test_the_programs_frame(tmp_path: Path, frames: tuple[str, ...], function: str | None) -> None:
    text = ERROR + READ + stack(*frames) + FREED + ALLOCATED
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.USE_AFTER_FREE, function)


ENDED = "==9==ERROR: AddressSanitizer: ABRT on unknown address 0x000000000001 (pc 0x55 T0)\n"
RAN_OUT = "==9==ERROR: AddressSanitizer: stack-overflow on address 0x7ffca4df4b38 (pc 0x55 T0)\n"
NULL = "/usr/include/c++/v1/vector:98:5: runtime error: reference binding to null pointer\n"
BUILT = "/build/eglibc-MjiXCM/eglibc-2.19/"
ROUNDS = ("in parse_row /src/rows.c:9", "in std::map<int, int>::at map:7", "in parse_rows rows.c:4")


@pytest.mark.parametrize(
    ("first", "frames", "function"),
    [
        # who logged what a handler of its logger ends the process for
        (ENDED, ("in gsignal", "in abort", "in on_message /src/rows.c:7", "in g_logv gmessages.c:9",
                 "in g_log gmessages.c:4", "in read_row /src/rows.c:40"), "read_row"),
        # the handler failed itself
        (ENDED, ("in gsignal", "in abort", "in keep_line /src/ring.c:41", "in on_message a.c:7",
                 "in g_logv gmessages.c:9", "in g_log gmessages.c:4", "in read_row /src/rows.c:40"),
         "keep_line"),
        (ENDED, (f"in gsignal {BUILT}signal/../nptl/sysdeps/unix/sysv/linux/raise.c:56",
                 f"in __assert_fail_base {BUILT}assert/assert.c:92",
                 f"in __assert_fail {BUILT}assert/assert.c:101", "in read_row /src/rows.c:40"),
         "read_row"),
        # what recurs, not what it called last
        (RAN_OUT, ("in __interceptor_memcmp", "in is_row /src/rows.c:2", *ROUNDS * 3), "parse_row"),
        # a whole stack: three calls fill none, a hundred do
        (RAN_OUT, ("in draw draw.c:2", *["in walk walk.c:4"] * 3, "in main a.c:9"), "draw"),
        (RAN_OUT, ("in draw draw.c:2", *["in walk walk.c:4"] * 120, "in main a.c:9"),
         "walk"),
        (RAN_OUT, ("in is_row /src/rows.c:2", "in read_row /src/rows.c:40"), "is_row"),
        # a library's line that the message names
        (NULL, ("in operator[] /usr/include/c++/v1/vector:98:5", "in read_row /src/rows.c:40"),
         "read_row"),
    ],
)  # fmt: skip
def test_the_programs_frame_of_other_ends(
    tmp_path: Path, first: str, frames: tuple[str, ...], function: str
) -> None:
    assert read_text(tmp_path, first + stack(*frames)).function == function


@pytest.mark.parametrize("cut", [READ, READ + "    #0 0x49 in __asan_memcpy a.cpp:22\n\n", ""])
def test_an_allocation_is_no_access(tmp_path: Path, cut: str) -> None:
    read = read_text(tmp_path, ERROR + cut + FREED + ALLOCATED)
    assert (read.category, read.function) == (C.USE_AFTER_FREE, None)


def test_the_headline_says_where_the_memory_was_freed(tmp_path: Path) -> None:
    head = ERROR.replace("0x55", "0x55 bp 0x7ffd1 sp 0x7ffd8")
    read = read_text(
        tmp_path, head + READ + stack("in sum_row /src/rows.c:9:3") + FREED + ALLOCATED
    )
    assert 'heap-use-after-free on address 0x602000000010"' in read.cause
    assert "the memory was freed in `drop_row` at `rows.c:12`" in read.cause
    assert read.verdict is not None
    roles = [claim.get("function") for claim in read.verdict.claims if claim.kind == "role"]
    assert roles == ["drop_row", "new_row"]


def test_an_allocators_frames_alone_say_not_where_memory_was_freed(tmp_path: Path) -> None:
    freed = FREED.replace(
        "drop_row /src/rows.c:12:2", "operator delete(void*) asan_new_delete.cpp:9"
    )
    read = read_text(tmp_path, ERROR + READ + stack("in sum_row /src/rows.c:9:3") + freed)
    assert read.verdict is not None
    assert [claim for claim in read.verdict.claims if claim.kind == "role"] == []


def test_a_block_that_valgrind_names_is_no_access(tmp_path: Path) -> None:
    text = "==4== Memcheck, a memory error detector\n==4== Invalid read of size 4\n"
    text += "==4==  Address 0x4a4 is 0 bytes after a block of size 40 alloc'd\n"
    text += "==4==    at 0x48: malloc (vg_replace_malloc.c:381)\n"
    text += "==4==    by 0x10: new_row (rows.c:5)\n==4== \n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.HEAP_BUFFER_OVERFLOW, None)


HANDLED = """\
Program terminated with signal SIGABRT, Aborted.
#0  0x00007f10 in {raises} () from /lib64/libc.so.6
#1  0x00007f18 in {aborts} () from /lib64/libc.so.6
#2  0x00401200 in last_words () at words.c:9
#3  <signal handler called>
#4  0x00401300 in {below} () at rows.c:40
#5  0x00401400 in main () at main.c:3
"""


@pytest.mark.parametrize(("raises", "aborts"), [("raise", "abort"), (".raise", ".abort")])
def test_what_a_handler_interrupted_ended_nothing(tmp_path: Path, raises: str, aborts: str) -> None:
    text = HANDLED.format(raises=raises, aborts=aborts, below="_int_free")
    assert read_text(tmp_path, text).category is None


WARNED = """\
[ 1012.000000] WARNING: CPU: 1 PID: 88 at fs/drawer.c:33 drawer_put+0x10/0x20
[ 1012.000001] CPU: 1 PID: 88 Comm: kworker
[ 1012.000002] Call Trace:
[ 1012.000003]  drawer_flush+0x1/0x2
[ 1012.000004] ---[ end trace 0000000000000000 ]---
[ 2362.000000] BUG: kernel NULL pointer dereference, address: 0000000000000018
[ 2362.000001] #PF: supervisor read access in kernel mode
[ 2362.000002] CPU: 0 PID: 90 Comm: till
[ 2362.000003] RIP: 0010:till_walk+0x12/0x40
[ 2362.000004] Call Trace:
[ 2362.000005]  till_open+0x1/0x2
[ 2362.000006] ---[ end trace 0000000000000001 ]---
"""


def test_a_warning_long_before_is_another_matter(tmp_path: Path) -> None:
    read = read_text(tmp_path, WARNED)
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "till_walk")


LAMBDA = "void till::walk<int>(till::Drawer const&)::{lambda(till::Coin&)#1}::operator()() const"


@pytest.mark.parametrize(
    ("line", "function", "place"),
    [
        (f"[node13:40763] [ 1] ./till({LAMBDA}+0x4ca) [0xa636ba]", LAMBDA, None),
        ("./till(count+0x4ca)[0xa636ba]", "count", None),
        ("\ttill::Drawer::~Drawer [0x61B0EB84+292] (till\\drawer.cc:52)", "till::Drawer::~Drawer",
         "till\\drawer.cc:52"),
        ("\ttill::Drawer::count [0x65F254C9+313]", "till::Drawer::count", None),
        ("#3 0xffffffff80d3611c at till_write+0x57c", "till_write", None),
        ("[2] 1eb7c20 (main+1ab7c20) - /opt/till() [0x1eb7c20]", None, None),
        ("[2] Till::count(Coin const&) (/src/till.cpp:7)", "Till::count(Coin const&)",
         "/src/till.cpp:7"),
        ("[box:7] [ 2] 0   libtill.40.dylib            0x00000001038a3fb0 count + 1088", "count",
         None),
        ("#4  0x42895A in __rows_MOD_count at rows.f90:?", "__rows_MOD_count", None),
        ("#  8 till.exe      0x00007ff6aad93c31 count(coin)[ src\\till.cpp : 7 ]", "count(coin)",
         "src\\till.cpp:7"),
        ("4   libtill.dylib      0x000000010d1a4d3c till::exported(int) + 970204", None, None),
        ("/gems/till/till.so(count+0x28) [0x7fe8d9c16748] till.c:72", "count", "till.c:72"),
        ("2. till-server(till::count(int)+0x96) [0x30eff76]", "till::count(int)", None),
        ("#0  0x00007f5172f1cfa5 n/a (/usr/lib/libtil", None, None),
    ],
)  # fmt: skip
def test_a_frame_as_its_handler_writes_it(
    line: str, function: str | None, place: str | None
) -> None:
    frame = Loose()(line, 1)
    assert frame is not None
    assert frame.function == function
    assert (f"{frame.file}:{frame.line}" if frame.file else None) == place


GO_STOP = "fatal error: unexpected signal during runtime execution\n"
GO_STOP += "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x41bacf]\n\n"
GO_STACK = "runtime stack:\nruntime.throw(0x4e, 0x2a)\n\t/go/src/runtime/panic.go:616 +0x81\n"
GO_STACK += "runtime.sigpanic()\n\t/go/src/runtime/signal_unix.go:360 +0x279\n"
GO_ROWS = "goroutine 92 [syscall]:\nmain.readRows(0xc0)\n\t/src/rows.go:4 +0x20\n"
GO_PANIC = "panic: runtime error: invalid memory address or nil pointer dereference\n"
GO_PANIC += "[signal SIGSEGV: segmentation violation code=0x1 addr=0x30 pc=0x17ccd0e]\n"
RUST = "thread 'main' panicked at 'no row', src/rows.rs:177:37\nstack backtrace:\n"
RUST += "   0:     0x7ff7d7e8e962 - <unknown>\n   1:     0x7ff7d7eb384b - <unknown>\n"
APPLE = "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\n"
APPLE += "Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000000\n\nThread 0 Crashed:\n"
APPLE += "0   com.apple.CoreFoundation  0x00007fff8b81e88f CFStringGetCString + 47\n"
JAILBROKEN = "Exception type: EXC_BAD_ACCESS (SIGSEGV)\n"
JAILBROKEN += "Exception subtype: KERN_INVALID_ADDRESS: 0x10\nTriggered by thread: 0\nCall stack:\n"
JAILBROKEN += "0   libsystem_pthread.dylib \t0x000000018ce30168 0x18ce27000 + 37224 \t// "
JAILBROKEN += (
    "pthread_mutex_lock\n1   Rows  \t0x00000001043b4688 0x1043a4000 + 67208 \t// read_row\n"
)
TAGGED = "\n".join((
    "*** *** *** *** *** *** *** *** *** *** ***",
    "pid: 9, tid: 9, name: rows  >>> org.till <<<",
    "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------",
    "Abort message: 'Pointer tag for 0xb400007a2c3f1d50 was truncated, see https://a.com'",
    "backtrace:", "    #00 pc 000527cc  /lib64/bionic/libc.so (abort+168)",
    "    #01 pc 0005a1c0  /lib64/bionic/libc.so (free+92)",
    "    #02 pc 00021f48  /data/librows.so (Rows::drop()+72)", ""))  # fmt: skip
RUBY = "till.rb:9: [BUG] Segmentation fault at 0x0000000000000018\n\n"
RUBY += "/lib/libruby.so.3.2(rb_print_backtrace+0x11) [0x7f1be7d2a5d1] vm_dump.c:785\n"
RUBY += "/lib/libruby.so.3.2(rb_vm_bugreport) vm_dump.c:1101\n"
RUBY += "/lib/libruby.so.3.2(sigsegv+0x4d) [0x7f1be7c79a9d] signal.c:964\n"
RUBY += "/lib/libc.so.6(0x7f1be774bd60) [0x7f1be774bd60]\n"
RUBY += "/srv/rows_ext.so(read_row+0x2b) [0x7f1be2a41c7b] rows.c:77\n"
SWIFT = "Swift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range\n\n"
SWIFT += "Thread 0 crashed:\n\n"
SWIFT += "0 0x00007f9a1c3d2e14 _assertionFailure(_:_:file:line:flags:) + 388 in libswiftCore.so\n"
SWIFT += "1 [inlined] [system] Array.subscript.getter in rows at <compiler-generated>\n"
SWIFT += "2 Rows.read(upTo:) + 212 in rows at /src/Rows.swift:88:31\n\n"
SWIFT += "    87|         for i in 0...count {\n    88|             total += entries[i]\n\n"
SWIFT += "3 main + 96 in rows at /src/main.swift:12:8\n"
ERLANG = 'Error in process <0.88.0> with exit value:\n{badarg,[{lists,nth,2,[{file,"lists.erl"},'
ERLANG += '{line,103}]},\n         {rows,fill,2,[{file,"rows.erl"},{line,14}]}]}\n'
CLICKHOUSE = (
    "(version 23.8.2.7) (from thread 9) (no query) Received signal Segmentation fault (11)\n"
)
CLICKHOUSE += "Address: 0x10. Access: read. Address not mapped to object.\n"
CLICKHOUSE += (
    "Stack trace: 0x000055a0b31e1a02\n2. DB::Rows::sum() @ 0x55a0b31e1a02 in /usr/bin/db\n"
)
# as less(1) cuts lines, and without times
CUT = """\
2021.06.20 11:59:33.939867 [ 66337 ] {} <Fatal> BaseDaemon: (version 21.1.2.15, build id: 9) (from thread 55832) (query_id: 1) Received signal Segmentation fault (11)
2021.06.20 11:59:33.939910 [ 66337 ] {} <Fatal> BaseDaemon: Address: 0xa0 Access: read. Address not mapped to object.
2021.06.20 11:59:33.946014 [ 66337 ] {} <Fatal> BaseDaemon: 3. ./obj/../src/Rows.cpp:18: DB::Rows::sum() @ 0>
2021.06.20 11:59:33.953607 [ 66337 ] {} <Fatal> BaseDaemon: 5. ./obj/../src/Till.cpp:25: DB::Till::drain() @ 0x10e3d826 in /usr/bin/clickhouse
"""  # noqa: E501
UNTIMED = """\
<Error> BaseDaemon: (from thread 49) Received signal Segmentation fault (11).
<Error> BaseDaemon: Address: NULL pointer.
<Error> BaseDaemon: 1. clickhouse-server(DB::Rows::sum()+0x27) [0x1142807]
<Error> BaseDaemon: 2. /lib/x86_64-linux-gnu/libpthread.so.0(+0x76ba) [0x7f49ecbcf6ba]
<Error> BaseDaemon: 3. /lib/x86_64-linux-gnu/libc.so.6(clone+0x6d) [0x7f49ec1f082d]
"""
# One line for each call that was inlined (syzkaller).
INLINED = """\
BUG: KASAN: out-of-bounds in memset include/linux/string.h:391 [inline]
BUG: KASAN: out-of-bounds in till_fill+0xa10/0xbd0 drivers/till.c:622
Write of size 4096 at addr ffffffff8d76c000 by task till/4597
Call Trace:
 dump_stack+0x198/0x1fd lib/dump_stack.c:118
 memset+0x20/0x40 mm/kasan/common.c:85
 till_fill+0xa10/0xbd0 drivers/till.c:622
"""
# The handler's own frames stand above the fault.
OWN_HANDLER = """\
  Exception: 0xC0000005  (EXCEPTION_ACCESS_VIOLATION)
  Address  : 0x00007FF83EF32F58
  AV Type  : READ at 0x0000000000000000
  #0   0x00007FF6CE317351  till.exe
  #1   0x00007FF8428BC507  KERNELBASE.dll
  #2   0x00007FF83EF32F58  rows.dll
"""
CEPH = "/src/osd/Rows.cc: In function 'void Rows::put(int)' thread 7f1e4c954700\n"
CEPH += "/src/osd/Rows.cc: 141: FAILED ceph_assert(n < 8)\n\n ceph version 17.2.6 quincy (stable)\n"
CEPH += " 1: (ceph::__ceph_assert_fail(char const*, char const*, int)+0x14f) [0x55a0b31e1a02]\n"
CEPH += " 2: /usr/bin/ceph-osd(+0x4d1c2f) [0x55a0b31e1c10]\n"
CEPH += " 3: (Rows::put(int)+0x44) [0x55a0b31e1d10]\n"
MONGOD = (
    "2026-01-02T03:04:05.678+0000 F -        [conn7] Invalid access at address: 0\n"
    "2026-01-02T03:04:05.679+0000 F -        [conn7] Got signal: 11 (Segmentation fault).\n"
    " 0x55a0b31e1a02 0x55a0b31e1c10\n----- BEGIN BACKTRACE -----\n"
    " mongod(_ZN5mongo15printStackTraceERSo+0x41) [0x55a0b31e1a02]\n"
    " mongod(+0x123440) [0x55a0b31e1c10]\n libc.so.6(+0x42520) [0x7fa4fb300520]\n"
    " mongod(read_row+0x21) [0x55a0b31e1d10]\n-----  END BACKTRACE  -----\n"
)
REDIS = (
    "=== REDIS BUG REPORT START: Cut & paste starting from here ===\n"
    "[812] 02 Jan 03:04:05.678 #     Redis 2.8.1 crashed by signal: 11\n"
    "[812] 02 Jan 03:04:05.678 # Accessing address: 0x18\n\n------ STACK TRACE ------\n"
    "/usr/bin/redis-server *:6379(logStackTrace+0x48)[0xaaab792573e0]\n"
    "/usr/bin/redis-server *:6379(sigsegvHandler+0x9c)[0xaaab79257afc]\n"
    "linux-vdso.so.1(__kernel_rt_sigreturn+0x0)[0xfffe385707b4]\n"
    "/usr/bin/redis-server *:6379(read_row+0x10)[0xaaab7921afe0]\n"
)
NODE = (
    "PID 386 received SIGSEGV for address: 0x8\n"
    "/srv/node_modules/segfault-handler/build/segfault-handler.node(+0x1b2e)[0xb429bb2e]\n"
    "/lib/libc.so.6(+0x2a300)[0xb6639300]\n/srv/rows.node(read_row+0x50)[0x7f47acc2a050]\n"
)
EVENT = (
    "Application: till.exe\n"
    "Description: The process was terminated due to an unhandled exception.\n"
    "Exception Info: System.InvalidOperationException\n"
)
EVENT += "   at Till.Rows.Read()\n   at Till.Program.Main(System.String[])\n"
KERNEL = "BUG: unable to handle kernel NULL pointer dereference at 000000000000000a\n"
OOPS = "Oops: 0000 [#1] SMP\nCPU: 67 PID: 0 Comm: swapper Tainted: G           OE 3.10.0 #1\n"


def _traceback(*frames: tuple[str, str]) -> str:
    return "Traceback (most recent call last):\n" + "".join(
        f'  File "{file}", line 5, in {function}\n    {function}()\n' for file, function in frames
    )


TRACEBACK = _traceback(
    ("/srv/till/app.py", "<module>"), ("/srv/till/rows.py", "read_rows"),
    ("/usr/lib/python3/dist-packages/sqlthing/pool.py", "connect"),
    ("/usr/lib/python3.11/json/decoder.py", "raw_decode"),
)  # fmt: skip
SCRIPT = _traceback(
    ("/usr/local/bin/backup", "<module>"), ("/usr/local/bin/backup", "copy_all"),
    ("/usr/lib/python3/dist-packages/sqlthing/pool.py", "put"),
)  # fmt: skip
INSTALLED = _traceback(  # by pip, which writes what starts it
    ("/usr/local/bin/till", "<module>"),
    ("/usr/local/lib/python3.11/site-packages/till/rows.py", "read_rows"),
)


@pytest.mark.parametrize(
    ("text", "category", "function", "address"),
    [
        # what is installed is not the program, while a frame of that is there
        (TRACEBACK + "sqlthing.Lost: no file\n", C.UNCAUGHT_EXCEPTION, "read_rows", None),
        (INSTALLED + "KeyError: 7\n", C.UNCAUGHT_EXCEPTION, "read_rows", None),
        (SCRIPT + "KeyError: 7\n", C.UNCAUGHT_EXCEPTION, "copy_all", None),
        # The runtime's own stack is where it failed, unless the signal came from below it.
        (GO_STOP + GO_STACK + "runtime.scanblock(0x56a060)\n\t/go/src/runtime/mgcmark.go:1071\n\n"
         + GO_ROWS, C.NULL_POINTER_DEREFERENCE, "runtime.scanblock", 0),
        (GO_STOP + GO_STACK + "\n" + GO_ROWS, C.NULL_POINTER_DEREFERENCE, "main.readRows", 0),
        # The lines that say where a call stands were cut.
        (GO_PANIC + "goroutine 17 [running]:\nexample.com/till.(*Rows).read(...)\n"
         "example.com/till.Open(0xc0)\n", C.NULL_POINTER_DEREFERENCE,
         "example.com/till.(*Rows).read", 0x30),
        ("panic: runtime error: invalid memory address or nil pointer dereference\n"
         "[signal SIGSEGV: segmentation violation code=0x1 addr=0xa0 pc=0x4d0ca6]\n\n"
         "goroutine 9 [running]:\nos/exec.(*Cmd).Wait(0x0)\n"
         "\t/usr/local/go/src/os/exec/exec.go:453 +0x26\nexample.com/till.(*Rows).run(0xc0)\n"
         "\t/go/src/example.com/till/rows.go:15 +0x5\n", C.NULL_POINTER_DEREFERENCE,
         "example.com/till.(*Rows).run", 0xA0),
        # What starts a program is nobody's defect, and no frame is better than it.
        (RUST.replace("src/rows.rs", "src/libcore/result.rs").partition("   0:")[0]
         + "   6: std::panicking::begin_panic\n             at src/libstd/panicking.rs:475\n"
         "   8: core::result::unwrap_failed\n             at src/libcore/result.rs:999\n"
         "  10: rows::read\n", C.PANIC, "rows::read", None),
        (RUST + "  22:     0x7ff90b707614 - BaseThreadInitThunk\n", C.PANIC, None, None),
        (APPLE + "1   org.till.Rows  0x0000000100002051 0x100000000 + 8273\n"
         "2   org.till.Rows  0x000000010000117a main + 650\n"
         "3   org.till.Rows  0x0000000100000be4 start + 52\n",
         C.NULL_POINTER_DEREFERENCE, None, 0),
        (JAILBROKEN, C.NULL_POINTER_DEREFERENCE, "read_row", 0x10),
        ("EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000018\n\nCrashed: main-thread\n"
         "0  Rows  0x104f57a9c read_row + 32\n1  Rows  0x104f590ac open_rows + 148\n",
         C.NULL_POINTER_DEREFERENCE, "read_row", 0x18),
        *((KERNEL + f"{ip} octf_push+0x19/0x240 [trace]\n" + OOPS, C.NULL_POINTER_DEREFERENCE,
           "octf_push", 0xA)
          for ip in ("IP: [<ffffffffc0841d99>]", "EIP is at", "EIP: [<c0841d99>]",
                     "RIP: 0010:[<ffffffffc0841d99>]  [<ffffffffc0841d99>]")),
        # a module may call its functions as the kernel does those that report
        (KERNEL + OOPS + "RIP: 0010:memset_erms+0x9/0x10\nCall Trace:\n"
         " kasan_init_shadow+0x120/0x2b0 [till]\n init_module+0x2d/0x1000 [till]\n",
         C.NULL_POINTER_DEREFERENCE, "kasan_init_shadow", 0xA),
        (RUBY, C.NULL_POINTER_DEREFERENCE, "read_row", 0x18),
        (SWIFT, C.PANIC, "Rows.read(upTo:)", None),
        (TAGGED, C.INVALID_FREE, "Rows::drop()", None),
        (ERLANG, C.UNCAUGHT_EXCEPTION, "fill", None),
        (CLICKHOUSE, C.NULL_POINTER_DEREFERENCE, "DB::Rows::sum()", 0x10),
        (CUT, C.NULL_POINTER_DEREFERENCE, "DB::Rows::sum()", 0xA0),
        (UNTIMED, C.NULL_POINTER_DEREFERENCE, "DB::Rows::sum()", 0),
        (CEPH, C.ASSERTION_FAILURE, "Rows::put(int)", None),
        (INLINED, C.OUT_OF_BOUNDS_WRITE, "till_fill", 0xFFFFFFFF8D76C000),
        (OWN_HANDLER, C.NULL_POINTER_DEREFERENCE, None, 0),
        (MONGOD, C.NULL_POINTER_DEREFERENCE, "read_row", 0),
        (REDIS, C.NULL_POINTER_DEREFERENCE, "read_row", 0x18),
        (NODE, C.NULL_POINTER_DEREFERENCE, "read_row", 8),
        (EVENT, C.UNCAUGHT_EXCEPTION, "Till.Rows.Read", None),
    ],
)  # fmt: skip
def test_the_frame_that_a_runtime_or_a_kernel_stopped_in(
    tmp_path: Path, text: str, category: C, function: str | None, address: int | None
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)
    assert read.findings[0].address == address


HOTSPOT = "A fatal error has been detected by the Java Runtime Environment:\n\n"
HOTSPOT += "SIGSEGV (0xb) at pc=0x00007fc1a2ddc7b3, pid=2105, tid=0x00007fc1a5f9b700\n\n"
HOTSPOT += "**Problematic frame:\nC  [librows.so+0x2b7b3]  Rows::read()+0x73\n**\n\n"
HOTSPOT += (
    "siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000008\n"
)
FATAL = "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 9 (rows)"
TOMBSTONE = ("*** *** *** *** *** *** *** *** *** *** ***",
             "pid: 9, tid: 9, name: rows  >>> org.till <<<",
             "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0",
             "    eip 00000000  ebp bffc67e8  esp bffc66fc  flags 00210282", "backtrace:",
             "    #00 pc 00000000  <unknown>", "    #01 pc 001976ab  /data/librows.so")  # fmt: skip
STUDIO = "11-06 14:57:50.907 9-9/? I/DEBUG: "


@pytest.mark.parametrize(
    ("text", "category", "hosts"),
    [
        (HOTSPOT, C.NULL_POINTER_DEREFERENCE, ["java"]),
        # What libc says in the process and debuggerd after it is one crash.
        (f"11-06 14:57:50.803 9-9/org.till A/libc: {FATAL}\n"
         + "".join(f"{STUDIO}{line}\n" for line in TOMBSTONE),
         C.NULL_FUNCTION_POINTER_CALL, ["android"]),
        (f"org.till.rows                A  {FATAL}\norg.till.rows       E  margin not matched\n",
         C.NULL_POINTER_DEREFERENCE, ["android"]),
        (f"2026-01-02 14:57:50.803  9-9  libc  org.till.rows   A  {FATAL}\n",
         C.NULL_POINTER_DEREFERENCE, ["android"]),
        ("System.NullReferenceException was unhandled\n  Message: Object reference not set\n"
         "  StackTrace:\n       at Till.Rows.Read() in C:\\src\\Rows.cs:line 214\n",
         C.UNCAUGHT_EXCEPTION, ["dotnet"]),
        ("==14==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes at "
         "address 2008fff7000 (errno: 12)\n==14==ReserveShadowMemoryRange failed\n",
         C.OUT_OF_MEMORY, ["asan"]),
        ("<pre>==14==ERROR: AddressSanitizer: heap-use-after-free on address 0x6030<br/>\n"
         "READ of size 4 at 0x6030 thread T0<br/>\n"
         "    #0 0x4c32a0 in Rows&lt;int&gt;::read() /src/rows.cc:14:7<br/>\n</pre>\n",
         C.USE_AFTER_FREE, ["asan"]),
    ],
)  # fmt: skip
def test_a_report_as_pages_and_tools_show_it(
    tmp_path: Path, text: str, category: C, hosts: list[str]
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.hosts) == (category, hosts)


SYSTEMD = """\
           PID: 9 (till)
        Signal: 11 (SEGV)
                Stack trace of thread 9:
                #0  0x000055a0b31e1a02 fill_row (till + 0x1a02)
                #1  0x00007f1e4c93ad90 main (till + 0x29d90)
"""
JULIA = """\
[4021] signal (11.1): Segmentation fault
in expression starting at /src/till.jl:9
jl_gc_alloc_ at /cache/build/ci-5/julialang/julia-release-1-dot-9/src/julia_internal.h:459 [inlined]
fill at ./array.jl:418 [inlined]
#fill_row#6 at /src/drawer.jl:31
_jl_invoke at /cache/build/ci-5/julialang/julia-release-1-dot-9/src/gf.c:2758 [inlined]
"""


UNITY = """\
NullReferenceException: Object reference not set to an instance of an object
Shop.Till.Update () (at Assets/Scripts/Till.cs:31)
"""
MONO = """\
NullReferenceException: Object reference not set to an instance of an object
  at Shop.Till.Update () [0x00012] in <51aa1906a4be487d826fc3320f54235b>:0
"""


# What remains of a report whose first line was cut away, or that its own handler wrote.
GO_STACK_ALONE = """\
12:32PM ERR Boom! runtime error: index out of range [2] with length 2
12:32PM ERR goroutine 1 [running]:
runtime/debug.Stack()
\truntime/debug/stack.go:24 +0x65
main.run.func2()
\tmain/root.go:69 +0xbd
panic({0x2195180, 0xc0010a0048})
\truntime/panic.go:838 +0x207
main.(*Rows).Draw(0xc0001602a0)
\tmain/rows.go:204 +0x1b10
"""
JAVA_ALONE = """\
\tat org.till.Rows.read(Rows.java:232) [till.jar:?]
\tat org.till.Main.main(Main.java:9) ~[?:1.8]
"""
DOTNET_ALONE = """\
### Exception stack

   at Till.Rows.Read(Row row)
   at Till.Program.Main() in D:\\a\\till.cs:line 9
"""
RUBY_ALONE = """\
-- C level backtrace information -------------------------------------------
/till/till() [0x527b78]
/till/till(rb_bug+0xb3) [0x56fb43]
/lib/libpthread.so.0(+0xf8f0) [0x7fe8de71b8f0] Connection.c:111
/gems/till/till.so(read_row+0x28) [0x7fe8d9c16748] till.c:72
/till/till(main+0x15b) [0x417c0b]
"""
QBITTORRENT = """\
Caught signal: SIGSEGV
#  0 till.exe      0x00007ff6aad909c6 straceWin::backtrace()[ app\\stacktrace_win.h : 213 ]
#  1 till.exe             0x00007ff6aad93c31 sigAbnormalHandler(signum)[ app\\main.cpp : 315 ]
#  2 ntdll.dll            0x00007ffcfc313bae KiUserExceptionDispatcher()
#  3 till.exe             0x00007ff6ab7e6310 Rows::read()
"""


@pytest.mark.parametrize(
    ("text", "function"),
    [(GO_STACK_ALONE, "main.(*Rows).Draw"), (JAVA_ALONE, "org.till.Rows.read"),
     (DOTNET_ALONE, "Till.Rows.Read"), (RUBY_ALONE, "read_row"), (QBITTORRENT, "Rows::read()"),
     (SYSTEMD, "fill_row"), (JULIA, "#fill_row#6"), (UNITY, "Shop.Till.Update"),
     (MONO, "Shop.Till.Update")],
)  # fmt: skip
def test_the_frame_that_is_shown_where_nothing_is_concluded(
    tmp_path: Path, text: str, function: str
) -> None:
    read = read_text(tmp_path, text)
    frame = ended_in(read.facts, len(read.facts))
    assert (read.category, frame and frame.function) == (None, function)


def test_what_fills_a_listing_of_windbg_recurs(tmp_path: Path) -> None:
    text = "(944.e8c): Stack overflow - code c00000fd (!!! second chance !!!)\n0:000> kb\n"
    text += "ChildEBP RetAddr  Args to Child\n"
    calls = ("leaf+0x10", "leaf+0x24", *["walk+0x3c"] * 12)
    for number, call in enumerate(calls):
        text += f"{0x12FB80 + 64 * number:08x} 003610b0 00000001 00000002 00000003 app!{call}\n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.STACK_OVERFLOW, "walk")


def test_a_heap_that_frees_for_the_program_is_none_of_its_own() -> None:
    frame = Frame(index=0, function="MemoryProtection::CMemoryProtector::ProtectedFree")
    assert is_system_frame(frame)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            "==================\n"
            "WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=9)\n"
            "  Cycle in lock order graph: M0 (0x7b1000000020) => M1 (0x7b1000000048) => M0\n\n"
            "  Mutex M1 acquired here while holding mutex M0 in thread T1:\n"
            "    #0 pthread_mutex_lock <null> (bank+0x44ab2)\n"
            "    #1 transfer /src/bank.c:19:3 (bank+0xc1f10)\n\n",
            "a lock was taken in `transfer` at `bank.c:19`",
        ),
        (
            '==9== Thread #3: lock order "0x10C060 before 0x10C0A0" violated\n==9== \n'
            "==9== Observed (incorrect) order is: acquisition of lock at 0x10C0A0\n"
            "==9==    at 0x4850CCF: mutex_lock_WRK (hg_intercepts.c:937)\n"
            "==9==    by 0x10928C: withdraw (bank.c:23)\n==9== \n"
            "==9==  followed by a later acquisition of lock at 0x10C060\n"
            "==9==    at 0x4850CCF: mutex_lock_WRK (hg_intercepts.c:937)\n"
            "==9==    by 0x10929B: withdraw (bank.c:24)\n",
            "a lock was taken in `withdraw` at `bank.c:24`",
        ),
        (
            'Exception in thread "t" java.lang.OutOfMemoryError: Java heap space\n'
            "\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)\n"
            "\tat imp.Rows.collect(Rows.java:71)\n",
            "it happened in `java.util.Arrays.copyOf` at `Arrays.java:3537`",  # no access
        ),
    ],
)
def test_what_was_done_in_a_librarys_frame(tmp_path: Path, log: str, said: str) -> None:
    assert f", and {said}" in read_text(tmp_path, log).cause


CAUSED = """\
Exception in thread "main" org.till.ShutException: cannot shut drawer 47
\tat org.till.Drawer.shut(Drawer.java:88)
\tat org.till.Till.main(Till.java:23)
Caused by: org.springframework.dao.DataAccessResourceFailureException: none
\tat org.springframework.jdbc.core.JdbcTemplate.execute(JdbcTemplate.java:658)
\tat org.till.Ledger.save(Ledger.java:41)
\tat org.till.Drawer.shut(Drawer.java:84)
\t... 1 more
Caused by: java.net.SocketTimeoutException: Read timed out
\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:278)
\tat org.springframework.jdbc.core.JdbcTemplate.execute(JdbcTemplate.java:651)
\t... {left} more
"""


@pytest.mark.parametrize(
    ("left", "named"),
    [
        (3, ["org.till.Ledger.save", "org.till.Drawer.shut", "org.till.Till.main"]),
        (1, ["org.till.Till.main"]),
        (30, []),
    ],
)
def test_a_cause_has_the_callers_that_its_trace_leaves_out(
    tmp_path: Path, left: int, named: list[str]
) -> None:
    read = read_text(tmp_path, CAUSED.format(left=left))
    frames = read.findings[0].stacks[0].frames
    assert [frame.function for frame in frames[2:]] == named
    assert [frame.index for frame in frames] == list(range(2 + len(named)))
    if left == 3:
        assert read.function == "org.till.Ledger.save"


def test_rusts_names_are_read_through_their_mangling(tmp_path: Path) -> None:
    text = """\
           PID: 15661 (agentd)
        Signal: 6 (ABRT)
    Executable: /usr/bin/agentd
       Message: Process 15661 (agentd) of user 1000 dumped core.

                Stack trace of thread 15661:
                #0  0x00007f1e41a91615 raise (libc.so.6 + 0x3d615)
                #1  0x00007f1e41a7a862 abort (libc.so.6 + 0x26862)
                #2  0x00007f1e3f13b6a7 _ZN3std3sys4unix14abort_internal17h5d3c9b2f1a6e7d80E (agentd + 0x13b6a7)
                #3  0x00007f1e3f12e2f9 rust_begin_unwind (agentd + 0x12e2f9)
                #4  0x00007f1e3ed2a4c1 _ZN4core9panicking9panic_fmt17h1a3c9b2f1a6e7d80E (agentd + 0x2a4c1)
                #5  0x00007f1e3ee0b215 _ZN6agentd5store4load17h023c9b2f1a6e7d80E (agentd + 0x10b215)
"""  # noqa: E501
    read = read_text(tmp_path, text)
    assert read.category is C.PANIC
    assert "`agentd::store::load` panicked" in read.cause


@pytest.mark.parametrize("address", ["0x0", "0x10", "0x7f40d5ffc888"])
def test_a_pc_that_glog_cannot_tell_is_no_place(tmp_path: Path, address: str) -> None:
    text = f"""\
*** Aborted at 1714644001 (unix time) try "date -d @1714644001" if you are using GNU date ***
PC: @                0x0 (unknown)
*** SIGSEGV (@{address}) received by PID 7711 (TID 0x7f40d5ffb700) from PID 16; stack trace: ***
    @     0x7f411ad8c630 (unknown)
    @           0x8a1c33 tiler::Region::area()
    @           0x8a0f10 tiler::Sheet::render()
    @     0x7f411ad84ea5 start_thread
"""
    read = read_text(tmp_path, text)
    assert "the code at 0x0" not in read.cause
    assert "`tiler::Region::area" in read.cause


def test_abseils_frames_have_a_size(tmp_path: Path) -> None:
    text = """\
*** SIGABRT received at time=1714644001 on cpu 3 ***
PC: @     0x7f12a4c969fc  (unknown)  pthread_kill
    @     0x7f12a4c42520  (unknown)  (unknown)
    @     0x7f12a4c287f3        336  abort
    @     0x55d2a1b7c1de         48  absl::lts_20230125::log_internal::LogMessage::Die()
    @     0x55d2a1a3b210        224  router::Table::Insert()
"""
    assert read_text(tmp_path, text).function == "router::Table::Insert()"
