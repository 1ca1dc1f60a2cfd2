"""What a line says itself, and what it only quotes: a key's value, an argument of a call."""

import re

# A string that ends on its line; an apostrophe opens one only where no word or bracket ends.
_STRING = re.compile(
    r"(?<!\\)\"(?:[^\"\\]|\\.)*+\"|(?:^|(?<=[\s(\[{=,:+]))'(?:[^'\\]|\\.)*+'", re.DOTALL
)
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
