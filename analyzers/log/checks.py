"""Checks that failed and what C and C++ runtimes say when they give up.

Each sentence is quoted from where it is written: assert/assert.c and malloc/malloc.c of glibc,
gcc's libssp and libsupc++, libc++abi, base/check.cc of Chromium, glog, Abseil, GLib, Qt,
mfbt/Assertions.h of Mozilla, WTF/Assertions.cpp of WebKit, src/base/logging.cc of V8.
"""

import re
from collections.abc import Mapping

from analyzers.base import Analysis, Document
from analyzers.blocks import first_of
from analyzers.log import kinds as log_kinds
from analyzers.log.format import Format, Row, findings_of
from analyzers.log.kinds import Kind
from analyzers.log.signals import read as read_signals
from analyzers.log.text import analysis_of
from workbench.model.category import Category as C

_OOM = re.compile(r"[Oo]ut[ -]of[ -]memory|\bOOM\b|[Aa]llocation failed|bad_alloc|memory exhausted")


def _check(groups: Mapping[str, str], message: str) -> C:
    return C.OUT_OF_MEMORY if _OOM.search(message) else C.ASSERTION_FAILURE


def _gave_up(groups: Mapping[str, str], message: str) -> C:
    return C.OUT_OF_MEMORY if _OOM.search(message) else C.EXPLICIT_ABORT


def _assert(groups: Mapping[str, str], message: str) -> C:
    return C.HEAP_CORRUPTION if groups.get("file", "").endswith("malloc.c") else C.ASSERTION_FAILURE


def _heap(groups: Mapping[str, str], message: str) -> C | None:
    return log_kinds.of_heap(message)


