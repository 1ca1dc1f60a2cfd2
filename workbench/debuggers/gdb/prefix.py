"""gdb's commands that run another command, and which one: read in one place for all who judge.

Source: gdb's manual, "Threads", "Frame Apply", "Command Settings", "Shell Commands".
"""

import re

from msgspec import Struct

# A command's name ends where gdb says it does: letters, digits, '-', '_' and '.'.
WORD = re.compile(r"([A-Za-z0-9_.-]+)[ \t]*(.*)", re.DOTALL)
_FLAGS = re.compile(r"(?:(?:-[qcs]|-ascending|-past-main|-past-entry|--)\s+)*")
_THREADS = re.compile(
    r"(?:al{0,2}|(?:(?:[0-9]+\.)?(?:[0-9]+(?:-[0-9]+)?|\*)|\$[A-Za-z_]\w*)"
    r"(?:\s+(?:(?:[0-9]+\.)?(?:[0-9]+(?:-[0-9]+)?|\*)|\$[A-Za-z_]\w*))*)\s+"
)
_FRAMES = re.compile(r"(?:al{0,2}|l(?:e(?:v(?:el?)?)?)?(?:\s+[0-9]+(?:-[0-9]+)?)+|-?[0-9]+)\s+")
_FRAME_WORDS = frozenset({"address", "apply", "function", "level", "view"})
_THREAD_WORDS = frozenset({"apply", "find", "name"})


class Inner(Struct, frozen=True):
    """The line that a prefix runs. ``readable`` is False when what it is applied to could not be
    read, so that ``command`` begins with it; ``before`` is the setting of ``with``."""

    command: str
    readable: bool = True
    before: str = ""


def inner(name: str, rest: str) -> Inner | None:
    """What the command ``name`` with the arguments ``rest`` runs; None when it runs none."""
    match name:
        case "taas" | "faas" | "tfaas":
            return Inner(_without_flags(rest))
        case "with":
            setting, mark, command = rest.partition("--")
            return Inner(command, bool(mark), setting)
        case "thread":
            word, then = subcommand(rest, _THREAD_WORDS)
            return _applied(_THREADS, then) if word == {"apply"} else None
        case "frame" | "select-frame":
            word, then = subcommand(rest, _FRAME_WORDS)
            return _applied(_FRAMES, then) if "apply" in word else None
    return None


def frame_subcommand(rest: str) -> tuple[set[str], str]:
    """The subcommands of ``frame`` that gdb could understand, and what follows."""
    return subcommand(rest, _FRAME_WORDS)


def thread_subcommand(rest: str) -> tuple[set[str], str]:
    """The same for ``thread``."""
    return subcommand(rest, _THREAD_WORDS)


def subcommand(rest: str, names: frozenset[str]) -> tuple[set[str], str]:
    """The names that the first word stands for; none when it is no word."""
    found = WORD.fullmatch(rest)
    if found is None or not found[1][0].isalpha():
        return set(), rest
    word = found[1]
    return {word} & names or {one for one in names if one.startswith(word)}, found[2]


def _applied(pattern: re.Pattern[str], rest: str) -> Inner:
    """The line after a list of threads or frames and flags."""
    found = pattern.match(rest)
    return Inner(_without_flags(rest[found.end() :] if found else rest), found is not None)


def _without_flags(rest: str) -> str:
    flags = _FLAGS.match(rest)
    return rest[flags.end() :] if flags else rest
