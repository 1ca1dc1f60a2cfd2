"""Against an earlier run: which cases got worse, and whether that is more than noise."""

from collections.abc import Iterable
from typing import NamedTuple

from workbench.evaluate.judging import RIGHT
from workbench.evaluate.records import Results, Verdict
from workbench.evaluate.statistics import by_chance
from workbench.model.text import counted

_NOISE = 0.05
_NAMED = 20
_RANK = {"failed": 0, "wrong": 0, "open": 1, "right": 2}


class Comparison(NamedTuple):
    """Cases that both runs judged and that got worse or better; those that only one has."""

    lost: tuple[tuple[Verdict, Verdict], ...]
    won: tuple[tuple[Verdict, Verdict], ...]
    gone: tuple[str, ...]
    judged: int
    probability: float
    with_model: bool

    @property
    def is_regression(self) -> bool:
        """Code alone answers the same each time: a case that got worse is a regression. A model
        does not: its losses must be more than its wins explain (`by_chance`)."""
        if not self.lost:
            return False
        return not self.with_model or self.probability < _NOISE


def compare(before: Results, now: Results) -> Comparison:
    """Case by case: lost is a case whose verdict is worse, or that no longer has a part that it
    had; what could not be made on this machine is no judgement."""
    known = {one.id: one for one in before.cases if one.verdict in _RANK}
    lost, won = [], []
    for one in now.cases:
        old = known.get(one.id)
        if old is None or one.verdict not in _RANK:
            continue
        rank, had = _RANK[one.verdict], _RANK[old.verdict]
        if rank < had or _missing(old, one):
            lost.append((old, one))
        elif rank > had:
            won.append((old, one))
    there = {one.id for one in now.cases if one.verdict in _RANK}
    return Comparison(
        tuple(lost),
        tuple(won),
        tuple(sorted(known.keys() - there)),
        len(known.keys() & there),
        by_chance(len(lost), len(won)),
        bool(now.models),
    )


def told(found: Comparison) -> list[str]:
    """Lines for a person: each case that changed, then the sentence."""
    lines = [
        f"worse   {old.id}: {_said(old)} -> {_said(new, _missing(old, new))}"
        for old, new in found.lost
    ]
    lines += [f"better  {old.id}: {_said(old)} -> {_said(new)}" for old, new in found.won]
    if found.gone:
        shown = ", ".join(found.gone[:_NAMED])
        more = f" and {len(found.gone) - _NAMED} more" if len(found.gone) > _NAMED else ""
        count = counted(len(found.gone), "case")
        lines.append(f"{count} of the baseline not judged this time: {shown}{more}")
    if not found.judged:
        return [*lines, "nothing of the baseline was judged: there is nothing to compare"]
    chance = f" (by chance with probability {found.probability:.3f})" if found.with_model else ""
    word = "a regression" if found.is_regression else "no regression beyond noise"
    lines.append(f"{len(found.lost)} worse, {len(found.won)} better: {word}{chance}")
    return lines


def _missing(old: Verdict, now: Verdict) -> list[str]:
    """The parts that were as expected, and now are not or are not told."""
    return [part for part, told in old.parts.items() if told == RIGHT != now.parts.get(part)]


def _said(one: Verdict, gone: Iterable[str] = ()) -> str:
    lost = dict.fromkeys((*(part for part, told in one.parts.items() if told != RIGHT), *gone))
    said = f"{one.verdict} ({one.said or '; '.join(one.notes)[:200]})"
    return said + (f" without {', '.join(lost)}" if lost else "")
