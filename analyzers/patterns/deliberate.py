"""Ends that the program chose: failed assertions, abort(), a signal to itself."""

import re
from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns import commands, messages, own_end, signs
from analyzers.patterns.arithmetic import DIVIDED_BY_ZERO, checked_arithmetic
from analyzers.patterns.busy import looks_ahead
from analyzers.patterns.case import Case
from analyzers.patterns.cause import (
    Cause,
    Open,
    Proof,
    Rival,
    anything,
    at_frame,
    of_fault,
    of_process,
)
from analyzers.patterns.ending import Kind
from analyzers.patterns.exhausted import gave_up, handled
from analyzers.patterns.language import panic_of, panicked
from analyzers.patterns.loader import told
from analyzers.patterns.stated import on_stack
from analyzers.patterns.stuck import stands_still
from analyzers.patterns.words import Cites, of, signal_claim
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fact, Frame
from workbench.model.hypothesis import Rung

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
                 "__libc_message", "__libc_fatal", "__fortify_fatal", "scudo::die")  # fmt: skip

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
    chosen = _ended_itself(case) and not own_end.timed(case)
    if not (chosen and unsaid) or own_end.terminated(case) or panicked(case):
        return None
    found: Own | None = None
    ours = [f for f in case.frames[:_NEAR] if case.is_ours(f)]
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
    return any(
        word in _GIVES_UP or word.startswith(_STEMS) or word.endswith(_STEMS) for word in found
    )


def _asserting(case: Case, caller: Frame | None) -> Frame | None:
    """The frame that asserted, named by the message where it has no symbol."""
    said = messages.asserted(case)
    if said is None or (caller is not None and caller.function is not None):
        return caller
    frame = caller if caller is not None else Frame(index=0, trust="unwound")
    return replace(frame, function=said.function, file=said.file, line=said.line)


def _interrupted(case: Case) -> Frame | None:
    """The application's frame that a signal handler on this stack interrupted, or None."""
    handler = next((f for f in case.frames if f.signal_handler), None)
    return case.caller_of(handler) if handler is not None else None


def _raiser(case: Case) -> Frame | None:
    """The runtime's frame that the application called, where it has a name."""
    frame = case.frame
    if frame is None or not own_end.self_sent(case):
        return None
    inner = [f for f in case.frames if f.index < frame.index]
    return inner[-1] if inner and inner[-1].function else None


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
    if own_end.self_sent(case):
        return True
    return case.signal.name == "SIGABRT" and own_end.aborted(case) is not None


def _own_failed(case: Case) -> Frame | None:
    own = own_check(case)
    return own.frame if own is not None and own.asserts else None


_STOPPED_BY: tuple[tuple[Callable[[Case], Frame | Fact | None], str], ...] = (
    (lambda case: case.calls(*_ASSERTS), "A failed assertion called abort()."),
    (lambda case: case.calls("__cxa_pure_virtual"), "A pure virtual function was called."),
    (lambda case: case.calls(*_RUNTIME_ENDS), "A check of the C library called abort()."),
    (lambda case: case.calls(*DIVIDED_BY_ZERO), "A division met a zero divisor."),
    (_own_failed, "A check of the program's own failed and called abort()."),
    (gave_up, "No more memory could be had."),
    (handled, "The runtime's handler of failed allocations called abort()."),
    (checked_arithmetic, "Checked arithmetic called abort()."),
    (signs.guard_was_told, "The runtime's handler of stack overflows called abort()."),
    (own_end.terminated, "The C++ runtime called abort() out of std::terminate()."),
    (panicked, "A panic ended the process."),
    (panic_of, "A panic ended the process."),
    (lambda case: case.exception if case.exception and case.exception.uncaught else None,
     "An exception that nobody caught ended the process."),
)  # fmt: skip
"""What ends a process that did not wish to, by what shows it."""


def _other_cause(case: Case) -> tuple[str, Cites] | None:
    """Why the end was not the program's own wish, with the lines that say so."""
    if case.message is not None:
        if not messages.names_a_cause(case):
            return None
        return "The runtime left a message that gives a reason.", messages.cites(case)
    found = ((look(case), reason) for look, reason in _STOPPED_BY)
    stopped = next((each for each in found if each[0] is not None), None)
    if stopped is None:
        return None
    by, reason = stopped
    return reason, case.cite(by) if isinstance(by, Frame) else of(by)


_CONDITION_ADVICE = (
    "Read the condition that failed and the variables beside it: the value was wrong before this "
    "line, so follow where it was set."
)


def _own_assertion(case: Case) -> Own | None:
    own = own_check(case)
    return own if own is not None and own.asserts else None


def _by_own(when: Callable[[Case], Own | None]) -> Proof[Own]:
    """The program's own check ended it, and its words say why."""
    return Proof(
        when,
        "The program checked a condition of its own, and its words are on the stack.",
        0.9,
        Rung.STRUCTURE,
        told=lambda case, own: [
            say("quote", case.cite(own.frame), lead="its own check says", text=own.text),
            *on_stack(case, own.frame),
        ],
        frame=lambda _, own: own.caller,
        support=of_process,
        advice=_CONDITION_ADVICE,
    )


def _failing(case: Case) -> Frame | None:
    """The frame that failed an assertion."""
    own = _own_assertion(case)
    return own.frame if own is not None else case.calls(*_ASSERTS)


def _asserted(case: Case) -> bool:
    known = messages.is_assertion(case) and not messages.is_heap(case)
    return known or _failing(case) is not None


def _asks(case: Case) -> Frame | None:
    frame = _failing(case)
    return case.caller_of(frame) if frame is not None else case.frame


