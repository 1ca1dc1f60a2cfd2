"""Exceptions of C++ and .NET that nobody caught, as a native debugger sees them."""

from analyzers.patterns.cause import Proof
from analyzers.patterns.windows.case import WindowsCase, WindowsCause
from analyzers.patterns.words import in_frame, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import ExceptionRecord, ManagedException
from workbench.model.hypothesis import Rung

CXX, CLR = 0xE06D7363, frozenset({0xE0434352, 0xE0434F4D})


def managed(case: WindowsCase) -> ManagedException | None:
    """The managed exception that ended the process: uncaught, else the last one that was told."""
    found = case.facts.all(ManagedException)
    return next((e for e in reversed(found) if e.uncaught), found[-1] if found else None)


def _of(found: ManagedException) -> Claim:
    return say("exception", of(found), type=found.type, message=found.message)


def _others(case: WindowsCase, thrown: ManagedException) -> list[Claim]:
    """What was thrown beside it and may lie behind it."""
    found = {e.type: e for e in reversed(case.facts.all(ManagedException)) if e.type != thrown.type}
    return [_of(other) for other in list(found.values())[:3]]


def _raised(case: WindowsCase) -> ExceptionRecord | None:
    record = case.record
    return record if record is not None and record.code in {CXX, *CLR} else None


def _object(case: WindowsCase, record: ExceptionRecord) -> ManagedException | None:
    return managed(case) if record.code in CLR else None


def _likely(case: WindowsCase, _: object) -> float:
    # What SOS printed of the object has an expert of its own.
    thrown = managed(case)
    return 0.97 if thrown is not None and not thrown.frames and not thrown.inner else 0.9


def _told(case: WindowsCase, record: ExceptionRecord) -> list[Claim]:
    thrown = _object(case, record)
    if thrown is None:
        return case.raised()
    return [
        _of(thrown),
        *in_frame(thrown, thrown.frames[0] if thrown.frames else None),
        *(say("exception", of(thrown), outer=thrown.type, type=inner.type)
          for inner in thrown.inner[:3]),
        *_others(case, thrown),
        *case.raised(),
    ]  # fmt: skip


THROWN = WindowsCause(
    Category.UNCAUGHT_EXCEPTION,
    "A C++ or CLR exception that ended the process.",
    statement="An exception was thrown that nobody caught.",
    sign=_raised,
    prior=_likely,
    cites=lambda case, record: of(record) + of(managed(case)),
    findings=(
        Proof(
            _raised,
            "The exception that ended the process is one that a program throws.",
            lambda case, record: 0.75 if _object(case, record) is None else 0.88,
            Rung.STRUCTURE,
            lambda _, record: "thrown" if record.code == CXX else "clr",
            _told,
            missing=lambda case, record: ()
            if _object(case, record) else "the exception object's type and message",
            advice="Catch this exception where the program can still do something about it, or "
            "keep the throwing line from being reached with this input.",
        ),
    ),
)  # fmt: skip
