"""Explains: one hypothesis, in claims that each cite their lines; or what is missing."""

from msgspec.structs import replace

from analyzers.patterns import told_of
from workbench.agents import experts
from workbench.agents.issue import spoken_of
from workbench.agents.observed import led_to
from workbench.agents.weight import allowed_confidence
from workbench.model.category import Category
from workbench.model.critique import Conclusion
from workbench.model.hypothesis import UPPER_RUNGS, Hypothesis, Status
from workbench.model.investigation import Investigation

_WEAK = 0.6
"""A cause of no more is none to answer another question with."""
_LIVED_WITH = frozenset({Category.MEMORY_LEAK})
"""What a process goes on with: it explains nothing but itself."""


def reason(state: Investigation) -> Conclusion:
    """The conclusion that the hypotheses' verdicts carry, read again from today's facts; with the
    origin and the category that a run of the program showed."""
    drafted = _drafted(state)
    return drafted if state.origin is None else led_to(state, drafted, state.origin)


def _drafted(state: Investigation) -> Conclusion:
    """What the verdicts alone carry.

    What a person confirmed comes first. Of several confirmed ones the contract's order of
    categories decides: the one that stands first in its group and is proved. An abort for which no
    reason is known (a watchdog's) stands behind a cycle of locks: the cycle was there before it.
    """
    confirmed = [
        h
        for h in state.hypotheses.values()
        if h.status is Status.CONFIRMED and not (h.verdict is not None and h.verdict.by_chain)
    ]
    by_user = [h for h in confirmed if h.is_confirmed_by_user]
    asked = spoken_of(state.options.issue)
    stuck = any(h.category is Category.DEADLOCK for h in confirmed)
    best = min(
        by_user or confirmed,
        key=lambda h: (h.verdict is None or h.verdict.rung not in UPPER_RUNGS,
                       h.category not in asked,
                       stuck and h.category is Category.EXPLICIT_ABORT,
                       experts.ORDER[h.category], -h.confidence),
        default=None,
    )  # fmt: skip
    if best is None:
        return _open(state)
    if not by_user and _asks_for_another(state, best, asked):
        return _open(state)
    verdict = experts.verdict(best.category, state.facts)
    if verdict.status is not Status.CONFIRMED and best.verdict is not None:
        verdict = best.verdict
    if verdict.status is Status.REJECTED:  # a person's verdict against the expert's: no claim of it
        verdict = replace(verdict, confidence=0.0, claims=(), recommendations=())
    draft = Conclusion(
        hypothesis=best.id, category=best.category, confidence=verdict.confidence,
        claims=verdict.claims, frame=verdict.frame, recommendations=verdict.recommendations,
        missing=verdict.missing)  # fmt: skip
    return replace(draft, confidence=min(draft.confidence, allowed_confidence(state, draft)))


def _asks_for_another(state: Investigation, best: Hypothesis, asked: frozenset[Category]) -> bool:
    """True where the issue is about what stays open, and not about what is found by the way."""
    if not asked or best.category in asked:
        return False
    left = (h for h in state.hypotheses.values() if h.status is Status.INCONCLUSIVE)
    weak = best.confidence <= _WEAK and any(h.category in asked for h in left)
    return weak or best.category in _LIVED_WITH


def _open(state: Investigation) -> Conclusion:
    """No cause was proved: say which stay open and what would decide them."""
    left = [h for h in state.hypotheses.values() if h.status is Status.INCONCLUSIVE]
    asked = spoken_of(state.options.issue)
    left.sort(key=lambda h: (h.category not in asked, -h.confidence))
    missing = [text for h in left if h.verdict for text in h.verdict.missing]
    first = left[0].verdict if left else None
    claims = first.claims if first else told_of(state.facts)
    return Conclusion(
        hypothesis=None, category=Category.UNKNOWN, confidence=0.0,
        claims=tuple(claim for claim in claims if claim.kind != "cause"),
        frame=first.frame if first else None,
        recommendations=first.recommendations if first else (),
        missing=tuple(dict.fromkeys(missing)))  # fmt: skip
