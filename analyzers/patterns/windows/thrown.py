"""Exceptions of C++ and .NET that nobody caught, as a native debugger sees them."""

import re

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import Cites, claim, confirmed, name_of, of, place, rejected
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, ManagedException, Process
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
        raised, where = case.raised(), case.where()
        thrown = managed(case) if record.code in CLR else None
        claims: list[Claim] = []
        if thrown is not None:
            message = _quoted(thrown.message)
            program, cites = _program(case)
            claims.append(
                claim(
                    f"An unhandled managed exception {name_of(thrown.type)}{message} ended "
                    f"{program}: {raised.text}.",
                    of(thrown),
                    raised.cites,
                    cites,
                )
            )
            if thrown.frames:
                first = place(case, thrown.frames[0])
                claims.append(claim(f"It was thrown in {first.text}.", of(thrown)))
            claims += [
                claim(f"It wraps {name_of(inner.type)}.", of(thrown)) for inner in thrown.inner[:3]
            ]
            claims += _others(case, thrown)
        else:
            kind = "C++" if record.code == CXX else "managed"
            claims.append(
                claim(
                    f"{where.capital} threw a {kind} exception that nobody caught: {raised.text}.",
                    raised.cites,
                    where.cites,
                )
            )
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


def _program(case: WindowsCase) -> tuple[str, Cites]:
    """The program by the name that the log gives it."""
    for process in case.facts.all(Process):
        words = (process.command_line or process.executable or "").strip()
        path = words.split('"')[1] if words.startswith('"') else words.split(".exe")[0] + ".exe"
        name = re.split(r"[\\/]", path)[-1]
        if words and re.fullmatch(r"[\w.-]{1,80}", name) and name in words:
            return f"the program `{name}`", of(process)
    return "the program", ()


def _quoted(message: str | None) -> str:
    text = (message or "").strip()
    if not text:
        return ""
    return f' ("{text[:200]}")' if '"' not in text else ""


def _others(case: WindowsCase, thrown: ManagedException) -> list[Claim]:
    """What was thrown before and may lie behind it."""
    seen = {thrown.type}
    claims: list[Claim] = []
    for other in case.facts.all(ManagedException):
        if other.type not in seen and len(claims) < 3:
            seen.add(other.type)
            said = _quoted(other.message)
            claims.append(claim(f"Before it {name_of(other.type)}{said} was thrown.", of(other)))
    return claims
