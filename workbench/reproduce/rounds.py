"""Blocks that were asked for in the very call that went past their end: whether that call had more
to write than it asked for, or wrote once too often."""

import re
from collections.abc import Collection, Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from workbench.reproduce.loops import builds_up, rounds_of
from workbench.reproduce.makers import made_of, returns, scales, through
from workbench.reproduce.slices import callee
from workbench.reproduce.wrappers import Kept, kept
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import Caller
from workbench.targets.probes.code import Code, code_around
from workbench.targets.probes.history import slicer_at
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.slicer import Slicer, zeroes
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

TEXTS = re.compile(r"_*(?:str(?:cpy|cat)|stpcpy)(?!_chk)")
"""Copies that are given no length."""
_MEASURES = re.compile(r"_*(?:str|wcs)n?(?:len|c?spn|chr|rchr|str)|_*v?snprintf")
"""The C library's, whose answer says how long a text is or will be: what is then written is it."""

Leaf = tuple[Kept | int, int]
"""What a number began from: a register in which its function got it, a cell behind a pointer and
how far, or a call."""


class Round(Enum):
    """Whether a loop was to make the round in which it wrote: where it compares what it counts."""

    MEANT = auto()
    LAST = auto()  # one too many, or the loop makes one more than there is room for
    UNCOUNTED = auto()  # no loop, or one that ends with a text or a list
    UNKNOWN = auto()  # it compares what it reckoned with


class Filled(NamedTuple):
    """How a function came to where it wrote: the instructions that made the place, those of them
    that count up, the arguments that are in it, the loops around the write, inner ones first, and
    whether it was to make that round."""

    made: list[Instruction]
    counters: list[Instruction]
    given: Collection[str]
    rounds: list[range]
    round: Round


def filled(
    core: Dump, moment: Dump, code: Code, site: Caller, block: tuple[int, int]
) -> Filled | None:
    """How a function went past the end of ``block`` (address, bytes asked for) at ``site``, in its
    ``code``; None where it went downwards."""
    at, insn = code.at[site.call.address], site.call
    mem = insn.operands[0].mem if insn.operands and not insn.is_call else None
    names = ("rdi",) if mem is None else tuple(n for n in (mem.base, mem.index) if n in FAMILY)
    made, given = made_of(core, code, [(at, name) for name in names])
    if any(_counts_down(core, one) for one in made):
        return None
    counters = [one for one in made if _counts_up(core, code, one)]
    rounds = rounds_of(code, insn)
    plain = _is_plain(core, code, [one for one in made if not _sums(one) and not scales(one)])
    far = mem is not None and bool(mem.index) and mem.disp >= mem.scale * _times(made)
    now = _round(core, moment, code, site, block, rounds)
    unsure = now is Round.MEANT and (far or not plain)
    return Filled(made, counters, given, rounds, Round.UNKNOWN if unsure else now)


def had_more_to_write(
    core: Dump, code: Code, site: Instruction, asked: tuple[Instruction, Sequence[str]],
    way: Filled, folded: bool,
) -> bool | None:  # fmt: skip
    """Whether who asked for a block at ``asked``, a call and the registers of its size, and went
    past its end at ``site``, had that to write: it puts one thing behind another, in a round that
    its loop was to make, and asked for no other number than what it goes by. False where that is
    not so; None where it may have gone on for too long as well: in two loops, or until it meets an
    end that it did not count; or where the compiler ``folded`` the arguments into a constant."""
    mem = site.operands[0].mem if site.operands and not site.is_call else None
    made, counters, given, rounds, now = way
    sizes, asked_for = made_of(core, code, [(code.at[asked[0].address], r) for r in asked[1]])
    wants = set(_leaves(core, code, sizes, asked_for))
    lengths = [(code.at[site.address], name) for name in ARGUMENTS[1:4]] if site.is_call else []
    more, told = made_of(core, code, lengths)
    goes_by = set(_leaves(core, code, [*made, *more], [*given, *told]))
    texts = site.is_call and TEXTS.match(callee(core, site)) is not None
    if now is Round.LAST or not (counters or texts or (mem and wants and wants <= goes_by)):
        return False
    if not _varies(core, code, sizes, asked_for):
        return None if folded else False
    goes_by |= set(_compared(core, code))
    if not (counters or mem) or not wants <= goes_by:  # who writes is to look how much room it has
        return None if all(isinstance(one[0], int) for one in wants - goes_by) else False
    begun = [one for one in made if rounds and one not in counters and _sums(one)
             and not any(one.address in each for each in rounds)]  # fmt: skip
    loops = {each[0] for one in counters if (each := rounds_of(code, one))}
    elsewhere = mem is None and any(each not in rounds for each in loops)
    if len(loops) > 1 or begun or elsewhere or now is Round.UNKNOWN:
        return None
    if now is Round.UNCOUNTED and rounds and mem is not None:
        steps = {_counting(core, code, one) for one in counters
                 if any(one.address in each for each in rounds)}  # fmt: skip
        by = sum(map(_step, steps)) * _times(made) * (mem.scale if mem.index else 1)
        return True if by > _times(sizes) else None
    return True


