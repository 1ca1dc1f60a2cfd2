"""The scoreboard: right, open and wrong by kind of target, of each run and of its baselines."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from workbench.evaluate.aggregation import bare_verdict, row
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.folder import RunFolder
from workbench.evaluate.page import PARTS, measured, share
from workbench.evaluate.records import Results, Scenarios, Verdict
from workbench.evaluate.schema import Case


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


class _Run(NamedTuple):
    """A run's results and cases, and what its baselines say, by case."""

    found: Results
    cases: dict[str, Case]
    plain: dict[str, Verdict]

    @property
    def name(self) -> str:
        models = dict.fromkeys(f"{one.name} ({one.tier})" for one in self.found.models)
        return ", ".join(models) or "no model"


_TOLD = """\
# Scoreboard

Made by `make scoreboard` from the corpora that ship. Right, open (nothing concluded, or
less than could be) and false claims (also a frame, an origin, a severity, a signature or a fact
that is told otherwise), each with its 95 % interval: shares by Wilson (the cases made of one source
count as if all came out alike), other figures by drawing the sources again. The experts' authors
wrote these cases: on crashes that they have not seen the shares are lower. What cannot be made on
the machine is left out and counted. The baseline is the tool alone: of a core the signal and the
address that bare gdb prints, of a log a sanitizer's SUMMARY or the bucket of `!analyze -v` (most
logs have none). Where not all cases were run, those that were are spread evenly over all.
"""


def scoreboard(folders: Sequence[RunFolder]) -> str:
    """One table of all runs, as Markdown, and what is known of each. Raises `EvaluationError` for
    a run that has no results."""
    runs = [_read(folder) for folder in folders]
    heads = [f"{run.name}: {word}" for run in runs for word in ("right", "open", "false")]
    heads = ["target", *heads, "baseline: right", "false"]
    lines = [_TOLD, _line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    kinds = [name for name, _ in KINDS]
    lines += [_line([name, *_cells(runs, [name])]) for name in kinds if _has(runs, name)]
    lines.append(_line(["all", *_cells(runs, kinds)]))
    for run in runs:
        lines += ["", *_about(run)]
    return "\n".join(lines) + "\n"


def _read(folder: RunFolder) -> _Run:
    found, scenarios = (
        folder.read("results.json", Results),
        folder.read("scenarios.json", Scenarios),
    )
    if found is None or scenarios is None:
        raise EvaluationError(f"{folder.path}: no results there: `evaluate run` makes them")
    cases = {case.id: case for case in scenarios.cases}
    captured, judged = folder.captured(), [one.id for one in found.cases]
    plain = {id: bare for id in judged if (bare := bare_verdict(cases[id], captured.get(id)))}
    return _Run(found, cases, plain)


def _has(runs: Sequence[_Run], name: str) -> bool:
    return any(kind(run.cases[one.id]) == name for run in runs for one in run.found.cases)


def _cells(runs: Sequence[_Run], names: Sequence[str]) -> Iterator[str]:
    """The shares of cases of these kinds, of each run and then of the first run's baselines."""
    for run in runs:
        mine = row([one for one in run.found.cases if kind(run.cases[one.id]) in names])
        yield from map(share, (mine.right, mine.open, mine.wrong))
    plain = row([one for id, one in runs[0].plain.items() if kind(runs[0].cases[id]) in names])
    yield from map(share, (plain.right, plain.wrong))


def _about(run: _Run) -> Iterator[str]:
    found, whole = run.found, run.found.groups["all"]["all"]
    yield (
        f"{run.name[:1].upper()}{run.name[1:]}: workbench {found.version}, {found.created[:10]}; "
        f"{whole.right.of} of {len(run.cases)} cases, {whole.cannot} not made there, "
        f"{whole.failed} failed."
    )
    for told, word in ((whole.parts, "as expected"), (whole.astray, "told otherwise")):
        if parts := [f"{part} {share(told[part])}" for part in PARTS if part in told]:
            yield f"Parts that are {word}: {'; '.join(parts)}."
    yield f"Expected calibration error {measured(found.calibration_error)}."
    yield f"A case takes {measured(whole.each)} s."
    for model in found.models:
        yield f"{model.name} was asked {measured(model.each.get('calls'))} times a case."
    if found.to_bare is not None:
        ratio = measured(found.to_bare)
        yield f"An investigation takes {ratio} of bare gdb with the same commands."


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
