"""``workbench analyze`` in a plain terminal: turns on stdout, answers from stdin, also piped."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.agents.conversation.wording import how_to_answer, turn_lines
from workbench.delivery import on_signals, say
from workbench.engine.outcome import FAILED, INTERRUPTED, exit_status, resume_hint
from workbench.engine.recipe import GateMode
from workbench.fronts.progress import show_steps, summary_line
from workbench.model.conversation import Turn, TurnKind
from workbench.model.events import GateOpened, Phase, SessionOpened
from workbench.model.investigation import fold
from workbench.model.models import ModelWish
from workbench.model.target import TargetKind
from workbench.model.text import printable
from workbench.opening import Request, open_session, resume_session
from workbench.settings import Settings
from workbench.store.catalog import list_sessions
from workbench.store.errors import SessionBusy, StoreError
from workbench.store.reading import read_events
from workbench.store.replacing import replacing
from workbench.targets.documents.folder import RESULT
from workbench.tui.conversation import converse

if TYPE_CHECKING:
    from workbench.engine.session import Session


FENCE = "```"
LONGEST_ANSWER = 4 << 20
"""Characters of one answer."""


async def analyze(request: Request, plain: bool = False) -> int:
    """Converse about a folder until the person ends it, going on with a conversation about the
    same question that was left; the contract's exit status. With ``plain`` no screen opens in a
    terminal either. Raises `TargetError`, `StoreError`, `TierMissing`."""
    left = unfinished(request)
    if left is not None:
        say(f"going on with {left.name}")

        try:
            return await go_on(left, request.settings, request.wanted, plain)
        except SessionBusy as busy:
            raise SessionBusy(
                f"{left.name} is open in another workbench: close it there, or begin another "
                "conversation with another --query"
            ) from busy
    return await _converse(await open_session(request, GateMode.CONVERSE), plain)


async def go_on(folder: Path, settings: Settings, wanted: ModelWish, plain: bool = False) -> int:
    """Take a saved conversation up again. Raises `TargetError`, `StoreError`, `TierMissing`."""
    session = await resume_session(folder, GateMode.CONVERSE, settings, wanted)
    return await _converse(session, plain)


def unfinished(request: Request) -> Path | None:
    """The newest session on the same folder with the same question that has not ended."""
    target = os.path.abspath(request.target)
    for row in list_sessions(request.base):
        if row.state != "open" or row.target != target:
            continue
        folder = request.base / row.session_id
        try:
            state = fold(read_events(folder))
        except StoreError:
            continue
        if state.options.issue == request.options.issue:
            return folder
    return None


def is_conversation(folder: Path) -> bool:
    """True for a saved session that is about a folder of texts."""
    first = next(iter(read_events(folder, most=1)), None)
    opened = first.event if first is not None else None
    return isinstance(opened, SessionOpened) and opened.target.kind is TargetKind.DOCUMENTS


async def _converse(session: "Session", plain: bool) -> int:
    try:
        ended = session.state.phase is Phase.DONE
        if not ended and not await _talk(session, plain):
            say(f"saved: `{resume_hint(session.state)}` goes on")
            return INTERRUPTED
        return await _finish(session)
    finally:
        if spent := summary_line(session.state.models):
            say(spent)
        await session.close()


async def _talk(session: "Session", plain: bool) -> bool:
    """True when the conversation ended, False when it was left."""
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return await _Terminal(session).talk()

    return await converse(session)


async def _finish(session: "Session") -> int:
    """Show the final answer and write it beside the files."""
    text = await session.final_answer()
    sys.stdout.write(text)
    sys.stdout.flush()
    target = session.state.target
    try:
        path = await asyncio.to_thread(write_result, Path(target.path if target else "."), text)
    except OSError as error:
        say(f"workbench: the result could not be written: {error.strerror}: {error.filename}")
        return FAILED
    say(f"result written to {path}")
    return exit_status(session.state)


class _Terminal:
    """Shows each turn once and hands the answers over."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._changed = asyncio.Event()
        self._answers = _Answers()
        self._shown: set[str] = set()

    async def talk(self) -> bool:
        """True when the conversation ended, False when it was left."""
        work = asyncio.ensure_future(self._session.run())
        interrupted = on_signals(work)
        end = self._session.subscribe(lambda rows: self._changed.set())
        quiet = show_steps(self._session)
        try:
            while not (work.done() or self._answers.ended or interrupted):
                self._changed.clear()
                gate = self._open_gate()
                if gate is None:
                    changed = asyncio.ensure_future(self._changed.wait())
                    both: list[asyncio.Future[Any]] = [work, changed]
                    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                    changed.cancel()
                else:
                    await self._ask(gate, work)
            if work.done() and not interrupted:
                work.result()
        finally:
            end()
            quiet()
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        return self._session.state.phase is Phase.DONE

    def _open_gate(self) -> GateOpened | None:
        kinds = set(TurnKind)
        return next((g for g in self._session.state.gates if g.kind in kinds), None)

    async def _ask(self, gate: GateOpened, work: "asyncio.Future[None]") -> None:
        turn = next((t for t in self._session.state.conversation if t.id in gate.subjects), None)
        if gate.id not in self._shown:
            self._shown.add(gate.id)
            self._show(gate, turn)
        asking = asyncio.ensure_future(self._answers.next())
        both: list[asyncio.Future[Any]] = [work, asking]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            asking.cancel()
            return
        answer = asking.result()
        if answer is not None:
            await self._session.gates.answer(gate.id, answer)

    def _show(self, gate: GateOpened, turn: Turn | None) -> None:
        lines = [gate.question] if turn is None else [*turn_lines(turn), "", how_to_answer(turn)]
        shown = "\n".join(printable(line, keep="\t") for line in lines)
        sys.stdout.write(f"\n{shown}\n")
        if sys.stdin.isatty():
            sys.stdout.write("> ")
        sys.stdout.flush()


