"""Who took a lock that is waited for, and in which order."""

import itertools
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.moment import stored_by, wrote
from workbench.reproduce.observing import Observing, hits_of
from workbench.reproduce.owners import is_own, own
from workbench.reproduce.slices import Lead
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.locks import call_of
from workbench.targets.probes.unwind_table import function_bounds

_OUTER = 16
_LONGEST_CALL = 7
"""Bytes of an instruction that calls."""
_RESULT = 4
"""Instructions in which what a call gave back is looked at."""


class Locks(Observing):
    """What the locks and unlocks of a run come to."""

    async def _lock(self, lead: Lead) -> OriginStep | None:
        """Who took a lock that is waited for and did not give it back."""
        waits = {place.at for place in lead.cells}
        seen = await self._observe(
            "who takes the locks", locks=() if waits else lead.locks,
            cells=tuple(Cell(f"C{n}", one.cell, one.size) for n, one in enumerate(lead.cells, 1)),
            points=tuple(Point("W", at) for at in sorted(waits)),
        )  # fmt: skip
        if seen is None:
            return None
        events = _of_words(self.core, hits_of(seen), lead.locks) if waits else list(hits_of(seen))
        if events is None:
            return None  # who has one of them is not known
        held, orders = holding(events)
        waited = {hit.thread: hit.address for hit in events if hit.kind == "lock"}
        taken = [held[lock] for lock in lead.locks if lock in held]
        if not taken:
            return None
        # Whoever waits for a lock which others take before the one that it holds broke the order;
        # whoever waits for its own comes first.
        taken.sort(
            key=lambda hit: (
                waited.get(hit.thread) == hit.address,
                (waited.get(hit.thread), hit.address) in orders,
                hit.order,
            )
        )
        told = [_by_its_owner(_where_they_differ(hit, taken, events), events) for hit in taken]
        passed = [one for one in told[-1].frames if one.index in told[-1].made]
        if len(taken) == 1 and any(map(self._goes_on, passed)):
            return None  # it may have come back in another way than when that was given back
        if any(map(self._goes_on_itself, told)):
            return None  # what it waits for, or computes, is no lock
        calls = {above.call.address for thread in self.core.threads
                 for above in callers_of_thread(self.core, thread, _OUTER)}  # fmt: skip
        if any(may_wait(hit, events, calls) for hit in taken):
            return None  # another, who asked for it as well, may have got it
        if waits and any(_may_have_given_back(hit, events) for hit in told):
            return None
        *others, last = (self._step(seen, hit, OriginKind.LOCKED) for hit in told)
        self.steps += others
        shown = [cite for step in (last, *others[-1:]) for cite in step.evidence]
        return replace(last, evidence=tuple(shown))

    def _goes_on_itself(self, hit: Hit) -> bool:
        """Whether a thread is in the function that took a lock, and computes or sleeps."""
        frame = own([one for one in hit.frames if one.index not in hit.made])
        took = function_bounds(self.core, frame.address or 0) if frame is not None else None
        for thread in self.core.threads if took is not None else ():
            call = call_of(self.core, thread)
            if call is not None and call.kind in ("futex", "io", "child"):
                continue
            above = callers_of_thread(self.core, thread, _OUTER)
            if any(took == function_bounds(self.core, at) for at in
                   (thread.pc or 0, *(one.call.address for one in above))):  # fmt: skip
                return True
        return False

    def _goes_on(self, frame: Frame) -> bool:
        """Whether a function decides anything behind its call, but what that gave back."""
        code = code_around(self.core, frame.address or 0)
        at = code.at.get(frame.address or 0) if code is not None else None
        if code is None or not at:
            return False
        near = code.instructions[at : at + _RESULT]
        looks = any(
            one.mnemonic in ("test", "cmp") and one.operands[0].reg == "eax" for one in near
        )
        behind = code.instructions.outlines[at + _RESULT * looks :]
        return any(one.mnemonic[0] == "j" and one.mnemonic != "jmp" for one in behind)


def _of_words(core: Dump, hits: Sequence[Hit], locks: Collection[int]) -> list[Hit] | None:
    """What writes of the words of Rust's mutexes were, and at last who still waits for one by a
    call that began to (std::sys::sync::mutex::futex: 0 is unlocked, 1 locked, 2 waited for). None
    where what was seen last does not fit: a watch does not tell of a word that one thread gave back
    and another took before gdb had stopped it."""
    found, asks, missed = list[Hit](), dict[int, Hit](), set[int]()
    for hit in hits:
        lock = hit.registers.get("rdi", 0) if hit.kind == "point" else hit.address
        asked = asks.get(hit.thread)
        if lock in locks and hit.kind == "point":
            missed |= {asked.address} if asked is not None else set()  # it got that, unseen
            asks[hit.thread] = replace(hit, kind="lock", address=lock)
        elif hit.kind == "write" and _was_anothers(core, hit):
            missed.add(lock)
        elif hit.kind == "write" and not (hit.old and hit.new):
            found.append(replace(hit, kind="lock" if hit.new else "unlock"))
            asks.pop(hit.thread, None)
            missed.discard(lock)
        elif hit.kind == "write" and (asked is None or asked.address != lock):
            missed.add(lock)
    return None if missed else [*found, *asks.values()]


