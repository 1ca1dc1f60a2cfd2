"""Where an access that ended in no memory, or in a mapping that refuses it, set out from."""

import re
from typing import NamedTuple

from analyzers.names import INDEXED, bare
from analyzers.patterns import frame_lines, pointed, signs, spoken
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.heap_overflow import bounds_of, off_the_end
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import at, say
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Region, Register, Registers

_NEAR = 1 << 16

_DATA = ("stack", "heap", "file", "anonymous")


def bad_access(case: Case) -> Fault | None:
    """The fault, when data was touched, or code was to run, at an address that is no one's and not
    near null."""
    fault = case.fault
    if fault is None or not case.faulted or signs.ran_out_of_stack(case):
        return None
    if signs.lost_stack(case) is not None:
        return None  # a frame of any size leads anywhere
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        return fault if fault.transfer != "return" and target >= NEAR_NULL else None
    if fault.access not in ("read", "write") or fault.operand is None:
        return None
    region = case.region(case.reached(fault))
    if signs.near_null_access(case) is not None:
        return None
    refused = region is None or region.kind == "unknown" or region.perms.startswith("---")
    return fault if refused else None


class Strayed(NamedTuple):
    """An access that started from valid memory: the start, its mapping where it is known, how it
    left (``index``, ``number``, ``length``, ``copy``, ``element``, or none), and what says so."""

    start: int
    region: Region | None
    how: str
    told: tuple[Claim, ...]
    cites: Cites


def strayed(case: Case) -> Strayed | None:
    """Where an access that ended in no memory set out from valid memory: by an index register, by
    arithmetic on a pointer that was loaded, or step by step off a mapping's end."""
    fault = bad_access(case)
    if fault is None or fault.access == "execute" or fault.operand is None:
        return came_out(case)
    copied = _by_length(case, fault)
    if copied is not None:
        return copied
    indexed = _indexed(case, fault)
    if indexed is not None:
        return indexed
    away = spoken.led_away(case) if _by_operator(case, fault) is None else None
    if away is not None and (region := case.region(away.start)):
        cites = (*of(fault), *away.said.citations, *case.cite_region(region))
        return Strayed(away.start, region, "number", (away.said,), cites)
    for kind in _DATA:
        walked = off_the_end(case, kind)
        if walked is not None and _came_from(fault, walked[1]):
            region = walked[1]
            return Strayed(
                region.end, region, "", tuple(bounds_of(case, region)),
                of(fault) + case.cite_region(region))  # fmt: skip
    led, element = _set_out(case, fault), _by_operator(case, fault)
    if led is None and fault.origin:
        return None  # it was kept meanwhile: its container may have moved its elements since
    if led is None or element is None:
        return led or element
    return led._replace(
        how="element", told=element.told + led.told, cites=element.cites + led.cites
    )


def _came_from(fault: Fault, region: Region) -> bool:
    """False for a pointer that itself lies behind the end of a mapping, and was not stepped there:
    what lay behind it may be gone."""
    beyond = fault.base_value is not None and fault.base_value > region.end
    return not beyond or bool(fault.stepped_line) or region.kind != "anonymous"


def _indexed(case: Case, fault: Fault) -> Strayed | None:
    """An array in valid memory, and an index that leads away from it."""
    base = case.region(fault.base_value)
    indexed = bool(fault.index_register and fault.index_value)
    if indexed and base is not None and base.kind in _DATA and fault.base_value is not None:
        return Strayed(
            fault.base_value, base, "index",
            (_register("index", fault, fault.index_register, fault.index_value),),
            of(fault) + case.cite_region(base))  # fmt: skip
    index = case.region(fault.index_value)
    if base is None and index is not None and index.kind in _DATA and fault.base_register:
        # The compiler may take the array's address as the index and the index as the base.
        return Strayed(
            fault.index_value or 0, index, "index",
            (_register("base", fault, fault.base_register, fault.base_value),),
            of(fault) + case.cite_region(index))  # fmt: skip
    return None


def _register(slot: str, fault: Fault, name: str | None, value: int | None) -> Claim:
    return say("register", of(fault), slot=slot, pc=fault.pc, register=name, value=value)


