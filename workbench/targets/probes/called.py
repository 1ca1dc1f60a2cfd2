"""What a call that is over made the value of that it returned, and what it may have freed.

The function is carried out again on paper (`stepping`), with what the call was given and over
memory as it is now. It is believed where it writes to nothing but its own part of the stack and
returns the value that was seen; for each register and each cell of that stack is kept what its
value was made from.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.callees import FREEING, callee_name, through_plt
from workbench.targets.probes.code import run_around
from workbench.targets.probes.demangle import function
from workbench.targets.probes.effects import StuckError
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import executable
from workbench.targets.probes.stepping import Stepper
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import COPIES, FAMILY

_MOST_STEPS = 400
_OWN_STACK = 1 << 14
_SHORT, _ADDRESS = 64, 0x5AFE << 48
"""Bytes of a function that only hands back what it is given, and an address that nobody has."""
_DEEP = 3
_SAVED = dict.fromkeys(("rbx", "rbp", "r12", "r13", "r14", "r15"), 0)
"""What a function saves and restores, and makes nothing from (System V ABI)."""


class Made(NamedTuple):
    """One instruction that a value was made by. ``kind``: load | computed; ``source`` a load's
    cell."""

    kind: str
    insn: Instruction
    register: str
    source: int | None
    value: int


class Way(NamedTuple):
    """What a value was made from, nearest first, back to an argument's register or to none."""

    made: tuple[Made, ...] = ()
    argument: str | None = None


def returned(core: Dump, call: Instruction, registers: Mapping[str, int], value: int) -> Way | None:
    """The way of the ``value`` that a direct ``call`` returned, with ``registers`` in front of it;
    None where the function is not understood, writes elsewhere, or returns something else."""
    top = registers.get("rsp")
    if top is None or call.target is None or not executable(core, call.target):
        return None
    walk = _Walk(core, call, registers, top)
    try:
        for _ in range(_MOST_STEPS):
            if walk.pc == call.end and walk.registers.get("rsp") == top:
                return walk.ways.get("rax") if walk.registers.get("rax") == value else None
            walk.follow()
    except StuckError:
        pass
    return None


_handing: "WeakKeyDictionary[Dump, dict[int, int | None]]" = WeakKeyDictionary()


def hands_back(core: Dump, call: Instruction, stack: int | None) -> int | None:
    """How far behind its first argument the address lies that a called function returns, whatever
    it is given (``std::move``, a reference to a member); None of all other functions. ``stack``:
    an address on a stack, with room below it."""
    known, start = _handing.setdefault(core, {}), call.target
    if start is None or stack is None:
        return None
    if start not in known:
        bounds = function_bounds(core, start)
        short = bounds is not None and bounds[0] == start and bounds[1] - start <= _SHORT
        known[start] = _handed_back(core, call, stack) if short else None
    return known[start]


def _handed_back(core: Dump, call: Instruction, stack: int) -> int | None:
    walk = _Walk(core, call, {x86.ARGUMENTS[0]: _ADDRESS, "rsp": stack}, stack)
    try:
        for _ in range(_SHORT):
            if walk.pc == call.end:
                way = walk.ways.get("rax", Way())
                far = walk.registers.get("rax", 0) - _ADDRESS
                return far if way.argument == x86.ARGUMENTS[0] and abs(far) < _OWN_STACK else None
            walk.follow()
    except StuckError:
        pass
    return None


