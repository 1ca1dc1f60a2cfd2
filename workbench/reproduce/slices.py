"""A slice as cells to watch: what the steps behind a register's value read."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from analyzers.owners.functions import is_library_namespace
from analyzers.owners.modules import is_runtime_library
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import callee_name, through_plt
from workbench.targets.probes.code import insn_at
from workbench.targets.probes.demangle import function
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import history
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import NEAR_NULL
from workbench.targets.probes.x86 import FAMILY

FREES = ("double free", "foreign pointer")
"""Rows whose fault is a release: what was loaded is the pointer that was given to it."""


class Place(Struct, frozen=True):
    """A cell that held a value on its way to the fault: read by the instruction at ``at``."""

    cell: int
    size: int
    value: int | None
    at: int
    base: int | None = None  # the object's address, where the cell lies a fixed distance behind it


class Lead(Struct, frozen=True, kw_only=True):
    """What is to be found out. ``row`` names the row that gave it.

    ``cells`` are read on the way to the fault, nearest first: the first holds the bad value, each
    next one the pointer to the one before. ``pointer`` is an address that the program used and that
    may lie in a block that is gone; ``freed_twice`` when the fault is the second free of it.
    ``end`` is the step at which the slice ended where no cell holds the value. ``page`` is an
    address that was mapped once, perhaps. ``outside``: writes by the allocator itself do not count.
    """

    row: str
    cells: tuple[Place, ...] = ()
    pointer: int | None = None
    freed_twice: bool = False
    end: Step | None = None
    page: int | None = None
    outside: bool = False
    locks: tuple[int, ...] = ()
    loops: int = 0  # the address on the stack of the frame that never returns
    loop: tuple[int, ...] = ()  # the instructions of its round
    value: int | None = None  # what the first cell held when it was copied
    until: int = 0  # the call that never comes back: what runs behind it is not watched
    derived: bool = False  # arithmetic lies between the cell and the fault
    stack_block: bool = False  # the cell lies on the stack and every write counts
    compared: bool = False  # a check compared the two cells
    array: int = 0  # where that begins which an index led out of
    element: int = 0  # where it did: the instruction that came to what is none of its elements
    length: Step | None = None  # the load of what an index, its value, was not less than
    ends: bool = False  # that index is an end, which may be as large as the length
    steps: tuple[Step, ...] = ()  # of the slice that ended at ``end``
    left: bool = False  # nobody put a value into the first cell for who read it
    given: int = 0  # where the call comes back to that gave the object of the only cell, or itself


def from_steps(core: Dump, row: str, steps: list[Step]) -> Lead | None:
    """The lead of a slice: its cells, else the step at which it ended."""
    if not steps:
        return None
    cells, derived = cells_of(core, steps)
    end, given = None if cells else last_step(steps), given_by(core, cells, steps)
    way = () if cells else tuple(steps)
    return Lead(row=row, cells=cells, end=end, derived=derived, given=given, steps=way)


def given_by(core: Dump, cells: Sequence[Place], steps: Sequence[Step]) -> int:
    """See `Lead.given`; 0 where the slice of the pointer to the cell ends at no call."""
    return comes_back(core, steps, cells[0].base) if len(cells) == 1 else 0


def comes_back(core: Dump, steps: Sequence[Step], value: int | None) -> int:
    """Where the call comes back to that gave a value, at which its slice ends; 0 where none did."""
    last = steps[-1] if steps else None
    if last is None or last.kind != "call" or last.value != value:
        return 0
    call = insn_at(core, last.at)
    return call.end if call is not None else 0


def cells_of(core: Dump, steps: list[Step]) -> tuple[tuple[Place, ...], bool]:
    """The cells that the slice read, those that the function itself had filled left out, since
    the slice goes on behind them; and whether arithmetic lay before the first. A slice that ends
    at an argument which no caller passed has lost its way: then the last cell counts too, which may
    have been written over since the function filled it."""
    found: list[Place] = []
    derived = False
    lost = bool(steps) and steps[-1].kind == "argument" and steps[-1].source is None
    loads = [number for number, step in enumerate(steps) if step.kind == "load"]
    for number, step in enumerate(steps):
        after = steps[number + 1] if number + 1 < len(steps) else None
        if step.kind == "computed" and not found:
            same = step.text.startswith("cdqe") or step.detail.endswith("= 0x0")
            same = same or (after is not None and after.value is not None
                            and step.value == after.value) or _is_of_null(step)  # fmt: skip
            derived = derived or not same
        if step.kind != "load":
            continue
        if step.source is None or not step.matches:
            break  # what lies behind says where that cell is, and not what it held
        kept = lost and number == loads[-1]
        if not kept and after is not None and after.source == step.source and after.kind in (
            "store", "constant", "unset"
        ):  # fmt: skip
            continue
        insn = insn_at(core, step.at)
        operand = next((o for o in insn.operands if o.mem), None) if insn else None
        size, mem = (operand.size, operand.mem) if operand else (8, None)
        base = step.source - mem.disp if mem and mem.base != "rip" and not mem.index else None
        found.append(Place(step.source, min(size, 8), step.value, step.at, base))
    return tuple(found), derived


def _is_of_null(step: Step) -> bool:
    """Whether a step made the address of a member of what is null: all of it is the distance."""
    fixed = _FIXED.match(step.text)
    return (
        fixed is not None and 0 < (step.value or 0) < NEAR_NULL and (int(fixed[1], 0) == step.value)
    )


def member_of(step: Step) -> str | None:
    """The register with the object's address of which a step made that of a member."""
    made = _MEMBER.match(step.text) if step.kind == "computed" else None
    return FAMILY.get(made[1] or made[2]) if made is not None else None


