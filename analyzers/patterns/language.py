"""Ends that a language's runtime declares: pure virtual calls, panics."""

import re

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.words import (
    claim,
    confirmed,
    name_of,
    of,
    place,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.facts import FactBook, Frame
from workbench.model.hypothesis import Claim, Proposal, Rung, Verdict

# std::panicking::try and catch_unwind only call what may panic.
_PANICS = re.compile(
    r"^(?:rust_panic|rust_begin_unwind|core::panicking::|std::panicking::(?!try\b|catch_unwind\b))"
)

_BOUNDS = "core::panicking::panic_bounds_check"
_LIBRARY = re.compile(r"^<?(?:core|alloc|std)::")
_INDEX = re.compile(r"(?:^|[\s,(])index=(\d{1,20})(?=[,)]|$)")
_AROUND = 4
"""Calls outside of the check: ``index`` of a slice within that of a vector."""


class PureVirtualCall(OneRound):
    """A virtual call that reached a class which is not, or no longer, complete."""

    category = Category.PURE_VIRTUAL_CALL

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the C++ runtime's handler is on the stack."""
        case = Case(facts)
        frame = case.calls("__cxa_pure_virtual")
        if frame is None:
            return None
        caller = case.caller_of(frame)
        return Proposal(
            category=self.category,
            statement="A pure virtual function was called.",
            confidence=0.92,
            tests=(*commands.source(caller), *commands.variables(caller)),
            citations=case.cite(frame),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the handler's frame."""
        case = Case(facts)
        frame = case.calls("__cxa_pure_virtual")
        if frame is None:
            return rejected("No pure virtual call is on the stack.", of(case.stack))
        caller = case.caller_of(frame)
        where = place(case, caller)
        claims = [
            claim(
                f"{where.capital} called a pure virtual function: the "
                f"call went to {name_of(frame.function or '')}.",
                where.cites,
                case.cite(frame),
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STACK,
            0.8,
            claims,
            reason="The handler for pure virtual calls is on the stack.",
            frame=caller,
            recommendations=(
                "Look for virtual calls out of a constructor or destructor, and for an object "
                "that is used while or after it is destroyed.",
            ),
        )


class Panic(OneRound):
    """A Rust panic that aborted."""

    category = Category.PANIC

    def propose(self, facts: FactBook) -> Proposal | None:
        """When Rust's panic machinery is on the stack."""
        case = Case(facts)
        frame = panicked(case)
        if frame is None:
            return None
        return Proposal(
            category=self.category,
            statement="The program panicked.",
            confidence=0.9,
            tests=(*commands.source(case.frame), *commands.variables(case.frame)),
            citations=case.cite(frame),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the panic's frame."""
        case = Case(facts)
        frame = panicked(case)
        if frame is None:
            return rejected("No panic is on the stack.", of(case.stack), rung=Rung.STACK)
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.capital} panicked: {name_of(frame.function or '')} is on the stack.",
                where.cites,
                case.cite(frame),
            ),
            *_checked(case),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STACK,
            0.8,
            claims,
            reason="Rust's panic machinery is on the stack.",
            recommendations=("Read the panicking line: its index, unwrap() or explicit panic!.",),
        )


def _checked(case: Case) -> list[Claim]:
    """The index that Rust's own check refused (library/core/src/panicking.rs), as the call of the
    check or one of the library's calls around it shows it."""
    check = case.calls(_BOUNDS)
    if check is None or case.stack is None:
        return []
    found = [claim(f"An index was out of bounds: {name_of(_BOUNDS)} was called.", case.cite(check))]
    for frame in case.stack.frames:
        if not check.index <= frame.index <= check.index + _AROUND:
            continue
        if frame.function is None or not _LIBRARY.match(bare(frame.function)):
            continue
        index = _INDEX.search(frame.args[:2000])
        if index is not None:
            found.append(
                claim(f"The library was called with `index={index[1]}`.", case.cite(frame))
            )
            break
    return found


def panicked(case: Case) -> Frame | None:
    """The innermost frame of Rust's panic machinery, or None."""
    if case.stack is None:
        return None
    return next(
        (f for f in case.stack.frames if f.function and _PANICS.match(bare(f.function))), None
    )
