"""Where a register's value came from: a backward slice over one function's instructions.

The values that are known are those at one point (the crash, or a return address in a caller).
From there the slice goes back over every way that could have led here, takes the instruction that
last wrote the register, and recomputes what it must have seen. A step is believed when what it
computes is the value that was really there; memory may have changed since, which the step says
(`explain`).
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from weakref import WeakKeyDictionary

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.called import hands_back
from workbench.targets.probes.code import Code
from workbench.targets.probes.instruction import MASK, Instruction, Memory, Operand
from workbench.targets.probes.places import read_some
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import COPIES, FAMILY, signed

_MAX_POINTS = 50_000
_SMALL, _DEEP = 512, 3
"""Bytes of a function whose registers are looked at, and how far what it calls is."""
MAX_DEPTH = 12
"""How many steps back are recomputed, and told, at most."""

_READ_ONLY = frozenset({"cmp", "test", "push", "jmp", "nop"})
"""Instructions that only read the memory that they name first."""

_RESULTS: dict[str, Callable[..., int]] = {
    "add": operator.add, "sub": operator.sub, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "imul": operator.mul, "shr": lambda value, count: value >> (count & 63),
    **dict.fromkeys(("shl", "sal"), lambda value, count: value << (count & 63)),
    "neg": operator.neg, "inc": lambda value: value + 1, "dec": lambda value: value - 1,
}  # fmt: skip
"""What arithmetic makes of its operands, before it is cut to their width."""
_OF_ONE = frozenset({"neg", "inc", "dec"})
_UNTOLD = frozenset({"syscall", "int", "cpuid"})
"""Of which the decoder does not tell each register that they set."""

Trail = tuple[int, "Trail | None"]
"""The instructions from a point up to the place whose registers are known: (first, the rest)."""


class Slicer:
    """Questions about one function, given the registers right before instruction ``end``."""

    def __init__(self, core: Dump, code: Code, end: int, registers: Mapping[str, int]) -> None:
        self.core = core
        self.code = code
        self.end = end
        self._registers = registers
        self.bases = {name: registers[name] for name in x86.BASES if name in registers}
        self._budget = _MAX_POINTS
        # By register and trail, which is kept with it: ``last_stores`` asks at each step of a way.
        self._undone: dict[tuple[str, int], tuple[Trail, int | None]] = {}

    # --- values -----------------------------------------------------------------------------

    def known(self, register: str, trail: Trail | None = None, depth: int = 0) -> int | None:
        """The value right before the instruction at which a trail begins, or the end point."""
        value = self._before(register, trail)
        if value is not None or depth >= MAX_DEPTH:
            return value
        found = list(self.definitions(register, trail))
        if len(found) != 1:
            return None
        last, rest = found[0]
        return None if last is None else self.evaluate((last, rest), register, depth + 1)

    def _before(self, register: str, trail: Trail | None) -> int | None:
        """The same, by what the end point's value and the instructions up to there alone tell."""
        ahead: list[Trail] = []
        while trail is not None and (register, id(trail)) not in self._undone:
            ahead.append(trail)
            trail = trail[1]
        known = self._registers.get(register)
        value = known if trail is None else self._undone[register, id(trail)][1]
        for one in reversed(ahead):
            insn = self.code.instructions[one[0]]
            if register == "rbp" and register in self.code.frame and _leaves(insn):
                top = self._before("rsp", one[1])
                value = None if top is None else (top - 8) & MASK
            elif value is not None and (register == "rsp" or register in self._written(insn)):
                value = _undo(insn, register, value)
            self._undone[register, id(one)] = (one, value)
        return value

    def _written(self, insn: Instruction) -> frozenset[str]:
        """The registers that are not what they were once an instruction is done; a call comes back
        with its stack pointer restored."""
        if not insn.is_call:
            return insn.writes
        return set_by(self.core, insn.target) if insn.target is not None else x86.CALLER_SAVED

    def evaluate(self, trail: Trail, register: str, depth: int = 0) -> int | None:
        """What the instruction at which a trail begins wrote into a register."""
        insn = self.code.instructions[trail[0]]
        if depth <= MAX_DEPTH and insn.mnemonic == "cdqe":
            low = self.known("rax", trail, depth)
            return None if low is None else signed(low, 4) & MASK
        if depth > MAX_DEPTH or not insn.operands:
            return None
        if insn.is_call:
            stack = self._registers.get("rsp") if register == "rax" else None
            far = hands_back(self.core, insn, stack)
            given = self.known(x86.ARGUMENTS[0], trail, depth) if far is not None else None
            return (given + far) & MASK if given is not None and far is not None else None
        target = insn.operands[0]
        if target.reg is None or FAMILY.get(target.reg) != register or target.size < 4:
            return None
        width = (1 << target.size * 8) - 1
        if zeroes(insn):
            return 0
        if insn.mnemonic in COPIES and len(insn.operands) == 2:
            source = insn.operands[1]
            value = self.operand(source, trail, depth)
            if value is None:
                return None
            if insn.mnemonic.startswith("movs"):
                value = signed(value, source.size)
            return value & width
        if insn.mnemonic == "lea" and insn.operands[1].mem is not None:
            value = self.effective(insn.operands[1].mem, trail, depth)
            return None if value is None else value & width
        return self._arithmetic(insn, trail, width, depth)

    def _arithmetic(self, insn: Instruction, trail: Trail, width: int, depth: int) -> int | None:
        read = insn.operands[len(insn.operands) == 3 :]  # imul of three only writes its first
        values = [self.operand(operand, trail, depth) for operand in read]
        compute = _RESULTS.get(insn.mnemonic)
        if compute is None or None in values:
            return None
        if len(values) != (1 if insn.mnemonic in _OF_ONE else 2):
            return None
        return compute(*values) & width

    def operand(self, operand: Operand, trail: Trail, depth: int = 0) -> int | None:
        """The value that an operand of a trail's first instruction had: of memory as it is now, but
        of a cell of the own frame that the rest of the trail stores to as the store before gave
        it."""
        if operand.imm is not None:
            return operand.imm & MASK
        if operand.reg is not None:
            family = FAMILY.get(operand.reg)
            if family is None or operand.reg.endswith("h"):
                return None
            value = self.known(family, trail, depth)
            return None if value is None else value & ((1 << operand.size * 8) - 1)
        if operand.mem is None:
            return None
        cell = self.effective(operand.mem, trail, depth)
        if cell is None or depth > MAX_DEPTH:
            return None
        local = operand.mem.base in self.code.frame
        if not local or not self._is_stored_to(cell, trail[1], depth):
            return self.core.number(cell, operand.size) if 0 < operand.size <= 8 else None
        before, unset = last_stores(self, cell, trail, depth)
        source = stored(self, before[0]) if not unset and len(before) == 1 else None
        return None if source is None else self.operand(source, before[0], depth + 1)

    def _is_stored_to(self, cell: int, trail: Trail | None, depth: int) -> bool:
        """True where an instruction of a trail writes to a cell, as far as its address is known."""
        while trail is not None:
            insn = self.code.instructions[trail[0]]
            target = insn.operands[0].mem if insn.operands else None
            if (
                target is not None
                and _writes_first(insn)
                and self.effective(target, trail, depth + 1) == cell
            ):
                return True
            trail = trail[1]
        return False

    def effective(self, mem: Memory, trail: Trail, depth: int = 0) -> int | None:
        """The address that a memory operand of a trail's first instruction came to."""
        needed = dict(self.bases)
        for name in (mem.base, mem.index):
            if name is not None and name != "rip":
                value = self.known(name, trail, depth)
                if value is None:
                    return None
                needed[name] = value
        return self.code.instructions[trail[0]].effective(mem, needed)

    # --- ways back --------------------------------------------------------------------------

    def back(
        self,
        trail: Trail | None = None,
        stops: Callable[[int, Trail | None], bool] = lambda *_: False,
    ) -> Iterator[tuple[int | None, Trail | None, bool]]:
        """Walk back over all ways, nearest first: each instruction with the trail behind it, or
        None for the function's entry, and whether the way ``stops`` there."""
        point = self.end if trail is None else trail[0]
        seen = {point}
        stack: list[tuple[int, Trail | None]] = [(point, trail)]
        while stack and self._budget > 0:
            self._budget -= 1
            here, rest = stack.pop()
            if here == 0:
                yield None, rest, True
            for index in self.code.before[here]:
                stop = stops(index, rest)
                yield index, rest, stop
                if not stop and index not in seen:
                    seen.add(index)
                    stack.append((index, (index, rest)))

    def definitions(
        self, register: str, trail: Trail | None = None
    ) -> Iterator[tuple[int | None, Trail | None]]:
        """The instructions that may have written the register last; None stands for the entry."""

        def sets(index: int, _: Trail | None) -> bool:
            return register in self._written(self.code.instructions[index])

        return ((index, rest) for index, rest, stop in self.back(trail, sets) if stop)


