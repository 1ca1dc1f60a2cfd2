"""Exceptions of C++ and .NET that nobody caught, as a native debugger sees them."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import confirmed, in_frame, in_place, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, ManagedException
from workbench.model.hypothesis import Proposal, Rung, Verdict

CXX, CLR = 0xE06D7363, frozenset({0xE0434352, 0xE0434F4D})


def managed(case: WindowsCase) -> ManagedException | None:
    """The managed exception that ended the process: uncaught, else the last one that was told."""
    found = case.facts.all(ManagedException)
    return next((e for e in reversed(found) if e.uncaught), found[-1] if found else None)


class Thrown(OneRound):
    """A C++ or CLR exception that ended the process."""

    category = Category.UNCAUGHT_EXCEPTION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When that is the exception of the dump or the last chance."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code not in {CXX, *CLR}:
            return None
        thrown = managed(case)
        # What SOS printed of the object has an expert of its own.
        bare = thrown is not None and not thrown.frames and not thrown.inner
        return Proposal(
            category=self.category,
            statement="An exception was thrown that nobody caught.",
            confidence=0.97 if bare else 0.9,
            tests=(),
            citations=of(case.record) + of(managed(case)),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the exception's code; its type is named where the log has it."""
        case = WindowsCase(facts)
        record = case.record
        if record is None or record.code not in {CXX, *CLR}:
            return rejected("The exception is another.", of(record))
        thrown = managed(case) if record.code in CLR else None
        how = "thrown" if record.code == CXX else "clr"
        claims = [in_place(case, self.category, case.frame, how=how, cites=of(record))]
        if thrown is not None:
            claims.append(_of(thrown))
            claims += in_frame(thrown, thrown.frames[0] if thrown.frames else None)
            claims += [say("exception", of(thrown), outer=thrown.type, type=inner.type)
                       for inner in thrown.inner[:3]]  # fmt: skip
            claims += _others(case, thrown)
        claims += case.raised()
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.88 if thrown is not None else 0.75,
            claims,
            reason="The exception that ended the process is one that a program throws.",
            missing=() if thrown is not None else ("the exception object's type and message",),
            recommendations=(
                "Catch this exception where the program can still do something about it, or keep "
                "the throwing line from being reached with this input.",
            ),
        )


def _of(found: ManagedException) -> Claim:
    return say("exception", of(found), type=found.type, message=found.message)


def _others(case: WindowsCase, thrown: ManagedException) -> list[Claim]:
    """What was thrown beside it and may lie behind it."""
    found = {e.type: e for e in reversed(case.facts.all(ManagedException)) if e.type != thrown.type}
    return [_of(other) for other in list(found.values())[:3]]
