"""How bad a crash is, for a question about it: the reasons of its class, with their lines."""

import re
from collections.abc import Iterator

from analyzers.severity import Severity, severity
from workbench.agents.chat.asked import Asked
from workbench.agents.chat.talk import Talk
from workbench.model.citation import parse_citations
from workbench.model.claims import Claim
from workbench.model.investigation import Investigation

_ASKED = re.compile(
    r"(?i)\b(?:exploit\w*|severity|severe|security|vulnerab\w*|attacker\w*|weaponi[sz]\w*)\b"
)
_CITED = re.compile(r"\s*\((E[\d:,\sE-]+)\)$")


def of_the_severity(talk: Talk) -> Iterator[Claim]:
    """The reasons of the class, each before the line that it rests on; nothing where no crash has
    one or it is not asked about."""
    found = _severity(talk.asked, talk.state)
    for reason in found.reasons if found is not None else ():
        for cite in parse_citations(reason)[:1]:
            line = max(cite.first, 1)
            words = _CITED.sub("", reason)
            lead = f"{words[:1].upper()}{words[1:]}"
            yield from talk.quote(lead, cite.evidence, line)


def severity_told(asked: Asked, state: Investigation) -> Iterator[str]:
    """The class, and that it is a rule's word: no line of a dump says what can be made of it."""
    found = _severity(asked, state)
    if found is not None:
        level = found.level.lower().replace("_", " ")
        yield f"By CASR's rules that is of the class {found.name}: {level}."
        yield "Whether anybody can reach it with an input of theirs, one dump does not tell."


def _severity(asked: Asked, state: Investigation) -> Severity | None:
    if not _ASKED.search(asked.text):
        return None

    return severity(state.facts)
