"""gdb 12 to 18 behind the protocol: started safe, loaded again without files that hold it up."""

import asyncio
import contextlib
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.debuggers import early

# ruff: noqa: SIM905 - long tables of words read better as text
from workbench.debuggers.gdb import commands as gdb_commands
from workbench.debuggers.gdb.commands import commands
from workbench.debuggers.gdb.find import find_gdb
from workbench.debuggers.gdb.prefix import inner
from workbench.debuggers.gdb.recipe import EMPTIED, LOADED, gdb_launch, settled, writing
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.line import raw_line
from workbench.debuggers.matched import below, matched, other_names
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import CommandRefused, DebuggerStuck, Output, Recipe, Selection
from workbench.debuggers.queued import QueuedDebugger
from workbench.debuggers.session import DebuggerSession, Words

_LISTS = re.compile(r"(?:with .+ -- )?list\b")
_UNREAD = re.compile(r"^\d+\tin (.+)$", re.MULTILINE)
"""What gdb prints of a line whose source it does not open."""

# What a user's gdb command does to the session, as far as the channel must know it.
_FIRST = re.compile(r"\s*(?:server\s+)*([A-Za-z0-9_.-]*)\s*(.*)", re.DOTALL)
_MOVING = frozenset("frame thread inferior up down up-silently down-silently select-frame".split())
_LEAVING = frozenset(
    "quit exit kill detach disconnect core-file target attach run start starti file exec-file "
    "remove-inferiors restart".split()
)

_READERS = frozenset(
    "shell make pipe | ! run start starti continue finish step stepi next nexti until advance jump "
    "call print source python-interactive guile-repl edit compile monitor interpreter-exec".split()
)
# What goes on in the next lines: always, or when nothing follows the word (gdb's manual, "Define",
# "Command Files", "Python Commands", "Break Commands").
_BODIES = frozenset("define document commands while if while-stepping stepping ws".split())
_BODIES_IF_BARE = frozenset("python guile python-interactive guile-repl".split())
# "pipe COMMAND | SHELL" and its short form; an option names another mark than "|".
_PIPED = re.compile(r"\s*(?:\||pipe\b)\s*(?:-d\s+\S+\s+|--\s+)*(.*)", re.DOTALL)
_DEEPEST = 8


def _parse(command: str) -> tuple[frozenset[str], str]:
    found = _FIRST.match(command)
    return (gdb_commands.commands(found[1]), found[2]) if found else (frozenset(), "")


def moves_selection(command: str) -> bool:
    """True when the selected frame, thread or inferior may be another one afterwards."""
    names, rest = _parse(command)
    if names == {"with"}:
        run = inner("with", rest)
        return run is not None and moves_selection(run.command)
    return bool(names & _MOVING) and not re.match(r"(?:ap|na|fi)", rest)


def changes_prompt(command: str) -> bool:
    """True when the marks in the prompt may be gone afterwards."""
    names, rest = _parse(command)
    return names == {"set"} and re.match(r"(?:pro|ext|ann|edi)[a-z-]*(?:\s|$)", rest) is not None


def reads_terminal(command: str) -> bool:
    """True when another program, or a script, may read what is typed next."""
    names, _ = _parse(command)
    return bool(names & _READERS) or command.lstrip()[:1] in {"!", "|"}


def opens_body(command: str) -> bool:
    """True when gdb reads the lines that follow as a part of the command."""
    names, rest = _parse(command)
    bare = not rest.strip()
    return len(names) == 1 and bool(names & _BODIES or (bare and names & _BODIES_IF_BARE))


def leaves_debugger(command: str) -> bool:
    """True when gdb would end or let go of the dump."""
    return _leaves(command, _DEEPEST)


def _leaves(command: str, depth: int) -> bool:
    piped = _PIPED.match(command)
    if piped is not None:
        command = piped[1]
    names, rest = _parse(command)
    if len(names) == 1 and names & _LEAVING:
        return True
    for name in names if depth else ():
        run = inner(name, rest)
        if run is None:
            continue
        if not run.readable:
            words = run.command.split()
            return any(_leaves(" ".join(words[at:]), 0) for at in range(len(words)))
        if _leaves(run.command, depth - 1):
            return True
    return False


WORDS = Words(
    moves_selection=moves_selection, leaves_debugger=leaves_debugger, opens_body=opens_body,
    changes_prompt=changes_prompt, reads_terminal=reads_terminal)  # fmt: skip
"""For the table of questions."""


