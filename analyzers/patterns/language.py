"""Ends that a language's runtime declares: pure virtual calls, panics."""

import re

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns import borrowed, commands, frame_lines
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Proof, Rival
from analyzers.patterns.frames import located
from analyzers.patterns.freed import destroyed
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.expressions import expressions
from workbench.claims.say import at, say
from workbench.claims.values import scalar
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Printed, RustPanic
from workbench.model.hypothesis import Rung

# std::panicking::try and catch_unwind only call what may panic.
_PANICS = re.compile(
    r"^(?:rust_panic|rust_begin_unwind|core::panicking::|std::panicking::(?!try\b|catch_unwind\b))"
)

_BOUNDS = "core::panicking::panic_bounds_check"
_LIBRARY = re.compile(r"^<?(?:core|alloc|std)::")
_INDEX = re.compile(r"(?:^|[\s,(])index=(\d{1,20})(?=[,)]|$)")
_AROUND = 4
"""Calls outside of the check: ``index`` of a slice within that of a vector."""


# What core's checks print of what they refuse, and how the line uses it.
_REFUSED = (
    (re.compile(r"index out of bounds: .* index is (\d{1,20})"), "index"),
    (re.compile(r"null pointer dereference occurred()"), "through"),
)
# What std's and core's own panics say, and what mends each.
_MENDS = (
    (
        re.compile(r"divide by zero|divisor of zero"),
        "Check the divisor before the division, or use checked_div or checked_rem, and say what "
        "the result is where it is zero: it may be the length of an empty list.",
    ),
    (
        re.compile(r"index out of bounds|out of range|slice index"),
        "Hold the index against the length where it is computed, or take get() and handle None.",
    ),
    (
        re.compile(r"^attempt to .* with overflow"),
        "Check the operands' range, or say what is meant: checked_, wrapping_ or saturating_, or a "
        "wider type.",
    ),
    (
        re.compile(r"`None` value|on an `Err` value"),
        "Handle the None or Err at the panicking line, and find out why it was not expected there.",
    ),
    (
        re.compile(r"already (?:mutably )?borrowed"),
        "End the first borrow of this RefCell before the second begins: look for one that is held "
        "over a call.",
    ),
)


def panic_advice(message: str | None) -> str:
    """What to do about a panic, by its message where it is one of std's."""
    told = (mend for said, mend in _MENDS if said.search(message or ""))
    return next(told, "Read the panicking line: its index, unwrap() or explicit panic!.")


def panic_of(case: Case) -> RustPanic | None:
    """The panic as std's own code on the stack tells it."""
    return case.facts.last(RustPanic)


def _panicking(case: Case, told: RustPanic | None) -> Frame | None:
    """The frame whose call panicked, past what was inlined into it from the library; else the
    application's innermost."""
    if told is None or told.returns_to is None or not _own(told):
        return case.frame
    found = next((f for f in case.frames if f.address == told.returns_to), None)
    if found is None:
        return case.frame
    return case.caller_of(replace(found, index=found.index - 1)) or located(found, case.memory)


def _placed(frame: Frame | None, told: RustPanic | None) -> Frame | None:
    """The frame with the source line that its call passed to the panic, where it has none."""
    if frame is None or told is None or not _own(told) or (frame.file and frame.line):
        return frame
    return replace(frame, file=told.file, line=told.line)


def _lines(told: RustPanic | None) -> Cites:
    """The lines of the panic's place and message; the fact's own, a text that a function names and
    may never have printed, only where there is nothing else."""
    numbers = (told.place_line, told.message_line) if told is not None else ()
    return tuple(c for n in numbers if n for c in line_of(told, n)) or of(told)


def _own(told: RustPanic) -> bool:
    """False for a place in Rust's own library, which its build calls /rustc/COMMIT/library."""
    return told.file is not None and not told.file.startswith(("/rustc/", "library/"))


def _said(told: RustPanic | None) -> list[Claim]:
    """The panic in std's words: where, and its message."""
    if told is None or (told.message is None and not _own(told)):
        return []
    file, line = (told.file, told.line) if _own(told) else (None, None)
    return [
        say(
            "message",
            _lines(told),
            file=at(file, line_of(told, told.place_line)),
            line=at(line, line_of(told, told.place_line)),
            text=at(told.message, line_of(told, told.message_line)),
        )
    ]


def _refused(case: Case) -> tuple[list[str], int]:
    """What the panicking line indexes with, or reaches something through, and the value that std
    refused."""
    told = panic_of(case)
    frame = _panicking(case, told)
    line = frame_lines.line_of(case, frame) if frame is not None else None
    tried = ((how, said.search((told and told.message) or "")) for said, how in _REFUSED)
    how, said = next((each for each in tried if each[1]), ("", None))
    if line is None or said is None:
        return [], 0
    return [e.text for e in expressions(line.text) if e.how == how], int(said[1] or 0)


