"""What the engine is about to ask the debugger, run while it still looks at something else.

A debugger and we need two processors: while one loads or computes, the other reads. The outputs
wait here until they are asked for, so that evidence is numbered as if nothing had been foreseen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from workbench.debuggers.protocol import DebuggerError, Output

Execute = Callable[[str], Awaitable[Output]]


class Foreseen:
    """The outputs of commands that were run ahead, each given once."""

    def __init__(self) -> None:
        self._outputs: dict[str, asyncio.Future[Output | None]] = {}
        self._running: asyncio.Task[None] | None = None

    def expect(self, commands: Sequence[str]) -> None:
        """From now on `take` waits for these, until `end`."""
        loop = asyncio.get_running_loop()
        self._outputs |= {command: loop.create_future() for command in commands}

    async def run(self, commands: Sequence[str], execute: Execute) -> None:
        """Run them one after the other, so that a person's command comes between two of them. What
        was expected besides is run when it is asked for."""
        self._running = asyncio.current_task()
        waiting = dict(self._outputs)
        for command in commands:
            await _settle(waiting[command], execute(command))

    def end(self) -> None:
        """What is still waited for will not come."""
        for output in self._outputs.values():
            if not output.done():
                output.set_result(None)

    async def take(self, command: str) -> Output | None:
        """The output of a command that was run ahead, None for one that was not. Who stops to wait
        for it stops it. Raises what it raised."""
        output = self._outputs.get(command)
        if output is None:
            return None
        try:
            return await output
        except asyncio.CancelledError:
            if self._running is not None:
                self._running.cancel()
            raise
        finally:
            self._outputs.pop(command, None)


async def _settle(output: asyncio.Future[Output | None], work: Awaitable[Output]) -> None:
    try:
        found = await work
    except DebuggerError as error:
        if not output.done():
            output.set_exception(error)
            output.exception()  # perhaps nobody asks any more
    else:
        if not output.done():
            output.set_result(found)
