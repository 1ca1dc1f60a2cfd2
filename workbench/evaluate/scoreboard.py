"""The scoreboard: right, open and wrong by kind of target, of each run and of its baselines."""

from collections.abc import Callable, Sequence

from workbench.evaluate.aggregation import bare_verdict, row
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.folder import RunFolder
from workbench.evaluate.records import Results, Row, Scenarios, Verdict
from workbench.evaluate.schema import Case
from workbench.evaluate.table import PARTS, share


def _flags(case: Case) -> tuple[str, ...]:
    return case.make.flags if case.make is not None else ()


# The first that holds names a case's kind.
KINDS: tuple[tuple[str, Callable[[Case], bool]], ...] = (
    ("commands that a policy judges", lambda c: c.kind == "policy"),
    ("texts that are redacted", lambda c: c.kind == "redaction"),
    ("statements with an argument exchanged", lambda c: c.kind == "statements"),
    ("cores that are cut, or of another build", lambda c: c.component == "robustness/damaged"),
    ("targets that give orders", lambda c: c.component == "robustness/orders"),
    ("logs of gdb sessions", lambda c: "gdb-log" in c.changes),
    ("reports of sanitizers, plain and dressed", lambda c: bool(c.make and c.make.run == "log")),
    ("reports of other tools", lambda c: c.make is None),
    ("cores by lldb", lambda c: c.debugger == "lldb"),
    ("defects away from the crash", lambda c: c.corpus in ("away", "origins")),
    ("snapshots of hangs", lambda c: bool(c.make and c.make.run == "hang")),
    ("cores of other machines", lambda c: bool(c.make and c.make.machine)),
    ("cores of Rust programs", lambda c: c.target.endswith(".rs")),
    ("cores of stripped programs", lambda c: "-s" in _flags(c)),
    ("cores of optimised programs", lambda c: "-O2" in _flags(c)),
    ("cores with symbols", lambda c: True),
)


def kind(case: Case) -> str:
    """What sort of target a case has."""
    return next(name for name, holds in KINDS if holds(case))


def scoreboard(folders: Sequence[RunFolder]) -> str:
    """One table a run, as Markdown. Raises `EvaluationError` for a run that has no results."""
    lines = [
        "# Scoreboard",
        "",
        "Made by `make scoreboard` from the corpora that ship. Right, open (nothing concluded, or",
        "less than could be) and false claims, each with its 95 % interval (Wilson; the cases made",
        "of one source count as if all came out alike). The experts' authors wrote these cases: on",
        "crashes that they have not seen the shares are lower. What cannot be made on the machine",
        "is left out and counted. The baseline is the tool alone: of a core the signal and the",
        "address that bare gdb prints, of a log a sanitizer's SUMMARY or the bucket of",
        "`!analyze -v` (most logs have none).",
    ]
    for folder in folders:
        lines += ["", *_run(folder)]
    return "\n".join(lines) + "\n"


def _run(folder: RunFolder) -> list[str]:
    found, scenarios = (
        folder.read("results.json", Results),
        folder.read("scenarios.json", Scenarios),
    )
    if found is None or scenarios is None:
        raise EvaluationError(f"{folder.path}: no results there: `evaluate run` makes them")
    cases = {case.id: case for case in scenarios.cases}
    captured = folder.captured()
    models = ", ".join(dict.fromkeys(f"{one.name} ({one.tier})" for one in found.models))
    whole = found.groups["all"]["all"]
    lines = [
        f"## {models or 'No model'}",
        "",
        f"workbench {found.version}, {found.created[:10]}; {whole.right.of} cases, "
        f"{whole.cannot} not made there, {whole.failed} failed.",
        "",
        "| target | right | open | false claims | baseline right | baseline false |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, _ in KINDS:
        mine = [one for one in found.cases if kind(cases[one.id]) == name]
        plain = [b for one in mine if (b := bare_verdict(cases[one.id], captured.get(one.id)))]
        if mine:
            lines.append(_line(name, row(mine), plain))
    plain = [b for id in cases if (b := bare_verdict(cases[id], captured.get(id)))]
    lines.append(_line("all", whole, plain))
    parts = [f"{part} {share(whole.parts[part])}" for part in PARTS if part in whole.parts]
    lines += ["", f"Parts that are as expected: {'; '.join(parts)}."] if parts else []
    if found.calibration_error is not None:
        lines += ["", f"Expected calibration error {found.calibration_error:.3f}."]
    if whole.right.of:
        lines += ["", f"A case takes {found.seconds.get('run', 0) / whole.right.of:.1f} s."]
    if found.seconds.get("bare"):
        ratio = found.seconds["compared"] / found.seconds["bare"]
        lines += [f"An investigation takes {ratio:.2f} of bare gdb with the same commands."]
    return lines


def _line(name: str, told: Row, plain: list[Verdict]) -> str:
    cells = [told.right, told.open, told.wrong]
    bare = row(plain)
    cells += [bare.right, bare.wrong]
    return f"| {name} | " + " | ".join(share(cell) for cell in cells) + " |"