def varies(core: Dump, code: Code, asked: Instruction, names: Sequence[str]) -> bool:
    """Whether the size that a call asks for is no constant of its function."""
    return _varies(core, code, *made_of(core, code, [(code.at[asked.address], r) for r in names]))


def _varies(core: Dump, code: Code, made: Sequence[Instruction], given: Collection[str]) -> bool:
    return bool(given) or any(
        one.is_call or _counts_up(core, code, one) or _places(core, code, one, -1) for one in made
    )


def _compared(core: Dump, code: Code) -> Iterator[Leaf]:
    """What the numbers began from that a function compares."""
    for index, one in enumerate(code.instructions):
        if one.mnemonic == "cmp" and len(one.operands) == 2:
            ways = [(index, way) for side in (0, 1) if (way := kept(code, one, side))]
            yield from _leaves(core, code, [one], ())
            yield from _leaves(core, code, *made_of(core, code, ways))


def _leaves(
    core: Dump, code: Code, made: Sequence[Instruction], given: Collection[str]
) -> Iterator[Leaf]:
    """What numbers began from that these instructions made; a text's length is none."""
    for name in given:
        yield name, -1
    for one in made:
        if one.is_call:
            if not _measures(core, one):
                yield one.address, -1
            continue
        for side in range(len(one.operands)):
            place = _places(core, code, one, side)
            stores = [index for index, other in enumerate(code.instructions)
                      if place and other.mnemonic == "mov" and other != one
                      and _places(core, code, other, 0) == place]  # fmt: skip
            kept_in = kept(code, code.instructions[stores[0]], 1) if len(stores) == 1 else ""
            if kept_in and stores[0] < code.at[one.address]:
                yield from _leaves(core, code, *made_of(core, code, [(stores[0], kept_in)]))
            else:
                yield from place


def _measures(core: Dump, call: Instruction) -> bool:
    """Whether a call answers how long texts are: the C library's, or one that adds such up."""
    inside = code_around(core, call.target) if call.target is not None else None
    if _MEASURES.match(callee(core, call)) or inside is None:
        return _MEASURES.match(callee(core, call)) is not None
    made, _ = made_of(core, inside, [(inside.at[at], "rax") for at in returns(inside)])
    calls = [callee(core, one) for one in made if one.is_call]
    return bool(calls) and all(map(_MEASURES.match, calls))


def _counts_up(core: Dump, code: Code, insn: Instruction) -> bool:
    """Whether an instruction counts in a loop, or reads through a pointer what the function counts
    up there."""
    in_place = insn.mnemonic in ("add", "inc") and insn.operands[0].mem is not None
    if in_place or builds_up(core, insn.address):
        return True
    read = _places(core, code, insn, -1) if insn.mnemonic.startswith("mov") else set[Leaf]()
    return bool(read) and _is_counted_up(core, code, read)


def _is_counted_up(core: Dump, code: Code, read: set[Leaf]) -> bool:
    """Whether a function counts up what it reads through a pointer."""
    for index, one in enumerate(code.instructions):
        if one.mnemonic in ("cmp", "test") or _places(core, code, one, 0) != read:
            continue
        ways = [(index, way)] if len(one.operands) > 1 and (way := kept(code, one, 1)) else []
        made, _ = made_of(core, code, ways)
        if one.mnemonic in ("add", "inc") or any(_places(core, code, x, -1) == read for x in made):
            return True
    return False


def _places(core: Dump, code: Code, insn: Instruction, side: int) -> set[Leaf]:
    """The cell behind a pointer that an operand is; none for any other."""
    mem = insn.operands[side].mem if insn.operands and insn.mnemonic != "lea" else None
    if mem is None or mem.base in code.frame:
        return set()
    return {(through(core, code, code.at[insn.address], mem.base or ""), mem.disp)}


def _counts_down(core: Dump, insn: Instruction) -> bool:
    """Whether an instruction counts down in a loop."""
    last = insn.operands[-1] if insn.operands else None
    back = last is not None and ((last.mem and last.mem.disp < 0) or (last.imm or 0) >> 31 != 0)
    down = insn.mnemonic in ("sub", "dec") or (insn.mnemonic in ("lea", "add") and back)
    in_place = bool(insn.operands) and insn.operands[0].mem is not None
    return down and (in_place or builds_up(core, insn.address))