def _was_anothers(core: Dump, hit: Hit) -> bool:
    """Whether a write is not the last instruction's of the thread that it is told of: gdb tells
    what two threads did at once of one of them. An exchange that finds another value than nought
    writes that back (Intel SDM 2A, CMPXCHG)."""
    insn = stored_by(core, hit)
    tried = insn is not None and "cmpxchg" in insn.mnemonic
    refused = tried and hit.registers.get("rax", 0) & 0xFFFFFFFF != 0
    return refused or not wrote(core, hit)


def _may_have_given_back(hit: Hit, events: Sequence[Hit]) -> bool:
    """Whether a lock's holder asks for it in another call than that which took it: between the two
    another thread may have had it, unseen."""
    asks = next(one for one in reversed(events) if one.thread == hit.thread and one.kind == "lock")
    mine = own([frame for frame in hit.frames if frame.index not in hit.made])
    others = any(one.address == hit.address and one.thread != hit.thread for one in events)
    again = asks.address == hit.address and asks.order != hit.order
    return again and others and all(mine is None or mine.call != one.call for one in asks.frames)


def _where_they_differ(hit: Hit, taken: Sequence[Hit], events: Sequence[Hit]) -> Hit:
    """The hit without the program's innermost frames that all of them share: a function that
    everyone takes locks with is no cause, unless it waits for another in the same call."""
    stacks = [[frame for frame in one.frames if is_own(frame)] for one in taken]
    waits = next(one for one in reversed(events) if one.thread == hit.thread and one.kind == "lock")
    waiting = {frame.call for frame in waits.frames if waits.address != hit.address}
    shared: set[int] = set()
    for mine, *others in zip(*stacks, strict=False):
        if any((mine.function, mine.line) != (one.function, one.line) for one in others):
            break
        same = {frame.index for frame in hit.frames if frame.function == mine.function}
        if any(frame.index in same and frame.call in waiting for frame in hit.frames):
            break
        shared |= same
    whole = len(taken) < 2 or all(f.index in shared for f in hit.frames if is_own(f))
    return hit if whole else replace(hit, made=(*hit.made, *sorted(shared)))


def _by_its_owner(hit: Hit, events: Sequence[Hit]) -> Hit:
    """The hit without the frames of functions that take a lock for who calls them: the lock was
    given back before when they had come back, by another call of who called them."""
    last, served = dict[tuple[int, int], Hit](), set[str | None]()
    for one in events:
        if one.kind == "unlock" and (took := last.pop((one.thread, one.address), None)) is not None:
            running = {it.call for it in one.frames}
            mine = [it for it in took.frames if is_own(it)]
            back = [it.call in running for it in mine]
            served |= {it.function for it in mine[: back.index(True) if True in back else 0]}
        elif one.kind == "lock":
            last[one.thread, one.address] = one
    inner = [frame for frame in hit.frames if is_own(frame) and frame.index not in hit.made]
    made = list(itertools.takewhile(lambda one: one.function in served, inner[:-1]))
    return replace(hit, made=(*hit.made, *(one.index for one in made)))


def may_wait(hit: Hit, events: Sequence[Hit], calls: Collection[int]) -> bool:
    """Whether a thread that asked for a lock first may still wait for it, as one of the core does
    in one of its ``calls``: it was not seen to go on, and of two that ask at once either may be the
    first to get it."""
    later = [one for one in events if one.order > hit.order]
    others = any(one.address == hit.address and one.kind == "lock" for one in later)
    at = next((frame.address or 0 for frame in hit.frames if is_own(frame)), 0)
    went_on = any(one.thread == hit.thread for one in later)
    return others and not went_on and any(0 < at - call <= _LONGEST_CALL for call in calls)


def holding(events: Sequence[Hit]) -> tuple[dict[int, Hit], set[tuple[int | None, int]]]:
    """Who holds which lock in the end, and each pair of locks that one thread took in that order;
    a lock that is given back goes to whoever asked first. Who gives back what another asked for
    before it had it first: they were seen when they asked."""
    held: dict[int, Hit] = {}
    asking: dict[int, list[Hit]] = {}
    orders: set[tuple[int | None, int]] = set()

    def take(hit: Hit) -> None:
        mine = [lock for lock, other in held.items() if other.thread == hit.thread]
        orders.update((lock, hit.address) for lock in mine)
        held[hit.address] = hit

    for hit in events:
        if hit.kind == "lock" and hit.address in held:
            asking.setdefault(hit.address, []).append(hit)
        elif hit.kind == "lock":
            take(hit)
        elif hit.kind == "unlock":
            waits = asking.get(hit.address, [])
            own = next((one for one in waits if one.thread == hit.thread), None)
            if own is not None:  # it came first, though it asked later
                waits.remove(own)
                continue
            held.pop(hit.address, None)
            if waits:
                take(waits.pop(0))
    return held, orders
