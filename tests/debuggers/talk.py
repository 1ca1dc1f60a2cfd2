"""Short words for talking to a debugger in tests."""

import asyncio

from workbench.debuggers.queued import QueuedDebugger


async def ask(debugger: QueuedDebugger, command: str, by: str = "engine", limit: float = 20) -> str:
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
