"""The calls that a thread is inside of, innermost first, by unwinding."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.cfi import caller_of
from workbench.targets.probes.places import MASK
from workbench.targets.probes.transfer import call_ending_at, calling_branch, cannot_run
from workbench.targets.probes.x86 import Instruction


class Caller(Struct, frozen=True):
    """A call in progress and the registers of the function that made it, as they were at the
    call: its stack pointer and what calls keep."""

    call: Instruction
    registers: dict[str, int]


def callers(core: Dump, pc: int, registers: Mapping[str, int], limit: int) -> Iterator[Caller]:
    """The calls that led to the instruction at ``pc``, at most ``limit``, as far as unwinding
    tables and memory go. The stack pointer must rise with each."""
    at, known = pc, dict(registers)
    for _ in range(limit):
        found = caller_of(core, at, known)
        if found is None or found[1]["rsp"] <= known.get("rsp", 0):
            return
        back, known = found
        call = call_ending_at(core, back)
        if call is None:
            return
        yield Caller(call, known)
        at = call.address


def callers_of_thread(core: Dump, thread: CoreThread, limit: int) -> Iterator[Caller]:
    """As `callers` from where a thread stopped; from the call, when its pc is no code."""
    if thread.pc is None:
        return
    if not cannot_run(core, thread.pc):
        yield from callers(core, thread.pc, thread.registers, limit)
        return
    branch = calling_branch(core, thread)
    if branch is not None:
        before = {**thread.registers, "rsp": ((thread.sp or 0) + 8) & MASK}
        yield Caller(branch.call, before)
        yield from callers(core, branch.call.address, before, limit - 1)
