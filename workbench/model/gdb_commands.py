"""Commands of gdb and lldb without their prefixes, and what these select."""

import re
from functools import lru_cache

MAX_LINE = 32_768
"""Longer lines are cut before any pattern looks at them."""

_WITH = re.compile(r"^with\s+.*?\s--\s+")
_APPLY = re.compile(
    r"^(?:thread\s+apply\s+(?:all|[\d.\s*-]+?)|frame\s+apply\s+(?:all|level\s+[\d-]+|-?\d+)|taas|tfaas|faas"
    r"|(?:thread|frame)\s+select\s+\d+\s*;)(?:\s+-[a-z]+)*\s+(?=[a-z/])"
)
_LEVEL = re.compile(r"\bframe\s+(?:apply\s+level|select)\s+(\d+)(?![\d-])")
_SEVERAL = re.compile(r"\b(?:(?:frame|thread)\s+apply|t?faas|taas)\b")
_ONE = re.compile(r"\b(?:frame\s+apply\s+level|thread\s+apply)\s+\d+\s+(?:-[a-z]+\s+)*(?=[a-z/])")
_FILE_LINE = re.compile(r"^list\s+(?P<file>[^\s,*()'\"]+):\d+")
_EITHER = re.compile(r"^(frame variable (\S+)) (.+)$")
_UNREADABLE = re.compile(r" <error: Cannot access memory at address 0x[0-9a-f]{1,16}>")


def without_error(value: str) -> str:
    """A printed value without what gdb says behind a pointer to a text that cannot be read
    (generic_val_print_memory of valprint.c)."""
    return _UNREADABLE.sub("", value)


@lru_cache(maxsize=4096)
def bare_command(command: str) -> str:
    """A command without the prefixes that only say where it runs.

    ``thread apply all -q bt 8`` and ``frame apply level 2 -q info locals`` become ``bt 8`` and
    ``info locals``, lldb's ``frame select 2; frame variable`` the latter, its ``frame variable p.x
    p->x`` the first of these; spaces are folded and the case is kept.
    """
    text = " ".join(command[:MAX_LINE].split())
    for _ in range(4):
        shorter = _APPLY.sub("", _WITH.sub("", text, count=1), count=1)
        if shorter == text:
            break
        text = shorter
    either = _EITHER.match(text)
    same = either is not None and {*either[3].replace("->", ".").split()} == {either[2]}
    return either[1] if either is not None and same else text


def selected_level(command: str) -> int | None:
    """The frame level that ``frame apply level N`` or ``frame select N`` selects, else None."""
    match = _LEVEL.search(command[:MAX_LINE])
    return int(match[1][:9]) if match else None


def runs_in_several(command: str) -> bool:
    """Whether a command may run in several frames or threads, of which each prints values of its
    own (gdb's manual, "Frame Apply" and "Threads")."""
    text = command[:MAX_LINE]
    return len(_SEVERAL.findall(text)) > len(_ONE.findall(text))


def listed_file(command: str) -> str | None:
    """The file of ``list FILE:LINE``, else None."""
    match = _FILE_LINE.match(bare_command(command))
    return match["file"] if match else None
