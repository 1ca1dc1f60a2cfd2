"""Reports of programs, runtimes, supervisors and tools, each as its own documentation or source
shows it, of a till that lost its coins: what died, why, where, and the address."""

from typing import NamedTuple

from workbench.model.category import Category as C


class Told(NamedTuple):
    """A report and what it says; None where it does not."""

    text: str
    host: str
    category: C | None
    signal: str | None = None
    address: int | None = None
    function: str | None = None
    place: str | None = None


NULL = C.NULL_POINTER_DEREFERENCE
TEXTS: dict[str, Told] = {
    "strace": Told("""\
openat(AT_FDCWD, "/etc/till.conf", O_RDONLY) = 3
[pid  4021] read(3, "coins=3\\n", 4096)    = 8
[pid  4021] --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x18} ---
 > /opt/till/till(drawer_count+0x12) [0x1149]
 > /opt/till/till(main+0x20) [0x1200]
[pid  4021] +++ killed by SIGSEGV (core dumped) +++
""", "strace", NULL, "SIGSEGV", 0x18),
    "ruby": Told("""\
till.rb:31: [BUG] Segmentation fault at 0x0000000000000018
ruby 3.2.2 (2023-03-30 revision e51014f9c0) [x86_64-linux]

-- Control frame information -----------------------------------------------
c:0002 p:0012 s:0010 e:000009 METHOD till.rb:31

-- C level backtrace information -------------------------------------------
/usr/lib/libruby-3.2.so.3.2(rb_print_backtrace+0xd) [0x7f1c01] vm_dump.c:785
/usr/lib/libruby-3.2.so.3.2(rb_bug_for_fatal_signal+0xf4) [0x7f1c02] error.c:813
/usr/lib/libruby-3.2.so.3.2(sigsegv+0x4d) [0x7f1c03] signal.c:964
/lib/x86_64-linux-gnu/libc.so.6(__restore_rt+0x0) [0x7f1d00]
/opt/till/till.so(drawer_count+0x12) [0x7f1e00] drawer.c:31
/opt/till/till.so(till_close+0x20) [0x7f1e40] till.c:9
""", "ruby", NULL, "SIGSEGV", 0x18, "drawer_count", "till.rb:31"),
    "wer": Told("""\
Log Name:      Application
Source:        Application Error
Event ID:      1000
Description:
Faulting application name: till.exe, version: 1.0.0.0, time stamp: 0x5f3c1a2b
Faulting module name: drawer.dll, version: 1.0.0.0, time stamp: 0x5f3c1a2c
Exception code: 0xc0000094
Fault offset: 0x0000000000012345
Faulting process id: 0x1a2c
""", "wer", C.DIVIDE_BY_ZERO, "SIGFPE"),
    "wer, access": Told("""\
Faulting application name: till.exe, version: 1.0.0.0, time stamp: 0x5f3c1a2b
Faulting module name: drawer.dll, version: 1.0.0.0, time stamp: 0x5f3c1a2c
Exception code: 0xc0000005
Fault offset: 0x0000000000012345
""", "wer", None, "SIGSEGV"),
    "msvc": Told("""\
Debug Assertion Failed!

Program: C:\\till\\till.exe
File: C:\\till\\drawer.cpp
Line: 31

Expression: coins != nullptr
""", "msvc", C.ASSERTION_FAILURE, place="C:\\till\\drawer.cpp:31"),
    "msvc, heap": Told("""\
Debug Assertion Failed!

Program: C:\\till\\till.exe
File: minkernel\\crts\\ucrt\\src\\appcrt\\heap\\debug_heap.cpp
Line: 904

Expression: _CrtIsValidHeapPointer(block)
""", "msvc", C.HEAP_CORRUPTION),
    "msvc, redirected": Told("""\
HEAP CORRUPTION DETECTED: before Normal block (#182) at 0x000002AC5D0B7C60.
CRT detected that the application wrote to memory before start of heap buffer.
""", "msvc", C.HEAP_CORRUPTION),
    "boost": Told("""\
 0# drawer_count(drawer*) at /src/drawer.cpp:31
 1# main at /src/main.cpp:9
 2# __libc_start_main in /lib/x86_64-linux-gnu/libc.so.6
""", "signal", None, function="drawer_count"),
    "libSegFault": Told("""\
*** Segmentation fault
Register dump:

 RAX: 0000000000000000   RBX: 000055d0c0de1200   RCX: 0000000000000000
 RSP: 00007ffd1c2a9e10   RIP: 000055d0c0de1149   EFLAGS: 00010246

 Trap: 0000000e   Error: 00000004   OldMask: 00000000   CR2: 00000018

Backtrace:
/opt/till/till(drawer_count+0x12)[0x55d0c0de1149]
/opt/till/till(main+0x20)[0x55d0c0de1200]
""", "signal", NULL, "SIGSEGV", 0x18, "drawer_count"),
    "Catch2": Told("""\
till_tests is a Catch2 v3.4.0 host application.
-------------------------------------------------------------------------------
the drawer closes
-------------------------------------------------------------------------------
/src/tests/drawer.cpp:31
...............................................................................

/src/tests/drawer.cpp:33: FAILED:
  {Unknown expression after the reported line}
due to a fatal error condition:
  SIGSEGV - Segmentation violation signal

===============================================================================
""", "tests", None, "SIGSEGV", place="/src/tests/drawer.cpp:33"),
    "doctest": Told("/src/tests/drawer.cpp:33: FATAL ERROR: test case CRASHED: SIGFPE - "
                    "Floating point error signal\n",
                    "tests", C.DIVIDE_BY_ZERO, "SIGFPE", place="/src/tests/drawer.cpp:33"),
    "GoogleTest": Told("unknown file: error: SEH exception with code 0xc0000094 thrown in the test "
                       "body.\n", "tests", C.DIVIDE_BY_ZERO, "SIGFPE"),
    "mysqld": Told("""\
2025-01-02T03:04:05Z UTC - mysqld got signal 11 ;
Most likely, you have hit a bug, but this error can also be caused by malfunctioning hardware.
Thread pointer: 0x7f1c2c000b20
stack_bottom = 7f1c3c0a1f2e thread_stack 0x46000
/usr/sbin/mysqld(my_print_stacktrace(unsigned char const*, unsigned long)+0x41) [0x2fb3b51]
/usr/sbin/mysqld(handle_fatal_signal+0x313) [0x1fc6ff3]
/lib/x86_64-linux-gnu/libpthread.so.0(+0x12730) [0x7f1c3d0a1730]
/usr/sbin/mysqld(Item_drawer::count(THD*)+0x12) [0xe21149]
/usr/sbin/mysqld(mysql_execute_command(THD*, bool)+0x20) [0xe21200]
""", "mysqld", None, "SIGSEGV", function="Item_drawer::count"),
    "Redis": Told("""\
812:M 02 Jan 2025 03:04:05.678 # === REDIS BUG REPORT START: Cut & paste starting from here ===
812:M 02 Jan 2025 03:04:05.678 # Redis 7.0.5 crashed by signal: 11, si_code: 1
812:M 02 Jan 2025 03:04:05.678 # Accessing address: 0x18
812:M 02 Jan 2025 03:04:05.678 # Crashed running the instruction at: 0x55d0c0de1149

------ STACK TRACE ------
EIP:
/usr/bin/redis-server(drawerCommand+0x12)[0x55d0c0de1149]

Backtrace:
/lib/x86_64-linux-gnu/libpthread.so.0(+0x12730)[0x7f1c3d0a1730]
/usr/bin/redis-server(drawerCommand+0x12)[0x55d0c0de1149]
/usr/bin/redis-server(processCommand+0x20)[0x55d0c0de1200]
""", "redis", NULL, "SIGSEGV", 0x18, "drawerCommand"),
    "PostgreSQL, child": Told(
        "2025-01-02 03:04:05.678 UTC [812] LOG:  server process (PID 4021) was terminated by "
        "signal 11: Segmentation fault\n2025-01-02 03:04:05.678 UTC [812] DETAIL:  Failed process "
        "was "
        "running: SELECT close(drawer)\n", "supervisor", None, "SIGSEGV"),
    "PostgreSQL, assertion": Told(
        'TRAP: failed Assert("coins > 0"), File: "drawer.c", Line: 31, PID: 4021\n',
        "postgres", C.ASSERTION_FAILURE, place="drawer.c:31"),
    "nginx": Told("2025/01/02 03:04:05 [alert] 7#7: worker process 31 exited on signal 11 (core "
                  "dumped)\n", "supervisor", None, "SIGSEGV"),
    "Apache": Told("[Thu Jan 02 03:04:05.678901 2025] [core:notice] [pid 812] AH00051: child "
                   "pid 4021 "
                   "exit signal Segmentation fault (11), possible coredump in /tmp\n",
                   "supervisor", None, "SIGSEGV"),
    "systemd": Told("Jan 02 03:04:05 box systemd[1]: till.service: Main process exited, "
                    "code=dumped, "
                    "status=11/SEGV\nJan 02 03:04:05 box systemd[1]: till.service: Failed with "
                    "result 'core-dump'.\n", "supervisor", None, "SIGSEGV"),
    "systemd, oom": Told("Jan 02 03:04:05 box systemd[1]: till.service: A process of this unit has "
                         "been killed by the OOM killer.\n", "supervisor", C.OUT_OF_MEMORY),
    "Kubernetes": Told("""\
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
""", "supervisor", C.OUT_OF_MEMORY),
    "Kubernetes, JSON": Told("""\
          "lastState": {
            "terminated": {
              "exitCode": 137,
              "reason": "OOMKilled",
""", "supervisor", C.OUT_OF_MEMORY),
    "Unreal": Told("""\
[2025.01.02-03.04.05:678][123]LogWindows: Error: === Critical error: ===
[2025.01.02-03.04.05:678][123]LogWindows: Error:
[2025.01.02-03.04.05:678][123]LogWindows: Error: Fatal error!
[2025.01.02-03.04.05:678][123]LogWindows: Error: Unhandled Exception: EXCEPTION_ACCESS_VIOLATION \
reading address 0x0000000000000018
[2025.01.02-03.04.05:678][123]LogWindows: Error:
[2025.01.02-03.04.05:678][123]LogWindows: Error: [Callstack] 0x00007ff6a1b21149 \
Till-Win64.exe!ADrawer::Count() [D:\\Till\\Source\\Drawer.cpp:31]
[2025.01.02-03.04.05:678][123]LogWindows: Error: [Callstack] 0x00007ff6a1b21200 \
Till-Win64.exe!ATill::Close() [D:\\Till\\Source\\Till.cpp:9]
""", "unreal", NULL, "SIGSEGV", 0x18, "ADrawer::Count"),
    "Unity": Told("""\
Caught fatal signal - signo:11 code:1 errno:0 addr:0x18
Obtained 4 stack frames.
#0  0x0055d0c0de1149 in Drawer::Count()
#1  0x0055d0c0de1200 in PlayerLoop()
""", "mono", NULL, "SIGSEGV", 0x18, "Drawer::Count"),
    "Mono": Told("""\
=================================================================
\tNative Crash Reporting
=================================================================
Got a SIGSEGV while executing native code. This usually indicates
a fatal error in the mono runtime or one of the native libraries
used by your application.
=================================================================

\tManaged Stacktrace:
=================================================================
\t  at Till.Drawer:Count () [0x00012] in /src/Drawer.cs:31
\t  at Till.Main:Close () [0x00020] in /src/Main.cs:9
""", "mono", None, "SIGSEGV", function="Drawer:Count"),
    "Zig": Told("""\
thread 4021 panic: index out of bounds: index 10, len 3
/home/ann/till/drawer.zig:31:17: 0x1034ab in count (till)
    return coins[n];
                ^
/home/ann/till/main.zig:9:5: 0x103500 in main (till)
""", "zig", C.PANIC, function="count"),
    "Zig, fault": Told("""\
Segmentation fault at address 0x18
/home/ann/till/drawer.zig:31:17: 0x1034ab in count (till)
    return coins.n;
                ^
""", "zig", NULL, "SIGSEGV", 0x18, "count"),
    "GCC": Told("""\
till.c: In function 'close':
till.c:31:1: internal compiler error: in expand_drawer, at drawer.c:123
0x7f8a11 expand_drawer
\t../../gcc/drawer.c:123
0x7f8a22 expand_till
\t../../gcc/till.c:9
Please submit a full bug report, with preprocessed source.
""", "ice", C.ASSERTION_FAILURE, place="drawer.c:123", function="expand_drawer"),
    "Clang": Told("""\
PLEASE submit a bug report to https://example.com/issues/ and include the crash backtrace.
Stack dump:
0.\tProgram arguments: clang -c till.c
 #0 0x000055d0c0de0001 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/bin/clang+0x1)
 #1 0x000055d0c0de0002 llvm::sys::RunSignalHandlers() (/usr/bin/clang+0x2)
 #2 0x000055d0c0de0003 SignalHandler(int) Signals.cpp:0:0
 #3 0x00007f1c3d0a1730 (/lib/x86_64-linux-gnu/libc.so.6+0x42520)
 #4 0x000055d0c0de1149 till::Drawer::count() (/usr/bin/clang+0x1149)
 #5 0x000055d0c0de1200 till::close() (/usr/bin/clang+0x1200)
""", "ice", None, function="till::Drawer::count"),
    "compute-sanitizer": Told("""\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at drawer_count(int *, int)+0x70 in /src/drawer.cu:31
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f1c2c000b20 is out of bounds
""", "cuda", C.OUT_OF_BOUNDS_WRITE, address=0x7F1C2C000B20, place="/src/drawer.cu:31"),
    "Dr. Memory": Told("""\
Error #1: UNADDRESSABLE ACCESS beyond heap bounds: writing 0x00e2fd40-0x00e2fd44 4 byte(s)
# 0 till!drawer_count               [d:\\till\\drawer.c:31]
# 1 till!main                       [d:\\till\\main.c:9]
Note: @0:00:00.687 in thread 4021
""", "drmemory", C.HEAP_BUFFER_OVERFLOW, address=0xE2FD40, function="drawer_count"),
    "Scudo": Told("Scudo ERROR: invalid chunk state when deallocating address 0x7f1c2c000b20\n",
                  "scudo", C.DOUBLE_FREE, address=0x7F1C2C000B20),
    "GWP-ASan": Told("""\
*** GWP-ASan detected a memory error ***
Use After Free at 0x7feccab26000 (0 bytes into a 4-byte allocation at 0x7feccab26000) by thread 7:
  #0 /opt/till/till(drawer_count+0x12) [0x55d0c0de1149]
  #1 /opt/till/till(main+0x20) [0x55d0c0de1200]

0x7feccab26000 was deallocated by thread 4021 here:
  #0 /opt/till/till(drawer_drop+0x12) [0x55d0c0de1349]
*** End GWP-ASan report ***
""", "gwp-asan", C.USE_AFTER_FREE, address=0x7FECCAB26000, function="drawer_count"),
    "gfortran": Told("""\
Program received signal SIGSEGV: Segmentation fault - invalid memory reference.

Backtrace for this error:
#0  0x7f1c3d0a1730 in ???
#1  0x55d0c0de1149 in drawer_count_
\tat /src/drawer.f90:31
#2  0x55d0c0de1200 in MAIN__
\tat /src/main.f90:9
""", "fortran", None, "SIGSEGV", function="drawer_count_"),
    "gfortran, bounds": Told("""\
At line 31 of file drawer.f90
Fortran runtime error: Index '11' of dimension 1 of array 'coins' above upper bound of 10
""", "fortran", C.PANIC, place="drawer.f90:31"),
    "Julia": Told("""\
[4021] signal (11.1): Segmentation fault
in expression starting at /src/till.jl:9
unsafe_load at ./pointer.jl:105 [inlined]
drawer_count at /src/drawer.jl:31
""", "julia", None, "SIGSEGV"),
    "Julia, error": Told("""\
ERROR: LoadError: BoundsError: attempt to access 3-element Vector{Int64} at index [4]
Stacktrace:
 [1] drawer_count(n::Int64)
   @ Main /src/drawer.jl:31
""", "julia", C.UNCAUGHT_EXCEPTION, function="drawer_count"),
    "R": Told("""\

 *** caught segfault ***
address 0x18, cause 'memory not mapped'

Traceback:
 1: .Call("drawer_count", 1)
 2: drawer.count(1)
""", "r", NULL, "SIGSEGV", 0x18),
    "PHP": Told("""\
PHP Fatal error:  Uncaught TypeError: Argument #1 must be an array in /srv/drawer.php:31
Stack trace:
#0 /srv/till.php(9): Drawer->count()
#1 {main}
  thrown in /srv/drawer.php on line 31
""", "php", C.UNCAUGHT_EXCEPTION, place="/srv/drawer.php:31"),
    "PHP, memory": Told("PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried "
                        "to "
                        "allocate 20480 bytes) in /srv/drawer.php on line 31\n", "php",
                        C.OUT_OF_MEMORY, place="/srv/drawer.php:31"),
    "Perl": Told("""\
no coins at /srv/Drawer.pm line 31.
\tDrawer::count(3) called at /srv/till.pl line 9
""", "perl", C.UNCAUGHT_EXCEPTION, place="/srv/Drawer.pm:31"),
    "Erlang": Told("""\
=erl_crash_dump:0.5
Thu Jan  2 03:04:05 2025
Slogan: eheap_alloc: Cannot allocate 1048576 bytes of memory (of type "heap").
System version: Erlang/OTP 25
""", "erlang", C.OUT_OF_MEMORY),
    "Elixir": Told("""\
** (ArithmeticError) bad argument in arithmetic expression: 1 / 0
    lib/drawer.ex:31: Drawer.count/1
    lib/till.ex:9: Till.close/0
""", "erlang", C.UNCAUGHT_EXCEPTION, function="Drawer.count/1"),
    "QFATAL": Told("QFATAL : tst_Till::close() no coins in the drawer\n", "qt", C.EXPLICIT_ABORT,
                   function="tst_Till::close()"),
    "GLib": Told("(till:4021): GLib-ERROR **: 03:04:05.678: ../src/drawer.c:31: no coins\n", "glib",
                 C.EXPLICIT_ABORT, place="../src/drawer.c:31"),
    "backward": Told("""\
Stack trace (most recent call last):
#2    Object "/opt/till/till", at 0x55d0c0de1000, in _start
#1    Source "/src/main.cpp", line 9, in main [0x55d0c0de1200]
          7: int main() {
      >   9:   return count(drawer);
#0    Source "/src/drawer.cpp", line 31, in count(drawer*) [0x55d0c0de1149]
      >  31:   return d->coins;
Segmentation fault (Address not mapped to object [0x18])
""", "backward", NULL, "SIGSEGV", 0x18, "count"),
    "glog": Told("""\
*** Aborted at 1700000000 (unix time) try "date -d @1700000000" if you are using GNU date ***
PC: @     0x55d0c0de1149 drawer_count()
*** SIGSEGV (@0x18) received by PID 4021 (TID 0x7f1c3c0a1f2e) from PID 24; stack trace: ***
    @     0x7f1c3d0a1730 (unknown)
    @     0x55d0c0de1149 drawer_count()
    @     0x55d0c0de1200 main
""", "signal", NULL, "SIGSEGV", 0x18, "drawer_count"),
    "old glibc": Told("*** glibc detected *** ./till: double free or corruption (fasttop): "
                      "0x0000000000a1b010 ***\n", "glibc", C.DOUBLE_FREE),
    "Envoy": Told("""\
[2025-01-02 03:04:05.678][812][critical][backtrace] [./source/server/backtrace.h:104] Caught \
Segmentation fault, suspect faulting address 0x18
[2025-01-02 03:04:05.678][812][critical][backtrace] [./source/server/backtrace.h:96] #0: \
Drawer::count() [0x55d0c0de1149]
""", "envoy", NULL, "SIGSEGV", 0x18),
    "mysqld, aarch64": Told("""\
22:20:45 UTC - mysqld got signal 11 ;
Thread pointer: 0x407b5f0a3000
/opt/mysql/bin/mysqld(my_print_stacktrace(unsigned char const*, unsigned long)+0x30) [0x1f7bb30]
/opt/mysql/bin/mysqld(print_fatal_signal(int)+0x27c) [0xfaa93c]
/opt/mysql/bin/mysqld(handle_fatal_signal+0xc4) [0xfaaa64]
linux-vdso.so.1(__kernel_rt_sigreturn+0) [0x400018f2a668]
/opt/mysql/bin/mysqld(drawer_count(unsigned char*, drawer_t const*)+0x164) [0x2225a64]
""", "mysqld", None, "SIGSEGV", function="drawer_count"),
    "Ruby, with its own stack": Told("""\
./till.rb:9: [BUG] Segmentation fault at 0x0000000000000018
ruby 3.4.4 (2025-05-14 revision a38531fd3f) +PRISM [x86_64-linux]

-- Ruby level backtrace information ----------------------------------------
./till.rb:9:in '<main>'
./till.rb:5:in 'count'

-- Machine register context ------------------------------------------------
 RIP: 0x00007ec83b8a4790 RBP: 0x00000000001980bb RSP: 0x00007fff626ea2c0
""", "ruby", NULL, "SIGSEGV", 0x18, place="./till.rb:9"),
    "Dr. Memory, dressed": Told("""\
~~Dr.M~~ Dr. Memory version 2.5.0
~~Dr.M~~
~~Dr.M~~ Error #1: INVALID HEAP ARGUMENT: allocated with operator new[], freed with free
~~Dr.M~~ # 0 replace_operator_delete [/drmemory_package/common/alloc_replace.c:2684]
~~Dr.M~~ # 1 drawer_close [drawer.cpp:31]
~~Dr.M~~ Note: memory was allocated here:
~~Dr.M~~ Note: # 0 replace_operator_new_array [/drmemory_package/common/alloc_replace.c:2638]
~~Dr.M~~ Note: # 1 main [main.cpp:9]
""", "drmemory", C.MISMATCHED_DEALLOCATION),
    "compute-sanitizer, newer": Told("""\
========= Invalid __global__ read of size 8 bytes
=========     at 0x00000148 in drawer_count(int*, int)
=========     by thread (256,0,0) in block (0,0,0)
=========     Access to 0x7f1234567400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f1234567000 of size 1024 bytes
""", "cuda", C.OUT_OF_BOUNDS_READ, address=0x7F1234567400, function="drawer_count(int*, int)"),
    "Unreal, no names": Told("""\
LogWindows: Error: Unhandled Exception: EXCEPTION_ACCESS_VIOLATION reading address 0x00000018
LogWindows: Error: [Callstack] 0x00007ff692ca4cb1 Till.exe!UnknownFunction []
LogWindows: Error: [Callstack] 0x00007ff692ca4dd1 Till.exe!ADrawer::Count() []
""", "unreal", NULL, "SIGSEGV", 0x18, "ADrawer::Count()"),
    "systemd's watchdog": Told(
        "Jan 02 03:04:05 box systemd[1]: till.service: Watchdog timeout (limit 30s)!\n"
        "Jan 02 03:04:05 box systemd[1]: till.service: Main process exited, code=dumped, "
        "status=6/ABRT\n", "supervisor", None, "SIGABRT"),
    "an exit code": Told("""\
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
""", "supervisor", None, "SIGKILL"),
}  # fmt: skip
