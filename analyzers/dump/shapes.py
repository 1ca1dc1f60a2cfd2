"""Lines of our own probes as shapes: literal text with holes, whose values are a fact's fields.

A hole is ``{field:kind}``; a kind is one of `_KINDS` or a regular expression. Without a kind it is
text, without a field it is passed over. ``[a|b]`` is one of two, ``[a]`` may be missing.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from analyzers.base import Document

MAX_LINE = 16_384
MAX_LINES = 250_000

_KINDS = {
    "x": r"0x[0-9a-f]{1,16}",  # an address
    "X": r"0x[0-9a-fA-F]{1,16}",  # one as a log prints it
    "-x": r"-?0x[0-9a-f]{1,16}",
    "n": r"[0-9]{1,18}",
    "-n": r"-?[0-9]{1,18}",
    "w": r"\S{1,400}",
    "": r".{1,2000}?",
}
_NUMBERS = {"x": 16, "X": 16, "-x": 16, "n": 10, "-n": 10}
_TOKEN = re.compile(r"\{(\w*)(?::((?:[^{}]|\{[\d,]+\})+))?\}|([\[\]|])|[^{}\[\]|]+")
_GROUPS = {"[": "(?:", "|": "|"}
WRITTEN_DOWN = True
"""What is compiled here stands in tables (`workbench.kept_patterns`)."""

Shapes = Mapping[str, str]
"""Lines by a name for each, in the order in which they are tried."""


class Said(NamedTuple):
    """A line that has one of the shapes: its name, number (from 1), text, and its holes' values;
    what may be missing and is, is None."""

    name: str
    number: int
    line: str
    fields: dict[str, Any]


class _Shape(NamedTuple):
    name: str
    begins: str
    pattern: re.Pattern[str]
    bases: dict[str, int]


@cache
def _shape(name: str, text: str) -> _Shape:
    parts: list[str] = []
    bases: dict[str, int] = {}
    optional: list[bool] = []
    for token in _TOKEN.finditer(text):
        if token[3] == "]":
            parts.append(")?" if optional.pop() else ")")
        elif token[3]:
            if token[3] == "[":
                optional.append(True)
            else:
                optional[-1] = False
            parts.append(_GROUPS[token[3]])
        elif token[0].startswith("{"):
            field, kind = token[1], token[2] or ""
            inside = _KINDS.get(kind, kind)
            if field and kind in _NUMBERS:
                bases[field] = _NUMBERS[kind]
            parts.append(f"(?P<{field}>{inside})" if field else f"(?:{inside})" if kind else ".*")
        else:
            parts.append(re.escape(token[0]))
    begins = re.split(r"[{\[]", text, maxsplit=1)[0]
    return _Shape(name, begins, re.compile("".join(parts)), bases)


def read(document: Document, shapes: Shapes) -> Iterator[Said]:
    """The lines that have one of the shapes, bounded in number and length."""
    known = [_shape(name, text) for name, text in shapes.items()]
    for number, line in document.numbered()[:MAX_LINES]:
        line = line[:MAX_LINE]
        for name, begins, pattern, bases in known:
            match = pattern.fullmatch(line) if line.startswith(begins) else None
            if match is not None:
                fields: dict[str, Any] = match.groupdict()
                for field, base in bases.items():
                    if fields[field] is not None:
                        fields[field] = int(fields[field], base)
                yield Said(name, number, line, fields)
                break


def below(
    said: list[Said], first: Said, parts: frozenset[str], most: int
) -> tuple[dict[str, Any], int]:
    """What the lines below one add to it, each of ``parts`` once and at most ``most`` lines away:
    their fields, and the last one's number."""
    fields: dict[str, Any] = {}
    seen: set[str] = set()
    last = first.number
    for item in said:
        if first.number < item.number:
            if item.name not in parts - seen or item.number > first.number + most:
                break
            seen.add(item.name)
            fields |= item.fields
            last = item.number
    return fields, last
