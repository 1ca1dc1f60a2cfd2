"""The access that a thread's instruction failed at, whatever the processor."""

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import portable, x86
from workbench.targets.probes.calls import machine_of
from workbench.targets.probes.operands import Access, accesses
from workbench.targets.probes.places import read_some, segments_of
from workbench.targets.probes.touched import faulting_access
from workbench.targets.probes.transfer import cannot_run


def faulty_access(core: Dump, thread: CoreThread) -> Access | None:
    """None where code was to run at an address without any, or where nothing is forbidden."""
    if thread.pc is None or cannot_run(core, thread.pc):
        return None
    if core.arch == "x86_64":
        insn = x86.decode_one(read_some(core, thread.pc, 16), thread.pc)
        if insn is None:
            return None
        found = accesses(insn, thread.registers, segments_of(thread))
        return faulting_access(core, found, thread.registers)
    machine = machine_of(core)
    raw = portable.at_fault(core, thread, machine) if machine is not None else None
    if machine is None or raw is None:
        return None
    touched = machine.accesses(raw, machine.registers(thread.registers))
    return faulting_access(core, touched, thread.registers)
