"""A model's sentences as claims, each held to the evidence before anybody reads it."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from workbench.agents.assisted.citing import widened
from workbench.agents.critic import judged_claims
from workbench.agents.ports import Ports
from workbench.agents.tokens import inline_citations
from workbench.model.citation import Citation, parse_citations
from workbench.model.hypothesis import Claim
from workbench.model.target import TargetKind

MOST_CLAIMS = 6
_MOST_CITATIONS = 8
_LONGEST_CITATION = 40
_NUMBER = re.compile(r"E[1-9][0-9]{0,5}(?::[1-9][0-9]{0,8}(?:-[1-9][0-9]{0,8})?)?")
_END = re.compile(r"(?<=[^\s.][.!?])\s+(?=[A-Z`\"\u201c(])")


class Cited(Protocol):
    """A sentence with its citations, as a model wrote both."""

    text: str
    citations: list[str]


def citations_of(written: Iterable[str]) -> tuple[Citation, ...]:
    """The citations in what a model gave as such; anything else is dropped."""
    found = [
        citation
        for text in written
        for match in _NUMBER.finditer(str(text)[:_LONGEST_CITATION])
        for citation in parse_citations(match[0])
    ]
    return tuple(dict.fromkeys(found))[:_MOST_CITATIONS]


def claims_of(sentences: Sequence[Cited], most: int = MOST_CLAIMS) -> tuple[Claim, ...]:
    """Open claims, one for each sentence that a model wrote, whatever it put into one string."""
    found = [
        Claim(part.strip(), citations_of(sentence.citations), by="model")
        for sentence in sentences
        for part in _END.split(sentence.text)
        if part.strip()
    ]
    return tuple(dict.fromkeys(found))[:most]


async def hold(ports: Ports, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims, each ``held`` or ``struck`` with the reason; a model's with the lines that it
    meant, where those that it cites lack a name of it."""
    claims = [await widened(ports, claim) if claim.by == "model" else claim for claim in claims]
    cited = {
        c.evidence for claim in claims for c in (*claim.citations, *inline_citations(claim.text))
    }
    target = ports.state.target
    talked = target is not None and target.kind is TargetKind.DOCUMENTS
    needed = set(ports.state.evidence) if talked else cited & set(ports.state.evidence)
    texts = {name: await ports.text(name) for name in needed}
    return judged_claims(claims, ports.state, lambda name: texts.get(name, ""))


def held(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Those that hold."""
    return tuple(claim for claim in claims if claim.status == "held")
