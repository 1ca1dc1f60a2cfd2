"""What the critic checked, what it found, and the judge's choice."""

from msgspec import Struct

from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame
from workbench.model.origin import Origin

OBJECTION = "info"
"""How heavy an objection of a model is: what is wrong with its own statements weighs more."""


class Check(Struct, frozen=True, kw_only=True):
    """One check of one round. ``kind`` is the contract's: architectural-error | evidence-gap |
    contradiction | alternative | ungrounded | overconfident. ``asks`` are commands that would
    settle a failed check. ``by_model``: it is about a model's words or is a model's objection, and
    is no fault of what the expert says."""

    kind: str
    subject: str
    passed: bool
    detail: str
    severity: str = "info"  # info | warning | error
    evidence: tuple[Citation, ...] = ()
    asks: tuple[Command, ...] = ()
    by_model: bool = False

    @property
    def objects(self) -> bool:
        """True for a model's objection that stands."""
        return self.by_model and not self.passed and self.severity == OBJECTION


class Round(Struct, frozen=True, kw_only=True):
    """One round of the critic; ``resolved`` when no check of it failed or all were answered.
    ``questions`` are a model's, for the judge to leave open."""

    number: int
    checks: tuple[Check, ...]
    resolved: bool
    questions: tuple[str, ...] = ()


class Symptom(Struct, frozen=True, kw_only=True):
    """What failed, by the experts alone; ``claims`` are ids of the conclusion's."""

    category: Category
    frame: Frame | None
    claims: tuple[str, ...]


class Conclusion(Struct, frozen=True, kw_only=True):
    """The reasoner's draft: one hypothesis explained in statements. ``chain`` are ids of claims
    from the fault back to ``origin``; where it reaches one, category and frame are the origin's,
    and ``symptom`` keeps what failed."""

    hypothesis: str | None
    category: Category
    confidence: float
    claims: tuple[Claim, ...]
    symptom: Symptom | None = None
    chain: tuple[str, ...] = ()
    origin: Origin | None = None
    frame: Frame | None = None
    recommendations: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def carrying(self) -> tuple[Claim, ...]:
        """The claims that it rests on: the expert's, where there are any."""
        return tuple(claim for claim in self.claims if claim.by != "model") or self.claims


class Rejected(Struct, frozen=True):
    """Why a hypothesis lost."""

    id: str
    reason: str
    evidence: tuple[Citation, ...] = ()


class Judgement(Struct, frozen=True, kw_only=True):
    """The judge's choice; ``selected`` is None when the case stays inconclusive."""

    selected: str | None
    rationale: str
    rejected: tuple[Rejected, ...] = ()
    questions: tuple[str, ...] = ()
