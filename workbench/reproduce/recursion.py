"""Calls that go around a ring of the program's objects until the stack is full: each is given the
object that the one before read a pointer to."""

from collections.abc import Sequence

from workbench.reproduce.slices import Lead, Place
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.cfi import Caller, callers_of_thread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.history import argument
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.stack import bounds_of, overflowed
from workbench.targets.probes.unwind_table import function_bounds

_CALLS = 64
_ROUND = 16
"""Calls in a round, and objects in a ring, at most."""
_NODES = 256
_ARGUMENTS = ("rdi", "rsi", "rdx")


def recursion(core: Dump, thread: CoreThread) -> Lead | None:
    """The pointers that lead from each object to the next, in a ring; None where the calls go
    around none, or where these pointers are not those that the functions read."""
    bounds = bounds_of(core, thread)
    if bounds is None or not overflowed(core, thread, bounds):
        return None
    calls = list(callers_of_thread(core, thread, _CALLS))
    functions = [function_bounds(core, one.call.address) for one in calls]
    period = _period(functions)
    if period is None:
        return None
    steps = _read_behind(core, [one for one in functions[:period] if one is not None])
    for register in _ARGUMENTS:
        ring = _ring(core, calls[::period], register, steps)
        if ring:
            return Lead(row="recursion", cells=tuple(ring))
    return None


def _period(items: Sequence[object]) -> int | None:
    """After how many items all of them are what they were before, at least twice."""
    fitting = (one for one in range(1, _ROUND + 1) if items[one:] == items[:-one])
    found = next(fitting, None)
    return found if found is not None and None not in items and len(items) > 2 * found else None


def _read_behind(core: Dump, functions: Sequence[tuple[int, int]]) -> frozenset[int]:
    """How far behind an object's start the functions read pointers."""
    steps = set[int]()
    for start, _ in functions:
        code = code_around(core, start)
        for insn in code.instructions if code is not None else ():
            if code is None or insn.mnemonic != "mov" or len(insn.operands) != 2:
                continue
            into, mem = insn.operands[0], insn.operands[1].mem
            if mem is None or mem.index or mem.base in (None, "rip", *code.frame):
                continue
            steps |= {mem.disp} if into.reg and into.size == 8 else set()
    return frozenset(steps)


def _ring(core: Dump, calls: Sequence[Caller], register: str, steps: frozenset[int]) -> list[Place]:
    """The pointers by which the objects lead to each other that the calls were given, the innermost
    call first."""
    given = [argument(core, one, register)[0] for one in calls]
    length = _period(given[:-1])
    if length is None:
        return []
    ring = list[Place]()
    for inner in range(length):
        start, goal = given[inner + 1], given[inner]
        way = _way(core, start, goal, steps) if start and goal else []
        if not way:
            return []
        ring += way
    return list({one.cell: one for one in ring}.values())


def _way(core: Dump, start: int, goal: int, steps: frozenset[int]) -> list[Place]:
    """The fewest pointers from one object to another."""
    ways: dict[int, list[Place]] = {start: []}
    waiting = [start]
    for at in waiting:
        for step in steps:
            value = core.read_word(at + step)
            if not value or kind_of(core, at + step) == "stack":
                continue
            way = [*ways[at], Place(at + step, 8, value, 0)]
            if value == goal:
                return way
            if value not in ways and len(ways) < _NODES and core.region(value) is not None:
                ways[value] = way
                waiting.append(value)
    return []
