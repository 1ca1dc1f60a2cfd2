"""From the command to the first frame on the screen, against an empty Textual app."""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.pty_run import PtyRun
from tests.bench.timing import Result, interleaved, ratio
from workbench.samples import DemoSample

BOUND = 1.5
BLANK = "from textual.app import App; App().run()"
PAINTED = re.compile(rb"\x1b\[1;1H\x1b\[[0-9;]*m")
PANES = (b"Hypotheses", b"Evidence", b"Stack", b"Debugger")


def run(sample: DemoSample, scratch: Path, repeats: int = 11) -> Result:
    """``workbench open`` until its four panes stand there, in turn with a blank app's frame."""
    workbench = [
        str(Path(sys.executable).parent / "workbench"), "open", str(sample.core),
        "--exe", str(sample.executable), "--sessions-dir", str(scratch / "paint"),
    ]  # fmt: skip
    blank = [sys.executable, "-c", BLANK]
    seconds = interleaved(
        {
            "workbench": lambda: until(workbench, lambda seen: all(it in seen for it in PANES)),
            "blank": lambda: until(blank, lambda seen: PAINTED.search(seen) is not None),
        },
        repeats,
    )
    value, bound, kept = ratio(seconds["workbench"] / seconds["blank"], BOUND)
    return Result(
        "First paint",
        (
            ("workbench with its four panes", f"{seconds['workbench'] * 1000:.0f} ms", ""),
            ("blank Textual app", f"{seconds['blank'] * 1000:.0f} ms", ""),
            ("ratio", value, bound),
        ),
        ("workbench open core --exe server", f"python -c '{BLANK}'"),
        kept,
    )


def until(command: Sequence[str], found: Callable[[bytes], bool]) -> float:
    """Seconds from the start of the command until what it draws satisfies ``found``."""
    with PtyRun(command) as app:
        return app.until(found, 30) - app.began
