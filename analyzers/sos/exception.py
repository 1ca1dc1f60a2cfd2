"""``pe`` (``printexception``): an exception object, the ones inside it, its own stack."""

import re
from dataclasses import dataclass, field

from analyzers.base import MAX_ITEMS, Document, hexadecimal
from analyzers.sos.stacks import frame_of
from analyzers.sos.text import lines_of
from workbench.model.facts import AnyFact, Frame, InnerException, ManagedException

_OBJECT = re.compile(r"^\s*Exception object:\s*(?:0x)?([0-9a-f`]{8,17})\b", re.IGNORECASE)
_TYPE = re.compile(r"^\s*Exception type:\s*(\S.*)$")
_MESSAGE = re.compile(r"^\s*Message:\s*(.*)$")
_INNER = re.compile(
    r"(?i)^\s*InnerException:\s*(?P<type>\S.*?)(?:,\s*Use\s+\S+\s+(?P<address>[0-9a-f`]{8,17})\b.*)?$"
)
_HRESULT = re.compile(r"^\s*HResult:\s*(?:0x)?([0-9a-f]{1,8})\s*$", re.IGNORECASE)
_FRAME = re.compile(r"^\s+[0-9a-f`]{8,17}\s+[0-9a-f`]{8,17}\s+\S", re.IGNORECASE)
_MESSAGE_LINES = 40


@dataclass
class _Open:
    line: int
    address: int | None = None
    type: str | None = None
    message: list[str] = field(default_factory=list)
    in_message: bool = False
    inner_type: str | None = None
    inner_address: int | None = None
    hresult: int | None = None
    frames: list[Frame] = field(default_factory=list)
    last: int = 0


def read(document: Document) -> list[AnyFact]:
    """One `ManagedException` for each object that no other one of the output wraps."""
    if "Exception type:" not in document.text and "Exception object:" not in document.text:
        return []
    blocks: list[_Open] = []
    now: _Open | None = None
    for number, line in lines_of(document):
        begun = _OBJECT.match(line)
        if begun is not None or (now is None and _TYPE.match(line)):
            if len(blocks) >= 1000:
                break
            now = _Open(number, hexadecimal(begun[1]) if begun else None, last=number)
            blocks.append(now)
        if now is not None and not (begun is None and _take(now, line, number)):
            now = now if begun is not None else None
    known = {block.address: block for block in blocks if block.address is not None}
    inside = {block.inner_address for block in blocks}
    return [
        _exception(block, known, document)
        for block in blocks
        if block.type is not None and (block.address is None or block.address not in inside)
    ]


def _take(now: _Open, line: str, number: int) -> bool:
    """Take one line of a block; False when the block has ended."""
    inner = _INNER.match(line)
    if now.in_message and inner is None:
        if len(now.message) < _MESSAGE_LINES:
            now.message.append(line.strip())
            now.last = number
        return True
    now.in_message = False
    said = _TYPE.match(line) or _MESSAGE.match(line) or _HRESULT.match(line)
    if said is not None:
        now.last, text = number, said[1].strip()
        if said.re is _TYPE:
            now.type = now.type or text
        elif said.re is _MESSAGE:
            now.message, now.in_message = [text], True
        else:
            now.hresult = int(text, 16)
        return said.re is not _HRESULT
    if inner is not None:
        if inner["type"] != "<none>":
            now.inner_type = inner["type"].strip()
            now.inner_address = hexadecimal(inner["address"]) if inner["address"] else None
        now.last = number
        return True
    frame = frame_of(line, number, len(now.frames)) if _FRAME.match(line) else None
    if frame is not None and len(now.frames) < MAX_ITEMS:
        now.frames.append(frame)
        now.last = number
    return not line.startswith("Nested exception ---")


def _text(block: _Open) -> str | None:
    text = "\n".join(block.message).strip()
    return text if text and text != "<none>" else None


def _exception(block: _Open, known: dict[int, _Open], document: Document) -> ManagedException:
    inner: list[InnerException] = []
    seen = {block.address}
    first, last, now = block.line, block.last, block
    while now.inner_type is not None and len(inner) < 32:
        wrapped = known.get(now.inner_address) if now.inner_address is not None else None
        inner.append(
            InnerException(
                type=now.inner_type,
                message=_text(wrapped) if wrapped else None,
                hresult=wrapped.hresult if wrapped else None,
                address=now.inner_address,
                line=wrapped.line if wrapped else now.last,
                frames=tuple(wrapped.frames) if wrapped else (),
            )
        )
        if wrapped is None or wrapped.address in seen:
            break
        seen.add(wrapped.address)
        first, last, now = min(first, wrapped.line), max(last, wrapped.last), wrapped
    return ManagedException(
        cite=document.cite(first, max(last, block.line)),
        type=block.type or "",
        message=_text(block),
        hresult=block.hresult,
        address=block.address,
        inner=tuple(inner),
        frames=tuple(block.frames),
    )
