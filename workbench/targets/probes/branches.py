"""Control that went, or was about to go, where no code is, in lines of text."""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import origin, portable, transfer
from workbench.targets.probes.history import history
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.machines.base import Machine
from workbench.targets.probes.operands import shown
from workbench.targets.probes.origin import (
    cell_lines,
    mapped,
    origin_lines,
    outside_lines,
    run_lines,
)
from workbench.targets.probes.places import NEAR_NULL, executable, kind_of, place, target_place
from workbench.targets.probes.x86 import ARGUMENTS

_FRAMES = ("rip", "rbp", "eip", "ebp", "pc")


def execute_lines(core: Dump, thread: CoreThread, machine: Machine) -> list[str]:
    """The fault is at pc itself. A call has left its return address: in the link register, or the
    word at the stack pointer then lies right behind a call instruction. A return went to what the
    link register holds, or has popped pc: the word below the stack pointer still is pc."""
    pc = thread.pc or 0
    lines = [f"access execute at {pc:#x}: {target_place(core, pc)}"]
    branch = transfer.calling_branch(core, thread)
    if branch is None:
        return [*lines, _without_call(core, thread, machine)]
    call, jump = branch.call, branch.jump
    if branch.function is not None:
        went = f"{branch.function:#x} ({place(core, branch.function)})"
        return [*lines, f"transfer call: {call.text} went to {went}, which was left by a jump"]
    where = f"in {machine.link}" if machine.link is not None else f"at {thread.sp or 0:#x}"
    lines.append(
        f"transfer call: the return address {call.end:#x} {where} lies behind {call.text} "
        f"at {call.address:#x} ({place(core, call.address)})"
    )
    if jump is not None:
        lines.append(
            f"tail jump: the function that was called went on by {jump.text} at {jump.address:#x} "
            f"({place(core, jump.address)})"
        )
    return lines + branch_lines(core, machine, jump or call, branch.registers)


def _without_call(core: Dump, thread: CoreThread, machine: Machine) -> str:
    back = transfer.return_address(core, thread, machine)
    below = transfer.popped_from(core, thread, machine)
    if machine.link is not None and back is not None and machine.same(back, thread.pc or 0):
        return f"transfer return: {machine.link} holds {back:#x}, which was returned to"
    where = machine.link or f"{thread.sp or 0:#x}"
    unseen = _unseen_call(core, machine.plain(back), where) if back is not None else None
    if unseen is not None and (below is None or machine.link is None):
        return unseen
    if below is not None:
        return f"transfer return: the word {thread.pc or 0:#x} at {below:#x} was returned to"
    return "transfer unknown: neither a call nor a return explains this address"


def _unseen_call(core: Dump, back: int, where: str) -> str | None:
    """What a return address says whose code the dump does not hold; None for anything else."""
    if back < NEAR_NULL or not executable(core, back - 1):
        return None
    if core.read(back - 1, 1) is not None:
        return None
    return (
        f"transfer call: {where} holds {back:#x}, a return address by its place: its code is "
        "not in the dump"
    )


def branch_lines(
    core: Dump, machine: Machine, insn: Instruction, values: Mapping[str, int]
) -> list[str]:
    """How a call or jump got its target: its operand, and the slice behind it."""
    registers = machine.registers(values)
    branch = machine.branch(insn, registers)
    if branch is not None and branch.register is not None:
        register, value = branch.register, values.get(branch.register, 0)
        lines = [f"base register {register} = {value:#x}: the branch's target"]
        return lines + _came_from(core, machine, insn.address, register, values, loaded=True)
    if branch is None or branch.cell is None:
        return []
    cell, mem = branch.cell, insn.memory[0][1]
    word = core.read_word(cell)
    held = "not readable" if word is None else f"{word:#x}"
    base = registers.name(mem.base) if mem.base else None
    parts = [registers.get(name) or 0 for name in (base, mem.index) if name]
    parts = [*parts, mem.disp & machine.mask] if mem.index is not None else []
    led = "".join(f", by an index from {start:#x}" for start in mapped(core, parts)[:1])
    lines = [f"target cell {shown(mem)} = {cell:#x} ({place(core, cell)}) holds {held}{led}"]
    lines += outside_lines(core, cell, parts)
    if base is not None and base not in (*_FRAMES, machine.sp):
        value = values.get(base, 0)
        lines.append(f"base register {base} = {value:#x}: {place(core, value)}")
        lines += _came_from(core, machine, insn.address, base, values, loaded=False)
    return lines


def _came_from(
    core: Dump, machine: Machine, at: int, register: str, values: Mapping[str, int], *, loaded: bool
) -> list[str]:
    """Where the target of a branch, or when it is not ``loaded`` the base of its cell, is from."""
    if core.arch != "x86_64":
        return portable.origin(core, machine, at, register, values)
    steps = history(core, at, register, values, into=True)
    return [
        *origin_lines(core, steps, "origin"),
        *run_lines(core, steps),
        *(cell_lines(core, steps) if loaded else ()),
        *origin.call_lines(core, at, steps, loaded, [values.get(name) for name in ARGUMENTS[:2]]),
    ]


def bad_target_lines(
    core: Dump, machine: Machine, insn: Instruction, values: Mapping[str, int]
) -> list[str]:
    """A call, jump or return that has not been made yet because its target is no address at all:
    the processor faults on the instruction itself."""
    branch = machine.branch(insn, machine.registers(values))
    target = transfer.branch_target(core, insn, values)
    if branch is None or not branch.indirect or target is None:
        return []
    lines = [f"{branch.kind} target {target:#x}: {place(core, target)}"]
    if kind_of(core, target) == "non-canonical":
        lines.append(f"access execute at {target:#x}: non-canonical")
        kind = "return" if branch.kind == "return" else "call"
        lines.append(f"transfer {kind}: {insn.text} at {insn.address:#x} goes to {target:#x}")
        if kind == "call":
            lines += branch_lines(core, machine, insn, values)
    return lines
