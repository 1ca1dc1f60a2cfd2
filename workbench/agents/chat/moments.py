"""Lines that tell when something was: the time of the dump, and of what ended the process."""

import re
from collections.abc import Iterator

from workbench.agents.chat.quoting import quoting
from workbench.agents.chat.talk import Talk
from workbench.agents.conversation.files import place_of
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
from workbench.targets.transcript.reader import NAME as LOG
from workbench.targets.transcript.stamps import TIMES, stamp_of

_ASKED = re.compile(
    r"(?i)\b(?:since\s+when|when\s+(?:did|was|were|is|has)|what\s+(?:time|date|day))\b"
)
_LABELLED = re.compile(
    r"(?i)^\s*(?:dump written|process created|date/time|time|timestamp|time ?stamp|"
    r"debug session time|"
    r"system up ?time|process up ?time|elapsed time|launch time|crash time|created at)\s*:\s*\S"
)
_TAKEN_OFF = re.compile(r"line (?P<line>\d{1,9}): (?P<time>.+)")
_BACK = 60
"""Lines in front of a report among which the time of its log stands."""
MOST_LINES = 20_000
MOST = 4


def moments(talk: Talk) -> list[Claim]:
    """Each quoted; nothing where no line carries a time, or none is asked for."""
    if not _ASKED.search(talk.asked.text):
        return []
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
    return _in_front(fact.cite.evidence, first, talk)


def _in_front(evidence: str, number: int, talk: Talk) -> dict[tuple[str, int], str]:
    """The time nearest in front of a line in its log: in the text that is kept beside reports, or
    what a collector wrote before the report's own lines."""
    items = talk.state.evidence
    place = place_of(items[evidence], number)
    found: list[tuple[int, str, int, str]] = []
    for name, item in items.items():
        if not item.command.removeprefix(TIMES).startswith(LOG):
            continue
        for at, line in enumerate(talk.text_of(name).splitlines(), 1):
            told = _TAKEN_OFF.match(line) if item.command.startswith(TIMES) else None
            where = int(told["line"]) if told is not None else place_of(item, at)
            near = 0 <= place - where <= _BACK
            if near and stamp_of(told["time"] if told is not None else line) is not None:
                found.append((where, name, at, line))
    _, name, at, line = max(found, default=(0, "", 0, ""))
    return {(name, at): line} if name else {}
