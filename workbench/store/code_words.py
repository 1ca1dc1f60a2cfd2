"""What else a text of code is found by, beside its words as FTS5 takes them.

FTS5 splits at everything but letters, digits and ``_`` (https://sqlite.org/fts5.html, 4.3.1), so
that ``foo::bar`` and ``file.c:12`` are phrases. What it does not know is added behind the text: the
parts of CamelCase and snake_case, and an address in one spelling, however it was printed.
"""

import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Zeros in front, as lldb and SOS print them, and WinDbg's ` in the middle.
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9_])(?:0x0*|0{4,})?([0-9a-fA-F]{1,8}`[0-9a-fA-F]{8}|[0-9a-fA-F]{4,16})"
    r"(?![A-Za-z0-9_])"
)


def more_words(text: str) -> list[str]:
    """Each once, in no order that means anything."""
    found: set[str] = set()
    for name in set(_NAME.findall(text)):
        parts = _PART.findall(name)
        if len(parts) > 1:
            found.update(part for part in parts if len(part) > 1)
    found.update(map(address, set(_ADDRESS.findall(text))))
    return sorted(found)


def address(digits: str) -> str:
    """Hexadecimal digits as ``0x…`` without zeros in front."""
    return "0x" + (digits.replace("`", "").lower().lstrip("0") or "0")


def spellings(word: str) -> list[str]:
    """A word that is looked for, and what it is found by besides."""
    number = _number(word)
    return [word] if number is None else list(dict.fromkeys((word, number)))


def holds(line: str, word: str) -> bool:
    """True for a line in which a word stands, an address in whatever spelling."""
    if word.casefold() in line.casefold():
        return True
    number = _number(word)
    return number is not None and number in map(address, _ADDRESS.findall(line))


def _number(word: str) -> str | None:
    found = _ADDRESS.fullmatch(word)
    return None if found is None or not any(map(str.isdigit, word)) else address(found[1])
