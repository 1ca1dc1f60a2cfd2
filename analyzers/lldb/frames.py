"""One line of an lldb backtrace: text in, a `Frame` out.

The line is made by lldb's setting ``frame-format``; its default and ours are read, in the forms of
lldb 14 to 23 (FormatEntity.cpp; Debugger.cpp, DEFAULT_FRAME_FORMAT).
"""

import re
from itertools import islice

from workbench.model.facts import Frame
from workbench.model.gdb_commands import MAX_LINE

_START = re.compile(
    r"^\s*(?P<current>\* )?\s*frame #(?P<index>\d{1,9}):(?: 0x(?P<pc>[0-9a-f]{1,16})\b)?"
)
_TAGS = re.compile(r"(?: \[(?P<tag>opt|artificial|inlined|synthetic|[A-Z][\w+-]{0,20})\])$")
_MAX_TAGS = 8
_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d{1,9})(?::\d{1,9})?$")
_OFFSET = re.compile(r" \+ \d{1,12}\Z")
# Arguments with their values; "()" only where it ends the name, since "operator()" has another.
# An argument without a name is called (null).
_ARGUMENTS = re.compile(r"\((?=\)$|(?:[A-Za-z_$][\w$#@.]{0,200}|\(null\))=)")
_CALL = re.compile(r"(?:^|::)operator$")
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[()]')
_MOST_MARKS = 200
# lldb's name for code between known symbols (Symbol::GetSynthesizedName).
_SYNTHETIC = re.compile(r"^_{2,3}lldb_unnamed_(?:symbol|function)")
_TRAMPOLINE = frozenset({"__restore_rt", "__restore", "_sigtramp", "__kernel_rt_sigreturn"})
# What the linker's name has more than the source's: the hash of Rust's legacy mangling, and the
# marks of parts that the compiler split off or made its own copies of.
_MANGLED = re.compile(r"::h[0-9a-f]{16}$|(?:\.(?:part|cold|constprop|isra|lto_priv)(?:\.\d+)*)+$")


def parse_frame(text: str, line_no: int = 0) -> Frame | None:
    """The frame that one backtrace line shows, or None when the line is no frame.

    ``module`` is the file's name as lldb prints it. ``args`` is what stands between the parentheses
    of the call. A frame without a symbol of its own has function None and trust ``unwound``.
    Linear in the length of the line.
    """
    text = text[:MAX_LINE].rstrip()
    start = _START.match(text)
    if start is None:
        return None
    rest = text[start.end() :].lstrip()
    tags = set()
    for _ in range(_MAX_TAGS):
        tag = _TAGS.search(rest, max(0, len(rest) - 40))
        if tag is None:
            break
        tags.add(tag["tag"])
        rest = rest[: tag.start()]
    rest, file, line = _split_place(rest)
    module, mark, name = rest.partition("`")
    if not mark and module.startswith(("0x", "??")):
        module = ""
    called, into, inner = name.rpartition(" [inlined] ")
    name = inner if into else called + inner
    # Old versions write an offset between the arguments and the place in the source.
    name, args = _split_arguments(_OFFSET.sub("", name) if file is not None else name)
    # lldb 14 begins the names of C++ functions that are in no namespace with colons.
    name = _without_marks(_OFFSET.sub("", name)).removeprefix("::")
    known = bool(name) and not _SYNTHETIC.match(name)
    return Frame(
        index=int(start["index"]),
        function=name if known else None,
        file=file,
        line=line,
        module=module.strip() or None,
        address=int(start["pc"], 16) if start["pc"] else None,
        args=args,
        trust="symbols" if known else "unwound",
        inlined=bool(into) or "inlined" in tags,
        signal_handler=name in _TRAMPOLINE,
        line_no=line_no,
    )


def alike(text: str) -> object:
    """What a frame's line shares with those of other threads in the same place of the code. None
    when the line is no frame's."""
    start = _START.match(text)
    if start is None:
        return None
    rest = text[start.end() : MAX_LINE]
    name, called, after = rest.partition("(")
    if called and "`" in name and "<" not in name and "operator" not in name:
        return name, after[after.rfind(" at ") :] if " at " in after else ""
    frame = parse_frame(text)
    if frame is None or frame.function is None:
        return start["pc"]
    return frame.function, frame.file, frame.line


def _without_marks(name: str) -> str:
    found = _MANGLED.search(name, max(0, len(name) - 80))
    return name[: found.start()] if found else name


def _split_place(text: str) -> tuple[str, str | None, int | None]:
    at = text.rfind(" at ")
    place = _PLACE.match(text[at + 4 :]) if at >= 0 else None
    if place is None:
        return text, None, None
    return text[:at], place["file"], int(place["line"])


def _split_arguments(text: str) -> tuple[str, str]:
    """A function's name, and its arguments where lldb knows their values."""
    if not text.endswith((")", ") const", ") volatile")) and "operator(" not in text:
        return text, ""
    match = _ARGUMENTS.search(text)
    if match is None or match.start() == 0:
        return text, ""
    end = text.rfind(")", match.end())
    args = text[match.end() : end if end >= 0 else len(text)]
    # Of "operator()(int)" and of a parameter "struct {...} &&" lldb leaves parts behind.
    name = text[: match.start()]
    name += "()" if _CALL.search(name) else ""
    return name, _whole(args) if ")" in args else args


def _whole(args: str) -> str:
    """Arguments up to where their bracket closes, quoted ones aside."""
    depth = 0
    for mark in islice(_MARKS.finditer(args), _MOST_MARKS):
        depth += (mark[0] == "(") - (mark[0] == ")")
        if depth < 0:
            return args[: mark.start()]
    return args
