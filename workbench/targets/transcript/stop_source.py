"""The source line where a debugger shows the stop: a pointer that it dereferences (an argument that
is null, the object itself, a variable that somebody printed), or a number that it divides by.
"""

import re
from typing import NamedTuple

# gdb and lldb print the innermost frame with its arguments and, below it, the line of the source
# (gdb/stack.c, print_frame_info; lldb's ``stop-line-count-before``).
_FRAME = re.compile(
    r"^(?:#0 {1,3}|[ \t*]{0,12}frame #0: |(?=0x[0-9a-f]{1,16} in ))[^(\n]{0,1000}"
    r"\((?P<args>[^()\n]{1,2000})\) at [^\n]{1,1000}?:(?P<line>\d{1,7})(?::\d{1,5})?\s*$"
)
_NULL = re.compile(r"(?:^|[\s,])(?P<name>[A-Za-z_]\w{0,80})=(?:(?P=name)@entry=)?0x0{1,16}(?=,|$)")
_INTEGER = re.compile(
    r"(?:^|[\s,])(?P<name>[A-Za-z_]\w{0,80})=(?:(?P=name)@entry=)?(?P<value>-?\d{1,20})(?=,|$)"
)
_DIVISION = re.compile(
    r"[/%]=?\s*(?P<name>[A-Za-z_]\w{0,80}(?:(?:->|\.)[A-Za-z_]\w{0,80}){0,4}\b"
    r"(?:\(\)|(?!\s*(?:->|[\[(.]))))?"
)
_SOURCE = re.compile(r"^(?:-> {0,4}(?P<lldb>\d{1,7})\s|(?P<gdb>\d{1,7})[\t ])(?P<text>.{1,1000})$")
_UNREAD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|//.*|/\*.*?(?:\*/|$)")
_NEAR = 8

_NUMBER = re.compile(r"^(?:\$\d{1,9}| {4,12}(?P<name>[A-Za-z_]\w{0,80})) = (?P<value>-?\d{1,20})$")
"""An integer that was asked for, or a local variable of ``bt full``."""
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
        self.divides: tuple[str, int] | None = None
        """The one divisor of the line, as the source has it, and the log's line."""
        self._integers: dict[str, int] = {}
        self._names: tuple[str, ...] = ()
        self._at = 0
        self._line = 0
        self._source: tuple[str, int] | None = None
        self._cut = ""  # a frame that gdb has broken into several lines
        self._inside = True  # what is listed next are variables of that frame

    def take(self, line: str, number: int) -> None:
        """Take one line; ``number`` is where it stands in the log."""
        if not self._at:
            begins = "#0" in line[:24] or line.startswith("0x")
            if self._cut and line.startswith("    ") and not begins:
                begins, line = True, f"{self._cut} {line.strip()}"
            frame = _FRAME.match(line) if begins else None
            self._cut = line[:2000] if begins and frame is None else ""
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
            if len(divided) == 1 and divided[0]:
                self.divides = divided[0], number
            if len(divided) == 1 and divided[0] in self._integers:
                value = self._integers[divided[0]]
                self.divisor = Dereferenced(divided[0], value, self._at, number)
            if name is not None:
                self.found = Dereferenced(name, 0, self._at, number)
        elif line.startswith("#") and not line.startswith("#0"):
            self._inside = False
        elif self._inside and (local := _NUMBER.match(line)) is not None and local["name"]:
            self._divided_by(local["name"], local["value"], number)

    def _divided_by(self, name: str, value: str, number: int) -> None:
        if self.divides is not None and self.divides[0] == name and self.divisor is None:
            self.divisor = Dereferenced(name, int(value), number, self.divides[1])

    def take_printed(self, command: str, line: str, number: int) -> None:
        """Take a line of what ``print NAME`` answered."""
        asked = _ASKED.match(command)
        whole = _NUMBER.match(line) if asked is not None else None
        if asked is not None and whole is not None:
            self._divided_by(asked["name"], whole["value"], number)
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
