"""What a report says of a case's target, held against what is known of it."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from analyzers.signature.normal import normal
from workbench.evaluate.corpora import inside
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.making import built
from workbench.evaluate.schema import Case, Expected, Origin, Told
from workbench.evaluate.statistics import as_number, numbers
from workbench.model.facts import Frame
from workbench.model.text import counted

# A report as the scoring reads it: a few fields, and all the text that it claims.
_BESIDE = {"modules", "assemblies", "threads", "explanation", "evidenceLedger", "hypotheses",
           "judge", "critique", "followUpQuestions", "checkpoints", "notices"}  # fmt: skip
_CITATION = re.compile(r"\bE\d+(:\d+(-\d+)?)?")


class Report:
    """One report; fields that are absent read as None or empty."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.analysis = _object(raw.get("analysis"))
        self.ai = _object(self.analysis.get("aiAnalysis"))
        self.exception = _object(self.analysis.get("exception"))
        self.summary = _object(self.analysis.get("summary"))
        self.environment = _object(self.analysis.get("environment"))

    def claimed(self) -> str:
        """All text of what is concluded: what was looked at, thought of or asked on the way may
        hold any name and number of the dump."""
        kept = {key: value for key, value in self.analysis.items() if key not in _BESIDE}
        kept["aiAnalysis"] = {key: value for key, value in self.ai.items() if key not in _BESIDE}
        return _CITATION.sub("", "\n".join(strings(kept)))

    def arguments(self, name: str) -> list[object]:
        """What verified statements have for an argument of this name, and the cause's frame."""
        rows = [_object(self.ai.get("frame"))] if self.ai.get("category") != "unknown" else []
        rows += [
            {one["name"]: one["value"] for one in claim["args"]}
            for claim in self.ai.get("claims") or ()
            if claim.get("status") == "verified" and not claim.get("denied")
        ]
        return [row[name] for row in rows if row.get(name) is not None]


def strings(value: object) -> Iterator[str]:
    """Every string and number inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_OS = {
    "windows": ("windows", "nt"),
    "macos": ("macos", "mac os", "darwin", "osx"),
    "ios": ("ios", "darwin"),
    "linux": ("linux",),
    "android": ("android", "linux"),
}
_CPU = {
    "x86": ("x86", "i386", "i686", "ia32"),
    "amd64": ("x86_64", "amd64", "x64", "x86-64"),
    "arm64": ("aarch64", "arm64"),
    "arm": ("arm", "armv7"),
    "ppc": ("ppc", "powerpc"),
    "mips": ("mips",),
}
_SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}
_MACH = {
    1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 5: "EXC_SOFTWARE",
    6: "EXC_BREAKPOINT", 10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD",
}  # fmt: skip
_REQUESTED = 0xFFFFFFFF
_CODES = ("type", "signal", "signalCode", "hresult", "code")  # of the report's exception


def os_holds(truth: str, report: Report) -> bool:
    """True when the report names that system."""
    said = str(report.environment.get("os") or "").lower()
    wanted = truth.lower()
    for name, others in _OS.items():
        if name in wanted:
            return any(_has(said, other) for other in others)
    return bool(wanted) and _has(said, wanted)


def cpu_holds(truth: str, report: Report) -> bool:
    """True when the report names that processor."""
    said = str(report.environment.get("arch") or "").lower()
    wanted = truth.lower().split("(")[0].strip()
    return said in _CPU.get(wanted, (wanted,))


def exception_holds(truth: object, report: Report) -> bool:
    """True when the report's exception has that code, or the name that stands for it."""
    code = as_number(truth)
    said = "\n".join(strings({key: report.exception.get(key) for key in _CODES}))
    if code is None:
        return str(truth).lower() in f"{said}\n{report.exception.get('message')}".lower()
    if code == _REQUESTED:
        return report.summary.get("crashType") == "snapshot" or "DUMP_REQUESTED" in said.upper()
    if code in numbers(said):
        return True
    system = str(report.environment.get("os") or "").lower()
    table = _MACH if any(name in system for name in ("mac", "ios", "darwin")) else _SIGNALS
    return code in table and table[code] in said


