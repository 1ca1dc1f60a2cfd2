"""How hard a question is: by what the analyzers declare of the outputs that it is about.

What reasons over the investigation's stages is complex by its prompt; this is for questions about
the output of commands.
"""

import re
from collections.abc import Iterable

from analyzers.base import Document
from analyzers.registry import complexity
from workbench.agents.chat.talk import Talk
from workbench.model.conversation import Reply
from workbench.model.evidence import Evidence
from workbench.model.investigation import Investigation
from workbench.model.models import Complexity

_SIMPLE, _MODERATE, _COMPLEX = Complexity.SIMPLE, Complexity.MODERATE, Complexity.COMPLEX
_REASONS = re.compile(
    r"(?i)\bwhy\b|\bhow\s+(?:come|did|does|do|could|can|is|was|are|were|has|had)\b|\bexplain\b"
)


def declared(item: Evidence) -> Complexity:
    """What the analyzer of an output, a plugin's too, declares of it."""
    return complexity(Document("", item.command, item.host, ""))


def highest(state: Investigation, identifiers: Iterable[str]) -> Complexity:
    """The highest that is declared of these outputs; moderate where there is none."""
    levels = {declared(state.evidence[one]) for one in identifiers if one in state.evidence}
    for level in (_COMPLEX, _MODERATE, _SIMPLE):
        if level in levels:
            return level
    return _MODERATE


def of_the_plan(talk: Talk, reply: Reply) -> Complexity:
    """Whether more has to be asked of the debugger: simple where code's answer stands on outputs
    that code reads, else as hard as the answer."""
    return _SIMPLE if _is_settled(talk, reply) else of_the_answer(talk, reply)


def of_the_answer(talk: Talk, reply: Reply) -> Complexity:
    """Simple where code has answered all of it from outputs that it reads; complex where it asks
    for reasons, or takes several threads together, or outputs that code leaves open; else as hard
    as the one output that code leaves open, moderate where what code reads has no answer to it."""
    reasons = _REASONS.search(talk.asked.text) is not None or "cause" in talk.asked.words
    if reasons or len(talk.asked.threads) > 1:
        return _COMPLEX
    if _is_settled(talk, reply):
        return _SIMPLE
    about = _held_by(reply) or {found.line.evidence for found in talk.fitting}
    left = [one for one in about if highest(talk.state, [one]) is not _SIMPLE]
    return _COMPLEX if len(left) > 1 else highest(talk.state, left)


def _is_settled(talk: Talk, reply: Reply) -> bool:
    """True where code answers, lacks nothing, says something to each word of the question, and
    stands on nothing that it cannot read to its end."""
    if not (reply.held or reply.contradictions) or reply.unknown or talk.unnamed:
        return False
    return reply.understood and highest(talk.state, _held_by(reply)) is _SIMPLE


def _held_by(reply: Reply) -> set[str]:
    claims = (*reply.held, *(one.claim for one in reply.contradictions))
    return {cite.evidence for claim in claims for cite in claim.citations}
