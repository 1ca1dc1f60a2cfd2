"""How each tool's report begins: patterns of first lines, tried in this order.

Every pattern is bounded and free of nested repetition: logs are hostile, and all of them are tried
on each line.
"""

from workbench.model.ended import ENDED, unnamed
from workbench.model.text import ARM_FAULT, POWERPC_FAULT, REFERENCED

# What a framework says right above the trace of an exception that it caught: what was asked for
# failed, and the process goes on.
HANDLED: tuple[tuple[str, str], ...] = (
    ("Celery (app/trace.py)", r"Task \S{1,200}\[[\w-]{1,60}\] (?:raised |retry: |internal error)"),
    ("RQ, Huey, Dramatiq, APScheduler", r"exception raised while executing \(|"
     r"Unhandled exception in task |Failed to process message .{1,200} with unhandled exception|"
     r"^Job \".{1,200}\" raised an exception"),
    ("Flask, Django, Tornado", r"^Exception on \S{1,400} \[[A-Z]{3,8}\]|^Internal Server Error: /|"
     r"^Uncaught exception [A-Z]{3,8} /"),
    ("Starlette, aiohttp, gunicorn, waitress", r"Exception in ASGI application|"
     r"Error handling request|^Exception while serving /"),
    ("asyncio, gRPC, socketserver", r"^(?:future|handle|protocol|task|transport): <|"
     r"^Exception calling application: |^Exception occurred during processing of request from "),
    ("ASP.NET Core", r"An unhandled exception (?:was thrown by the application|"
     r"has occurred while executing the request)\."),
    ("Tomcat, Spring", r"^Servlet\.service\(\) for servlet \[.{1,200}threw exception|"
     r"^Unexpected (?:error|exception) occurred (?:in scheduled task|invoking async method)"),
)  # fmt: skip

HEADLESS = "a stack without its first line"
NAMED = "a Windows exception by its name"
CALLERS = "gdb's stack without its innermost frames"
REGION = "the rest of AddressSanitizer's report"
INSIDE = frozenset({HEADLESS, NAMED, CALLERS, REGION})
"""Begin a report only where none is open: their lines stand in whole ones, too."""
_EXCEPTIONS = (
    r"EXCEPTION_(?:ACCESS_VIOLATION|STACK_OVERFLOW|INT_DIVIDE_BY_ZERO|ILLEGAL_INSTRUCTION)"
)
_RAISED = (
    r"(?i:^|[(<\x22:=,]|\b(?:caught|code|crash(?:ed)?|error|exception|got|raised|signal|with|"
    r"0xc0\w{6}))"
    rf" {{0,4}}{_EXCEPTIONS}\b(?![^\n]*EXCEPTION_[A-Z])"
    r"(?:[)>\x22\]!., ]{0,4}$| ?>>|\)| (?:at|read|writ|when|while|in|on)|"
    r"[ :,(-]{1,3}(?:0[xX]|[Cc]0|\())"
)
"""What a handler writes of one that came, and no line that speaks of the name alone."""

SIGNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("signal", "caught signal", (  # in words that are JavaScript's, too
        r"^(?:Error: )?[Ss]ignal \d{1,2}:$(?=)",  # what users of backtrace(3) write above it
        r"^ {0,4}(?:handle_crash|CrashHandlerException): Program crashed with signal \d",  # Godot
    )),
    ("strace", "strace", (
        r"^(?:\[pid {1,6}\d{1,8}\] |\d{1,8} {1,4})?--- SIG(?:SEGV|BUS|FPE|ILL|ABRT|TRAP|SYS) "
        r"\{si_signo=",
        r"^(?:\[pid {1,6}\d{1,8}\] |\d{1,8} {1,4})?\+\+\+ killed by SIG",
    )),
    ("user-fault", "the kernel's word of a program", (
        r"^(?:[^\s:]{1,16}: )?potentially unexpected fatal signal \d{1,2}\.",
        r"\bdo_page_fault\(\): sending SIG[A-Z]{3,6} to ",
        rf"^[^\s:\[\]]{{1,16}}(?:\[\d{{1,10}}\])?: unhandled {ARM_FAULT} \(\d{{1,2}}\) at 0x",
        r"^[^\s:\[\]]{1,16}\[\d{1,10}\]: unhandled (?:signal \d{1,2} code 0x|exception: )",
        rf"^[^\s:\[\]]{{1,16}}\[\d{{1,10}}\]: {POWERPC_FAULT}\d{{1,2}}\)? at [0-9a-f]{{1,16}} nip",
    )),
    ("ruby", "Ruby's bug report", (
        r"^(?:\S{1,300}:\d{1,7}: )?\[BUG\] ",
        r"^\S{1,300}:\d{1,7}:in [`'][^'\n]{1,200}': .{1,600}$(?=)",
    )),
    ("ghc", "GHC's report", (
        r"^\S{1,200}: internal error: \S",
        r"^\S{1,200}: (?:Stack space overflow: current size \d|Heap exhausted;$(?=))",
    )),
    ("ghc", "a Haskell program's error", (
        r"^[\w.+-]{1,100}: Prelude\.\w{1,60}(?::|$)",
        r"^[\w.+-]{1,100}: (?:thread blocked indefinitely in an (?:MVar|STM) |<<loop>>$(?=))",
        r"^[\w.+-]{1,100}: [^\s:]{1,300}\.hs:[\d(),:-]{1,40}: Non-exhaustive ",
    )),
    ("ghc", "a Haskell program's call stack", (
        r"^CallStack \(from HasCallStack\):$",
    )),
    ("embedded", "the firmware's fault report", (
        # behind what stood on the line when it failed
        r"Guru Meditation Error: Core {1,2}\d panic'ed \(",
        r"^\*{3}ERROR\*{3} A stack overflow in task ",
        r"^assert failed: \w{1,100} \S{1,200}:\d{1,7} \(",
        r"^abort\(\) was called at PC 0x[0-9a-f]{8} on core \d",
        r"\*{5} (?:MPU|BUS|USAGE|SECURE) FAULT \*{5}$(?=)",
        r"\*{5} (?:DATA|PREFETCH) ABORT \*{5}$(?=)",
        r"\b(?:data|prefetch) fault: [A-Z]\w{1,20} fault",  # LK
        r"^<PAGE FAULT> Instruction Pointer {1,8}= 0x",  # Zircon
        r"^panic \(caller 0x[0-9a-f]{1,16} frame 0x[0-9a-f]{1,16}\): ",
        r">>> ZEPHYR FATAL ERROR \d",
        r"\bASSERTION FAIL \[.{1,300}\] @ ",
        r"^(?:Fatal e|E)xception ?\(\d{1,2}\): ?$(?=)",  # ESP8266
        r"^(?:\[\d{1,6}\] )?\w{1,20}_hardfault: Hard Fault:$(?=)",
        r"\bPANIC!!! (?:Hard [Ff]ault|Exception = |NMI rec)",  # NuttX
        r"\bAssertion failed(?: panic)? ?:? at file: ?\S{1,200}(?::\d{1,7}| line: \d{1,7}) task",
        r"^System fault Occurred on: ",  # PX4
        r"!!(?:R0-)?Assertion Failed!!$(?=)",  # VirtualBox
        r"^(?:!! {1,40})?(?:!! VCPU\d{1,4}: )?Guru Meditation -?\d{1,7} \(V[A-Z_]{4,60}\)",
        r"\btask_wdt: Task watchdog got triggered",
        r"^\+\+ MbedOS Fault Handler \+\+$",
        r"\b(?:User(?: mode| TA)|Core) (?:data|prefetch|undef)-abort at address 0x",
        r"^\x22Synchronous Abort\x22 handler, esr 0x",
    )),
    ("kotlin", "Kotlin/Native's uncaught exception", (
        r"^Uncaught Kotlin exception: [\w.$]{1,300}",
    )),
    ("pascal", "Pascal's runtime error", (
        r"\bAccess violation at address [0-9A-F]{8,16} in module '",
        r"^Project .{1,200} raised exception class .{1,60} with message 'access violation at ",
        r"^Project .{1,200} raised exception class .{1,60} with message 'Access violation at ",
        r"^Unhandled exception: E[A-Z]\w{1,60}(?<!Exception)(?<!Error): ",
        r"^Exception(?: C|: c| c)lass *: EAccessViolation\b",
        r"^Runtime error \d{1,3} at \$[0-9A-F]{8,16}",
        r"^An unhandled exception occurred at \$[0-9A-F]{8,16}",
        r"^EAccessViolation: ",
    )),
    ("sbcl", "SBCL's warning", (
        r"^CORRUPTION WARNING in SBCL pid \d",
        r"^Memory fault at (?:0x[0-9a-f]{1,16}|\(nil\)) \(pc=0x",
    )),
    ("oracle", "Oracle's error", (
        r"^ORA-07445: exception encountered: core dump",
    )),
    ("haiku", "Haiku's debug report", (
        r"^Debug information for team ",
        r"^\s{0,16}state: (?:Exception|Call) \(",
    )),
    ("dlang", "D's uncaught exception", (
        r"^[\w.]{1,200}@[^\s()]{1,300}\(\d{1,7}\)(?:: |$)",
    )),
    ("nim", "Nim's error", (
        r"^(?:Traceback \(most recent call last\)|[^\s()]{1,300}\.nim\(\d{1,7}\) {1,40}\S+)$(?=)",
        r"^SIG[A-Z]{2,6}: (?:Illegal (?:storage access|op)|Arithmetic error|Abnormal termination)",
        r"^Error: unhandled exception: .{1,600} \[\w{1,80}\]$(?=)",
    )),
    ("ada", "Ada's unhandled exception", (
        r"^raised [A-Z][A-Z0-9_.]{2,100} : ",
    )),
    ("dart", "Flutter's unhandled exception", (
        r"^\[ERROR:flutter/\S{1,200}\(\d{1,7}\)\] Unhandled Exception: ",
    )),
    ("dart", "the Dart VM's report", (
        r"^ {0,8}=+ CRASH =+$",
    )),
    ("dart", "the Dart VM's assertion", (
        r"^\S{1,300}\.(?:cc|h): \d{1,7}: error: .{1,600}$(?=)",
    )),
    ("wine", "Wine's report", (
        r"^(?:wine: )?Unhandled (?:exception: (?:page fault on|divide by zero|stack overflow|"
        r"illegal inst|unimplemented func|assertion failed|C\+\+ exc)|page fault on|"
        r"division by zero)",
    )),
    ("xnu", "macOS' panic", (
        r"^panic\(cpu \d{1,4} caller 0x[0-9a-f]{1,16}\): ",
    )),
    ("xnu", "Xcode's words of a stop", (
        r"^(?:[^\n]{0,60}[:\uff1a] ?)?Thread \d{1,6}: (?:EXC_BAD_ACCESS \(code=|Fatal error: )",
    )),
    ("kdump", "a kernel's dump in crash", (
        r"^ {1,12}PANIC: \x22",
    )),
    ("bsd", "a BSD kernel's panic", (
        r"^Fatal trap \d{1,4}: .{1,80} while in kernel mode",
        r"^panic: (?:kernel (?:diagnostic |debugging )?assertion \x22|trap$|page fault$|vm_fault)",
        r"^uvm_fault\(0x[0-9a-f]{1,16}, 0x[0-9a-f]{1,16}, ",
        r"^kernel: .{1,60} trap, code=\d",
        r"^fatal [\w ]{4,60} in supervisor mode$(?=)",
    )),
    ("abrt", "ABRT's report", (
        r"^reason: {1,20}\S{1,200} killed by SIG[A-Z]{2,6}$(?=)",
        r"^crash_function: {1,20}\S",
    )),
    ("wer", "Windows' error report", (
        r"^\s{0,8}Faulting application name: \S",
        # in any language: name, version, time stamp
        r"^[^\W\d][^\n:,]{5,80}[:\uff1a ] ?[\w.+ -]{1,100}\.exe[,\uff0c] ?[^\n:,\d]{1,30}"
        r"[:\uff1a] ?\d[\d.]{2,30}[,\uff0c] ?[^\n:,\d]{1,40}[:\uff1a] ?0x[0-9a-f]{8}$(?=)",
    )),
    ("wer", "a Windows exception", (
        *(rf"\b{words} at 0x[0-9A-Fa-f]{{8,16}} (?:\([^()\n]{{1,100}}\) )?in [^:\n]{{1,120}}: "
          r"(?:0x[0-9A-Fa-f]{8}\b|Stack cookie instrumentation code detected )"
          for words in ("(?:Unhandled|First-chance) exception", "Exception thrown")),
        # Visual Studio's, in any language
        r"0x[0-9A-Fa-f]{8,16}[^\n:\uff1a]{1,160}?\.(?:exe|dll)[^\n:\uff1a]{0,30}"
        r"[:\uff1a] {0,2}0xC0[0-9A-F]{6}\s?[:\uff1a]",
        rf"0x[0-9A-Fa-f]{{6,16}}\x22? ?(?:{'|'.join(REFERENCED)})[^\n0]{{0,30}}0x",
        r"^EventType=(?:APPCRASH|BEX)",
        r"^ {0,8}[^\W\d_][^\n:\uff1a]{2,40}[:\uff1a] ?(?:APPCRASH|BEX(?:64)?)$(?=)",
        r"(?:^|: )The instruction at \x22?0x[0-9A-Fa-f]{6,16}\x22? referenced memory at \x22?0x",
        r"^Description: The process was terminated due to an internal error in the \.NET Runtime",
        r"^Unhandled exception: [0-9a-f]{8}$(?=)",  # OBS Studio
        r"^ {0,8}Problem Event Name:\s{1,8}(?:APPCRASH|BEX)",
        r"^ {0,8}Exception(?: Code)?:\s{1,8}(?:0x)?[cC]0000[0-9A-Fa-f]{3}\b",  # handlers
    )),
    ("msvc", "the C runtime's dialog", (
        r"^Debug (?:Assertion Failed|Error)!",
        r"^[\x22']?HEAP CORRUPTION DETECTED: (?:before|after|on top of) ",
        r"^Run-Time Check Failure #[0-4] - ",
        r"\b[A-Za-z]:\\[^\n(:]{1,300}\(\d{1,7}\) : Assertion failed: ",
    )),
    ("tests", "a test's fatal error", (
        r"^\S{1,300}:\d{1,7}: FAILED:$",
        r"^\S{1,300}:\d{1,7}: FATAL ERROR: test case CRASHED: ",
        r"^\S{1,300}(?: file)?: error: SEH exception with code ",
    )),
    ("mysqld", "the server's report", (
        r"\b(?:mysqld|mariadbd|ndbd) got (?:signal|exception) ",
    )),
    ("redis", "the server's report", (
        r"^=== (?:REDIS|VALKEY|KEYDB) BUG REPORT START",
        r"^=== ASSERTION FAILED ===",
        r" crashed by signal: \d",
    )),
    ("postgres", "PostgreSQL's report", (
        r"^TRAP: (?:FailedAssertion|failed Assert)\(",
    )),
    ("envoy", "the server's report", (
        r"\bCaught [A-Z][\w ]{3,30}, suspect faulting address 0x",
        r"^FATAL: bug condition \x22",  # HAProxy
    )),
    ("clickhouse", "ClickHouse's report", (
        r"^(?:\(version [^\n]{1,300}\) )?\(from thread \d{1,9}\) [^\n]{0,300}\bReceived signal ",
    )),
    ("ceph", "Ceph's report", (
        r"^\S{1,300}: \d{1,7}: FAILED (?:ceph_)?assert\(",
        r"^\*{3} Caught signal \([A-Z][\w ]{3,30}\) \*\*$",
    )),
    ("x64dbg", "x64dbg's log", (
        r"^EXCEPTION_DEBUG_INFO:$",
        r"^(?:First|Last) chance exception on [0-9A-F]{8,16} \([0-9A-F]{8}, ",
    )),
    ("gin", "gin's recovery", (
        r"^[^\n]{0,60}\bpanic recovered:$",
    )),
    ("unreal", "Unreal's report", (
        r"\bUnhandled Exception: (?:EXCEPTION_|SIG)",
        r"=== Critical error: ===",
        r"\bAssertion failed: .{1,400} \[File:",
    )),
    ("mono", "the Mono runtime's report", (
        r"^Caught fatal signal - signo:",
        r"^\s{0,8}Native stacktrace:$",
        r"^Got an? \S{3,20} while executing native code",
        r"^\S{1,100} caused an? [A-Z][A-Za-z ]{3,40} \(0x[0-9a-f]{8}\)$(?=)",  # Unity on Windows
    )),
    ("zig", "Zig's report", (
        r"^(?:(?:error: )?thread \d{1,10} panic|panic\((?:main thread|thread \d{1,10})\)): ",
        r"^(?:Segmentation fault|Bus error|Illegal instruction|Arithmetic exception) at address 0x",
    )),
    ("wasm", "WebAssembly's report", (
        r"^\s{0,8}(?:\d{1,2}: )?error while executing at wasm backtrace:$",
    )),
    ("ice", "the compiler's own crash", (
        r"\binternal compiler error: ",
        r"^PLEASE submit a bug report to ",
    )),
    ("cuda", "compute-sanitizer", (
        r"^={9} (?:Invalid|Uninitialized|Leaked|Misaligned|(?:Error: )?Race reported)",
    )),
    ("drmemory", "Dr. Memory", (
        r"^Error #\d{1,6}: (?:UNADDR|UNINIT|INVALID HEAP|(?:POSSIBLE )?LEAK)",
    )),
    ("scudo", "Scudo's report", (
        r"^Scudo ERROR: ",
    )),
    ("fortran", "Fortran's report", (
        r"^At line \d{1,7} of file ",
        r"^Fortran runtime error: ",
        r"^forrtl: (?:severe|error) \(\d{1,4}\): ",
        r"^Program received signal SIG[A-Z]{2,6}: ",
    )),
    ("julia", "Julia's report", (
        r"^(?:\[?\d{1,8}\] )?signal \(?\d{1,2}(?:\.-?\d{1,3})?\)?(?: \(-?\d{1,3}\))?: [A-Z]",
        r"^Exception: EXCEPTION_[A-Z_]{5,40} at 0x[0-9a-f]{1,16} -- ",  # on Windows
        r"^ERROR: (?:LoadError: )?[A-Z]\w{0,60}(?:Error|Exception)(?::|\(|$)",
    )),
    ("r", "R's report", (
        r"^ {0,400}\*\*\* caught (?:segfault|bus error|illegal operation) \*\*\*",
    )),
    ("php", "PHP's report", (
        r"^PHP Fatal error: ",
        r"^Fatal error: {1,2}(?:Uncaught |Allowed memory size of |.{1,600} on line \d{1,7}$)",
    )),
    ("ocaml", "OCaml's fatal error", (
        r"^Fatal error: (?:out of memory|exception \S)",
    )),
    ("perl", "Perl's report", (
        r" at \S{1,300}\.pl line \d{1,7}(?:, <\w{1,40}> (?:line|chunk) \d{1,10})?\.$(?=)",
        r" at \S{1,300}\.pm line \d{1,7}(?:, <\w{1,40}> (?:line|chunk) \d{1,10})?\.$(?=)",
        r"^Out of memory(?:!| in perl:)",
    )),
    ("erlang", "Erlang's report", (
        r"^=erl_crash_dump:",
        r"^\w{1,40}_alloc: Cannot (?:re)?allocate \d",
        r"^Slogan: ",
        r"^Error in process <",
        r"^=CRASH REPORT={2,8} ",
        r"^(?:\s{4})?\*\* \([A-Z]\w{0,60}(?:\.\w{1,60}){0,6}Error\) ",
    )),
    ("qt", "Qt's fatal message", (
        r"^QFATAL : ",
    )),
    ("glib", "GLib's fatal message", (
        r"^(?:\([^)\n]{1,80}\): )?[\w-]{0,60}ERROR \*\*: ",
    )),
    ("backward", "a crash handler's stack", (
        r"^Stack trace \(most recent call (?:last|first)\)",
    )),
    ("paddle", "Paddle's crash report", (
        r"^C\+\+ Traceback \(most recent call last\):$",
        r"^\s{0,4}\[SignalInfo: \*{3} SIG",
    )),
    ("anr", "Android's ANR", (
        r"\bANR in [\w.]{3,200}",
    )),
    ("supervisor", "how a process ended", tuple(unnamed(words) for _, _, words in ENDED)),
    ("scudo", "mimalloc's report", (
        r"^mimalloc: error: (?:double free|corrupted |buffer overflow in heap block )",
    )),
    ("scudo", "tcmalloc's GWP-ASan report", (
        r"\*{3} GWP-ASan \(https://\S{1,100}\) {1,2}has detected a memory error \*{3}",
    )),
    ("gwp-asan", "GWP-ASan report", (
        r"\*\*\* GWP-ASan detected a memory error \*\*\*",
    )),
    ("asan", "AddressSanitizer warning", (
        r"==\d{1,9}==\s?(?:WARNING|ERROR): \w+Sanitizer failed to allocate",
        r"^\w+Sanitizer can not (?:parse|provide) env",
        r"AddressSanitizer CHECK failed:",
        r"^(?:=+\d*=*\s?)?\w*Sanitizer: nested bug in the same thread",
    )),
    ("ubsan", "runtime errors", (
        r"^\S{1,400}:\d{1,7}(?::\d{1,7})?: runtime error: ",
        r"^<unknown>: runtime error: ",
    )),
    ("valgrind", "valgrind", (
        r"^[=*-]{2}(?:\d\d(?::\d\d){3}\.\d{3} )?\d{1,9}(?::\d{1,4})?[=*-]{2}"
        r"(?: \d\d:\d\d:\d\d\S*)? {1,4}\S",
    )),
    ("kernel", "kernel report", (
        r"\bBUG: (?:K(?:A|M|C)SAN|KASan|KFENCE|unable to handle|kernel NULL|sleeping function|"
        r"spinlock)",
        r"\bBUG: (?:scheduling while|soft lockup|workqueue lockup|Bad page|stack guard page)",
        r"\bUBSAN: ",
        r"\bUnable to handle kernel ",
        r"\bgeneral protection fault(?:,|:| for )",
        r"\bkernel BUG at ",
        r"^(?:\[.{1,40}\] )?Internal error: ",
        r"Kernel panic - not syncing",
        r"\bINFO: (?:task \S{1,64} blocked for more|rcu_\w+ (?:self-)?detected|possible )",
        r"\bINFO: (?:inconsistent lock|suspicious (?:RCU|rcu_)|trying to register non-static)",
        r"\bINFO: bad unlock",
        r"^(?:\[ )?BUG: (?:bad unlock balance|held lock freed|lock held when returning|rwlock bad|"
        r"\S{1,64} still has locks held)",
        r"^WARNING: \S{1,64} still has locks held!",
        r"^BUG: (?:using \S{1,40} in preemptible|Bad rss-counter|MAX_(?:LOCK|STACK_TRACE))",
        r"^WARNING: [Nn]ested lock was not taken",
        r"^refcount_t: .{1,40}; use-after-free",
        r"\bWARNING: (?:CPU: \d|possible (?:circ|recur|irq)|inconsistent lock|suspicious RCU)",
        r"\bWARNING: (?:bad unlock balance|at [\w./-]{1,300}\.[chS]:\d{1,7}\b)",
        r"\bWARNING: (?:\[.{1,300}\] )?[\w./-]{1,300}\.[chS]:\d{1,7} at \S{1,200}\+0x",
        r"^BUG \S{1,64} \((?:Not t|T)ainted.{0,80}\): ",
        r"\bWARNING: (?:HARD|SOFT)IRQ-(?:READ-)?safe -> ",
        r"\bINFO: (?:HARD|SOFT)IRQ-(?:READ-)?safe -> ",
        r"^BUG: memory leak$",
        r"^unreferenced object 0x[0-9a-f]{4,16} \(size \d",
        r"\bwatchdog: BUG",
        r"\brcu: INFO: ",
        r"^(?:NMI )?(?:watchdog: )?Watchdog detected hard LOCKUP on cpu",
        r"^rcu: {1,16}\d{1,4}-\S{1,8}: \(\d{1,9} (?:ticks this GP|GPs behind)",
        r"\bOut of memory: Kill",
        r"\bMemory cgroup out of memory",
        r"\boom-kill:",
        r"\binvoked oom-killer",
        r"\bsegfault at [0-9a-f]{1,16} ip ",
        r"\btrap (?:divide error|invalid opcode|int3)",
        r"\btraps: \S{1,64}\[\d+\] ",
        r"^divide error: \d",
        r"^invalid opcode: \d",
        r"^stack segment: \d",
        r"^UBSAN",
        r"^KASAN: ",
        r"^Oops: ",
        r"^Unhandled fault: ",
    )),
    ("rust", "Rust panic", (
        # behind what libtest has shown on its line: test tests::adds ... thread 'tests::adds'
        r"^(?:test \S{1,300}(?: - should panic)? \.\.\. )?thread '[^'\n]{0,120}'(?: \(\d{1,12}\))? "
        r"panicked at ",
        r"^(?:test \S{1,300} \.\.\. )?thread '[^'\n]{0,120}'(?: \(\d{1,12}\))? has overflowed ",
        r"^memory allocation of \d{1,20} bytes failed",
        r"^fatal runtime error: ",
        r"^The application panicked \(crashed\)",
    )),
    ("go", "Go panic that was recovered", (
        r"^PANIC: ",
    )),
    ("go", "Go panic", (
        r"^panic: ",
        r"^Exception has occurred: (?:panic|fatal error) \x22",  # delve's, in an editor
        r"^http2?: panic serving ",
        r"^fatal error: (?:all goroutines|concurrent|runtime|stack|out of memory|unexpected|sync)",
        r"^fatal error: (?:schedule|found|bad|acquire|checkdead|index|slice|invalid|unsafe|fault)",
        r"^fatal error: (?:malloc|sweep|gc|mark|cgo)",
        r"^runtime: (?:out of memory|goroutine stack exceeds)",
        r"^SIG[A-Z]+: .{1,60}$(?=)",
        r"^goroutine \d{1,10} \[",
        r"^unexpected fault address 0x",
        r"^(?:\w{1,20}!{1,2} )?runtime error: ",
        r"^WARNING: DATA RACE",
    )),
    ("python", "Python's error", (
        # behind what pytest has shown on its line: tests/test_till.py ..s
        r"^(?:\S{1,200}\.py(?:::\S{1,200})? )?[.sxXFE]{0,200}Fatal Python error: ",
        r"^Windows fatal exception: ",
        r"^(?:\s{0,8}|[^\"'`\n]{1,120}: )Traceback \(most recent call last\):",
        r"^(?:Current t|T)hread 0x[0-9a-f]{4,16}(?: \[[^\]]{0,64}\])? \(most recent call first\):",
        r"^\s{0,8}\+ Exception Group Traceback \(most recent call last\):",
        r"^\s{0,4}Timeout \(\d{1,3}:\d\d:\d\d(?:\.\d+)?\)!",
        r"^ {0,4}=+ Uncaught Python exception: =",
    )),
    ("java", "Java's error report", (
        r"^# An? (?:fatal|unexpected) error has been detected by (?:the )?(?:Java Runtime|HotSpot)",
        r"^[ ._*]{0,3}(?:An? )?(?:fatal|unexpected) error has been detected by (?:the )?Java R",
        r'^Exception in thread \"',
        r"^== Java Exception: ",
        r"FATAL EXCEPTION: ",
        r"^---- Minecraft Crash Report ----$(?=)",
        r"^Full thread dump ",
        r'^"[^"\n]{1,200}" .{0,60}\bprio=\d{1,3} .{0,100}\btid=0x[0-9a-f]{1,16} nid=',
        r"^Found one Java-level deadlock",
        r"^Found \d+ deadlock",
        r"^Uncaught exception in thread",
        r"^# There is insufficient memory for the Java",
        r"^(?:Caused by: )?(?:[a-z_][\w$]{0,60}\.){1,12}[A-Z]\w{0,80}(?:Exception|Error)(?::|$)",
        r"^(?:[a-z_][\w$]{0,60}\.){1,12}[A-Z]\w{0,80}(?:Throwable|Issue\w{0,12})(?::|$)",
        r"^(?:(?:Terminating|Aborting) due to )?java\.lang\.OutOfMemoryError",
        r"^Exception: java\.",
    )),
    ("dotnet", "unhandled .NET exception", (
        r"^Unhandled [Ee]xception[.:] {1,2}(?:[A-Z]\w{0,60}\.){1,8}\w",
        # Windows' event 1026; the exception is told two lines or so below
        r"^Description: The process was terminated due to an unhandled exception",
        r"^Description: The application requested process termination through System\.Env",
        r"^Unhandled Exception: ?$",
        r"^(?:System|Microsoft)\.(?:\w{1,60}\.){0,8}\w{1,60}Exception was unhandled$(?=)",
        r"^Process terminated\. ",
        r"^FailFast:",
        r"^Stack overflow\.$",
        r"^Process is terminat(?:ing|ed) due to StackOverflowException\.",
        r"^Fatal error\. ",
        r"^(?:System|Microsoft)\.(?:\w{1,60}\.){0,8}\w{1,60}Exception(?::| \(0x)",
        r"^Out of memory\.$",
    )),
    ("wer", NAMED, (  # in words that are JavaScript's, too
        rf"^ {{0,8}}(?:Exception: |Unhandled exception \"){_EXCEPTIONS}\b",
    )),
    ("javascript", "JavaScript error", (
        r"^(?:Uncaught )?(?:\w{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?): .{0,400}$(?=)",
        r"^FATAL ERROR: .{0,200}JavaScript heap out of memory",
        r"<--- Last few GCs --->",
        r"^node:internal/",
        r"^==\d{1,9}==ERROR: Jazzer",
        r"^==\d{1,9}== (?:Uncaught Exception|Command Injection|Jazzer)",
    )),
    ("lua", "Lua error", (
        r"^(?:lua[\d.]*|luajit): .{1,300}:\d{1,7}: ",
        r"^stack traceback:$",
    )),
    ("v8", "V8's fatal error", (
        r"^#\s{0,4}(?:Fatal|Runtime) (?:error|JavaScript|process)",
        r"^FATAL ERROR: (?:v8::|HandleScope::|node::|Error::New|napi_)",
        r"^# V8 correctness failure",
        r"^\[?\s{0,2}abort: CSA_",
        r"V8_Fatal",
        r"^#\s+Check failed: ",
        r"^# Safely terminating",
        r"^\[COMMANDOS?\]",
        r"^V8 (?:correctness failure|sandbox violation)",
        r"## V8 sandbox violation detected!",
        r"^<--- Last",
    )),
    ("check", "failed check", (
        r":(?:FATAL|fatal)[:(][\w./\\-]{1,200}[:(]\d{1,7}\)?\]? ",
        r"\b(?:Security )?D?CHECK failed: ",
        r"\bCheck failed: ",
        r"\[FATAL:",
        r"\] assert failure: ",
        r"\] panic: ",
        r"-CRITICAL \*\*: ",
        r"^F\d{4,8} \d\d:\d\d:\d\d\S* ",
        r"^Assertion failure: ",
        r"^(?:Invariant failure:? |Fatal [aA]ssertion:? \d)",  # mongod
        r"\bMOZ_CRASH\(",
        r"^Hit MOZ_CRASH",
        r"###!!! ASSERTION",
        r"^(?:ASSERTION FAILED|SHOULD NEVER BE REACHED)\b",
        r"^Assertion failed(?::| in| \(|$)",
        r": Assertion [`'\x22].{0,400}['\x22]? ?failed\.?$",
        r": Assertion `.{0,400}failed",
        r"^\*\*\s?(?:\(\S{1,80}\): )?\w{0,40}:?\s?ERROR:.{1,300}: (?:assertion failed|code sho|\()",
        r"^ASSERT(?: failure in .{1,200})?: ",
        r'^(?:\S{1,200}: )?assertion \".{0,400}\" failed',
        r"^ERROR:\S{1,200}:\d{1,7}:\w{1,100}: ",
        r"^Aborted due to",
        r"\bassertion failed: .{0,300}, file ",
        r": ASSERT(?:ION)? FAILED",
        r"^PANIC(?::| at)",
        r"\bunprotected error in call to Lua API \(",
        r"^(?:Error: )?LLVM ERROR: ",
        r"^fatal: .{0,200}(?:BUG|assert)",
        r"\bUNREACHABLE executed at ",
    )),
    ("glibc", "the C runtime's message", (
        r"^\*{3} (?:Error in|glibc detected \*{3}) ",
        r"^\*{3} (?:stack smashing|buffer overflow|longjmp causes|invalid %N|%n in)",
        r"^(?:\S{1,200}: )?(?:free|malloc|realloc|calloc|m(?:un|re)map_chunk)\(\): [a-z]",
        r"^(?:\S{1,200}: )?(?:malloc_consolidate|unlink_chunk)\(\): [a-z]",
        r"^double free or corruption",
        r"^corrupted (?:size vs|double-linked)",
        r"^malloc: ",
        r"^Fatal glibc error: ",
        r"^terminate called ",
        r"error while loading shared libraries: ",
        r"^(?:\S{1,200}: )?\S{1,300}: version .\S{1,80} not found \(required by ",
        r"^(?:\S{1,200}: )?relocation error: .{1,400} version \S{1,80} not defined in file ",
        r"^CANNOT LINK EXECUTABLE",
        r"^dyld(?:\[\d+\])?: ",
        r"^(?:symbol lookup error: |\S{1,200}: symbol lookup error: )",
        r"^\*{2}\\?\* Terminating app due to uncaught exception ",
        r"^libc\+\+abi: ?(?:terminating|Pure)",
        r"^libc\+\+abi\.dylib: ",
        r"^pure virtual method called",
        r"^======= Backtrace: =",
        r"^\*{3} \S.{0,200}(?:terminated|corrupted)",
        r"^(?:\S{1,64}\(\d+,0x[0-9a-f]+\) )?malloc: \*\*\* error",
        r"^munmap_chunk",
        r"^invalid fastbin entry",
        r"^std::bad_alloc",
        r"^Stack backtrace:",
        r"^(?:Segmentation fault|Abort(?:ed| trap)|Bus error|Killed)(?:: \d{1,2}| \(core .*)?$",
        r"^(?:Floating point exception|Illegal instruction|Trace/breakpoint trap)(?: \(core.*)?$",
    )),
    ("signal", "caught signal", (
        r"^\*{3} (?:Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point "
        r"exception)$",
        r"^Register dump:$",
        r"^ {0,3}0# \S.{0,600} (?:at \S{1,300}:\d{1,7}|in \S{1,300})$(?=)",
        r"^(?:\*{3} )?(?:[Rr]eceived|[Cc]aught|Got) (?:fatal )?signal(?: number)?:? ?#?"
        r"(?:\d{1,2}|SIG[A-Z]{2,6})\b",
        r"^\*{3} (?:SIG[A-Z]+|Signal \d+) ",
        r"^\*{3} Aborted at \d+",
        r"^ ?\*{3} Process received signal \*{3}$(?=)",
        r"\[\S{1,80}:\d+\] \*{3} Process received signal",  # behind a shell's prompt, too
        r"^\[\S{1,80}:\d+\] Signal: [A-Z]",
        r"^Crash(?:ed)? with signal",
        r"^Fatal signal \d(?!\d? \(SIG[A-Z]+\), code )",  # else Android's
        r"^Signal \d{1,2} \(",
        r"^Invalid access at address: ",  # mongod
        r"^PID \d{1,8} received SIG[A-Z]{2,6} for address: ",  # node-segfault-handler
        r"^Stack trace:$",
        r"^\d{0,3} ?# \S.{0,300} in \S+$(?=)",
        r"^PC: @ ",
        r"\b(?:Segmentation fault|Aborting|Illegal instruction|Bus error) on shard \d",  # Seastar
        r"\bsigno=SIG[A-Z]{2,6}\(\d{1,2}\), reason=",  # Phusion Passenger
        r"^Invalid memory access \(signal \d{1,2}\) at address 0x",  # Crystal
        r"^ ?\*{3} Break \*{3} [a-z]",  # ROOT
        r"^!!! uWSGI process \d{1,10} got Segmentation Fault !!!",
        r"^Fatal error \d{1,2}: [A-Z][a-z]",  # Emacs
    )),
    ("coredumpctl", "coredumpctl info", (
        r"^ {0,20}PID: \d{1,10} \([^)]{1,64}\)",
        r"^(?:\[\U0001f855\] )?Process \d{1,10} \([^)]{1,64}\) of user \d+ dumped core",
        r"systemd-coredump\[\d+\]",
    )),
    ("apport", "apport report", (
        r"^ProblemType: ",
        r"^CoreDump: base64",
        r"^StacktraceTop:",
        r"^SegvAnalysis:",
        r"^SegvReason:",
    )),
    ("android", "Android tombstone", (
        r"^\*{3} \*{3} \*{3} \*{3} \*{3}",
        r"^pid: \d{1,10}, tid: \d{1,10}(?:, name: | {1,4}>>> )",
        r"^\s{0,16}Crashed: Thread ?:? ?SIG[A-Z]{2,6} ",  # Crashlytics
        r"^Build fingerprint: '",
        r"^signal:? \d{1,2} \(SIG[A-Z]+\), code",
        r"^Reason:Signal:SIG[A-Z]{2,6}\(",  # OpenHarmony
        r"^Fatal signal \d{1,2} \(SIG[A-Z]+\)",
        r"^-{5} pid \d+ at ",
        r'^"[^"\n]{1,200}" (?:daemon )?prio=\d{1,3} tid=\d{1,7} ',
    )),
    ("apple", "Apple crash report", (
        r"^Process: {2,20}\S.{0,100}\[\d+\]",
        r"^Incident Identifier: ",
        r'^\{\"(?:app_name|bug_type|timestamp|name|os_version|share_with)\"',
        r'^\s{0,4}"(?:vmRegionInfo|exception)" ?: ?["{]',  # JSON of which the beginning is lost
        r"^Exception (?:Type: {1,12}\S|type: {1,12}EXC_)",
        r"^EXC_[A-Z_]{3,30} (?:KERN|EXC)_\w{3,40}(?: 0x[0-9a-f]{1,16})?$(?=)",
        r"^Translated Report",
        r"^Crashed Thread: {1,12}\S",
        r"^Thread \d{1,6} Crashed(?::|$)",
        r"^Application Specific Information:",
        r"^Last Exception Backtrace:",
        r"^Application received signal SIG[A-Z]{2,6}$(?=)",
    )),
    ("breakpad", "minidump_stackwalk", (
        r"^OS\|\w",
        r"^Crash\|\S",
        r"^Operating system: \S",
        r"^Crash reason: {1,4}\S",
        r'^\{\"crash_info\"',
        r"^Thread \d{1,5} \(crashed\)",
    )),
    ("swift", "Swift's fatal error", (
        r"^\S{1,200}\.swift:\d{1,7}: Fatal error(?:: |$)",
        r"^Fatal error: (?:.{1,600}: )?file \S.{0,300}\.swift, line \d",
        r"^Could not cast value of type",
        r"^(?:\*{3} )?Swift runtime failure: ",
        r"^\*{3} (?:Program crashed: |Signal \d{1,2}: Backtracing from )",
    )),
    ("gdb", "gdb's output", (
        r"^(?:Program|Thread \d{1,7}\S{0,8}(?: \".{0,64}\")?) (?:received|terminated with|hit) ",
        r"^received signal SIG[A-Z]{2,8}, ",
        r"^\[KCrash [Hh]andler\]$",
        r"^Application: .{1,200}, signal: [A-Z][a-z]",
        r"^Core was generated by ",
        r"^\[Current thread is ",
        r"^Thread \d{1,7} \((?:Thread 0x|LWP|process )",
        r"^\* ?\d{1,5} {1,6}Thread 0x",
        r"^#0 {1,3}(?:0x[0-9a-fA-F]{1,16} in )?\S[^(\n]{0,400} \(",
        r"^#0 {1,3}\S[^\n]{0,1500} \((?:[A-Za-z_]\w{0,80}(?:@entry)?=|\)(?: at | from |$))",
        r"^=> 0x[0-9a-f]{1,16}",
        r"^GNU gdb ",
        r"^\[New (?:LWP|Thread)",
        r"^#0 {2}0x[0-9a-fA-F]{1,16} in ",
    )),
    ("lldb", "lldb's output", (
        r"^ {0,8}(?:\* )?thread #\d{1,6}(?:,|:)",
        r"^ {0,8}Process \d{1,10} stopped",
        r"^ {2,12}\* frame #0: ",
        r"^ {4,12}frame #0: ",
        r"^Core file '.{1,400}' \(\w+\) was loaded",
    )),
    ("cdb", "WinDbg's output", (
        r"^Microsoft \(R\) Windows Debugger",
        r"^FAULTING_IP: ?",
        r"^EXCEPTION_RECORD: ",
        r"^(?:EXCEPTION_CODE|DEFAULT_BUCKET_ID|(?:READ|WRITE)_ADDRESS|TRAP_FRAME): ",
        r"^BUGCHECK_(?:STR|CODE): ",
        r"Bugcheck Analysis",
        r"Exception Analysis",
        r"^VERIFIER STOP",
        r"^STACK_TEXT: ",
        r"- code [0-9a-f]{8} \((?:!!! second|first) chance",
        r"^ExceptionAddress: ",
        r"^FAILURE_BUCKET_ID",
        r"^ *(?:# )?(?:Memory +)?Child-?(?:EBP|SP)",
        r"^PROCESS_NAME: ",
        r"^\(\w+\.\w+\): .{1,80} - code [0-9a-f]{8}",
        r"^ {0,8}[A-Z]{3,20}_[A-Z0-9_]{2,60} \([0-9a-f]{1,8}\)$",
        r"^ {0,8}Arg1: [0-9a-f`]{8,17}(?:,|$)",
        r"^ {0,8}(?:Bugcheck code |\*\*\* Fatal System Error: 0x|\*\*\* STOP: 0x[0-9A-F]{8} \()",
        r"^ {0,8}CritSec .{1,200} at [0-9a-fA-F`]{4,17}",
        r"^ {0,8}Critical section {1,8}=? {1,8}0x[0-9a-fA-F`]{4,17}",
        r"^ {0,8}address [0-9a-f`]{8,17} found in$",
        r"^[.# ] {0,4}\d{1,4} {1,3}[Ii]d: [0-9a-f]{1,8}\.[0-9a-f]{1,8} {1,4}(?:Suspend|Teb)",
        r"^KEY_VALUES_(?:INFO|STRING): 1$",
        r"^Examining SyncBlocks\.\.\.",
        r"^\*DEADLOCK DETECTED\*",
        r"^ClrThread {1,4}DbgThread {1,4}OsThread ",
    )),
    ("dotnet-dump", "SOS's output", (
        r"^OS Thread Id: 0x[0-9a-fA-F]+",
        r"^ {0,8}Child SP +IP Call Site",
        r"^ThreadCount: +\d",
        r"^Exception object: [0-9a-f]{8}",
        r"^ {0,16}MT +Count +TotalSize Class Name",
    )),
    ("stack", "a stack", (
        r"^\s{0,8}#0 {1,3}(?:0x[0-9a-fA-F]{4,16} )(?:in )?\S",
        r"^\s{0,8}#  0 \S{1,80} {1,40}0x[0-9a-fA-F]{8,16} \S",
    )),
    ("wer", NAMED, (
        _RAISED,
    )),
    ("asan", REGION, (
        r"^0x[0-9a-f]{4,16} is located \d{1,12} bytes [a-z ]{5,16} \d{1,12}-byte region \[0x",
    )),
    ("stack", HEADLESS, (
        r"^-- C level backtrace information -",
        r"^\S{1,300}\([^()\s]{0,300}\+0x[0-9a-f]{1,16}\) ?\[0x[0-9a-f]{4,16}\]",
        r"^\s{0,8}at [\w$.<>/@-]{3,300}\([\w$-]{1,100}\.(?:java|kt|scala|groovy|clj):\d{1,7}\)",
        r"^\s{2,8}at (?:[A-Za-z_][\w<>`]{0,99}[.+]){2,12}[\w<>`|]{1,100}"
        r"\((?:\)|[A-Z][\w.`]{0,60}[^()\n]{0,400}\))",
    )),
)  # fmt: skip
