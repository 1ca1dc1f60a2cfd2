"""Runs the stages of `workbench evaluate`, tells how far they are, and prints what came of them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from workbench.delivery import deliver
from workbench.engine.outcome import FAILED
from workbench.evaluate import stages as evaluate
from workbench.evaluate.comparing import compare, told
from workbench.evaluate.costing import costs
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.folder import RunFolder
from workbench.evaluate.page import tables
from workbench.evaluate.records import Capture, Results
from workbench.evaluate.scoreboard import scoreboard as scores
from workbench.evaluate.stages import Wanted
from workbench.fronts.cli_options import ModelOptions, Place, Run
from workbench.fronts.cli_requests import say

_WIDE = 160
"""Columns of a table that goes to a file."""


def scoreboard(folders: list[Path], output: Path | None) -> int:
    """Runs' scoreboard, to a file or stdout; the exit status."""
    deliver(scores([RunFolder(one.absolute()) for one in folders]), output)
    return 0


def stages(
    names: tuple[str, ...], asked: Run, where: Place, helped: ModelOptions, baseline: Path | None
) -> int:
    """The stages of these names, in their order; the exit status."""
    wanted = _wanted(asked, helped, where)
    folder = RunFolder(asked.folder.absolute())
    before = _baseline(baseline)
    with folder.held():
        if helped.dry_run:
            return _dry_run(folder, wanted, helped, where)
        status = 0
        if "analyze" in names:
            say(f"{len(evaluate.analyze(folder, wanted).components)} components: analysis.json")
        if "generate" in names:
            say(f"{len(evaluate.generate(folder, wanted).cases)} cases: scenarios.json")
        if "execute" in names:
            with _progress() as told:
                evaluate.execute(folder, wanted, told)
        if "evaluate" in names:
            speed = None
            if asked.compare_sessions and "execute" in names:
                speed = evaluate.compare_sessions(folder, wanted, asked.compare_sessions)
            status = _judged(folder, wanted, before, speed)
    return status


def _wanted(asked: Run, helped: ModelOptions, where: Place) -> Wanted:
    offline = helped.tier is None and not helped.model and not helped.allow_cloud
    wish = {} if offline else msgspec.to_builtins(helped.wish(where.settings))
    return Wanted(
        corpora=tuple(asked.corpus or ()), component=asked.component, sample=asked.sample,
        failed=asked.failed, mode=asked.sessions, jobs=asked.jobs, timeout=asked.timeout,
        allow_build=asked.allow_build, bare=asked.bare, again=asked.again,
        max_cost=asked.max_cost, wish=wish, env_file=where.env_file, dry=helped.dry_run, say=say,
    )  # fmt: skip


def _baseline(path: Path | None) -> Any:
    if path is None:
        return None
    found = RunFolder(path.parent).read(path.name, Results)
    if found is None:
        raise EvaluationError(f"no {path}: --baseline names the results.json of an earlier run")
    return found


def _judged(folder: RunFolder, wanted: Wanted, before: Any, speed: dict[str, float] | None) -> int:
    found = evaluate.evaluate(folder, wanted, speed)
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=_WIDE)
    with console.capture() as shown:
        console.print(tables(found))
    deliver(shown.get(), None)
    say(f"{folder.path}: results.json, results.html, junit.xml")
    if before is None:
        return 0
    compared = compare(before, found)
    for line in told(compared):
        say(line)
    if not compared.judged:
        return FAILED
    return 1 if compared.is_regression else 0


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar with an estimate on stderr; lines for what was not done."""
    console = Console(stderr=True, highlight=False, markup=False)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task, began = bar.add_task("cases", total=None), time.monotonic()

        def told(count: int, of: int, capture: Capture) -> None:
            bar.update(task, completed=count, total=of)
            if capture.status != "done":
                say(f"{capture.status} {capture.id}: {capture.why}")
            elif not console.is_terminal and (count % 25 == 0 or count == of):
                left = (time.monotonic() - began) / count * (of - count)
                say(f"{count} of {of} cases" + (f", about {left:.0f} s left" if count < of else ""))

        yield told


def _dry_run(folder: RunFolder, wanted: Wanted, helped: ModelOptions, where: Place) -> int:
    deliver(costs(folder, wanted, helped.wish(where.settings), where.settings), None)
    return 0
