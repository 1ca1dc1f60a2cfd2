"""Home: the saved sessions, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.model.citation import Citation
from workbench.tui.action import Place
from workbench.tui.action_table import actions_of
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.port import Clock, ListSessions, Shelf
from workbench.tui.screens.base import PlaceScreen, ask
from workbench.tui.screens.editors import LineEditor
from workbench.tui.screens.search import SearchScreen
from workbench.tui.text import one_line, plain

if TYPE_CHECKING:
    from workbench.store.session_row import SessionRow

_EMPTY = """No session yet.

  workbench demo               a sample crash that ships with the workbench
  workbench open CORE          a core dump of yours
  workbench triage CORE        the same without a screen: the report on stdout

Sessions are kept in .sessions of the folder where the workbench is started."""


def age(seconds: float) -> str:
    """How long ago, roughly: ``just now``, ``5 min ago``, ``3 h ago``, ``2 days ago``."""
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 86400:
        return f"{int(seconds // 3600)} h ago"
    days = int(seconds // 86400)
    return "yesterday" if days == 1 else f"{days} days ago"


def seconds_since(when: str, now: datetime) -> float:
    """Seconds from an ISO 8601 time to now; 0 for what is no time."""
    try:
        then = datetime.fromisoformat(when)
    except ValueError:
        return 0.0
    return (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()


def headings(width: int) -> Content:
    """What the columns are."""
    target = f"  {'target':<{_room(width)}}"
    words = f"{target} {'signal':<8} {'cause':<26} {'sure':>4}  {'used':<13} {'state':<13} session"
    return Content.styled(words, "$foreground 50%")


def _room(width: int) -> int:
    return max(12, min(32, width // 4))


def row_node(row: "SessionRow", now: Clock, width: int) -> Node:
    """One session as one line: target, signal, cause, confidence, age, phase; what does not fit
    is cut off."""
    name = one_line(row.called)
    room = _room(width)
    name = name[: room - 1] + "…" if len(name) > room else name
    cause = one_line(row.cause)
    sure = f"{round(row.confidence * 100)}%" if row.confidence is not None else ""
    status = one_line(row.phase if row.state == "open" else row.state)
    return Node.of(
        row.session_id,
        ("◆" if row.pinned else " ", "$text-warning"),
        (f"{name:<{room}} ", "bold"),
        (f"{one_line(row.signal or ''):<8} ", "$text-error"),
        f"{cause:<26} ",
        (f"{sure:>4}  ", "$text-secondary"),
        (f"{age(seconds_since(row.updated_at, now())):<13} ", "$foreground 60%"),
        (f"{status:<13} ", "$text-accent"),
        plain(row.session_id, "$foreground 40%"),
        wrap=False,
    )


def _words(row: "SessionRow") -> str:
    told = (
        row.session_id,
        row.name,
        row.target,
        row.program,
        row.signal,
        row.cause,
        row.state,
        row.signature,
    )
    return " ".join(filter(None, told)).casefold()


class HomeScreen(PlaceScreen[None], place=Place.HOME):
    """Enter resumes a session; one may be named, pinned, deleted, and looked for."""

    @dataclass
    class Resume(Message):
        """A session was picked."""

        id: str
        at: Citation | None = None

    def __init__(self, sessions: ListSessions, clock: Clock, shelf: Shelf | None = None) -> None:
        super().__init__()
        self._shelf = shelf
        self._filter = ""
        self._sessions = sessions
        self._clock = clock
        self._rows: Sequence[SessionRow] = ()

    def compose(self) -> ComposeResult:
        yield Static(
            Content.assemble(
                ("Workbench  sessions", "bold"),
                ("   q in a session leads back here, q here quits", "$foreground 60%"),
            ),
            id="home-title",
        )
        yield Static(id="home-headings", markup=False)
        yield Outline(signs=False, id="sessions")
        yield Static(Content(_EMPTY), id="home-empty")
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        self.query_one("#home-empty").display = False
        self.query_one("#sessions").focus()
        self.action_reload()

    def on_screen_resume(self) -> None:
        """A session that was just left is in the list."""
        self.action_reload()

    @work(exclusive=True)
    async def action_reload(self) -> None:
        found = self._sessions()
        rows = await found if isawaitable(found) else found
        self._rows = sorted(rows, key=lambda row: row.updated_at, reverse=True)
        self._draw()

    def _draw(self) -> None:
        outline = self.query_one("#sessions", Outline)
        needle = self._filter.casefold()
        rows = [row for row in self._rows if needle in _words(row)]
        outline.show([row_node(row, self._clock, self.size.width) for row in rows])
        outline.display = bool(self._rows)
        title = self.query_one("#home-headings", Static)
        title.display = bool(self._rows)
        found = f" /{one_line(self._filter)}: {len(rows)} of {len(self._rows)}; f and no text: all"
        title.update(Content(found) if needle else headings(self.size.width))
        self.query_one("#home-empty").display = not self._rows
        shown = [
            action
            for action in actions_of(Place.HOME, Place.EVERYWHERE)
            if action.shown and (self._rows or action.where is Place.EVERYWHERE)
        ]
        self.query_one(FooterBar).show(shown)

    def on_resize(self) -> None:
        if self._rows:
            self._draw()

    @on(Outline.Chosen)
    def action_open(self) -> None:
        if (row := self._current()) is not None:
            self.post_message(self.Resume(row.session_id))

    def _current(self) -> "SessionRow | None":
        node = self.query_one("#sessions", Outline).selected
        return next((r for r in self._rows if node is not None and r.session_id == node.key), None)

    def action_search(self) -> None:
        if self._shelf is not None:
            search = SearchScreen(self._shelf.find)
            ask(self.app, search, lambda hit: self.post_message(self.Resume(*hit)))

    def action_filter(self) -> None:
        hint = "all of them: leave it empty"
        ask(self.app, LineEditor("Show sessions with", hint, self._filter), self._keep)

    def _keep(self, needle: str) -> None:
        self._filter = needle
        self._draw()

    def action_rename(self) -> None:
        if (row := self._current()) is not None:
            editor = LineEditor(f"Name of {row.session_id}", "a name", row.name)
            ask(self.app, editor, partial(self._change, "rename", row.session_id))

    def action_pin(self) -> None:
        if (row := self._current()) is not None:
            self._change("pin", row.session_id, not row.pinned)

    def action_delete(self) -> None:
        if (row := self._current()) is None:
            return
        id = row.session_id

        def done(typed: str) -> None:
            if typed == "delete":
                self._change("delete", id)

        ask(self.app, LineEditor(f"Delete {id}?", "type delete; it cannot be taken back"), done)

    @work(group="shelf")
    async def _change(self, what: str, *arguments: object) -> None:
        try:
            if await getattr(self._shelf, what)(*arguments) is False:
                self.notify(
                    "It is open in another workbench: nothing was deleted.", severity="warning"
                )
        except Exception as error:  # noqa: BLE001  # whatever it is, the list stays
            self.notify(one_line(str(error)), severity="error", markup=False)
        self.action_reload()
