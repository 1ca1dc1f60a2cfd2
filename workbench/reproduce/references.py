"""Objects whose holders are counted: which of the releases was one too many."""

import itertools
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.makers import IF_NULL, compares, made_of, through
from workbench.reproduce.moment import at_hit, before, stored_by, wrote
from workbench.reproduce.nulls import ahead_of, branch
from workbench.reproduce.observing import Observed, Observing, call_of, hits_of, left_at
from workbench.reproduce.owners import innermost, is_own, own
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import count_of, counted_elsewhere, counts_down, counts_off
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around, insn_at, reached
from workbench.targets.probes.history import argument, history
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.machines.x86 import accesses
from workbench.targets.probes.malloc.heaps import find_heaps
from workbench.targets.probes.malloc.walk import FLAGS
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import FAMILY

_CALLERS, _POINTS, _COPIES, _WAYS, _NEAR = 3, 8, 4, 64, 24
_ALIKE = 20_000
"""Blocks of one size that are looked at."""
_NOUGHTS = ("test", "or")
"""What a jump asks behind whether it gave nought; of two that are null at once gcc makes one."""


class References(Observing):
    """What the changes of an object's count come to."""

    async def _surplus(self, seen: Observed, gone: OriginStep) -> OriginStep | None:
        """Of an object that went with its last holder: the release by one who had not taken it,
        where that came before the last one; the release that was seen, where none did; None where
        more than one may be meant."""
        cited = gone.evidence
        free = next((hit for hit in hits_of(seen)
                     if cited == (Citation(seen.id, hit.first, hit.last),)), None)  # fmt: skip
        count = counted_in(self.core, free) if free is not None else None
        called = counted_by_call(self.core, free) if free is not None and count is None else None
        count = count or called
        if free is not None and count is None and (
            counted_elsewhere(self.core, free) or await self._said_so(free)
        ):  # fmt: skip
            self.aside = gone
            return None  # it went with its last holder, too, or as nobody had said that it is used
        if free is None or count is None:
            return gone
        again = await self._observe(
            "who counts its holders", cells=(Cell("K", *count),), blocks=(free.address,)
        ) if self._left > 0 else None  # fmt: skip
        if again is None:  # whose release was one too many, no run has shown
            self.aside = gone
            return None
        before = len(self._blocks(seen, free.address, free.order))
        blocks = self._blocks(again, free.address)
        life = blocks[before - 1 : before + 1]
        if [hit.kind for hit in life] != ["alloc", "free"]:
            return gone
        low, high = (hit.order for hit in life)
        hits = [h for h in hits_of(again, "K") if low < h.order < high]
        by = own([one for one in free.frames if one.index not in free.made])
        if called and not (by and hits and by.call in _calls(hits[-1].frames) and not hits[-1].new):
            return gone
        if hits and hits[-1].new == 1:  # that there is none left is not stored in what goes
            hits.append(replace(free, old=1, new=0))
        fewer = [h for h in hits[1:] if (h.old or 0) > (h.new or 0) and is_set(self.core, h)]
        kept = [h for h in hits_of(seen) if h.new == free.address and wrote(self.core, h)]
        by = by if called else innermost(free.frames)
        counted, name = [h for h in hits if h not in fewer], by.function if by else None
        surplus = one_too_many(counted, self.crash.outcome.frames, kept, name)
        if fewer:  # who did that took away the others' holds, or a release is one too many
            self.steps.append(gone)
            self.aside = gone
            return None if surplus else self._step(again, fewer[-1], OriginKind.RELEASED_EARLY)
        if not surplus:
            return self._given_up_for(seen, free, hits[-1].frames, gone) if hits else gone
        if len(surplus) > 1 or _of_a_place(self.core, surplus[0]):
            self.aside = gone
            return None
        self.steps.append(gone)
        inner = _releaser(surplus[0], name)[0]
        told = replace(surplus[0], made=inner)
        return self._step(again, told, OriginKind.RELEASED_EARLY)

    def _given_up_for(
        self, seen: Observed, free: Hit, counted: Sequence[Frame], gone: OriginStep
    ) -> OriginStep | None:
        """A release as asked for by who called the function that ``counted`` down to it, of which
        no frame may be left: None then."""
        by, calls = innermost(counted), [frame.call for frame in free.frames]
        if by is None or by.function != gone.function:
            return gone
        inner = free.frames[: calls.index(by.call) + 1] if by.call in calls else ()
        made = (*free.made, *(frame.index for frame in inner))
        self.aside = self.aside if inner else gone
        return self._step(seen, replace(free, made=made), OriginKind.FREED) if inner else None

    async def _said_so(self, free: Hit) -> bool:
        """Whether a block was released because a number in it is zero, or another than what it was
        compared with, or a pointer in it null: who should have said that it is used, or took that
        back, may be to blame. What leads from such blocks to others alike, as a tree's links do,
        says where one is, and not who uses it."""
        calls = [one for one in free.frames if is_own(one) and not one.inlined][:_CALLERS]
        behind = [(one.address or 0, one.stack_pointer) for one in calls]
        said = await self._depended_on(behind, (free.address, free.size), (free.address,))
        return any(not _links(self.core, free, at - free.address) for at in said)

    async def _depended_on(
        self, behind: Sequence[tuple[int, int | None]], object_: tuple[int, int],
        blocks: Sequence[int] = (), either: bool = False,
    ) -> set[int]:  # fmt: skip
        """Where the numbers and nulls lie in an object, of which start and size are given, by which
        calls came to what they did, which ends at these addresses."""
        points = [Point("R", at) for end, _ in behind for at in reads_for(self.core, end, either)]
        if not points or self._left <= 0:
            return set()
        seen = await self._observe("what it says", points=points[:_POINTS], blocks=tuple(blocks))
        hits = hits_of(seen)
        stacks = {stack_pointer for _, stack_pointer in behind}
        insns = {one.address: insn_at(self.core, one.address) for one in points}
        return {
            access.address or 0
            for hit in hits if hit.watch == "R" and call_of(hit)[2] in stacks
            for insn in (insns[hit.address],) if insn is not None
            for access in accesses(insn, hit.registers)
            if 0 <= (access.address or 0) - object_[0] < object_[1]
        }  # fmt: skip


