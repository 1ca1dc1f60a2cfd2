"""Memory that a function of the program's own gave out twice: from an arena whose position went
back, or out of a stack of free places.

What gives such memory moves a position one way with each call; whoever moves it back in between
has given back what was taken since.
"""

import itertools
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.ages import gives
from workbench.reproduce.blocks import Blocks
from workbench.reproduce.makers import returns
from workbench.reproduce.observing import Observed, call_of, hits_of
from workbench.reproduce.owners import innermost, is_own
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.instruction import Instruction, stored_to

OBJECT = 1 << 12
"""How far behind its start a cell may lie to be the object's."""
_FUNCTIONS, _DEPTH, _POINTS, _POSITIONS = 16, 3, 48, 2


class Reissued(Blocks):
    """Who gave back an object's memory that was given out again."""

    async def _reissued(self, start: int, last: Hit, got: int) -> OriginStep | None:
        """Who moved the position back, of the function that gave an object's memory to who wrote
        there last, ``last``; None where no such function is seen, or it did not give it before, or
        gave it to who failed, behind whose call is ``got``."""
        givers = self._givers(last)
        points = _ways_out(givers)
        if self._left <= 2 or not points:
            return None
        spoiled = Cell("O", last.address, last.size or 8)
        seen = await self._observe(
            "what gives out the object's memory", points=tuple(points), cells=(spoiled,)
        )
        until, gave = _gave(seen, last, "R") if seen is not None else (0, [])
        if seen is None or not gave:
            return None
        handed = [*itertools.takewhile(lambda hit: gives(hit) == gives(gave[-1]), gave[::-1])]
        inner = handed[-1]
        if is_within(next(hit for hit in handed if hit.watch == inner.watch), got):
            return None
        giver = givers[int(inner.watch[1:])]
        if await self._runs.runner.answers([giver.start]) == [""]:
            return None  # it gives nothing back: what its register held is chance
        cells = [
            at for hit in hits_of(seen)
            if hit.watch == f"S{inner.watch[1:]}" and hit.order < until
            and (at := self._stored_at(hit)) and not 0 <= at - start < OBJECT
        ]  # fmt: skip
        positions = sorted(dict.fromkeys(cells), key=cells.count, reverse=True)[:_POSITIONS]
        moves = await self._observe(
            "what moves the position",
            points=tuple(Point("R", at) for at in returns(giver)),
            cells=(spoiled, *(Cell(f"P{number}", at) for number, at in enumerate(positions))),
        )
        _, gave = _gave(moves, last, "R") if moves is not None else (0, [])
        at = next((at for at in range(len(gave) - 2, -1, -1) if gives(gave[at]) == start), None)
        if moves is None or at is None:
            return None
        since = gave[at - 1].order if at else 0
        for number in range(len(positions)):
            hits = [hit for hit in hits_of(moves) if hit.watch == f"P{number}"]
            back = _moved_back(hits, giver, since, gave[at].order, gave[-1].order)
            if back is not None and _is_regular(hits, back, since):
                return None  # as all know: who kept an address over that may be to blame
            if back is not None and self._only_moves(back):
                return self._giver(moves, back)
            if back is not None:
                return self._step(moves, back, OriginKind.RELEASED_EARLY)
        return None

    async def _slotted(self, stores: Sequence[Hit], start: int, last: Hit) -> OriginStep | None:
        """Who called the function that wrote into an object last, ``last``, and moved a position
        back by one of its ``stores`` in the same call, which another function moves on when it
        gives out the object."""
        frame = innermost(last.frames)
        giver = code_around(self.core, frame.address or 0) if frame is not None else None
        found = {hit.address: dict[int, None]() for hit in stores}
        for hit in stores:
            found[hit.address][self._stored_at(hit) or 0] = None
        always = (at for goals in found.values() if len(goals) == 1 for at in goals)
        positions = dict.fromkeys(at for at in always if at and not 0 <= at - start < OBJECT)
        if giver is None or not positions or self._left <= 2 or self._block_start(start) == start:
            return None  # an object that malloc gave lies in no place of an array
        spoiled = Cell("O", last.address, last.size or 8)
        cells = [Cell(f"P{number}", at, 4) for number, at in enumerate(positions)]
        moves = await self._observe("what moves the position", cells=(spoiled, *cells[:3]))
        events = hits_of(moves)
        writes = [hit for hit in events if hit.watch == "O"]
        spoils = [hit for hit in writes if hit.new == last.new]
        for cell in cells if spoils else ():
            hits = [hit for hit in events if hit.watch == cell.name]
            back = [hit for hit in hits if call_of(hit) == call_of(spoils[-1])]
            on = [hit for hit in hits if back and hit.order < back[-1].order
                  and call_of(hit)[1] != call_of(back[-1])[1]
                  and moved_by(hit) == -moved_by(back[-1]) != 0]  # fmt: skip
            inner = (frame for hit in on for frame in [f for f in hit.frames if is_own(f)][:2])
            calls = {frame.call for frame in inner}
            if moves is not None and any(call_of(hit)[1:] in calls for hit in writes):
                return self._giver(moves, back[-1])  # who moved it on then filled the object
        return None

    def _givers(self, last: Hit) -> list[Code]:
        """The functions that may have given the memory that was written to: those that the function
        which wrote calls, and as far as they can be watched those that its callers do."""
        found: list[Code] = []
        for frame in [frame for frame in last.frames if is_own(frame)][:_DEPTH]:
            starts = {code.start for code in found}
            more = [code for code in self._called(frame.address or 0) if code.start not in starts]
            if len(_ways_out([*found, *more])) > _POINTS:
                break
            found += more
        return found

    def _called(self, address: int) -> list[Code]:
        """A function and those of the program's that it calls, directly or through another."""
        found: dict[int, Code] = {}
        ways = [(address, 0)]
        for at, depth in ways:
            module = self.core.module_at(at)
            code = code_around(self.core, at)
            if code is None or module is None or is_runtime_library(module.name):
                continue
            if code.start in found or len(found) >= _FUNCTIONS:
                continue
            found[code.start] = code
            calls = [index for index, one in enumerate(code.instructions.outlines)
                     if one.mnemonic == "call" and depth < _DEPTH]  # fmt: skip
            goals = [code.instructions[index].target for index in calls]
            ways += [(through_plt(self.core, goal), depth + 1) for goal in goals if goal]
        return list(found.values())

    def _stored_at(self, hit: Hit) -> int | None:
        insn = self._instruction(hit.address)
        mem = stored_to(insn)
        return insn.effective(mem, hit.registers) if insn is not None and mem else None

    def _instruction(self, at: int) -> Instruction | None:
        return insn_at(self.core, at)

    def _only_moves(self, hit: Hit) -> bool:
        """Whether it is all that a function does: who called it has given the memory back."""
        frame = innermost(hit.frames)
        code = code_around(self.core, frame.address or 0) if frame and not frame.inlined else None
        return code is not None and len(self._called(code.start)) == 1

    def _giver(self, seen: Observed, hit: Hit) -> OriginStep:
        """Who called the function that gives back."""
        step = self._step(seen, hit, OriginKind.RELEASED_EARLY)
        own = [frame for frame in hit.frames if is_own(frame)]
        if len(own) < 2:
            return step
        self.steps.append(step)
        caller = own[1]
        return replace(step, function=caller.function, file=caller.file, line=caller.line,
                       evidence=(Citation(seen.id, hit.first, hit.last),))  # fmt: skip


