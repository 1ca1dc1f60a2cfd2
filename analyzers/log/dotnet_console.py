"""What .NET itself prints of an exception that nobody caught.

``Exception.ToString`` (System.Private.CoreLib, Exception.cs): TYPE: MESSAGE, the inner one behind
``--->``, its frames first, then ``--- End of inner exception stack trace ---`` and the outer ones.
"""

import re
from dataclasses import dataclass, field

from analyzers.base import Document
from analyzers.log.frames import frame_by
from workbench.model.facts import Frame, InnerException, ManagedException

_HEAD = re.compile(
    r"^\s{0,8}(?:Unhandled [Ee]xception[.:]\s{1,2}|Exception Info: |Fatal error\. )"
    r"(?P<type>[\w.+`]{3,300})"
    r"(?: \((?P<code>0x[0-9A-Fa-f]{1,8})\))?(?:: (?P<message>.{0,4000}))?$"
)
_INNER = re.compile(
    r"^\s{0,8}---> (?:\(Inner Exception #\d{1,4}\) )?(?P<type>[\w.+`]{3,300})"
    r"(?: \((?P<code>0x[0-9A-Fa-f]{1,8})\))?(?:: (?P<message>.{0,4000}))?$"
)
_FRAME = re.compile(
    r"^\s{1,12}at (?P<function>[^\s(][^()]{0,600}?)\((?P<args>.{0,600})\)"
    r"(?: in (?P<file>.{1,400}?):line (?P<line>\d{1,9}))?\s*$"
)
_END = "--- End of inner exception stack trace ---"
_MOST_INNER, _MOST_FRAMES, _MOST = 32, 1000, 50


@dataclass
class _Open:
    type: str
    message: str | None
    hresult: int | None
    line: int
    frames: list[Frame] = field(default_factory=list)


def exceptions_of(document: Document) -> list[ManagedException]:
    """One `ManagedException` a report, the wrapped ones inside it, with its own stack."""
    found: list[ManagedException] = []
    chain: list[_Open] = []
    depth = first = last = 0

    def close() -> None:
        if chain:
            found.append(_exception(document, chain, first, last))

    for number, line in document.numbered():
        line = line[:8192].rstrip()
        head = _HEAD.match(line)
        if head is not None:
            close()
            if len(found) >= _MOST:
                return found
            chain, depth, first, last = [_opened(head, number)], 0, number, number
            continue
        if not chain:
            continue
        inner, frame = _INNER.match(line), _FRAME.match(line)
        if inner is not None and len(chain) <= _MOST_INNER:
            chain.append(_opened(inner, number))
            depth = len(chain) - 1
        elif frame is not None:
            frames = chain[depth].frames
            if len(frames) < _MOST_FRAMES:
                args = frame["args"]
                frames.append(frame_by(frame, len(frames), number, args=args))
        elif _END in line:
            depth = max(0, depth - 1)
        else:
            continue
        last = number
    close()
    return found


def _opened(match: re.Match[str], number: int) -> _Open:
    code = int(match["code"], 16) if match["code"] else None
    return _Open(match["type"], match["message"] or None, code, number)


def _exception(document: Document, chain: list[_Open], first: int, last: int) -> ManagedException:
    outer = chain[0]
    return ManagedException(
        cite=document.cite(first, last),
        type=outer.type,
        message=outer.message,
        hresult=outer.hresult,
        uncaught=True,
        inner=tuple(
            InnerException(
                type=i.type,
                message=i.message,
                hresult=i.hresult,
                line=i.line,
                frames=tuple(i.frames),
            )
            for i in chain[1:]
        ),
        frames=tuple(outer.frames or next((i.frames for i in chain if i.frames), ())),
    )
