"""Writes SVGs of the real workbench on the demo crash: ``python -m tests.tui.make_screenshots``.

The engine and the debugger are the real ones; only the clock, the session's name and the demo's
folder are fixed, so that a picture changes when the workbench does.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from textual.pilot import Pilot

from workbench.engine.gates import GateMode
from workbench.engine.session import Session
from workbench.fronts.acquire import demo_request
from workbench.model.events import Phase
from workbench.model.target import Options
from workbench.opening import open_session
from workbench.settings import Settings
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.outline import Outline
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.workbench import WorkbenchScreen

DEMO_CACHE = "/tmp/crash"
"""Where the demo is unpacked: its path shows in the pictures."""

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


class Camera:
    """Waits for states of the app and writes what it shows."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[BaseException], folder: Path) -> None:
        self.app = app
        self.pilot = pilot
        self._folder = folder

    @property
    def screen(self) -> WorkbenchScreen:
        """The workbench."""
        screen = self.app.workbench
        assert screen is not None
        return screen

    async def until(self, true: Callable[[], object], seconds: float = 60) -> None:
        """Wait; raises ``TimeoutError``."""
        for _ in range(int(seconds / 0.05)):
            if true():
                await self.pilot.pause(0.3)
                return
            await self.pilot.pause(0.05)
        raise TimeoutError("the workbench did not get there")

    def shoot(self, name: str) -> None:
        """Write ``name.svg``."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name}.svg"
        picture = self.app.export_screenshot(title="workbench demo")
        plain = picture.replace("&#160;", " ")
        for private in (str(Path.home()), str(Path.cwd())):
            if private in plain:
                raise ValueError(f"{name} shows {private}")
        path.write_text(picture, encoding="utf-8")
        sys.stdout.write(f"{path}\n")


async def _gate(camera: Camera) -> None:
    await camera.until(lambda: camera.app.workbench is not None)
    await camera.until(
        lambda: camera.screen.port is not None and camera.screen.port.state.gate is not None
    )
    variables = camera.screen.query_one("#variables", Outline)
    await camera.until(lambda: "->" in str(variables.selected and variables.selected.content))
    await camera.pilot.pause(1)


async def _show_fault(camera: Camera) -> None:
    """The faulting instruction in the evidence pane."""
    port = camera.screen.port
    assert port is not None
    fault = next(one for one in port.state.evidence.values() if one.command == "@fault")
    camera.screen.query_one("#evidence-list", Outline).select(fault.id)
    await camera.pilot.pause(0.3)


async def wide(camera: Camera) -> None:
    """Gate, overview, citation, critic, report at 140 by 42."""
    await _gate(camera)
    await _show_fault(camera)
    camera.shoot("gate")
    await _concluded_after_gate(camera)
    camera.shoot("overview")
    port = camera.screen.port
    assert port is not None
    first = next(one for one in port.state.hypotheses.values() if one.verdict is not None)
    assert first.verdict is not None
    tree = camera.screen.query_one("#tree", Outline)
    proof = [
        c
        for c in first.verdict.supporting
        if port.state.evidence[c.evidence].command.startswith("@heap")
    ]
    tree.select(f"{first.id}/for/{proof[0]}")
    await camera.pilot.press("enter")
    await camera.pilot.pause(0.5)
    camera.shoot("evidence")
    await camera.pilot.press("3", "z")
    await camera.pilot.pause(0.5)
    camera.shoot("critic")
    await camera.pilot.press("z", "g")
    await camera.until(lambda: isinstance(camera.app.screen, ReportScreen))
    camera.shoot("report")
    await camera.pilot.press("escape")


async def _concluded_after_gate(camera: Camera) -> None:
    await camera.pilot.press("A")
    port = camera.screen.port
    assert port is not None
    await camera.until(lambda: port.state.phase is Phase.DONE and port.state.stopped is not None)


async def narrow(camera: Camera) -> None:
    """The tabs of an 80 by 24 terminal, at the gate."""
    await _gate(camera)
    camera.shoot("narrow")
    await camera.pilot.press("4", *"info fr")
    await camera.pilot.pause(0.5)
    camera.shoot("narrow-console")


async def main(folder: Path) -> None:
    """Every picture into a folder."""
    os.environ["XDG_CACHE_HOME"] = DEMO_CACHE
    for size, take in (((140, 42), wide), ((80, 24), narrow)):
        with tempfile.TemporaryDirectory() as sessions:
            request = demo_request(Options(), Path(sessions), Settings())

            async def make(request: object = request) -> Session:
                return await open_session(request, GateMode.ASK)

            app = WorkbenchApp(make, clock=lambda: NOW)
            async with app.run_test(size=size) as pilot:
                camera = Camera(app, pilot, folder)
                await take(camera)
                await app.action_quit()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")))
