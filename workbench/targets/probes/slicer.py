"""Where a register's value came from: a backward slice over one function's instructions.

The values that are known are those at one point (the crash, or a return address in a caller).
From there the slice goes back over every way that could have led here, takes the instruction that
last wrote the register, and recomputes what it must have seen. A step is believed when what it
computes is the value that was really there; memory may have changed since, which the step says.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.targets.probes import x86
from workbench.targets.probes.code import Code
from workbench.targets.probes.x86 import FAMILY, MASK, Instruction, Operand

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile

_MAX_POINTS = 3000
_MAX_DEPTH = 12
_ALLOCATOR = frozenset({"malloc", "free", "calloc", "realloc", "memalign", "valloc", "pvalloc"})
_COPIES = frozenset({"mov", "movabs", "movzx", "movsx", "movsxd"})

Trail = tuple[int, "Trail | None"]
"""The instructions from a point up to the place whose registers are known: (first, the rest)."""


@dataclass(frozen=True)
class Step:
    """One step back. ``kind``: load | store | copy | computed | constant | call | argument.

    ``register`` is what the instruction at ``at`` wrote (for a store: what it wrote from);
    ``source`` the cell of a load or store, ``value`` what memory holds there now or what was
    computed. ``matches`` is False when that is not the value that was seen later.
    """

    kind: str
    at: int
    register: str
    text: str
    source: int | None = None
    value: int | None = None
    matches: bool = True
    detail: str = ""


class Slicer:
    """Questions about one function, given the registers right before instruction ``end``."""

    def __init__(
        self,
        core: "CoreFile",
        code: Code,
        end: int,
        registers: Mapping[str, int],
        segments: Mapping[str, int],
    ) -> None:
        self._core = core
        self._code = code
        self._end = end
        self._registers = registers
        self._segments = segments

    def value(self, register: str) -> int | None:
        """The register's value right before the end point, recomputed where it is not given."""
        return self._known(register, self._end, None, 0)

    def explain(self, register: str) -> list[Step]:
        """The steps back from the register's value at the end point, nearest first."""
        steps: list[Step] = []
        value = self.value(register)
        self._explain(register, value, self._end, None, steps)
        return steps

    def address(self, operand: x86.Memory, index: int) -> int | None:
        """The effective address of an operand of instruction ``index`` when that is the end."""
        return self._effective(operand, index, None, 0)

    # --- values -----------------------------------------------------------------------------

    def _known(self, register: str, point: int, trail: Trail | None, depth: int) -> int | None:
        """The value right before instruction ``point``; ``trail`` runs from there to the end."""
        value = self._registers.get(register)
        between = list(_indexes(trail))
        for index in reversed(between):
            if value is None:
                break
            value = self._undone(self._code.instructions[index], register, value)
        if value is not None or depth >= _MAX_DEPTH:
            return value
        found = list(self._definitions(register, point, trail))
        if len(found) != 1:
            return None
        last, rest = found[0]
        return None if last is None else self._evaluate(last, register, rest, depth + 1)

    def _undone(self, insn: Instruction, register: str, value: int) -> int | None:
        """The register's value before an instruction, from the one behind it."""
        if register == "rsp":
            return _stack_before(insn, value)
        if register not in written(insn):
            return value
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

    def _evaluate(self, index: int, register: str, rest: Trail | None, depth: int) -> int | None:
        """What instruction ``index`` wrote into a register; ``rest`` is the trail behind it."""
        insn = self._code.instructions[index]
        trail: Trail = (index, rest)
        if depth > _MAX_DEPTH or not insn.operands:
            return None
        target = insn.operands[0]
        if target.reg is None or FAMILY.get(target.reg) != register or target.size < 4:
            return None
        width = (1 << target.size * 8) - 1
        if _zeroes(insn):
            return 0
        if insn.mnemonic in _COPIES and len(insn.operands) == 2:
            source = insn.operands[1]
            value = self._operand(source, index, trail, depth)
            if value is None:
                return None
            if insn.mnemonic.startswith("movs"):
                sign = 1 << (source.size * 8 - 1)
                value = (value ^ sign) - sign
            return value & width
        if insn.mnemonic == "lea" and insn.operands[1].mem is not None:
            value = self._effective(insn.operands[1].mem, index, trail, depth)
            return None if value is None else value & width
        if insn.mnemonic in ("add", "sub") and len(insn.operands) == 2:
            left = self._known(register, index, trail, depth)
            right = self._operand(insn.operands[1], index, trail, depth)
            if left is None or right is None:
                return None
            return (left + right if insn.mnemonic == "add" else left - right) & width
        return None

    def _operand(self, operand: Operand, index: int, trail: Trail | None, depth: int) -> int | None:
        if operand.imm is not None:
            return operand.imm & MASK
        if operand.reg is not None:
            family = FAMILY.get(operand.reg)
            if family is None or operand.reg.endswith("h"):
                return None
            value = self._known(family, index, trail, depth)
            return None if value is None else value & ((1 << operand.size * 8) - 1)
        if operand.mem is None:
            return None
        cell = self._effective(operand.mem, index, trail, depth)
        return None if cell is None else self._cell(cell, operand.size)

    def _cell(self, address: int, size: int) -> int | None:
        raw = self._core.read(address, size) if 0 < size <= 8 else None
        return None if raw is None else int.from_bytes(raw, "little")

    def _effective(
        self, mem: x86.Memory, index: int, trail: Trail | None, depth: int
    ) -> int | None:
        needed = {}
        for name in (mem.base, mem.index):
            if name is not None and name != "rip":
                value = self._known(name, index, trail, depth)
                if value is None:
                    return None
                needed[name] = value
        return self._code.instructions[index].effective(mem, needed, self._segments)

    # --- ways back --------------------------------------------------------------------------

    def _back(
        self, point: int, trail: Trail | None
    ) -> Generator[tuple[int | None, Trail | None], bool | None, None]:
        """Walk back over all ways, nearest first: each instruction with the trail behind it, or
        None for the function's entry. Sending True stops that way."""
        seen = {point}
        stack: list[tuple[int, Trail | None]] = [(point, trail)]
        for _ in range(_MAX_POINTS):
            if not stack:
                return
            here, rest = stack.pop()
            ways = self._code.before[here]
            if here == 0:
                yield None, rest
            for index in ways:
                stop = yield index, rest
                if not stop and index not in seen:
                    seen.add(index)
                    stack.append((index, (index, rest)))

    def _definitions(
        self, register: str, point: int, trail: Trail | None
    ) -> Iterator[tuple[int | None, Trail | None]]:
        """The instructions that may have written the register last; None stands for the entry."""
        walk = self._back(point, trail)
        stop: bool | None = None
        while True:
            try:
                index, rest = walk.send(stop) if stop is not None else next(walk)
            except StopIteration:
                return
            stop = index is None or register in written(self._code.instructions[index])
            if stop:
                yield index, rest

    # --- explaining -------------------------------------------------------------------------

    def _explain(
        self,
        register: str,
        value: int | None,
        point: int,
        trail: Trail | None,
        steps: list[Step],
    ) -> None:
        if len(steps) >= _MAX_DEPTH or register in ("rsp", "rip"):
            return
        found = list(self._definitions(register, point, trail))
        chosen = self._chosen(found, register, value)
        if chosen is None:
            return
        index, rest = chosen
        if index is None:
            if self._code.exact and register in x86.ARGUMENTS:
                place = x86.ARGUMENTS.index(register) + 1
                steps.append(
                    Step("argument", self._code.start, register, "", value=value, detail=str(place))
                )
            return
        if register == "rbp" and _sets_frame(self._code.instructions[index]):
            return
        self._step(register, value, index, rest, steps)

    def _chosen(
        self,
        found: list[tuple[int | None, Trail | None]],
        register: str,
        value: int | None,
    ) -> tuple[int | None, Trail | None] | None:
        """The definition to believe: the only one, or the only one that gives the value seen."""
        if len(found) == 1:
            return found[0]
        if value is None:
            return None
        fitting = [
            (index, rest)
            for index, rest in found
            if index is not None and self._evaluate(index, register, rest, 0) == value
        ]
        if len({index for index, _ in fitting}) == 1:
            return fitting[0]
        return None

    def _step(
        self,
        register: str,
        value: int | None,
        index: int,
        rest: Trail | None,
        steps: list[Step],
    ) -> None:
        insn = self._code.instructions[index]
        trail: Trail = (index, rest)
        if insn.is_call:
            if register == "rax":
                name = callee_name(self._core, insn) or "a function"
                steps.append(Step("call", insn.address, "rax", insn.text, value=value, detail=name))
            return
        computed = self._evaluate(index, register, rest, 0)
        fits = value is None or computed is None or computed == value
        if _zeroes(insn):
            steps.append(Step("constant", insn.address, register, insn.text, None, 0, fits))
            return
        source = insn.operands[1] if len(insn.operands) > 1 else None
        if insn.mnemonic in _COPIES and source is not None:
            self._copied(register, value, index, trail, source, computed, fits, steps)
        elif insn.mnemonic in ("lea", "add", "sub", "inc", "dec"):
            seen = value if computed is None else computed
            other = self._other(source, index, trail)
            steps.append(
                Step("computed", insn.address, register, insn.text, None, seen, fits, other)
            )
            self._through_arithmetic(register, index, trail, steps)

    def _other(self, source: Operand | None, index: int, trail: Trail) -> str:
        """The second operand of an addition, when it is a register whose value is known."""
        if source is None or source.reg is None:
            return ""
        value = self._operand(source, index, trail, 0)
        return "" if value is None else f"{source.reg} = {value:#x}"

    def _copied(
        self,
        register: str,
        value: int | None,
        index: int,
        trail: Trail,
        source: Operand,
        computed: int | None,
        fits: bool,
        steps: list[Step],
    ) -> None:
        insn = self._code.instructions[index]
        if source.imm is not None:
            fixed = source.imm & MASK if computed is None else computed
            steps.append(Step("constant", insn.address, register, insn.text, None, fixed, fits))
        elif source.reg is not None and source.reg in FAMILY:
            family = FAMILY[source.reg]
            held = self._known(family, index, trail, 0)
            held = value if held is None and insn.mnemonic == "mov" else held
            steps.append(Step("copy", insn.address, register, insn.text, None, held, fits))
            self._explain(family, held, index, trail, steps)
        elif source.mem is not None:
            cell = self._effective(source.mem, index, trail, 0)
            now = computed if cell is not None else value
            steps.append(Step("load", insn.address, register, insn.text, cell, now, fits))
            if cell is not None and fits:
                self._behind_cell(source.mem, cell, value, index, trail, steps)

    def _through_arithmetic(
        self, register: str, index: int, trail: Trail, steps: list[Step]
    ) -> None:
        insn = self._code.instructions[index]
        base: str | None = register
        if insn.mnemonic == "lea":
            mem = insn.operands[1].mem
            base = mem.base if mem is not None else None
        if base is not None and base not in ("rip", "rsp", "rbp"):
            self._explain(base, self._known(base, index, trail, 0), index, trail, steps)

    def _behind_cell(
        self,
        mem: x86.Memory,
        cell: int,
        value: int | None,
        index: int,
        trail: Trail,
        steps: list[Step],
    ) -> None:
        """Who put a value into a cell: a store of this function into its own frame, else the
        pointer to the cell is what to follow."""
        base = mem.base
        if base in ("rbp", "rsp"):
            self._stored(cell, value, index, trail, steps)
        elif base is not None and base != "rip":
            self._explain(base, self._known(base, index, trail, 0), index, trail, steps)

    def _stored(
        self, cell: int, value: int | None, index: int, trail: Trail, steps: list[Step]
    ) -> None:
        walk = self._back(index, trail)
        stop: bool | None = None
        found: list[tuple[int, Trail | None]] = []
        while True:
            try:
                at, rest = walk.send(stop) if stop is not None else next(walk)
            except StopIteration:
                break
            stop = at is None
            if at is None:
                continue
            insn = self._code.instructions[at]
            target = insn.operands[0] if insn.operands else None
            if target is None or target.mem is None or not insn.mnemonic.startswith("mov"):
                continue
            if self._effective(target.mem, at, (at, rest), _MAX_DEPTH) == cell:
                found.append((at, rest))
                stop = True
        self._store_step(found, cell, value, steps)

    def _store_step(
        self,
        found: list[tuple[int, Trail | None]],
        cell: int,
        value: int | None,
        steps: list[Step],
    ) -> None:
        if len(found) > 1:
            found = [
                (at, rest)
                for at, rest in found
                if self._operand(self._code.instructions[at].operands[1], at, (at, rest), 0)
                == value
            ]
        if len(found) != 1:
            return
        at, rest = found[0]
        insn = self._code.instructions[at]
        source = insn.operands[1]
        if source.imm is not None:
            now = source.imm & ((1 << source.size * 8) - 1)
            steps.append(Step("constant", insn.address, f"{cell:#x}", insn.text, cell, now))
        elif source.reg is not None and source.reg in FAMILY:
            family = FAMILY[source.reg]
            steps.append(Step("store", insn.address, family, insn.text, cell, value))
            self._explain(family, value, at, (at, rest), steps)


