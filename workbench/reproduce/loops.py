"""Numbers below zero: what a loop's counter that ran out of range was compared with, an index."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from workbench.reproduce.slices import Lead, Place, cells_of, last_step
from workbench.reproduce.wire import Hit
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step, explain_at
from workbench.targets.probes.history import handed_on, slicer_at, summed
from workbench.targets.probes.instruction import Instruction, Operand, led_to
from workbench.targets.probes.slicer import Slicer, Trail
from workbench.targets.probes.x86 import COPIES, FAMILY

Passed = Callable[[list[Step]], list[Step]]
"""Steps with those of the callers that handed the value on."""
Counter = str | tuple[str, int]
"""A register, or a cell of the function's frame by its base register and displacement."""
_WRAPPED = 1 << 31
"""From here on a number of 32 or 64 bits is no count of anything: it is negative, or was."""

_RECKONS = ("add", "sub", "xor", "imul", "shl")


def wrapped(value: int | None) -> bool:
    """Whether a number of 32 or 64 bits is below zero, or was."""
    return value is not None and value >= _WRAPPED


def spends(core: Dump, use: int, clears: int) -> bool:
    """Whether a function clears behind its use, in a way without a round or right behind it, what
    it used: then the one that it finds cleared was used up in a call, or round, before."""
    code = code_around(core, use)
    if code is None or not use < clears <= code.instructions[-1].end:
        return False
    jumps = [one for one in code.instructions if one.is_jump]
    return not any(use <= one.address < clears or use < (one.target or 0) <= clears
                   for one in jumps) or not any(
        one.address >= clears and code.start <= (one.target or 0) <= use for one in jumps
    )  # fmt: skip


def begins(core: Dump, at: int) -> bool:
    """Whether no instruction of its function gave the register that one sets a value before."""
    code = code_around(core, at)
    insn = code.instructions[code.at[at]] if code is not None and at in code.at else None
    register = (
        FAMILY.get(insn.operands[0].reg or "") if insn is not None and insn.operands else None
    )
    if code is None or register is None:
        return False
    ways = Slicer(core, code, code.at[at], {}).definitions(register)
    return all(index is None or code.instructions[index].is_call for index, _ in ways)


def met_below_zero(steps: Sequence[Step]) -> Step | None:
    """The step that gave a number below zero, when a difference of two numbers, neither of which is
    below zero, lies behind it: the slice follows one of them, and either may be to blame. Not where
    another number was added that took the sum above it: a compiler adds up in an order of its own.
    """
    fell = fell_below_zero(steps)
    ahead = steps[: steps.index(fell)] if fell is not None else ()
    if any(_ADDS.match(one.text) and not wrapped(one.value) for one in ahead):
        return None
    behind = steps[: steps.index(fell) + 2] if fell is not None else ()
    return fell if any(re.match(r"sub \w+, [a-z]", step.text) for step in behind) else None


_ADDS = re.compile(r"add \w+, [a-z]|lea \w+, \[\w+ \+ [a-z]")


def fell_below_zero(steps: Sequence[Step]) -> Step | None:
    """The step that worked out a number below zero from one that is known to be none; None where it
    is not known which one did."""
    made = ((one, behind.value) for one, behind in pairwise(steps)
            if one.kind == "computed" and wrapped(one.value))  # fmt: skip
    step, was = next(((one, was) for one, was in made if not wrapped(was)), (None, None))
    return step if was is not None else None


