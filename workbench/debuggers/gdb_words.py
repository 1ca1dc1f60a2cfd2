"""What a gdb command line does, as far as the channel must know it."""

import re

_FIRST = re.compile(r"\s*(?:server\s+)?([A-Za-z_][\w-]*)?\s*(.*)", re.DOTALL)


def _first(command: str) -> tuple[str, str]:
    found = _FIRST.match(command)
    assert found is not None
    return (found[1] or "").lower(), found[2]


def _abbreviates(word: str, full: str, least: int) -> bool:
    return len(word) >= least and full.startswith(word)


def moves_selection(command: str) -> bool:
    """True when the selected frame, thread or inferior may be another one afterwards."""
    word, rest = _first(command)
    if _abbreviates(word, "thread", 1):
        return not re.match(r"(?:app|na|fi)", rest)
    if word == "f" or _abbreviates(word, "frame", 2):
        return not re.match(r"ap", rest)
    moving = ("up", "down", "dow", "up-silently", "down-silently", "select-frame", "inferior")
    return word in moving or any(_abbreviates(word, one, 3) for one in moving)


def may_change_settings(command: str) -> bool:
    """False for what is known to only print."""
    word, _ = _first(command)
    return word not in {"bt", "backtrace", "where", "x", "p", "print", "info", "i", "list", "l"}


def changes_prompt(command: str) -> bool:
    """True when the marks in the prompt may be gone afterwards."""
    word, rest = _first(command)
    return word == "set" and re.match(r"(?:pro|ext)\w*(?:-\w*)?\b", rest) is not None


def leaves_debugger(command: str) -> bool:
    """True when gdb would end or let go of the dump."""
    word, _ = _first(command)
    return word == "k" or any(_abbreviates(word, full, least) for full, least in _LEAVING)


_LEAVING = (
    ("quit", 1),
    ("exit", 3),
    ("kill", 4),
    ("detach", 3),
    ("core-file", 4),
    ("target", 3),
    ("attach", 3),
    ("run", 1),
    ("start", 5),
    ("starti", 6),
    ("remove-inferiors", 6),
)
