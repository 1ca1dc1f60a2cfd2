"""The read-only policy for gdb: each command line parsed by gdb's own grammar.

A line passes only if every part of it is known to print and nothing else. What hides inside a
prefix (``thread apply``, ``frame apply``, ``with``...) is judged as a line of its own.
"""

# ruff: noqa: SIM905 - long tables of words read better as text

import re
from collections.abc import Callable

from workbench.debuggers.gdb import commands as gdb_commands
from workbench.debuggers.gdb.expression import check_expression
from workbench.debuggers.gdb.prefix import WORD, Inner, frame_subcommand, inner, thread_subcommand
from workbench.debuggers.policy import Decision, accept, ask, forbid, strictest

_DEEPEST = 8
_FORMAT = re.compile(r"/[0-9A-Za-z-]*\s*")
_PRINT_OPTIONS = re.compile(
    r"(?:-(?:address|array|array-indexes|characters|elements|max-depth|nibbles|null-stop|object"
    r"|pretty|raw-values|repeats|static-members|symbol|union|vtbl)"
    r"(?:\s+(?:on|off|yes|no|enable|disable|unlimited|[0-9]+))?\s+)+(?:--\s+)?"
)
_TRACE_OPTIONS = re.compile(
    r"(?:(?:-?(?:full|no-filters|hide)"
    r"|-(?:past-main|past-entry|raw-frame-arguments)(?:\s+(?:on|off|yes|no|enable|disable))?"
    r"|-(?:entry-values|frame-arguments|frame-info)\s+[a-z][a-z-]*|--)(?:\s+|$))*"
)
_WITH_PRINT = re.compile(r"print\s+[a-z-]+(?:\s+[a-z0-9-]+)?|listsize\s+[0-9]+")
_WITH_ASKED = re.compile(r"(?:language|style|width|height|disassembly-flavor)(?:\s+[a-z0-9+-]+)*")
_SET_PRINT = re.compile(r"set\s+(?:print|style|listsize|backtrace)\s+[a-z0-9-]+(?:\s+[a-z0-9-]+)*")
_REGEX_INFO = frozenset(
    "functions variables types locals args sharedlibrary source sources module modules".split()
)


def check_gdb(command: str) -> Decision:
    """Judge one gdb command line. Never raises."""
    return _check(command, 0)


_BLOCKS = re.compile(r"maint(?:enance)? +info +blocks")
"""Lists the functions at the frame's pc, inlined ones too, with the ranges of their code."""


def _check(command: str, depth: int) -> Decision:
    if depth > _DEEPEST:
        return forbid("too deeply wrapped to be read")
    text = command.strip(" \t")
    if not text or text.startswith("#"):
        return forbid("an empty line makes gdb repeat the last command")
    if text.startswith("server "):
        return _check(text[7:], depth + 1)
    if text.endswith("\\"):
        return forbid("a command that ends in a backslash goes on in the next line")
    found = WORD.fullmatch(text)
    if found is None or text[0] in "-.":
        what = {"!": "runs a shell", "|": "runs a shell", "-": "machine interface"}
        return forbid(f"{text[0]!r}: {what.get(text[0], 'not a command that only prints')}")
    word, rest = found[1], found[2]
    names = gdb_commands.commands(word)
    # gdb tells upper from lower case today; what is forbidden is so in either.
    bad = sorted((names | gdb_commands.commands(word.lower())) & gdb_commands.FORBIDDEN)
    if "set" in names and _SET_PRINT.fullmatch(text):
        return ask("changes how values are printed from here on")
    if _BLOCKS.fullmatch(text):
        return accept()
    if bad:
        return forbid(f"{' or '.join(bad)}: runs, writes or changes something")
    if not names or not names <= gdb_commands.READING:
        return ask(f"{word}: not known to only print")
    return strictest(_judge(name, rest, depth) for name in sorted(names))


def _judge(name: str, rest: str, depth: int) -> Decision:
    run = inner(name, rest)
    if run is not None:
        return _with(run, depth + 1) if name == "with" else _nested(run, depth + 1)
    if name in {"help", "apropos", "complete", "search", "forward-search", "reverse-search"}:
        return accept()
    if name in {"echo", "pwd", "demangle"}:
        return accept()
    handler = _HANDLERS.get(name)
    return handler(rest) if handler else check_expression(rest)


def _print(rest: str) -> Decision:
    options = _PRINT_OPTIONS.match(rest)
    rest = rest[options.end() :] if options else rest
    return _formatted(rest[3:] if rest.startswith("-- ") else rest)


def _formatted(rest: str) -> Decision:
    """``/FMT`` and an expression."""
    found = _FORMAT.match(rest)
    return check_expression(rest[found.end() :] if found else rest)


