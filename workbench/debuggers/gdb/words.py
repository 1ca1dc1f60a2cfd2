"""What a user's gdb command does to the session, as far as the channel must know it."""

# ruff: noqa: SIM905 - long tables of words read better as text

import re

from workbench.debuggers.gdb import commands as gdb_commands
from workbench.debuggers.gdb.prefix import inner
from workbench.debuggers.words import Words

_FIRST = re.compile(r"\s*(?:server\s+)*([A-Za-z0-9_.-]*)\s*(.*)", re.DOTALL)
_MOVING = frozenset("frame thread inferior up down up-silently down-silently select-frame".split())
_LEAVING = frozenset(
    "quit exit kill detach disconnect core-file target attach run start starti file exec-file "
    "remove-inferiors restart".split()
)

_READERS = frozenset(
    "shell make pipe | ! run start starti continue finish step stepi next nexti until advance jump "
    "call print source python-interactive guile-repl edit compile monitor interpreter-exec".split()
)
# What goes on in the next lines: always, or when nothing follows the word (gdb's manual, "Define",
# "Command Files", "Python Commands", "Break Commands").
_BODIES = frozenset("define document commands while if while-stepping stepping ws".split())
_BODIES_IF_BARE = frozenset("python guile python-interactive guile-repl".split())
# "pipe COMMAND | SHELL" and its short form; an option names another mark than "|".
_PIPED = re.compile(r"\s*(?:\||pipe\b)\s*(?:-d\s+\S+\s+|--\s+)*(.*)", re.DOTALL)
_DEEPEST = 8


def _parse(command: str) -> tuple[frozenset[str], str]:
    found = _FIRST.match(command)
    return (gdb_commands.commands(found[1]), found[2]) if found else (frozenset(), "")


def moves_selection(command: str) -> bool:
    """True when the selected frame, thread or inferior may be another one afterwards."""
    names, rest = _parse(command)
    if names == {"with"}:
        run = inner("with", rest)
        return run is not None and moves_selection(run.command)
    return bool(names & _MOVING) and not re.match(r"(?:ap|na|fi)", rest)


def changes_prompt(command: str) -> bool:
    """True when the marks in the prompt may be gone afterwards."""
    names, rest = _parse(command)
    return names == {"set"} and re.match(r"(?:pro|ext|ann|edi)[a-z-]*(?:\s|$)", rest) is not None


def reads_terminal(command: str) -> bool:
    """True when another program, or a script, may read what is typed next."""
    names, _ = _parse(command)
    return bool(names & _READERS) or command.lstrip()[:1] in {"!", "|"}


def opens_body(command: str) -> bool:
    """True when gdb reads the lines that follow as a part of the command."""
    names, rest = _parse(command)
    bare = not rest.strip()
    return len(names) == 1 and bool(names & _BODIES or (bare and names & _BODIES_IF_BARE))


def leaves_debugger(command: str) -> bool:
    """True when gdb would end or let go of the dump."""
    return _leaves(command, _DEEPEST)


def _leaves(command: str, depth: int) -> bool:
    piped = _PIPED.match(command)
    if piped is not None:
        command = piped[1]
    names, rest = _parse(command)
    if len(names) == 1 and names & _LEAVING:
        return True
    for name in names if depth else ():
        run = inner(name, rest)
        if run is None:
            continue
        if not run.readable:
            words = run.command.split()
            return any(_leaves(" ".join(words[at:]), 0) for at in range(len(words)))
        if _leaves(run.command, depth - 1):
            return True
    return False


WORDS = Words(
    moves_selection=moves_selection,
    leaves_debugger=leaves_debugger,
    opens_body=opens_body,
    changes_prompt=changes_prompt,
    reads_terminal=reads_terminal,
)
"""For the table of questions."""
