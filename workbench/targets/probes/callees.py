"""The names of called functions, through PLT entries where there is one."""

from typing import TYPE_CHECKING

from workbench.targets.probes import x86
from workbench.targets.probes.x86 import Instruction

if TYPE_CHECKING:
    from workbench.targets.dump import Dump

FREEING = frozenset({"free", "realloc", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"})
"""Functions that free what their first argument points to; the last four are operators delete."""

_ALLOCATOR = frozenset({"malloc", "free", "calloc", "realloc", "memalign", "valloc", "pvalloc"})


def callee_name(core: "Dump", insn: Instruction) -> str | None:
    """The function that a direct call goes to, through its PLT entry if it is one."""
    if insn.target is not None:
        return target_name(core, insn.target)
    mem = insn.operands[0].mem if insn.operands else None
    if mem is not None and mem.base == "rip" and mem.index is None:
        cell = insn.effective(mem, {}, {})
        word = core.read_word(cell) if cell is not None else None
        return target_name(core, word) if word is not None else None
    return None


def target_name(core: "Dump", address: int) -> str | None:
    """The function that starts at an address; a PLT entry gives the function that it jumps to."""
    return _name_at(core, through_plt(core, address)) or _name_at(core, address)


def through_plt(core: "Dump", address: int) -> int:
    """Where a PLT entry jumps to; the address itself when there is none."""
    code = core.read(address, 16)
    for insn in x86.decode(code, address, 2) if code is not None else ():
        mem = insn.operands[0].mem if insn.operands else None
        if insn.is_jump and mem is not None and mem.base == "rip" and mem.index is None:
            cell = insn.effective(mem, {}, {})
            goal = core.read_word(cell) if cell is not None else None
            if goal is not None:
                return goal
    return address


def _name_at(core: "Dump", address: int) -> str | None:
    found = core.symbolize(address)
    return plain_name(found[0]) if found is not None and found[1] == 0 else None


def plain_name(name: str) -> str:
    """A function's public name: glibc's debug symbols call ``malloc`` ``__GI___libc_malloc``, and
    ``cfree`` is the old name of ``free``."""
    name = name.split("@", 1)[0].removeprefix("__GI_")
    short = name.removeprefix("__libc_")
    if short == "cfree":
        return "free"
    return short if short in _ALLOCATOR else name
