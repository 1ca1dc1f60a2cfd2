"""A whole offline triage against the bare debugger that runs the same commands in one batch."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.timing import Result, interleaved, ratio, wall
from workbench.debuggers.find_gdb import find_gdb
from workbench.samples import DemoSample

BOUND_ALL, BOUND_WORK = 2.0, 1.3
LOADED = """
import contextlib, io, json, sys
from workbench.cli import main
sys.argv = ["workbench", *sys.argv[1:]]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main()
ours = ("workbench", "analyzers")
print(json.dumps([name for name in sys.modules if name.split(".")[0] in ours]))
"""


def run(sample: DemoSample, scratch: Path, repeats: int = 11) -> Result:
    """``workbench triage``, the batch, and the start of Python with the same imports, in turn."""
    target = [str(sample.core), "--exe", str(sample.executable), "--format", "json"]
    target += ["--tier", "offline", "--sessions-dir", str(scratch / "triage")]
    workbench = [str(Path(sys.executable).parent / "workbench"), "triage", *target]
    commands = asked(workbench)
    found = find_gdb()
    gdb = [str(found.path), *found.options, "-nx", "-batch", "-iex", "set auto-load no"]
    gdb += ["-iex", "set debuginfod enabled off", "-iex", f"directory {sample.source_dir}"]
    for command in commands:
        gdb += ["-ex", command]
    gdb += [str(sample.executable), str(sample.core)]
    start = [sys.executable, "-c", f"import {', '.join(loaded(['triage', *target]))}"]
    seconds = interleaved(
        {
            "triage": lambda: wall(workbench),
            "gdb": lambda: wall(gdb, found.environment()),
            "start": lambda: wall(start),
        },
        repeats,
    )
    every, bound_every, kept_every = ratio(seconds["triage"] / seconds["gdb"], BOUND_ALL)
    work, bound_work, kept_work = ratio(
        (seconds["triage"] - seconds["start"]) / seconds["gdb"], BOUND_WORK
    )
    return Result(
        "Offline triage of a core with nine threads",
        (
            ("workbench triage", f"{seconds['triage'] * 1000:.0f} ms", ""),
            (f"gdb, the same {len(commands)} commands", f"{seconds['gdb'] * 1000:.0f} ms", ""),
            ("start of Python and imports", f"{seconds['start'] * 1000:.0f} ms", ""),
            ("ratio, all told", every, bound_every),
            ("ratio without start and imports", work, bound_work),
        ),
        (
            "workbench triage core --exe server --tier offline --format json",
            "gdb -nx -batch -ex … server core, with " + ", ".join(f"`{it}`" for it in commands),
            "python -c 'import …', with each module of workbench and analyzers that the triage"
            " had loaded at its end",
        ),
        kept_every and kept_work,
    )


def asked(workbench: Sequence[str]) -> list[str]:
    """The debugger's commands of one triage, in order, as its report tells them."""
    done = subprocess.run(workbench, capture_output=True, text=True, check=True)
    ledger = json.loads(done.stdout)["analysis"]["aiAnalysis"]["evidenceLedger"]
    return [item["command"] for item in ledger if item["source"] == "debugger"]


def loaded(arguments: Sequence[str]) -> list[str]:
    """The project's modules that a triage imports, in the order in which it does."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    names: list[str] = json.loads(done.stdout)
    return names
