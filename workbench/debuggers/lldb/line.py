"""One command as the bytes of one line that lldb takes as one command."""

from workbench.debuggers.line import raw_line
from workbench.debuggers.lldb.selection import split
from workbench.debuggers.protocol import CommandRefused


def command_line(command: str) -> bytes:
    """The bytes to send; empty for a blank line or a comment, of which lldb would take the first
    as "the last command again". Raises `CommandRefused`."""
    selecting, command = split(command)
    command = command.strip(" \t\r\n")
    if not command or command.startswith("#"):
        if not selecting:
            return b""
        raise CommandRefused("nothing follows the selection of a frame")
    if len(command) > 1 and "gui".startswith(command.split()[0]):
        raise CommandRefused("lldb's own windows do not fit into this console")
    return raw_line(command)
