"""The actions of the four panes."""

from workbench.tui.action import Action, Place, gate_or, status_in

_OPEN = ("proposed", "approved")

PANE_ACTIONS: tuple[Action, ...] = (
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
    Action("tree.copy", "copy", ("y",), Place.TREE, "copy", "Copy what the cursor is on", False),
    # Critic
    Action(
        "critic.copy", "copy", ("y",), Place.CRITIC, "copy", "Copy what the cursor is on", False
    ),
    Action(
        "critic.open",
        "open citation",
        ("enter",),
        Place.CRITIC,
        "open",
        "Open the citation, or fold the branch",
    ),
    # Stack and threads
    Action(
        "stack.select",
        "select frame",
        ("enter",),
        Place.STACK,
        "select",
        "Select the frame for source, variables, console and own tests; again: go into its source",
    ),
    Action(
        "stack.back", "frames", ("escape",), Place.STACK, "back", "Go from the source to the frames"
    ),
    Action(
        "stack.variables",
        "variables",
        ("v",),
        Place.STACK,
        "variables",
        "Go to the variables of the frame",
        shown=False,
    ),
    Action("stack.copy", "copy", ("y",), Place.STACK, "copy", "Copy what the cursor is on", False),
    Action(
        "threads.switch",
        "switch",
        ("enter",),
        Place.THREADS,
        "switch",
        "Switch to the thread and show its stack",
    ),
    Action(
        "threads.copy", "copy", ("y",), Place.THREADS, "copy", "Copy what the cursor is on", False
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
        enabled=lambda now: not now.speaking,
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
        "Copy what is selected, else stop the running command or clear the line",
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
)
