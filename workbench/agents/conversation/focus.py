"""Takes the failure that the person asks about into focus, and sets the others aside."""

import asyncio
import re

from msgspec.structs import replace

from workbench.agents import hypothesis
from workbench.agents.chat.answer import ChatPorts
from workbench.agents.chat.topics import known_names
from workbench.agents.conversation.choosing import Choice, choose
from workbench.agents.conversation.failures import Failure, failures
from workbench.model.conversation import TurnKind
from workbench.model.events import AnyEvent, Focused, HypothesisMoved
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_LATER = 3.5
"""How much must speak for another failure once one is in focus."""
_CORRECTS = re.compile(
    r"\b(?:i mean\w*|i meant|rather|instead|other|wrong|not (?:this|that|about|the)|no,)(?=\W|$)",
    re.IGNORECASE,
)


async def found_failures(ports: ChatPorts) -> tuple[list[Failure], dict[str, str]]:
    """What went wrong in the files, and all texts."""
    state = ports.state
    texts = {name: await ports.text(name) for name in state.evidence}
    return await asyncio.to_thread(failures, state, texts), texts


async def refocus(ports: ChatPorts) -> list[AnyEvent]:
    """Focus on what the last words of the person are about, hypotheses of other failures ruled out
    and new ones proposed; nothing where they are about what is in focus, or about none of them."""
    state = ports.state
    last = state.conversation[-1] if state.conversation else None
    said = (last.answer if last is not None else state.options.issue) or ""
    found, texts = await found_failures(ports)
    if len([one for one in found if one.reported]) + (state.focus is not None) < 2:
        found = [one for one in found if one.reported] and found
    if len(found) < 2 or not said.strip():
        return []
    listed = found
    if last is not None and last.kind is TurnKind.QUESTION and last.claims:
        heads = [claim.citations for claim in last.claims]
        listed = sorted(
            (one for one in found if one.head.citations in heads),
            key=lambda one: heads.index(one.head.citations),
        )
    known = known_names(state)
    later = state.focus is not None and not _CORRECTS.search(said)
    least = _LATER if later else None
    picked = await asyncio.to_thread(
        choose, said, listed, texts, listed=listed is not found, known=known, least=least
    )
    if picked is None and listed is not found:
        picked = await asyncio.to_thread(choose, said, found, texts, known=known, least=least)
    return [] if picked is None else _events(state, found, picked)


def _events(state: Investigation, found: list[Failure], choice: Choice) -> list[AnyEvent]:
    others = [one for one in found if one is not choice.failure]
    left_out = {id for one in others for id in one.evidence} - choice.failure.evidence
    now = set(state.focus.left_out) if state.focus is not None else set()
    if left_out <= now or not any(one.reported for one in others):
        return []
    subject = f"{choice.failure.head.text} ({choice.failure.head.citations[0]}): {choice.why}"
    focused = Focused(left_out=tuple(sorted(left_out, key=_order)), subject=subject)
    # What is proposed depends on the focus: both are committed together.
    after = replace(state, hypotheses=dict(state.hypotheses))
    at = state.updated_at
    assert at is not None
    after.apply(focused, at)
    moved = list(_moved(after))
    for event in moved:
        after.apply(event, at)
    return [focused, *moved, *hypothesis.propose(after)]


def _moved(state: Investigation) -> list[AnyEvent]:
    """What each hypothesis is now: ruled out with its failure, or to be tested again."""
    found: list[AnyEvent] = []
    for one in state.hypotheses.values():
        if one.decided_by != "engine":
            continue
        if state.is_set_aside(one):
            reason = "it is about another failure than the one that is asked about"
            found.append(
                HypothesisMoved(id=one.id, status=Status.REJECTED, by="engine", reason=reason)
            )
        else:
            found.append(HypothesisMoved(id=one.id, status=Status.APPROVED, by="engine"))
    return found


def _order(evidence: str) -> int:
    return int(evidence[1:])
