"""Any output of lldb, read by the first reader that knows its command."""

import re
from collections.abc import Sequence
from itertools import takewhile

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Analysis, Document, Reader, moderate
from analyzers.gdb.locks import read_owners
from analyzers.generic import GENERIC, read_first
from analyzers.listed import read_source
from analyzers.lldb import stacks
from analyzers.lldb.frames import parse_frame
from analyzers.lldb.text import WHOLE, answers, selected, thread_id
from analyzers.maps import Row, facts_of, said_of
from workbench.claims.values import in_one_line
from workbench.model import facts as f
from workbench.model.gdb_commands import bare_command
from workbench.model.models import Complexity
from workbench.model.text import counted, cut

Rows = list[tuple[int, re.Match[str]]]
_MAX_VALUE = 4096


def _rows(document: Document, pattern: re.Pattern[str]) -> Rows:
    found = ((number, pattern.match(line)) for number, line in document.lines())
    return [(number, row) for number, row in found if row is not None][:MAX_ITEMS]


# --- thread list ----------------------------------------------------------------------------------

_THREAD = re.compile(
    r"^(?P<current>[* ]) thread #(?P<number>\d{1,9}): tid = (?P<tid>0x[0-9a-f]{1,16}|\d{1,20})\b"
)
_NAME = re.compile(r", name = '([^']*)'")


def read_threads(document: Document) -> Analysis:
    """One `Threads`, with thread ids as the system gave them; ``current`` is the selected one."""
    items = [
        f.Thread(
            number=int(row["number"]),
            thread=thread_id(row["tid"]),
            name=name[1] if (name := _NAME.search(row.string)) else None,
            current=row["current"] == "*",
            line=number,
        )
        for number, row in _rows(document, _THREAD)
    ]
    if not items:
        return Analysis("No threads")
    fact = f.Threads(cite=document.span(items), items=tuple(items))
    return Analysis(counted(len(items), "thread"), (fact,))


# --- register read --------------------------------------------------------------------------------

_REGISTER = re.compile(
    r"^ {1,16}(?P<name>[A-Za-z][\w.]{0,15}) = 0x(?P<value>[0-9a-f]{1,32})(?:\s|$)"
)


def read_registers(document: Document) -> Analysis:
    """The `Registers` of the frame that the command selects; none of another thread's. ``thread``
    is 0, the selected thread."""
    thread, frame = selected(document.command)
    rows = [
        f.Register(row["name"], int(row["value"], 16), number)
        for number, row in _rows(document, _REGISTER)
    ]
    if not rows or thread is not None:
        return Analysis("No registers")
    fact = f.Registers(cite=document.span(rows), thread=0, frame=frame or 0, values=tuple(rows))
    return Analysis(f"{counted(len(rows), 'register')} of frame {fact.frame}", (fact,))


# --- frame variable -------------------------------------------------------------------------------

# "(TYPE) NAME = VALUE"; a type may hold brackets of its own, as a function's does.
_VARIABLE = re.compile(
    r"^\((?P<type>.{1,2000}?)\) (?P<name>[A-Za-z_$][\w$.:]{0,200}) = (?P<value>.+)$"
)
_ASKED = re.compile(r"^fr\w* v\w* (?P<expression>[&*]?[A-Za-z_][\w.\[\]>-]{0,200})$")


def read_variables(document: Document) -> Analysis:
    """One `Locals` of the frame, with their types; or the `Printed` expression that was asked
    for."""
    asked = _ASKED.match(bare_command(document.command))
    if asked is not None:
        return _printed(document, asked["expression"])
    found = _rows(document, _VARIABLE)
    lines = [text for _, text in document.lines()]
    whole = [_whole(row["value"], lines[number:]) for number, row in found]
    rows = [
        f.Variable(name=row["name"], value=in_one_line(value)[:_MAX_VALUE], line=number)
        for (number, row), value in zip(found, whole, strict=True)
    ]
    if not rows:
        return Analysis("No variables")
    cite = replace(document.span(rows), last=rows[-1].line + len(whole[-1]) - 1)
    _, frame = selected(document.command)
    fact = f.Locals(cite=cite, function=None, variables=tuple(rows), frame=frame)
    types = [
        f.Typed(
            cite=document.cite(number), frame=frame or 0, expression=row["name"], type=row["type"]
        )
        for number, row in found
    ]
    return Analysis(counted(len(rows), "variable"), (fact, *types))


def _whole(value: str, behind: Sequence[str]) -> list[str]:
    """What stands behind a variable's name, and the lines that it goes on over: they are indented,
    up to the last one's bracket."""
    more = list(takewhile(lambda line: line[:1] == " ", behind)) if value.endswith("{") else []
    closed = value.endswith("{") and behind[len(more) : len(more) + 1] == ["}"]
    return [value, *more, *(["}"] if closed else [])]


def _printed(document: Document, expression: str) -> Analysis:
    """What stands behind the expression's name; of that lldb writes the last step behind an &, and
    colons in front of one of C++ that is in no namespace."""
    _, frame = selected(document.command)
    name = re.escape(expression).replace(r"\.", r"(?:\.|->)")
    name = r"&(?:\w+|\[\d+\])" if expression[0] == "&" else name
    lines = list(document.lines())
    for number, line in lines:
        if (found := re.match(rf"\(.+?\) (?:::)?{name} = (?P<value>.+)", line)) is not None:
            value = found["value"]
            behind = [text for _, text in lines[number:]] if value.endswith("{") else []
            held = in_one_line([value, *behind])[:_MAX_VALUE]
            fact = f.Printed(
                cite=document.cite(number), frame=frame or 0, expression=expression, value=held
            )
            owners = read_owners(document, expression) if behind else ()
            return Analysis(f"{expression} = {cut(held)}", (fact, *owners))
    return Analysis("no value was printed")


