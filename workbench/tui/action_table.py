"""The one registry of what a person can do: bindings, footer, palette, help and the table of keys
come from it."""

from typing import Any

from textual.binding import Binding, BindingType

from workbench.model.models import Content
from workbench.tui.action import (
    Action,
    Place,
    Situation,
    asks_about_a_command,
    asks_about_the_cloud,
    gate_or,
    is_function_key,
    key_name,
    may_run_again,
    status_in,
)

_PLACES = {**{place.name.lower(): place for place in Place}, "app": Place.EVERYWHERE}
_OPEN = ("proposed", "approved")
_ON_OPEN = "on a hypothesis that is not tested yet"
_ENDED = "on a core of a Linux program, once the investigation is over"
_LEAVING = "while a request waits to leave the machine"
_WRITING = """
tree.approve tree.reject tree.edit tree.new tree.test tree.verdict tree.approve_all evidence.pin
evidence.hide stack.memory workbench.allow workbench.refuse workbench.again report.again
workbench.note
"""
_WRITES = frozenset(_WRITING.split())
"""What changes the session."""


def _row(id: str, title: str, keys: str, help: str, *, handler: str = "", **more: Any) -> Action:
    """``id`` is the place and the handler, unless that is called otherwise; keys stand between
    commas."""
    place, _, name = id.partition(".")
    return Action(
        id,
        title,
        tuple(keys.split(", ")),
        _PLACES[place],
        handler or name,
        help,
        writes=id in _WRITES,
        **more,
    )


