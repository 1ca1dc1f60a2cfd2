"""Each command that writes, on a disk without a free byte: run inside mounts of its own.

    python -m tests.soak.full_disk DISK OUTSIDE CORE EXECUTABLE

prints what came as JSON. ``DISK`` is a small file system, ``OUTSIDE`` has room.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.forking import workbench
from tests.soak.kills import newest
from workbench.model.events import encode_event
from workbench.store.reading import read_events

READS = "what it prints is whole, whether or not it could keep anything"
WRITES = "it says in one line that there is no room, and nothing is left of it"
ANSWERS = "it answers, and says in one line that it could not keep the answer"
POINTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "catalog.db": (READS, ("sessions",)),
    "search.db": (READS, ("search", "connection_send")),
    "verify: the fresh session and its verdict": (ANSWERS, ("verify", "{id}")),
    "the folder of a new session": (WRITES, ("triage", "{core}", "--exe", "{exe}")),
    "a resumed session": (WRITES, ("triage", "{id}")),
    "ask: question and answer": (WRITES, ("ask", "{id}", "which signal ended it?")),
    "show, whose -shm has no room": (READS, ("sessions", "show", "{id}")),
    "report, likewise": (READS, ("report", "{id}", "--format", "json")),
    "rename": (WRITES, ("sessions", "rename", "{id}", "{long}")),
    "fork": (WRITES, ("sessions", "fork", "{id}")),
    "import": (WRITES, ("sessions", "import", "{zip}")),
    "export": (WRITES, ("sessions", "export", "{id}", "-o", "{disk}/x.zip")),
    "report: its file": (WRITES, ("report", "{id}", "-o", "{disk}/report.md")),
    "triage: the report's file": (
        WRITES, ("triage", "{core}", "--exe", "{exe}", "-o", "{disk}/report.md"),
    ),
}  # fmt: skip
"""What each command writes, what must come of it, and the command."""


def main() -> None:
    """Make a session while there is room, then run the table."""
    disk, outside, core, exe = map(Path, sys.argv[1:])
    base = disk / "sessions"
    run(["triage", str(core), "--exe", str(exe)], base)
    session = newest(base)
    assert session is not None
    archive = outside / "x.zip"
    run(["sessions", "export", session.name, "-o", str(archive)], base)
    names = {
        "id": session.name, "core": str(core), "exe": str(exe), "zip": str(archive),
        "disk": str(disk), "long": "x" * 20_000,
    }  # fmt: skip
    before = written(session)
    told = {}
    for what, (_, words) in POINTS.items():
        fill(disk)
        done = run([word.format(**names) for word in words], base)
        there = sorted(path.name for path in base.iterdir() if path.is_dir())
        rest = sorted(path.name for path in disk.iterdir())
        kept = written(session)[: len(before)] == before
        told[what] = (done.returncode, done.stdout, done.stderr, there, rest, kept)
    (disk / "ballast").unlink()
    done = run(["report", session.name, "--format", "json"], base)
    print(json.dumps({"id": session.name, "after": done.stdout, "told": told}))


def written(session: Path) -> list[str]:
    """The journal as it is stored."""
    return [encode_event(row.event).decode() for row in read_events(session)]


def run(words: list[str], base: Path) -> subprocess.CompletedProcess[str]:
    """One command of the workbench."""
    return workbench(*words, "--sessions-dir", base)


def fill(disk: Path) -> None:
    """Take every byte."""
    handle = os.open(disk / "ballast", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    size = 1 << 20
    while size:
        try:
            os.write(handle, b"\0" * size)
        except OSError:
            size //= 2
    os.close(handle)


if __name__ == "__main__":
    main()
