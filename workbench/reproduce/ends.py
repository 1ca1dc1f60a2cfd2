"""The ends at which a slice stops, and what a run shows there: a constant, a sum, a call."""

from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.leads import below_zero
from workbench.reproduce.loads import Loads
from workbench.reproduce.loops import counts, fell_below_zero, lessened, wrapped
from workbench.reproduce.makers import (
    IF_NOT,
    IF_NULL,
    asks_of,
    compares,
    given_in,
    is_asked_for_null,
    looks_at,
    returns,
    table_word,
    tells_of_members,
)
from workbench.reproduce.moment import at_hit, before, frame_of, stored_by, wrote
from workbench.reproduce.nulls import allows_null, tests_for_null
from workbench.reproduce.observing import LEFT, Bound, Observed, by_program, hits_of
from workbench.reproduce.owners import SIZES, own
from workbench.reproduce.slices import (
    Lead,
    Place,
    asks_library,
    callee,
    came_from,
    cells_of,
    from_steps,
    is_product,
    last_step,
    signed_at,
)
from workbench.reproduce.stores import is_lent
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import gives_back, kept
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, culprit, history, summed
from workbench.targets.probes.instruction import MASK, Instruction, led_to
from workbench.targets.probes.slicer import Slicer, zeroes
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

_RETURNED = ("rax", "rdx")
"""In which a function gives back up to two words (System V ABI, AMD64, 3.2.3)."""
_FEW = 8
_INT = (1 << 32) - 1
_IMPLICIT = ("div", "idiv", "mul", "neg", "not")
"""Arithmetic with one operand."""
_NEAR = 1 << 16
"""Bytes of an object, or of what leads to one of its elements; no program's memory lies below."""


