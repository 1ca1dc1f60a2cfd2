"""Accesses that set out from valid memory and end in none."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from analyzers.names import INDEXED, bare
from analyzers.patterns import commands, pointed, signs, spoken
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import (
    FREED,
    UNMAPPED,
    Cause,
    Open,
    Proof,
    Rival,
    at_frame,
    of_fault,
    of_memory,
)
from analyzers.patterns.heap_overflow import beyond, bounds_of, off_the_end
from analyzers.patterns.stated import accessed, mapped, returned
from analyzers.patterns.subscript import Missed, index, led_past, missed, past
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Outside, Region, Register, Registers
from workbench.model.hypothesis import Rung

_NEAR = 1 << 16
_PAGE, _MAPPED_AT = 4096, 16
_BELOW = re.compile(r"\b([A-Za-z_]\w*) ?< ?([A-Za-z_]\w*)\b")
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
    line = spoken.line_of(case, case.frame) if case.frame else None
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


def _overflowed(case: Case) -> bool:
    """True when a write ran off the end of a heap or a stack, which overflows by name; what was
    only read for one that would follow did not."""
    if case.fault is None or case.fault.access != "write":
        return False
    return any(off_the_end(case, kind) for kind in ("heap", "stack")) or beyond(case) is not None


def _access(fault: Fault) -> str:
    """``write`` also for a read whose value would be written back: ``count[i]++`` is both."""
    return "write" if fault.updated_at is not None else fault.access


def _written_back(fault: Fault) -> list[Claim]:
    if fault.updated_at is None or fault.operand is None:
        return []
    return [
        say("update", line_of(fault, fault.updated_line), pc=at(fault.pc, of(fault)),
            address=at(fault.operand, of(fault)), at=fault.updated_at)
    ]  # fmt: skip


def read_outside(case: Case) -> Outside | None:
    """Where the fault's pointer was read from, when that is outside of the indexed variable."""
    fault = case.fault
    if fault is None or fault.outside is None or not case.faulted:
        return None
    return None if signs.ran_out_of_stack(case) else fault.outside


_CHECK = (
    "Check the index or length against the size of what it indexes, here and where it comes from."
)


def _by(access: str) -> Callable[[Case], Strayed | None]:
    """The sign of an access of this kind that set out from valid memory."""

    def led(case: Case) -> Strayed | None:
        found = strayed(case)
        return found if found and case.fault and _access(case.fault) == access else None

    return led


_reads, _writes = _by("read"), _by("write")


def _led(case: Case, found: Strayed) -> list[Claim]:
    fault = case.fault
    return [
        *_passed_end(case, found),
        *index(case),
        *(found.told if found.how else ()),
        *(returned(fault, fault.index_call) if fault is not None and found.how == "index" else ()),
        *accessed(case, case.fault),
        *(() if found.how else found.told),
        *(_written_back(case.fault) if case.fault is not None else ()),
        *(mapped(case, found.start) if found.region is not None and found.how else []),
    ]


def _passed_end(case: Case, found: Strayed) -> list[Claim]:
    """The bound that the line compares its index with, and that the index is below, where not even
    as many bytes are mapped from the start on."""
    if case.frame is None or found.region is None:
        return []
    known, room = pointed.known(case, case.frame), found.region.end - found.start
    return [
        say("value", known[bound][1], expression=bound, value=known[bound][0])
        for _, number, bound, most in _compared(case) if number < most and most > room
    ][:1]  # fmt: skip


def _compared(case: Case) -> list[tuple[str, int, str, int]]:
    """What the line at fault asks to be below what: names and numbers."""
    line = spoken.line_of(case, case.frame) if case.frame is not None else None
    if case.frame is None or line is None:
        return []
    known = pointed.known(case, case.frame)
    numbers = {name: int(value) for name, (value, _) in known.items() if value.isdecimal()}
    return [(index, numbers[index], bound, numbers[bound])
            for index, bound in _BELOW.findall(line.text)
            if index in numbers and bound in numbers]  # fmt: skip


def _in_bounds(case: Case) -> bool:
    """Whether the line compares the index with a bound that it is below, in a block that malloc()
    maps on its own (malloc.c): its end may have been unmapped, or it may have moved (mremap(2)),
    unless its header is there and says that it ends before what was accessed."""
    found = strayed(case)
    if found is None or case.fault is None:
        return False
    starts = (found.start, *(load.value or 0 for load in case.fault.origin))
    if not any(start % _PAGE == _MAPPED_AT for start in starts):
        return False
    blocks = [block for start in starts if (block := case.chunk(start)) is not None]
    if any(block.start + block.size <= (case.fault.operand or 0) for block in blocks):
        return False
    return any(number < most for _, number, _, most in _compared(case))


