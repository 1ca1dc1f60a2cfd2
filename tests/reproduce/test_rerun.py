"""The program of a core, run again for its session as the screen asks for it."""

import asyncio
from pathlib import Path

import pytest

from tests import crashes
from workbench.agents import looking
from workbench.engine.gates import IntentError
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model.category import Category
from workbench.model.claims import Outcome
from workbench.model.hypothesis import Status
from workbench.model.origin import OriginKind
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings
from workbench.targets.errors import TargetError

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct note { char text[24]; struct note *next; };
static struct note *first;
static void forget(void) { first->next = NULL; }
int main(int argc, char **argv)
{
    first = calloc(1, sizeof *first);
    first->next = first;
    strncpy(first->text, argv[argc - 1], sizeof first->text - 1);
    forget();
    return first->next->text[0];
}
"""


async def _case(folder: Path, executable: Path, core: Path) -> Session:
    request = Request(
        target=str(core), options=Options(executable=str(executable)), base=folder / "sessions",
        settings=Settings(),
    )  # fmt: skip
    session = await open_session(request, GateMode.HEADLESS)
    await session.run()
    return session


async def test_what_the_core_names_is_run_and_its_origin_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable = crashes.build(SOURCE, "-g", "-O0")
    with monkeypatch.context() as then:
        for name in ("SHELF", "PYTHONPATH"):
            then.setenv(name, "7")
        core = crashes.crash(executable, "noted")
    session = await _case(tmp_path, executable, core)
    try:
        said = session.rerun.proposed()
        assert said.command == f"{executable} noted"  # nothing of the dump is set by itself
        assert {"SHELF=7", "PYTHONPATH=7"} <= set(said.settings)
        for wrong in ("", "A=1", "/nonexistent/program", "'"):
            try:
                await session.rerun.start(wrong, str(tmp_path))
            except (IntentError, TargetError):
                continue
            raise AssertionError(wrong)
        await session.rerun.start(f"SHELF=7 {said.command}", str(tmp_path))
        assert session.rerun.is_running
        while session.rerun.is_running:
            await session.rerun.ended()
        origin = session.state.origin
        assert origin is not None
        assert (origin.kind, origin.function) == (OriginKind.CLEARED, "forget")
        rival = next(h for h in session.state.hypotheses.values()
                     if h.category is Category.USE_AFTER_FREE)  # fmt: skip
        (foretold,) = rival.predictions
        assert (foretold.outcome, rival.status) == (Outcome.REFUTED, Status.REJECTED)
        assert foretold.claim.get("role") == "freed"
        blamed = looking.program_frame(session.state)
        assert blamed is not None
        assert blamed.function == "main"  # of the dump, which the panes show
        told = [notice.text for notice in session.state.notices]
        assert any("as you allowed" in text for text in told)
        assert any(text.startswith("run 1: until it fails") for text in told)
        assert "`forget`" in await session.report("md")
        seen = len(session.state.evidence)
        await session.rerun.start(said.command, str(tmp_path))
        while not session.state.notices[-1].text.startswith("run "):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await session.rerun.stop()
        assert not session.rerun.is_running
        assert len(session.state.evidence) >= seen
        assert "stopped" in session.state.notices[-1].text
    finally:
        await session.close()
