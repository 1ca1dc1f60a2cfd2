"""gdb's ``maint info blocks``: which functions have code at a frame's pc.

A function that was inlined may have none where gcc moved the rest of its caller's line: its range
is empty there. gdb 18 takes an empty range for one of a byte (gdb/dwarf2/read.c), lists the
function as the innermost frame, with those around it that have none there at all, and gives it the
line of the one that has.
"""

import re
from typing import NamedTuple

from analyzers.base import Analysis, Document, Reader, answers, moderate
from analyzers.gdb.frames import parse_frame
from analyzers.names import bare
from workbench.model.facts import Frame, Place

_COMMAND = re.compile(r"^maint(?:enance)? info blocks$")
_PC = re.compile(r"^Blocks at 0x([0-9a-f]{1,16}):$")
_FUNCTION = re.compile(r"^  (?P<inline>inline )?function: (?P<name>\S.{0,4000})$")
_RANGE = re.compile(
    r"^(?:    |\[\(block \*\) 0x[0-9a-f]{1,16}\] )0x([0-9a-f]{1,16})\.\.0x([0-9a-f]{1,16})$"
)
_MOST = 200


class _Function(NamedTuple):
    name: str
    inlined: bool
    line: int
    ranges: list[tuple[int, int]]


def read(document: Document) -> Analysis:
    """The innermost function that has more than one byte of code at the pc, where those in it have
    not: no instruction but one of a single byte would fit into that."""
    shown: Frame | None = None
    pc, around = 0, (0, 0)
    functions: list[_Function] = []
    for number, line in document.lines():
        if shown is None and (frame := parse_frame(line, number)) is not None:
            shown = frame
        elif shown is not None and (match := _PC.match(line)) is not None:
            pc = int(match[1], 16)
        elif (match := _RANGE.match(line)) is not None:
            bounds = int(match[1], 16), int(match[2], 16)
            if line[0] == "[":
                around = bounds
            elif functions:
                functions[-1].ranges.append(bounds)
        elif pc and (match := _FUNCTION.match(line)) is not None and len(functions) < _MOST:
            functions.append(_Function(match["name"], match["inline"] is not None, number, []))
        elif line == "  is contiguous" and functions and not functions[-1].ranges:
            functions[-1].ranges.append(around)
    empty, empty_at = 0, (pc, pc + 1)
    for function in reversed(functions):
        own_code = (first <= pc < end for first, end in function.ranges if (first, end) != empty_at)
        if not (function.inlined and (empty or empty_at in function.ranges)) or any(own_code):
            break
        empty += 1
    if shown is None or shown.line is None or not 0 < empty < len(functions):
        return Analysis(f"{len(functions)} functions are there")
    own = functions[-1 - empty]
    frame = Frame(
        index=shown.index + empty,
        function=bare(own.name),
        file=shown.file,
        line=shown.line,
        address=pc,
        inlined=own.inlined,
        line_no=own.line,
        file_lines=(shown.line_no, shown.line_no),
    )
    fact = Place(cite=document.cite(shown.line_no, own.line), frame=frame)
    return Analysis(f"the code there is that of {frame.function}", (fact,))


READER = Reader(read, answers("gdb", _COMMAND), moderate)
