"""The slice behind a register's value, step by step."""

import re

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.probes import x86
from workbench.targets.probes.called import freed_by, returned
from workbench.targets.probes.callees import callee_name, through_plt
from workbench.targets.probes.demangle import function
from workbench.targets.probes.instruction import MASK, Instruction, Memory, Operand
from workbench.targets.probes.machines.x86 import accesses
from workbench.targets.probes.places import NEAR_NULL
from workbench.targets.probes.slicer import (
    MAX_DEPTH,
    Slicer,
    Trail,
    gives,
    last_stores,
    stored,
    zeroes,
)
from workbench.targets.probes.unset import never_set, never_set_register
from workbench.targets.probes.x86 import COPIES, FAMILY


class Step(Struct, frozen=True):
    """One step back. ``kind``: load | store | copy | computed | constant | call | argument | unset.

    ``register`` is what the instruction at ``at`` wrote (for a store: what it wrote from; for an
    argument ``at`` is the function's start and ``source`` the call that passed it, if known);
    ``source`` the cell of a load or store, ``value`` what memory holds there now or what was
    computed. ``matches`` is False when that is not the value that was seen later. For what was
    never set ``at`` is the function's start, ``source`` the cell (None: the register itself).
    ``parts`` are what the cell's address was added up from, where an index was added. ``freed`` is
    the first call behind a load or an argument's passing that may have freed memory. ``indexed``:
    what was added is a number of elements, scaled. ``skipped``: of a load from the function's own
    frame that one way leads past each store to its cell. ``unsure``: of the store of an argument,
    that somebody who had an address of that frame may have set the cell since; it holds where a
    caller is seen to have passed what is there.
    """

    kind: str
    at: int
    register: str
    text: str
    source: int | None = None
    value: int | None = None
    matches: bool = True
    detail: str = ""
    parts: tuple[int, ...] = ()
    freed: str = ""
    indexed: bool = False
    skipped: bool = False
    unsure: bool = False


_ARITHMETIC = frozenset(
    ["lea", "add", "sub", "inc", "dec", "and", "or", "xor",
     "shl", "sal", "shr", "imul", "neg", "cdqe"]
)  # fmt: skip
_SCALES = ("shl", "sal", "imul")
_C = re.compile(r"(?:^|/)lib[cm](?:-[\d.]+)?\.so")
"""The modules of glibc's and musl's functions."""
_COUNTS = (*_SCALES, "cdqe", "movsxd")
"""What sets a register to a number: nobody shifts, multiplies or widens a pointer."""
_MOST_STEPS = 32
"""Of one function: code that is not optimised takes five for a sum of two variables."""
_DISTANCE = 1 << 32
"""Below it a number that is added to a pointer is a distance; user space's mappings lie above."""
_WRITES_NOTHING = frozenset(
    ["malloc", "calloc", "strdup", "strndup", "strlen", "strcmp", "strncmp", "memcmp",
     "printf", "fprintf", "puts", "fputs"]
)  # fmt: skip
"""Functions that leave the memory of their caller alone (ISO C)."""
_TWICE = ("setjmp", "sigsetjmp")
_FAILED = (0, (1 << 64) - 1)
"""What allocations return when they fail: null, MAP_FAILED."""


def explain(
    slicer: Slicer,
    register: str,
    value: int | None = None,
    *,
    into: bool = False,
    unsure: bool = False,
) -> list[Step]:
    """The steps back from the register's value at the slicer's end point, nearest first.
    ``value`` is what it was where the slicer cannot tell; ``into`` goes on in a function that
    made what it returned, not only in one that returned the address it was given; ``unsure``
    names arguments that a caller has yet to be asked for, see `Step`."""
    known = slicer.known(register)
    explainer = _Explainer(slicer, into, unsure)
    return explainer.follow(register, value if known is None else known)


def explain_at(
    slicer: Slicer, register: str, value: int | None, trail: Trail, *, unsure: bool = False
) -> list[Step]:
    """The same from a place before the end point: right before a trail's first instruction."""
    return _Explainer(slicer, False, unsure).follow(register, value, trail)


