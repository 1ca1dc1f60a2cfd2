"""Kill a triage with SIGKILL at random moments, take it up again, and lose nothing."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyte

from tests.bench.pty_run import COLUMNS, ROWS, PtyRun
from workbench.fronts.progress import progress_line
from workbench.model.events import (
    AnyEvent,
    ConclusionDrafted,
    Criticised,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisMoved,
    HypothesisProposed,
    Judged,
    Phase,
    PhaseEntered,
    Stopped,
    encode_event,
)
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation, fold
from workbench.model.journal import Recorded
from workbench.model.text import printable
from workbench.samples import demo_files
from workbench.store.errors import StoreError
from workbench.store.reading import read_events
from workbench.store.schema import DATABASE

WORKBENCH = [sys.executable, "-c", "from workbench.fronts.cli import main; main()"]


def kill_and_resume(seed: int, kills: int, scratch: Path) -> int:
    """Kill that many times, over as many sessions as it takes; returns how many came to an end.

    Raises `AssertionError` when an event is lost or changed, a finished command ran again, a
    debugger outlived its workbench, or the conclusion differs from an undisturbed run's.
    """
    chance = random.Random(seed)
    sample = demo_files(scratch)
    begun = time.monotonic()
    expected = conclusion(finish(str(sample.core), sample.executable, scratch / "whole"))
    length = time.monotonic() - begun
    killed = ended = 0
    while killed < kills:
        base = scratch / f"run-{ended}"
        target, before = str(sample.core), list[Recorded]()
        while True:
            process = start(target, sample.executable, base, scratch / "shown")
            try:
                output, _ = process.communicate(timeout=chance.uniform(0.02, 1.1) * length)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                killed += 1
                check_no_orphan(sample.core)
                session = newest(base)
                if session is not None:
                    target, before = session.name, check_kept(session, before)
                    check_shown(before, (scratch / "shown").read_text())
                continue
            assert process.returncode == 0, (seed, killed, process.returncode)
            assert conclusion(json.loads(output)) == expected, (seed, killed)
            ended += 1
            break
    return ended


def kill_screens(seed: int, kills: int, scratch: Path) -> int:
    """The same of the workbench on a terminal, taken up again on one; returns how many events its
    panes had shown before a kill. Raises `AssertionError` where one of them is not in the journal,
    and as `kill_and_resume` does."""
    chance = random.Random(seed)
    sample = demo_files(scratch)
    base, target, before, told = scratch / "screens-0", str(sample.core), list[Recorded](), 0
    for turn in range(kills):
        words = ["sessions", "resume", target]
        if not target.startswith("session_"):
            words = ["open", target, "--exe", str(sample.executable)]
        with PtyRun([*WORKBENCH, *words, "--sessions-dir", str(base)]) as app:
            shown = Shown()
            # From before there is a session to after its end.
            _watch(app, shown, chance.choice((0.3, 0.6, 60.0, 60.0)), _PAST_THE_START)
            app.send("A")
            _watch(app, shown, chance.uniform(0.0, 1.0))
            app.process.kill()
            app.process.wait()
            shown.feed(app.drain(0.05))
        check_no_orphan(sample.core)
        session = newest(base)
        if session is None:
            assert not shown.items, (seed, turn, shown.items)
            continue
        target, before = session.name, check_kept(session, before)
        state = fold(before)
        items = {id: item.command for id, item in state.evidence.items()}
        lost = {id: says for id, says in shown.items.items() if not _is_of(items.get(id), says)}
        assert not lost, (seed, turn, lost, items)
        kept = {Phase.OPENING.value, *(said for row in before if (said := _in_pane(row.event)))}
        assert shown.steps <= kept, (seed, turn, shown.steps - kept)
        told += len(shown.items) + len(shown.steps)
        if state.phase is Phase.DONE:
            base, target, before = scratch / f"screens-{turn + 1}", str(sample.core), []
    return told


_PAST_THE_START = "should be tested|[◐●] (?:testing|invest|reason|crit|judg|report|conc|inconc)"


def _watch(app: PtyRun, shown: "Shown", seconds: float, until: str = "") -> None:
    """Read the screen for so long, or until something stands on it, evidence too."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        shown.feed(app.read(min(left, 0.05)))
        if until and shown.items and re.search(until, shown.text):
            return


def _is_of(command: str | None, shown: str) -> bool:
    return command is not None and command.startswith(shown)


def _in_pane(event: AnyEvent) -> str | None:
    """How an event stands in the panes, as `Shown` reads them."""
    match event:
        case PhaseEntered():
            return event.phase.value
        case Stopped():
            return event.by.value
        case HypothesisProposed():
            return f"{event.hypothesis.id} {event.hypothesis.status.value}"
        case HypothesisMoved():
            return f"{event.id} {event.status.value}"
        case HypothesisDecided():
            return f"{event.id} {event.verdict.status.value}"
        case Criticised():
            return f"Round {event.round.number}"
        case Judged():
            return "Judgement"
        case ConclusionDrafted():
            return "Conclusion"
    return None


