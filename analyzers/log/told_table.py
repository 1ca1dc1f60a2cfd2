"""What programs, runtimes, supervisors and tools print of a crash: one row a sentence."""

import re
from collections.abc import Mapping

from analyzers.log import firmware, languages
from analyzers.log.format import Row
from analyzers.log.go import category_of
from analyzers.log.kernel_words import VMA
from analyzers.log.kinds import Kind, of_access
from analyzers.log.text import address_of
from workbench.model.category import Category as C
from workbench.model.ended import ENDED
from workbench.model.text import ARM_FAULT, POWERPC_FAULT, REFERENCED

_PLACE = r"(?P<file>[^\s:()\[\]]{1,300}):(?P<line>\d{1,7})"
_HEX = r"0x[0-9a-fA-F]{1,16}\b"
_ENDED = r"Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception"
_CODE = r"(?P<code>(?:0x)?[0-9a-fA-F]{8})"
_AT = r"!^={9} +at (?:0x[0-9a-f]{1,16} in )?"
_CUDA = (
    rf"{_AT}(?P<file>[^\s:()]{{1,300}}):(?P<line>\d{{1,7}}):(?P<function>.{{1,300}})$|"
    rf"{_AT[1:]}(?P<function_>[^\n]{{1,300}}?)(?:[+:]0x[0-9a-f]{{1,16}})?"
    r"(?: in (?P<file_>[^\s:]{1,300}):(?P<line_>\d{1,7}))?$",
    r"^={9} +(?:Address|Access (?:to|at)) (?P<address>0x[0-9a-f]{1,16}) is "
    r"(?P<fault>out of bounds|misaligned)",
)

# What the debug heap of Microsoft's C runtime checks, beside what programs do.
_HEAP = re.compile(
    r"_CrtIsValid|is_block_type_valid|HEAP CORRUPTION|DAMAGE: |_pFirstBlock|_BLOCK_TYPE"
)


def _kernel_access(groups: Mapping[str, str], message: str) -> C:
    """An access of a kernel of a graphics processor, by the line below it."""
    if groups.get("fault") == "misaligned":
        return C.MISALIGNED_ACCESS
    return C.OUT_OF_BOUNDS_READ if groups["access"] == "read" else C.OUT_OF_BOUNDS_WRITE


def _by_address(groups: Mapping[str, str], message: str) -> C | None:
    """A failed access of a kernel's, which no signal ends."""
    address = address_of(groups.get("address"))
    return address if address is None else of_access("SIGSEGV", address, None, None)


def _fortran_signal(groups: Mapping[str, str], message: str) -> Kind | None:
    """gfortran has the processor trap on floating-point errors, too, where it is asked to
    (-ffpe-trap): its words are the same for any."""
    return Kind(C.DIVIDE_BY_ZERO, sure=False) if groups["signal"] == "SIGFPE" else None


def _trap(groups: Mapping[str, str], message: str) -> C | None:
    """Why WebAssembly ended (wasmtime, crates/environ/src/trap_encoding.rs); what lies outside of
    its memory is no error of a known kind."""
    return _TRAPS.get(message)


_TRAPS = {
    "integer divide by zero": C.DIVIDE_BY_ZERO, "integer overflow": C.INTEGER_OVERFLOW,
    "call stack exhausted": C.STACK_OVERFLOW,
    "wasm `unreachable` instruction executed": C.TRAP,
}  # fmt: skip


def _failed_fast(groups: Mapping[str, str], message: str) -> C | None:
    """What __fastfail was given (winnt.h, FAST_FAIL_...), of a code that says no more by itself."""
    known = {"2": C.STACK_BUFFER_OVERFLOW, "7": C.EXPLICIT_ABORT}
    return known.get(groups.get("parameter", "")) if groups["code"].upper() == "C0000409" else None


def _recovered(groups: Mapping[str, str], message: str) -> Kind:
    return Kind(category_of(message), sure=False)


