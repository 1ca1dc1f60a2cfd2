"""The commands of `workbench evaluate`: options in, stages run, tables out."""

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.fronts.cli_options import ModelOptions, Output, Place, Run, place
from workbench.fronts.cli_requests import front, shares

app = typer.Typer(help="How often it is right: cases are made, run and judged.")


@app.command()
@shares(asked=Run, where=place)
def analyze(asked: Run, where: Place) -> Any:
    """Find the components and what triggers each: analysis.json."""
    return front("fronts.evaluating").stages(("analyze",), asked, where, ModelOptions(), None)


@app.command()
@shares(asked=Run, helped=ModelOptions, where=place)
def generate(asked: Run, helped: ModelOptions, where: Place) -> Any:
    """Make the cases from templates and corpora: scenarios.json.

    A model of this machine may write some.
    """
    return front("fronts.evaluating").stages(("generate",), asked, where, helped, None)


@app.command()
@shares(asked=Run, helped=ModelOptions, where=place)
def execute(asked: Run, helped: ModelOptions, where: Place) -> Any:
    """Run the cases that are not done yet: captures.json."""
    return front("fronts.evaluating").stages(("execute",), asked, where, helped, None)


Baseline = Annotated[
    Path | None, typer.Option(help="results.json of an earlier run: exit 1 on a regression.")
]


@app.command("evaluate")
@shares(asked=Run, where=place)
def evaluate_(asked: Run, where: Place, baseline: Baseline = None) -> Any:
    """Judge what was captured, and print a table.

    results.json, results.html, junit.xml.
    """
    return front("fronts.evaluating").stages(("evaluate",), asked, where, ModelOptions(), baseline)


@app.command()
@shares(asked=Run, helped=ModelOptions, where=place)
def run(asked: Run, helped: ModelOptions, where: Place, baseline: Baseline = None) -> Any:
    """All four stages. Interrupted or killed, the same command goes on.

    Programs of the corpora are compiled and run on this machine, those of a folder that you name
    only with --allow-build. Exit status: 0 done, 1 a
    regression against --baseline, 2 usage, 3 nothing could be done, 130 interrupted (kept).
    """
    return front("fronts.evaluating").stages(
        ("execute", "evaluate"), asked, where, helped, baseline
    )


@app.command()
@shares(where=place)
def scoreboard(
    where: Place,
    folder: Annotated[list[Path], typer.Option(help="A run with its results (repeatable).")],
    output: Output = None,
) -> Any:
    """Right, open and wrong by kind of target, as Markdown.

    Of one run or several.
    """
    return front("fronts.evaluating").scoreboard(folder, output)
