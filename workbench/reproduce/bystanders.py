"""Who left a bad value in a cell and is not to blame for it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.blocks import Blocks, is_gone
from workbench.reproduce.given import Given
from workbench.reproduce.loops import builds_up, obeyed, rounds_of
from workbench.reproduce.makers import Way, added, element_of, kept_by, made_of, through, times
from workbench.reproduce.moment import at_hit, before, frame_of, stored_by, wrote
from workbench.reproduce.observing import STEP, Bound, Observed, call_of, hits_of
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead, callee, comes_back
from workbench.reproduce.stores import copies
from workbench.reproduce.wire import Cell, Hit
from workbench.reproduce.wrappers import kept
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import explain_at
from workbench.targets.probes.history import argument, history, slicer_at
from workbench.targets.probes.instruction import Instruction, stored_to
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.slicer import Slicer, zeroes
from workbench.targets.probes.x86 import ARGUMENTS

_SECOND = re.compile(r"snprintf|fgets|strftime")
"""The C library's functions whose second argument is the room that they have."""


class Bystanders(Given, Blocks):
    """Writers that did what they were to do."""

    async def _by_stale_pointer(
        self, seen: Observed, hit: Hit, cell: Cell, reads: bool
    ) -> tuple[OriginStep | None, bool]:
        """The release of a block that was given out again, where the program wrote there by a
        pointer that it had kept from before that; and whether since when it had that pointer, which
        it moved on inside of the block, is not known."""
        insn = stored_by(self.core, hit)
        mem = stored_to(insn)
        if insn is None or mem is None or mem.base not in hit.registers or self._left <= 2:
            return None, False
        steps = history(at_hit(self.core, hit), insn.address, mem.base, hit.registers)
        load, value = (steps[0] if steps else None), hit.registers[mem.base]
        if load is None or load.kind != "load" or not is_own(hit.frames[0]):
            return None, False
        bound = Bound(replace(cell, name="B"), hit.nth, reads)
        place = load.source
        if place is None:
            read = await self._read(load.at, bound)
            place = read[-1] if read is not None else None
        again = await self._observe(
            "since when that pointer was held",
            cells=(*bound.cells, Cell("C1", place)), blocks=(cell.address,), reads=True,
        ) if place is not None and self._left > 0 else None  # fmt: skip
        if again is None:
            return None, False
        end = self._end(again, bound)
        held = [h for h in hits_of(again, "C1", end) if h.new == value and wrote(self.core, h)]
        blocks = self._blocks(again, cell.address, end)
        if not held or not any(b.address <= value <= b.address + b.size for b in blocks[-1:]):
            return None, False
        age = await self._age(again, blocks, held[-1], bound)
        gone = [h for n, h in enumerate(blocks) if age is not None and n >= age
                and is_gone(blocks, n)]  # fmt: skip
        if not gone:
            begun = _begun(hits_of(again, "C1", held[-1].order + 1))
            return None, age is None and blocks[-1].address <= begun != value
        self.steps.append(self._step(seen, hit, OriginKind.WRITTEN))
        return self._step(again, gone[0], OriginKind.FREED), False

    def _begins_there(self, seen: Observed, hit: Hit, lead: Lead) -> bool:
        """Whether the C library was asked to write from the cell on, or from the start of its
        object on, which a call gave to who asked: it did not run over what belongs to another. The
        one call that gave the object to who failed gave it to no other."""
        call = self._asked_by(hit)
        if call is None or copies(hit) or self._built_in(hit.frames[0]):
            return False
        start, steps = argument(at_hit(self.core, hit), call, "rdi")
        given = [step.kind for step in steps if step.kind in ("call", "argument")] == ["call"]
        back = comes_back(self.core, steps, start) if given else 0
        once = sum(one.watch == "H" for one in hits_of(seen)) == 1
        given = given and not (once and back == lead.given)
        return (given and start == lead.cells[0].base) or start == hit.address

    def _told_how_far(self, hit: Hit) -> bool | None:
        """Whether a store to an element of an array that an object has went by a number that obeyed
        what that object says of how many there are, or that a variable says of an array which the
        function was given; False where another said so of one that an object has. None for any
        other store."""
        insn = stored_by(self.core, hit)
        code = code_around(self.core, insn.address) if insn is not None else None
        mem = stored_to(insn)
        if insn is None or code is None or mem is None or not is_own(hit.frames[0]):
            return None
        made, _ = element_of(self.core, insn, hit.registers)
        cells = [kept(code, one, 1) for one in made if one.mnemonic.startswith("mov")]
        moment, value = at_hit(self.core, hit), hit.registers.get(mem.index or "")
        counters = [one for one in (mem.index or "", *cells) if one]
        rounds = (obeyed(moment, insn.address, hit.registers, c, value) for c in counters)
        bound = next((one for one in rounds if one is not None), None)
        at, pair = added(self.core, code, insn)
        arrays = {kept_by(self.core, code, at, one) for one in pair or () if one} - {""}
        if bound and bound[1] == "rip" and not arrays:
            ways = [made_of(self.core, code, [(at, one)]) for one in pair or () if one]
            given = any(args and not any(builds_up(self.core, one.address) for one in ones)
                        for ones, args in ways)  # fmt: skip
            return True if given else None
        return through(self.core, code, *bound[:2]) in arrays if bound and arrays else None

    def _unless_room_given(self, here: OriginStep, hit: Hit) -> OriginStep | None:
        """A store behind the end of a caller's variable; where numbers that the function was given
        let it go so far, the call that gave them, of the function that has the variable. None where
        another gave them, or made the variable: either may be to blame."""
        asked, moment, at = self._asked_by(hit), at_hit(self.core, hit), hit.registers["rip"]
        above = list(callers(moment, at, hit.registers, len(hit.frames)))
        above = above[above.index(asked) + 1 :] if asked in above else above
        insn = asked.call if asked is not None else before(self.core, at)
        rounds = insn_at(self.core, at)
        rounds = next((o for o in (insn, rounds) if o and o.text.startswith("rep")), None)
        insn = rounds or insn
        code = code_around(self.core, insn.address) if insn is not None else None
        mem = stored_to(insn)
        if insn is None or code is None or insn.address not in code.at or not above:
            return here
        if asked is None and not is_own(hit.frames[0]):  # left for by a jump, told what it was
            passed = [argument(moment, above[0], name)[0] or 0 for name in ARGUMENTS]
            far = (one for one in passed[1:] if passed[0] + one > hit.address >= passed[0])
            return None if any(self.core.region(one) is None for one in far) else here
        if asked is not None:  # of the length that the library was told
            second = _SECOND.search(callee(self.core, asked.call))
            names: tuple[str | None, ...] = ("rdi", "rsi" if second else "rdx")
        else:
            names = ("rdi", "rcx") if rounds else (mem.base, mem.index) if mem else ()
        given, told = _told(self.core, code, insn, [name for name in names if name])
        values = {name: argument(moment, above[0], name)[0] for name in ARGUMENTS}
        inside = asked.registers if asked is not None else hit.registers
        places = [
            (code.at[insn.address], name) for name in names[: 1 if asked or rounds else 2] if name
        ]
        if self._as_its_object_says(
            code, places, {**inside, **{name: one for name, one in values.items() if one}}, hit
        ):
            return None  # who said so, or put the array there, is to blame
        starts = [one for name in given if (one := values[name]) and one <= hit.address
                  and kind_of(self.core, one) == "stack"]  # fmt: skip
        numbers = [
            name for name in told if self.core.region(values[name] or 0) is None
            and (values[name] is not None or not _is_led_by(self.core, code, name))
        ]  # fmt: skip
        site, holder = above[0].call, frame_of(hit.frames, starts[0] if starts else 0)
        frame = next((one for one in hit.frames if one.address == site.end), None)
        if frame is None and len(told) > 1:
            return None  # the stack that was kept ends before it
        if len(starts) != 1 or not numbers:
            return here
        wide = 1 if asked is not None or rounds else self._stride(insn, hit)
        room = [_as_given(moment, code, code.at[insn.address], name, inside) for name in numbers]
        for number, name in enumerate(numbers):
            value, steps = argument(moment, above[0], name)
            spoilt = any(starts[0] <= (step.source or 0) <= hit.address for step in steps)
            room[number] = value if room[number] is None and not spoilt else room[number]
        if any(one is not None and starts[0] + one * wide <= hit.address for one in room):
            return here
        outer = code_around(self.core, site.address)
        if None in room or not holder or not frame or not outer or site.address not in outer.at:
            return None
        made, handed = made_of(self.core, outer, [(outer.at[site.address], one) for one in numbers])
        if handed or holder[0].stack_pointer != frame.stack_pointer:
            return None
        if not (self._is_closed(outer, made) or _is_bounded(outer, made)):
            return here  # how much there is to be copied: who copies is to look how much it may be
        self.steps.append(here)
        return replace(here, kind=OriginKind.PASSED, function=frame.function, file=frame.file,
                       line=frame.line)  # fmt: skip

    def _as_its_object_says(
        self, code: Code, places: Sequence[Way], registers: Mapping[str, int], hit: Hit
    ) -> bool:
        """Whether a write by a pointer that an object has stayed within what another member of the
        object says, with which its function compares."""
        moment, tests = at_hit(self.core, hit), list[Instruction]()
        arrays = dict(_members(moment, code, made_of(self.core, code, places)[0], registers))
        for at, one in enumerate(code.instructions):
            if arrays and one.mnemonic == "cmp":
                ways = [(at, way) for side in (0, 1) if (way := kept(code, one, side))]
                tests += [one, *made_of(self.core, code, ways)[0]]
        rooms = dict(_members(moment, code, tests, registers))
        return any(
            start <= hit.address < start + room
            for start in arrays.values() if self.core.region(start)
            for at, room in rooms.items() if at not in arrays
        )  # fmt: skip

    def _stride(self, insn: Instruction, hit: Hit) -> int:
        """Bytes of an element of the array that an instruction stores to, for all that is known."""
        slicer = slicer_at(at_hit(self.core, hit), insn.address, hit.registers)
        mem, size = insn.operands[0].mem, insn.operands[0].size
        if slicer is None or mem is None:
            return size
        at, pair = added(self.core, slicer.code, insn)
        if pair is None:  # the pointer itself is moved on
            made, _ = made_of(self.core, slicer.code, [(at, mem.base or "")])
            steps = (one.operands[1].imm or 0 for one in made if one.mnemonic == "add"
                     and (one.operands[0].mem or builds_up(self.core, one.address)))  # fmt: skip
            return max(size, *steps, 0)
        operands = slicer.code.instructions[at].operands
        scale = next((o.mem.scale for o in operands if o.mem and o.mem.index), 1)
        trail = (at, None) if at != slicer.end else (slicer.end, None)
        ways = [explain_at(slicer, one, None, trail) for one in pair if one]
        return max(size, *(times(self.core, one) * scale for one in ways))


