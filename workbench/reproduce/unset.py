"""Who should have set what nobody did: a member of a block or of a local, or a local itself."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.loops import builds_up
from workbench.reproduce.makers import added, made_of
from workbench.reproduce.moment import frame_of, stored_by, wrote
from workbench.reproduce.observing import Bound, Observed, by_program, call_of, hits_of
from workbench.reproduce.owners import is_astray, is_own, own
from workbench.reproduce.references import References
from workbench.reproduce.sizes import Sizes
from workbench.reproduce.slices import Lead, Place
from workbench.reproduce.stores import moved
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.dump import Dump
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.instruction import led_to, stored_to
from workbench.targets.probes.places import variable_at

LENT = 8
"""Places of a function that make a local's address, which a run stops at."""
_LOOKED_AT = 1 << 22
"""Bytes of a module's code: about a second."""


class Unset(Sizes, References):
    """Cells that were read and never set in the life of their block, or in the call of their
    frame."""

    async def _never_set(
        self, lead: Lead, cell: Cell, frame: tuple[str | None, int], bound: Bound
    ) -> OriginStep | None:
        """Who should have set a member of an object in a ``frame`` that holds what was left on the
        stack: another function that set the members around it for that one, else the frame's."""
        if any(one.cell == cell.address and self._is_element(one) for one in lead.cells):
            return None  # see `_left_out`
        known = (v for v in self.crash.outcome.variables
                 if v.address <= cell.address < v.address + v.size)  # fmt: skip
        whole, here = next(known, None), cell.address & ~7
        around = (here - 8, here + 8, *((whole.address, whole.address + 8) if whole else ()))
        beside = [
            Cell(f"C{number}", at) for number, at in enumerate(dict.fromkeys(around))
            if whole and whole.address <= at < whole.address + whole.size and at != here
        ]  # fmt: skip
        owner = self._owner(cell.address)
        within = owner[1].function if owner is not None and owner[1].inlined else None
        seen = await self._observe(
            "writes beside what was never set", cells=tuple(beside)
        ) if beside and self._left > 0 else None  # fmt: skip
        made = [
            self._step(seen, hit, OriginKind.NEVER_SET) for hit in hits_of(seen)
            if hit.kind == "write" and self._place_of(hit, hit.address) == frame
            and (within is None or within in [one.function for one in hit.frames])
        ] if seen is not None else []  # fmt: skip
        failed = own(self.crash.outcome.frames)
        made = [one for one in made if failed is None or one.function != failed.function]
        if not made or made[0].function == frame[0]:
            if bound != Bound():
                return None
            local = await self._unset_local(lead, cell, frame)
            holder = frame_of(self.crash.outcome.frames, cell.address)
            return local or (await self._unset_lent(cell, *holder) if holder else None)
        same = [one for one in made if one.function == made[0].function]
        return min(same, key=lambda one: one.line or 0) if made[0].function else None

    def _is_element(self, place: Place) -> bool:
        """Whether a cell is an array's element, or of one that was gone on to: maybe too far."""
        return place.base is None or any(
            one.address < place.base < one.address + one.size and place.cell >= place.base
            for one in self.crash.outcome.variables
        )

    async def _never_in_its_call(self, lead: Lead) -> OriginStep | None:
        """The local by which the fault's value was reached, whatever lies where that points."""
        for number, place in enumerate(lead.cells):
            found = frame_of(self.crash.outcome.frames, place.cell)
            if found is not None and is_own(found[0]) and not lead.stack_block:
                behind = replace(lead, cells=lead.cells[number:])
                cell = Cell("C1", place.cell, place.size)
                step = await self._unset_local(behind, cell, (found[0].function, found[1]))
                if step is None and not self._is_element(place):
                    step = await self._unset_lent(cell, *found)
                if step is not None:
                    return step
        return None

    async def _unset_local(
        self, lead: Lead, cell: Cell, frame: tuple[str | None, int]
    ) -> OriginStep | None:
        """The declaration of a local that nobody stored to in its call, not what it held before
        either. None where its function takes its address: whoever got that may be to blame."""
        at, code = lead.cells[0].at, code_around(self.core, lead.cells[0].at)
        reads = code.instructions[code.at[at]] if code is not None and at in code.at else None
        mem = reads.operands[-1].mem if reads is not None and reads.operands else None
        known = (v for v in self.crash.outcome.variables
                 if v.address <= cell.address < v.address + v.size)  # fmt: skip
        local = next(known, None)
        owner = self._owner(cell.address)
        if code is None or mem is None or local is None or owner is None or self._is_spent():
            return None
        start = mem.disp - (cell.address - local.address)
        lent = any(
            base in code.frame and (base != mem.base or start <= at < start + local.size)
            for base, at in map(led_to, code.instructions)
        )
        if mem.index or mem.base not in code.frame or owner[1].function != frame[0] or lent:
            return None
        seen = await self._observe("whether it was ever set", points=(Point("R", code.start),),
                                   cells=(cell,), reads=True)  # fmt: skip
        events = hits_of(seen)
        entered = max((hit.order for hit in events if hit.watch == "R"
                       and hit.registers.get("rsp", 0) + 8 == frame[1]), default=None)  # fmt: skip
        since = [one for one in events if one.watch == cell.name and one.order > (entered or 0)]
        if entered is None or not since:
            return None  # not even the read that failed: gdb had no watch on a thread so new
        if events[-1].order - entered >= sum(one.order >= entered for one in events):
            return None  # of so many not all are told
        if any(wrote(self.core, hit) or hit.kind != "access" for hit in since):
            return None  # a read that met another value: the system wrote it
        return await self._at(at, OriginKind.NEVER_SET, cell.address)

    async def _is_of_some_kinds(self, start: int, size: int, cell: Cell) -> bool:
        """Whether the function that failed came to its use by another member of that object than
        the cell, which another had set: that may be meant for objects of some kinds alone."""
        used = own(self.crash.outcome.frames)
        if used is None:
            return False
        insn = insn_at(self.core, used.address or 0)
        end = insn.end if insn is not None and not used.index else used.address or 0
        asked = await self._depended_on([(end, used.stack_pointer)], (start, size), either=True)
        kinds = [Cell(f"K{at}", at & -8) for at in asked if at & -8 != cell.address & -8]
        seen = await self._observe(
            "whether its kind was set", cells=kinds[:2], blocks=(start,)
        ) if kinds and self._left > 0 else None  # fmt: skip
        births = births_of(self._blocks(seen, start)) if seen is not None else []
        holder = frame_of(self.crash.outcome.frames, start)
        return seen is not None and any(
            hit.watch[0] == "K" and hit.order > (births[-1].order if births else 0)
            and call_of(hit)[1] != used.function
            and (holder is None or self._place_of(hit, start) == (holder[0].function, holder[1]))
            for hit in hits_of(seen)
        )  # fmt: skip

    async def _unset_lent(self, cell: Cell, frame: Frame, top: int) -> OriginStep | None:
        """The declaration of a local that nobody stored to in its call, which ends at ``top`` and
        gave its address to nobody but by the call that failed, or others of the same place."""
        code = code_around(self.core, frame.address or 0)
        known = (v for v in self.crash.outcome.variables if v.frame == frame.index
                 and v.address <= cell.address < v.address + v.size)  # fmt: skip
        local = next(known, None)
        if code is None or local is None or not frame.index or self._is_spent():
            return None
        ends = {"rbp": top - 16, "rsp": frame.stack_pointer or 0}
        lent = [
            one for one in code.instructions
            for base, at in (led_to(one),)
            if base in code.frame and 0 <= ends[base or ""] + at - local.address < local.size
        ]  # fmt: skip
        points = (Point("R", code.start), *(Point("A", one.address) for one in lent))
        seen = await self._observe(
            "whether others had its address", points=points, cells=(cell,), reads=True
        ) if lent and len(lent) <= LENT else None  # fmt: skip
        events = hits_of(seen)
        entered = max((hit.order for hit in events if hit.watch == "R"
                       and hit.registers.get("rsp", 0) + 8 == top), default=1 << 60)  # fmt: skip
        since = [hit for hit in events if hit.order > entered]
        touched = [hit for hit in since if hit.watch == cell.name]  # none: see `_unset_local`
        gave = [hit for hit in since if hit.watch == "A"
                and (frame_of(hit.frames, cell.address) or (None, 0))[1] == top]  # fmt: skip
        given = {hit.address for hit in gave}
        behind = code.instructions[code.at[gave[-1].address] :] if gave else ()
        call = next((one for one in behind if one.is_call), None)
        failed = call is not None and call.end == frame.address
        if (
            len(given) != 1
            or not failed
            or not touched
            or any(wrote(self.core, hit) or hit.kind != "access" for hit in touched)
            or await self._is_of_some_kinds(local.address, local.size, cell)
        ):
            return None
        return await self._at(gave[0].address, OriginKind.NEVER_SET, cell.address)

    async def _left_out(
        self, seen: Observed, lead: Lead, birth: Hit, cell: Cell
    ) -> OriginStep | None:
        """Who should have set a cell that nobody wrote since its block's birth: the function that
        set the cells beside it, the one that asked for the block too, but for one of zeros: they
        may be meant. Where nobody set anything of the block beside it, it may be no part of what
        is kept there; so may it where who asked gives memory of no type, and set what he keeps of
        it himself, or asked for a size that he was told for a caller who gives such. A cell that an
        index led to is an array's element, which whoever went beyond those that were put in may
        have come to; so is what an element holds that nobody wrote a part of."""
        if "calloc" in (birth.function):
            return None
        held = next((one.base for one in lead.cells if one.cell == cell.address), None)
        if held is None:
            return None
        asked = self._step(seen, birth, OriginKind.NEVER_SET)
        kept = self._moved(birth)  # by a container, of which what it has room for may be unset
        end = birth.address + birth.size
        here = cell.address & ~7  # the block's first members are where an initialiser begins
        places = dict.fromkeys((here - 8, here + 8, birth.address, birth.address + 8))
        beside = [
            Cell(f"C{number}", at)
            for number, at in enumerate(places)
            if birth.address <= at < end and at != here
        ]
        if not beside or self._left <= 0:
            return None
        again = await self._observe(
            "writes beside what was never set", cells=tuple(beside), blocks=(cell.address,)
        )
        if again is None:
            return None
        births = births_of(self._blocks(again, cell.address))
        after = births[-1].order if births else 0
        near = [one.name for one in beside if abs(one.address - here) == 8]
        steps = [
            (hit.watch, self._step(again, hit, OriginKind.NEVER_SET))
            for hit in by_program(again)
            if hit.order > after and hit.kind == "write" and not is_zeroing(hit, births)
            and not (hit.frames and is_astray(hit.frames[0]))
            and (held == birth.address or _of_object(self.core, hit, held))
        ]  # fmt: skip
        if await self._is_of_some_kinds(held, end - held, cell):
            return None
        # Who set what lies beside it for whoever asked for the block, or began with the block so;
        # a maker's own zero over zero is not told.
        by = [step for name, step in steps if name in near]
        began = [step for _, step in steps[:1] if _called_by(step, asked)]
        first = next(
            (step for step in by if _called_by(step, asked)), next(iter((*began, *by)), None)
        )
        if first is None or first.function in (None, asked.function):
            return None if kept or not steps or self._gives_out(birth, asked) else asked
        same = [s for _, s in steps if (s.function, s.file) == (first.function, first.file)]
        made = min(same, key=lambda one: one.line or 0)
        self.steps.append(replace(asked, kind=OriginKind.ALLOCATED))
        return made

    async def _row_left_out(self, lead: Lead, cell: Cell) -> OriginStep | None:
        """The call that set the functions before and behind one that is null in a module's table,
        each by a store to a place of its own: it left that row out, where a loop goes through all
        rows; else who asked for that row may be to blame. Whoever registers one by one, or a loop,
        stores by an index or twice by the same instruction."""
        name, *_ = (variable_at(self.core, cell.address) or "").split("+")
        near = [
            Cell(f"C{number}", at)
            for number, at in enumerate((cell.address - 8, cell.address + 8))
            if name and (variable_at(self.core, at) or "").split("+")[0] == name
        ]
        if lead.row != "code pointer" or len(near) != 2 or self._is_spent() or (
            not self._goes_round(lead.cells[0].at)
        ):  # fmt: skip
            return None
        seen = await self._observe("writes of the rows beside it", cells=tuple(near))
        hits = [hit for hit in hits_of(seen) if hit.kind == "write"]
        made = [stored_by(self.core, hit) for hit in hits]
        places = {one.address for one in made if one and one.operands[0].mem
                  and not one.operands[0].mem.index}  # fmt: skip
        calls = {call_of(hit) for hit in hits}
        if seen is None or len(hits) != 2 or len(places) != 2 or len(calls) != 1:
            return None
        if await asyncio.to_thread(_is_named, self.core, cell.address, min(places)):
            return None  # by code that did not run, or later: who calls it may be to blame
        told = [self._step(seen, hit, OriginKind.NEVER_SET) for hit in hits]
        return min(told, key=lambda one: one.line or 0)

    def _goes_round(self, at: int) -> bool:
        """Whether an instruction reads the element of a number that a loop of its function counts,
        and that nothing else is made of which it reads."""
        code = code_around(self.core, at)
        if code is None or at not in code.at:
            return False
        index, pair = added(self.core, code, code.instructions[code.at[at]])
        made, _ = made_of(self.core, code, [(index, name) for name in pair or () if name])
        return any(builds_up(self.core, one.address) for one in made) and not any(
            one.is_call or any(o.mem and o.mem.base not in code.frame for o in one.operands[1:])
            for one in made if one.mnemonic != "lea"
        )  # fmt: skip

    def _gives_out(self, birth: Hit, asked: OriginStep) -> bool:
        """Whether a block is room out of which the program gives memory of no type."""
        by = next((one.index for one in birth.frames if one.function == asked.function), -1)
        told = any(step.kind != "constant" for step in self._asked(birth)[:1])
        return by in birth.gives or (told and by + 1 in birth.gives)