def builds_up(core: Dump, at: int) -> bool:
    """Whether an instruction makes a number of what it made in the round before, as it is or as
    others reckoned with it since, or stores one that was read from there right before: such a
    number is as large as what was read in a loop, which proves nothing against the loop."""
    slicer = slicer_at(core, at, {})
    code, end = (slicer.code, slicer.code.at[at]) if slicer is not None else (None, 0)
    if slicer is None or code is None or not code.instructions[end].operands:
        return False
    target = code.instructions[end].operands[0]
    if target.mem is None:
        register, ways = FAMILY.get(target.reg or "", ""), [end]
        for way in ways:
            found = [index for index, _ in Slicer(core, code, way, {}).definitions(register)]
            if end in found:
                return True
            ways += [at for at in found if at is not None and at not in ways
                     and code.instructions[at].mnemonic in _RECKONS]  # fmt: skip
        return False
    for index in range(end - 1, -1, -1):
        insn = code.instructions[index]
        if insn.is_jump or insn.is_call:
            break
        if any(one.mem == target.mem for one in insn.operands[1:]):
            return True
    return False


def rounds_of(code: Code, insn: Instruction) -> list[range]:
    """The loops that an instruction is in, by the addresses of their code, inner ones first."""
    backward = (one for one in code.instructions if one.is_jump and one.target is not None)
    found = [range(one.target or 0, one.end) for one in backward
             if (one.target or one.end) <= insn.address < one.end]  # fmt: skip
    return sorted(found, key=len)


def puts_together(core: Dump, at: int) -> bool:
    """Whether an instruction makes a number of the bits of two, as a reader does of bytes."""
    insn = insn_at(core, at)
    return insn is not None and insn.mnemonic == "or" and insn.operands[1].imm is None


def made_ring(links: Sequence[Place], writes: Sequence[Hit]) -> list[Hit]:
    """The writes of a list's links that made a ring of what was none: of one that is meant to be a
    ring those of its beginning, or none."""
    cells = {place.cell for place in links}
    steps = {cell - (links[0].value or 0) for cell in cells}
    step = next((s for s in steps if all((one.value or 0) + s in cells for one in links)), None)
    if step is None:
        return []
    state = {place.cell: place.value for place in links}
    state |= {hit.address: hit.old for hit in reversed(writes)}
    found, before = list[Hit](), _closed(state, step)
    for hit in writes:
        state[hit.address] = hit.new
        now = _closed(state, step)
        found += [hit] if now and not before else []
        before = now
    return found


def _closed(state: Mapping[int, int | None], step: int) -> bool:
    for start in state:
        at = start
        for _ in state:
            at = (state[at] or 0) + step
            if at == start:
                return True
            if at not in state:
                break
    return False


def counter_of(
    core: Dump, thread: CoreThread, register: str, steps: Sequence[Step]
) -> Counter | None:
    """What the function itself counts on in a loop, of an address: its register, or the cell of
    the frame from which the slice of the register begins."""
    slicer = slicer_at(core, thread.pc or 0, thread.registers)
    if slicer is None:
        return None
    found = list(slicer.definitions(register))
    at = found[0][0] if len(found) == 1 else None
    insn = slicer.code.instructions[at] if at is not None else None
    source = insn.operands[1].reg if insn is not None and insn.mnemonic in COPIES else None
    if at is not None and source in FAMILY:  # it was counted on behind the copy
        register = FAMILY[source]
        found = list(slicer.definitions(register, (at, found[0][1])))
    now = slicer.known(register)
    if now is not None and any(_gives(slicer, way) == now for way in found):
        return None  # its first round, as below
    for index, rest in found:
        if index is not None and counts(slicer.code.instructions[index], register):
            again = slicer.definitions(register, (index, rest))
            if any(before == index for before, _ in again):
                return register
    first = next((step for step in steps if step.kind == "load"), None)
    if first is None or first.at not in slicer.code.at:
        return None
    if steps[-1] is not first and steps[-1].kind != "constant":
        return None  # its first round: where it began is to be found out
    mem = slicer.code.instructions[slicer.code.at[first.at]].operands[1].mem
    if mem is None or mem.base not in slicer.code.frame or mem.index is not None:
        return None
    cell = mem.base, mem.disp
    if any(led_to(one) == cell for one in slicer.code.instructions):
        return None  # others store there
    return cell if any(_counts_cell(slicer, index, cell) for index in _before(slicer)) else None


