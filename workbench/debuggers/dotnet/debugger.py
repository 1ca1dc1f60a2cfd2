"""dotnet-dump behind the protocol: .NET dumps with SOS built in. Experimental."""

import asyncio
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.debuggers import piped
from workbench.debuggers.dotnet.marks import DumpScanner, mark_word
from workbench.debuggers.launch import Launch
from workbench.debuggers.line import raw_line
from workbench.debuggers.marks import Kind
from workbench.debuggers.program import Program, asked_for
from workbench.debuggers.protocol import CommandRefused, DebuggerUnavailable, Recipe, Selection
from workbench.debuggers.queued import QueuedDebugger
from workbench.debuggers.session import DebuggerSession, Words

_CURRENT = re.compile(r"^\*\s?(\d{1,6})\s+0x", re.MULTILINE)
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")
_NEVER = re.compile(rb"(?!)")
_PLAIN = re.compile(r"[^\"\x00-\x1f\x7f]+")
_PATIENCE = 20.0


_SELECTS = re.compile(r"\s*(?:setthread|threads)\s+\S", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:q|quit|exit)(?:\s|$)", re.IGNORECASE)


class DotnetDumpDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "dotnet-dump"
    # No command takes the marks away: they are asked for behind each.
    words = Words(
        moves_selection=lambda command: _SELECTS.match(command) is not None,
        leaves_debugger=lambda command: _ENDS.match(command) is not None,
    )

    def find(self) -> Program:
        return find_dotnet_dump(self.recipe.program)

    @staticmethod
    def launch_of(program: Program, recipe: Recipe, folder: Path) -> Launch:
        """dotnet-dump on a recipe; it asks no symbol server, which it does by itself otherwise."""
        nonce = secrets.token_hex(16)
        argv = [sys.executable, "-I", "-S", str(piped.__file__), str(program.path)]
        argv += [*program.options, "analyze"]
        if recipe.core is not None:
            argv.append(str(recipe.core.absolute()))
        argv += ["-c", "setsymbolserver -disable"]
        if recipe.clr_path is not None:
            if not _PLAIN.fullmatch(str(recipe.clr_path)):
                raise DebuggerUnavailable(f"{str(recipe.clr_path)!a}: no path for dotnet-dump")
            argv += ["-c", f'setclrpath "{recipe.clr_path.absolute()}"']
        prompt = mark_word(Kind.PROMPT, nonce) + b"\n"
        return Launch(
            name="dotnet-dump",
            argv=argv,
            environment=program.environment(),
            nonce=nonce,
            set_up=prompt,
            repair=b"",
            echo=lambda id: mark_word(Kind.ECHO, nonce, id) + b"\n" + prompt,
            question=_NEVER,
            after=prompt,
            scanner=lambda: DumpScanner(nonce),
        )

    async def opened(self, session: DebuggerSession) -> None:
        """Ask the program its version; the dump has been opened, or it would have ended."""
        if not self.version:
            self.version = await asyncio.to_thread(_version, self.program)

    # How dotnet-dump is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """Nothing that framing rests on can be changed."""
        return ()

    def command_line(self, command: str) -> bytes:
        text = command.strip(" \t\r\n")
        if text.startswith("wb_"):
            raise CommandRefused("dotnet-dump has no such command")
        return raw_line(text) if text else b""

    async def selection_of(self, session: DebuggerSession) -> Selection:
        """The selected thread, counted from 1; dotnet-dump counts from 0 and knows no frames."""
        current = _CURRENT.search(await session.ask("threads"))
        return (int(current[1]) + 1 if current else 0), None

    async def select(self, session: DebuggerSession, selection: Selection) -> None:
        if selection[0]:
            await session.ask(f"setthread {selection[0] - 1}")

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """dotnet-dump completes nothing."""
        return []


def _version(program: Program | None) -> str:
    """What ``--version`` says, ``unknown`` when it says nothing."""
    if program is None:
        return "unknown"
    command = [str(program.path), *program.options, "--version"]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_PATIENCE, env=program.environment(), check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return found[0] if found else "unknown"


# No reports to anybody, no banner, no code of others in its process (learn.microsoft.com, ".NET
# environment variables"); English words.
_QUIET = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "DOTNET_EnableDiagnostics": "0",
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "NO_COLOR": "1",
}  # fmt: skip


def find_dotnet_dump(explicit: Path | None = None) -> Program:
    """Raises `DebuggerUnavailable` when there is none, or not where the person said."""
    if sys.platform == "win32":
        raise DebuggerUnavailable("dotnet-dump is not driven on Windows: cdb reads .NET there")
    if explicit is not None:
        return asked_for("dotnet-dump", explicit)._replace(extra=_QUIET)
    found = shutil.which("dotnet-dump")
    if found is not None:
        return Program(Path(found).absolute(), "the dotnet-dump on the path", extra=_QUIET)
    tool = Path.home() / ".dotnet" / "tools" / "dotnet-dump"
    if os.access(tool, os.X_OK):
        return Program(tool, "the dotnet-dump among the user's tools", extra=_QUIET)
    raise DebuggerUnavailable(
        "no dotnet-dump here: install it (dotnet tool install --global dotnet-dump)"
    )
