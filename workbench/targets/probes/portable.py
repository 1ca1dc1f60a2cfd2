"""Where a register's value came from, on processors other than x86-64.

Straight back through the function, as far as it is straight: a call that may change the register, a
branch that leads in between, or an instruction that is not understood ends the way. A load is told
only when its address is known and memory still holds the value that was used.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes.explain import Step
from workbench.targets.probes.instruction import Instruction, number
from workbench.targets.probes.machines.base import Effect, Machine
from workbench.targets.probes.origin import origin_lines, root_lines
from workbench.targets.probes.places import read_some
from workbench.targets.probes.x86 import signed

_MOST_BACK = 1024
_MOST_STEPS = 8
_PROLOGUE = 6
"""Within so many instructions a function has set up its frame."""
_FRAMES = frozenset(["sp", "x29", "esp", "ebp", "fp", "s0", "r11", "r7", "r31", "r1", "r15", "r3"])
"""Registers that a frame's cells are addressed by; one that is set again later is none."""


def origin(
    core: Dump, machine: Machine, at: int, register: str, values: Mapping[str, int]
) -> list[str]:
    """The steps back from a register's value and the root of it, in the words of `origin_lines` and
    `root_lines`; empty where nothing is known."""
    walk = _Walk(core, machine, _code_before(core, machine, at, values), values)
    steps = list(walk.steps(register))
    told = origin_lines(core, [step for step in steps if step.kind != "value"], "origin")
    base = machine.registers(values).get(register)
    return told if base is None else told + root_lines(base, steps)


def _code_before(
    core: Dump, machine: Machine, at: int, values: Mapping[str, int]
) -> list[Instruction]:
    """The instructions of the function up to ``at``, one after the other; a start is known by the
    function's symbol, else by the width of all instructions."""
    named = core.symbolize(at)
    back = min(named[1], _MOST_BACK) if named is not None else 0
    if named is None or named[1] > _MOST_BACK:
        if machine.step != 4:
            return []
        region = core.region(at)
        back = 64 if named is None else _MOST_BACK
        back = min(back, at - region.start) if region is not None else 0
    code = read_some(core, at - back, back)
    if not code or len(code) < back:
        return []
    found = list(machine.decode(code, at - back, values, len(code)))
    return found if found and found[-1].end == at else []


class _Walk(Struct):
    core: Dump
    machine: Machine
    code: list[Instruction]
    registers: Mapping[str, int]

    def steps(self, register: str) -> Iterator[Step]:
        """The steps back from the end of the code, nearest first; a null that nothing here set is
        the last, of kind ``value``."""
        place, name = len(self.code), register
        known = self.value(name, place, _MOST_STEPS)
        for _ in range(_MOST_STEPS):
            found = self.definition(name, place)
            if found is None:
                if known == 0 and place < len(self.code):
                    yield Step("value", self.code[place].address, name, "", value=0)
                return
            place, effect = found
            value = self.result(place, effect, _MOST_STEPS)
            loads = effect.kind == "load"
            if value is None or (loads and known not in (None, value)):
                return  # memory holds something else by now
            raw, kind = self.code[place], effect.kind
            cell = self.address(place, effect, _MOST_STEPS) if loads else None
            if kind == "move":
                kind = "computed" if effect.offset else "copy"
            yield Step(kind, raw.address, effect.register, raw.text, cell, value)
            stored = self.stored(place, effect)
            if stored is not None:
                place, name = stored
                raw, known = self.code[place], value
                kind = "store" if number(name) is None else "constant"
                yield Step(kind, raw.address, name, raw.text, cell, value)
                if kind == "constant":
                    return
            elif effect.base is None:
                return
            else:
                name = effect.base
                known = self.value(name, place, _MOST_STEPS)

    def definition(self, register: str, before: int) -> tuple[int, Effect] | None:
        """The instruction that set a register last before a place, and how."""
        named = self.machine.registers({}).name(register)
        if named == self.machine.sp:
            return None
        for index in range(before - 1, -1, -1):
            raw = self.code[index]
            branch = self.machine.branch(raw, self.machine.registers({}))
            if branch is not None and branch.kind == "call":
                if named in self.machine.volatile:
                    return None
            elif branch is not None and branch.kind == "return":
                return None
            elif named in self.machine.written(raw):
                effect = self.machine.effect(raw)
                same = effect is not None and self.machine.registers({}).name(effect.register)
                if effect is None or same != named or self._entered(index, before):
                    return None
                return index, effect
        return None

    def _entered(self, index: int, before: int) -> bool:
        """True when some branch of the function leads in between two places."""
        if not self.code or before <= index:
            return False
        low = self.code[index].end
        high = self.code[before].address if before < len(self.code) else self.code[-1].end
        targets = (number(raw.parts[-1]) for raw in self.code if raw.parts)
        return any(target is not None and low <= target <= high for target in targets)

    def stored(self, before: int, load: Effect) -> tuple[int, str] | None:
        """The store of the function into the frame's cell that a load reads, the last one in front
        of it, and what it stored: a register or a number. None where a branch leads in between."""
        frame = self.machine.registers({}).name(load.base or "")
        cell = self.address(before, load, _MOST_STEPS) if frame in _FRAMES else None
        if load.kind != "load" or cell is None or self._written_after(frame):
            return None
        held = self.machine.registers({frame: self.registers.get(frame, 0)})
        for index in range(before - 1, -1, -1):
            raw = self.code[index]
            for access in self.machine.accesses(raw, held):
                if "write" not in access.how or access.address != cell:
                    continue
                names = [text.strip().lstrip("#") for text in raw.printed.split(",")]
                what = names[-1] if self.machine.pops else names[0]
                plain = access.how == "write" and not self._entered(index, before)
                return (index, what) if plain else None
        return None

    def _written_after(self, frame: str) -> bool:
        """True when the frame's register is not set once and for all by the first instructions."""
        places = [at for at, raw in enumerate(self.code) if frame in self.machine.written(raw)]
        return any(at >= _PROLOGUE for at in places)

    def value(self, register: str, before: int, depth: int) -> int | None:
        """A register's value right before a place: as it is now where nothing set it since, else
        worked out from what set it."""
        name = self.machine.registers({}).name(register)
        if not any(name in self.machine.written(raw) for raw in self.code[before:]):
            return self.registers.get(name)
        found = self.definition(name, before) if depth else None
        return None if found is None else self.result(found[0], found[1], depth - 1)

    def result(self, index: int, effect: Effect, depth: int) -> int | None:
        """What an instruction put into its register."""
        if effect.kind == "constant":
            return effect.offset & self.machine.mask
        where = self.address(index, effect, depth)
        return where if effect.kind == "move" or where is None else self._loaded(where, effect)

    def address(self, index: int, effect: Effect, depth: int) -> int | None:
        """Base and offset, as they were."""
        base = 0 if effect.base is None else self.value(effect.base, index, depth)
        return None if base is None else (base + effect.offset) & self.machine.mask

    def _loaded(self, where: int, effect: Effect) -> int | None:
        value = self.core.number(where, effect.size)
        if value is None or not effect.signed:
            return value
        return signed(value, effect.size) & self.machine.mask