class Ends(Loads):
    """Why a value was what it was where its slice ends."""

    async def _too_small(self, lead: Lead, over: Hit | None = None) -> OriginStep | None:
        """Whether a block lost a part of its size; `Sizes` knows."""
        raise NotImplementedError

    async def _unkept(self) -> OriginStep | None:
        """Who wrote over a register that a call was to give back; `Preserved` knows."""
        raise NotImplementedError

    async def _ended(
        self, end: Step, bound: Bound, steps: Sequence[Step] = ()
    ) -> OriginStep | None:
        """What the last step of a slice is: a constant, what a call gave back, a sum."""
        if end.kind == "call":
            return await self._returned(end, bound)
        if end.kind == "load":
            return await self._loaded(Lead(row="copy"), end, bound)
        if end.kind in ("defined", "store"):
            return await self._defined(end.at, end.register, bound)
        if end.kind == "copy":
            insn = insn_at(self.core, end.at)
            pair = insn.operands if insn is not None and len(insn.operands) == 2 else ()
            source = FAMILY.get(pair[1].reg or "") if pair else None
            return await self._defined(end.at, source, bound) if source else None
        if end.kind == "argument":
            return await self._handed_over(end, bound)
        if end.kind == "computed" and end.text == "cdqe":
            return await self._defined(end.at, "rax", bound, end.value)  # the same number, wider
        if end.kind not in ("constant", "computed", "unset"):
            return None
        if end.kind == "constant" and end.source and is_lent(self.core, end.at):
            since, unknown = await self._stored_since(Cell("C1", end.source), end.at, bound)
            if since is not None or unknown:
                return since
            left = await self._left_unset(end) if not end.value and bound == Bound() else None
            if left is not None:
                return left
        if end.kind == "computed" and self._is_built_up(end.at, end.value):
            return None
        if end.kind == "computed" and end.source and end.text.startswith(("movsx", "movzx")):
            kept, known = await self._kept_narrow(end, bound)
            if known:
                return kept
        number = next((one.value for one in (end, *steps) if one.value is not None), 0)
        whole = lessened(insn_at(self.core, end.at)) if end.kind == "computed" else ""
        if self._beyond and whole and number > 0 and not wrapped(number):
            return await self._defined(end.at, whole, bound)  # it led as far before, or farther
        if end.kind == "computed" and wrapped(end.value):
            part, held = await self._below_before(end.at, bound)
            if part:
                return await self._defined(end.at, part, bound, held)
        made = end.value if end.value is not None and end.kind == "computed" else _NEAR
        if made < _NEAR and not self._counts:
            null = self._had_member(end, made)
            return await (
                self._defined(end.at, null, bound) if null else self._of_two_nulls(end, bound)
            )
        ways = [at for at, step in enumerate(steps) if step.kind == "argument"]
        calls = [by for at in ways if (by := steps[at].source)]
        read = any(step.kind == "load" for step in steps[ways[-1] :]) if ways else False
        asked = bool(calls) and asks_library(self.core, calls[-1])
        passed = bool(ways) and not (read and asked)  # who used what it found in memory
        if passed and end.value == 0 and self._may_be_given_null([steps[at] for at in ways]):
            return None  # by who called a function that allows for it
        if calls and end.kind == "constant" and not end.value and self._is_called_back(calls[-1]):
            return None
        if passed and end.kind == "constant" and await self._is_number(steps):
            return None  # as which another read it
        kind = {
            "constant": OriginKind.PASSED if passed else OriginKind.WRITTEN,
            "computed": OriginKind.COMPUTED,
            "unset": OriginKind.NEVER_SET,
        }[end.kind]
        if kind is OriginKind.WRITTEN and end.value == 0:
            kind = OriginKind.CLEARED
        # The instruction that loads a constant may stand long before the call that hands it over.
        found = await self._at(calls[-1] if passed and calls else end.at, kind, end.source)
        owner = self._owner(end.source) if end.kind == "constant" and end.source else None
        if found is not None and owner is not None and not passed and found.line == owner[0]:
            return None  # with which it was declared, and which nothing else took the place of
        if end.kind == "constant" and not passed and await self._falls_into(end.at):
            return None
        cleared = kind is OriginKind.CLEARED and found is not None
        return None if cleared and await self._is_declared(end.at) else found

    async def _handed_over(self, end: Step, bound: Bound) -> OriginStep | None:
        """Where a function's caller got an argument, to which more ways lead than one."""
        code = code_around(self.core, end.at)
        entry = Point("R", code.start) if code is not None and end.register in ARGUMENTS else None
        hit = await self._last_at("who gave it", (entry,), bound) if entry is not None else None
        outer = next((one for one in hit[1].frames[1:] if not one.inlined), None) if hit else None
        call = before(self.core, outer.address or 0) if outer is not None else None
        if hit is None or entry is None or call is None or not call.is_call:
            return None
        inside = self._own_called(call)
        if inside is not None and inside.start != entry.address:
            return None  # which left for it by a jump, and gave it another argument
        given = Bound(bound.cell, hit[1].nth, bound.reads, Point("L", entry.address))
        value = hit[1].registers.get(end.register)
        if value and end.value and value != end.value and bound == Bound():
            return await self._unkept()  # it was another then
        if not value and (self._may_be_given_null([end]) or self._is_called_back(call.address)):
            return None
        found = await self._defined(call.address, end.register, given, value)
        constant = found is not None and self._is_constant(found)
        return replace(found, kind=OriginKind.PASSED) if found and constant else found

    async def _is_declared(self, at: int) -> bool:
        """Whether an instruction gave a pointer of its function the null with which that was
        declared: who used it, or is to be looked for null, is not shown by that."""
        return not self._counts and (await self._runs.runner.declares([at])) == [True]

    async def _left_unset(self, end: Step) -> OriginStep | None:
        """The call that left null what it was lent to set, and said so: its answer is another than
        that of the calls which set it, or, where no other did, below zero. Only where nobody looks
        at the answer; else who gave it, or who takes it for another, may be to blame."""
        code, failed = code_around(self.core, end.at), self.crash.outcome.frames
        store = code.instructions[code.at[end.at]] if code is not None else None
        mem, frame = store.operands[0].mem if store else None, frame_of(failed, end.source or 0)
        if code is None or store is None or mem is None or frame is None or self._counts:
            return None
        lent = [
            at for at, one in enumerate(code.instructions) if led_to(one) == (mem.base, mem.disp)
        ]
        calls = [next((one for one in code.instructions[at:] if one.is_call), None) for at in lent]
        inside = self._own_called(calls[0]) if len(calls) == 1 and calls[0] is not None else None
        if calls[:1] == [None] or inside is None or self._left <= 0 or (
            await self._runs.runner.answers([inside.start]) == [""]
        ):  # fmt: skip
            return None
        (call,) = (one for one in calls if one is not None)
        points = (Point("S", end.at), Point("R", call.end))
        seen = await self._observe("what the call that was to set it gave back", points=points)
        hits = hits_of(seen)
        began = max((h.order for h in hits if h.watch == "S"), default=1 << 60)
        last = next((h for h in reversed(hits) if h.watch == "R" and h.order > began), None)
        if seen is None or last is None or store.effective(mem, last.registers) != end.source:
            return None
        if gives_back(self.core, replace(last, frames=(last.frames[0], last.frames[0]))):
            return None
        answer = last.registers.get("rax", 0)
        did = [h.registers.get("rax", 0) for h in hits if h.watch == "R" and at_hit(
            self.core, h).read_word(store.effective(mem, h.registers) or 0)]  # fmt: skip
        below = answer >> 31 in (1, MASK >> 31)
        if any((answer ^ one) & _INT == 0 for one in did) or not (did or below):
            return None
        (line,) = await self._runs.places([call.address])
        here = self._step(seen, last, OriginKind.NEVER_SET)
        return replace(here, line=line.line, address=end.source)

    def _may_be_given_null(self, ways: Sequence[Step]) -> bool:
        """Whether a function that was given null on the way asks whether that is, or hands it on to
        another that does."""
        codes = [(code_around(self.core, step.at), step.register) for step in ways]
        asks = allows_null if self._counts else asks_of
        return any(
            code is not None
            and (asks(self.core, code, name) or self._hands_to_who_asks(code, name))
            for code, name in codes
        )

    def _hands_to_who_asks(self, code: Code, register: str) -> bool:
        """Whether a function hands what it was given in a register on to another of the program's
        that compares that with null."""
        asks = allows_null if self._counts else asks_of
        for index, call in enumerate(code.instructions):
            inside = self._own_called(call) if call.is_call else None
            if inside is not None and any(
                given_in(self.core, code, (index, name)) == register
                and asks(self.core, inside, name)
                for name in ARGUMENTS
            ):
                return True
        return False

    def _is_called_back(self, at: int) -> bool:
        """Whether a call goes where a pointer leads that is no object's table: who makes it says
        what such a function may be given, and that it may be null where it gives null."""
        call = insn_at(self.core, at)
        to = call.operands[0] if call is not None and call.is_call and call.operands else None
        return call is not None and to is not None and call.target is None and not (
            (to.mem is not None and to.mem.base == "rip") or table_word(self.core, call) is not None
        )  # fmt: skip

    async def _below_before(self, at: int, bound: Bound) -> tuple[str, int]:
        """The register of which alone, and of constants, a number below zero was made, where that
        was below zero itself, and what it held; empty for any other."""
        insn = insn_at(self.core, at)
        made = insn.operands if insn is not None else ()
        copied = insn is not None and insn.mnemonic.startswith("mov")
        made = made[1:] if len(made) == 3 or copied else made
        names = {FAMILY.get(one.reg or "", "") for one in made if one.imm is None}
        name, bits = names.pop() if len(names) == 1 else "", made[0].size * 8 if made else 0
        if insn is not None and insn.mnemonic == "cdqe":
            name, bits = "rax", 32
        hit = await self._last_at("what it was made of", (Point("R", at),), bound) if name else None
        held = hit[1].registers.get(name, 0) if hit else 0
        return (name, held) if held and held >> bits - 1 & 1 else ("", 0)

    def _had_member(self, end: Step, made: int) -> str:
        """The register that was null where the end of a slice is the address of a member of it."""
        insn = insn_at(self.core, end.at)
        if insn is None or len(insn.operands) != 2:
            return ""
        first, second = insn.operands
        mem = second.mem
        if insn.mnemonic == "lea" and mem is not None and not mem.index and mem.disp == made:
            return mem.base or ""
        if insn.mnemonic == "add" and second.imm == made:
            return FAMILY.get(first.reg or "", "")
        return ""

    async def _of_two_nulls(self, end: Step, bound: Bound) -> OriginStep | None:
        """Why a pointer was null that a distance was added to which may have been nought: of the
        two cells that were added it is the one that has held an address."""
        hit = await self._last_at("what was added", (Point("R", end.at),), bound)
        insn = insn_at(self.core, end.at)
        pair = summed(insn, end.register) if insn is not None else None
        if hit is None or pair is None or self._is_spent():
            return None
        moment, registers = at_hit(self.core, hit[1]), hit[1].registers
        read = [cells_of(moment, history(moment, end.at, name, registers))[0] for name in pair]
        if not all(read):
            return None
        places = {f"C{number}": cells[0] for number, cells in enumerate(read, 1)}
        seen = await self._observe(
            "which of them is a pointer", bound=bound, points=bound.points, reads=bound.reads,
            cells=(*(Cell(name, at.cell) for name, at in places.items()), *bound.cells),
        )  # fmt: skip
        held = {hit.watch for hit in hits_of(seen) if hit.watch in places
                and self.core.region(hit.new or 0)}  # fmt: skip
        (name,) = held if len(held) == 1 else ("",)
        if not name or places[name].value:
            return None
        return await self._follow(Lead(row="pointer", cells=(places[name],)), bound)

    async def _stored_since(
        self, cell: Cell, at: int, bound: Bound, by: OriginStep | None = None
    ) -> tuple[OriginStep | None, bool]:
        """Where the value came from that another instruction than the one ``at`` stored last into
        a cell, on another line than ``by``, the same that was there: only a run that tells reads as
        well shows it. And whether one did, or no run is left to see it."""
        if self._is_spent():
            return None, True
        seen = await self._observe(
            "who else stored the same there", bound=bound, reads=True,
            cells=(cell, *bound.cells), points=bound.points,
        )  # fmt: skip
        if seen is None:
            return None, False
        end = self._end(seen, bound)
        put = by_program(seen, cell.name, end)
        hits = [hit for hit in put if hit.kind == "filled" or wrote(self.core, hit)]
        if hits and hits[-1].kind == "filled":
            return None, True  # what the system put there came from outside
        last = stored_by(self.core, hits[-1]) if hits else None
        line = own(hits[-1].frames) if hits else None
        same = line and by and (line.function, line.line) == (by.function, by.line)
        if last is None or last.address == at or same:
            return None, False
        return await self._behind_write(seen, hits[-1], replace(cell, name="B"), True), True

    async def _is_number(self, steps: Sequence[Step]) -> bool:
        """Whether a bad pointer was given as a number to each function on its way, and is none."""
        ways = [s for s in steps if s.kind == "argument" and s.register in ARGUMENTS]
        taken = await self._runs.runner.takes([one.at for one in ways]) if not self._counts else []
        kinds = {of[ARGUMENTS.index(s.register) :][:1] for s, of in zip(ways, taken, strict=False)}
        return kinds == {"n"}

    async def _taken(
        self, hit: Hit, insn: Instruction, register: str, value: int | None, bound: Bound
    ) -> OriginStep | None:
        """Where a ``value`` came from that a conditional move left in a register: what was there,
        or what it moved; None where both are alike."""
        names = (register, FAMILY.get(insn.operands[1].reg or "", ""))
        mask = (1 << insn.operands[0].size * 8) - 1
        fitting = [one for one in names if value is not None and one in hit.registers
                   and (hit.registers[one] ^ value) & mask == 0]  # fmt: skip
        if len(fitting) != 1 or names[1] not in hit.registers:
            return None
        moment = at_hit(self.core, hit)
        part = culprit(moment, insn.address, fitting[0], hit.registers)
        steps = part.steps if part else came_from(moment, insn.address, fitting[0], hit.registers)
        if part is not None and part.kind != "pointer" and steps:
            self._counts = True
            led = below_zero(steps) or from_steps(moment, "index", steps)
            return await self._follow(led, bound) if led is not None else None
        if not steps:  # more ways lead here than one
            return await self._defined(insn.address, fitting[0], bound)
        cells, derived = cells_of(moment, steps)
        made = next((step for step in steps if step.kind == "computed"), None)
        if derived and made is not None and not self._is_built_up(made.at, made.value):
            return await self._at(made.at, OriginKind.COMPUTED, None)
        if cells and not derived:
            return await self._follow(Lead(row="copy", cells=cells), bound)
        return await self._ended(last_step(steps), bound, steps) if steps and not derived else None

    async def _defined(
        self, at: int, source: str, bound: Bound, value: int | None = None
    ) -> OriginStep | None:
        """Which of the instructions that may have set a register did so last; what only counts it
        on, in a loop, is passed over."""
        code = code_around(self.core, at)
        if code is None or at not in code.at:
            return None
        found, given, ends = set[int](), False, [code.at[at]]
        for end in ends:  # and before what counts it on, where it is not counted on each way
            for index, _ in Slicer(self.core, code, end, {}).definitions(source):
                given = given or index is None
                if index is not None and index not in found:
                    found.add(index)
                    ends += [index] if counts(code.instructions[index], source) else []
            setting = [
                one for one in (code.instructions[index] for index in sorted(found))
                if not counts(one, source)
            ]  # fmt: skip
            if not setting:
                return None
        points = tuple(Point("R", one.address) for one in setting[:8])
        if given:  # or it came with the call
            points += (Point("R", code.start),)
        hit = await self._last_at("what sets the register", points, bound)
        one = next((o for o in setting if hit is not None and o.address == hit[1].address), None)
        if hit is not None and one is not None and one.mnemonic in _IMPLICIT:
            return await self._at(one.address, OriginKind.COMPUTED, None)
        if hit is not None and one is not None and one.is_call and source in _RETURNED:
            value = hit[0].outcome.registers.get(source)
            return await self._returned(Step("call", one.address, source, "", None, value), bound)
        if hit is None or one is None or len(one.operands) != 2:
            return None
        operand = one.operands[1]
        if operand.mem is not None and one.mnemonic.startswith("mov"):
            load = Step("load", one.address, source, one.text)
            return await self._loaded(Lead(row="copy"), load, bound)
        if operand.reg in FAMILY and one.mnemonic.startswith("mov"):
            then = hit[1].registers
            steps = history(at_hit(self.core, hit[1]), one.address, FAMILY[operand.reg], then)
            cells = cells_of(self.core, steps)[0]
            if cells:
                return await self._follow(Lead(row="copy", cells=cells), bound)
            then_on, last = _before_it(hit, one, bound), last_step(steps) if steps else None
            if last is None:  # more ways lead here than one
                return await self._defined(one.address, FAMILY[operand.reg], then_on)
            goes_on = last.kind in ("copy", "defined", "store")  # or it may come to itself again
            return await self._ended(last, then_on if goes_on else bound, steps)
        begun = zeroes(one) or (operand.imm is not None and one.mnemonic.startswith("mov"))
        if begun and len(setting) < len(found) and (self._counts or operand.imm):
            return None  # where it began to count is no cause; a compiler makes such numbers
        null = begun and not operand.imm
        if null and (name := self._for_null(one.address)):
            return await self._given_null(hit[1], name, _before_it(hit, one, bound))
        if zeroes(one):
            declared = await self._is_declared(one.address)
            return None if declared else await self._at(one.address, OriginKind.CLEARED, None)
        if one.mnemonic.startswith("cmov"):
            return await self._taken(hit[1], one, source, value, _before_it(hit, one, bound))
        if operand.imm is not None and not one.mnemonic.startswith("mov"):
            return None  # a shift or a mask of what was bad may be
        if operand.imm is not None or (operand.mem is not None and operand.mem.base == "rip"):
            fixed = await self._given_constant(one.address, bound)
            cleared = fixed is not None and fixed.kind is OriginKind.WRITTEN and operand.imm == 0
            if operand.imm == 0 and await self._is_declared(one.address):
                return None
            return replace(fixed, kind=OriginKind.CLEARED) if fixed and cleared else fixed
        moves = (source,) if one.mnemonic in ("add", "sub") else ()
        parts = [hit[1].registers.get(name, 0) for name in summed(one, source) or moves]
        if operand.mem is not None:  # lea
            parts.append(one.effective(operand.mem, hit[1].registers) or 0)
        if any(self.core.region(part) for part in parts):
            return await self._led_astray(hit, one, source, bound)
        if self._is_built_up(one.address, None) or one.mnemonic.startswith(("mov", "pextr")):
            return None  # of many steps, or of those of a vector's, which are not followed
        return await self._at(one.address, OriginKind.COMPUTED, None)

    async def _led_astray(
        self, hit: tuple[Observed, Hit], insn: Instruction, target: str, bound: Bound
    ) -> OriginStep | None:
        """Who made the distance, below zero or of more than 31 bits, with which an instruction made
        of a pointer one that leads nowhere; None where neither part is known to be bad."""
        pair = [hit[1].registers.get(name) for name in summed(insn, target) or ()]
        led = [bool(one and self.core.region(one)) for one in pair]
        if len(pair) != 2 or None in pair or led.count(True) != 1:
            return None
        far, total = pair[led.index(False)] or 0, sum(one or 0 for one in pair) & MASK
        if not far >> 31 or self.core.region(total) is not None:
            return None
        name = (summed(insn, target) or ())[led.index(False)]
        return await self._chosen(hit[1], insn.address, name, _before_it(hit, insn, bound))

    async def _summed_up(self, step: Step, bound: Bound) -> OriginStep | None:
        """See `_led_astray`, of a step of a slice that made a pointer."""
        insn = insn_at(self.core, step.at)
        if insn is None or self._counts or not summed(insn, step.register):
            return None
        hit = await self._last_at("what was added", (Point("R", step.at),), bound)
        return await self._led_astray(hit, insn, step.register, bound) if hit else None

    async def _given_constant(self, at: int, bound: Bound) -> OriginStep | None:
        """A constant that a register was given at ``at``: of what the fault used, a function that
        was inlined there, and has come back, returned it, if it gives such back: else an object
        began with it, which the compiler keeps in registers."""
        found = await self._at(at, OriginKind.WRITTEN, None)
        if await self._falls_into(at):
            return None
        running = {frame.function for frame in self.crash.outcome.frames}
        back = found is not None and bound == Bound() and found.function not in running
        if found is None or not back:
            return found
        (answer,) = await self._runs.runner.answers([at])
        gives = answer == "p" or (answer and self._counts)
        return replace(found, kind=OriginKind.RETURNED) if gives else None

    async def _falls_into(self, at: int) -> bool:
        """Whether an instruction stands right behind a branch and begins no row of the line table:
        what is told there is the line of the branch, as of a loop's end. Where registers are not
        kept, a loop's branch goes back, and one ahead is that of an ``if`` in the line."""
        code = code_around(self.core, at)
        index = code.at.get(at, 0) if code is not None else 0
        branch = code.instructions[index - 1] if code is not None and index else None
        if branch is None or code is None or not branch.is_jump or branch.mnemonic == "jmp":
            return False
        if "rbp" in code.frame and (branch.target or 0) > at:
            return False
        return await self._runs.runner.begins_row([at]) == [False]

    def _was_bad(self, steps: Sequence[Step], total: int | None) -> bool:
        """Whether a pointer was computed a member's or an element's distance behind one that leads
        nowhere either: that was bad before."""
        held = next((step.value for step in steps if step.kind != "computed"), None)
        near = 0 <= (total or 0) - (held or 0) < _NEAR
        return near and (held or 0) >= _NEAR and self.core.region(held or 0) is None

    def _is_constant(self, step: OriginStep) -> bool:
        """Whether a step is that a register was given a constant, of which no run has told."""
        constant = step.kind in (OriginKind.WRITTEN, OriginKind.CLEARED)
        return constant and step.evidence == (Citation(self.crash.id),)

    async def _asked_below_zero(self, at: int, size: str, bound: Bound) -> OriginStep | None:
        """Where the size was made that the allocation called at an instruction was asked for, where
        it was a number below zero: none gives as much (malloc(3), PTRDIFF_MAX)."""
        hit = await self._last_at("how much it was asked for", (Point("R", at),), bound)
        if hit is None or not hit[1].registers.get(size, 0) >> 63:
            return None
        return await self._chosen(hit[1], at, size, bound)

    async def _returned(self, call: Step, bound: Bound) -> OriginStep | None:
        """Why a function of the program's gave back what it did; of another's, who asked it."""
        code = code_around(self.core, call.at)
        if code is None or call.at not in code.at:
            return None
        insn = code.instructions[code.at[call.at]]
        failed = call.value in (0, MASK)
        asked = await self._at(call.at, OriginKind.RETURNED, None) if failed else None
        if asked is not None:
            inner = Frame(index=LEFT, function=callee(self.core, insn) or None)
            asked = replace(asked, stack=(inner, *asked.stack))
        inside = self._own_called(insn)
        if inside is not None and not returns(inside):
            left = inside.instructions[-1]  # it ends in another's call, by a jump
            there = through_plt(self.core, left.target) if left.target is not None else 0
            by = self.core.module_at(there)
            if left.is_jump and by is not None and is_runtime_library(by.name):
                return await self._returned(replace(call, at=left.address), bound)
        if inside is None:
            size = SIZES.get(callee(self.core, insn).rsplit("_", 1)[-1]) if failed else None
            sized = await self._asked_below_zero(insn.address, size, bound) if size else None
            if sized is not None:
                self.steps += [asked] if asked is not None else []
                return sized
            if failed and callee(self.core, insn) == "__dynamic_cast":
                gone = await self._cast_of_gone(insn.address, bound)
                running = {frame.function for frame in self.crash.outcome.frames}
                if gone is not None or (asked and asked.function not in running):
                    return gone  # an inlined one's caller was told that it is of another class
            if not call.value and (self._counts or looks_at(self.core, code, insn)):
                return None  # 0 as of what it was given; or who asked knew that it was null
            return asked
        came = await self._left_by(insn, inside, bound)
        if came is None:
            return asked
        hit, before_it = came
        here = self._step(*hit, OriginKind.RETURNED)
        moment, at = at_hit(self.core, hit[1]), hit[1].registers
        back = call.register if call.register in _RETURNED else "rax"
        part = culprit(moment, at["rip"], back, at)
        steps = part.steps if part else came_from(moment, at["rip"], back, at)
        if part is not None and part.array:
            small = await self._too_small(Lead(row="index", array=part.array))
            if small is not None:
                return small
        ret = inside.at.get(at["rip"], 0)
        if not at.get(back) and tests_for_null(self.core, inside, ret, back):
            return None  # it knew that: nothing was found, as it may be
        if is_product(steps):
            return None
        cells, derived = cells_of(moment, steps)
        derived = derived and not self._was_bad(steps, call.value)
        if (signed := signed_at(steps)) is not None:
            return await self._ended(replace(signed, kind="computed"), before_it)
        if not steps:  # more ways lead here than one
            found = await self._defined(at["rip"], back, before_it)
            if found is None or not self._is_constant(found):
                return found
            name = self._for_null(found.stack[0].address or 0)
            if name and found.kind is OriginKind.CLEARED:
                return await self._given_null(hit[1], name, before_it)
            if self._may_give_null(inside, call):
                return None
            return replace(found, kind=OriginKind.RETURNED, evidence=here.evidence,
                           thread=hit[1].thread)  # fmt: skip
        if cells and (part is not None or not derived):
            return await self._follow(Lead(row="copy", cells=cells), before_it)
        if steps and (part is not None or not derived):
            last = last_step(steps)
            library = last.kind == "call" and asks_library(self.core, last.at)
            if (library or last.kind == "constant") and failed and bound == Bound():
                return None  # used where it was called: whether it may fail, or is to be checked
            if last.kind == "constant" and not last.value and (name := self._for_null(last.at)):
                return await self._given_null(hit[1], name, before_it)
            if last.kind == "constant" and self._may_give_null(inside, call):
                return None
            found = await self._ended(last, before_it, steps)
            if found is None and last.kind in ("load", "call", "constant", "copy"):
                return None  # it only handed on what it had
            if found is not None:
                chosen = last.kind == "constant" or self._is_constant(found)
                kind = OriginKind.RETURNED if chosen else found.kind
                return replace(found, kind=kind, evidence=here.evidence, thread=hit[1].thread)
        if derived:
            last = last_step(steps)
            made = fell_below_zero(steps)
            if made is None and last.kind == "load" and not (last.source and last.matches):
                return None  # of what, no run has seen
            if made is not None and tells_of_members(inside):
                return None  # who changed one of them is to blame
            made = made or next((s for s in steps if s.kind == "computed"), None)
            if made is not None and self._is_built_up(made.at, made.value):
                return None
            if made is not None and 0 < (made.value or 0) < _NEAR and not self._counts:
                return await self._ended(made, before_it, steps)  # of what was null
            return await self._at(made.at, OriginKind.COMPUTED, None) if made else asked
        return asked

    def _may_give_null(self, inside: Code, call: Step) -> bool:
        """Whether a function gave null of which others that call it ask whether it is: who used it,
        or handed it on, is to ask too."""
        return not (call.value or self._counts) and is_asked_for_null(self.core, inside.start)

    async def _cast_of_gone(self, at: int, bound: Bound) -> OriginStep | None:
        """Who gave an object back that a dynamic_cast, the call at an instruction, was given: it
        is of no class then (Itanium C++ ABI, 2.9.7: the table is read from the object)."""
        hit = await self._last_at("what was cast", (Point("R", at),), bound)
        cast = hit[1].registers.get("rdi", 0) if hit is not None else 0
        place = Place(cast, 8, None, at, cast)
        lead = Lead(row="pointer", pointer=cast, cells=(place,))
        found = await self._follow(lead, bound) if cast else None
        return found if found is not None and found.kind is OriginKind.FREED else None

    def _own_called(self, call: Instruction) -> Code | None:
        """The function of the program's that is called, by its address."""
        goal = through_plt(self.core, call.target) if call.target is not None else None
        module = self.core.module_at(goal) if goal is not None else None
        foreign = module is None or is_runtime_library(module.name)
        return code_around(self.core, goal) if goal is not None and not foreign else None

    async def _left_by(
        self, call: Instruction, inside: Code, bound: Bound
    ) -> tuple[tuple[Observed, Hit], Bound] | None:
        """The last return of a called function before what is bound, and what was before that."""
        points = tuple(Point("R", at, call.end) for at in returns(inside))
        hit = await self._last_at("what the function gives back", points[:16], bound)
        if hit is None:
            return None
        at = hit[1].registers["rip"]
        known = [one for one in hit[0].outcome.events if one.watch == "R"]
        if len(known) != hit[0].outcome.totals["R"]:
            return hit, bound
        nth = sum(one.address == at and one.nth <= hit[1].nth for one in known)
        return hit, Bound(bound.cell, nth, bound.reads, Point("L", at, call.end))

    def _for_null(self, at: int) -> str:
        """The argument in which a function was given null, where it comes to an instruction for
        that alone: it only hands on that null then."""
        code = code_around(self.core, at)
        here = code.at.get(at) if code is not None else None
        for _ in range(_FEW):
            ways = [at for at in code.before[here] if not _pads(code, at)] if code and here else []
            if code is None or len(ways) != 1:
                return ""
            (jump,) = ways
            insn, asks = code.instructions[jump], code.instructions[max(jump - 1, 0)]
            taken = code.at.get(insn.target or 0) == here
            if insn.mnemonic in (IF_NULL if taken else IF_NOT) and compares(asks):
                if asks.operands[0].size < 8:
                    return ""  # a number's nought
                place = kept(code, asks, 0)
                return given_in(self.core, code, (jump - 1, place)) if place else ""
            here = jump
        return ""

    async def _given_null(self, hit: Hit, register: str, bound: Bound) -> OriginStep | None:
        """Where the null came from that the function which came back at a hit was given."""
        moment = at_hit(self.core, hit)
        caller = next(callers(moment, hit.registers["rip"], hit.registers, 1), None)
        value, steps = argument(moment, caller, register) if caller is not None else (None, [])
        if value != 0 or not steps:
            return None
        cells, derived = cells_of(moment, steps)
        if cells and not derived:
            return await self._follow(Lead(row="copy", cells=cells), bound)
        return await self._ended(last_step(steps), bound, steps)


def _before_it(hit: tuple[Observed, Hit], insn: Instruction, bound: Bound) -> Bound:
    """What comes before an instruction that a run's point R met ran for that time."""
    runs = [one for one in hit[0].outcome.events if one.watch == "R" and one.nth <= hit[1].nth]
    nth = sum(one.address == insn.address for one in runs)
    return Bound(bound.cell, nth, bound.reads, Point("L", insn.address))


def _pads(code: Code, at: int) -> bool:
    """Whether an instruction only fills the room in front of a jump's goal."""
    return "nop" in code.instructions[at].mnemonic and all(
        _pads(code, one) for one in code.before[at]
    )
