"""Threads that stand in a lock, by their stacks alone: a deadlock that a log cannot prove."""

import re
from typing import NamedTuple

from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.reported.frames import own_frame
from analyzers.patterns.words import claim, inconclusive, rejected
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Stack, Wait
from workbench.model.hypothesis import Proposal, Verdict

_LOCKS = re.compile(r"pthread_mutex_(?:timed)?lock|lll_(?:mutex_)?lock|pthread_rwlock_\w*lock$")
_MUTEX = re.compile(r"\b(?:mutex|__mutex|rwlock|futex)=(?:[\w@]{1,40}=)?(0x[0-9a-fA-F]{1,16})")
_DEEP = 12
_MOST = 6


class Held(NamedTuple):
    """A thread in a lock: its stack, the lock's address, the line that names it."""

    stack: Stack
    address: int
    line: int


def in_locks(facts: FactBook) -> list[Held]:
    """The threads whose innermost frames take a lock that the debugger names."""
    found: dict[int, Held] = {}
    for stack in facts.all(Stack):
        key = stack.thread if stack.thread is not None else stack.number
        if key is None:
            continue
        for frame in stack.frames[:_DEEP]:
            lock = _MUTEX.search(frame.args[:400])
            if lock is not None and frame.function and _LOCKS.search(frame.function):
                found.setdefault(key, Held(stack, int(lock[1], 16), frame.line_no))
                break
    return list(found.values())


class LocksOnStacks(OneRound):
    """Two threads in two locks; who owns them is not known from stacks."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """Where nothing better tells what the threads wait for."""
        if facts.first(Wait) is not None:
            return None
        held = in_locks(facts)
        if len({each.address for each in held}) < 2:
            return None
        return Proposal(
            category=self.category,
            statement="Threads wait for each other's locks.",
            confidence=0.5,
            tests=tuple(
                Command(f"p *(pthread_mutex_t *) {each.address:#x}", "who holds this lock")
                for each in held[:_MOST]
            ),
            citations=tuple(_cite(each) for each in held[:_MOST]),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open: the owners would decide it."""
        held = in_locks(facts)
        if not held:
            return rejected("No thread stands in a lock.", ())
        claims = []
        for each in held[:_MOST]:
            frame = own_frame(each.stack.frames)
            where = f" in `{frame.function}`" if frame is not None and frame.function else ""
            cites: tuple[Citation, ...] = (_cite(each),)
            if frame is not None and where:
                cites += (Citation(each.stack.cite.evidence, frame.line_no, frame.line_no),)
            claims.append(claim(f"A thread waits for the lock at {each.address:#x}{where}.", cites))
        return inconclusive(
            Case(facts),
            "Several threads wait for different locks; the log does not say who holds them.",
            ("the owner of each lock (__owner of the pthread_mutex_t)",),
            confidence=0.5,
            supporting=tuple(_cite(each) for each in held[:_MOST]),
            claims=claims,
        )


def _cite(each: Held) -> Citation:
    return Citation(each.stack.cite.evidence, each.line, each.line)