_FULL_SCREEN = frozenset({"tui", "layout", "focus", "winheight", "winwidth", "refresh"})
_VERSION = re.compile(r"GNU gdb.*?(\d+\.\d[\w.]*)\s*$", re.MULTILINE)


class GdbDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "gdb"
    emptied = EMPTIED
    words = WORDS
    launch_of = staticmethod(gdb_launch)
    located = ("info source", re.compile(r"^Located in (.+)$", re.MULTILINE))

    def __init__(self, recipe: Recipe, begun: HeadStart | None = None) -> None:
        super().__init__(recipe, begun)
        self._guarded: Recipe | None = None  # in place of the recipe, once gdb was stuck
        self._writing = Writing()

    def find(self) -> Program:
        return find_gdb(self.recipe.program)

    async def opened(self, session: DebuggerSession) -> None:
        """Source lines may be quoted from here on."""
        self._writing = Writing()
        await session.ask(LOADED)
        if not self.version:
            found = _VERSION.search(await session.ask("show version"))
            self.version = found[1] if found else "unknown"

    async def load(self, recipe: Recipe) -> DebuggerSession:
        """The recipe, or what stands in its place once gdb was stuck on it."""
        return await super().load(self._guarded or recipe)

    async def open_stuck(self, stuck: DebuggerStuck) -> DebuggerSession:
        """Load the dump without the files on it that are none."""
        if self._guarded is not None:
            raise stuck
        folder = self.private_folder()
        own = matched(self.recipe, folder)
        session = await super().load(blind(own, folder))
        mappings = await session.ask(MAPPINGS)
        await session.kill()
        recipe, odd = await asyncio.to_thread(guarded, own, mappings, folder)
        self._guarded = recipe
        session = await super().load(recipe)
        shown = ", ".join(ascii(path) for path in odd[:8]) or "a file that another one leads to"
        note = f"{stuck}\nwarning: loaded without what is no regular file: {shown}\n"
        text = note + self.opening.read()
        self.opening = Output(text, None, len(text.encode()), seconds=self.opening.seconds)
        return session

    async def as_new(self, session: DebuggerSession) -> Program | None:
        printed = early.new_values() and await session.ask("show values")
        return None if self._guarded or printed else self.program

    async def prepare(self, session: DebuggerSession, command: str) -> Output | None:
        """Let only the person's commands write to a process."""
        if self._running == "engine":
            return await _unopened(session, command) or await self._writing.forbid(session, command)
        if self.may_change_settings(command):
            await self._writing.allow(session)
        return None

    # How gdb is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        return settled(session.nonce)

    def command_line(self, command: str) -> bytes:
        """Empty for a blank line or a comment, of which gdb would take the first as "the last
        command again". Raises `CommandRefused`."""
        command = command.strip(" \t\r\n")
        if not command or command.startswith("#"):
            return b""
        if commands(command.split()[0]) & _FULL_SCREEN or command in {"+", "-", "<", ">"}:
            raise CommandRefused("gdb's own windows do not fit into this console")
        # gdb would wait for the next line.
        return raw_line(command + " " if command.endswith("\\") else command)

    async def selection_of(self, session: DebuggerSession) -> Selection:
        thread = re.match(r"\d+", await session.ask("output $_thread"))
        frame = re.match(r"Stack level (\d+),", await session.ask("info frame"))
        return int(thread[0]) if thread else 0, int(frame[1]) if frame else None

    async def select(self, session: DebuggerSession, selection: Selection) -> None:
        thread, frame = selection
        if thread:
            await session.ask(f"thread {thread}")
        if frame is not None:
            await session.ask(f"frame level {frame}")

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """What gdb's own ``complete`` says."""
        line = raw_line(f"complete {prefix}").decode("utf-8", "replace").rstrip("\n")
        lines = (await session.ask(line, 3.0)).split("\n")
        return [one for one in lines if one and "*** List may be truncated" not in one]


_NAME = re.compile(r"[A-Za-z_]\w*")
_MOST_NAMES = 64


class Writing:
    """The permissions of one gdb session, which starts without them. The policy judges a command by
    its text; a macro of the program's (debug information of ``-g3``) may still turn a plain
    ``p name`` into an assignment."""

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


# Loading a dump whose files hold gdb up: it opens each path that the dump names, and a named pipe
# or a terminal among them keeps it for ever.
# gdb then gets a folder of our own in place of the file system: copies of the regular files only.
# In the copies the names of the sections that lead to further files are spoilt (ELF finds a
# section by its name; gdb's manual, "Separate Debug Files").
MAPPINGS = "info proc mappings"
"""The command that lists the files of a core's NT_FILE note."""

