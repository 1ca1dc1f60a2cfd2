"""Is there anything in a sentence that was looked up? One that states nothing of the kind can be
neither followed to a line nor contradicted, so that it says nothing about this dump."""

import re
from itertools import islice, pairwise

from workbench.agents.grounding import stands_in
from workbench.agents.known import Known
from workbench.agents.number_words import in_digits
from workbench.agents.polarity import affirmed
from workbench.agents.relations import relations_of
from workbench.agents.relations.parts import MOST_MATCHES
from workbench.agents.tokens import Kind, Token, extract

_SMALL = 10
"""Numbers below this stand in some line of almost any output."""
_END = re.compile(r"(?<=[.!?])\s+")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
_WORD = re.compile(r"[A-Za-z]{4,}")
_THREADS = re.compile(r"\bthreads?\s+#?\d|\b(?:\d+|one) (?:other )?threads?\b", re.IGNORECASE)
"""Threads by number or counted: these are held to the facts, however small the number."""
_MODEST = re.compile(
    r"\b(?:does not (?:prove|show|tell|say)|is not known|cannot be (?:told|seen|known)|"
    r"stays open|remains open)\b"
)
"""How a sentence says what the evidence does not; that needs no line."""


def unanchored(text: str, known: Known) -> str | None:
    """The first sentence of a claim in which nothing can be looked up, or None."""
    for sentence in _sentences(text):
        if _MODEST.search(sentence) or _THREADS.search(in_digits(sentence)):
            continue
        tokens = extract(sentence)
        if any(map(_weighs, tokens)) or _is_known(sentence, known):
            continue
        if not any(_beside(token, sentence, known) for token in tokens):
            return sentence
    return None


def _sentences(text: str) -> list[str]:
    """Its parts that end with a full stop; code and quotations are not cut."""
    hidden = _CODE.sub(lambda match: "x" * len(match[0]), text)
    ends = [0, *(match.end() for match in _END.finditer(hidden)), len(text)]
    parts = (text[a:b].strip() for a, b in pairwise(ends))
    return [part for part in parts if part]


def _weighs(token: Token) -> bool:
    return token.kind is not Kind.NUMBER or token.value is None or abs(token.value) >= _SMALL


def _beside(token: Token, sentence: str, known: Known) -> bool:
    """True for a small number with a word beside it that a cited line has beside that number too:
    "size 2" where a line says ``size() (which is 2)``."""
    around = sentence[max(token.start - 24, 0) : token.start], sentence[token.start :][:24]
    words = [*_WORD.findall(around[0])[-2:], *_WORD.findall(around[1])[:1]]
    return any(
        stands_in(token, line) and any(re.search(rf"(?i)(?<![a-z]){word}", line) for word in words)
        for line in known.cited
    )


def _is_known(sentence: str, known: Known) -> bool:
    """True when a fact says so too, or otherwise where the sentence denies it."""
    said = affirmed(sentence)
    for statement, test in relations_of(by_model=known.by_model):
        for match in islice(statement.said_in(said.text), MOST_MATCHES):
            answer = test(match, known)
            denied = said.denies(match.start(), match.end())
            if isinstance(answer, str) if denied else answer is True:
                return True
    return False
