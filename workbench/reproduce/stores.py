"""What one store did: copied, cut, or lent what it stored."""

import itertools
import re

from workbench.reproduce.losing import splits
from workbench.reproduce.makers import returns, through
from workbench.reproduce.moment import before, stored_by
from workbench.reproduce.owners import is_own
from workbench.reproduce.wire import Hit
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.code import Code, code_around
from workbench.targets.probes.history import slicer_at
from workbench.targets.probes.instruction import led_to, stored_to
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import FAMILY

FILLS = re.compile(r"_*mem(?:p?cpy|move|set)")
_COPIES = re.compile(r"mem(?:p?cpy|move)")
_BYTES = re.compile(r"_*mem|core::(?:intrinsics::|mem::transmute|ptr::(?!swap|replace))")
_OBJECT = 1 << 12
"""Bytes that a local is thought to have at most."""


def is_lent(core: Dump, at: int) -> bool:
    """Whether an instruction stores into a place of its function's frame whose address that takes,
    or that of what it may be a member of, for others to store there."""
    code = code_around(core, at)
    insn = code.instructions[code.at[at]] if code is not None and at in code.at else None
    place = stored_to(insn)
    if code is None or place is None or place.base not in code.frame:
        return False
    return any(
        base == place.base and 0 <= place.disp - disp < _OBJECT
        for base, disp in map(led_to, code.instructions)
    )


def copies(hit: Hit) -> bool:
    """Whether the C library copied there."""
    return bool(_COPIES.search(hit.function))


def moved(birth: Hit) -> bool:
    """Whether a block was born with the content of another."""
    return "realloc" in (birth.function)


def copies_whole(core: Dump, hit: Hit) -> bool:
    """Whether a word was stored with what stands beside it, as both stood elsewhere: by the C
    library, from a vector register, or word by word."""
    insn = stored_by(core, hit)
    code = code_around(core, insn.address) if insn is not None else None
    source = insn.operands[-1].reg if insn is not None and insn.operands else None
    if insn is None or code is None or copies(hit) or source not in FAMILY:
        return copies(hit) or source is not None
    at = code.at[insn.address]
    near = {one: _carries(core, code, one) for one in range(max(at - 3, 0), at + 4)}
    return near[at] is not None and list(near.values()).count(near[at]) > 1


def ends_list(core: Dump, hit: Hit) -> bool:
    """Whether a function stored null into a member of an object whose address it stores into the
    same member of another: it made the object the first or the last one of a list."""
    insn = stored_by(core, hit)
    code, mem = code_around(core, insn.address) if insn is not None else None, stored_to(insn)
    if insn is None or code is None or mem is None or not mem.base or mem.base in code.frame:
        return False
    object_ = _pointer(core, code, code.at[insn.address], mem.base)
    for at, one in enumerate(code.instructions):
        other = stored_to(one)
        source = FAMILY.get(one.operands[-1].reg or "", "") if other is not None else ""
        if one.mnemonic == "mov" and other and source and other.base and (
            other.disp == mem.disp and other.base not in code.frame
            and _pointer(core, code, at, source) == object_ != _pointer(core, code, at, other.base)
        ):  # fmt: skip
            return True
    return False


def _pointer(core: Dump, code: Code, at: int, register: str) -> tuple[object, ...]:
    """Which pointer a register holds: that of a cell of the frame, or of what defined it."""
    place = through(core, code, at, register)
    if not isinstance(place, str):
        return place
    return (register, *sorted(one if one is not None else -1 for one, _ in
                              Slicer(core, code, at, {}).definitions(register)))  # fmt: skip


def is_bitwise(put: Hit) -> bool:
    """Whether the program itself had Rust copy an object's bytes, which then are two objects' that
    are both destroyed (std::ptr::read)."""
    inner = itertools.takewhile(lambda frame: not is_own(frame), put.frames)
    return all(_BYTES.match(one.function or "") for one in inner)


def copies_inline(core: Dump, hit: Hit) -> bool:
    """Whether a copy of bytes wrote that GCC put in the place of a call of memcpy: ``rep movs``, or
    the last word, by an index that both addresses have."""
    insn = stored_by(core, hit)
    load = before(core, insn.address) if insn is not None else None
    if insn is None or load is None or insn.mnemonic.startswith("rep"):
        return insn is not None and insn.mnemonic.startswith("rep movs")
    to, source = (one.operands[at].mem if len(one.operands) == 2 else None
                  for one, at in ((insn, 0), (load, 1)))  # fmt: skip
    same = to is not None and source is not None and to.index is not None and (
        (to.index, to.scale, to.disp) == (source.index, source.scale, source.disp)
    )  # fmt: skip
    return (
        same and to is not None and to.scale == 1 and insn.operands[1].reg == load.operands[0].reg
    )


def _carries(core: Dump, code: Code, at: int) -> tuple[str | None, str | None, int] | None:
    """By which register a store moves a word, to how far from where that it was read by."""
    to = code.instructions[at].operands if at < len(code.instructions) else ()
    if len(to) != 2 or to[0].mem is None or to[1].reg not in FAMILY:
        return None
    (index, _), *more = Slicer(core, code, at, {}).definitions(FAMILY[to[1].reg])
    load = code.instructions[index].operands if index is not None and not more else ()
    mem = load[1].mem if len(load) == 2 else None
    return (to[0].mem.base, mem.base, to[0].mem.disp - mem.disp) if mem is not None else None


def assigned(core: Dump, hit: Hit) -> bool:
    """Whether all of a variable with a place of its own was stored: what it holds came from where
    the value was read. A copy that runs over is narrower, or goes by an index or a pointer."""
    insn = stored_by(core, hit)
    if insn is None or len(insn.operands) != 2 or not insn.mnemonic.startswith("mov"):
        return False
    mem = insn.operands[0].mem
    return (
        mem is not None and insn.operands[0].size == 8 and not mem.index
        and mem.base in ("rbp", "rsp", "rip")
    )  # fmt: skip


def truncated(core: Dump, hit: Hit) -> bool:
    """The register that was stored held more than the one or two bytes of the cell take, and was
    set as a whole: above what only set its lower part (``sete al``), here or in the function that
    gave it back, stands what was there before.
    """
    insn = stored_by(core, hit)
    if insn is None or len(insn.operands) != 2 or insn.mnemonic != "mov":
        return False
    target, source = insn.operands
    if target.mem is None or source.reg not in FAMILY or target.size > 2:
        return False
    held, bits = hit.registers.get(FAMILY[source.reg], 0) & 0xFFFFFFFF, target.size * 8
    if (slicer := slicer_at(core, insn.address, hit.registers)) is None:
        return False
    ways = slicer.definitions(FAMILY[source.reg])
    sets = [slicer.code.instructions[index] for index, _ in ways if index is not None]
    for call in [one for one in sets if one.is_call and one.target is not None]:
        inside = code_around(core, through_plt(core, call.target or 0))
        for end in returns(inside) if inside is not None else ():
            back = Slicer(core, inside, inside.at[end], {}).definitions("rax") if inside else ()
            sets += [inside.instructions[at] for at, _ in back if inside and at is not None]
    if any(one.operands and one.operands[0].size <= target.size for one in sets if not one.is_call):
        return False
    lost = held >> bits != 0 and (held >> (bits - 1)) != (1 << (33 - bits)) - 1
    return lost and not splits(core, insn, FAMILY[source.reg], bits)
