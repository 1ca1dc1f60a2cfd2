"""The pointers that functions in progress were given or go through, compared across frames, threads
and heap."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from analyzers.patterns import commands, dangling, frame_lines, pointed, spoken
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.dangling import FREE_STATES
from analyzers.patterns.words import of
from workbench.claims.expressions import expressions
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Chunk, Frame, GivenBack, Stack

_POINTER = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,99})=(?:\w+@entry=)?(0x[0-9a-f]{5,16})\b")
_INNERMOST, _MOST = 8, 6


class Passed(NamedTuple):
    """The pointer ``value`` that a frame of ``thread`` was given as ``name``."""

    thread: int | None
    frame: Frame
    name: str
    value: int
    stack: Stack

    def said(self, case: Case) -> Claim:
        """That the frame was given it."""
        lines = case.cite(self.frame) or of(self.stack)
        return say("value", lines, thread=self.stack.thread, expression=self.name,
                   function=self.frame.function, value=f"{self.value:#x}")  # fmt: skip

    def stated(self, case: Case) -> Claim:
        """Who was given it, as what."""
        told = self.thread if self.stack.thread == self.thread else None
        return say("value", case.cite(self.frame), thread=told, expression=self.name,
                   function=self.frame.function, value=f"{self.value:#x}")  # fmt: skip


def passed(case: Case) -> list[Passed]:
    """The pointers of the faulting thread's frames, innermost first, then of the other threads'."""
    threads = case.process.threads if case.process is not None else ()
    others = [(tid, case.stack_of(tid)) for tid in threads if tid != case.thread]
    return [
        Passed(tid, frame, found[1], int(found[2], 16), stack)
        for tid, stack in ((case.thread, case.stack), *others)
        if stack is not None
        for frame in [each for each in stack.frames if case.is_ours(each)][:_INNERMOST]
        for found in _POINTER.finditer(frame.args[:1000])
        if int(found[2], 16) >= NEAR_NULL
    ]


def shared(case: Case) -> tuple[Passed, Passed] | None:
    """One pointer that the faulting thread and another one both use, into what may be written and
    is not the stack of either."""
    mine = {item.value: item for item in reversed(passed(case)) if item.thread == case.thread}
    for other in passed(case):
        region = case.region(other.value)
        if region is None or "w" not in region.perms:
            continue
        own = region.kind == "stack" and region.thread in (case.thread, other.thread)
        if other.thread != case.thread and not own and other.value in mine:
            return mine[other.value], other
    return None


def look_up(case: Case) -> tuple[Command, ...]:
    """Asks whether what the frames were given is free."""
    return commands.heap(*dict.fromkeys(item.value for item in passed(case)[:_MOST]))


class Stale(NamedTuple):
    """A pointer of the faulting thread's frame into a free chunk, and the other thread's use."""

    mine: Passed
    chunk: Chunk
    other: Passed | None


def stale(case: Case) -> Stale | None:
    """The innermost frame of the faulting thread that was given a pointer into freed memory."""
    both = shared(case)
    for item in passed(case):
        chunk = case.chunk(item.value) if item.thread == case.thread else None
        if chunk is not None and chunk.state in FREE_STATES and chunk.offset >= 0:
            same = both is not None and both[0].value == item.value
            return Stale(item, chunk, both[1] if both is not None and same else None)
    return None


def freed(case: Case) -> dangling.Freed | None:
    """The best proof that a pointer of the fault came out of freed memory; also where an index or a
    length that was read there led the access away from the object."""
    return dangling.freed(case) or through_freed(case)


def through_freed(case: Case) -> dangling.Freed | None:
    """The pointer to a freed object's beginning that the line at fault goes through, or the
    reference to one, which nothing can make lead elsewhere."""
    return next((one for one in _through_freed(case) if one.chunk.offset == 0), None)


def through_inside_freed(case: Case) -> dangling.Freed | None:
    """The same of a pointer into a freed block: it was freed, or the pointer has left another."""
    return next((one for one in _through_freed(case) if one.chunk.offset > 0), None)


def _through_freed(case: Case) -> Iterator[dangling.Freed]:
    line = (
        frame_lines.line_of(case, case.frame) if case.frame is not None and case.faulted else None
    )
    used = [said.text for said in expressions(line.text)] if line is not None else []
    referred = pointed.led(case, case.frame) if line is not None and case.frame is not None else {}
    through = [at for name, at in referred.items() if any(u.startswith(f"{name}.") for u in used)]
    for value in (*spoken.pointers(case), *through):
        chunk = case.chunk(value)
        if chunk is not None and chunk.state in FREE_STATES:
            yield dangling.Freed(value, "named", chunk, None, None, of(chunk))


_RED_ZONE = 288
"""Bytes below its stack pointer that a function which calls none may use: 128 on x86-64 (System V
ABI), 288 on Power (ELF V2 ABI)."""


def given_back(case: Case) -> GivenBack | None:
    """The pointer that the walk or the line at fault goes through, into memory of a stack where no
    function in progress has anything: that of a function which has returned."""
    if case.fault is None or not case.faulted:
        return None
    through = {load.value for load in case.fault.origin} | {*spoken.pointers(case)}
    for one in case.facts.all(GivenBack):
        room = 0 if case.calls_out and one.thread == case.thread else _RED_ZONE
        if one.address in through and (one.below is None or one.below > room):
            return one
    return None
