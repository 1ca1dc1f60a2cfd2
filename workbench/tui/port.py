"""What the screen asks of an investigation. The engine's session implements it; so does a test."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.model.models import Content, Effort
from workbench.model.symbols import ModuleState

if TYPE_CHECKING:  # the list of sessions brings the database with it, models much more
    from workbench.engine.finding import Searched
    from workbench.engine.rerun import Proposed
    from workbench.llm.discover import FoundServer
    from workbench.llm.picking import Picking
    from workbench.llm.watched import Speech
    from workbench.store.session_row import SessionRow


Listener = Callable[[Sequence[Recorded]], None]
SpeechListener = Callable[["Speech"], None]
DisplayListener = Callable[[bytes], None]
Unsubscribe = Callable[[], None]


class SpeakingPort(Protocol):
    """What the screen asks of the models: the engine's `Speaking`."""

    def listen(self, listener: SpeechListener) -> Unsubscribe:
        """A model's words as they come, on the event loop: on their way, evidence of nothing."""
        ...

    def picking(self) -> "Picking":
        """What models there are to pick from. Raises `IntentError` where none may be."""
        ...

    async def use(self, server: "FoundServer", model: str | None, effort: Effort) -> None:
        """Ask this model from the next call on. Raises `TierMissing`."""
        ...

    def stop(self) -> bool:
        """Cancel the call of a model that runs now; False when none does."""
        ...


class RerunPort(Protocol):
    """What the screen asks of running the program again: the engine's `Rerun`."""

    @property
    def is_running(self) -> bool:
        """True while the program is run."""
        ...

    def proposed(self) -> "Proposed":
        """What would be run. Raises `IntentError` where the dump does not tell."""
        ...

    async def start(self, command: str, cwd: str) -> None:
        """Run it; returns once it is checked. Raises `IntentError`, `TargetError`."""
        ...

    async def stop(self) -> None:
        """End the runs; what they showed stays."""
        ...