def _links(core: Dump, block: Hit, away: int) -> bool:
    """Whether blocks of one size lead to one another, and on, by what lies ``away`` from their
    start."""
    alike = {start + 16 for heap in find_heaps(core)
             for start, size in zip(heap.walk.starts, heap.walk.sizes, strict=True)
             if (size & ~FLAGS) - 8 == block.size}  # fmt: skip
    led = {core.read_word(one + away) for one in itertools.islice(alike, _ALIKE)} & alike
    return any(core.read_word(one + away) in alike for one in led if one is not None)


def reads_for(core: Dump, behind: int, either: bool = False) -> Iterator[int]:
    """The instructions that read through pointers on which it depends whether the call, or use, in
    front of an address is made: numbers that are zero, or not what others are, and null; or
    ``either`` way."""
    call = before(core, behind)
    code = code_around(core, call.address) if call is not None else None
    goal, ahead = (code.at[call.address], ahead_of(code)) if call and code else (0, [])
    for at, outline in enumerate(code.instructions.outlines if code is not None else ()):
        jump = branch(code, at) if code and outline.mnemonic in ("cmp", *_NOUGHTS) else None
        if code is None or jump is None:
            continue
        insn = code.instructions[at]
        ways = (code.at.get(code.instructions[jump].target or 0), jump + 1)
        alike, other = ways if code.instructions[jump].mnemonic in IF_NULL else ways[::-1]
        for number in range(len(insn.operands)):
            nought = compares(insn) or insn.mnemonic in _NOUGHTS
            whole = compares(insn) or insn.mnemonic == "or"
            read, turned = _read_for(core, code, at, number, 8 if whole else 4)
            zero = nought != turned
            to, past = (alike, other) if zero else (other, alike)
            if read is None or to is None or past is None:
                continue
            passed = reached(ahead, past, {at, goal})
            if either and goal in passed - reached(ahead, to, {at, goal}):
                yield read.address
            if at in passed and _goes_on_by(core, code, passed, read):
                continue  # to the list's end
            if goal in reached(ahead, to, {at, goal}) - passed:
                yield read.address


