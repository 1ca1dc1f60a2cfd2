"""Checks that failed and what C and C++ runtimes say when they give up.

Each sentence is quoted from where it is written: assert/assert.c and malloc/malloc.c of glibc,
gcc's libssp and libsupc++, libc++abi, base/check.cc of Chromium, glog, Abseil, GLib, Qt,
mfbt/Assertions.h of Mozilla, WTF/Assertions.cpp of WebKit, src/base/logging.cc of V8.
"""

import re

from analyzers.base import Analysis, Document
from analyzers.log import kinds as log_kinds
from analyzers.log.kinds import Kind
from analyzers.log.result import analysis_of
from analyzers.log.rules import findings_of, rule
from workbench.model.category import Category as C

_OOM = re.compile(r"[Oo]ut[ -]of[ -]memory|\bOOM\b|[Aa]llocation failed|bad_alloc|memory exhausted")


def _check(match: re.Match[str], message: str) -> C:
    return C.OUT_OF_MEMORY if _OOM.search(message) else C.ASSERTION_FAILURE


def _assert(match: re.Match[str], message: str) -> C:
    file = match.groupdict().get("file") or ""
    return C.HEAP_CORRUPTION if file.endswith("malloc.c") else C.ASSERTION_FAILURE


def _heap(match: re.Match[str], message: str) -> C:
    return log_kinds.of_heap(message)


def _thrown(match: re.Match[str], message: str) -> C:
    return C.UNCAUGHT_EXCEPTION


