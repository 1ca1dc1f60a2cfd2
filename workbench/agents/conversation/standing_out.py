"""Lines of plain logs that stand out: what a program itself calls an error, the gravest first."""

import re
from collections.abc import Callable, Iterable

from workbench.agents.chat.lines import Numbered
from workbench.agents.chat.talk import quoting
from workbench.model.claims import Claim
from workbench.targets.transcript.dresses import own

MOST = 4
_LONGEST = 2000
# How grave a line is, by the words that programs print; the first that fits counts.
_GRAVE: tuple[tuple[int, re.Pattern[str]], ...] = (
    (4, re.compile(r"\b(?:FATAL|EMERG(?:ENCY)?|PANIC|CRIT(?:ICAL)?|SEVERE)\b")),
    (
        4,
        re.compile(
            r"(?i)\b(?:panic(?:ked)?|segmentation fault|segfault|core dumped|out of memory|"
            r"deadlock|oom[- ]kill\w*|unhandled exception|uncaught|assertion failed|stack overflow|"
            r"killed process)\b"
        ),
    ),
    (3, re.compile(r"\b(?:ERROR|ERR)\b|(?<![\w])E/|\b\w+(?:Exception|Error):")),
    (
        2,
        re.compile(
            r"(?i)\b(?:error|failed|failure|exception|cannot|could not|unable to|refused|denied|"
            r"timed? ?out|timeout|aborted|crash(?:ed)?|corrupt(?:ed|ion)?|exhausted|"
            r"no space left)\b"
        ),
    ),
    (1, re.compile(r"(?i)\b(?:WARN(?:ING)?)\b|\b(?:warning|retry(?:ing)?|slow|blocked)\b")),
)
_HINTS = (
    "err", "warn", "fail", "fatal", "exception", "crit", "panic", "emerg", "severe", "fault",
    "dump", "memory", "lock", "oom", "unhandled", "uncaught", "assert", "overflow", "killed",
    "cannot", "could not", "unable", "refused", "denied", "timed", "timeout", "time out", "abort",
    "crash", "corrupt", "exhausted", "no space", "retry", "slow", "e/",
)  # fmt: skip
"""One of them stands in every grave line: most lines of a log have none, and are done with."""
_NO_TROUBLE = re.compile(
    r"(?i)\b(?:0|no|without)\s+(?:error|failure|warning)s?\b|\berrors?\s*[:=]\s*0\b"
)
_VARIES = re.compile(r"0[xX][0-9a-fA-F]+|\d+|[0-9a-fA-F]{8,}")
_IN_FRONT = re.compile(r"^(?:[^\w#]*#[T:.,/Z-]*)+[^\w#]*")


def standing_out(
    lines: Iterable[Numbered], weight: Callable[[Numbered], float] = lambda line: 0.0
) -> list[Claim]:
    """The gravest lines, of each sort of message the first; nothing where none is grave. ``weight``
    is what a line has to do with what was asked: of one sort the line that has most, and among
    sorts as much as a grade of gravity."""
    first: dict[str, tuple[float, int, int, Numbered]] = {}
    for place, line in enumerate(lines):
        text = line.text[:_LONGEST]
        grave = gravity(text)
        if not grave:
            continue
        sort, more = sort_of(text), weight(line)
        if sort not in first or first[sort][0] < more:
            first[sort] = (more, grave, place, line)
    gravest = max((grave for _, grave, _, _ in first.values()), default=0)
    ranked = sorted(first.values(), key=lambda row: (-row[0] - row[1], row[2]))
    claims: list[Claim] = []
    for _, grave, _, line in ranked:
        if len(claims) >= MOST or (grave == 1 and gravest > 1):
            break
        lead = "What stands out most" if not claims else "Also"
        claims += quoting(lead, line.evidence, line.number, line.text)
    return claims


def sort_of(text: str) -> str:
    """A message without what varies from one time to the next, what a collector put in front of it
    included."""
    return _IN_FRONT.sub("", _VARIES.sub("#", own(text[:_LONGEST]))).strip()


def gravity(text: str) -> int:
    """How grave a line is by its own words: 0 (not at all) to 4."""
    text = text[:_LONGEST]
    low = text.lower()
    if not any(hint in low for hint in _HINTS):
        return 0
    if _NO_TROUBLE.search(text):
        return 0
    return next((grave for grave, pattern in _GRAVE if pattern.search(text)), 0)
