"""What relations are made of: patterns for names and numbers, and the answers of their tests."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from workbench.agents.known import Known
from workbench.agents.relations.words import Words, needed

Answer = str | bool | None
"""True when the facts say so too, a text with what they say instead, None when they do not tell;
False when they do not tell and nothing else could, so that a model's word for it is no more."""
Test = Callable[[re.Match[str], Known], Answer]


class Statement:
    """What a kind of statement looks like: a pattern that is compiled when a sentence first holds
    the words without which it cannot match."""

    def __init__(self, source: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.source, self.flags = source, flags

    @cached_property
    def needs(self) -> tuple[Words, ...]:
        """See `needed`."""
        return needed(self.source)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The whole of it."""
        return re.compile(self.source, self.flags)

    def said_in(self, text: str) -> Iterator[re.Match[str]]:
        """Where a sentence says it, one after the other."""
        # Beyond ASCII more than one letter may count for a word's.
        if self.needs and text.isascii():
            lower = text.lower()
            if not all(any(word in lower for word in words) for words in self.needs):
                return
        yield from self.pattern.finditer(text)


Relation = tuple[Statement, Test]
MOST_MATCHES = 50
"""Statements of one kind that are looked at in one sentence."""


def hexadecimal(name: str) -> str:
    """A pattern for one address, as a group of that name."""
    return rf"`?(?P<{name}>0[xX][0-9a-fA-F]{{1,16}})`?"


def number(match: re.Match[str], group: str) -> int:
    """The value of a group in either base."""
    return int(match[group], 16) if match[group][:2].lower() == "0x" else int(match[group])


def among(value: int, known: Iterable[int], what: str) -> Answer:
    """True when a value is one of the known ones, else what they are; None without any."""
    values = sorted(set(known))
    if not values:
        return None
    if value in values:
        return True
    shown = " or ".join(f"{n:#x}" for n in values[:4]) + (" or others" if len(values) > 4 else "")
    return f"{what} {shown}, not {value:#x}"


def names(group: str) -> str:
    """A pattern for a name in backticks or bare, as a group of that name and ``name_``."""
    return rf"(?:`(?P<{group}>[^`\n]+)`|(?<![\w:~])(?P<{group}_>[A-Za-z_~][\w:~]*[\w](?:\(\))?))"


def named(match: re.Match[str], group: str) -> str:
    """The name that such a group found."""
    return match[group] or match[f"{group}_"] or ""


PLACE = r"`?(?<![\w./\\])(?P<file>[\w.+/\\:-]*[\w+-]+\.\w{1,5}):(?P<line>\d+)`?"
AT_PLACE = r"(?: (?:at |in |\()`?[\w.:+/\\-]+\.\w{1,5}:\d+`?\)?)?"
"""A function's source line, which may stand behind its name."""


def whole(*parts: str) -> Statement:
    """A statement whose blanks stand for blanks of any width."""
    return Statement("".join(parts).replace(" ", r"\s+"), re.IGNORECASE)


def cased(*parts: str) -> Statement:
    """The same where capitals matter, as they do where names stand without backticks."""
    return Statement("".join(parts).replace(" ", r"\s+"))
