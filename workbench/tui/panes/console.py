"""The debugger console: the real debugger's output and a line that nothing else writes on."""

from contextvars import copy_context

from textual import on, work
from textual.app import ComposeResult
from textual.widget import Widget

from workbench.model.investigation import Investigation
from workbench.model.prompts import prompt_of
from workbench.model.text import counted
from workbench.tui.action import Place
from workbench.tui.panes.base import Intent, Pane
from workbench.tui.panes.terminal_view import TerminalView
from workbench.tui.port import SessionPort

SHOWN_CANDIDATES = 60
_LOOK = 0.2  # seconds between two looks at whether the debugger waits for a line


class ConsolePane(Pane, place=Place.CONSOLE, title="Debugger", number=4):
    """Sends entered lines to the session's queue; draws what comes back."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._port: SessionPort | None = None
        self._asked: str | None = None
        self._debugger = ""

    def parts(self) -> ComposeResult:
        yield TerminalView(id="terminal")

    @property
    def view(self) -> TerminalView:
        return self.query_one("#terminal", TerminalView)

    def entrance(self) -> Widget:
        return self.view

    def attach(self, port: SessionPort) -> None:
        """Draw a session's output from here on."""
        self._port = port
        # The stream is called back from a reader thread's context, where Textual finds no app.
        calling = copy_context()
        port.on_display(lambda data: calling.run(self.view.write, data))
        self.set_interval(_LOOK, self._look_at_prompt)
        width, height = self.view.size
        if width and height:
            port.resize_console(height, width)

    def _look_at_prompt(self) -> None:
        """A command that takes more lines has a prompt of its own."""
        awaiting = self._port is not None and self._port.awaiting_input
        if awaiting != self.view.awaiting:
            self.view.awaiting = awaiting
            self.view.refresh_input()

    def show(self, state: Investigation) -> None:
        """Who runs what, in the title's line."""
        super().show(state)
        view = self.view
        busy = state.running is not None
        prompt = prompt_of(state.chosen_debugger) if state.target is not None else ""
        if (busy, prompt) != (view.busy, view.prompt):
            view.busy, view.prompt = busy, prompt
            view.refresh_input()
        if state.debugger is not None:
            version = state.debugger.version.split()[0] if state.debugger.version else ""
            replayed = state.chosen_debugger == "replay"
            self._debugger = "replayed" if replayed else f"{state.debugger.name} {version}"
        self._subtitle(0)

    def _subtitle(self, back: int) -> None:
        if not self.query("#terminal"):
            return  # the screen was left before the refresh that this waited for
        if back:
            status = f"{counted(back, 'line')} back · PgDn"
        elif self.view.has_focus:
            status = "F6 or Esc Esc leaves"
        elif self.state.debugger is not None and not self.state.debugger_alive:
            status = "not running"
        else:
            status = "F5 to type"
        self.caption(status, self._debugger)

    def on_descendant_focus(self) -> None:
        self._subtitle(0)

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self._subtitle, 0)

    @on(TerminalView.Scrolled)
    def _scrolled(self, event: TerminalView.Scrolled) -> None:
        self._subtitle(event.back)

    @on(TerminalView.Resized)
    def _resized(self, event: TerminalView.Resized) -> None:
        if self._port is not None:
            self._port.resize_console(event.rows, event.columns)

    @on(TerminalView.Submitted)
    def _submitted(self, event: TerminalView.Submitted) -> None:
        port, text, view = self._port, event.text, self.view
        if not text.strip():
            return
        if port is None:
            view.editor.put_back(text)
            view.say("The debugger is still starting; the line is kept.")
        elif port.leaves_debugger(text) and self._asked != text:
            self._asked = text
            view.editor.offer(text)
            view.say(
                f"“{text.strip()}” ends the debugger or leaves the dump. Enter again does it; "
                "another line takes its place."
            )
        else:
            self._asked = None
            self.post_message(Intent("run the command", lambda port: port.user_command(text)))
        view.refresh_input()

    @on(TerminalView.Interrupt)
    def action_interrupt(self) -> None:
        if self._port is not None:
            self._port.interrupt()

    def action_complete(self) -> None:
        editor = self.view.editor
        self._complete(editor.text[: editor.cursor])

    def action_history(self) -> None:
        self.view.editor.older()
        self.view.focus()
        self.view.refresh()

    def action_scroll(self) -> None:
        self.view.scroll_back(max(1, self.view.size.height - 1))

    @on(TerminalView.Leave)
    def action_leave(self) -> None:
        self.app.call_later(self.screen.run_action, "step(1)")

    @on(TerminalView.Complete)
    def _complete_later(self, event: TerminalView.Complete) -> None:
        self._complete(event.text)

    @work(exclusive=True, group="complete")
    async def _complete(self, before: str) -> None:
        if self._port is None:
            return
        candidates = await self._port.complete(before)
        editor = self.view.editor
        if editor.text[: editor.cursor] != before:
            return
        left = editor.take_completions(candidates)
        if left:
            words = [line[before.rfind(" ") + 1 :] for line in left[:SHOWN_CANDIDATES]]
            more = f"  and {len(left) - len(words)} more" if len(left) > len(words) else ""
            self.view.say("  ".join(words) + more)
        self.view.refresh()