def _begun(writes: Sequence[Hit]) -> int:
    """Where a pointer led to before the last of its ``writes`` moved it on, step by step, in one
    call."""
    at = writes[-1].new or 0
    for hit in reversed(writes):
        if hit.old is None or abs(at - hit.old) > STEP or call_of(hit) != call_of(writes[-1]):
            break
        at = hit.old
    return at


def _members(
    moment: Dump, code: Code, reads: Sequence[Instruction], registers: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """The cells, and what they hold, that instructions read through a pointer which the function
    has in its frame or was given."""
    for one in reads:
        for operand in one.operands:
            mem = operand.mem if one.mnemonic not in ("lea", "nop") else None
            if mem is None or mem.index or mem.base in ("rip", *code.frame):
                continue
            holder = through(moment, code, code.at[one.address], mem.base or "")
            at = registers.get(holder if isinstance(holder, str) else holder[0])
            if at is not None and not isinstance(holder, str):
                at = moment.read_word(at + holder[1])
            if at is not None:
                yield at + mem.disp, moment.number(at + mem.disp, operand.size) or 0


def _is_bounded(code: Code, made: Sequence[Instruction]) -> bool:
    """Whether a function compares with a constant what these instructions made."""
    places = {kept(code, one, side) for one in made for side in range(len(one.operands))} - {""}
    return any(
        one.mnemonic == "cmp" and (one.operands[1].imm or 0) > 1 and kept(code, one, 0) in places
        for one in code.instructions
    )


def _is_led_by(core: Dump, code: Code, name: str) -> bool:
    """Whether a function uses an argument as an address."""
    return any(
        one.mem is not None and name == one.mem.base
        and None in [index for index, _ in Slicer(core, code, at, {}).definitions(name)]
        for at, insn in enumerate(code.instructions) for one in insn.operands
    )  # fmt: skip


def _as_given(
    moment: Dump, code: Code, at: int, name: str, registers: Mapping[str, int]
) -> int | None:
    """An argument as its function still has it at an instruction."""
    if [index for index, _ in Slicer(moment, code, at, {}).definitions(name)] == [None]:
        return registers.get(name)
    stores = [one for one in code.instructions
              if one.operands and one.mnemonic not in ("cmp", "test")]  # fmt: skip
    for one in stores:
        target, cell = one.operands[0], kept(code, one, 0)
        if one.mnemonic == "mov" and target.mem is not None and cell and kept(code, one, 1) == name:
            at = one.effective(target.mem, registers) or 0
            alone = [kept(code, other, 0) for other in stores].count(cell) == 1
            return moment.number(at, target.size) if alone else None
    return None


def _told(core: Dump, code: Code, insn: Instruction, names: list[str]) -> tuple[set[str], set[str]]:
    """The arguments of its function that the place is made of at which an instruction stores, and
    those with what that is compared with, or that count its rounds."""
    made, given = made_of(core, code, [(code.at[insn.address], name) for name in names])
    place, told = {one.address for one in made}, set(given)
    for at, one in enumerate(code.instructions):
        if one.mnemonic not in ("cmp", "test") or len(one.operands) != 2:
            continue
        ways = [kept(code, one, number) for number in (0, 1)]
        sides = [made_of(core, code, [(at, way)] if way else []) for way in ways]
        for (left, counted), (right, others) in (sides, sides[::-1]):
            if place & {each.address for each in left}:
                told |= set(others)
            counts = (not right or left == right) and any(builds_up(core, o.address) for o in left)
            inside = next(iter(rounds_of(code, one)), range(0))
            if counts and not any(_begins_anew(core, each, inside) for each in made):
                told |= set(counted)
    return set(given), told


def _begins_anew(core: Dump, insn: Instruction, inside: range) -> bool:
    """Whether an instruction of a round sets what it does not count on."""
    source = insn.operands[-1] if insn.operands else None
    kept_or_moved = source is not None and (source.mem is None or insn.operands[0].mem is not None)
    return insn.address in inside and (
        zeroes(insn)
        or (insn.mnemonic == "mov" and kept_or_moved and not builds_up(core, insn.address))
    )
