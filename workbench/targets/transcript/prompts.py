"""Debuggers' prompts: which lines of a log are commands that somebody typed."""

import posixpath
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Typed(NamedTuple):
    """A line at which a command was typed: its place (from 0), who was asked, and the command."""

    at: int
    host: str
    command: str


# gdb's own prompt and those of its front ends (pwndbg, gef, peda, rr, cgdb).
_GDB = re.compile(
    r"^ ?(?:\((?:c?gdb|rr|gdb-multiarch|arm-none-eabi-gdb)\)|"
    r"(?:pwndbg|gef|gdb-peda|gdb)(?:> ?|\$ |➤ {1,2}))[ \t]?(?P<command>.*)$"
)
_LLDB = re.compile(r"^ ?\(lldb\)[ \t]?(?P<command>.*)$")
# cdb, ntsd, WinDbg and kd: 0:000> · 0:000:x86> · 1: kd> · kd> · lkd> · 16.0: kd>
_CDB = re.compile(
    r"^ ?(?:\d{1,3}:\d{3,5}(?::\w{1,8})?>|(?:\d{1,3}(?:\.\d{1,3})?: ?)?l?kd(?::\w{1,8})?>|"
    r"(?:ntsd|cdb)>)[ \t]*(?P<command>.*)$"
)
_SOS = (
    "analyzeoom|clrmodules|clrstack|clrthreads|crashinfo|dso|dumpalc|dumparray|dumpasync|"
    "dumpassembly|dumpclass|dumpconcurrentdictionary|dumpdelegate|dumpdomain|dumpexceptions|"
    "dumpgcdata|dumpgen|dumpheap|dumphttp|dumpil|dumplog|dumpmd|dumpmodule|dumpmt|dumpobj|"
    "dumprequests|dumpruntimetypes|dumpsig|dumpsigelem|dumpstack|dumpstackobjects|dumpvc|eeheap|"
    "eestack|eeversion|ehinfo|exit|finalizequeue|findappdomain|gchandles|gcheapstat|gcinfo|gcroot|"
    "gcwhere|heapstat|histinit|histroot|histobj|ip2md|listnearobj|loadsymbols|logopen|lm|modules|"
    "name2ee|notreachableinrange|objsize|parallelstacks|pathto|pe|printexception|pstacks|registers|"
    "runtimes|setclrpath|setsymbolserver|setthread|sizestats|sos|sosstatus|sosflush|syncblk|"
    "taskstate|threadpool|threadpoolqueue|threads|threadstate|timerinfo|token2ee|traverseheap|"
    "u|verifyheap|verifyobj|watsonbuckets"
)
_DOTNET = re.compile(rf"^> {{0,4}}(?P<command>!?(?:{_SOS})(?:[ \t].{{0,400}})?)$", re.IGNORECASE)
# gdb "set trace-commands on": +bt, ++print x (one + a nesting level)
_TRACED = re.compile(
    r"^\+{1,3}(?P<command>(?:bt|backtrace|where|info|thread|frame|f|print|p|x|list|disas\w*|up|"
    r"down|quit|set|echo|continue|run|inspect|output|ptype|whatis|file|core|core-file|select-frame)"
    r"(?:[ /\t].{0,400})?)$"
)
_PROMPTS = [("gdb", _GDB), ("lldb", _LLDB), ("cdb", _CDB)]
_DOUBTFUL = {">": [("dotnet-dump", _DOTNET)], "+": [("gdb", _TRACED)]}


# What gdb and lldb print, where a prompt without an echo stands in front of it: commands that came
# from a pipe are not shown.
_UNECHOED = re.compile(
    r"^(?:\((?:gdb|lldb)\) ?){1,8}(?=#\d{1,6} |=> 0x|-> {1,4}0x|"
    r"[a-z][a-z0-9]{1,4} {1,20}0x[0-9a-f]|"
    r"\$\d{1,9} = |Starting program|Program (?:received|terminated)|Thread \d|\* ?\d+ {1,6}Thread|"
    r"  Id {1,4}Target|\[|Continuing\.|Breakpoint \d|Dump of assembler|No (?:symbol|locals|stack)|"
    r"From {1,12}To|warning: |Core was generated|Reading symbols|0x[0-9a-f]{4,16} in )"
)


