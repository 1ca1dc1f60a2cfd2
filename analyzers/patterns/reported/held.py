"""Threads that stand in a lock, by their stacks, and who holds it where the log prints the lock."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof
from analyzers.patterns.deadlock import ADVICE
from analyzers.patterns.reported.frames import own_frame
from analyzers.patterns.words import Cites, line_of, placed
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Lock, Stack, Wait, rings
from workbench.model.hypothesis import Rung

_LOCKS = re.compile(
    r"pthread_mutex_(?:timed)?lock|lll_(?:mutex_)?lock|pthread_rwlock_\w*lock$|"
    r"__gthread_(?:recursive_)?mutex_lock$|^std::(?:\w+_)?mutex::lock$"
)
_MUTEX = re.compile(
    r"\b(?:mutex|__mutex|rwlock|futex|this)=(?:[\w@]{1,40}=)?0x(?P<address>[0-9a-fA-F]{1,16})"
    r"(?: <(?P<name>[\w:]{1,200})>)?"
)
_DEEP = 12
_MOST = 6


class Held(NamedTuple):
    """A thread in a lock: its stack, the lock's address and name, the line that says so."""

    stack: Stack
    address: int
    name: str | None
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
                held = Held(stack, int(lock["address"], 16), lock["name"], frame.line_no)
                found.setdefault(key, held)
                break
    return list(found.values())


def ring_of(facts: FactBook, held: Sequence[Held]) -> list[tuple[Held, Lock]]:
    """Threads of which each waits for a lock that the next one holds, by the locks' printed
    owners; empty where they close no ring. A lock is matched by its address or its name."""
    owners = [lock for lock in facts.all(Lock) if lock.owner is not None]
    waiting = {each.stack.thread: each for each in held if each.stack.thread is not None}
    held_by = {thread: _owner_of(each, owners) for thread, each in waiting.items()}
    found = rings({t: owner.owner if owner is not None else None for t, owner in held_by.items()})
    pairs = ((waiting[thread], held_by[thread]) for ring in found[:1] for thread in ring)
    return [(each, owner) for each, owner in pairs if owner is not None]


def _owner_of(held: Held, owners: Sequence[Lock]) -> Lock | None:
    """The last printed owner of the lock that a thread waits for."""
    for owner in reversed(owners):
        known = owner.address == held.address if owner.address is not None else False
        if known or (owner.address is None and owner.name and owner.name == held.name):
            return owner
    return None


def _own(owners: Sequence[Lock]) -> list[Claim]:
    return [
        say("owns", (each.cite,), owner=each.owner, name=each.name, lock=each.address)
        for each in owners[:_MOST]
    ]


def _waits(held: Sequence[Held]) -> list[Claim]:
    """Which lock each thread waits for, and in which frame of the program."""
    claims, frames = [], []
    for each in held[:_MOST]:
        stack, frame = each.stack, own_frame(each.stack.frames)
        known = stack.thread is not None and stack.number is not None
        thread = at(stack.thread, line_of(stack, stack.cite.first)) if known else None
        claims.append(
            say(
                "told",
                _cite(each),
                how="thread-lock" if known else "lock",
                thread=thread,
                address=each.address,
                name=each.name,
            )
        )
        if frame is not None and frame.line_no:
            line = line_of(stack, frame.line_no)
            frames.append(
                say("frame", line, index=frame.index, thread=thread, **placed(frame, line))
            )
    return claims + frames


def _cite(each: Held) -> Cites:
    return line_of(each.stack, each.line)


def _held(case: Case) -> list[Held]:
    return in_locks(case.facts)


def _ring(case: Case) -> list[tuple[Held, Lock]]:
    return ring_of(case.facts, _held(case))


def _suspected(case: Case) -> list[Held]:
    """Where nothing better tells what the threads wait for."""
    held = _held(case) if case.facts.first(Wait) is None else []
    return held if len({each.address for each in held}) > 1 or _ring(case) else []


def _who_holds(case: Case, held: Sequence[Held]) -> tuple[Command, ...]:
    return (
        ()
        if _ring(case)
        else tuple(
            Command(f"p *(pthread_mutex_t *) {each.address:#x}", "who holds this lock")
            for each in held[:_MOST]
        )
    )


def _lines(_: Case, held: Sequence[Held]) -> Cites:
    return tuple(c for each in held[:_MOST] for c in _cite(each))


LOCKS_ON_STACKS = Cause(
    Category.DEADLOCK,
    "Threads in locks: proved where their owners are printed and wait themselves, else open.",
    statement="Threads wait for each other's locks.",
    sign=_suspected,
    prior=lambda case, _: 0.9 if _ring(case) else 0.5,
    tests=_who_holds,
    cites=_lines,
    signal=False,
    findings=(
        Proof(_ring, "The owners that the debugger printed form a cycle.", 0.9, Rung.STRUCTURE,
              told=lambda _, ring: [
                  *_waits([each for each, _ in ring]),
                  *_own([owner for _, owner in ring]),
              ], support=lambda _, ring: [owner.cite for _, owner in ring[:_MOST]],
              frame=lambda _, ring: own_frame(ring[0][0].stack.frames),
              lines=lambda _, ring: _cite(ring[0][0]), advice=ADVICE),
        Open(_held,
             "Several threads wait for different locks; the log does not say who holds them.", 0.5,
             how="", told=lambda _, held: _waits(held), support=_lines,
             frame=lambda _, held: own_frame(held[0].stack.frames),
             lines=lambda _, held: _cite(held[0]),
             missing="the owner of each lock (__owner of the pthread_mutex_t)"),
    ),
    absent="No thread stands in a lock.",
    unseen=lambda _: (),
)  # fmt: skip
