"""gdb's own start, before the command line is read: it takes a third of the time that a dump needs
to be loaded, and the same for every dump. One that was emptied of a dump may wait for the next.

Imports what the head start does, and no front end.
"""

import os
from collections.abc import Sequence

from workbench.debuggers.gdb.find import find_gdb
from workbench.debuggers.head_start import HeadStart, launched
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import DebuggerUnavailable, Recipe

# Words that name another debugger, or after which none is started.
_NOT_WITH = ("--debugger", "--dry-run", "--help")

# An ELF header's first bytes and its type of file (elf(5)): a core, in either byte order.
_ELF, _CORE, _TYPE = b"\x7fELF", (b"\x04\0", b"\0\x04"), slice(16, 18)

_waiting: list[HeadStart] = []
_sharing: list[bool] = []


def share(*, new_values: bool) -> None:
    """From here on a gdb or lldb whose session has ended is kept for the next dump (`keep`). gdb
    cannot forget the values that it printed: their numbers go on, unless ``new_values`` is
    wanted."""
    _sharing[:] = [new_values]


def shares() -> bool:
    """True where gdb is kept."""
    return bool(_sharing)


def new_values() -> bool:
    """True where only one is kept that has printed none: whoever writes commands could name those
    of another dump."""
    return any(_sharing)


def keep(process: HeadStart) -> None:
    """One that has no dump any more."""
    give_up()
    _waiting.append(process)


def begin(words: Sequence[str]) -> None:
    """Start the gdb that opens cores unless a setting names another, where a core stands among the
    words of a command line. From the main thread (see `pty.spawn`)."""
    if any(word.startswith(_NOT_WITH) for word in words) or not any(map(_is_core, words)):
        return
    try:
        _waiting.append(launched(Recipe(core=None), find_gdb()))
    except (DebuggerUnavailable, OSError):
        return  # the start in order says why


def take(program: Program) -> HeadStart | None:
    """The process that waits for a dump, if it is that program's."""
    return None if not _waiting or _waiting[0].program != program else _waiting.pop()


def give_up() -> None:
    """End what nobody took."""
    while _waiting:
        _waiting.pop().give_up()


def _is_core(word: str) -> bool:
    """Only regular files are looked into: reading another may wait for ever."""
    if not os.path.isfile(word):
        return False
    try:
        with open(word, "rb") as file:
            head = file.read(_TYPE.stop)
    except OSError:
        return False
    return head.startswith(_ELF) and head[_TYPE] in _CORE
