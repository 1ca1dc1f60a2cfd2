"""A bad pointer that is dereferenced on the very source line where a debugger shows the stop: an
argument that is null, the object itself, or a variable that somebody printed; or the argument that
the line divides by.

gdb and lldb print the innermost frame with its arguments and, below it, the line of the source
(gdb/stack.c, print_frame_info; lldb's ``stop-line-count-before``).
"""

import re
from typing import NamedTuple

_FRAME = re.compile(
    r"^(?:#0 {1,3}|[ \t*]{0,12}frame #0: |(?=0x[0-9a-f]{1,16} in ))[^(\n]{0,1000}"
    r"\((?P<args>[^()\n]{1,2000})\) at [^\n]{1,1000}?:(?P<line>\d{1,7})(?::\d{1,5})?\s*$"
)
_NULL = re.compile(r"(?:^|[\s,])(?P<name>[A-Za-z_]\w{0,80})=(?:(?P=name)@entry=)?0x0{1,16}(?=,|$)")
_INTEGER = re.compile(
    r"(?:^|[\s,])(?P<name>[A-Za-z_]\w{0,80})=(?:(?P=name)@entry=)?(?P<value>-?\d{1,20})(?=,|$)"
)
_DIVISION = re.compile(r"[/%]=?\s*(?P<name>[A-Za-z_]\w{0,80}\b(?!\s*(?:->|[\[(.])))?")
_SOURCE = re.compile(r"^(?:-> {0,4}(?P<lldb>\d{1,7})\s|(?P<gdb>\d{1,7})[\t ])(?P<text>.{1,1000})$")
_UNREAD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|//.*|/\*.*?(?:\*/|$)")
_NEAR = 8


_PRINTED = re.compile(r"^\$\d{1,9} = \([^()\n]{1,200}\) 0x(?P<value>[0-9a-f]{1,16})(?: |$)")
_ASKED = re.compile(
    r"^p(?:rint)?(?:/x)? {1,4}(?P<name>[A-Za-z_]\w{0,80}(?:(?:->|\.)\w{1,80}){0,4})$"
)
_MEMBER = re.compile(r"\b(?:m_\w+|_\w+|\w+_)\b|\bthis\s*->")


class Dereferenced(NamedTuple):
    """The pointer's name and value, the log's line that prints it, and that of the source."""

    name: str
    value: int
    line: int
    source_line: int


class SourceOfStop:
    """Takes the lines of a log one by one; ``found`` is what the first innermost frame shows."""

    def __init__(self) -> None:
        self.found: Dereferenced | None = None
        self.divisor: Dereferenced | None = None
        self._integers: dict[str, int] = {}
        self._names: tuple[str, ...] = ()
        self._at = 0
        self._line = 0
        self._source: tuple[str, int] | None = None

    def take(self, line: str, number: int) -> None:
        """Take one line; ``number`` is where it stands in the log."""
        if not self._at:
            begins = "#0" in line[:24] or line.startswith("0x")
            frame = _FRAME.match(line) if begins else None
            if frame is not None:
                self._names = tuple(match["name"] for match in _NULL.finditer(frame["args"]))
                self._integers = {
                    m["name"]: int(m["value"]) for m in _INTEGER.finditer(frame["args"])
                }
                self._at, self._line = number, int(frame["line"])
        elif self._source is None and number - self._at <= _NEAR:
            source = _SOURCE.match(line)
            if source is None or int(source["gdb"] or source["lldb"]) != self._line:
                return
            self._source = (source["text"], number)
            name = next((n for n in self._names if dereferences(source["text"], n)), None)
            if name is None and "this" in self._names and reads_a_member(source["text"]):
                name = "this"
            divided = [
                match["name"] for match in _DIVISION.finditer(_UNREAD.sub('""', source["text"]))
            ]
            if len(divided) == 1 and divided[0] in self._integers:
                value = self._integers[divided[0]]
                self.divisor = Dereferenced(divided[0], value, self._at, number)
            if name is not None:
                self.found = Dereferenced(name, 0, self._at, number)

    def take_printed(self, command: str, line: str, number: int) -> None:
        """Take a line of what ``print NAME`` answered."""
        asked = _ASKED.match(command)
        printed = _PRINTED.match(line) if asked is not None else None
        if asked is None or printed is None or self.found is not None or self._source is None:
            return
        if dereferences(self._source[0], asked["name"]):
            value = int(printed["value"], 16)
            self.found = Dereferenced(asked["name"], value, number, self._source[1])


def dereferences(source: str, name: str) -> bool:
    """True where a line of C or C++ reads or writes through a pointer whatever its value is: one
    that the line itself compares, tests or sets may be another by then."""
    text = _UNREAD.sub('""', source)
    body = text.partition("{")[2] if _is_head(text, name) else text
    name = re.escape(name)
    guarded = (
        rf"!\s*{name}\b|\b{name}\s*(?:&&|\|\||\?|==|!=|\))|(?<!\*)\b{name}\s*=(?!=)"
        r"|\b(?:sizeof|typeof|decltype)\b"
    )
    if re.search(guarded, body):
        return False
    member = rf"(?<![\w.>&]){name}\s*(?:->|\[)"
    star = rf"(?:^|[=(,;{{!|+~?:<>-]|\breturn\b)\s*\*\s*{name}\b(?!\s*(?:->|[\[(.,]|\w))"
    return bool(re.search(member, body) or re.search(star, body))


def reads_a_member(source: str) -> bool:
    """True where a line uses a member of its own object, by how members are commonly named, and
    goes through no other pointer."""
    text = _UNREAD.sub('""', source)
    member = _MEMBER.search(text)
    others = text.replace("this->", "").replace("this ->", "")
    return member is not None and not re.search(r"->|\[|\*|\(\s*\w", others)


def _is_head(text: str, name: str) -> bool:
    """True for a line that declares the argument: a function in one line."""
    return re.search(rf"\w\s*\*+\s*{name}\s*[,)]", text.partition("{")[0]) is not None
