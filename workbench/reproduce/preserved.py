"""A register that calls give back as it was (System V ABI: rbx, rbp, r12 to r15) and one of them
did not: where that kept it on the stack meanwhile was written over."""

from itertools import pairwise

from msgspec import Struct

from workbench.model.origin import OriginStep
from workbench.reproduce.observing import Bound, Observing, hits_of
from workbench.reproduce.slices import Lead, Place
from workbench.reproduce.wire import Hit, Point
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.cfi import kept_at
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.fault import faulting_access
from workbench.targets.probes.history import history
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import NEAR_NULL, crashing_thread
from workbench.targets.probes.transfer import machine_of
from workbench.targets.probes.x86 import CALLER_SAVED, FAMILY

_CALLS = 64
_DEEP = 4


class Carried(Struct, frozen=True):
    """A ``register`` that the instruction at ``made`` set and whose value was used behind calls."""

    register: str
    made: int
    code: Code


class Preserved(Observing):
    """Which call did not give a register back as it was, and who wrote over what it kept."""

    async def _unkept(self) -> OriginStep | None:
        for one in carried(self.core):
            if self._left <= 1:
                return None
            if (found := await self._changed_in(one.code, one.made, one.register)) is not None:
                return await self._follow(*found)
        return None

    async def _changed_in(
        self, code: Code, made: int, register: str, deep: int = _DEEP
    ) -> tuple[Lead, Bound] | None:
        """The cell in which the call that changed a register had kept it, and when that came back:
        of the function's ``code``, in its last call, behind the instruction at ``made``."""
        calls = [one for one in code.instructions if one.is_call][:_CALLS]
        begun = code.instructions[code.at[made]].end if made != code.start else made
        ends = {f"K{number}": one for number, one in enumerate(calls)}
        points = [Point(name, one.end) for name, one in ends.items() if one.end != begun]
        goals = [Point(f"G{name}", one.address) for name, one in ends.items() if not one.target]
        sets = [one.end for one in code.instructions if register in one.writes
                and one.mnemonic != "pop" and not one.is_call][:_CALLS]  # fmt: skip
        seen = await self._observe(
            "whether calls gave a register back",
            points=(*(Point("D", at) for at in dict.fromkeys((begun, *sets))), *points, *goals),
        ) if self._left > 1 else None  # fmt: skip
        hits = hits_of(seen)
        first = next((hit for hit in reversed(hits) if hit.watch == "D"), None)
        if first is None or first.address != begun:
            return None  # it was set anew, on another way than that of the slice
        ours = [hit for hit in hits if hit.order >= first.order and hit.thread == first.thread
                and _outer(hit) == _outer(first)]  # fmt: skip
        for was, now in pairwise(ours):
            if was.registers.get(register) == now.registers.get(register):
                continue
            target = self._goal(ends[now.watch], was) if now.watch in ends else None
            start = through_plt(self.core, target) if target is not None else None
            behind = kept_at(self.core, start, register) if start is not None else None
            if behind is not None:
                cell = Place(now.registers["rsp"] + behind, 8, None, 0)
                point = next(one for one in points if one.name == now.watch)
                kept = Lead(row="canary", cells=(cell,), stack_block=True)
                return kept, Bound(nth=now.nth, point=point)
            inner = code_around(self.core, start) if start is not None and deep else None
            if inner is None or inner.start != start:
                return None
            return await self._changed_in(inner, inner.start, register, deep - 1)
        return None

    def _goal(self, call: Instruction, before: Hit) -> int | None:
        """Where a call goes: that of an address in a register or a cell as the hit in front has
        it, which stopped there."""
        goal = call.operands[0] if call.operands else None
        if call.target is not None or goal is None or before.address != call.address:
            return call.target
        cell = call.effective(goal.mem, before.registers) if goal.mem is not None else None
        held = before.registers.get(FAMILY.get(goal.reg or "", ""))
        return self.core.read_word(cell) if cell is not None else held


def _outer(hit: Hit) -> int | None:
    """The stack of the caller of the function that a hit is in."""
    inner = next((at for at, one in enumerate(hit.frames) if not one.inlined), 0)
    return next((one.stack_pointer for one in hit.frames[inner + 1 : inner + 2]), None)


def carried(core: Dump) -> list[Carried]:
    """The registers that the value which failed was carried over calls in."""
    thread, machine = crashing_thread(core), machine_of(core)
    pc = thread.pc if thread is not None else None
    insn = insn_at(core, pc) if pc is not None else None
    if thread is None or pc is None or insn is None or machine is None:
        return []
    access = faulting_access(core, thread, machine, insn)
    base, at, found = access.base if access is not None else None, pc, list[Carried]()
    if thread.registers.get(base or "", 0) < NEAR_NULL:
        return []  # what is written past a buffer is seldom all zeros
    for step in history(core, pc, base, thread.registers) if base is not None else ():
        code = code_around(core, at) if step.register not in CALLER_SAVED else None
        if code is not None and step.at in code.at and step.kind != "argument" and any(
            one.is_call and step.at < one.address < at for one in code.instructions
        ):  # fmt: skip
            found.append(Carried(step.register, step.at, code))
        at = step.source or step.at if step.kind == "argument" else step.at
    return found