def address_holds(truth: object, report: Report) -> bool | None:
    """True when the report's exception, its innermost frame or its conclusion has the address; None
    where it tells none."""
    address = as_number(truth)
    top = (report.exception.get("stackTrace") or [{}])[0]
    told = [report.exception.get(key) for key in ("faultAddress", "message", "address")]
    told += [top.get("address") if isinstance(top, dict) else None]
    if address in numbers("\n".join(line for part in told for line in strings(part))):
        return True
    if address in numbers(report.claimed()):
        return True
    return False if report.exception.get("faultAddress") else None


def checks(truth: Mapping[str, Any], report: Report) -> dict[str, bool | None]:
    """What holds of each statement that the truth makes, None where the report does not tell: a
    name or a number that is missing claims nothing. The unknown ones are left out."""
    found: dict[str, bool | None] = {}
    for name, key, holds in (("os", "os", os_holds), ("cpu", "arch", cpu_holds)):
        if isinstance(truth.get(name), str):
            told = report.environment.get(key)
            found[name] = holds(str(truth[name]), report) if told else None
    if truth.get("exception") is not None:
        coded = any(report.exception.get(key) is not None for key in _CODES)
        held = exception_holds(truth["exception"], report)
        found["exception"] = held if held or coded else None
    if truth.get("address") is not None:
        found["address"] = address_holds(truth["address"], report)
    for name, wanted, count in (
        ("threads", truth.get("threads"), report.summary.get("threadCount")),
        ("modules", truth.get("modules"), report.summary.get("moduleCount")),
        ("thread", truth.get("crashing_thread_id"), report.exception.get("threadId")),
    ):
        if wanted is not None:
            found[name] = None if count is None else as_number(count) == as_number(wanted)
    for word in ("number", "name"):
        if truth.get(f"{word}s"):
            found |= {f"{word} {one}": held for one, held in _stated(truth[f"{word}s"], report)}
    frame = report.ai.get("frame") or {}
    if truth.get("place"):
        file, _, line = str(truth["place"]).rpartition(":")
        there = _one_file(frame.get("file"), file)
        found["place"] = str(frame["line"]) == line and there if frame.get("line") else None
        if not there:
            found["place"] = False
    if truth.get("frames"):
        claims = report.ai.get("category") != "unknown"  # else it is where it ended, no culprit
        function = str(frame.get("function") or "") if claims else ""
        file = PurePath(str(frame.get("file") or "").replace("\\", "/")).name
        named = any(name == file or _has(function, _last(name)) for name in truth["frames"])
        found["frame"] = named if function else None
    if truth.get("stack"):
        frames = [f for f in report.exception.get("stackTrace") or () if isinstance(f, dict)]
        text = "\n".join(line for frame in frames for line in strings(frame))
        text = re.sub(r"::h[0-9a-f]{16}\b", "", text)  # Rust's hash
        whole = sum(bool(frame.get("function")) for frame in frames) >= len(truth["stack"])
        held = all(_has(text, _last(name)) for name in truth["stack"])
        found["stack"] = held or (False if whole else None)
    return found


def _stated(stated: object, report: Report) -> Iterator[tuple[object, bool | None]]:
    """Each name or number that the truth states, and whether the report tells it. By the name of a
    statement's argument (``{"size": 16}``, a list where several are as true) it is told otherwise
    where that argument is told and has none of them; in a list it may stand anywhere in what is
    concluded, or be missing."""
    named = stated if isinstance(stated, Mapping) else {"": stated}
    for argument, values in named.items():
        ones = values if isinstance(values, list | tuple) else [values]
        told = report.arguments(argument) if argument else [report.claimed()]
        held = [any(_tells(text, one) for text in told) for one in ones]
        otherwise = bool(argument and told) and not any(held)
        yield from (
            (one, has or (False if otherwise else None))
            for one, has in zip(ones, held, strict=True)
        )