def without_silent_prompt(line: str) -> str:
    """A line of output without the prompt that a debugger wrote in front of it."""
    if not line.startswith("("):
        return line
    match = _UNECHOED.match(line)
    return line[match.end() :] if match is not None else line


def typed_commands(lines: Sequence[str]) -> list[Typed]:
    """Every prompt of a log, in order; one without a command ends the output before it.

    dotnet-dump's ``>`` and gdb's traced ``+`` begin lines of other texts as well: they count only
    in front of a command that the debugger knows, and two of them are needed or an output that
    looks like the debugger's.
    """
    found: list[Typed] = []
    doubtful: dict[str, list[Typed]] = {">": [], "+": []}
    for at, line in enumerate(lines):
        first = line[:1]
        if first in _DOUBTFUL:
            patterns, kept = _DOUBTFUL[first], doubtful[first]
        elif ">" in line[:24] or ")" in line[:24] or first in ("g", "p"):
            patterns, kept = _PROMPTS, found
        else:
            continue
        for host, pattern in patterns:
            match = pattern.match(line)
            if match:
                kept.append(Typed(at, host, match["command"].strip()[:400]))
                break
    angles, traced = doubtful.values()
    if angles and not found and (len(angles) > 1 or _is_managed(lines)):
        found += angles
    if traced and (found or len(traced) > 1):
        found += traced
    return sorted(found)


# What stands in front of what is typed at a shell (bash, zsh, ksh, fish), and what shows files.
_SHELL = re.compile(
    r"^(?:\([\w.-]{1,40}\) ?)?(?:\[[^\]\n]{1,100}\] ?|[\w.-]{1,64}@[^$#%>\n]{1,200}|"
    r"[~/][^$#%>\s]{0,200} ?|(?:ba|k|z)?sh-[\d.]{1,9})?[$#%\u276f] (?P<command>\S.{0,1000})$"
)
_SHOW_NAMES = """
    awk bat bzcat cat cut egrep fgrep grep head less more most rg sed sort tac tail uniq xzcat zcat
    zgrep zless zstdcat
"""
_SHOWS = frozenset(_SHOW_NAMES.split())


def shown_files(lines: Sequence[str]) -> list[range]:
    """The lines that a command at a shell's prompt printed which shows files and starts nothing
    else: up to the next prompt."""
    found = ((at, _SHELL.match(line)) for at, line in enumerate(lines))
    typed = [(at, match["command"]) for at, match in found if match is not None]
    return [
        range(at + 1, end)
        for (at, command), (end, _) in pairwise([*typed, (len(lines), "")])
        if _only_shows(command)
    ]


def _only_shows(command: str) -> bool:
    """True for a program of ``_SHOWS``, or several that pipes join."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    try:
        parts = "\0".join(words).split("\0|\0")
    except ValueError:  # a quote that is not closed
        return False
    calls = [part.removeprefix("sudo\0").split("\0") for part in parts]
    joined = any(set(word) <= set(";&<()") for call in calls for word in call if word)
    return not joined and all(posixpath.basename(call[0]) in _SHOWS for call in calls)


_MANAGED = re.compile(
    r"OS Thread Id:|Child SP|MethodTable|SyncBlock|ThreadCount:|^\*?\s*\d+ 0x[0-9A-Fa-f]+ \(\d+\)|"
    r"Exception object:|Statistics:|Worker Thread"
)


def _is_managed(lines: Sequence[str]) -> bool:
    return any(_MANAGED.search(line) for line in lines[:5000])
