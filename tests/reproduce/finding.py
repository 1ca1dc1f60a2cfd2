"""Run a program again and find its fault's origin, without a session."""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from tests.crashes import build
from tests.samples.origins import Planted
from workbench.engine.rerun import observed
from workbench.model.events import EvidenceRecorded, OriginFound
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import Hit
from workbench.model.investigation import Investigation
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
    limit = 2.0 if planted.hangs else timeout
    return program_of([str(executable)], executable.parent, None, [], 3, limit)


async def find(asked: Program, wanted: Wanted | None = None) -> Found:
    """All runs of one program."""
    texts: list[str] = []
    said: list[str] = []
    state = Investigation()

    async def keep(why: str, text: str, facts: Sequence[Hit]) -> str:
        texts.append(text)
        id = f"E{len(texts)}"
        item = Evidence(
            id=id, command="(run)", source=Source.DEBUGGER, intent=why, at="", sha256="",
            size=len(text), lines=text.count("\n"), call_hash=id,
        )  # fmt: skip
        known = tuple(replace(fact, cite=replace(fact.cite, evidence=id)) for fact in facts)
        state.apply(EvidenceRecorded(evidence=item, facts=known), datetime.now(UTC))
        return id

    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(asked, Path(folder))
        try:
            runs = Runs(runner, keep, said.append, wanted)
            seen = await runs.first()
            origin = await runs.find(seen, Path(folder) / "core") if seen is not None else None
        finally:
            await runner.close()
    if origin is not None:
        first, *_ = observed(state, origin, lambda id: texts[int(id[1:]) - 1])
        assert isinstance(first, OriginFound)
        origin = first.origin
    return Found(origin, runner.runs, runs.differed, texts, seen is not None, said)
