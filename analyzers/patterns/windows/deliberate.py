"""Breakpoints: a failed assertion's, or one that nothing explains; and code in no module."""

import re

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import BREAKPOINT, WindowsCase
from analyzers.patterns.words import Cites, confirmed, in_frame, in_place, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Frame, HeapReport
from workbench.model.hypothesis import Proposal, Rung, Verdict

_ASSERTION_FAILURE = 0xC0000420  # STATUS_ASSERTION_FAILURE, ntstatus.h
_STOPS = frozenset({BREAKPOINT, _ASSERTION_FAILURE, 0x4000001F})  # STATUS_WX86_BREAKPOINT
# Macros and functions by which programs assert, as they stand in a line of source.
_ASSERTS = re.compile(
    r"\b(?:[A-Z0-9_]*(?:ASSERT|VERIFY)[A-Z0-9_]*|_?assert|Assert|[CD]?CHECK(?:_[A-Z]{2,5})?|RELEASE_CHECK"
    r"|V8_Fatal|FATAL|UNREACHABLE|MOZ_CRASH|NS_ABORT\w*|__debugbreak|DebugBreak)\s*\("
)
_FUNCTIONS = ("wassert", "assert", "common_assert_to_stderr", "common_assert_to_message_box",
              "CrtDbgReport", "CrtDbgReportW", "CrtDbgBreak", "RtlAssert", "V8_Fatal")  # fmt: skip


def _asserted(case: WindowsCase) -> tuple[list[Claim], Cites, Frame | None] | None:
    """How an assertion shows: what says so, the lines, and the frame that asserted."""
    for frame in case.stack.frames[:8] if case.stack is not None else ():
        source = case.source_at(frame)
        if source is not None and _ASSERTS.search(source.text):
            text = source.text.strip()
            return [say("quote", of(source), lead="the line", text=text)], of(source), frame
    if case.message is not None:
        said = of(case.message)
        return [say("message", said, text=case.message.text)], said, case.frame
    called = case.calls_any(_FUNCTIONS)
    if called is not None:
        return in_frame(case.stack, called), case.cite(called), case.frame
    return None


class Asserted(OneRound):
    """A breakpoint that a failed assertion raised."""

    category = Category.ASSERTION_FAILURE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the exception is a breakpoint and an assertion shows beside it."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code not in _STOPS:
            return None
        shown = _asserted(case)
        if shown is None:
            return None
        return Proposal(
            category=self.category,
            statement="An assertion of the program failed.",
            confidence=0.93,
            tests=(),
            citations=of(case.record) + shown[1],
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the line of source or the message that asserts."""
        case = WindowsCase(facts)
        shown = _asserted(case) if case.record and case.record.code in _STOPS else None
        if shown is None:
            return rejected("No assertion shows beside the exception.", of(case.record))
        said, cites, frame = shown
        claims = [
            in_place(case, self.category, frame, how="managed", cites=cites),
            *said,
            *_called_by(case, frame),
            *case.raised(),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.93,
            claims,
            reason="The program checked a condition of its own and stopped itself.",
            frame=frame,
            support=of(case.fault),
            recommendations=(
                "Read the condition that failed and the values beside it: they were wrong before "
                "this line, so follow where they were set.",
            ),
        )


def _called_by(case: WindowsCase, frame: Frame | None) -> list[Claim]:
    """The caller of the frame at fault."""
    if frame is None or case.stack is None:
        return []
    outer = next((f for f in case.stack.frames if f.index > frame.index and f.function), None)
    return in_frame(case.stack, outer)


class Breakpoint(OneRound):
    """A breakpoint instruction with no debugger there."""

    category = Category.TRAP

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every breakpoint exception that no assertion explains."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code not in _STOPS or _asserted(case) is not None:
            return None
        if case.bugcheck is not None or any(r.stop is not None for r in facts.all(HeapReport)):
            return None  # the kernel's, or Application Verifier's, own stop
        return Proposal(
            category=self.category,
            statement="The program ran into a breakpoint of its own.",
            confidence=0.87,
            tests=(),
            citations=of(case.record) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the exception and the instruction."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code not in _STOPS:
            return rejected("The exception is another.", of(case.record))
        if _asserted(case) is not None:
            return rejected("An assertion explains the breakpoint.", of(case.record))
        top = case.stack.frames[0] if case.stack is not None and case.stack.frames else None
        fault = case.fault
        lost = top is not None and top.function is None and top.module is None
        generated = lost and case.faulting is None
        place, how = (top, "generated") if generated else (case.frame, "breakpoint")
        claims = [in_place(case, self.category, place, how=how, cites=of(case.record))]
        if fault is not None and fault.instruction:
            claims.append(say("access", of(fault), pc=fault.pc, instruction=fault.instruction))
        claims += case.raised()
        if generated:
            claims[1:1] = in_frame(case.stack, case.frame)
        return confirmed(
            case,
            Rung.MACHINE,
            0.85 if not generated else 0.7,
            claims,
            reason="The exception is a breakpoint, and the instruction is one.",
            missing=(
                ("the symbols or the map of the generated code, and what it was compiled from",)
                if generated
                else ("what the program printed before it stopped",)
            ),
            recommendations=(
                "A just-in-time compiler puts a breakpoint where its own checks fail: ask it for "
                "its listing of this code."
                if generated
                else "Look for __debugbreak(), an inline int 3 or an assertion on this line.",
            ),
        )
