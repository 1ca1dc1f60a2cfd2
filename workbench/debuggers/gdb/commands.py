"""gdb's commands, 12 to 18, and how gdb understands an abbreviation of one.

Source: ``help all`` and ``complete`` of those versions, and the manual, "Command Syntax".
"""

# ruff: noqa: SIM905 - long tables of words read better as text

# What only prints, given arguments that do.
READING = frozenset(
    "apropos backtrace complete demangle disassemble down down-silently echo faas find "
    "forward-search frame help inferior info inspect list output print printf ptype "
    "pwd reverse-search search select-frame show taas tfaas thread up up-silently whatis where "
    "with x".split()
)

# Nothing here may be sent for the engine: it runs something, writes, resumes or ends the target,
# loads code, or changes how the dump is read or what gdb does later.
FORBIDDEN = frozenset(
    "! actions add-auto-load-safe-path add-auto-load-scripts-directory add-inferior "
    "add-symbol-file add-symbol-file-from-memory advance agent-printf alias append attach awatch "
    "bookmark break break-range call catch cd checkpoint clear clone-inferior collect commands "
    "compile condition continue core-file define define-prefix delete detach directory disable "
    "disconnect document dont-repeat dprintf dump edit enable end eval exec-file expression file "
    "finish flash-erase focus fork ftrace function gcore generate-core-file goto-bookmark guile "
    "guile-repl handle hbreak if ignore init-if-undefined interpreter-exec interrupt "
    "jit-reader-load jit-reader-unload jump kill layout load macro maintenance make memory-tag "
    "monitor mt new-ui next nexti ni nosharedlibrary overlay passcount path pipe python "
    "print-object "
    "python-interactive queue-signal quit exit rbreak rc record refresh remote remove-inferiors "
    "remove-symbol-file restart restore return reverse-continue reverse-finish reverse-next "
    "reverse-nexti reverse-step reverse-stepi rni rsi run rwatch save section set sharedlibrary "
    "shell signal skip source start starti step stepi stepping stop strace symbol-file target "
    "task tbreak tcatch tdump teval tfind thbreak tp trace tsave tstart tstop tty tui tvariable "
    "unset until update watch wh while while-stepping winheight winwidth ws fs si | "
    "compare-sections".split()
)

# Neither: printing with an effect that stays, or not known well enough.
OTHER = frozenset("display explore tstatus undisplay".split())

KNOWN = READING | FORBIDDEN | OTHER

# Abbreviations that gdb itself defines; they win over other commands with that prefix.
ALIASES = {
    "b": "break", "bt": "backtrace", "c": "continue", "core": "core-file", "d": "delete",
    "disas": "disassemble", "dow": "down", "e": "edit", "f": "frame", "fg": "continue",
    "fo": "forward-search", "gu": "guile", "gr": "guile-repl", "h": "help", "i": "info",
    "inf": "info", "j": "jump", "k": "kill", "l": "list", "mt": "maintenance", "n": "next",
    "p": "print", "pi": "python-interactive", "po": "print-object", "py": "python", "q": "quit",
    "r": "run", "rev": "reverse-search", "s": "step", "sho": "show", "sta": "start", "t": "thread",
    "tb": "tbreak", "u": "until", "w": "with",
}  # fmt: skip

_INFO_READING = frozenset(
    "address all-registers args auto-load auxv bookmarks breakpoints checkpoints classic common "
    "connections copying dcache display exceptions extensions files float frame frame-filter "
    "functions handle inferiors line locals macro macros mem module modules pretty-printer probes "
    "proc program record registers rec scope selectors sharedlibrary signals skip source sources "
    "stack static-tracepoint-markers symbol target tasks terminal threads tracepoints tvariables "
    "type-printers types unwinder variables vector vtbl warranty watchpoints win xmethod "
    "missing-debug-handlers missing-objfile-handlers linker-namespaces".split()
)
_INFO_OTHER = frozenset({"guile", "os", "set", "w32", "dos", "selftests", "classes"})
_INFO_ALIASES = {
    "b": "breakpoints", "dll": "sharedlibrary", "f": "frame", "r": "registers", "s": "stack",
    "w": "watchpoints",
}  # fmt: skip


def commands(word: str) -> frozenset[str]:
    """The commands that gdb could understand by ``word``; empty when it knows none.

    More than one is an error to gdb; which one depends on its version, so all have to be judged.
    """
    if word in ALIASES:
        return frozenset({ALIASES[word]})
    if word in KNOWN:
        return frozenset({word})
    return frozenset(one for one in KNOWN if one.startswith(word)) if word else frozenset()


def info_commands(word: str) -> frozenset[str] | None:
    """The same for what follows ``info``; None when it is not known to only print."""
    if word in _INFO_ALIASES:
        return frozenset({_INFO_ALIASES[word]})
    if word in _INFO_READING:
        return frozenset({word})
    if not word or any(one.startswith(word) for one in _INFO_OTHER):
        return None
    return frozenset(one for one in _INFO_READING if one.startswith(word)) or None
