"""Folders whose ``manifest.json`` states facts and a cause in words: a list of objects with
``file``, ``kind`` and ``truth`` (``os cpu exception address threads modules crashing_thread_id
cause numbers``; null means unknown)."""

import json
import re
from pathlib import Path
from typing import Any

from workbench.evaluate.schema import Case, Expected, Manifest
from workbench.evaluate.statistics import numbers

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
_MODULE = re.compile(r"\.(?:exe|dll|sys|so)$")
_TOOLS = re.compile(r"^(?:AddressSanitizer|ThreadSanitizer|MemorySanitizer|INT_MIN|WinDbg)$")


_HANGS = ("blocked-on-io", "thread-starvation", "missed-wakeup", "infinite-loop", "high-cpu")


def stated(cause: object) -> str | None:
    """The cause, or None where a manifest has none: null, or the name of somebody's test case."""
    if not isinstance(cause, str) or not cause.strip():
        return None
    text = cause.strip()
    return None if re.fullmatch(r"test_?\w+", text) or text.startswith("(format case)") else text


def expected_of(cause: str) -> dict[str, Any]:
    """The fields of `Expected` that the words state."""
    sorts = sorts_of(cause)
    found: dict[str, Any] = {"words": cause}
    if sorts is not None:
        first, *others = sorted(sorts) or ["unknown", *_HANGS]
        found |= {"category": first, "also": tuple(others)}
    names = _names(cause)
    addresses = sorted(number for number in numbers(cause) if number > 0xFF)
    facts = {"names": names, "numbers": addresses}
    return found | {"facts": {name: value for name, value in facts.items() if value}}


def sorts_of(cause: str) -> set[str] | None:
    """The categories that the words stand for; empty for what is no crash, None for no sort."""
    for pattern, categories in _SORTS:
        if re.search(pattern, cause, re.IGNORECASE):
            return categories
    return None


def _names(cause: str) -> dict[str, list[str]]:
    """By the statement's argument that has to hold them, as far as they are written as what they
    are: a file, or a function that is called."""
    found = {m[1].strip(): "function" for m in _BRACKETED.finditer(cause)}
    found |= {m[1].strip(): "" for m in _QUOTED.finditer(cause)}
    found |= {m[0]: "module" if _MODULE.search(m[0]) else "file" for m in _FILE.finditer(cause)}
    other = {
        m[0]: "function" if cause[m.end() :].startswith("()") else ""
        for m in _NAME.finditer(cause)
        if not any(m[0] in one for one in found)
    }
    named: dict[str, list[str]] = {}
    for name, argument in (found | other).items():
        if not _TOOLS.match(name):
            named.setdefault(argument, []).append(name)
    return named


def suite(folder: Path) -> Manifest | None:
    """None unless the manifest is of this kind."""
    try:
        raw = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return None
    if isinstance(raw, dict):
        if "cases" in raw:
            return None
        raw = next((value for value in raw.values() if isinstance(value, list)), [])
    if not isinstance(raw, list):
        return None
    cases = tuple(_case(row) for row in raw if isinstance(row, dict) and _file(row))
    return Manifest(name=folder.name, cases=cases)


def _file(row: dict[str, Any]) -> str:
    file = row.get("file", row.get("path"))
    return file if isinstance(file, str) else ""


def _case(row: dict[str, Any]) -> Case:
    truth = dict(row.get("truth") or {})
    cause = stated(truth.pop("cause", None))
    known: dict[str, Any] = expected_of(cause) if cause is not None else {}
    facts = {name: value for name, value in truth.items() if value is not None}
    facts["numbers"] = [*(facts.get("numbers") or ()), *known.get("facts", {}).get("numbers", ())]
    known["facts"] = {k: v for k, v in (known.get("facts", {}) | facts).items() if v != []}
    batch = str(row.get("kind") or "other")
    return Case(target=_file(row), batch=batch, expected=Expected(**known))
