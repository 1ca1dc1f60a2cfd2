"""What a run of the program showed, where a question asks what no dump tells."""

import re
from collections.abc import Sequence

from workbench.agents.chat.asked import Asked
from workbench.claims.render import step_how
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.facts import Chunk
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginStep
from workbench.model.origin import OriginKind as Kind

_DID = {
    r"free|delet|releas|destr|dealloc": (Kind.FREED, Kind.RELEASED_EARLY),
    r"alloc": (Kind.TOO_SMALL, Kind.ALLOCATED),
    r"unmap|move": (Kind.UNMAPPED,),
}  # fmt: skip
"""By a word of a question: the steps of a run that answer it."""
_WROTE = (
    r"wr[io]t|overwr|corrupt|clobber|trash|stomp|scribbl|smash|chang|modif|touch|set$|clear|reset|"
    r"zero|null"
)
_WRITES = (Kind.WRITTEN, Kind.TRUNCATED, Kind.COMPUTED, Kind.CLEARED)
_WORD_BYTES = 8  # the widest cell that a run watches

_NO_VALUE = {Kind.LOCKED, Kind.LOOPED, Kind.RECURSED, Kind.USED}
"""What tells of no value how it came to be so."""
_WORD = re.compile(r"\w+")


def step_for(asked: Asked, state: Investigation) -> OriginStep | None:
    """The observed step that did what is asked for: the origin, else the last one before it. What
    was done to the same address after it was done to something else."""
    origin = state.origin
    if origin is None or origin.kind in _NO_VALUE:
        return None
    kinds = {k for verbs, kinds in _DID.items() if _speaks(asked, verbs) for k in kinds}
    before = [step for step in origin.steps if _precedes(step, origin)]
    found = next((step for step in (origin, *reversed(before)) if step.kind in kinds), None)
    return found or (_write_to(asked.addresses, origin) if _speaks(asked, _WROTE) else None)


def _speaks(asked: Asked, verbs: str) -> bool:
    return any(re.match(verbs, word) for word in asked.words)


def _write_to(addresses: Sequence[int], origin: Origin) -> OriginStep | None:
    """The write that is the origin, else the last one of the same output, though it came after the
    memory was freed; of a question that names an address a write to that one."""
    for step in (origin, *reversed(origin.steps)):
        same = [a.evidence for a in step.evidence] == [b.evidence for b in origin.evidence]
        start = step.address or 0
        named = any(start <= one < start + _WORD_BYTES for one in addresses)
        if step.kind in _WRITES and (named if addresses else same):
            return step
    return None


def _precedes(one: OriginStep, other: OriginStep) -> bool:
    """A run's output lists what happened in order; two outputs have none."""
    pairs = zip(one.evidence[:1], other.evidence[:1], strict=False)
    return any(a.evidence == b.evidence and a.first < b.first for a, b in pairs)


def shown_by_run(asked: Asked, state: Investigation) -> Claim | None:
    """That step as a statement; None where nothing was observed, or of something else than what the
    question names."""
    step = step_for(asked, state)
    if step is None or state.origin is None:
        return None
    values = [str(claim.get("expression") or "") for claim in state.held]
    ours = _WORD.findall(" ".join([state.origin.expression, *values]))
    if asked.names and not set(ours) & set(_WORD.findall(" ".join(asked.names))):
        return None
    return _said(step)


def is_of_the_run(pointers: Sequence[int], state: Investigation) -> bool:
    """True for pointers of the dump into the chunk that the conclusion says is free: where a run
    freed what was used, that is the like of the block that it saw."""
    if state.origin is None or state.origin.kind is not Kind.FREED:
        return False
    free = {one.get("start") for one in state.held if one.kind == "chunk"}
    chunks = state.facts.all(Chunk)
    starts = [{one.start for one in chunks if one.address == at} for at in pointers]
    return bool(starts) and all(one and one <= free for one in starts)


def origin_of(state: Investigation) -> list[Claim]:
    """What the line did that a run showed to be where the fault began, as a list; empty without."""
    return [_said(state.origin)] if state.origin is not None else []


def _said(step: OriginStep) -> Claim:
    place = {"function": step.function, "file": step.file, "line": step.line}
    return say("told", step.evidence, how=step_how(step), **place)
