"""300 of the cases that ship: against bare gdb with the same commands, and on one core and two."""

import json
import os
import shutil
import sys
from pathlib import Path

from tests.bench.timing import Result, interleaved, ratio, wall
from workbench.samples import DemoSample

CASES = 300
BOUND, FASTER = 3.0, 1.8


def run(sample: DemoSample, scratch: Path, repeats: int = 2) -> Result:
    """`evaluate execute`, whose programs are compiled and crashed before."""
    folder = scratch / "evaluation"
    evaluate = [str(Path(sys.executable).parent / "workbench"), "evaluate"]
    words = ["--folder", str(folder), "--corpus", "programs", "--jobs"]
    scenarios, captures = folder / "scenarios.json", folder / "captures.json"

    def execute(jobs: int, *more: str) -> float:
        shutil.rmtree(folder / "transcripts", ignore_errors=True)
        captures.unlink(missing_ok=True)
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(cores)[:jobs])  # a process and its gdb take more than one
        try:
            return wall([*evaluate, "execute", *words, str(jobs), *more])
        finally:
            os.sched_setaffinity(0, cores)

    execute(2)
    execute(1, "--bare")
    rows = json.loads(captures.read_text())["captures"]
    bare = {row["id"]: row["bareSeconds"] for row in rows if row["bareSeconds"] is not None}
    cases = json.loads(scenarios.read_text())["cases"]
    some = [case for case in cases if case["id"] in bare][:CASES]
    scenarios.write_text(json.dumps({"cases": some}))
    gdb = sum(bare[case["id"]] for case in some)
    seconds = interleaved(
        {"one": lambda: execute(1), "two": lambda: execute(2)}, repeats, warmups=0
    )
    whole, bound, kept = ratio(seconds["one"] / gdb, BOUND)
    faster, least, quick = ratio(seconds["one"] / seconds["two"], FASTER, least=True)
    return Result(
        f"{len(some)} cases of the evaluation",
        (
            ("evaluate execute, one process on one core", f"{seconds['one']:.0f} s", ""),
            ("gdb, the same commands of each case", f"{gdb:.0f} s", ""),
            ("ratio", whole, bound),
            ("evaluate execute, two processes on two cores", f"{seconds['two']:.0f} s", ""),
            ("ratio of the speeds", faster, least),
        ),
        (
            "taskset -c 0 workbench evaluate execute --corpus programs --jobs 1",
            "workbench evaluate execute --corpus programs --jobs 2",
            "gdb -nx -batch -ex … program core, once for each case (`evaluate execute --bare`)",
        ),
        kept and quick and len(some) == CASES,
    )
