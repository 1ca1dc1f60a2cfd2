"""From the command to the first evidence, for each debugger, against that debugger alone."""

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.timing import Result, ratio, wall
from tests.crashes import build, crash, gdbs, lldbs
from workbench import samples
from workbench.debuggers.gdb.find import find_gdb
from workbench.debuggers.lldb.find import find_lldb
from workbench.samples import DemoSample

# All of ours starts Python and reads the dump itself first, which no debugger does.
BOUND = 2.5
SOURCE = Path(samples.__file__).with_name("server.c")
_EVIDENCE = re.compile(rb"^ *[0-9.]+s  E[0-9]+ ", re.MULTILINE)
_STACK = re.compile(rb"^ *[0-9.]+s  E[0-9]+ (?:bt|thread backtrace) ", re.MULTILINE)


@dataclass(frozen=True)
class Side:
    """A debugger: how a triage is told to use it, and the bare one that prints the same stack."""

    name: str
    label: str
    setting: Mapping[str, str]
    bare: Sequence[str]
    environment: Mapping[str, str]


def run(sample: DemoSample, scratch: Path, repeats: int = 7) -> Result:
    """``workbench triage`` until the faulting thread's stack is evidence, in turn with the bare
    debugger that loads the dump and prints that stack."""
    executable = build(SOURCE, "-g", "-Og", "-pthread")
    core = crash(executable, "--replay", str(SOURCE.with_name("kiosks.trace")))
    rows: list[tuple[str, str, str]] = []
    commands = ["`workbench triage core --exe server --debugger D`, read from stderr"]
    every = True
    for side in sides(executable, core):
        first, stack, bare = list[float](), list[float](), list[float]()
        for _ in range(repeats + 1):
            sessions = scratch / "first-evidence"
            one, two = until_evidence(side, executable, core, sessions)
            first.append(one)
            stack.append(two)
            bare.append(wall(side.bare, side.environment))
        ours, alone = statistics.median(stack[1:]), statistics.median(bare[1:])
        value, bound, kept = ratio(ours / alone, BOUND)
        every = every and kept
        rows += [
            (f"{side.label}: first evidence, the dump's health", _ms(first[1:]), ""),
            (f"{side.label}: the stack of the thread that died", _ms(stack[1:]), ""),
            (f"{side.label}, bare, the same stack", _ms(bare[1:]), ""),
            (f"{side.label}: ratio", value, bound),
        ]
        commands.append(" ".join(Path(word).name if "/" in word else word for word in side.bare))
    return Result("Open to first evidence", tuple(rows), tuple(commands), every)


def sides(executable: Path, core: Path) -> list[Side]:
    """Every debugger that is here, the usual first."""
    found = []
    for path in gdbs():
        gdb = find_gdb(path)
        bare = [str(gdb.path), *gdb.options, "-nx", "-q", "-batch", "-iex", "set auto-load no"]
        bare += ["-iex", "set debuginfod enabled off", "-ex", "bt 64", str(executable), str(core)]
        label = f"gdb {_version(bare[0], gdb.environment())}"
        found.append(Side("gdb", label, {"WORKBENCH_GDB": str(path)}, bare, gdb.environment()))
    for path in lldbs():
        lldb = find_lldb(path)
        bare = [str(lldb.path), *lldb.options, "--no-lldbinit", "--batch"]
        version = _version(bare[0], lldb.environment())
        if not version.startswith("14."):  # which knows no debuginfod, and ends at an error
            bare += ["-O", "settings clear plugin.symbol-locator.debuginfod.server-urls"]
        bare += ["-o", "thread backtrace --count 64", "--core", str(core), str(executable)]
        label = f"lldb {version}"
        found.append(Side("lldb", label, {"WORKBENCH_LLDB": str(path)}, bare, lldb.environment()))
    return found


def until_evidence(side: Side, executable: Path, core: Path, sessions: Path) -> tuple[float, float]:
    """Seconds from the start of a triage until its first evidence, and until the stack's."""
    command = [str(Path(sys.executable).parent / "workbench"), "triage", str(core)]
    command += ["--exe", str(executable), "--debugger", side.name, "--sessions-dir", str(sessions)]
    environment = {**os.environ, **side.setting}
    begun = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stderr is not None
        seen, first = b"", 0.0
        while not _STACK.search(seen):
            data = os.read(process.stderr.fileno(), 1 << 16)
            assert data, f"no stack came: {seen[-2000:]!r}"
            seen += data
            if not first and _EVIDENCE.search(seen):
                first = time.perf_counter() - begun
        stack = time.perf_counter() - begun
        process.stderr.read()
    return first, stack


def _version(program: str, environment: Mapping[str, str]) -> str:
    """Its version, as it says it."""
    asked = [program, "--version"]
    told = subprocess.run(asked, capture_output=True, text=True, env=environment).stdout
    found = re.findall(r"[0-9]+(?:\.[0-9]+)+(?![\w.-])", told.split("\n", 1)[0])
    return found[-1] if found else ""


def _ms(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.0f} ms"
