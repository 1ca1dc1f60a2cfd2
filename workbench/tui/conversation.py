"""A conversation about a folder of texts, full screen: turns above, the answer below."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from workbench.agents.conversation.wording import how_to_answer, turn_lines
from workbench.model.conversation import Turn, TurnKind
from workbench.model.events import GateOpened, Phase
from workbench.tui.panes.speech import said_of
from workbench.tui.port import SessionPort
from workbench.tui.terminal_gone import INTERVAL, leave_when_gone
from workbench.tui.text import one_line, visible

if TYPE_CHECKING:
    from workbench.llm.watched import Speech

_TICK = 0.05
_KEYS = (
    ("Enter", "answer"), ("Ctrl+J", "line"), ("PgUp", "back"), ("F2", "accept"),
    ("Esc", "stop model"), ("Ctrl+Q", "leave (saved)"),
)  # fmt: skip
_ENDS = {TurnKind.SOLUTION: "SOLUTION APPROVED", TurnKind.QUESTION: "DONE"}


class AnswerBox(TextArea):
    """Enter sends; what is pasted keeps its lines, Ctrl+J begins a new one."""

    @dataclass
    class Given(Message):
        """The person answered."""

        text: str

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            if self.text.strip():
                self.post_message(self.Given(self.text))
                self.text = ""
            return
        if event.key == "ctrl+j":
            event.stop()
            event.prevent_default()
            self.insert("\n")
            return
        await super()._on_key(event)


class ConversationApp(App[bool], inherit_bindings=False):
    """Returns True when the conversation ended, False when it was left."""

    TITLE = "Workbench"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [
        Binding("f2", "end", "Accept and end", id="conversation.end", priority=True),
        Binding("escape", "stop", "Stop the model", id="conversation.stop", priority=True),
        Binding("ctrl+q", "leave", "Leave, saved", id="conversation.leave", priority=True),
        Binding("pageup", "page(-1)", "Back", id="conversation.back", priority=True),
        Binding("pagedown", "page(1)", "On", id="conversation.on", priority=True),
    ]
    CSS = """
    #title { height: 1; padding: 0 1; background: $panel; text-style: bold; }
    #turns { height: 1fr; padding: 0 1; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    .turn { margin: 1 0 0 0; }
    #said { height: auto; max-height: 3; padding: 0 1; color: $text-muted; }
    #answer { height: 5; border: round $foreground 40%; }
    #answer:focus { border: round $accent; }
    #keys { dock: bottom; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, session: SessionPort) -> None:
        super().__init__()
        self._session = session
        self._work: asyncio.Future[None] | None = None
        self._undo: list[Callable[[], None]] = []
        self._drawn: tuple[int, int] = (-1, -1)
        self._stale = True
        self._newest: Static | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield VerticalScroll(id="turns")
        yield Static(id="said", markup=False)
        yield AnswerBox(id="answer", show_line_numbers=False, soft_wrap=True)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        target = self._session.state.target
        issue = self._session.state.options.issue or ""
        where = target.path if target is not None else ""
        self.query_one("#title", Static).update(
            Content.assemble(one_line(issue), "   ", (one_line(where), "$foreground 60%"))
        )
        words = (part for key, does in _KEYS for part in ((key, "bold $text-accent"), f" {does}  "))
        self.query_one("#keys", Static).update(Content.assemble(*words))
        self.query_one("#said").display = False
        self._undo = [
            self._session.subscribe(lambda _: self._mark()),
            self._session.speaking.listen(self._heard),
        ]
        self._work = asyncio.ensure_future(self._session.run())
        self._work.add_done_callback(self._ended)
        self.set_interval(_TICK, self._draw)
        if not self.is_headless:
            self.set_interval(INTERVAL, leave_when_gone)
        self.query_one(AnswerBox).focus()

    async def on_unmount(self) -> None:
        for undo in self._undo:
            undo()
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    def _mark(self) -> None:
        self._stale = True

    def _ended(self, work: "asyncio.Future[None]") -> None:
        if not work.cancelled():
            self.exit(self._session.state.phase is Phase.DONE)

    @property
    def failure(self) -> BaseException | None:
        """What ended the session's work, where it failed."""
        work = self._work
        return (
            work.exception() if work is not None and work.done() and not work.cancelled() else None
        )

    # --- drawing ---------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self._stale:
            return
        self._stale = False
        turns = [t for t in self._session.state.conversation if t.kind is not TurnKind.FINAL]
        drawn = (len(turns), sum(turn.answer is not None for turn in turns))
        if drawn == self._drawn:
            return
        self._drawn = drawn
        box = self.query_one("#turns", VerticalScroll)
        shown = {widget.id: widget for widget in box.query(Static)}
        for turn in turns:
            content = _turn(turn, box.scrollable_content_region.width)
            widget = shown.get(turn.id)
            if isinstance(widget, Static):
                widget.update(content)
            else:
                self._newest = Static(content, id=turn.id, classes="turn")
                box.mount(self._newest)
        if self._newest is not None:  # a turn is read from its beginning
            self.call_after_refresh(self._newest.scroll_visible, animate=False, top=True)

    def on_resize(self) -> None:
        self._drawn = (-1, -1)
        self._stale = True

    def _heard(self, speech: "Speech") -> None:
        said = self.query_one("#said", Static)
        said.display = not speech.ended
        words = one_line(speech.text[-400:])
        said.update(
            Content.styled(f"{said_of(speech)}: {words}" if words else said_of(speech), "dim")
        )

    # --- what the person does --------------------------------------------------------------------

    def _gate(self) -> GateOpened | None:
        asked = (TurnKind.QUESTION, TurnKind.SOLUTION)
        return next((g for g in self._session.state.gates if g.kind in asked), None)

    @on(AnswerBox.Given)
    async def _given(self, event: AnswerBox.Given) -> None:
        gate = self._gate()
        if gate is None:
            self.query_one(AnswerBox).text = event.text
            self.notify("Nothing is asked yet.", severity="warning")
            return
        await self._session.gates.answer(gate.id, event.text.strip())

    async def action_end(self) -> None:
        gate = self._gate()
        if gate is not None:
            await self._session.gates.answer(gate.id, _ENDS[TurnKind(gate.kind)])

    def action_stop(self) -> None:
        self._session.speaking.stop()

    def action_page(self, by: int) -> None:
        box = self.query_one("#turns", VerticalScroll)
        if by < 0:
            box.scroll_page_up(animate=False)
        else:
            box.scroll_page_down(animate=False)

    def action_leave(self) -> None:
        self.exit(False)


