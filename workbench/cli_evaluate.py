"""The commands of `workbench evaluate`: options in, stages run, tables out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct

from workbench.cli_options import ModelOptions, Output, Place, models, place, shares
from workbench.cli_requests import finish, say

if TYPE_CHECKING:
    from workbench.evaluate.folder import RunFolder
    from workbench.evaluate.records import Capture
    from workbench.evaluate.stages import Wanted

_WIDE = 160
"""Columns of a table that goes to a file."""
app = typer.Typer(
    no_args_is_help=True,
    help="How often it is right, by labelled cases: analyze, generate, execute, evaluate, or run.",
)


class Sessions(StrEnum):
    """Whether cases share a process."""

    BATCHED = "batched_by_component"
    ISOLATED = "isolated"


class Run(Struct, frozen=True, kw_only=True):
    """The options of every stage."""

    folder: Path
    corpora: tuple[str, ...]
    component: str
    failed: bool
    sessions: Sessions
    jobs: int
    timeout: float
    allow_build: bool
    bare: bool
    again: bool
    compare_sessions: int
    max_cost: float | None


def run_options(
    folder: Annotated[
        Path, typer.Option(help="The run's folder: what is there already goes on.")
    ] = Path(".evaluate"),
    corpus: Annotated[
        list[str] | None,
        typer.Option(help="A corpus that ships, `templates`, or a folder (repeatable)."),
    ] = None,
    component: Annotated[
        str, typer.Option(help="Only this one, as causes/use-after-free, or causes.")
    ] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Do again what was not right.")] = False,
    sessions: Annotated[
        Sessions, typer.Option(help="Whether cases of a component share a process.")
    ] = Sessions.BATCHED,
    jobs: Annotated[int, typer.Option(min=1, help="Cases at the same time.")] = os.cpu_count() or 1,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one investigation.")] = 300.0,
    allow_build: Annotated[
        bool, typer.Option("--allow-build", help="Build and run what corpora of others hold.")
    ] = False,
    bare: Annotated[
        bool, typer.Option("--bare", help="Run the bare debugger with the same commands too.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Run programs with a known origin again to find it.")
    ] = False,
    compare_sessions: Annotated[
        int, typer.Option(min=0, help="Do so many cases again in both kinds of sessions.")
    ] = 0,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop before models cost more dollars than this.")
    ] = None,
) -> Run:
    """The options of a run."""
    return Run(
        folder=folder, corpora=tuple(corpus or ()), component=component, failed=failed,
        sessions=sessions, jobs=jobs, timeout=timeout, allow_build=allow_build, bare=bare,
        again=again, compare_sessions=compare_sessions, max_cost=max_cost,
    )  # fmt: skip


@app.command()
@shares(asked=run_options, where=place)
def analyze(asked: Run, where: Place) -> None:
    """Find the components and what triggers each: analysis.json."""
    finish(_stages, ("analyze",), asked, where, ModelOptions(), None, debug=where.debug)


@app.command()
@shares(asked=run_options, helped=models, where=place)
def generate(asked: Run, helped: ModelOptions, where: Place) -> None:
    """Make the cases from templates and corpora, and let a model of this machine write some:
    scenarios.json."""
    finish(_stages, ("generate",), asked, where, helped, None, debug=where.debug)


@app.command()
@shares(asked=run_options, helped=models, where=place)
def execute(asked: Run, helped: ModelOptions, where: Place) -> None:
    """Run the cases that are not done yet: transcripts/, captures.json."""
    finish(_stages, ("execute",), asked, where, helped, None, debug=where.debug)


Baseline = Annotated[
    Path | None, typer.Option(help="results.json of an earlier run: exit 1 on a regression.")
]


@app.command("evaluate")
@shares(asked=run_options, where=place)
def evaluate_(asked: Run, where: Place, baseline: Baseline = None) -> None:
    """Judge what was captured: results.json, results.html, junit.xml, a table."""
    finish(_stages, ("evaluate",), asked, where, ModelOptions(), baseline, debug=where.debug)


@app.command()
@shares(asked=run_options, helped=models, where=place)
def run(asked: Run, helped: ModelOptions, where: Place, baseline: Baseline = None) -> None:
    """All four stages. Interrupted or killed, the same command goes on.

    Programs of the corpora are compiled and run on this machine, those of a folder that you name
    only with --allow-build. Exit status: 0 done, 1 a
    regression against --baseline, 2 usage, 3 nothing could be done, 130 interrupted (kept).
    """
    finish(_stages, ("execute", "evaluate"), asked, where, helped, baseline, debug=where.debug)


@app.command()
@shares(where=place)
def scoreboard(
    where: Place,
    folder: Annotated[list[Path], typer.Option(help="A run with its results (repeatable).")],
    output: Output = None,
) -> None:
    """Right, open and wrong by kind of target, of one run or several, as Markdown."""

    def make() -> int:
        from workbench.delivery import deliver
        from workbench.evaluate.folder import RunFolder
        from workbench.evaluate.scoreboard import scoreboard as made

        deliver(made([RunFolder(one.absolute()) for one in folder]), output)
        return 0

    finish(make, debug=where.debug)


def _stages(
    names: tuple[str, ...], asked: Run, where: Place, helped: ModelOptions, baseline: Path | None
) -> int:
    from workbench.evaluate import stages
    from workbench.evaluate.folder import RunFolder

    wanted = _wanted(asked, helped, where)
    folder = RunFolder(asked.folder.absolute())
    before = _baseline(baseline)
    with folder.held():
        if helped.dry_run:
            return _dry_run(folder, wanted, helped, where)
        status = 0
        if "analyze" in names:
            say(f"{len(stages.analyze(folder, wanted).components)} components: analysis.json")
        if "generate" in names:
            say(f"{len(stages.generate(folder, wanted).cases)} cases: scenarios.json")
        if "execute" in names:
            with _progress() as told:
                stages.execute(folder, wanted, told)
        if "evaluate" in names:
            speed = None
            if asked.compare_sessions and "execute" in names:
                speed = stages.compare_sessions(folder, wanted, asked.compare_sessions)
            status = _judged(folder, wanted, before, speed)
    return status


def _wanted(asked: Run, helped: ModelOptions, where: Place) -> "Wanted":
    import msgspec

    from workbench.evaluate.stages import Wanted

    offline = helped.tier is None and not helped.model and not helped.allow_cloud
    wish = {} if offline else msgspec.to_builtins(helped.wish(where.settings))
    return Wanted(
        corpora=asked.corpora, component=asked.component, failed=asked.failed,
        mode=asked.sessions.value, jobs=asked.jobs, timeout=asked.timeout,
        allow_build=asked.allow_build, bare=asked.bare, again=asked.again,
        max_cost=asked.max_cost, wish=wish, env_file=where.env_file, dry=helped.dry_run, say=say,
    )  # fmt: skip


def _baseline(path: Path | None) -> Any:
    if path is None:
        return None
    from workbench.evaluate.errors import EvaluationError
    from workbench.evaluate.folder import RunFolder
    from workbench.evaluate.records import Results

    found = RunFolder(path.parent).read(path.name, Results)
    if found is None:
        raise EvaluationError(f"no {path}: --baseline names the results.json of an earlier run")
    return found


def _judged(
    folder: "RunFolder", wanted: "Wanted", before: Any, speed: dict[str, float] | None
) -> int:
    from rich.console import Console

    from workbench.evaluate import stages
    from workbench.evaluate.comparing import compare, told
    from workbench.evaluate.table import tables

    found = stages.evaluate(folder, wanted, speed)
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=_WIDE)
    console.print(tables(found))
    say(f"{folder.path}: results.json, results.html, junit.xml")
    if before is None:
        return 0
    compared = compare(before, found)
    for line in told(compared):
        say(line)
    return 1 if compared.is_regression else 0


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar with an estimate on stderr; lines for what was not done."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True, highlight=False, markup=False)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("cases", total=None)

        def told(count: int, of: int, capture: "Capture") -> None:
            bar.update(task, completed=count, total=of)
            if capture.status != "done":
                say(f"{capture.status} {capture.id}: {capture.why}")
            elif not console.is_terminal and (count % 25 == 0 or count == of):
                say(f"{count} of {of} cases")

        yield told


def _dry_run(folder: "RunFolder", wanted: "Wanted", helped: ModelOptions, where: Place) -> int:
    from workbench.evaluate.costing import costs

    typer.echo(costs(folder, wanted, helped.wish(where.settings), where.settings))
    return 0