def _gives(slicer: Slicer, way: tuple[int | None, Trail | None]) -> int | None:
    """What a copy on one of the ways puts into its register, if that is known."""
    at, rest = way
    insn = slicer.code.instructions[at] if at is not None else None
    if insn is None or at is None or insn.mnemonic != "mov":
        return None
    return slicer.operand(insn.operands[1], (at, rest))


def bound_of(core: Dump, thread: CoreThread, counter: Counter, value: int) -> Lead | None:
    """The way back from the number that a loop's counter, ``value`` by now, is compared with, if
    that is wrapped: below zero, or what became of a number below zero."""
    slicer = slicer_at(core, thread.pc or 0, thread.registers)
    walk = slicer.back() if slicer is not None else iter(())
    for index, rest, _ in walk:
        if slicer is None or index is None:
            continue
        insn, trail = slicer.code.instructions[index], (index, rest)
        if insn.mnemonic != "cmp" or len(insn.operands) != 2:
            continue
        left, right = insn.operands
        for one, other in ((left, right), (right, left)):
            if _is(slicer, one, counter, trail) and other.imm is None:
                steps = _wrapped(
                    slicer, other, trail, value,
                    partial(handed_on, core, thread.pc or 0, thread.registers),
                )  # fmt: skip
                cells, derived = cells_of(core, steps)
                if not steps:
                    return None
                end = None if cells else last_step(steps)
                return Lead(row="bound", cells=cells, end=end, derived=derived)
    return None


def obeyed(
    core: Dump, at: int, registers: Mapping[str, int], counter: Counter, value: int | None
) -> tuple[int, str, Place] | None:
    """What a number of the function's, ``value`` if known, is less than in the comparison on the
    way to an instruction: the index of the instruction that reads it through a pointer, the
    pointer's register, or "rip" for a variable's own place, and the cell. None for any other."""
    slicer = slicer_at(core, at, registers)
    for index, rest, _ in slicer.back() if slicer is not None else ():
        insn = slicer.code.instructions[index] if slicer is not None and index is not None else None
        if slicer is None or insn is None or index is None or insn.mnemonic != "cmp":
            continue
        trail = (index, rest)
        for one, other in (insn.operands, insn.operands[::-1]):
            if not _is(slicer, one, counter, trail) or other.imm is not None:
                continue
            steps = _behind(slicer, other, trail)
            load = next((step for step in steps if step.kind == "load"), None)
            read = slicer.code.at[load.at] if load is not None else index
            mems = (o.mem for o in slicer.code.instructions[read].operands if o.mem)
            base = next((mem.base for mem in mems if mem.base not in slicer.code.frame), None)
            now = slicer.operand(one, trail) if value is None else value
            bound = slicer.operand(other, trail)
            cell = steps[0].source if steps and steps[0] is load else None
            if base and now is not None and bound is not None and now < bound:
                return read, base, Place(cell or 0, other.size, bound, at)
            return None
    return None


def _wrapped(
    slicer: Slicer, bound: Operand, trail: Trail, value: int, passed: Passed
) -> list[Step]:
    """The steps behind a bound that is wrapped, or behind the wrapped part of a sum of an address
    and a distance, through the callers."""
    now = slicer.operand(bound, trail)
    steps = _behind(slicer, bound, trail)
    if value < 1 << 32 or bound.size < 8:
        return passed(steps) if wrapped(now) else []
    if now is None or value <= now < value + _WRAPPED:
        return []
    for _ in range(2):  # the sum, perhaps behind a copy
        register = FAMILY.get(bound.reg or "")
        found = list(slicer.definitions(register, trail)) if register else []
        if len(found) != 1 or found[0][0] is None or register is None:
            return []
        trail = found[0][0], found[0][1]
        insn = slicer.code.instructions[trail[0]]
        for part in summed(insn, register) or ():
            steps = passed(explain_at(slicer, part, None, trail))
            loaded = next((s.value for s in steps if s.kind == "load"), None)
            if wrapped(loaded) and slicer.core.region(loaded or 0) is None:
                return steps
        if insn.mnemonic != "mov":
            break
        bound = insn.operands[1]
    return []


