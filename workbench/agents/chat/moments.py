"""Lines that tell when something was: the time of the dump, and of what ended the process."""

import re
from collections.abc import Iterator

from workbench.agents.chat.quoting import quoting
from workbench.agents.chat.talk import Talk
from workbench.model.claims import Claim
from workbench.model.facts import (
    AbortMessage,
    ExceptionRecord,
    Fact,
    Finding,
    ManagedException,
    Signal,
)
from workbench.model.investigation import Investigation
from workbench.targets.transcript.stamps import stamp_of

_LABELLED = re.compile(
    r"(?i)^\s*(?:dump written|process created|date/time|time|timestamp|time ?stamp|"
    r"debug session time|"
    r"system up ?time|process up ?time|elapsed time|launch time|crash time|created at)\s*:\s*\S"
)
_BACK = 60
"""Lines in front of a report among which the time of its log stands."""
MOST_LINES = 20_000
MOST = 4


def moments(talk: Talk) -> list[Claim]:
    """Each quoted; nothing where no line carries a time."""
    found: dict[tuple[str, int], str] = {}
    left = MOST_LINES
    for name, item in talk.state.evidence.items():
        if item.source == "user":
            continue
        lines = talk.text_of(name).split("\n")[:left]
        left -= len(lines)
        for number, line in enumerate(lines, 1):
            if _LABELLED.match(line[:200]) and any(map(str.isdigit, line[:200])):
                found.setdefault((name, number), line)
    for fact in _ends(talk.state):
        found.update(_near(fact, talk))
    told = list(found.items())[:MOST]
    return [claim for place, line in told for claim in quoting("The time", *place, line)]


def _ends(state: Investigation) -> Iterator[Fact]:
    for kind in (Finding, Signal, ExceptionRecord, ManagedException, AbortMessage):
        yield from state.facts.all(kind)[:2]


def _near(fact: Fact, talk: Talk) -> dict[tuple[str, int], str]:
    """The line of a fact where it has a time, else the nearest in front of it that has one."""
    first = fact.line if isinstance(fact, Finding) else fact.cite.first or 1
    lines = talk.text_of(fact.cite.evidence).split("\n")
    for number in range(min(first, len(lines)), max(0, first - _BACK), -1):
        if stamp_of(lines[number - 1]) is not None:
            return {(fact.cite.evidence, number): lines[number - 1]}
    return {}
