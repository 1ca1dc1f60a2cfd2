"""What the person came with: which causes their words speak of, and what the evidence denies."""

import re
from collections.abc import Callable
from functools import cache

from workbench.agents.chat.asked import read
from workbench.agents.chat.causes import categories_in
from workbench.agents.chat.clauses import clauses, denies
from workbench.agents.chat.meant import known_names
from workbench.agents.chat.measured import measures
from workbench.agents.chat.stated import stated
from workbench.agents.chat.stated_values import amounts
from workbench.agents.chat.talk import Talk, against
from workbench.agents.checking import checked
from workbench.model.category import Category as C
from workbench.model.critique import Check
from workbench.model.evidence import Source
from workbench.model.investigation import Investigation

_MOST_LINES = 2000
# What people call what they see, and the causes that look so.
_SYMPTOMS: tuple[tuple[str, tuple[C, ...]], ...] = (
    (r"hang(?:s|ing)?|hung|fr(?:ee|o)z(?:e|es|en|ing)|stuck|unresponsive|not respond\w*|blocked|"
     r"(?:does|did|do) ?n[o']t (?:answer|respond|come back)|tim(?:es?|ed|ing) ?out|time-?outs?",
     (C.DEADLOCK, C.MISSED_WAKEUP, C.THREAD_STARVATION, C.FINALIZER_BLOCKAGE, C.INFINITE_LOOP,
      C.BLOCKED_ON_IO)),
    (r"slow\w*|high cpu|cpu (?:is |was |at )?(?:high|100)|spin(?:s|ning)|busy",
     (C.HIGH_CPU, C.INFINITE_LOOP, C.THREAD_STARVATION)),
    (r"leak\w*|out of memory|oom|memory (?:grows|growth|use|usage|is|was|keeps)|too much memory",
     (C.MEMORY_LEAK, C.OUT_OF_MEMORY, C.UNCHECKED_ALLOCATION)),
)  # fmt: skip


@cache
def spoken_of(issue: str) -> frozenset[C]:
    """See `workbench.agents.issue.spoken_of`."""
    found: set[C] = set()
    for clause in clauses(issue):
        if denies(clause):
            continue
        found |= categories_in(clause)
        for words, causes in _SYMPTOMS:
            if re.search(rf"\b(?:{words})\b", clause, re.IGNORECASE):
                found |= set(causes)
    return frozenset(found)


def checks_of(issue: str, state: Investigation, text_of: Callable[[str], str]) -> list[Check]:
    """See `workbench.agents.issue.checks_of_the_issue`."""
    asked = read(issue, known_names(state))
    known = []
    for item in state.evidence.values() if asked.amounts else ():
        if item.source is not Source.USER or item.host != "text":
            lines = text_of(item.id).split("\n")[:_MOST_LINES]
            known += list(measures(item.id, item.command, list(enumerate(lines, 1))))

    talk = Talk(state, asked, text_of)
    denied = against([*amounts(talk, known), *stated(talk)])
    judged = checked((one.claim for one in denied), state, text_of)
    return [
        Check(
            kind="contradiction", subject=f"the issue says: {one.said}", passed=False,
            severity="warning", detail=claim.text, evidence=claim.citations,
        )
        for one, claim in zip(denied, judged, strict=True)
        if claim.holds
    ]  # fmt: skip