class SessionPort(Protocol):
    """One investigation, running or saved. Every method that decides is the engine's."""

    @property
    def state(self) -> Investigation:
        """The fold so far; read only."""
        ...

    async def seen_before(self) -> str | None:
        """The id of the latest session of the same signature."""
        ...

    async def look_at(self, session_id: str) -> "SessionPort":
        """Another session of the same folder, to be looked at. Raises `StoreError`."""
        ...

    def find(self, text: str) -> "AsyncGenerator[Searched, None]":
        """The evidence of this session, then of the others of its folder, searched by words."""
        ...

    async def events(self) -> Sequence[Recorded]:
        """The whole journal so far. Raises `StoreError`."""
        ...

    def subscribe(self, listener: Listener) -> Unsubscribe:
        """Batches of events, after their commit. Returns the way to stop listening."""
        ...

    def on_display(self, listener: DisplayListener) -> Unsubscribe:
        """The console's bytes, coloured, command lines echoed: called on the event loop, seldom
        enough to draw each time."""
        ...

    def resize_console(self, rows: int, cols: int) -> None:
        """The console pane's size in cells."""
        ...

    async def run(self) -> None:
        """Drive the investigation to its end; returns when it stopped."""
        ...

    async def approve(self, id: str) -> None:
        """Let one hypothesis be tested."""
        ...

    async def reject(self, id: str, reason: str = "") -> None:
        """Refuse one hypothesis; the reason becomes part of the record."""
        ...

    async def decide(self, id: str, status: Status, reason: str = "") -> None:
        """The person's verdict: confirmed or rejected."""
        ...

    async def search_evidence(self, text: str) -> frozenset[str]:
        """The ids of the items whose text holds these words. Raises `StoreError`."""
        ...

    async def edit(
        self, id: str, statement: str, category: Category, tests: tuple[Command, ...]
    ) -> None:
        """Change a hypothesis before it is decided."""
        ...

    async def propose(
        self, statement: str, category: Category, tests: tuple[Command, ...] = ()
    ) -> None:
        """Add a hypothesis of the person's own, to be tested by these commands too."""
        ...

    async def test_now(self, id: str) -> None:
        """Approve one hypothesis and test it first."""
        ...

    async def approve_all(self) -> None:
        """Let every hypothesis pass from here on."""
        ...

    async def look(self, thread: int | None, index: int) -> None:
        """Ask for the source and the variables of a frame (thread: TID); they become evidence."""
        ...

    async def select_frame(self, thread: int | None, index: int | None = None) -> None:
        """Look at a frame from here on, by default the program's innermost one of that thread."""
        ...

    async def mark_evidence(self, id: str, mark: str) -> None:
        """``pinned``, ``hidden`` or, with an empty mark, neither."""
        ...

    async def answer_gate(
        self, gate_id: str, answer: str, reason: str = "", left_out: tuple[Content, ...] = ()
    ) -> None:
        """Answer a gate of another kind: ``approve`` or ``reject``; to the cloud's also which kinds
        of content no request may carry."""
        ...

    async def payload(self, id: str) -> str:
        """The body of a request that left the machine, or waits to. Raises `StoreError`."""
        ...

    @property
    def speaking(self) -> "SpeakingPort":
        """The models of the investigation."""
        ...

    @property
    def rerun(self) -> "RerunPort":
        """The runs of the program that the person asks for."""
        ...

    async def user_command(self, text: str) -> None:
        """Run the person's line in the debugger after the running command; becomes evidence."""
        ...

    @property
    def awaiting_input(self) -> bool:
        """True while the person's command waits for more lines."""
        ...

    def interrupt(self) -> None:
        """Stop the running command; what it printed so far stays."""
        ...

    async def complete(self, text: str) -> list[str]:
        """The debugger's completions of a half-typed line, each a whole line."""
        ...

    def refusal_of(self, text: str) -> str:
        """Why a line can be no test of a hypothesis; empty where it can."""
        ...

    def leaves_debugger(self, text: str) -> bool:
        """True when a line would end the debugger; the console asks once."""
        ...

    async def evidence_text(self, id: str) -> str:
        """The stored text of one evidence item. Raises `StoreError`, whose words are for the
        person, when there is none or it cannot be read. Of a huge one the beginning."""
        ...

    async def evidence_lines(self, id: str) -> Sequence[str]:
        """All lines of one evidence item, those of a huge one as `Pages`. Raises `StoreError`."""
        ...

    async def ask_question(self, question: str) -> object:
        """Answer a person's question; it and its answer become events (`Investigation.chat`).
        Cancelling stops the answer, never a command that runs."""
        ...

    async def symbols(self) -> Sequence[ModuleState]:
        """Each module of the target, what is known of its symbols, and what to do."""
        ...

    async def report(self, format: str) -> str:
        """The report as it stands: ``md`` | ``html`` | ``json``."""
        ...

    async def write_report(self) -> Path:
        """Write the report; returns where it was written."""
        ...

    async def close(self) -> None:
        """End the debugger and close the journal; the session stays resumable."""
        ...


class Shelf(Protocol):
    """What can be done with saved sessions without opening them. Each raises `StoreError`."""

    async def rename(self, id: str, name: str) -> None:
        """The person's name for a session."""
        ...

    async def pin(self, id: str, pinned: bool) -> None:
        """Keep a session from every cleanup, or not."""
        ...

    def find(self, text: str) -> "AsyncGenerator[Searched, None]":
        """The evidence of all of them, searched by words."""
        ...

    async def delete(self, id: str) -> bool:
        """Delete a session; False where somebody has it open."""
        ...


MakeSession = Callable[[], Awaitable[SessionPort]]
OpenSession = Callable[[str], Awaitable[SessionPort]]
ListSessions = Callable[[], "Sequence[SessionRow] | Awaitable[Sequence[SessionRow]]"]
Clock = Callable[[], datetime]
