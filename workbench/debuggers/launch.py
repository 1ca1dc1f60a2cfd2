"""How a debugger's program is started and spoken to, as plain data. Imports nothing that speaks."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from workbench.debuggers import pty
from workbench.debuggers.marks import Scanner


class Launch(NamedTuple):
    """What a session has to know of its program.

    ``argv`` and ``environment`` start it. Where it takes its settings from the terminal, ``set_up``
    are the lines sent first, the last of which puts the marks into the prompt, and ``load`` the
    line that then loads the dump. ``repair`` are the lines that put the marks back, whatever took
    them out; ``leave`` lines that end what else may read the terminal, and do nothing at the
    prompt; ``echo`` makes the line that prints an ECHO mark with the id that it is given.
    ``question`` tells the last output of a command that asks something. ``sizeless`` when the
    program must find a terminal without a size at its start, so that it edits no lines. Where its
    prompt can carry no mark, ``after`` is sent behind each line and prints one, which ``scanner``
    finds.
    """

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    nonce: str
    repair: bytes
    echo: Callable[[str], bytes]
    question: re.Pattern[bytes]
    set_up: bytes = b""
    load: bytes = b""
    leave: bytes = b""
    sizeless: bool = False
    after: bytes = b""
    scanner: Callable[[], Scanner] | None = None


def spawn(launch: Launch, size: tuple[int, int]) -> pty.Child:
    """Its process on a terminal of ``size`` rows and columns; see `pty.spawn`."""
    start = (0, 0) if launch.sizeless else size
    return pty.spawn(launch.argv, launch.environment, *start)
