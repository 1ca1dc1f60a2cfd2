"""Breakpoints: a failed assertion's, those of the C runtime's checks, or one that nothing explains;
and code in no module."""

import re
from typing import NamedTuple

from analyzers.patterns.cause import Open, Proof, Rival, of_fault
from analyzers.patterns.code import ran
from analyzers.patterns.windows.case import BREAKPOINT, WindowsCase, WindowsCause, of_record
from analyzers.patterns.windows.fastfail import ASSERTS, FATAL_APP_EXIT, runtime_check, subcode
from analyzers.patterns.windows.heap import category_of
from analyzers.patterns.words import Cites, in_frame, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame, HeapReport

_ASSERTION_FAILURE = 0xC0000420  # STATUS_ASSERTION_FAILURE, ntstatus.h
_STOPS = frozenset({BREAKPOINT, _ASSERTION_FAILURE, 0x4000001F})  # STATUS_WX86_BREAKPOINT
# Macros and functions by which programs assert, as they stand in a line of source.
_ASSERTS = re.compile(
    r"\b(?:[A-Z0-9_]*(?:ASSERT|VERIFY)[A-Z0-9_]*|_?assert|Assert|[CD]?CHECK(?:_[A-Z]{2,5})?|RELEASE_CHECK"
    r"|V8_Fatal|FATAL|UNREACHABLE|MOZ_CRASH|NS_ABORT\w*|__debugbreak|DebugBreak)\s*\("
)
_FUNCTIONS = (*ASSERTS, "CrtDbgReport", "CrtDbgReportW", "CrtDbgBreak", "RtlAssert", "V8_Fatal")
# The debug heap's, which report by the same functions (Microsoft's debug_heap.cpp).
_DEBUG_HEAP = ("free_dbg", "free_dbg_nolock", "realloc_dbg", "realloc_dbg_nolock", "CrtCheckMemory",
               "msize_dbg", "msize_dbg_nolock", "CrtIsMemoryBlock")  # fmt: skip


def _called_by(case: WindowsCase, frame: Frame | None) -> list[Claim]:
    """The caller of the frame at fault."""
    if frame is None:
        return []
    outer = next((f for f in case.frames if f.index > frame.index and f.function), None)
    return in_frame(case.stack, outer)


class Shown(NamedTuple):
    """How an assertion shows: what says so, the lines, and the frame that asserted."""

    said: list[Claim]
    cites: Cites
    frame: Frame | None


def _stopped(case: WindowsCase) -> bool:
    return case.record is not None and case.record.code in _STOPS


def _asserted(case: WindowsCase) -> Shown | None:
    """The assertion that a breakpoint, or a program that ended itself, is of."""
    by_runtime = runtime_check(case)
    other = by_runtime is not None and by_runtime[1] is not Category.ASSERTION_FAILURE
    if other or case.calls_any(_DEBUG_HEAP) is not None:
        return None
    if not _stopped(case) and (by_runtime is None or subcode(case) != FATAL_APP_EXIT):
        return None
    for frame in case.frames[:8] if _stopped(case) else ():
        source = case.source_at(frame)
        if source is not None and _ASSERTS.search(source.text):
            quote = say("quote", of(source), reads="the line", text=source.text.strip())
            return Shown([quote], of(source), frame)
    if case.message is not None:
        said = of(case.message)
        return Shown([say("message", said, text=case.message.text)], said, case.frame)
    called = case.calls_any(_FUNCTIONS)
    if called is None:
        return None
    return Shown(in_frame(case.stack, called), case.cite(called), case.frame)


ASSERTED = WindowsCause(
    Category.ASSERTION_FAILURE,
    "A breakpoint that a failed assertion raised.",
    statement="An assertion of the program failed.",
    sign=_asserted,
    prior=0.93,
    cites=lambda case, shown: of(case.record) + shown.cites,
    findings=(
        Proof(
            _asserted,
            "The program checked a condition of its own and stopped itself.",
            0.93,
            how="managed",
            told=lambda case, shown: [*shown.said, *_called_by(case, shown.frame), *case.raised()],
            frame=lambda _, shown: shown.frame,
            support=of_fault,
            advice="Read the condition that failed and the values beside it: they were wrong "
            "before this line, so follow where they were set.",
        ),
    ),
    absent="No assertion shows beside the exception.",
)