# fmt: off
ACTIONS: tuple[Action, ...] = (
    _row("tree.approve", "approve", "a",
        "Let the hypothesis be tested, or allow the command",
        enabled=gate_or("proposed", "rejected"), when="on what is proposed or rejected"),
    _row("tree.reject", "reject", "r",
        "Refuse it; a reason, if given, becomes part of the record", enabled=gate_or(*_OPEN),
        when=_ON_OPEN),
    _row("tree.edit", "edit", "e",
        "Change the hypothesis' words, category or tests", enabled=status_in(*_OPEN),
        when=_ON_OPEN),
    _row("tree.new", "new", "n", "Add a hypothesis of your own"),
    _row("tree.test", "test now", "t",
        "Approve the hypothesis and test it before the others", enabled=status_in(*_OPEN),
        when=_ON_OPEN),
    _row("tree.approve_all", "approve all", "A",
        "Approve every hypothesis from here on",
        enabled=lambda now: not now.state.approve_all and now.state.stopped is None,
        when="until all are approved or decided"),
    _row("tree.open", "open", "enter", "Open the citation, or fold the branch"),
    _row("tree.verdict", "verdict", "v",
        "Set your own verdict, confirmed or rejected, with a reason; the report says who decided",
        enabled=lambda now: now.hypothesis is not None, when="on a hypothesis"),
    _row("tree.next", "next hypothesis", "right_square_bracket",
        "Go to the next hypothesis", handler="step(1)", shown=False),
    _row("tree.previous", "hypothesis before", "left_square_bracket",
        "Go to the hypothesis before", handler="step(-1)", shown=False),
    _row("tree.copy", "copy", "y", "Copy what the cursor is on", shown=False),
    _row("critic.copy", "copy", "y", "Copy what the cursor is on", shown=False),
    _row("critic.open", "open citation", "enter", "Open the citation, or fold the branch"),
    _row("stack.select", "select frame", "enter",
        "Select the frame for source, variables, console and own tests; again: go into its source"),
    _row("stack.back", "frames", "escape", "Go from the source to the frames"),
    _row("stack.variables", "variables", "v", "Go to the variables of the frame", shown=False),
    _row("stack.memory", "memory", "x",
        "Show memory as bytes and text, at the pointer under the cursor or another address"),
    _row("stack.copy", "copy", "y", "Copy what the cursor is on", shown=False),
    _row("threads.switch", "switch", "enter", "Switch to the thread and show its stack"),
    _row("threads.copy", "copy", "y", "Copy what the cursor is on", shown=False),
    _row("evidence.open", "read", "enter", "Go from the list into the text"),
    _row("evidence.back", "list", "escape",
        "Go from the text back to the list", enabled=lambda now: not now.speaking),
    _row("evidence.copy", "copy line", "y",
        "Copy the line (or the selected lines) with its citation"),
    _row("evidence.search", "search", "slash",
        "In the list: show only items that hold a text; in the text: search it"),
    _row("evidence.pin", "pin", "P",
        "Pin the item to the top of the list, or let it go",
        handler="mark('pinned')", shown=False),
    _row("evidence.hide", "hide", "x",
        "Hide the item from the list, or show it again; it stays in the session",
        handler="mark('hidden')", shown=False),
    _row("evidence.hidden", "show hidden", "X",
        "Show hidden items too, or leave them out", shown=False),
    _row("evidence.next_match", "next match", "n", "Go to the next match",
        handler="find(1)", shown=False),
    _row("evidence.previous_match", "previous match", "N", "Go to the match before",
        handler="find(-1)", shown=False),
    _row("evidence.next_cited", "next cited", "right_square_bracket",
        "Go to the next cited line", shown=False),
    _row("console.leave", "leave the console", "f6, escape escape",
        "Go to the next pane; Esc twice does the same"),
    _row("console.interrupt", "interrupt", "ctrl+c",
        "Copy what is selected, else stop the running command or clear the line"),
    _row("console.complete", "complete", "tab", "Complete the line as the debugger would"),
    _row("console.history", "history", "up, down", "Command history"),
    _row("console.scroll", "scroll", "pageup, pagedown", "Scroll through what was printed"),
    _row("workbench.allow", "allow", "a, f7",
        "Allow the command that is asked about; see what would leave the machine",
        enabled=asks_about_a_command, when="while a command is asked about"),
    _row("workbench.refuse", "refuse", "r, shift+f7",
        "Refuse the command, or the request to the cloud, that is asked about",
        enabled=asks_about_a_command, when="while a command is asked about"),
    _row("workbench.report", "report", "g",
        "Show the report as it stands", enabled=lambda now: bool(now.state.evidence),
        when="once there is evidence"),
    _row("workbench.write", "write report", "w",
        "Write the report to a file", enabled=lambda now: bool(now.state.evidence),
        when="once there is evidence"),
    _row("workbench.symbols", "symbols", "s",
        "Show each module: found, mismatched, missing, its symbols, and what to do", shown=False),
    _row("workbench.payloads", "payloads", "p",
        "Read what left the machine, or is about to", shown=False),
    _row("workbench.search", "search", "slash",
        "Search the evidence of this session, then of all others", shown=False),
    _row("workbench.chat", "ask", "c",
        "Ask a question about the crash, and see those asked before",
        enabled=lambda now: bool(now.state.evidence), when="once there is evidence"),
    _row("workbench.note", "note", "i",
        "Write a note to the session; `workbench sessions show` tells it", shown=False),
    _row("workbench.models", "models", "m",
        "Pick the model that helps from here on, and see what answers", shown=False),
    _row("workbench.stop_model", "stop the model", "escape, f11",
        "Stop the model that speaks; work goes on without its answer",
        enabled=lambda now: now.speaking, when="while a model speaks"),
    _row("workbench.next_pane", "next pane", "tab, f6",
        "Focus the next pane", handler="step(1)", moves=True),
    _row("workbench.previous_pane", "previous pane", "shift+tab, shift+f6",
        "Focus the pane before", handler="step(-1)", shown=False, moves=True),
    _row("workbench.seen_before", "seen before", "b",
        "Look at the latest session that had the same signature",
        enabled=lambda now: (r := now.state.about.recognised) is not None and bool(r.earlier),
        when="where an earlier session has the same signature"),
    _row("workbench.again", "run again", "R",
        "Run the program again and watch for the line that caused it; once more: stop the runs",
        enabled=may_run_again, when=_ENDED),
    _row("workbench.earlier", "earlier", "left_curly_bracket",
        "Show all panes as they were a moment earlier",
        handler="travel(-1)", enabled=lambda now: bool(now.state.evidence),
        when="once there is evidence", shown=False),
    _row("workbench.later", "later", "right_curly_bracket",
        "Go a moment on again, in the end to now", handler="travel(1)", shown=False),
    _row("workbench.pane_1", "hypotheses", "1, f2",
        "Focus the hypotheses", handler="pane('hypotheses')", shown=False, moves=True),
    _row("workbench.pane_2", "evidence", "2, f3",
        "Focus the evidence", handler="pane('evidence')", shown=False, moves=True),
    _row("workbench.pane_3", "critic", "3, f4",
        "Focus the critic", handler="pane('critic')", shown=False, moves=True),
    _row("workbench.pane_4", "console", "4, f5",
        "Focus the debugger console", handler="pane('console')", shown=False, moves=True),
    _row("workbench.pane_5", "stack", "5, shift+f2",
        "Focus the stack and the source of its frame", handler="pane('stack')", moves=True),
    _row("workbench.pane_6", "threads", "6, shift+f3",
        "Focus the threads", handler="pane('threads')", shown=False, moves=True),
    _row("workbench.zoom", "zoom", "z, f8", "Give the focused pane the whole screen, and back"),
    _row("report.write", "write", "w", "Write the report to a file"),
    _row("report.copy", "copy", "y", "Copy the report as Markdown"),
    _row("report.again", "run again", "R",
        "Run the program again and watch for the line that caused it; once more: stop the runs",
        enabled=may_run_again, when=_ENDED),
    _row("report.close", "back", "escape, g", "Back to the workbench"),
    _row("symbols.close", "back", "escape, s", "Back to the workbench"),
    _row("chat.open", "open citation", "enter",
        "Open the citation of the sentence in the evidence",
        enabled=lambda now: now.citation is not None, when="on a sentence with a citation"),
    _row("chat.close", "back", "escape",
        "Stop the answer that is being made, else back to the workbench"),
    _row("models.pick", "use it", "enter",
        "Ask this model from the next call on; the cloud's stays behind its question"),
    _row("models.effort", "effort", "e", "How hard the model thinks: low, medium, high"),
    _row("models.pull", "pull", "u", "Have Ollama fetch a model by its name"),
    _row("models.reload", "refresh", "R", "Ask again what answers"),
    _row("models.close", "back", "escape, m", "Back to the workbench; ends a pull"),
    _row("search.open", "go there", "enter", "Go to the line of the hit"),
    _row("search.words", "other words", "slash", "Search something else"),
    _row("search.close", "back", "escape", "Back to where it was asked"),
    _row("payloads.allow", "send it", "a",
        "Let this request leave the machine, and later ones with these kinds of content",
        enabled=asks_about_the_cloud, when=_LEAVING),
    _row("payloads.refuse", "send nothing", "r",
        "Refuse it; the investigation goes on without the cloud", enabled=asks_about_the_cloud,
        when=_LEAVING),
    *(_row(f"payloads.leave_out_{number}", kind.value, str(number),
        f"Leave {kind.value} out of later requests, or let them pass",
        handler=f"leave_out({number})", shown=False, enabled=asks_about_the_cloud, when=_LEAVING)
      for number, kind in enumerate(Content, 1)),
    _row("payloads.exact", "exact bytes", "x",
        "Show the bytes as they are sent, or laid out to be read"),
    _row("payloads.close", "back", "escape, p", "Back to the workbench"),
    _row("home.open", "resume", "enter", "Resume the session"),
    _row("home.reload", "refresh", "R", "Refresh the list", shown=False),
    _row("home.search", "search", "slash", "Search the evidence of all sessions"),
    _row("home.filter", "filter", "f",
        "Show only sessions whose name, target, cause or signal holds a text"),
    _row("home.rename", "rename", "n", "Give the session a name"),
    _row("home.pin", "pin", "P", "Keep the session from every cleanup, or no longer"),
    _row("home.delete", "delete", "d", "Delete the session, after a question"),
    _row("app.help", "help", "question_mark, f1", "Show every key"),
    _row("app.palette", "palette", "ctrl+p, f9",
        "Search for an action by name", handler="command_palette", shown=False),
    _row("app.theme", "theme: light or dark", "f12",
        "Switch between the light and the dark theme", shown=False),
    _row("app.quit", "quit", "q, f10",
        "Quit (session is saved). Opened from the list, it leads back there"),
)
# fmt: on


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


def in_footer(place: Place, here: str, now: Situation) -> list[Action]:
    """What the footer shows beside a pane of the workbench; ``here`` is the handler that leads to
    that pane."""
    console = place is Place.CONSOLE
    places = [place, *([] if console else [Place.WORKBENCH]), Place.EVERYWHERE]
    works = [one for one in actions_of(*places) if one.shown and one.works(now)]
    # A key that answers what is asked does nothing else meanwhile.
    asked = {one.keys[0] for one in works if one.enabled is asks_about_a_command}
    return [
        one
        for one in works
        if one.handler != here
        and (one.enabled is asks_about_a_command or one.keys[0] not in asked)
        and (not console or one.where is place or any(map(is_function_key, one.keys)))
    ]


def key_table() -> str:
    """The key table as Markdown, for the README and the help screen."""
    lines = ["| keys | where | what |", "| --- | --- | --- |"]
    for place in Place:
        for action in actions_of(place):
            keys = " ".join(f"`{key_name(key)}`" for key in action.keys)
            lines.append(f"| {keys} | {place} | {action.help} |")
    return "\n".join(lines)