_set_by: "WeakKeyDictionary[Dump, dict[int, frozenset[str]]]" = WeakKeyDictionary()


def set_by(core: Dump, start: int, deep: int = _DEEP) -> frozenset[str]:
    """The registers that a function sets, with those of what it calls, of what a caller may count
    on to lose: a compiler that sees both keeps values in the others (gcc -O2, -fipa-ra)."""
    known = _set_by.setdefault(core, {})
    if start not in known:
        known[start] = x86.CALLER_SAVED  # for what comes back to it
        known[start] = _sets(core, start, deep)
    return known[start]


def _sets(core: Dump, start: int, deep: int) -> frozenset[str]:
    bounds = function_bounds(core, start)
    if bounds is None or bounds[0] != start or bounds[1] - start > _SMALL:
        return x86.CALLER_SAVED
    found, end = set[str](), start
    for insn in x86.decode(read_some(core, start, bounds[1] - start), start):
        end = insn.end
        if insn.mnemonic in _UNTOLD:
            return x86.CALLER_SAVED
        leaves = insn.is_jump and not start <= (insn.target or 0) < bounds[1]
        if insn.is_call or leaves:
            if not deep or insn.target is None:
                return x86.CALLER_SAVED
            found |= set_by(core, insn.target, deep - 1)
        found |= set() if insn.is_call else insn.writes
    return x86.CALLER_SAVED & found if end == bounds[1] else x86.CALLER_SAVED