def written(insn: Instruction) -> frozenset[str]:
    """The registers that are not what they were once an instruction is done; a call comes back
    with its stack pointer restored."""
    if insn.is_call:
        return x86.CALLER_SAVED
    return insn.writes


def callee_name(core: "CoreFile", insn: Instruction) -> str | None:
    """The function that a direct call goes to, through its PLT entry if it is one."""
    if insn.target is not None:
        return target_name(core, insn.target)
    mem = insn.operands[0].mem if insn.operands else None
    if mem is not None and mem.base == "rip" and mem.index is None:
        cell = insn.effective(mem, {}, {})
        word = core.read_word(cell) if cell is not None else None
        return target_name(core, word) if word is not None else None
    return None


def target_name(core: "CoreFile", address: int) -> str | None:
    """The function that starts at an address; a PLT entry gives the function that it jumps to."""
    code = core.read(address, 16)
    if code is not None:
        for insn in x86.decode(code, address, 2):
            mem = insn.operands[0].mem if insn.operands else None
            if insn.is_jump and mem is not None and mem.base == "rip" and mem.index is None:
                cell = insn.effective(mem, {}, {})
                goal = core.read_word(cell) if cell is not None else None
                if goal is not None:
                    name = _name_at(core, goal)
                    if name is not None:
                        return name
    return _name_at(core, address)


def _name_at(core: "CoreFile", address: int) -> str | None:
    found = core.symbolize(address)
    return plain_name(found[0]) if found is not None and found[1] == 0 else None


def plain_name(name: str) -> str:
    """A function's public name: glibc's debug symbols call ``malloc`` ``__GI___libc_malloc``, and
    ``cfree`` is the old name of ``free``."""
    name = name.split("@", 1)[0].removeprefix("__GI_")
    short = name.removeprefix("__libc_")
    if short == "cfree":
        return "free"
    return short if short in _ALLOCATOR else name


def _indexes(trail: Trail | None) -> Iterator[int]:
    while trail is not None:
        index, trail = trail
        yield index


def _zeroes(insn: Instruction) -> bool:
    """``xor eax, eax`` and its kin."""
    if insn.mnemonic not in ("xor", "sub") or len(insn.operands) != 2:
        return False
    left, right = insn.operands
    return left.reg is not None and left.reg == right.reg and left.size >= 4


def _sets_frame(insn: Instruction) -> bool:
    return insn.mnemonic == "mov" and len(insn.operands) == 2 and insn.operands[1].reg == "rsp"


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
