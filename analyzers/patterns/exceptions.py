"""C++ exceptions that nobody caught, and std::terminate() without one."""

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.thrown import thrown_advice
from analyzers.patterns.words import (
    claim,
    confirmed,
    inconclusive,
    name_of,
    of,
    place,
    rejected,
    runtime_name,
    signal_claim,
)
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
        where = place(case, case.frame)
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
                claim(
                    f"{where.capital} threw an exception that nobody "
                    f"caught: {name_of(first.function or '')} ended in "
                    f"{runtime_name(end)}.",
                    where.cites,
                    case.cite(first),
                    case.cite(end),
                ),
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
    where = place(case, case.frame)
    said = f" saying {messages.quoted(found.message)}" if found.message else ""
    claims = [
        claim(
            f"{where.capital} threw an exception of type "
            f"{name_of(found.type)}{said}, and nobody caught it."
            if thrown is not None
            else f"An exception of type {name_of(found.type)}{said} was thrown, and nobody caught "
            "it.",
            of(found),
            where.cites,
        )
    ]
    if thrown is None and where.cites:
        claims.append(claim(f"The application's innermost frame is {where.text}.", where.cites))
    return claims


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
        where = place(case, case.frame)
        if case.frame is None:
            return inconclusive(
                case, "What called std::terminate() is not known.",
                ("symbols for the caller",), supporting=case.cite(end),
            )  # fmt: skip
        outer = _outside(case, end)
        through = f" through {name_of(outer.function)}" if outer and outer.function else ""
        claims = [
            claim(
                f"{where.capital} ended in "
                f"{runtime_name(end)}{through} with no exception in flight.",
                where.cites,
                case.cite(end),
                case.cite(outer) if through else (),
            ),
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
