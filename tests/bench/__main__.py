"""Run the benchmarks and write BENCHMARKS.md.

    python -m tests.bench [NAME...]     only these, printed and not written

Exits with 1 when a bound is not kept.
"""

import compileall
import importlib
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.timing import Result
from workbench.samples import demo_files

NAMES = (
    *("triage", "first_evidence", "first_paint", "console", "flood", "resume", "threads"),
    *("search", "sessions", "large_session", "evaluation", "reproduce"),
)
TARGET = Path(__file__).parents[2] / "BENCHMARKS.md"


def main() -> int:
    """Measure what was asked for."""
    wanted = sys.argv[1:] or NAMES
    for package in ("workbench", "analyzers"):  # an installed package has its bytecode
        compileall.compile_dir(Path(__file__).parents[2] / package, quiet=1)
    results = []
    where = machine()
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as name:
        scratch = Path(name)
        sample = demo_files(scratch)
        for one in wanted:
            print(f"measuring {one}", file=sys.stderr)
            bench = importlib.import_module(f"tests.bench.{one}")
            results.append(bench.run(sample, scratch))
            print(section(results[-1]))
    if not sys.argv[1:]:
        # What is written by hand, of tests that are no benchmark, stays.
        by_hand = "".join(TARGET.read_text().partition("\n## Statements\n")[1:])
        TARGET.write_text(document(results, where) + by_hand)
    return 0 if all(result.kept for result in results) else 1


def document(results: list[Result], where: str) -> str:
    """BENCHMARKS.md."""
    head = (
        "# Benchmarks\n\n"
        "Made by `make bench`. Each side of a ratio runs in turn with the other, in one run on one"
        " machine; values are medians. The times say little about another machine, the ratios"
        " should hold there.\n\n"
        f"Machine: {where}.\n"
    )
    return head + "".join("\n" + section(result) for result in results)


def section(result: Result) -> str:
    """One benchmark: its table, and how to make it."""
    rows = "\n".join(f"| {what} | {value} | {bound} |" for what, value, bound in result.rows)
    commands = "\n".join(
        f"- `{line}`" if "`" not in line else f"- {line}" for line in result.commands
    )
    note = f"\n{result.note}\n" if result.note else ""
    table = f"| | median | bound |\n| --- | ---: | ---: |\n{rows}\n"
    return f"## {result.title}\n\n{table}{note}\n{commands}\n"


def machine() -> str:
    """Processor, cores and versions; nothing that names this machine."""
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = " ".join(line.split(":", 1)[1].split())
                break
    gdb = subprocess.run(
        [Path(sys.executable).parent / "gdb", "--version"], capture_output=True, text=True
    ).stdout.splitlines()
    versions = f"Python {platform.python_version()}, {gdb[0] if gdb else 'no gdb wheel'}"
    load = f"load average {os.getloadavg()[1]:.1f} of other work"
    return f"{model}, {os.cpu_count()} cores, {versions}; {load} at the start"


if __name__ == "__main__":
    sys.exit(main())
