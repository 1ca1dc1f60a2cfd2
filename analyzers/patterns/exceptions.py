"""C++ exceptions that nobody caught, and std::terminate() without one."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import on_stack
from analyzers.patterns.thrown import thrown_advice
from analyzers.patterns.words import (
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
from workbench.model.facts import CxxException, FactBook, Frame
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


class UncaughtException(OneRound):
    """An exception in flight when the runtime gave up."""

    category = Category.UNCAUGHT_EXCEPTION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When an exception is in flight, or a throw is on the stack."""
        case = Case(facts)
        thrown = case.calls(*_THROW) if signs.terminated(case) is not None else None
        found = _uncaught(case)
        if found is None and thrown is None:
            return None
        return Proposal(
            category=self.category,
            statement="An exception was thrown that nobody caught.",
            confidence=0.92,
            tests=(*commands.source(case.frame), *commands.variables(case.frame)),
            citations=of(found) + case.cite(thrown),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the exception object, else by the throw on the stack."""
        case = Case(facts)
        found = _uncaught(case)
        thrown = case.calls(*_THROW)
        first = case.calls("__cxa_throw")
        end = signs.terminated(case)
        if found is not None:
            return confirmed(
                case,
                Rung.STRUCTURE,
                0.95,
                [*_object_claims(case, found, thrown), *signal_claim(case)],
                reason="An exception object is in flight and nobody caught it.",
                support=case.cite(thrown) + case.cite(end),
                recommendations=(thrown_advice(found.type, found.message),),
            )
        if end is not None and first is not None:
            claims = [
                in_place(case, self.category, case.frame, how="thrown"),
                *on_stack(case, first, end),
                *signal_claim(case),
            ]
            return confirmed(
                case,
                Rung.STACK,
                0.75,
                claims,
                reason="A throw ended in std::terminate().",
                missing=("the exception object, for its type and message",),
                recommendations=("Catch this exception where the program can act on it.",),
            )
        return rejected("No exception is in flight.", of(case.stack), rung=Rung.STACK)


def _object_claims(case: Case, found: CxxException, thrown: Frame | None) -> list[Claim]:
    """The exception; the frame threw it only where the throw is on the stack."""
    how = "thrown" if thrown is not None else "ended"
    return [
        in_place(case, Category.UNCAUGHT_EXCEPTION, case.frame, how=how, cites=of(found)),
        say("exception", of(found), type=found.type, message=found.message or None),
        *(
            [say("exception", of(found), type=found.type, fate="uncaught")]
            if found.uncaught
            else []
        ),
        *on_stack(case, thrown),
    ]


class StdTerminate(OneRound):
    """std::terminate() with no exception in flight."""

    category = Category.STD_TERMINATE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When std::terminate() is on the stack."""
        case = Case(facts)
        end = signs.terminated(case)
        if end is None:
            return None
        thrown = case.calls(*_THROW) is not None or case.exception is not None
        pure = case.calls("__cxa_pure_virtual") is not None
        return Proposal(
            category=self.category,
            statement="The C++ runtime ended the program without an exception.",
            confidence=0.2 if thrown or pure else 0.85,
            tests=(*commands.source(case.frame), *commands.variables(case.frame)),
            citations=case.cite(end),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed where nothing was thrown."""
        case = Case(facts)
        end = signs.terminated(case)
        if end is None:
            return rejected("std::terminate() is not on the stack.", of(case.stack))
        pure = case.calls("__cxa_pure_virtual")
        if pure is not None:
            return rejected("A pure virtual call led there.", case.cite(pure), rung=Rung.STACK)
        found, thrown = _uncaught(case), case.calls("__cxa_throw")
        if found is not None:
            return rejected("An exception is in flight.", of(found), rung=Rung.STRUCTURE)
        if thrown is not None:
            return rejected("An exception was being thrown.", case.cite(thrown), rung=Rung.STACK)
        if case.frame is None:
            return inconclusive(
                case, "What called std::terminate() is not known.",
                ("symbols for the caller",), supporting=case.cite(end),
            )  # fmt: skip
        outer = _outside(case, end)
        claims = [
            in_place(case, self.category, case.frame),
            *on_stack(case, end, outer),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STACK,
            0.8,
            claims,
            reason="std::terminate() was called and no exception is in flight.",
            recommendations=(
                "Look at the calling line: a std::thread destroyed while it could still be "
                "joined, a rethrow without an exception, or a direct call.",
            ),
        )


def _outside(case: Case, end: Frame) -> Frame | None:
    """The runtime's outermost frame between the program and std::terminate()."""
    if case.stack is None or case.frame is None:
        return None
    between = [f for f in case.stack.frames
               if end.index < f.index < case.frame.index and f.function]  # fmt: skip
    return between[-1] if between else None
