"""What a line says itself, and what it only quotes: a key's value, an argument of a call."""

import re
from collections.abc import Iterable, Sequence

# A string that ends on its line; an apostrophe opens one only where no word or bracket ends.
_STRING = re.compile(
    r"(?<!\\)\"(?:[^\"\\]|\\.)*+\"|(?:^|(?<=[\s(\[{=,:+]))'(?:[^'\\]|\\.)*+'", re.DOTALL
)
# The quotation mark that begins a value, and a line that ends one begun further up.
_OPENS = re.compile(r'(?:^|[\s(\[{=,:+])[bru]{0,2}"(?=[^"]*$)')
_CLOSES = re.compile(r'^[^"]*"[\s)\]},;]*(?:$|[^"]*=[^"]*$)')
_ABOVE, _BELOW = 64, 4096
"""Lines of a value in front of a report in it, and up to the value's end."""
IN_QUOTATION = " in a quotation)"
"""How the name of a report ends that another message quotes."""
LONGEST = 2048
"""Characters from which on a line may be one that was cut, and its string with it."""


def unquoted(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """The first match that begins in no string of the line. A string that the line begins with is
    the line itself: a collector may quote all of them."""
    found = pattern.search(line)
    if found is None or not ('"' in line[: found.start()] or "'" in line[: found.start()]):
        return found
    whole = line + '"' if len(line) >= LONGEST else line
    strings = [s.span() for s in _STRING.finditer(whole) if line[: s.start()].strip("[({ \t")]
    matches = pattern.finditer(line)
    return next((m for m in matches if not any(a < m.start() < b for a, b in strings)), None)


def in_value(lines: Sequence[str], number: int) -> bool:
    """True where the line at a place (from 0) stands in a value that a quotation mark of a line
    above begins and one of a line below ends: another message's text."""
    above = _odd(reversed(lines[max(0, number - _ABOVE) : number]))
    if above is None or _OPENS.search(above) is None:
        return False
    below = _odd(lines[number : number + _BELOW])
    return below is not None and _CLOSES.match(below) is not None


def _odd(lines: Iterable[str]) -> str | None:
    """The first line with a string that does not end, or did not begin, on it."""
    cut = (line[:LONGEST] for line in lines)
    return next((c for c in cut if (c.count('"') - c.count('\\"')) % 2), None)
