"""Goes on from where a thread stopped, on paper: a small part of x86-64 over the dump's memory.

Nothing of the dump is run: each instruction is read and its effect computed on numbers. What is
not known here (vectors, floating point, system calls, memory that the dump lacks) ends the walk.
"""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.probes import effects, x86
from workbench.targets.probes.callees import target_name
from workbench.targets.probes.instruction import MASK, Instruction

_LONGEST = 15
_HIGH = frozenset({"ah", "bh", "ch", "dh"})
_PREFIXES = ("lock ", "notrack ", "bnd ", "repz ", "rep ")
_NOTHING = frozenset(
    {"nop", "endbr64", "pause", "fnop", "lfence", "mfence", "sfence", "prefetcht0"}
)


class Stepper:
    """A thread that goes on: registers, flags, and what it has written over the dump's memory.

    ``written`` holds only bytes that differ from the dump's, so that equal states are equal.
    ``read`` and ``changed`` gather the addresses that were read and written.
    """

    def __init__(self, core: Dump, pc: int, registers: Mapping[str, int]) -> None:
        self.core = core
        self.pc = pc
        names = {*x86.FAMILY.values(), *x86.BASES} - {"rip"}
        self.registers = {name: value for name, value in registers.items() if name in names}
        self.flags: effects.Flags | None = effects.flags_of(registers.get("eflags"))
        self.written: dict[int, int] = {}
        self.read: set[int] = set()
        self.changed: set[int] = set()
        self._code: dict[int, Instruction] = {}

    def state(self) -> tuple[object, ...]:
        """All that decides what comes next, as far as this thread itself changes it."""
        return (
            self.pc,
            frozenset(self.registers.items()),
            self.flags,
            frozenset(self.written.items()),
        )

    def copy(self) -> "Stepper":
        """The same state, to be compared with a later one."""
        same = Stepper(self.core, self.pc, self.registers)
        same.written = dict(self.written)
        return same

    def step(self) -> Instruction:
        """Carry one instruction out; it is returned. Raises `StuckError` where that cannot be."""
        insn = self._decode()
        name = insn.mnemonic
        for prefix in _PREFIXES:
            name = name.removeprefix(prefix)
        after = insn.end
        if name in _NOTHING:
            pass
        elif name == "call":
            after = self._called(insn)
        elif name == "jmp":
            after = self._gone_to(self._goal(insn))
        elif name == "ret":
            after = self._pop()
            self.registers["rsp"] = (self.registers["rsp"] + self._extra(insn)) & MASK
        elif insn.is_jump and name.startswith("j"):
            after = insn.target if effects.holds(self.flags, name[1:]) else after  # type: ignore[assignment]
        elif name == "push":
            self._push(self.value(insn, 0))
        elif name == "pop":
            value = self._pop()
            self.store(insn, 0, value)
        elif name == "leave":
            self.registers["rsp"] = self._register("rbp")
            self.registers["rbp"] = self._pop()
        elif (effect := effects.EFFECTS.get(name)) is not None:
            effect(self, insn)
        elif name.startswith("set"):
            self.store(insn, 0, int(effects.holds(self.flags, name[3:])))
        elif name.startswith("cmov"):
            value = self.value(insn, 1 if effects.holds(self.flags, name[4:]) else 0)
            self.store(insn, 0, value)
        else:
            raise effects.StuckError(insn.text)
        self.pc = after & MASK
        return insn

    def value(self, insn: Instruction, which: int) -> int:
        """An operand's value, without sign, in its own width."""
        operand = insn.operands[which]
        if operand.imm is not None:
            return operand.imm & effects.sized(operand.size)
        if operand.reg is not None:
            return self._register(operand.reg) & effects.sized(operand.size)
        return self.load(self.address(insn, which), operand.size)

    def address(self, insn: Instruction, which: int) -> int:
        """The address that a memory operand names."""
        memory = insn.operands[which].mem
        found = insn.effective(memory, self.registers) if memory else None
        if found is None:
            raise effects.StuckError(insn.text)
        return found

    def store(self, insn: Instruction, which: int, value: int) -> None:
        """Give an operand a value."""
        operand = insn.operands[which]
        if operand.mem is not None:
            self.put(self.address(insn, which), value, operand.size)
            return
        name = operand.reg or ""
        family = x86.FAMILY.get(name)
        if family is None or name in _HIGH:
            raise effects.StuckError(insn.text)
        value &= effects.sized(operand.size)
        if operand.size < 4:
            value |= self._register(family) & ~effects.sized(operand.size)
        self.registers[family] = value

    def load(self, address: int, size: int) -> int:
        """Memory as this thread sees it."""
        raw = self.core.read(address, size)
        if raw is None:
            raise effects.StuckError(f"memory at {address:#x}")
        self.read.add(address)
        if self.written:
            at = self.written
            raw = bytes(at.get(address + i, byte) for i, byte in enumerate(raw))
        return int.from_bytes(raw, "little")

    def put(self, address: int, value: int, size: int) -> None:
        """Write memory."""
        raw = self.core.read(address, size)
        region = self.core.region(address)
        if raw is None or region is None or "w" not in region.perms:
            raise effects.StuckError(f"memory at {address:#x}")
        self.changed.add(address)
        for index, (old, new) in enumerate(
            zip(raw, (value & effects.sized(size)).to_bytes(size, "little"), strict=True)
        ):
            if old == new:
                self.written.pop(address + index, None)
            else:
                self.written[address + index] = new

    def _decode(self) -> Instruction:
        found = self._code.get(self.pc)
        if found is None:
            region = self.core.region(self.pc)
            raw = self.core.read(self.pc, _LONGEST) or b""
            found = x86.decode_one(raw, self.pc) if region and region.perms[2] in "x?" else None
            if found is None:
                raise effects.StuckError(f"code at {self.pc:#x}")
            self._code[self.pc] = found
        return found

    def _register(self, name: str) -> int:
        family = x86.FAMILY.get(name)
        if family is None or name in _HIGH or family not in self.registers:
            raise effects.StuckError(name)
        return self.registers[family]

    def _goal(self, insn: Instruction) -> int:
        return insn.target if insn.target is not None else self.value(insn, 0)

    def _called(self, insn: Instruction) -> int:
        goal = self._goal(insn)
        self._push(insn.end)
        return self._gone_to(goal)

    def _gone_to(self, goal: int) -> int:
        """The address itself, or where a function that only looks at memory returns to."""
        name = self._pure(goal)
        if name is None:
            return goal
        arguments = [self.registers.get(register, 0) for register in x86.ARGUMENTS[:3]]
        result = effects.PURE[name](lambda address: self.load(address, 1), *arguments)
        for register in x86.CALLER_SAVED:
            self.registers.pop(register, None)
        self.registers["rax"] = result & MASK
        self.flags = None
        return self._pop()

    def _pure(self, goal: int) -> str | None:
        """The name of the function that only looks at memory which is called there."""
        return effects.pure_name(target_name(self.core, goal))

    def _push(self, value: int) -> None:
        top = (self._register("rsp") - 8) & MASK
        self.put(top, value, 8)
        self.registers["rsp"] = top

    def _pop(self) -> int:
        top = self._register("rsp")
        value = self.load(top, 8)
        self.registers["rsp"] = (top + 8) & MASK
        return value

    def _extra(self, insn: Instruction) -> int:
        return insn.operands[0].imm or 0 if insn.operands else 0


_UPDATE_STEPS = 24


class _WrittenBackError(Exception):
    """The address was written to."""


class _Supposing(Stepper):
    """Goes on as if the read had given zero."""

    def __init__(self, core: Dump, pc: int, registers: Mapping[str, int], missing: int) -> None:
        super().__init__(core, pc, registers)
        self._missing = missing

    def load(self, address: int, size: int) -> int:
        """Zero from the address that could not be read."""
        return 0 if address == self._missing else super().load(address, size)

    def put(self, address: int, value: int, size: int) -> None:
        """Raises `_WrittenBackError` for that address."""
        if address == self._missing:
            raise _WrittenBackError
        super().put(address, value, size)


def update_lines(core: Dump, pc: int, registers: Mapping[str, int], address: int) -> list[str]:
    """A line that tells of the write to ``address`` which follows on the failed read at ``pc``, in
    the same function and before anything is called."""
    step = _Supposing(core, pc, registers, address)
    for _ in range(_UPDATE_STEPS):
        at = step.pc
        try:
            insn = step.step()
        except _WrittenBackError:
            return [f"update: {at:#x} would go on to write to {address:#x}"]
        except effects.StuckError:
            return []
        if insn.is_call or insn.is_return:
            return []
    return []
