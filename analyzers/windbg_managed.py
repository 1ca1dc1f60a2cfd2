"""CLR exceptions in a native debugger's text: the event's own lines, ``!pe``, ``!analyze``."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg_text import HEX, Line, number
from workbench.model.facts import Frame, InnerException, ManagedException

_TYPE = re.compile(r"^\s*CLR exception type: (?P<type>[\w.+`<>\[\],]{3,300})\s*$")
_QUOTED = re.compile(r'^\s+"(?P<message>.{0,1000})"\s*$')
# "Exception type:   System.AggregateException" (!pe); "EXCEPTION_MESSAGE:  …" (!analyze).
_PE = re.compile(
    r"^(?P<key>Exception object|Exception type|Message|InnerException|HResult):\s+(?P<value>\S.*)$"
)
_INNER = re.compile(r"^(?:Nested |Inner )?(?P<type>[A-Z]\w*(?:\.\w+)+)(?:, Use .*)?$")
_FRAME = re.compile(
    rf"^\s+(?P<sp>{HEX}) (?P<ip>{HEX}) (?P<module>[\w.$-]{{1,120}})!"
    r"(?P<function>\S.{0,400}?)\+(?:0x)?(?P<offset>[0-9a-fA-F]+)"
    r"(?:\s+\[(?P<file>.{1,400}?) @ (?P<line>\d{1,9})\])?$"
)
_SECOND = "second chance"
_MOST = 200


def read_managed(document: Document, lines: Sequence[Line]) -> list[ManagedException]:
    """Managed exceptions, each with its type and, where it stands there, message and stack. One
    that came as a second chance is uncaught."""
    found: list[ManagedException] = []
    second = False
    event = 0
    for at, line in enumerate(lines):
        if " - code e0434352 " in line.text or " - code e0434f4d " in line.text:
            second, event = _SECOND in line.text, line.number
        kind = _TYPE.match(line.text)
        if kind is not None:
            quoted = _QUOTED.match(lines[at + 1].text) if at + 1 < len(lines) else None
            found.append(
                ManagedException(
                    cite=document.cite(event or line.number, line.number + (quoted is not None)),
                    type=kind["type"],
                    message=quoted["message"] if quoted else None,
                    uncaught=True if second else None,
                )
            )
            if len(found) >= _MOST:
                break
    found += _printed(document, lines)
    return found


def _printed(document: Document, lines: Sequence[Line]) -> list[ManagedException]:
    """Blocks of ``!pe``, which begin with the object or the type."""
    found: list[ManagedException] = []
    block: dict[str, tuple[str, int]] = {}
    frames: list[Frame] = []
    last = 0

    def close() -> None:
        if "Exception type" in block and len(found) < _MOST:
            found.append(_exception(document, block, tuple(frames), last))
        block.clear()
        frames.clear()

    for line in lines:
        if line.prompt:
            close()
            continue
        pair = _PE.match(line.text)
        if pair is not None:
            if pair["key"] in block or pair["key"] == "Exception object":
                close()
            block[pair["key"]] = (pair["value"].strip(), line.number)
            last = line.number
            continue
        frame = _FRAME.match(line.text) if block else None
        if frame is not None and len(frames) < _MOST:
            frames.append(
                Frame(
                    index=len(frames),
                    function=frame["function"],
                    module=frame["module"],
                    offset=int(frame["offset"][:16], 16),
                    file=frame["file"],
                    line=int(frame["line"]) if frame["line"] else None,
                    address=number(frame["ip"]),
                    line_no=line.number,
                )
            )
            last = line.number
    close()
    return found


def _exception(
    document: Document, block: dict[str, tuple[str, int]], frames: tuple[Frame, ...], last: int
) -> ManagedException:
    first = min(line for _, line in block.values())
    inner: tuple[InnerException, ...] = ()
    if "InnerException" in block:
        text, line = block["InnerException"]
        kind = _INNER.match(text)
        if kind is not None:
            inner = (InnerException(type=kind["type"], line=line),)
    message = block.get("Message", (None, 0))[0]
    code = re.fullmatch(r"(?:0x)?([0-9a-fA-F]{8})", block.get("HResult", ("", 0))[0])
    where = re.match(HEX, block.get("Exception object", ("", 0))[0])
    return ManagedException(
        cite=document.cite(first, last),
        type=block["Exception type"][0][:300],
        message=None if message in (None, "<none>") else message,
        hresult=int(code[1], 16) if code else None,
        address=number(where[0]) if where else None,
        inner=inner,
        frames=frames,
    )
