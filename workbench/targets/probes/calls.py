"""Calls on processors other than x86-64: the one in front of a return address, the return address
of a thread, and jumps out of a function that was called."""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import machines
from workbench.targets.probes.machines.base import Machine, Raw
from workbench.targets.probes.places import executable, read_some

_MOST_CODE = 4096


def machine_of(core: Dump) -> Machine | None:
    """The machine that a dump comes from; None for x86-64, which has modules of its own."""
    return machines.machine(core.arch, core.bits, core.little_endian)


def ending_at(core: Dump, machine: Machine, address: int, values: Mapping[str, int]) -> Raw | None:
    """The call instruction right in front of a return address, or None when there is none."""
    values = machine.returning_to(address, values)
    address = machine.plain(address)
    if not executable(core, address - 1 if address else 0):
        return None
    for size in machine.calls:
        code = core.read(address - size, size) if address >= size else None
        raw = machine.one(code, address - size, values) if code is not None else None
        if raw is None or raw.size != size:
            continue
        branch = machine.branch(raw, machine.registers({}))
        if branch is not None and branch.kind == "call":
            goal = branch.target
            if goal is None or executable(core, goal):
                return raw
    return None


def return_address(core: Dump, thread: CoreThread, machine: Machine) -> int | None:
    """Where the function that was called last returns to, before it saved that elsewhere."""
    if machine.link is None:
        return core.read_word(thread.sp or 0)
    return thread.registers.get(machine.link)


def function_from(core: Dump, address: int) -> tuple[int, int]:
    """[start, end) of the code from an address to the end of its function, as far as symbols
    tell."""
    name = core.symbolize(address)
    end = address
    while end < address + _MOST_CODE:
        found = core.symbolize(end)
        if found is None or name is None or found[0] != name[0]:
            break
        end += 64
    return address, end if end > address else address + 256


def tail_jump(
    core: Dump, machine: Machine, span: tuple[int, int], thread: CoreThread
) -> Raw | None:
    """The indirect jump of a function that goes to pc with the registers as they are."""
    start, end = span
    if not executable(core, start):
        return None
    registers = machine.registers(thread.registers)
    code = read_some(core, start, end - start)
    for raw in machine.decode(code, start, thread.registers, len(code) // machine.step):
        branch = machine.branch(raw, registers)
        if branch is None or branch.kind != "jump" or not branch.indirect:
            continue
        goal = branch.target
        if branch.cell is not None:
            goal = core.read_word(branch.cell)
        if goal is not None and machine.plain(goal) == thread.pc:
            return raw
    return None
