"""The baselines: the bare debugger with the same commands, by what its first lines say, and of a
log what its tool says last (a sanitizer's SUMMARY, the bucket of ``!analyze -v``)."""

import re
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from workbench.debuggers.gdb.find import find_gdb
from workbench.evaluate.making import Made

_SECONDS = 300
# What the line "Program terminated with signal …" says of a cause by itself, as a person who looks
# at nothing else would take it.
_SIGNALS = {
    "SIGFPE": "divide-by-zero", "SIGILL": "illegal-instruction", "SIGTRAP": "trap",
    "SIGBUS": "bus-error", "SIGABRT": "explicit-abort", "SIGSEGV": "wild-pointer",
    "SIGQUIT": "external-signal", "SIGTERM": "external-signal",
}  # fmt: skip
_NEAR_NULL = 0x10000
# The line with which a tool concludes, and in it a frame's function; the first row that is found. A
# bucket is the class, the exception's code and the symbol.
_LAST: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tool, re.compile(line, re.MULTILINE))
    for tool, line in (
        ("summary", r"^SUMMARY: \w+Sanitizer: (?P<said>\d+ byte\(s\) leaked|[^/(:\n]+)"
                    r"(?:.* in (?P<name>[^\s(+\d][^\s(+]*))?"),
        ("!analyze", r"^FAILURE_BUCKET_ID:\s+(?P<said>\w+?_[0-9a-f]{8}(?=_)|\w+)"
                     r"(?:\S*!(?P<name>[^\s+]+))?"),
        ("!analyze", r"^(?:PRIMARY_PROBLEM_CLASS|DEFAULT_BUCKET_ID):\s+(?P<said>\w+)(?P<name>)"),
    )
)  # fmt: skip
# Their words for a cause, the first that is found; codes are those of ntstatus.h.
_WORDS: tuple[tuple[str, str], ...] = (
    ("use-after|freed|dangling", "use-after-free"),
    ("double-free", "double-free"),
    ("bad-free|invalid_free", "invalid-free"),
    ("alloc-dealloc-mismatch", "mismatched-deallocation"),
    ("heap-buffer-overflow", "heap-buffer-overflow"),
    ("stack-buffer|security_check|stack_buffer|c0000409", "stack-buffer-overflow"),
    ("global-buffer|container-overflow|buffer_overrun", "buffer-overflow"),
    ("heap_corruption|actionable_heap|c0000374", "heap-corruption"),
    ("stack-overflow|stack_overflow|c00000fd", "stack-overflow"),
    ("null_class_ptr|null_pointer", "null-pointer-dereference"),
    ("use-of-uninitialized", "uninitialized-value"),
    ("data race", "data-race"),
    ("lock-order|deadlock", "deadlock"),
    ("leaked", "memory-leak"),
    ("out-of-memory|allocation-size|rss-limit|c0000017", "out-of-memory"),
    ("fpe|divide|c0000094", "divide-by-zero"),
    ("integer_overflow|c0000095", "integer-overflow"),
    ("ill$|illegal|c000001d", "illegal-instruction"),
    ("bus$", "bus-error"),
    ("abrt|abort|fail_fast", "explicit-abort"),
    ("hang", "deadlock"),
    ("assert|80000003|breakpoint", "trap"),
    ("segv|pointer|access|c0000005", "wild-pointer"),
)


def batch(made: Made, lines: Iterable[str]) -> bytes:
    """What gdb prints of a core that does nothing else than these lines."""
    command = [str(find_gdb().path), "-nx", "-batch", "-iex", "set auto-load no"]
    command += ["-iex", "set debuginfod enabled off"]
    command += (word for line in lines for word in ("-ex", line))
    command += [str(made.executable), str(made.target)]
    return subprocess.run(
        command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
    ).stdout


def bare(made: Made, commands: Sequence[str]) -> dict[str, Any]:
    """Seconds of one batch of the commands, and what the bare debugger says: a category by its
    signal and the address that failed, and the innermost frame that has a name."""
    began = time.monotonic()
    batch(made, commands)
    taken = time.monotonic() - began
    said = batch(made, ("bt 1", "p/x $_siginfo._sifields._sigfault.si_addr"))
    told = said_by(said.decode("utf-8", "replace"))
    return {"bare_seconds": round(taken, 3), "bare": {"tool": "gdb", **told}}


def concluded(log: Path) -> dict[str, Any]:
    """What the tool that wrote a log concludes itself; nothing where it does not."""
    text = log.read_text(encoding="utf-8", errors="replace")
    for tool, last in _LAST:
        if found := last.search(text):
            said = found["said"].lower()
            category = next((it for words, it in _WORDS if re.search(words, said)), "unknown")
            function = found["name"] or ""
            return {"bare": {"tool": tool, "category": category, "function": function}}
    return {}


def said_by(text: str) -> dict[str, str]:
    """``category`` and ``function`` of what gdb printed when it opened a core."""
    signal = re.search(r"terminated with signal (SIG\w+)", text)
    category = _SIGNALS.get(signal[1], "unknown") if signal else "unknown"
    address = re.search(r"^\$1 = 0x([0-9a-f]+)", text, re.MULTILINE)
    if category == "wild-pointer" and address and int(address[1], 16) < _NEAR_NULL:
        category = "null-pointer-dereference"
    frame = re.search(r"^#0\s+(?:0x[0-9a-f]+ in )?([^\s(]+)", text, re.MULTILINE)
    return {"category": category, "function": frame[1] if frame else ""}