def is_within(hit: Hit, behind: int) -> bool:
    """Whether a hit was in a call that comes back to an address."""
    return behind in {frame.address for frame in hit.frames[1:]}


def _gave(seen: Observed, last: Hit, name: str) -> tuple[int, list[Hit]]:
    """When a cell was spoiled, and what functions gave back until then, the call by which it was
    spoiled too (an allocator that clears what it gives); empty where the last that is near the cell
    is none that begins in front of it."""
    events = seen.outcome.events
    spoils = [h for h in events if h.watch == "O" and h.new == last.new]
    until = spoils[-1].order if spoils else 0
    calls = {call for h in spoils[-1:] for call in _calls(h)}
    back = (h.order + 1 for h in events if h.order > until and h.watch.startswith(name)
            and _calls(h)[0] in calls)  # fmt: skip
    until = next(back, until)
    gave = [hit for hit in events if hit.watch.startswith(name) and hit.order < until]
    near = [n for n, hit in enumerate(gave) if 0 <= last.address - gives(hit) < OBJECT]
    return until, gave[: near[-1] + 1] if near else []


def _calls(hit: Hit) -> list[tuple[str | None, int | None]]:
    """The functions that run at a hit, each with the stack of who called it."""
    outer = (*(one.stack_pointer for one in hit.frames[1:]), None)
    return [(one.function, sp) for one, sp in zip(hit.frames, outer, strict=True)]


def _ways_out(givers: Sequence[Code]) -> list[Point]:
    """Where each function comes back (R), and stores (S)."""
    return [
        Point(f"{name}{number}", at)
        for number, code in enumerate(givers)
        for name, found in (("R", returns(code)), ("S", stores(code)))
        for at in found
    ]


def moved_by(hit: Hit) -> int:
    """By how much a write changed a number; 0 where that is not known."""
    return 0 if hit.old is None or hit.new is None else hit.new - hit.old


def stores(code: Code, smallest: int = 4) -> list[int]:
    """The instructions of a function that change a number in memory, of ``smallest`` bytes and
    more, but its frame."""
    found = []
    for index, one in enumerate(code.instructions.outlines):
        if one.mnemonic not in ("mov", "add", "sub", "inc", "dec") or "[" not in one.operands:
            continue
        insn = code.instructions[index]
        mem = insn.operands[0].mem
        if mem is not None and mem.base not in code.frame and insn.operands[0].size >= smallest:
            found.append(one.address)
    return found


def _moved_back(hits: list[Hit], giver: Code, since: int, first: int, second: int) -> Hit | None:
    """The first move of a position back behind where the giver's call between ``since`` and
    ``first`` had left it, by another and before ``second``; a cell that this call did not move is
    no position."""
    own = [hit for hit in hits if hit.frames and _holds(giver, hit.frames[0])]
    gave = next((hit for hit in reversed(own) if since < hit.order < first), None)
    if gave is None or gave.old is None or gave.new is None:
        return None
    up = gave.new > gave.old
    other = [hit for hit in hits if first < hit.order < second and hit not in own]
    moved = (hit for hit in other if hit.new is not None
             and (hit.new < gave.new if up else hit.new > gave.new))  # fmt: skip
    return next(moved, None)


def _is_regular(hits: list[Hit], back: Hit, until: int) -> bool:
    """Whether a position had been taken back as far by the same lines before: it goes by rounds."""
    lines = _own_lines(back)
    return any(hit.order < until and hit.new == back.new and _own_lines(hit) == lines
               for hit in hits)  # fmt: skip


def _own_lines(hit: Hit) -> list[tuple[str | None, int | None]]:
    return [(one.function, one.line) for one in hit.frames if is_own(one)]


def _holds(code: Code, frame: Frame) -> bool:
    last = code.instructions.outlines[-1]
    return code.start < (frame.address or 0) <= last.address + last.size
