"""A session without an engine: it is fed recorded events and notes what is asked of it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path

from tests.tui.sample import START, TEXTS, recorded
from workbench.engine.finding import Searched
from workbench.engine.gates import IntentError
from workbench.engine.rerun import Proposed
from workbench.llm.discover import FoundServer
from workbench.llm.picking import Picking
from workbench.model.category import Category
from workbench.model.conversation import Reply
from workbench.model.events import AnyEvent, ChatAnswered, ChatAsked, Noticed
from workbench.model.evidence import Command
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.model.models import Content, Effort
from workbench.model.symbols import ModuleState
from workbench.store.errors import StoreError
from workbench.tui.port import DisplayListener, Listener, SpeechListener, Unsubscribe

REPORT = "# Use after free in `conn_expire`\n\n**Cause.** The connection at `0x4c7310` is freed.\n"


class ScriptedSession:
    """Implements ``SessionPort`` over a list of events."""

    def __init__(
        self, events: Sequence[AnyEvent], console: bytes = b"", texts: dict[str, str] | None = None
    ) -> None:
        self.state = Investigation()
        self.before: ScriptedSession | None = None
        self.found: list[Searched] = []
        self.rows = list(recorded(events))
        for row in self.rows:
            self.state.apply(row.event, row.at, row.seq)
        self.console = console
        self.texts = TEXTS if texts is None else texts
        self.todo = "copy it"
        self.pick: Picking | None = None
        self.speech: list[SpeechListener] = []
        self.payloads: dict[str, str] = {}
        self.pages: dict[str, Sequence[str]] = {}
        self.asked: list[tuple[object, ...]] = []
        self.looked: list[tuple[int | None, int]] = []
        self.size = (0, 0)
        self.runs = False
        self.command = "./app --list 'a b'"
        self.completions: list[str] = []
        self.refusal: Exception | None = None
        self.written = Path("report.md")
        self._listeners: list[Listener] = []
        self._displays: list[DisplayListener] = []
        self._closed = asyncio.Event()

    @cached_property
    def reply(self) -> asyncio.Future[Reply]:
        """What the next question is answered with."""
        return asyncio.Future()

    # --- fed by the test -------------------------------------------------------------------------

    def feed(self, *events: AnyEvent) -> None:
        rows = []
        for event in events:
            at = START + timedelta(seconds=self.state.seq + 1)
            self.state.apply(event, at)
            rows.append(Recorded(self.state.seq, at, event))
        self.rows += rows
        for listener in self._listeners:
            listener(rows)

    def print(self, data: bytes) -> None:
        for display in self._displays:
            display(data)

    def note(self, *what: object) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.asked.append(what)

    # --- the port --------------------------------------------------------------------------------

    async def seen_before(self) -> str | None:
        return self.before.state.session_id if self.before is not None else None

    async def look_at(self, session_id: str) -> "ScriptedSession":
        assert self.before is not None
        assert session_id == self.before.state.session_id
        return self.before

    async def find(self, text: str) -> AsyncGenerator[Searched, None]:
        self.note("find", text)
        for one in self.found:
            yield one

    async def events(self) -> Sequence[Recorded]:
        return list(self.rows)

    def subscribe(self, listener: Listener) -> Unsubscribe:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def on_display(self, listener: DisplayListener) -> Unsubscribe:
        self._displays.append(listener)
        if self.console:
            listener(self.console)
        return lambda: self._displays.remove(listener)

    async def ask_question(self, question: str) -> object:
        self.note("ask_question", question)
        self.feed(ChatAsked(id="Q1", question=question))
        reply = await self.reply
        self.feed(ChatAnswered(id="Q1", reply=reply))
        return reply

    @property
    def speaking(self) -> "ScriptedSpeaking":
        return ScriptedSpeaking(self)

    def resize_console(self, rows: int, cols: int) -> None:
        self.size = (rows, cols)

    async def run(self) -> None:
        await self._closed.wait()

    async def approve(self, id: str) -> None:
        self.note("approve", id)

    async def reject(self, id: str, reason: str = "") -> None:
        self.note("reject", id, reason)

    async def decide(self, id: str, status: Status, reason: str = "") -> None:
        self.note("decide", id, status, reason)

    async def search_evidence(self, text: str) -> frozenset[str]:
        return frozenset(id for id, stored in self.texts.items() if text in stored)

    async def edit(
        self, id: str, statement: str, category: Category, tests: tuple[Command, ...]
    ) -> None:
        self.note("edit", id, statement, category, tests)

    async def propose(
        self, statement: str, category: Category, tests: tuple[Command, ...] = ()
    ) -> None:
        self.note("propose", statement, category, tests)

    async def test_now(self, id: str) -> None:
        self.note("test_now", id)

    async def approve_all(self) -> None:
        self.note("approve_all")

    async def look(self, thread: int | None, index: int) -> None:
        self.looked.append((thread, index))

    async def select_frame(self, thread: int | None, index: int | None = None) -> None:
        self.note("select_frame", thread, index)

    async def keep_note(self, text: str) -> None:
        self.note("keep_note", text)

    async def mark_evidence(self, id: str, mark: str) -> None:
        self.note("mark_evidence", id, mark)

    @property
    def gates(self) -> "ScriptedSession":
        return self

    async def answer(
        self, gate_id: str, answer: str, reason: str = "", left_out: tuple[Content, ...] = ()
    ) -> None:
        self.note("answer", gate_id, answer, reason, *left_out)

    async def payload(self, id: str) -> str:
        if id not in self.payloads:
            raise StoreError(f"payload {id} is not there any more")
        return self.payloads[id]

    @property
    def rerun(self) -> "ScriptedRerun":
        return ScriptedRerun(self)

    async def user_command(self, text: str) -> None:
        self.note("user_command", text)

    awaiting_input = False
    read_only = False

    def interrupt(self) -> None:
        self.note("interrupt")

    async def complete(self, text: str) -> list[str]:
        return [line for line in self.completions if line.startswith(text)]

    def refusal_of(self, text: str) -> str:
        return "it calls a function" if text.startswith("call ") else ""

    def leaves_debugger(self, text: str) -> bool:
        return text.strip() in ("quit", "q", "exit")

    async def evidence_text(self, id: str) -> str:
        if id not in self.texts:
            raise StoreError(f"evidence {id} cannot be read: no such file")
        return self.texts[id]

    async def evidence_lines(self, id: str) -> Sequence[str]:
        if id in self.pages:
            return self.pages[id]
        text = await self.evidence_text(id)
        return text.removesuffix("\n").split("\n")

    async def symbols(self) -> list[ModuleState]:
        self.note("symbols")
        return [
            ModuleState(path="/srv/[bold]relayd", status="found", symbols="debug-info",
                        build_id="2a45", todo=""),
            ModuleState(path="/lib/libc.so.6", status="missing", symbols="unknown",
                        build_id=None, todo=self.todo),
        ]  # fmt: skip

    async def report(self, format: str) -> str:
        self.note("report", format)
        return REPORT

    async def write_report(self) -> Path:
        self.note("write_report")
        return self.written

    async def close(self) -> None:
        self.asked.append(("close",))
        self._closed.set()


class ScriptedSpeaking:
    """The models of a `ScriptedSession`."""

    def __init__(self, session: "ScriptedSession") -> None:
        self._session = session

    def listen(self, listener: SpeechListener) -> Unsubscribe:
        self._session.speech.append(listener)
        return lambda: self._session.speech.remove(listener)

    def picking(self) -> Picking:
        if self._session.pick is None:
            raise IntentError("this session was opened without a choice of models")
        return self._session.pick

    async def use(self, server: FoundServer, model: str | None, effort: Effort) -> None:
        self._session.note("use_model", server.name, model, effort.value)

    def stop(self) -> bool:
        self._session.note("stop_model")
        return bool(self._session.speech)


class ScriptedRerun:
    """Implements ``RerunPort``: proposes one command, notes what is run."""

    def __init__(self, session: ScriptedSession) -> None:
        self._session = session

    @property
    def is_running(self) -> bool:
        return self._session.runs

    def proposed(self) -> Proposed:
        return Proposed(self._session.command, "/srv/app", ("PYTHONPATH=/tmp/x", "MODE=fast"))

    async def start(self, command: str, cwd: str) -> None:
        self._session.note("run again", command, cwd)
        self._session.runs = True
        self._session.feed(Noticed(text="run 1: until it fails, ASLR off", severity="info"))

    async def stop(self) -> None:
        self._session.note("stop the runs")
        self._session.runs = False