def _printf(rest: str) -> Decision:
    """A format in quotes, then expressions."""
    found = re.fullmatch(r'"(?:[^"\\]|\\.)*"\s*(?:,(.*))?', rest, re.DOTALL)
    return ask("printf without a format") if found is None else check_expression(found[1] or "")


def _find(rest: str) -> Decision:
    found = _FORMAT.match(rest)
    return check_expression(rest[found.end() :] if found else rest, strings=True)


def _backtrace(rest: str) -> Decision:
    found = _TRACE_OPTIONS.match(rest)
    count = rest[found.end() :] if found else rest
    decision = check_expression(count)
    if decision.accepted and re.fullmatch(r"(?:-?[0-9]+)?\s*", count) is None:
        return ask("how many frames cannot be read for sure")
    return decision


def _location(rest: str) -> Decision:
    """A place in the source: evaluated only after ``*`` or as ``$name``."""
    decision = check_expression(rest)
    if decision.accepted or re.search(r"[*$=]", rest):
        return decision
    return ask(f"a place that cannot be read for sure: {decision.reason}")


def _info(rest: str) -> Decision:
    found = WORD.fullmatch(rest)
    if found is None:
        return ask("info of what?")
    names = gdb_commands.info_commands(found[1])
    if names is None:
        return ask(f"info {found[1]}: not known to only print")
    if names <= _REGEX_INFO:
        return ask("a pattern that looks like two commands") if ";" in found[2] else accept()
    if names <= {"line", "scope"}:
        return _location(found[2])
    if names & {"proc"} and re.search(r"[0-9]", found[2]):
        return ask("info proc of a process of this machine")
    words = re.sub(r"^(?:level|function|address|view|-[a-z]\s)\s*", "", found[2])
    return _formatted(words)


def _show(rest: str) -> Decision:
    """A setting; ``show values`` takes an expression, which gdb evaluates; ``show environment``
    tells of this machine where the dump holds no other."""
    found = WORD.fullmatch(rest)
    if found is None or "environment".startswith(found[1]):
        return ask("the environment that the debugger was started with")
    return check_expression(found[2] if found is not None else rest)


def _frame(rest: str) -> Decision:
    meant, then = frame_subcommand(rest)
    if "function" in meant:
        return _location(then)
    return check_expression(then if meant else rest)


def _thread(rest: str) -> Decision:
    meant, _ = thread_subcommand(rest)
    if meant == {"find"}:
        return accept()
    decision = check_expression(rest)
    if meant or rest[:1].isalpha():
        return strictest([decision, ask("thread: neither a number nor a known word")])
    return decision


def _nested(run: Inner, depth: int) -> Decision:
    decision = _check(run.command, depth)
    if run.readable:
        return decision
    # What it applies to could not be read. It is refused if a later word is a forbidden one.
    words = re.split(r"[^A-Za-z0-9_.!|-]+", run.command)
    bad = [one for one in words if one.lower() in gdb_commands.FORBIDDEN or one[:1] in ("!", "|")]
    if bad:
        return forbid(f"{bad[0]}: runs, writes or changes something")
    return ask("a prefix that cannot be read")


def _with(run: Inner, depth: int) -> Decision:
    setting, command = run.before, run.command
    if not run.readable or not command.strip():
        return forbid("with, and no command, repeats the last one")
    if re.match(r"\s*his", setting):
        return forbid("changes which file gdb writes its history to")
    decision = _check(command, depth)
    if not setting.endswith((" ", "\t")) or not command.startswith((" ", "\t")):
        return strictest([decision, ask("cannot see where the setting ends")])
    setting = setting.strip()
    if _WITH_PRINT.fullmatch(setting) is None:
        judge = ask if _WITH_ASKED.fullmatch(setting) else forbid
        return strictest([decision, judge(f"changes how the dump is read: {setting}")])
    return decision


_HANDLERS: dict[str, Callable[[str], Decision]] = {
    "print": _print,
    "inspect": _print,
    "output": _formatted,
    "x": _formatted,
    "ptype": _formatted,
    "whatis": _formatted,
    "disassemble": lambda rest: check_expression(re.sub(r"^(?:/[a-z]*\s*)*", "", rest)),
    "printf": _printf,
    "find": _find,
    "backtrace": _backtrace,
    "where": _backtrace,
    "list": _location,
    "info": _info,
    "show": _show,
    "frame": _frame,
    "select-frame": _frame,
    "thread": _thread,
    "inferior": lambda rest: (
        strictest([check_expression(rest), ask("changes to another program")]) if rest else accept()
    ),
}
