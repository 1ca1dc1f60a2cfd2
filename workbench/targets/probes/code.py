"""The instructions of one function, with who can come before whom."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.targets.probes import x86
from workbench.targets.probes.places import executable, read_some
from workbench.targets.probes.unwind_table import function_bounds

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile

_MAX_FUNCTION = 0x8000
_AHEAD = 0x400
_SWEEP = 0x180


@dataclass(frozen=True)
class Code:
    """Instructions in address order. ``exact`` when the first one is known to be the function's.

    ``at`` finds an instruction by its address, ``before[i]`` are those from which control reaches
    instruction ``i``: the one in front of it and the jumps that go to it.
    """

    instructions: tuple[x86.Instruction, ...]
    exact: bool
    at: dict[int, int]
    before: tuple[tuple[int, ...], ...]

    @property
    def start(self) -> int:
        """The first instruction's address."""
        return self.instructions[0].address


def code_around(core: "CoreFile", pc: int) -> Code | None:
    """The function that holds ``pc``, an instruction's address; None when it is not code."""
    start, end, exact = _bounds(core, pc)
    if start is not None:
        size = (min(end, pc + _MAX_FUNCTION) if end else pc + _AHEAD) - start
        found = list(x86.decode(read_some(core, start, size), start, _MAX_FUNCTION))
        if any(insn.address == pc for insn in found):
            return _linked(found, exact)
    found = _sweep(core, pc)
    return _linked(found, exact=False) if found else None


def _bounds(core: "CoreFile", pc: int) -> tuple[int | None, int | None, bool]:
    bounds = function_bounds(core, pc)
    symbol = core.symbolize(pc)
    named = pc - symbol[1] if symbol is not None else None
    if bounds is not None and pc - bounds[0] <= _MAX_FUNCTION:
        start, end = bounds
        if named is not None and start < named <= pc:
            start = named
        return start, end, True
    if named is not None and pc - named <= _MAX_FUNCTION:
        return named, None, True
    return None, None, False


def _sweep(core: "CoreFile", pc: int) -> list[x86.Instruction]:
    """Without a known start: decode from several addresses in front of ``pc`` and keep the longest
    run that meets ``pc`` exactly. Linear disassembly of x86 falls into step after a few
    instructions, so the first ones of the run are dropped."""
    best: list[x86.Instruction] = []
    if not executable(core, pc):
        return best
    for distance in range(_SWEEP, 0, -16):
        for shift in range(4):
            start = pc - distance + shift
            code = core.read(start, distance - shift + 16)
            if code is None:
                continue
            run = list(x86.decode(code, start, _SWEEP))
            if any(insn.address == pc for insn in run):
                return run[4:] if len(run) > 8 else run
    code = read_some(core, pc, 16)
    first = x86.decode_one(code, pc)
    return [first] if first is not None else best


def _linked(found: list[x86.Instruction], exact: bool) -> Code:
    at = {insn.address: index for index, insn in enumerate(found)}
    before: list[list[int]] = [[] for _ in found]
    for index, insn in enumerate(found):
        if insn.falls_through and index + 1 < len(found):
            before[index + 1].append(index)
        if insn.is_jump and insn.target in at and insn.target is not None:
            before[at[insn.target]].append(index)
    return Code(tuple(found), exact, at, tuple(tuple(items) for items in before))
