"""Memory that a question says to be freed: of the pointer that it names, else of the fault's."""

import re
from collections.abc import Iterator

from analyzers.patterns.case import NEAR_NULL
from analyzers.patterns.signs import FREE_STATES
from workbench.agents.chat.clauses import affirmed, is_open
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.values import expressions, shown
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Chunk

_FREED = re.compile(
    r"\b(?:freed|deallocated)\b(?!\s+(?:twice|again|by|in|at|first|before|after)\b)"
    r"|\bin(?:side)?\s+(?:a\s+)?free\b"
    r"|\b(?:is|are|was|were)\s+(?:(?:the|its|that)\s+)?\S+\s+free\W*$",  # not "a double free"
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|been|had|did|got)\b", re.IGNORECASE)
_IT = re.compile(
    r"\b(?:it|this|that|(?:the|its|that)\s+(?:memory|pointer|block|object|chunk))\b", re.IGNORECASE
)


def probes(talk: Talk) -> list[Command]:
    """What tells whether the pointers that a question names lie in freed memory."""
    if not _FREED.search(talk.asked.text):
        return []
    found = [at for at in _pointers(talk, talk.asked.text) if at >= NEAR_NULL]
    return [Command(f"@heap {at:#x}", "whether the address lies in the heap") for at in found]


def told(talk: Talk) -> Iterator[Told]:
    """The chunks of those pointers, where they are said to be freed. That one is in use now tells
    nothing of what was: it may have been given out again."""
    for clause in affirmed(talk.asked.text):
        if _FREED.search(clause) and not is_open(clause):
            for claim in _chunks(talk, clause):
                is_free = claim.get("state") in FREE_STATES
                if is_free or not _PAST.search(clause):
                    yield Told(claim, is_free, clause)


def _chunks(talk: Talk, clause: str) -> Iterator[Claim]:
    wanted = _pointers(talk, clause)
    if not wanted and _IT.search(clause):
        yield from (one for one in talk.state.held if one.kind == "chunk")
    for chunk in talk.state.facts.all(Chunk):
        if chunk.address in wanted and chunk.offset >= 0:
            where = {"address": chunk.address, "start": chunk.start}
            yield say("chunk", (chunk.cite,), **where, state=chunk.state)
            break


def _pointers(talk: Talk, clause: str) -> list[int]:
    """The values of the expressions that a clause names, and its addresses."""
    values = (shown(one, talk) for one in expressions(talk.asked) if one in clause)
    numbers = [scalar(one.value) for one in values if one is not None]
    numbers += [at for at in talk.asked.addresses if f"{at:#x}" in clause.lower()]
    return [number for number in numbers if number is not None]
