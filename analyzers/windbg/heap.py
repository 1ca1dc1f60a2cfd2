"""What the heap's own checks say: verifier stops, page heap, ``!heap -p -a``, heap corruption."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from analyzers.base import Document
from analyzers.blocks import (
    CUT,
    Block,
    Form,
    Lines,
    fields,
    first,
    first_of,
    read_blocks,
    read_rows,
)
from analyzers.windbg.text import HEX, Line, parse_symbol, plain
from workbench.model.facts import Frame, HeapReport

# "VERIFIER STOP 00000008: pid 0xAA0: corrupted suffix pattern" (newer ones write 0000000F, 0x13).
_STOP = re.compile(
    r"^(?:=+\s*)?VERIFIER STOP (?:0x)?(?P<x_stop>[0-9A-Fa-f]{1,16}): "
    r"pid (?:0x)?[0-9A-Fa-f]+:\s*(?P<says>\S.*)$"
)
# The same as ``!analyze -v`` says it, by its name: "APPLICATION_VERIFIER_HEAPS_DOUBLE_FREE (7)".
_NAMED = re.compile(
    r"^\s*APPLICATION_VERIFIER_HEAPS_(?P<says>[A-Z][A-Z_]{3,80}) \((?P<x_stop>[0-9a-f]{1,8})\)$"
)
# What a report says of the heap, line by line; zero is no address.
_VALUES = tuple(
    re.compile(rf"^\W{{0,4}}\s*(?!(?:0x)?[0`]+ ){value} : {what}", re.IGNORECASE)
    for value, what in (
        (f"(?P<x_heap>{HEX})", ".*heap (?:handle|owning)"),
        (f"(?P<x_size>{HEX})", "(?:.*block|) ?size"),
        (f"(?P<x_block>{HEX})", ".*(?:heap block|block address|heap address)"),
        (f"(?P<x_address>{HEX})", r"(?=.*corrupt).*address"),
        (HEX, r"\S"),
    )
)
_STOPS = Form((_STOP,), _VALUES, end=re.compile(rf"^(?![\s#=]|$|\W{{0,4}}{HEX} : )"))
# "address 1b7d5f10 found in", "in free-ed allocation (  DPH_HEAP_BLOCK:  VirtAddr  VirtSize)"; then
# UserAddr UserSize - VirtAddr VirtSize of a block in use, VirtAddr VirtSize of a freed one.
_ASKED = re.compile(rf"^\s*address (?P<x_address>{HEX}) found in")
_DPH = re.compile(r"^\s*in (?P<state>free-ed|busy) allocation \(")
_SIZES = re.compile(
    rf"^\s*{HEX}:?\s+(?P<x_block>{HEX})\s+(?P<x_size>{HEX})(?:\s+(?:-\s+)?{HEX}){{0,2}}\s*$"
)
_TRACE = re.compile(r"^\s+(?P<x_address>[0-9a-fA-F]{8}(?:`?[0-9a-fA-F]{8})?)\s+(?P<symbol>\S.*)$")
_MOST_FRAMES = 64
_PAGES = Form((_ASKED, _DPH), rows=(_SIZES, _TRACE))
_CORRUPTION = tuple(
    re.compile(pattern)
    for pattern in (
        r"^\s*Error type:\s+(?P<type>HEAP_FAILURE_\w+)",
        r"^\s*\*\*\s+(?:Heap|HEAP).*corrupt",
        r"^\s*HEAP\[[^\]]+\]: (?P<said>.+)",
        rf"^\s*Error address:\s+(?:(?P<x_address>{HEX})$|\S)",
        r"^\s*Details:\s+\S",
    )
)
_KINDS = (
    (r"(?i)suffix|after (?:the )?(?:end|block)|past end|beyond", "overrun"),
    (r"(?i)prefix|before (?:the )?(?:start|block)", "underrun"),
    (r"(?i)double free|already free|freed twice", "double-free"),
    (
        # The infix fills a freed block; the verifier looks at it when the block is given back.
        r"(?i)free(?:d|ing) heap memory|after free|freed (?:memory|block)|use of free|free-ed|"
        r"infix",
        "freed",
    ),
    (r"(?i)verifying block|block header|heap block", "corrupted"),
    (r"(?i)access violation|unspecified|exception", "other"),
    (r"(?i)invalid (?:heap|address|pointer)|unknown block|wrong heap|not a heap", "invalid"),
    (r"(?i)corrupt", "corrupted"),
)
# HEAP_FAILURE_TYPE (ntdll's symbols, as !heap prints them).
_FAILURES = {
    "HEAP_FAILURE_BUFFER_OVERRUN": "overrun", "HEAP_FAILURE_BUFFER_UNDERRUN": "underrun",
    "HEAP_FAILURE_BLOCK_NOT_BUSY": "double-free", "HEAP_FAILURE_USAGE_AFTER_FREE": "freed",
    "HEAP_FAILURE_INVALID_ARGUMENT": "invalid",
}  # fmt: skip
_BUCKET = re.compile(
    r"^(?:DEFAULT_BUCKET_ID|FAILURE_BUCKET_ID|PRIMARY_PROBLEM_CLASS|BUGCHECK_STR):\s{1,4}"
    r"(?:APPLICATION_FAULT_)?(?P<value>(?:ACTIONABLE_)?HEAP_CORRUPTION(?:_\S{0,100})?)\s*$"
)


def read_heap(document: Document, lines: Sequence[Line]) -> list[HeapReport]:
    """Every report of a heap check, in order."""
    texts = plain(lines)
    found = [_stopped(document, block) for block in read_blocks(_STOPS, texts)]
    for row in [] if found else read_rows(_NAMED, texts):
        says = row["says"].replace("_", " ").lower()
        cite = document.cite(row["line"])
        found.append(HeapReport(cite=cite, kind=kind_of(says), says=says, stop=row["stop"]))
    asked: Block | None = None
    for block in read_blocks(_PAGES, texts):
        if "state" in block.values:
            found.append(_paged(document, block, asked))
        asked = block if "address" in block.values else None
    found += [_corrupted(document, run) for run in _runs(texts)]
    return sorted(found, key=lambda fact: fact.cite.first) or _sorted(document, lines)


def _stopped(document: Document, block: Block) -> HeapReport:
    """What a verifier stop says."""
    said = block.values
    says = said.pop("says").rstrip(".")
    cite = document.cite(block.first, block.last)
    return HeapReport(cite=cite, kind=kind_of(says), says=says[:200], **said)


def _paged(document: Document, block: Block, asked: Block | None) -> HeapReport:
    """What page heap says of an address: its block, and the stack that it kept."""
    state, last = block.values["state"], block.first
    sizes: dict[str, Any] = {}
    frames: list[Frame] = []
    for row in block.rows:
        line = row["line"]
        if "symbol" not in row:
            sizes = sizes or {"block": row["block"], "size": row["size"]}
        else:
            symbol = parse_symbol(row["symbol"])
            if symbol is None or not (symbol.function or symbol.module):
                continue
            if frames and line != last + 1:
                break
            if len(frames) < _MOST_FRAMES:
                frames.append(
                    symbol.frame(len(frames), line, address=row["address"], args="", inlined=False)
                )
        last = line
    return HeapReport(
        cite=document.cite((asked or block).first, last),
        kind="freed" if state == "free-ed" else "busy",
        says=f"in {state} allocation",
        address=asked.values["address"] if asked is not None else None,
        frames=tuple(frames),
        **(sizes if state == "busy" else {}),
    )


def _runs(texts: Lines) -> Iterator[list[tuple[int, str]]]:
    """The lines of each report of the heap's own, one below the other but for empty ones."""
    run: list[tuple[int, str]] = []
    for number, text in texts:
        if first(_CORRUPTION, text) or (run and _VALUES[-1].match(text)):
            run.append((number, text))
        elif run and (text == CUT or text.strip("= ")):
            yield run
            run = []
    if run:
        yield run


