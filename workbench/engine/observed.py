"""An observed origin as events: what the conclusion becomes by it."""

from copy import copy

from msgspec.structs import replace

from workbench.agents.judge import judge
from workbench.claims.render import fill, step_place
from workbench.claims.texts import ORIGINS
from workbench.model.category import Category
from workbench.model.critique import Symptom
from workbench.model.events import AnyEvent, ConclusionDrafted, Judged, Noticed, OriginFound
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
_ADVICE = {
    OriginKind.FREED: "Let nothing use the memory once {place} has freed it: clear what still "
    "points to it, or free it later.",
    OriginKind.NEVER_SET: "Set what {place} makes before it is used.",
}
"""What to do where the category was taken from the origin: the expert advised of the symptom."""


def observed(state: Investigation, origin: Origin) -> tuple[AnyEvent, ...]:
    """The origin, and the conclusion that it leads to: the fault's own category and frame stay as
    its symptom."""
    found: tuple[AnyEvent, ...] = (OriginFound(origin=origin),)
    old = state.conclusion
    if old is None or old.hypothesis is None:  # no headline will tell it
        cites = ", ".join(str(citation) for citation in origin.evidence)
        told = fill(ORIGINS[origin.kind.value], {"place": step_place(origin)})
        text = (
            f"No cause was proved, but runs of the program show where it began: {told} ({cites})."
        )
        found = (*found, Noticed(text=text, severity="warning"))
    if old is None:
        return found
    symptom = old.symptom or Symptom(
        category=old.category,
        frame=old.frame,
        claims=tuple(claim.id for claim in old.claims if claim.by == "expert" and claim.holds),
    )
    frame = next((one for one in origin.stack if one.function == origin.function), old.frame)
    category = _SAYS_MORE.get((origin.kind, symptom.category), symptom.category)
    new = replace(old, origin=origin, symptom=symptom, frame=frame, category=category)
    if category is not symptom.category:
        advice = fill(_ADVICE[origin.kind], {"place": step_place(origin)})
        new = replace(new, recommendations=(advice,), missing=())
    found = (*found, ConclusionDrafted(conclusion=new))
    if state.judgement is None:
        return found
    after = copy(state)
    after.conclusion = new
    return (*found, Judged(judgement=judge(after)))
