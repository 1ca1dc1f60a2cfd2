"""An observed origin as events: what the conclusion becomes by it."""

from collections.abc import Callable
from copy import copy
from datetime import UTC, datetime

from msgspec.structs import replace

from workbench.agents.checking import checked
from workbench.agents.judge import judge
from workbench.agents.observed import connected, decided_by, foretold, led_to, left_open, shown_by
from workbench.claims.chain import breaks
from workbench.claims.render import told_step
from workbench.model.events import (
    AnyEvent,
    ConclusionDrafted,
    HypothesisDecided,
    Judged,
    Noticed,
    OriginFound,
    Stopped,
    StoppedBy,
)
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin


def observed(
    state: Investigation, origin: Origin, text_of: Callable[[str], str] = lambda name: ""
) -> tuple[AnyEvent, ...]:
    """The origin, the hypothesis that it decides where the dump left all open, the conclusion
    that it leads to, and with such a hypothesis an end that is no longer inconclusive."""
    chain = checked(connected(state, origin), state, text_of)
    if chain and not breaks(chain):
        origin = replace(origin, chain=chain)
    found: tuple[AnyEvent, ...] = (OriginFound(origin=origin),)
    old, after = state.conclusion, copy(state)
    after.hypotheses = dict(state.hypotheses)
    for id, claims in foretold(state, origin).items():
        for event in decided_by(checked(claims, state, text_of), state.hypotheses[id]):
            found = (*found, event)
            after.apply(event, datetime.now(UTC))
    shown = left_open(state, origin) if old is not None else None
    if shown is not None:
        verdict = shown_by(origin, shown)
        found = (*found, HypothesisDecided(id=shown.id, verdict=verdict))
        decided = replace(shown, verdict=verdict, status=verdict.status, reason=verdict.reason)
        after.hypotheses[shown.id] = decided
    elif old is None or old.hypothesis is None:  # no headline will tell it
        cites = ", ".join(str(citation) for citation in origin.evidence)
        text = (
            "No cause was proved, but runs of the program show where it began: "
            f"{told_step(origin)} ({cites})."
        )
        found = (*found, Noticed(text=text, severity="warning"))
    if old is None:
        return found
    after.conclusion = led_to(after, old, origin)
    found = (*found, ConclusionDrafted(conclusion=after.conclusion))
    if state.judgement is not None:
        found = (*found, Judged(judgement=judge(after)))
    open_end = state.stopped is not None and state.stopped.by is StoppedBy.INCONCLUSIVE
    return (*found, Stopped(by=StoppedBy.CONCLUDED)) if shown is not None and open_end else found
