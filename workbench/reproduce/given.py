"""Who decided the number at which, or how much, was stored, or which element was read."""

from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.loops import builds_up
from workbench.reproduce.makers import element_of, is_reckoned, made_of, scales, through, times
from workbench.reproduce.moment import at_hit, before, stored_by
from workbench.reproduce.observing import Bound, hits_of, left_at
from workbench.reproduce.owners import is_own, own
from workbench.reproduce.reads import beside_index
from workbench.reproduce.slices import callee, cells_of
from workbench.reproduce.stores import FILLS, truncated
from workbench.reproduce.values import Values
from workbench.reproduce.wire import Cell, Hit
from workbench.reproduce.wrappers import Kept
from workbench.targets.probes.cfi import Caller, callers
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, element, history
from workbench.targets.probes.instruction import Instruction, Memory
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY


class Given(Values):
    """What a function was told, and by whom."""

    _measured = False  # the block that was run out of was asked for in a size that was worked out

    async def _unless_given(self, here: OriginStep, hit: Hit, bound: Bound) -> OriginStep | None:
        """A store, or of one to an array's element whose number a call gave back, why it did. Where
        the function that stored only used a number, or a length, that a caller worked out, that
        caller. None where several reckoned, or one gave a number at which a value was stored that
        is not made of what memory held: either may be to blame."""
        insn = stored_by(self.core, hit)
        moment, outer = at_hit(self.core, hit), int(not is_own(hit.frames[0]))
        if insn is None or (outer and not FILLS.match(hit.function)):
            return here
        above = list(callers(moment, hit.registers["rip"], hit.registers, len(hit.frames)))
        jump = left_at(hit) if outer else 0
        site = jump or (above[0].call.address if outer and above else insn.address)
        if outer:
            made, given = self._asked_to_write(site)
            if given is None:
                return None
        else:
            made, given = element_of(self.core, insn, hit.registers)
        calls = [one for one in made if one.is_call]
        if calls and not given and not outer:
            (place,) = await self._runs.places([calls[0].address])
            if place.function != here.function:
                return here  # inlined: it was given the number
            self.steps.append(here)
            call = Step("call", calls[0].address, "rax", "")
            return await self._returned(call, bound) if len(calls) == 1 else None
        code = code_around(self.core, site)
        if not outer and given and code is not None and here.kind is OriginKind.WRITTEN:
            held = FAMILY.get(insn.operands[-1].reg or "", "")
            parts = made_of(self.core, code, [(code.at[insn.address], held)])[0] if held else []
            read = [o.mem.base for one in (insn, *parts) for o in one.operands[1:] if o.mem]
            if insn.mnemonic.startswith("mov") and set(read) <= set(code.frame):
                return None
        frame, mem = own(hit.frames), insn.operands[0].mem if insn.operands else None
        there = [(code.at[insn.address], mem.base or "")] if code and mem and not outer else []
        untyped = frame is not None and frame.index in hit.untyped
        untyped = bool(untyped and code and there and made_of(self.core, code, there)[1])
        if untyped and (here.kind is OriginKind.CLEARED or self._is_led(above[:1])):
            return None  # it can not know where that memory ends
        reckons = [one for one in made if is_reckoned(self.core, one) and not scales(one)]
        found: tuple[Caller, list[Instruction]] | None = None
        for caller in above[int(outer and not jump) :]:
            if given and code is not None and caller.call.target not in (None, code.start):
                return None  # between them another left by a jump
            code, site = code_around(self.core, caller.call.address), caller.call.address
            numbers = [
                name for name in given
                if self.core.region(argument(moment, caller, name)[0] or 0) is None
            ] if outer else given  # fmt: skip
            starts = [(code.at[site], name) for name in numbers] if code and site in code.at else []
            if code is None or not starts:
                break
            made, given = made_of(self.core, code, starts)
            worked_out = [one for one in made if is_reckoned(self.core, one)]
            if here.kind is OriginKind.CLEARED:  # a number that a call gave says what to clear
                worked_out = [one for one in worked_out if not one.is_call]
            for name, start in zip(numbers, starts, strict=True):  # it took a constant instead
                value = argument(moment, caller, name)[0]
                parts, others = made_of(self.core, code, [start])
                fixed = (one for one in parts if value and others and one.mnemonic == "mov")
                worked_out += [one for one in fixed if one.operands[1].imm == value]
            if not (outer or reckons or found or given):  # all of it is the number of a round
                worked_out += [one for one in made if builds_up(self.core, one.address)]
            if worked_out and (reckons or found or not self._is_closed(code, made)):
                return None
            if worked_out:
                found = caller, worked_out
        return await self._reckoned_by(here, hit, *found) if found is not None else here

    def _is_led(self, above: Sequence[Caller]) -> bool:
        """Whether a function was given an address or a number that its caller had added up of two:
        its place, or how it goes on from there, may be wrong."""
        code = code_around(self.core, above[0].call.address) if above else None
        ways = [(code.at[above[0].call.address], name) for name in ARGUMENTS] if code else []
        return code is not None and any(
            sums(one) for way in ways for one in made_of(self.core, code, [way])[0]
        )

    def _asked_by(self, hit: Hit) -> Caller | None:
        """The program's call of the library that a hit is in."""
        frame, moment = own(hit.frames), at_hit(self.core, hit)
        if frame is None or is_own(hit.frames[0]):
            return None
        above = callers(moment, hit.registers["rip"], hit.registers, len(hit.frames))
        return next((one for one in above if one.call.end == frame.address), None)

    def _is_closed(self, code: Code, made: Sequence[Instruction]) -> bool:
        """Whether a number was made of what the function was given and of constants alone."""
        return not any(
            one.is_call or any(o.mem and o.mem.base not in code.frame for o in one.operands[1:])
            for one in made
            if one.mnemonic != "lea"
        )

    async def _reckoned_by(
        self, here: OriginStep, hit: Hit, caller: Caller, made: Sequence[Instruction]
    ) -> OriginStep | None:
        """The function that gave a number: the line that worked it out, or of several its call."""
        frame = next((one for one in hit.frames if one.address == caller.call.end), None)
        if frame is None:
            return None
        places = await self._runs.own_places([one.address for one in made])
        lines = {(one.function, one.line) for one in places}
        chosen = any(one.mnemonic.startswith(("cmov", "mov")) or builds_up(self.core, one.address)
                     for one in made)  # fmt: skip
        line = places[0].line if len(lines) == 1 and not chosen else None
        self.steps.append(here)
        kind = OriginKind.COMPUTED if line else OriginKind.PASSED
        return replace(
            here, kind=kind, function=frame.function, file=frame.file, line=line or frame.line
        )

    def _asked_to_write(self, site: int) -> tuple[list[Instruction], Collection[str] | None]:
        """What made the length that a call, or a jump, asked the C library to write, and the place
        behind an object's beginning, and the arguments that they may be made of: None for those
        where the length is given as it is, or said by the object itself, and a pointer in memory
        leads to the place: who gave it, said so, or made the block that the function cannot know
        the size of, may be to blame."""
        code = code_around(self.core, site)
        if code is None or site not in code.at:
            return [], ()
        at, own_cells = code.at[site], ("rip", *code.frame)
        name = callee(self.core, code.instructions[at])
        if name and not FILLS.match(name):
            return [], None  # that left for it by a jump, with what it had been given
        made, given = made_of(self.core, code, [(at, "rdx")])
        place, behind = made_of(self.core, code, [(at, "rdi")])
        leads = any(
            one.mnemonic == "mov" and one.operands[1].mem is not None
            and one.operands[1].mem.base not in own_cells for one in place
        )  # fmt: skip
        if leads:
            plain = given and not any(map(partial(is_reckoned, self.core), made))
            said = self._holders_of(code, made) & self._holders_of(code, place)
            return [], None if plain or said else ()
        return made, {*given, *behind} if given else ()

    def _holders_of(self, code: Code, made: Sequence[Instruction]) -> set[Kept]:
        """Where a function has the pointers that instructions read members through."""
        mems = [(code.at[one.address], one.operands[1].mem) for one in made
                if len(one.operands) == 2 and one.mnemonic.startswith("mov")]  # fmt: skip
        return {through(self.core, code, at, mem.base or "") for at, mem in mems
                if mem is not None and mem.base not in ("rip", *code.frame)}  # fmt: skip

    async def _outgrown(self, hit: Hit, at: int, index: str) -> OriginStep | None:
        """Who raised the count that the loop goes up to; `Rooms` knows."""
        raise NotImplementedError

    async def _misled(self, at: int, cell: int) -> OriginStep | None:
        """Of a cell in which nobody left a bad value, 0 for any, which the instruction at ``at``
        read as an element of an array: why that one was read, where it is none of the array's, or
        its number had lost a part."""
        if self._left < 2 or not at:
            return None
        read = await self._read(at, Bound())
        if read is None or cell not in (0, read[3]):
            return None
        hit, at, mem = self._apart(*read[:3])
        index, leaves = self._index_of(hit, mem, read[3])
        kept = element(at_hit(self.core, hit), at, mem, hit.registers) if not index else None
        if kept is not None:
            return await self._chosen_by(hit, kept.steps, Bound(), kept.array)
        if not (index or mem.index) and (given := await self._given_element(hit, at, mem)):
            return await self._chosen_by(*given)
        grown = await self._outgrown(hit, at, index) if index else None
        if grown is not None or (leaves and index):
            array = beside_index(hit, mem, index)
            return grown or await self._chosen(hit, at, index, Bound(), array)
        steps = history(at_hit(self.core, hit), at, index, hit.registers) if index else []
        held = cells_of(at_hit(self.core, hit), steps)[0][:1]
        cells = tuple(Cell("C1", one.cell, one.size) for one in held)
        seen = await self._observe("which element was read", cells=cells) if cells else None
        hits = hits_of(seen, "C1")
        if seen is None or not hits or not truncated(self.core, hits[-1]):
            return None
        stored = before(self.core, hits[-1].registers["rip"])
        whole = FAMILY.get(stored.operands[1].reg or "", "") if stored is not None else ""
        lost = (hits[-1].registers.get(whole, 0) & 0xFFFFFFFF) - (hits[-1].new or 0)
        stride = (mem.scale if index == mem.index else 1) * times(self.core, steps)
        meant = self.core.read_word(read[3] + lost * stride)  # where all of the number leads to
        if not stride or meant is None or self.core.region(meant) is None:
            return None
        return self._step(seen, hits[-1], OriginKind.TRUNCATED)

    async def _given_element(
        self, hit: Hit, at: int, mem: Memory
    ) -> tuple[Hit, list[Step], Bound, int] | None:
        """Of an element to which a function of the program's gave a pointer: its return, the steps
        behind the number of the element, what was before that, and the array, where what is read
        lies out of that."""
        steps = history(at_hit(self.core, hit), at, mem.base or "", hit.registers)
        call = insn_at(self.core, steps[-1].at) if steps and steps[-1].kind == "call" else None
        inside = self._own_called(call) if call is not None else None
        plain = all(one.kind in ("load", "store", "copy") for one in steps[:-1])
        if call is None or inside is None or not plain or self._left < 2:
            return None
        came = await self._left_by(call, inside, Bound())
        gave = came[0][1] if came is not None else None
        if gave is None or came is None:
            return None
        if gave.registers.get("rax") != hit.registers.get(mem.base or ""):
            return None
        moment, out = at_hit(self.core, gave), replace(mem, base="rax")
        kept = element(moment, gave.registers["rip"], out, gave.registers)
        return (gave, kept.steps, came[1], kept.array) if kept is not None else None


def sums(insn: Instruction) -> bool:
    """Whether an instruction adds two numbers of which neither is a constant."""
    mem = insn.operands[1].mem if len(insn.operands) == 2 else None
    both = insn.mnemonic == "lea" and mem is not None and mem.base not in (None, mem.index)
    return (both and mem is not None and mem.index is not None) or (
        insn.mnemonic == "add" and insn.operands[1].imm is None
    )
