"""Every key, generated from the registry of actions."""

from textwrap import wrap

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.tui.action import Place, key_name
from workbench.tui.actions import actions_of

_KEYS = 23
"""Columns in front of what a key does."""


def help_content(width: int = 1000) -> Content:
    """The registry as a table, a heading for each place; what a key does is wrapped within its own
    column of a text of ``width`` columns."""
    parts: list[str | tuple[str, str]] = []
    for place in Place:
        if not (actions := actions_of(place)):
            continue
        parts.append((f"{place.value}\n", "bold $text-accent"))
        for action in actions:
            keys = " ".join(key_name(key) for key in action.keys)
            parts += [
                (f"  {keys:<20}", "bold"),
                f" {_wrapped(action.help, width, len(keys) + 3)}\n",
            ]
        parts.append("\n")
    parts += [
        ("Lists and texts\n", "bold $text-accent"),
        ("  ↑ ↓ PgUp PgDn       ", "bold"),
        "Move\n",
        ("  ← → Space           ", "bold"),
        "Fold and unfold; scroll a text sideways",
    ]
    return Content.assemble(*parts)


def _wrapped(text: str, width: int, taken: int) -> str:
    """``text`` behind keys that take so many columns, its further lines in their own column."""
    first = " " * max(_KEYS, taken)
    lines = wrap(text, max(40, width), initial_indent=first, subsequent_indent=" " * _KEYS)
    return "\n".join(lines).removeprefix(first)


class HelpScreen(ModalScreen[None]):
    """Scrolls; Esc, q, ? and F1 close it."""

    CSS_PATH = "help.tcss"
    BINDINGS = [Binding("escape,q,question_mark,f1", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help") as box:
            box.border_title = "Keys"
            box.border_subtitle = "Esc closes"
            yield Static()

    def on_resize(self) -> None:
        """Wrap for the room that there is."""
        box = self.query_one("#help", VerticalScroll)
        box.query_one(Static).update(help_content(box.scrollable_content_region.width))