_POINT = re.compile(r"(?:- |\d+\. )?")


def _turn(turn: Turn, width: int) -> Content:
    """A turn with what was said to it, points wrapped under their own words; nothing of it is
    markup."""
    parts: list[Content] = []
    for line in turn_lines(turn):
        head = line.startswith(("Question:", "Proposed solution:", "The evidence contradicts"))
        text = _hanging(visible(line), width)
        parts.append(Content.styled(text, "bold") if head else Content(text))
    if turn.answer is None:
        parts.append(Content.styled(how_to_answer(turn), "$foreground 60%"))
    else:
        lines = turn.answer.split("\n")
        more = f" … {len(lines) - 1} more lines" if len(lines) > 1 else ""
        parts.append(Content.styled(f"> {one_line(lines[0])}{more}", "$text-accent"))
    return Content("\n").join(parts)


def _hanging(line: str, width: int) -> str:
    mark = _POINT.match(line)
    indent = " " * (mark.end() if mark is not None else 0)
    return "\n".join(
        wrap(line, max(20, width), subsequent_indent=indent, break_on_hyphens=False) or [""]
    )


async def converse(session: SessionPort) -> bool:
    """Full screen until the conversation ends or is left. Raises what the session raised."""
    app = ConversationApp(session)
    ended = await app.run_async()
    failure = app.failure
    if failure is not None:
        raise failure
    return bool(ended)
