"""What all readers of lldb output share: what commands select, bounds."""

import re
from collections.abc import Callable

from analyzers.base import Document
from analyzers.base import answers as of_host
from workbench.model.gdb_commands import MAX_LINE

WHOLE = "(opening)"
"""The command of text that was recorded without its commands: it may hold anything."""
_WHOLE = re.compile(rf"^{re.escape(WHOLE)}$")

_SELECTED = re.compile(
    r"^(?:thread select (?P<thread>\d{1,9})\s*;\s*)?(?:frame select (?P<frame>\d{1,9})\s*;\s*)?"
)


def selected(command: str) -> tuple[int | None, int | None]:
    """The thread's number and the frame's level that a command selects for itself."""
    found = _SELECTED.match(" ".join(command[:MAX_LINE].split()))
    if found is None:
        return None, None
    thread, frame = found["thread"], found["frame"]
    return int(thread) if thread else None, int(frame) if frame else None


def thread_id(text: str) -> int:
    """A thread id as lldb prints it: decimal on Linux, hexadecimal on macOS and for minidumps."""
    return int(text[:34], 16) if text.startswith("0x") else int(text[:20])


def answers(command: re.Pattern[str]) -> Callable[[Document], bool]:
    """Tells what lldb printed for a command of this family, or nobody knows for which."""
    return of_host("lldb", command, _WHOLE)
