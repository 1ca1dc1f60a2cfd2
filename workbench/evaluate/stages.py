"""The four stages on one folder: each goes on where it stopped."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from workbench.evaluate import corpora, records
from workbench.evaluate.aggregation import results
from workbench.evaluate.components import analyze as find_components
from workbench.evaluate.detection import detect, source_of
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.executing import Pool
from workbench.evaluate.folder import RunFolder
from workbench.evaluate.page import junit, page
from workbench.evaluate.schema import Case
from workbench.evaluate.statistics import bootstrap, figure, quotient
from workbench.evaluate.templates import NAME, templates
from workbench.evaluate.worker import Job
from workbench.evaluate.written import write_cases
from workbench.model.text import counted
from workbench.settings import load_settings
from workbench.store.replacing import replace_file

ANALYSIS, SCENARIOS, CAPTURES, RESULTS = (
    f"{name}.json" for name in ("analysis", "scenarios", "captures", "results")
)
MODES: tuple[records.Mode, records.Mode] = ("batched_by_component", "isolated")
COMPARED = {"status", "category", "confidence", "root_cause", "severity", "parts", "confirmed",
            "commands", "answer", "left", "statements"}  # fmt: skip
_BATCH = 8
"""Cases of one component that a worker takes at once: few enough that none waits for another."""


@dataclass(frozen=True)
class Wanted:
    """What a person asks of a run. ``corpora`` empty: all that ship, and the templates. ``dry``:
    no model may be asked. ``say`` hears of what is done without one.
    ``component`` is a component or the beginning of several, ``sample`` how many of its cases,
    spread over all; ``wish`` the words of the model
    options; ``max_cost`` in dollars for the whole run."""

    corpora: tuple[str, ...] = ()
    component: str = ""
    sample: int = 0
    failed: bool = False
    mode: records.Mode = "batched_by_component"
    jobs: int = 1
    timeout: float = 300.0
    allow_build: bool = False
    bare: bool = False
    again: bool = False
    env_file: Path | None = None
    wish: dict[str, Any] = field(default_factory=dict)
    max_cost: float | None = None
    dry: bool = False
    say: Callable[[str], None] = print

    def takes(self, component: str) -> bool:
        """True when this component was asked for."""
        return not self.component or f"{component}/".startswith(f"{self.component}/")

    def of(self, found: records.Scenarios) -> Sequence[Case]:
        """The cases that are asked for."""
        mine = [case for case in found.cases if self.takes(case.component)]
        return spread(mine, self.sample) if self.sample else mine


def analyze(folder: RunFolder, wanted: Wanted) -> records.Analysis:
    """``analysis.json``: what the product did not have before is added; what is listed stays as it
    was edited, and what was taken out stays out."""
    found, state = find_components(), folder.state()
    known = folder.read(ANALYSIS, records.Analysis)
    names = {one.name for one in found.components}
    if known is not None:
        seen = {*(state.components or names), *(one.name for one in known.components)}
        new = [one for one in found.components if one.name not in seen]
        found = records.Analysis(components=(*known.components, *new))
        names |= seen
        if new:
            state.added += (more := [one.name for one in new])
            wanted.say(f"{counted(len(new), 'new component')}: {', '.join(more)}")
    if known is None or state.components != sorted(names):
        folder.write(ANALYSIS, found)
        state.components, state.stages["analyze"] = sorted(names), "done"
        folder.checkpoint(state)
    return found


def generate(folder: RunFolder, wanted: Wanted) -> records.Scenarios:
    """``scenarios.json``: the corpora's cases and the templates' for the components of the
    analysis; a case that is listed already stays as it was edited, and where no corpus is named
    the file says which cases there are, but for those of new components."""
    analysis = analyze(folder, wanted)
    state = folder.state()
    known = folder.read(SCENARIOS, records.Scenarios)
    asked = sorted(wanted.corpora or state.corpora or (*corpora.shipped(), NAME))
    as_it_is = known is not None and (not wanted.corpora or state.corpora == asked)
    if known is not None and as_it_is and not state.added:
        return _asked(_with_written(folder, wanted, known), wanted)
    names = {one.name for one in analysis.components}
    kinds = {name.partition("/")[0] for name in names}
    given = [case for which in asked if which != NAME for case in corpora.load(which)]
    mine = [c for c in given if c.component in names or c.component.partition("/")[0] in kinds]
    if NAME in asked:
        base = given if "programs" in asked else [*given, *corpora.load("programs")]
        mine += list(templates(analysis.components, base, bool(wanted.wish)))
    if as_it_is:
        mine = [case for case in mine if case.component in state.added]
    listed = {case.id: case for case in (known.cases if known is not None else ())}
    both = {case.id: listed.get(case.id, case) for case in mine}
    if len(both) != len(mine):
        raise EvaluationError("two corpora have a case of the same id: give one of them another")
    found = records.Scenarios(cases=tuple({**listed, **both}.values()))
    folder.write(SCENARIOS, found)
    state.corpora, state.added = asked, []
    state.stages["generate"] = "done"
    folder.checkpoint(state)
    return _asked(_with_written(folder, wanted, found), wanted)


def _with_written(folder: RunFolder, wanted: Wanted, found: records.Scenarios) -> records.Scenarios:
    """With the cases that a model writes, once, where the templates and a model are wanted."""
    if wanted.dry or not writes(folder, wanted):
        return found
    more, why = write_cases(wanted.wish, load_settings(wanted.env_file), folder.path)
    if why:
        wanted.say(f"{why}; those of templates and corpora stand")
        return found
    listed = {case.id for case in found.cases}
    new = tuple(case for case in more if case.id not in listed)
    found = found.model_copy(update={"cases": (*found.cases, *new)})
    folder.write(SCENARIOS, found)
    _reached(folder, "write")
    return found


def writes(folder: RunFolder, wanted: Wanted) -> bool:
    """True where a model has cases to write yet."""
    state = folder.state()
    return bool(wanted.wish) and NAME in state.corpora and "write" not in state.stages


def _asked(found: records.Scenarios, wanted: Wanted) -> records.Scenarios:
    """The cases, if one of them is of the component that is asked for. Raises `EvaluationError`."""
    known = {one.component for one in found.cases}
    if wanted.component and not any(map(wanted.takes, known)):
        alike = {k for k in known if k.partition("/")[0] == wanted.component.partition("/")[0]}
        raise EvaluationError(
            f"no case has the component {wanted.component}: there are "
            f"{', '.join(sorted(alike or known)) or 'none'}"
        )
    return found


def execute(
    folder: RunFolder, wanted: Wanted, told: Callable[[int, int, records.Capture], None]
) -> dict[str, records.Capture]:
    """``transcripts/`` and ``captures.json``: every case that is not captured yet, and with
    ``failed`` those that were not right. ``told`` hears of each: how many of how many."""
    cases = wanted.of(generate(folder, wanted))
    captured, made_of = folder.captured(), still_to_do(folder, wanted, cases)
    todo = [case for case in cases if case.id in made_of]
    state = folder.state()
    state.mode, state.stages["execute"] = wanted.mode, "begun"
    state.done = sorted(captured.keys() - made_of.keys())
    folder.checkpoint(state)
    began, before = time.monotonic(), state.seconds
    count = 0
    unpriced = set[str]()

    def done(outcome: dict[str, Any]) -> None:
        nonlocal count
        capture = records.Capture.model_validate(outcome.pop("capture"))
        state.cost_usd += outcome.pop("spent")
        unpriced.update(model.name for model in capture.models if model.cost_usd is None)
        if capture.status == "capped":
            folder.checkpoint(state)
            return
        capture = capture.model_copy(update={"made_of": made_of[capture.id]})
        folder.keep(capture, outcome)
        captured[capture.id] = capture
        count += 1
        state.done.append(capture.id)
        state.seconds = round(before + time.monotonic() - began, 2)
        folder.checkpoint(state)
        told(count, len(todo), capture)

    left = None if wanted.max_cost is None else wanted.max_cost - state.cost_usd
    pool = Pool(wanted.jobs, folder.path / "worker.log", done, left)
    try:
        pool.run(_batches(todo, wanted, folder.programs))
    finally:
        folder.write(CAPTURES, records.Captures(captures=tuple(captured.values())))
    if count < len(todo):
        why = ", ".join(sorted(unpriced))
        why = f" (the price of {why} is not known: all that was set aside counts)" if why else ""
        raise EvaluationError(
            f"stopped at ${state.cost_usd:.2f}{why} before --max-cost is exceeded: {count} of "
            f"{len(todo)} cases are done and kept"
        )
    _reached(folder, "execute")
    return captured


def still_to_do(folder: RunFolder, wanted: Wanted, cases: Sequence[Case]) -> dict[str, str]:
    """`Capture.made_of` of each case that is not captured yet, whose answer was given to something
    else, or, with ``failed``, that was not right."""
    code = code_of(*(Path(str(files(name))) for name in ("workbench", "analyzers", "prompts")))
    captured, again = folder.captured(), _not_right(folder) if wanted.failed else set()
    made_of = {case.id: _made_of(case, code) for case in cases}
    stale = {id for id in made_of.keys() & captured if captured[id].made_of != made_of[id]}
    if stale:
        why = "the case, its target or the workbench is another one"
        wanted.say(f"{counted(len(stale), 'case')} to do again: {why}")
    again |= stale
    return {id: made for id, made in made_of.items() if id not in captured or id in again}


def compare_sessions(folder: RunFolder, wanted: Wanted, most: int) -> dict[str, Any]:
    """Some of the cases again, in both ways, one at a time: how much faster it is to share what
    `sharing` says, and how many cases came out differently; fields of `Results`."""
    cases = wanted.of(generate(folder, wanted))
    some = spread(cases, most)
    ended: dict[str, dict[str, tuple[Any, float]]] = {}
    for mode in MODES:
        mine = ended[mode] = {}
        since = time.monotonic()

        def done(outcome: dict[str, Any], mine: dict[str, tuple[Any, float]] = mine) -> None:
            nonlocal since
            capture, began = records.Capture.model_validate(outcome["capture"]), since
            since = time.monotonic()  # what a case waited for, its process's start included
            mine[capture.id] = capture.model_dump(include=COMPARED), since - began

        alone = replace(wanted, mode=mode, bare=False)
        pool = Pool(1, folder.path / "worker.log", done)
        pool.run(_batches(some, alone, folder.programs))  # what is made, is made once
        since = time.monotonic()
        pool = Pool(1, folder.path / "worker.log", done)
        pool.run(_batches(some, alone, folder.programs))
    sources = {case.id: source_of(case) for case in some}
    both = {id: [ended[mode][id] for mode in reversed(MODES)] for id in sources}
    rows = ((sources[id], [took for _, took in pair]) for id, pair in both.items())
    differing = sum(alone != shared for (alone, _), (shared, _) in both.values())
    return {
        "speed": {"isolated / batched_by_component": bootstrap(rows, quotient)},
        "differing": figure(differing, [*sources.values()]),
    }


def spread(cases: Sequence[Case], most: int) -> Sequence[Case]:
    """At most so many of the cases, evenly from the first to the last."""
    return [cases[at * len(cases) // most] for at in range(most)] if most < len(cases) else cases


def evaluate(
    folder: RunFolder, wanted: Wanted, compared: dict[str, Any] | None = None
) -> records.Results:
    """``results.json``, ``results.html``, ``junit.xml`` of what is captured; ``compared`` is of
    `compare_sessions`, of an earlier run where there is none."""
    scenarios = folder.read(SCENARIOS, records.Scenarios)
    if scenarios is None:
        raise EvaluationError(f"{folder.path}: nothing was generated yet: `evaluate run` does all")
    _asked(scenarios, wanted)
    captured = folder.captured()
    cases = {case.id: case for case in wanted.of(scenarios) if case.id in captured}
    if not cases:
        raise EvaluationError(f"{folder.path}: no case was executed yet: `evaluate run` does all")
    verdicts: list[records.Verdict] = []
    for case in cases.values():
        report = folder.report(case.id) if case.expected.pattern else ""
        verdicts.append(detect(case, captured[case.id], report))
    mine = {id: captured[id] for id in cases}
    tier = str(wanted.wish.get("tier", "offline"))
    found = results(cases, mine, verdicts, folder.state().mode, tier)
    before = folder.read(RESULTS, records.Results)
    if compared is None and before is not None:
        compared = {"speed": before.speed, "differing": before.differing}
    found = found.model_copy(update=compared or {})
    folder.write(RESULTS, found)
    replace_file(folder.path / "results.html", page(found))
    replace_file(folder.path / "junit.xml", junit(found))
    _reached(folder, "evaluate")
    return found


def _made_of(case: Case, code: str) -> str:
    """What an answer was given to, and by whom: another case is not answered by it."""
    found = sha256(f"{code}\n{case.model_dump_json()}".encode())
    with suppress(OSError, EvaluationError):
        found.update(corpora.inside(case, case.target).read_bytes() if case.target else b"")
    return found.hexdigest()


def code_of(*packages: Path) -> str:
    """A hash of all that these packages' answers come from: between releases the version stays."""
    found = sha256()
    for package in packages:
        for file in sorted(package.rglob("*")):
            if file.suffix in (".py", ".md"):
                found.update(f"{file.relative_to(package)}\n".encode() + file.read_bytes())
    return found.hexdigest()


def _batches(todo: Sequence[Case], wanted: Wanted, cache: Path) -> list[list[Job]]:
    """Cases of one component together, the largest batches first; isolated, each alone."""
    by: dict[str, list[Job]] = defaultdict(list)
    for case in todo:
        job = Job(
            case=case,
            cache=cache.absolute(),
            mode=wanted.mode,
            timeout=wanted.timeout,
            allow_build=wanted.allow_build,
            bare=wanted.bare,
            again=wanted.again,
            env_file=wanted.env_file,
            wish=wanted.wish,
        )
        by[case.component].append(job)
    size = _BATCH if wanted.mode == "batched_by_component" else 1
    cut = [jobs[at : at + size] for jobs in by.values() for at in range(0, len(jobs), size)]
    return sorted(cut, key=len, reverse=True)


def _not_right(folder: RunFolder) -> set[str]:
    found = folder.read(RESULTS, records.Results)
    return {one.id for one in found.cases if one.verdict != "right"} if found is not None else set()


def _reached(folder: RunFolder, stage: str) -> records.State:
    state = folder.state()
    state.stages[stage] = "done"
    folder.checkpoint(state)
    return state
