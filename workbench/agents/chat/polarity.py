"""Affirmed or denied: a sentence without its negations, and the places where they stood."""

import re

from msgspec import Struct

__all__ = ["Statement", "affirmed"]

_NOT = r"(?:not\s+ever|not|never|no\s+longer|hardly|n[\u2019']t)"
_NEGATION = re.compile(
    rf"\b(?:(?:do|does|did|has|have|had|can|could|would|will)(?:n[\u2019']t|not|\s+{_NOT}))\s+(?:been\s+)?"
    rf"|(?<=\b(?:is|am))(?:n[\u2019']t|\s+{_NOT})\b"
    rf"|(?<=\b(?:are|was))(?:n[\u2019']t|\s+{_NOT})\b"
    rf"|(?<=\bwere)(?:n[\u2019']t|\s+{_NOT})\b"
    r"|\bnever\s+",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]")


class Statement(Struct, frozen=True):
    """A sentence as if it denied nothing, what it quotes blanked out; ``denials`` are the places
    in ``text`` of the verbs that it denies."""

    text: str
    denials: tuple[int, ...]

    def denies(self, start: int, end: int) -> bool:
        """True when something between two places is denied an odd number of times; what is denied
        right before the first one counts too."""
        return sum(start - 1 <= place <= end for place in self.denials) % 2 == 1


def affirmed(text: str) -> Statement:
    """``text`` without its negations. Never raises."""
    text = _QUOTED.sub(lambda match: '"' + " " * (len(match[0]) - 2) + '"', text)
    parts: list[str] = []
    denials: list[int] = []
    length = last = 0
    for match in _NEGATION.finditer(text):
        kept = text[last : match.start()]
        parts.append(kept)
        length += len(kept)
        denials.append(length)
        last = match.end()
    parts.append(text[last:])
    return Statement("".join(parts), tuple(denials))
