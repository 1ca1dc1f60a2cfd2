"""Commands that print the words of whoever typed them: harmless, but no evidence of anything."""

import re

LONGEST = 400
"""Characters of a command that a model may send."""

_WORDS = re.compile(
    r"(?<![\w.!$@])(?:echo|printf|dprintf|output|eval|help|apropos|complete|show\s+user|"
    r"\.echo(?:timestamps)?|\.printf)(?![\w(])"
)
_QUOTED = re.compile(r"[\"']|\$_as_string|\$_cimag|\$_gdb_setting")
_VALUES = re.compile(r"(?:^|\s)(?:print|inspect|call|p|\?\??)(?:/\w+)?\s+(?P<value>.+)")
_READS = re.compile(r"[A-Za-z_$@]\w*")
_CONSTANT = re.compile(r"0[xX][0-9a-fA-F]+[uUlL]*|\d\w*|sizeof|unsigned|signed|char|short|int|long")


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
    match = _WORDS.search(command)
    if match is not None:
        return f"{match[0]} prints what it is given"
    printed = _VALUES.search(command)
    if printed is not None:
        value = _CONSTANT.sub(" ", printed["value"])
        if not _READS.search(value) and "*" not in value:
            return "it prints a number of its own"
    return None
