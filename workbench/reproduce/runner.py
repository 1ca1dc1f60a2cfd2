"""Runs of one program under gdb: each asked for as a request, answered as an outcome and a text."""

import contextlib
import math
import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.gdb.recipe import writing
from workbench.debuggers.launch import Launch
from workbench.debuggers.private_folder import MARK
from workbench.debuggers.protocol import DebuggerDied, DebuggerError, Output, Recipe
from workbench.debuggers.session import DebuggerSession
from workbench.model.facts import Frame
from workbench.reproduce.owners import released_once
from workbench.reproduce.program import Program, Stage, limits
from workbench.reproduce.wire import Outcome, Request

_AGENT = Path(__file__).parent / "agent.py"
_ERRNO = re.compile(r"\[Errno (\d{1,3})\]")
"""How Python, gdb's too, tells an error of the system."""
_GRACE = 120.0
"""Seconds that gdb may take for a run beyond the program's own."""


Found = TypeVar("Found")


class RunningGdb(GdbDebugger):
    """gdb that may write to the process which it runs: breakpoints are writes."""

    ours: tuple[tuple[str, str | None], ...] = ()
    """What our environment says otherwise than its own, None where it says nothing: programs start
    with ours. With what leads gdb's Python to its modules no other Python would start."""

    def launch(self, recipe: Recipe, folder: Path) -> Launch:
        """The same, with a shell that reads no files of the person's for the redirection."""
        made = super().launch(recipe, folder)
        environment = dict(made.environment)
        environment["SHELL"] = "/bin/sh"
        environment.pop("ENV", None)
        self.ours = tuple(
            (name, value if value is not None and value.isprintable() else None)
            for name in sorted(environment.keys() | os.environ.keys())
            if (value := os.environ.get(name)) != environment.get(name)
        )
        return made._replace(environment=environment)

    async def prepare(self, session: DebuggerSession, command: str) -> Output | None:
        """Let breakpoints be set, before the process is there: gdb 13 asks for that."""
        for setting in writing(True):
            await session.ask(setting)
        return None


class Seen(msgspec.Struct, frozen=True):
    """One run: its outcome, the tail of what the program printed, the seconds it took, those of
    processor time that were counted, and whether it was ended because of them."""

    outcome: Outcome
    printed: str
    seconds: float
    spent: float = 0.0
    cut: bool = False


class Runner:
    """One gdb, many runs. ``folder`` is private and takes cores."""

    records = False
    """Whether all runs are one, replayed."""

    def __init__(self, program: Program, folder: Path, gdb: Path | None = None) -> None:
        self.program = program
        self.folder = folder
        self.runs = 0
        self.say: Callable[[str], None] = lambda text: None
        """Told what a run waits for."""
        self._recipe = Recipe(core=None, executable=program.path, program=gdb)
        self._gdb: RunningGdb | None = None

    async def close(self) -> None:
        """End gdb and what it runs."""
        if self._gdb is not None:
            await self._gdb.close()
            self._gdb = None

    async def run(self, most: float = math.inf, **watches: Any) -> Seen:
        """One run from start to end, or until it has used ``most`` seconds of processor time; gdb's
        own end, which a program can bring about, is one of a run. Raises `DebuggerError`."""
        if self._gdb is None:
            self._gdb = RunningGdb(self._recipe)
            await self._gdb.start()
            await self._say(f"python import sys; sys.path.append({str(_AGENT.parent)!r})", 10)
        self.runs += 1
        program = self.program
        result = self.folder / f"run{self.runs}.json"
        with Stage(self.folder, program, self.say, most) as stage:
            request = Request(
                program=str(program.path),
                arguments=program.command_line(),
                tty=stage.tty,
                cwd=str(program.cwd),
                environment=(*self._gdb.ours, *program.environment, (MARK, stage.mark)),
                wrapper=shlex.join(limits(program)),
                pid_file=str(stage.pid_file),
                result=str(result),
                **watches,
            )
            asked = self.folder / "request.json"
            asked.write_bytes(msgspec.json.encode(request))
            limit = program.timeout + _GRACE
            await self._say(f"python WORKBENCH_REQUEST = {str(asked)!r}", 10)
            try:
                output = await self._say(f"source {_AGENT}", limit)
            except DebuggerDied as death:
                await self.close()
                cut = Outcome(ended="gdb ended during the run", notes=(str(death),))
                return Seen(cut, "", death.partial.seconds if death.partial else 0.0)
            printed = stage.tail.decode("utf-8", "replace")
        text = output.read()
        if watches.get("scouting"):  # what it knows of the processes that it held is not to be kept
            await self.close()
        try:
            outcome = msgspec.json.decode(result.read_bytes(), type=Outcome)
            outcome = replace(outcome, events=released_once(outcome))
        except (OSError, msgspec.DecodeError) as error:
            said = text.strip().split("\n")[-1][:300]
            await self.close()
            if number := _ERRNO.search(said):
                code = int(number[1])
                raise OSError(code, os.strerror(code), str(self.folder)) from error
            raise DebuggerError(f"gdb did not run {program.path.name}: {said or error}") from error
        finally:
            with contextlib.suppress(OSError):
                result.unlink()
        return Seen(outcome, printed, output.seconds, stage.spent, stage.cut)

    async def places(self, addresses: Sequence[int]) -> list[list[Frame]]:
        """Function and line of addresses, as the last run had them, each with the functions that it
        was inlined in."""
        return await self._looked_up("places", addresses, list[list[Frame]]) or [
            [Frame(index=0, address=one)] for one in addresses
        ]

    async def common(self, addresses: Sequence[int]) -> Frame:
        """The innermost function, inlined ones included, that all the addresses are of, and the
        first of its lines among theirs."""
        return (await self._looked_up("common", addresses, list[Frame]) or [Frame(index=0)])[0]

    async def declares(self, addresses: Sequence[int]) -> list[bool]:
        """Of addresses of code whether the line declares a variable of the innermost function."""
        return await self._looked_up("declares", addresses, list[bool]) or [
            False for _ in addresses
        ]

    async def begins_row(self, addresses: Sequence[int]) -> list[bool]:
        """Of addresses of code whether a row of the line table begins there; empty: not known."""
        return await self._looked_up("begins_row", addresses, list[bool])

    async def widths(self, addresses: Sequence[int]) -> list[list[int]]:
        """Of addresses of code the sizes of the variables that their lines declare."""
        found = await self._looked_up("widths", addresses, list[list[int]])
        return found or [[] for _ in addresses]

    async def answers(self, addresses: Sequence[int]) -> list[str]:
        """Of the functions that begin there what they are known to give back: a number (n), what
        may be or hold an address (p), or nothing."""
        return await self._looked_up("answers", addresses, list[str]) or ["" for _ in addresses]

    async def takes(self, addresses: Sequence[int]) -> list[str]:
        """Of the functions that begin there whether each register of their arguments takes an
        address (p) or a number (n), in order."""
        return await self._looked_up("takes", addresses, list[str]) or ["" for _ in addresses]

    async def _looked_up(
        self, function: str, addresses: Sequence[int], kind: type[list[Found]]
    ) -> list[Found]:
        """What a function of the agent's finds; nothing where gdb said something else."""
        asked = f"print({function}({[int(one) for one in addresses]}))"
        output = await self._say(f"python from inside.stacks import {function}; {asked}", 30)
        try:
            return msgspec.json.decode(output.read(), type=kind)
        except msgspec.DecodeError:
            return []

    async def _say(self, command: str, limit: float) -> Output:
        assert self._gdb is not None
        return await self._gdb.execute(command, by="user", timeout=limit)
