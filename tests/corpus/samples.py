"""Crash every program of tests/samples and print how much of their causes is found."""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.crashes import CrashError, cache_dir
from tests.samples.case import CASES, make, triage
from workbench.evaluate.judging import OPEN, RIGHT, WRONG, Outcome, judge
from workbench.evaluate.schema import Case

AT_ONCE = 2
_Z = 1.959964  # the normal distribution's two-sided 95 %
_PARTS = ("frame", "severity", "signature")


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927): also right near 0 and 1, and for few cases."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def score(only: str = "") -> list[Outcome]:
    """The outcome of each case whose id holds ``only``, printed as it comes when it differs."""
    cases = [case for case in CASES if only in case.id]
    found = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for one in pool.map(_outcome, cases):
            found.append(one)
            if not one.holds:
                print(f"{one.verdict:5} {one.case.id}", flush=True)
                for note in one.notes:
                    print(f"        {note}", flush=True)
    return found


def _outcome(case: Case) -> Outcome:
    try:
        executable, core = make(case)
        with TemporaryDirectory(prefix="corpus-") as sessions:
            done = triage(core, executable, Path(sessions))
        if done.returncode not in (0, 1):
            return Outcome(case, "none", WRONG, {}, (f"exit {done.returncode}",))
        return judge(case, json.loads(done.stdout), cache_dir())
    except (CrashError, subprocess.TimeoutExpired) as error:
        return Outcome(case, "none", WRONG, {}, (str(error),))


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """By category: cases, right, open, wrong, the interval of right, and the parts' counts."""
    yield (
        f"{'category':30}{'cases':>6}{'right':>6}{'open':>6}{'wrong':>6}   right, 95 %     "
        + "".join(f"{part:>11}" for part in _PARTS)
    )
    for name in dict.fromkeys(_true(one) for one in outcomes):
        yield _row(name, [one for one in outcomes if _true(one) == name])
    yield _row("all", outcomes)


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    count = Counter(one.verdict for one in outcomes)
    low, high = wilson(count[RIGHT], len(outcomes))
    row = f"{name:30}{len(outcomes):>6}{count[RIGHT]:>6}{count[OPEN]:>6}{count[WRONG]:>6}"
    row += f"   {count[RIGHT] / len(outcomes):4.0%} ({low:3.0%}-{high:4.0%})"
    for part in _PARTS:
        values = [one.parts[part] for one in outcomes if part in one.parts]
        row += f"{f'{sum(values)}/{len(values)}' if values else '-':>11}"
    return row


def confusion(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A row for each true category: how often each category was said of it. Only categories that
    were said of another one's programs have a column of their own."""
    truths = list(dict.fromkeys(_true(one) for one in outcomes))
    strays = sorted({one.said for one in outcomes if one.said != _true(one)})
    yield f"{'true category':30}{'itself':>8}  {'  '.join(strays)}"
    for truth in truths:
        said = Counter(one.said for one in outcomes if _true(one) == truth)
        cells = "  ".join(f"{said[name] or '.':>{len(name)}}" if name != truth
                          else f"{'-':>{len(name)}}" for name in strays)  # fmt: skip
        yield f"{truth:30}{said[truth]:>8}  {cells}"


def main(only: str = "") -> int:
    """Score the samples; 0 unless one of them could not be triaged at all."""
    began = time.monotonic()
    outcomes = score(only)
    if not outcomes:
        print("no sample has this in its name")
        return 2
    print("\n".join(["", *table(outcomes), "", *confusion(outcomes), ""]))
    told = Counter(one.verdict for one in outcomes)
    unsaid = sum(one.verdict == RIGHT and one.said not in {_true(one)} | set(one.case.expected.also)
                 for one in outcomes)  # fmt: skip
    print(f"right {told[RIGHT]} ({unsaid} of them rightly left open), open {told[OPEN]}, "
          f"wrong {told[WRONG]} of {len(outcomes)} crashes of "
          f"{len({one.case.target for one in outcomes})} programs, "
          f"in {time.monotonic() - began:.0f} s")  # fmt: skip
    return 0 if all(one.said != "none" for one in outcomes) else 1


def _true(one: Outcome) -> str:
    return one.case.expected.category or ""
