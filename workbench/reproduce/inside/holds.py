"""Inside gdb: one thread held at an instruction while the others run, so that chance does not
decide which of two comes first.

With scheduler-locking one thread runs at a time: the others in turns, each for a moment. The hold
ends after its time, or when none of the others can go on without the held one, so that nothing
hangs by it; then the held one goes first.
"""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D102

import ctypes
import os
import signal
import threading
import time

import gdb
from inside.stacks import number, quiet

TURN, ALONE, MOST = 0.04, 0.2, 3.0
"""Seconds of a turn, of the held thread's own when it is let go, and of all holds of a run."""
TGKILL, _FUTEX = 234, 202
_RESTARTED = range(-516, -511)  # ERESTARTSYS and its like: a wait that a stop interrupted


class Clock:
    """Stops a thread after its turn. SIGSTOP cannot be blocked (signal(7)); one that comes when the
    thread stands already is waited for by ``owed``."""

    def __init__(self):
        self.owed, self._lock, self._turn = 0, threading.Lock(), 0
        self._send = ctypes.CDLL(None).syscall

    def start(self, thread):
        with self._lock:
            self._turn += 1
        process, task, _ = thread.ptid
        timer = threading.Timer(TURN, self._stop, (self._turn, process, task or process))
        timer.daemon = True
        timer.start()
        return timer

    def _stop(self, turn, process, task):
        with self._lock:
            if turn == self._turn:
                self._send(TGKILL, process, task, int(signal.SIGSTOP))
                self.owed += 1

    def end(self):
        with self._lock:
            self._turn += 1

    def is_ours(self, name):
        """Whether a stop by this signal is one of the clock's."""
        with self._lock:
            ours = name == "SIGSTOP" and self.owed > 0
            self.owed -= ours
            return ours


class Holds:
    """``hold`` is a request's; ``once`` lets the selected thread run until something happens, and
    is true when the run is over."""

    def __init__(self, hold, once, events):
        self.clock = Clock()
        self._hold, self._once, self._events = hold, once, events
        self._passed, self._left, self._on, self._back = 0, MOST, False, False

    def address(self, there):
        """Where threads are held, in this run."""
        if self._hold["address"]:  # behind it: where its line's code begins
            return gdb.find_pc_line(there(self._hold["address"]) - 1).pc
        pid = gdb.selected_inferior().pid
        program = os.readlink(f"/proc/{pid}/exe")
        with open(f"/proc/{pid}/maps") as file:
            first = next(line for line in file if line.rstrip("\n").endswith(" " + program))
        return int(first.partition("-")[0], 16) + self._hold["offset"]

    def select(self):
        """Some thread that is there: the one that ran alone may have ended."""
        now = _selected()
        if now is None or not now.is_valid() or now.is_exited():
            for one in gdb.selected_inferior().threads()[:1]:
                one.switch()

    def at(self, address):
        """A thread came there: held the first time, the second, the fourth …, or each time."""
        process, held = gdb.selected_inferior(), _selected()
        self._back = True
        if self._on or held is None:
            return False
        while self._back and self._left > 0 and len(process.threads()) > 1:
            self._passed += 1
            if not self._hold["each"] and self._passed & (self._passed - 1):
                break
            begun, self._on = time.monotonic(), True
            quiet("set scheduler-locking on")
            try:
                if self._held(process, held, address):
                    return True
            finally:
                self._on = False
                self._left -= time.monotonic() - begun
                quiet("set scheduler-locking replay")
        return False

    def _held(self, process, held, address):
        """One time; then it runs alone until it comes back or meets what the others did. True when
        the run is over."""
        self._events.add("order", "held", False, False, address=address)
        if self._others(process, held):
            return True
        self._back = False
        if not held.is_valid():
            self.select()
            return False
        held.switch()
        self._events.add("order", "let go", False, False, address=address)
        return self._turns(held, ALONE, lambda: self._back)

    def _others(self, process, held):
        """Their turns; true when the run is over."""
        until = time.monotonic() + self._hold["most"]
        while time.monotonic() < until:
            others = [one for one in process.threads() if one.num != held.num]
            if all(map(_waits, others)):
                return False
            for one in others:
                if one.is_valid() and not _waits(one) and time.monotonic() < until:
                    one.switch()
                    if self._turns(one, TURN):
                        return True
        return False

    def _turns(self, thread, seconds, enough=lambda: False):
        until = time.monotonic() + seconds
        while thread.is_valid() and not enough() and time.monotonic() < until:
            timer = self.clock.start(thread)
            try:
                if self._once():
                    return True
            finally:
                self.clock.end()
                timer.cancel()
        return False


def _selected():
    """The selected thread; none where it has ended, of which gdb may know no object any more."""
    try:
        return gdb.selected_thread()
    except SystemError:
        return None


def _waits(thread):
    """Whether it waits for a futex without a time limit (futex(2), x86-64)."""
    thread.switch()
    call, limit, result = number("$orig_rax"), number("$r10"), number("$rax")
    return call == _FUTEX and limit == 0 and result - (1 << 64) in _RESTARTED