def _findings(
    led: Callable[[Case], Strayed | None],
) -> tuple[Proof[Any] | Rival[Any] | Open[Any], ...]:
    return (
        Rival(lambda case: case.fault.index_unset if case.fault is not None else None,
              "The index had never been set.",
              lambda case, unset: line_of(case.fault, unset.line)),
        UNMAPPED,
        FREED,
        Open(_in_bounds, "The index is below the bound that the line compares it with.", 0.5,
             support=of_fault, missing="whether the block was unmapped or moved in the meantime"),
        Proof(
            led,
            "The access set out from valid memory and ended outside of it.",
            lambda _, found: 0.85 if found.region is not None else 0.75,
            how=lambda case, at: "update" if case.fault and case.fault.updated_line else at.how,
            told=_led,
            advice=_CHECK,
        ))  # fmt: skip


def _tests(case: Case, found: Strayed) -> tuple[Command, ...]:
    return (*at_frame(case), *commands.heap(found.start, *signs.addresses(case)))


OUT_OF_BOUNDS_WRITE = Cause(
    Category.OUT_OF_BOUNDS_WRITE,
    "A write that an index or a length led astray.",
    statement="An index or a length led a write out of its memory.",
    sign=lambda case: None if _overflowed(case) else _writes(case),
    prior=0.75,
    tests=_tests,
    findings=(
        Rival(lambda case: _writes(case) if _overflowed(case) else None,
              "The write ran through its memory to the end: a narrower cause."),
        *_findings(_writes),
    ),
    absent="The access did not set out from valid memory.",
)  # fmt: skip


def _past_told(case: Case, out: signs.LedOut) -> list[Claim]:
    return [
        *index(case),
        say("loaded", line_of(case.fault, out.load.line), register=out.load.register,
            value=out.load.value, source=out.load.source),
        *(say("chunk", of(one), address=at, start=one.start, size=one.size, state=one.state)
          for one, at in ((out.chunk, out.load.source), (out.block, out.load.led))),
        *accessed(case, case.fault),
    ]  # fmt: skip


def _beside(case: Case) -> bool:
    return any(led(case) is not None for led in (read_outside, missed, led_past))


def _beside_tests(
    case: Case, found: Outside | Missed | Strayed | signs.LedOut
) -> tuple[Command, ...]:
    if isinstance(found, Strayed):
        return _tests(case, found)
    if isinstance(found, Missed):
        return at_frame(case)
    if isinstance(found, signs.LedOut):
        return (*at_frame(case), *commands.heap(*signs.addresses(case)))
    return (*at_frame(case), *commands.symbol(found.start))


OUT_OF_BOUNDS_READ: Cause[Outside | Missed | Strayed | signs.LedOut] = Cause(
    Category.OUT_OF_BOUNDS_READ,
    "A read that an index or a length led astray, or the read of a pointer beside the array that "
    "it was to come from.",
    statement=lambda case, _: "An index led out of an array, and what stands there was taken for a "
    "pointer." if _beside(case) else "An index or a length led a read out of its memory.",
    sign=lambda case: read_outside(case) or missed(case) or led_past(case) or _reads(case),
    prior=lambda case, _: 0.85 if _beside(case) else 0.75,
    tests=_beside_tests,
    cites=lambda case, found: found.cites if isinstance(found, Strayed | Missed)
    else line_of(case.fault, (found.load if isinstance(found, signs.LedOut) else found).line),
    findings=(
        Proof(read_outside, "The pointer was read from beside the array that was indexed.",
              how="pointer",
              told=lambda case, found: [
                  say("outside", line_of(case.fault, found.line), cell=found.cell,
                      variable=found.variable, start=found.start),
                  *accessed(case, case.fault),
              ], support=of_memory,
              advice="Check the index against the array's length before it is used, here and where "
              "it comes from."),
        Proof(missed, "The bad value was read by an index that the array has no element of.",
              how="pointer", told=lambda case, found: [*found.told, *accessed(case, case.fault)],
              support=of_fault, advice=_CHECK),
        Proof(past,
              "The bad value was read by an index that led out of a block that is in use.",
              0.8, Rung.STRUCTURE, "pointer", _past_told, of_fault, advice=_CHECK),
        Open(led_past, "The bad value was read from another block than the one that a distance was "
             "added to: by an index that led out of it, or a distance that an object keeps.", 0.5,
             Rung.STRUCTURE, told=_past_told, support=of_fault,
             missing="what was added to the pointer, and how many elements its block has"),
        *_findings(_reads),
    ),
    absent="The access did not set out from valid memory.",
)  # fmt: skip