def _behind(slicer: Slicer, bound: Operand, trail: Trail) -> list[Step]:
    if bound.reg in FAMILY:
        return explain_at(slicer, FAMILY[bound.reg], None, trail)
    cell = slicer.effective(bound.mem, trail) if bound.mem else None
    insn = slicer.code.instructions[trail[0]]
    now = slicer.operand(bound, trail)
    return [] if cell is None else [Step("load", insn.address, "", insn.text, cell, now)]


def loaded_for(slicer: Slicer, operand: Operand, trail: Trail) -> tuple[int | None, bool]:
    """The cell that an operand of a comparison is, or was read from, if it was, and whether it is
    what was read there."""
    known = operand.mem is not None or operand.reg in FAMILY
    steps = _behind(slicer, operand, trail) if known else []
    at = next((at for at, one in enumerate(steps) if one.kind == "load"), None)
    if at is None:
        return None, False
    return steps[at].source, all(one.kind == "copy" for one in steps[:at])


def _is(slicer: Slicer, operand: Operand, counter: Counter, trail: Trail) -> bool:
    """Whether an operand is the counter, or a register that was just filled from it."""
    if operand.mem is not None:
        return _cell(operand) == counter
    register = FAMILY.get(operand.reg or "")
    if register is None or register == counter:
        return register is not None
    found = list(slicer.definitions(register, trail))
    if len(found) != 1 or found[0][0] is None:
        return False
    insn = slicer.code.instructions[found[0][0]]
    if insn.mnemonic not in COPIES:
        return False
    source = insn.operands[1]
    return counter in (_cell(source), FAMILY.get(source.reg or ""))


def _cell(operand: Operand) -> Counter | None:
    mem = operand.mem
    return (mem.base or "", mem.disp) if mem is not None and mem.index is None else None


def _before(slicer: Slicer) -> Iterator[int]:
    for index, *_ in slicer.back():
        if index is not None:
            yield index


def counts(insn: Instruction, register: str) -> bool:
    """Whether an instruction adds a constant to a register that it sets."""
    if insn.mnemonic in ("inc", "dec"):
        return True
    if insn.mnemonic not in ("add", "sub", "lea") or len(insn.operands) != 2:
        return False
    operand = insn.operands[1]
    mem = operand.mem
    return operand.imm is not None or (mem is not None and mem.base == register and not mem.index)


def lessened(insn: Instruction | None) -> str:
    """The register from whose value an instruction takes a constant; empty for any other."""
    into, last = insn.operands if insn is not None and len(insn.operands) == 2 else (None, None)
    if insn is None or into is None or last is None or into.reg is None:
        return ""
    if insn.mnemonic == "lea" and last.mem is not None:
        alone = last.mem.base not in (None, "rip", "rsp", "rbp") and not last.mem.index
        return last.mem.base or "" if alone and last.mem.disp < 0 else ""
    below = last.imm is not None and (last.imm >> 31 != 0) == (insn.mnemonic == "add")
    return FAMILY.get(into.reg, "") if below and insn.mnemonic in ("add", "sub") else ""


def _counts_cell(slicer: Slicer, index: int, cell: Counter) -> bool:
    """Whether an instruction adds a constant to a cell, or stores a register with such a sum."""
    insn = slicer.code.instructions[index]
    if not insn.operands or _cell(insn.operands[0]) != cell:
        return False
    if insn.mnemonic in ("inc", "dec", "add", "sub"):
        return insn.mnemonic in ("inc", "dec") or insn.operands[1].imm is not None
    register = FAMILY.get(insn.operands[1].reg or "") if len(insn.operands) == 2 else None
    before = slicer.code.instructions[index - 1] if index else None
    return register is not None and before is not None and counts(before, register)
