"""From the parts of an output to what faulted: the exception's record and its instruction."""

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.base import Document
from analyzers.windbg.access import access_of, region_of, transfer_of
from analyzers.windbg.exception import (
    BREAKPOINT,
    Event,
    Record,
    read_events,
    read_record,
    stored_breakpoint,
)
from analyzers.windbg.moment import (
    NOT_FATAL,
    instruction_of,
    main_event,
    registers_of,
    stopped_at,
    where,
)
from analyzers.windbg.operands import division, register
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
    document: Document,
    lines: Sequence[Line],
    blocks: Sequence[Block],
    instructions: Sequence[Instruction],
    stacks: Sequence[Stack],
) -> Found:
    """The exception and its instruction, as far as this output says them."""
    events, record = read_events(lines), read_record(lines)
    event = main_event(events)
    if event is not None and record is not None and record.code not in (None, event.code):
        event = next((e for e in reversed(events) if e.code == record.code), None)
    found = Found()
    if event is not None:
        found.thread, found.pid = event.thread, event.pid
    if record is not None:
        found.thread, found.process = found.thread or record.thread, record.process
    block = registers_of(lines, blocks, record, event, events)
    instruction = instruction_of(record, block, instructions) or (
        stopped_at(lines, event, instructions) if record is None and block is None else None
    )
    found.pc = where(record, block, instruction)
    found.symbol = (record.symbol or record.faulting_ip) if record is not None else None
    if instruction is not None and instruction.symbol is not None:
        found.symbol, found.symbol_line = found.symbol or instruction.symbol, instruction.first
    found.record = _exception(document, lines, record, event, found, block)
    if found.pc is not None:
        found.fault = _fault(document, record, event, found, block, instruction, stacks)
    if block is not None:
        found.registers = (
            Registers(
                cite=document.cite(block.first, block.last),
                thread=0,
                frame=0,
                values=tuple(block.registers),
            ),
        )
    return found


def _exception(
    document: Document,
    lines: Sequence[Line],
    record: Record | None,
    event: Event | None,
    found: Found,
    block: Block | None,
) -> ExceptionRecord | None:
    code = record.code if record is not None else None
    name = record.name if record is not None else None
    if event is not None and (code is None or code == event.code):
        code, name = event.code, event.name if name is None else name
    said: list[int] = [*(record.lines if record is not None else ())]
    if event is not None and event.code == code:
        said.append(event.line)
    if code is None:
        line = stored_breakpoint(lines)
        if line is None:
            return None
        code, name, said = BREAKPOINT, "breakpoint exception", [line]
    if record is None and block is not None:
        said += [block.first, block.last]  # the address is theirs
    if not said:
        return None
    parameters = record.parameters if record is not None else {}
    if not parameters and event is not None and event.code == code and event.subcode is not None:
        parameters = {0: event.subcode}
        said.append(event.line + 1)
    if not parameters and record is not None and record.subcode is not None:
        parameters = {0: record.subcode}
    return ExceptionRecord(
        cite=_span(document, said),
        platform="windows",
        code=code,
        name=name,
        thread=found.thread,
        address=found.pc if record is not None or block is not None else None,
        access=record.access if record is not None else None,
        fault_address=record.fault_address if record is not None else None,
        parameters=tuple(
            parameters.get(n, 0) for n in range(min(15, max(parameters, default=-1) + 1))
        ),
        flags=record.flags if record is not None else 0,
    )


def _span(document: Document, said: Sequence[int]) -> Citation:
    """One citation of all lines, unless they lie too far apart: then of the first ones."""
    ordered = sorted(said)
    near = [line for line in ordered if line - ordered[0] <= _LONGEST_CITE]
    return document.cite(near[0], near[-1])


def _fault(
    document: Document,
    record: Record | None,
    event: Event | None,
    found: Found,
    block: Block | None,
    instruction: Instruction | None,
    stacks: Sequence[Stack],
) -> Fault | None:
    code = record.code if record is not None and record.code is not None else None
    code = event.code if code is None and event is not None else code
    pc = found.pc
    if pc is None or code in NOT_FATAL:
        return None

    def get(name: str) -> int | None:
        return block.get(name) if block is not None else None

    said = [*(record.lines if record is not None else ())]
    if event is not None and event.code == code:
        said.append(event.line)
    if block is not None:
        said += [block.first, block.last]
    if instruction is not None:
        said += [instruction.first, instruction.line]
    if not said:
        return None
    access, operand, touched = access_of(code, pc, record, instruction, get)
    parts = division(instruction.mnemonic, instruction.operands, get, instruction.value) if (
        instruction is not None) else None  # fmt: skip
    overflow = parts is not None and parts.overflows
    if code == 0xC0000095 and parts is not None and parts.divisor not in (None, 0):
        overflow = True  # the processor's own word (#DE), told apart from zero by the divisor
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
        base_value=register(base, get) if base is not None else None,
        index_register=touched.index if touched is not None and access != "execute" else None,
        index_value=register(touched.index, get) if touched is not None and touched.index else None,
        divisor=0 if code == 0xC0000094 and parts is not None and parts.divisor is None
        else (parts.divisor if parts is not None else None),
        quotient_overflow=overflow,
        stack_pointer=get("rsp") if get("rsp") is not None else get("esp"),
        transfer=transfer_of(pc, stacks) if access == "execute" else None,
    )  # fmt: skip