def _tells(told: object, one: object) -> bool:
    """True when a text has a number in any base, or a name's last word."""
    text, number = re.sub(r"\s+", " ", str(told)), as_number(one)
    if number is not None:
        return number in numbers(text)
    return _has(text.lower(), re.split(r"::|!", str(one))[-1].lower())


def _has(text: str, word: str) -> bool:
    """True when a text has a word whole; as a scope (``word::``) it is another name's."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w|::\w)", text) is not None


def _last(name: str) -> str:
    return re.split(r"::|[!.(]", name.partition("<")[0] or name)[-1] or name


RIGHT: Told = "right"
OPEN: Told = "open"
WRONG: Told = "wrong"
_TOLD: dict[bool | None, Told] = {False: WRONG, None: OPEN, True: RIGHT}
_WORST = tuple(_TOLD)
_MARKS = {"stack-overflow": "stackoverflow | ", "out-of-memory": "OOM | "}


@dataclass(frozen=True)
class Outcome:
    """``verdict`` of the category; ``parts`` of what else is known of the case (frame, severity,
    signature, origin, facts): open is what is not told, wrong what is told otherwise."""

    case: Case
    said: str
    verdict: Told
    parts: dict[str, Told] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """True where the cause is right, or open and one dump cannot tell it."""
        return self.verdict == RIGHT or (self.verdict == OPEN and self.case.expected.open)


def verdict(expected: Expected, said: str) -> Told:
    """right, open (nothing is concluded, or a true but wider cause where more can be told) or
    wrong."""
    if said in {expected.category, expected.root_category, *expected.also}:
        return RIGHT
    if said in expected.wider and expected.open:
        return RIGHT
    return OPEN if said == "unknown" or said in expected.wider else WRONG


def judge(case: Case, report: Mapping[str, Any], cache: Path) -> Outcome:
    """Compare one report with what is expected of it."""
    analysis, expected = report["analysis"], case.expected
    cause, summary = analysis["aiAnalysis"], analysis["summary"]
    said = cause["category"] or "unknown"
    notes, parts = [], dict[str, bool | None]()
    found = verdict(expected, said)
    if said != expected.category:
        notes.append(f"cause: {said}, {cause['rootCause']}")
    if expected.root_category and said != "unknown":
        parts["root category"] = said == expected.root_category or (
            False if found == WRONG else None
        )
    if expected.functions and said != "unknown":
        failed = (cause.get("symptom") or {}) if cause.get("origin") else cause
        frame = failed.get("frame") or {}
        named = _functions(case, frame, cache)
        parts["frame"] = bool(named & set(expected.functions)) if named else None
        if not parts["frame"]:
            where = f"{frame.get('module')}@{frame.get('offset')}"
            notes.append(f"frame: {_any(named) or where}, not {_any(expected.functions)}")
    severity = (summary["severity"] or {}).get("class")
    if expected.severity_known:
        parts["severity"] = severity == expected.severity or (False if severity else None)
        if not parts["severity"]:
            notes.append(f"severity: {severity}, not {expected.severity}")
    wanted = _signatures(expected)
    if wanted and said != "unknown":
        signature = summary["signature"] or ""
        held = any(_names(case, signature, text, cache) for text in wanted)
        is_name = signature and "@0x" not in signature  # a place without a name is no other name
        parts["signature"] = held or (False if is_name else None)
        if not parts["signature"]:
            notes.append(f"signature: {signature or 'none'}, not {_any(wanted)}")
    if expected.origins:
        told = cause.get("origin")
        parts["origin"] = (
            any(is_origin(case, told, one) for one in expected.origins) if told else None
        )
        if not parts["origin"]:
            notes.append(f"origin: {told}")
    for name, holds in checks(expected.facts, Report(dict(report))).items():
        parts[name] = min((parts.get(name, True), holds), key=_WORST.index)
        if not holds:
            key = {"thread": "crashing_thread_id", "frame": "frames"}.get(name, name)
            notes.append(f"{name}: wanted {expected.facts.get(key, 'it')}")
    judged = {name: _TOLD[holds] for name, holds in parts.items()}
    return Outcome(case, said, found, judged, tuple(notes))


def line_of(case: Case, origin: Origin) -> int | None:
    """The line of an origin, from 1; None where it is not known. Raises `EvaluationError` for a
    text that is not that of one line."""
    if origin.line is not None or not origin.text:
        return origin.line
    lines = inside(case, case.target).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if origin.text in line]
    if len(found) != 1:
        raise EvaluationError(
            f"{case.id}: {counted(len(found), 'line')} of {case.target} with {origin.text!r}: "
            f"an origin is one"
        )
    return found[0]


def is_origin(case: Case, said: Mapping[str, Any], origin: Origin) -> bool:
    """True where a report's origin is the expected one, by all that both say."""
    name = str(said.get("function") or "").partition("(")[0]
    return (
        (name == origin.function or name.endswith(f"::{origin.function}"))
        and line_of(case, origin) in (None, said.get("line"))
        and origin.kind in (None, said.get("kind"))
        and _one_file(said.get("file"), origin.file or _source(case))
    )


