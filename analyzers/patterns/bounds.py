"""Accesses that set out from valid memory and end in none."""

import re
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.heap_overflow import off_the_end
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    line_of,
    name_of,
    of,
    place,
    region_words,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault, Outside, Region, Registers
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
    """An access that started from valid memory: the start, its mapping where it is known, and how
    it left."""

    start: int
    region: Region | None
    text: str
    cites: Cites


def strayed(case: Case) -> Strayed | None:
    """Where an access that ended in no memory set out from valid memory: by an index register, by
    arithmetic on a pointer that was loaded, or step by step off a mapping's end."""
    fault = bad_access(case)
    if fault is None or fault.access == "execute" or fault.operand is None:
        return None
    base = case.region(fault.base_value)
    indexed = bool(fault.index_register and fault.index_value)
    if indexed and base is not None and base.kind in _DATA and fault.base_value is not None:
        return Strayed(
            fault.base_value,
            base,
            f"the index `{fault.index_register}`, {fault.index_value:#x}, leads from "
            f"{fault.base_value:#x} to {fault.operand:#x}",
            of(fault) + case.cite_region(base),
        )
    index = case.region(fault.index_value)
    if base is None and index is not None and index.kind in _DATA and fault.base_register:
        # The compiler may take the array's address as the index and the index as the base.
        return Strayed(
            fault.index_value or 0,
            index,
            f"the offset `{fault.base_register}`, {fault.base_value or 0:#x}, leads from "
            f"{fault.index_value or 0:#x} to {fault.operand:#x}",
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
                f"the access ran off the end of a mapping at {region.end:#x} and touched "
                f"{fault.operand:#x}",
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
            f"the pointer {load.value:#x} was valid when it was loaded, and what was added to it "
            f"leads to {fault.operand:#x}",
            of(fault) + case.cite_region(start),
        )
    return _by_operator(fault)


# The index operators of the C++ library's containers, which check nothing, by their linker's names
# (Itanium C++ ABI, 5.1): std::vector<...>::operator[](unsigned long).
_INDEXES = re.compile(
    r"^_ZNK?St(?:\d{1,2}__(?:cxx11|1|debug))?\d{1,2}"
    r"(?P<kind>vector|array|deque|span|basic_string|basic_string_view|valarray)I\w{1,2000}ixE[mj]$"
)
_CALLED = {"array": "an array", "basic_string": "a string", "basic_string_view": "a string view"}


def _by_operator(fault: Fault) -> Strayed | None:
    """The element that an index operator of a container gave, where that lies in no memory: built
    without optimisation, the operator is a call."""
    found = _INDEXES.match(fault.origin_call or "")
    if found is None or fault.origin_value is None or fault.origin_value != fault.base_value:
        return None
    kind = _CALLED.get(found["kind"], f"a {found['kind']}")
    return Strayed(
        fault.origin_value,
        None,
        f"indexing {kind} gave {fault.origin_value:#x} for an element, and no memory is there",
        (*of(fault), *line_of(fault, fault.origin_line)),
    )


_COPIES = re.compile(
    r"^_*(?:mem(?:p?cpy|move|set|cmp|r?chr)|bcopy|bcmp|bzero|strn(?:cpy|cmp|len))_*"
)
_WRAPS = 1 << 64


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
            shown = [r.line for r in registers.values if r.name in ("rdx", register.name)]
            return Strayed(
                register.value,
                region,
                f"the length `rdx`, {length:#x}, leads from {register.value:#x} to "
                f"{fault.operand:#x}",
                of(fault) + _lines(registers, shown) + case.cite_region(region),
            )
    return None


def _lines(registers: Registers, lines: list[int]) -> Cites:
    return tuple(Citation(registers.cite.evidence, line, line) for line in lines if line)


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
        claim(
            "It is an update: what was to be read goes back to the same place, "
            f"{fault.operand:#x}, by the store at {fault.updated_at:#x}.",
            of(fault),
            line_of(fault, fault.updated_line),
        )
    ]


def _set_out(found: Strayed) -> list[Claim]:
    if found.region is None:
        return []
    return [
        claim(
            f"The memory it set out from, at {found.region.start:#x}, is "
            f"{region_words(found.region)}.",
            found.cites,
        )
    ]


class _OutOfBounds(OneRound):
    """An access that sets out from valid memory and ends in none."""

    category: Category
    access: str
    verb: str

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
        where = place(case, case.frame)
        verb = "updates what lies" if fault.updated_at is not None else self.verb
        claims = [
            claim(
                f"{where.capital} {verb} outside of its memory: {found.text}.",
                found.cites,
                where.cites,
            ),
            *_written_back(fault),
            *_set_out(found),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.85 if found.region is not None else 0.75,
            claims,
            reason="The access set out from valid memory and ended in none.",
            recommendations=(
                "Check the index or length against the size of what it indexes, here and where it "
                "comes from.",
            ),
        )


class OutOfBoundsWrite(_OutOfBounds):
    """A write that an index or a length led astray."""

    category = Category.OUT_OF_BOUNDS_WRITE
    access = "write"
    verb = "writes"


class OutOfBoundsRead(_OutOfBounds):
    """A read that an index or a length led astray, or the read of a pointer beside the array that
    it was to come from."""

    category = Category.OUT_OF_BOUNDS_READ
    access = "read"
    verb = "reads"

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
        where = place(case, case.frame)
        return confirmed(
            case,
            Rung.MACHINE,
            0.85,
            [
                claim(
                    f"{where.capital} reads a pointer from {found.cell:#x}, which is outside of "
                    f"the variable {name_of(found.variable)} at {found.start:#x} that it indexes.",
                    line_of(fault, found.line),
                    where.cites,
                ),
                _used(fault),
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


def _used(fault: Fault) -> Claim:
    if fault.access == "execute":
        return claim(f"Control went to {fault.pc:#x}, where no code is.", of(fault))
    verb = "read from" if fault.access == "read" else "written to"
    return claim(f"It was taken for a pointer: {fault.operand:#x} was to be {verb}.", of(fault))
