"""A pointer that the function which failed with it has compared with null itself."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.reproduce.checks import ENDS
from workbench.reproduce.makers import IF_NOT, IF_NULL, asks_of, compares, given_in
from workbench.reproduce.moment import at_hit
from workbench.reproduce.observing import Observing, origin_of
from workbench.reproduce.owners import is_own, own
from workbench.reproduce.slices import asks_library, callee
from workbench.reproduce.wire import Hit, Point
from workbench.reproduce.wrappers import Kept, kept
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import Code, code_around, reached
from workbench.targets.probes.fault import faulting_access
from workbench.targets.probes.history import argument
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import crashing_thread
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.transfer import machine_of
from workbench.targets.probes.x86 import FAMILY

_MOST, _COPIES, _BEHIND, _DEEP = 8, 4, 3, 8
_USED, _BEGUN = "F", "B"
_GIVES = ("mov", "lea", "xor", "jmp", "nop")


class Nulls(Observing):
    """What the function that failed knew of the null that it used."""

    async def found_null(self) -> Origin | None:
        """The function that failed, where it had found the pointer to be null in the same call and
        went on to its use: whoever gave null did what is allowed. Where what it does for null alone
        leads there, that goes on when it should not: the comparison's line is the origin; else the
        line that uses it does not compare."""
        ways = self._null_ways()
        for way in ways:
            found = await self._asked_in(*way)
            if found is not None:
                return found
        return await self._asked_too_late(*ways[0]) if ways else None

    async def _asked_in(self, code: Code, at: int, base: str, inner: int) -> Origin | None:
        """See `found_null`, of one function that used the null, or handed it on; ``inner`` frames
        of the stack lie in what it called."""
        tests = {code.instructions[test].address: (code.instructions[test], alone)
                 for test, alone in tests_for_null(self.core, code, at, base)}  # fmt: skip
        if not tests:
            return None
        points = [Point("R", address) for address in tests]
        marks = (Point(_BEGUN, code.start), Point(_USED, code.instructions[at].address))
        seen = await self._observe("whether it had found null", points=(*marks, *points))
        if seen is None:
            return None
        events, call = seen.outcome.events, _call(seen.outcome.frames[inner:])
        asked = [hit for hit in events if hit.watch == "R" and _call(hit.frames) == call]
        uses = [hit for hit in events if hit.watch == _USED and _call(hit.frames) == call]
        begun = [hit for hit in events if hit.watch == _BEGUN and _call(hit.frames)[1:] == call[1:]]
        last = [hits[-1].order for hits in (begun, asked, uses) if hits]
        if len(last) < 3 or last != sorted(last):
            return None  # the call before, from the same line, asked
        insn, alone = tests[asked[-1].address]
        if not self._is_null(asked[-1], insn):
            return None
        found, use = (self._step(seen, one, OriginKind.UNCHECKED) for one in (asked[-1], uses[-1]))
        step = found if alone else use
        return origin_of(step, (found, replace(use, kind=OriginKind.USED)))

    async def _asked_too_late(self, code: Code, at: int, base: str, inner: int) -> Origin | None:
        """The line that used the null, or handed it to a library, of a function that asks behind it
        whether that is null, and goes on then: null is allowed for there."""
        tests = [code.instructions[one].address for one in tests_behind(self.core, code, at, base)]
        used = own(self.crash.outcome.frames[inner:])
        asked = await self._runs.places(tests) if tests and used is not None else []
        if used is None or not any(
            one.function == used.function and one.line != used.line for one in asked
        ):  # what was inlined there may serve others, too
            return None
        step = OriginStep(
            kind=OriginKind.UNCHECKED, function=used.function, file=used.file, line=used.line,
            evidence=(Citation(self.crash.id),), stack=self.crash.outcome.frames[inner:],
        )  # fmt: skip
        return origin_of(step, (step, replace(step, kind=OriginKind.USED)))

    def _null_ways(self) -> list[tuple[Code, int, str, int]]:
        """The program's functions that had the null: from the one that failed with it, or called
        the library that did, outwards, as long as each was given it and does not look at it. Of
        each the code, the index of the instruction that used it or handed it on, the register
        that held it there, and how many frames of the stack lie in what it called."""
        thread, frames, inner = crashing_thread(self.core), self.crash.outcome.frames, 0
        failed, ways = self._null_used(), list[tuple[Code, int, str, int]]()
        if failed is None or thread is None:
            return []
        code, at, base = failed
        library = is_runtime_library(frames[0].module)
        if not library:
            ways.append((code, at, base, 0))
        for caller in callers_of_thread(self.core, thread, _DEEP):
            inner += next((n + 1 for n, one in enumerate(frames[inner:]) if not one.inlined), 0)
            outer = code_around(self.core, caller.call.address)
            place = frames[inner] if inner < len(frames) else None
            if outer is None or place is None or place.address != caller.call.end:
                break
            if is_runtime_library(place.module):
                if not library:
                    break
                continue
            if library:
                given = "" if argument(self.core, caller, base)[0] else base
            else:
                given = given_in(self.core, code, (at, base))
                given = "" if asks_of(self.core, code, given) else given
            if not given or caller.call.address not in outer.at:
                break
            code, at, base, library = outer, outer.at[caller.call.address], given, False
            ways.append((code, at, base, inner))
        return [way for way in ways if is_own(frames[way[3]])]

    def _null_used(self) -> tuple[Code, int, str] | None:
        """The code that failed, the index of the instruction in it, and the register that was
        null."""
        thread = crashing_thread(self.core)
        machine, pc = machine_of(self.core), thread.pc if thread is not None else None
        code = code_around(self.core, pc) if pc is not None else None
        if thread is None or code is None or machine is None or not self.crash.outcome.frames:
            return None
        at = code.at.get(pc or 0)
        insn = code.instructions[at] if at is not None else None
        found = faulting_access(self.core, thread, machine, insn) if insn is not None else None
        if at is None or found is None or not found.base or thread.registers.get(found.base):
            return None
        return code, at, found.base

    def _is_null(self, hit: Hit, insn: Instruction) -> bool:
        """What an instruction that is about to run compares with null."""
        operand = insn.operands[0]
        if operand.mem is None:
            return not hit.registers.get(FAMILY.get(operand.reg or "", ""), 1)
        cell = insn.effective(operand.mem, hit.registers)
        return cell is not None and at_hit(self.core, hit).read_word(cell) == 0

    def _is_told_null(self, step: OriginStep) -> bool:
        """Whether the function that failed gave a register null where it had found null alone."""
        at = next((frame.address for frame in step.stack if frame.address), 0) or 0
        code, used = code_around(self.core, at), own(self.crash.outcome.frames)
        here = code is not None and used is not None and code.at.get(used.address or 0) is not None
        null = step.kind is OriginKind.CLEARED and step.address is None
        return bool(null and here and code and at in code.at and only_for_null(code, code.at[at]))

    def _may_be_null(self) -> bool:
        """Whether the function that failed, or one that handed it what it was given itself, asks
        elsewhere whether that pointer is null, and went on here without: its own line is to blame,
        and nobody who gave null."""
        found, thread = self._null_used(), crashing_thread(self.core)
        if found is None or thread is None or not is_own(self.crash.outcome.frames[0]):
            return False
        code, at, base = found
        for caller in callers_of_thread(self.core, thread, _DEEP):
            used = given_in(self.core, code, (at, base))
            if used and asks_of(self.core, code, used):
                return True
            outer = code_around(self.core, caller.call.address)
            if not used or outer is None or caller.call.address not in outer.at:
                break
            code, at, base = outer, outer.at[caller.call.address], used
        return False


def tests_for_null(core: Dump, code: Code, at: int, base: str) -> list[tuple[int, bool]]:
    """The instructions that ask whether what ``base`` holds before ``at`` is null, from each of
    which, if so, all ways lead to ``at`` with it unchanged: their indexes, the nearest in front of
    it first and then, for compilers lay out blocks as they like, those behind it from the end, and
    whether what is done for null alone leads there."""
    value, ahead = _value(core, code, at, base), ahead_of(code)
    found = []
    nearest = sorted(_asking(core, code, value), key=lambda one: (one[0] >= at, -one[0]))
    for index, null, other in nearest:
        if not _leads(code, ahead, value, null, at):
            continue
        for_null, others = reached(ahead, null, {index, at}), reached(ahead, other, {index, at})
        alone = null not in others
        one_way = (for_null - others) if alone else (others - for_null)
        if not all(_gives(code.instructions[one]) for one in one_way):
            found.append((index, alone))
    return found[:_MOST]


def _asking(
    core: Dump, code: Code, value: Kept | frozenset[int | None]
) -> Iterator[tuple[int, int, int]]:
    """The instructions that compare that value with null, and where the jumps that are decided by
    that lead for null, and for any other."""
    for index, place, null, other in _asked(code):
        if _value(core, code, index, place) == value:
            yield index, null, other


def allows_null(core: Dump, code: Code, register: str) -> bool:
    """Whether a function compares with null what it was given in a register, and comes back then:
    an assertion does not."""
    ahead, all_of = ahead_of(code), code.instructions
    ends = {
        index for index, one in enumerate(all_of)
        if one.is_call and ENDS.search(callee(core, one)) and asks_library(core, one.address)
    }  # fmt: skip
    return any(
        given_in(core, code, (index, place)) == register
        and any(all_of[one].is_return for one in reached(ahead, null, ends))
        for index, place, null, _ in _asked(code)
    )


def _asked(code: Code) -> Iterator[tuple[int, Kept, int, int]]:
    """The instructions that compare a place's eight bytes with null, and where the jumps that are
    decided by that lead for null, and for any other."""
    for index, insn in enumerate(code.instructions):
        jump = branch(code, index) if compares(insn) else None
        place = kept(code, insn, 0) if jump is not None else ""
        target = code.at.get(code.instructions[jump].target or 0) if jump is not None else None
        if jump is not None and target is not None and place and insn.operands[0].size == 8:
            taken = code.instructions[jump].mnemonic in IF_NULL
            for_null, other = (target, jump + 1) if taken else (jump + 1, target)
            yield index, place, for_null, other


def tests_behind(core: Dump, code: Code, at: int, base: str) -> list[int]:
    """The instructions that ask whether what ``base`` holds before ``at`` is null, to which ways
    lead from there alone with it unchanged: their indexes. None that only chooses what to give, or
    whether to make one call with it (a release of C++ asks so by itself), or who does not come back
    for null: that is not allowed there."""
    value, ahead = _value(core, code, at, base), ahead_of(code)
    found = []
    for index, null, other in _asking(core, code, value):
        passed = reached(ahead, index, set())
        if at in passed or not _leads(code, ahead, value, at, index):
            continue
        for_null, others = reached(ahead, null, set()), reached(ahead, other, set())
        comes_back = any(code.instructions[one].is_return for one in for_null)
        one_way = [code.instructions[one] for one in sorted(others - for_null)]
        calls = sum(one.is_call for one in one_way)
        only_calls = null in others and calls == 1 and not any(
            one.is_jump and one.mnemonic != "jmp" for one in one_way
        )  # fmt: skip
        if comes_back and not only_calls and not all(map(_gives, one_way)):
            found.append(index)
    return found[:_MOST]


def only_for_null(code: Code, index: int) -> bool:
    """Whether each way to an instruction comes from a comparison that found an address null."""
    ways, found = [index], False
    for one in ways:  # nothing leads to what pads
        if one == code.at.get(code.start):
            return False
        for at in code.before[one]:
            insn, asks = code.instructions[at], code.instructions[max(at - 1, 0)]
            if not insn.is_jump or insn.mnemonic == "jmp":
                ways += [at] if at not in ways else []
                continue
            for_null = IF_NULL if code.at.get(insn.target or 0) == one else IF_NOT
            if not (insn.mnemonic in for_null and compares(asks) and asks.operands[0].size == 8):
                return False
            found = True
    return found


def _gives(insn: Instruction) -> bool:
    """True for what only chooses a value, as a printed text or a compiler's conversion to a base
    class has another for null: that is no decision to go on."""
    return insn.mnemonic in _GIVES and not (insn.operands and insn.operands[0].mem)


def branch(code: Code, index: int) -> int | None:
    """The jump that what is compared decides."""
    for jump in range(index + 1, min(index + 1 + _BEHIND, len(code.instructions))):
        name = code.instructions[jump].mnemonic
        if name in (*IF_NULL, *IF_NOT):
            return jump
        if not name.startswith(("mov", "lea")):
            return None
    return None


def _value(core: Dump, code: Code, at: int, place: Kept) -> Kept | frozenset[int | None]:
    """Which value a place holds before an instruction: that of a cell of the frame, else of a
    register that these instructions set."""
    sets = frozenset[int | None]()
    for _ in range(_COPIES):
        if not isinstance(place, str):
            return place
        sets = frozenset(index for index, _ in Slicer(core, code, at, {}).definitions(place))
        index = next(iter(sets), None)
        insn = code.instructions[index] if index is not None and len(sets) == 1 else None
        source = kept(code, insn, 1) if insn is not None and insn.mnemonic == "mov" else ""
        if index is None or not source:
            break
        at, place = index, source
    return sets


def ahead_of(code: Code) -> list[list[int]]:
    """The instructions that may run next; behind one that gives a constant, which the next asks for
    (gcc's ``a && b`` as a value), those that do for it."""
    ahead: list[list[int]] = [[] for _ in code.before]
    for index, before in enumerate(code.before):
        for one in before:
            ahead[one].append(index)
    all_of = code.instructions
    for index, outline in enumerate(all_of.outlines):
        gives = all_of[index] if outline.mnemonic == "mov" else None
        if gives is None or gives.operands[1].imm is None or not gives.operands[0].reg:
            continue
        then = ahead[index]
        while len(then) == 1 and all_of[then[0]].mnemonic == "jmp":
            then = ahead[then[0]]
        jump = branch(code, then[0]) if len(then) == 1 and compares(all_of[then[0]]) else None
        same = FAMILY.get(gives.operands[0].reg) == FAMILY.get(
            all_of[then[0]].operands[0].reg or "") if jump is not None else False  # fmt: skip
        target = code.at.get(all_of[jump].target or 0) if jump is not None and same else None
        if jump is not None and target is not None:
            taken = (all_of[jump].mnemonic in IF_NULL) == (gives.operands[1].imm == 0)
            ahead[index] = [target if taken else jump + 1]
    return ahead


def _leads(
    code: Code, ahead: Sequence[Sequence[int]], value: Kept | frozenset[int | None], start: int,
    goal: int,
) -> bool:  # fmt: skip
    """Whether the ways from an instruction lead to another, and change no such value before; a
    variable whose address the function takes may be changed by whoever it calls."""
    passed = reached(ahead, start, {goal})
    if goal not in passed:
        return False
    if isinstance(value, frozenset):
        return not passed & value
    for index, one in enumerate(code.instructions):
        written = index in passed - {goal} and one.mnemonic not in ("cmp", "test")
        if written and one.operands and kept(code, one, 0) == value:
            return False
        if one.mnemonic == "lea" and kept(code, one, 1) == value:
            return False
    return True


def _call(frames: Sequence[Frame]) -> tuple[str | None, int | None, int | None]:
    """The call of the innermost function: its name, for what was inlined there asked for its own
    ends, where the code around it returns to, and the stack of that one's caller."""
    outer = next((at for at, one in enumerate(frames) if not one.inlined), 0)
    name = frames[0].function if frames else None
    after = frames[outer + 1 : outer + 2]
    return next(((name, one.address, one.stack_pointer) for one in after), (name, None, None))
