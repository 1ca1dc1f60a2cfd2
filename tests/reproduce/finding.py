"""Run a program again and find its fault's origin, without a session."""

import tempfile
from pathlib import Path

from msgspec import Struct

from tests.crashes import build
from tests.samples.origins import Planted
from workbench.model.origin import Origin
from workbench.reproduce.program import Program, program_of
from workbench.reproduce.runner import Runner
from workbench.reproduce.runs import Runs, Wanted


class Found(Struct, frozen=True):
    """What the runs showed; ``texts`` are what became evidence, ``said`` is their progress."""

    origin: Origin | None
    runs: int
    differed: list[str]
    texts: list[str]
    reproduced: bool
    said: list[str]


def program(planted: Planted, timeout: float = 20.0) -> Program:
    """The built program, ready to be run."""
    executable = build(planted.source, *planted.flags)
    limit = 4.0 if planted.hangs else timeout
    return program_of([str(executable)], executable.parent, None, [], 3, limit)


async def find(asked: Program, wanted: Wanted | None = None) -> Found:
    """All runs of one program."""
    texts: list[str] = []
    said: list[str] = []

    async def keep(why: str, text: str) -> str:
        texts.append(text)
        return f"E{len(texts)}"

    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(asked, Path(folder))
        try:
            runs = Runs(runner, keep, said.append, wanted)
            seen = await runs.first()
            origin = await runs.find(seen, Path(folder) / "core") if seen is not None else None
        finally:
            await runner.close()
    return Found(origin, runner.runs, runs.differed, texts, seen is not None, said)
