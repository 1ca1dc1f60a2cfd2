"""Accesses that set out from valid memory and end in none."""

import re
from collections.abc import Callable
from typing import Any

from analyzers.patterns import commands, dangling, frame_lines, pointed, signs
from analyzers.patterns.case import Case
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
from analyzers.patterns.heap_overflow import beyond, off_the_end
from analyzers.patterns.stated import accessed, mapped, returned
from analyzers.patterns.strayed import Strayed, strayed
from analyzers.patterns.subscript import Missed, index, led_past, missed, past
from analyzers.patterns.words import line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Outside
from workbench.model.hypothesis import Rung

_PAGE, _MAPPED_AT = 4096, 16
_BELOW = re.compile(r"\b([A-Za-z_]\w*) ?< ?([A-Za-z_]\w*)\b")


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
    line = frame_lines.line_of(case, case.frame) if case.frame is not None else None
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
    return (*at_frame(case), *commands.heap(found.start, *dangling.addresses(case)))


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


def _past_told(case: Case, out: dangling.LedOut) -> list[Claim]:
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
    case: Case, found: Outside | Missed | Strayed | dangling.LedOut
) -> tuple[Command, ...]:
    if isinstance(found, Strayed):
        return _tests(case, found)
    if isinstance(found, Missed):
        return at_frame(case)
    if isinstance(found, dangling.LedOut):
        return (*at_frame(case), *commands.heap(*dangling.addresses(case)))
    return (*at_frame(case), *commands.symbol(found.start))


OUT_OF_BOUNDS_READ: Cause[Outside | Missed | Strayed | dangling.LedOut] = Cause(
    Category.OUT_OF_BOUNDS_READ,
    "A read that an index or a length led astray, or the read of a pointer beside the array that "
    "it was to come from.",
    statement=lambda case, _: "An index led out of an array, and what stands there was taken for a "
    "pointer." if _beside(case) else "An index or a length led a read out of its memory.",
    sign=lambda case: read_outside(case) or missed(case) or led_past(case) or _reads(case),
    prior=lambda case, _: 0.85 if _beside(case) else 0.75,
    tests=_beside_tests,
    cites=lambda case, found: found.cites if isinstance(found, Strayed | Missed)
    else line_of(case.fault, (found.load if isinstance(found, dangling.LedOut) else found).line),
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
