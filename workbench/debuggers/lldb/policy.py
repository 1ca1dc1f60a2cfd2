"""The read-only policy for lldb: each command line parsed by lldb's own grammar.

A word may be cut to what no other command begins with; what it may stand for in any version from
14 on is judged, and the strictest answer counts. lldb evaluates what stands in backticks before
it looks at the command, and the addresses of most commands as expressions in the target.
"""

import re

from workbench.debuggers.dotnet.policy import check_sos_in_lldb
from workbench.debuggers.gdb.expression import check_expression
from workbench.debuggers.lldb.commands import ALIASES, SUBCOMMANDS, first_words, next_words
from workbench.debuggers.lldb.reading import ASKED, READING, SHORT_FORMAT, Reading
from workbench.debuggers.lldb.selection import split
from workbench.debuggers.policy import Decision, accept, ask, forbid, strictest

_FIRST = re.compile(r"([A-Za-z_][\w-]*)(/\S*)?(?:[ \t]+(.*))?", re.DOTALL)
_SHORT_FORMAT = re.compile(r"/[0-9]*[A-Za-z]{0,2}")
# Where lldb evaluates: a number, a register, a name that stands alone, or sums of numbers and
# registers. A name with an operator may call one of C++.
_TERM = r"(?:0[xX][0-9a-fA-F]+|[0-9]+|\$[a-z][a-z0-9]*)"
_ADDRESS = re.compile(rf"{_TERM}(?:\s*[+-]\s*{_TERM})*|&?(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_~]\w*)*")
# A variable and its members and elements; lldb 23 evaluates more, assignments too.
_PATH = re.compile(
    r"[*&]{0,8}(?:::)?[A-Za-z_$][\w$]*(?:::[A-Za-z_]\w*)*"
    r"(?:(?:\.|->)[A-Za-z_$][\w$]*|\[(?:[0-9]+(?:-[0-9]+)?"
    r"|[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*)\])*"
)
# Interpreted by lldb itself: of a call it says that it cannot.
_INTERPRETED = re.compile(r"--allow-jit false -- (.+)")
_NUMBER = re.compile(r"-?[0-9]+|0x[0-9a-fA-F]+|all|unique")
_WORDS = re.compile(r"""\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)""", re.DOTALL)


def check_lldb(command: str) -> Decision:
    """Judge one lldb command line. Never raises."""
    text = split(command)[1].strip(" \t")
    if not text or text.startswith("#"):
        return forbid("an empty line makes lldb repeat the last command")
    if "`" in text:
        return forbid("`: lldb evaluates what stands in backticks in the target")
    found = _FIRST.fullmatch(text)
    if found is None:
        return forbid(f"{text[0]!r}: not a command that only prints")
    word, suffix, rest = found[1], found[2] or "", found[3] or ""
    names = first_words(word)
    managed = check_sos_in_lldb(text, bool(names))
    if managed is not None:
        return managed
    if not names:
        return ask(f"{word}: not known to only print")
    return strictest(_judge(name, suffix, rest) for name in sorted(names))


def _judge(name: str, suffix: str, rest: str) -> Decision:
    """Judge what a first word stands for; ``suffix`` is a format behind a slash."""
    interpreted = _INTERPRETED.fullmatch(rest.strip())
    if name == "expression" and interpreted and not suffix:  # aliases put options of their own
        return check_expression(interpreted[1])
    name = ALIASES.get(name, name)
    if name.startswith("_regexp-"):
        if suffix:
            return ask(f"{suffix} cannot be read for sure")
        return _by_shorthand(name, rest)
    return _by_name(name, suffix, rest)