def _named(case: Case) -> list[Claim]:
    """What the refused index or pointer is called: the only one on the line that has its value."""
    frame = _panicking(case, panic_of(case))
    names, value = _refused(case)
    found = [
        say("value", (one.cite,), expression=one.expression, value=one.value)
        for one in case.facts.all(Printed)
        if frame is not None
        and (one.frame, scalar(one.value)) == (frame.index, value)
        and one.expression in names
    ]
    return found if len(found) == 1 else []


def _look(case: Case) -> tuple[Command, ...]:
    frame = _panicking(case, panic_of(case))
    return tuple(c for name in _refused(case)[0] for c in commands.value(frame, name))


def _checked(case: Case) -> list[Claim]:
    """The index that Rust's own check refused (library/core/src/panicking.rs), as the call of the
    check or one of the library's calls around it shows it."""
    check = case.calls(_BOUNDS)
    if check is None:
        return []
    found, told = on_stack(case, check), panic_of(case)
    said = _REFUSED[0][0].search((told and told.message) or "")
    refused = said[1] if said is not None else None
    for frame in case.frames:
        if not check.index <= frame.index <= check.index + _AROUND:
            continue
        if frame.function is None or not _LIBRARY.match(bare(frame.function)):
            continue
        index = _INDEX.search(frame.args[:2000])
        # What the message says was refused was computed; a debugger may have a stale place for it.
        if index is not None and refused in (None, index[1]):
            found.append(
                say(
                    "value",
                    case.cite(frame),
                    function=frame.function,
                    expression="index",
                    value=index[1],
                )
            )
            break
    return found


def panicked(case: Case) -> Frame | None:
    """The innermost frame of Rust's panic machinery, or None."""
    return case.matching(_PANICS)


def _pure(case: Case) -> Frame | None:
    return case.calls("__cxa_pure_virtual")


def _tests(case: Case, frame: Frame | None) -> tuple[Command, ...]:
    return (*commands.source(frame), *commands.variables(frame))


PURE_VIRTUAL_CALL = Cause(
    Category.PURE_VIRTUAL_CALL,
    "A virtual call that reached a class which is not, or no longer, complete.",
    statement="A pure virtual function was called.",
    sign=_pure,
    prior=0.92,
    tests=lambda case, frame: _tests(case, case.caller_of(frame)),
    cites=lambda case, frame: case.cite(frame),
    findings=(
        Rival(destroyed, "The object is freed: that is why the function is none.",
              lambda _, chunk: of(chunk)),
        Proof(_pure, "The handler for pure virtual calls is on the stack.", 0.8, Rung.STACK,
              told=lambda case, frame: on_stack(case, frame),
              frame=lambda case, frame: case.caller_of(frame),
              advice="Look for virtual calls out of a constructor or destructor, and for an object "
              "that is used while or after it is destroyed."),
    ),
    absent="No pure virtual call is on the stack.",
    unseen=lambda case: of(case.stack),
)  # fmt: skip


def _any(case: Case) -> RustPanic | Frame | None:
    return panic_of(case) or panicked(case)


PANIC = Cause(
    Category.PANIC,
    "A Rust panic that aborted.",
    statement="The program panicked.",
    sign=_any,
    prior=0.9,
    tests=lambda case, _: _tests(case, _panicking(case, panic_of(case))),
    ask=lambda case: (*_look(case), *borrowed.look(case)),
    cites=lambda case, _: case.cite(panicked(case)) or _lines(panic_of(case)),
    findings=(
        Proof(
            _any,
            "Rust's panic machinery is on the stack.",
            lambda case, _: 0.92 if panic_of(case) is not None else 0.8,
            lambda case, _: Rung.STRUCTURE if (told := panic_of(case)) and told.place_line
            else Rung.STACK,
            told=lambda case, _: [*borrowed.still(case),
                                  *(_said(panic_of(case)) or on_stack(case, panicked(case))),
                                  *_named(case), *_checked(case)],
            support=lambda case, _: case.cite(panicked(case)) + _lines(panic_of(case)),
            frame=lambda case, _: _panicking(case, panic_of(case)),
            blames=lambda case, _: _placed(_panicking(case, panic_of(case)), panic_of(case)),
            advice=lambda case, _: panic_advice(told.message if (told := panic_of(case)) else None),
        ),
    ),
    absent="No panic is on the stack.",
    unseen=lambda case: of(case.stack),
    rung=Rung.STACK,
)  # fmt: skip
