"""What an origin that a run of the program showed makes of a conclusion."""

from msgspec.structs import replace

from workbench.agents.weight import allowed_confidence
from workbench.claims.render import fill, step_place
from workbench.model.category import Category
from workbench.model.critique import Conclusion, Symptom
from workbench.model.hypothesis import HIGH_CONFIDENCE, Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_SAYS_MORE = {
    (OriginKind.FREED, Category.WILD_POINTER): Category.USE_AFTER_FREE,
    (OriginKind.FREED, Category.CORRUPTED_POINTER): Category.USE_AFTER_FREE,
    (OriginKind.FREED, Category.INVALID_VTABLE): Category.USE_AFTER_FREE,
    (OriginKind.NEVER_SET, Category.WILD_POINTER): Category.UNINITIALIZED_POINTER,
    (OriginKind.NEVER_SET, Category.CORRUPTED_POINTER): Category.UNINITIALIZED_POINTER,
}
"""By what was observed and what the fault alone showed: the category that says what happened."""
_DECIDES = {
    OriginKind.FREED: Category.USE_AFTER_FREE,
    OriginKind.NEVER_SET: Category.UNINITIALIZED_POINTER,
    OriginKind.WRITTEN: Category.CORRUPTED_POINTER,
}
"""Of the causes that one dump left open, the one that such an origin shows."""
_ADVICE = {
    OriginKind.FREED: "Let nothing use the memory once {place} has freed it: clear what still "
    "points to it, or free it later.",
    OriginKind.NEVER_SET: "Set what {place} makes before it is used.",
}
"""What to do where the category was taken from the origin: the expert advised of the symptom."""


def left_open(state: Investigation, origin: Origin) -> Hypothesis | None:
    """The hypothesis that the dump left open and that the origin decides."""
    wanted = _DECIDES.get(origin.kind)
    return next(
        (h for h in state.hypotheses.values()
         if h.category is wanted and h.status is Status.INCONCLUSIVE),
        None,
    )  # fmt: skip


def shown_by(origin: Origin, hypothesis: Hypothesis) -> Verdict:
    """The verdict of a run that showed what a dump had left open."""
    told = hypothesis.verdict
    return Verdict(
        status=Status.CONFIRMED,
        confidence=HIGH_CONFIDENCE,
        rung=Rung.STRUCTURE,
        reason="A run of the program showed it.",
        supporting=tuple(dict.fromkeys((*origin.evidence, *(told.supporting if told else ())))),
        claims=told.claims if told else (),
        frame=told.frame if told else None,
    )


def led_to(state: Investigation, old: Conclusion, origin: Origin) -> Conclusion:
    """The conclusion with its origin: the category is that of what was observed, and what the fault
    itself shows stays as the symptom. Of a case that was open the hypothesis which the origin
    confirmed is chosen; it keeps what was known."""
    decided = next((h for h in state.hypotheses.values() if h.category is _DECIDES.get(origin.kind)
                    and h.status is Status.CONFIRMED), None)  # fmt: skip
    symptom = old.symptom or Symptom(
        category=old.category,
        frame=old.frame,
        claims=tuple(claim.id for claim in old.claims if claim.by == "expert" and claim.holds),
    )
    frame = next((one for one in origin.stack if one.function == origin.function), old.frame)
    category = _SAYS_MORE.get((origin.kind, symptom.category), symptom.category)
    new = replace(old, origin=origin, symptom=symptom, frame=frame)
    if old.hypothesis is None and decided is not None:
        category = decided.category
        new = replace(new, hypothesis=decided.id, confidence=HIGH_CONFIDENCE)
        new = replace(new, confidence=min(new.confidence, allowed_confidence(state, new)))
    if category is symptom.category:
        return new
    advice = _ADVICE.get(origin.kind)
    told = (fill(advice, {"place": step_place(origin)}),) if advice else new.recommendations
    return replace(new, category=category, recommendations=told, missing=())