_ROWS = (
    # coregrind/m_libcassert.c, Valgrind's own: its allocator's fail over what the program wrote.
    Row("check", "Valgrind", "internal error",
        r"^(?P<message>valgrind: m_mallocfree\.c:\d{1,6} \(\w{1,80}\): Assertion .*)$",
        C.HEAP_CORRUPTION, rank=3),
    Row("check", "Valgrind", "internal error",
        r"^(?P<message>valgrind: \S{1,80}:\d{1,6} \(\w{1,80}\): Assertion .*)$", None, rank=3),
    # gdb's own (gdbsupport/errors.cc), which may be quoted below what it looked at.
    Row("check", "gdb", "internal error",
        r"^(?P<message>[^:\s]{1,300}:\d{1,6}: internal-error: .*)$", None, rank=3),
    Row("check", "assert", "Assertion failed",
        r"(?:^|: )(?P<file>[^:\s][^:]{0,300}):(?P<line>\d{1,9}): (?:(?P<function>.{1,600}?): )?"
        r"Assertion [`'\"]", _assert),
    Row("check", "glibc", "assertion",
        r"^Fatal glibc error: (?P<file>\S{1,200}):(?P<line>\d{1,9}) \((?P<function>\w{1,80})\): ",
        _assert),
    Row("check", "assert", "Assertion failed",
        r"^(?:\S{1,200}: )?[Aa]ssertion \"[^\"]{0,400}\" failed: file \"(?P<file>[^\"]{1,300})\", "
        r"line (?P<line>\d{1,9})(?:, function \"?(?P<function>[^\"]{1,300}))?",
        C.ASSERTION_FAILURE),
    Row("check", "assert", "Assertion failed",
        r"^Assertion failed: .{0,600}?, function (?P<function>[^,]{1,300}), file "
        r"(?P<file>[^,]{1,300}), " r"line (?P<line>\d{1,9})\b", C.ASSERTION_FAILURE),
    Row("check", "assert", "Assertion failed",
        r"^Assertion failed: .{0,600}?,? \(?(?:file )?(?P<file>[^\s():,]{1,300})[:,] "
        r"(?:(?P<function>\w{1,200}): |line )(?P<line>\d{1,9})\b", C.ASSERTION_FAILURE),
    Row("check", "assert", "Assertion failed", r"^Assertion failed", C.ASSERTION_FAILURE),
    Row("check", "the program's log", "FATAL",
        r"\bFATAL[: ](?P<file>[\w./\\+-]{1,200})[(:](?P<line>\d{1,7})\)?\] ?(?P<message>.*)$",
        _check),
    Row("check", "the program's log", "FATAL",
        r"^F\d{4,8} \d\d:\d\d:\d\d\S* +\S+ (?P<file>\S{1,300}):(?P<line>\d{1,7})\] "
        r"(?P<message>.*)$", _check),
    Row("check", "the program", "MOZ_CRASH",
        r"^(?:\[.{0,80}\] )?(?P<message>(?:Hit )?MOZ_CRASH\(.*)$", _check),
    Row("check", "the program", "Assertion failure",
        r"^(?:\[.{0,40}\] )?(?:###!!! ABORT: |Assertion failure: ).{1,600}?(?:,| \() ?(?:at|file) "
        r"(?P<file>[^\s()]{1,300}?):(?P<line>\d{1,7})\b", C.ASSERTION_FAILURE),
    Row("check", "the program", "Assertion failure",
        r"###!!! (?:ABORT|ASSERTION): |^Assertion failure: ", C.ASSERTION_FAILURE),
    Row("check", "the JavaScript engine", "Fatal error", r"^#\s*(?:Fatal|"
        r"Runtime) error in (?:(?P<file>.{1,300}?), line " r"(?P<line>\d{1,9}))?", _check,
        (r"+^#\s*(?P<message>[A-Za-z].{1,800})$",)),
    Row("check", "the JavaScript engine", "out of memory",
        r"^#\s*(?P<message>Fatal (?:JavaScript (?:invalid size|out of memory)|"
        r"process out of memory).*)$", C.OUT_OF_MEMORY),
    # node/src/node_errors.cc (OnFatalError), of what an addon asked v8 or Node-API in a wrong way.
    Row("check", "the JavaScript engine", "fatal error",
        r"^FATAL ERROR: (?P<message>(?:v8::|HandleScope::|node::|Error::New|napi_).*)$",
        C.ASSERTION_FAILURE),
    Row("check", "the JavaScript engine", "abort", r"\babort: CSA_", C.ASSERTION_FAILURE),
    Row("check", "the JavaScript engine", "sandbox violation",
        r"^## (?P<message>V8 sandbox violation " r"detected!)", C.OUT_OF_BOUNDS_WRITE),
    Row("check", "the JavaScript engine", "correctness failure", r"^# ?V8 correctness " r"failure",
        C.ASSERTION_FAILURE),
    # mongod, src/mongo/util/assert_util.cpp
    Row("check", "the program's log", "invariant", r"^(?P<message>(?:Invariant failure|Fatal "
        r"[aA]ssertion):? .*?)(?: at)? (?P<file>\S+\.(?:cpp|h)) (?P<line>\d+)$",
        C.ASSERTION_FAILURE),
    Row("check", "the program's log", "invariant", r"^Invariant failure:? |^Fatal [aA]ssertion:? ",
        C.ASSERTION_FAILURE),
    Row("check", "WebKit", "ASSERTION FAILED", r"^ASSERTION FAILED: |^SHOULD NEVER BE REACHED",
        C.ASSERTION_FAILURE),
    Row("check", "GLib", "assertion failed",
        r"(?:^|:)ERROR:(?P<file>[^:]{1,300}):(?P<line>\d{1,7}):(?P<function>\w{1,200}): "
        r"(?P<message>.*)$", C.ASSERTION_FAILURE),
    # Envoy's macros, behind whatever its logger puts in front.
    Row("check", "the program's log", "assert failure",
        r"(?P<file>[\w./-]{1,300}):(?P<line>\d{1,7})\] (?P<message>assert failure: .*)$",
        C.ASSERTION_FAILURE),
    Row("check", "the program's log", "panic",
        r"(?P<file>[\w./-]{1,300}):(?P<line>\d{1,7})\] (?P<message>panic: .*)$", C.PANIC),
    # g_critical() ends a process only where it is told to (glib/gmessages.c).
    Row("check", "GLib", "critical",
        r"[\w.-]{0,60}-CRITICAL \*\*: (?:\d\d:\d\d:\d\d\.\d{3}: )?(?P<message>\S.*)$",
        Kind(C.ASSERTION_FAILURE, sure=False), rank=3),
    # malloc/malloc.c until 2.25: malloc_printerr().
    Row("check", "glibc", "heap check",
        r"^\*{3} glibc detected \*{3} .{1,300}?: (?P<message>[a-z(][^:]{3,100}"
        r"(?:\(\): [^:]{3,100})?)(?:: 0x[0-9a-f]{1,16})? \*{3}$", _heap, rank=0),
    Row("check", "the program's log", "CHECK failed",
        r"(?P<file>[\w./-]{1,300}):(?P<line>\d{1,7}) (?P<message>CHECK\w*\(.*failed.*)$",
        C.ASSERTION_FAILURE),
    Row("check", "the program's log", "CHECK failed",
        r"(?P<message>\b(?:Security )?D?CHECK failed: .*)$|(?P<m2>\bCheck failed: .*)$", _check),
    Row("check", "Qt", "ASSERT",
        r"^ASSERT(?: failure in .{1,200})?: .{1,600}? (?:in )?file (?P<file>[^,]{1,300}), line "
        r"(?P<line>\d{1,7})\b", C.ASSERTION_FAILURE),
    Row("check", "LLVM", "UNREACHABLE",
        r"\bUNREACHABLE executed at (?P<file>.{1,300}?):(?P<line>\d{1,7})!", C.ASSERTION_FAILURE),
    Row("check", "LLVM", "LLVM ERROR", r"\bLLVM ERROR: ", _gave_up),
    Row("check", "the loader", "version",
        r"^(?:\S{1,200}: )?\S{1,300}: version .\S{1,80} not found \(required by |"
        r"relocation error: .{1,400} version \S{1,80} not defined in file ", C.VERSION_MISMATCH),
    Row("check", "the loader", "symbol", r"symbol lookup error: .{1,400}undefined symbol: |"
        r"^dyld(?:\[\d+\])?: (?:lazy symbol binding failed: )?[Ss]ymbol not found|"
        r"^CANNOT LINK EXECUTABLE.{1,400}cannot locate symbol ", C.MISSING_METHOD),
    Row("check", "the loader", "library",
        r"error while loading shared libraries: |^CANNOT LINK EXECUTABLE|^dyld(?:\[\d+\])?: "
        r"(?:Library|[Ss]ymbol)|symbol lookup error: ", C.LIBRARY_LOAD_FAILURE),
    Row("check", "glibc", "stack smashing detected",
        r"^\*{3} stack smashing detected|stack corruption detected|^\*{3} stack smashing",
        C.STACK_BUFFER_OVERFLOW, rank=0),
    Row("check", "glibc", "buffer overflow detected",
        r"^\*{3} buffer overflow detected|: prevented \d+-byte", C.BUFFER_OVERFLOW, rank=0),
    Row("check", "Android", "FORTIFY", r"^(?P<message>FORTIFY: .*)$",
        lambda groups, message: first_of(log_kinds.FORTIFIED, message), rank=0),
    Row("check", "glibc", "heap check",
        r"^\*{3} (?:Error in|glibc detected|%n in|invalid %N|longjmp causes)|^(?:\S{1,200}: )?"
        r"(?:free|malloc|" r"realloc|"
        r"calloc|munmap_chunk|mremap_chunk|malloc_consolidate|unlink_chunk)\(\): |"
        r"^double free or corruption|^corrupted (?:size|double)|^invalid fastbin entry", _heap,
        rank=0),
    Row("check", "the allocator", "heap check",
        r"malloc: \*{3} error for object (?P<address>0x[0-9a-f]{1,16}): |Scudo ERROR: |"
        r"<jemalloc>: |tcmalloc.*Attempt to free invalid pointer (?P<a2>0x[0-9a-f]+)", _heap,
        rank=0),
    Row("check", "libstdc++", "uncaught exception",
        r"^terminate called after throwing an instance of '(?P<type>.{1,400}?)'",
        C.UNCAUGHT_EXCEPTION),
    Row("check", "libc++abi", "uncaught exception",
        r"^libc\+\+abi(?:\.dylib)?: (?:(?:terminating )?(?:with|due to) uncaught exception|"
        r"terminate called throwing an exception)",
        C.UNCAUGHT_EXCEPTION),
    Row("check", "Objective-C", "uncaught exception",
        r"(?P<message>\bTerminating app due to uncaught exception .*)$", C.UNCAUGHT_EXCEPTION),
    Row("check", "the C++ runtime", "pure virtual method called",
        r"^pure virtual method called|Pure virtual function called", C.PURE_VIRTUAL_CALL),
    Row("check", "the C++ runtime", "terminate",
        r"^terminate called|^libc\+\+abi(?:\.dylib)?: terminating", C.STD_TERMINATE),
    # Swift, stdlib/public/stubs/Assert.cpp: since 5.3 the place stands in front.
    Row("check", "Swift", "Fatal error",
        r"\bFatal error: (?:(?P<message>.{1,600}): )?file (?P<file>[^,]{1,300}\.swift), line "
        r"(?P<line>\d{1,7})", C.PANIC),
    Row("check", "Swift", "Fatal error",
        r"^(?P<file>\S{1,200}\.swift):(?P<line>\d{1,7}): Fatal error(?:: (?P<message>.*))?$",
        C.PANIC),
    # swift-backtrace (stdlib/public/libexec/swift-backtrace/main.swift)
    Row("check", "Swift", "runtime failure", r"^\*{3} Swift runtime failure: (?P<message>.*?) "
        r"\*{3}$", C.PANIC),
    Row("check", "Swift", "crash", r"^\*{3} Program crashed: (?P<message>(?P<signal>[A-Z][a-z]+"
        r"(?: [a-z]+){0,2})(?: at (?P<address>0x[0-9a-f]{1,16}))?) \*{3}$"),
    # lauxlib.c, panic(): an error that no protected call was there to catch.
    *(Row("check", "Lua", "unprotected error",
          rf"(?P<message>(?:PANIC: )?unprotected error in call to Lua API \({words}.*)$", category)
      for words, category in (("not enough memory", C.OUT_OF_MEMORY), ("", C.PANIC))),
    Row("check", "the program", "panic", r"^PANIC(?::| at)", C.PANIC),
    Row("check", "the program", "assertion failed", r"ASSERT(?:ION)? FAILED|^ASSERT: |^Assertion `|"
        r"[Aa]ssertion .{0,300} failed", C.ASSERTION_FAILURE),
)  # fmt: skip
_NOTES = re.compile(
    r"^\s{1,6}what\(\): |^\S{1,300}\(\d{1,7}\) ?: |^======= Backtrace|^Aborted|^#\s*Debug"
)
_FORMAT = Format(_ROWS, notes=_NOTES)


def read(document: Document) -> Analysis:
    """The messages in their order, each with the stack that follows."""
    found = findings_of(document, _FORMAT)
    return analysis_of(document, found) if found else read_signals(document)
