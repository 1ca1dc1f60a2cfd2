"""The application: composes screens and nothing else."""

import gc
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.screen import Screen

from workbench.tui.action import Place
from workbench.tui.action_table import bindings
from workbench.tui.screens.opening import OpeningScreen
from workbench.tui.terminal_gone import INTERVAL, leave_when_gone
from workbench.tui.text import one_line

if TYPE_CHECKING:  # only what the first paint needs is imported before it
    from workbench.tui.palette import ActionsProvider
    from workbench.tui.port import Clock, ListSessions, MakeSession, OpenSession, SessionPort, Shelf
    from workbench.tui.screens.workbench import WorkbenchScreen


def _now() -> datetime:
    return datetime.now(UTC)


def _later() -> Any:
    """What the first frame does without: it takes longer to import than that to paint."""
    from workbench.tui import later

    return later


def _settle() -> None:
    """What is there after the first paint stays: the collector need not walk it on every key. And
    the thread that reads the debugger gets its turn sooner than the default of 5 ms."""
    sys.setswitchinterval(0.0005)
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def _actions() -> "type[ActionsProvider]":
    """The palette: the registry of actions; imported when it opens."""
    provider: type[ActionsProvider] = _later().ActionsProvider
    return provider


class WorkbenchApp(App[BaseException], inherit_bindings=False):
    """Opens either a session (``make_session``) or the session list (``sessions`` with
    ``open_session``)."""

    TITLE = "Workbench"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {_actions}
    BINDINGS = bindings(Place.EVERYWHERE)
    CSS = """
    * {
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        scrollbar-color: $foreground 20%;
        scrollbar-color-hover: $foreground 40%;
        scrollbar-corner-color: $background;
    }
    Toast { max-width: 60; }
    """

    def __init__(
        self,
        make_session: "MakeSession | None" = None,
        *,
        sessions: "ListSessions | None" = None,
        open_session: "OpenSession | None" = None,
        shelf: "Shelf | None" = None,
        clock: "Clock" = _now,
    ) -> None:
        # Textual loads the style sheets of screens that are pushed, not of the default one.
        super().__init__(css_path="screens/home.tcss" if make_session is None else None)
        self._make_session = make_session
        self._sessions = sessions
        self._open_session = open_session
        self._shelf = shelf
        self._clock = clock
        self.left: SessionPort | None = None

    def get_default_screen(self) -> Screen[Any]:
        """The workbench's frame when there is a session to open, else home."""
        if self._make_session is not None:
            return OpeningScreen()

        home: Screen[Any] = _later().HomeScreen(self._sessions or tuple, self._clock, self._shelf)
        return home

    def on_mount(self) -> None:
        if self._make_session is not None:
            self.call_after_refresh(self._open_workbench, self._make_session)
        if not self.is_headless:
            self.call_after_refresh(_settle)
            self.set_interval(INTERVAL, leave_when_gone)

    async def _open_workbench(self, make_session: "MakeSession") -> None:
        await self.push_screen(_later().WorkbenchScreen(make_session, self._clock))

    def on_home_screen_resume(self, event: Message) -> None:
        assert isinstance(event, _later().HomeScreen.Resume)
        open_session, id, at = self._open_session, event.id, event.at
        if open_session is not None:
            self.push_screen(_later().WorkbenchScreen(lambda: open_session(id), self._clock, at))

    async def on_event(self, event: events.Event) -> None:
        """Keep with a key where it was typed. Until a new screen has its focus keys wait for it,
        once."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            if self.focused is None and not vars(event).get("waited"):
                self._type_again(event)
                return
            vars(event)["typed_at"] = self.focused
        await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """What was typed right behind a key that moved the focus is typed there: it is no key of
        the screen or the pane before. Of a key that does nothing here it is said where it would."""
        if vars(event).get("typed_at", self.focused) is not self.focused:
            event.prevent_default()
            self._type_again(event)
            return
        idle = event.is_printable and event.key not in self.screen.active_bindings
        if idle and (said := _later().where_it_works(event.key, self, self.screen)):
            self.notify(said, timeout=4, markup=False)

    def _type_again(self, key: events.Key) -> None:
        again = events.Key(key.key, key.character)
        vars(again)["waited"] = True
        self.screen.call_after_refresh(self.post_message, again)

    @property
    def workbench(self) -> "WorkbenchScreen | None":
        found = [one for one in self.screen_stack if isinstance(one, _later().WorkbenchScreen)]
        return found[-1] if found else None

    def on_intent(self, event: Message) -> None:
        """Intents of screens above the workbench."""
        assert isinstance(event, _later().Intent)
        if (screen := self.workbench) is not None:
            screen.put(event)

    def action_help(self) -> None:
        pane = getattr(self.screen, "active_pane", None)
        places = (getattr(pane or self.screen, "place", None), pane and Place.WORKBENCH)
        self.push_screen(_later().HelpScreen([place for place in places if place]))

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what was selected. Nothing (a drag over no text) leaves the clipboard as it is."""
        if text:
            _later().copy_text(self, text, "Selection")

    def action_theme(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    async def action_quit(self) -> None:
        """Close the session, which stays resumable, and leave: for the list it was opened from,
        else the program."""
        screen = self.workbench
        if screen is None:
            self.exit()
            return
        if screen.port is not None:
            await screen.port.close()
        if any(isinstance(one, type(screen)) for one in self.screen_stack if one is not screen):
            while self.screen_stack[-1] is not screen:
                self.pop_screen()
            self.pop_screen()  # an earlier session that was looked at
        elif self._make_session is None:
            self._go_home()
        else:
            self.left = screen.port
            self.exit()

    def _go_home(self) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def on_workbench_screen_not_opened(self, event: Message) -> None:
        """Back to the list with what went wrong; without a list the caller prints it."""
        assert isinstance(event, _later().WorkbenchScreen.NotOpened)
        if self._make_session is not None:
            self.exit(event.error, return_code=2)
            return
        self._go_home()
        said = one_line(str(event.error)) or type(event.error).__name__
        self.notify(f"Not opened: {said}", severity="error", timeout=15, markup=False)


def _run(app: WorkbenchApp) -> int:
    failure = app.run()
    if failure is not None:
        raise failure
    if app.left is None:
        return app.return_code or 0

    state = app.left.state
    again = _later().resume_hint(state)
    sys.stderr.write(f"Session {state.session_id} is saved. Open it again with: {again}\n")
    return int(_later().exit_status(state))


def run_workbench(make_session: "MakeSession") -> int:
    """Open the workbench full screen; ``make_session`` is awaited after the first paint.

    Returns the exit status of the contract (0 concluded, 1 inconclusive, 3 failed, 130 left before
    the end). Raises what ``make_session`` raised, with the terminal restored.
    """
    return _run(WorkbenchApp(make_session))


def run_home(
    sessions: "ListSessions", open_session: "OpenSession", shelf: "Shelf | None" = None
) -> int:
    """Open the session list full screen; Enter resumes through ``open_session``.

    A session that is left leads back to the list; what ``open_session`` raises is said there.
    Returns 0.
    """
    return _run(WorkbenchApp(sessions=sessions, open_session=open_session, shelf=shelf))
