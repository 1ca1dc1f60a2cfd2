"""Where a thread is held so that others come first: what one core says of a fault that two threads
may have made together."""

from pathlib import Path

from workbench.model.origin import Origin
from workbench.reproduce.leads import lead_of
from workbench.reproduce.owners import own
from workbench.reproduce.wire import Hold, Outcome
from workbench.targets.dump import Dump
from workbench.targets.identify import open_core
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.places import crashing_thread

_CALLS, _PLACES = 8, 4
_LONG, _SHORT = 1.0, 0.05
"""Seconds that the others get: enough to come to an end; or, of those that wait for the held one to
go on, less and more often."""


def holds_in(path: Path, program: Path, signal: str | None) -> tuple[Hold, ...]:
    """`holds_of` the core at a path, which a session says ended by ``signal``; none where it is of
    another build of the program, or cannot be read."""
    try:
        core = open_core(path, program)
    except Exception:  # noqa: BLE001  # the session had its own way to read it
        return ()
    try:
        return holds_of(core, Outcome(signal=signal or ""))
    finally:
        core.close()


def holds_of(core: Dump, outcome: Outcome) -> tuple[Hold, ...]:
    """The program's instructions that came before the fault in its thread, nearest first: those
    that read what was bad, the one that failed, the calls that it was in. Held there, it meets what
    the others do in between. Empty for one thread."""
    thread, program = crashing_thread(core), core.program
    if thread is None or program is None or not program.trusted or len(core.threads) < 2:
        return ()
    lead = lead_of(core, outcome)
    places = [place.at for place in lead.cells] if lead is not None else []
    places += [thread.pc or 0]
    places += [one.call.address for one in callers_of_thread(core, thread, _CALLS)]
    inside = [at for at in places if program.base <= at < program.end]
    chosen = list(dict.fromkeys(inside))[:_PLACES]
    return tuple(
        Hold(offset=at - program.base, most=most, each=most < _LONG)
        for most in (_LONG, _SHORT) for at in chosen
    )  # fmt: skip


def other_order(origin: Origin) -> Hold | None:
    """Where the thread is held that did what the origin is, so that the fault's comes first."""
    frame = own(origin.stack)
    return Hold(address=frame.address, most=_LONG) if frame and frame.address else None
