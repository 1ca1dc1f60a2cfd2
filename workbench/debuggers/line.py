"""One line as the bytes that a terminal hands on as one line, whatever program reads it."""

import re

from workbench.debuggers.protocol import CommandRefused

# A terminal in canonical mode cuts longer lines (termios(3): 4096 with the line end).
LONGEST_LINE = 4095
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def raw_line(text: str) -> bytes:
    """The bytes of a line, its end included. Raises `CommandRefused`."""
    text = text.rstrip("\r\n")
    if _CONTROL.search(text):
        raise CommandRefused("a command is one line without control characters")
    line = text.encode("utf-8", "surrogateescape") + b"\n"
    if len(line) > LONGEST_LINE:
        raise CommandRefused(
            f"the line has {len(line)} bytes; a terminal takes {LONGEST_LINE}: put it in parts"
        )
    return line