def _sums(insn: Instruction) -> bool:
    """Whether an instruction adds up what two registers hold."""
    last = insn.operands[-1] if insn.operands else None
    added = insn.mnemonic == "add" and last is not None and last.imm is None
    return added or (insn.mnemonic == "lea" and bool(last and last.mem and last.mem.index))


def _round(
    core: Dump, moment: Dump, code: Code, site: Caller, block: tuple[int, int],
    rounds: Sequence[range],
) -> Round:  # fmt: skip
    """Whether the loop that wrote was to make that round, by what it compares its counter with: of
    a loop that ends where both are equal by how far it goes."""
    at, (start, asked) = site.call.address, block
    slicer = slicer_at(moment, at, site.registers)
    for index, rest, _ in slicer.back() if slicer is not None else ():
        insn = code.instructions[index] if index is not None else None
        if slicer is None or insn is None or index is None or insn.mnemonic != "cmp":
            continue
        values = [slicer.operand(one, (index, rest)) for one in insn.operands]
        ways = [kept(code, insn, side) for side in (0, 1)]
        made = [made_of(core, code, [(index, way)] if way else [])[0] for way in ways]
        counted = [[one for one in parts if _counts_up(core, code, one)] for parts in made]
        cells = [_places(core, code, insn, side) for side in (0, 1)]
        if (
            not any(insn.address in one for one in rounds) or None in values
            or not all(way or cell for way, cell in zip(ways, cells, strict=True))
            or any(cell and _is_counted_up(core, code, cell) for cell in cells)
            or bool(counted[0]) == bool(counted[1])
        ):  # fmt: skip
            continue
        side = 0 if counted[0] else 1
        now, end = values[side] or 0, values[1 - side] or 0
        plain = all(_is_plain(core, code, parts) for parts in made)
        behind = code.instructions[index + 1 : index + 2]
        if not any(one.mnemonic in ("jne", "je", "jnz", "jz") for one in behind):
            return Round.LAST if now >= end else Round.MEANT if plain else Round.UNKNOWN
        step = max((_step(_counting(core, code, one)) for one in counted[side]), default=1)
        if core.region(now) is None:  # a number, and no pointer
            mem = site.call.operands[0].mem if site.call.operands else None
            there = site.call.effective(mem, site.registers) if mem is not None else None
            step = ((there or start) - start) // now * step if now else 0
            end = start + end * step
        if 0 < end - (start + asked) <= step:
            return Round.LAST
        return Round.MEANT if plain else Round.UNKNOWN
    return Round.UNCOUNTED


def _is_plain(core: Dump, code: Code, made: Sequence[Instruction]) -> bool:
    """Whether a number is one that a loop counts, or that the function was given or read, and none
    that it reckoned with: its line may be what is wrong."""
    return all(
        one.mnemonic.startswith(("mov", "cd", "cwd")) or one.is_call or zeroes(one)
        or _counts_up(core, code, one) or _places(core, code, one, -1) for one in made
    )  # fmt: skip


def _counting(core: Dump, code: Code, insn: Instruction) -> Instruction:
    """The instruction that counts on what another stores; that itself for any other."""
    last = insn.operands[-1] if insn.operands else None
    if last is None or last.reg not in FAMILY or insn.mnemonic != "mov":
        return insn
    ways = Slicer(core, code, code.at[insn.address], {}).definitions(FAMILY[last.reg])
    made = [code.instructions[at] for at, _ in ways if at is not None]
    return made[0] if made else insn


def _step(insn: Instruction) -> int:
    """By how much an instruction counts."""
    last = insn.operands[-1] if insn.operands else None
    mem = last.mem if last is not None else None
    return abs(mem.disp if mem is not None else (last and last.imm) or 1) or 1


def _times(made: Sequence[Instruction]) -> int:
    """By how much these instructions multiply a number."""
    found = 1
    for one in made:
        last = one.operands[-1] if one.operands else None
        if last is None:
            continue
        if one.mnemonic in ("shl", "sal", "imul") and last.imm:
            found *= last.imm if one.mnemonic == "imul" else 1 << last.imm
        elif one.mnemonic == "lea" and last.mem is not None and last.mem.index:
            found *= last.mem.scale + (last.mem.base == last.mem.index)
        elif one.mnemonic == "add" and last.reg and last.reg == one.operands[0].reg:
            found *= 2
    return found
