"""50 MB of ``thread apply all bt`` read into facts, against one regular expression on its lines."""

import multiprocessing
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from analyzers.base import Document
from analyzers.registry import analyze
from tests.analyzers.threads_text import gdb_threads
from tests.bench.timing import Result, interleaved, ratio
from workbench.model.facts import StackGroups
from workbench.samples import DemoSample
from workbench.store.large_text import read_blocks

THREADS, FRAMES = 10_000, 54
BOUND = 1 / 3
MOST_MEMORY = 64
ONE = re.compile(r"#(\d+)\s+(?:0x([0-9a-f]+) in )?(.+?) \((.*)\)(?: at (.+):(\d+)| from (.+))?$")


def run(sample: DemoSample, scratch: Path, repeats: int = 5) -> Result:
    """The analyzer on the blocks of a stored text, in turn with the expression on the same."""
    path = scratch / "threads.txt"
    path.write_text("".join(gdb_threads(THREADS, FRAMES)))
    size = path.stat().st_size / 1e6
    seconds = interleaved({"read": partial(read, path), "match": partial(match, path)}, repeats)
    speed, bound, fast = ratio(seconds["match"] / seconds["read"], BOUND, least=True)
    grown = max(growth(path) for _ in range(3))
    held, most, small = ratio(grown, MOST_MEMORY)
    return Result(
        f"{size:.0f} MB of thread apply all bt of {THREADS:,} threads",
        (
            ("read into facts", f"{size / seconds['read']:.0f} MB/s", ""),
            ("one regular expression on its lines", f"{size / seconds['match']:.0f} MB/s", ""),
            ("ratio of the speeds", speed, bound.replace(f"{BOUND:g}", "1/3")),
            ("growth of resident memory, most of 3", f"{float(held):.0f} MB", f"{most} MB"),
        ),
        (
            'analyze(Document("E1", "thread apply all bt", "gdb", ..., blocks of the stored text))',
            f'`re.compile(r"{ONE.pattern}").match(line)` for each line of the same blocks',
        ),
        fast and small,
    )


def blocks(path: Path) -> Iterator[str]:
    """The stored text as the engine gives it to an analyzer."""
    return read_blocks(path, path.with_suffix(".zst"))


def read(path: Path) -> float:
    """Seconds to read it into facts."""
    begun = time.perf_counter()
    document = Document("E1", "thread apply all bt", "gdb", "", partial(blocks, path))
    facts = analyze(document).facts
    took = time.perf_counter() - begun
    (groups,) = (fact for fact in facts if isinstance(fact, StackGroups))
    assert groups.total == THREADS
    return took


def match(path: Path) -> float:
    """Seconds for the expression alone."""
    begun = time.perf_counter()
    found = sum(
        1 for block in blocks(path) for line in block.split("\n") if ONE.match(line) is not None
    )
    took = time.perf_counter() - begun
    assert found == THREADS * FRAMES
    return took


def growth(path: Path) -> float:
    """MB by which a fresh process grew while it read."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_growth, (path,))


def _growth(path: Path) -> float:
    analyze(Document("E1", "thread apply all bt", "gdb", ""))  # the modules are there
    before = _resident("VmRSS")
    read(path)
    return (_resident("VmHWM") - before) / 1024


def _resident(field: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))
