"""Programs whose fault begins away from the line that fails: the line that a second run must find
carries ``origin FUNCTION`` in a comment, the first line how the program is built."""

import re
from pathlib import Path

from msgspec import Struct

HERE = Path(__file__).parent
_HEAD = re.compile(r"flags: (?P<flags>[^*]*?)(?:  kind: (?P<kind>\w+))?\s*(?:\*/)?$")
_MARK = re.compile(r"/[/*] origin (?P<function>.+?)(?: \*/)?$")


class Planted(Struct, frozen=True):
    """One program: its source, compiler flags, and the function and line of its origin."""

    source: Path
    flags: tuple[str, ...]
    hangs: bool
    function: str
    line: int


def planted(source: Path) -> Planted:
    """What a source says of itself."""
    lines = source.read_text().splitlines()
    head = _HEAD.search(lines[0])
    marks = [
        (number, found) for number, text in enumerate(lines, 1) if (found := _MARK.search(text))
    ]
    assert head is not None, source
    assert len(marks) == 1, source
    number, mark = marks[0]
    flags = tuple(head["flags"].split())
    return Planted(source, flags, head["kind"] == "hang", mark["function"], number)


ORIGINS = [planted(source) for source in sorted(HERE.glob("*.*")) if source.suffix != ".py"
           and source.suffix in (".c", ".cpp", ".rs")]  # fmt: skip
