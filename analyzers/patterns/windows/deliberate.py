"""Breakpoints: a failed assertion's, or one that nothing explains; and code in no module."""

import re
from typing import NamedTuple

from analyzers.patterns.cause import Proof, Rival, of_fault
from analyzers.patterns.code import ran
from analyzers.patterns.windows.case import BREAKPOINT, WindowsCase, WindowsCause, of_record
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
_FUNCTIONS = ("wassert", "assert", "common_assert_to_stderr", "common_assert_to_message_box",
              "CrtDbgReport", "CrtDbgReportW", "CrtDbgBreak", "RtlAssert", "V8_Fatal")  # fmt: skip


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
    """The assertion that a breakpoint is of."""
    if not _stopped(case):
        return None
    for frame in case.frames[:8]:
        source = case.source_at(frame)
        if source is not None and _ASSERTS.search(source.text):
            quote = say("quote", of(source), lead="the line", text=source.text.strip())
            return Shown([quote], of(source), frame)
    if case.message is not None:
        said = of(case.message)
        return Shown([say("message", said, text=case.message.text)], said, case.frame)
    called = case.calls_any(_FUNCTIONS)
    if called is not None:
        return Shown(in_frame(case.stack, called), case.cite(called), case.frame)
    return None


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
    return _stopped(case) and _asserted(case) is None and alone


def _generated(case: WindowsCase) -> Frame | None:
    """The frame of code that is in no module: a just-in-time compiler's."""
    top = case.top
    lost = top is not None and top.function is None and top.module is None
    return top if _stopped(case) and lost and case.faulting is None else None


def _ran(case: WindowsCase, _: object) -> list[Claim]:
    fault = case.fault
    known = fault is not None and fault.instruction
    return [*(ran(fault) if known else []), *case.raised()]


TRAP = WindowsCause(
    Category.TRAP,
    "A breakpoint instruction with no debugger there.",
    statement="The program ran into a breakpoint of its own.",
    sign=_breakpoint,
    prior=0.87,
    cites=lambda case, _: of(case.record) + of(case.fault),
    findings=(
        Rival(_asserted, "An assertion explains the breakpoint.", of_record),
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