def _breakpoint(case: WindowsCase) -> bool:
    """True for a breakpoint that neither an assertion explains nor the kernel, nor the heap's or
    Application Verifier's own stop."""
    stopped = any(report.stop is not None for report in case.facts.all(HeapReport))
    alone = case.bugcheck is None and not stopped and category_of(case) is None
    explained = _asserted(case) is not None or runtime_check(case) is not None
    return _stopped(case) and not explained and alone


def _generated(case: WindowsCase) -> Frame | None:
    """The frame of code that is in no module: a just-in-time compiler's."""
    top = case.top
    lost = top is not None and top.function is None and top.module is None
    return top if _stopped(case) and lost and case.faulting is None else None


def _ran(case: WindowsCase, _: object) -> list[Claim]:
    fault = case.fault
    known = fault is not None and fault.instruction
    return [*(ran(fault) if known else []), *case.raised()]


def _stopped_by_runtime(case: WindowsCase) -> tuple[Frame, Category] | None:
    return runtime_check(case) if _stopped(case) else None


_CHECKED = {
    Category.STACK_BUFFER_OVERFLOW: ("A buffer on the stack was overrun.", ""),
    Category.UNINITIALIZED_VALUE: ("A variable was used that had never been set.", "tool"),
    Category.PURE_VIRTUAL_CALL: ("A pure virtual function was called.", ""),
    Category.STD_TERMINATE: ("std::terminate() ended the program.", "tool"),
    Category.EXPLICIT_ABORT: ("The program ended itself.", ""),
}
"""What a check of the C runtime may have found, and how its place is told."""


def _checked(category: Category) -> WindowsCause[Frame]:
    """The cause that a check of the C runtime, which stopped at a breakpoint, stands for."""

    def found(case: WindowsCase) -> Frame | None:
        by_runtime = _stopped_by_runtime(case)
        return by_runtime[0] if by_runtime is not None and by_runtime[1] is category else None

    statement, how = _CHECKED[category]
    return WindowsCause(
        category,
        "A breakpoint of the C runtime's own.",
        statement=statement,
        sign=found,
        prior=0.93,
        cites=lambda case, frame: of(case.record) + case.cite(frame),
        findings=(
            Proof(found, "A check of the C runtime stopped the program.", 0.88, how=how,
                  told=lambda case, frame: [*in_frame(case.stack, frame), *case.raised()],
                  advice="Read what the runtime printed before it stopped: it names the variable "
                  "or the reason."),
        ),
        absent="No check of the C runtime is on the stack.",
    )  # fmt: skip


RUNTIME_CHECKS = tuple(map(_checked, _CHECKED))

TRAP = WindowsCause(
    Category.TRAP,
    "A breakpoint instruction with no debugger there.",
    statement="The program ran into a breakpoint of its own.",
    sign=_breakpoint,
    prior=0.87,
    cites=lambda case, _: of(case.record) + of(case.fault),
    findings=(
        Rival(_asserted, "An assertion explains the breakpoint.", of_record),
        Rival(_stopped_by_runtime, "A check of the C runtime explains the breakpoint.", of_record),
        Open(lambda case: case.calls_any(_DEBUG_HEAP), "The C runtime's debug heap stopped the "
             "program; what it found, its message says.", 0.4,
             told=lambda case, heap: in_frame(case.stack, heap), support=of_record,
             missing="what the debug heap printed before it stopped"),
        Proof(_generated, "The exception is a breakpoint, and the instruction is one.", 0.7,
              how="generated",
              told=lambda case, top: [*in_frame(case.stack, case.frame), *_ran(case, top)],
              frame=lambda _, top: top, blames=lambda case, _: case.frame,
              missing="the symbols or the map of the generated code, and what it was compiled from",
              advice="A just-in-time compiler puts a breakpoint where its own checks fail: ask it "
              "for its listing of this code."),
        Proof(_stopped, "The exception is a breakpoint, and the instruction is one.",
              how="breakpoint", told=_ran,
              missing="what the program printed before it stopped",
              advice="Look for __debugbreak(), an inline int 3 or an assertion on this line."),
    ),
)  # fmt: skip
