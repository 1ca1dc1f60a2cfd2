"""Facts: what analyzers read out of evidence, each with the span of lines that says so.

Addresses and register values are unsigned integers of the target's width; sizes are in bytes.
``None`` means unknown, never zero.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from workbench.model.facts.base import *
from workbench.model.facts.dump import *
from workbench.model.facts.fault import *
from workbench.model.facts.finding import *
from workbench.model.facts.heap import *
from workbench.model.facts.managed import *
from workbench.model.facts.runtime import *
from workbench.model.facts.stacks import *
from workbench.model.facts.waiting import *
from workbench.model.facts.windows import *

AnyFact = (
    DumpFact | FaultFact | StackFact | HeapFact | RuntimeFact
    | WaitingFact | ManagedFact | WindowsFact | Finding | Quoted
)  # fmt: skip
"""Every kind of fact; those of a file are named at its end."""

_F = TypeVar("_F", bound=Fact)
_R = TypeVar("_R")


class FactBook:
    """All facts of an investigation, in the order in which they were found."""

    def __init__(self, facts: Iterable[AnyFact] = ()) -> None:
        self._facts: list[AnyFact] = []
        self._kinds: dict[type, list[Any]] = {}
        self._known: dict[Callable[[FactBook], Any], Any] = {}
        self.add(facts)

    def __iter__(self) -> Iterator[AnyFact]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def add(self, facts: Iterable[AnyFact]) -> None:
        """Append newly found facts."""
        self._known = {}  # another: whoever works something out meanwhile keeps it in the old one
        for fact in facts:
            self._facts.append(fact)
            for kind in type(fact).__mro__:
                self._kinds.setdefault(kind, []).append(fact)

    def once(self, work: "Callable[[FactBook], _R]") -> _R:
        """What follows from the facts alone, worked out once until others are found; not to be
        changed by who asks."""
        known = self._known
        if work not in known:
            known[work] = work(self)
        return known[work]  # type: ignore[no-any-return]

    def all(self, kind: type[_F]) -> list[_F]:
        """Every fact of one kind."""
        return list(self._kinds.get(kind, ()))

    def first(self, kind: type[_F]) -> _F | None:
        """The first fact of one kind, or None."""
        found = self._kinds.get(kind)
        return found[0] if found else None

    def last(self, kind: type[_F]) -> _F | None:
        """The latest fact of one kind, or None."""
        found = self._kinds.get(kind)
        return found[-1] if found else None