def _goes_on_by(core: Dump, code: Code, ways: Collection[int], read: Instruction) -> bool:
    """Whether the ways lead along the pointer that an instruction read: by it, or by what others
    read at its distance."""
    far = next((one.mem.disp for one in read.operands if one.mem and one.size > 4), None)
    if not far:
        return far == 0
    start, held = code.at[read.address], FAMILY.get(read.operands[0].reg or "", "")
    for at in ways:
        for one in code.instructions[at].operands:
            base = one.mem.base if one.mem is not None else None
            if base == held and start in [
                n for n, _ in Slicer(core, code, at, {}).definitions(held)
            ]:
                return True
            same = one.imm == far or (one.mem and one.mem.disp == far and base not in code.frame)
            if same and at != start:
                return True
    return False


def _read_for(
    core: Dump, code: Code, at: int, number: int, most: int
) -> tuple[Instruction | None, bool]:
    """The instruction that read an operand of another through a pointer, of ``most`` bytes, or the
    bits of what it read; and whether the operand is zero where that is not."""
    insn, turned = code.instructions[at], False
    for _ in range(_COPIES):
        operand = insn.operands[number]
        if operand.mem is not None:
            own = operand.mem.base == "rbp" and operand.mem.disp < 0  # else it may be any register
            plain = own or operand.mem.base in (None, "rip", "rsp") or operand.size > most
            return None if plain else insn, turned
        ways = list(Slicer(core, code, at, {}).definitions(FAMILY.get(operand.reg or "", "")))
        index = ways[0][0] if len(ways) == 1 else None
        if index is None or not code.instructions[index].mnemonic.startswith(("mov", "and", "xor")):
            break
        at, insn = index, code.instructions[index]
        number = int(insn.mnemonic.startswith("mov"))
        turned = turned != (insn.mnemonic == "xor")
        if insn.mnemonic == "xor" and insn.operands[1].imm != 1:
            break
    return None, turned


def counted_in(core: Dump, free: Hit) -> tuple[int, int] | None:
    """See `count_of`; also where the function that counts was inlined: by what it depended on
    whether the program's call that released was made."""
    frame = innermost(free.frames)
    call = before(core, frame.address or 0) if frame is not None else None
    at = left_at(free) or (call.address if call is not None else 0)
    code = code_around(core, at)
    found = count_of(core, free)
    if found is not None or code is None or at not in code.at:
        return found
    ways, what = [code.at[at]], through(core, code, code.at[at], "rdi")
    for way in ways:  # grows
        at = way if counts_down(code, way) else counts_off(core, code, way)
        for one in code.instructions[at].operands if at else ():
            if one.mem is not None and one.mem.base and not one.mem.index and (
                through(core, code, at, one.mem.base) == what
            ):  # fmt: skip
                return free.address + one.mem.disp, one.size
        ways += [one for one in code.before[way] if one not in ways and len(ways) < _WAYS]
    return None


def counted_by_call(core: Dump, free: Hit) -> tuple[int, int] | None:
    """The same where the function that released calls another that counts what it is given, and
    asks for something behind that: whether it is the last."""
    frame = own([one for one in free.frames if one.index not in free.made])
    code = code_around(core, frame.address or 0) if frame is not None else None
    end = code.at.get(frame.address or 0, 0) if code is not None and frame is not None else 0
    near = code.instructions[max(end - _NEAR, 0) : end] if code is not None else ()
    asks = [one.address for one in near if one.mnemonic[0] == "j" and one.mnemonic != "jmp"]
    for call in (one for one in near if asks and one.address < asks[-1]):
        inside = code_around(core, call.target) if call.is_call and call.target else None
        for at, one in enumerate(inside.instructions if inside is not None else ()):
            mem = one.operands[0].mem if one.operands else None
            if inside and mem and not mem.index and counts_down(inside, at, alone=True) and (
                list(made_of(core, inside, [(at, mem.base or "")])[1]) == ["rdi"]
            ):  # fmt: skip
                return free.address + mem.disp, one.operands[0].size
    return None


