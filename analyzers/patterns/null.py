"""Null pointers: data that is read or written through one, and code that is called through one."""

import re

from analyzers.names import bare, common
from analyzers.patterns import commands, dangling, signs, subscript, union
from analyzers.patterns.case import FAR, Case
from analyzers.patterns.cause import (
    FREED,
    INTO_FREED,
    MISSED,
    RAN_OUT,
    Cause,
    Open,
    Proof,
    Rival,
    at_frame,
    of_fault,
)
from analyzers.patterns.exhausted import UNCHECKED
from analyzers.patterns.frame_lines import line_of as line_at
from analyzers.patterns.given import came_from, number
from analyzers.patterns.heap_overflow import ran_over
from analyzers.patterns.pointed import POINTS
from analyzers.patterns.signs import in_allocator
from analyzers.patterns.spoken import named
from analyzers.patterns.stated import accessed, base_call, inside, loaded, on_stack, returned
from analyzers.patterns.uninitialized import UNSET
from analyzers.patterns.words import Cites, of
from workbench.claims.expressions import displacement, without_texts
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import CoreHealth, Fault, Frame, Load
from workbench.model.hypothesis import Rung

_MEMBER = re.compile(r"->|\.|\[")
"""What is read by such lies in memory."""
_READ = r"\s*=(?!=)[^;,=&]*(?:->|\.|\[)"
"""A variable that the line itself sets to such, for the next round."""


def _how(case: Case) -> str:
    """Whether the frame that is named dereferences the null itself, or a function of a library that
    it called; and whether its own line gave the null away."""
    frame = case.frame
    if case.left is not None:
        return "called"
    if frame is None or case.runs_here(frame):
        return ""
    return "passed" if any(claim.kind == "value" for claim in named(case)) else "called"


_FORMATS = (
    "printf", "fprintf", "sprintf", "snprintf", "dprintf", "asprintf", "vprintf", "vfprintf",
    "vsprintf", "vsnprintf", "vdprintf", "vasprintf", "__vfprintf_internal", "vfprintf_internal",
)  # fmt: skip


def _formats_a_number(case: Case) -> bool:
    """True where a format's argument is a small number: an integer that stands for %s, or a member
    of an object that is not there."""
    base = case.fault.base_value if case.fault is not None else None
    return bool(base) and case.calls(*_FORMATS) is not None


def _advice(case: Case) -> tuple[str, ...]:
    frame = case.frame
    if _formats_a_number(case) and frame is not None and frame.function:
        return (
            f"Compare the conversions of the format in {frame.function} with its arguments: an "
            "integer given for %s is read as a pointer, and -Wformat or the attribute format finds "
            "it.",
            "Where the types agree, a member of a null object was given: check that object.",
        )
    name = frame.function if frame and frame.function else "the faulting function"
    asked, given = f"in {name} why the pointer is null here", came_from(case)
    if given is not None and given.said is not None and given.frame.function:
        called = next(one for one in given.said.args if one.name == "expression")
        asked = (
            f"in {given.frame.function} where `{called.shown or called.value}` comes from, and "
            "why it is null"
        )
    elif (call := base_call(case.fault)) is not None and call.value == 0:
        asked = f"why {bare(common(call.function))} returned null"
    elif frame is not None and (by := _given_by(case, frame)):
        asked = f"in {name}, or in {by}, which called it, why the pointer is null here"
    return (
        f"Find out {asked}: a failed allocation or lookup, a field that was never set, or one that "
        "was cleared too early.",
        "Check the result at its source, and give the error a path of its own rather than a guard "
        "at the crash alone.",
    )


def _given_by(case: Case, frame: Frame) -> str | None:
    """Who called the frame, where the null pointer is an argument as the stack lists it (it was
    passed so, or the function has set it since), or as the walk back from it has it."""
    caller, fault, top = case.caller_of(frame), case.fault, case.top
    if fault is not None and fault.passed_line and top and top.index == frame.index:
        return caller.function if caller is not None else None
    values = [claim for claim in named(case) if claim.kind == "value"]
    names = {claim.get("expression") for claim in values}
    given = {
        text.partition("=")[0].strip() for text in frame.args.split(",") if text.endswith("=0x0")
    }
    return caller.function if caller is not None and names & given else None


def _unsure(case: Case) -> Fault | None:
    """The fault, where a small number was the pointer and null is only supposed."""
    fault = signs.near_null_access(case)
    return fault if fault is not None and signs.supposed_null(fault) else None


