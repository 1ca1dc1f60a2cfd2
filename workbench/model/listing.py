"""A line of source as gdb's and lldb's listings print it, and the line that names its file."""

import re
from pathlib import PurePosixPath

_NAMES = (
    ".c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .inc .inl .ipp .tcc .tpp .def .y .l .ll .yy .re "
    ".s .asm .rs .go .m .mm .d .f .f77 .f90 .f95 .f03 .f08 .for .adb .ads .pas .pp .zig .nim "
    ".swift .cs .fs .vb .java .kt .scala .py .pyx .cu .cuh .cl .v .sv .vhd .ml .mli .hs .cr .jl "
    ".odin .vala .ixx .cppm .mpp .rl .gperf"
)
_SUFFIXES = frozenset(_NAMES.split())


def is_source(path: str | None) -> bool:
    """True when a report may quote the file that debug information names.

    Debug information can say ``/etc/shadow`` as easily as ``main.c``; only names that end as
    source does, not hidden nor in hidden folders or the system's own, are quoted.
    """
    if not path:
        return False
    pure = PurePosixPath(path)
    if any(part.startswith(".") and part not in (".", "..") for part in pure.parts):
        return False
    if pure.parts[:2] in {("/", "etc"), ("/", "proc"), ("/", "sys"), ("/", "dev")}:
        return False
    return pure.suffix.lower() in _SUFFIXES


_ROW = re.compile(r"^(?:-> |   )?(?P<line>\d{1,9}) *\t(?P<text>.*)$")
# What gdb prints in the place of a line whose file it does not find.
_NOT_FOUND = re.compile(r"^in \S+\.\w+$|: No such file or directory\.$")
_FILES = tuple(
    re.compile(rule)
    for rule in (
        r"^0x[0-9a-fA-F]+ is in .* \((?P<file>.+):\d+\)\.$",  # gdb, above "list *0xADDRESS"
        r"^File: (?P<file>.+?)(?::\d{1,9})*$",  # lldb, above "source list"
        r" at (?P<file>[^\t]+?):\d{1,9}(?::\d{1,9})?$",  # a frame's line
    )
)


def listed_line(line: str) -> tuple[int, str] | None:
    """Its number in the source file and its text; None for what is no line of a listing."""
    row = _ROW.match(line)
    if row is None or _NOT_FOUND.search(row["text"]):
        return None
    return int(row["line"]), row["text"]


def named_file(line: str) -> str | None:
    """The source file that a line above a listing names."""
    found = next((match for rule in _FILES if (match := rule.search(line))), None)
    return found["file"] if found else None
