"""The instructions of one function, with who can come before whom."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import overload
from weakref import WeakKeyDictionary

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import executable, read_some
from workbench.targets.probes.unwind_table import function_bounds

_MAX_FUNCTION = 0x8000
_AHEAD = 0x400
_SWEEP = 0x180
_TABLE = 0x1000
_MOST_KNOWN = 64
"""Functions of a dump that are kept."""
_BASED = re.compile(r"(?:mov rbp, rsp|lea rbp, \[rsp\b.*)$")


class Instructions(Sequence[Instruction]):
    """A run of instructions; each is decoded in full when it is first asked for, since a slice
    looks at few of a function's hundreds. ``outlines`` tell all of them roughly."""

    def __init__(self, code: bytes, start: int, outlines: list[x86.Outline]) -> None:
        self._code = code
        self._start = start
        self.outlines = outlines
        self._known: dict[int, Instruction] = {}

    def __len__(self) -> int:
        return len(self.outlines)

    @overload
    def __getitem__(self, index: int) -> Instruction: ...

    @overload
    def __getitem__(self, index: slice) -> list[Instruction]: ...

    def __getitem__(self, index: int | slice) -> Instruction | list[Instruction]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        found = self._known.get(index)
        if found is None:
            outline = self.outlines[index]
            at = outline.address - self._start
            found = x86.decode_one(self._code[at : at + outline.size], outline.address)
            if found is None:
                raise IndexError(index)
            self._known[index] = found
        return found


class Code(Struct, frozen=True):
    """Instructions in address order. ``exact`` when the first one is known to be the function's.

    ``at`` finds an instruction by its address, ``before[i]`` are those from which control reaches
    instruction ``i``: the one in front of it and the jumps that go to it, through a table too.
    ``frame`` are the registers through which it reaches its own frame.
    """

    instructions: Instructions
    exact: bool
    at: dict[int, int]
    before: tuple[tuple[int, ...], ...]
    frame: tuple[str, ...]

    @property
    def start(self) -> int:
        """The first instruction's address."""
        return self.instructions.outlines[0].address


def insn_at(core: Dump, address: int) -> Instruction | None:
    """The instruction of x86 that begins at an address, whose function need not be known."""
    return x86.decode_one(read_some(core, address, 16), address)


_around: "WeakKeyDictionary[Dump, dict[int, Code]]" = WeakKeyDictionary()


def code_around(core: Dump, pc: int) -> Code | None:
    """The function that holds ``pc``, an instruction's address; None when it is not code."""
    known = _around.setdefault(core, {})
    code = known.get(pc)
    if code is None and (found := run_around(core, pc)) is not None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        code = known[pc] = _linked(core, *found)
    return code


def run_around(core: Dump, pc: int) -> tuple[Instructions, bool] | None:
    """The same without who can come before whom; and whether its start is known."""
    start, end, exact = _bounds(core, pc)
    if start is not None:
        size = (min(end, pc + _MAX_FUNCTION) if end else pc + _AHEAD) - start
        code = read_some(core, start, size)
        found = x86.outline(code, start)
        if any(item.address == pc for item in found):
            return Instructions(code, start, found), exact
    return _sweep(core, pc)


def _bounds(core: Dump, pc: int) -> tuple[int | None, int | None, bool]:
    bounds = function_bounds(core, pc)
    symbol = core.symbolize(pc)
    named = pc - symbol[1] if symbol is not None else None
    if bounds is not None and pc - bounds[0] <= _MAX_FUNCTION:
        start, end = bounds
        if named is not None and start < named <= pc:
            start = named
        return start, end, True
    if named is not None and pc - named <= _MAX_FUNCTION:
        size = core.symbol_size(pc)
        return named, named + size if size else None, True
    return None, None, False


