"""Rows of listed source with the listing that they stand in, and what repeats some of them."""

import re
from typing import NamedTuple

from workbench.claims.expressions import without_texts
from workbench.claims.render import last_part
from workbench.claims.source import Row, SourceText, normal, precedes
from workbench.claims.source.spots import names, storage
from workbench.claims.source.text import CPP, C

LONGEST = 1000
"""Characters of a line of source that are looked at by expressions that may take long."""
_EACH = re.compile(
    r"\s+(?!(?:if|switch|while|for|return|catch|sizeof|else|do|try)\b)(?P<name>[A-Za-z_]\w*)"
    r"(?:\s*\(.*\)|(?=\s*\{))\s*(?P<body>\{\s*)?(?:/[/*].*)?"
)
"""A macro with a statement behind it, which may be a loop: ``TAILQ_FOREACH(c, &s, l) {``,
``FOREVER {``."""


Cell = tuple[str | None, str]
"""A struct and its member, or a function and its variable."""


class Line(NamedTuple):
    """A row of source with the listing that it stands in."""

    text: SourceText
    row: Row

    def __hash__(self) -> int:
        """Of a few of its numbers: a row has its values by their names."""
        return hash((self.row.kind, self.row.values["at"], self.row.line))

    @property
    def function(self) -> str:
        """The function that it is of; "" where the listing does not tell."""
        return str(self.row.values["function"])

    @property
    def at(self) -> int:
        """Its number in its file."""
        return int(self.row.values["at"])

    @property
    def file(self) -> str:
        """Its file's name; "" where the listing does not tell."""
        return last_part(self.text.file or "")

    def has(self, at: object) -> bool:
        """True for a number of one of its lines."""
        return isinstance(at, int) and self.at <= at <= int(self.row.values.get("to", self.at))

    def names(self, *named: str) -> bool:
        """True where its line has one of some words, or a node of such a sort begins there."""
        found = names(self.text)
        return found is not None and found.on(self.at, *named)

    @property
    def storage(self) -> set[str]:
        """What it declares lives longer than its block by, or may: `static`, `extern`, …"""
        name = self.of("name") or self.of("target")
        return {word for at, by in storage(self.text, name) if at == self.at for word in by} | (
            {"extern"} if names(self.text) is None else set()
        )

    def is_at(self, other: "Line") -> bool:
        """True for the same line, as far as both listings tell their file."""
        return self.at == other.at and (self.file == other.file or "" in (self.file, other.file))

    def is_before(self, at: int) -> bool:
        """True where whatever runs a line of its file has run this one: see `precedes`."""
        return precedes(self.text, self.at, at) is not None

    def is_behind(self, at: int) -> bool:
        """True where it runs behind a line of its file alone: see `precedes`."""
        return precedes(self.text, at, self.at) is not None

    def is_same(self, other: "Line") -> bool:
        """True for the same assignment: a line may have several."""
        return self.is_at(other) and all(
            self.of(name) == other.of(name) for name in ("target", "expression")
        )

    def into(self, target: str) -> "Line":
        """The same line, as one that stores there."""
        return self._replace(row=self.row._replace(values={**self.row.values, "target": target}))

    def of(self, name: str) -> str:
        """One of its expressions, as they are compared."""
        return normal(str(self.row.values.get(name, "")))


class Use(NamedTuple):
    """Where a value is named, the struct that it is of or points to, and the cells that its path
    goes through, each with the rest of the path behind it."""

    line: Line
    struct: str | None
    parts: tuple[tuple[Cell, str], ...]

    def of(self, name: str) -> str:
        """One of its columns."""
        return self.line.of(name)


def jumps(text: SourceText) -> tuple[tuple[int, int], ...]:
    """The lines from a label to each jump back to it, and of what a macro may repeat."""
    found = names(text)
    sorts = found.sorts if found else {}
    labels, jumps = (
        [(found.tree.text(part), found.at(node))
         for node in sorts.get(sort, ()) if found and (part := node.child_by_field_name("label"))]
        for sort in ("labeled_statement", "goto_statement")
    )  # fmt: skip
    back = [(first, at) for name, at in jumps for label, first in labels
            if label == name and first <= at]  # fmt: skip
    classes = {found.tree.text(part) for sort in ("class_specifier", "struct_specifier")
               for node in sorts.get(sort, ()) if found
               for part in [node.child_by_field_name("name")] if part}  # fmt: skip
    for nth, (_, first, head) in enumerate(text.lines if text.language in (C, CPP) else ()):
        each, depth = _EACH.fullmatch(head[:LONGEST]), 0
        if each is None or each["name"] in classes:
            continue  # a constructor
        for _, at, line in text.lines[nth:]:
            bare = without_texts(line[:LONGEST])
            depth += bare.count("{") - bare.count("}")
            if depth <= 0 and (at > first or each["body"]):
                back.append((first, at))
                break
    return tuple(back)


def told(shown: list[Line]) -> list[Line]:
    """The rows less those of a listing that begins within a function and does not tell which one it
    is, where another listing does."""
    whole: dict[int, list[Line]] = {}
    for line in shown:
        if line.function:
            whole.setdefault(line.at, []).append(line)
    return [
        line for line in shown if line.function or not any(map(line.is_at, whole.get(line.at, ())))
    ]
