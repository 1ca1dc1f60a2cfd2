"""A whole offline triage against the bare debugger that runs the same commands in one batch."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.timing import Result, interleaved, ratio, wall
from tests.crashes import build, crash
from workbench import samples
from workbench.debuggers.gdb.find import find_gdb
from workbench.samples import DemoSample

BOUND_ALL, BOUND_WORK = 2.0, 1.3
SOURCE = Path(samples.__file__).with_name("server.c")
LOADED = """
import contextlib, io, json, sys
from workbench.fronts.cli import main
sys.argv = ["workbench", *sys.argv[1:]]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main()
ours = ("workbench", "analyzers")
print(json.dumps([name for name in sys.modules if name.split(".")[0] in ours]))
"""


def run(sample: DemoSample, scratch: Path, repeats: int = 11) -> Result:
    """``workbench triage``, the batch, and the start of Python with the same imports, in turn.

    The bounds are for the sample's program as programs usually are, linked dynamically; the
    packaged sample is static, with no library whose symbols gdb would have to read.
    """
    executable = build(SOURCE, "-g", "-Og", "-pthread")
    core = crash(executable, "--replay", str(SOURCE.with_name("kiosks.trace")))
    usual, commands = measure(executable, core, scratch / "usual", repeats)
    static, _ = measure(sample.executable, sample.core, scratch / "static", repeats)
    every, bound_every, kept_every = ratio(usual["triage"] / usual["gdb"], BOUND_ALL)
    work, bound_work, kept_work = ratio(
        (usual["triage"] - usual["start"]) / usual["gdb"], BOUND_WORK
    )
    return Result(
        "Offline triage of a core with nine threads",
        (
            ("workbench triage", _ms(usual["triage"]), ""),
            (f"gdb, the same {len(commands)} commands", _ms(usual["gdb"]), ""),
            ("start of Python and imports", _ms(usual["start"]), ""),
            ("ratio, all told", every, bound_every),
            ("ratio without start and imports", work, bound_work),
            ("static sample: workbench triage", _ms(static["triage"]), ""),
            ("static sample: gdb", _ms(static["gdb"]), ""),
            ("static sample: start and imports", _ms(static["start"]), ""),
            ("static sample: ratio, all told", f"{static['triage'] / static['gdb']:.2f}", ""),
        ),
        (
            "workbench triage core --exe server --tier offline --format json",
            "gdb -nx -batch -ex … server core, with " + ", ".join(f"`{it}`" for it in commands),
            "python -c 'import …', with each module of workbench and analyzers that the triage"
            " had loaded at its end",
        ),
        kept_every and kept_work,
        "The program is `workbench/samples/server.c`, linked dynamically; for the packaged"
        " sample, which is static, gdb has no library to read and the start of Python weighs most.",
    )


def measure(
    executable: Path, core: Path, sessions: Path, repeats: int
) -> tuple[dict[str, float], list[str]]:
    """The medians of the three sides, and the commands that the triage asked gdb."""
    target = [str(core), "--exe", str(executable), "--format", "json"]
    target += ["--tier", "offline", "--sessions-dir", str(sessions)]
    workbench = [str(Path(sys.executable).parent / "workbench"), "triage", *target]
    commands = asked(workbench)
    found = find_gdb()
    gdb = [str(found.path), *found.options, "-nx", "-batch", "-iex", "set auto-load no"]
    gdb += ["-iex", "set debuginfod enabled off"]
    for command in commands:
        gdb += ["-ex", command]
    gdb += [str(executable), str(core)]
    # As `__main__.main` does it: without the collector's walks over what is loaded, and without
    # compiling regular expressions again.
    first = "import gc, workbench.kept_patterns as it; gc.disable(); it.KeptPatterns()"
    modules = ", ".join(loaded(["triage", *target]))
    start = [sys.executable, "-c", f"{first}; import {modules}; gc.freeze()"]
    seconds = interleaved(
        {
            "triage": lambda: wall(workbench),
            "gdb": lambda: wall(gdb, found.environment()),
            "start": lambda: wall(start),
        },
        repeats,
    )
    return seconds, commands


def asked(workbench: Sequence[str]) -> list[str]:
    """The debugger's commands of one triage, in order, as its report tells them."""
    done = subprocess.run(workbench, capture_output=True, text=True, check=True)
    ledger = json.loads(done.stdout)["analysis"]["aiAnalysis"]["evidenceLedger"]
    commands = [item["command"] for item in ledger if item["source"] == "debugger"]
    return [command for command in commands if not command.startswith("(")]


def loaded(arguments: Sequence[str]) -> list[str]:
    """The project's modules that a triage imports, in the order in which it does."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    names: list[str] = json.loads(done.stdout)
    return names


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
