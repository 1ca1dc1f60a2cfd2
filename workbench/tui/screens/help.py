"""Every key, generated from the registry of actions."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.tui.action import Place, key_name
from workbench.tui.actions import actions_of


def help_content() -> Content:
    """The registry as a table, a heading for each place."""
    parts: list[str | tuple[str, str]] = []
    for place in Place:
        if not (actions := actions_of(place)):
            continue
        parts.append((f"{place.value}\n", "bold $text-accent"))
        for action in actions:
            keys = " ".join(key_name(key) for key in action.keys)
            parts += [(f"  {keys:<20}", "bold"), f" {action.help}\n"]
        parts.append("\n")
    parts += [
        ("Lists and texts\n", "bold $text-accent"),
        ("  ↑ ↓ PgUp PgDn       ", "bold"),
        "Move\n",
        ("  ← → Space           ", "bold"),
        "Fold and unfold; scroll a text sideways",
    ]
    return Content.assemble(*parts)


class HelpScreen(ModalScreen[None]):
    """Scrolls; Esc, q, ? and F1 close it."""

    CSS_PATH = "help.tcss"
    BINDINGS = [Binding("escape,q,question_mark,f1", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help") as box:
            box.border_title = "Keys"
            box.border_subtitle = "Esc closes"
            yield Static(help_content())
