"""Which file names are source text. A dump names its sources itself, and could name any file."""

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
    source does, outside hidden folders and the system's own, are quoted.
    """
    if not path:
        return False
    pure = PurePosixPath(path)
    if any(part.startswith(".") and part not in (".", "..") for part in pure.parts[:-1]):
        return False
    if pure.parts[:2] in {("/", "etc"), ("/", "proc"), ("/", "sys"), ("/", "dev")}:
        return False
    return pure.suffix.lower() in _SUFFIXES
