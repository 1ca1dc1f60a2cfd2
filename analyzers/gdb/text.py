"""What all readers of gdb output share: bounds, small parsers."""

import re
from collections.abc import Callable

from analyzers.base import Document
from workbench.model.gdb_commands import bare_command

MAX_ITEMS = 20_000
"""No fact holds more frames, threads, registers or variables than this."""


def hex_value(digits: str) -> int:
    """The value of hexadecimal digits, wider than any register cut off."""
    return int(digits[-32:], 16)


def answers(*commands: re.Pattern[str]) -> Callable[[Document], bool]:
    """Tells what gdb printed for a command of these families, whatever it selects first."""

    def tells(document: Document) -> bool:
        bare = bare_command(document.command)
        return document.host == "gdb" and any(command.match(bare) for command in commands)

    return tells