class _Walk(Stepper):
    def __init__(
        self, core: Dump, call: Instruction, registers: Mapping[str, int], top: int
    ) -> None:
        super().__init__(core, call.address, {**_SAVED, **registers})
        self._own = range(top - _OWN_STACK, top)
        self.ways = {name: Way((), name) for name in x86.ARGUMENTS if name in registers}
        self._cells: dict[int, Way] = {}

    def put(self, address: int, value: int, size: int) -> None:
        """Raises `StuckError` for what is not the called functions' own."""
        if address not in self._own:
            raise StuckError(f"a write to {address:#x}")
        self._cells.pop(address, None)
        super().put(address, value, size)

    def follow(self) -> None:
        """One step, and what its result was made from."""
        before = dict(self.registers)
        insn = self._decode()
        way, cell = self._way(insn), self._stored(insn)
        super().step()
        target = insn.operands[0].reg if insn.operands and not insn.is_call else None
        to = FAMILY.get(target or "")
        for name, now in self.registers.items():
            if name != to and before.get(name) != now:
                self.ways.pop(name, None)
        if cell is not None:
            self._cells.update({cell: way} if way is not None else {})
        elif to is not None and to in insn.writes:
            self.ways.pop(to, None)
            if way is not None and to in self.registers:
                self.ways[to] = self._told(way, insn, to)

    def _told(self, way: Way, insn: Instruction, to: str) -> Way:
        """With the value that the newest step came to."""
        if not way.made or way.made[0].insn is not insn:
            return way
        newest = way.made[0]._replace(register=to, value=self.registers[to])
        return Way((newest, *way.made[1:]), way.argument)

    def _stored(self, insn: Instruction) -> int | None:
        """The cell of its own stack that an instruction writes a whole register to."""
        if insn.mnemonic == "push":
            return self._register("rsp") - 8
        if insn.mnemonic != "mov" or insn.operands[0].mem is None:
            return None
        return self.address(insn, 0)

    def _way(self, insn: Instruction) -> Way | None:
        """What an instruction's result is made from, as it stands in front of it."""
        if insn.mnemonic == "pop":
            return self._cells.get(self._register("rsp"))
        if insn.mnemonic == "push":
            return self._of(insn, 0)
        if insn.mnemonic in COPIES:
            return self._of(insn, 1)
        if insn.mnemonic == "lea" and (mem := insn.operands[1].mem) is not None:
            base = self.ways.get(mem.base or mem.index or "")
        elif insn.mnemonic in ("add", "sub"):
            base = self.ways.get(FAMILY.get(self._pointer(insn), ""))
        else:
            return None
        return None if base is None else _further(base, Made("computed", insn, "", None, 0))

    def _of(self, insn: Instruction, which: int) -> Way | None:
        operand = insn.operands[which]
        if operand.reg is not None:
            return self.ways.get(FAMILY.get(operand.reg, ""))
        if operand.mem is None:
            return None
        cell = self.address(insn, which)
        if cell in self._own:
            return self._cells.get(cell)
        base = self.ways.get(operand.mem.base or "", Way())
        return _further(base, Made("load", insn, "", cell, 0))

    def _pointer(self, insn: Instruction) -> str:
        """Of two numbers that are added the one that points to something."""
        first, second = insn.operands
        if second.reg is not None and self.core.region(self.value(insn, 1)) is not None:
            return second.reg
        return first.reg or ""


def _further(base: Way, made: Made) -> Way:
    return Way((made, *base.made), base.argument)


def freed_by(core: Dump, calls: Iterator[Instruction]) -> str | None:
    """The first of these calls that frees memory or may: ``free at 0x…``."""
    for call in calls:
        if may_call(core, call, FREEING):
            return f"{function(callee_name(core, call) or 'a function')} at {call.address:#x}"
    return None


_known: "WeakKeyDictionary[Dump, dict[tuple[int, int, frozenset[str | None]], bool]]"
_known = WeakKeyDictionary()
_left_for: "WeakKeyDictionary[Dump, dict[int, list[tuple[str | None, int | None]]]]"
_left_for = WeakKeyDictionary()


def may_call(core: Dump, call: Instruction, names: frozenset[str | None]) -> bool:
    """Whether a call goes to one of some functions, None for one that is not known, or to one of
    the same file, not one that is called through a PLT, which calls one of them, itself or by what
    it calls."""
    target = call.target
    return callee_name(core, call) in names or (
        target is not None and _calls(core, target, names, _DEEP)
    )


def _calls(core: Dump, start: int, names: frozenset[str | None], deep: int) -> bool:
    """See `may_call`; found once, as many calls lead to the same few functions."""
    known, left = _known.setdefault(core, {}), _left_for.setdefault(core, {})
    if (start, deep, names) not in known:
        if start not in left:
            left[start] = list(_goes_on(core, start))
        known[start, deep, names] = any(
            name in names or (deep and target is not None and _calls(core, target, names, deep - 1))
            for name, target in left[start]
        )
    return known[start, deep, names]


def _goes_on(core: Dump, start: int) -> Iterator[tuple[str | None, int | None]]:
    """The name and the place of each function that one calls or jumps on to, as far as known."""
    if through_plt(core, start) != start or not executable(core, start):
        return
    found = run_around(core, start)
    if found is None:
        return
    outlines = found[0].outlines
    inside = {None, *(item.address for item in outlines)}
    for index, item in enumerate(outlines):
        if item.address >= start and item.mnemonic.startswith(("call", "jmp")):
            call = found[0][index]
            if item.mnemonic.startswith("call") or call.target not in inside:
                yield callee_name(core, call), call.target
