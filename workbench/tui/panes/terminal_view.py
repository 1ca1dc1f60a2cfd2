"""The console as a widget: the debugger's output above our own line editor, in one region."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from time import monotonic

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from workbench.tui.console.editor import LineEditor
from workbench.tui.console.terminal import Terminal
from workbench.tui.panes.scrolled import Redrawn
from workbench.tui.text import visible

ESCAPES = 0.6
"""Seconds within which a second Esc leaves the console."""

TYPING = 0.1
"""Seconds after a key in which the next one is expected."""

PAINTED = 0.012
"""Seconds after a key in which it is on the screen: the best time to draw output that waits, since
the next key is furthest."""

LONGEST_WAIT = 0.25
"""Seconds that output waits at most while keys keep coming."""

MOST_WAITING = 16 * 1024
"""Bytes of output that wait at most."""


class TerminalView(Redrawn, can_focus=True):
    """Takes every key but the F-keys. Output comes in through `write`."""

    DEFAULT_CSS = """
    TerminalView { height: 1fr; background: transparent; }
    """

    @dataclass
    class Submitted(Message):
        """A line was entered."""

        text: str

    class Leave(Message):
        """The person wants out of the console."""

    class Interrupt(Message):
        """Ctrl+C with something to stop."""

    @dataclass
    class Complete(Message):
        """Tab: the text before the cursor asks for its continuation."""

        text: str

    @dataclass
    class Scrolled(Message):
        """How many lines the view is scrolled back."""

        back: int

    @dataclass
    class Resized(Message):
        """The region for output has another size."""

        rows: int
        columns: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.editor = LineEditor()
        self._terminal: Terminal | None = None
        self._past: Terminal | None = None
        self.prompt = ""
        self.busy = False
        self.awaiting = False
        self._back = 0
        self._escaped_at = float("-inf")
        self._key_at = float("-inf")
        self._waiting = b""
        self._waits_since = 0.0
        self._drawing: Timer | None = None

    @property
    def terminal(self) -> Terminal:
        """The drawn output. Made when the first output comes: pyte is not needed to paint."""
        if self._terminal is None:
            width, height = self.size
            self._terminal = Terminal(width or 80, height or 24)
        return self._terminal

    @property
    def _seen(self) -> Terminal:
        return self._past or self.terminal

    # --- output ----------------------------------------------------------------------------------

    def look_back(self, lines: Sequence[str] | None) -> None:
        """Show these lines of an earlier moment in place of the output; None: the output again."""
        self._past = None
        if lines is not None:
            past = Terminal(
                *(side or least for side, least in zip(self.size, (80, 24), strict=True))
            )
            past.feed("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
            self._past = past
        self._back = 0
        self.refresh()

    def write(self, data: bytes) -> None:
        """Draw output. The debugger's stream, which paces itself by the time that this takes,
        calls it on the event loop. Keys come first: while a person types, output is drawn between
        two of them."""
        now = monotonic()
        if not self._waiting:
            self._waits_since = now
        self._waiting += data
        if len(self._waiting) > MOST_WAITING or now - self._key_at > TYPING:
            self._draw()
        else:
            self._draw_later(now)

    def _draw_later(self, now: float) -> None:
        """Draw what waits once the last key is painted, or else after the next key, if one comes
        soon enough."""
        painted = self._key_at + PAINTED
        at = painted if now < painted else self._key_at + TYPING
        at = min(at, self._waits_since + LONGEST_WAIT)
        if self._drawing is not None:
            self._drawing.stop()
        self._drawing = self.set_timer(max(at - now, 0.001), self._draw)

    def _draw(self) -> None:
        data, self._waiting = self._waiting, b""
        if self._drawing is not None:
            self._drawing.stop()
            self._drawing = None
        if not data:
            return
        before = self.terminal.scrolled
        self.terminal.feed(data)
        if self._back and self._past is None:
            self._back = min(self._deepest(), self._back + self.terminal.scrolled - before)
        self.refresh()

    def say(self, text: str) -> None:
        """A line of our own in the output, marked as such, and wrapped between its words."""
        width = self.size.width
        said = "\n".join(wrap(visible(text), width)) if width else visible(text)
        self.write(f"\x1b[0m\x1b[36m{said}\x1b[0m\n".encode())

    # --- drawing ---------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """The terminal takes the new size; so will the debugger."""
        width, height = self.size
        if width > 0 and height > 0:
            for one in filter(None, (self._terminal, self._past)):
                one.resize(width, height)
            self.post_message(self.Resized(height, width))
            self.refresh()

    def _top(self) -> int:
        """The terminal's line that is drawn first."""
        return max(0, self._used() + 1 - self.size.height) - self._back

    def _deepest(self) -> int:
        """How far back the oldest line is."""
        return self._seen.past + max(0, self._used() + 1 - self.size.height)

    def _used(self) -> int:
        drawn = self._past or self._terminal
        return drawn.used if drawn is not None else 0

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        base = self.visual_style.rich_style
        number = y + self._top()
        used = self._used()
        if number == used:
            return self._input_line(width, base)
        if number > used:
            return Strip.blank(width, base).apply_offsets(0, y)
        segments = [
            Segment(text, base + style if style else base)
            for text, style, _ in self._seen.line(number)
        ]
        strip = Strip(segments).adjust_cell_length(width, base)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(y)) is not None:
            start, end = span[0], width if span[1] < 0 else min(width, span[1])
            style = self.screen.get_component_rich_style("screen--selection")
            marked = Strip([Segment(part.text, style) for part in strip.crop(start, end)])
            strip = Strip.join([strip.crop(0, start), marked, strip.crop(end)])
        return strip.apply_offsets(0, y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        lines = [self.render_line(y).text.rstrip() for y in range(self.size.height)]
        return selection.extract("\n".join(lines)), "\n"

    def _input_line(self, width: int, base: Style) -> Strip:
        before = visible(self.editor.text[: self.editor.cursor]).replace("\n", "↵")
        rest = visible(self.editor.text[self.editor.cursor :]).replace("\n", "↵") or " "
        room = max(4, width - len(self.prompt) - 6)
        start = max(0, len(before) - room)
        said = f"{self.prompt.rstrip()} busy " if self.busy and self.prompt else self.prompt
        said = "> " if self.awaiting else said
        cursor = Style(reverse=True) if self.has_focus else Style(underline=True)
        prompt = Style(bold=True, dim=self.busy)
        return Strip(
            [
                Segment(said, base + prompt),
                Segment(before[start:], base),
                Segment(rest[0], base + cursor),
                Segment(rest[1:], base),
            ]
        ).adjust_cell_length(width, base)

    # --- keys ------------------------------------------------------------------------------------

    def scroll_back(self, lines: int) -> None:
        """Scroll into the past (positive) or towards now."""
        self._back = max(0, min(self._deepest(), self._back + lines))
        self.post_message(self.Scrolled(self._back))
        self.refresh()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_back(3)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_back(-3)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is typed, not run; of several lines Enter runs one after the other."""
        event.stop()
        self.editor.insert(event.text.strip("\r\n"))
        self._edited()

    def on_key(self, event: events.Key) -> None:
        """Every key is the console's, the F-keys excepted."""
        key = event.key
        if key.rpartition("+")[2] in _PASSED:
            return
        event.stop()
        event.prevent_default()
        if key == "escape":
            now = monotonic()
            if now - self._escaped_at < ESCAPES:
                self._escaped_at = float("-inf")
                self.post_message(self.Leave())
            else:
                self._escaped_at = now
            return
        self._escaped_at = float("-inf")
        self._key_at = monotonic()
        if self._waiting:
            self._draw_later(self._key_at)
        if key == "enter":
            for line in self.editor.submit():
                self.post_message(self.Submitted(line))
        elif key == "ctrl+c":
            if text := self.screen.get_selected_text():
                self.app.copy_to_clipboard(text)
                self.screen.clear_selection()
            elif self.editor.text and not self.busy:
                self.editor.clear()
            else:
                self.post_message(self.Interrupt())
        elif key == "tab":
            self.post_message(self.Complete(self.editor.text[: self.editor.cursor]))
        elif key in ("pageup", "pagedown"):
            page = max(1, self.size.height - 1)
            self.scroll_back(page if key == "pageup" else -page)
            return
        elif (edit := _EDITS.get(key)) is not None:
            edit(self.editor)
        elif event.is_printable and event.character is not None:
            self.editor.insert(event.character)
        else:
            return
        self._edited()

    def _edited(self) -> None:
        if self._back:
            self._back = 0
            self.post_message(self.Scrolled(0))
            self.refresh()
        else:
            self.refresh_input()

    def refresh_input(self) -> None:
        self.refresh(Region(0, self._used() - self._top(), self.size.width, 1))


_PASSED = frozenset(f"f{number}" for number in range(1, 25))

_EDITS = {
    "backspace": LineEditor.backspace,
    "ctrl+h": LineEditor.backspace,
    "delete": LineEditor.delete,
    "ctrl+d": LineEditor.delete,
    "left": lambda editor: editor.move(-1),
    "ctrl+b": lambda editor: editor.move(-1),
    "right": lambda editor: editor.move(1),
    "ctrl+f": lambda editor: editor.move(1),
    "ctrl+left": lambda editor: editor.move_word(-1),
    "ctrl+right": lambda editor: editor.move_word(1),
    "alt+b": lambda editor: editor.move_word(-1),
    "alt+f": lambda editor: editor.move_word(1),
    "home": LineEditor.home,
    "ctrl+a": LineEditor.home,
    "end": LineEditor.end,
    "ctrl+e": LineEditor.end,
    "ctrl+k": LineEditor.kill_to_end,
    "ctrl+u": LineEditor.kill_to_start,
    "ctrl+w": LineEditor.kill_word,
    "ctrl+y": LineEditor.yank,
    "up": LineEditor.older,
    "ctrl+p": LineEditor.older,
    "down": LineEditor.newer,
    "ctrl+n": LineEditor.newer,
}
