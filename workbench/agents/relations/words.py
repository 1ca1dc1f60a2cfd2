"""The words of a pattern without which it cannot match, read from how it is written.

Compiling a pattern takes fifty times as long as looking for a word, and a sentence holds the words
of few of the many kinds of statement. What is found here need not be all: a pattern of which
nothing is known is looked for everywhere.
"""

import re
from collections.abc import Iterator, Sequence

_OPAQUE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)  # escapes and sets of letters
_GROUP = re.compile(r"\([^()]*\)[?*]?")
_WORD = re.compile(r"[A-Za-z]{2,}(?![?*{])")
# A word, without the letter that a quantifier behind it counts; how a group begins, in a group of
# its own where it only looks around; its alternatives and its end; a quantifier that allows none.
_TOKEN = re.compile(
    r"[A-Za-z]+(?![?*{])|\((?:\?P<\w+>|\?:|(\?<?[=!]))?|[)|]|[?*]|\{0?,|\{0\}|.", re.DOTALL
)
_OR_NONE = frozenset(("?", "*", "{,", "{0,", "{0}"))

_TELLING = 5  # letters of a word that is not in every other sentence

Words = frozenset[str]
_UNKNOWN: Words = frozenset()


def needed(source: str) -> tuple[Words, ...]:
    """Sets of words in lower case: each match of a pattern holds at least one of each set, in some
    case. None where that cannot be told."""
    plain = _OPAQUE.sub("\0", source)
    outer, before = plain, ""
    while outer != before:
        outer, before = _GROUP.sub("\0", outer), outer
    if "|" not in outer:
        words = _WORD.findall(outer)
        if words and max(map(len, words)) >= _TELLING:
            return tuple(frozenset({word.lower()}) for word in words)
    return tuple(_Reader(_TOKEN.finditer(plain)).alternatives())


class _Reader:
    """Goes through a pattern once; a bracket too many ends it early, with less known."""

    def __init__(self, tokens: Iterator[re.Match[str]]) -> None:
        self._tokens: Sequence[tuple[str, bool]] = [(m[0], m[1] is not None) for m in tokens]
        self._at = 0

    def alternatives(self) -> list[Words]:
        """Up to the group's end: what a match needs; of several alternatives one of what tells most
        of each, nothing if one needs nothing."""
        every: list[list[Words]] = [[]]
        while self._token() not in (")", ""):
            token, looks = self._tokens[self._at]
            self._at += 1
            words: list[Words] = []
            if token == "|":
                every.append([])
                continue
            if token.startswith("("):
                words = self.alternatives()
                self._at += 1  # its end
            elif len(token) > 1 and token.isalpha():
                words = [frozenset({token.lower()})]
            if not looks and self._token() not in _OR_NONE:
                every[-1] += words
        if len(every) == 1:
            return every[0]
        each = [max(words, key=_worth, default=_UNKNOWN) for words in every]
        return [frozenset().union(*each)] if all(each) else []

    def _token(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""


def _worth(words: Words) -> float:
    """Few long words are in few sentences."""
    return min(map(len, words)) - len(words) / 3
