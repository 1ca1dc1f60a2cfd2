"""Finds the lines of evidence that speak to a question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.words import content_words
from workbench.agents.tokens import Kind, Token, stands_in

MOST_LINES = 20_000
"""Lines that are looked at for one question."""
LONGEST_LINE = 1000
_NAMED = 4.0
_LEAST = 1.5
_SHARE = 0.4
"""Of the question's words, what a line has to speak of that names nothing."""
_WHY = frozenset({"cause"})
"""What no line speaks of: "why did the pool run out?" is about a pool."""
_FEW = 200
"""Lines among which a word that stands in one of them is rare, however few there are."""


class Numbered(Struct, frozen=True):
    """One line, from 1, of an item whose command is ``command``."""

    evidence: str
    command: str
    number: int
    text: str


class Found(Struct, frozen=True):
    """A line with how well it fits; ``names`` are the things asked for that stand in it."""

    line: Numbered
    score: float
    names: frozenset[str]


def fitting(asked: Asked, lines: Sequence[Numbered], most: int) -> list[Found]:
    """The lines that fit best, the best first; where the question names things, those that hold
    one of them come before all others."""
    lines = lines[:MOST_LINES]
    tokens = _tokens(asked)
    least = _SHARE * len(asked.words - _WHY or asked.words)
    words = [content_words(line.text[:LONGEST_LINE]) & asked.words for line in lines]
    frequency = Counter(word for found in words for word in found)
    among = max(len(lines), _FEW)
    weight = {w: math.log(1 + among / count) / 2 for w, count in frequency.items()}
    commands = {line.command: content_words(line.command) & asked.words for line in lines}
    ranked: list[Found] = []
    for line, shared in zip(lines, words, strict=True):
        text = line.text[:LONGEST_LINE]
        names = frozenset(name for name, token in tokens if _holds(token, text))
        score = _NAMED * len(names) + sum(weight[word] for word in shared)
        if score:
            score += sum(0.5 for word in commands[line.command] if word not in shared)
        enough = names or len(shared) >= least
        if score >= _LEAST and enough and text.strip():
            ranked.append(Found(line, score, names))
    ranked.sort(key=lambda found: (not found.names, -found.score))
    kept: list[Found] = []
    texts: set[str] = set()
    for found in ranked:
        text = " ".join(found.line.text.split())
        if text not in texts:
            texts.add(text)
            kept.append(found)
        if len(kept) >= most:
            break
    return kept


def _tokens(asked: Asked) -> list[tuple[str, Token]]:
    found = [(f"{at:#x}", Token(Kind.NUMBER, f"{at:#x}", 0, at)) for at in asked.addresses]
    found += [(f"thread {n}", Token(Kind.NUMBER, str(n), 0, n)) for n in asked.threads]
    for name in asked.names:
        kind = Kind.PLACE if re.search(r"\.\w+:\d+$", name) else Kind.SYMBOL
        found.append((name, Token(kind, name, 0)))
    ways = ((name, way) for name in asked.registers for way in (name, name.upper()))
    return found + [(name, Token(Kind.SYMBOL, way, 0)) for name, way in ways]


_THREAD_LINE = re.compile(r"\b(?:thread|LWP|TID|OSID|Id:)|^\s*[*.#]?\s*\d+\s", re.IGNORECASE)


def _holds(token: Token, line: str) -> bool:
    if token.kind is Kind.NUMBER and token.value is not None and not token.text.startswith("0x"):
        return _THREAD_LINE.search(line) is not None and stands_in(token, line)
    return stands_in(token, line)


def unnamed(asked: Asked, found: Iterable[Found]) -> list[str]:
    """What the question names and no line holds."""
    seen = {name for one in found for name in one.names}
    return [name for name in dict(_tokens(asked)) if name not in seen]
