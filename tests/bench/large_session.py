"""A session of fifty thousand events: to its first frame, and to its evidence on the screen."""

import asyncio
import sys
from functools import partial
from pathlib import Path

from tests.bench.first_paint import BLANK, PAINTED, PANES, until
from tests.bench.resume import make_session
from tests.bench.timing import Result, interleaved
from workbench.samples import DemoSample

EVENTS = 50_000
ITEM = b"thread apply"
BOUND = 1.0
SCALES = (1_000, 10_000, 100_000)
LINEAR = 15.0
"""Ten times the events may take so many times as long, beyond a blank app."""


def run(sample: DemoSample, scratch: Path, repeats: int = 5) -> Result:
    """``workbench sessions resume`` until its panes stand there, and until an item of evidence
    does, in turn with a blank app's frame; the latter at other sizes too."""
    sizes = (*SCALES, EVENTS)
    commands = {n: _command(sample, scratch / f"of-{n}", n) for n in sizes}
    blank = [sys.executable, "-c", BLANK]
    seconds = interleaved(
        {
            **{str(n): partial(until, commands[n], lambda seen: ITEM in seen) for n in sizes},
            "frame": partial(
                until, commands[EVENTS], lambda seen: all(pane in seen for pane in PANES[:2])
            ),
            "blank": partial(until, blank, lambda seen: PAINTED.search(seen) is not None),
        },
        repeats,
    )
    over = {name: seconds[name] - seconds["blank"] for name in seconds}
    growth = over[str(SCALES[2])] / max(over[str(SCALES[1])], 0.05)
    kept = over["frame"] <= BOUND and growth <= LINEAR
    return Result(
        f"A session of {EVENTS:,} events and {EVENTS // 3:,} items on the screen",
        (
            ("its first frame, over a blank app", f"{over['frame']:.2f} s", f"≤ {BOUND:g} s"),
            ("its evidence, over a blank app", f"{over[str(EVENTS)]:.2f} s", ""),
            *((f"its evidence at {n:,} events", f"{over[str(n)]:.2f} s", "") for n in SCALES),
            ("from ten to a hundred thousand", f"{growth:.1f} times", f"≤ {LINEAR:g}"),
        ),
        ("workbench sessions resume ID", f"python -c '{BLANK}'"),
        kept,
    )


def _command(sample: DemoSample, scratch: Path, events: int) -> list[str]:
    folder = asyncio.run(make_session(sample, scratch, events))
    program = str(Path(sys.executable).parent / "workbench")
    return [program, "sessions", "resume", folder.name, "--sessions-dir", str(folder.parent)]
