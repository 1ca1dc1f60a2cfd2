"""Words and numbers as WinDbg, cdb and kd print them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analyzers.base import Document, hexadecimal
from analyzers.blocks import CUT
from analyzers.names import split_call
from workbench.model.facts import Frame

MAX_LINE = 4096
"""Characters of a line that are read; what is longer is no output that these readers know."""
MAX_LINES = 400_000

HEX = r"(?:0x)?[0-9a-fA-F]{1,8}(?:`[0-9a-fA-F]{8}|[0-9a-fA-F]{0,8})\b"
"""A number as the debuggers print it: hexadecimal, 64-bit ones with a grave accent inside."""

# "0:024> kb", "0:000:x86> r", "1: kd> k", "kd> k", "lkd> k": the debugger's prompt and what was
# typed. The thread of user mode is decimal, whatever the number base is.
PROMPT = re.compile(
    r"^(?:(?P<process>\d{1,4}):(?P<thread>\d{3,6})(?::\w{2,8})?"
    r"|(?:\d{1,3}: )?(?:\d{1,3}:\s*)?l?kd(?::\w{2,8})?)>(?P<command>.*)$"
)


@dataclass(frozen=True)
class Line:
    """A line with its number (from 1) and the debugger's thread number that a prompt set;
    ``typed`` is the command behind a prompt, None on any other line."""

    number: int
    text: str
    thread: int | None = None
    typed: str | None = None

    @property
    def prompt(self) -> bool:
        """True for a line that begins with the debugger's prompt."""
        return self.typed is not None


def lines_of(document: Document) -> Iterator[Line]:
    """The output's lines with trailing blanks cut; a prompt's line is marked as such."""
    thread: int | None = None
    for number, raw in enumerate(document.text.split("\n", MAX_LINES)[:MAX_LINES], 1):
        text = raw[:MAX_LINE].rstrip()
        bare = text.lstrip() if ">" in text[:24] else text
        found = PROMPT.match(bare) if bare[:1].isdigit() or bare[:3] in ("kd>", "lkd") else None
        if found is not None:
            thread = int(found["thread"]) if found["thread"] else None
        yield Line(number, text, thread, found["command"].strip() if found is not None else None)


def plain(lines: Sequence[Line]) -> list[tuple[int, str]]:
    """The lines for `read_blocks`: what is open ends at a prompt."""
    return [(line.number, CUT if line.prompt else line.text) for line in lines]


@dataclass(frozen=True)
class Symbol:
    """``module!function+0x10 [file @ line]``, as far as it was there."""

    module: str | None = None
    function: str | None = None
    offset: int | None = None
    file: str | None = None
    line: int | None = None
    address: int | None = None
    args: str = ""
    inlined: bool = False

    def frame(self, index: int, line_no: int, **more: Any) -> Frame:
        """The frame of a call site; ``more`` says what its own line says otherwise."""
        said = {name: getattr(self, name) for name in _OF_FRAME}
        return Frame(index=index, line_no=line_no, **{**said, **more})


_OF_FRAME = ("module", "function", "offset", "file", "line", "address", "args", "inlined")
_SOURCE = re.compile(r"\s*\[(?P<file>[^\[\]]{1,1024}?) @ (?P<line>\d{1,9})\+?\]?(?=\s|$|\()")
_CUT_SOURCE = re.compile(r"\s+\[[A-Za-z]?:?[\\/][^\[\]]{0,1024}$")
_REMARK = re.compile(r"\s{2,200}//\s.{0,400}$")  # what people write beside a line
_INLINED_IN = re.compile(r"\s{1,4}\[inlined in .{0,4000}\]$")
_NOTES = re.compile(
    r"(?:\s{0,8}\((?:FPO|CONV|TrapFrame|Trap Frame|T|PRIV|No FPO|Non-Fpo)\b[^()]{0,200}\)){1,4}\s*$"
)
_OFFSET = re.compile(r"\+(?:0x)?(?P<offset>[0-9a-fA-F]{1,16})$")
_RAW = re.compile(rf"^(?:0x)?(?P<address>{HEX})$")
_INLINE = "(Inline Function)"
_MODULE = re.compile(r"^[A-Za-z0-9_.$@~+\- ]{1,128}$")


def parse_symbol(text: str) -> Symbol | None:
    """What a call site names; None when the text is no call site.

    ``msvcrt!_free_dbg+0x12 [f:\\dd\\crt.c @ 12]``, ``rtclnt+0x2850``, ``0x1f6a167c`` and the
    parameters of ``kp`` are known. Linear in the length of the text.
    """
    text = _INLINED_IN.sub("", text[:MAX_LINE].strip())
    inlined = text.startswith(_INLINE)
    if inlined:
        text = text[len(_INLINE) :].lstrip(" :-`")
    file: str | None = None
    line: int | None = None
    source = _SOURCE.search(text)
    if source is not None:
        file, line = source["file"].strip(), int(source["line"])
        text = (text[: source.start()] + text[source.end() :]).rstrip()
    else:
        text = _CUT_SOURCE.sub("", text)
    text = _NOTES.sub("", _REMARK.sub("", text)).rstrip()
    if not text:
        return None
    raw = _RAW.match(text)
    if raw is not None and (text.startswith("0x") or len(text) >= 8):
        return Symbol(address=hexadecimal(text), file=file, line=line, inlined=inlined)
    offset: int | None = None
    end = _OFFSET.search(text)
    if end is not None:
        offset, text = int(end["offset"], 16), text[: end.start()]
    module, mark, function = text.partition("!")
    if not mark:
        if offset is None or not _MODULE.match(text):
            return None
        return Symbol(module=text, offset=offset, file=file, line=line, inlined=inlined)
    if not _MODULE.match(module) or not function:
        return None
    if module in ("unknown", "Unknown_Module"):  # !analyze's word for what it could not place
        return Symbol(file=file, line=line, inlined=inlined)
    # Parameters of kp have values, other parentheses belong to the name.
    name, args = split_call(function) if " = " in function else (function, "")
    return Symbol(module, name, offset, file, line, None, args.strip(), inlined)
