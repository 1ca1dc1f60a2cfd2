"""x86 instructions as plain data, decoded by capstone."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import capstone
from capstone import x86
from msgspec import Struct

from workbench.targets.probes.instruction import Instruction, Memory, Operand

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
"""Integer argument registers in order (System V AMD64 ABI, 3.2.3)."""

CALLER_SAVED = frozenset({"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"})
"""What a call may leave changed (System V AMD64 ABI, 3.2.1)."""

COPIES = frozenset({"mov", "movabs", "movzx", "movsx", "movsxd"})
"""Instructions that move a value, perhaps widened."""

BASES = ("fs_base", "gs_base")
"""Where the segments begin that hold thread-local data; no function changes them."""

_NEVER_ON = frozenset({"jmp", "ljmp", "ret", "retf", "retfq", "iretq", "hlt", "ud2", "int3"})


def _families(wide: str) -> dict[str, str]:
    names = dict.fromkeys(("rip", "eip", "ip"), f"{wide}ip")
    for stem in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"):
        letter = stem[0] if stem.endswith("x") else stem
        for name in (f"r{stem}", f"e{stem}", stem, f"{letter}l", f"{letter}h"):
            names[name] = f"{wide}{stem}"
    for number in range(8, 16):
        for suffix in ("", "d", "w", "b"):
            names[f"r{number}{suffix}"] = f"r{number}"
    return names


FAMILIES = {64: _families("r"), 32: _families("e")}
FAMILY = FAMILIES[64]
"""Each general register's full name, by any of its names; `FAMILIES` by the register's bits."""


def signed(value: int, size: int) -> int:
    """A number of so many bytes, taken with its sign."""
    bits = 8 * size
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Outline(Struct, frozen=True):
    """An instruction roughly: enough to follow control. ``target`` is that of a direct jump."""

    address: int
    size: int
    mnemonic: str
    operands: str

    @property
    def name(self) -> str:
        """The mnemonic without a prefix (``bnd jmp``)."""
        return self.mnemonic.rsplit(" ", 1)[-1]

    @property
    def falls_through(self) -> bool:
        """False when control never reaches the next instruction in memory."""
        return self.name not in _NEVER_ON

    @property
    def target(self) -> int | None:
        """Where a direct jump goes."""
        if not self.name.startswith(("j", "loop")) or not self.operands.startswith("0x"):
            return None
        return int(self.operands, 16)

    @property
    def jumps_by_value(self) -> bool:
        """Whether it goes to what a register or memory holds."""
        return self.mnemonic.endswith("jmp") and not self.operands.startswith("0x")


def outline(code: bytes, address: int) -> list[Outline]:
    """Instructions one after the other, roughly, until bytes make no sense; thirty times as fast
    as `decode`."""
    return [Outline(*item) for item in decoder().disasm_lite(code, address)]


@lru_cache(maxsize=2)
def decoder(bits: int = 64) -> Any:
    """capstone's decoder of so many bits, which tells operands as data."""
    found = capstone.Cs(
        capstone.CS_ARCH_X86, capstone.CS_MODE_64 if bits == 64 else capstone.CS_MODE_32
    )
    found.detail = True
    return found


def _operand(raw: Any, insn: Any, bits: int) -> Operand:
    reads = bool(raw.access & capstone.CS_AC_READ)
    writes = bool(raw.access & capstone.CS_AC_WRITE)
    if raw.type == x86.X86_OP_REG:
        name = insn.reg_name(raw.reg)
        return Operand(raw.size, reg=name, reads=reads, writes=writes)
    if raw.type == x86.X86_OP_IMM:
        return Operand(raw.size, imm=raw.imm)
    mem, family = raw.mem, FAMILIES[bits]
    base = insn.reg_name(mem.base) if mem.base else None
    index = insn.reg_name(mem.index) if mem.index else None
    segment = insn.reg_name(mem.segment) if mem.segment else None
    memory = Memory(
        family.get(base, base) if base else None,
        family.get(index, index) if index and index not in ("riz", "eiz") else None,
        mem.scale,
        mem.disp if base or index else mem.disp & (1 << bits) - 1,
        segment,
    )
    return Operand(raw.size, mem=memory, reads=reads, writes=writes)


def decode(code: bytes, address: int, limit: int = 4096, bits: int = 64) -> Iterator[Instruction]:
    """Instructions one after the other from ``address``, until bytes make no sense or ``limit``."""
    family = FAMILIES[bits]
    for insn in decoder(bits).disasm(code, address, limit):
        _, written = insn.regs_access()
        writes = {family[name] for reg in written if (name := insn.reg_name(reg)) in family}
        groups = insn.groups
        operands = tuple(_operand(raw, insn, bits) for raw in insn.operands)
        is_call = x86.X86_GRP_CALL in groups
        is_jump = x86.X86_GRP_JUMP in groups
        direct = operands[0].imm if (is_call or is_jump) and operands else None
        yield Instruction(
            address=insn.address,
            size=insn.size,
            mnemonic=insn.mnemonic,
            printed=insn.op_str,
            operands=operands,
            writes=frozenset(writes - {family["ip"]}),
            is_call=is_call,
            is_jump=is_jump,
            is_return=x86.X86_GRP_RET in groups or insn.mnemonic.startswith("iret"),
            target=direct & (1 << bits) - 1 if direct is not None else None,
        )


@lru_cache(4096)  # each question of a run goes over the same functions
def decode_one(code: bytes, address: int) -> Instruction | None:
    """The instruction at ``address``, or None when the bytes are none."""
    return next(decode(code, address, 1), None)


def divisor_register(insn: Instruction) -> str | None:
    """The register that holds the divisor of a division, if it is in one."""
    if insn.mnemonic not in ("div", "idiv") or not insn.operands:
        return None
    return FAMILY.get(insn.operands[0].reg or "")
