"""What every crash pattern is."""

from typing import Protocol

from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Verdict


class Pattern(Protocol):
    """One cause. Both methods are pure; every number they write is cited."""

    category: Category

    def propose(self, facts: FactBook) -> Proposal | None:
        """A hypothesis when the facts leave room for this cause, else None."""
        ...

    def evaluate(self, facts: FactBook) -> Verdict:
        """What the facts say of this cause once its tests have run."""
        ...
