"""What the facts say, as rows of the kinds: each value with the line that says it."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from workbench.claims.kinds import Kind, Source
from workbench.model.citation import Citation
from workbench.model.claims import Value
from workbench.model.facts import Fact, FactBook, Frame


class Row(NamedTuple):
    """One row of a kind. A column whose value is not told is absent. ``line`` is the narrowest
    citation that is known, ``span`` the lines of the whole fact."""

    values: dict[str, Value]
    line: Citation
    span: Citation


def rows(kind: Kind, facts: FactBook, near: Iterable[Citation] = ()) -> Iterator[Row]:
    """The rows of a kind; with ``near`` only those whose fact speaks in one of these lines."""
    wanted = tuple(near)
    for source in kind.sources:
        found: list[Fact] = facts.all(source.fact)
        for fact in found:
            if wanted and not any(overlaps(fact.cite, citation) for citation in wanted):
                continue
            if source.where is None or source.where(fact):
                yield from _of_fact(kind, source, fact)


def overlaps(one: Citation, other: Citation) -> bool:
    """True when two citations share a line, or one of them is a whole item that holds the other."""
    if one.evidence != other.evidence:
        return False
    if not one.first or not other.first:
        return True
    return one.first <= (other.last or other.first) and other.first <= (one.last or one.first)


def _of_fact(kind: Kind, source: Source, fact: Fact) -> Iterator[Row]:
    named = source.named
    constant = {name: word[1:] for name, word in named.items() if word.startswith(":")}
    for item, parent in _items(fact, source.items):
        values: dict[str, Value] = {}
        for column in kind.columns.values():
            value = _value(item, parent, named.get(column.name, column.field))
            if value is not None:
                values[column.name] = value
        if values:
            values |= constant
            number = getattr(item, "line_no", 0) or (
                getattr(item, "line", 0) if item is not fact or kind.name == "finding" else 0
            )
            if isinstance(item, Frame):
                number = item.line_no
            line = Citation(fact.cite.evidence, number, number) if number else fact.cite
            yield Row(values, line, fact.cite)


def _items(fact: Fact, path: str) -> Iterator[tuple[Any, Any]]:
    """The items that a path of fields leads to, each with what holds it."""
    found: list[tuple[Any, Any]] = [(fact, fact)]
    for name in path.split(".") if path else ():
        found = [(child, item) for item, _ in found for child in _each(getattr(item, name, None))]
    yield from found


def _each(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _value(item: Any, parent: Any, field: str) -> Value | None:
    holder, name = (parent, field[1:]) if field.startswith("^") else (item, field)
    value = getattr(holder, name, None)
    if isinstance(value, bool) or value is None or value == "":
        return None
    if isinstance(value, tuple):
        return ", ".join(str(each) for each in value) or None
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, int | str) else None
