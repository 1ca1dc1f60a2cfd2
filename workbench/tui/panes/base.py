"""What the four panes share."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from workbench.model.citation import Citation
from workbench.model.events import Phase
from workbench.model.investigation import Investigation
from workbench.tui.action import Action, Place, Situation
from workbench.tui.action_table import allowed, bindings
from workbench.tui.clipboard import copy_text
from workbench.tui.panes.outline import Node, Outline
from workbench.tui.port import SessionPort
from workbench.tui.text import one_line

EARLY = (Phase.OPENING, Phase.BASELINE)
"""When what an empty pane lacks may still come."""


@dataclass
class Intent(Message):
    """A wish of the person, to be put to the engine; ``unasked`` one that a pane has by itself.
    ``title`` says it in an error."""

    title: str
    call: Callable[[SessionPort], Awaitable[None]]
    unasked: bool = False


@dataclass
class OpenCitation(Message):
    """Show an evidence item at its cited lines."""

    citation: Citation


class PaneTitle(Widget):
    """The rule above a pane: its number and title at the left, a status at the right."""

    DEFAULT_CSS = "PaneTitle { height: 1; color: $foreground 55%; }"

    def __init__(self, title: str) -> None:
        super().__init__(classes="title")
        self._title = title
        self._status = ""

    def show(self, title: str, status: str) -> None:
        """Change the words; they are drawn as they are, never as markup."""
        if (title, status) != (self._title, self._status):
            self._title, self._status = title, status
            self.refresh()

    def render(self) -> Content:
        here = self.parent is not None and self.parent.has_class("-active")
        rule = "━" if here else "─"
        left = f" {self._title} "
        right = f" {self._status} " if self._status else ""
        fill = self.size.width - 2 - cell_len(left) - cell_len(right)
        if fill < 1:
            right, fill = "", max(0, self.size.width - 2 - cell_len(left))
        return Content.assemble(
            rule, (left, "bold" if here else ""), rule * fill, right, rule
        ).truncate(self.size.width)


class Pane(Vertical):
    """A titled region that renders the state; its keys are those of its place."""

    place: ClassVar[Place]
    title: ClassVar[str]
    number: ClassVar[int]

    def __init_subclass__(cls, place: Place, title: str, number: int, **more: Any) -> None:
        """The keys of the console's pane are its terminal's."""
        cls.place, cls.title, cls.number = place, title, number
        if place is not Place.CONSOLE:
            cls.BINDINGS = bindings(place)
        super().__init_subclass__(**more)

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="pane")
        self.state = Investigation()
        self.speaking = False
        """True while a model speaks."""
        self.read_only = False
        """True for a session that is only looked at."""

    def compose(self) -> ComposeResult:
        yield PaneTitle(f"{self.number} {self.title}")
        yield from self.parts()

    def parts(self) -> ComposeResult:
        raise NotImplementedError

    def caption(self, status: str, extra: str = "") -> None:
        """Set the status at the right of the title, and what follows the title."""
        title = f"{self.number} {self.title}" + (f"  {extra}" if extra else "")
        self.query_one(PaneTitle).show(one_line(title), one_line(status))

    def show(self, state: Investigation) -> None:
        """Render a state; called at most once a tick."""
        self.state = state

    def situation(self) -> Situation:
        """What the actions' ``enabled`` looks at."""
        node = self.here()
        citation = node.citation if node is not None else None
        return Situation(
            self.state, citation=citation, speaking=self.speaking, read_only=self.read_only
        )

    @property
    def outline(self) -> Outline | None:
        """The list that has the focus, else the first one, where there is any."""
        outlines = list(self.query(Outline))
        return next((one for one in outlines if one.has_focus), next(iter(outlines), None))

    def here(self) -> Node | None:
        outline = self.outline
        return outline.selected if outline is not None else None

    def entrance(self) -> Widget:
        """The widget that takes the focus when the pane is chosen."""
        raise NotImplementedError

    def activate(self, active: bool) -> None:
        if active != self.has_class("-active"):
            self.set_class(active, "-active")
            self.query_one(PaneTitle).refresh()

    def action_copy(self) -> None:
        if (node := self.here()) is not None:
            copy_text(self.app, node.content.plain, "Line")

    def open_or_fold(self) -> None:
        """Open what the node cites that the cursor is on, else fold or unfold it."""
        node, outline = self.here(), self.outline
        if node is not None and node.citation is not None:
            self.post_message(OpenCitation(node.citation))
        elif outline is not None:
            outline.action_toggle_fold()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is bound."""
        return allowed(self.place, action, self.situation())


def owner_of(action: Action, app: App[Any], screen: Screen[Any]) -> DOMNode | None:
    """The node that handles an action on a screen, or None where the action has no place."""
    place = getattr(screen, "place", None)
    if action.where is Place.EVERYWHERE:
        return app
    if place is Place.WORKBENCH is not action.where:
        return next((pane for pane in screen.query(Pane) if pane.place is action.where), None)
    return screen if place is action.where else None
