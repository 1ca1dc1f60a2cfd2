"""The full-screen front end on one target: nothing is imported here that its first frame can wait
for."""

import os
import sys
from typing import TYPE_CHECKING

from workbench.engine.recipe import GateMode
from workbench.model.models import ModelWish
from workbench.opening import Request, open_session, recognise
from workbench.settings import Settings
from workbench.targets.errors import TargetError
from workbench.tui.app import run_workbench

if TYPE_CHECKING:
    from workbench.engine.session import Session
    from workbench.llm.picking import Picking


def run_open(request: Request, hint: str = "") -> int:
    """The workbench on a target. What is wrong with it is said before the screen opens; the
    ``hint`` afterwards, unless the line that caused the fault was found."""
    if request.session_folder() is None:
        recognise(request)
    need_terminal()

    opened = list["Session"]()

    async def make() -> "Session":
        session = await open_session(request, GateMode.ASK)
        opened.append(session)
        return with_models(session, request.settings, request.wanted)

    status = run_workbench(make)
    if hint and not any(session.state.origin for session in opened):
        sys.stderr.write(f"{hint}\n")
    return status


def with_models(session: "Session", settings: Settings, wanted: ModelWish) -> "Session":
    """The session, with models to pick from when a person asks for them."""

    def picking() -> "Picking":
        from workbench.llm.picking import Picking

        return Picking(settings, wanted)

    session.speaking.make_picking = picking
    return session


def need_terminal() -> None:
    """Raises `TargetError` where a screen cannot be drawn."""
    advice = "run it in one, or use `workbench triage` and `workbench sessions`"
    if os.environ.get("TERM") == "dumb":
        raise TargetError("the screen", "this terminal (TERM=dumb) cannot move its cursor", advice)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TargetError("the screen", "standard input or output is no terminal", advice)
