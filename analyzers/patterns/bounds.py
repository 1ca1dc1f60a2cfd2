"""Accesses that set out from valid memory and end in none."""

import re
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.heap_overflow import bounds_of, off_the_end
from analyzers.patterns.stated import accessed, loaded, mapped
from analyzers.patterns.words import (
    Cites,
    confirmed,
    in_place,
    line_of,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault, Outside, Region, Register, Registers
from workbench.model.hypothesis import Proposal, Rung, Verdict

_NEAR = 1 << 16
_DATA = ("stack", "heap", "file", "anonymous")


def bad_access(case: Case) -> Fault | None:
    """The fault, when data was touched, or code was to run, at an address that is no one's and not
    near null."""
    fault = case.fault
    if fault is None or not signs.raised_by_instruction(case) or signs.ran_out_of_stack(case):
        return None
    if signs.lost_stack(case) is not None:
        return None  # a frame of any size leads anywhere
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        return fault if fault.transfer != "return" and target >= NEAR_NULL else None
    if fault.access not in ("read", "write") or fault.operand is None:
        return None
    region = case.region(fault.operand)
    if signs.near_null_access(case) is not None:
        return None
    refused = region is None or region.kind == "unknown" or region.perms.startswith("---")
    return fault if refused else None


class Strayed(NamedTuple):
    """An access that started from valid memory: the start, its mapping where it is known, how it
    left (``index``, ``length``, ``copy``, ``element`` or none of these), and what says so."""

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
    base = case.region(fault.base_value)
    indexed = bool(fault.index_register and fault.index_value)
    if indexed and base is not None and base.kind in _DATA and fault.base_value is not None:
        return Strayed(
            fault.base_value,
            base,
            "index",
            (_register("index", fault, fault.index_register, fault.index_value),),
            of(fault) + case.cite_region(base),
        )
    index = case.region(fault.index_value)
    if base is None and index is not None and index.kind in _DATA and fault.base_register:
        # The compiler may take the array's address as the index and the index as the base.
        return Strayed(
            fault.index_value or 0,
            index,
            "index",
            (_register("base", fault, fault.base_register, fault.base_value),),
            of(fault) + case.cite_region(index),
        )
    copied = _by_length(case, fault)
    if copied is not None:
        return copied
    for kind in _DATA:
        walked = off_the_end(case, kind)
        if walked is not None:
            region = walked[1]
            return Strayed(
                region.end,
                region,
                "",
                tuple(bounds_of(case, region)),
                of(fault) + case.cite_region(region),
            )
    for load in fault.origin[:1]:
        start = case.region(load.value)
        if load.value is None or start is None or load.register != fault.base_register:
            continue
        if start.kind not in _DATA:
            continue
        return Strayed(
            load.value,
            start,
            "",
            tuple(loaded(fault)),
            of(fault) + case.cite_region(start),
        )
    return _by_operator(fault)


def _register(slot: str, fault: Fault, name: str | None, value: int | None) -> Claim:
    return say("register", of(fault), slot=slot, pc=fault.pc, register=name, value=value)


# The index operators of the C++ library's containers, which check nothing, by their linker's names
# (Itanium C++ ABI, 5.1): std::vector<...>::operator[](unsigned long).
_INDEXES = re.compile(
    r"^_ZNK?St(?:\d{1,2}__(?:cxx11|1|debug))?\d{1,2}"
    r"(?:vector|array|deque|span|basic_string|basic_string_view|valarray)I\w{1,2000}ixE[mj]$"
)


def _by_operator(fault: Fault) -> Strayed | None:
    """The element that an index operator of a container gave, where that lies in no memory: built
    without optimisation, the operator is a call."""
    found = _INDEXES.match(fault.origin_call or "")
    if found is None or fault.origin_value is None or fault.origin_value != fault.base_value:
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
_STEP = 64


def read_only_write(case: Case) -> Fault | None:
    """The fault, when it is a write into a mapping that may be read but not written."""
    fault = case.fault
    if fault is None or fault.access != "write" or fault.operand is None:
        return None
    region = case.region(fault.operand)
    if region is None or "w" in region.perms or "r" not in region.perms:
        return None
    if signs.ran_out_of_stack(case) is not None or signs.lost_stack(case) is not None:
        return None
    return fault


def _began(case: Case) -> tuple[Registers, Register, Region] | None:
    """Where the block function of the C library that writes was told to."""
    top = case.stack.frames[0] if case.stack is not None and case.stack.frames else None
    registers = case.registers(0)
    if top is None or registers is None or not _WRITES.match(bare(top.function or "")):
        return None
    held = {register.name: register for register in registers.values}
    for name in _DESTINATION:
        region = case.region(held[name].value) if name in held else None
        if region is not None:
            return registers, held[name], region
    return None


def came_out(case: Case) -> Strayed | None:
    """A block function that began in memory that may be written and came out of it, into a mapping
    that may only be read: right behind it, before it, or by a length below zero."""
    fault, began = read_only_write(case), _began(case)
    if fault is None or began is None or fault.operand is None or case.memory is None:
        return None
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
        say("register", line_of(registers, r.line), frame=0, register=r.name, value=r.value)
        for r in sorted(shown, key=lambda r: r == register)
    ]
    cites = of(fault) + case.cite_region(region)
    return Strayed(register.value, region, "length" if negative else "copy", tuple(told), cites)


