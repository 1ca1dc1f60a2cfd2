"""The commands of `workbench evaluate`: options in, stages run, tables out."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli_options import (
    ModelOptions,
    Output,
    Place,
    Run,
    place,
    shares,
)
from workbench.cli_requests import finish, front

app = typer.Typer(
    no_args_is_help=True,
    help="How often it is right: cases are made, run and judged.",
)


@app.command()
@shares(asked=Run, where=place)
def analyze(asked: Run, where: Place) -> None:
    """Find the components and what triggers each: analysis.json."""
    finish(_stages, ("analyze",), asked, where, ModelOptions(), None, debug=where.debug)


@app.command()
@shares(asked=Run, helped=ModelOptions, where=place)
def generate(asked: Run, helped: ModelOptions, where: Place) -> None:
    """Make the cases from templates and corpora: scenarios.json.

    A model of this machine may write some.
    """
    finish(_stages, ("generate",), asked, where, helped, None, debug=where.debug)


@app.command()
@shares(asked=Run, helped=ModelOptions, where=place)
def execute(asked: Run, helped: ModelOptions, where: Place) -> None:
    """Run the cases that are not done yet: captures.json."""
    finish(_stages, ("execute",), asked, where, helped, None, debug=where.debug)


Baseline = Annotated[
    Path | None, typer.Option(help="results.json of an earlier run: exit 1 on a regression.")
]


@app.command("evaluate")
@shares(asked=Run, where=place)
def evaluate_(asked: Run, where: Place, baseline: Baseline = None) -> None:
    """Judge what was captured, and print a table.

    results.json, results.html, junit.xml.
    """
    finish(_stages, ("evaluate",), asked, where, ModelOptions(), baseline, debug=where.debug)


@app.command()
@shares(asked=Run, helped=ModelOptions, where=place)
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
