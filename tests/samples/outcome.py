"""What a report says of a sample's crash, held against what is known of the sample."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from elftools.elf.elffile import ELFFile

from analyzers.signature.normal import normal
from tests.samples.case import Case
from workbench.model.facts import Frame

RIGHT, OPEN, WRONG = "right", "open", "wrong"


@dataclass(frozen=True)
class Outcome:
    """``verdict`` of the category: right, open ("unknown" or a true but wider one) or wrong; open
    is right where one core cannot tell more. ``parts``: whether frame, severity and signature are
    as expected, as far as they are known."""

    case: Case
    said: str
    verdict: str
    parts: dict[str, bool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True when nothing differs from what is expected."""
        return self.verdict == RIGHT and all(self.parts.values())


def triage(core: Path, executable: Path, sessions: Path) -> subprocess.CompletedProcess[str]:
    """``workbench triage --format json``, as a user types it."""
    command = [sys.executable, "-c", "from workbench.cli import main; main()"]
    command += ["triage", str(core), "--exe", str(executable)]
    command += ["--format", "json", "--sessions-dir", str(sessions), "--tier", "offline"]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def verdict(case: Case, said: str) -> str:
    """right, open or wrong."""
    if said in {case.category} | case.also:
        return RIGHT
    if said == "unknown" or said in case.wider:
        return RIGHT if case.open else OPEN
    return WRONG


def judge(case: Case, report: dict[str, Any]) -> Outcome:
    """Compare one report with the sample's expectation."""
    analysis = report["analysis"]
    cause, summary = analysis["aiAnalysis"], analysis["summary"]
    said = cause["category"]
    notes, parts = [], {}
    found = verdict(case, said)
    if said != case.category:
        notes.append(f"cause: {said}, {cause['rootCause']}")
    if case.functions and said != "unknown":
        frame = cause["frame"] or {}
        named = _functions(case, frame)
        parts["frame"] = bool(named & case.functions)
        if not parts["frame"]:
            where = f"{frame.get('module')}@{frame.get('offset')}"
            notes.append(f"frame: {_any(named) or where}, not {_any(case.functions)}")
    severity = (summary["severity"] or {}).get("class")
    parts["severity"] = severity == case.severity
    if not parts["severity"]:
        notes.append(f"severity: {severity}, not {case.severity}")
    if case.signature and said != "unknown":
        signature = summary["signature"] or ""
        parts["signature"] = any(_names(case, signature, text) for text in _marked(case))
        if not parts["signature"]:
            notes.append(f"signature: {signature or 'none'}, not {_any(_marked(case))}")
    return Outcome(case, said, found, parts, tuple(notes))


def _any(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _marked(case: Case) -> frozenset[str]:
    marks = {"stack-overflow": "stackoverflow | ", "out-of-memory": "OOM | "}
    mark = marks.get(case.category, "")
    return frozenset(mark + text for text in case.signature)


def _functions(case: Case, frame: dict[str, Any]) -> frozenset[str]:
    """The frame's function; in a stripped program what its offset lies in."""
    if frame.get("function"):
        return frozenset({normal(Frame(index=0, function=frame["function"]))})
    if frame.get("offset") and frame.get("module"):
        return _at(case, int(frame["offset"], 16))
    return frozenset()


def _names(case: Case, signature: str, expected: str) -> bool:
    """True when a signature is the expected one, its ``program@0x1234`` read as functions."""
    found, wanted = signature.split(" | "), expected.split(" | ")
    return len(found) == len(wanted) and all(
        one == name or name in _behind(case, one) for one, name in zip(found, wanted, strict=True)
    )


def _behind(case: Case, part: str) -> frozenset[str]:
    module, _, offset = part.partition("@0x")
    return _at(case, int(offset, 16)) if offset and case.source.startswith(module) else frozenset()


def _at(case: Case, offset: int) -> frozenset[str]:
    """The functions at an offset from where the program's file is mapped, and one byte before it:
    a call that never returns may be the last instruction of its function."""
    found = set()
    with case.with_symbols().open("rb") as stream:
        elf = ELFFile(stream)
        loads = [part["p_vaddr"] for part in elf.iter_segments() if part["p_type"] == "PT_LOAD"]
        address = offset + (min(loads) & ~0xFFF)
        table = elf.get_section_by_name(".symtab")
        for symbol in table.iter_symbols() if table is not None else ():
            start, size = symbol["st_value"], symbol["st_size"]
            if symbol["st_info"]["type"] == "STT_FUNC" and start <= address <= start + size:
                shown = subprocess.run(["c++filt", symbol.name], capture_output=True, text=True)
                found.add(normal(Frame(index=0, function=shown.stdout.strip())))
    return frozenset(found)


def outcome(case: Case) -> Outcome:
    """Crash the sample, triage its core and judge the report; a failure to do so is wrong."""
    with TemporaryDirectory(prefix="corpus-") as sessions:
        executable, core = case.make()
        done = triage(core, executable, Path(sessions))
    if done.returncode not in (0, 1):
        return Outcome(case, "none", WRONG, {}, (f"exit {done.returncode}: {done.stderr[-300:]}",))
    return judge(case, json.loads(done.stdout))