ROWS: tuple[Row, ...] = (
    *firmware.ROWS, *languages.ROWS,
    # strace(1): the signal that was delivered, then the end.
    Row("strace", "strace", "killed",
        r"^(?:\[pid +(?P<process>\d+)\] |\d+ +)?\+\+\+ killed by (?P<signal>SIG[A-Z]+)", None,
        (rf"<--- SIG[A-Z]+ "
         rf"\{{si_signo=SIG[A-Z]+, si_code=(?!SI_)\w+(?:, si_addr=(?P<address>{_HEX}|NULL))?",)),
    # What the kernel says of a program's fault where it is not x86: arch/mips and arch/loongarch,
    # mm/fault.c; arch/arm and arch/arm64, mm/fault.c (before 5.0), then arch/arm64, kernel/traps.c;
    # arch/riscv and arch/powerpc, kernel/traps.c.
    *(Row("user-fault", "the kernel", "segfault", rf"(?P<message>{words})", None, more)
      for words, more in (
          (r"do_page_fault\(\): sending (?P<signal>SIG[A-Z]+) to .{1,16} for invalid "
           r"(?P<access>read|write) access (?:from|to) (?P<address>[0-9a-f]{8,16})$",
           (rf"^(?:epc|era) *= (?P<pc>[0-9a-f]{{8,16}}){VMA}$",)),
          (rf"^\S{{1,16}}?(?:\[(?P<process>\d+)\])?: unhandled {ARM_FAULT} \((?P<signal>\d+)\) at "
           rf"0x(?P<address>[0-9a-f]+), (?:code|esr) 0x[0-9a-f]+(?:,{VMA})?",
           (r"^(?:PC is at|pc :) (?:\[<)?(?:0x)?(?P<pc>[0-9a-f]{5,16})\b",)),
          (r"^\S{1,16}?\[(?P<process>\d+)\]: unhandled exception: (?:[^,]{1,60}, ESR "
           rf"0x[0-9a-f]+, )?.{{0,40}}?(?P<signal>(?:translation|permission|access flag|alignment) "
           rf"fault|undefined instruction)\b.*?{VMA}", (r"^pc : (?P<pc>[0-9a-f]{16})$",)),
          (r"^\S{1,16}?\[(?P<process>\d+)\]: unhandled signal (?P<signal>\d+) code 0x[0-9a-f]+ at "
           rf"0x(?P<address>[0-9a-f]+){VMA}",
           (r"^s?epc ?: (?P<pc>[0-9a-f]{8,16})\b",)),
          # kernel/signal.c (print-fatal-signals), and arch/arc below it
          (r"potentially unexpected fatal signal (?P<signal>\d+)\.$",
           (r"^Invalid (?P<access>Read|Write|Exec) @ (?P<address>0x[0-9a-f]+) by insn @ "
            r"(?P<pc>0x[0-9a-f]+)",)),
          (rf"^\S{{1,16}}?\[(?P<process>\d+)\]: {POWERPC_FAULT}(?P<signal>\d+)\)? at "
           rf"(?P<address>[0-9a-f]+) nip (?P<pc>[0-9a-f]+) lr [0-9a-f]+ code [0-9a-f]+{VMA}", ()))),
    # Ruby, error.c (rb_bug).
    Row("ruby", "Ruby", "[BUG]", rf"^(?:{_PLACE}: )?\[BUG\] (?P<message>(?P<signal>Segmentation "
        rf"fault|Bus Error|Illegal instruction)(?: at (?P<address>{_HEX}))?.*)$"),
    Row("ruby", "Ruby", "[BUG]", rf"^(?:{_PLACE}: )?\[BUG\] (?P<message>.*)$", C.ASSERTION_FAILURE),
    Row("ruby", "Ruby", "uncaught exception",  # its message has several lines
        rf"^{_PLACE}:in [`'](?P<function>[^']{{1,200}})': (?P<message>.*(?<!\)))$",
        C.UNCAUGHT_EXCEPTION, (r"!^(?!\s+from ).{0,600} \([A-Z][\w:]*\)$",)),
    *(Row("ruby", "Ruby", "uncaught exception",
          rf"^{_PLACE}:in [`'](?P<function>[^']{{1,200}})': (?P<message>.* \({name}\))$", category)
      for name, category in (
          ("(?:SignalException|Interrupt)", C.EXTERNAL_SIGNAL),
          ("SystemStackError", C.STACK_OVERFLOW), ("NoMemoryError", C.OUT_OF_MEMORY),
          ("ZeroDivisionError", C.DIVIDE_BY_ZERO), (r"[A-Z][\w:]*", C.UNCAUGHT_EXCEPTION))),
    # GHC, rts/RtsMessages.c (rtsFatalInternalErrorFn).
    Row("ghc", "GHC's runtime", "internal error", r"^\S+: (?P<message>internal error: .*)$",
        C.ASSERTION_FAILURE),
    # rts/hooks: what ends a program that reached a limit of its options.
    *(Row("ghc", "GHC's runtime", "limit", rf"^\S+: (?P<message>{words}.*)$", category)
      for words, category in (("Stack space overflow: ", C.STACK_OVERFLOW),
                              ("Heap exhausted;", C.OUT_OF_MEMORY))),
    # Dart, runtime/vm/signal_handler and native_symbol (Profiler::DumpStackTrace).
    Row("dart", "the Dart VM", "crash", r"^\s*=+ CRASH =+$", None,
        (r"^\s*fp=[0-9a-f]+, sp=[0-9a-f]+, pc=(?P<pc>[0-9a-f]+)$",
         r"!^\s*(?P<message>si_signo=(?P<signal>[A-Z][a-z]+(?: [a-z]+)*).* si_addr=(?P<address>0x"
         r"[0-9a-f]+|\(nil\)).*|ExceptionCode=(?P<code>-\d+), .*)$",)),
    # runtime/platform/assert.cc
    Row("dart", "the Dart VM", "assertion", r"^(?P<file>\S+): (?P<line>\d+): error: "
        r"(?P<message>.*)$", C.ASSERTION_FAILURE),
    # Flutter, runtime/dart_vm_initializer.cc: the program goes on.
    Row("dart", "Flutter", "unhandled exception", r"^\[ERROR:flutter/\S+\(\d+\)\] Unhandled "
        r"Exception: (?P<message>.*)$", C.UNCAUGHT_EXCEPTION, ends=None),
    # Wine, programs/winedbg/info.c (info_win32_exception) and kernelbase/debugger.c.
    *(Row("wine", "Wine", "unhandled exception",
          rf"^(?:wine: )?(?P<message>Unhandled (?:exception: )?{words}.*)$", category)
      for words, category in (
          (r"page fault on (?P<access>read|write|execute) access to (?P<address>(?:0x)?[0-9a-fA-F]"
           r"{8,16}) (?:in .{0,20}code \(|at address )(?P<pc>(?:0x)?[0-9a-fA-F]{8,16})", None),
          (r"divi(?:de|sion) by zero", C.DIVIDE_BY_ZERO), ("stack overflow", C.STACK_OVERFLOW),
          ("(?P<signal>illegal instruction)", None), (r"C\+\+ exception", C.UNCAUGHT_EXCEPTION),
          ("unimplemented function", C.MISSING_METHOD), ("assertion failed", C.ASSERTION_FAILURE))),
    # XNU, osfmk/kern/debug.c.
    Row("xnu", "the kernel", "fault", r"^(?P<message>panic\(cpu \d+ caller 0x[0-9a-f]+\): Kernel "
        r"(?:data abort\. at pc |trap at )(?P<pc>0x[0-9a-f]+), (?:lr |type 14=).*)$", _by_address,
        (r"\b(?:far|CR2): +(?P<address>0x[0-9a-f]+)",)),
    *(Row("xnu", "the kernel", "panic",
          rf"^(?P<message>panic\(cpu \d+ caller 0x[0-9a-f]+\): {words}.*)$", category)
      for words, category in ((r".*\bmodified after free at ", C.HEAP_CORRUPTION), ("", C.PANIC))),
    # What Xcode writes beside the line; of the code 2 the address is mapped.
    *(Row("xnu", "Xcode", "stop", rf"(?:^|[:\uff1a] ?)(?P<message>Thread \d+: {words})", category)
      for words, category in (
          (r"EXC_BAD_ACCESS \(code=1, address=(?P<address>0x[0-9a-fA-F]+)\)", _by_address),
          (r"EXC_BAD_ACCESS \(code=.*", None), (r"Fatal error: .*", C.PANIC))),
    # crash(8) of a kernel's dump: the last words of its log.
    *(Row("kdump", "the kernel", kind, rf"^ +PANIC: \"(?P<message>{words}.*)\"", category)
      for words, kind, category in (
          (r"BUG: .{1,80} address: (?P<address>[0-9a-f]{8,16})", "fault", _by_address),
          (r"BUG: .{1,80} at (?P<address>[0-9a-f]{8,16})", "fault", _by_address),
          ("", "panic", C.PANIC))),
    # The BSDs, sys/kern (panic, KASSERT) and sys/*/trap.c: FreeBSD tells the fault above the panic,
    # NetBSD its registers, OpenBSD the call of uvm_fault with the page of the address.
    *(Row("bsd", "the kernel", "panic", rf"^(?P<message>panic: {words})$", category,
          (r"<^fault virtual address\s*= (?P<address>0x[0-9a-f]+)$|\bcr2 (?P<address_>0x[0-9a-f]+)",
           r"<^fault code\s*= supervisor (?P<access>read|write)\b",
           r"<^instruction pointer\s*= 0x[0-9a-f]+:(?P<pc>0x[0-9a-f]+)|\brip (?P<pc_>0x[0-9a-f]+)"))
      for words, category in (
          (r"kernel (?:diagnostic |debugging )?assertion \".*\" failed: file \"(?P<file>[^\"]+)\", "
           r"line (?P<line>\d+).*", C.ASSERTION_FAILURE),
          (rf"Assertion .* failed at {_PLACE}.*", C.ASSERTION_FAILURE),
          # OpenBSD's pools, FreeBSD's UMA
          (r"(?:pool_do_put: \S+: double pool_put: |Duplicate free of ).*", C.DOUBLE_FREE),
          ("(?:page fault|trap|vm_fault.*)", _by_address), (".*", C.PANIC))),
    Row("bsd", "the kernel", "fault", r"^(?P<message>fatal .{0,40}page fault in supervisor mode)$",
        _by_address,
        (r"\bcr2 (?P<address>(?:0x)?[0-9a-f]+)", r"\brip (?P<pc>0x[0-9a-f]+)")),
    Row("bsd", "the kernel", "fault", r"^(?P<message>kernel: page fault trap, code=\d+)$",
        _by_address,
        (r"<^uvm_fault\(0x[0-9a-f]+, (?P<address>0x[0-9a-f]+), ",
         r"^Stopped at\s+(?P<function>\w+)\+0x")),
    # SBCL, runtime/interrupt.c (corruption_warning_and_maybe_lose): Lisp code may handle it.
    Row("sbcl", "SBCL", "memory fault", r"^(?P<message>Memory fault at (?P<address>0x[0-9a-f]+|"
        r"\(nil\)) \(pc=(?P<pc>0x[0-9a-f]+).*)$", _by_address, ends=None),
    # Oracle Database: where control was, the signal, and of it what the system told.
    Row("oracle", "Oracle", "ORA-07445", r"\bORA-07445: (?P<message>exception encountered: core "
        r"dump ?\[(?:(?P<pc>[0-9a-f]{8,16})|(?P<function>\w+)(?:\(\))?(?:\+\d+)?|)\] ?\[(?P<signal>"
        r"SIG[A-Z]+)\](?: ?\[ADDR:(?P<address>0x[0-9A-Fa-f]+)\])?(?: ?\[PC:(?P<pc_>0x[0-9A-Fa-f]+)"
        r"\])?(?: ?\[[A-Z][a-z][a-z ]+\])?(?: ?\[(?P<address_>0x[0-9a-fA-F]+)\])?.*)$"),
    # Haiku, src/kits/debugger (DebugReportGenerator) and get_debug_exception_string.
    *(Row("haiku", "Haiku", kind, rf"^\s*state: (?P<message>{words})$", category,
          (r"^\s*(?:0x)?[0-9a-f]{8,16}\t(?P<pc>(?:0x)?[0-9a-f]{4,16})\t",))
      for kind, words, category in (
          ("exception", r"Exception \((?P<signal>Segment violation)\)", None),
          ("exception", r"Exception \(Divide error\)", C.DIVIDE_BY_ZERO),
          ("exception", r"Exception \(Invalid opcode exception\)", C.ILLEGAL_INSTRUCTION),
          ("exception", r"Exception \(.+\)", None),
          ("debugger call", r"Call \(.+\)", C.EXPLICIT_ABORT))),
    # Windows Error Reporting, event 1000; .NET's event 1026 is read as .NET.
    Row("wer", "Windows", "event 1000", r"^\s*Faulting application name: (?P<program>[^,\s]+)",
        None,
        (rf"!^\s*Exception code: {_CODE}", r"^\s*Faulting module name: (?P<module>[^,\s]+)",
         r"^\s*Fault offset: (?P<offset>0x[0-9a-fA-F]+)")),
    # The same in other languages, by the order of its fields: the sign says what a line of it is.
    Row("wer", "Windows", "event 1000",
        r"^(?P<message>[^\W\d].{5,160}\.exe[,\uff0c].{3,80}0x[0-9a-f]{8})$", None,
        (rf"!^[^\n:\uff1a]{{3,60}}[:\uff1a] ?{_CODE}$",
         r"+[:\uff1a] ?(?P<module>[^,\uff0c\s]+)[,\uff0c] ?\D{1,30}\d[\d.]+[,\uff0c]",
         r"^[^\n:\uff1a]{3,60}[:\uff1a] ?(?P<offset>0x(?![c48e]0)[0-9a-fA-F]{8,16})$")),
    # Its signature, in a Report.wer or event 1001: numbered, and named in the system's language.
    *(Row("wer", "Windows", "error report", rf"^{head}{kind}$", _failed_fast,
          (rf"!{at(code)}(?P<code>[0-9a-f]{{8}})$", rf"{at(3)}(?P<module>(?!StackHash_)\S+\.\w+)$",
           rf"{at(offset)}(?P<offset>[0-9a-f]{{8,16}})$",
           rf"{at(8)}0{{7,15}}(?P<parameter>[0-9a-f])$"))
      for kind, code, offset in (("APPCRASH", 6, 7), ("BEX(?:64)?", 7, 6))
      for head, at in (("EventType=", r"^Sig\[{}\]\.Value=".format),
                       (r"\s{0,8}[^\W\d_][^:\uff1a]{2,40}[:\uff1a] ?",
                        lambda n: rf"^\s{{0,8}}P{n + 1}: "))),
    # The words of STATUS_ACCESS_VIOLATION, in the dialog, the event log or a program's own report.
    Row("wer", "Windows", "exception", rf"(?:^|: )(?P<message>The instruction at \"?(?P<pc>{_HEX})"
        rf"\"? referenced memory at \"?(?P<address>{_HEX})\"?\. ?(?:The memory could not be "
        r"\"?(?P<access>read|writ|execut)\w{0,3}\"?.*)?)$", None,
        (r"^The memory could not be \"?(?P<access>read|writ|execut)",)),
    Row("wer", "Windows", "exception",
        rf"(?P<message>[^\n]{{0,80}}?(?P<pc>{_HEX})\"? ?(?:{'|'.join(REFERENCED)})"
        rf"[^\n0]{{0,30}}(?P<address>{_HEX}).*?"
        r"\b(?P<access>read|writ|execut)\w{0,3}\b.*)$"),
    Row("wer", ".NET", "internal error", r"^Description: The process was terminated due to an "
        r"(?P<message>internal error in the \.NET Runtime.*)$"),
    # As Visual Studio says it: what a program has not handled, and what it still may.
    *(Row("wer", "Windows", "exception", rf"\b(?P<message>{words} at (?P<pc>{_HEX}) "
          r"(?:\((?P<module>[^()]{1,100})\) in [^:]{1,100}?|in (?P<module_>[^:]{1,100}?)"
          rf"(?: \(\+0x[0-9a-f]+\))?): {said})", category, ends=ends)
      for said, category in (
          (rf"{_CODE}\b(?:.*?\b(?P<access>read|writ|execut)ing location (?P<address>{_HEX}))?.*",
           None),
          ("Stack cookie instrumentation code detected a stack-based buffer overrun.*",
           C.STACK_BUFFER_OVERFLOW))
      for words, ends in (("Unhandled exception", True),
                          ("(?:Exception thrown|First-chance exception)", None))),
    # The same in other languages: where, in which module, the code, the address.
    Row("wer", "Windows", "exception",
        r"(?P<message>[^\n]{0,80}?(?P<pc>0x[0-9a-fA-F]{8,16})(?![0-9a-fA-F])[^\n:\uff1a]{1,60}?"
        r"(?P<module>[\w.-]{1,100}\.(?:exe|dll))[^\n:\uff1a]{0,30}[:\uff1a] {0,2}"
        rf"{_CODE}\s?[:\uff1a](?:.*?(?P<address>{_HEX}))?.*)$", None, ends=None),
    # OBS Studio, libobs/util/crash... (win-crash-handler.c): the address is that of the code.
    Row("wer", "OBS", "exception", rf"^(?P<message>Unhandled exception: {_CODE})$", None,
        (r"^Fault address: (?P<pc>[0-9A-F]{1,16}) \(",)),
    Row("wer", "the crash handler", "exception",
        rf"^ *(?P<message>Exception(?: Code)?:\s+{_CODE}\b.*)$", None,
        (r"^ *(?:Exception )?Address *: (?P<pc>(?:0x)?[0-9A-Fa-f]{8,16})\b"
         r"(?: \((?P<module>[^()+]{1,100}?) ?\+ ?(?P<offset>(?:0x)?[0-9a-f]+)\))?",
         r"^ *AV Type *: (?P<access>READ|WRITE|EXECUTE) at (?P<address>0x[0-9A-Fa-f]{8,16})",
         # StackHash: control was in no module
         r"<^ *Fault Module Name:\s*(?P<module>(?!StackHash_)\S+)$",
         r"^ *Exception Offset:\s*(?P<offset>[0-9a-f]{8,16})$")),
    Row("wer", "the crash handler", "exception",
        r"^(?P<message>.{0,200}?\bEXCEPTION_(?P<named>ACCESS_VIOLATION|STACK_OVERFLOW|"
        r"INT_DIVIDE_BY_ZERO|ILLEGAL_INSTRUCTION)\b(?:.{0,40}? at (?P<pc>0x[0-9A-Fa-f]{6,16})"
        r"(?: (?P<module>[\w.-]{1,100})\+(?P<offset>(?:0x)?[0-9A-Fa-f]{3,16})\b)?)?.*)$", None,
        # Buffout 4 and CrashLogger, of games
        (r"^Access Violation: Tried to (?P<access>read|write|execute) memory at "
         rf"(?P<address>{_HEX})",)),
    # Microsoft's C runtime: a dialog, or the same on standard error.
    Row("msvc", "the C runtime", "Debug Assertion Failed", r"^Debug (?:Assertion Failed!|Error!)",
        lambda groups, message: C.HEAP_CORRUPTION if _HEAP.search(message) else C.ASSERTION_FAILURE,
        (r"^Expression: (?P<message>.+)$|^(?P<message_>HEAP CORRUPTION DETECTED.*|DAMAGE: .*)$",
         r"^File: (?P<file>.+)$", r"^Line: (?P<line>\d+)$")),
    # The same in one line.
    Row("msvc", "the C runtime", "Assertion failed",
        r"\b(?P<file>[A-Za-z]:\\[^\n(:]{1,300}?)\((?P<line>\d+)\) : Assertion failed: "
        r"(?P<message>.+)$", C.ASSERTION_FAILURE),
    # vcruntime's run-time checks (/RTC1).
    *(Row("msvc", "the C runtime", "Run-Time Check Failure",
          rf"^(?P<message>Run-Time Check Failure #{words}.*)$", category)
      for words, category in (
          ("2 - Stack around ", C.STACK_BUFFER_OVERFLOW), ("3 - ", C.UNINITIALIZED_VALUE),
          ("1 - ", C.INTEGER_OVERFLOW), ("[04] - ", None))),
    # The debug heap's own words (ucrt, debug_heap.cpp), which a redirected report begins with.
    Row("msvc", "the C runtime", "HEAP CORRUPTION DETECTED",
        r"^[\"']?(?P<message>HEAP CORRUPTION DETECTED: (?:before|after|on top of) .{1,200})$",
        C.HEAP_CORRUPTION),
    # Catch2 (catch_fatal_condition_handler.cpp), doctest, GoogleTest.
    Row("tests", "Catch2", "fatal error", rf"^{_PLACE}: FAILED:$", None,
        (r"!^\s+(?P<message>(?P<signal>SIG[A-Z]{2,6}) - .*)$",)),
    Row("tests", "doctest", "fatal error", rf"^{_PLACE}: FATAL ERROR: test case CRASHED: "
        r"(?P<message>(?P<signal>SIG[A-Z]{2,6}) - .*)$"),
    Row("tests", "GoogleTest", "exception", rf"^.{{1,300}}?: error: (?P<message>SEH exception with "
        rf"code {_CODE}" r" thrown in .*)$"),
    # Servers that print their own report.
    Row("mysqld", "the server", "got signal",
        r"\b(?P<message>(?:mysqld|mariadbd|ndbd) got (?:signal (?P<signal>\d+)|"
        r"exception 0x(?P<code>[0-9a-f]{8})) ?;)"),
    Row("redis", "the server", "crashed", r"\b(?:Redis|Valkey|KeyDB) \S+ crashed by signal: "
        r"(?P<signal>\d+)", None, (rf"(?:^|# )Accessing address: (?P<address>{_HEX}|\(nil\))",
        rf"(?:^|# )Crashed running the instru?ction at: (?P<pc>{_HEX})")),
    Row("redis", "the server", "assertion", r"^==> (?P<file>\S+):(?P<line>\d+) (?P<message>'.*' "
                                            r"is not true)$", C.ASSERTION_FAILURE),
    Row("postgres", "PostgreSQL", "failed assertion",
        r"\bTRAP: (?P<message>(?:FailedAssertion\(|failed Assert\().*?), File: \"(?P<file>"
        r"[^\"]+)\", Line: (?P<line>\d+)", C.ASSERTION_FAILURE),
    Row("envoy", "the server", "caught signal",
        rf"\bCaught (?P<signal>{_ENDED}), suspect faulting address (?P<address>{_HEX})"),
    # HAProxy, include/haproxy/bug.h (BUG_ON)
    Row("envoy", "HAProxy", "bug condition", r"^FATAL: (?P<message>bug condition \".*\" matched) "
        r"at (?P<file>\S+):(?P<line>\d+)", C.ASSERTION_FAILURE),
    # ClickHouse, BaseDaemon.cpp.
    Row("clickhouse", "ClickHouse", "received signal",
        rf"^\((?:version|from thread) .*\bReceived signal (?P<signal>{_ENDED})", None,
        (rf"^Address: (?P<address>{_HEX}|NULL)\b", r"\b(?P<nowhere>Unknown si_code)\b",
         r"\bAccess: (?P<access>read|write)\b")),
    # Ceph, global/signal_handler.cc and common/assert.cc.
    Row("ceph", "Ceph", "caught signal",
        rf"^\*{{3}} Caught signal \((?P<signal>{_ENDED})\) "),
    Row("ceph", "Ceph", "assertion",
        r"^(?P<file>\S{1,300}): (?P<line>\d{1,7}): (?P<message>FAILED (?:ceph_)?assert\(.*)$",
        C.ASSERTION_FAILURE, (r"<\bIn function '(?P<function>[^'\n]{1,600})'",)),
    Row("anr", "Android", "ANR", r"\bANR in (?P<program>[\w.]+)", None,
        (r"!\bReason: (?P<message>.*)$", r"\bPID: (?P<process>\d+)$")),
    *(Row("supervisor", tool, kind, words, C.OUT_OF_MEMORY if "oom" in kind.lower() else None)
      for tool, kind, words in ENDED),
    # x64dbg, src/dbg/debugger.cpp (cbException): the last chance is what nobody handled.
    Row("x64dbg", "x64dbg", "last chance exception", r"^(?P<message>Last chance exception on "
        rf"(?P<pc>[0-9A-F]{{8,16}}) \({_CODE}, .*)$", _failed_fast,
        (r"<^ExceptionInformation\[01\]: (?P<address>[0-9A-F]{8,16}) ",
         r"<^ExceptionInformation\[00\]: 0{7,15}(?P<parameter>[0-9A-F])(?: (?P<access>\w+))?")),
    # gin, recovery.go: the request fails, the server goes on.
    Row("gin", "gin", "panic recovered", r"panic recovered:$", _recovered,
        (r"^(?P<message>runtime error: .*|interface conversion: .*)$",)),
    # Game engines.
    Row("unreal", "Unreal", "exception", r"(?P<message>\bUnhandled Exception: "
                                         r"EXCEPTION_ACCESS_VIOLATION "
        rf"(?P<access>reading|writing|executing) address (?P<address>{_HEX}))"),
    Row("unreal", "Unreal", "exception",
        r"(?P<message>\bUnhandled Exception: (?P<signal>EXCEPTION_[A-Z_]+|SIG[A-Z]+).*)$"),
    Row("unreal", "Unreal", "assertion", r"(?P<message>\bAssertion failed: .*?) "
        r"\[File:(?P<file>[^\]]+?)\] \[Line: (?P<line>\d+)\]", C.ASSERTION_FAILURE),
    # Of an address it shows the lower half alone until 2018: no address of a 64-bit process.
    Row("mono", "Unity", "exception", rf"^(?P<message>\S+ caused an? [A-Z].* \({_CODE}\))$", None,
        (r"^(?P<access>Read|Write|Execute)\w* (?:from|to|at) location (?P<address>[0-9a-fA-F]{16}) "
         r"caused ", r"\bRIP: +(?P<pc>0x[0-9a-fA-F]{16})\b")),
    Row("mono", "Unity", "caught signal", r"^(?P<message>Caught fatal signal - "
        r"signo:(?P<signal>\d+) code:-?\d+ errno:-?\d+ addr:(?P<address>\(nil\)|0x[0-9a-f]+).*)$"),
    Row("mono", "the Mono runtime", "native crash",
        r"^(?P<message>Got an? (?P<signal>SIG[A-Z]+|UNKNOWN|abort\(\)|segv\w*) while executing "
        r"native code.*)$"),
    # Zig, lib/std/debug.zig.
    Row("zig", "Zig", "fault", rf"^(?:panic\(.{{1,30}}\): )?(?P<message>(?P<signal>Segmentation "
        rf"fault|Bus error|Illegal instruction|Arithmetic exception) at address "
        rf"(?P<address>{_HEX}))$"),
    Row("zig", "Zig", "panic", r"^(?:(?:error: )?thread \d+ panic|panic\(.{1,30}\)): "
                               r"(?P<message>.*)$", C.PANIC),
    Row("wasm", "WebAssembly", "trap", r"\berror while executing at wasm backtrace:$", _trap,
        (r"^\s*(?:\d+: )?wasm trap: (?P<message>.*)$",
         r"\bmemory fault at wasm address (?P<address>0x[0-9a-f]+) ")),
    # Compilers that crashed.
    Row("ice", "rustc", "internal compiler error",
        r"^error: internal compiler error: (?P<message>.*)$", C.ASSERTION_FAILURE),
    Row("ice", "GCC", "internal compiler error",
        r"\binternal compiler error: (?P<message>(?P<signal>Segmentation fault|Aborted|Illegal "
        r"instruction|Bus error|Killed).*)$"),
    Row("ice", "GCC", "internal compiler error", r"\binternal compiler error: (?P<message>in "
        r"(?P<function>[\w:~]+), at (?P<file>[^\s:]+):(?P<line>\d+))", C.ASSERTION_FAILURE),
    Row("ice", "GCC", "internal compiler error", r"\binternal compiler error: (?P<message>.*)$",
        C.ASSERTION_FAILURE),
    Row("ice", "Clang", "crash", r"^(?P<message>PLEASE submit a bug report to .*)$"),
    # Checkers of memory.
    Row("cuda", "compute-sanitizer", "access",
        r"^={9} (?P<message>Invalid \w+ (?P<access>read|write|atomic) of size \d+.*)$",
        _kernel_access,
        _CUDA),
    Row("cuda", "compute-sanitizer", "uninitialized", r"^={9} (?P<message>Uninitialized \w+ memory "
        r"read .*)$", C.UNINITIALIZED_VALUE, _CUDA),
    Row("cuda", "compute-sanitizer", "leak", r"^={9} (?P<message>Leaked \d[\d,]* bytes at .*)$",
        C.MEMORY_LEAK),
    Row("cuda", "compute-sanitizer", "race", r"^={9} (?P<message>(?:Error: )?Race reported between "
        r".*)$", C.DATA_RACE),
    *(
        Row("drmemory", "Dr. Memory", kind, rf"Error #\d+: (?P<message>{words}"
            r"(?: (?P<access>reading|writing)(?: (?P<address>0x[0-9a-f]+))?"
            r"|.*? (?P<address_>0x[0-9a-f]+))?.*)$", category, ends=None)
        for kind, words, category in (
            ("freed memory", "UNADDRESSABLE ACCESS of freed memory:", C.USE_AFTER_FREE),
            ("heap bounds", "UNADDRESSABLE ACCESS (?:beyond|before) heap bounds:",
             C.HEAP_BUFFER_OVERFLOW),
            # below the stack pointer: a probe of the stack's pages looks the same
            ("unaddressable", "UNADDRESSABLE ACCESS beyond top of stack: .*", None),
            ("unaddressable", "UNADDRESSABLE ACCESS:", None),
            ("uninitialized", "UNINITIALIZED READ:", C.UNINITIALIZED_VALUE),
            ("mismatch", "INVALID HEAP ARGUMENT: allocated with", C.MISMATCHED_DEALLOCATION),
            ("argument", "INVALID HEAP ARGUMENT to free", C.INVALID_FREE),
            ("leak", r"(?:POSSIBLE )?LEAK \d+", C.MEMORY_LEAK),
        )
    ),
    # tcmalloc, segv_handler.cc
    *(Row("scudo", "GWP-ASan", kind, rf"\b(?P<message>{words} (?:\((?:(?P<access>read|write)|"
          r"unknown)\) )?(?:occurs|detected) in thread (?P<thread>\d+) at(?: free)?:)$", category)
      for kind, words, category in (
          ("use after free", "Use-after-free", C.USE_AFTER_FREE),
          ("buffer overflow", "Buffer (?:over|under)flow", C.HEAP_BUFFER_OVERFLOW),
          ("double free", "Double free", C.DOUBLE_FREE))),
    # mimalloc, free.c and page.c: the program goes on, unless it was built to be secure.
    *(Row("scudo", "mimalloc", kind, rf"\bmimalloc: error: (?P<message>{words}.*)$", category,
          ends=None)
      for kind, words, category in (
          ("double free", "double free detected of block ", C.DOUBLE_FREE),
          ("free list", "corrupted (?:thread-)?free list entry ", C.HEAP_CORRUPTION),
          ("overflow", "buffer overflow in heap block ", C.HEAP_BUFFER_OVERFLOW))),
    Row("scudo", "Scudo", "invalid chunk state",
        r"Scudo ERROR: (?P<message>invalid chunk state when deallocating address (?P<address>0x"
        r"[0-9a-f]+))",
        C.DOUBLE_FREE),
    Row("scudo", "Scudo", "misaligned pointer",
        r"Scudo ERROR: (?P<message>misaligned pointer when deallocating address (?P<address>0x"
        r"[0-9a-f]+))",
        C.INVALID_FREE),
    Row("scudo", "Scudo", "type mismatch",
        r"Scudo ERROR: (?P<message>allocation type mismatch when .*? address (?P<address>0x"
        r"[0-9a-f]+).*)$",
        C.MISMATCHED_DEALLOCATION),
    # What is freed may be no chunk at all, or in other hands (llvm, ScudoHardenedAllocator.rst).
    Row("scudo", "Scudo", "header", r"Scudo ERROR: (?P<message>(?:corrupted|race on) chunk header "
        r"at address (?P<address>0x[0-9a-f]+))", Kind(C.HEAP_CORRUPTION, sure=False)),
    Row("scudo", "Scudo", "out of memory", r"Scudo ERROR: (?P<message>.*(?:out of memory|exhausted)"
        r".*)$", C.OUT_OF_MEMORY),
    # Languages.
    Row("fortran", "Fortran", "runtime error",
        r"^Fortran runtime error: (?P<message>(?:Index|Array bound|Substring|Dimension|Loop).*)$",
        C.PANIC,
        (r"<^At line (?P<line>\d+) of file (?P<file>\S+)",)),
    Row("fortran", "Fortran", "runtime error", r"^Fortran runtime error: (?P<message>.*)$",
        C.EXPLICIT_ABORT,
        (r"<^At line (?P<line>\d+) of file (?P<file>\S+)",)),
    # ABRT, libreport's text of a problem; a bug in Red Hat's Bugzilla has no signal.
    Row("abrt", "ABRT", "killed", r"^reason: +(?P<message>\S+ killed by (?P<signal>SIG[A-Z]+))$"),
    Row("abrt", "ABRT", "crash", r"^(?P<message>crash_function: +(?P<function>\S.*))$"),
    Row("fortran", "Fortran", "signal",
        r"^Program received signal (?P<signal>SIG[A-Z]{2,6}): (?P<message>.*)$",
        _fortran_signal),
    Row("julia", "Julia", "exception", r"^Exception: (?P<message>(?P<signal>EXCEPTION_[A-Z_]+) at "
        r"0x[0-9a-f]+ -- .*)$"),
    Row("julia", "Julia", "signal", r"^(?:\[?\d+\] )?(?P<message>signal \(?(?P<signal>\d+)"
                                    r"(?:\.-?\d+)?\)?(?: \(-?\d+\))?: .*)$"),
    Row("julia", "Julia", "error", r"^ERROR: (?P<message>(?:LoadError: )?(?:OutOfMemoryError).*)$",
        C.OUT_OF_MEMORY),
    Row("julia", "Julia", "error", r"^ERROR: (?P<message>(?:LoadError: )?StackOverflowError.*)$",
        C.STACK_OVERFLOW),
    Row("julia", "Julia", "error", r"^ERROR: (?P<message>(?:LoadError: )?[A-Z]\w*(?:Error|"
        r"Exception).*)$", C.UNCAUGHT_EXCEPTION),
    Row("r", "R", "caught signal",
        r"^ *\*\*\* (?P<message>caught (?P<signal>segfault|bus error|illegal operation)) \*\*\*",
        None,
        (r"^address (?P<address>0x[0-9a-f]+|\(nil\))",)),
    Row("php", "PHP", "memory limit", r"Fatal error: +(?P<message>(?:Allowed memory size of|Out of "
        r"memory).*?) in (?P<file>\S+) on line (?P<line>\d+)", C.OUT_OF_MEMORY),
    Row("php", "PHP", "stack limit", r"Fatal error: +Uncaught Error: (?P<message>Maximum call "
        r"stack size of \d+ bytes .*?) in (?P<file>\S+):(?P<line>\d+)$", C.STACK_OVERFLOW),
    Row("php", "PHP", "uncaught exception",
        r"Fatal error: +Uncaught (?P<message>.*?) in (?P<file>\S+):(?P<line>\d+)$",
        C.UNCAUGHT_EXCEPTION),
    *(Row("php", "PHP", "fatal error",
          rf"Fatal error: +(?P<message>{words}.*?) in (?P<file>\S+) on line (?P<line>\d+)",
          category)
      for words, category in (
          ("Maximum execution time", Kind(C.INFINITE_LOOP, sure=False)),
          ("Maximum (?:call stack|function nesting)", C.STACK_OVERFLOW), ("", C.EXPLICIT_ABORT))),
    Row("perl", "Perl", "out of memory", r"^(?P<message>Out of memory(?:!| in perl:| during ).*)$",
        C.OUT_OF_MEMORY),
    Row("perl", "Perl", "died", r"^(?!Use of |Argument |Subroutine |Name \"|Deep rec|\"my\" "
                                r"|Odd number|Useless )"
        r"(?P<message>.{1,400}) at (?P<file>\S+\.(?:pl|pm)) line (?P<line>\d+)"
        r"(?:, <\w+> (?:line|chunk) \d+)?\.$", C.UNCAUGHT_EXCEPTION,
        # die and warn print the same: only what ended the program stands last.
        (r"=^\s|^$|^(?:BEGIN|Compilation) failed|\bexit(?:ed)? (?:with )?(?:status|code) [1-9]|"
         r"^make(?:\[\d+\])?: \*\*\* |^# Looks like your test exited with ",), ends=None),
    Row("erlang", "Erlang", "emulator", r"^Slogan: (?P<message>.*Cannot (?:re)?allocate.*)$",
        C.OUT_OF_MEMORY),
    Row("erlang", "Erlang", "emulator",
        r"^(?P<message>\w+_alloc: Cannot (?:re)?allocate \d+ bytes of memory.*)$", C.OUT_OF_MEMORY),
    Row("erlang", "Erlang", "emulator", r"^Slogan: (?P<message>.*)$", C.EXPLICIT_ABORT),
    Row("erlang", "Erlang", "process", r"^Error in process <[\d.]+>(?: on node \S+)? with exit "
        r"value:", C.UNCAUGHT_EXCEPTION, (r"^(?P<message>\{.*)$",
        r'\{file,"(?P<file>[^"]+)"\},\{line,(?P<line>\d+)\}')),
    # OTP's proc_lib.erl (crash reports).
    Row("erlang", "Erlang", "process", r"^\s{2,8}exception (?:error|exit|throw): (?P<message>.*?"
        r"(?:\((?P<file>[^\s()]+\.[eh]rl), line (?P<line>\d+)\))?)$", C.UNCAUGHT_EXCEPTION),
    Row("erlang", "Elixir", "exception", r"^(?:\s{4})?(?P<message>\*\* \([A-Z]\w*(?:\.\w+)*"
                                         r"(?:Error|Exception)?\) .*)$", C.UNCAUGHT_EXCEPTION),
    # OCaml, runtime/printexc.c and Printexc.to_string.
    *(Row("ocaml", "OCaml", "uncaught exception",
          rf"^Fatal error: (?P<message>(?:exception )?(?:{name})\b.*)$", category)
      for name, category in (
          (r"(?:Stdlib\.)?Stack[_ ]overflow", C.STACK_OVERFLOW),
          (r"(?:Stdlib\.)?(?:Out_of_memory|out of memory)", C.OUT_OF_MEMORY),
          (r"(?:Stdlib\.)?Division_by_zero", C.DIVIDE_BY_ZERO),
          (r'File "(?P<file>[^"]+)", line (?P<line>\d+), characters [\d-]+: Assertion failed',
           C.ASSERTION_FAILURE),
          (r'Assert_failure\(\"(?P<file>[^\"]+)\", (?P<line>\d+), \d+', C.ASSERTION_FAILURE),
          (r"(?<=exception )\S+", C.UNCAUGHT_EXCEPTION))),
    # Libraries.
    Row("qt", "Qt", "qFatal", r"^QFATAL : (?P<function>[\w:]+\(.*?\)) (?P<message>.*)$",
        C.EXPLICIT_ABORT),
    Row("glib", "GLib", "fatal error", r"ERROR \*\*: .*?(?P<file>[^\s:]+):(?P<line>\d+): "
        r"(?P<message>failed to allocate .*)$", C.OUT_OF_MEMORY),
    Row("glib", "GLib", "fatal error",
        r"^(?:\([^)]{1,80}\): )?(?:[\w-]{1,40}-)?(?:GLib-)?ERROR \*\*: (?:[\d:.]+: )?"
        r"(?P<message>(?:(?P<file>[^\s:]+):(?P<line>\d+): )?.*)$", C.EXPLICIT_ABORT),
    Row("paddle", "Paddle", "fatal signal",
        r"\[SignalInfo: (?P<message>\*{3} (?P<signal>SIG[A-Z]+) "
        r"(?:\(@(?P<address>0x[0-9a-f]+)\) )?.*?)\]?$"),
    Row("backward", "the crash handler", "stack", r"^Stack trace \(most recent call (?:last"
                                                  r"|first)\)", None,
        (rf"^(?P<message>(?P<signal>Segmentation fault|Aborted|Bus error|Illegal instruction"
         rf"|Floating point exception)(?: \(.*?(?:\[(?P<address>{_HEX}|\(nil\))\])?\))?)$",)),
)  # fmt: skip
# How the frames of their stacks are written, where no other report has them so: groups as above,
# and ``index`` where a frame has a number.
_PLACED = r"(?P<file>[^\s:()][^:()]{0,300}):(?P<line>\d{1,7})"
FRAMES: dict[str, tuple[str, ...]] = {
    **firmware.FRAMES, **languages.FRAMES,
    "strace": (r"^ > (?P<module>[^(]{1,300})\((?P<function>[^+)]*)(?:\+0x[0-9a-f]+)?\) "
               r"\[(?P<address>0x[0-9a-f]+)\]",),
    "ruby": (rf"^(?P<module>/?\S{{1,300}}?)\((?P<function>[^()]{{0,200}}?)(?:\+0x[0-9a-f]+)?\) "
             rf"(?:\[(?P<address>0x[0-9a-f]+)\](?: {_PLACED})?|{_PLACED.replace('>', '_>')})$",
             rf"^\s+from {_PLACED}(?::in [`'](?P<function>[^']{{1,200}})')?$",
             rf"^{_PLACED}:in [`'](?P<function>[^']{{1,200}})': .{{1,600}}$"),
    "dart": (r"^\s+pc (?P<address>0x[0-9a-f]+) fp 0x[0-9a-f]+ (?P<module>/\S+)\+(?P<offset>0x"
             r"[0-9a-f]+)$",
             r"^\s+pc (?P<address>0x[0-9a-f]+) fp 0x[0-9a-f]+ (?!Unknown )"
             r"(?P<function>\S.*?)(?:\+0x[0-9a-f]+)?$",
             r"^\s+\[(?P<address>0x[0-9a-f]{16})\] (?!Unknown )(?P<function>\S.*)$",  # until 2.2
             r"^#(?P<index>\d+) +(?P<function>\S.*?) \((?P<file>(?:package|file|dart):[^()\s]+?):"
             r"(?P<line>\d+)(?::\d+)?\)$"),
    # Without the call of the debugger, which is how a team ends itself.
    "haiku": (r"^\s*(?:0x)?[0-9a-f]{8,16}\t(?P<address>(?:0x)?[0-9a-f]{4,16})\t(?:\? *$|"
              r"(?P<module>/\S+) \+ (?P<offset>(?:0x)?[0-9a-f]+) *$|"
              r"(?!(?:commpage_syscall|(?:_kern_)?debugger|abort) \+ )"
              r"(?P<function>\S.*?)(?: \+ (?:0x)?[0-9a-f]+)? *$)",),
    "wine": (r"^(?:=>| {1,2})? {0,4}(?P<index>\d{1,5}) (?P<address>0x[0-9a-f]{8,16})"
             r"(?: (?P<function>[^\s(]\S{0,300}?)(?:\+0x[0-9a-f]+)?\([^\n]{0,600}?\))?"
             r"(?: \[(?P<file>[^\]:]{1,300}):(?P<line>\d+)\])?"
             r"(?: in (?P<module>[\w. -]{1,100}?))?(?: \((?:\+?0x)?[0-9a-f]+\)){0,2}$",),
    "xnu": (r"^0x[0-9a-f]{16} : (?P<address>0x[0-9a-f]{16}) (?P<module>[\w.]+) : (?P<function>\S+?)"
            r"(?: \+ 0x[0-9a-f]+)?$",),
    "bsd": (r"^#(?P<index>\d+) (?P<address>0x[0-9a-f]+) at (?P<function>[\w.$]+)\+0x[0-9a-f]+$",
            rf"^(?P<function>[\w.$]+)\([^\n]{{0,300}}\) at (?:netbsd:)?[\w.$]+\+0x[0-9a-f]+"
            rf"(?: {_PLACED})?",
            # Where a function begins nothing is returned to: the one before it ends in a call that
            # does not return.
            r"^[\w.$]+\([^\n]{0,300}\) at (?P<module>netbsd):[\w.$]+$"),
    # less(1) cuts a line with ">".
    "clickhouse": (r"^(?P<index>\d+)\. (?:(?P<file>\.{0,2}/[^:\s]{1,300}):(?P<line>\d+): )?"
              r"(?P<function>[^\s/].{0,600}?)"
              r"(?: @ (?P<address>0x[0-9a-f]+)(?: in (?P<module>\S+))?$| @ 0?x?>$|>$)",),
    "wer": (r"^[0-9A-F]{8,16} (?P<address>[0-9A-F]{8,16}) (?:[0-9A-F]{8,16} ){4}"
            r"(?P<module>[^\s!<]+)!(?:0x[0-9a-f]+|(?P<function>\S+?)(?:\+0x[0-9a-f]+)?)$",
            r"^\s{0,8}(?:stack dump )?\[ ?(?P<index>\d{1,3})\]\s{1,4}"
            r"(?:(?P<address>0x[0-9A-F]{6,16})\s+)?(?P<module>[^\s+(][^+(]{0,200}?)\+"
            r"(?P<offset>(?:0x)?[0-9A-F]{3,16})(?:\s.*)?$",
            r"^\s{0,8}\[ ?(?P<index>\d{1,3})\]\s.{0,200}? \((?P<module>[^()+]+)\+"
            r"(?P<offset>0x[0-9A-F]+)\)$"),
    "ceph": (r"^ ?(?P<index>\d+): \((?P<function>.{1,600}?)\+0x[0-9a-f]+\) "
             r"\[(?P<address>0x[0-9a-f]+)\]$",),
    "redis": (r"(?:^|# )(?P<module>/?\S{1,300})(?: \S{1,80})?\((?P<function>[^()\s]{0,200}?)"
              r"(?:\+0x[0-9a-f]+)?\) ?\[(?P<address>0x[0-9a-f]+)\]$",),
    "mysqld": (r"^(?P<module>\S{1,300}?)\((?P<function>.{0,600}?)(?:\+(?:0x)?[0-9a-f]+)?\) ?"
               r"\[(?P<address>0x[0-9a-f]+)\]$",),
    "unreal": (r"(?:^|\[Callstack\] )(?P<address>0x[0-9a-f]{16}) (?:(?P<module>[^!\s]{1,200})!)?"
               r"(?P<function>\S.*?) \[(?:(?P<file>[^\]]+?):(?P<line>\d+))?\]$",
               r"^(?P<module>[\w.-]{1,100})!(?P<function>\S.*?) "
               r"\[(?:(?P<file>[^\]]+?):(?P<line>\d+))?\]$"),
    "kdump": (r"^ {0,4}#(?P<index>\d+) \[[0-9a-f]{8,16}\] (?P<function>\S+) at "
              r"(?P<address>[0-9a-f]{8,16})(?: \[(?P<module>\S+)\])?$",
              r"^ +\[exception RIP: (?P<function>[^+\]\s]+)"),
    "mono": (r"^(?P<address>0x[0-9A-Fa-f]{8,16}) \((?P<module>[^)]{1,200})\) "
             r"(?:\[(?P<file>[^\]:]{1,300}):(?P<line>\d+)\] )?(?P<function>\S.*)$",
             r"^\s{0,8}(?:at|in) (?:\([^)]{1,80}\) )?(?P<function>[^\s(\[]{1,300}) "
             r"?\([^\n]{0,400}?\) (?:\[0x[0-9a-f]+\]|<0x[0-9a-f]+>)"
             r"(?: in (?:<[0-9a-f]{1,64}>|(?P<file>.{1,300}?)):(?P<line>\d+))?",
             r"^\s{1,8}(?P<address>0x[0-9a-f]+) - (?P<module>\S{1,300}) :"
             r"(?: (?P<function>\S.*))?$"),
    # The place is that of the call, not of what was called.
    "php": (r"^#(?P<index>\d+) (?:[^\s()][^()\n]{0,300}\(\d{1,7}\)|\[internal function\]): "
            r"(?P<function>[^\n(]{1,300})\(",),
    "zig": (rf"^{_PLACED}:\d+: (?P<address>0x[0-9a-f]+) in (?P<function>\S+) \((?P<module>"
            rf"[^)]+)\)$",),
    "ice": (r"^(?P<address>0x[0-9a-f]{3,16}) (?P<function>[A-Za-z_~][^\n]*)$",),
    "wasm": (r"^\s+(?P<index>\d+): +0x[0-9a-f]+ - (?P<module>\S+)!(?P<function>\S.*)$",),
    "drmemory": (r"^(?:Note: )?# ?(?P<index>\d+) (?:(?P<module>[^!\s]{1,200})!)?"
                 r"(?P<function>\S.*?)"
                 r"(?: +\[(?P<file>[^\]]+?):(?P<line>\d+)\]"
                 r"| +(?:\+0x[0-9a-f]+ +)?\((?P<address>0x[0-9a-f]+)(?: <[^>]{1,300}>)?\))",),
    "fortran": (rf"^#(?P<index>\d+) +(?P<address>0x[0-9a-f]+) in (?P<function>\S+)(?: "
                rf"at {_PLACED})?$",
                r"^(?P<module>\S{1,100}) +(?P<address>[0-9A-F]{16}) +"
                r"(?:Unknown|(?P<function>\S+)) +(?:Unknown|(?P<line>\d+)) +"
                r"(?:Unknown|(?P<file>\S+))$"),
    "abrt": (rf"^ {{1,4}}#(?P<index>\d+) (?P<function>\S.*?) at {_PLACED}$",),
    # Without "in expression starting at FILE:1" and "[123] signal (11.1): ...".
    "julia": (r"^(?!in expr|Exception: )(?P<function>(?:[^\s#\[].{0,300}?|#\w[\w#]{0,80})) "
              rf"at {_PLACED}(?: \[inlined\])?$",
              r"^(?P<function>[^\s#\[].{0,400}?) at (?P<module>/\S{1,300}) \(unknown line\)$",
              r"^ {0,2}\[(?P<index>\d+)\] (?!signal )(?P<function>\S.*)$"),
    "r": (r"^ {0,2}(?P<index>\d+): (?P<function>[\w.:$]{1,200})\(",),
    # Without OTP's own, which call for whoever called them.
    "erlang": (r"^\s+in (?:function|call from) +(?!gen_|proc_lib:)(?P<function>\S+) "
               r"\((?P<file>[^\s()]+), line (?P<line>\d+)\)$",
               rf"^\s{{4}}(?:\([^)]{{1,100}}\) )?{_PLACED}: (?P<function>[A-Z]\S*)$",
               r"\{(?!(?:erlang|lists|maps|gen(?:_\w+)?|proc_lib|supervisor),)\w+,(?P<function>\w+),"
               r'\d+,\[\{file,"(?P<file>[^"]+)"\},\{line,(?P<line>\d+)\}\]\}'),
    # Without the standard library's own, which raise for whoever called them.
    "ocaml": (r"^(?:Raised (?:by primitive operation )?|Re-raised |Called )(?:at|from) "
              r"(?:(?!Stdlib\b|Caml)(?P<function>\S+) in )?file \"(?P<file>[^\"]+)\""
              r"(?: \(inlined\))?, lines? (?P<line>\d+)",),
    # Without what prints them.
    "paddle": (r"^(?P<index>\d+) {1,4}(?!paddle::(?:framework::SignalHandle|platform::GetCurrent))"
               r"(?P<function>[A-Za-z_]\S.*)$",),
    "backward": (r"^#(?P<index>\d+) +Source \"(?P<file>[^\"]+)\", line (?P<line>\d+), in "
                 r"(?P<function>.+?)(?: \[(?P<address>0x[0-9a-f]+)\])?$",
                 r"^#(?P<index>\d+) +Object \"(?P<module>[^\"]*)\", at (?P<address>0x"
                 r"[0-9a-f]+), in (?P<function>.*)$"),
}  # fmt: skip
