"""Inside gdb: which child of a program fails, and the way to it in the next run.

A way is the number of the fork in each generation, from 1 on: (3, 1) is the first child of the
third child. Empty: the program itself.
"""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D102

import contextlib
import ctypes
import os
import re
import signal
from pathlib import Path

import gdb
from inside import anchors
from inside.stacks import quiet

SUBREAPER = 36  # prctl(2), PR_SET_CHILD_SUBREAPER

_LIBRARIES = {}
"""By the file: the number of an inferior that is no process, by which gdb keeps what it knows of a
library for the next run. It would read the debug information of each anew, which takes longer than
most runs."""


def keep_libraries():
    """Those of the selected process."""
    program = gdb.current_progspace().filename
    for file in (one.filename for one in gdb.objfiles() if one.owner is None):
        if file and file not in (program, *_LIBRARIES) and re.fullmatch(r"/[\w/.+-]+", file):
            with contextlib.suppress(gdb.error):
                made = quiet(f"add-inferior -no-connection -exec {file}")
                _LIBRARIES[file] = int(re.search(r"inferior (\d+)", made)[1])


class Forks:
    """``way`` is the one to go; with ``scouting`` every child is held and followed, and the way to
    where a fatal signal was is found. ``execs`` counts the programs that took the place of the one
    that was followed (execve(2)), as at the end of a shell's script."""

    def __init__(self, scouting, way):
        self.execs, self._exec = 0, None
        self.scouting, self.way = scouting, list(way)
        self._counts, self._ways, self._catches, self._forking = {}, {1: ()}, [], 1
        self._left = list(way)

    def place(self, replayed):
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        quiet("set detach-on-fork " + ("off" if self.scouting else "on"))
        quiet("set schedule-multiple " + ("on" if self.scouting else "off"))
        quiet("set follow-fork-mode parent")
        if self.scouting:
            gdb.events.new_inferior.connect(self._new)
        elif not replayed:
            self._exec = int(re.search(r"Catchpoint (\d+)", quiet("catch exec"))[1])
        if self.scouting or self.way:
            for kind in ("fork", "vfork"):
                found = re.search(r"Catchpoint (\d+)", quiet(f"catch {kind}"))
                self._catches.append(int(found[1]))

    def execed(self, breakpoint):
        """True for a stop at an exec, which is counted."""
        self.execs += breakpoint == self._exec
        return breakpoint == self._exec

    def at(self, breakpoint):
        """True for a stop at a fork, which is counted, and followed where the way leads there."""
        if breakpoint not in self._catches:
            return False
        number = gdb.selected_inferior().num
        self._forking = number
        self._counts[number] = self._counts.get(number, 0) + 1
        follow = not self.scouting and self._left and self._counts[number] == self._left[0]
        quiet("set follow-fork-mode " + ("child" if follow else "parent"))
        if follow:
            self._left.pop(0)
            self._counts = {}
        return True

    def _new(self, event):
        at = self._forking
        self._ways[event.inferior.num] = (*self._ways.get(at, ()), self._counts.get(at, 0))

    def found(self):
        """The way to the selected process."""
        if not self.scouting:
            return self.way
        return list(self._ways.get(gdb.selected_inferior().num, ()))

    def others(self):
        """Goes on with a process that still runs; False where none does."""
        for inferior in gdb.inferiors() if self.scouting else ():
            if inferior.pid:
                quiet(f"inferior {inferior.num}")
                return True
        return False

    def end(self):
        """Nothing of the run is left but the program, ready to be started again."""
        if self.scouting:
            with contextlib.suppress(Exception):
                gdb.events.new_inferior.disconnect(self._new)
        for inferior in gdb.inferiors():
            if inferior.pid:
                with contextlib.suppress(gdb.error):
                    quiet(f"inferior {inferior.num}")
                    quiet("kill")
        with contextlib.suppress(gdb.error):
            quiet("inferior 1")
            if self.way:
                _put_where_it_was()
        for inferior in gdb.inferiors():
            if inferior.num not in (1, *_LIBRARIES.values()):
                with contextlib.suppress(gdb.error):
                    quiet(f"remove-inferiors {inferior.num}")
        _end_orphans()


def _put_where_it_was():
    """The program's symbols, at where the last run had them: gdb gives its process a place of its
    own for them when a child is followed, and there they are where the file says."""
    entry = re.search(r"Entry point: (0x[0-9a-f]+)", quiet("info files"))
    program = gdb.current_progspace().filename
    if entry and program and (shift := anchors.LAST.now[0] - int(entry[1], 16)) > 0:
        quiet(f'symbol-file -o {shift:#x} "{program}"')


def _end_orphans():
    """What the program left behind has become gdb's, whatever its session and environment are; so
    does what that forked, when it ends."""
    with contextlib.suppress(OSError):
        while left := [int(one) for path in Path("/proc/self/task").glob("*/children")
                       for one in path.read_text().split()]:  # fmt: skip
            for pid in left:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