_RULES = (
    rule(r"(?:^|: )(?P<file>[^:\s][^:]{0,300}):(?P<line>\d{1,9}): (?:(?P<function>.{1,600}?): )?"
         r"Assertion [`'\"]", "assert", "Assertion failed", _assert),
    rule(r"^Fatal glibc error: (?P<file>\S{1,200}):(?P<line>\d{1,9}) \((?P<function>\w{1,80})\): ",
         "glibc", "assertion", _assert),
    rule(r"^(?:\S{1,200}: )?[Aa]ssertion \"[^\"]{0,400}\" failed: file \"(?P<file>[^\"]{1,300})\", "
         r"line (?P<line>\d{1,9})(?:, function \"?(?P<function>[^\"]{1,300}))?", "assert",
         "Assertion failed", C.ASSERTION_FAILURE),
    rule(r"^Assertion failed: .{0,600}?, function (?P<function>[^,]{1,300}), file "
         r"(?P<file>[^,]{1,300}), "
         r"line (?P<line>\d{1,9})\b", "assert", "Assertion failed", C.ASSERTION_FAILURE),
    rule(r"^Assertion failed: .{0,600}?,? \(?(?:file )?(?P<file>[^\s():,]{1,300})[:,] "
         r"(?:(?P<function>\w{1,200}): |line )(?P<line>\d{1,9})\b", "assert", "Assertion failed",
         C.ASSERTION_FAILURE),
    rule(r"^Assertion failed", "assert", "Assertion failed", C.ASSERTION_FAILURE),
    rule(r"\bFATAL[: ](?P<file>[\w./\\+-]{1,200})[(:](?P<line>\d{1,7})\)?\] ?(?P<message>.*)$",
         "the program's log", "FATAL", _check),
    rule(r"^F\d{4,8} \d\d:\d\d:\d\d\S* +\S+ (?P<file>\S{1,300}):(?P<line>\d{1,7})\] "
         r"(?P<message>.*)$",
         "the program's log", "FATAL", _check),
    rule(r"^(?:\[.{0,80}\] )?(?P<message>(?:Hit )?MOZ_CRASH\(.*)$", "the program", "MOZ_CRASH",
         _check),
    rule(r"^(?:\[.{0,40}\] )?(?:###!!! ABORT: |Assertion failure: ).{1,600}?(?:,| \() ?(?:at|file) "
         r"(?P<file>[^\s()]{1,300}?):(?P<line>\d{1,7})\b", "the program", "Assertion failure",
         C.ASSERTION_FAILURE),
    rule(r"###!!! (?:ABORT|ASSERTION): |^Assertion failure: ", "the program", "Assertion failure",
         C.ASSERTION_FAILURE),
    rule(r"^#\s*(?:Fatal|"
         r"Runtime) error in (?:(?P<file>.{1,300}?), line "
         r"(?P<line>\d{1,9}))?", "the JavaScript engine",
         "Fatal error", _check, next_line=r"^#\s*(?P<message>[A-Za-z].{1,800})$"),
    rule(r"^#\s*(?P<message>Fatal (?:JavaScript (?:invalid size|out of memory)|"
         r"process out of memory).*)$",
         "the JavaScript engine", "out of memory", C.OUT_OF_MEMORY),
    rule(r"^abort: |\babort: CSA_", "the JavaScript engine", "abort", C.ASSERTION_FAILURE),
    rule(r"^## (?P<message>V8 sandbox violation "
         r"detected!)", "the JavaScript engine", "sandbox violation",
         C.OUT_OF_BOUNDS_WRITE),
    rule(r"^# ?V8 correctness "
         r"failure", "the JavaScript engine", "correctness failure", C.ASSERTION_FAILURE),
    rule(r"^ASSERTION FAILED: |^SHOULD NEVER BE REACHED", "WebKit", "ASSERTION FAILED",
         C.ASSERTION_FAILURE),
    rule(r"(?:^|:)ERROR:(?P<file>[^:]{1,300}):(?P<line>\d{1,7}):(?P<function>\w{1,200}): "
         r"(?P<message>.*)$", "GLib", "assertion failed", C.ASSERTION_FAILURE),
    # Envoy's macros, behind whatever its logger puts in front.
    rule(r"(?P<file>[\w./-]{1,300}):(?P<line>\d{1,7})\] (?P<message>assert failure: .*)$",
         "the program's log", "assert failure", C.ASSERTION_FAILURE),
    rule(r"(?P<file>[\w./-]{1,300}):(?P<line>\d{1,7})\] (?P<message>panic: .*)$",
         "the program's log", "panic", C.PANIC),
    # g_critical() ends a process only where it is told to (glib/gmessages.c).
    rule(r"[\w.-]{0,60}-CRITICAL \*\*: (?:\d\d:\d\d:\d\d\.\d{3}: )?(?P<message>\S.*)$",
         "GLib", "critical", Kind(C.ASSERTION_FAILURE, sure=False), rank=3),
    # malloc/malloc.c until 2.25: malloc_printerr().
    rule(r"^\*{3} glibc detected \*{3} .{1,300}?: (?P<message>[a-z(][^:]{3,100}"
         r"(?:\(\): [^:]{3,100})?)(?:: 0x[0-9a-f]{1,16})? \*{3}$", "glibc", "heap check", _heap,
         rank=0),
    rule(r"(?P<file>[\w./-]{1,300}):(?P<line>\d{1,7}) (?P<message>CHECK\w*\(.*failed.*)$",
         "the program's log", "CHECK failed", C.ASSERTION_FAILURE),
    rule(r"(?P<message>\b(?:Security )?D?CHECK failed: .*)$|(?P<m2>\bCheck failed: .*)$",
         "the program's log", "CHECK failed", _check),
    rule(r"^ASSERT(?: failure in .{1,200})?: .{1,600}? (?:in )?file (?P<file>[^,]{1,300}), line "
         r"(?P<line>\d{1,7})\b", "Qt", "ASSERT", C.ASSERTION_FAILURE),
    rule(r"\bUNREACHABLE executed at (?P<file>.{1,300}?):(?P<line>\d{1,7})!", "LLVM",
         "UNREACHABLE", C.ASSERTION_FAILURE),
    rule(r"\bLLVM ERROR: ", "LLVM", "LLVM ERROR", C.EXPLICIT_ABORT),
    rule(r"^(?:\S{1,200}: )?\S{1,300}: version .\S{1,80} not found \(required by |"
         r"relocation error: .{1,400} version \S{1,80} not defined in file ", "the loader",
         "version", C.VERSION_MISMATCH),
    rule(r"symbol lookup error: .{1,400}undefined symbol: |"
         r"^dyld(?:\[\d+\])?: (?:lazy symbol binding failed: )?[Ss]ymbol not found|"
         r"^CANNOT LINK EXECUTABLE.{1,400}cannot locate symbol ", "the loader", "symbol",
         C.MISSING_METHOD),
    rule(r"error while loading shared libraries: |^CANNOT LINK EXECUTABLE|^dyld(?:\[\d+\])?: "
         r"(?:Library|[Ss]ymbol)|symbol lookup error: ", "the loader", "library",
         C.LIBRARY_LOAD_FAILURE),
    rule(r"^\*{3} stack smashing detected|stack corruption detected|^\*{3} stack smashing", "glibc",
         "stack smashing detected", C.STACK_BUFFER_OVERFLOW, rank=0),
    rule(r"^\*{3} buffer overflow detected|^FORTIFY: |: prevented \d+-byte", "glibc",
         "buffer overflow detected", C.BUFFER_OVERFLOW, rank=0),
    rule(r"^\*{3} (?:Error in|glibc detected|%n in|invalid %N|longjmp causes)|^(?:\S{1,200}: )?"
         r"(?:free|malloc|"
         r"realloc|"
         r"calloc|munmap_chunk|mremap_chunk|malloc_consolidate|unlink_chunk)\(\): |"
         r"^double free or corruption|^corrupted (?:size|double)|^invalid fastbin entry",
         "glibc", "heap check", _heap, rank=0),
    rule(r"malloc: \*{3} error for object (?P<address>0x[0-9a-f]{1,16}): |Scudo ERROR: |"
         r"<jemalloc>: |tcmalloc.*Attempt to free invalid pointer (?P<a2>0x[0-9a-f]+)",
         "the allocator", "heap check", _heap, rank=0),
    rule(r"^terminate called after throwing an instance of '(?P<type>.{1,400}?)'", "libstdc++",
         "uncaught exception", _thrown),
    rule(r"^libc\+\+abi(?:\.dylib)?: (?:terminating )?(?:with|due to) uncaught exception",
         "libc++abi", "uncaught exception", _thrown),
    rule(r"^libc\+\+abi(?:\.dylib)?: terminating (?:with|due to) uncaught exception", "libc++abi",
         "uncaught exception", _thrown),
    rule(r"\*{3} Terminating app due to uncaught exception", "Objective-C", "uncaught exception",
         _thrown),
    rule(r"^pure virtual method called|Pure virtual function called", "the C++ runtime",
         "pure virtual method called", C.PURE_VIRTUAL_CALL),
    rule(r"^terminate called|^libc\+\+abi(?:\.dylib)?: terminating", "the C++ runtime", "terminate",
         C.STD_TERMINATE),
    # Swift, stdlib/public/stubs/Assert.cpp: since 5.3 the place stands in front.
    rule(r"\bFatal error: (?:(?P<message>.{1,600}): )?file (?P<file>[^,]{1,300}\.swift), line "
         r"(?P<line>\d{1,7})", "Swift", "Fatal error", C.PANIC),
    rule(r"^(?P<file>\S{1,200}\.swift):(?P<line>\d{1,7}): Fatal error(?:: (?P<message>.*))?$",
         "Swift", "Fatal error", C.PANIC),
    rule(r"^PANIC(?::| at)", "the program", "panic", C.PANIC),
    rule(r"ASSERT(?:ION)? FAILED|^ASSERT: |^Assertion `|"
         r"[Aa]ssertion .{0,300} failed", "the program",
         "assertion failed", C.ASSERTION_FAILURE),
)  # fmt: skip
_NOTES = re.compile(
    r"^\s{1,6}what\(\): |^\S{1,300}\(\d{1,7}\) ?: |^======= Backtrace|^Aborted|^#\s*Debug"
)
HOSTS = frozenset({"check", "v8", "glibc", "swift"})


def read(document: Document) -> Analysis:
    """The messages in their order, each with the stack that follows."""
    found = findings_of(document, _RULES, notes=_NOTES)
    if found:
        return analysis_of(document, found)
    from analyzers.log.signals import read as read_signals

    return read_signals(document)
