"""The slice behind a register's value, through the callers that passed it on."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.probes import cfi
from workbench.targets.probes.callees import jumps_on, through_plt
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step, explain, explain_at
from workbench.targets.probes.instruction import MASK, Instruction, Memory
from workbench.targets.probes.malloc.lists import heaps_of
from workbench.targets.probes.places import NEAR_NULL, variable_at
from workbench.targets.probes.slicer import MAX_DEPTH, Slicer, Trail, last_stores, stored
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

_MAX_CALLERS = 8
_MAX_STEPS = 64
_MOST_JUMPS = 3
_HANDED_ON = ("argument", "copy", "store")


def history(
    core: Dump, pc: int, register: str, registers: Mapping[str, int], *, into: bool = False
) -> list[Step]:
    """The steps back from a register's value right before the instruction at ``pc``; ``into`` goes
    on in a function that returned it.

    Where they end at an argument of the function, they go on in the caller, as long as unwinding
    finds it, its call goes to this function, and what it passed is the value at hand.
    """
    slicer = slicer_at(core, pc, registers)
    if slicer is None:
        return []
    steps = explain(slicer, register, into=into, unsure=True)
    return handed_on(core, pc, registers, steps, into=into)


def handed_on(
    core: Dump, pc: int, registers: Mapping[str, int], steps: list[Step], *, into: bool = False
) -> list[Step]:
    """The steps, and those of the callers that handed the value on."""
    above = cfi.callers(core, pc, registers, _MAX_CALLERS)
    freed = ""
    while steps and steps[-1].kind == "argument" and len(steps) < _MAX_STEPS:
        last = steps[-1]
        caller = next(above, None)
        if caller is None or not _goes_to(core, caller.call.target, last):
            break
        slicer = slicer_at(core, caller.call.address, caller.registers)
        passed = slicer.known(last.register) if slicer is not None else None
        if slicer is None or (None not in (passed, last.value) and passed != last.value):
            break
        if passed is None and any(step.unsure for step in steps):
            break
        more = explain(slicer, last.register, last.value, into=into, unsure=True)
        if not more or not more[0].matches:
            break
        value = passed if last.value is None else last.value
        steps[-1] = replace(last, source=caller.call.address, value=value)
        freed = last.freed or freed
        steps = [replace(step, unsure=False) for step in steps]
        steps += [replace(step, freed=step.freed or freed) for step in more]
    return steps[: next((at for at, step in enumerate(steps) if step.unsure), None)]


def argument(core: Dump, caller: cfi.Caller, register: str) -> tuple[int | None, list[Step]]:
    """What a call passed in an argument register, and the steps behind it. A value that its
    function only handed on is taken from where that got it."""
    steps = history(core, caller.call.address, register, caller.registers)
    slicer = slicer_at(core, caller.call.address, caller.registers)
    value = slicer.known(register) if slicer is not None else None
    for step in steps:
        if value is not None or step.kind not in _HANDED_ON:
            break
        value = step.value
    return value, steps


class Part(NamedTuple):
    """What made a sum bad, the steps behind it, the pointer that the sum set out from, and the
    instruction that read an element there; 0 for the one that failed."""

    kind: str
    steps: list[Step]
    array: int = 0
    at: int = 0


def culprit(core: Dump, pc: int, register: str, registers: Mapping[str, int]) -> Part | None:
    """Of a register that is the sum of a pointer and a distance, the part that made it bad:
    ``index``, a distance that leads out of the memory which is pointed to,
    ``element``, one that led a pointer's cell out of its heap block, or ``pointer``, a null one.
    None where it is no such sum, or both parts may be to blame."""
    slicer = slicer_at(core, pc, registers)
    total = slicer.known(register) if slicer is not None else None
    if slicer is None or total is None:
        return None
    bad, made = register, _made(slicer, register)
    if made is None:
        return None
    insn, register, trail = made
    if insn.mnemonic == "mov" and insn.operands[1].mem is not None:
        return _element(slicer, insn.operands[1].mem, trail, (pc, registers))
    pair = summed(insn, register)
    if insn.mnemonic == "add" and insn.operands[1].mem is not None:
        base = slicer.operand(insn.operands[1], trail)
        region = core.region(base) if base else None
        if base is None or region is None or core.region(total) is region:
            return None
        steps = explain_at(slicer, register, (total - base) & MASK, trail, unsure=True)
        return Part("index", handed_on(core, pc, registers, steps), base)
    if pair is None:
        return None
    for name in pair:
        held = _made(slicer, name, trail)
        mem = held[0].operands[1].mem if held and held[0].mnemonic == "mov" else None
        part = _element(slicer, mem, held[2], (pc, registers)) if held and mem else None
        if part is not None:
            return part
    left, right = (slicer.known(name, trail) for name in pair)
    if insn.mnemonic == "add" and left is None and right is not None:
        left = (total - right) & MASK
    sides = ((left, pair[0], right, pair[1]), (right, pair[1], left, pair[0]))
    followed = pairwise(explain(slicer, bad))
    pointer = next((after.register for one, after in followed if one.at == insn.address), None)
    for value, name, other, there in sides:
        region = core.region(value) if value else None
        if region is not None and other and core.region(total) is not region:
            steps = explain_at(slicer, there, other, trail, unsure=True)
            return Part("index", handed_on(core, pc, registers, steps), value or 0)
        if value == 0 and total < NEAR_NULL and pointer != there:
            steps = explain_at(slicer, name, 0, trail, unsure=True)
            if steps and (_is_pointer(steps[0]) if not other else steps[0].kind in _HELD):
                return Part("pointer", handed_on(core, pc, registers, steps))
    return None


def beside(core: Dump, caller: cfi.Caller, register: str, known: Sequence[Step]) -> list[Step]:
    """How the other of two numbers came, where a call passed the sum of it and of one that is
    ``known`` by its steps; none where it is no such sum."""
    total, steps = argument(core, caller, register)
    above = cfi.callers(core, caller.call.address, caller.registers, _MAX_CALLERS)
    by = {one.call.address: one for one in (caller, *above)}
    ways = [(one.source or 0, one.register) for one in steps if one.kind == "argument"]
    start, loaded = (known[0].value, _SOURCE.search(known[-1].text)) if known else (None, None)
    for at, name in ((caller.call.address, register), *ways):
        slicer = slicer_at(core, at, by[at].registers) if at in by else None
        made = _made(slicer, name) if slicer is not None else None
        if slicer is None or made is None or None in (total, start):
            continue
        (insn, into, trail), rest = made, ((total or 0) - (start or 0)) & MASK
        mem = insn.operands[1].mem if insn.mnemonic == "add" else None
        pair = (into, "") if mem is not None else summed(insn, into) or ()
        for one, other in zip(pair, pair[::-1], strict=True):
            held = explain_at(slicer, one, None, trail) if one else ()
            text = held[-1].text if held else "" if one else insn.text
            same = loaded and (read := _SOURCE.search(text)) and read[0] == loaded[0]
            ends = (held[-1].kind, held[-1].at, held[-1].register) if held else ()
            given = any(ends == ("argument", step.at, step.register) for step in known)
            if not (same or given or (one and slicer.known(one, trail) == start)):
                continue
            if mem is not None and one:
                cell = slicer.effective(mem, trail)
                return [Step("load", insn.address, into, insn.text, cell, rest)]
            more = explain_at(slicer, other, rest, trail, unsure=True)
            return handed_on(core, at, by[at].registers, more)
    return []


_SOURCE = re.compile(r"(?<=, )\w+ ptr \[.*")
"""The cell that a load reads, as it is printed."""


def _made(
    slicer: Slicer, register: str, way: Trail | None = None
) -> tuple[Instruction, str, Trail] | None:
    """The instruction that made what a register holds, the register that it made and how to come to
    it from the end; through copies and cells of the function's frame."""
    for _ in range(4):
        found = list(slicer.definitions(register, way))
        index, rest = found[0] if len(found) == 1 else (None, None)
        if index is None:
            return None
        insn, way = slicer.code.instructions[index], (index, rest)
        source = insn.operands[1] if len(insn.operands) == 2 else None
        if insn.mnemonic != "mov" or source is None:
            return insn, register, way
        if source.reg in FAMILY:
            register = FAMILY[source.reg]
            continue
        if source.mem is None or source.mem.base not in slicer.code.frame or source.mem.index:
            return (insn, register, way) if source.mem is not None else None
        cell = slicer.effective(source.mem, way)
        stores, unset = last_stores(slicer, cell or 0, way, MAX_DEPTH)
        if cell is None or unset or len(stores) != 1:
            return None
        way = stores[0]
        kept = stored(slicer, way)
        if kept is None or kept.reg not in FAMILY:
            return None
        register = FAMILY[kept.reg]
    return None