class Shown:
    """What the panes on a terminal have ever shown: evidence by id; the header's phases, each
    status of a hypothesis, and what the critic's pane holds, as ``steps``."""

    _PRIVATE = re.compile(rb"\x1b(?:\[[<=>?][0-9;:$]*[a-zA-Z]|[P\]][^\x07\x1b]*(?:\x07|\x1b\\))")
    _ITEM = re.compile(r"\b(E[1-9]\d*) +(?:gdb|file) +(\S.*?)(?: {2,}|…|$)")
    _STEP = re.compile(  # of a frame that a kill cut in two, words that are none are left out
        rf"\b(?P<id>H[1-9]\d*) [○◔◑●✕◌] (?P<status>{'|'.join(Status)})\b"
        r"|[◐●] (?P<phase>[a-z]+)  +\d+:\d\d|(?P<round>Round \d+) "
        r"|(?P<judged>Judgement) H|(?P<drafted>Conclusion) [a-z]"
    )

    def __init__(self) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._left = b""
        self.items: dict[str, str] = {}
        self.steps: set[str] = set()

    @property
    def text(self) -> str:
        """The screen now."""
        return "\n".join(self._screen.display)

    def feed(self, data: bytes) -> None:
        """Draw what came, up to a sequence that is not complete, and look."""
        if not data:
            return
        data = self._PRIVATE.sub(b"", self._left + data)
        cut = data.rfind(b"\x1b")
        whole = cut < 0 or re.match(rb"\x1b(?:\[[0-9;:]*[a-zA-Z@]|[^\[P\]])", data[cut:])
        self._left = b"" if whole else data[cut:]
        self._stream.feed(data if whole else data[:cut])
        for line in self._screen.display:
            self.items.update(self._ITEM.findall(line))
            for found in self._STEP.finditer(line):
                self.steps.add(" ".join(filter(None, found.groups())))


def start(
    target: str, executable: Path, base: Path, shown: Path | None = None
) -> subprocess.Popen[bytes]:
    """A triage under way, its report on a pipe, its progress in a file."""
    command = [*WORKBENCH, "triage", target, "--format", "json", "--sessions-dir", str(base)]
    if not target.startswith("session_"):
        command += ["--exe", str(executable)]
    with open(shown or os.devnull, "wb") as progress:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=progress)


def finish(target: str, executable: Path, base: Path) -> dict[str, Any]:
    """The report of a triage that nobody disturbs."""
    output, _ = start(target, executable, base).communicate(timeout=60)
    report: dict[str, Any] = json.loads(output)
    return report


def conclusion(report: dict[str, Any]) -> tuple[object, ...]:
    """What must not depend on how often a run was killed."""
    analysis = report["analysis"]["aiAnalysis"]
    commands = sorted(item["command"] for item in analysis["evidenceLedger"])
    frame = analysis["frame"]["function"]
    return analysis["category"], frame, analysis["confidence"], *commands


def newest(base: Path) -> Path | None:
    """The session that has begun in a folder, or None: the kill came before its first event."""
    for folder in sorted(base.glob("session_*"), reverse=True):
        if (folder / DATABASE).stat().st_size and _has_begun(folder):
            return folder
    return None


def _has_begun(folder: Path) -> bool:
    """False where the kill came between the file's first page and its first table."""
    try:
        return bool(read_events(folder))
    except StoreError as error:
        if "no such table" not in str(error):
            raise
        return False


def check_kept(session: Path, before: list[Recorded]) -> list[Recorded]:
    """The journal now: numbered without gaps, grown only at its end, no command twice."""
    rows = read_events(session)
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert [encode_event(row.event) for row in rows[: len(before)]] == [
        encode_event(row.event) for row in before
    ]
    whole = Counter(
        row.event.evidence.call_hash
        for row in rows
        if isinstance(row.event, EvidenceRecorded) and not row.event.evidence.partial
    )
    assert not [name for name, times in whole.items() if times > 1]
    return rows


def check_shown(rows: list[Recorded], progress: str) -> None:
    """Each line that the progress showed before the kill is one of an event in the journal."""
    state, kept = Investigation(), set[str]()
    for row in rows:
        state.apply(row.event, row.at, row.seq)
        kept.add(printable(progress_line(row.event, state) or ""))
    shown = [line.partition("s  ")[2] for line in progress.split("\n")[:-1]]
    assert not [line for line in shown if line not in kept], (shown, kept)


def check_no_orphan(core: Path, seconds: float = 2.0) -> None:
    """No process that has the core among its arguments lives on."""
    deadline = time.monotonic() + seconds
    while left := [pid for pid in os.listdir("/proc") if pid.isdigit() and _names(pid, core)]:
        assert time.monotonic() < deadline, f"left behind: {left}"
        time.sleep(0.02)


def _names(pid: str, core: Path) -> bool:
    try:
        return str(core).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
