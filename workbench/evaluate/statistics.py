"""Shares with their intervals, calibration, and whether a difference is more than noise."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import comb, sqrt
from random import Random

from workbench.evaluate.records import Bin, Estimate, Figure

_HEX = re.compile(r"(?<![\w.])0[xX]([0-9a-fA-F`]{1,33})(?!\w)")
_BARE_HEX = re.compile(
    r"(?<![\w.])(?=[0-9a-fA-F`]*[a-fA-F])([0-9a-fA-F]{4,16}(?:`[0-9a-fA-F]{8})?)(?!\w)"
)
_DECIMAL = re.compile(r"(?<![\w.])(\d{1,20})(?![\w.]*[a-zA-Z_])")
_ZEROS = re.compile(r"(?<![\w.])(0[0-9]{7,15})(?!\w)")


def numbers(text: str) -> set[int]:
    """Every number that a text writes: hexadecimal with or without ``0x``, decimal."""
    found = {int(match[1].replace("`", "") or "0", 16) for match in _HEX.finditer(text)}
    found |= {int(match[1].replace("`", ""), 16) for match in _BARE_HEX.finditer(text)}
    found |= {int(match[1], 16) for match in _ZEROS.finditer(text)}
    return found | {int(match[1]) for match in _DECIMAL.finditer(text)}


def as_number(value: object) -> int | None:
    """A manifest's number: an int, ``0x…`` or decimal digits; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            return int(value.replace("`", "").strip(), 0)
        except ValueError:
            return None
    return None


_Z = 1.959964  # the normal distribution's two-sided 95 %
_BINS = 10
_DRAWS = 1000


def figure(hits: int, sources: Sequence[str]) -> Figure:
    """A share with its 95 % interval (Wilson 1927): also right near 0 and 1, and for few cases.
    ``sources`` has the source of each case. Cases of one source are not independent: they count as
    if all of them came out alike, so that as many are left as Kish's effective size says (1965,
    n²/Σm² of sources with m cases each)."""
    of = len(sources)
    if not of:
        return Figure(hits=0, of=0, share=0.0, low=0.0, high=1.0)
    votes = of * of / sum(count * count for count in Counter(sources).values())
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * votes)) / (1 + square / votes)
    spread = share * (1 - share) / votes + square / (4 * votes * votes)
    half = _Z / (1 + square / votes) * sqrt(spread)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Figure(hits=hits, of=of, share=round(share, 4), low=round(low, 4), high=round(high, 4))


def bootstrap(
    rows: Iterable[tuple[str, Sequence[float]]], of: Callable[[Sequence[float]], float]
) -> Estimate | None:
    """``of`` the sums of all rows' numbers, each row with its source, and the 95 % interval of what
    it is when as many sources are drawn again with replacement (Efron 1979, percentiles): rows of a
    source are drawn together. The draws are the same each time. None where there are no rows."""
    by: dict[str, Sequence[float]] = {}
    for source, row in rows:
        by[source] = _sums((by[source], row)) if source in by else row
    sources, draws = list(by.values()), Random(0)
    if not sources:
        return None
    value = round(of(_sums(sources)), 6)
    if len(sources) == 1:
        return Estimate(value=value)
    drawn = sorted(of(_sums(draws.choices(sources, k=len(sources)))) for _ in range(_DRAWS))
    low, high = (round(drawn[int(share * _DRAWS)], 6) for share in (0.025, 0.975))
    return Estimate(value=value, low=low, high=high)


def _sums(rows: Iterable[Sequence[float]]) -> list[float]:
    return [*map(sum, zip(*rows, strict=True))]


def quotient(sums: Sequence[float]) -> float:
    """The first sum by the second: a mean where each row counts one there."""
    return sums[0] / sums[1] if sums[1] else 0.0


def calibration(told: Sequence[tuple[float, bool, str]]) -> tuple[tuple[Bin, ...], Estimate | None]:
    """Ten bins of (confidence, right, source), and the expected calibration error: the mean
    distance of confidence and share of right ones, weighted by the bins' sizes (Guo et al.
    2017)."""
    bins, rows = [], list[tuple[str, list[float]]]()
    for number in range(_BINS):
        low, high = number / _BINS, (number + 1) / _BINS
        mine = [one for one in told if low < one[0] <= high or (number == 0 and one[0] == 0)]
        if mine:
            mean = sum(c for c, _, _ in mine) / len(mine)
            right = figure(sum(r for _, r, _ in mine), [source for *_, source in mine])
            bins.append(Bin(low=low, high=high, confidence=round(mean, 4), right=right))
        # of a bin, the sum of confidence without that of right ones is its distance by its size
        for confidence, held, source in mine:
            distances = [0.0] * _BINS
            distances[number] = confidence - held
            rows.append((source, [1.0, *distances]))
    return tuple(bins), bootstrap(rows, lambda s: sum(map(abs, s[1:])) / s[0])


def by_chance(lost: int, won: int) -> float:
    """How probable so many losses or more are among the cases that changed, if each change were as
    likely a loss as a win: the exact one-sided test of McNemar (1947)."""
    of = lost + won
    return sum(comb(of, k) for k in range(lost, of + 1)) / 2**of if of else 1.0
