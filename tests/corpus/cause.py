"""A fair comparison of a cause in somebody's words with what a report concludes.

A cause has three kinds of parts: the sort of bug (compared by category, through synonyms), names
(functions, quoted words, error names: compared as they are written, by their last part), and
addresses (compared by value). Each part that the cause has counts alike.
"""

import re

from tests.corpus.numbers import numbers
from tests.corpus.report import Report

_NULL = {"null-pointer-dereference", "null-function-pointer-call"}
_HEAP_WRITE = {"heap-buffer-overflow", "heap-corruption", "buffer-overflow", "out-of-bounds-write"}
_BOUNDS = {"out-of-bounds-read", "out-of-bounds-write", "buffer-overflow"}
_BOUNDS |= {"heap-buffer-overflow", "stack-buffer-overflow"}
_ASSERTED = {"assertion-failure", "trap", "panic", "explicit-abort"}
_POINTER = {"wild-pointer", "corrupted-pointer", "uninitialized-pointer", "use-after-free"}
_EXCEPTION = {"uncaught-exception", "std-terminate"}

# The first that is found decides; the narrower words stand first.
_SORTS: tuple[tuple[str, set[str]], ...] = (
    (r"no crash|dump requested|snapshot", set()),
    (r"not deadlocked", set()),
    (r"use[- ]after[- ]free|heap-use-after-free|freed memory|\buaf\b", {"use-after-free"}),
    (r"double[- ]free|attempting double", {"double-free"}),
    (r"alloc[- ]dealloc[- ]mismatch|mismatched", {"mismatched-deallocation"}),
    (r"(?:invalid|bad)[- ]free|not malloc", {"invalid-free"}),
    (r"stack[- ]overflow|stack exhaustion|infinite recursion", {"stack-overflow"}),
    (r"stack[- ]buffer[- ](?:over|under)|stack smash|/GS|stack cookie",
     {"stack-buffer-overflow", "buffer-overflow"}),
    (r"heap[- ]buffer|heap.*overrun|past the end of", _HEAP_WRITE),
    (r"heap corruption", _HEAP_WRITE | {"double-free", "invalid-free"}),
    (r"global[- ]buffer|container[- ]overflow|out[- ]of[- ](?:bounds|range)|over-?read|"
     r"buffer[- ]overflow|\boverlap", _BOUNDS | {"panic"}),
    (r"divi(?:de|sion)[- ]by[- ]zero|integer divide", {"divide-by-zero", "panic"}),
    (r"integer[- ]overflow|INT_MIN", {"integer-overflow"}),
    (r"\bnull\b|\bnil\b|near-null", _NULL),
    (r"uninitiali[sz]ed", {"uninitialized-value", "uninitialized-pointer"}),
    (r"data race|\brace\b", {"data-race"}),
    (r"deadlock|lock[- ]order|wait for the other|own a monitor", {"deadlock"}),
    (r"time-?out|stuck|hang|hung|starvation",
     {"deadlock", "thread-starvation", "blocked-on-io", "missed-wakeup", "infinite-loop"}),
    (r"\bleak", {"memory-leak"}),
    (r"out[- ]of[- ]memory|\boom\b|allocation (?:failed|size)", {"out-of-memory",
                                                              "unchecked-allocation"}),
    (r"pure virtual", {"pure-virtual-call"}),
    (r"bad[- ]cast|type confusion|\bvptr\b", {"type-confusion", "invalid-vtable"}),
    (r"misaligned|alignment", {"misaligned-access"}),
    (r"sigbus|bus error", {"bus-error", "misaligned-access", "truncated-mapping"}),
    (r"sigtrap|breakpoint|\bint 3\b(?!.*assert)", {"trap", "assertion-failure"}),
    (r"assert|\bcheck\b|fatal error", _ASSERTED),
    (r"panick?", {"panic", "divide-by-zero", "out-of-bounds-read", "assertion-failure"}),
    (r"illegal instruction|sigill", {"illegal-instruction", "trap"}),
    (r"unhandled|uncaught|managed exception", _EXCEPTION),
    (r"poison|wild|corrupted pointer|page.?fault|non-?canonical", _POINTER | _BOUNDS),
    (r"write to read-?only", {"write-to-read-only-memory"}),
    (r"sigabrt|abort", _ASSERTED | _EXCEPTION),
    (r"segv|access violation|segfault", _NULL | _POINTER | _BOUNDS | {"write-to-read-only-memory"}),
)  # fmt: skip
_QUOTED = re.compile(r"""(?<!\w)['"`]([^'"`\n]{3,80})['"`](?!\w)""")
_BRACKETED = re.compile(r"\[@ ?([^\]]{2,120})\]")
_NAME = re.compile(
    r"(?<![\w/\\])(?:[A-Za-z_~]\w*(?:(?:::|!|\.)~?[A-Za-z_]\w*)+"  # scoped
    r"|[A-Za-z]+_[A-Za-z0-9_]+|_[A-Za-z]\w+"  # with an underscore
    r"|[A-Z]?[a-z]+[a-z0-9]*[A-Z][a-z]\w*"  # CamelCase, camelCase
    r"|[A-Za-z_]\w+(?=\(\)))(?!\w)"  # called
)
_FILE = re.compile(
    r"(?<!\w)\w[\w.+-]*\.(?:cpp|cc|c|h|hpp|rs|go|js|java|cs|py|exe|dll|sys|so)(?!\w)"
)
_TOOLS = re.compile(r"^(?:AddressSanitizer|ThreadSanitizer|MemorySanitizer|INT_MIN|WinDbg)$")


