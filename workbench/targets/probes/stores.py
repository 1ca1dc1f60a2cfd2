"""Which instructions may have set a cell of memory last, before one that reads it."""

from workbench.targets.probes.slicer import Slicer, Trail

Way = tuple[int, Trail | None]
"""A store's place in the code, with the way on which it was found."""


def gives(slicer: Slicer, way: Way, value: int | None) -> bool:
    """True when a store puts just this value into its cell."""
    at, rest = way
    source = slicer.code.instructions[at].operands[1]
    return slicer.operand(source, at, (at, rest), 0) == value


def last_stores(
    slicer: Slicer, cell: int, index: int, trail: Trail, depth: int
) -> tuple[list[Way], bool]:
    """The stores that may have set a cell last, and whether some way from the function's entry
    passes none of them."""
    walk = slicer.back(index, trail)
    stop: bool | None = None
    unset = False
    found: list[Way] = []
    while True:
        try:
            at, rest = walk.send(stop) if stop is not None else next(walk)
        except StopIteration:
            break
        stop = at is None
        if at is None:
            unset = True
            continue
        insn = slicer.code.instructions[at]
        target = insn.operands[0] if insn.operands else None
        if target is None or target.mem is None or not insn.mnemonic.startswith("mov"):
            continue
        if slicer.effective(target.mem, at, (at, rest), depth) == cell:
            found.append((at, rest))
            stop = True
    return found, unset
