"""Hypotheses, the tests that separate them, verdicts, and claims with their citations."""

from enum import StrEnum

from msgspec import Struct

from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Prediction
from workbench.model.evidence import Command
from workbench.model.facts import Frame


class Status(StrEnum):
    """Where a hypothesis stands; the values are the contract's."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    TESTING = "testing"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    INCONCLUSIVE = "inconclusive"


DECIDED = frozenset({Status.CONFIRMED, Status.REJECTED, Status.INCONCLUSIVE})


class Rung(StrEnum):
    """The evidence ladder, strongest first (DESIGN: evidence ladder)."""

    MACHINE = "machine"  # faulting instruction and operands, registers, siginfo
    STRUCTURE = "structure"  # lock owners, heap metadata read from the dump
    STACK = "stack"  # stacks with symbols
    TEXT = "text"  # patterns in text


# The contract's "high confidence": over this it needs so many cited items and an upper rung.
HIGH_CONFIDENCE = 0.8
ITEMS_FOR_HIGH = 3
UPPER_RUNGS = frozenset({Rung.MACHINE, Rung.STRUCTURE})


class Proposal(Struct, frozen=True, kw_only=True):
    """What a pattern (or a person, or a model) proposes from the facts at hand."""

    category: Category
    statement: str
    confidence: float
    tests: tuple[Command, ...]
    citations: tuple[Citation, ...] = ()
    predictions: tuple[Prediction, ...] = ()


class Verdict(Struct, frozen=True, kw_only=True):
    """What the facts say of a proposal after its tests.

    ``claims`` are the sentences of the root cause, each cited, the cause first. ``missing`` names
    in plain words what would decide an inconclusive hypothesis. ``frame`` is the application's
    frame at fault. ``by_chain``: a chain of statements confirms it, and no expert.
    """

    status: Status
    confidence: float
    rung: Rung
    reason: str
    supporting: tuple[Citation, ...] = ()
    contradicting: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    recommendations: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    frame: Frame | None = None
    by_chain: bool = False


class TestResult(Struct, frozen=True, kw_only=True):
    """One test of a hypothesis that has run: the command, its evidence, what it showed."""

    __test__ = False

    command: str
    evidence: str
    verdict: str = ""


class Hypothesis(Struct, frozen=True, kw_only=True):
    """One candidate cause. ``verdict`` is None until it has been tested."""

    id: str
    statement: str
    category: Category
    status: Status = Status.PROPOSED
    confidence: float = 0.0
    proposed_by: str = "expert"  # expert | user | model
    function: str | None = None  # the frame that a model blames
    edited: bool = False  # the person changed its words: no verdict stands behind them
    decided_by: str = "engine"  # engine | user
    reason: str = ""
    planned: tuple[Command, ...] = ()
    tests: tuple[TestResult, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    citations: tuple[Citation, ...] = ()
    verdict: Verdict | None = None

    @property
    def rests_on(self) -> Citation | None:
        """The first lines that speak for it, or where it is rejected against it."""
        verdict = self.verdict
        if verdict is None:
            return next(iter(self.citations), None)
        against = verdict.status is Status.REJECTED and verdict.contradicting
        return next(iter(against or verdict.supporting or self.citations), None)

    @property
    def is_confirmed_by_user(self) -> bool:
        """True when it is a person's verdict that it is so."""
        return self.decided_by == "user" and self.status is Status.CONFIRMED

    @property
    def is_proved(self) -> bool:
        """True when a person or an expert's verdict confirmed it, and not a model's own chain."""
        by_expert = self.verdict is not None and not self.verdict.by_chain
        return self.status is Status.CONFIRMED and (by_expert or self.is_confirmed_by_user)

    @property
    def is_settled_by_user(self) -> bool:
        """True when a person has given the verdict."""
        return self.decided_by == "user" and self.status in (Status.CONFIRMED, Status.REJECTED)
