"""Who may write to a process that gdb runs: the person's commands, and nothing else.

The policy judges a command by its text; a macro of the program's (debug information of ``-g3``)
may still turn a plain ``p name`` into an assignment.
"""

import re

from workbench.debuggers.gdb.recipe import writing
from workbench.debuggers.protocol import Output
from workbench.debuggers.session import DebuggerSession

_NAME = re.compile(r"[A-Za-z_]\w*")
_MOST_NAMES = 64


class Writing:
    """The permissions of one gdb session, which starts without them."""

    def __init__(self) -> None:
        self._memory = False
        self._registers = False

    async def allow(self, session: DebuggerSession) -> None:
        """Before a command of the person's that may write."""
        await self._set(session, True)

    async def forbid(self, session: DebuggerSession, command: str) -> Output | None:
        """Before a command of the engine's. Where writing cannot be forbidden, a command that
        holds a macro is not run: what it comes to instead."""
        await self._set(session, False)
        if not self._registers:
            return None
        for name in list(dict.fromkeys(_NAME.findall(command)))[:_MOST_NAMES]:
            if "#define" in await session.ask(f"info macro {name}"):
                reason = f"not run: {name} is a macro of the program's and may write"
                return Output("", None, 0, partial=True, reason=reason)
        return None

    async def _set(self, session: DebuggerSession, allowed: bool) -> None:
        memory, registers = writing(allowed)
        if self._memory != allowed:
            await session.ask(memory)
            self._memory = allowed
        # gdb up to 13 does not change this one while a process runs.
        if self._registers != allowed and "Cannot change" not in await session.ask(registers):
            self._registers = allowed
