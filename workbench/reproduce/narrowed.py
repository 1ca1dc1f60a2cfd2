"""A number of an object that lost its upper part when it was stored, and led away from what the
same object points to."""

from collections.abc import Iterator, Sequence

from workbench.reproduce.makers import added, made_of, returns, through
from workbench.reproduce.wrappers import Kept
from workbench.targets.dump import Dump
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.fault import faulting_access
from workbench.targets.probes.history import history
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import crashing_thread, read_some
from workbench.targets.probes.transfer import machine_of
from workbench.targets.probes.x86 import FAMILY, decode_one

_NEAR = 3
"""Instructions behind a load in which what it loaded is used."""
_WITH_A_SIZE = ("cmp", "shl", "sal")
"""What gives another result for a number above the lower bits than for one of those alone."""

Starts = dict[Kept, int]
"""Where a function has pointers, and the objects that they lead to."""


def narrow_beside(core: Dump, element: int, array: int) -> Step | None:
    """The load of a member of a byte or two, taken for a number with a sign and below zero, that
    the address of the fault was made with beside a pointer of the same object; or that of an
    ``element`` of an ``array``, the instruction which came to one that is none of it. None where
    there are several."""
    found = dict[int, Step]()
    for at, names, starts in (*_at_fault(core), *_at_element(core, element, array)):
        code = code_around(core, at)
        ways = [(code.at[at], name) for name in names] if code is not None else []
        for load in made_of(core, code, ways)[0] if code is not None else ():
            mem, size = (
                (load.operands[-1].mem, load.operands[-1].size) if load.operands else (None, 0)
            )
            if code is None or mem is None or mem.index or size > 2 or not _signs(code, load):
                continue
            start = starts.get(through(core, code, code.at[load.address], mem.base or ""))
            cell = (start or 0) + mem.disp
            value = core.number(cell, size) if start is not None else None
            if value is not None and value >> (8 * size - 1):
                into = FAMILY.get(load.operands[0].reg or "", "")
                found[cell] = Step("load", load.address, into, load.text, cell, value)
    return next(iter(found.values())) if len(found) == 1 else None


def _at_fault(core: Dump) -> Iterator[tuple[int, Sequence[str], Starts]]:
    """Instructions, the registers that what failed was made of right before them, and the objects
    that a pointer was read from for it: the failing one, and the ends of functions that gave it."""
    thread, machine = crashing_thread(core), machine_of(core)
    pc = thread.pc if thread is not None else None
    insn = decode_one(read_some(core, pc, 16), pc) if pc is not None else None
    if thread is None or machine is None or pc is None or insn is None:
        return
    access = faulting_access(core, thread, machine, insn)
    names = [one for one in (access.base, access.index) if one] if access is not None else []
    steps = [one for name in names for one in history(core, pc, name, thread.registers, into=True)]
    yield pc, names, _starts(core, pc, steps)
    for step in steps:
        call = insn_at(core, step.at) if step.kind == "call" else None
        called = code_around(core, call.target) if call is not None and call.target else None
        for at in returns(called) if called is not None else ():
            yield at, ("rax",), _starts(core, at, steps)


def _at_element(
    core: Dump, element: int, array: int
) -> Iterator[tuple[int, Sequence[str], Starts]]:
    """The same of an element of an array, beside which its object keeps numbers."""
    code = code_around(core, element)
    if code is None or element not in code.at or not array:
        return
    at, pair = added(core, code, code.instructions[code.at[element]])
    names = [one for one in pair or () if one]
    yield (
        code.instructions[at].address,
        names,
        {through(core, code, at, name): array for name in names},
    )


def _starts(core: Dump, at: int, steps: Sequence[Step]) -> Starts:
    code, found = code_around(core, at), Starts()
    for step in steps:
        load = code.instructions[code.at[step.at]] if code and step.at in code.at else None
        mem = load.operands[-1].mem if load is not None and load.operands else None
        if code and load and mem and step.kind == "load" and step.source and not mem.index:
            found[through(core, code, code.at[step.at], mem.base or "")] = step.source - mem.disp
    return found


def _signs(code: Code, load: Instruction) -> bool:
    """Whether a number is taken for one with a sign as it is loaded, or right behind that (gcc
    without optimisation)."""
    after = code.instructions[code.at[load.address] + 1 : code.at[load.address] + 2]
    return load.mnemonic == "movsx" or any(
        one.mnemonic in ("movsx", "cwde")
        and {FAMILY.get(each.reg or "") for each in one.operands} <= {
            FAMILY.get(load.operands[0].reg or "")}
        for one in after
    )  # fmt: skip


def reads_unsigned(core: Dump, behind: int) -> bool:
    """Whether the instruction in front of an address loads a number of a byte or two without a
    sign, of which the next to use it takes more than was loaded for an element's or to compare, or
    (gcc without optimisation) makes more once again."""
    code = code_around(core, behind)
    at = code.at.get(behind, 0) if code is not None else 0
    if code is None or not at or code.instructions[at - 1].mnemonic != "movzx":
        return False
    load = code.instructions[at - 1]
    held = FAMILY.get(load.operands[0].reg or "")
    for one in code.instructions[at : at + _NEAR]:
        used = [each for each in one.operands if FAMILY.get(each.reg or "") == held]
        within = any(held in (each.mem.base, each.mem.index) for each in one.operands if each.mem)
        if used or within:
            wide = any(each.size > load.operands[1].size for each in used)
            return within or one.mnemonic == "movzx" or (wide and one.mnemonic in _WITH_A_SIZE)
    return False
