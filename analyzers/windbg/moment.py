"""Which event, registers and instruction of an output are those of the fault."""

import re
from collections.abc import Sequence

from analyzers.windbg.exception import BREAKPOINT, Event, Record
from analyzers.windbg.registers import Block, Instruction
from analyzers.windbg.text import Line

_CPP, _CLR = 0xE06D7363, 0xE0434352
NOT_FATAL = frozenset({_CPP, _CLR, 0xE0434F4D, 0x406D1388, 0x04242420, 0x40010006, 0x4001000A})
"""C++ and CLR exceptions, thread names, debug strings: as a first chance they end nothing."""
_CONTEXT = re.compile(r"^\.(?:ecxr|cxr|trap|thread)\b")
_NEAR = 24
"""A debugger shows registers within so many lines of the event."""


def main_event(events: Sequence[Event]) -> Event | None:
    """The exception that matters: the last second chance, else the last that nothing handles."""
    for wanted in (
        [e for e in events if e.second],
        [e for e in events if e.stored],
        [e for e in events if e.code not in NOT_FATAL],
        list(events),
    ):
        if wanted:
            return wanted[-1]
    return None


def registers_of(
    lines: Sequence[Line],
    blocks: Sequence[Block],
    record: Record | None,
    event: Event | None,
    events: Sequence[Event],
) -> Block | None:
    """The registers of the exception, not of what the debugger happened to show."""
    if record is not None and record.address is not None:
        return next((b for b in reversed(blocks) if b.pc == record.address), None)
    contexts = [line.number for line in lines if line.typed and _CONTEXT.match(line.typed)]
    for block in reversed(blocks):
        if any(0 < block.first - at < 6 for at in contexts):
            return block
        if block.instruction is not None and not block.instruction.readable:
            return block
        if event is None or not 0 < block.first - event.line < _NEAR:
            continue
        later = [e for e in events if event.line < e.line < block.first]
        if not later and (not event.stored or _fits(event.code, block)):
            return block
    return None


def _fits(code: int, block: Block) -> bool:
    """True when the instruction can have raised the exception."""
    mnemonic = block.instruction.mnemonic if block.instruction is not None else ""
    if code in (0xC0000094, 0xC0000095):
        return mnemonic in ("div", "idiv")
    return code == BREAKPOINT and block.instruction is not None and mnemonic in ("int", "brk")


def instruction_of(
    record: Record | None, block: Block | None, instructions: Sequence[Instruction]
) -> Instruction | None:
    """The instruction at the fault, among those that the debugger showed."""
    if block is not None and block.instruction is not None:
        return block.instruction
    address = record.address if record is not None else None
    if address is None and block is not None:
        address = block.pc
    if address is not None:
        return next((i for i in instructions if i.address == address), None)
    if record is not None and record.faulting_ip is not None and instructions:
        # Without a record, what FAULTING_IP shows is where it happened.
        return instructions[0]
    return None


def stopped_at(
    lines: Sequence[Line], event: Event | None, instructions: Sequence[Instruction]
) -> Instruction | None:
    """The instruction that a live debugger shows right below the event, without registers."""
    if event is None or event.stored:
        return None
    for instruction in instructions:
        if instruction.line - event.line >= _NEAR:
            break
        between = [line for line in lines if event.line < line.number < instruction.line]
        if 0 < instruction.line - event.line < _NEAR and not any(line.prompt for line in between):
            return instruction
    return None


def where(
    record: Record | None, block: Block | None, instruction: Instruction | None
) -> int | None:
    """The address of the instruction at the fault."""
    if record is not None and record.address is not None:
        return record.address
    if block is not None:
        return block.pc
    return instruction.address if instruction is not None else None
