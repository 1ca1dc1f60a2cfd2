"""One command as the bytes of one line that a terminal and gdb take as one command."""

import re

from workbench.debuggers import gdb_commands
from workbench.debuggers.protocol import CommandRefused

# A terminal in canonical mode cuts longer lines (termios(3): 4096 with the line end).
LONGEST_LINE = 4095
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FULL_SCREEN = frozenset({"tui", "layout", "focus", "winheight", "winwidth", "refresh"})


def command_line(command: str) -> bytes:
    """The bytes to send; empty for a blank line or a comment, of which gdb would take the first
    as "the last command again". Raises `CommandRefused`."""
    command = command.strip(" \t\r\n")
    if not command or command.startswith("#"):
        return b""
    if gdb_commands.commands(command.split()[0]) & _FULL_SCREEN or command in {"+", "-", "<", ">"}:
        raise CommandRefused("gdb's own windows do not fit into this console")
    # gdb would wait for the next line.
    return raw_line(command + " " if command.endswith("\\") else command)


def raw_line(text: str) -> bytes:
    """The bytes of a line that answers a question. Raises `CommandRefused`."""
    text = text.rstrip("\r\n")
    if _CONTROL.search(text):
        raise CommandRefused("a command is one line without control characters")
    line = text.encode("utf-8", "surrogateescape") + b"\n"
    if len(line) > LONGEST_LINE:
        raise CommandRefused(
            f"the line has {len(line)} bytes; a terminal takes {LONGEST_LINE}: put it in parts"
        )
    return line
