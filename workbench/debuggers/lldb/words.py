"""What a user's lldb command does to the session, as far as the channel must know it."""

import re

from workbench.debuggers.lldb.commands import meant
from workbench.debuggers.lldb.selection import split
from workbench.debuggers.policy import check
from workbench.debuggers.words import Words

_MOVING = frozenset(
    ("frame select", "thread select", "target select", "_regexp-up", "_regexp-down")
)
_LEAVING = frozenset(
    (
        "quit",
        "process attach",
        "process connect",
        "process detach",
        "process kill",
        "process launch",
        "target create",
        "target delete",
        "target select",
        "_regexp-attach",
    )
)
_READERS = frozenset(
    ("platform shell", "process launch", "process continue", "command source", "scripting run")
)
# What goes on in the lines that follow, unless an option brings it (lldb's help of each command).
_BODIES = {
    "breakpoint command add": r"-o|-F|--one-liner|--python-function",
    "watchpoint command add": r"-o|-F|--one-liner|--python-function",
    "target stop-hook add": r"-o|-P|--one-liner|--script-class",
    "target hook add": r"-o|-P|--one-liner|--script-class",
    "command regex": r"\S+\s+\S",
    "expression": r"\S",
    "script": r"\S",
    "scripting run": r"\S",
}


def moves_selection(command: str) -> bool:
    """True when the selected frame or thread may be another one afterwards."""
    selecting, command = split(command)
    return bool(selecting) or bool(_names(command) & _MOVING)


def selects_thread(command: str) -> bool:
    """True when lldb tells of the thread that is selected afterwards, maybe late."""
    return "thread select" in _names(split(command)[1])


def may_change_settings(command: str) -> bool:
    """False for what is known to only print."""
    return not check(command, "lldb").accepted


def changes_prompt(command: str) -> bool:
    """True when the marks in the prompt may be gone afterwards."""
    return any(
        name.startswith("settings ") and re.search(r"prom|-a|read", f"{name} {rest}")
        for name, rest in meant(command)
    )


def reads_terminal(command: str) -> bool:
    """True when another program, or a script, may read what is typed next."""
    return bool(_names(command) & _READERS)


def opens_body(command: str) -> bool:
    """True when lldb reads the lines that follow as a part of the command."""
    found = meant(command)
    return bool(found) and all(
        name in _BODIES and not re.search(rf"(?:^|\s)(?:{_BODIES[name]})", rest)
        for name, rest in found
    )


def leaves_debugger(command: str) -> bool:
    """True when lldb would end or let go of the dump."""
    names = _names(split(command)[1])
    return bool(names) and names <= _LEAVING


def _names(command: str) -> frozenset[str]:
    return frozenset(name for name, _ in meant(command))


WORDS = Words(
    moves_selection=moves_selection,
    may_change_settings=may_change_settings,
    leaves_debugger=leaves_debugger,
    opens_body=opens_body,
    changes_prompt=changes_prompt,
    reads_terminal=reads_terminal,
)
"""For the table of questions."""
