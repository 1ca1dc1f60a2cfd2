"""The one registry of actions: key bindings, footer, palette, help and the README's key table all
come from it."""

from collections.abc import Iterable

from textual.binding import Binding, BindingType

from workbench.tui.action import (
    Action,
    Place,
    Situation,
    asks_about_a_command,
    gate_or,
    is_function_key,
    key_name,
    status_in,
)

_OPEN = ("proposed", "approved")

ACTIONS: tuple[Action, ...] = (
    # Hypotheses
    Action(
        "tree.approve",
        "approve",
        ("a",),
        Place.TREE,
        "approve",
        "Let the hypothesis be tested, or allow the command",
        enabled=gate_or("proposed", "rejected"),
    ),
    Action(
        "tree.reject",
        "reject",
        ("r",),
        Place.TREE,
        "reject",
        "Refuse it; a reason, if given, becomes part of the record",
        enabled=gate_or(*_OPEN),
    ),
    Action(
        "tree.edit",
        "edit",
        ("e",),
        Place.TREE,
        "edit",
        "Change the hypothesis' words, category or tests",
        enabled=status_in(*_OPEN),
    ),
    Action("tree.new", "new", ("n",), Place.TREE, "new", "Add a hypothesis of your own"),
    Action(
        "tree.test",
        "test now",
        ("t",),
        Place.TREE,
        "test",
        "Approve the hypothesis and test it before the others",
        enabled=status_in(*_OPEN),
    ),
    Action(
        "tree.approve_all",
        "approve all",
        ("A",),
        Place.TREE,
        "approve_all",
        "Approve every hypothesis from here on",
        enabled=lambda now: not now.state.approve_all and now.state.stopped is None,
    ),
    Action(
        "tree.open", "open", ("enter",), Place.TREE, "open", "Open the citation, or fold the branch"
    ),
    # Critic
    Action(
        "critic.open",
        "open citation",
        ("enter",),
        Place.CRITIC,
        "open",
        "Open the citation, or fold the branch",
    ),
    # Evidence
    Action(
        "evidence.open",
        "read",
        ("enter",),
        Place.EVIDENCE,
        "open",
        "Go from the list into the text",
    ),
    Action(
        "evidence.back",
        "list",
        ("escape",),
        Place.EVIDENCE,
        "back",
        "Go from the text back to the list",
        vim=("ctrl+o",),
    ),
    Action(
        "evidence.copy",
        "copy line",
        ("y",),
        Place.EVIDENCE,
        "copy",
        "Copy the line (or the selected lines) with its citation",
    ),
    Action("evidence.search", "search", ("slash",), Place.EVIDENCE, "search", "Search in the text"),
    Action(
        "evidence.next_match",
        "next match",
        ("n",),
        Place.EVIDENCE,
        "next_match",
        "Go to the next match",
        shown=False,
    ),
    Action(
        "evidence.previous_match",
        "previous match",
        ("N",),
        Place.EVIDENCE,
        "previous_match",
        "Go to the match before",
        shown=False,
    ),
    Action(
        "evidence.next_cited",
        "next cited",
        ("right_square_bracket",),
        Place.EVIDENCE,
        "next_cited",
        "Go to the next cited line",
        shown=False,
    ),
    # Console
    Action(
        "console.leave",
        "leave the console",
        ("f6", "escape escape"),
        Place.CONSOLE,
        "leave",
        "Go to the next pane; Esc twice does the same",
    ),
    Action(
        "console.interrupt",
        "interrupt",
        ("ctrl+c",),
        Place.CONSOLE,
        "interrupt",
        "Stop the running command, or clear the line",
    ),
    Action(
        "console.complete",
        "complete",
        ("tab",),
        Place.CONSOLE,
        "complete",
        "Complete the line as the debugger would",
    ),
    Action(
        "console.history", "history", ("up", "down"), Place.CONSOLE, "history", "Lines typed before"
    ),
    Action(
        "console.scroll",
        "scroll",
        ("pageup", "pagedown"),
        Place.CONSOLE,
        "scroll",
        "Scroll through what was printed",
    ),
    # Workbench
    Action(
        "workbench.allow",
        "allow",
        ("a", "f7"),
        Place.WORKBENCH,
        "allow",
        "Allow the command that is asked about",
        enabled=asks_about_a_command,
    ),
    Action(
        "workbench.refuse",
        "refuse",
        ("r", "shift+f7"),
        Place.WORKBENCH,
        "refuse",
        "Refuse the command that is asked about",
        enabled=asks_about_a_command,
    ),
    Action(
        "workbench.report",
        "report",
        ("g",),
        Place.WORKBENCH,
        "report",
        "Show the report as it stands",
        enabled=lambda now: bool(now.state.evidence),
    ),
    Action(
        "workbench.write",
        "write report",
        ("w",),
        Place.WORKBENCH,
        "write",
        "Write the report to a file",
        enabled=lambda now: bool(now.state.evidence),
    ),
    Action(
        "workbench.symbols",
        "symbols",
        ("s",),
        Place.WORKBENCH,
        "symbols",
        "Show each module: found, mismatched, missing, its symbols, and what to do",
        shown=False,
    ),
    Action(
        "workbench.next_pane",
        "next pane",
        ("tab", "f6"),
        Place.WORKBENCH,
        "next_pane",
        "Focus the next pane",
        vim=("ctrl+w",),
        moves=True,
    ),
    Action(
        "workbench.previous_pane",
        "previous pane",
        ("shift+tab", "shift+f6"),
        Place.WORKBENCH,
        "previous_pane",
        "Focus the pane before",
        shown=False,
        moves=True,
    ),
    Action(
        "workbench.pane_1",
        "hypotheses",
        ("1", "f2"),
        Place.WORKBENCH,
        "pane('hypotheses')",
        "Focus the hypotheses",
        shown=False,
        moves=True,
    ),
    Action(
        "workbench.pane_2",
        "evidence",
        ("2", "f3"),
        Place.WORKBENCH,
        "pane('evidence')",
        "Focus the evidence",
        shown=False,
        moves=True,
    ),
    Action(
        "workbench.pane_3",
        "critic",
        ("3", "f4"),
        Place.WORKBENCH,
        "pane('critic')",
        "Focus the critic",
        shown=False,
        moves=True,
    ),
    Action(
        "workbench.pane_4",
        "console",
        ("4", "f5"),
        Place.WORKBENCH,
        "pane('console')",
        "Focus the debugger console",
        shown=False,
        moves=True,
    ),
    Action(
        "workbench.zoom",
        "zoom",
        ("z", "f8"),
        Place.WORKBENCH,
        "zoom",
        "Give the focused pane the whole screen, and back",
    ),
    # Report
    Action("report.write", "write", ("w",), Place.REPORT, "write", "Write the report to a file"),
    Action("report.copy", "copy", ("y",), Place.REPORT, "copy", "Copy the report as Markdown"),
    Action("report.close", "back", ("escape", "g"), Place.REPORT, "close", "Back to the workbench"),
    # Symbols
    Action(
        "symbols.close", "back", ("escape", "s"), Place.SYMBOLS, "close", "Back to the workbench"
    ),
    # Home
    Action("home.open", "resume", ("enter",), Place.HOME, "open", "Resume the session"),
    Action(
        "home.reload", "reload", ("R",), Place.HOME, "reload", "Read the list again", shown=False
    ),
    # Everywhere
    Action(
        "app.help",
        "help",
        ("question_mark", "f1"),
        Place.EVERYWHERE,
        "help",
        "Show every key",
        vim=("K",),
    ),
    Action(
        "app.palette",
        "palette",
        ("ctrl+p", "f9"),
        Place.EVERYWHERE,
        "command_palette",
        "Search for an action by name",
        shown=False,
        vim=("colon",),
    ),
    Action(
        "app.theme",
        "light or dark",
        ("f12",),
        Place.EVERYWHERE,
        "theme",
        "Switch between the light and the dark theme",
        shown=False,
    ),
    Action(
        "app.quit",
        "quit",
        ("q", "f10"),
        Place.EVERYWHERE,
        "quit",
        "Leave; the session stays and can be resumed. Opened from the list, it leads back there",
    ),
)


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


def keymap(name: str) -> dict[str, str]:
    """The overrides of a named key map, for ``App.set_keymap``: ``default`` or ``vim``."""
    if name == "vim":
        return {
            action.id: ",".join((*_later_keys(action), *action.vim))
            for action in ACTIONS
            if action.vim
        }
    return {}


def allowed(place: Place, handler: str, now: Situation) -> bool:
    """True when the action of that place and handler works now; unknown handlers are not ours."""
    for action in ACTIONS:
        if action.where is place and action.handler.partition("(")[0] == handler:
            return action.enabled(now)
    return True


def key_table(places: Iterable[Place] = tuple(Place)) -> str:
    """The key table as Markdown, for the README and the help screen."""
    lines = ["| keys | where | what |", "| --- | --- | --- |"]
    for place in places:
        for action in actions_of(place):
            keys = " ".join(f"`{key_name(key)}`" for key in action.keys)
            lines.append(f"| {keys} | {place} | {action.help} |")
    return "\n".join(lines)
