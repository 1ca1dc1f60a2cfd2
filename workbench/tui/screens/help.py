"""Every key, generated from the registry of actions."""

from collections.abc import Sequence
from textwrap import wrap

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widget import Widget

from workbench.tui.action import Place, key_name
from workbench.tui.action_table import actions_of

_KEYS = 23
"""Columns in front of what a key does."""


def help_content(width: int = 1000, first: Sequence[Place] = ()) -> Content:
    """The registry as a table, a heading for each place, beginning with ``first``; what a key does
    is wrapped within its own column of a text of ``width`` columns."""
    parts: list[str | tuple[str, str]] = []
    for place in dict.fromkeys((*first, *Place)):
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


class HelpText(Widget):
    """The help at the width at hand."""

    DEFAULT_CSS = "HelpText { height: auto; }"

    def __init__(self, first: Sequence[Place]) -> None:
        super().__init__()
        self._first = first

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return help_content(width, self._first).plain.count("\n") + 1

    def render(self) -> Content:
        return help_content(self.content_size.width, self._first)


class HelpScreen(ModalScreen[None]):
    """Scrolls; Esc, q, ? and F1 close it. Begins with the keys of the ``first`` places."""

    CSS_PATH = "help.tcss"
    BINDINGS = [Binding("escape,q,question_mark,f1", "dismiss", "Close")]

    def __init__(self, first: Sequence[Place] = ()) -> None:
        super().__init__()
        self._first = first

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as box:
            box.border_title = "Keys"
            box.border_subtitle = "Esc closes"
            yield HelpText(self._first)
