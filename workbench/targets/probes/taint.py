"""Where the value goes that a failed read would have given: into a call, a jump, a write's address.

Whoever chooses where the read goes chooses that value. CASR's rule (ispras/casr: libcasr,
gdb/exploitable.rs, `check_taint`): from the faulting instruction on, registers only, to the end of
the basic block. Unlike there every register that an instruction writes is followed (a load that
widens, arithmetic with memory), by its full name.
"""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.machines.base import Machine
from workbench.targets.probes.places import read_some

_MOST = 64
_KINDS = {"call": "call", "jump": "branch"}


def taint_lines(
    core: Dump, machine: Machine, raw: Instruction, values: Mapping[str, int]
) -> list[str]:
    """The line on a failed read, empty where its value decides about nothing."""
    names = machine.registers({})
    tainted = set(_set(machine, raw))
    code = read_some(core, raw.end, _MOST * machine.longest)
    for insn in machine.decode(code, raw.end, values, _MOST):
        if not tainted:
            return []
        branch = machine.branch(insn, names)
        touched = machine.accesses(insn, names)
        if branch is not None or (machine.compares and machine.compares.match(insn.mnemonic)):
            kind = "" if branch is None else _KINDS.get(branch.kind, "return")
            used = [machine.sp] if kind == "return" else []
            if branch is not None and branch.register is not None:
                used = [branch.register]
            used += [name for a in touched if not a.implicit for name in (a.base, a.index) if name]
            held = next((name for name in used if name in tainted), None)
            return [_line(kind, held, insn)] if kind and held else []
        for access in touched:
            through = next((r for r in (access.base, access.index) if r in tainted), None)
            if through not in (None, machine.sp) and "write" in access.how:
                return [_line("store", through, insn)]
        _pass_on(machine, insn, tainted)
    return []


def _line(kind: str, held: str, insn: Instruction) -> str:
    return (
        f"taint {kind}: the value that could not be read reaches {held} of {insn.text} at "
        f"{insn.address:#x}"
    )


def _pass_on(machine: Machine, insn: Instruction, tainted: set[str]) -> None:
    """Mark what an instruction computes from marked registers; unmark what it sets otherwise."""
    if machine.sources(insn) & tainted:
        tainted |= _set(machine, insn)
    elif machine.replaces(insn):
        tainted -= machine.written(insn)


def _set(machine: Machine, raw: Instruction) -> frozenset[str]:
    """What it sets; push, pop and their kin move the stack pointer by a fixed distance."""
    return machine.written(raw) - ({machine.sp} - {*raw.parts[:1]})