_MEMBER = re.compile(r"(?:lea \w+, \[(\w+) \+ \d\w*\]|add (\w+), \d\w*)$")
_FIXED = re.compile(r"(?:lea \w+, \[\w+ \+|add \w+,) (\d\w*)\]?$")


def is_product(steps: Sequence[Step]) -> bool:
    """Whether a number was made of two that both vary, of which the slice follows one: either may
    be to blame. Of a product, unless it is below zero; of the bits of one that another lets by, as
    of a hash, that other is too wide."""
    return any(
        _OF_TWO.match(step.text) and not (step.text.startswith("imul") and (step.value or 0) >> 31)
        for step in steps
    )


_OF_TWO = re.compile(r"(?:imul|and) \w+, [a-z][^,]*$")


def signed_at(steps: Sequence[Step]) -> Step | None:
    """The load of a byte or two that made a number negative, or was taken for one right after (gcc
    without optimisation), which is none where it was kept."""
    for step, behind in zip(steps, [*steps, None][1:], strict=True):
        load = behind if behind is not None and _WIDENS.match(step.text) else step
        narrow = _NARROW.search(load.text) if load.kind == "load" else None
        if narrow is None or not step.text.startswith("movsx"):
            continue
        bits = 7 if narrow[1] == "byte" else 15
        if (load.value or 0) >> bits & 1:
            return load
    return None


_NARROW = re.compile(r"\b(byte|word) ptr")
_WIDENS = re.compile(r"movsx \w+, \w+$")


def last_step(steps: list[Step]) -> Step:
    """The step that is to be looked at in a run: a load from a cell that the slice cannot name,
    else where it ended."""
    return next((s for s in steps if s.kind == "load" and not (s.source and s.matches)), steps[-1])


def callee(core: Dump, call: Instruction) -> str:
    """The name of what a call goes to; empty where that is not known."""
    return callee_name(core, call) or ""


def asks_library(core: Dump, at: int) -> bool:
    """Whether the call at an instruction goes to a library of the system's, or to what the standard
    library has the program's compiler make."""
    call = insn_at(core, at)
    to = through_plt(core, call.target) if call is not None and call.target else None
    module = core.module_at(to) if to is not None else None
    if module is not None and is_runtime_library(module.name):
        return True
    return call is not None and is_library_namespace(function(callee(core, call)))


def is_librarys(core: Dump, at: int) -> bool:
    """Whether an instruction is of a function of a standard library's namespace."""
    by = core.symbolize(at)
    return by is not None and is_library_namespace(function(by[0]))


def came_from(core: Dump, pc: int, register: str, registers: Mapping[str, int]) -> list[Step]:
    """See `history`; through the functions of a library that only handed on what they read, as a
    smart pointer's do, and worked out nothing."""
    steps = history(core, pc, register, registers)
    if not steps or steps[-1].kind != "call" or not asks_library(core, steps[-1].at):
        return steps
    inside = history(core, pc, register, registers, into=True)
    cells, derived = cells_of(core, inside)
    return inside if cells and not derived else steps
