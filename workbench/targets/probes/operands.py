"""What an instruction touches in memory, implicit operands included."""

from collections.abc import Mapping

from msgspec import Struct

from workbench.targets.probes.x86 import MASK, Instruction, Memory

_STRINGS = ("movs", "stos", "lods", "cmps", "scas", "outs", "ins")
_NO_ACCESS = ("lea", "nop", "prefetch", "endbr", "bnd")


class Access(Struct, frozen=True):
    """One access. ``shown`` is the operand as written, ``address`` what it comes to, or None when
    a register is not known; ``how``: read | write | read and write. ``moves``: the base register
    takes the address on, before the access."""

    shown: str
    address: int | None
    size: int
    how: str
    base: str | None
    index: str | None
    implicit: bool = False
    scale: int = 1
    moves: bool = False


def accesses(insn: Instruction, registers: Mapping[str, int]) -> list[Access]:
    """Every access to memory that an instruction makes, in operand order; of a repeated string
    instruction the next one to come, which is the one that faults."""
    name = insn.mnemonic.split()[-1]
    if name.startswith(_NO_ACCESS):
        return []
    found = []
    for position, operand in enumerate(insn.operands):
        if operand.mem is None:
            continue
        how = _how(operand.reads, operand.writes, name, position)
        found.append(
            Access(
                shown(operand.mem),
                insn.effective(operand.mem, registers),
                operand.size,
                how,
                operand.mem.base,
                operand.mem.index,
                _is_string(insn, name),
                operand.mem.scale,
            )
        )
    return found + _stack_access(insn, name, registers)


def _is_string(insn: Instruction, name: str) -> bool:
    """True for movs, stos and their kin, whose operands are not chosen: rsi and rdi."""
    if name[:-1] not in _STRINGS or name[-1] not in "bwdq":
        return False
    return all(
        operand.mem is not None or (operand.reg or "") in ("al", "ax", "eax", "rax", "dx")
        for operand in insn.operands
    )


def _how(reads: bool, writes: bool, name: str, position: int) -> str:
    if reads and writes:
        return "read and write"
    if position == 0 and name.startswith(("mov", "vmov")):
        return "write"  # capstone calls some of AVX's stores loads
    if writes:
        return "write"
    if reads or position > 0:
        return "read"
    return "write" if name.startswith(("mov", "vmov", "set", "fst", "fist", "stos")) else "read"


def _stack_access(insn: Instruction, name: str, registers: Mapping[str, int]) -> list[Access]:
    pointer = registers.get("rsp")
    if name.startswith("push") or insn.is_call or name == "enter":
        address = None if pointer is None else (pointer - 8) & MASK
        return [Access("[rsp - 8]", address, 8, "write", "rsp", None, True)]
    if name.startswith("pop") or insn.is_return:
        return [Access("[rsp]", pointer, 8, "read", "rsp", None, True)]
    if name == "leave":
        return [Access("[rbp]", registers.get("rbp"), 8, "read", "rbp", None, True)]
    return []


def shown(mem: Memory) -> str:
    """An operand in one spelling for all processors: ``[x1 + x2*8 + 0x10]``."""
    text = mem.base or ""
    if mem.index:
        index = f"{mem.index}*{abs(mem.scale)}" if abs(mem.scale) != 1 else mem.index
        text = f"{text}{' - ' if mem.scale < 0 else ' + '}{index}" if text else index
    if mem.disp or not text:
        sign = " - " if mem.disp < 0 else " + "
        text = f"{text}{sign}{abs(mem.disp):#x}" if text else f"{mem.disp & MASK:#x}"
    return f"{mem.segment}:[{text}]" if mem.segment in ("fs", "gs") else f"[{text}]"
