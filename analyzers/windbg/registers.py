"""Register blocks and the instruction line below them."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from analyzers.base import hexadecimal
from analyzers.windbg.text import HEX, Line, Symbol, parse_symbol
from workbench.model.facts import Register

_PAIR = re.compile(r"(?<![\w])([a-z][a-z0-9]{1,3})=([0-9a-f]{8}(?:[0-9a-f]{8})?)(?![0-9a-fA-F])")
_ROW = re.compile(r"^\s*[a-z][a-z0-9]{1,3}=[0-9a-f]{8}")
_TAIL = re.compile(r"^\s*(?:iopl=|cs=[0-9a-f]{4}\b|[NZCV-]{4} )")
_INSTRUCTION = re.compile(
    rf"^(?P<address>{HEX})\s+(?P<bytes>[0-9a-f?]{{2,32}})\s+(?P<mnemonic>[a-z][a-z0-9.]{{0,15}}|\?\?\?)"
    r"(?:\s+(?P<operands>\S.*))?$"
)
# "ds:002b:00000000=????????": where the operand lies and what stands there.
_MEMORY = re.compile(
    rf"\s+(?P<segment>[c-gs]s):(?:(?P<selector>[0-9a-f]{{4}}):)?(?P<address>{HEX})"
    r"=(?P<value>\?{2,}|\{.*\}|[0-9a-f`]{1,40})$"
)
_AT = re.compile(r"^(?P<symbol>\S.*):$")
_BELOW = 16
"""So many lines below its registers an instruction is shown, warnings in between."""
_COUNTERS = ("rip", "eip", "pc")


@dataclass(frozen=True)
class Instruction:
    """A disassembled line: its address, what it does, and the memory operand as annotated
    (``readable`` False for ``????????``); ``symbol`` from the line above it."""

    line: int
    address: int
    text: str
    mnemonic: str
    operands: str
    memory: int | None = None
    readable: bool = True
    symbol: Symbol | None = None
    first: int = 0


@dataclass
class Block:
    """One block of registers; ``instruction`` is the one shown below it."""

    first: int
    last: int
    registers: list[Register] = field(default_factory=list)
    instruction: Instruction | None = None

    def get(self, name: str) -> int | None:
        """The value of a register, or None; of ARM64's ``w9`` the lower half of ``x9``."""
        half = re.fullmatch(r"w\d{1,2}", name) is not None
        wide = f"x{name[1:]}" if half else name
        value = next((r.value for r in self.registers if r.name == wide), None)
        return value & 0xFFFFFFFF if half and value is not None else value

    @property
    def pc(self) -> int | None:
        """The program counter."""
        return next((v for name in _COUNTERS if (v := self.get(name)) is not None), None)


def parse_instruction(text: str, line: int) -> Instruction | None:
    """A line of ``u`` or of the current instruction, or None."""
    found = _INSTRUCTION.match(text)
    if found is None or len(found["address"]) < 8:
        return None
    operands = found["operands"] or ""
    memory = _MEMORY.search(" " + operands)
    if memory is not None:
        operands = (" " + operands)[: memory.start()].strip()
        if memory["segment"] in ("fs", "gs"):
            memory = None  # of these the debugger leaves the base out
    mnemonic = found["mnemonic"]
    return Instruction(
        line=line,
        address=hexadecimal(found["address"]),
        text=" ".join(f"{mnemonic} {operands}".split()),
        mnemonic=mnemonic,
        operands=operands,
        memory=hexadecimal(memory["address"]) if memory is not None else None,
        readable=memory is None or "?" not in memory["value"],
        first=line,
    )


def read_instructions(lines: Sequence[Line]) -> list[Instruction]:
    """Every instruction line, with the symbol that the line above it names."""
    found: list[Instruction] = []
    above: Line | None = None
    for line in lines:
        one = parse_instruction(line.text, line.number)
        if one is not None:
            place = _AT.match(above.text) if above is not None else None
            name = place["symbol"] if place else (above.text if above is not None else "")
            symbol = parse_symbol(name) if "!" in name or place else None
            if symbol is not None and above is not None and symbol.address is None:
                one = replace(one, symbol=symbol, first=above.number)
            found.append(one)
        if line.text and not line.text.startswith("***"):
            above = line
    return found


def read_blocks(lines: Sequence[Line], instructions: Sequence[Instruction]) -> list[Block]:
    """Every block of registers with the instruction at its program counter."""
    blocks: list[Block] = []
    now: Block | None = None
    for line in lines:
        if _ROW.match(line.text):
            if now is None:
                now = Block(line.number, line.number)
                blocks.append(now)
            now.last = line.number
            now.registers += [
                Register(name, int(value, 16), line.number)
                for name, value in _PAIR.findall(line.text)
            ]
        elif now is not None and not _TAIL.match(line.text):
            now = None
    places = [instruction.line for instruction in instructions]
    for block in blocks:
        first = bisect_right(places, block.last)
        near = instructions[first : bisect_right(places, block.last + _BELOW)]
        block.instruction = next((i for i in near if i.address == block.pc), None)
    return [block for block in blocks if len(block.registers) > 2]