class _Answers:
    """Lines of stdin, read by a thread of their own: the loop never waits for a terminal. Lines
    between two of ``` are one answer. The thread reads the descriptor itself, since a buffered
    reader that waits would keep the interpreter from ending."""

    def __init__(self) -> None:
        self.ended = False
        self._found: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True, name="answers").start()

    async def next(self) -> str | None:
        """The next answer; None at the end of the input."""
        answer = await self._found.get()
        self.ended = answer is None
        return answer

    def _read(self) -> None:
        for answer in answers(_lines()):
            self._tell(answer)
        self._tell(None)

    def _tell(self, answer: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._found.put_nowait, answer)
        except RuntimeError:
            return  # the loop has ended


def _lines() -> Iterator[str]:
    """Lines of standard input."""
    held = b""
    while True:
        try:
            data = os.read(sys.stdin.fileno(), 65536)
        except (OSError, ValueError):
            data = b""
        if not data:
            break
        *whole, held = (held + data).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
        held = held[:LONGEST_ANSWER]
    if held:
        yield held.decode("utf-8", "replace")


def answers(lines: Iterator[str]) -> Iterator[str]:
    """Each line that is not blank is an answer; what stands between two lines of ``` is one."""
    for line in lines:
        if not line.strip():
            continue
        if not line.strip().startswith(FENCE):
            yield line.strip()
            continue
        part: list[str] = []
        size = 0
        for inner in lines:
            if inner.strip() == FENCE:
                break
            size += len(inner) + 1
            if size <= LONGEST_ANSWER:
                part.append(inner)
        yield "\n".join(part)


def write_result(folder: Path, text: str) -> Path:
    """``analysis_result.md``, there whole or as it was before; what was there stays as ``.bak``.
    Returns its path. Raises `OSError`."""
    path = folder / RESULT
    with replacing(path, 0o644) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        _keep(path)
    return path


def _keep(path: Path) -> None:
    """A second name for what is there, so that at no time there is none."""
    backup = path.with_name(path.name + ".bak")
    second = path.with_name(f".{path.name}.{os.getpid()}.bak")
    second.unlink(missing_ok=True)
    try:
        os.link(path, second, follow_symlinks=False)
    except FileNotFoundError:
        return
    except (OSError, NotImplementedError):  # a file system without links
        with contextlib.suppress(FileNotFoundError):
            path.replace(backup)
        return
    second.replace(backup)
