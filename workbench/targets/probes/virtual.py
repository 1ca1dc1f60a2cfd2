"""The virtual call that a fault lies in: the object's first word is the address of its class's
table, the call's target a word of that table (Itanium C++ ABI, 2.5)."""

import re
from collections.abc import Sequence

from workbench.targets.dump import Dump
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.places import place
from workbench.targets.probes.x86 import FAMILY, Instruction

_FIRST_WORD = re.compile(r"mov \w+, qword ptr \[\w+\]")
_RUNTIMES = ("libstdc++", "libc++")
_AHEAD = 16


def call_lines(core: Dump, pc: int, steps: Sequence[Step], loaded: bool) -> list[str]:
    """The line on a virtual call, where the fault at ``pc`` is one: at the load of the table's word
    or, when ``loaded``, at the call of it. ``steps`` lead back from the register that was used."""
    left = list(steps)
    if loaded:
        if not left or left[0].kind != "load":
            return []
        left = left[1:]
    elif not _called_next(core, pc):
        return []
    while left and left[0].kind == "computed" and left[0].text.startswith("add "):
        left = left[1:]
    first = left[0] if left else None
    if first is None or first.kind != "load" or not first.matches or first.source is None:
        return []
    if not first.value or not _FIRST_WORD.fullmatch(first.text) or not _is_cxx(core, first.at):
        return []
    region = core.region(first.value)
    if region is not None and region.path and "w" not in region.perms:
        return []  # where tables lie: it may be one
    place_of = place(core, first.source)
    return [
        f"virtual call: the object at {first.source:#x} ({place_of}) has its table "
        f"at {first.value:#x}: {place(core, first.value)}"
    ]


def _is_cxx(core: Dump, pc: int) -> bool:
    symbol = core.symbolize(pc)
    if symbol is not None:
        if symbol[0].startswith("_Z"):
            return True
        if symbol[0] != "main":
            return False
    return any(name in module.name for module in core.modules for name in _RUNTIMES)


def _called_next(core: Dump, pc: int) -> bool:
    """True when the word that the instruction at ``pc`` loads is what is called next."""
    code = code_around(core, pc)
    if code is None or pc not in code.at:
        return False
    at = code.at[pc]
    insn = code.instructions[at]
    if _goes_through(insn, None):
        return True
    if insn.mnemonic != "mov" or len(insn.operands) != 2 or insn.operands[1].mem is None:
        return False
    register = FAMILY.get(insn.operands[0].reg or "")
    if register is None or insn.operands[0].size != 8:
        return False
    ways = [at + 1]
    for _ in range(_AHEAD):
        if not ways:
            break
        index = ways.pop(0)
        if index >= len(code.instructions):
            continue
        later = code.instructions[index]
        if _goes_through(later, register):
            return True
        if later.is_call or later.is_return or register in later.writes:
            continue
        if later.is_jump and later.target in code.at:  # a guess at the class, made by the compiler
            ways.append(code.at[later.target])
        if code.instructions.outlines[index].falls_through:
            ways.append(index + 1)
    return False


def _goes_through(insn: Instruction, register: str | None) -> bool:
    """True for a call or jump through a register, or through memory where none is named."""
    if not (insn.is_call or insn.is_jump) or insn.target is not None or not insn.operands:
        return False
    operand = insn.operands[0]
    if register is None:
        return operand.mem is not None and operand.mem.base not in ("rip", "rsp", "rbp", None)
    return operand.reg is not None and FAMILY.get(operand.reg) == register
