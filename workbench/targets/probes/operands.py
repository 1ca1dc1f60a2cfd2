"""What instructions touch in memory, and what they divide."""

from msgspec import Struct

from workbench.targets.probes.instruction import MASK, Memory


class Access(Struct, frozen=True):
    """One access. ``shown`` is the operand as written, ``address`` what it comes to, or None when
    a register is not known; ``how``: read | write | read and write. ``moves``: the base register
    takes the address on, before the access."""

    shown: str
    address: int | None
    size: int
    how: str
    base: str | None
    index: str | None
    implicit: bool = False
    scale: int = 1
    moves: bool = False


def shown(mem: Memory) -> str:
    """An operand in one spelling for all processors: ``[x1 + x2*8 + 0x10]``."""
    text = mem.base or ""
    if mem.index:
        index = f"{mem.index}*{abs(mem.scale)}" if abs(mem.scale) != 1 else mem.index
        text = f"{text}{' - ' if mem.scale < 0 else ' + '}{index}" if text else index
    if mem.disp or not text:
        sign = " - " if mem.disp < 0 else " + "
        text = f"{text}{sign}{abs(mem.disp):#x}" if text else f"{mem.disp & MASK:#x}"
    return f"{mem.segment}:[{text}]" if mem.segment in ("fs", "gs") else f"[{text}]"


# Divisions: the divisor, and a quotient that does not fit (Intel SDM volume 2, DIV and IDIV).
class Division(Struct, frozen=True):
    """A division that traps: its divisor as written, its value, and ``size`` in bytes."""

    shown: str
    value: int | None
    size: int
    dividend: int | None = None
    overflow: bool = False
