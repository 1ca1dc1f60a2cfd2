"""Ends that the program chose: failed assertions, abort(), a signal to itself."""

import re
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns import commands, messages, signs
from analyzers.patterns.arithmetic import DIVIDED_BY_ZERO, checked_arithmetic
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.exhausted import gave_up, handled
from analyzers.patterns.language import panic_of, panicked
from analyzers.patterns.loader import told
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import (
    Cites,
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Frame
from workbench.model.hypothesis import Proposal, Rung, Verdict

_ASSERTS = ("__assert_fail", "__assert_fail_base", "__assert_perror_fail",
            "__assert", "std::__glibcxx_assert_fail", "std::__replacement_assert")  # fmt: skip
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_GIVES_UP = frozenset(
    ["fail", "fails", "failed", "failure", "die", "dies", "oops", "croak", "unreachable", "bug"]
)
_STEMS = ("assert", "panic", "fatal")
# gdb prints a text beside its address: assertion=0x55..08 "n > 0"
_TEXTS = re.compile(r'\b([A-Za-z_]\w{0,99})=(?:\w+@entry=)?(?:0x[0-9a-f]+ )?"((?:[^"\\]|\\.)+)"')
_CONDITION = re.compile(r"(?i)assert|expr|cond|what|msg|message|reason|text|str|fmt|format|why")
_PLACES = re.compile(r"(?i)file|func|where|path|module|loc")
_RUNTIME_ENDS = ("__stack_chk_fail", "__fortify_fail", "__chk_fail", "malloc_printerr",
                 "__libc_message", "__libc_fatal")  # fmt: skip

# What is linked statically (Rust's std, a C++ runtime) lies in the program's own file.
_NEAR, _STEPS = 12, 2
_UNNAMED = "the program's symbols: the code that ended it may be a language runtime's own"


class Own(NamedTuple):
    """The frame of the program's own assert(), panic() or fatal() that ended it: what it was given
    as a text, and the frame that called it."""

    frame: Frame
    text: str
    caller: Frame | None

    @property
    def asserts(self) -> bool:
        """True when the name says that a condition failed."""
        return "assert" in bare(self.frame.function or "").lower()


def own_check(case: Case) -> Own | None:
    """The outermost of the program's innermost frames that give up by name and were given a text.
    The arguments of a format are not known: it is told as it stands."""
    unsaid = case.message is None or messages.is_assertion(case)
    if not (_ended_itself(case) and unsaid) or signs.terminated(case) or panicked(case):
        return None
    found: Own | None = None
    ours = [f for f in case.stack.frames[:_NEAR] if case.is_ours(f)] if case.stack else []
    for at, frame in enumerate(ours):
        texts = _TEXTS.findall(frame.args[:2000]) if _gives_up(frame) else []
        if texts:
            told = [each for each in texts if not _PLACES.search(each[0])] or texts
            said = next((text for key, text in told if _CONDITION.search(key)), told[0][1])
            found = Own(frame, said, case.caller_of(frame))
        elif found is not None or at >= _STEPS:
            break
    return found


def _gives_up(frame: Frame) -> bool:
    words = _WORDS.findall(bare(frame.function or "").rsplit("::", 1)[-1])
    found = [word.lower() for word in words]
    return any(word in _GIVES_UP or word.startswith(_STEMS) or word.endswith(_STEMS)
               for word in found)  # fmt: skip


class AssertionFailure(OneRound):
    """assert(3) or the C++ library's own assertion."""

    category = Category.ASSERTION_FAILURE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the message or the stack shows an assertion."""
        case = Case(facts)
        own = own_check(case)
        frame = own.frame if own is not None and own.asserts else case.calls(*_ASSERTS)
        known = messages.is_assertion(case) and not messages.is_heap(case)
        if frame is None and not known:
            return None
        caller = case.caller_of(frame) if frame is not None else case.frame
        return Proposal(
            category=self.category,
            statement="An assertion of the program failed.",
            confidence=0.9,
            tests=(*commands.source(caller), *commands.variables(caller)),
            citations=messages.cites(case) + case.cite(frame),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the message or by the frame that failed it."""
        case = Case(facts)
        frame = case.calls(*_ASSERTS)
        if messages.is_heap(case):
            return rejected("The assertion is the allocator's own.", messages.cites(case),
                            rung=Rung.STRUCTURE)  # fmt: skip
        own = own_check(case)
        if own is not None and own.asserts:
            return _gave_up(case, own)
        if frame is None and not messages.is_assertion(case):
            return rejected("No assertion failed on this stack.", of(case.stack), rung=Rung.STACK)
        caller = _asserting(case, case.caller_of(frame) if frame is not None else case.frame)
        shown = caller if case.cite(caller) else None
        claims = [
            in_place(case, self.category, shown, cites=messages.cites(case)),
            *messages.stated(case),
            *on_stack(case, frame),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE if messages.is_assertion(case) else Rung.STACK,
            0.95,
            [*claims, *signal_claim(case)],
            reason="The program checked a condition of its own and found it false.",
            frame=caller,
            support=case.cite(frame),
            recommendations=(
                "Read the condition that failed and the variables beside it: the value was wrong "
                "before this line, so follow where it was set.",
            ),
        )


def _asserting(case: Case, caller: Frame | None) -> Frame | None:
    """The frame that asserted, named by the message where it has no symbol."""
    said = messages.asserted(case)
    if said is None or (caller is not None and caller.function is not None):
        return caller
    frame = caller if caller is not None else Frame(index=0, trust="unwound")
    return replace(frame, function=said.function, file=said.file, line=said.line)


def _gave_up(case: Case, own: Own) -> Verdict:
    """The program's own check ended it, and its words say why."""
    category = Category.ASSERTION_FAILURE if own.asserts else Category.EXPLICIT_ABORT
    claims = [
        in_place(case, category, own.caller),
        say("quote", case.cite(own.frame), lead="its own check says", text=own.text),
        *on_stack(case, own.frame),
        *signal_claim(case),
    ]
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.9,
        claims,
        reason="The program checked a condition of its own, and its words are on the stack.",
        frame=own.caller,
        support=of(case.process),
        recommendations=(
            "Read the condition that failed and the variables beside it: the value was wrong "
            "before this line, so follow where it was set.",
        ),
    )


