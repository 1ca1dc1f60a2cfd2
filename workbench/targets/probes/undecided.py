"""Whether a loop's way depends on what changes in it: a sum, a count that nothing asks for.

One round is carried out on paper (`stepping`) with the registers and bytes that differed between
two rounds taken as unknown. Where no branch and no address asks for one of them, and after the
round no more than those is unknown and all else is what it was, every further round goes the same
way.
"""

from workbench.targets.probes import x86
from workbench.targets.probes.effects import StuckError
from workbench.targets.probes.stepping import Stepper
from workbench.targets.probes.x86 import FAMILY, Instruction

_ARITHMETIC = frozenset(
    ["add", "sub", "inc", "dec", "and", "or", "xor", "shl", "sal", "shr", "sar", "imul", "neg"]
)
_COMPARES = frozenset({"cmp", "test"})
_MOVES = frozenset({"mov", "movabs", "movzx", "movsx", "movsxd", "lea", "not"})
_WIDENS = frozenset({"cdqe", "cwde", "cdq", "cqo"})
_READ_BY = {"strlen": 1, "strcmp": 2}
"""How many arguments a function reads that only looks at memory; others three."""
_TRIES = 4


class _UnknownError(StuckError):
    """A value that is not known was asked for."""


class _Round(Stepper):
    """Goes on from another one's state, with some of it unknown."""

    def __init__(self, known: Stepper, registers: set[str], cells: set[int]) -> None:
        super().__init__(known.core, known.pc, known.registers)
        self.written = dict(known.written)
        self.flags = None
        self.hidden = set(cells)
        for name in registers:
            self.registers.pop(name, None)

    def unknown(self) -> set[str]:
        """The registers that are unknown now."""
        return set(x86.FAMILY.values()) - {"rip"} - set(self.registers)

    def step(self) -> Instruction:
        """One instruction; of what it reads that is unknown its result is unknown."""
        insn, before = self._decode(), self.pc
        try:
            return super().step()
        except _UnknownError:
            if self.pc != before:
                raise
        name = insn.mnemonic
        if name not in _ARITHMETIC | _COMPARES | _MOVES | _WIDENS | {"push", "pop"}:
            raise StuckError(insn.text)
        for which, operand in enumerate(insn.operands):
            if operand.mem is not None and name != "lea":
                self.address(insn, which)
        if name in _ARITHMETIC | _COMPARES:
            self.flags = None
        if name == "push":
            self._push(0)
            self._hide(self._register("rsp"), 8)
        elif name == "pop":
            self.registers["rsp"] = self._register("rsp") + 8
        if name in _ARITHMETIC | _MOVES | {"pop"}:
            self._forget(insn)
        elif name in _WIDENS:
            for family in insn.writes:
                self.registers.pop(family, None)
        self.pc = insn.end
        return insn

    def address(self, insn: Instruction, which: int) -> int:
        """Raises `StuckError` for an address made from what is unknown."""
        memory = insn.operands[which].mem
        for name in (memory.base, memory.index) if memory is not None else ():
            if name not in (None, "rip") and name not in self.registers:
                raise _UnknownError(insn.text)
        return super().address(insn, which)

    def load(self, address: int, size: int) -> int:
        """Raises `StuckError` for what is unknown."""
        if self.hidden and not self.hidden.isdisjoint(range(address, address + size)):
            raise _UnknownError(f"memory at {address:#x}")
        return super().load(address, size)

    def put(self, address: int, value: int, size: int) -> None:
        """What is written is known."""
        super().put(address, value, size)
        self.hidden.difference_update(range(address, address + size))

    def _register(self, name: str) -> int:
        if FAMILY.get(name) not in self.registers:
            raise _UnknownError(name)
        return super()._register(name)

    def _gone_to(self, goal: int) -> int:
        name = self._pure(goal)
        for register in x86.ARGUMENTS[: _READ_BY.get(name, 3)] if name is not None else ():
            if register not in self.registers:
                raise StuckError(register)
        return super()._gone_to(goal)

    def _forget(self, insn: Instruction) -> None:
        target = insn.operands[0]
        if target.mem is not None:
            self._hide(self.address(insn, 0), target.size)
        else:
            self.registers.pop(FAMILY.get(target.reg or "", ""), None)

    def _hide(self, address: int, size: int) -> None:
        self.changed.add(address)
        self.hidden.update(range(address, address + size))


def goes_on(before: Stepper, now: Stepper, length: int) -> bool:
    """Whether every round of ``length`` instructions from ``now`` goes the way of the first one,
    where ``before`` was a round earlier at the same place."""
    registers = {
        name for name in before.registers.keys() | now.registers.keys()
        if before.registers.get(name) != now.registers.get(name)
    }  # fmt: skip
    cells = {at for at, _ in before.written.items() ^ now.written.items()}
    if "rsp" in registers:
        return False
    for _ in range(_TRIES):
        round_ = _Round(now, registers, cells)
        start = dict(round_.registers)
        try:
            for _ in range(length):
                round_.step()
        except StuckError:
            return False
        more, hidden = round_.unknown() - _missing(now), round_.hidden
        if more <= registers and hidden <= cells:
            same = {name: value for name, value in start.items() if name not in more}
            known = {at: byte for at, byte in round_.written.items() if at not in cells}
            was = {at: byte for at, byte in now.written.items() if at not in cells}
            kept = all(round_.registers.get(name) == value for name, value in same.items())
            return round_.pc == now.pc and kept and known == was
        registers, cells = registers | more, cells | hidden
    return False


def _missing(known: Stepper) -> set[str]:
    return set(x86.FAMILY.values()) - {"rip"} - set(known.registers)