def _far(case: Case) -> Fault | None:
    fault = _unsure(case)
    return fault if fault is not None and (fault.base_value or 0) >= FAR else None


def _added(case: Case) -> Fault | None:
    """The fault, where a zero and a number were added up far from null, and no name shows which of
    the two was the pointer: page numbers and compressed pointers are scaled as indexes are."""
    fault = signs.near_null_access(case)
    if fault is None or fault.root is None or signs.near_null(fault.operand or 0):
        return None
    shown = [str(one.get("value")) for one in named(case) if one.kind == "value"]
    return None if any(map(POINTS.match, shown)) else fault


def _odd(fault: Fault) -> bool:
    """Whether a word behind the base was accessed, and not aligned as members of that size are
    (System V ABI: their own size)."""
    size = fault.operand_size or 0
    behind = fault.operand is not None and fault.operand != fault.base_value
    return behind and size in (2, 4, 8) and (fault.operand or 0) % size != 0


def _kept(case: Case) -> Fault | None:
    """The fault, where memory held the small number as it is: what a null object's member lies at
    is computed, and rarely stored."""
    fault = _unsure(case)
    if fault is None or fault.base_value is None:
        return None
    held = [str(one.get("expression")) for one in named(case)
            if scalar(str(one.get("value"))) == fault.base_value]  # fmt: skip
    line = line_at(case, case.frame) if case.frame is not None else None
    text = without_texts(line.text) if line is not None else ""
    read = [name for name in held if re.search(rf"\b{re.escape(name)}{_READ}", text)]
    return fault if read or any(map(_MEMBER.search, held)) else None


def _through_it(case: Case) -> Fault | None:
    """The fault, where the program's own instruction reads at the small number itself, which no
    caller passed in: a member of a null object is read at a distance from null (one instruction has
    both), unless its address was taken before, which shows in the walk back or by a name."""
    fault = _unsure(case)
    if fault is None or case.calls_out or fault.passed_line or displacement(fault):
        return None
    return fault if not any(one.kind in ("value", "operand") for one in named(case)) else None


def _unowned(case: Case) -> Load | None:
    """Where the null was read from, which is the heap's unallocated rest."""
    null = signs.near_null_access(case)
    for load in null.origin if null is not None else ():
        chunk = case.chunk(load.source)
        if chunk is not None and (chunk.state, load.value) == ("top", 0) and chunk.offset >= 0:
            return load
    return None


def _cut_off(case: Case) -> Load | None:
    """Where the null was read from, which a dump that was cut off has no bytes of: whether it was
    one that had been freed cannot be seen."""
    null = signs.near_null_access(case)
    if null is None or not any(health.truncated for health in case.facts.all(CoreHealth)):
        return None
    unread = (load for load in null.origin if load.value is None)
    return next((load for load in unread if case.region(load.source)), None)


def _unowned_cell(case: Case, load: Load) -> list[Claim]:
    return [*accessed(case, case.fault), *loaded(case.fault), *inside(case, load.source)]


def _shown(case: Case, fault: Fault) -> list[Claim]:
    gave = returned(fault, base_call(fault))
    ours = case.frame.index if case.frame is not None else 0
    inner = on_stack(case, *(frame for frame in case.frames[:1] if frame.index < ours))
    index = subscript.index(case)
    return [*index, *gave, *accessed(case, fault), *loaded(fault), *inner]


def _cites(case: Case, fault: Fault) -> Cites:
    return of(fault) + case.cite(case.frame)