def element(core: Dump, pc: int, mem: Memory, registers: Mapping[str, int]) -> Part | None:
    """The same of what the instruction at ``pc`` reads by a pointer to an element that the function
    has kept: ``element`` where that lies out of the block that its address set out from."""
    slicer = slicer_at(core, pc, registers)
    read = slicer.code.instructions[slicer.end] if slicer is not None else None
    cell = read.effective(mem, registers) if read is not None else None
    base = mem.base or ""
    if slicer is None or cell is None or mem.index or base not in registers:
        return None
    return _added(slicer, (base, None, registers[base]), cell, (pc, registers))


def _element(
    slicer: Slicer, mem: Memory, way: Trail, at: tuple[int, Mapping[str, int]]
) -> Part | None:
    """The index of a pointer that was read as an element of a heap block, or as a member of one,
    where it led out of it: what lies there is none of its elements."""
    cell = slicer.effective(mem, way)
    read = slicer.code.instructions[way[0]].address
    if mem.index:
        names = (mem.base or "", mem.index)
        known = [slicer.known(name, way) for name in names]
        return _leading_out(slicer, names, known, way, (cell, read), at)
    total = slicer.known(mem.base or "", way)
    if total is None:
        return None
    return _added(slicer, (mem.base or "", way, total), cell, at, read)


