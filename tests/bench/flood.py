"""A gigabyte of output of one command, captured: speed and memory against ``cat`` into a file."""

import asyncio
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench.pty_run import PtyRun
from tests.bench.timing import Result, ratio
from workbench.samples import DemoSample

BOUND_SPEED, BOUND_MEMORY = 0.5, 64
MEGABYTES = 1000
LINE = ("0123456789abcdef" * 5)[:70]


@dataclass(frozen=True)
class Captured:
    """Seconds until the evidence was committed, MB of memory that came on top, seconds until it
    was compressed, and the text's sha256."""

    seconds: float
    grown: float
    packing: float
    sha256: str


def run(sample: DemoSample, scratch: Path, repeats: int = 3) -> Result:
    """The same file, printed by ``cat`` on a terminal and by ``shell cat`` in the debugger of a
    session, in turn."""
    flood = scratch / "flood.txt"
    write_flood(flood, MEGABYTES)
    bare, ours, grown, packing = list[float](), list[float](), list[float](), list[float]()
    for turn in range(repeats):
        digest, seconds = cat(flood, scratch / "copy")
        bare.append(seconds)
        told = captured(sample, flood, scratch / f"flood-{turn}")
        assert told.sha256 == digest, "the stored text is not what was printed"
        ours.append(told.seconds)
        grown.append(told.grown)
        packing.append(told.packing)
    flood.unlink()
    speed, speed_bound, speed_kept = ratio(
        statistics.median(bare) / statistics.median(ours), BOUND_SPEED, least=True
    )
    memory = max(grown)
    kept = memory <= BOUND_MEMORY
    return Result(
        f"{MEGABYTES} MB of output of one command",
        (
            ("workbench, until the evidence is committed", _rate(ours), ""),
            ("cat on the same kind of terminal, into a file with sha256", _rate(bare), ""),
            ("ratio of the speeds", speed, speed_bound),
            (
                "growth of resident memory, most of all runs",
                f"{memory:.0f} MB",
                f"≤ {BOUND_MEMORY} MB{'' if kept else ', missed'}",
            ),
            ("compressed afterwards, in the background", f"{statistics.median(packing):.1f} s", ""),
        ),
        (
            "`shell cat flood.txt` as the person's command in a session on the sample, until its"
            " evidence is committed; memory is VmHWM against VmRSS before, packing included",
            "`cat flood.txt` on a raw terminal; `os.read`, `hashlib.sha256`, `file.write`",
        ),
        speed_kept and kept,
    )


def write_flood(path: Path, megabytes: int) -> None:
    """Numbered lines of 80 bytes, that many million bytes in all."""
    with path.open("w") as file:
        for number in range(megabytes):
            first = number * 12_500
            file.write("".join(f"{first + i:08d} {LINE}\n" for i in range(12_500)))


def cat(flood: Path, copy: Path) -> tuple[str, float]:
    """What prints the file costs at least: its sha256 and the seconds."""
    digest = hashlib.sha256()
    with PtyRun(["/bin/sh", "-c", f"read go; exec cat '{flood}'"], raw=True) as run:
        time.sleep(0.2)
        left = flood.stat().st_size
        begun = time.perf_counter()
        run.send("go\n")
        with copy.open("wb") as file:
            while left:
                data = os.read(run.master, 1 << 16)
                digest.update(data)
                file.write(data)
                left -= len(data)
        seconds = time.perf_counter() - begun
    copy.unlink()
    return digest.hexdigest(), seconds


def captured(sample: DemoSample, flood: Path, sessions: Path) -> Captured:
    """The same in a session, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.flood", *map(str, (sample.core, flood, sessions))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return Captured(**json.loads(done.stdout))


async def _capture(core: Path, flood: Path, sessions: Path) -> Captured:
    from workbench.engine.recipe import GateMode
    from workbench.model.target import Options
    from workbench.opening import Request, open_session
    from workbench.settings import Settings

    request = Request(target=str(core), options=Options(), base=sessions, settings=Settings())
    session = await open_session(request, GateMode.HEADLESS)
    try:
        await session.run()
        before = resident("VmRSS")
        forget_peak()
        begun = time.perf_counter()
        await session.user_command(f"shell cat {flood}")
        seconds = time.perf_counter() - begun
        evidence = session.state.evidence[next(reversed(session.state.evidence))]
        folder = session.store.folder / "evidence"
        while (folder / f"{evidence.id}.txt").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        packing = time.perf_counter() - begun - seconds
        grown = resident("VmHWM") - before
    finally:
        await session.close()
    assert not evidence.partial, evidence.summary
    return Captured(seconds, grown, packing, evidence.sha256)


def forget_peak() -> None:
    """VmHWM begins anew (proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")


def resident(name: str) -> float:
    """A line of /proc/self/status, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1000
    raise AssertionError(f"no {name}: see proc(5)")


def _rate(seconds: list[float]) -> str:
    return f"{MEGABYTES / statistics.median(seconds):.0f} MB/s"


if __name__ == "__main__":
    core, flood, sessions = map(Path, sys.argv[1:])
    print(json.dumps(asdict(asyncio.run(_capture(core, flood, sessions)))))
