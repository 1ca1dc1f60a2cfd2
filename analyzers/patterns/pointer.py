"""Bad pointers that are neither null nor known to be freed: overwritten, wild, the table of an
object that is none, or what is left of one that passed through 32 bits."""

from typing import Any, NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, dangling, signs, spoken, subscript, union
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import (
    FREED,
    MISSED,
    UNMAPPED,
    Cause,
    Open,
    Proof,
    Rival,
    anything,
    at_frame,
    of_fault,
    of_memory,
)
from analyzers.patterns.exhausted import MAPS, UNCHECKED
from analyzers.patterns.given import Given, number
from analyzers.patterns.signs import in_allocator
from analyzers.patterns.stated import accessed, base_call, loaded, mapped, returned
from analyzers.patterns.strayed import bad_access, strayed
from analyzers.patterns.uninitialized import LEFTOVER, UNSET
from analyzers.patterns.words import Cites, line_of, of
from analyzers.patterns.written import UNDECIDED, data_held, written
from workbench.claims.say import at, say
from workbench.model.aliases import public
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Returned, VirtualCall
from workbench.model.hypothesis import Rung

_BITS = 32
_HALF = 1 << _BITS
_TOP = (1 << 64) - (_HALF >> 1)
"""Where the lower halves begin that were taken for signed."""
_MOST = 1 << 26
"""Bytes of memory in which an address has a given lower half by chance once in 64 times."""


class Cut(NamedTuple):
    """What is left of a pointer, and what it was."""

    left: int
    whole: int


def cut_short(case: Case) -> Cut | None:
    """The bad pointer, where one address that it could point to has its lower half."""
    fault = bad_access(case)
    if fault is None or case.memory is None:
        return None
    called = fault.access == "execute"
    left = fault.operand if called else fault.base_value
    if left is None or not (NEAR_NULL <= left < _HALF or _TOP <= left < (1 << 64) - NEAR_NULL):
        return None
    wanted = "x" if called else "w"
    high = [r for r in case.memory.regions if r.start >= _HALF and wanted in r.perms]
    if sum(region.end - region.start for region in high) > _MOST:
        return None
    found = [whole for region in high
             if (whole := region.start + (left - region.start) % _HALF) < region.end]  # fmt: skip
    return Cut(left, found[0]) if len(found) == 1 else None


def told(case: Case, cut: Cut) -> list[Claim]:
    """The address that it was, and that its lower half is what failed."""
    whole = mapped(case, cut.whole)
    halved = say("computed", of(case.fault), left=cut.whole, operator="truncated-to-bits",
                 right=at(_BITS, of(case.fault), f"0 to {_BITS - 1}"), result=cut.left)  # fmt: skip
    return [halved, *whole]


def bad_table(case: Case) -> tuple[Fault, VirtualCall] | None:
    """The virtual call that the fault is in, where the object's first word leads to no table. What
    the source goes through by name is a member of the program's own, whose first member may lead to
    functions as well."""
    fault = case.fault
    if fault is None or fault.virtual is None or not case.faulted:
        return None
    word = fault.operand if fault.access == "execute" else fault.virtual.table
    own = word is not None and spoken.is_gone_through(case, word)
    return (fault, fault.virtual) if fault.virtual.table >= NEAR_NULL and not own else None


INVALID_VTABLE = Cause(
    Category.INVALID_VTABLE,
    "The object's first word is data, or the address of memory that can be written.",
    statement="A virtual function was called on what is no object of its class any more.",
    sign=bad_table,
    prior=0.75,
    tests=lambda case, found: (
        *at_frame(case),
        *commands.words(case, found[1].object, "the object's first words"),
        *commands.heap(found[1].object, *dangling.addresses(case)),
    ),
    cites=lambda _, found: line_of(found[0], found[1].line),
    findings=(
        FREED,
        Proof(
            bad_table,
            "An object begins with the address of its class's table, which lies in memory that "
            "cannot be written; this one's does not.",
            told=lambda case, found: [
                say("virtual_call", line_of(found[0], found[1].line), object=found[1].object,
                    table=found[1].table),
                *accessed(case, found[0]),
            ],
            support=of_memory,
            missing="whether the object was overwritten, or never was of this class (a wrong cast)",
            advice=(
                "See what the object's memory holds and who wrote it: a copy or memset over it, a "
                "buffer in front of it, or a pointer cast to a class that it is not of.",
                "Build with -fsanitize=address,undefined (vptr) and run the same path.",
            ),
        ),
    ),
    absent="The fault is in no virtual call of an object with a bad table.",
)  # fmt: skip


_OPEN_ADVICE = (
    "Look at who owns the memory that the pointer was read from: print the object and what lies "
    "around it, and compare the pointer to it with those that its owner keeps.",
    "Build with -fsanitize=address and run the same path, or watch that memory in a second run: "
    "both tell a write past an end from a block that was given out again.",
)