def _added(
    slicer: Slicer, made_of: tuple[str, Trail | None, int], cell: int | None,
    at: tuple[int, Mapping[str, int]], read: int | None = None,
) -> Part | None:  # fmt: skip
    """The same of the sum that a register was, before a way to the end, of which the value is given
    third."""
    register, way, total = made_of
    made = _made(slicer, register, way)
    if made is None:
        return None
    insn, register, end = made
    added = insn.operands[1] if insn.mnemonic == "add" else None
    names = (register, "") if added and added.mem else summed(insn, register) or ("", "")
    other = slicer.operand(added, end) if added else slicer.known(names[1], end)
    by = insn.operands[1].mem.scale if insn.mnemonic == "lea" and insn.operands[1].mem else 1
    known = [(total - other * by) & MASK if other is not None else None, other]
    return _leading_out(slicer, names, known, end, (cell, read or at[0]), at)


def _leading_out(
    slicer: Slicer, names: tuple[str, str], known: Sequence[int | None], end: Trail,
    place: tuple[int | None, int], at: tuple[int, Mapping[str, int]],
) -> Part | None:  # fmt: skip
    """Which of two parts of an address led out of the block that the other lies in, to a cell that
    an instruction read."""
    cell, read = place
    for start, far, name in ((known[0], known[1], names[1]), (known[1], known[0], names[0])):
        if name and start and far and cell and leaves_block(slicer.core, start, cell):
            steps = explain_at(slicer, name, far, end, unsure=True)
            unseen = [Step("defined", read, name, "", value=far)]
            return Part("element", handed_on(slicer.core, *at, steps) or unseen, start, read)
    return None


def leaves_block(core: Dump, base: int, cell: int) -> bool:
    """Whether a cell lies outside of the heap block, or of the module's variable with that address,
    that a pointer to it set out from: its header is malloc's."""
    name = variable_at(core, base)
    if name is not None and "+" not in name:
        return (variable_at(core, cell) or "").split("+")[0] != name
    found = ((heap.walk, heap.walk.holder(base)) for heap in heaps_of(core)[0])
    return any(
        block is not None and (walk.holder(cell) != block or cell < walk.starts[block] + 16 <= base)
        for walk, block in found
    )


_HELD = ("load", "call", "argument", "copy")


def _is_pointer(step: Step) -> bool:
    """Whether a step loads a whole word: of two zeros that are added it is the pointer."""
    return step.kind == "load" and "qword ptr" in step.text and step.text.startswith("mov ")


def summed(insn: Instruction, register: str) -> tuple[str, str] | None:
    """The two registers that an instruction adds."""
    if len(insn.operands) != 2:
        return None
    second = insn.operands[1]
    if insn.mnemonic == "add" and second.reg in FAMILY:
        return register, FAMILY[second.reg]
    mem = second.mem
    if insn.mnemonic == "lea" and mem and mem.base and mem.index and mem.base != "rip":
        return mem.base, mem.index
    return None


def slicer_at(core: Dump, pc: int, registers: Mapping[str, int]) -> Slicer | None:
    """A slicer of the function around ``pc`` with these registers right before it."""
    code = code_around(core, pc)
    if code is None or pc not in code.at:
        return None
    return Slicer(core, code, code.at[pc], registers)


def _goes_to(core: Dump, target: int | None, argument: Step) -> bool:
    """Whether a call goes to the function of an argument, or to one that only jumps on to it with
    that argument as it is; an indirect one may."""
    if target is None:
        return True
    goal = through_plt(core, target)
    for _ in range(_MOST_JUMPS):
        bounds = function_bounds(core, goal)
        if goal == argument.at or (bounds is not None and bounds[0] <= argument.at < bounds[1]):
            return True
        on = jumps_on(core, goal)
        if on is None or not on[1] or argument.register != ARGUMENTS[0]:
            return False
        goal = on[0]
    return False
