"""What every crash pattern is."""

from abc import ABC, abstractmethod

from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Verdict


class Pattern(ABC):
    """One cause. All methods are pure; every number they write is cited."""

    category: Category

    @abstractmethod
    def propose(self, facts: FactBook) -> Proposal | None:
        """A hypothesis when the facts leave room for this cause, else None."""

    @abstractmethod
    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Commands that would decide it now and whose numbers an earlier test had to give; empty
        when nothing more would help."""

    @abstractmethod
    def evaluate(self, facts: FactBook) -> Verdict:
        """What the facts say of this cause once its tests have run."""
