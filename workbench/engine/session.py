"""One investigation from open to close: what every front end drives."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.agents.report_writer import build_report
from workbench.debuggers.choose import Choice
from workbench.debuggers.protocol import Debugger, Recipe
from workbench.debuggers.replay import ReplayDebugger
from workbench.engine.commands import CommandRunner
from workbench.engine.console import Console
from workbench.engine.gates import Gates
from workbench.engine.journal import Journal, Listener, utc_now
from workbench.engine.recipe import GateMode, recipe_for
from workbench.engine.upkeep import cited_ids, metadata_of, replace_file, sha256_of
from workbench.engine.workflow import Workflow
from workbench.model.category import Category
from workbench.model.events import (
    AnyEvent,
    DumpHashed,
    Noticed,
    Phase,
    PhaseEntered,
    Resumed,
    SessionOpened,
    Stopped,
    StoppedBy,
)
from workbench.model.evidence import Command, Evidence
from workbench.model.facts import Module
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.report import Report
from workbench.model.symbols import ModuleState, module_state
from workbench.model.target import Options, Target
from workbench.store.errors import StoreError
from workbench.store.session_store import SessionStore
from workbench.targets.reader import Reader, open_reader

_HASH_GRACE = 20.0  # seconds that a finished investigation waits for the hash of a huge dump
_QUOTED_UNASKED = 1 << 20  # bytes
DebuggerFactory = Callable[[Recipe], Debugger | None]


class Session:
    """Made by `create` or `resume`; `run` drives it, `close` leaves it resumable.

    Everything that a front end may do stands here; nothing here knows which front end it is.
    """

    def __init__(
        self,
        store: SessionStore,
        journal: Journal,
        mode: GateMode,
        reader: Reader,
        debugger: Debugger | None,
        starting: asyncio.Future[None] | None = None,
    ) -> None:
        self.store = store
        self._journal = journal
        self._debugger = debugger
        self._mode = mode
        self._texts: dict[str, str] = {}
        self._tasks: set[asyncio.Future[None]] = set()
        self._starting = starting
        self._reopened = asyncio.Event()
        self.gates = Gates(journal, mode)
        self._reader = reader
        self._running: asyncio.Task[None] | None = None
        self._hash_stop = threading.Event()
        if isinstance(debugger, ReplayDebugger):
            debugger.load(reader.sections())
        self._console = Console(debugger, reader.sections())
        self._commands = CommandRunner(journal, reader, debugger, self.gates.ask_policy)
        self._workflow = Workflow(self, self.gates)

    # --- making one -----------------------------------------------------------------------------

    @classmethod
    async def create(
        cls,
        target: Target,
        options: Options,
        base: Path,
        mode: GateMode,
        choice: Choice,
        debugger: Debugger | None,
        starting: asyncio.Future[None] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> "Session":
        """A new session on a recognised target. Raises `StoreError`.

        ``starting`` is the debugger's start where that is under way already.
        """
        store = await SessionStore.create(base, Path(target.path), clock())
        journal = Journal(store, clock=clock)
        await journal.record(
            SessionOpened(
                session_id=store.session_id,
                target=target,
                options=options,
                version=__version__,
                debugger=choice.name,
                debugger_why=choice.why,
            )
        )
        reader = await asyncio.to_thread(_open, target, options)
        store.write_metadata(metadata_of(journal.state))
        return cls(store, journal, mode, reader, debugger, starting)

    @classmethod
    async def resume(
        cls,
        folder: Path,
        mode: GateMode,
        make_debugger: DebuggerFactory | None,
        clock: Callable[[], datetime] = utc_now,
    ) -> "Session":
        """A saved session, with a debugger started by the same recipe.

        Raises `StoreError`, and `TargetError` when the dump is no longer there.
        """
        store = await SessionStore.open(folder)
        try:
            journal = await Journal.load(store, clock)
            state = journal.state
            if state.target is None:
                raise StoreError(f"session {store.session_id} stopped before it began: open anew")
            recipe = recipe_for(state.target, state.options, state.chosen_debugger, folder.parent)
            reader = await asyncio.to_thread(_open, state.target, state.options)
            debugger = make_debugger(recipe) if make_debugger else None
            session = cls(store, journal, mode, reader, debugger)
            events: list[AnyEvent] = [Resumed(version=__version__)]
            if session._reader.size != state.target.size:
                events.append(
                    Noticed(
                        text="The dump's size has changed since this session began.",
                        severity="error",
                    )
                )
            if state.debugger is not None:
                events.append(
                    Noticed(
                        text="Resumed: the debugger starts anew with the same recipe; convenience "
                        "variables and settings made in it before are gone."
                    )
                )
            await journal.record(*events)
        except BaseException:
            await store.close()
            raise
        return session

    # --- running it -----------------------------------------------------------------------------

    @property
    def state(self) -> Investigation:
        """The investigation so far; read only."""
        return self._journal.state

    @property
    def session_id(self) -> str:
        """The session's id, which is its folder's name."""
        return self.store.session_id

    async def run(self) -> None:
        """Work until the report is due; where a person is asked, go on when they reopen the case.

        Cancelling it loses nothing. Raises `StoreError` when the journal cannot be written.
        """
        self._running = asyncio.current_task()
        await self._console.replay(self.state, self.text)
        hashing = self._spawn(self._hash_dump())
        self._spawn(self._commands.start_debugger(self._starting))
        while True:
            await self._work()
            await asyncio.wait([hashing], timeout=_HASH_GRACE)
            self.store.write_metadata(metadata_of(self.state))
            if self._mode is GateMode.HEADLESS:
                return
            await self._reopened.wait()
            self._reopened.clear()

    async def _work(self) -> None:
        """Walk the phases; at the person's time limit end with what there is. Waiting for a person
        at a gate costs none of it."""
        work = asyncio.ensure_future(self._workflow.run())
        left = self.state.options.timeout
        clock = asyncio.get_running_loop().time
        try:
            while not work.done():
                begun = clock()
                await asyncio.wait([work], timeout=None if left is None else min(left, 0.5))
                if left is not None and not self.state.gates:
                    left -= clock() - begun
                    if left <= 0 and not work.done():
                        work.cancel()
                        await asyncio.wait([work])
                        limit = f"the run took over {self.state.options.timeout:g} s"
                        await self.cut_short(StoppedBy.TIMEOUT, limit)
                        return
            work.result()
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def cut_short(self, by: StoppedBy, reason: str) -> None:
        """End a run that was cancelled with the best conclusion that its evidence carries."""
        await self._workflow.conclude()
        await self._journal.record(Stopped(by=by, reason=reason))
        self.store.write_metadata(metadata_of(self.state))

    async def close(self) -> None:
        """End the debugger and close the files; the session can be resumed."""
        self._hash_stop.set()
        if self._starting is not None:
            self._tasks.add(self._starting)
        if self._running is not None and self._running is not asyncio.current_task():
            self._tasks.add(self._running)
        for task in tuple(self._tasks):
            task.cancel()
        # Nothing that the ending itself causes may look like progress of the investigation.
        await self._journal.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._debugger is not None:
            await self._debugger.close()
        self._reader.close()
        await self.store.close()

    # --- the agents' ports ----------------------------------------------------------------------

    async def ask(self, command: Command, hypothesis: str | None = None) -> Evidence | None:
        """The evidence for a command, from the ledger or run now."""
        return await self._commands.ask(command, hypothesis)

    async def keep_recorded(self) -> None:
        """What a transcript recorded becomes evidence."""
        await self._commands.keep_recorded()

    async def text(self, evidence_id: str) -> str:
        """The stored text of an evidence item; one that cannot be read any more is empty, so that
        what cites it is struck and the rest stands."""
        try:
            return await self.evidence_text(evidence_id)
        except StoreError:
            return ""

    async def record(self, *events: AnyEvent) -> None:
        """Commit events."""
        await self._journal.record(*events)

    # --- what a front end may do ----------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each committed batch; returns what ends that."""
        return self._journal.subscribe(listener)

    def on_display(self, listener: Callable[[bytes], None]) -> Callable[[], None]:
        """Send the console's coloured bytes to ``listener``; returns what ends that."""
        return self._console.listen(listener)

    def resize_console(self, rows: int, cols: int) -> None:
        """Tell the debugger its terminal's size."""
        if self._debugger is not None:
            self._debugger.resize(rows, cols)

    async def approve(self, id: str) -> None:
        """Let a hypothesis be tested. Raises `IntentError`, as all intents do."""
        await self._intend(self.gates.approve(id))

    async def reject(self, id: str, reason: str = "") -> None:
        """Rule a hypothesis out."""
        await self._intend(self.gates.reject(id, reason))

    async def edit(
        self, id: str, statement: str, category: Category, tests: tuple[Command, ...]
    ) -> None:
        """Change a hypothesis before it is tested."""
        await self._intend(self.gates.edit(id, statement, category, tests))

    async def propose(
        self, statement: str, category: Category, tests: tuple[Command, ...] = ()
    ) -> None:
        """Add a hypothesis of the person's own, with tests of theirs."""
        await self._intend(self.gates.propose(statement, category, tests))

    async def test_now(self, id: str) -> None:
        """Approve a hypothesis and test it next."""
        await self._intend(self.gates.test_now(id))

    async def approve_all(self) -> None:
        """Let every hypothesis pass from here on."""
        await self._intend(self.gates.approve_all())

    async def answer_gate(self, gate_id: str, answer: str, reason: str = "") -> None:
        """Answer a gate that is not about hypotheses."""
        await self._intend(self.gates.answer(gate_id, answer, reason))

    async def user_command(self, text: str) -> None:
        """Run a line of the person's in the debugger; its output becomes evidence."""
        if self._debugger is not None and self._debugger.awaiting_input:
            self._debugger.answer(text)
        elif text.strip():
            await self._commands.run_for_user(text)

    def interrupt(self) -> None:
        """Stop what the debugger is doing."""
        if self._debugger is not None:
            self._spawn(self._debugger.interrupt())

    async def complete(self, text: str) -> list[str]:
        """Command lines that begin with ``text``."""
        return [] if self._debugger is None else await self._debugger.complete(text)

    def leaves_debugger(self, text: str) -> bool:
        """True when a line would end the debugger or let go of the dump."""
        return self._debugger is not None and self._debugger.leaves_debugger(text)

    async def evidence_lines(self, id: str) -> Sequence[str]:
        """All lines of an evidence item; those of a huge one are read when they are looked at.
        Raises `StoreError`, pages also later."""
        return await self.store.lines(id)

    async def evidence_text(self, id: str) -> str:
        """The stored text of an evidence item, of a huge one the first 8 MiB. Raises
        `StoreError`."""
        if id not in self._texts:
            text = await self.store.text(id)
            if len(text) > 1 << 20:
                return text
            self._texts[id] = text
        return self._texts[id]

    async def symbols(self) -> list[ModuleState]:
        """Each module of the target with what is to be done about it; asks where nobody has."""
        await self.ask(Command("@modules", "which modules were mapped, and their symbols"))
        return [module_state(fact) for fact in self.state.facts.all(Module)]

    async def build_report(self) -> Report:
        """The report of the state as it is now."""
        return build_report(self.state, await self._cited_texts())

    async def report(self, format: str) -> str:
        """The report as ``md``, ``html`` or ``json``."""
        from workbench.agents.rendering import render

        texts = await self._cited_texts()
        return await asyncio.to_thread(render, build_report(self.state, texts), texts, format)

    async def write_report(self) -> Path:
        """Write the report as Markdown and HTML into the session's folder; returns the Markdown."""
        path = self.store.folder / "report.md"
        for suffix in ("md", "html"):
            text = await self.report(suffix)
            await asyncio.to_thread(replace_file, path.with_suffix(f".{suffix}"), text)
        return path

    # --- inside ---------------------------------------------------------------------------------

    async def _cited_texts(self) -> dict[str, str]:
        """The texts that a report may quote: all but the largest that nothing cites."""
        cited = cited_ids(self.state)
        return {
            id: await self.text(id)
            for id, item in self.state.evidence.items()
            if id in cited or item.size <= _QUOTED_UNASKED
        }

    async def _intend(self, intent: Coroutine[Any, Any, None]) -> None:
        await intent
        if self.state.phase is Phase.DONE and self._is_stale():
            await self._journal.record(PhaseEntered(phase=Phase.TESTING))
            self._reopened.set()

    def _is_stale(self) -> bool:
        """True when the person changed what the conclusion rests on."""
        state = self.state
        chosen = state.conclusion.hypothesis if state.conclusion else None
        return bool(state.untested()) or (
            chosen is not None and state.hypotheses[chosen].status is Status.REJECTED
        )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _hash_dump(self) -> None:
        if self.state.target is None:
            return
        try:
            path = Path(self.state.target.path)
            sha256 = await asyncio.to_thread(sha256_of, path, self._hash_stop)
        except OSError as error:
            text = f"The dump could not be read to its end: {error.strerror or error}."
            await self._journal.record(Noticed(text=text, severity="error"))
            return
        if sha256 is None:
            return
        if self.state.dump_sha256 is None:
            await self._journal.record(DumpHashed(sha256=sha256))
        elif self.state.dump_sha256 != sha256:
            await self._journal.record(
                Noticed(
                    text="The dump is not the one that this session began with: its bytes differ.",
                    severity="error",
                )
            )


def _open(target: Target, options: Options) -> Reader:
    """The dump for our own reader. A program that the person named is used even when it does not
    match: the probe of the dump's health then says so and caps confidence. The debugger gets only
    one that matches."""
    executable = _path(options.executable or target.executable)
    return open_reader(target, executable, _path(options.sysroot))


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
