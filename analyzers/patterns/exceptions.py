"""C++ exceptions that nobody caught, and std::terminate() without one."""

from analyzers.patterns import signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import on_stack
from analyzers.patterns.thrown import thrown_advice
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import CxxException, Frame
from workbench.model.hypothesis import Rung

_THROW = ("__cxa_throw", "__cxa_rethrow", "std::rethrow_exception")


def _uncaught(case: Case) -> CxxException | None:
    """The exception that ended the process: one that the runtime counts as uncaught, or one in
    flight while std::terminate() is on the stack."""
    found = case.exception
    if found is None or not case.ended(Kind.ABORT, Kind.THROWN):
        return None
    if found.uncaught is False:
        return None
    if found.uncaught or signs.terminated(case) is not None or case.calls(*_THROW) is not None:
        return found
    return None


def _outside(case: Case, end: Frame) -> Frame | None:
    """The runtime's outermost frame between the program and std::terminate()."""
    if case.stack is None or case.frame is None:
        return None
    between = [f for f in case.stack.frames
               if end.index < f.index < case.frame.index and f.function]  # fmt: skip
    return between[-1] if between else None


def _thrown(case: Case) -> Frame | None:
    return case.calls(*_THROW)


def _in_flight(case: Case) -> Cites:
    """The lines of an exception in flight, or of a throw that ended in std::terminate()."""
    ended = _thrown(case) if signs.terminated(case) is not None else None
    found = _uncaught(case)
    return of(found) + case.cite(ended) if found is not None or ended is not None else ()


def _object(case: Case, found: CxxException) -> list[Claim]:
    fate = [say("exception", of(found), type=found.type, fate="uncaught")] if found.uncaught else []
    told = say("exception", of(found), type=found.type, message=found.message or None)
    return [told, *fate, *on_stack(case, _thrown(case))]


def _unfinished(case: Case) -> Frame | None:
    """The throw that ended in std::terminate()."""
    return case.calls("__cxa_throw") if signs.terminated(case) is not None else None


UNCAUGHT_EXCEPTION = Cause(
    Category.UNCAUGHT_EXCEPTION,
    "An exception in flight when the runtime gave up.",
    statement="An exception was thrown that nobody caught.",
    sign=_in_flight,
    prior=0.92,
    cites=lambda _, cites: cites,
    findings=(
        Proof(
            _uncaught,
            "An exception object is in flight and nobody caught it.",
            0.95,
            Rung.STRUCTURE,
            # The frame threw it only where the throw is on the stack.
            lambda case, _: "thrown" if _thrown(case) is not None else "ended",
            _object,
            lambda case, _: case.cite(_thrown(case)) + case.cite(signs.terminated(case)),
            advice=lambda _, found: thrown_advice(found.type, found.message),
        ),
        Proof(
            _unfinished,
            "A throw ended in std::terminate().",
            0.75,
            Rung.STACK,
            "thrown",
            lambda case, first: on_stack(case, first, signs.terminated(case)),
            missing="the exception object, for its type and message",
            advice="Catch this exception where the program can act on it.",
        ),
    ),
    absent="No exception is in flight.",
    unseen=lambda case: of(case.stack),
    rung=Rung.STACK,
)


def _unclear(case: Case) -> bool:
    known = _thrown(case) is not None or case.exception is not None
    return known or case.calls("__cxa_pure_virtual") is not None


STD_TERMINATE = Cause(
    Category.STD_TERMINATE,
    "std::terminate() with no exception in flight.",
    statement="The C++ runtime ended the program without an exception.",
    sign=signs.terminated,
    prior=lambda case, _: 0.2 if _unclear(case) else 0.85,
    cites=lambda case, end: case.cite(end),
    findings=(
        Rival(lambda case: case.calls("__cxa_pure_virtual"), "A pure virtual call led there.",
              lambda case, pure: case.cite(pure), Rung.STACK),
        Rival(_uncaught, "An exception is in flight.", rung=Rung.STRUCTURE),
        Rival(_unfinished, "An exception was being thrown.",
              lambda case, thrown: case.cite(thrown), Rung.STACK),
        Open(lambda case: signs.terminated(case) if case.frame is None else None,
             "What called std::terminate() is not known.", missing="symbols for the caller",
             support=lambda case, end: case.cite(end)),
        Proof(
            signs.terminated,
            "std::terminate() was called and no exception is in flight.",
            0.8,
            Rung.STACK,
            told=lambda case, end: on_stack(case, end, _outside(case, end)),
            advice="Look at the calling line: a std::thread destroyed while it could still be "
            "joined, a rethrow without an exception, or a direct call.",
        ),
    ),
    absent="std::terminate() is not on the stack.",
    unseen=lambda case: of(case.stack),
)  # fmt: skip
