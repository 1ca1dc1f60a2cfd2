"""Runs inside gdb's own Python (`source`): one run of the program, watched as a request says.

It imports nothing but the standard library. The request and the result are JSON files whose shapes
stand in `wire.py`; what they say as text is written outside (`told.py`). Watchpoints report behind
the instruction that wrote (Intel SDM 3B, 17.2.4), so a line is looked up one byte before.
"""

# gdb's modules have no types here, and this file is no part of our process.
# mypy: ignore-errors
# ruff: noqa: D101, D102, D103, BLE001

import contextlib
import json
import re
import sys

import gdb
from inside import anchors
from inside.forks import Forks, keep_libraries
from inside.holds import Holds
from inside.lookups import looked_up
from inside.stacks import frames, number, quiet, registers, variables
from inside.watches import Watches

SI_KERNEL = 128  # sigaction(2): a fault of no address, as one by an address of no canonical form
FATAL = "SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGTRAP SIGSYS SIGSTOP"


class Run(Watches):
    def __init__(self, request):
        super().__init__(request)
        self.ended, self.signal, self.hit = None, None, []
        self.forks = Forks(request["scouting"], request["way"])
        self.holds = Holds(request["hold"], self._once, self.events) if request["hold"] else None
        self._failed = 0  # times in a row: a watch that the processor has no room for
        gdb.events.stop.connect(self._stopped)
        gdb.events.exited.connect(self._exited)

    def _stopped(self, event):
        self.signal = getattr(event, "stop_signal", None)
        self.hit = [b.number for b in getattr(event, "breakpoints", [])]

    def _exited(self, event):
        """Of the process that is followed; a parent that was let go has no status."""
        code = getattr(event, "exit_code", None)
        if code is not None and (not self.forks.scouting or event.inferior.num == 1):
            self.ended = f"exited with {code}"

    # --- starting -------------------------------------------------------------------------------

    def start(self):
        ask = self.request
        self.forks.end()
        quiet("delete")
        for setting in ("language c", "confirm off", "pagination off", "can-use-hw-watchpoints 1",
                        "startup-with-shell on", "print thread-events off",
                        "print inferior-events off", "source open off",
                        "disable-randomization " + ("off" if ask["aslr"] else "on")):  # fmt: skip
            with contextlib.suppress(gdb.error):
                quiet("set " + setting)
        if gdb.current_progspace().filename != ask["program"]:  # the last run ended in another
            quiet('file "' + re.sub(r'(["\\])', r"\\\1", ask["program"]) + '"')
        quiet("set inferior-tty " + ask["tty"])
        quiet("set cwd " + ask["cwd"])
        for name, value in ask["environment"]:
            told = f"set environment {name} {value}"
            quiet(told if value is not None else f"unset environment {name}")
        # The terminal's size is the pty's; gdb would set its own.
        for name in ("LINES", "COLUMNS"):
            quiet("unset environment " + name)
        quiet("set exec-wrapper " + ask["wrapper"] if ask["wrapper"] else "unset exec-wrapper")
        quiet("handle all nostop noprint pass")
        quiet(f"handle {FATAL} stop print")
        quiet("handle SIGSTOP nopass")
        if ask["replay"]:
            quiet("set sysroot /")
            quiet("handle SIGKILL stop print")  # a replay's end (rr's GdbServer.cc)
            quiet("target extended-remote " + ask["replay"])
        else:
            quiet("starti " + ask["arguments"])
        self._tell(gdb.selected_inferior().pid)
        self._enter()
        self.forks.place(bool(ask["replay"]))
        while self.forks.execs < ask["execs"]:
            if self._once():
                return
        anchors.LAST.asked(ask)

    def _enter(self):
        """To where the loader gives a program over. What it is seeded with is fixed before the
        first constructor: malloc() puts its key into what is released (glibc, tcache_put)."""
        entry, fixed = anchors.auxiliary("AT_ENTRY"), not self.request["aslr"]
        fixed = fixed and not self.request["replay"]
        if number("$pc") != entry:  # a static program stands there already
            stop = gdb.Breakpoint(f"*{entry:#x}", internal=True, temporary=True)
            quiet(f"set stop-on-solib-events {fixed:d}")
            while fixed and not self._reached(entry) and not self._fix_random():
                quiet("continue")
            quiet("set stop-on-solib-events 0")
            while not self._reached(entry) and not self._once():
                pass
            if stop.is_valid():  # it was not met: `delete` leaves ours
                stop.delete()
        elif fixed:
            self._fix_random()
        unknown = self.request["replay"] or not gdb.selected_inferior().pid
        now = anchors.NONE if unknown else anchors.of_process()
        anchors.LAST = anchors.Anchors(now, self.request["anchors"])

    def _reached(self, entry):
        """Whether the loader gave the program over, or ended: it found no library (ld.so(8))."""
        return not gdb.selected_inferior().pid or number("$pc") == entry

    def _tell(self, pid):
        """The host stops it after its time, even where gdb waits for it."""
        with open(self.request["pid_file"], "w") as file:
            file.write(str(pid))

    def go(self):
        """Until it ends, or a fatal signal stops it."""
        if self.holds is not None:
            with self._noting():
                address = self.holds.address(anchors.LAST.there)
                self._break(f"break *{address:#x}", self.holds.at, address)
        for _ in range(100_000):
            if self._once():
                return

    def _once(self):
        """Until something happens; true when the run is over."""
        self.signal, self.hit = None, []
        if self.holds is not None:
            self.holds.select()
        try:
            quiet("continue")
        except gdb.error as error:
            if "No unwaited-for children" in str(error):  # a thread that ran alone has ended
                return False
            self.notes.append(str(error))
            self._failed += 1
            if self._failed > 3:
                return True
        else:
            self._failed = 0
        if self.holds is not None and self.holds.clock.is_ours(self.signal):
            self.signal = None
        if self.signal is not None:
            return True
        if self.ended is not None or not gdb.selected_inferior().pid:
            return not self.forks.others()
        over = False
        for one in self.hit:
            if self.forks.execed(one):
                self._enter()
            elif not self.forks.at(one) and one in self.stops:
                handler, given = self.stops[one]
                try:
                    over = handler(*given) is True or over
                except Exception as error:
                    self.notes.append(f"a hit could not be read: {error}")
        if any(total >= self.request["most"] for total in self.events.totals.values()):
            self.notes.append("a watch was hit too often: the run goes on without any")
            self.unwatch()
            self.request["most"] = 1 << 60
            for name in list(self.events.totals):
                self.events.totals[name] = 0
        return over

    def result(self):
        ask = self.request
        alive = gdb.selected_inferior().pid and (self.signal or self.ended is None)
        if not alive and self.ended is None:
            self.ended = "ended by a signal that is no fault"
        made = {
            "ended": "" if alive else self.ended or "", "way": self.forks.found(),
            "execs": self.forks.execs,
            "notes": self.notes, "totals": self.events.totals,
        }  # fmt: skip
        if alive:
            made["signal"] = self.signal or "stopped"
            made["frames"], made["variables"] = frames(False, 64), variables()
            made["registers"] = registers()
            made["threads"] = len(gdb.selected_inferior().threads())
            with contextlib.suppress(Exception):
                made["code"] = int(gdb.parse_and_eval("$_siginfo.si_code"))
                if 0 < made["code"] < SI_KERNEL:
                    address = "(unsigned long)$_siginfo._sifields._sigfault.si_addr"
                    made["address"] = number(address)
            if ask["core"]:
                with contextlib.suppress(Exception):
                    made["looked"] = looked_up(made["frames"])
                with contextlib.suppress(gdb.error):
                    quiet("generate-core-file " + ask["core"])
                    made["core"] = ask["core"]
        made["events"] = self.events.ordered()
        known = anchors.LAST
        if known.moved:
            self.notes.append("addresses are told as they were in the first run")
            made = known.told(made)
        made["anchors"] = known.now
        return made


def main():
    with open(WORKBENCH_REQUEST) as file:  # noqa: F821 - set by the line before the script
        request = json.load(file)
    run = Run(request)
    try:
        run.start()
        if run.ended is None and run.signal in (None, "SIGTRAP", "0"):
            run.watch()
            run.go()
        made = run.result()
        with open(request["result"], "w") as file:
            json.dump(made, file)
        if not request["replay"]:
            keep_libraries()
        run.forks.end()
        if request["replay"]:
            quiet("disconnect")
    finally:
        gdb.events.stop.disconnect(run._stopped)
        gdb.events.exited.disconnect(run._exited)
        run.clear()


sys.setrecursionlimit(10_000)
main()
