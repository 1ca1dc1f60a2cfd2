"""x86-64 instructions as plain data, decoded by capstone."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import capstone
from capstone import x86
from msgspec import Struct

MASK = (1 << 64) - 1
"""All ones in a register."""

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
"""Integer argument registers in order (System V AMD64 ABI, 3.2.3)."""

CALLER_SAVED = frozenset({"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"})
"""What a call may leave changed (System V AMD64 ABI, 3.2.1)."""

BASES = ("fs_base", "gs_base")
"""Where the segments begin that hold thread-local data; no function changes them."""

_LEGACY = {"a": "rax", "b": "rbx", "c": "rcx", "d": "rdx"}
_NEVER_ON = frozenset({"jmp", "ljmp", "ret", "retf", "retfq", "iretq", "hlt", "ud2", "int3"})


def _families() -> dict[str, str]:
    names: dict[str, str] = {"rip": "rip", "eip": "rip", "ip": "rip"}
    for letter, full in _LEGACY.items():
        for name in (full, f"e{letter}x", f"{letter}x", f"{letter}l", f"{letter}h"):
            names[name] = full
    for stem in ("si", "di", "bp", "sp"):
        for name in (f"r{stem}", f"e{stem}", stem, f"{stem}l"):
            names[name] = f"r{stem}"
    for number in range(8, 16):
        for suffix in ("", "d", "w", "b"):
            names[f"r{number}{suffix}"] = f"r{number}"
    return names


FAMILY = _families()
"""Each general register's 64-bit name, by any of its names."""


def signed(value: int, size: int) -> int:
    """A number of so many bytes, taken with its sign."""
    bits = 8 * size
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Memory(Struct, frozen=True):
    """A memory operand: segment:[base + index*scale + disp], of Arm with the way in which the index
    is widened, of z with the bytes that it counts (``length``)."""

    base: str | None = None
    index: str | None = None
    scale: int = 1
    disp: int = 0
    segment: str | None = None
    extend: str = ""
    length: int | None = None


class Operand(Struct, frozen=True):
    """One explicit operand. ``size`` in bytes; exactly one of ``reg``, ``imm``, ``mem`` is set."""

    size: int
    reg: str | None = None
    imm: int | None = None
    mem: Memory | None = None
    reads: bool = False
    writes: bool = False


class Instruction(Struct, frozen=True):
    """One decoded instruction. ``writes`` holds the 64-bit names of the registers it changes;
    ``target`` is the address that a direct call or jump goes to."""

    address: int
    size: int
    mnemonic: str
    text: str
    operands: tuple[Operand, ...]
    writes: frozenset[str]
    is_call: bool
    is_jump: bool
    is_return: bool
    target: int | None

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.address + self.size

    def effective(self, mem: Memory, registers: Mapping[str, int]) -> int | None:
        """The address that a memory operand names, or None when a register is not known."""
        total = mem.disp
        if mem.base == "rip":
            total += self.end
        elif mem.base is not None:
            if mem.base not in registers:
                return None
            total += registers[mem.base]
        if mem.index is not None:
            if mem.index not in registers:
                return None
            total += registers[mem.index] * mem.scale
        if mem.segment in ("fs", "gs"):
            start = registers.get(f"{mem.segment}_base")
            if start is None:
                return None
            total += start
        return total & MASK


class Outline(Struct, frozen=True):
    """An instruction roughly: enough to follow control. ``target`` is that of a direct jump."""

    address: int
    size: int
    mnemonic: str
    operands: str

    @property
    def falls_through(self) -> bool:
        """False when control never reaches the next instruction in memory."""
        return self.mnemonic.rsplit(" ", 1)[-1] not in _NEVER_ON

    @property
    def target(self) -> int | None:
        """Where a direct jump goes."""
        name = self.mnemonic.rsplit(" ", 1)[-1]
        if not name.startswith(("j", "loop")) or not self.operands.startswith("0x"):
            return None
        return int(self.operands, 16)


def outline(code: bytes, address: int) -> list[Outline]:
    """Instructions one after the other, roughly, until bytes make no sense; thirty times as fast
    as `decode`."""
    return [Outline(*item) for item in _decoder().disasm_lite(code, address)]


@lru_cache(maxsize=1)
def _decoder() -> Any:
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    return decoder


def _operand(raw: Any, insn: Any, x86: Any) -> Operand:
    reads = bool(raw.access & capstone.CS_AC_READ)
    writes = bool(raw.access & capstone.CS_AC_WRITE)
    if raw.type == x86.X86_OP_REG:
        name = insn.reg_name(raw.reg)
        return Operand(raw.size, reg=name, reads=reads, writes=writes)
    if raw.type == x86.X86_OP_IMM:
        return Operand(raw.size, imm=raw.imm)
    mem = raw.mem
    base = insn.reg_name(mem.base) if mem.base else None
    index = insn.reg_name(mem.index) if mem.index else None
    segment = insn.reg_name(mem.segment) if mem.segment else None
    memory = Memory(
        FAMILY.get(base, base) if base else None,
        FAMILY.get(index, index) if index and index not in ("riz", "eiz") else None,
        mem.scale,
        mem.disp,
        segment,
    )
    return Operand(raw.size, mem=memory, reads=reads, writes=writes)


def decode(code: bytes, address: int, limit: int = 4096) -> Iterator[Instruction]:
    """Instructions one after the other from ``address``, until bytes make no sense or ``limit``."""
    for insn in _decoder().disasm(code, address, limit):
        _, written = insn.regs_access()
        writes = {FAMILY[name] for reg in written if (name := insn.reg_name(reg)) in FAMILY}
        groups = insn.groups
        operands = tuple(_operand(raw, insn, x86) for raw in insn.operands)
        is_call = x86.X86_GRP_CALL in groups
        is_jump = x86.X86_GRP_JUMP in groups
        direct = operands[0].imm if (is_call or is_jump) and operands else None
        text = f"{insn.mnemonic} {insn.op_str}".strip()
        yield Instruction(
            address=insn.address,
            size=insn.size,
            mnemonic=insn.mnemonic,
            text=text,
            operands=operands,
            writes=frozenset(writes - {"rip"}),
            is_call=is_call,
            is_jump=is_jump,
            is_return=x86.X86_GRP_RET in groups or insn.mnemonic.startswith("iret"),
            target=direct & MASK if direct is not None else None,
        )


def decode_one(code: bytes, address: int) -> Instruction | None:
    """The instruction at ``address``, or None when the bytes are none."""
    return next(decode(code, address, 1), None)


def calls_before(code: bytes, end: int) -> Iterator[Instruction]:
    """The call instructions whose last byte lies right before ``end``; ``code`` ends there too.

    A call is 2 to 8 bytes long (E8 rel32; FF /2 with or without prefixes, SIB, displacement);
    the common lengths come first. More than one may decode: the bytes of an indirect call's
    neighbours can look like a direct one, so the caller has to look where it goes.
    """
    for size in (5, 2, 3, 6, 7, 4, 8):
        if size > len(code):
            continue
        piece = code[-size:]
        if 0xE8 not in piece[:2] and 0xFF not in piece[:3]:
            continue
        insn = decode_one(piece, end - size)
        if insn is not None and insn.is_call and insn.size == size:
            yield insn
