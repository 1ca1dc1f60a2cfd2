"""How much of what is known of crashes `workbench triage` reports.

    python -m tests.corpus [DIR] [--only TEXT] [--save DIR] [--timeout SECONDS]

Without DIR the programs of tests/samples are crashed and scored (`tests.corpus.samples`). DIR holds
``manifest.json``: a list of objects with ``file`` (a path inside DIR), ``kind`` and ``truth``. Of a
dump the truth may state ``os cpu exception address threads modules crashing_thread_id cause``, of a
transcript ``cause`` and ``numbers``; null means unknown. A file's score is the share of its
statements that its report makes too; being opened is one of them. DIR may also be a checkout of
clusterfuzz or FuzzManager (`tests.corpus.parsers`), whose truth is ``said frames address``. Of each
cause it is counted besides whether it was told right, left open, or told wrong.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.corpus import cause, minidump, parsers, samples
from tests.corpus.numbers import as_number, numbers
from tests.corpus.report import Report

AT_ONCE = 2
_OPENED = (0, 1)


class Scored:
    """One file's outcome: the checks' values from 0 to 1 by name, and notes for the reader."""

    def __init__(self, file: str, kind: str) -> None:
        self.file, self.kind = file, kind
        self.exit: int | None = None
        self.seconds = 0.0
        self.checks: dict[str, float] = {}
        self.notes: list[str] = []
        self.outcome: str | None = None

    @property
    def score(self) -> float:
        """The mean of the checks."""
        return sum(self.checks.values()) / len(self.checks) if self.checks else 0.0

    def lines(self) -> list[str]:
        """For the screen: one line, and an indented one for each note."""
        shown = " ".join(f"{name}={_mark(value)}" for name, value in self.checks.items())
        head = f"{self.score:5.2f} {self.seconds:6.1f}s exit {self.exit}  {self.file}  {shown}"
        head += f"  {self.outcome}" if self.outcome else ""
        return [head, *(f"        {note}" for note in self.notes)]


def _mark(value: float) -> str:
    return "yes" if value == 1 else "NO" if value == 0 else f"{value:.2f}"


def read_manifest(folder: Path) -> list[dict[str, Any]]:
    """The entries of a folder's manifest: a list, or an object that holds one."""
    raw = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    if isinstance(raw, dict):
        raw = next((value for value in raw.values() if isinstance(value, list)), [])
    return [e for e in raw if isinstance(e, dict) and isinstance(e.get("file", e.get("path")), str)]


def judge(scored: Scored, truth: dict[str, Any], report: Report) -> None:
    """Compare a report with the truth."""
    for name, holds in minidump.checks(truth, report).items():
        scored.checks[name] = float(holds)
        if not holds:
            key = "crashing_thread_id" if name == "thread" else name
            scored.notes.append(f"{name}: wanted {truth[key]}")
    known = numbers(report.everything())
    for wanted in truth.get("numbers") or ():
        number = as_number(wanted)
        holds = number in known if number is not None else str(wanted) in report.everything()
        scored.checks[f"number {wanted}"] = float(holds)
    for name, holds in parsers.checks(truth, report).items():
        scored.checks[name] = float(holds)
        if not holds:
            scored.notes.append(f"{name}: wanted {truth['frames' if name == 'frame' else name]}")
    words = cause.stated(truth.get("cause"))
    wanted = set(parsers.categories(truth)) if "said" in truth else None
    if words is not None:
        wanted = cause.sorts_of(words)
    if wanted:
        scored.outcome = cause.outcome(wanted, report)
    said = (
        f"{report.ai.get('category')} {report.ai.get('confidence')}: {report.ai.get('rootCause')}"
    )
    if words is not None:
        scored.checks["cause"], lacking = cause.score(words, report)
        if lacking:
            scored.notes.append(f"cause: {words}")
            scored.notes.append(f"lacks: {', '.join(lacking)}")
    scored.notes.append(f"says: {said[:300]}")


def triage(folder: Path, entry: dict[str, Any], args: argparse.Namespace) -> Scored:
    """Run one triage and score its report."""
    file = str(entry.get("file", entry.get("path")))
    scored = Scored(file, str(entry.get("kind", "")))
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="corpus-") as scratch:
        command = [sys.executable, "-m", "workbench", "triage", str(folder / file), "--format"]
        command += ["json", "--sessions-dir", scratch]
        try:
            done = subprocess.run(command, capture_output=True, timeout=args.timeout, check=False)
        except subprocess.TimeoutExpired:
            scored.seconds = time.monotonic() - started
            scored.checks["opened"] = 0.0
            scored.notes.append(f"no report within {args.timeout} s")
            return scored
    scored.seconds, scored.exit = time.monotonic() - started, done.returncode
    scored.checks["opened"] = float(done.returncode in _OPENED)
    report = _report(done.stdout)
    if args.save and report is not None:
        target = args.save / f"{file.replace('/', '__')}.json"
        target.write_bytes(done.stdout)
    if report is None or done.returncode not in _OPENED:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        scored.notes.append(last[0] if last else "no report")
    judge(scored, entry.get("truth") or {}, Report(report or {}))
    if report is None:
        scored.checks = dict.fromkeys(scored.checks, 0.0)
    return scored


def _report(stdout: bytes) -> dict[str, Any] | None:
    try:
        raw = json.loads(stdout)
    except ValueError:
        return None
    return raw if isinstance(raw, dict) else None


def main() -> int:
    """Score the samples or a folder; 0 when it could be read, 2 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="score the files whose path holds this text")
    parser.add_argument("--save", type=Path, help="keep the reports in this folder")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one file")
    args = parser.parse_args()
    if args.folder is None:
        return samples.main(args.only)
    try:
        known = parsers.entries(args.folder) or read_manifest(args.folder)
        entries = [e for e in known if args.only in str(e.get("file"))]
    except (OSError, ValueError) as error:
        print(f"{args.folder}: no readable manifest.json: {error}", file=sys.stderr)
        return 2
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
    done: list[Scored] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for scored in pool.map(lambda entry: triage(args.folder, entry, args), entries):
            done.append(scored)
            print("\n".join(scored.lines()), flush=True)
    _print_totals(done)
    return 0


def _print_totals(done: list[Scored]) -> None:
    for kind in sorted({scored.kind for scored in done}):
        mine = [scored for scored in done if scored.kind == kind]
        mean = sum(s.score for s in mine) / len(mine)
        print(f"\n{kind or 'other'}: {mean:.3f} of {len(mine)} files")
        for name in dict.fromkeys(n for s in mine for n in s.checks if not n.startswith("number ")):
            values = [s.checks[name] for s in mine if name in s.checks]
            print(f"  {name:10} {sum(values):6.1f} of {len(values)}")
        counts = Counter(s.outcome for s in mine if s.outcome)
        if counts:
            print("  " + ", ".join(f"{counts[word]} {word}" for word in ("right", "open", "wrong")))
    if done:
        print(f"\nscore {sum(s.score for s in done) / len(done):.3f} of {len(done)} files")


if __name__ == "__main__":
    sys.exit(main())