class ExplicitAbort(OneRound):
    """abort() by itself, or a signal that the process sent itself."""

    category = Category.EXPLICIT_ABORT

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the process ended itself."""
        case = Case(facts)
        if not _ended_itself(case):
            return None
        other = _other_cause(case)
        return Proposal(
            category=self.category,
            statement="The program ended itself on purpose.",
            confidence=0.15 if other is not None else 0.8,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.siginfo()),
            citations=_end(case) + of(case.stack)[:1],
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when nothing of the runtime stands between the program and its end."""
        case = Case(facts)
        if not _ended_itself(case):
            return rejected("The process did not send itself this signal.", _end(case))
        other = _other_cause(case)
        if other is not None:
            return rejected(other[0], other[1], rung=Rung.STRUCTURE)
        own = own_check(case)
        if own is not None:
            return _gave_up(case, own)
        first = _interrupted(case)
        if first is not None:
            return inconclusive(
                case,
                "The process ended itself while it handled another signal, and that one is the "
                "first cause.",
                ("the first signal's record, on the stack of its handler",),
                confidence=0.4,
                supporting=_end(case),
                claims=[in_place(case, self.category, first, how="handler")],
                frame=first,
            )  # fmt: skip
        if case.message is not None:
            return _stopped(case)
        gone = signs.aborted(case)
        raised = gone.frame if gone else _raiser(case) or case.calls(*signs.RAISES)
        sent = [in_place(case, self.category, case.frame, cites=_end(case)), *_sent(case)]
        aborts = case.ended(Kind.ABORT)
        if raised is None and not aborts and signs.self_sent(case):
            return confirmed(
                case,
                Rung.MACHINE,
                0.8,
                sent,
                reason="The signal's record names the process itself as the sender.",
                support=of(case.process),
                missing=("symbols for the frames that sent it",),
            )
        known = signs.self_sent(case) or (aborts and case.signal is None)
        if raised is None and known and (case.frame is None or not _has_names(case)):
            return confirmed(
                case,
                Rung.STACK,
                0.5,
                sent,
                reason="The process ended itself, and no message or exception gives a reason.",
                support=of(case.process),
                missing=("symbols for the frames that called abort() or raise()",),
                recommendations=("Build with symbols and run again: the caller names the cause.",),
            )
        if raised is None or case.frame is None:
            return inconclusive(
                case,
                "The process sent itself the signal, but the stack does not show from where.",
                ("symbols for the frames that called abort() or raise()",),
                confidence=0.6,
                supporting=_end(case),
                claims=sent,
            )
        claims = [sent[0], *on_stack(case, raised), *told(case), *sent[1:]]
        return confirmed(
            case,
            Rung.MACHINE,
            0.88,
            claims,
            reason="The process sent itself the signal, and no runtime check stands in between.",
            support=of(case.fault),
            missing=() if case.frame.function is not None else (_UNNAMED,),
            recommendations=(
                "Read the branch that leads to this call: it is the program's own decision, so "
                "the condition in front of it names the cause.",
            ),
        )


