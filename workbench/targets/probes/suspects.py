"""The pointers that a fault was about: the operand, its base, and where the base came from."""

from workbench.model.aliases import public
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import x86
from workbench.targets.probes.callees import FREEING, callee_name
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import insn_at
from workbench.targets.probes.fault import faulting_access
from workbench.targets.probes.history import argument, history
from workbench.targets.probes.places import NEAR_NULL, crashing_thread
from workbench.targets.probes.transfer import calling_branch, cannot_run, machine_of

Suspect = tuple[str, int]
"""(its part in the fault, address)"""

FREED = "given to be freed"
"""How the part of a pointer ends that was passed to a function that frees."""

_SIGABRT = 6
_MAX_CALLS = 16


def suspects(core: Dump) -> list[Suspect]:
    """Pointers worth looking up in the heap, in the order of the fault's story, each once."""
    thread = crashing_thread(core)
    if thread is None or not thread.signal or core.arch != "x86_64" or thread.pc is None:
        return []
    if thread.signal == _SIGABRT:
        found = _passed(core, thread)
    elif cannot_run(core, thread.pc):
        found = _called(core, thread)
    else:
        found = _accessed(core, thread, thread.pc)
    once: dict[int, str] = {}
    for part, address in found:
        once.setdefault(address, part)
    return [(part, address) for address, part in once.items()]


def _passed(core: Dump, thread: CoreThread) -> list[Suspect]:
    """The first arguments of the calls that led to abort(3); malloc's own checks end there."""
    found: list[Suspect] = []
    for caller in callers_of_thread(core, thread, _MAX_CALLS):
        value, _ = argument(core, caller, x86.ARGUMENTS[0])
        if value is None or value < NEAR_NULL:
            continue
        name = callee_name(core, caller.call)
        part = f"argument 1 of the call at {caller.call.address:#x}"
        if name in FREEING:
            part += f" to {public(name)}, {FREED}"
        found.append((part, value))
    return found


def _accessed(core: Dump, thread: CoreThread, pc: int) -> list[Suspect]:
    machine = machine_of(core)
    insn = insn_at(core, pc)
    if insn is None or machine is None:
        return []
    registers = thread.registers
    found: list[Suspect] = []
    faulty = faulting_access(core, thread, machine, insn)
    if faulty is None or faulty.address is None:
        return []
    found.append((f"operand {faulty.shown}", faulty.address))
    if faulty.base is not None and faulty.base in registers:
        found.append((f"base register {faulty.base}", registers[faulty.base]))
        found += _history(core, pc, faulty.base, registers)
    return found


def _called(core: Dump, thread: CoreThread) -> list[Suspect]:
    found_branch = calling_branch(core, thread)
    if found_branch is None:
        return []
    call, registers = found_branch.jump or found_branch.call, found_branch.registers
    if not call.operands:
        return []
    operand = call.operands[0]
    if operand.reg is not None:
        return _history(core, call.address, x86.FAMILY.get(operand.reg, operand.reg), registers)
    if operand.mem is None:
        return []
    cell = call.effective(operand.mem, registers)
    found = [("cell of the call's target", cell)] if cell is not None else []
    if operand.mem.base is not None and operand.mem.base in registers:
        found.append((f"base register {operand.mem.base}", registers[operand.mem.base]))
        found += _history(core, call.address, operand.mem.base, registers)
    return found


def _history(core: Dump, at: int, register: str, registers: dict[str, int]) -> list[Suspect]:
    steps = history(core, at, register, registers, into=True)
    found: list[Suspect] = []
    for number, step in enumerate(steps, 1):
        if step.kind == "load" and step.source is not None:
            found.append((f"cell of origin {number}", step.source))
        if step.value is not None and step.kind in ("load", "call", "argument", "copy"):
            found.append((f"value of origin {number}", step.value))
    return found