def _tests(case: Case) -> tuple[Command, ...]:
    fault = case.fault
    source = fault.origin[0].source if fault is not None and fault.origin else None
    if fault is not None and fault.spelled is not None and fault.spelled.cell is not None:
        source = fault.spelled.cell
    return (
        *commands.source(case.frame),
        *commands.variables(case.frame),
        *commands.words(case, source, "the memory that the pointer was loaded from"),
        *commands.heap(*dangling.addresses(case)),
    )


def _overwritten(case: Case) -> list[Claim]:
    """What the bad pointer holds instead of an address."""
    return data_held(case) if bad_access(case) is not None and not in_allocator(case) else []


def _wild(case: Case) -> Fault | None:
    """The fault, where its pointer is no address; a small one that is not known to have been made
    from null may be a number."""
    near = signs.near_null_access(case)
    if in_allocator(case):
        return None
    return (
        near
        if near is not None and near.base_value and signs.supposed_null(near)
        else bad_access(case)
    )


def _shown(case: Case) -> list[Claim]:
    gave = returned(case.fault, base_call(case.fault))
    return [*subscript.index(case), *gave, *accessed(case, case.fault), *loaded(case.fault)]


def _where(case: Case, _: object) -> Cites:
    return of(case.fault) + case.cite(case.frame)


_NARROWER: tuple[Proof[Any] | Rival[Any], ...] = (
    FREED,
    UNMAPPED,
    UNSET,
    LEFTOVER,
    Rival(bad_table, "The pointer is the first word of an object in a virtual call.",
          lambda _, called: line_of(called[0], called[1].line)),
    UNCHECKED,
    MISSED,
    Rival(strayed, "The access set out from valid memory."),
    Open(in_allocator, "The fault is inside the allocator: its own data or its argument is bad.",
         0.2, support=of_fault, missing="the pointer that it was given"),
    Open(lambda case: bad_access(case) is None, "The access that failed shows no bad pointer.",
         0.05, missing="where the operands of the access came from"),
)  # fmt: skip

CORRUPTED_POINTER = Cause(
    Category.CORRUPTED_POINTER,
    "The bad pointer's value is visibly data.",
    statement="The pointer was overwritten with data.",
    sign=_overwritten,
    prior=lambda case, _: 0.7 if written(case) else 0.5,
    tests=lambda case, _: _tests(case),
    findings=(
        *_NARROWER,
        Proof(
            lambda case: (data := data_held(case)) and (proof := written(case)) and [*data, *proof],
            "The pointer's value is data that was written over it.",
            0.82,
            told=lambda case, data: [*data, *_shown(case)],
            missing="who wrote over the pointer",
            advice="Find what wrote over the pointer: a copy that is longer than the buffer in "
            "front of it, or a write through a pointer to a block that was given out again.",
        ),
        Open(data_held, "The pointer's value is data, and nothing shows whether it was written "
             "over, or its memory is another's by right.", 0.5, Rung.MACHINE, how="data",
             told=lambda case, data: [*data, *_shown(case)], support=_where, missing=UNDECIDED,
             advice=_OPEN_ADVICE),
    ),
    absent="The value looks like an address.",
)  # fmt: skip

_FROM = (
    "where the pointer's value came from: never set, overwritten, or stale after its memory was "
    "unmapped"
)
_BACK = (
    "Follow the pointer back to where it is set; build with -fsanitize=address and run the same "
    "path."
)


def _by_code(case: Case) -> Fault | None:
    """The fault, where the code itself gives the address."""
    fault = case.fault
    known = fault is not None and fault.root is not None
    return fault if known and signs.small_number(case) is None else None


def _called_data(case: Case) -> Fault | None:
    """The fault, where a call went to the first byte of a variable: some pointer was set to it."""
    fault = bad_access(case)
    if fault is None or fault.access != "execute" or fault.transfer not in ("call", "jump"):
        return None
    known = fault.operand_symbol
    return fault if known is not None and "+" not in known else None


def _kept(case: Case, fault: Fault) -> bool:
    """Whether the pointer was read from a file's data, which is given to no other owner."""
    cell = case.region(fault.origin[0].source) if fault.origin else None
    return cell is not None and cell.kind == "file"


def _data(case: Case, fault: Fault) -> list[Claim]:
    called = say("symbol", of(fault), address=fault.operand, name=fault.operand_symbol)
    return [called, *_shown(case)]


def _failed_call(case: Case) -> Returned | None:
    """The call that returned the bad pointer, where that is minus one."""
    call = base_call(case.fault) if bad_access(case) is not None else None
    return call if call is not None and call.value == (1 << 64) - 1 else None


def _block(case: Case) -> int | None:
    """The address that was called, where an allocation returned it and it is one of data: what
    another function returns, it may have read from anywhere."""
    fault = bad_access(case)
    call = base_call(fault)
    if fault is None or call is None or fault.access != "execute" or call.value != fault.operand:
        return None
    if public(bare(call.function)) not in dangling.ALLOCATES | MAPS:
        return None
    region = case.region(call.value)
    return call.value if region is not None and region.perms[2:3] == "-" else None


