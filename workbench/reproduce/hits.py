"""What the writes of one cell, in the order in which they were made, have in common."""

import itertools
import re
from collections.abc import Sequence

from workbench.model.facts import Frame
from workbench.reproduce.loops import wrapped
from workbench.reproduce.moment import frame_of, stored_by
from workbench.reproduce.observing import STEP, call_of
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead
from workbench.reproduce.wire import Cell, Hit
from workbench.targets.dump import Dump

_FAR = 1 << 20
"""Bytes that an array is thought to have at most."""
_STORES, _BITS = re.compile(r"mov|(?:add|sub|inc|dec)$"), ("or", "and", "xor")
_TAG = 15
"""The bits of a pointer to a block of malloc's in which a program may keep a tag."""


def overlaps(hits: Sequence[Hit], hit: Hit) -> bool:
    """Whether a library's call had stored the same value there right before: what is no multiple of
    a vector's size it fills by two stores that overlap."""
    last = next((one for one in reversed(hits) if one.order < hit.order), None)
    if last is None or hit.kind != "access" or last.new != hit.new or is_own(hit.frames[0]):
        return False
    ways = [[(f.address, f.stack_pointer) for f in one.frames[1:]] for one in (last, hit)]
    return last.frames[0].function == hit.frames[0].function and ways[0] == ways[1]


def without_counting(hits: list[Hit], cell: Cell) -> list[Hit]:
    """The writes up to the last one that took a number below zero, or far from what it was, when
    all behind it only counted by one: the counting went on from there. Not one by which a library's
    function used the memory for its own frame before."""
    sign = 1 << (cell.size * 8 - 1)
    for number in range(len(hits) - 1, -1, -1):
        old, new = hits[number].old, hits[number].new
        if old is None or new is None or left_by_library(hits[number], cell):
            break
        if not old & sign and new & sign and (new - old) % (2 * sign) >= sign:
            return hits[: number + 1]
        if (new - old) % (2 * sign) not in (1, 2 * sign - 1):
            return hits[: number + 1] if abs(new - old) > _FAR * (len(hits) - number) else hits
    return hits


def left_by_library(hit: Hit, cell: Cell) -> bool:
    """Whether a library's function wrote to its own frame, where a cell came to lie later: what it
    left there is no value of the cell's."""
    lay = frame_of(hit.frames, cell.address)
    return lay is not None and not is_own(lay[0])


def stepped_both_ways(hits: Sequence[Hit], last: Hit) -> bool:
    """Whether a number fell to zero or below by a step that the same instruction had made before,
    between those by which others had counted it up: the step too many, or left out, may be any."""
    steps = [(hit.registers.get("rip"), (hit.new or 0) - (hit.old or 0)) for hit in hits
             if hit.old is not None and hit.order < last.order]  # fmt: skip
    at = last.registers.get("rip")
    fell = wrapped(last.new) if not last.old else (last.old, last.new) == (1, 0)
    return fell and (at, -1) in steps and any(one != at and by == 1 for one, by in steps)


def sets_constant(core: Dump, hit: Hit) -> bool:
    """Whether a hit stored a constant, as one that sets a flag does: nothing is counted so."""
    insn = stored_by(core, hit)
    return insn is not None and insn.mnemonic == "mov" and insn.operands[1].imm is not None


def in_library(hit: Hit, names: re.Pattern[str]) -> bool:
    """Whether a library's function of such a name wrote."""
    inner = itertools.takewhile(lambda frame: not is_own(frame), hit.frames)
    return any(names.search(frame.function or "") for frame in inner)


def is_inside(hit: Hit, function: Frame) -> bool:
    """Whether a function was on the stack at a hit."""
    return any(frame.function == function.function for frame in hit.frames)


def is_from(hit: Hit, other: Hit) -> bool:
    """Whether the program's innermost call at another hit was on the stack at this one."""
    return call_of(other)[1:] in {frame.call for frame in hit.frames}


def part(core: Dump, hit: Hit, cell: Cell) -> int:
    """How many bytes of a pointer's cell a plain move or sum wrote, 0 where all: who sets a pointer
    stores all of it, except a copy byte by byte, so that one byte alone proves nothing. What sets
    or clears bits the compiler may narrow, as to a tag's byte."""
    insn = stored_by(core, hit)
    bits = insn is not None and insn.mnemonic in _BITS and ((hit.old or 0) ^ (hit.new or 0)) > _TAG
    if insn is None or not insn.operands or not (_STORES.match(insn.mnemonic) or bits):
        return 0
    target = insn.operands[0]
    part = cell.size == 8 and bool(hit.old) and target.mem is not None and target.size < 8
    return target.size if part else 0


def changed_whole(hits: Sequence[Hit], width: int) -> bool:
    """Whether the last call that wrote a pointer's cell, ``width`` bytes at a time, changed each
    part of it."""
    calls = [hit for hit in hits if call_of(hit) == call_of(hits[-1])]
    changed = [(hit.old or 0) ^ (hit.new or 0) for hit in calls]
    parts = range(0, 64, 8 * width) if width else ()
    return all(any(one >> at & (1 << 8 * width) - 1 for one in changed) for at in parts)


def first_of_run(core: Dump, hits: Sequence[Hit], cell: Cell) -> Hit:
    """Where the last call that wrote a cell part by part began to."""
    last = hits[-1]
    run = itertools.takewhile(
        lambda hit: part(core, hit, cell) and call_of(hit) == call_of(last), reversed(hits)
    )
    return [last, *run][-1]


def not_only_moved(core: Dump, hits: list[Hit], lead: Lead) -> list[Hit]:
    """Without the last writes that moved a pointer on by a step, when it pointed nowhere before
    that: it was made bad earlier."""
    while lead.row in ("pointer", "copy") and hits and _steps_on(core, hits[-1]):
        hits = hits[:-1]
    return hits


def _steps_on(core: Dump, hit: Hit) -> bool:
    old, new = hit.old or 0, hit.new or 0
    small = 0 < abs(new - old) <= STEP
    return small and min(old, new) > 1 << 16 and not core.region(old) and not core.region(new)
