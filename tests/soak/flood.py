"""A command that prints a gigabyte: all of it is kept, and memory does not grow with it."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.console import END, Keys, flood_script, open_workbench
from workbench.model.events import EvidenceRecorded
from workbench.model.evidence import Evidence
from workbench.samples import demo_files
from workbench.store.reading import read_events

MEMORY = 64  # MB of resident memory that the workbench may take at its peak


def flood_console(megabytes: int, scratch: Path) -> tuple[float, int]:
    """Type a command into the console of the real workbench that prints that much.

    Returns the seconds until its last line was painted and the peak of resident memory in MB.
    Raises `AssertionError` when bytes are missing or memory grew, `TimeoutError` on a hang.
    """
    sample = demo_files(scratch)
    script = scratch / "flood.py"
    script.write_text(flood_script(megabytes))
    with open_workbench(sample, scratch / "sessions") as app:
        peak_before = _peak(app.process.pid)
        seconds, _ = Keys(app).press_during(f"source {script}\r", limit=10.0 * megabytes)
        evidence = _stored(next((scratch / "sessions").glob("session_*")), app.drain)
        peak = _peak(app.process.pid)
    assert evidence.size == megabytes * 1_000_000 + len(END) + 1, evidence
    assert not evidence.partial
    assert peak - peak_before < MEMORY, f"{peak_before} MB before, {peak} MB at the peak"
    return seconds, peak


def _stored(session: Path, wait: Callable[[float], object], seconds: float = 300.0) -> Evidence:
    """The evidence of the command, once it is committed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for row in reversed(read_events(session)):
            if isinstance(row.event, EvidenceRecorded):
                if row.event.evidence.command.startswith("source "):
                    return row.event.evidence
                break
        wait(0.5)  # the screen has to be read meanwhile, or its writer stops
    raise TimeoutError("the flood's evidence was not stored")


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1000
    raise AssertionError("no VmHWM: see proc(5)")