# The index operators of the C++ library's containers, which check nothing.
_INDEXES = re.compile(rf"std::(?:string|(?:__\w+::)?(?:array|{INDEXED})<.*>)::operator\[\]")

# Where a container of libstdc++ or libc++ says that its elements begin.
_BEGINS = re.compile(
    r"\b(?:_M_p|_M_start|_M_str|_M_ptr|_M_data|__begin_|__data_) = (?:\([^()]*\) )?(0x[0-9a-f]+)"
)


def _by_operator(case: Case, fault: Fault) -> Strayed | None:
    """The element that an index operator of a container gave, where that lies in no memory: built
    without optimisation, the operator is a call. None where a container in front of it has its
    elements in no memory: then no index led away."""
    found = _INDEXES.fullmatch(fault.origin_call or "")
    if found is None or fault.origin_value is None or fault.origin_value != fault.base_value:
        return None
    shown = pointed.known(case, case.frame) if case.frame else {}
    line = frame_lines.line_of(case, case.frame) if case.frame else None
    begun = {int(first, 16) for name, (value, _) in shown.items()
             if line is None or re.search(rf"\b{re.escape(name)}\b", line.text)
             for first in _BEGINS.findall(value)}  # fmt: skip
    if any(0 < one <= fault.origin_value and case.region(one) is None for one in begun):
        return None
    lines = line_of(fault, fault.origin_line)
    gave = say("returned_by", lines, function=fault.origin_call, value=fault.origin_value)
    return Strayed(fault.origin_value, None, "element", (gave,), of(fault) + lines)


_COPIES = re.compile(
    r"^_*(?:mem(?:p?cpy|move|set|cmp|r?chr)|bcopy|bcmp|bzero|strn(?:cpy|cmp|len))_*"
)
_WRITES = re.compile(
    r"^_*(?:mem(?:p?cpy|move|set|ccpy)|bcopy|bzero|st[rp]n?c(?:py|at)|wc[sp]n?c(?:py|at)"
    r"|wmem(?:p?cpy|move|set))(?:_|$)"
)
# Where a block function keeps the destination that it returns (System V ABI: rax; AAPCS64: x0),
# and where glibc's memset does around `rep stos` (memset-vec-unaligned-erms.S); rdi is stepped on.
_DESTINATION = ("rax", "x0", "rdx", "rdi")
_WRAPS = 1 << 64
_FRAME = 1 << 16
"""More than most frames of a stack take."""
_STEP = 64


def read_only_write(case: Case) -> Fault | None:
    """The fault, when it is a write into a mapping that may be read but not written."""
    fault = case.fault
    if fault is None or fault.access != "write" or fault.operand is None:
        return None
    region = case.region(case.reached(fault))
    if region is None or "w" in region.perms or "r" not in region.perms:
        return None
    if signs.ran_out_of_stack(case) is not None or signs.lost_stack(case) is not None:
        return None
    return fault


def _began(case: Case) -> tuple[Registers, Register, Region] | None:
    """Where the block function of the C library that writes was told to."""
    top, registers = case.top, case.registers(0)
    if top is None or registers is None or not _WRITES.match(bare(top.function or "")):
        return None
    held = {register.name: register for register in registers.values}
    for name in _DESTINATION:
        region = case.region(held[name].value) if name in held else None
        if region is not None:
            return registers, held[name], region
    return None


def came_out(case: Case) -> Strayed | None:
    """A write that began in memory that may be written and came out of it, into a mapping that may
    only be read: that of a block function right behind it, before it, or by a length below zero."""
    fault, began = read_only_write(case), _began(case)
    if fault is None or fault.operand is None or case.memory is None:
        return None
    if began is None:
        return _stepped_out(case, fault)
    registers, register, region = began
    if "w" not in region.perms:
        return None
    start, end = region.start, region.end
    for each in sorted(case.memory.regions, key=lambda r: r.start):  # what joins on to it
        end = each.end if each.start == end and "w" in each.perms else end
    for each in sorted(case.memory.regions, key=lambda r: -r.start):
        start = each.start if each.end == start and "w" in each.perms else start
    length = registers.get("rdx") if register.name != "rdx" else registers.get("rcx")
    negative = length is not None and length >= _WRAPS >> 1
    last = (register.value + (length or 0)) % _WRAPS
    beside = start - _NEAR <= fault.operand < end + _NEAR
    if not beside and not (negative and abs(fault.operand - last) < _NEAR):
        return None
    shown = [r for r in registers.values if r == register or (negative and r.value == length)]
    told = [
        say(
            "register",
            line_of(registers, r.line),
            frame=0,
            register=r.name,
            value=at(r.value, (), "" if r == register else f"{r.value - _WRAPS} ({r.value:#x})"),
        )
        for r in sorted(shown, key=lambda r: r == register)
    ]
    cites = of(fault) + case.cite_region(region)
    return Strayed(register.value, region, "length" if negative else "copy", tuple(told), cites)


