"""From the parts of an output to what faulted: the exception's record and its instruction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.base import Document
from analyzers.windbg.exception import (
    ALL_ONES,
    BREAKPOINT,
    Event,
    Record,
    read_events,
    read_record,
    stored_breakpoint,
)
from analyzers.windbg.operands import Operand, memory_operand
from analyzers.windbg.registers import Block, Instruction
from analyzers.windbg.text import Line, Symbol
from workbench.model.citation import Citation
from workbench.model.facts import AnyFact, ExceptionRecord, Fault, Registers, Stack

_LONGEST_CITE = 400


@dataclass
class Found:
    """What an output says of the fault. ``thread`` is the TID, ``pc`` where it happened, which
    the debugger calls ``symbol``."""

    record: ExceptionRecord | None = None
    fault: Fault | None = None
    registers: tuple[Registers, ...] = ()
    thread: int | None = None
    pc: int | None = None
    process: str | None = None
    pid: int | None = None
    symbol: Symbol | None = None
    symbol_line: int = 0

    @property
    def facts(self) -> list[AnyFact]:
        """The facts, in the order in which they are of use."""
        found: list[AnyFact] = [fact for fact in (self.record, self.fault) if fact is not None]
        return [*found, *self.registers]


def read_fault(
    document: Document, lines: Sequence[Line], blocks: Sequence[Block],
    instructions: Sequence[Instruction], stacks: Sequence[Stack],
) -> Found:  # fmt: skip
    """The exception and its instruction, as far as this output says them."""
    events, record = read_events(lines), read_record(lines)
    event = main_event(events)
    if event is not None and record.code not in (None, event.code):
        event = next((e for e in reversed(events) if e.code == record.code), None)
    found = Found(thread=record.thread, process=record.process)
    if event is not None:
        found.thread, found.pid = event.thread or record.thread, event.pid
    block = registers_of(lines, blocks, record, event, events)
    instruction = instruction_of(record, block, instructions) or (
        stopped_at(lines, event, instructions) if not record.known and block is None else None
    )
    found.pc = where(record, block, instruction)
    found.symbol = record.symbol or record.faulting_ip
    if instruction is not None and instruction.symbol is not None:
        found.symbol, found.symbol_line = found.symbol or instruction.symbol, instruction.first
    if record.code is None and event is None and instruction is not None:
        _refused(lines, block, instruction, record)
    found.record = _exception(document, lines, record, event, found, block)
    if found.pc is not None:
        found.fault = _fault(document, record, event, found, block, instruction, stacks)
    if block is not None:
        cite = document.cite(block.first, block.last)
        found.registers = (Registers(cite=cite, thread=0, frame=0, values=tuple(block.registers)),)
    return found


def _refused(
    lines: Sequence[Line], block: Block | None, instruction: Instruction, record: Record
) -> None:
    """Tells a record whose code the log lacks what it was: ``.ecxr`` shows where an exception came,
    and no access to the lowest 64 KB, where Windows maps nothing, ends otherwise."""
    shown = any(line.typed and line.typed.startswith(".ecxr") for line in lines)
    address = instruction.memory
    if not shown or block is None or instruction.readable or address is None:
        return
    access = memory_operand(instruction.mnemonic, instruction.operands).access
    if address < _NO_CODE and access in ("read", "write"):
        record.code, record.name = 0xC0000005, "Access violation"
        record.address, record.fault_address, record.access = block.pc, address, access
        record.lines = [block.first, instruction.line]


def _exception(
    document: Document, lines: Sequence[Line], record: Record, event: Event | None, found: Found,
    block: Block | None,
) -> ExceptionRecord | None:  # fmt: skip
    code, name, said = record.code, record.name, [*record.lines]
    if event is not None and code in (None, event.code):
        code, name = event.code, event.name if name is None else name
        said.append(event.line)
    if code is None:
        line = stored_breakpoint(lines)
        if line is None:
            return None
        code, name, said = BREAKPOINT, "breakpoint exception", [line]
    if not record.known and block is not None:
        said += [block.first, block.last]  # the address is theirs
    if not said:
        return None
    parameters = record.parameters
    if not parameters and event is not None and event.code == code and event.subcode is not None:
        parameters = {0: event.subcode}
        said.append(event.line + 1)
    if not parameters and record.subcode is not None:
        parameters = {0: record.subcode}
    count = min(15, max(parameters, default=-1) + 1)
    return ExceptionRecord(
        cite=_span(document, said), platform="windows", code=code, name=name, thread=found.thread,
        address=found.pc if record.known or block is not None else None, access=record.access,
        fault_address=record.fault_address,
        parameters=tuple(parameters.get(n, 0) for n in range(count)), flags=record.flags,
    )  # fmt: skip


def _span(document: Document, said: Sequence[int]) -> Citation:
    """One citation of all lines, unless they lie too far apart: then of the first ones."""
    ordered = sorted(said)
    near = [line for line in ordered if line - ordered[0] <= _LONGEST_CITE]
    return document.cite(near[0], near[-1])


def _fault(
    document: Document, record: Record, event: Event | None, found: Found, block: Block | None,
    instruction: Instruction | None, stacks: Sequence[Stack],
) -> Fault | None:  # fmt: skip
    code = event.code if record.code is None and event is not None else record.code
    pc = found.pc
    if pc is None or code in NOT_FATAL:
        return None

    def get(name: str) -> int | None:
        return block.get(name) if block is not None else None

    said = [*record.lines]
    if event is not None and event.code == code:
        said.append(event.line)
    if block is not None:
        said += [block.first, block.last]
    if instruction is not None:
        said += [instruction.first, instruction.line]
    if not said:
        return None
    access, operand, touched = access_of(code, pc, record, instruction)
    divides = instruction is not None and instruction.mnemonic in ("div", "idiv")
    base = touched.base if touched is not None and access != "execute" else None
    return Fault(
        cite=_span(document, said),
        thread=found.thread or 0,
        pc=pc,
        instruction=instruction.text if instruction is not None and access != "execute" else None,
        mnemonic=instruction.mnemonic if instruction is not None else None,
        access=access,
        operand=operand,
        operand_size=touched.size if touched is not None else None,
        operand_region=region_of(operand, record),
        base_register=base,
        base_value=get(base) if base is not None else None,
        index_register=touched.index if touched is not None and access != "execute" else None,
        index_value=get(touched.index) if touched is not None and touched.index else None,
        # The kernel looks at the divisor to tell the two apart (both are #DE of the processor).
        divisor=0 if divides and code == 0xC0000094 else None,
        quotient_overflow=divides and code == 0xC0000095,
        stack_pointer=get("rsp") if get("rsp") is not None else get("esp"),
        transfer=transfer_of(pc, stacks) if access == "execute" else None,
    )


_ACCESS = frozenset({0xC0000005, 0xC0000006, 0x80000001})
_STACK_FULL = 0xC00000FD
_NO_CODE = 0x10000


def access_of(
    code: int | None, pc: int, record: Record, instruction: Instruction | None
) -> tuple[str, int | None, Operand | None]:
    """read | write | execute | none, the address, and the instruction's memory operand."""
    said, address = record.access, record.fault_address
    unreadable = instruction is not None and not instruction.readable
    if code is not None and code not in (*_ACCESS, _STACK_FULL) and not unreadable:
        return "none", None, None
    lost = instruction is not None and instruction.mnemonic == "???"
    if said == "execute" or lost or (address is not None and address == pc) or (
        pc < _NO_CODE and code in _ACCESS
    ):  # fmt: skip
        return "execute", pc, None
    touched = (
        memory_operand(instruction.mnemonic, instruction.operands)
        if instruction is not None
        else None
    )
    operand = instruction.memory if instruction is not None else None
    if operand is None and address is not None and address not in ALL_ONES:
        operand = address
    access = said or (touched.access if touched is not None else "none")
    if access == "none" and unreadable:
        access = "read"
    if code == _STACK_FULL and operand is None:
        access = "none"
    return access, operand, touched


def region_of(operand: int | None, record: Record) -> str | None:
    """Where the address lies that needs no map to be told: near zero, or where nothing can be."""
    if operand is None:
        return "non-canonical" if record.fault_address in ALL_ONES else None
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
    lines: Sequence[Line], blocks: Sequence[Block], record: Record, event: Event | None,
    events: Sequence[Event],
) -> Block | None:  # fmt: skip
    """The registers of the exception, not of what the debugger happened to show."""
    if record.address is not None:
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
    record: Record, block: Block | None, instructions: Sequence[Instruction]
) -> Instruction | None:
    """The instruction at the fault, among those that the debugger showed."""
    if block is not None and block.instruction is not None:
        return block.instruction
    address = record.address
    if address is None and block is not None:
        address = block.pc
    if address is not None:
        return next((i for i in instructions if i.address == address), None)
    if record.faulting_ip is not None and instructions:
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


def where(record: Record, block: Block | None, instruction: Instruction | None) -> int | None:
    """The address of the instruction at the fault."""
    if record.address is not None:
        return record.address
    if block is not None:
        return block.pc
    return instruction.address if instruction is not None else None
