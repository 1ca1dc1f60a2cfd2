"""What `workbench reproduce` costs, of a program that runs 0.2 s: in plain runs and in seconds."""

import asyncio
import statistics
import subprocess
import time
from pathlib import Path

from tests.bench.timing import Result, ratio
from tests.crashes import build
from tests.reproduce.finding import find, program
from tests.samples.origins import ORIGINS
from workbench.reproduce.program import Program, program_of
from workbench.samples import DemoSample

RUNS, SECONDS = 10, 5.0
"""What the origin may cost at most."""
PLAIN = 0.2
SLOW = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
struct name { char *text, room[40]; };
struct entry { struct name *name; long uses, step; };
static struct entry table[64];
static struct name *other;
static void fill(void) {
    for (int i = 0; i < 64; i++) {
        table[i].name = calloc(1, sizeof(struct name));
        table[i].name->text = memset(table[i].name->room, 'a' + i % 26, 39);
        table[i].step = 3;
    }
}
static void forget(struct entry *one) { %s }
static long use(struct entry *one) { one->uses++; return %s; }
int main(void) {
    struct timespec begun, now;
    long sum = 0;
    fill();
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        for (int i = 0; i < 64; i++) sum += use(&table[i]);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < 200);
    forget(&table[40]);
    for (int i = 0; i < 64; i++) sum += use(&table[i]);
    return (int)sum;
}
"""
PROGRAMS = {
    "a member that was cleared": ("one->name = NULL;", "one->name->text[3]"),
    "a block that was freed": (
        "free(one->name); other = memset(malloc(sizeof *other), -1, sizeof *other);",
        "one->name->text[3]",
    ),
    "a divisor that was cleared": ("one->step = 0;", "one->uses / one->step"),
}
"""By the kind of fault: what `forget` does to an entry, and how an entry is used."""


def run(sample: DemoSample, scratch: Path, repeats: int = 3) -> Result:
    """Each program from its first run to the origin, gdb's own start in it; those of the corpus,
    which run for a moment only, once."""
    rows: list[tuple[str, str, str]] = []
    kept = True
    for kind, (forget, use) in PROGRAMS.items():
        path = build(SLOW.replace("%s", forget, 1).replace("%s", use, 1), "-g", "-O1")
        plain = statistics.median(_plain(path) for _ in range(repeats))
        took, runs = zip(*(_reproduced(path) for _ in range(repeats)), strict=True)
        _, bound, fast = ratio(statistics.median(took), SECONDS)
        _, few, short = ratio(max(runs), RUNS)
        rows.append((f"{kind}, runs", str(max(runs)), few))
        seconds = f"{statistics.median(took):.1f} s, plain {plain:.2f} s"
        rows.append((f"{kind}, seconds", seconds, bound))
        kept = kept and fast and short
    each = [
        (planted.source.stem, *_timed(program(planted), planted.function))
        for planted in ORIGINS if not planted.hangs
    ]  # fmt: skip
    slowest, took, _ = max(each, key=lambda one: one[1])
    most = max(runs for *_, runs in each)
    what = f"the {len(each)} programs of the corpus"
    _, bound, fast = ratio(took, SECONDS)
    _, few, short = ratio(most, RUNS)
    rows.append((f"{what}, most runs", str(most), few))
    rows.append((f"{what}, most seconds", f"{took:.1f} s, {slowest}", bound))
    kept = kept and fast and short
    return Result(
        f"Reproducing a fault of a program that runs {PLAIN:g} s",
        tuple(rows),
        ("workbench reproduce -- ./program",),
        kept,
    )


def _plain(path: Path) -> float:
    begun = time.perf_counter()
    subprocess.run([path], check=False)
    return time.perf_counter() - begun


def _reproduced(path: Path) -> tuple[float, int]:
    asked = program_of([str(path)], path.parent, None, [], 3, 20.0)
    return _timed(asked, "forget")


def _timed(asked: Program, function: str) -> tuple[float, int]:
    """Seconds and runs to the origin, which has to be in that function."""
    begun = time.perf_counter()
    found = asyncio.run(find(asked))
    took = time.perf_counter() - begun
    assert found.origin is not None, found.texts[-1]
    assert found.origin.function == function, found.origin
    return took, found.runs
