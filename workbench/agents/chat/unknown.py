"""What was asked and cannot be told, in sentences of plain code."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.beyond import Beyond
from workbench.agents.chat.lacking import unmeasured, unspoken, unvalued
from workbench.agents.chat.measured import Measure
from workbench.agents.chat.open_case import open_hypotheses
from workbench.agents.chat.severe import severity_told
from workbench.agents.chat.untold import sentence
from workbench.agents.chat.values import Shown, uncalled
from workbench.model.claims import Claim
from workbench.model.investigation import Investigation

NOTHING_SAID = "Not found in the evidence."
_MOST_MISSING = 3


class Looked(Struct, frozen=True):
    """What was found for a question: the names that no line holds, every number with a name, the
    texts of the lines, what is told from them, whether anything is denied or advised, and what the
    debugger printed of the expressions that are named."""

    unnamed: tuple[str, ...]
    known: Sequence[Measure]
    lines: Sequence[str]
    told: Sequence[Claim]
    denied: bool
    advised: bool
    values: Sequence[Shown]


def unknown_history(lacks: Sequence[Beyond], state: Investigation, timed: bool) -> Iterator[str]:
    """What needs more than the last moment; ``timed`` when lines tell of a time."""
    for lack in lacks:
        if lack.kind != "when" or not timed:
            yield from sentence(lack, state)


def unknown(asked: Asked, state: Investigation, found: Looked) -> Iterator[str]:
    """Names, values and amounts that nothing tells; what is open where a cause is asked for."""
    looked_up = " ".join(one.expression for one in found.values)
    for one in found.values:
        if one.is_absent:
            yield f"The debugger knows no {one.expression} in the frames that were looked at."
    for name in found.unnamed:
        if name not in looked_up:
            yield f"Nothing in the evidence that was searched names {name}."
    yield from uncalled(asked, state)
    yield from unmeasured(asked, found.known, found.denied)
    yield from unvalued(asked, found.told, [one.expression for one in found.values])
    severe = tuple(severity_told(asked, state))
    yield from severe
    lines = [*found.lines, *(claim.text for claim in found.told)]
    yield from unspoken(asked, lines, found.denied)
    if "cause" in asked.words and (state.conclusion is None or state.conclusion.hypothesis is None):
        yield "No cause is proved by the evidence."
        yield from open_hypotheses(state)
        if state.conclusion is not None:
            missing = state.conclusion.missing[:_MOST_MISSING]
            yield from (f"What would help: {text}." for text in missing)
    elif "hypothesis" in asked.words:
        yield from open_hypotheses(state)
    elif not (found.told or found.denied or found.advised or severe):
        yield NOTHING_SAID
