"""What the stack makes of a failed access: more than its address says."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from analyzers.log.abort import abort_category
from analyzers.log.kinds import is_text
from workbench.model import facts as f
from workbench.model.category import Category

ACCESSES = frozenset(
    category.value
    for category in (
        Category.WILD_POINTER,
        Category.NULL_POINTER_DEREFERENCE,
        Category.CORRUPTED_POINTER,
    )
)
"""Categories that an address alone stands for."""
_ENOUGH = 6
_DEEP, MANY = 2000, 100
"""A call so deep is recursion that took the stack; so many alike look like it."""
_RING, _FEWEST, _OUTER = 3, 3, 8
"""Functions that call each other, the fewest frames of theirs, and the most of their callers."""
_FAR, _PAGE = 1 << 20, 4096
"""How far below a stack its overflow still is, and how far above its end a push may begin."""


class Below(NamedTuple):
    """A stack pointer at the end of the main thread's stack: the mapping and the register, each
    with the evidence that holds its line."""

    region: f.Region
    mapped_in: str
    pointer: f.Register
    shown_in: str


def meant(facts: f.FactBook, finding: f.Finding, frames: Sequence[f.Frame]) -> Category | None:
    """What a failed access was; None where its address says all that is known."""
    wild = finding.category == Category.WILD_POINTER.value
    if wild and ((recursion(facts) or 0) >= _DEEP or below(facts, finding) is not None):
        return Category.STACK_OVERFLOW
    if abort_category(frames[:2]) is Category.ASSERTION_FAILURE:
        return Category.ASSERTION_FAILURE
    return Category.STACK_BUFFER_OVERFLOW if overwritten(frames) else None


def overwritten(frames: Sequence[f.Frame]) -> list[f.Frame]:
    """The frames of a stack whose return addresses are all the same text, so that they were written
    over; empty for any other."""
    lost = [frame for frame in frames if frame.function is None and frame.module is None]
    same = {frame.address for frame in lost if frame.address is not None}
    return lost if len(lost) >= _ENOUGH and len(same) == 1 and is_text(min(same)) else []


def below(facts: f.FactBook, finding: f.Finding) -> Below | None:
    """An access right below the main thread's stack, with the stack pointer there too: the kernel
    let the stack grow no further (mm/mmap.c, acct_stack_growth)."""
    if finding.address is None:
        return None
    for memory in facts.all(f.Memory):
        for region in memory.regions:
            if region.path != "[stack]" or not 0 < region.start - finding.address <= _FAR:
                continue
            for shown in facts.all(f.Registers):
                for register in shown.values:
                    near = region.start - _FAR <= register.value < region.start + _PAGE
                    if register.name in ("rsp", "esp", "sp") and near:
                        return Below(region, memory.cite.evidence, register, shown.cite.evidence)
    return None


def recursion(facts: f.FactBook) -> int | None:
    """The number of the outermost listed frame of a few functions that are nearly all of a listing,
    whatever part of a stack it shows; None where they are not so many."""
    listed = [s for s in facts.all(f.Stack) if s.frames and (s.current or s.frames[0].index > 0)]
    frames = [frame for stack in listed for frame in stack.frames if frame.function]
    often = Counter(frame.function for frame in frames).most_common(_RING)
    names = {name for name, count in often if count > 1}
    mine = [frame for frame in frames if frame.function in names]
    if not mine or len(mine) < max(_FEWEST, len(frames) - _OUTER):
        return None
    outermost = max(frame.index for frame in mine)
    return outermost if outermost >= _DEEP or len(mine) >= MANY else None
