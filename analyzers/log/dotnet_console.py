"""What .NET itself prints of an exception that nobody caught.

``Exception.ToString`` (System.Private.CoreLib, Exception.cs): TYPE: MESSAGE, the inner one behind
``--->``, its frames first, then ``--- End of inner exception stack trace ---`` and the outer ones.
"""

import re

from analyzers.base import Document
from analyzers.log.frames import frame_by
from analyzers.log.text import blocks_of
from workbench.model.facts import Frame, InnerException, ManagedException

_TYPE = (
    r"(?P<type>[\w.+`]{3,300})"
    r"(?: \((?P<code>0x[0-9A-Fa-f]{1,8})\))?(?:: (?P<message>.{0,4000}))?$"
)
_HEAD = re.compile(
    r"^\s{0,8}(?:Unhandled [Ee]xception[.:]\s{1,2}|Exception Info: |Fatal error\. )" + _TYPE
)
_INNER = re.compile(r"^\s{0,8}---> (?:\(Inner Exception #\d{1,4}\) )?" + _TYPE)
_FRAME = re.compile(
    r"^\s{1,12}at (?P<function>[^\s(][^()]{0,600}?)\((?P<args>.{0,600})\)"
    r"(?: in (?P<file>.{1,400}?):line (?P<line>\d{1,9}))?\s*$"
)
_END = "--- End of inner exception stack trace ---"
_MOST_INNER, _MOST_FRAMES, _MOST = 32, 1000, 50


def exceptions_of(document: Document) -> list[ManagedException]:
    """One `ManagedException` a report, the wrapped ones inside it, with its own stack."""
    lines = [(number, line[:8192].rstrip()) for number, line in document.numbered()]
    return [_exception(document, block) for block in blocks_of(lines, _HEAD.match, _MOST)]


def _exception(document: Document, block: list[tuple[int, str]]) -> ManagedException:
    heads: list[tuple[int, re.Match[str]]] = []
    stacks: list[list[Frame]] = []
    depth = last = 0
    for number, line in block:
        head, frame = _INNER.match(line) if heads else _HEAD.match(line), _FRAME.match(line)
        if head is not None and len(heads) <= _MOST_INNER:
            depth = len(heads)
            heads.append((number, head))
            stacks.append([])
        elif frame is not None:
            frames = stacks[depth]
            if len(frames) < _MOST_FRAMES:
                frames.append(frame_by(frame, len(frames), number, args=frame["args"]))
        elif _END in line:
            depth = max(0, depth - 1)
        else:
            continue
        last = number
    chain = [_told(*head, tuple(frames)) for head, frames in zip(heads, stacks, strict=True)]
    outer, inner = chain[0], tuple(chain[1:])
    return ManagedException(
        cite=document.cite(outer.line, last),
        type=outer.type,
        message=outer.message,
        hresult=outer.hresult,
        uncaught=True,
        inner=inner,
        frames=next((one.frames for one in chain if one.frames), ()),
    )


def _told(number: int, head: re.Match[str], frames: tuple[Frame, ...]) -> InnerException:
    return InnerException(
        type=head["type"],
        message=head["message"] or None,
        hresult=int(head["code"], 16) if head["code"] else None,
        line=number,
        frames=frames,
    )
