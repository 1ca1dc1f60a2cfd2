"""What screens share: the keys of a place, and a question whose answer is taken up."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from textual.app import App
from textual.screen import Screen

from workbench.tui.action import Place, Situation
from workbench.tui.action_table import actions_of, allowed, bindings
from workbench.tui.panes.bars import FooterBar

T = TypeVar("T")


class PlaceScreen(Screen[T]):
    """A screen with keys of its own; its footer shows those that work now."""

    place: ClassVar[Place]

    def __init_subclass__(cls, place: Place, **more: Any) -> None:
        """The keys and the style sheet are those of the place."""
        cls.place, cls.BINDINGS = place, bindings(place)
        cls.CSS_PATH = f"{place.name.lower()}.tcss"
        super().__init_subclass__(**more)

    def situation(self) -> Situation:
        """What decides which keys work; by default nothing is open here."""
        return Situation()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return allowed(self.place, action, self.situation())

    def show_keys(self) -> None:
        now, keys = self.situation(), actions_of(self.place, Place.EVERYWHERE)
        self.query_one(FooterBar).show([key for key in keys if key.shown and key.works(now)])

    def action_close(self) -> None:
        self.dismiss()


def ask(app: App[Any], screen: Screen[T | None], then: Callable[[T], object]) -> None:
    """Show a screen that asks for something; ``then`` is called with what was given, if anything
    was."""

    def done(given: T | None) -> None:
        if given is not None:
            then(given)

    app.push_screen(screen, done)
