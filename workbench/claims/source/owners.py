"""Which struct a member of an expression belongs to, as far as listings declare it."""

import re
from collections.abc import Iterable

from workbench.claims.source.text import FILE_SCOPE, Row, is_function, normal

_STEP = re.compile(r"(?:->|\.)([A-Za-z_]\w*)|\[[^\[\]]*\]|\)")
_BASE = re.compile(r"[(*&]*([A-Za-z_]\w*)")
_ADORNED = re.compile(r"\b(?:const|volatile|struct|class|union|mut|ref)\b|[*&\[\]\s]")


class Owners:
    """Of the declarations among these rows."""

    def __init__(self, stated: Iterable[Row]) -> None:
        declared = [row.values for row in stated if row.kind == "declares"]
        self._members = {(str(row["of"]), str(row["name"])): _bare(str(row["type"]))
                         for row in declared if row["of"]}  # fmt: skip
        self._names = [(str(row["function"]), str(row["name"]), _bare(str(row["type"])))
                       for row in declared if not row["of"]]  # fmt: skip
        self._structs = {of for of, _ in self._members}

    def is_local(self, name: str, function: str) -> bool:
        """True for a variable or a parameter of the function."""
        return any(
            own == name and of != FILE_SCOPE and is_function(of, function)
            for of, own, _ in self._names
        )

    def points_to(self, expression: str, function: str) -> str | None:
        """The struct that an expression is of or points to; None where no listing tells."""
        _, held = self._walked(expression, function)
        return held if held in self._structs else None

    def owner(self, expression: str, function: str) -> str | None:
        """The struct whose member an expression is; None where no listing tells."""
        owner, _ = self._walked(expression, function)
        return owner if owner in self._structs else None

    def _walked(self, expression: str, function: str) -> tuple[str | None, str | None]:
        text = normal(expression)
        base = _BASE.match(text)
        if base is None:
            return None, None
        named = [
            (of != FILE_SCOPE, type_)
            for of, name, type_ in self._names
            if name == base[1] and (of == FILE_SCOPE or is_function(of, function))
        ]
        held: str | None = max(named)[1] if named else None
        owner, at = None, base.end()
        while at < len(text):
            step = _STEP.match(text, at)
            if step is None or held is None:
                return None, None
            if step[1]:
                owner, held = held, self._members.get((held, step[1]))
            at = step.end()
        return owner, held


def _bare(type_: str) -> str:
    """A type's name without what is around it: ``page`` of ``const struct page *``."""
    return _ADORNED.sub("", re.sub(r"\b(const|volatile|struct|class|union)\b", " ", type_))
