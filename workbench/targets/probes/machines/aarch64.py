"""AArch64 (Arm Architecture Reference Manual, C6 and C7; AAPCS64)."""

from typing import Any

import capstone

from workbench.targets.probes.instruction import Instruction, Memory, number
from workbench.targets.probes.machines.base import Branch, Effect, Machine, Registers
from workbench.targets.probes.operands import Access
from workbench.targets.probes.x86 import signed

_SIZES = {"w": 4, "x": 8, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_ATOMIC = ("cas", "swp", "ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax",
           "ldumin", "stadd", "stclr", "steor", "stset", "stsmax", "stsmin", "stumax",
           "stumin")  # fmt: skip
_ZEROED = 64  # DCZID_EL0 is 4 on the processors in use: 16 words
_PLACES = (1 << 48) - 1


class Aarch64(Machine):
    """64-bit Arm, its code little-endian whatever the data is. Upper bits of a code pointer may
    hold a signature (PAC)."""

    link = "x30"
    zero = "xzr"
    others = {"fp": "x29", "lr": "x30"} | {f"w{n}": f"x{n}" for n in range(31)}
    volatile = frozenset({f"x{n}" for n in range(19)} | {"x30"})
    effects = {"ldr": "load", "ldur": "load", "mov": "set", "add": "add", "sub": "sub"}
    keeps = ("cmp", "tst", "b", "cb", "tb", "ret", "nop", "dmb", "isb")

    def engine(self) -> Any:
        """capstone's decoder; the constant's name changed in its version 6."""
        arch = getattr(capstone, "CS_ARCH_ARM64", None) or capstone.CS_ARCH_AARCH64
        return capstone.Cs(arch, capstone.CS_MODE_LITTLE_ENDIAN)

    def plain(self, address: int) -> int:
        """Without a signature."""
        return address & _PLACES if not address >> 63 else address & self.mask

    def same(self, one: int, other: int) -> bool:
        """A branch takes a tag out of the upper byte, and the kernel of the dump's pc."""
        return (one ^ other) & _PLACES == 0

    def accesses(self, raw: Instruction, registers: Registers) -> list[Access]:
        if raw.mnemonic == "dc" and raw.parts[:1] == ["zva"] and len(raw.parts) == 2:
            value = registers.get(raw.parts[1])
            at = None if value is None else value - value % _ZEROED
            base = registers.name(raw.parts[1])
            return [Access(f"[{base}]", at, _ZEROED, "write", base, None)]
        return super().accesses(raw, registers)

    def how(self, raw: Instruction, place: int) -> str:
        """Prefetching is no access."""
        if raw.mnemonic.startswith("prf"):
            return ""
        atomic = raw.mnemonic.startswith(_ATOMIC)
        return "read and write" if atomic else super().how(raw, place)

    def size(self, raw: Instruction, place: int) -> int:
        return _size(raw.mnemonic, raw.parts[:place])

    def held(self, raw: Instruction, name: str, mem: Memory, registers: Registers) -> int | None:
        """The lower half of a register is widened."""
        value = registers.get(name)
        if value is None or not name.startswith("w"):
            return value
        return signed(value, 4) if mem.extend == "sxtw" else value & 0xFFFFFFFF

    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        """bl, blr, br, ret, b, and their variants that check a signature."""
        name, operands = raw.mnemonic, raw.parts
        first = operands[0] if operands else ""
        if name.startswith("ret"):
            held = registers.name(first or "x30")
            return Branch("return", registers.get(held), held)
        if name in ("bl", "b"):
            return Branch("call" if name == "bl" else "jump", number(first))
        if name.startswith(("blr", "br")) and name != "brk":
            held = registers.name(first)
            return Branch("call" if name.startswith("blr") else "jump", registers.get(held), held)
        return None

    def effect(self, raw: Instruction) -> Effect | None:
        """movk sets sixteen bits that movz had cleared; vectors are not followed."""
        parts = raw.parts
        if raw.mnemonic != "movk":
            vector = raw.mnemonic.startswith("ld") and parts[0][:1] not in ("x", "w", "l", "f")
            return None if vector else super().effect(raw)
        target = self.others.get(parts[0], parts[0])
        part, shift = number(parts[1]), parts[2].rpartition("#")[2] if len(parts) > 2 else "0"
        if part is None or not shift.isdigit():
            return None
        return Effect(target, "move", target, part << int(shift))

    def written(self, raw: Instruction) -> frozenset[str]:
        """The target, the second of a pair, and a base that is written back."""
        found = set[str]() if raw.mnemonic.startswith("st") else set(super().written(raw))
        if raw.mnemonic.startswith("ldp") and len(raw.parts) > 1:
            found.add(self.others.get(raw.parts[1], raw.parts[1]))
        back = raw.printed.endswith("!") or not raw.printed.endswith("]")
        bases = [mem.base for _, mem in raw.memory if back and mem.base]
        return frozenset(found | {self.others.get(name, name) for name in bases})


def _size(name: str, data: list[str]) -> int:
    """Bytes: by the mnemonic's ending, else by the register that is loaded or stored."""
    if name.startswith(("ld1", "ld2", "ld3", "ld4", "st1", "st2", "st3", "st4")):
        return sum(
            8 if part.rstrip("}").endswith(("8b", "4h", "2s", "1d")) else 16
            for part in ",".join(data).split(",")
        )
    if name.endswith("sw"):
        one = 4
    elif name.endswith("b") and not name.endswith("stlxrb1"):
        one = 1
    elif name.endswith("h") and name not in ("sqrdmlah",):
        one = 2
    else:
        status = name.startswith(("stxr", "stlxr", "stxp", "stlxp"))
        register = data[1] if status and len(data) > 1 else data[0] if data else "x"
        one = 8 if register in ("fp", "lr", "xzr") else _SIZES.get(register[:1], 8)
    pair = name.startswith(("ldp", "stp", "ldnp", "stnp", "ldxp", "stxp", "ldaxp", "stlxp"))
    return 2 * one if pair else one
