"""lldb 14 to 23 behind the protocol: ELF and Mach-O cores, and Windows minidumps anywhere."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from workbench.debuggers import protocol
from workbench.debuggers.dotnet.find_sos import load_sos, loads_plugins
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.line import raw_line
from workbench.debuggers.lldb.commands import meant
from workbench.debuggers.lldb.find import find_lldb
from workbench.debuggers.lldb.recipe import EMPTIED, lldb_launch, settled
from workbench.debuggers.lldb.selection import select, select_first, selection_of, split
from workbench.debuggers.plain_path import is_plain, plain_path
from workbench.debuggers.program import Program
from workbench.debuggers.queued import QueuedDebugger
from workbench.debuggers.session import DebuggerSession, Words

_MOVING = frozenset(
    ("frame select", "thread select", "target select", "_regexp-up", "_regexp-down")
)
_LEAVING = frozenset((
    "quit", "process attach", "process connect", "process detach", "process kill", "process launch",
    "target create", "target delete", "target select", "_regexp-attach",
))  # fmt: skip
_READERS = frozenset(
    ("platform shell", "process launch", "process continue", "command source", "scripting run")
)
# What goes on in the lines that follow, unless an option brings it (lldb's help of each command).
_BODIES = {
    "breakpoint command add": r"-o|-F|--one-liner|--python-function",
    "watchpoint command add": r"-o|-F|--one-liner|--python-function",
    "target stop-hook add": r"-o|-P|--one-liner|--script-class",
    "target hook add": r"-o|-P|--one-liner|--script-class",
    "command regex": r"\S+\s+\S",
    "expression": r"\S",
    "script": r"\S",
    "scripting run": r"\S",
}


def moves_selection(command: str) -> bool:
    """True when the selected frame or thread may be another one afterwards."""
    selecting, command = split(command)
    return bool(selecting) or bool(_names(command) & _MOVING)


def selects_thread(command: str) -> bool:
    """True when lldb tells of the thread that is selected afterwards, maybe late."""
    return "thread select" in _names(split(command)[1])


def changes_prompt(command: str) -> bool:
    """True when the marks in the prompt may be gone afterwards."""
    return any(
        name.startswith("settings ") and re.search(r"prom|-a|read", f"{name} {rest}")
        for name, rest in meant(command)
    )


def reads_terminal(command: str) -> bool:
    """True when another program, or a script, may read what is typed next."""
    return bool(_names(command) & _READERS)


def opens_body(command: str) -> bool:
    """True when lldb reads the lines that follow as a part of the command."""
    found = meant(command)
    return bool(found) and all(
        name in _BODIES and not re.search(rf"(?:^|\s)(?:{_BODIES[name]})", rest)
        for name, rest in found
    )


def leaves_debugger(command: str) -> bool:
    """True when lldb would end or let go of the dump."""
    names = _names(split(command)[1])
    return bool(names) and names <= _LEAVING


def _names(command: str) -> frozenset[str]:
    return frozenset(name for name, _ in meant(command))


WORDS = Words(
    moves_selection=moves_selection, leaves_debugger=leaves_debugger, opens_body=opens_body,
    changes_prompt=changes_prompt, reads_terminal=reads_terminal)  # fmt: skip
"""For the table of questions."""


# How long lldb's own thread may take to tell of a selected thread.
_LATE = 0.15
_VERSION = re.compile(r"lldb(?: version |-)(\d[\w.]*)")
# What lldb would complete, from its own interpreter, one a line; the first is what they share.
_COMPLETE = (
    "script import lldb; _m = lldb.SBStringList(); _t = bytes.fromhex('{}').decode(); "
    "_n = lldb.debugger.GetCommandInterpreter().HandleCompletion(_t, len(_t), 0, 200, _m); "
    "print(chr(10).join(_m.GetStringAtIndex(_i) for _i in range(1, _m.GetSize())))"
)


class LldbDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "lldb"
    emptied = EMPTIED
    words = WORDS
    launch_of = staticmethod(lldb_launch)
    located = ("source info", re.compile(r"\): (/.+?)(?::\d{1,9}){1,2}$", re.MULTILINE))

    def __init__(self, recipe: protocol.Recipe, begun: HeadStart | None = None) -> None:
        super().__init__(recipe, begun)
        self._sos_died = ""  # how lldb ended when it loaded SOS: it is not tried again

    def find(self) -> Program:
        """The lldb to run. Raises `DebuggerUnavailable`."""
        return find_lldb(self.recipe.program, sos=self.recipe.sos is not None)

    async def opened(self, session: DebuggerSession) -> None:
        """A dump that was refused ends here. Raises `DumpRefused`."""
        if not self.version:
            found = _VERSION.search(await session.ask("version"))
            self.version = found[1] if found else "unknown"
        said = self.opening.read()
        failed = re.search(r"^error:\s*(.*)", said, re.MULTILINE)
        if failed and (await selection_of(session))[0] == 0:
            await session.kill()
            reason = failed[1][:200]
            raise protocol.DumpRefused(f"lldb cannot open the dump: {reason}")
        await map_sources(session, self.recipe.source_dirs, self.private_folder())
        if self.recipe.sos is not None:
            await self._load_sos(session, self.recipe.sos)

    async def as_new(self, session: DebuggerSession) -> Program | None:
        """See `QueuedDebugger.as_new`; what lldb printed goes with its target."""
        return None if self.recipe.sos is not None else self.program

    async def _load_sos(self, session: DebuggerSession, plugin: Path) -> None:
        """Load SOS; what is wrong with it stands in `opening`. Raises `DebuggerStuck` when lldb
        dies of it, to be opened without."""
        if self.program is None or not loads_plugins(self.program.path):
            problem = "SOS is not loaded: this lldb is not built for it, a distribution's is"
        elif self._sos_died:
            problem = f"SOS is not loaded: {self._sos_died} while it was"
        else:
            try:
                problem = await load_sos(session.ask, plugin, self.recipe.clr_path)
            except protocol.DebuggerDied as death:
                self._sos_died = str(death)
                raise protocol.DebuggerStuck(self._sos_died) from death
        if problem:
            said = f"{self.opening.read()}{problem}\n"
            self.opening = protocol.Output(
                said, None, len(said.encode()), seconds=self.opening.seconds
            )

    async def open_stuck(self, stuck: protocol.DebuggerStuck) -> DebuggerSession:
        """Once more: without SOS when that ended lldb, else because its threads may wait for each
        other, as they seldom do at the start on a busy machine."""
        return await self.load(self.recipe)

    # How lldb is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """The settings that framing rests on."""
        return settled(session.nonce)

    def command_line(self, command: str) -> bytes:
        """Empty for a blank line or a comment, of which lldb would take the first as "the last
        command again". Raises `CommandRefused`."""
        selecting, command = split(command)
        command = command.strip(" \t\r\n")
        if not command or command.startswith("#"):
            if not selecting:
                return b""
            raise protocol.CommandRefused("nothing follows the selection of a frame")
        if len(command) > 1 and "gui".startswith(command.split()[0]):
            raise protocol.CommandRefused("lldb's own windows do not fit into this console")
        return raw_line(command)

    async def prepare(self, session: DebuggerSession, command: str) -> protocol.Output | None:
        """Select what the command says that it means."""
        return await select_first(session, command)

    async def finish(self, session: DebuggerSession, command: str, output: protocol.Output) -> None:
        """What lldb tells of a thread that was selected belongs to no other command."""
        if selects_thread(command) and "thread #" not in (output.text or ""):
            await asyncio.sleep(_LATE)

    async def selection_of(self, session: DebuggerSession) -> protocol.Selection:
        """What is selected now."""
        return await selection_of(session)

    async def select(self, session: DebuggerSession, selection: protocol.Selection) -> None:
        """Select it again."""
        await select(session, selection)

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """What lldb's own interpreter says; none where its Python does not work."""
        said = await session.ask(_COMPLETE.format(prefix.encode().hex()), 3.0)
        if said.startswith(("error", "Traceback")):
            return []
        stem = prefix[: len(prefix) - len(prefix.split(" ")[-1])]
        return [stem + word.rstrip() for word in said.split("\n") if word.strip()]


_PLACE = re.compile(r" at (/[^\n]*?):\d+(?::\d+)?(?: \[\w+\])*$", re.MULTILINE)
_FRAMES = 64


async def map_sources(session: DebuggerSession, given: Sequence[Path], folder: Path) -> None:
    """Map the folders that the frames of the selected thread name, where one that was given holds
    the file: lldb looks for none by its bare name. ``folder`` is private, for links to paths with
    odd names."""
    if not given:
        return
    stack = await session.ask(f"thread backtrace --count {_FRAMES}")
    for number, (recorded, found) in enumerate(_mappings(_PLACE.findall(stack), given)):
        place = plain_path(found, folder, f"mapped{number}")
        await session.ask(f"settings append target.source-map {recorded} {place}")


def _mappings(files: Iterable[str], given: Sequence[Path]) -> list[tuple[str, Path]]:
    """Folders as recorded, with those that hold a file of that name."""
    found: dict[str, Path] = {}
    for file in files:
        path = PurePosixPath(file)
        recorded = str(path.parent)
        if recorded in found or not is_plain(recorded) or Path(file).is_file():
            continue
        place = next((one for one in given if (one / path.name).is_file()), None)
        if place is not None:
            found[recorded] = place
    return list(found.items())