def _set_out(case: Case, fault: Fault) -> Strayed | None:
    """Arithmetic on a pointer that was loaded: where that pointer leads."""
    computed = fault.computed_line
    used = (None, fault.base_value)  # a local that the loop stepped on holds another value by now
    kept = (load for load in fault.origin if not (load.own and load.value in used))
    load = next(kept, None)
    start = case.region(load.value) if load is not None else None
    if load is None or load.value is None or start is None or load.value == fault.base_value:
        return None
    if start.kind not in _DATA or not (computed or load.register == fault.base_register):
        return None
    came = say("loaded", line_of(fault, load.line), register=load.register, value=load.value,
               source=load.source)  # fmt: skip
    return Strayed(load.value, start, "", (came,), of(fault) + case.cite_region(start))


def _stepped_out(case: Case, fault: Fault) -> Strayed | None:
    """A write by an index into memory that may be written, by arithmetic on a pointer to such, or
    by a loop that steps over its end."""
    began = _indexed(case, fault) or _set_out(case, fault)
    if began is not None and began.region is not None and "w" in began.region.perms:
        return began
    here = case.region(fault.operand)
    before = case.region(here.start - 1) if here is not None else None
    if before is None or not (fault.stepped_line and walked_in(case)):
        return None
    cites = line_of(fault, fault.stepped_line) + case.cite_region(before)
    return Strayed(before.end, before, "", tuple(bounds_of(case, before)), cites)


def walked_in(case: Case) -> bool:
    """True when a write to a read-only mapping may have run into it from elsewhere: by a repeated
    or a block instruction whose beginning is not known, at the very edge of what may be written,
    or where the stack pointer has come to: a stack that is no thread's ended above it."""
    fault = read_only_write(case)
    region = case.region(fault.operand) if fault is not None else None
    if fault is None or region is None or fault.operand is None:
        return False
    if fault.stack_pointer is not None and abs(fault.operand - fault.stack_pointer) < _FRAME:
        return True
    copies = case.top and _WRITES.match(bare(case.top.function or ""))
    if copies or (fault.instruction or "").startswith("rep"):
        began = _began(case)
        return began is None or began[2] != region
    before = case.region(region.start - 1)
    edge = fault.operand - region.start < _STEP
    return edge and before is not None and "w" in before.perms


def _by_length(case: Case, fault: Fault) -> Strayed | None:
    """A block function of the C library whose length, in ``rdx`` (System V ABI), leads from one of
    its pointers out of that one's memory: a length below zero most often."""
    top, registers = case.top, case.registers(0)
    if top is None or registers is None or not _COPIES.match(bare(top.function or "")):
        return None
    length = registers.get("rdx")
    for register in registers.values if length else ():
        region = case.region(register.value) if register.name in ("rsi", "rdi") else None
        if region is None or region.kind not in _DATA or not length or fault.operand is None:
            continue
        if fault.base_register in ("rsi", "rdi") and fault.base_register != register.name:
            continue  # the other pointer is the one that is bad
        room = region.end - register.value
        led = (fault.operand - register.value) % _WRAPS
        # Forward it fails right behind the mapping, backward at its own far end.
        if room < length and room <= led < length and (led < room + _NEAR or length - led < _NEAR):
            shown = [r for r in registers.values if r.name in ("rdx", register.name)]
            return Strayed(
                register.value,
                region,
                "length",
                tuple(
                    say("register", line_of(registers, r.line), frame=0, register=r.name,
                        value=r.value)
                    for r in sorted(shown, key=lambda r: r.name != "rdx")
                ),
                of(fault) + case.cite_region(region),
            )  # fmt: skip
    return None