def _is_named(core: Dump, cell: int, inside: int) -> bool:
    """Whether an instruction of the module with the code ``inside`` says just this address: from
    where the instruction ends, behind a constant of up to four bytes, or as it is. True where there
    is too much code to look."""
    module = core.module_at(inside)
    code = [one for one in core.regions if "x" in one.perms and core.module_at(one.start) == module]
    if sum(one.end - one.start for one in code) > _LOOKED_AT:
        return True
    for region in code:
        raw = core.read(region.start, region.end - region.start) or b""
        ends = range(4, len(raw) + 1)
        said = ((end, int.from_bytes(raw[end - 4 : end], "little", signed=True)) for end in ends)
        if any(far == cell or 0 <= cell - region.start - end - far <= 4 for end, far in said):
            return True
    return False


def _called_by(inner: OriginStep, outer: OriginStep) -> bool:
    """Whether one function ran inside of the other's call, in the same line."""
    return any(
        (frame.function, frame.file, frame.line) == (outer.function, outer.file, outer.line)
        for frame in inner.stack
    )


def births_of(hits: Sequence[Hit]) -> list[Hit]:
    """The allocations among a block's events, without those of a block that only grew in place."""
    before = [None, *hits]
    return [
        hit for hit, last in zip(hits, before, strict=False)
        if hit.kind == "alloc"
        and not (moved(hit) and last and (last.kind, last.address) == ("realloc", hit.address))
    ]  # fmt: skip


def _of_object(core: Dump, hit: Hit, start: int) -> bool:
    """Whether a store went by the address of the object at ``start``, and not by that of another
    element beside it; a library's copy may hold all of it."""
    insn = stored_by(core, hit)
    mem = stored_to(insn)
    if mem is None or is_runtime_library((hit.frames[0].module or "") if hit.frames else ""):
        return True
    return mem.index is None and hit.registers.get(mem.base or "") == start


def is_zeroing(hit: Hit, births: Sequence[Hit]) -> bool:
    """calloc's own memset, which it may leave through: the stack is that of the birth."""
    if "memset" not in (hit.function):
        return False
    stack = [frame.address for frame in hit.frames[1:]]
    return any(stack == [frame.address for frame in one.frames[1:]] for one in births)