def one_too_many(
    hits: Sequence[Hit], fault: Sequence[Frame], kept: Sequence[Hit] = (), name: str | None = None
) -> list[Hit]:
    """The releases that may have been one too many: those by who had not counted up before, nor
    was called by the same call of who had. Empty where that is the last one alone, or where who
    counted up and has no release has come back by the fault: it may have handed over its own. Where
    the last one is of those too, who counted up may have handed over to it, or to another: all. So
    where who counted up had the pointer ``kept`` that was used: that hold nobody gave back."""
    taken, found = list[Hit](), list[Hit]()
    last: Hit | None = None
    for hit in hits:
        if hit is hits[0]:
            taken.append(hit)
        elif hit.old is None or hit.new is None:
            continue
        elif hit.new == hit.old + 1:
            taken.append(hit)
        elif hit.new == hit.old - 1:
            last, by = hit, _releaser(hit, name)[1]
            nearest = [
                (_calls(one.frames).index(call), -number)
                for number, one in enumerate(taken)
                for call in _calls([by] if by is not None else [])
                if one.thread == hit.thread and call in _calls(one.frames)
            ]
            if nearest:
                del taken[-min(nearest)[1]]
            else:
                found.append(hit)
    running = _calls(fault)
    holds = [_calls([by]) for one in taken if (by := _releaser(one)[1]) is not None]
    handed_over = any(call not in running for calls in holds for call in calls)
    if last in found and (handed_over or len(found) > 1):
        return [*found, *taken]
    used = [call for one in kept for call in _calls(one.frames) if call not in running]
    more = [one for one in taken if one is not hits[0]]  # than who made it, for where it is kept
    if last is not None and any(call in used for one in more for call in _calls(one.frames)):
        return [*found, last]
    return [] if handed_over or last in found else found


def is_set(core: Dump, hit: Hit) -> bool:
    """Whether a count was given a number that was there before: a constant, or copied memory. A
    library's function that stores what it reckoned (``fetch_sub``) does not."""
    insn = stored_by(core, hit)
    if insn is None or len(insn.operands) != 2:
        return not is_own(hit.frames[0])
    plain = insn.mnemonic == "mov" and insn.operands[1].imm is not None
    return plain or (not is_own(hit.frames[0]) and not insn.operands[0].reads)


def _of_a_place(core: Dump, hit: Hit) -> bool:
    """Whether a holder was counted off through a pointer that was kept outside of all frames: that
    place may have had a hold of its own, which was given back so."""
    insn = stored_by(core, hit)
    mem = insn.operands[0].mem if insn is not None and insn.operands else None
    if insn is None or mem is None or mem.base is None:
        return False
    moment, at = at_hit(core, hit), hit.registers
    steps = history(moment, insn.address, mem.base, at)
    if steps and steps[-1].kind == "argument":
        call = next(callers(moment, insn.address, at, 1), None)
        steps += argument(moment, call, steps[-1].register)[1] if call is not None else []
    read = (step.source for step in steps if step.kind == "load")
    return any(cell is not None and kind_of(core, cell) != "stack" for cell in read)


def _calls(frames: Sequence[Frame]) -> list[tuple[str | None, int | None]]:
    return [frame.call for frame in frames]


def _releaser(hit: Hit, by: str | None = None) -> tuple[tuple[int, ...], Frame | None]:
    """The frames of the function that counts, ``by`` which it is done, and the frame that called
    it."""
    frames = [frame for frame in hit.frames if is_own(frame)]
    at = next((number for number, one in enumerate(frames) if by and one.function == by), 0)
    return tuple(one.index for one in frames[: at + 1]), next(iter(frames[at + 1 :]), None)
