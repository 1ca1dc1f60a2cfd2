"""Commands that print the words of whoever typed them: harmless, but no evidence of anything."""

import re
from itertools import chain

from workbench.debuggers.gdb import commands as gdb_commands
from workbench.debuggers.gdb.prefix import WORD, inner

LONGEST = 400
"""Characters of a command that a model may send."""

_WORDS = re.compile(
    r"(?i)(?<![\w.!$@])(?:echo|printf|dprintf|output|eval|help|apropos|complete|demangle|show\s+user|"
    r"\.echo(?:timestamps)?|\.printf|\.help|!?(?:\w+\.)?(?:sos)?help)(?![\w(])"
)
# What was typed before, refused or not, and what was printed then.
_RECALLED = ("commands", "values", "convenience", "history", "user")
_DEMANGLED = re.compile(r"\s*l(?:a\w*)?\s+c\w*\s+d\w*\s", re.IGNORECASE)
# WinDbg's words for a value: in every base and as characters, or as the error of that number.
_EXPLAINED = re.compile(
    r"(?i)(?:^|[\s;])(?:\?\??|\.formats|!(?:\w+\.)?error|\.?dx(?:\s+-\w+)*)\s*(?P<value>[^;]*)"
)
# gdb takes a command's beginning for the command: `ec`, `outpu`, `taas ec`.
_CUT = frozenset({"echo", "printf", "output", "help", "apropos", "complete", "demangle"})
_TYPES = frozenset({"whatis", "ptype"})
_PRINTS = frozenset({"print", "inspect", "call", "output", "whatis", "ptype"})
_DEEPEST = 8
_GROUP = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")
_SUM = re.compile(r"[-+/%?|^<>~&]|(?<=[\w\s#])\*")
_LITERAL = re.compile(r"(?<![\w$.])\d")
_QUOTED = re.compile(r"[\"']|\$_as_string|\$_cimag|\$_gdb_setting")
_VALUES = re.compile(r"(?:^|\s)(?:print|inspect|call|p|\?\??)(?:/\w+)?\s+(?P<value>.+)")
_NUMBERS = re.compile(r"(?<![\w$.])(?:0[xX][0-9a-fA-F]+|[1-9]\d*|0)[uUlL]*\b")
# A literal that is put into the digits of a value: by `|`, `^`, a shift to the left, or by 0 times.
_PLACED = re.compile(
    r"(?:(?<!\|)\|(?!\|)|\^|<<|\+\s*-|~)\s*\(*\s*\d|\b\d\w*\s*\)*\s*(?:\|(?!\|)|\^|<<)|[*&]\s*\(*\s*(?:0[xX])?0+\b"
    r"|\b(?:0[xX])?0+\s*\)*\s*[*&](?!&)"
)
_ANGLES = re.compile(r"<[^<>]*>")
_LARGEST = 4096
"""Offsets, indices, sizes and masks; what is larger is an address or a value made up."""
_READS = re.compile(r"[A-Za-z_$@]\w*")
_CONSTANT = re.compile(r"0[xX][0-9a-fA-F]+[uUlL]*|\d\w*|sizeof|unsigned|signed|char|short|int|long")

_HEXADECIMAL = re.compile(r"(?<![\w@$!.])(?:0[xn])?[0-9a-f`]+(?![\w!(])", re.IGNORECASE)


def authored(command: str) -> str | None:
    """Why the output of a command would be its own text, or None.

    Such a command may be run by a person; a model could make evidence of its own words with it.
    """
    if len(command) > LONGEST or any(not char.isprintable() for char in command):
        return f"it is longer than {LONGEST} characters or not one line"
    if command.lstrip().startswith("@"):
        return None
    if _QUOTED.search(command):
        return "it holds a text of its own"
    match = _WORDS.search(command) or _DEMANGLED.match(command)
    if match is not None:
        return f"{match[0].strip()} prints what it is given"
    if _recalls(command):
        return "it prints what was typed or printed before"
    explained = _EXPLAINED.search(command)
    if explained is not None and _made_up(_HEXADECIMAL.sub("0", explained["value"])):
        return "it prints a number of its own"
    for names, rest in _run_by(command):
        if names & _CUT:
            return f"{min(names & _CUT)} prints what it is given"
        if names & _PRINTS and _computed(rest):
            return "it prints a number that it computes from its own"
        if names & _TYPES and _LITERAL.search(rest):
            return "it prints a type that it makes up"
    printed = _VALUES.search(command)
    if printed is not None:
        value = _CONSTANT.sub(" ", printed["value"])
        if not _READS.search(value) and "*" not in value:
            return "it prints a number of its own"
    return None


def _recalls(command: str) -> bool:
    """True for what lists the lines or the values of before: ``show commands``, lldb's history."""
    for names, rest in _run_by(command):
        setting = rest.split(" ")[0].lower()
        if "show" in names and setting and any(one.startswith(setting) for one in _RECALLED):
            return True
    first, _, rest = command.strip().lower().partition(" ")
    second = rest.strip().split(" ")[0]
    return bool(
        (len(first) > 2 and "history".startswith(first))
        or (
            (len(first) > 1 and "session".startswith(first))
            and (second and "history".startswith(second))
        )
    )


def _run_by(command: str) -> list[tuple[frozenset[str], str]]:
    """What gdb could understand by a line and by those that its prefixes run, with the arguments of
    each."""
    out, lines = [], [command]
    for _ in range(_DEEPEST):
        found = [one for line in lines if (one := WORD.fullmatch(line.strip()))]
        read = [(gdb_commands.commands(one[1]), one[2]) for one in found]
        out += read
        lines = [one[2] for one in found if one[1] == "server"]
        runs = chain.from_iterable([inner(name, rest) for name in names] for names, rest in read)
        lines += [run.command for run in runs if run is not None]
    return out


def _computed(rest: str) -> bool:
    """True for an expression whose value is not the program's: one that reads no name of it, or
    that reckons with an address of its own. Sizes, offsets, indices and sums of its values are the
    program's (``sizeof(T)``, ``&a[14]``, ``a->w * a->h``): the statement shows the expression, and
    one with numbers of its own is no link of a chain (`workbench.claims.chain`)."""
    value = re.sub(r"^(?:/\w+\s*)?(?:-\S+\s+(?:\w+\s+)?)*(?:--\s+)?", "", rest).replace("->", ".")
    if "," in _ANGLES.sub("", value) or "?" in value or _PLACED.search(value):
        return True
    numbers = [int(match[0].rstrip("uUlL"), 0) for match in _NUMBERS.finditer(value)]
    if not numbers:
        return False
    if max(numbers) > _LARGEST or "(char)" in value:  # a character may be spelled by its number
        return _made_up(value)
    return not re.search(r"[A-Za-z_$@]\w*", _NUMBERS.sub(" ", value))


def _made_up(value: str) -> bool:
    """True where what is left outside of brackets adds or chooses, or is nothing at all."""
    if not _LITERAL.search(value):
        return False
    for _ in range(_DEEPEST):
        value = _GROUP.sub("#", value)
    return bool(_SUM.search(value)) or not re.search(r"[A-Za-z_$@*]", value)
