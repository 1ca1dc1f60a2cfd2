"""The words of a pattern without which it cannot match, read from how it is written.

Compiling a pattern takes fifty times as long as looking for a word, and a sentence holds the words
of few of the many kinds of statement. What is found here need not be all: a pattern of which
nothing is known is looked for everywhere.
"""

import re
from itertools import chain

_OPAQUE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)  # escapes and sets of letters
# A word, without the letter that a quantifier behind it counts; how a group begins; its end, with a
# quantifier that allows none; where its next alternative begins.
_TOKEN = re.compile(
    r"[a-z]{2,}(?![?*{])|\((?:\?(?:p[<=]\w+>?|:|<?[=!]|[a-z-]+:?))?|\)(?:[?*]|\{0?[,}])?|\|"
)
_ENDS, _AROUND = ")", frozenset(("(?=", "(?!", "(?<=", "(?<!"))

Words = frozenset[str]
_Any = tuple[str, ...]  # one of them


def needed(source: str) -> tuple[Words, ...]:
    """Sets of words in lower case: each match of a pattern holds at least one of each set, in some
    case. None where that cannot be told.

    A group that may be left out or only looks around needs nothing; a bracket too many ends the
    reading, with less known.
    """
    groups: list[tuple[list[list[_Any]], str]] = []  # those around, and how each one in it began
    alternatives: list[list[_Any]] = [[]]
    for token in _TOKEN.findall(_OPAQUE.sub("\0", source).lower()):
        if token[0] == "(":
            groups.append((alternatives, token))
            alternatives = [[]]
        elif token == "|":
            alternatives.append([])
        elif token[0] != _ENDS:
            alternatives[-1].append((token,))
        elif not groups:
            break
        else:
            words = _of_all(alternatives)
            alternatives, began = groups.pop()
            if token == _ENDS and began not in _AROUND:
                alternatives[-1] += words
    while groups:
        words = _of_all(alternatives)
        alternatives, began = groups.pop()
        if began not in _AROUND:
            alternatives[-1] += words
    return tuple(map(frozenset, _of_all(alternatives)))


def _of_all(alternatives: list[list[_Any]]) -> list[_Any]:
    """What a match of any of them needs: of each one what tells most, nothing if one needs
    nothing."""
    if len(alternatives) == 1:
        return alternatives[0]
    if not all(alternatives):
        return []
    most = [words[0] if len(words) == 1 else max(words, key=_worth) for words in alternatives]
    return [tuple(chain.from_iterable(most))]


def _worth(words: _Any) -> float:
    """Few long words are in few sentences."""
    return min(map(len, words)) - len(words) / 3
