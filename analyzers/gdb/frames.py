"""One line of a gdb backtrace: text in, a `Frame` out."""

import re
from itertools import islice

from analyzers.base import hexadecimal
from workbench.model.facts import Frame
from workbench.model.gdb_commands import MAX_LINE

_START = re.compile(r"^#(\d{1,9})\s+(?:(?:0x([0-9a-fA-F]{1,32})|<unavailable>)\s+in\s+)?")
_SIGNAL_HANDLER = re.compile(r"^<[^<>]*signal handler[^<>]*>$")
# What gdb prints in place of a function (gdb/stack.c, print_frame_info).
_MARKER = re.compile(r"^<(?:function called from gdb|cross-architecture call|frame type)[^<>]*>$")
# gdb/stack.c, print_frame: NAME, " (", arguments, ")", then " at FILE:LINE" or " from LIBRARY".
_ARGUMENTS = re.compile(r" \((?=\)|\.\.\.\)|[A-Za-z_$][\w$#@.:]*(?:@entry)?=|<[^<>]*>\))")
# What has angle brackets in a name that open and close nothing.
_OPERATORS = re.compile(r"operator(?:<=>|<<=?|>>=?|->\*?|<=?|>=?)|->")
_MOST_TRIED = 8
_AT = re.compile(r"^(?P<file>.+):(?P<line>\d{1,9})$")
_NO_SYMBOL = "??"
_CUT = re.compile(r"^0x[0-9a-fA-F]{0,32}(?: in?)?$")  # the end of a text that was cut there


def parse_frame(text: str, line_no: int = 0) -> Frame | None:
    """The frame that one backtrace line shows, or None when the line is no frame.

    The name keeps its templates and parameter types as gdb prints them. ``args`` is what stands
    between the parentheses of the call. A frame without symbols has function None and trust
    ``unwound``. Linear in the length of the line.
    """
    text = text[:MAX_LINE].rstrip()
    start = _START.match(text)
    if start is None:
        return None
    index = int(start[1])
    address = hexadecimal(start[2]) if start[2] else None
    rest = text[start.end() :]
    if not rest:
        return None
    if _SIGNAL_HANDLER.match(rest):
        return Frame(index=index, address=address, signal_handler=True, line_no=line_no)
    rest, file, line, module = _split_place(rest)
    name, args = _split_arguments(rest)
    if not args and _CUT.match(name):
        return None
    known = name != _NO_SYMBOL and bool(name) and not _MARKER.match(name)
    return Frame(
        index=index,
        function=name if known else None,
        file=file,
        line=line,
        module=module,
        address=address,
        args=args,
        trust="symbols" if known else "unwound",
        line_no=line_no,
    )


def alike(text: str) -> object:
    """What a frame's line shares with those of other threads in the same place of the code: what
    it is without index, address and arguments. None when the line is no frame's."""
    start = _START.match(text) if text[:1] == "#" else None
    if start is None:
        return None
    rest = text[start.end() : MAX_LINE]
    name, _, after = rest.partition(" (")
    if name == _NO_SYMBOL:
        return start[2]
    if "<" in name or "operator" in name:
        name, after = _split_arguments(rest)
    at = after.rfind(") at ")
    if at < 0:
        at = after.rfind(") from ")
    return name, after[at:] if at >= 0 else ""


# KDE's frames: "in  () at /usr/lib/libtill.so", "in f() () at /usr/lib/libtill.so.5"
_NAMELESS = re.compile(r"^\(\) (?:at|from) (?P<module>/\S.*)$")
_LIBRARY = re.compile(r"/\S.*\.so(?:\.\d+)*$")


def _split_place(text: str) -> tuple[str, str | None, int | None, str | None]:
    bare = _NAMELESS.match(text)
    if bare is not None:
        return _NO_SYMBOL, None, None, bare["module"]
    at = text.rfind(") at ")
    if at >= 0:
        place = _AT.match(text[at + 5 :])
        if place:
            return text[: at + 1], place["file"], int(place["line"]), None
        if _LIBRARY.match(text[at + 5 :]):
            return text[: at + 1], None, None, text[at + 5 :]
        if ":" not in text[at + 5 :]:  # a file's name with a newline in it goes on below
            return text[: at + 1], None, None, None
    source = text.rfind(") from ")
    if source >= 0 and text[source + 7 :].strip():
        return text[: source + 1], None, None, text[source + 7 :].strip()
    return text, None, None, None


def _arguments(text: str) -> re.Match[str] | None:
    """Where the arguments begin: behind the name, not behind a type in it, as in Rust's
    ``call_once<Closure, ()> ()``."""
    first: re.Match[str] | None = None
    for match in islice(_ARGUMENTS.finditer(text), _MOST_TRIED):
        first = first or match
        name = _OPERATORS.sub("", text[: match.start()])
        if name.count("<") == name.count(">"):
            return match
    return first


def _split_arguments(text: str) -> tuple[str, str]:
    match = _arguments(text)
    if match is None:
        cut = text.find(" (")
        if cut < 0:
            return text.strip(), ""
        return text[:cut].strip(), text[cut + 2 :].removesuffix(")")
    return text[: match.start()].strip(), text[match.end() :].removesuffix(")")
