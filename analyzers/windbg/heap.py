"""What the heap's own checks say: verifier stops, page heap, ``!heap -p -a``, heap corruption."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from analyzers.base import Document
from analyzers.windbg.text import HEX, Line, number, parse_symbol
from workbench.model.facts import Frame, HeapReport

# "VERIFIER STOP 00000008: pid 0xAA0: corrupted suffix pattern" (newer ones write 0000000F, 0x13).
_STOP = re.compile(
    r"^(?:=+\s*)?VERIFIER STOP (?:0x)?(?P<code>[0-9A-Fa-f]{1,16}): "
    r"pid (?:0x)?[0-9A-Fa-f]+:\s*(?P<says>\S.*)$"
)
_VALUE = re.compile(rf"^\W{{0,4}}\s*(?P<value>{HEX}) : (?P<what>\S.*)$")
# "address 1b7d5f10 found in", "in free-ed allocation (  DPH_HEAP_BLOCK:  VirtAddr  VirtSize)".
_ASKED = re.compile(rf"^\s*address (?P<address>{HEX}) found in")
_DPH = re.compile(r"^\s*in (?P<state>free-ed|busy) allocation \(")
_TRACE = re.compile(r"^\s+(?P<address>[0-9a-fA-F]{8}(?:`?[0-9a-fA-F]{8})?)\s+(?P<symbol>\S.*)$")
_CORRUPTION = re.compile(
    r"^\s*(?:Error type:\s+(?P<type>HEAP_FAILURE_\w+)|\*\*\s+(?:Heap|HEAP).*corrupt"
    r"|HEAP\[[^\]]+\]: (?P<said>.+)|Error address:\s+(?P<address>\S+)|Details:\s+(?P<details>\S.*))"
)
_KINDS: tuple[tuple[str, str], ...] = (
    (r"suffix|after (?:the )?(?:end|block)|past end|beyond", "overrun"),
    (r"prefix|before (?:the )?(?:start|block)|infix", "underrun"),
    (r"double free|already free|freed twice", "double-free"),
    (r"free(?:d|ing) heap memory|after free|freed (?:memory|block)|use of free|free-ed", "freed"),
    (r"verifying block|block header|heap block", "corrupted"),
    (r"access violation|unspecified|exception", "other"),
    (r"invalid (?:heap|address|pointer)|unknown block|wrong heap|not a heap", "invalid"),
    (r"corrupt", "corrupted"),
)
# HEAP_FAILURE_TYPE (ntdll's symbols, as !heap prints them).
_FAILURES = {
    "HEAP_FAILURE_BUFFER_OVERRUN": "overrun",
    "HEAP_FAILURE_BUFFER_UNDERRUN": "underrun",
    "HEAP_FAILURE_BLOCK_NOT_BUSY": "double-free",
    "HEAP_FAILURE_USAGE_AFTER_FREE": "freed",
    "HEAP_FAILURE_INVALID_ARGUMENT": "invalid",
}
_BUCKET = re.compile(
    r"^(?:DEFAULT_BUCKET_ID|FAILURE_BUCKET_ID|PRIMARY_PROBLEM_CLASS|BUGCHECK_STR):\s{1,4}"
    r"(?:APPLICATION_FAULT_)?(?P<value>(?:ACTIONABLE_)?HEAP_CORRUPTION(?:_\S{0,100})?)\s*$"
)
_MOST_FRAMES = 64


@dataclass
class _Open:
    first: int
    kind: str
    says: str
    last: int
    stop: int | None = None
    heap: int | None = None
    block: int | None = None
    size: int | None = None
    address: int | None = None
    frames: list[Frame] = field(default_factory=list)
    dph: bool = False


def read_heap(document: Document, lines: Sequence[Line]) -> list[HeapReport]:
    """Every report of a heap check, in order."""
    found: list[HeapReport] = []
    now: _Open | None = None
    asked: tuple[int, int] | None = None

    def close() -> None:
        nonlocal now
        if now is not None:
            found.append(_fact(document, now))
        now = None

    for line in lines:
        text = line.text
        if line.prompt:
            close()
            asked = None
            continue
        stop = _STOP.match(text)
        if stop is not None:
            close()
            says = stop["says"].strip().rstrip(".")
            now = _Open(line.number, kind_of(says), says[:200], line.number)
            now.stop = int(stop["code"], 16)
            continue
        question = _ASKED.match(text)
        if question is not None:
            close()
            asked = (number(question["address"]), line.number)
            continue
        state = _DPH.match(text)
        if state is not None:
            close()
            first = asked[1] if asked else line.number
            kind = "freed" if state["state"] == "free-ed" else "busy"
            now = _Open(first, kind, f"in {state['state']} allocation", line.number, dph=True)
            now.address = asked[0] if asked else None
            continue
        failure = _CORRUPTION.match(text)
        if failure is not None:
            now = _failure(failure, line, now, close)
            continue
        if now is not None and not _read(now, line):
            close()
    close()
    return found or _sorted(document, lines)


def _sorted(document: Document, lines: Sequence[Line]) -> list[HeapReport]:
    """The heap's failure by which ``!analyze`` sorts, where its own report was not kept."""
    for line in lines:
        bucket = _BUCKET.match(line.text)
        if bucket is None:
            continue
        # heap_failure_block_not_busy, and newer ones' ACTIONABLE_BlockNotBusy.
        value = bucket["value"].lower().replace("_", "")
        named = (k for f, k in _FAILURES.items() if f[13:].lower().replace("_", "") in value)
        kind = next(named, "corrupted")
        now = _Open(line.number, kind, line.text.partition(":")[2].strip()[:200], line.number)
        return [_fact(document, now)]
    return []


