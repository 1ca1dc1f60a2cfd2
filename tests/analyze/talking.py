"""A whole conversation in this process, with whatever models a test gives it."""

from pathlib import Path
from typing import Any

from workbench.debuggers.choose import Choice
from workbench.debuggers.replay import ReplayDebugger
from workbench.engine.making import new_session
from workbench.engine.recipe import GateMode, recipe_for
from workbench.engine.session import Session
from workbench.model.events import Phase
from workbench.model.investigation import Investigation
from workbench.model.target import Limits, Options
from workbench.targets.documents import recognise


async def conversation(
    place: Path,
    text: str | dict[str, str],
    make_models: Any,
    *answers: str,
    limits: Limits | None = None,
    issue: str = "why does it fail?",
) -> Investigation:
    """The state at its end, on one text or on several by their names. ``answers`` are given to the
    turns in order, then DONE."""
    folder = place / "case"
    folder.mkdir()
    for name, content in ({"a.log": text} if isinstance(text, str) else text).items():
        (folder / name).write_text(content)
    target = recognise(folder)
    options = Options(issue=issue, limits=limits or Limits())
    debugger = ReplayDebugger(recipe_for(target, options, "replay", place))
    session = await new_session(
        target,
        options,
        place / "sessions",
        GateMode.CONVERSE,
        Choice("replay", ""),
        debugger,
        make_models=make_models,
    )
    left = [*answers, *["DONE"] * 30]
    session.subscribe(lambda _: _answer(session, left))
    try:
        await session.run()
        assert session.state.phase is Phase.DONE
        return session.state
    finally:
        await session.close()


def _answer(session: Session, left: list[str]) -> None:
    gate = session.state.gate
    if gate is not None and left:
        session._spawn(session.gates.answer(gate.id, left.pop(0)))