def walked_in(case: Case) -> bool:
    """True when a write to a read-only mapping may have run into it from elsewhere: by a repeated
    or a block instruction whose beginning is not known, or at the very edge of what may be
    written."""
    fault = read_only_write(case)
    region = case.region(fault.operand) if fault is not None else None
    if fault is None or region is None or fault.operand is None:
        return False
    top = case.stack.frames[0] if case.stack is not None and case.stack.frames else None
    copies = top is not None and _WRITES.match(bare(top.function or "")) is not None
    if copies or (fault.instruction or "").startswith("rep"):
        began = _began(case)
        return began is None or began[2] != region
    before = case.region(region.start - 1)
    edge = fault.operand - region.start < _STEP
    return edge and before is not None and "w" in before.perms


def _by_length(case: Case, fault: Fault) -> Strayed | None:
    """A block function of the C library whose length, in ``rdx`` (System V ABI), leads from one of
    its pointers out of that one's memory: a length below zero most often."""
    top = case.stack.frames[0] if case.stack is not None and case.stack.frames else None
    registers = case.registers(0)
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
                    say(
                        "register",
                        line_of(registers, r.line),
                        frame=0,
                        register=r.name,
                        value=r.value,
                    )
                    for r in sorted(shown, key=lambda r: r.name != "rdx")
                ),
                of(fault) + case.cite_region(region),
            )
    return None


def _overflowed(case: Case) -> bool:
    """True when a write ran off the end of a heap or a stack, which overflows by name."""
    return off_the_end(case, "heap") is not None or off_the_end(case, "stack") is not None


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


class _OutOfBounds(OneRound):
    """An access that sets out from valid memory and ends in none."""

    category: Category
    access: str

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the access set out from valid memory."""
        case = Case(facts)
        found = strayed(case)
        if found is None or case.fault is None or _access(case.fault) != self.access:
            return None
        if self.access == "write" and _overflowed(case):
            return None
        return Proposal(
            category=self.category,
            statement=f"An index or a length led a {self.access} out of its memory.",
            confidence=0.75,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.heap(found.start, *signs.addresses(case))),
            citations=found.cites,
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the arithmetic of the access."""
        case = Case(facts)
        fault, found = case.fault, strayed(case)
        if fault is None or found is None or _access(fault) != self.access:
            return rejected("The access did not set out from valid memory.", of(fault))
        if self.access == "write" and _overflowed(case):
            return rejected("The write ran through its memory to the end: a narrower cause.",
                            found.cites)  # fmt: skip
        if fault.index_unset is not None:
            return rejected("The index had never been set.",
                            line_of(fault, fault.index_unset.line))  # fmt: skip
        gone = signs.unmapped_block(case)
        if gone is not None:
            return rejected("The pointer is that of a block which was freed.", gone.cites)
        freed = signs.freed(case)
        if freed is not None:
            return rejected("The pointer lies in freed memory.", freed.cites, rung=Rung.STRUCTURE)
        how = "update" if fault.updated_at is not None else found.how
        claims = [
            in_place(case, self.category, case.frame, how=how),
            *(found.told if found.how else ()),
            *accessed(case, fault),
            *(() if found.how else found.told),
            *_written_back(fault),
            *(mapped(case, found.start) if found.region is not None and found.how else []),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.85 if found.region is not None else 0.75,
            claims,
            reason="The access set out from valid memory and ended outside of it.",
            recommendations=(
                "Check the index or length against the size of what it indexes, here and where it "
                "comes from.",
            ),
        )


class OutOfBoundsWrite(_OutOfBounds):
    """A write that an index or a length led astray."""

    category = Category.OUT_OF_BOUNDS_WRITE
    access = "write"


class OutOfBoundsRead(_OutOfBounds):
    """A read that an index or a length led astray, or the read of a pointer beside the array that
    it was to come from."""

    category = Category.OUT_OF_BOUNDS_READ
    access = "read"

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the access, or the pointer's cell, lies outside of what was indexed."""
        case = Case(facts)
        found = read_outside(case)
        if found is None:
            return super().propose(facts)
        return Proposal(
            category=self.category,
            statement="An index led out of an array, and what stands there was taken for a "
            "pointer.",
            confidence=0.85,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.symbol(found.start)),
            citations=line_of(case.fault, found.line),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the arithmetic of the access, or by the symbol that was indexed."""
        case = Case(facts)
        fault, found = case.fault, read_outside(case)
        if fault is None or found is None:
            return super().evaluate(facts)
        lines = line_of(fault, found.line)
        return confirmed(
            case,
            Rung.MACHINE,
            0.85,
            [
                in_place(case, self.category, case.frame, how="pointer"),
                say("outside", lines, cell=found.cell, variable=found.variable, start=found.start),
                *accessed(case, fault),
                *signal_claim(case),
            ],
            reason="The pointer was read from beside the array that was indexed.",
            support=of(case.memory),
            recommendations=(
                "Check the index against the array's length before it is used, here and where it "
                "comes from.",
            ),
        )


def read_outside(case: Case) -> Outside | None:
    """Where the fault's pointer was read from, when that is outside of the indexed variable."""
    fault = case.fault
    if fault is None or fault.outside is None or not signs.raised_by_instruction(case):
        return None
    return None if signs.ran_out_of_stack(case) else fault.outside
