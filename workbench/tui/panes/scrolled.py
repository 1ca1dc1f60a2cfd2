"""What the list of nodes, the text with numbered lines and the console share."""

from textual.binding import Binding
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.widget import Widget


class Redrawn(Widget):
    """Looks otherwise with the focus, and with what is selected in it."""

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()


class CursorView(ScrollView, Redrawn, can_focus=True):
    """Scrolls; keys move a cursor, whose look depends on the focus. Subclasses have the actions
    ``move``, ``page`` and ``edge``, each with a count or direction."""

    DEFAULT_CSS = """
    CursorView {
        background: transparent;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;  /* lines wrap alike before and after a bar is needed */
        overflow-x: hidden;
    }
    """
    BINDINGS = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(-1)", "First", show=False),
        Binding("end", "edge(1)", "Last", show=False),
    ]
