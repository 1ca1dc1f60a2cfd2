"""A cause is a row of data: what shows it, what is asked, and what each finding says of it.

`Cause` is the one evaluator: it proposes where the sign is seen, and the first of its findings that
is seen decides. It writes the statement of the place in front and the signal behind what a finding
tells, cites both, and holds the confidence to what evidence and dump allow.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from analyzers.patterns import commands, dangling, in_line, passed, signs, subscript, union
from analyzers.patterns.base import Pattern
from analyzers.patterns.case import Case
from analyzers.patterns.given import look
from analyzers.patterns.words import Cites, end_claims, in_place, of, rejected, settled
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame
from workbench.model.hypothesis import Proposal, Rung, Status, Verdict

T = TypeVar("T")
V = TypeVar("V")
Sign: TypeAlias = Callable[[Any], T | None]
"""What shows something in a `Case`, or a view of it: None, False or nothing in it where it is not
seen."""
By: TypeAlias = V | Callable[[Any, T], V]
"""A value, or how it follows from what the sign saw."""
Words = str | tuple[str, ...]


def seen(found: object) -> bool:
    """True when a sign saw something: zero is a number, and an empty list is nothing."""
    if isinstance(found, bool | str | list | tuple):
        return bool(found)
    return found is not None


def lines_of(found: object) -> Cites:
    """The lines of what a sign saw: its own, or those of the fact that it is."""
    cites = getattr(found, "cites", None)
    return cites if isinstance(cites, tuple) else of(found)


def of_fault(case: Case, _: object = None) -> Cites:
    """The fault's lines."""
    return of(case.fault)


def of_memory(case: Case, _: object = None) -> Cites:
    """The lines of the mappings."""
    return of(case.memory)


def of_process(case: Case, _: object = None) -> Cites:
    """The lines of the process."""
    return of(case.process)


def of_ending(case: Case, _: object = None) -> Cites:
    """The lines of the signal or exception; the process's where none ended it."""
    return of(case.ending.fact if case.ending is not None else case.process)


def of_end_and_fault(case: Case, _: object = None) -> Cites:
    """The lines of the end, then those of the fault."""
    return of_ending(case) + of(case.fault)


def anything(case: Case) -> Case:
    """The sign of a finding that is left when no other is seen."""
    return case


def nothing(*_: object) -> tuple[Command, ...]:
    """Asks nothing: all is said."""
    return ()


def at_frame(case: Case, _: object = None) -> tuple[Command, ...]:
    """Asks for the source line and the variables of the frame at fault."""
    return (*commands.source(case.frame), *commands.variables(case.frame))


def _now(value: Any, case: Case, found: object) -> Any:
    return value(case, found) if callable(value) else value


def _words(value: Any, case: Case, found: object) -> tuple[str, ...]:
    words = _now(value, case, found)
    return (words,) if isinstance(words, str) else tuple(words)


@dataclass(frozen=True)
class Proof(Generic[T]):
    """A finding that confirms: ``how`` is the row of `workbench.claims.texts.CAUSES`, None for no
    statement of the place; ``told`` what shows it; ``frame`` where, if not in the case's frame, and
    ``blames`` the same with what other lines tell of it; ``lines`` those of a frame that is in no
    stack; ``signal`` whether the end belongs to it, where that is not as for the whole cause."""

    when: Sign[T]
    reason: By[str, T]
    confidence: By[float, T] = 0.85
    rung: By[Rung, T] = Rung.MACHINE
    how: By[str, T] | None = ""
    told: Callable[[Any, T], Iterable[Claim]] | None = None
    support: Callable[[Any, T], Iterable[Citation]] | None = None
    missing: By[Words, T] = ()
    advice: By[Words, T] = ()
    frame: Callable[[Any, T], Frame | None] | None = None
    blames: Callable[[Any, T], Frame | None] | None = None
    lines: Callable[[Any, T], Cites] | None = None
    signal: bool | None = None
    against: Callable[[Any, T], Iterable[Citation]] | None = None
    status: ClassVar[Status] = Status.CONFIRMED

    def claims(self, case: Case, cause: "Cause[Any]", found: T) -> list[Claim]:
        """What is stated: the cause in its place, what shows it, and the end."""
        told = list(self.told(case, found)) if self.told is not None else []
        how = _now(self.how, case, found)
        if how is None:
            return told
        cites: Cites = told[0].citations if told else ()
        if self.lines is not None:
            cites = self.lines(case, found)
        frame = self.frame(case, found) if self.frame is not None else case.blamed
        shown = frame if case.cite(frame) or self.lines is not None else None
        ends = cause.signal if self.signal is None else self.signal
        end = end_claims(case) if ends else []
        return [in_place(case, cause.category, shown, how=how, cites=cites), *told, *end]

    def verdict(self, case: Case, cause: "Cause[Any]", found: T) -> Verdict:
        """As far as what it cites allows."""
        where = self.blames or self.frame
        return settled(
            case,
            Verdict(
                status=self.status,
                rung=_now(self.rung, case, found),
                confidence=_now(self.confidence, case, found),
                claims=tuple(self.claims(case, cause, found)),
                reason=_now(self.reason, case, found),
                frame=where(case, found) if where is not None else case.blamed,
                supporting=tuple(self.support(case, found)) if self.support is not None else (),
                contradicting=tuple(self.against(case, found)) if self.against is not None else (),
                recommendations=_words(self.advice, case, found),
                missing=_words(self.missing, case, found),
            ),
        )


