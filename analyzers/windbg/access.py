"""What an access touched: the exception record's word, else the instruction's operand."""

from collections.abc import Sequence

from analyzers.windbg.exception import ALL_ONES, Record
from analyzers.windbg.operands import Get, Operand, memory_operand
from analyzers.windbg.registers import Instruction
from workbench.model.facts import Stack

_ACCESS = frozenset({0xC0000005, 0xC0000006, 0x80000001})
_STACK_FULL = 0xC00000FD
_NO_CODE = 0x10000


def access_of(
    code: int | None, pc: int, record: Record | None, instruction: Instruction | None, get: Get
) -> tuple[str, int | None, Operand | None]:
    """read | write | execute | none, the address, and the instruction's memory operand."""
    said = record.access if record is not None else None
    address = record.fault_address if record is not None else None
    unreadable = instruction is not None and not instruction.readable
    if code is not None and code not in (*_ACCESS, _STACK_FULL) and not unreadable:
        return "none", None, None
    lost = instruction is not None and instruction.mnemonic == "???"
    if said == "execute" or lost or (address is not None and address == pc) or (
        pc < _NO_CODE and code in _ACCESS
    ):  # fmt: skip
        return "execute", pc, None
    touched = (
        memory_operand(instruction.mnemonic, instruction.operands, get)
        if instruction is not None
        else None
    )
    operand = instruction.memory if instruction is not None else None
    if operand is None and address is not None and address not in ALL_ONES:
        operand = address
    if operand is None and touched is not None:
        operand = touched.address
    access = said or (touched.access if touched is not None else "none")
    if access == "none" and unreadable:
        access = "read"
    if code == _STACK_FULL and operand is None:
        access = "none"
    return access, operand, touched


def region_of(operand: int | None, record: Record | None) -> str | None:
    """Where the address lies that needs no map to be told: near zero, or where nothing can be."""
    if operand is None:
        hidden = record is not None and record.fault_address in ALL_ONES
        return "non-canonical" if hidden else None
    if operand < _NO_CODE:
        return "near-null"
    return "non-canonical" if operand >> 47 not in (0, 0x1FFFF) else None


def transfer_of(pc: int, stacks: Sequence[Stack]) -> str:
    """call, where the stack goes on in known code right behind the address that is no code."""
    for stack in stacks:
        if not stack.current or len(stack.frames) < 2:
            continue
        top, caller = stack.frames[:2]
        lost = top.function is None and top.module is None
        if lost and top.address in (None, pc) and caller.function is not None:
            return "call"
    return "unknown"