def _caller(case: Case, _: object) -> Frame | None:
    frame = case.calls(*_ASSERTS)
    return _asserting(case, case.caller_of(frame) if frame is not None else case.frame)


ASSERTION_FAILURE = Cause(
    Category.ASSERTION_FAILURE,
    "assert(3) or the C++ library's own assertion.",
    statement="An assertion of the program failed.",
    sign=_asserted,
    prior=0.9,
    tests=lambda case, _: (*commands.source(_asks(case)), *commands.variables(_asks(case))),
    cites=lambda case, _: messages.cites(case) + case.cite(_failing(case)),
    findings=(
        Rival(messages.is_heap, "The assertion is the allocator's own.",
              lambda case, _: messages.cites(case), Rung.STRUCTURE),
        _by_own(_own_assertion),
        Proof(lambda case: case.calls(*_ASSERTS) is not None or messages.is_assertion(case),
              "The program checked a condition of its own and found it false.", 0.95,
              lambda case, _: Rung.STRUCTURE if messages.is_assertion(case) else Rung.STACK,
              told=lambda case, _: [*messages.stated(case), *on_stack(case, case.calls(*_ASSERTS))],
              support=lambda case, _: case.cite(case.calls(*_ASSERTS)), frame=_caller,
              advice=_CONDITION_ADVICE),
    ),
    absent="No assertion failed on this stack.",
    unseen=lambda case: of(case.stack),
    rung=Rung.STACK,
)  # fmt: skip


def _raised_by(case: Case) -> Frame | None:
    """The frame of abort() or raise()."""
    gone = own_end.aborted(case)
    return gone.frame if gone else _raiser(case) or case.calls(*own_end.RAISES)


def _by_record(case: Case) -> bool:
    """True where the signal's record alone names the process as the sender."""
    return _raised_by(case) is None and not case.ended(Kind.ABORT) and own_end.self_sent(case)


def _without_names(case: Case) -> bool:
    known = own_end.self_sent(case) or (case.ended(Kind.ABORT) and case.signal is None)
    unnamed = case.frame is None or not any(frame.function for frame in case.frames)
    return _raised_by(case) is None and known and unnamed


def _sent_itself(case: Case, _: object) -> list[Claim]:
    return _sent(case)


_NO_CALLER = "symbols for the frames that called abort() or raise()"

EXPLICIT_ABORT = Cause(
    Category.EXPLICIT_ABORT,
    "abort() by itself, or a signal that the process sent itself.",
    statement="The program ended itself on purpose.",
    sign=_ended_itself,
    prior=lambda case, _: 0.15 if _other_cause(case) is not None else 0.8,
    tests=lambda case, _: (*at_frame(case), *commands.siginfo(),
                           *(looks_ahead(case) if own_end.timed(case) else ())),
    cites=lambda case, _: _end(case) + of(case.stack)[:1],
    findings=(
        Rival(lambda case: not _ended_itself(case), "The process did not send itself this signal.",
              lambda case, _: _end(case)),
        Rival(lambda case: stands_still(case) if own_end.timed(case) else (),
              "A timer only ended a process that stood still.", lambda _, lines: lines,
              Rung.STRUCTURE),
        Proof(own_end.timed, "The signal's record says that a timer of the process's own sent it.",
              0.8, how="timer", told=_sent_itself, support=of_process, signal=False,
              missing="what the timer watched for",
              advice="Find who set the timer (timer_create, its sigev_signo) and what it watches: "
              "what the threads do here went on for longer than it allows."),
        Rival(_other_cause, lambda _, other: other[0], lambda _, other: other[1], Rung.STRUCTURE),
        _by_own(own_check),
        Open(_interrupted, "The process ended itself while it handled another signal, and why that "
             "one came is not known.", 0.4, how="handler", support=lambda case, _: _end(case),
             frame=lambda _, first: first,
             missing="the first signal's record, on the stack of its handler", signal=False),
        Open(own_end.sent_earlier,
             "A thread of the process sent the signal, and this one was in no call that sends any.",
             0.4, how="", told=_sent_itself,
             support=lambda case, wait: _end(case) + of(wait),
             missing="which thread sent it, and what it watched for", signal=False),
        # The C library refused to go on, for a reason that has no category of its own.
        Proof(lambda case: case.message,
              "A check of the C library called abort(), and its message says why.", 0.85,
              Rung.STRUCTURE, "library", lambda case, _: messages.stated(case), of_process,
              advice="Read what the message says against the call that this line makes."),
        Proof(_by_record, "The signal's record names the process itself as the sender.", 0.8,
              told=_sent_itself, support=of_process, signal=False,
              missing="symbols for the frames that sent it"),
        Proof(_without_names,
              "The process ended itself, and no message or exception gives a reason.", 0.5,
              Rung.STACK, told=_sent_itself, support=of_process, missing=_NO_CALLER,
              advice="Build with symbols and run again: the caller names the cause.", signal=False),
        Proof(lambda case: _raised_by(case) if case.frame is not None else None,
              "The process sent itself the signal, and no runtime check stands in between.", 0.88,
              told=lambda case, raised: [*on_stack(case, raised), *told(case), *_sent(case)],
              support=of_fault,
              missing=lambda case, _: () if case.frame and case.frame.function else _UNNAMED,
              advice="Read the branch that leads to this call: it is the program's own decision, "
              "so the condition in front of it names the cause.", signal=False),
        Open(anything, "The process sent itself the signal, but the stack does not show from "
             "where.", 0.6, how="", told=_sent_itself, support=lambda case, _: _end(case),
             missing=_NO_CALLER, signal=False),
    ),
)  # fmt: skip
