"""One command as the bytes of one line that gdb takes as one command."""

from workbench.debuggers.gdb import commands as gdb_commands
from workbench.debuggers.line import raw_line
from workbench.debuggers.protocol import CommandRefused

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
