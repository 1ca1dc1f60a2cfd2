"""The code of the program's regular expressions, kept as Python keeps that of its modules.

``re`` compiles each one anew at every start: 550 of them are a seventh of what a triage costs.
What comes of a pattern depends on it, its flags and Python alone; so it lies beside the bytecode,
for this very Python, and not where Python was told to write none (``-B``). Only what stands in the
source is kept: that holds no word of a dump.
"""

import contextlib
import marshal
import os
import re
import sys
from array import array
from importlib import import_module
from types import FrameType
from typing import Any, cast

_IMPORTS = "<frozen importlib._bootstrap>"
_MOST = 10_000  # of ours and of what we import there are 2,000; more are of older versions

Key = tuple[str, int]
"""A pattern and the flags that it is compiled with."""


class KeptPatterns:
    """``re`` takes what was kept in a file from here on. Where this Python's ``re`` has not the
    parts that are known here, nothing is done."""

    def __init__(self, path: str | None = None) -> None:
        """The file lies beside our bytecode, unless it is named."""
        self._path = path or (__spec__.cached or "").replace(".pyc", ".patterns")
        self._kept: dict[Key, Any] = {}
        self._new: dict[Key, re.Pattern[str]] = {}
        try:
            self._re = cast(Any, import_module("re._compiler"))
            self._make, self._anew = self._re._sre.compile, self._re.compile
            self._for = (sys.version, self._re._sre.MAGIC, self._re._sre.CODESIZE)
        except (ImportError, AttributeError):
            return
        if self._path and array("I").itemsize == self._for[-1]:
            self._read()
            self._re.compile = self._compile

    def _compile(self, pattern: Any, flags: int = 0) -> Any:
        key = (pattern, int(flags))
        if type(pattern) is not str:
            return self._anew(pattern, flags)
        if key in self._kept:
            all_flags, code, *rest = self._kept[key]
            return self._make(pattern, all_flags, memoryview(code).cast("I").tolist(), *rest)
        made = self._anew(pattern, flags)
        if not flags & re.DEBUG and _is_written_down(pattern):
            self._new[key] = made
        return made

    def keep(self) -> None:
        """Keep what came anew."""
        if not self._new or sys.dont_write_bytecode:
            return
        if len(self._kept) > _MOST:
            self._kept.clear()
        for key, made in self._new.items():
            names: list[str | None] = [None] * (made.groups + 1)
            for name, number in made.groupindex.items():
                names[number] = name
            code = self._re._code(self._re._parser.parse(*key), key[1])
            rest = (made.groups, dict(made.groupindex), tuple(names))
            if self._make(key[0], made.flags, code, *rest) == made:  # compares flags and code
                self._kept[key] = (made.flags, array("I", code).tobytes(), *rest)
        self._new.clear()
        self._write()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            with open(self._path, "rb") as file:
                of, kept = marshal.load(file)
            if of == self._for:
                self._kept = kept

    def _write(self) -> None:
        """Whole or not at all: several may start at once."""
        scratch = f"{self._path}.{os.getpid()}"
        try:
            with open(scratch, "wb") as file:
                marshal.dump((self._for, self._kept), file)
            os.replace(scratch, self._path)
        except OSError:  # a full disk, or Windows while another reads it
            with contextlib.suppress(OSError):
                os.unlink(scratch)


def _is_written_down(pattern: str) -> bool:
    """True for one that stands in the source as it is, or in a table of a module that says so, or
    is made while a module is imported."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == re.__file__:
        frame = frame.f_back
    if frame is None or frame.f_globals.get("WRITTEN_DOWN"):
        return frame is not None
    if pattern in frame.f_code.co_consts:
        return True
    while frame is not None and frame.f_code.co_filename != _IMPORTS:
        frame = frame.f_back
    return frame is not None