class _Explainer:
    """Collects the ``steps`` from one place on."""

    def __init__(self, slicer: Slicer, into: bool, unsure: bool = False) -> None:
        self._slicer = slicer
        self._into = into
        self._unsure = unsure
        self.steps: list[Step] = []

    def follow(self, register: str, value: int | None, trail: Trail | None = None) -> list[Step]:
        """The steps with those from right before a trail's first instruction, or the end point."""
        self._follow(register, value, trail)
        return self.steps

    def _follow(self, register: str, value: int | None, trail: Trail | None) -> None:
        if len(self.steps) >= _MOST_STEPS or register in ("rsp", "rip"):
            return
        found = list(self._slicer.definitions(register, trail))
        chosen = self._chosen(found, register, value)
        if chosen is None:
            return
        index, rest = chosen
        if index is None:
            start = self._slicer.code.start
            if self._slicer.code.exact and register in x86.ARGUMENTS:
                which, freed = str(x86.ARGUMENTS.index(register) + 1), self._freed((0, rest))
                given = Step("argument", start, register, "", None, value, True, which, (), freed)
                self.steps.append(given)
            elif value is not None and never_set_register(self._slicer, register):
                self.steps.append(Step("unset", start, register, "", None, value))
            return
        if register == "rbp" and _sets_frame(self._slicer.code.instructions[index]):
            return
        self._step(register, value, (index, rest))

    def _chosen(
        self, found: list[tuple[int | None, Trail | None]], register: str, value: int | None
    ) -> tuple[int | None, Trail | None] | None:
        """The definition to believe: the only one, or the only one that gives the value seen; a
        constant's, which says nothing of this value, or that of a register which is nought as many
        are, where what each of the others gives is known."""
        if len(found) == 1:
            return found[0]
        if value is None:
            return None
        given = [
            (None if index is None else self._slicer.evaluate((index, rest), register), index, rest)
            for index, rest in found
        ]
        fitting = [(i, rest) for one, i, rest in given if i is not None and one == value]
        if len({index for index, _ in fitting}) != 1:
            return None
        unknown = any(one is None for one, _, _ in given)
        return None if unknown and self._is_chance(fitting[0][0], value) else fitting[0]

    def _is_chance(self, index: int, value: int) -> bool:
        """Whether an instruction sets its register to a constant, or copies nought from another."""
        insn = self._slicer.code.instructions[index]
        if insn.mnemonic not in COPIES:
            return zeroes(insn)
        return insn.operands[1].imm is not None or (not value and insn.operands[1].mem is None)

    def _step(self, register: str, value: int | None, trail: Trail) -> None:
        insn = self._slicer.code.instructions[trail[0]]
        if insn.is_call:
            if register == "rax":
                self._through_call(insn, value, trail)
            elif value is not None and register in x86.ARGUMENTS and self._only_left(insn):
                start = self._slicer.code.start
                self.steps.append(Step("unset", start, register, "", None, value))
            elif register == "rdx":  # of two words (System V ABI, AMD64, 3.2.3)
                name = callee_name(self._slicer.core, insn) or ""
                self.steps.append(
                    Step("call", insn.address, "rdx", insn.text, None, value, detail=name)
                )
            return
        computed = self._slicer.evaluate(trail, register)
        fits = value is None or computed is None or computed == value
        if zeroes(insn):
            self.steps.append(Step("constant", insn.address, register, insn.text, None, 0, fits))
            return
        source = insn.operands[1] if len(insn.operands) > 1 else None
        if insn.mnemonic in COPIES and source is not None:
            self._copied(register, value, trail, source, computed, fits)
        elif insn.mnemonic.startswith("cmov") and source is not None and value is not None:
            kept, taken = self._slicer.known(register, trail), self._slicer.operand(source, trail)
            if taken == value != kept:
                self._copied(register, value, trail, source, value, True)
            elif kept == value != taken:
                self._follow(register, value, trail)
        elif insn.mnemonic in _ARITHMETIC:
            seen = value if computed is None else computed
            other = self._other(source, trail)
            self.steps.append(
                Step("computed", insn.address, register, insn.text, None, seen, fits, other)
            )
            self._through_arithmetic(register, seen, trail)

    def _only_left(self, call: Instruction) -> bool:
        """Whether a call gave nothing back beside rax: it only left there what it had worked with.
        Of the C library's functions div(3) and its kin alone give back two words."""
        goal = through_plt(self._slicer.core, call.target) if call.target is not None else 0
        module = self._slicer.core.module_at(goal)
        name = callee_name(self._slicer.core, call) or "div"
        return module is not None and bool(_C.search(module.name)) and not name.endswith("div")

    def _through_call(self, call: Instruction, value: int | None, trail: Trail) -> None:
        """The call, what the called function made its result from, and who gave it that. A function
        that returns what it was given (``std::forward``) copied it; one that asks for null may have
        meant to."""
        names = (*x86.ARGUMENTS, "rsp")
        known = {name: self._slicer.known(name, trail) for name in names}
        given = {
            name: held for name, held in known.items() if held is not None
        } | self._slicer.bases
        way = returned(self._slicer.core, call, given, value) if value is not None else None
        name = callee_name(self._slicer.core, call) or ""
        if way is not None and not way.made and way.argument is not None and (value or self._into):
            text = f"call {function(name)}" if name else call.text
            self.steps.append(Step("copy", call.address, "rax", text, None, value))
        else:
            self.steps.append(
                Step("call", call.address, "rax", call.text, value=value, detail=name)
            )
            way = way if self._into else None
        if way is None:
            return
        freed = self._freed(trail)
        for made in way.made[: _MOST_STEPS - len(self.steps)]:
            text, at = made.insn.text, made.insn.address
            late = freed if made.kind == "load" else ""
            self.steps.append(
                Step(made.kind, at, made.register, text, made.source, made.value, freed=late)
            )
        if way.argument is not None:
            self._follow(way.argument, given.get(way.argument), trail)

    def _freed(self, trail: Trail) -> str:
        """The first call between an instruction and the end point that may have freed memory."""
        code, rest = self._slicer.code.instructions, trail[1]
        calls: list[Instruction] = []
        while rest is not None:
            at, rest = rest
            if code.outlines[at].mnemonic.startswith("call"):
                calls.append(code[at])
        return freed_by(self._slicer.core, iter(calls)) or ""

    def _other(self, source: Operand | None, trail: Trail) -> str:
        """The second operand of an addition, when it is a register whose value is known."""
        if source is None or source.reg is None:
            return ""
        value = self._slicer.operand(source, trail)
        return "" if value is None else f"{source.reg} = {value:#x}"

    def _copied(
        self,
        register: str,
        value: int | None,
        trail: Trail,
        source: Operand,
        computed: int | None,
        fits: bool,
    ) -> None:
        insn = self._slicer.code.instructions[trail[0]]
        if source.imm is not None:
            fixed = source.imm & MASK if computed is None else computed
            self.steps.append(
                Step("constant", insn.address, register, insn.text, None, fixed, fits)
            )
        elif source.reg is not None and source.reg in FAMILY:
            family = FAMILY[source.reg]
            held = self._slicer.known(family, trail)
            whole = insn.mnemonic == "mov" and source.size == 8
            if value is not None and not fits and whole:  # set anew since, on a way not walked
                held, fits = value, True
            held = value if held is None and insn.mnemonic == "mov" else held
            self.steps.append(Step("copy", insn.address, register, insn.text, None, held, fits))
            self._follow(family, held, trail)
        elif source.mem is not None:
            cell = self._slicer.effective(source.mem, trail)
            now = computed if cell is not None else value
            parts = self._parts(source.mem, trail)
            freed = "" if source.mem.base in self._slicer.code.frame else self._freed(trail)
            self.steps.append(
                Step("load", insn.address, register, insn.text, cell, now, fits, "", parts, freed)
            )
            if cell is not None and fits:
                self._behind_cell(source.mem, cell, value, trail)

    def _parts(self, mem: Memory, trail: Trail) -> tuple[int, ...]:
        """What an indexed cell's address is the sum of: its registers, its fixed distance."""
        if mem.index is None:
            return ()
        names = (mem.base, mem.index if mem.scale == 1 else None)
        known = (self._slicer.known(name, trail) for name in names if name)
        return (*(value for value in known if value is not None), mem.disp & MASK)

    def _through_arithmetic(self, register: str, seen: int | None, trail: Trail) -> None:
        insn = self._slicer.code.instructions[trail[0]]
        base: str | None = register
        if insn.mnemonic == "lea":
            mem = insn.operands[1].mem
            base = (mem.base or mem.index) if mem is not None else None
        elif insn.mnemonic == "imul" and len(insn.operands) == 3:
            base = FAMILY.get(insn.operands[1].reg or "")
        elif insn.mnemonic == "add" and self._adds_null_array(insn, register, trail):
            return
        elif insn.mnemonic == "add":
            adds, added = self._adds_pointer(insn, register, trail), insn.operands[1]
            other = register if adds else FAMILY.get(added.reg or "")
            if adds is not None and other and self._counts(other, trail, _SCALES):
                self.steps[-1] = replace(self.steps[-1], indexed=True)
            if adds and added.mem is not None:
                pointer = self._slicer.operand(added, trail)
                self._copied(register, pointer, trail, added, pointer, True)
                return
            base = (
                None if adds is None else FAMILY.get(insn.operands[1].reg or "") if adds else base
            )
        if base is not None and base not in ("rip", *self._slicer.code.frame):
            known = self._slicer.known(base, trail)
            sums = insn.mnemonic in ("add", "sub") and insn.operands[1].mem is None
            by = self._slicer.operand(insn.operands[1], trail) if sums else None
            before = _before(insn, seen, by) if known is None else known
            self._follow(base, before, trail)

    def _adds_null_array(self, insn: Instruction, register: str, trail: Trail) -> bool:
        """Whether a null in memory was added to an index in bytes, with the steps behind it."""
        mem = insn.operands[1].mem
        cell = self._slicer.effective(mem, trail) if mem is not None else None
        if mem is None or cell is None or not self._counts(register, trail):
            return False
        if self._slicer.operand(insn.operands[1], trail) != 0:
            return False
        self.steps.append(Step("load", insn.address, register, insn.text, cell, 0))
        self._behind_cell(mem, cell, 0, trail)
        return True

    def _counts(self, register: str, trail: Trail, by: tuple[str, ...] = _COUNTS) -> bool:
        """Whether a register was set by what makes a number and no pointer."""
        found = list(self._slicer.definitions(register, trail))
        index, rest = found[0] if len(found) == 1 else (None, None)
        if index is None:
            return by is _COUNTS and len(found) > 1 and self._counted_on(found)
        made = self._slicer.code.instructions[index]
        source = made.operands[1].reg if made.mnemonic == "mov" else None
        if source in FAMILY:
            return self._counts(FAMILY[source], (index, rest), by)
        mem = made.operands[1].mem if made.mnemonic == "lea" else None
        alone = mem is not None and mem.index is not None and not (mem.base or mem.disp)
        doubled = made.mnemonic == "add" and made.operands[0].reg == made.operands[1].reg
        return made.mnemonic in by or alone or doubled

    def _counted_on(self, found: list[tuple[int | None, Trail | None]]) -> bool:
        """Whether a loop's counter has these definitions: nought, and steps on by a constant."""
        made = [self._slicer.code.instructions[index] for index, _ in found if index is not None]
        steps = [one for one in made if one.mnemonic in ("add", "sub") and one.operands[1].imm]
        starts = [one for one in made if zeroes(one) or _is_nought(one)]
        return bool(steps and starts) and len(steps) + len(starts) == len(found)

    def _adds_pointer(self, insn: Instruction, register: str, trail: Trail) -> bool | None:
        """Whether the second operand of an addition is the pointer and the first the distance: by
        what is mapped, else by size, else (two zeros) by which of them a call returned. None where
        either may have been the pointer: both zeros were read as they are, or zero and a number of
        a pointer's size were added."""
        added = insn.operands[1]
        other = FAMILY.get(added.reg or "")
        if other == register or added.size != 8:
            return False
        left = self._slicer.known(register, trail)
        right = self._slicer.operand(added, trail)
        region = self._slicer.core.region
        if right is None or (left and region(left) is not None):
            return False
        if region(right) is not None and added.imm is None:
            # In a program that lies low a number may be mapped too.
            return not right < _DISTANCE <= (left or 0) < 1 << 47
        if other is None:
            return False
        if left == right == 0:
            returned = self._returned(other, trail)
            if returned != self._returned(register, trail):
                return returned
            whole = self._loaded_whole(other, trail)
            counts = self._counts(register, trail)
            return None if whole and self._loaded_whole(register, trail) else whole and counts
        if left == 0 and NEAR_NULL <= right < _DISTANCE:
            return None if self._loaded_whole(other, trail) else False
        if left is None or left >= _DISTANCE:
            return False
        if right < _DISTANCE:  # both are small: the one that came out of memory as it is
            if not self._loaded_whole(other, trail):
                return False
            return not self._loaded_whole(register, trail) or (
                self._is_counted(register, trail) and not self._is_counted(other, trail)
            )
        return True

    def _loaded_whole(self, register: str, trail: Trail) -> bool:
        """Whether a register came out of memory as it is: no number of fewer bits, not scaled."""
        steps = _Explainer(self._slicer, self._into).follow(register, None, trail)
        return bool(steps) and steps[0].kind == "load" and "qword ptr" in steps[0].text

    def _is_counted(self, register: str, trail: Trail) -> bool:
        """Whether a register was loaded from a variable of the frame that the function adds to in
        place, as it counts rounds."""
        steps = _Explainer(self._slicer, self._into).follow(register, None, trail)
        cell, frame = steps[0].source if steps else None, self._slicer.code.frame
        return cell is not None and any(
            insn.mnemonic in ("add", "inc") and insn.operands[0].mem is not None
            and insn.operands[0].mem.base in frame and insn.operands[0].mem.index is None
            and self._slicer.effective(insn.operands[0].mem, (at, None)) == cell
            for at, insn in enumerate(self._slicer.code.instructions) if insn.operands
        )  # fmt: skip

    def _returned(self, register: str, trail: Trail) -> bool:
        """Whether the steps behind a zero end at a call."""
        steps = _Explainer(self._slicer, self._into).follow(register, 0, trail)
        return bool(steps) and steps[-1].kind == "call"

    def _behind_cell(self, mem: Memory, cell: int, value: int | None, trail: Trail) -> None:
        """Who put a value into a cell: a store of this function into its own frame, else the
        pointer to the cell is what to follow."""
        base = mem.base
        if base in self._slicer.code.frame:
            self._stored(mem, cell, value, trail)
        elif value in _FAILED and self._stored_elsewhere(cell, value, trail):
            return
        elif base is not None and base != "rip":
            self._follow(base, self._slicer.known(base, trail), trail)

    def _stored(self, mem: Memory, cell: int, value: int | None, trail: Trail) -> None:
        found, unset = last_stores(self._slicer, cell, trail, MAX_DEPTH)
        if unset and self.steps and not (mem.base == "rbp" and mem.disp >= 0):
            self.steps[-1] = replace(self.steps[-1], skipped=True)
        size = self._slicer.code.instructions[trail[0]].operands[1].size
        if unset and never_set(self._slicer, mem, size, value):
            start = self._slicer.code.start
            self.steps.append(Step("unset", start, f"{cell:#x}", "", cell, value))
            return
        if unset:  # one way leads past the stores: believe only a store of this very value
            found = [way for way in found if gives(self._slicer, way, value)]
        since = [way for way in found if not gives(self._slicer, way, value)]
        called = self._may_write(since, found, trail)
        if since and self._comes_back():
            return  # and what was stored in front of that may have been stored over since
        away = since and (called or self._stores_away())
        unsure = bool(away) and any(at <= cell for at in self._taken())
        if unsure and not self._unsure:
            return  # whoever has its address may have set it after the store
        kept = len(self.steps)
        self._store_step(found, cell, value)
        if unsure and [step.kind for step in self.steps[kept:]] == ["store", "argument"]:
            self.steps[kept] = replace(self.steps[kept], unsure=True)
        elif unsure:
            del self.steps[kept:]

    def _stores_away(self) -> bool:
        """Whether the function stores through a pointer or by an index, to where this may lead."""
        frame = ("rip", None, *self._slicer.code.frame)
        return any(
            "write" in access.how and (access.base not in frame or access.index is not None)
            for insn in self._slicer.code.instructions
            for access in accesses(insn, {})
        )

    def _comes_back(self) -> bool:
        """Whether the function calls setjmp(3), which returns once more for each longjmp(3)."""
        code = self._slicer.code.instructions
        calls = (
            code[at] for at, item in enumerate(code.outlines) if item.mnemonic.startswith("call")
        )
        return any(
            (callee_name(self._slicer.core, call) or "").lstrip("_") in _TWICE for call in calls
        )

    def _taken(self) -> set[int]:
        """The addresses of its frame that the function takes, or counts an index from: of a
        variable, or of the structure or the array around it, whose end is not known."""
        found = set[int]()
        code, frame = self._slicer.code.instructions, self._slicer.code.frame
        for index, item in enumerate(code.outlines):
            insn = code[index] if item.mnemonic.startswith(("lea", "mov")) else None
            if insn is None or len(insn.operands) < 2 or insn.operands[0].reg in frame:
                continue
            to, source, taken = insn.operands[0].mem, insn.operands[1], None
            if to is not None and to.base in frame and to.index is not None:
                taken = self._slicer.effective(replace(to, index=None), (index, None))
            if item.mnemonic == "mov" and source.reg == "rsp":
                taken = self._slicer.known("rsp", (index, None))
            elif item.mnemonic == "lea" and source.mem is not None and source.mem.base in frame:
                taken = self._slicer.effective(source.mem, (index, None))
            if taken is not None:
                found.add(taken)
        return found

    def _stored_elsewhere(self, cell: int, value: int | None, trail: Trail) -> bool:
        """Whether this function itself put the result of a failed call into a cell: then that call
        is what to tell of, not the way to the cell."""
        found, unset = last_stores(self._slicer, cell, trail, MAX_DEPTH - 4)
        other = _Explainer(self._slicer, self._into)
        if not unset and not self._may_write(found, found, trail):
            other._store_step(found, cell, value)
        if not other.steps or other.steps[-1].kind != "call":
            return False
        self.steps += other.steps
        return True

    def _may_write(self, since: list[Trail], found: list[Trail], trail: Trail) -> bool:
        """Whether a call on any way from a store to an instruction, past no other store of those
        that were found, may write to memory that is not its own."""
        code, stores = self._slicer.code, {at for at, _ in found}
        between = {at for at, _, stop in self._slicer.back(trail, lambda at, _: at in stores)
                   if at is not None and not stop}  # fmt: skip
        then: dict[int, list[int]] = {}
        for at in between:
            for before in code.before[at]:
                then.setdefault(before, []).append(at)
        after = [at for at, _ in since]
        reached = set(after)
        for at in after:
            if at in between and code.instructions.outlines[at].mnemonic.startswith("call") and (
                callee_name(self._slicer.core, code.instructions[at]) not in _WRITES_NOTHING
            ):  # fmt: skip
                return True
            more = set(then.get(at, ())) - reached
            reached |= more
            after += more
        return False

    def _store_step(self, found: list[Trail], cell: int, value: int | None) -> None:
        if len(found) > 1:
            found = [way for way in found if gives(self._slicer, way, value)]
        if len(found) != 1:
            return
        insn, source = self._slicer.code.instructions[found[0][0]], stored(self._slicer, found[0])
        if source is None:
            return
        mask = (1 << source.size * 8) - 1
        now = self._slicer.operand(source, found[0])
        if None not in (now, value) and ((now or 0) ^ (value or 0)) & mask:
            return  # another store, through a pointer to the cell, came after this one
        if source.imm is not None:
            now = source.imm & mask
            self.steps.append(Step("constant", insn.address, f"{cell:#x}", insn.text, cell, now))
        elif source.reg is not None and source.reg in FAMILY:
            family = FAMILY[source.reg]
            self.steps.append(Step("store", insn.address, family, insn.text, cell, value))
            self._follow(family, value, found[0])


def _sets_frame(insn: Instruction) -> bool:
    return insn.mnemonic == "mov" and len(insn.operands) == 2 and insn.operands[1].reg == "rsp"


def _before(insn: Instruction, after: int | None, by_value: int | None) -> int | None:
    """What a 64-bit register held before a distance that is known was added to it."""
    if after is None or len(insn.operands) < 2:  # cdqe names none
        return None
    to, by = insn.operands[:2]
    if to.reg is None or FAMILY.get(to.reg) != to.reg:
        return None
    if by.mem is not None and insn.mnemonic == "lea" and by.mem.base and by.mem.index is None:
        return (after - by.mem.disp) & MASK
    if by_value is None:
        return None
    return (after - by_value if insn.mnemonic == "add" else after + by_value) & MASK


def _is_nought(insn: Instruction) -> bool:
    return insn.mnemonic == "mov" and insn.operands[1].imm == 0