NULL_POINTER_DEREFERENCE = Cause(
    Category.NULL_POINTER_DEREFERENCE,
    "The operand of the faulting instruction, computed from the registers, lies below 64 KiB.",
    statement="A null pointer was dereferenced.",
    sign=signs.near_null_access,
    prior=lambda case, _: 0.7 if not in_allocator(case) else 0.1,
    tests=lambda case, _: (*at_frame(case), *commands.heap(*dangling.addresses(case))),
    cites=_cites,
    findings=(
        Open(lambda case: case.fault is None, "The faulting instruction is not known.",
             missing="the code and registers at the fault"),
        FREED,
        MISSED,
        INTO_FREED,
        RAN_OUT,
        UNCHECKED,
        UNSET,
        Open(_cut_off, "What the null came from lies in memory that was cut off the dump.", 0.3,
             told=lambda case, _: accessed(case, case.fault), support=of_fault,
             missing="a dump that is not cut off"),
        Open(_unowned, "The null was read from memory that the heap has given to nobody: the "
             "pointer to it is bad, and what it was is not known.", 0.5, told=_unowned_cell,
             support=of_fault, missing="where the pointer to that memory came from"),
        Rival(signs.small_number, "What was used as a pointer is a number that was never null."),
        Rival(number, "A number was given where a pointer belongs.",
              lambda _, given: given.said.citations if given.said is not None else ()),
        Rival(union.stored, "A union holds a number, and not a pointer.",
              lambda _, found: found.used.citations),
        Rival(lambda case: signs.near_null_access(case) and in_allocator(case),
              "The null was met inside the allocator: its data or its argument is bad.",
              lambda case, _: of(case.fault) + case.cite(case.top)),
        Rival(ran_over, "The heap was written past a chunk's end, and nothing shows that the "
              "number was null.", lambda _, heap: of(heap), Rung.STRUCTURE),
        Open(_added, "A zero and a number were added up, and which of them was the pointer is not "
             "known.", 0.5, told=_shown, missing="the type of what was zero"),
        Open(_far, "A number far from null was used as a pointer, and what it was made from is not "
             "known.", support=of_fault, how="near", told=_shown,
             missing="where the number came from"),
        Open(lambda case: signs.near_null_access(case) if _formats_a_number(case) else None,
             "A format was given a small number: an integer that stands for %s, a member of an "
             "object that is not there, or what the object's memory holds now.", 0.5,
             told=_shown, missing="where the number came from",
             advice=lambda case, _: _advice(case)),
        Open(lambda case: fault if (fault := _unsure(case)) is not None and _odd(fault) else None,
             "What was taken as a pointer is a small number, and no member of a null object is "
             "aligned like this.", 0.5, told=_shown, missing="where the number came from"),
        Open(_kept, "A small number was kept where a pointer belongs: null with an offset, or no "
             "pointer at all.", 0.5, how="near", told=_shown, missing="where the number came from",
             advice=lambda case, _: _advice(case)),
        Open(_through_it, "A small number was read through as it is: the address of a member of a "
             "null object, or no pointer at all.", 0.5, how="near", told=_shown,
             missing="where the number came from", advice=lambda case, _: _advice(case)),
        Proof(_unsure, "What was taken as a pointer is a small number: null with an offset, or no "
              "pointer at all.", 0.65, how="near", told=_shown,
              advice=lambda case, _: _advice(case)),
        Proof(signs.near_null_access,
              lambda _, fault: "The operand of the faulting instruction is a null pointer"
              f"{' with an offset' if fault.operand else ''}.", 0.93,
              how=lambda case, _: _how(case), told=_shown, advice=lambda case, _: _advice(case)),
    ),
    absent="The fault is no access to data near null.",
)  # fmt: skip

NULL_FUNCTION_POINTER_CALL = Cause(
    Category.NULL_FUNCTION_POINTER_CALL,
    "Control went to an address below 64 KiB by a call.",
    statement="A null function pointer was called.",
    sign=signs.near_null_jump,
    prior=lambda _, fault: 0.7 if fault.transfer != "return" else 0.2,
    tests=lambda case, fault: (*at_frame(case), *commands.code(fault.transfer_from),
                               *commands.heap(*dangling.addresses(case))),
    cites=_cites,
    findings=(
        FREED,
        Rival(lambda case: _jumped(case, "return"),
              "Control got there by a return, not by a call."),
        Proof(lambda case: _jumped(case, "call", "jump", at=0),
              "A call, or a jump in place of one, transferred control to a null address.", 0.93,
              told=lambda _, fault: [
                  say("transfer", of(fault), pc=fault.pc, transfer=fault.transfer,
                      from_=fault.transfer_from),
                  *loaded(fault),
              ],
              advice="Find where this function pointer is set, and make sure that it is set before "
              "the call or checked by it."),
        Open(lambda case: _jumped(case, "call", "jump"),
             "What was called is a small number, and not null: no function is there.", 0.45,
             Rung.MACHINE, support=of_fault, missing="where this function pointer is set"),
        Open(signs.near_null_jump, "The program counter is near null, but how it got there cannot "
             "be told.", 0.5, Rung.MACHINE, support=of_fault,
             missing="the call instruction or the return address on the stack"),
    ),
    absent="The program counter is not near null.",
)  # fmt: skip


def _jumped(case: Case, *how: str, at: int | None = None) -> Fault | None:
    fault = signs.near_null_jump(case)
    if fault is None or fault.transfer not in how:
        return None
    target = fault.operand if fault.operand is not None else fault.pc
    return fault if at in (None, target) else None
