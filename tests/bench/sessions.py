"""The list of ten thousand sessions, from the command to its last line."""

import asyncio
import sys
from pathlib import Path

from tests.bench.timing import Result, interleaved, wall
from tests.soak.test_faults import many_sessions
from workbench.samples import DemoSample

SESSIONS = 10_000
BOUND = 0.5


def run(sample: DemoSample, scratch: Path, repeats: int = 11) -> Result:
    """``workbench sessions`` with a catalog that is up to date."""
    base = scratch / "many"
    asyncio.run(many_sessions(base, SESSIONS))
    program = str(Path(sys.executable).parent / "workbench")
    command = [program, "sessions", "--sessions-dir", str(base)]
    first = wall(command)
    seconds = interleaved(
        {"list": lambda: wall(command), "nothing": lambda: wall([program, "--version"])}, repeats
    )
    kept = seconds["list"] <= BOUND
    return Result(
        f"The list of {SESSIONS:,} sessions",
        (
            ("workbench sessions", f"{seconds['list']:.2f} s", f"≤ {BOUND:g} s"),
            ("workbench --version", f"{seconds['nothing']:.2f} s", ""),
            ("the first time, without a catalog", f"{first:.1f} s", ""),
        ),
        ("workbench sessions", "workbench --version"),
        kept,
    )