@dataclass(frozen=True)
class Open(Proof[T]):
    """A finding that leaves it open: ``missing`` says what would decide it, ``against`` what speaks
    against it."""

    confidence: By[float, T] = 0.3
    rung: By[Rung, T] = Rung.STACK
    how: By[str, T] | None = None
    status: ClassVar[Status] = Status.INCONCLUSIVE


@dataclass(frozen=True)
class Rival(Generic[T]):
    """A finding that rules the cause out, by a narrower one most often."""

    when: Sign[T]
    reason: By[str, T]
    cites: Callable[[Any, T], Iterable[Citation]] | None = None
    rung: Rung = Rung.MACHINE

    def verdict(self, case: Case, _: "Cause[Any]", found: T) -> Verdict:
        """Rejected."""
        cites = self.cites(case, found) if self.cites is not None else lines_of(found)
        return rejected(_now(self.reason, case, found), cites, rung=self.rung)


@dataclass(frozen=True)
class Cause(Pattern, Generic[T]):
    """One cause. It is proposed where its sign is seen, asks ``tests`` then and ``ask`` once they
    are answered; the first of ``findings`` that is seen decides, and ``absent`` where none is.
    Without a ``prior`` the sign says how likely it is. ``view`` is the reading of the facts that
    its signs look at; ``signal`` says whether the end belongs to it."""

    category: Category
    about: str
    statement: By[str, T]
    sign: Sign[T]
    findings: tuple[Proof[Any] | Rival[Any], ...]
    prior: By[float, T] | None = None
    absent: str = ""
    unseen: Callable[[Any], Iterable[Citation]] = of_fault
    rung: Rung = Rung.MACHINE
    tests: Callable[[Any, T], Iterable[Command]] = at_frame
    cites: Callable[[Any, T], Iterable[Citation]] | None = None
    ask: Callable[[Any], tuple[Command, ...]] = lambda case: (
        *look(case),
        *subscript.look(case),
        *in_line.look(case),
        *union.look(case),
    )
    view: Callable[[FactBook], Case] = Case
    signal: bool = True

    def propose(self, facts: FactBook) -> Proposal | None:
        """A hypothesis when the facts leave room for this cause, else None."""
        case = facts.once(self.view)
        found = self.sign(case)
        if found is None or not seen(found):
            return None
        likely = found if isinstance(found, float) else 0.0
        return Proposal(
            category=self.category,
            statement=_now(self.statement, case, found),
            confidence=_now(self.prior, case, found) if self.prior is not None else likely,
            tests=tuple(self.tests(case, found)),
            citations=tuple(
                self.cites(case, found) if self.cites else lines_of(found) or of_fault(case)
            ),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Commands whose numbers an earlier test had to give."""
        return self.ask(facts.once(self.view))

    def evaluate(self, facts: FactBook) -> Verdict:
        """What the facts say of this cause once its tests have run."""
        case = facts.once(self.view)
        for finding in self.findings:
            found = finding.when(case)
            if seen(found):
                return finding.verdict(case, self, found)
        return rejected(self.absent, self.unseen(case), rung=self.rung)


FREED = Rival(lambda case: passed.freed(case) or passed.given_back(case),
              "The pointer came out of freed memory.", rung=Rung.STRUCTURE)  # fmt: skip
INTO_FREED = Open(
    passed.through_inside_freed,
    "The failing line goes through a pointer into a free block: the block was freed while it was "
    "in use, or the pointer has left another block.",
    0.5,
    Rung.STRUCTURE,
    told=lambda _, into: [say("chunk", of(into.chunk), address=into.address,
                              start=into.chunk.start, state=into.chunk.state,
                              thread=into.chunk.thread)],
    support=lambda case, into: of(case.fault) + of(into.chunk),
    missing="which free() gave this block back, or where the pointer was moved",
)  # fmt: skip
MISSED = Rival(lambda case: subscript.missed(case) or subscript.past(case),
               "An index led out of the array that the pointer was read from.")  # fmt: skip
RAN_OUT = Rival(signs.ran_out_of_stack, "The thread ran out of stack.")
UNMAPPED = Rival(dangling.unmapped_block, "The pointer is that of a block which was freed.")
"""What rules out several causes."""
