"""A command that is neither read-only nor forbidden is asked about, whole, on the real screen."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from tests.tui.test_real_engine import Driver, new_session, running
from workbench.engine.session import Session
from workbench.model.events import GateOpened
from workbench.model.evidence import Command, Source
from workbench.tui.panes.hypotheses import GateCard

__all__ = ["new_session"]  # a fixture
ONE = "with language pascal -- p 6 <> 7"
TWO = f"with language pascal -- p {' + '.join(map(str, range(40)))} <> 41"
BAD = "with language pascal -- shell id"


def asked(run: Driver) -> GateOpened | None:
    gate = run.session.state.gate
    return gate if gate is not None and gate.kind == "policy" else None


def card(run: Driver) -> str:
    """What is drawn of the question, its lines joined as the screen has wrapped them."""
    found = run.screen.query_one("#question", GateCard)
    lines = [found.render_line(y).text.rstrip() for y in range(found.size.height)]
    return " ".join(lines) if found.display else ""


def is_asked(run: Driver, text: str) -> bool:
    gate = asked(run)
    return gate is not None and gate.subjects == (text,)


def is_seen(run: Driver, text: str) -> bool:
    return text in card(run)


async def test_approve_runs_it_and_reject_skips_it(
    new_session: Callable[[], Awaitable[Session]],
) -> None:
    async with running(new_session) as run:
        await run.gate()
        first = run.session.state.undecided()[0]
        tests = tuple(Command(text, "asked by you") for text in (ONE, TWO, BAD))
        await run.session.gates.edit(first.id, first.statement, first.category, tests)
        await run.session.gates.test_now(first.id)
        for text, keys in ((ONE, ("a",)), (TWO, ("r", *"no need", "enter"))):
            await run.until(partial(is_asked, run, text))
            await run.until(partial(is_seen, run, text))
            assert "may change state" in card(run)
            await run.pilot.press(*keys)
        await run.until(lambda: run.session.state.hypotheses[first.id].verdict is not None)
        state = run.session.state
        ran = {e.command: e for e in state.evidence.values() if e.source is Source.DEBUGGER}
        assert ONE in ran
        assert "$1 = true" in await run.session.evidence_text(ran[ONE].id)
        assert not {TWO, BAD} & set(ran)
        failed = {one.command.text: one for one in state.failed_commands}
        assert failed[TWO].refused
        assert failed[TWO].reason.startswith("not approved")
        assert failed[BAD].reason.startswith("forbidden"), "nobody is even asked"


async def test_headless_refuses_what_was_asked(
    new_session: Callable[[], Awaitable[Session]], tmp_path: Path
) -> None:
    async with running(new_session) as run:
        await run.gate()
        first = run.session.state.undecided()[0]
        await run.session.gates.edit(
            first.id, first.statement, first.category, (Command(ONE, "asked by you"),)
        )
        await run.session.gates.test_now(first.id)
        await run.until(lambda: asked(run))
        session = run.session.session_id
    command = [sys.executable, "-c", "from workbench.fronts.cli import main; main()"]
    command += ["triage", session, "--sessions-dir", str(tmp_path), "--format", "json", "--yes"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)  # noqa: ASYNC221
    assert done.returncode in {0, 1}, done.stderr
    ledger = json.loads(done.stdout)["analysis"]["aiAnalysis"]["evidenceLedger"]
    assert ONE not in [row["command"] for row in ledger]
