"""Numbers that a sentence writes in words: "three threads" states a 3 like any other."""

import re

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_WORD = "|".join((*_VALUES, *_SCALES))
_NUMBER = re.compile(rf"\b(?:{_WORD})(?:(?:\s+and\s+|[\s-]+)(?:{_WORD}))*\b", re.IGNORECASE)
_SMALL = 2
"""One and two are said in general too: "the other one", "two threads at once"."""
_COUNTS = re.compile(r"\b(?:there (?:was|were|are|is)|(?:was|were|are|is) there) $", re.IGNORECASE)
"""What makes a count of a two: "there were two threads". A one is general behind it too."""


def in_digits(text: str) -> str:
    """``text`` with numbers over two, and a two that is a count, in digits and blanks, so that
    every place stays."""

    def digits(match: re.Match[str]) -> str:
        words = re.split(r"[\s-]+", match[0].lower())
        value = _value([word for word in words if word != "and"])
        said = str(value)
        counted = value == _SMALL and _COUNTS.search(text, 0, match.start()) is not None
        if (value <= _SMALL and not counted) or len(said) > len(match[0]):
            return match[0]
        return said + " " * (len(match[0]) - len(said))

    return _NUMBER.sub(digits, text)


def _value(words: list[str]) -> int:
    total = part = 0
    for word in words:
        if word not in _SCALES:
            part += _VALUES[word]
        elif _SCALES[word] > 100:
            total, part = total + max(part, 1) * _SCALES[word], 0
        else:
            part = max(part, 1) * _SCALES[word]
    return total + part
