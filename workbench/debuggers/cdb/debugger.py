"""cdb behind the protocol: Windows dumps with Microsoft's own debugger. Experimental."""

import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import regex  # type: ignore[import-untyped]

from workbench.debuggers.cdb.find import find_cdb
from workbench.debuggers.launch import Launch
from workbench.debuggers.line import raw_line
from workbench.debuggers.marks import CutScanner, Kind
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import CommandRefused, DumpRefused, Recipe, Selection
from workbench.debuggers.queued import QueuedDebugger
from workbench.debuggers.session import DebuggerSession, Words

# What cdb asks with: "eax 00000001 :" of an r without a value, "00401000 " of an assembler's line.
_QUESTION = re.compile(rb"(?:^|\n)(?:[\w.]+ )?[0-9a-f`]{8,17}[ :-]{1,3}$|\? $|\(y/n\)\s*$")


def cdb_launch(program: Program, recipe: Recipe, folder: Path) -> Launch:
    """cdb on a recipe; ``folder`` is private, and the only place where it keeps symbols.

    ``-noshell`` takes `.shell` away for the whole session, ``-netsyms:no`` the network,
    ``-snul`` the search of all modules for a name without one.
    """
    nonce = secrets.token_hex(16)
    argv = [str(program.path), *program.options, "-noshell", "-snul", "-netsyms:no", "-lines"]
    argv += ["-y", symbol_path(recipe, folder)]
    if recipe.source_dirs:
        argv += ["-srcpath", ";".join(str(place.absolute()) for place in recipe.source_dirs)]
    images = [place for place in (recipe.sysroot, _folder_of(recipe.executable)) if place]
    if images:
        argv += ["-i", ";".join(str(place.absolute()) for place in images)]
    if recipe.core is not None:
        argv += ["-z", str(recipe.core.absolute())]
    prompt = mark_line(Kind.PROMPT, nonce)
    return Launch(
        name="cdb",
        argv=argv,
        environment=program.environment(),
        nonce=nonce,
        set_up=prompt,
        repair=b"",
        echo=lambda id: mark_line(Kind.ECHO, nonce, id) + prompt,
        question=_QUESTION,
        after=prompt,
        scanner=lambda: EchoScanner(nonce),
    )


def symbol_path(recipe: Recipe, folder: Path) -> str:
    """Where symbols are looked for: beside the program, and in the crashed machine's files."""
    places = [_folder_of(recipe.executable), recipe.sysroot]
    found = [str(place.absolute()) for place in places if place is not None]
    return ";".join(found) or str(folder)


def _folder_of(executable: Path | None) -> Path | None:
    return executable.parent if executable is not None else None


_LEAVES = re.compile(
    r"(?i)^(?:q|qq|qd|\.kill|\.detach|\.abandon|\.restart|\.attach|\.create|\.opendump|\.remote"
    r"|\.reboot|\.crash|\.quit_lock)\b"
)
_MOVES = re.compile(
    r"(?i)^(?:~\S*\s*s|\|\S*\s*s|\.frame\b|\.cxr\b|\.ecxr\b|\.trap\b|\.thread\b|\.process\b|!thread\b"
    r"|!process\b|\.effmach\b)"
)
# They go on at a prompt of their own: the assembler, editing memory or a register without a value.
_INTERACTIVE = re.compile(r"^(?:a(?:\s+\S+)?|e[abdfpqw]?\s+\S+|r\s+@?\w+\s*\?)\s*$", re.IGNORECASE)


def _parts(command: str) -> list[str]:
    return [part.strip() for part in command.split(";")]


def leaves_debugger(command: str) -> bool:
    """True when cdb would end or let go of the dump."""
    return any(_LEAVES.match(_unwrapped(part)) for part in _parts(command))


def moves_selection(command: str) -> bool:
    """True when another thread, frame or context may be selected afterwards."""
    return any(_MOVES.match(part) for part in _parts(command))


def refuse_interactive(command: str) -> None:
    """Raises `CommandRefused` for what would wait for lines that the marks would be taken for."""
    if any(_INTERACTIVE.match(part) for part in _parts(command)):
        raise CommandRefused("this goes on at a prompt of its own: give the value in the same line")


def _unwrapped(part: str) -> str:
    """What ``~*e`` and its like run."""
    found = re.match(r"^~\S*?\s*e\s+(.*)$", part, re.IGNORECASE)
    return found[1] if found else part


_VERSION = re.compile(r"Windows Debugger Version (\d[\w.]*)")
_CURRENT = re.compile(r"^\s*\.\s+(\d{1,6})\s+[Ii]d: ", re.MULTILINE)
_FRAME = re.compile(r"^([0-9a-fA-F]{2,4}) ", re.MULTILINE)
_REFUSED = re.compile(
    r"^(?:Could not open dump file.*|The system cannot find the file.*|Debuggee initialization "
    r"failed.*|\w:.*HRESULT 0x[0-9A-Fa-f]{8}.*)",
    re.MULTILINE,
)


class CdbDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "cdb"
    # No command takes the marks away, and a command's body stands in its line.
    words = Words(moves_selection=moves_selection, leaves_debugger=leaves_debugger)
    launch_of = staticmethod(cdb_launch)

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self._start: Selection = (0, None)

    def find(self) -> Program:
        return find_cdb(self.recipe.program)

    async def opened(self, session: DebuggerSession) -> None:
        """Go to the exception that the dump was written for, so that stacks and registers are
        those of the crash. A dump that was refused ends here. Raises `DumpRefused`."""
        said = self.opening.read()
        found = _VERSION.search(said)
        self.version = found[1] if found else self.version or "unknown"
        refused = _REFUSED.search(said)
        if refused is not None and not await session.ask("~"):
            await session.kill()
            raise DumpRefused(f"cdb cannot open the dump: {refused[0][:200]}")
        await session.ask(".ecxr")
        self._start = await self.selection_of(session)

    # How cdb is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """The number base and the evaluator, which a user's command may have changed."""
        return ("n 16", ".expr /s masm", ".lines -e")

    def command_line(self, command: str) -> bytes:
        text = command.strip(" \t\r\n")
        if not text.strip(";"):
            return b""
        refuse_interactive(text)
        if text.endswith("\\"):
            raise CommandRefused("a command that ends in a backslash may go on in the next line")
        return raw_line(text)

    async def selection_of(self, session: DebuggerSession) -> Selection:
        """The debugger's number of the selected thread, and the level of its frame."""
        thread = _CURRENT.search(await session.ask("~"))
        frame = _FRAME.search(await session.ask(".frame"))
        return int(thread[1]) if thread else 0, int(frame[1], 16) if frame else None

    async def select(self, session: DebuggerSession, selection: Selection) -> None:
        """Select it again; for the thread of the exception with the exception's context."""
        thread, frame = selection
        await session.ask(f"~{thread}s")
        if thread == self._start[0]:
            await session.ask(".ecxr")
        if frame:
            await session.ask(f".frame {frame:x}")

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """Symbols of a module, when the last word asks for some: cdb completes nothing else."""
        stem, _, word = prefix.rpartition(" ")
        if "!" not in word or not re.fullmatch(r"[\w.]+![\w:~]*", word):
            return []
        said = await session.ask(f"x {word}*", 5.0)
        module = word.partition("!")[0]
        names = re.findall(rf"^[0-9a-f`]+\s+({re.escape(module)}![^\s(]+)", said, re.MULTILINE)
        return [f"{stem} {name}".lstrip() for name in dict.fromkeys(names)][:200]


# Marks for a debugger whose prompt cannot carry one: a line that it echoes after each command.
# ``.echo [wb:NONCE:A:]`` behind a command prints the mark on a line of its own, between two
# prompts. The nonce is a secret of the session, so no output can print it; prompts around the
# mark, and the echo of what was sent where the terminal shows that, belong to the mark and not to
# the output.
# `regex` tells what may become a match, as a mark that the stream's end cuts.
# "0:000> ", "0:000:x86> ", "1: kd> ", "16.0: kd:x86> ", "lkd> ".
_PROMPT = rb"(?:\d{1,4}:\d{3,6}(?::\w{1,12})?|(?:\d{1,4}(?:\.\d{1,4})?: )?l?kd(?::\w{1,12})?)> "
_ECHO = b".echo "
_LONGEST = 256


def mark_text(kind: Kind, nonce: str, id: str = "") -> bytes:
    """A mark as it is printed."""
    return b"[wb:%s:%s:%s]" % (nonce.encode(), kind.encode(), id.encode())


def mark_line(kind: Kind, nonce: str, id: str = "") -> bytes:
    """The line that makes the debugger print a mark."""
    return _ECHO + mark_text(kind, nonce, id) + b"\n"


class EchoScanner(CutScanner):
    """Finds the marks that `mark_line` makes the debugger print."""

    def __init__(self, nonce: str) -> None:
        super().__init__()
        text = rb"\[wb:" + re.escape(nonce.encode()) + rb":([ACD]):([0-9a-f]{0,16})\]"
        echoed = (
            rb"(?:\.echo \[wb:" + re.escape(nonce.encode()) + rb":[ACD]:[0-9a-f]{0,16}\]\r?\n)?"
        )
        self._pattern = regex.compile(
            rb"(?:" + _PROMPT + echoed + rb")?(?<!\.echo )" + text + rb"\r?\n(?:" + _PROMPT + rb")?"
        )
        self._prompt = regex.compile(_PROMPT)

    def _marks(self, data: bytes) -> Iterator[re.Match[bytes]]:
        for found in self._pattern.finditer(data):
            ended = found[0].endswith(b"> ")
            if not ended and self._prompt.fullmatch(data, found.end(), partial=True):
                return  # the prompt behind it is still to come
            yield found

    def _possible_mark(self, data: bytes, start: int) -> int:
        for at in range(max(start, len(data) - _LONGEST), len(data)):
            begun = data[at] in b"0123456789lk[" and self._pattern.fullmatch(data, at, partial=True)
            if begun or _ECHO.startswith(data[at:]):
                return at
        return len(data)
