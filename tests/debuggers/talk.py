"""Short words for talking to a debugger in tests."""

import asyncio
import time

import pytest

from workbench.debuggers.protocol import Asker, Output
from workbench.debuggers.queued import QueuedDebugger

LIMIT = 100.0
"""A command's seconds, which no test waits for: `Clock` lets them pass."""


class Clock:
    """The clock by which a debugger's session counts a command's time; a test can move it on. So
    a limit is reached after what the test waits for, however slow the machine is."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead

    def run_out(self) -> None:
        """Whatever runs now has run for `LIMIT`."""
        self._ahead += LIMIT


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("workbench.debuggers.session.time", found)
    return found


async def ask(debugger: QueuedDebugger, command: str, by: str = "engine", limit: float = 60) -> str:
    """The whole output of a command that has to come to its end."""
    output = await debugger.execute(command, by=by, timeout=limit)  # type: ignore[arg-type]
    assert not output.partial, output.reason
    return output.read()


def pid_of(debugger: QueuedDebugger) -> int:
    """The process behind a debugger."""
    assert debugger._session is not None
    return debugger._session._channel.child.pid


async def until_shown(shown: list[bytes], text: bytes) -> None:
    """Wait until a display that only appends has these bytes."""
    async with asyncio.timeout(60):
        while text not in b"".join(shown):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def until_awaiting(debugger: QueuedDebugger) -> None:
    """Wait until the running command wants a line."""
    async with asyncio.timeout(60):
        while not debugger.awaiting_input:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


WAITS = "import time; print('before', flush=True); time.sleep(60)"
"""Python of a debugger's that prints a line and goes on for longer than any test."""


async def begin(
    debugger: QueuedDebugger, command: str, by: Asker, said: bytes = b"before\r"
) -> asyncio.Task[Output]:
    """A command that runs, once its output has ``said``; it may take `LIMIT`."""
    shown: list[bytes] = []
    debugger.display = shown.append
    task = asyncio.create_task(debugger.execute(command, by=by, timeout=LIMIT))
    await until_shown(shown, said)
    return task
