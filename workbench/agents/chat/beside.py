"""What a question asks beside the cause, in the lines that tell of it: on which system and with
which command it ran, when it was, how severe it is, and what a report says of a block."""

import re
from collections.abc import Iterator
from itertools import islice

from analyzers.severity import severity
from workbench.agents.chat.talk import Talk, quoting
from workbench.agents.chat.values import variables_named
from workbench.agents.chat.words import stem
from workbench.agents.conversation.files import place_of
from workbench.model.citation import Citation, parse_citations
from workbench.model.claims import Claim
from workbench.model.evidence import Evidence
from workbench.model.facts import (
    AbortMessage,
    ExceptionRecord,
    Finding,
    ManagedException,
    Process,
    Signal,
)
from workbench.targets.transcript.reader import NAME as LOG
from workbench.targets.transcript.stamps import TIMES, stamp_of

SYSTEM = re.compile(
    r"(?i)\b(?:linux|ubuntu|debian|red ?hat|rhel|centos|fedora|suse|alpine|windows|macos|mac os x|"
    r"os x|ios|android|freebsd|openbsd|darwin|solaris|x86_64-linux-gnu|aarch64-linux-gnu)\b"
    r"|/lib(?:64)?/(?:x86_64|aarch64|ld-linux)|\b[A-Z]:\\(?:Windows|Users|Program)"
    r"|\b\d+\.\d+\.\d+-\d+-(?:amd64|generic|arm64|cloud)|\bkernel:? (?:BUG|version)"
)
"""What names an operating system, or can stand on one only."""
_NOTES = {
    "os system operating window linux maco android platform distribution distro kernel":
        ("system:", "core:"),
    "architecture arch bitness processor": ("core:", "processor:"),
    "pid": ("process:",),
    "commandline executable": ("command line:", "executable:"),
}  # fmt: skip
"""By words of a question: how the lines of the dump's notes begin that tell of it."""
_LINES = 12
_MOST_LINES = 20_000


def of_the_environment(talk: Talk) -> Iterator[Claim]:
    """What the dump's notes say of it; for a log the first line that names a system."""
    process = talk.state.facts.first(Process)
    own = {stem(name) for name in variables_named(talk.asked, talk.state)}
    for words, starts in _NOTES.items():
        if not talk.asked.words & {*words.split()} - own:
            continue
        if process is not None:
            first = process.cite.first or 1
            for number in range(first, first + _LINES):
                if talk.line_of(process.cite.evidence, number).startswith(starts):
                    yield from talk.quote("The dump's notes", process.cite.evidence, number)
        elif "system:" in starts:
            lines = (one for one in _lines(talk) if not one[0].command.startswith("@"))
            named = (
                quoting("This tells of the system", item.id, number, line)
                for item, number, line in lines
                if SYSTEM.search(line[:1000])
            )
            yield from next(filter(None, named), [])


def _lines(talk: Talk) -> Iterator[tuple[Evidence, int, str]]:
    """The first lines of the evidence, without what a person said or ran."""
    return islice(
        (
            (item, number, line)
            for item in talk.state.evidence.values()
            if item.source != "user"
            for number, line in enumerate(talk.text_of(item.id).split("\n"), 1)
        ),
        _MOST_LINES,
    )


_WHEN = re.compile(
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
_ENDS = (Finding, Signal, ExceptionRecord, ManagedException, AbortMessage)
_MOST_TIMES = 4


def moments(talk: Talk) -> list[Claim]:
    """The times of the dump and of what ended the process, each quoted; nothing where no line
    carries one, or none is asked for."""
    if not _WHEN.search(talk.asked.text):
        return []
    places = [
        Citation(item.id, number, number)
        for item, number, line in _lines(talk)
        if _LABELLED.match(line[:200]) and any(map(str.isdigit, line[:200]))
    ]
    for fact in (fact for kind in _ENDS for fact in talk.state.facts.all(kind)[:2]):
        first = fact.line if isinstance(fact, Finding) else fact.cite.first or 1
        places += _near(fact.cite.evidence, first, talk)
    told = list(dict.fromkeys(places))[:_MOST_TIMES]
    return [claim for one in told for claim in talk.quote("The time", one.evidence, one.first)]


def _near(evidence: str, first: int, talk: Talk) -> list[Citation]:
    """The line of a fact where it has a time, else the nearest in front of it that has one: in its
    text, in the text that is kept beside reports, or in what a collector wrote before a line."""
    for number in range(first, max(0, first - _BACK), -1):
        if stamp_of(talk.line_of(evidence, number)) is not None:
            return [Citation(evidence, number, number)]
    place = place_of(talk.state.evidence[evidence], first)
    found: list[tuple[int, Citation]] = []
    for name, item in talk.state.evidence.items():
        if not item.command.removeprefix(TIMES).startswith(LOG):
            continue
        for at, line in enumerate(talk.text_of(name).splitlines(), 1):
            told = _TAKEN_OFF.match(line) if item.command.startswith(TIMES) else None
            where = int(told["line"]) if told is not None else place_of(item, at)
            near = 0 <= place - where <= _BACK
            if near and stamp_of(told["time"] if told is not None else line) is not None:
                found.append((where, Citation(name, at, at)))
    return [max(found, key=lambda one: one[0])[1]] if found else []


_SEVERE = re.compile(
    r"(?i)\b(?:exploit\w*|severity|severe|security|vulnerab\w*|attacker\w*|weaponi[sz]\w*)\b"
)
_CITED = re.compile(r"\s*\((E[\d:,\sE-]+)\)$")


def of_the_severity(talk: Talk) -> tuple[list[Claim], list[str]]:
    """The reasons of the crash's class, each before the line that it rests on, and the class as a
    rule's word: no line of a dump says what can be made of it. Nothing where no crash has one or it
    is not asked about."""
    found = severity(talk.state.facts) if _SEVERE.search(talk.asked.text) else None
    if found is None:
        return [], []
    claims: list[Claim] = []
    for reason in found.reasons:
        words = _CITED.sub("", reason)
        for cite in parse_citations(reason)[:1]:
            lead = f"{words[:1].upper()}{words[1:]}"
            claims += talk.quote(lead, cite.evidence, max(cite.first, 1))
    level = found.level.lower().replace("_", " ")
    return claims, [
        f"By CASR's rules that is of the class {found.name}: {level}.",
        "Whether anybody can reach it with an input of theirs, one dump does not tell.",
    ]
