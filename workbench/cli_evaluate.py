"""The commands of `workbench evaluate`: options in, stages run, tables out."""

import os
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli_options import (
    ModelOptions,
    Output,
    Place,
    Run,
    Sessions,
    models,
    place,
    shares,
)
from workbench.cli_requests import finish, front

app = typer.Typer(
    no_args_is_help=True,
    help="How often it is right: cases are made, run and judged.",
)


def run_options(
    folder: Annotated[
        Path, typer.Option(help="The run's folder: what is there already goes on.")
    ] = Path(".evaluate"),
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="One that ships (away, logs, origins, programs), `templates`, or a folder "
            "(repeatable)."
        ),
    ] = None,
    component: Annotated[
        str, typer.Option(help="Only this one, as causes/use-after-free, or causes.")
    ] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Do again what was not right.")] = False,
    sessions: Annotated[
        Sessions, typer.Option(help="Whether cases of a component share a debugger and models.")
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
    """Make the cases from templates and corpora: scenarios.json.

    A model of this machine may write some.
    """
    finish(_stages, ("generate",), asked, where, helped, None, debug=where.debug)


@app.command()
@shares(asked=run_options, helped=models, where=place)
def execute(asked: Run, helped: ModelOptions, where: Place) -> None:
    """Run the cases that are not done yet: captures.json."""
    finish(_stages, ("execute",), asked, where, helped, None, debug=where.debug)


Baseline = Annotated[
    Path | None, typer.Option(help="results.json of an earlier run: exit 1 on a regression.")
]


@app.command("evaluate")
@shares(asked=run_options, where=place)
def evaluate_(asked: Run, where: Place, baseline: Baseline = None) -> None:
    """Judge what was captured, and print a table.

    results.json, results.html, junit.xml.
    """
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
    """Right, open and wrong by kind of target, as Markdown.

    Of one run or several.
    """

    finish(lambda: front("evaluating").scoreboard(folder, output), debug=where.debug)


def _stages(
    names: tuple[str, ...], asked: Run, where: Place, helped: ModelOptions, baseline: Path | None
) -> int:
    return int(front("evaluating").stages(names, asked, where, helped, baseline))
