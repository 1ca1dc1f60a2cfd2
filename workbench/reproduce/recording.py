"""Runs that are replays of one recording: rr (rr-project.org) records the program until it fails,
and gdb follows each replay of that. Experimental: rr needs the processor's event counters, so this
is tested against what it prints and with gdbserver, which speaks the same protocol."""

import asyncio
import contextlib
import math
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from workbench.debuggers.private_folder import MARK, clear
from workbench.debuggers.pty import die_with_parent
from workbench.reproduce.program import Program, mark_in
from workbench.reproduce.runner import Runner, Seen
from workbench.reproduce.tools import RECORDER, Tool, run_under, tool_of
from workbench.targets.errors import TargetError

_SERVES = re.compile(
    r"target extended-remote (?P<address>[\w.:\[\]-]{0,80}:\d{1,5})'? '?(?P<program>[^'\n]+)"
)
"""What rr says once a replay waits for gdb (rr's GdbServer.cc, "Launch debugger with")."""
_SERVING = 60.0
"""Seconds that rr may take to begin a replay."""


def is_recording(path: Path) -> bool:
    """Whether a folder is a trace of rr's, which a file ``version`` ends (rr's TraceStream.cc); not
    where it may not be looked at."""
    return all(os.path.isfile(path / name) for name in ("version", "events", "mmaps"))


class Replays(Runner):
    """A run that asks for a core is recorded, in chaos mode (``rr record --chaos``) from the second
    on; each other one replays the last recording, in which everything is where it was. ``trace`` is
    a recording that a person has: it is not made again."""

    records = True

    def __init__(
        self, program: Program, folder: Path, gdb: Path | None = None, trace: Path | None = None
    ) -> None:
        super().__init__(program, folder, gdb)
        self._given, self._trace = trace is not None, trace

    async def run(self, most: float = math.inf, **watches: Any) -> Seen:
        """See `Runner.run`. Nothing of a replay can be held, moved or sent a signal."""
        if watches.get("core") and not self._given:
            self._trace = await self._recorded(("--chaos",) if self._trace else ())
        assert self._trace is not None
        fixed = {"aslr": False, "scouting": False, "way": (), "hold": None, "panics": False}
        async with _served(self._trace, self.folder) as replay:
            return await super().run(most, **{**watches, **fixed, "replay": replay["address"]})

    async def _recorded(self, how: tuple[str, ...]) -> Path:
        tool = Tool("rr", (*tool_of(RECORDER).words, *how, "-o", "{report}"))
        if self._trace is not None:
            await asyncio.to_thread(shutil.rmtree, self._trace, ignore_errors=True)
        return await run_under(tool, self.program, self.program.path, self.folder)


async def program_in(trace: Path, folder: Path) -> Program:
    """The program that was recorded. Raises `TargetError`."""
    tool_of(RECORDER)
    async with _served(trace, folder) as replay:
        return Program(path=Path(replay["program"]), tries=1)


_TRY = "try `rr replay -a` on it"


@contextlib.asynccontextmanager
async def _served(trace: Path, folder: Path) -> AsyncIterator[re.Match[str]]:
    """A replay that waits for gdb, as `_SERVES` reads it. Raises `TargetError`."""
    mark = mark_in(folder)
    process = await asyncio.create_subprocess_exec(
        *die_with_parent(), "rr", "replay", "-s", "0", "-q", str(trace),
        env={**os.environ, MARK: mark}, start_new_session=True, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    said, served = "nothing", None
    try:
        with contextlib.suppress(TimeoutError):
            while served is None and (line := await asyncio.wait_for(
                    process.stderr.readline(), _SERVING)):  # fmt: skip
                said = line.decode("utf-8", "replace").strip()
                served = _SERVES.search(said)
        if served is None:
            raise TargetError(str(trace), f"rr did not replay it; it said: {said}", _TRY)
        yield served
    finally:
        clear(mark)
        await process.wait()
