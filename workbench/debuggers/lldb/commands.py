"""lldb's commands, 14 to 23, and how lldb understands an abbreviation of one.

Source: ``help -a`` and the help of each command of those versions; CommandInterpreter.cpp,
"LoadCommandDictionary" for the aliases.
"""

# ruff: noqa: SIM905 - long tables of words read better as text

import re

# Every command that takes subcommands, with those, in any of the versions.
_TREE = {
    "": "apropos breakpoint command diagnostics disassemble dwim-print expression frame gui help "
    "language log memory platform plugin process protocol-server quit register reproducer script "
    "scripting session settings source statistics target thread trace type version watchpoint",
    "breakpoint": "add clear command delete disable enable list modify name override read set "
    "write",
    "breakpoint command": "add delete list",
    "breakpoint name": "add configure delete list",
    "breakpoint override": "add delete list",
    "command": "alias container delete history regex script source unalias",
    "command script": "add clear delete import list",
    "command container": "add delete",
    "diagnostics": "dump report",
    "frame": "diagnose info recognizer select variable",
    "frame recognizer": "add clear delete disable enable info list",
    "language": "cplusplus objc renderscript swift",
    "language cplusplus": "demangle",
    "log": "disable dump enable list timers",
    "log timers": "disable dump enable increment reset",
    "memory": "find history read region tag write",
    "memory tag": "read write",
    "platform": "connect disconnect file file-exists get-file get-permissions get-size list mkdir "
    "process put-file select settings shell status target-install",
    "plugin": "disable enable list load structured-data",
    "process": "attach connect continue detach handle interrupt kill launch load plugin save-core "
    "signal status trace unload",
    "register": "info read write",
    "scripting": "extension run template",
    "session": "history save",
    "settings": "append clear insert-after insert-before list read remove replace set show write",
    "source": "cache info list",
    "source cache": "clear dump",
    "statistics": "disable dump enable",
    "target": "create delete dump frame-provider hook list modules select show-launch-environment "
    "stop-hook symbols variable",
    "target dump": "section-load-list typesystem",
    "target modules": "add dump list load lookup search-paths show-unwind",
    "target modules dump": "ast clang-ast line-table objfile pcm-info sections "
    "separate-debug-info symfile symtab",
    "target modules search-paths": "add clear insert list query",
    "target stop-hook": "add delete disable enable list",
    "target symbols": "add",
    "thread": "backtrace continue exception info jump list plan return select siginfo step-in "
    "step-inst step-inst-over step-out step-over step-scripted trace until",
    "thread plan": "discard list prune",
    "trace": "dump load save schema",
    "type": "category filter format lookup summary synthetic",
    "type category": "define delete disable enable list",
    "type filter": "add clear delete list",
    "type format": "add clear delete info list",
    "type summary": "add clear delete info list",
    "type synthetic": "add clear delete info list",
    "watchpoint": "command delete disable enable ignore list modify set",
    "watchpoint command": "add delete list",
}
SUBCOMMANDS = {name: frozenset(words.split()) for name, words in _TREE.items()}

# What an alias stands for; a name that begins with "_regexp-" reads its arguments in its own way.
ALIASES = {
    "add-dsym": "target symbols add", "attach": "_regexp-attach", "b": "_regexp-break",
    "bt": "_regexp-bt", "bugreport": "diagnostics report", "c": "process continue",
    "call": "expression", "continue": "process continue", "detach": "process detach",
    "di": "disassemble", "dis": "disassemble", "display": "_regexp-display", "down": "_regexp-down",
    "e": "expression", "env": "_regexp-env", "exit": "quit", "f": "frame select",
    "file": "target create", "finish": "thread step-out", "gdb-remote": "process connect",
    "h": "help", "history": "session history", "image": "target modules", "j": "_regexp-jump",
    "jump": "_regexp-jump", "k": "process kill", "kdp-remote": "process connect",
    "kill": "process kill", "l": "_regexp-list", "list": "_regexp-list", "n": "thread step-over",
    "next": "thread step-over", "nexti": "thread step-inst-over", "ni": "thread step-inst-over",
    "p": "dwim-print", "parray": "expression", "po": "expression", "poarray": "expression",
    "print": "dwim-print", "q": "quit", "r": "process launch", "rbreak": "breakpoint set",
    "re": "register", "repl": "expression", "run": "process launch", "s": "thread step-in",
    "shell": "platform shell", "si": "thread step-inst", "sif": "thread step-in",
    "step": "thread step-in", "stepi": "thread step-inst", "sys_bt": "thread backtrace",
    "t": "thread select", "tbreak": "_regexp-tbreak", "undisplay": "_regexp-undisplay",
    "up": "_regexp-up", "v": "frame variable", "var": "frame variable", "vo": "expression",
    "vpo": "expression", "x": "memory read",
}  # fmt: skip
_SHORTHANDS = "attach break break-add bt display down env jump list step tbreak undisplay up"
_REGEX = frozenset(f"_regexp-{one}" for one in _SHORTHANDS.split())
# Words that some versions know and others take for an abbreviation.
_NEWER = frozenset("bugreport e h k repl sys_bt vpo".split())
_WORD = re.compile(r"\s*([A-Za-z_][\w-]*)(?:/\S*)?\s*(.*)", re.DOTALL)
_FIRST = SUBCOMMANDS[""] | frozenset(ALIASES) | _REGEX


def first_words(word: str) -> frozenset[str]:
    """The commands and aliases that the first word of a line may stand for, in any version: the
    word itself, or every one that begins with it. lldb tells upper from lower case."""
    if word in _FIRST and word not in _NEWER:
        return frozenset({word})
    return frozenset(one for one in _FIRST if one.startswith(word))


def next_words(command: str, word: str) -> frozenset[str]:
    """The same for the subcommands of a command by its full name."""
    known = SUBCOMMANDS[command]
    return frozenset({word} if word in known else (one for one in known if one.startswith(word)))


def meant(command: str) -> list[tuple[str, str]]:
    """The full names of the commands that a line may stand for, each with what follows the name;
    none where no version knows the words."""
    found = _WORD.match(command)
    names = first_words(found[1]) if found else frozenset()
    rest = found[2] if found else ""
    return [pair for name in sorted(names) for pair in _deeper(ALIASES.get(name, name), rest)]


def _deeper(name: str, rest: str) -> list[tuple[str, str]]:
    found = _WORD.match(rest)
    if name not in SUBCOMMANDS or found is None:
        return [(name, rest)]
    more = sorted(next_words(name, found[1]))
    return [pair for one in more for pair in _deeper(f"{name} {one}", found[2])]