def _stopped(case: Case) -> Verdict:
    """The C library refused to go on, for a reason that has no category of its own."""
    claims = [
        in_place(case, Category.EXPLICIT_ABORT, case.frame, how="library",
                 cites=messages.cites(case)),
        *messages.stated(case),
        *signal_claim(case),
    ]  # fmt: skip
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.85,
        claims,
        reason="A check of the C library called abort(), and its message says why.",
        support=of(case.process),
        recommendations=("Read what the message says against the call that this line makes.",),
    )


def _interrupted(case: Case) -> Frame | None:
    """The application's frame that a signal handler on this stack interrupted, or None."""
    frames = case.stack.frames if case.stack is not None else ()
    handler = next((f for f in frames if f.signal_handler), None)
    return case.caller_of(handler) if handler is not None else None


def _raiser(case: Case) -> Frame | None:
    """The runtime's frame that the application called, where it has a name."""
    frame, stack = case.frame, case.stack
    if frame is None or stack is None or not signs.self_sent(case):
        return None
    inner = [f for f in stack.frames if f.index < frame.index]
    return inner[-1] if inner and inner[-1].function else None


def _has_names(case: Case) -> bool:
    """True when the stack of the end names any function."""
    return case.stack is not None and any(frame.function for frame in case.stack.frames)


def _end(case: Case) -> Cites:
    return of(case.ending.fact) if case.ending is not None else ()


def _sent(case: Case) -> list[Claim]:
    """How the process ended itself, as the system recorded it."""
    sender = case.signal.sender_pid if case.signal is not None else None
    by = [] if sender is None else [say("signal", of(case.signal), pid=sender)]
    return [*signal_claim(case), *by]


def _ended_itself(case: Case) -> bool:
    if case.signal is None:
        return case.ended(Kind.ABORT)
    if signs.self_sent(case):
        return True
    return case.signal.name == "SIGABRT" and signs.aborted(case) is not None


def _other_cause(case: Case) -> tuple[str, Cites] | None:
    """Why the end was not the program's own wish, with the lines that say so."""
    if case.message is not None:
        if not messages.names_a_cause(case):
            return None
        return "The runtime left a message that gives a reason.", messages.cites(case)
    for names, reason in (
        (_ASSERTS, "A failed assertion called abort()."),
        (("__cxa_pure_virtual",), "A pure virtual function was called."),
        (_RUNTIME_ENDS, "A check of the C library called abort()."),
        (DIVIDED_BY_ZERO, "A division met a zero divisor."),
    ):
        frame = case.calls(*names)
        if frame is not None:
            return reason, case.cite(frame)
    own = own_check(case)
    if own is not None and own.asserts:
        return "A check of the program's own failed and called abort().", case.cite(own.frame)
    starved = gave_up(case)
    if starved is not None:
        return "No more memory could be had.", of(starved)
    handler = handled(case)
    if handler is not None:
        return "The runtime's handler of failed allocations called abort().", case.cite(handler)
    checked = checked_arithmetic(case)
    if checked is not None:
        return "Checked arithmetic called abort().", case.cite(checked)
    end = signs.terminated(case)
    if end is not None:
        return "The C++ runtime called abort() out of std::terminate().", case.cite(end)
    panic = panicked(case)
    if panic is not None:
        return "A panic ended the process.", case.cite(panic)
    told = panic_of(case)
    if told is not None:
        return "A panic ended the process.", of(told)
    if case.exception is not None and case.exception.uncaught:
        return "An exception that nobody caught ended the process.", of(case.exception)
    return None
