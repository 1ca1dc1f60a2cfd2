"""The program of a case run again, for where its fault began: what `workbench reproduce` does."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.engine.rerun import ending_of, keep_origin
from workbench.evaluate.making import Made
from workbench.evaluate.schema import Case
from workbench.model.facts import Hit
from workbench.reproduce.program import program_of
from workbench.reproduce.runner import Runner
from workbench.reproduce.runs import Runs

if TYPE_CHECKING:
    from workbench.engine.session import Session

_TRIES = 3
_SECONDS, _HANGING = 20.0, 4.0


async def run_again(session: "Session", case: Case, made: Made) -> None:
    """The origin that runs show becomes the session's; nothing where none shows it."""
    how, executable = case.make, made.executable
    if how is None or executable is None or how.machine or not case.expected.origins:
        return
    environment = [f"{name}={value}" for name, value in how.environment.items()]
    program = program_of(
        [str(executable), *how.arguments], executable.parent, None, environment, _TRIES,
        _HANGING if how.run == "hang" else _SECONDS,
    )  # fmt: skip

    async def keep(why: str, text: str, facts: Sequence[Hit]) -> str:
        return (await session.keep_run(why, text, facts)).id

    with tempfile.TemporaryDirectory(prefix="evaluate-again-") as folder:
        runner = Runner(program, Path(folder))
        try:
            runs = Runs(runner, keep, lambda text: None, await ending_of(session, program.path))
            seen = await runs.first()
            if seen is not None:
                await keep_origin(session, runs, await runs.find(seen, Path(folder) / "core"))
        finally:
            await runner.close()
