"""The one registry of actions: key bindings, footer, palette, help and the README's key table all
come from it."""

from textual.binding import Binding, BindingType

from workbench.tui.action import Action, Place, Situation, is_function_key, key_name
from workbench.tui.action_table import ACTIONS


def actions_of(*places: Place) -> list[Action]:
    """The actions of some places, in the order of the places, then of the registry."""
    return [action for place in places for action in ACTIONS if action.where is place]


def action_of(id: str) -> Action:
    """One action by its id; raises ``KeyError``."""
    for action in ACTIONS:
        if action.id == id:
            return action
    raise KeyError(id)


def bindings(place: Place) -> list[BindingType]:
    """Textual bindings of a place. Only F-keys that change the pane take priority: what is typed
    right after them must not reach the pane before. The console keeps every other key."""
    return [binding for action in ACTIONS if action.where is place for binding in _bound(action)]


def _bound(action: Action) -> list[BindingType]:
    first = [key for key in action.keys if action.moves and is_function_key(key)]
    return [
        Binding(
            ",".join(keys),
            action.handler,
            action.title,
            id=id,
            show=action.shown,
            tooltip=action.help,
            priority=keys is first,
        )
        for keys, id in ((_later_keys(action), action.id), (first, f"{action.id}.first"))
        if keys
    ]


def _later_keys(action: Action) -> list[str]:
    """The keys that take no priority, without those that are pressed twice."""
    return [
        key for key in action.keys if " " not in key and not (action.moves and is_function_key(key))
    ]


def allowed(place: Place, handler: str, now: Situation) -> bool:
    """True when the action of that place and handler works now; unknown handlers are not ours."""
    for action in ACTIONS:
        if action.where is place and action.handler.partition("(")[0] == handler:
            return action.works(now)
    return True


def key_table() -> str:
    """The key table as Markdown, for the README and the help screen."""
    lines = ["| keys | where | what |", "| --- | --- | --- |"]
    for place in Place:
        for action in actions_of(place):
            keys = " ".join(f"`{key_name(key)}`" for key in action.keys)
            lines.append(f"| {keys} | {place} | {action.help} |")
    return "\n".join(lines)