def stated(cause: object) -> str | None:
    """The cause, or None where a manifest has none: null, or the name of somebody's test case."""
    if not isinstance(cause, str) or not cause.strip():
        return None
    text = cause.strip()
    if re.fullmatch(r"test_?\w+", text) or text.startswith("(format case)"):
        return None
    return text


def score(cause: str, report: Report) -> tuple[float, list[str]]:
    """How much of a cause the report says, 0 to 1, and what it lacks in words."""
    parts: list[tuple[bool, str]] = []
    sorts = sorts_of(cause)
    if sorts is not None:
        parts.append((_has_sort(sorts, cause, report), f"sort {'/'.join(sorted(sorts)) or 'none'}"))
    said = report.conclusion()
    parts.extend((_says(name, said, report), name) for name in _names(cause))
    known = numbers(said) | numbers(report.everything())
    parts.extend((n in known, hex(n)) for n in sorted(numbers(cause)) if n > 0xFF)
    if not parts:
        words = [w for w in re.findall(r"[A-Za-z]{4,}", cause.lower()) if w not in _COMMON]
        parts = [(word in report.everything().lower(), word) for word in words]
    if not parts:  # nothing but "a crash": a report that has any says it
        return float(bool(report.exception or report.ai.get("rootCause"))), ["a crash"]
    held = sum(1 for holds, _ in parts if holds)
    return held / len(parts), [name for holds, name in parts if not holds]


def outcome(wanted: set[str], report: Report) -> str:
    """``right`` where one of the categories was concluded, ``open`` where none was, ``wrong``."""
    concluded = report.ai.get("category")
    if concluded in (None, "unknown"):
        return "open"
    return "right" if concluded in wanted else "wrong"


_COMMON = {"with", "from", "that", "which", "this", "same", "code", "crash", "test", "case", "into"}


def sorts_of(cause: str) -> set[str] | None:
    for pattern, categories in _SORTS:
        if re.search(pattern, cause, re.IGNORECASE):
            return categories
    return None


def _has_sort(sorts: set[str], cause: str, report: Report) -> bool:
    concluded = report.ai.get("category")
    if not sorts:
        return concluded in (None, "unknown", *_HANGS) and concluded != "deadlock"
    return concluded in sorts  # what is not concluded is open, whatever the first hypothesis says


_HANGS = ("blocked-on-io", "thread-starvation", "missed-wakeup", "infinite-loop", "high-cpu")


def _names(cause: str) -> list[str]:
    found = [m[1].strip() for m in _BRACKETED.finditer(cause)]
    found += [m[1].strip() for m in _QUOTED.finditer(cause)]
    found += [m[0] for m in _FILE.finditer(cause)]
    files = set(found)
    found += [m[0] for m in _NAME.finditer(cause) if not any(m[0] in f for f in files)]
    return [name for name in dict.fromkeys(found) if not _TOOLS.match(name)]


def _says(name: str, said: str, report: Report) -> bool:
    last = re.split(r"::|!", name)[-1].lower()
    if last in said.lower():
        return True
    squeezed = re.sub(r"\s+", " ", report.everything()).lower()
    return last in squeezed