def _undo(insn: Instruction, register: str, value: int) -> int | None:
    """The value before an instruction of a register that it sets, or of the stack pointer, from the
    one behind it."""
    if register == "rsp":
        return _stack_before(insn, value)
    first = insn.operands[0] if insn.operands else None
    if first is None or first.reg != register:
        return None
    amount = insn.operands[1].imm if len(insn.operands) > 1 else None
    match insn.mnemonic:
        case "add" if amount is not None:
            return (value - amount) & MASK
        case "sub" if amount is not None:
            return (value + amount) & MASK
        case "inc":
            return (value - 1) & MASK
        case "dec":
            return (value + 1) & MASK
    return None


def _leaves(insn: Instruction) -> bool:
    """Whether an instruction takes the caller's frame pointer back from where its own points."""
    return insn.mnemonic == "leave" or (insn.mnemonic == "pop" and insn.operands[0].reg == "rbp")


def _writes_first(insn: Instruction) -> bool:
    return not insn.is_call and insn.mnemonic not in _READ_ONLY


def zeroes(insn: Instruction) -> bool:
    """``xor eax, eax`` and its kin."""
    if insn.mnemonic not in ("xor", "sub") or len(insn.operands) != 2:
        return False
    left, right = insn.operands
    return left.reg is not None and left.reg == right.reg and left.size >= 4


def _stack_before(insn: Instruction, value: int) -> int | None:
    """The stack pointer before an instruction, from the one behind it."""
    if insn.is_call:
        return value
    if insn.mnemonic == "push":
        return (value + 8) & MASK
    if insn.mnemonic == "pop":
        return (value - 8) & MASK
    if "rsp" not in insn.writes:
        return value
    amount = insn.operands[1].imm if len(insn.operands) == 2 else None
    if amount is not None and insn.operands[0].reg == "rsp":
        if insn.mnemonic == "add":
            return (value - amount) & MASK
        if insn.mnemonic == "sub":
            return (value + amount) & MASK
    return None


def gives(slicer: Slicer, way: Trail, value: int | None) -> bool:
    """True when a store puts just this value into its cell."""
    source = stored(slicer, way)
    return source is not None and slicer.operand(source, way) == value


def stored(slicer: Slicer, way: Trail) -> Operand | None:
    """What a store puts into its cell as it is; None where it computes with what is there."""
    insn = slicer.code.instructions[way[0]]
    return insn.operands[1] if insn.mnemonic.startswith("mov") else None


def last_stores(slicer: Slicer, cell: int, trail: Trail, depth: int) -> tuple[list[Trail], bool]:
    """The instructions that may have set a cell last, and whether some way from the function's
    entry passes none of them."""

    def sets(at: int, rest: Trail | None) -> bool:
        insn = slicer.code.instructions[at]
        target = insn.operands[0].mem if insn.operands and _writes_first(insn) else None
        return target is not None and slicer.effective(target, (at, rest), depth) == cell

    ways = [(at, rest) for at, rest, stop in slicer.back(trail, sets) if stop]
    found = [(at, rest) for at, rest in ways if at is not None]
    return found, len(found) < len(ways)
