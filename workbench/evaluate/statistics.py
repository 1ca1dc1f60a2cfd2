"""Shares with their intervals, calibration, and whether a difference is more than noise."""

import re
from collections import Counter
from collections.abc import Sequence
from math import comb, sqrt

from workbench.evaluate.records import Bin, Figure

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


def calibration(told: Sequence[tuple[float, bool, str]]) -> tuple[tuple[Bin, ...], float | None]:
    """Ten bins of (confidence, right, source), and the expected calibration error: the mean
    distance of confidence and share of right ones, weighted by the bins' sizes (Guo et al.
    2017)."""
    bins, error = [], 0.0
    for number in range(_BINS):
        low, high = number / _BINS, (number + 1) / _BINS
        mine = [one for one in told if low < one[0] <= high or (number == 0 and one[0] == 0)]
        if mine:
            mean = sum(c for c, _, _ in mine) / len(mine)
            right = figure(sum(r for _, r, _ in mine), [source for *_, source in mine])
            bins.append(Bin(low=low, high=high, confidence=round(mean, 4), right=right))
            error += len(mine) / len(told) * abs(mean - right.share)
    return tuple(bins), round(error, 4) if told else None


def by_chance(lost: int, won: int) -> float:
    """How probable so many losses or more are among the cases that changed, if each change were as
    likely a loss as a win: the exact one-sided test of McNemar (1947)."""
    of = lost + won
    return sum(comb(of, k) for k in range(lost, of + 1)) / 2**of if of else 1.0