def _corrupted(document: Document, run: list[tuple[int, str]]) -> HeapReport:
    """What ``!heap`` or the heap itself says of a corruption."""
    said: dict[str, Any] = {"kind": "corrupted", "says": "heap corruption"}
    for _, text in run:
        match = first((*_CORRUPTION, *_VALUES), text)
        told = {name: v for name, v in fields(match).items() if v is not None} if match else {}
        if (name := told.pop("type", None)) is not None:
            told |= {"kind": _FAILURES.get(name, "corrupted"), "says": name}
        elif (words := told.pop("said", None)) is not None:
            kind = kind_of(words)
            told |= {"kind": "corrupted" if kind == "other" else kind, "says": words[:200]}
        said |= told
    return HeapReport(cite=document.cite(run[0][0], run[-1][0]), **said)


def _sorted(document: Document, lines: Sequence[Line]) -> list[HeapReport]:
    """The heap's failure by which ``!analyze`` sorts, where its own report was not kept."""
    for line in lines:
        bucket = _BUCKET.match(line.text)
        if bucket is None:
            continue
        # heap_failure_block_not_busy, and newer ones' ACTIONABLE_BlockNotBusy.
        value = bucket["value"].lower().replace("_", "")
        named = (k for f, k in _FAILURES.items() if f[13:].lower().replace("_", "") in value)
        says = line.text.partition(":")[2].strip()[:200]
        cite = document.cite(line.number)
        return [HeapReport(cite=cite, kind=next(named, "corrupted"), says=says)]
    return []


def kind_of(says: str) -> str:
    """The kind of a heap check's sentence."""
    return first_of(_KINDS, says) or "other"
