"""The names of called functions, through PLT entries where there is one."""

from workbench.model.aliases import public
from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.instruction import Instruction

FREEING = frozenset({"free", "realloc", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"})
"""Functions that free what their first argument points to; the last four are operators delete."""


def callee_name(core: Dump, insn: Instruction) -> str | None:
    """The function that a direct call goes to, through its PLT entry if it is one."""
    if insn.target is not None:
        return target_name(core, insn.target)
    mem = insn.operands[0].mem if insn.operands else None
    if mem is not None and mem.base == "rip" and mem.index is None:
        cell = insn.effective(mem, {})
        word = core.read_word(cell) if cell is not None else None
        return target_name(core, word) if word is not None else None
    return None


def target_name(core: Dump, address: int) -> str | None:
    """The function that starts at an address; a PLT entry gives the function that it jumps to."""
    return _name_at(core, through_plt(core, address)) or _name_at(core, address)


_THROUGH_MEMORY = b"\xff\x25"
"""``jmp [rip + …]`` (Intel SDM, volume 2, JMP: FF /4)."""


def through_plt(core: Dump, address: int) -> int:
    """Where a PLT entry jumps to; the address itself when there is none."""
    code = core.read(address, 16) or b""
    for insn in x86.decode(code, address, 2) if _THROUGH_MEMORY in code else ():
        mem = insn.operands[0].mem if insn.operands else None
        if insn.is_jump and mem is not None and mem.base == "rip" and mem.index is None:
            cell = insn.effective(mem, {})
            goal = core.read_word(cell) if cell is not None else None
            if goal is not None:
                return goal
    return address


_LONGEST_STUB = 24


def jumps_on(core: Dump, address: int) -> tuple[int, bool] | None:
    """Where a function goes that ends in a jump to another one (a tail call) on its straight way,
    and whether its first argument is still what it was given; None for any other function."""
    code, kept = core.read(address, _LONGEST_STUB * 4), True
    for insn in x86.decode(code, address, _LONGEST_STUB) if code is not None else ():
        if insn.is_call or insn.is_return or (insn.is_jump and insn.mnemonic != "jmp"):
            return None
        if insn.is_jump:
            goal = insn.target
            return (through_plt(core, goal), kept) if goal is not None else None
        kept = kept and x86.ARGUMENTS[0] not in insn.writes
    return None


def reached(core: Dump, address: int) -> str | None:
    """The name of the function that gets the argument of a call to ``address``: that of the target,
    of what it only hands on to, or, for one without a name that jumps on with another argument, its
    address."""
    name = target_name(core, address)
    for _ in range(3):
        on = jumps_on(core, address)
        further = target_name(core, on[0]) if on is not None else None
        if on is None or further is None:
            break
        if not on[1]:
            return name or f"{address:#x}"
        address, name = on[0], further
    return name


def _name_at(core: Dump, address: int) -> str | None:
    found = core.symbolize(address)
    return public(found[0]) if found is not None and found[1] == 0 else None