def _sweep(core: Dump, pc: int) -> tuple[Instructions, bool] | None:
    """Without a known start: decode from several addresses in front of ``pc`` and keep the longest
    run that meets ``pc`` exactly. Linear disassembly of x86 falls into step after a few
    instructions, so the first ones of the run are dropped."""
    if not executable(core, pc):
        return None
    for distance in range(_SWEEP, 0, -16):
        for shift in range(4):
            start = pc - distance + shift
            code = core.read(start, distance - shift + 16) if start >= 0 else None
            if code is None:
                continue
            run = x86.outline(code, start)
            if any(item.address == pc for item in run):
                kept = run[4:] if len(run) > 8 and pc not in {r.address for r in run[:4]} else run
                return Instructions(code, start, kept), False
    code = read_some(core, pc, 16)
    first = x86.outline(code, pc)[:1]
    return (Instructions(code, pc, first), False) if first else None


def _linked(core: Dump, found: Instructions, exact: bool) -> Code:
    outlines = found.outlines
    at = {item.address: index for index, item in enumerate(outlines)}
    before: list[list[int]] = [[] for _ in outlines]
    for index, item in enumerate(outlines):
        if item.falls_through and index + 1 < len(outlines):
            before[index + 1].append(index)
        if item.target is not None and item.target in at:
            before[at[item.target]].append(index)
    jumps = [index for index, item in enumerate(outlines) if item.jumps_by_value]
    for goal in _cases(core, found, at) if jumps else ():
        before[goal] += [index for index in jumps if index not in before[goal]]
    # -fomit-frame-pointer leaves rbp to hold anything.
    based = not exact or any(_BASED.match(f"{one.mnemonic} {one.operands}") for one in outlines)
    frame = ("rsp", "rbp") if based else ("rsp",)
    return Code(found, exact, at, tuple(tuple(items) for items in before), frame)


def _cases(core: Dump, found: Instructions, at: dict[int, int]) -> set[int]:
    """The instructions that the tables of a function's ``switch`` name: distances from the table,
    or addresses. Which of its tables a jump goes by is not asked: a way too many leaves open what
    one too few makes certain."""
    goals = set[int]()
    for table in {target for _, target in _named(found) if target not in at}:
        raw = read_some(core, table, _TABLE)
        for size, base in ((4, table), (8, 0)):
            words = (
                base + int.from_bytes(raw[here : here + size], "little", signed=True)
                for here in range(0, len(raw) - size + 1, size)
            )
            goals |= {at[goal] for goal in takewhile(at.__contains__, words)}
    return goals


def reached(ways: Sequence[Sequence[int]], start: int, ends: Collection[int]) -> set[int]:
    """The instructions that ways lead to from one on, as far as the first of ``ends``: those that
    may run next, or, over `Code.before`, those that may have run."""
    found, left = set[int](), [start]
    while left:
        here = left.pop()
        if here not in found:
            found.add(here)
            left += [] if here in ends else ways[here]
    return found


def named_by(function: Code) -> Iterator[tuple[int, int]]:
    """(index of the instruction, address) for each address that a ``lea``, a ``mov`` or a jump
    through memory holds, in the order of the instructions."""
    return _named(function.instructions)


def _named(instructions: Instructions) -> Iterator[tuple[int, int]]:
    for index, item in enumerate(instructions.outlines):
        if not item.mnemonic.endswith(("lea", "mov", "jmp")) or "0x" not in item.operands:
            continue
        insn = instructions[index]
        for operand in insn.operands:
            target, mem = operand.imm if not insn.is_jump else None, operand.mem
            if mem is not None and mem.base in (None, "rip"):
                target = insn.effective(mem, {}) if mem.base else mem.disp
            if target and target > 0:
                yield index, target


def names_text(core: Dump, function: Code, texts: tuple[bytes, ...]) -> bytes | None:
    """The first of some texts that the function names by its beginning."""
    longest = max(len(text) for text in texts)
    for _, target in named_by(function):
        raw = core.read(target, longest) or b""
        found = next((text for text in texts if raw.startswith(text)), None)
        if found is not None:
            return found
    return None
