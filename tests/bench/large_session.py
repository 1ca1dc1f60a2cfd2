"""A session of fifty thousand events, from the command to its evidence on the screen."""

import asyncio
import sys
from pathlib import Path

from tests.bench.first_paint import BLANK, PAINTED, until
from tests.bench.resume import make_session
from tests.bench.timing import Result, interleaved
from workbench.samples import DemoSample

EVENTS = 50_000
BOUND = 1.0
SCALES = (1_000, 10_000, 100_000)
LINEAR = 15.0
"""Ten times the events may take so many times as long, beyond a blank app."""


def run(sample: DemoSample, scratch: Path, repeats: int = 5) -> Result:
    """``workbench sessions resume`` until an item of evidence stands there, in turn with a blank
    app's frame; then the same at other sizes."""
    sizes = (*SCALES, EVENTS)
    commands = {n: _command(sample, scratch / f"of-{n}", n) for n in sizes}
    seconds = interleaved(
        {
            **{
                str(n): lambda n=n: until(commands[n], lambda seen: b"thread apply" in seen)
                for n in sizes
            },
            "blank": lambda: until(
                [sys.executable, "-c", BLANK], lambda seen: PAINTED.search(seen) is not None
            ),
        },
        repeats,
    )
    over = {n: seconds[str(n)] - seconds["blank"] for n in sizes}
    growth = over[SCALES[2]] / max(over[SCALES[1]], 0.05)
    kept = over[EVENTS] <= BOUND and growth <= LINEAR
    return Result(
        f"A session of {EVENTS:,} events and {EVENTS // 3:,} items on the screen",
        (
            ("its evidence, over a blank app", f"{over[EVENTS]:.2f} s", f"≤ {BOUND:g} s"),
            *((f"at {n:,} events", f"{over[n]:.2f} s", "") for n in SCALES),
            ("ten times the events", f"{growth:.1f} times", f"≤ {LINEAR:g}"),
        ),
        ("workbench sessions resume ID", f"python -c '{BLANK}'"),
        kept,
    )


def _command(sample: DemoSample, scratch: Path, events: int) -> list[str]:
    folder = asyncio.run(make_session(sample, scratch, events))
    program = str(Path(sys.executable).parent / "workbench")
    return [program, "sessions", "resume", folder.name, "--sessions-dir", str(folder.parent)]
