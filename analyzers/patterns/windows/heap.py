"""Heap errors that Windows' own checks found: page heap, verifier stops, c0000374."""

from functools import partial

from msgspec.structs import replace

from analyzers.owners.windows import is_system_frame
from analyzers.patterns.cause import Proof
from analyzers.patterns.stated import accessed
from analyzers.patterns.windows.case import ACCESS_VIOLATION, BREAKPOINT, WindowsCase, WindowsCause
from analyzers.patterns.words import in_frame, line_of, of, placed
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame, HeapReport, Stack
from workbench.model.hypothesis import Rung

_FIELD, _BEHIND = 0x10000, 0x1000
"""A field lies so far from its pointer, an access so far behind a block."""
STATUS_HEAP_CORRUPTION = 0xC0000374
_REPORTING = ("RtlpHeapHandleError", "RtlpHpHeapHandleError", "RtlpLogHeapFailure",
              "RtlpBreakPointHeap")  # fmt: skip
"""What the heap of ntdll calls when it found itself damaged; a debugger sees a breakpoint."""
_CATEGORIES = {
    "overrun": Category.HEAP_BUFFER_OVERFLOW, "underrun": Category.HEAP_BUFFER_OVERFLOW,
    "read": Category.OUT_OF_BOUNDS_READ,
    "freed": Category.USE_AFTER_FREE, "double-free": Category.DOUBLE_FREE,
    "invalid": Category.INVALID_FREE, "corrupted": Category.HEAP_CORRUPTION,
}  # fmt: skip
_PAST = {"read": "read", "write": "overrun"}
_STATEMENTS = {
    Category.HEAP_BUFFER_OVERFLOW: "A block of the heap was written past its bounds.",
    Category.OUT_OF_BOUNDS_READ: "A block of the heap was read past its bounds.",
    Category.USE_AFTER_FREE: "Memory of the heap was used after it was freed.",
    Category.DOUBLE_FREE: "A block of the heap was freed twice.",
    Category.INVALID_FREE: "Something was freed that the heap had not handed out.",
    Category.HEAP_CORRUPTION: "The heap's data was overwritten.",
}
_ADVICE = {
    Category.HEAP_BUFFER_OVERFLOW: "Compare the size that the block was allocated with to what is "
    "written into it; full page heap (gflags /p /enable /full) stops at the write itself.",
    Category.OUT_OF_BOUNDS_READ: "Compare the size that the block was allocated with to the index "
    "or the length that is read with.",
    Category.USE_AFTER_FREE: "Find who still holds the pointer when the block is freed.",
    Category.DOUBLE_FREE: "Set the pointer to null where it is freed, and give it one owner.",
    Category.INVALID_FREE: "Free only what the same heap's allocation returned.",
    Category.HEAP_CORRUPTION: "The writer is not known: turn full page heap on (gflags /p /enable "
    "/full) and run the same path.",
}


def report(case: WindowsCase) -> HeapReport | None:
    """The heap's report that says most: one that is no mere allocation."""
    found = [r for r in map(partial(_meant, case), case.facts.all(HeapReport)) if r is not None]
    if not found:
        return None
    return next((r for r in found if r.kind != "corrupted"), found[0])


def _meant(case: WindowsCase, said: HeapReport) -> HeapReport | None:
    """A report as the fault makes it mean: what ``!heap -p -a`` says of an address counts only when
    the fault touched that; behind the end of a block in use it is an overrun, or a read."""
    touched = _touched(case)
    if said.kind == "busy":
        if touched is None or said.block is None or said.size is None:
            return None
        behind = touched - (said.block + said.size)
        kind = _PAST.get(case.fault.access) if case.fault is not None else None
        return replace(said, kind=kind) if kind and 0 <= behind < _BEHIND else None
    if said.kind not in _CATEGORIES:
        return None
    if said.stop is None and said.kind == "freed" and said.address is not None:
        near = touched is not None and abs(touched - said.address) < _FIELD
        return said if near or case.fault is None else None
    return said