def kind_of(says: str) -> str:
    """The kind of a heap check's sentence."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, says, re.I)), "other")


def _failure(match: re.Match[str], line: Line, now: _Open | None, close: object) -> _Open:
    """One more line of ``!heap``'s own report of a corruption (Error type, address, details)."""
    fresh = now is None or now.stop is not None or now.dph
    if now is None or fresh:
        if callable(close):
            close()
        now = _Open(line.number, "corrupted", "heap corruption", line.number)
    now.last = line.number
    if match["type"]:
        now.kind = _FAILURES.get(match["type"], "corrupted")
        now.says = match["type"]
    elif match["said"]:
        now.kind, now.says = kind_of(match["said"]), match["said"].strip()[:200]
        if now.kind == "other":
            now.kind = "corrupted"
    elif match["address"] and re.fullmatch(HEX, match["address"]):
        now.address = number(match["address"])
    return now


def _read(now: _Open, line: Line) -> bool:
    """Take a line into the open report; False where it ends."""
    text = line.text
    if not text or set(text) <= {"=", " "}:
        return not (now.frames and not text)
    if now.dph:
        return _read_block(now, line)
    value = _VALUE.match(text)
    if value is None:
        return now.stop is not None and text.startswith((" ", "#", "\t"))
    now.last = line.number
    what = value["what"].lower()
    if "heap handle" in what or "heap owning" in what:
        now.heap = number(value["value"])
    elif "block size" in what:
        now.size = number(value["value"])
    elif "heap block" in what or "block address" in what or "heap address" in what:
        now.block = number(value["value"]) or now.block
    elif "corrupt" in what and "address" in what:
        now.address = number(value["value"]) or None
    return True


def _read_block(now: _Open, line: Line) -> bool:
    trace = _TRACE.match(line.text)
    symbol = parse_symbol(trace["symbol"]) if trace is not None else None
    if trace is not None and symbol is not None and (symbol.function or symbol.module):
        if len(now.frames) < _MOST_FRAMES:
            at = number(trace["address"])
            now.frames.append(
                symbol.frame(len(now.frames), line.number, address=at, args="", inlined=False)
            )
        now.last = line.number
        return True
    row = line.text.replace(" - ", " ")
    if now.block is None and re.fullmatch(rf"\s*{HEX}:?(?:\s+{HEX}){{2,4}}\s*", row):
        values = [number(word.rstrip(":")) for word in row.split()]
        now.last = line.number
        # UserAddr UserSize - VirtAddr VirtSize of a block in use; VirtAddr VirtSize of a freed one.
        if now.kind == "busy":
            now.block, now.size = values[1], values[2]
        return True
    return not now.frames


def _fact(document: Document, now: _Open) -> HeapReport:
    said = {name: getattr(now, name) for name in _SAID}
    return HeapReport(cite=document.cite(now.first, now.last), frames=tuple(now.frames), **said)


_SAID = ("kind", "says", "stop", "heap", "block", "size", "address")
