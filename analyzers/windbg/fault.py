"""From the parts of an output to what faulted: the exception's record and its instruction."""

import re
from collections.abc import Sequence

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
from analyzers.windbg.text import Line
from workbench.model.citation import Citation
from workbench.model.facts import AnyFact, ExceptionRecord, Fault, Registers, Stack

_LONGEST_CITE = 400


_CPP, _CLR = 0xE06D7363, 0xE0434352
NOT_FATAL = frozenset({_CPP, _CLR, 0xE0434F4D, 0x406D1388, 0x04242420, 0x40010006, 0x4001000A})
"""C++ and CLR exceptions, thread names, debug strings: as a first chance they end nothing."""
_CONTEXT = re.compile(r"^\.(?:ecxr|cxr|trap|thread)\b")
_NEAR = 24
"""A debugger shows registers within so many lines of the event."""


class Found:
    """What an output says of the fault. ``thread`` is the TID, ``pc`` where it happened, which
    the debugger calls ``symbol``; ``said`` are the parts of the exception's record."""

    def __init__(
        self,
        document: Document,
        lines: Sequence[Line],
        blocks: Sequence[Block],
        instructions: Sequence[Instruction],
        stacks: Sequence[Stack],
    ) -> None:
        self._document, self._lines, self._stacks = document, lines, stacks
        self.said, events = read_record(lines), read_events(lines)
        event = main_event(events)
        if event is not None and self.said.code not in (None, event.code):
            event = next((e for e in reversed(events) if e.code == self.said.code), None)
        self.event = event
        self.thread = event.thread or self.said.thread if event is not None else self.said.thread
        self.pid, self.process = event.pid if event is not None else None, self.said.process
        self.block = self._registers_of(blocks, events)
        self.instruction = self._instruction_of(instructions)
        self.pc = self._where()
        self.symbol, self.symbol_line = self.said.symbol or self.said.faulting_ip, 0
        if self.instruction is not None and self.instruction.symbol is not None:
            self.symbol = self.symbol or self.instruction.symbol
            self.symbol_line = self.instruction.first
        self._refused()
        self.record = self._exception()
        self.fault = self._fault()
        self.registers: tuple[Registers, ...] = ()
        if (block := self.block) is not None:
            cite, values = document.cite(block.first, block.last), tuple(block.registers)
            self.registers = (Registers(cite=cite, thread=0, frame=0, values=values),)

    @property
    def facts(self) -> list[AnyFact]:
        """The facts, in the order in which they are of use."""
        found: list[AnyFact] = [fact for fact in (self.record, self.fault) if fact is not None]
        return [*found, *self.registers]

    def _registers_of(self, blocks: Sequence[Block], events: Sequence[Event]) -> Block | None:
        """The registers of the exception, not of what the debugger happened to show."""
        event, address = self.event, self.said.address
        if address is not None:
            return next((b for b in reversed(blocks) if b.pc == address), None)
        typed = (line for line in self._lines if line.typed and _CONTEXT.match(line.typed))
        contexts = [line.number for line in typed]
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

    def _instruction_of(self, instructions: Sequence[Instruction]) -> Instruction | None:
        """The instruction at the fault, among those that the debugger showed."""
        said, block, event = self.said, self.block, self.event
        if block is not None and block.instruction is not None:
            return block.instruction
        address = block.pc if said.address is None and block is not None else said.address
        if address is not None:
            return next((i for i in instructions if i.address == address), None)
        if said.faulting_ip is not None and instructions:
            return instructions[0]  # without a record, what FAULTING_IP shows is where it happened
        if not said.known and block is None and (event is None or event.code in _ACCESS):
            near = (i for i in instructions if not i.readable and (i.memory or 0) < _NO_CODE)
            one = next(near, None) if self._is_where_it_came else None
            if one is not None or event is None:
                return one
        if said.known or block is not None or event is None or event.stored:
            return None
        # A live debugger shows it right below the event, without registers.
        for one in instructions:
            if one.line - event.line >= _NEAR:
                break
            between = (x for x in self._lines if event.line < x.number < one.line)
            if one.line > event.line and not any(line.prompt for line in between):
                return one
        return None

    def _where(self) -> int | None:
        """The address of the instruction at the fault."""
        if self.said.address is not None:
            return self.said.address
        if self.block is not None:
            return self.block.pc
        return self.instruction.address if self.instruction is not None else None

    @property
    def _is_where_it_came(self) -> bool:
        """True where an output shows where an exception came: ``.ecxr`` does, and what a debugger
        shows by itself, but at a breakpoint."""
        typed = [line.typed for line in self._lines if line.typed]
        if typed:
            return any(command.startswith(".ecxr") for command in typed)
        return not any(line.text.startswith("Breakpoint ") for line in self._lines)

    def _refused(self) -> None:
        """Tells a record whose code the log lacks what it was: no access to the lowest 64 KB, where
        Windows maps nothing, ends otherwise."""
        said, instruction = self.said, self.instruction
        if said.code is not None or instruction is None or not self._is_where_it_came:
            return
        if self.event is not None and (not self.event.stored or self.event.code not in _ACCESS):
            return
        address = instruction.memory
        if instruction.readable or address is None:
            return
        access = memory_operand(instruction.mnemonic, instruction.operands).access
        if address < _NO_CODE and access in ("read", "write"):
            said.code, said.name = 0xC0000005, "Access violation"
            said.address, said.fault_address = instruction.address, address
            said.access = access
            first = self.block.first if self.block is not None else instruction.first
            said.lines = [first, instruction.line]

    def _exception(self) -> ExceptionRecord | None:
        said, event, block = self.said, self.event, self.block
        code, name, lines = said.code, said.name, [*said.lines]
        if event is not None and code in (None, event.code):
            code, name = event.code, event.name if name is None else name
            lines.append(event.line)
        if code is None:
            line = stored_breakpoint(self._lines)
            if line is None:
                return None
            code, name, lines = BREAKPOINT, "breakpoint exception", [line]
        if not said.known and block is not None:
            lines += [block.first, block.last]  # the address is theirs
        if not lines:
            return None
        parameters = said.parameters
        subcode = event.subcode if event is not None and event.code == code else None
        if not parameters and event is not None and subcode is not None:
            parameters = {0: subcode}
            lines.append(event.line + 1)
        if not parameters and said.subcode is not None:
            parameters = {0: said.subcode}
        count = min(15, max(parameters, default=-1) + 1)
        return ExceptionRecord(
            cite=self._span(lines),
            platform="windows",
            code=code,
            name=name,
            thread=self.thread,
            address=self.pc if said.known or block is not None else None,
            access=said.access,
            fault_address=said.fault_address,
            parameters=tuple(parameters.get(n, 0) for n in range(count)),
            flags=said.flags,
            chance=event.chance if event is not None and event.code == code else None,
        )

    def _span(self, lines: Sequence[int]) -> Citation:
        """One citation of all lines, unless they lie too far apart: then of the first ones."""
        ordered = sorted(lines)
        near = [line for line in ordered if line - ordered[0] <= _LONGEST_CITE]
        return self._document.cite(near[0], near[-1])

    def _fault(self) -> Fault | None:
        said, event, block, instruction = self.said, self.event, self.block, self.instruction
        code = event.code if said.code is None and event is not None else said.code
        pc = self.pc
        if pc is None or code in NOT_FATAL:
            return None

        def get(name: str) -> int | None:
            return block.get(name) if block is not None else None

        lines = [*said.lines]
        if event is not None and event.code == code:
            lines.append(event.line)
        if block is not None:
            lines += [block.first, block.last]
        if instruction is not None:
            lines += [instruction.first, instruction.line]
        if not lines:
            return None
        access, operand, touched = access_of(code, pc, said, instruction)
        divides = instruction is not None and instruction.mnemonic in ("div", "idiv")
        base = touched.base if touched is not None and access != "execute" else None
        return Fault(
            cite=self._span(lines),
            thread=self.thread or 0,
            pc=pc,
            instruction=instruction.text if instruction and access != "execute" else None,
            mnemonic=instruction.mnemonic if instruction is not None else None,
            access=access,
            operand=operand,
            operand_size=touched.size if touched is not None else None,
            operand_region=region_of(operand, said),
            base_register=base,
            base_value=get(base) if base is not None else None,
            index_register=touched.index if touched is not None and access != "execute" else None,
            index_value=get(touched.index) if touched is not None and touched.index else None,
            # The kernel looks at the divisor to tell the two apart (both are #DE).
            divisor=0 if divides and code == 0xC0000094 else None,
            quotient_overflow=divides and code == 0xC0000095,
            stack_pointer=get("rsp") if get("rsp") is not None else get("esp"),
            transfer=transfer_of(pc, self._stacks) if access == "execute" else None,
        )


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


def _fits(code: int, block: Block) -> bool:
    """True when the instruction can have raised the exception."""
    mnemonic = block.instruction.mnemonic if block.instruction is not None else ""
    if code in (0xC0000094, 0xC0000095):
        return mnemonic in ("div", "idiv")
    return code == BREAKPOINT and block.instruction is not None and mnemonic in ("int", "brk")


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
    if (
        said == "execute"
        or lost
        or (address is not None and address == pc)
        or (pc < _NO_CODE and code in _ACCESS)
    ):
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
