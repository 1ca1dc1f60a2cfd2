"""Calls until the stack is full: around a ring of the program's objects, each given the object that
the one before read a pointer to; or of a function that calls itself whatever happens."""

from collections.abc import Sequence

from workbench.model.facts import Frame
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead, Place
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.called import may_call
from workbench.targets.probes.cfi import Caller, callers_of_thread
from workbench.targets.probes.code import Code, code_around, reached
from workbench.targets.probes.history import argument
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.stack import bounds_of, overflowed
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

_CALLS = 64
_ROUND = 16
"""Calls in a round, and objects in a ring, at most."""
_NODES = 256
_ARGUMENTS = ("rdi", "rsi", "rdx")
_FLOATS = ("xmm", "ymm", "zmm", "st")
_READS = ("cmp", "test", "call", "push", "nop")
_NOT_BACK: frozenset[str | None] = frozenset(
    {"exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit", "longjmp", "_longjmp",
     "siglongjmp", "__libc_longjmp", "__libc_siglongjmp", "__longjmp_chk", "setcontext",
     "__cxa_throw", "__cxa_rethrow", "err", "errx", "verr", "verrx", "error",
     "std::process::exit", None}
)  # fmt: skip
"""Functions by which calls of C, C++ and Rust are left without a return; None is one that is not
known, as a library's is that was never called: its PLT entry leads to none yet (ELF gABI, lazy
binding)."""


def recursion(core: Dump, thread: CoreThread, frames: Sequence[Frame]) -> Lead | None:
    """The pointers that lead from each object to the next, in a ring, or the call of a function
    that calls itself whatever happens; None where the calls go around no ring and may end, or where
    these pointers are not those that the functions read."""
    bounds = bounds_of(core, thread)
    if bounds is None or not overflowed(core, thread, bounds):
        return None
    calls = list(callers_of_thread(core, thread, _CALLS))
    functions = [function_bounds(core, one.call.address) for one in calls]
    # the innermost calls are of what was called last, and filled the stack
    inner = next((at for at in range(_ROUND) if _period(functions[at:])), None)
    if inner is None:
        return None
    calls, functions = calls[inner:], functions[inner:]
    period = _period(functions) or 1
    steps = _read_behind(core, [one for one in functions[:period] if one is not None])
    for register in _ARGUMENTS:
        ring = _ring(core, calls[::period], register, steps)
        if ring:
            return Lead(row="recursion", cells=tuple(ring))
    own = [(n, one) for n, one in enumerate(calls[period : 2 * period]) if any(
        frame.address == one.call.end and is_own(frame) for frame in frames)]  # fmt: skip
    if len(own) != 1:
        return None  # of several that call each other either may be to blame
    (number, call), code = own[0], code_around(core, own[0][1].call.address)
    goes_on = code is not None and call.call.address in code.at and _goes_on(
        core, code, calls[period + number :: period]
    )  # fmt: skip
    return Lead(row="recursion", loops=call.call.end) if goes_on else None


def _goes_on(core: Dump, code: Code, calls: Sequence[Caller]) -> bool:
    """Whether a function makes a call, which led to itself again, on each way through it; by what a
    library did in between only for the object that it was given itself. Or whether it was given the
    same each time, and nothing else was done until then that its ways could hang on."""
    at = code.at[calls[0].call.address]
    ends = [n for n in range(len(code.instructions)) if n != at and _leaves(core, code, n)]
    same = [name for name in ARGUMENTS
            if len({argument(core, one, name)[0] for one in calls} | {None}) == 2]  # fmt: skip
    direct = calls[0].call.target == code.start
    if not any(0 in reached(code.before, one, {at}) for one in ends):
        return direct or "rdi" in same
    way = [code.instructions[one] for one in reached(code.before, at, ()) - {at}]
    taken = set[str]()
    for one in way:
        into = one.operands[0].mem if one.operands else None
        writes = into is not None and into.base not in code.frame and one.mnemonic not in _READS
        if one.is_call or writes or one.mnemonic.startswith("rep"):
            return False
        for operand in one.operands:
            mem, names = operand.mem, [FAMILY.get(operand.reg or "", operand.reg)]
            if mem is not None:
                names = [mem.base, mem.index]
            if (operand.reg or "").startswith(_FLOATS) or (
                mem is not None and mem.base == "rbp" and mem.disp > 0
            ):  # fmt: skip
                return False
            taken |= {
                name for name in names if name in ARGUMENTS and None in
                {n for n, _ in Slicer(core, code, code.at[one.address], {}).definitions(name)}
            }  # fmt: skip
    return direct and taken <= {*same}


def _leaves(core: Dump, code: Code, at: int) -> bool:
    """Whether an instruction leaves its function, or may: it returns, jumps to another or to its
    cold part, which may come back, or calls what need not come back."""
    one = code.instructions.outlines[at]
    if one.name == "call":
        return may_call(core, code.instructions[at], _NOT_BACK)
    outside = one.target is not None and one.target not in code.at
    return outside or one.jumps_by_value or one.name.startswith("ret")


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