def _source(case: Case) -> str:
    return case.target if case.make is not None and not case.make.command else ""


def _one_file(one: str | None, other: str) -> bool:
    """True where the shorter path is the end of the longer one, or a file is not known."""
    parts = [PurePath(path or "").parts[::-1] for path in (one, other)]
    return all(a == b for a, b in zip(*parts, strict=False))


def _any(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))


def _signatures(expected: Expected) -> tuple[str, ...]:
    """Those that are said, or else the functions; a stripped frame's function stands in the place
    of ``module@offset``."""
    mark = _MARKS.get(expected.category or "", "")
    known = expected.signatures or (expected.functions if expected.severity_known else ())
    return tuple(mark + text for text in known)


def _functions(case: Case, frame: Mapping[str, Any], cache: Path) -> frozenset[str]:
    """The frame's function; in a stripped program what its offset lies in."""
    if frame.get("function"):
        return frozenset({normal(Frame(index=0, function=frame["function"]))})
    if frame.get("offset") and frame.get("module") and _own(case, frame["module"]):
        return _at(case, int(frame["offset"], 16), cache)
    return frozenset()


def _names(case: Case, signature: str, expected: str, cache: Path) -> bool:
    """True when a signature is the expected one, its ``program@0x1234`` read as functions."""
    found, wanted = signature.split(" | "), expected.split(" | ")
    return len(found) == len(wanted) and all(
        one == name or name in _behind(case, one, cache)
        for one, name in zip(found, wanted, strict=True)
    )


def _behind(case: Case, part: str, cache: Path) -> frozenset[str]:
    module, _, offset = part.partition("@0x")
    known = offset and _own(case, module)
    return _at(case, int(offset, 16), cache) if known else frozenset()


def _own(case: Case, module: str) -> bool:
    return case.make is not None and case.target.startswith(module.rpartition("/")[2])


def _at(case: Case, offset: int, cache: Path) -> frozenset[str]:
    """The functions at an offset from where the program's file is mapped, and one byte before it:
    a call that never returns may be the last instruction of its function."""
    found = set()
    program = built(case, cache, symbols=True)
    said = subprocess.run(["readelf", "-lsW", str(program)], capture_output=True, text=True)
    rows = [line.split() for line in said.stdout.splitlines()]
    lowest = min(int(row[2], 16) for row in rows if row[:1] == ["LOAD"])
    address = offset + (lowest & ~0xFFF)
    for row in rows:  # Num: Value Size Type Bind Vis Ndx Name
        if len(row) >= 8 and row[3] == "FUNC" and row[6] != "UND":
            start, size = int(row[1], 16), int(row[2], 0)
            if start <= address <= start + size:
                shown = subprocess.run(["c++filt", row[7]], capture_output=True, text=True)
                found.add(normal(Frame(index=0, function=shown.stdout.strip())))
    return frozenset(found)