def _by_name(name: str, suffix: str, rest: str) -> Decision:
    if name in SUBCOMMANDS:
        word, _, then = rest.replace("\t", " ").strip().partition(" ")
        if not word:
            return accept("prints its help")
        if not re.fullmatch(r"[A-Za-z-]+", word):
            return forbid(f"{name} {word}: not a subcommand")
        more = next_words(name, word)
        if not more:
            return forbid(f"{name} {word}: not known to only print")
        return strictest(_by_name(f"{name} {one}", suffix, then) for one in sorted(more))
    if name in READING:
        if suffix and not (name in SHORT_FORMAT and _SHORT_FORMAT.fullmatch(suffix)):
            return ask(f"{suffix} cannot be read for sure")
        return _arguments(name, READING[name], rest)
    if name == "dwim-print" and not _PATH.fullmatch(rest.strip().removeprefix("-- ").strip()):
        return forbid("an expression may call into the target: read with frame variable")
    if name in ASKED:
        return ask(f"{name}: not known to only print")
    return forbid(f"{name}: runs, writes or changes something")


def _by_shorthand(name: str, rest: str) -> Decision:
    """The commands that read their arguments by patterns of their own."""
    rest = rest.strip()
    match name.removeprefix("_regexp-"):
        case "bt":
            if rest in {"", "all"} or rest.isdecimal():
                return accept()
            return _arguments("thread backtrace", READING["thread backtrace"], rest)
        case "up" | "down":
            return accept() if not rest or rest.isdecimal() else ask("how many frames?")
        case "list":
            if re.fullmatch(r"[\w.:/*+~-]*", rest):
                return accept()
            return ask("a place that cannot be read for sure")
    return forbid(f"{name}: runs, writes or changes something")


def _arguments(name: str, reading: Reading, rest: str) -> Decision:
    """Judge options and other words as getopt reads them, in any order."""
    words, readable = _split_words(rest)
    if not readable:
        return ask("quotes that cannot be read for sure")
    decisions = [ask("a backslash that cannot be read for sure") if "\\" in rest else accept()]
    at, options = 0, True
    while at < len(words):
        word = words[at]
        at += 1
        if options and word == "--":
            options = False
        elif options and re.match(r"-[^0-9]", word):
            kind, value, good = _option(reading, word)
            if not good:
                return forbid(f"{name} {word}: an option that is not known to only print")
            if kind and value is None:
                value, at = (words[at] if at < len(words) else ""), at + 1
            if kind == "@":
                decisions.append(_address(value or ""))
        else:
            decisions.append(_word(name, reading.words, word))
    return strictest(decisions)


def _option(reading: Reading, word: str) -> tuple[str, str | None, bool]:
    """What an option takes, the value that stands in the same word, and whether it is allowed."""
    if word.startswith("--"):
        name, sign, value = word[2:].partition("=")
        kind = reading.options.get(name) if len(name) > 1 else None
        return kind or "", value if sign else None, kind is not None
    for place, letter in enumerate(word[1:], 2):
        kind = reading.options.get(letter)
        if kind is None:
            return "", None, False
        if kind:
            return kind, word[place:] or None, True
    return "", None, True


def _word(name: str, kind: str, word: str) -> Decision:
    """Judge a word that is no option."""
    match kind:
        case "@":
            return _address(word)
        case "path":
            if _PATH.fullmatch(word):
                return accept()
            return forbid(f"{word}: lldb may evaluate it, and assign or call")
        case "number":
            if _NUMBER.fullmatch(word):
                return accept()
            why = f"{word}: not a number"
            return ask(why) if re.fullmatch(r"[\w.-]+", word) else forbid(why)
        case "any":
            return accept()
    return ask(f"{name} {word}: takes no argument")


def _address(text: str) -> Decision:
    if _ADDRESS.fullmatch(text.strip()):
        return accept()
    if re.search(r"[(=\"'{\\]|\+\+|--", text):
        return forbid(f"{text}: lldb evaluates it in the target")
    return ask(f"{text}: lldb evaluates it in the target")


def _split_words(text: str) -> tuple[list[str], bool]:
    """The words of a line without their quotes, and whether all of it could be read."""
    words: list[str] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _WORDS.match(text, place)
        if found is None:
            return words, False
        words.append(re.sub(r"\\(.)|[\"']", r"\1", found[1]))
        place = found.end()
    return words, True