def _touched(case: WindowsCase) -> int | None:
    return case.fault.operand if case.fault is not None else None


def category_of(case: WindowsCase) -> Category | None:
    """The cause that the heap's own checks prove, or None."""
    said = report(case)
    if said is not None:
        return _CATEGORIES[said.kind]
    record = case.record
    corrupted = record is not None and record.code == STATUS_HEAP_CORRUPTION
    return Category.HEAP_CORRUPTION if corrupted or _reporting(case) is not None else None


def _reporting(case: WindowsCase) -> Frame | None:
    """The heap's own frame in which a breakpoint stands, or that is all that a log tells."""
    stopped = case.record is None or case.record.code == BREAKPOINT
    return case.calls_any(_REPORTING) if stopped else None


def _access(case: WindowsCase) -> bool:
    return case.record is not None and case.record.code == ACCESS_VIOLATION


def _freed_by(said: HeapReport) -> list[Claim]:
    """Where the heap kept who freed the block."""
    inner = [f for f in said.frames if not is_system_frame(f) and (f.function or f.module)]
    if not inner or said.kind not in ("freed", "double-free"):
        return []
    line = line_of(said, inner[0].line_no)
    return [say("role", line, role="free", **placed(inner[0], line))]


def _culprit(case: WindowsCase, said: HeapReport | None) -> Frame | None:
    """The application's frame at the access, else on the stack below the heap's report."""
    if _access(case) and case.frame is not None:
        return case.frame
    stacks = case.facts.all(Stack)
    after = (
        []
        if said is None
        else [
            case.application(s)
            for s in stacks
            if s.cite.evidence == said.cite.evidence and s.cite.first > said.cite.last
        ]
    )
    tried = (*after, case.frame, *map(case.application, stacks))
    return next((frame for frame in tried if frame is not None), None)


def _told(case: WindowsCase, _: object) -> list[Claim]:
    """The report in its own words, who freed the block, the access and the exception."""
    said, fault, claims = report(case), case.fault, []
    if said is not None:
        size = said.size if said.stop is not None else None
        given = {"block": said.block or None, "size": size or None, "stop": said.stop}
        claims = [
            say("finding", of(said), tool="heap", message=said.says, **given),
            *_freed_by(said),
        ]
    if fault is not None and fault.operand is not None and _access(case):
        claims += accessed(case, fault)
    return [*claims, *in_frame(case.stack, _reporting(case)), *case.raised()]


def _kind(case: WindowsCase, _: object) -> str:
    """Whether the stack is that of what was done, or of the check that found it later on."""
    said = report(case)
    kind = said.kind if said is not None else "corrupted"
    if kind not in ("overrun", "underrun", "freed") or _access(case):
        return "underrun" if kind == "underrun" else "heap"
    return "checked-underrun" if kind == "underrun" else "checked"


def _check(category: Category) -> WindowsCause[Category]:
    """The cause that a heap check may report; the code that did it is named where a stack shows
    it."""

    def proved(case: WindowsCase) -> Category | None:
        return category if category_of(case) is category else None

    return WindowsCause(
        category,
        "A report of the heap's own check.",
        statement=_STATEMENTS[category],
        sign=proved,
        prior=0.94,
        cites=lambda case, _: of(report(case)) or of(case.record),
        findings=(
            Proof(
                proved,
                "The heap's own check found it.",
                lambda case, _: 0.9 if report(case) is not None else 0.7,
                Rung.STRUCTURE,
                _kind,
                _told,
                frame=lambda case, _: _culprit(case, report(case)),
                advice=_ADVICE[category],
                missing="who wrote over the heap" if category is Category.HEAP_CORRUPTION else (),
            ),
        ),
        absent="The heap's checks say nothing of it.",
    )


HEAP_CHECKS = tuple(_check(category) for category in _STATEMENTS)
