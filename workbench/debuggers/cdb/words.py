"""What a user's cdb command does to the session, as far as the channel must know it."""

import re

from workbench.debuggers.cdb.policy import check_cdb
from workbench.debuggers.protocol import CommandRefused

_LEAVES = re.compile(
    r"^(?:q|qq|qd|\.kill|\.detach|\.abandon|\.restart|\.attach|\.create|\.opendump|\.remote"
    r"|\.reboot|\.crash|\.quit_lock)\b",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"^(?:~\S*\s*s|\|\S*\s*s|\.frame\b|\.cxr\b|\.ecxr\b|\.trap\b|\.thread\b|\.process\b|!thread\b"
    r"|!process\b|\.effmach\b)",
    re.IGNORECASE,
)
# They go on at a prompt of their own: the assembler, editing memory or a register without a value.
_INTERACTIVE = re.compile(r"^(?:a(?:\s+\S+)?|e[abdfpqw]?\s+\S+|r\s+@?\w+\s*\?)\s*$", re.IGNORECASE)


def _parts(command: str) -> list[str]:
    return [part.strip() for part in command.split(";")]


def leaves_debugger(command: str) -> bool:
    """True when cdb would end or let go of the dump."""
    return any(_LEAVES.match(_unwrapped(part)) for part in _parts(command))


def moves_selection(command: str) -> bool:
    """True when another thread, frame or context may be selected afterwards."""
    return any(_MOVES.match(part) for part in _parts(command))


def may_change_settings(command: str) -> bool:
    """False for what is known to only print."""
    return not check_cdb(command).accepted


def refuse_interactive(command: str) -> None:
    """Raises `CommandRefused` for what would wait for lines that the marks would be taken for."""
    if any(_INTERACTIVE.match(part) for part in _parts(command)):
        raise CommandRefused("this goes on at a prompt of its own: give the value in the same line")


def _unwrapped(part: str) -> str:
    """What ``~*e`` and its like run."""
    found = re.match(r"^~\S*?\s*e\s+(.*)$", part, re.IGNORECASE)
    return found[1] if found else part