def _withheld(case: Case) -> int | None:
    """Where the access went, where that is mapped and allows none."""
    fault = bad_access(case)
    if fault is None or fault.access == "execute":
        return None
    at = case.reached(fault)
    region = case.region(at)
    return at if region is not None and region.perms.startswith("---") else None


def _kind(case: Case, _: object) -> str:
    if signs.small_number(case) is not None:
        return "number"
    return "code" if case.fault is not None and case.fault.access == "execute" else ""


_CONVERT = (
    "Compare the conversions of the format, or the function's parameters, with what is given: an "
    "integer where a pointer belongs is read as an address. -Wformat, -Wint-conversion and the "
    "attribute format find it.",
)
_TAGGED = (
    "Check the tag before a member of this union is read, and set it wherever one is stored: the "
    "number was stored without it, or the pointer is read whatever it says.",
)
_WIDEN = (
    "Find where this pointer passes through 32 bits: a function that is called without a "
    "declaration returns int, a cast or a variable is an int's. -Wimplicit-function-declaration, "
    "-Wint-to-pointer-cast and -Wpointer-to-int-cast find it.",
)


def _given(given: Given) -> list[Claim]:
    return [given.said] if given.said is not None else []


WILD_POINTER = Cause(
    Category.WILD_POINTER,
    "A pointer to no memory, of which nothing more is known.",
    statement=lambda case, _: "The pointer never was, or no longer is, a valid address."
    if _withheld(case) is None else "The pointer leads to memory that no access is allowed to.",
    sign=_wild,
    prior=lambda case, _: 0.15 if data_held(case) or strayed(case) is not None else 0.5,
    tests=lambda case, _: _tests(case),
    findings=(
        Proof(number, "A number was given where a pointer belongs.", 0.9, how="given",
              frame=lambda _, given: given.frame,
              told=lambda case, given: [*_given(given), *_shown(case)], advice=_CONVERT),
        *_NARROWER[:2],
        Proof(union.stored, "The union holds a number, as its other member says.", 0.75,
              how="union", told=lambda case, found: [*found.told, *_shown(case)],
              support=lambda _, found: found.cites, advice=_TAGGED),
        *_NARROWER[2:],
        Rival(data_held, "The value is visibly data, and no address of any kind.",
              lambda case, _: of(case.fault)),
        Proof(cut_short, "The pointer is the lower half of an address that is mapped.", 0.7,
              how="truncated", told=lambda case, cut: [*told(case, cut), *_shown(case)],
              missing="where its upper half was lost", advice=_WIDEN),
        Proof(_failed_call, "The pointer is the -1 that a call returned: as a pointer it tells a "
              "failure (mmap(2), shmat(2), sbrk(2)).", 0.7, how=_kind,
              told=lambda case, _: _shown(case),
              advice=lambda _, call: f"Check the result of {bare(call.function)} before it is "
              "used, and see why it failed."),
        Proof(lambda case: fault if (fault := _called_data(case)) and _kept(case, fault) else None,
              "The address that was called is that of a variable, and a variable holds it.", 0.8,
              how="data", told=lambda case, fault: _data(case, fault),
              missing="where this function pointer was set to it",
              advice=lambda _, fault: "Find where this function pointer is set to "
              f"`{fault.operand_symbol}`: a wrong member, argument or cast gave data for code."),
        Open(_called_data, "The address that was called is that of a variable; whether the pointer "
             "was set to it, or its memory is another's by now, is not seen.", 0.5, Rung.MACHINE,
             "data", lambda case, fault: _data(case, fault), _where, missing=UNDECIDED,
             advice=_OPEN_ADVICE),
        Proof(_block, "The address that was called is that of memory which was just allocated.",
              0.8, how="data",
              told=lambda case, address: [*_shown(case), *mapped(case, address)],
              advice="Give memory that code was put into the right to be run (mprotect(2), "
              "PROT_EXEC), or see why a pointer to data is taken for one to a function."),
        Proof(_by_code, "The address that the code itself gives is no place for this access.", 0.6,
              how=_kind, told=lambda case, _: _shown(case), missing=_FROM, advice=_BACK),
        Open(_withheld, "The memory there is mapped, and no access to it is allowed.", 0.5,
             Rung.MACHINE, "withheld",
             lambda case, at: [*_shown(case), *mapped(case, at)], _where,
             missing="who took the right to use this memory away, or never gave it: mprotect(2), "
             "mmap(2) with PROT_NONE",
             advice="Look for mprotect(2) and for guard pages: memory that was put out of use, "
             "or the end of a buffer that was walked over."),
        Open(anything, "The address is no place for this access, and nothing tells how it came "
             "about.", 0.5, Rung.MACHINE, _kind, lambda case, _: _shown(case), _where,
             missing=_FROM, advice=_BACK),
    ),
)  # fmt: skip
