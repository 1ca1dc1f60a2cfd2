"""Numbers that stand in no line but that a claim works out in front of the reader."""

import re
from collections.abc import Callable, Sequence

from workbench.agents.number_words import in_digits
from workbench.agents.tokens import Kind, Token

_NUMBER = r"(?:0[xX][0-9a-fA-F]{1,32}|[0-9]{1,39})"
_TERM = rf"[`(]*{_NUMBER}[`)]*(?:\s+bytes?)?"
_SUM = rf"{_TERM}(?:\s*[-+\u2212]\s*{_TERM}){{1,8}}"
_EQUATION = re.compile(
    rf"(?<![\w.])(?:(?P<sum>{_SUM})\s*=\s*(?P<result>{_TERM})"
    rf"|(?P<result2>{_TERM})\s*=\s*(?P<sum2>{_SUM}))(?!\w)"
)
_OPERAND = re.compile(rf"([-+\u2212]?)\s*[`(]*\s*({_NUMBER})")
_COUNT = re.compile(
    r"(?<![\w.])(\d{1,9})(?:\s+of\s+(?:the\s+)?(\d{1,9}))?\s+(?:of\s+the\s+|more\s+|cited\s+)*"
    r"(?P<noun>frames|lines|times|threads|entries|calls|waiters|levels|locks|chunks)\b"
)
_LISTED = re.compile(r"(?<![\w.])(\d{1,9})\s+\w+(?:\s+\w+){0,3}?\s*[:(]\s*([^:();]{1,2000})")

Span = tuple[int, int]

LONGEST = 4000
"""Characters of a claim in which sums and counts are looked for."""


_KINDS = {
    "lines": r"",
    "frames": r"^\s*(?:frame )?#\d+",
    "threads": r"^[\s*]*(?:\d+\s+)?(?:thread|LWP|TID|OS thread)\b",
    "chunks": r"\bchunk\b",
    "locks": r"\b(?:lock|mutex)",
}
"""How a line looks that shows one of what a sentence counts."""


def _of_kind(noun: str, line: str) -> bool:
    pattern = _KINDS.get(noun)
    return pattern is not None and re.search(pattern, line, re.IGNORECASE) is not None


def miscounted(
    text: str,
    tokens: Sequence[Token],
    lines: Sequence[str],
    stands_in: Callable[[Token, str], bool],
) -> set[int]:
    """Places of small numbers that count threads, frames, chunks or locks and that stand in no
    line which speaks of such: a 4 stands nearly anywhere."""
    found: set[int] = set()
    if len(text) > LONGEST:
        return found
    at = {token.start: token for token in tokens if token.kind is Kind.NUMBER}
    for match in _COUNT.finditer(in_digits(text)):
        token = at.get(match.start(1))
        if token is None or match["noun"] not in _KINDS or int(match[1]) >= 1000:
            continue
        stem = match["noun"].rstrip("s")
        if not any(stem in line.lower() and stands_in(token, line) for line in lines):
            found.add(token.start)
    return found


def derived(text: str, stands: Callable[[int], bool]) -> set[Span]:
    """Numbers that are the one unproved member of an equation which the claim writes out and
    which is true, as (value, start) pairs: in "0x10 + 0x8 = 0x18" any one of the three.

    ``stands`` says whether a value stands in the cited lines.
    """
    found: set[Span] = set()
    if len(text) > LONGEST:
        return found
    proved: set[int] = set()
    for _ in range(3):  # one equation may lean on the result of another
        before = len(found)
        for match in _EQUATION.finditer(text):
            members, result = _members(match)
            if sum(sign * value for sign, value, _ in members) != result[0]:
                continue
            every = [(value, start) for _, value, start in members] + [result]
            # What is worked out must be worked out of something: one member, once, of others that
            # stand; adding nothing to a number proves nothing of it.
            loose = [value for value, _ in every if value not in proved and not stands(value)]
            if len(loose) <= 1 and all(value for _, value, _ in members):
                proved |= set(loose)
                found |= set(every)
        if len(found) == before:
            break
    return found


def _members(match: re.Match[str]) -> tuple[list[tuple[int, int, int]], Span]:
    group, other = ("sum", "result") if match["sum"] is not None else ("sum2", "result2")
    members = [
        (
            -1 if part[1] in ("-", "\u2212") else 1,
            int(part[2], 0),
            match.start(group) + part.start(2),
        )
        for part in _OPERAND.finditer(_decimalised(match[group]))
    ]
    number = re.search(_NUMBER, match[other])
    if number is None:
        return members, (-1, -1)
    return members, (_value(number[0]), match.start(other) + number.start())


def _decimalised(text: str) -> str:
    """Leading zeros of decimals blanked in place, because ``int(…, 0)`` refuses them."""
    return re.sub(r"(?<![\w])0+(?=[0-9])", lambda m: " " * len(m[0]), text)


def _value(number: str) -> int:
    return int(number, 16) if number[:2].lower() == "0x" else int(number)


def counted(
    text: str,
    tokens: Sequence[Token],
    lines: Sequence[str],
    stands_in: Callable[[Token, str], bool],
) -> set[Span]:
    """Numbers that count what the claim shows, as (value, start) pairs.

    "5 frames of `f`": as many cited lines hold ``f``. "2 of the 9 threads": 9 is then the number
    of cited lines. "3 threads: 11, 12, 13": the list has as many members.
    """
    found: set[Span] = set()
    if len(text) > LONGEST:
        return found
    text = in_digits(text)
    names = [t for t in tokens if t.kind in (Kind.SYMBOL, Kind.QUOTE, Kind.PLACE)]
    totals: set[int] | None = None
    for match in _COUNT.finditer(text):
        if totals is None:
            totals = {sum(stands_in(name, line) for line in lines) for name in names} - {0}
        by_kind = sum(_of_kind(match["noun"], line) for line in lines) if not names else -1
        if int(match[1]) in totals or int(match[1]) == by_kind:
            found.add((int(match[1]), match.start(1)))
        if match[2] is not None and int(match[2]) == len(lines):
            found.add((int(match[2]), match.start(2)))
    starts = [t.start for t in tokens]
    for match in _LISTED.finditer(text):
        members = [
            part for part in re.split(r",\s*(?:and\s+)?|\s+and\s+", match[2]) if part.strip()
        ]
        first, last = match.span(2)
        checked = sum(first <= start < last for start in starts)
        if len(members) >= 2 and len(members) == int(match[1]) and checked >= len(members):
            found.add((int(match[1]), match.start(1)))
    return found