# --- target variable --location -------------------------------------------------------------------

_PLACE = re.compile(
    r"^(?P<at>0x[0-9a-f]{1,16}): (?P<depth> *)(?:\([^=]{1,2000}?\) )?"
    r"(?P<name>[A-Za-z_][\w:]{0,200}|\[\d{1,9}\]) ?="
)
_RESERVED = re.compile(r"_[_A-Z]")
"""The library's own part of a member (C11, 7.1.3)."""


def read_places(document: Document) -> Analysis:
    """One `Printed` of the address of each part of an object, ``&stats.lock``, and of none that is
    the library's own."""
    _, frame = selected(document.command)
    facts: list[f.AnyFact] = []
    way: list[tuple[int, str]] = []
    for number, row in _rows(document, _PLACE):
        depth, name = len(row["depth"]), row["name"]
        while way and way[-1][0] >= depth:
            way.pop()
        way.append((depth, name if not way or name[0] == "[" else f".{name}"))
        if any(_RESERVED.match(part.lstrip(".")) for _, part in way):
            continue
        expression = "&" + "".join(part for _, part in way)
        facts.append(f.Printed(cite=document.cite(number), frame=frame or 0,
                               expression=expression, value=row["at"]))  # fmt: skip
    return Analysis(counted(len(facts), "part"), tuple(facts))


# --- source list, and what selecting a frame shows ------------------------------------------------


def _shown(line: str, file: str | None) -> str | None:
    frame = parse_frame(line)
    return file if frame is None else frame.file or file


def read_lines(document: Document) -> Analysis:
    """Lines of source; the file is known where a line above names it."""
    return read_source(document, _shown)


# --- memory region --all, image list --------------------------------------------------------------

_ALL = re.compile(r"\s(?:--all|-a)\b")
_REGION = re.compile(
    r"^\[0x([0-9a-f]{1,16})-0x([0-9a-f]{1,16})\) ([r-][w-][x-])(?: (?!PT_)(\S.*?))??"
    r"(?: PT_[A-Z]+\[\d{1,4}\])?\s*$"
)
_IMAGE = re.compile(
    r"^\[\s{0,4}\d{1,6}\] ([0-9A-F]{8}(?:-[0-9A-F]{4,12}){0,5}) 0x([0-9a-f]{1,16}) (\S.*?)"
    r"(?: \(0x[0-9a-f]{1,16}\))?\s*$"
)


def read_modules(document: Document) -> Analysis:
    """`Module` for each image or file with code, `Memory` where every mapping is listed. lldb lists
    where an image begins, not its size."""
    rows: list[Row] = []
    facts: list[f.AnyFact] = []
    for number, line in document.lines():
        region, image = _REGION.match(line), _IMAGE.match(line)
        if region is not None:
            start, end, path = int(region[1], 16), int(region[2], 16), region[4] or ""
            if region[3] != "---" or path:
                rows.append(Row(number, start, end, region[3], path))
        elif image is not None and len(facts) < MAX_ITEMS:
            base, path = int(image[2], 16), image[3]
            name = path.replace("\\", "/").rpartition("/")[2] or path
            facts.append(
                f.Module(
                    cite=document.cite(number),
                    name=name,
                    path=path,
                    base=base,
                    end=base,
                    build_id=image[1],
                )
            )
    facts += facts_of(document, rows, whole=bool(_ALL.search(document.command[:200])))
    return Analysis(said_of(facts), tuple(facts))


# --- any of them ----------------------------------------------------------------------------------

_READERS = (
    stacks.READER,
    Reader(read_threads, answers(re.compile(
        r"^(?:thread|th\w*|t) li?s?t?(?:\s|$)|^process status|^thread info"))),
    Reader(read_registers, answers(re.compile(r"^(?:re|reg\w*) r\w*(?:\s|$)"))),
    Reader(read_variables, answers(re.compile(r"^(?:fr\w* v\w*|v|var)(?:\s|$)")), moderate),
    Reader(read_places, answers(re.compile(r"^target variable --location ")), moderate),
    Reader(read_lines, answers(re.compile(
        r"^(?:sou?\w* l\w*|l|list|_regexp-list|fr\w* (?:s\w*|i\w*)|f|up|down|(?:th\w*|t) se\w*)"
        r"(?:\s|$)")), moderate),
    Reader(read_modules, answers(re.compile(
        r"^(?:(?:image|im\w*|target mod\w*) li?s?t?|mem\w* reg\w* (?:--all|-a))(?:\s|$)"))),
)  # fmt: skip
_STOPPED = " stop reason = "


def _reader(document: Document) -> Reader:
    return next((reader for reader in _READERS if reader.knows(document)), GENERIC)


def _level(document: Document) -> Complexity:
    reader = _reader(document) if document.command != WHOLE else GENERIC
    return reader.level(document)


def read(document: Document) -> Analysis:
    """By its command; text recorded without commands by all readers, one after another, and
    so is what a command shows that ends at a stop: ``run``, ``continue``, ``target create``."""
    reader = _reader(document)
    if document.command == WHOLE or (reader is GENERIC and _STOPPED in document.text):
        facts = [fact for each in _READERS for fact in each.analyze(document).facts]
        return Analysis(read_first(document).summary, tuple(facts))
    return reader.analyze(document)


READER = Reader(read, lambda document: document.host == "lldb", _level)