_MAPPING = re.compile(r"^\s*(?:0x[0-9a-f]+\s+){4}(?:[rwxps-]{4,5}\s+)?(/.*?)\s*$", re.MULTILINE)
_LEADS = re.compile(rb"\0\.(?=gnu_debug(?:alt)?link\0)")
_MOST_FILES = 4096
_HEADER = 64
_MOST_BYTES = 512 << 20
_BLOCK = 1 << 20
_OVERLAP = 32  # longer than a section's name with its ends


def blind(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe for a gdb that finds none of the files that the dump names. It gets a program
    that has nothing to do with the dump, since it looks for one if it has none."""
    root = folder / "nothing"
    root.mkdir(exist_ok=True)
    other = Path(sys.executable).resolve()
    return recipe._replace(executable=other, sysroot=root, files=None, source_dirs=())


def guarded(recipe: Recipe, mappings: str, folder: Path) -> tuple[Recipe, list[str]]:
    """The recipe with copies, and the mapped paths that are there but are no regular files.

    ``mappings`` is what `MAPPINGS` printed. Copies stop at 512 MiB in all.
    """
    root = folder / "root"
    root.mkdir(exist_ok=True)
    refused, room = [], _MOST_BYTES
    executable = recipe.executable
    if executable is not None:
        copied = _copy(executable, folder / "program" / executable.name, room)
        room -= copied
        executable = folder / "program" / executable.name if copied else None
    if executable is None and recipe.core is not None:  # it looks where the dump says, else
        executable = _stand_in(recipe.core, folder / "no program")
    _merge_usr(recipe.sysroot or Path("/"), root)
    for path in list(dict.fromkeys(_MAPPING.findall(mappings)))[:_MOST_FILES]:
        # As the kernel would go there, except that it cannot climb out.
        place = below(root, path)
        source = Path(path) if recipe.sysroot is None else below(recipe.sysroot, path)
        if place is None or source is None:
            continue
        if _is_odd(source):
            refused.append(path)
        elif copied := _copy(source, place, room):
            room -= copied
            for name in other_names(source):
                with contextlib.suppress(OSError):
                    (place.parent / name).symlink_to(place.name)
    return recipe._replace(executable=executable, sysroot=root, files=None), refused


async def _unopened(session: DebuggerSession, command: str) -> Output | None:
    """What a listing says without its source, where that is no regular file: gdb would wait for it,
    or read without end."""
    if not _LISTS.match(command):
        return None
    text = await session.ask(f"with source open off -- {command}")
    named = _UNREAD.search(text)
    odd = named is not None and await asyncio.to_thread(_is_odd, Path(named[1]))
    return Output(text, None, len(text.encode()), seconds=0.0) if odd else None


def _stand_in(core: Path, place: Path) -> Path:
    """A program of the core's machine in which there is nothing: its header (ELF's, elf(5))."""
    with core.open("rb") as read:
        header = bytearray(read.read(_HEADER))
    large = header[4] == 2  # ELFCLASS64
    flags, counts = (48, 56) if large else (36, 44)
    header[16:18] = (2).to_bytes(2, "big" if header[5] == 2 else "little")  # ET_EXEC
    header[24:flags] = bytes(flags - 24)
    header[counts:] = bytes(len(header) - counts)
    place.write_bytes(header)
    return place


def _merge_usr(system: Path, root: Path) -> None:
    """The links that lead from ``/lib`` to ``/usr/lib``: programs name their libraries by either,
    the kernel by the latter."""
    for name in ("lib", "lib64", "lib32"):
        with contextlib.suppress(OSError):
            if (system / name).readlink() in (Path("usr", name), Path("/usr", name)):
                (root / name).symlink_to(Path("usr", name))


def _is_odd(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _copy(source: Path, target: Path, room: int) -> int:
    """Copy a regular file of at most ``room`` bytes. Returns its size, 0 when it was left out."""
    with contextlib.suppress(OSError, ValueError):
        status = source.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > room:
            return 0
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as read, target.open("xb") as write:
            for block in _spoilt(iter(lambda: read.read(_BLOCK), b"")):
                write.write(block)
        return status.st_size
    return 0


def _spoilt(blocks: Iterable[bytes]) -> Iterable[bytes]:
    """The bytes with each name of a leading section changed, wherever blocks are cut."""
    held = b""
    for block in blocks:
        held = _LEADS.sub(b"\0-", held + block)
        yield held[:-_OVERLAP]
        held = held[-_OVERLAP:]
    yield held
