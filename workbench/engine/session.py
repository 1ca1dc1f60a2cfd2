"""One investigation from open to close: what every front end drives."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.agents import looking
from workbench.agents.judge import judge
from workbench.agents.within import OutOfTime, within
from workbench.debuggers.policy import Answer, accept, check
from workbench.debuggers.protocol import Debugger
from workbench.debuggers.replay import ReplayDebugger
from workbench.engine.commands import CommandRunner
from workbench.engine.comparing import recognise
from workbench.engine.console import Console
from workbench.engine.gates import Gates, IntentError
from workbench.engine.journal import Journal
from workbench.engine.recipe import GateMode
from workbench.engine.reports import Reports
from workbench.engine.rerun import Rerun, observed
from workbench.engine.speaking import Speaking
from workbench.engine.upkeep import DumpHash, metadata_of
from workbench.engine.workflow import Workflow
from workbench.llm.payloads import read_payload
from workbench.model.events import (
    EvidenceMarked,
    FrameSelected,
    Judged,
    Noticed,
    Phase,
    PhaseEntered,
    Stopped,
    StoppedBy,
)
from workbench.model.evidence import Command, Evidence
from workbench.model.facts import Hit
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.session_events import Labelled
from workbench.model.symbols import ModuleState, distinct_modules, module_state
from workbench.store.catalog import find_session
from workbench.store.errors import ReadOnly, StoreError
from workbench.store.session_store import SessionStore
from workbench.targets.reader import Reader, environment

if TYPE_CHECKING:  # an offline run loads nothing of models, one that is not asked none of the chat
    from workbench.engine.chat import Chat
    from workbench.engine.conversation import Conversation
    from workbench.engine.finding import Searched
    from workbench.llm.surroundings import MakeModels
    from workbench.llm.watched import WatchedModels
    from workbench.model.conversation import Exchange
    from workbench.model.origin import Origin
    from workbench.store.search import Passage

_FOLLOWS = 0.5  # seconds between two looks at what another process has written
_HASH_GRACE = 20.0  # seconds that a finished investigation waits for the hash of a huge dump
_SILENT = 0.5  # seconds of it without a word


def _later() -> Any:
    """What a session does beside its investigation, which does not wait for it."""
    from workbench.engine import later

    return later


class Session:
    """Made by `workbench.engine.making`; `run` drives it, `close` leaves it resumable.

    Everything that a front end may do stands here; nothing here knows which front end it is.
    """

    def __init__(
        self, store: SessionStore, journal: Journal, mode: GateMode, reader: Reader,
        debugger: Debugger | None, starting: asyncio.Future[None] | None = None,
        make_models: "MakeModels | None" = None, gone: str = "",
    ) -> None:  # fmt: skip
        """``gone`` says why the target cannot be asked any more; empty where it can."""
        self.store = store
        store.chunk_size = journal.state.options.chunk_size
        self._journal = journal
        self._debugger = debugger
        self._ending: asyncio.Future[None] | None = None
        self._mode = mode
        self._texts: dict[str, str] = {}
        self._tasks: set[asyncio.Future[None]] = set()
        self._starting = starting
        self._reopened = asyncio.Event()
        self.gates = Gates(journal, mode, self._decided)
        self._reader = reader
        self._running: asyncio.Task[None] | None = None
        self._hash = DumpHash(journal)
        self._reports = Reports(journal, self.evidence_text)
        if isinstance(debugger, ReplayDebugger):
            debugger.load(reader.sections())
        self._console = Console(debugger, reader.sections())
        commands = self._commands = CommandRunner(journal, reader, debugger, self.gates.ask_policy)
        # What a part does as it is asked; `Ports` and the parts say what; models are made with it.
        self.record, self.post, self.subscribe = journal.record, journal.post, journal.subscribe
        self.keep_recorded, self.keep_answer = commands.keep_recorded, commands.keep_answer
        self.keep_run, self.keep_report = commands.keep_run, commands.keep_report
        self.build_report, self.report = self._reports.build, self._reports.text
        self.events, self.evidence_lines = store.events, store.lines
        self.ask_cloud, self.on_display = self.gates.ask_cloud, self._console.listen
        self.speaking = Speaking(self, make_models, self._models_changed)
        self._workflow = Workflow(self, self.gates, self._converse)
        self._gone = gone
        self.rerun = Rerun(self)
        self._chat: Chat | None = None
        self._conversation: Conversation | None = None
        self._debugger_asked = False
        self.spent = 0.0
        """Seconds of the person's limit that passed before it ran."""

    # --- running it -----------------------------------------------------------------------------

    @property
    def state(self) -> Investigation:
        """The investigation so far; read only."""
        return self._journal.state

    @property
    def session_id(self) -> str:
        """The session's id, which is its folder's name."""
        return self.store.session_id

    @property
    def read_only(self) -> bool:
        """True where the session is only looked at."""
        return bool(self.store.read_only)

    @property
    def folder(self) -> Path:
        """The session's folder."""
        return self.store.folder

    async def run(self) -> None:
        """Work until the report is due; where a person is asked, go on when they reopen the case.

        Cancelling it loses nothing. Raises `StoreError` when the journal cannot be written.
        """
        self._running = asyncio.current_task()
        if self.store.read_only:
            self._journal.say(Noticed(text=self.store.read_only, severity="warning"))
            while True:
                await self._journal.follow()
                await asyncio.sleep(_FOLLOWS)
        await self._console.replay(self.state, self.text)
        hashing = self._spawn(self._hash.run())
        self._start_debugger()
        while True:
            await self._work()
            _, late = await asyncio.wait([hashing], timeout=_SILENT)
            if late:
                text = f"The dump is still read for its sha256, {_HASH_GRACE:g} s at most."
                self._journal.say(Noticed(text=text))
                await asyncio.wait([hashing], timeout=_HASH_GRACE)
            self.store.write_metadata(metadata_of(self.state))
            if self._mode is not GateMode.ASK:
                return
            await self._reopened.wait()
            self._reopened.clear()

    async def _work(self) -> None:
        """Walk the phases; at the person's time limit end with what there is."""
        limit, spent = self.state.options.timeout, self.spent
        self.spent = 0.0  # what a reopened case takes is its own
        left = limit if limit is None else limit - spent
        try:
            await within(left, self._workflow.run(), lambda: self.state.gates)
        except OutOfTime:
            await self.cut_short(StoppedBy.TIMEOUT, f"the run took over {limit:g} s")

    async def cut_short(self, by: StoppedBy, reason: str, *, saved: bool = True) -> None:
        """End a run that was cancelled with the best conclusion that its evidence carries; not
        ``saved`` where the disk takes no more."""
        if not saved:
            self._journal.stop_saving()
        await self._workflow.conclude()
        await self._journal.record(Stopped(by=by, reason=reason))
        if saved:
            self.store.write_metadata(metadata_of(self.state))

    def rest(self) -> None:
        """Nothing more will be asked: the debugger ends while what was found is told."""
        if self.state.phase is Phase.DONE and self.state.debugger_alive:
            self._end_debugger()

    def _end_debugger(self) -> None:
        if self._debugger is not None and self._ending is None:
            self._ending = asyncio.ensure_future(self._debugger.close())

    async def close(self) -> None:
        """End the debugger and close the files; the session can be resumed."""
        self._hash.stop()
        if self._starting is not None:
            self._tasks.add(self._starting)
        if self._running is not None and self._running is not asyncio.current_task():
            self._tasks.add(self._running)
        await self.rerun.stop()
        for task in tuple(self._tasks):
            task.cancel()
        async with AsyncExitStack() as rest:  # each whatever becomes of the others
            rest.push_async_callback(self._debugger_gone)
            rest.push_async_callback(self.store.close)
            rest.callback(self._reader.close)
            rest.push_async_callback(self.speaking.close)
            # Nothing that the ending itself causes may look like progress of the investigation.
            await self._journal.close()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._end_debugger()

    async def _debugger_gone(self) -> None:
        self._end_debugger()
        if self._ending is not None:
            await self._ending

    # --- the agents' ports ----------------------------------------------------------------------

    @property
    def models(self) -> "WatchedModels | None":
        """The way to a model; None in an offline run."""
        return self.speaking.models

    async def ask(self, command: Command, hypothesis: str | None = None) -> Evidence | None:
        """The evidence for a command, from the ledger or run now."""
        self._start_debugger()
        return await self._commands.ask(command, hypothesis)

    def foresee(self, commands: Sequence[Command]) -> None:
        """Let the debugger begin with what will be asked."""
        self._spawn(self._commands.foresee(commands))

    async def take_origin(self, origin: "Origin") -> None:
        """Where the fault began, as runs of the program showed it: the conclusion's origin now."""
        names = {c.evidence for step in (origin, *origin.steps) for c in step.evidence}
        names |= {hit.cite.evidence for hit in self.state.facts.all(Hit)}
        texts = {name: await self.text(name) for name in names}
        await self.record(*observed(self.state, origin, lambda name: texts.get(name, "")))
        self.store.write_metadata(metadata_of(self.state))

    async def text(self, evidence_id: str) -> str:
        """The stored text of an evidence item; one that cannot be read any more is empty, so that
        what cites it is struck and the rest stands."""
        try:
            return await self.evidence_text(evidence_id)
        except StoreError:
            return ""

    async def search(self, words: Iterable[str], question: str = "") -> "Sequence[Passage]":
        """The passages of the evidence that speak of any of the words, and where embeddings are
        wanted those nearest in meaning to the question; none where nothing can be searched."""
        found: Sequence[Passage] = await _later().search(self, words, question)
        return found

    async def recognise(self) -> None:
        """Look whether this signature was seen before (`Recognised`)."""
        if (found := await recognise(self)) is not None:
            await self._journal.record(found)

    def environment(self) -> list[tuple[str, str]]:
        """What the process was started with, as far as the dump holds it."""
        return environment(self._reader)

    # --- what a front end may do ----------------------------------------------------------------

    async def seen_before(self) -> str | None:
        """The id of the latest session of the same signature."""
        recognised = self.state.about.recognised
        return recognised.earlier[0].session_id if recognised and recognised.earlier else None

    async def look_at(self, session_id: str) -> "Session":
        """Another session of this folder, to be looked at. Raises `StoreError`."""
        folder = find_session(self.folder.parent, session_id)
        what = f"Session {session_id} is only looked at."
        session: Session = await _later().viewed_session(folder, what)
        return session

    def find(self, text: str) -> "AsyncGenerator[Searched, None]":
        """The evidence of this session, then of the others of its folder, searched by words."""
        base, make = self.folder.parent, self.speaking.make_picking
        find_models = None if make is None else lambda: make().here(base)
        folders = _later().folders_of(base, self.folder)
        found: AsyncGenerator[Searched, None] = _later().find(
            folders, text, find_models=find_models
        )
        return found

    def resize_console(self, rows: int, cols: int) -> None:
        """Tell the debugger its terminal's size."""
        if self._debugger is not None:
            self._debugger.resize(rows, cols)

    async def search_evidence(self, text: str) -> frozenset[str]:
        """The ids of the items with a line that holds a text, in either case, and of those in whose
        text something was found that does."""
        holding = _later().holding
        needle, found = text.casefold(), set[str]()
        for id in self.state.evidence:
            with suppress(StoreError, OSError):  # a text that is damaged is found by nobody
                blocks = await self.store.whole(id)
                held = await asyncio.to_thread(_holds, blocks, needle)
                if held or holding(self.state, id, [text]):
                    found.add(id)
        return frozenset(found)

    async def look(self, thread: int | None, index: int) -> None:
        """Ask for the source and the variables of a frame, and the values that its line names."""
        for asked in (looking.commands, looking.values):
            for command in asked(self.state, thread, index):
                await self.ask(command)

    async def select_frame(self, thread: int | None, index: int | None = None) -> None:
        """Look at a frame, by default the program's innermost one of that thread: for source,
        variables and own tests, and in the console."""
        frame = looking.own_frame(self.state, thread) if index is None else index
        selected = FrameSelected(thread=thread, index=frame)
        if self.read_only:
            self._journal.say(selected)
            return
        await self._journal.record(selected)
        await self._commands.select_for_user(thread, frame)
        await self.look(thread, frame)

    async def keep_note(self, text: str) -> None:
        """Keep a note of the person's with the session."""
        await self._journal.record(Labelled(note=text), Noticed(text=f"Noted: {text}"))

    async def mark_evidence(self, id: str, mark: str) -> None:
        """Pin an item, hide it, or (empty) neither. Raises `IntentError`."""
        if id not in self.state.evidence:
            raise IntentError(f"there is no evidence {id}")
        await self._journal.record(EvidenceMarked(id=id, mark=mark))

    async def payload(self, id: str) -> str:
        """The body of a request that left the machine, or waits to. Raises `StoreError`."""
        body = await asyncio.to_thread(read_payload, self.store.folder, id)
        if body is None:
            raise StoreError(f"payload {id} is not in {self.store.folder} any more")
        return body.decode("utf-8", "replace")

    async def user_command(self, text: str) -> None:
        """Run a line of the person's in the debugger, a probe (``@heap 0x4052a0``) by our own
        reader; its output becomes evidence. Raises `StoreError` in a session that is only looked
        at."""
        if self.store.read_only:
            raise ReadOnly(self.store.read_only)
        if self._debugger is not None and self._debugger.awaiting_input:
            self._debugger.answer(text)
        elif (probe := Command(text.strip(), "asked by the user")).is_probe:
            item = await self.ask(probe)
            said = await self.evidence_text(item.id) if item else self.state.failure_of(probe) or ""
            self._console.show_answer(probe.text, said, item.id if item else "")
        elif text.strip():
            before = looking.place(self.state)
            await self._commands.run_for_user(text)
            if before != looking.place(self.state):
                await self.look(*looking.place(self.state))

    @property
    def awaiting_input(self) -> bool:
        """True while the person's command waits for more lines (the body of a ``while``)."""
        return self._debugger is not None and self._debugger.awaiting_input

    def interrupt(self) -> None:
        """Stop what the debugger is doing."""
        if self._debugger is not None:
            self._spawn(self._debugger.interrupt())

    async def complete(self, text: str) -> list[str]:
        """Command lines that begin with ``text``."""
        return [] if self._debugger is None else await self._debugger.complete(text)

    def refusal_of(self, text: str) -> str:
        """Why a line can be no test of a hypothesis; empty where it can."""
        decision = check(text, self.state.host) if not text.startswith("@") else accept()
        return decision.reason if decision.answer is Answer.FORBID else ""

    def leaves_debugger(self, text: str) -> bool:
        """True when a line would end the debugger or let go of the dump."""
        return self._debugger is not None and self._debugger.leaves_debugger(text)

    async def evidence_text(self, id: str) -> str:
        """The stored text of an evidence item, of a huge one the first 8 MiB. Raises
        `StoreError`."""
        if id not in self._texts:
            text = await self.store.text(id)
            if len(text) > 1 << 20:
                return text
            self._texts[id] = text
        return self._texts[id]

    async def ask_question(self, question: str) -> "Exchange":
        """Answer a person's question from the evidence, running commands only where it does not
        tell. The question and its answer are events (`ChatAsked`, `ChatAnswered`)."""
        if self._chat is None:
            self._chat = _later().Chat(self, self._gone)
        return await self._chat.ask(question)

    async def symbols(self) -> list[ModuleState]:
        """Each module of the target with what is to be done about it; asks where nobody has."""
        await self.ask(Command("@modules", "which modules were mapped, and their symbols"))
        target = self.state.target
        os = target.os if target is not None else "linux"
        return [module_state(module, os) for module in distinct_modules(self.state.facts)]

    async def final_answer(self) -> str:
        """What a conversation came to, as Markdown."""
        answer: str = await _later().final_answer(self)
        return answer

    async def write_report(self) -> Path:
        """Write the report as Markdown and HTML into the session's folder; returns the Markdown."""
        return await self._reports.write(self.store.folder)

    # --- inside ---------------------------------------------------------------------------------

    async def _decided(self) -> None:
        """What a person's decision changes once the investigation is over."""
        if self.state.phase is not Phase.DONE:
            return
        if self._is_stale():
            await self._journal.record(PhaseEntered(phase=Phase.TESTING))
            self._reopened.set()
        elif self.state.judgement not in (None, judged := judge(self.state)):
            await self._journal.record(Judged(judgement=judged))  # why another one lost

    def _is_stale(self) -> bool:
        """True when the person changed what the conclusion rests on."""
        state = self.state
        chosen = state.conclusion.hypothesis if state.conclusion else None
        own = [h.id for h in state.hypotheses.values() if h.is_confirmed_by_user]
        return (
            bool(state.untested())
            or bool(own and chosen not in own)
            or (chosen is not None and state.hypotheses[chosen].status is not Status.CONFIRMED)
        )

    def _models_changed(self) -> None:
        self._workflow.models_changed()
        if self._conversation is not None:
            self._conversation.models_changed()

    async def _converse(self) -> Phase | None:
        if self._conversation is None:
            self._conversation = _later().Conversation(self, self.gates)
        return await self._conversation.go_on()

    def _start_debugger(self) -> None:
        """Once: a session that is only asked needs one no sooner than for its first command."""
        if not self._debugger_asked:
            self._debugger_asked = True
            self._spawn(self._commands.start_debugger(self._starting))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, StoreError):  # which the run says
            about = {"message": str(error), "exception": error, "future": task}
            asyncio.get_running_loop().call_exception_handler(about)


def _holds(blocks: Iterable[str], needle: str) -> bool:
    return any(needle in block.casefold() for block in blocks)
