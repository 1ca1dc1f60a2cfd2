"""The memory operand of one disassembled instruction, computed from printed registers.

AT&T and Intel spellings of x86, and the bracketed spellings of ARM and AArch64.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from workbench.model.mnemonics import access
from workbench.targets.probes.instruction import memory, split

_LONGEST = 300
_PAGE = 4096
_LOWEST = 1 << 16
"""No process has memory below, unless it asks for it (sysctl vm.mmap_min_addr)."""


class Operand(NamedTuple):
    """``access``: read | write | execute; ``address`` the effective address; ``text`` as printed;
    ``registers`` those that it was computed from, with their values."""

    access: str
    address: int
    text: str
    registers: tuple[tuple[str, int], ...] = ()


_ABSOLUTE = re.compile(r"(?:^|,)\*?(?:%ds:)?(?P<disp>0x[0-9a-f]{1,16})(?=$|,)")
_MEMORY = re.compile(r"\[.*|(?<![a-z])(?:-?(?:0x[0-9a-f]+|\d+))?\(.*")
_WORD = re.compile(
    r"^(?:(?:rep[a-z]*|lock|data16|bnd|notrack) )*(?P<name>[a-z][a-z0-9.]{0,15})\s*(?P<rest>.*)$"
)
_THROUGH = re.compile(r"(?:\*%)?(r(?:[a-ds][xip]|[sb]p|\d{1,2}))")
_COMMENT = re.compile(r"\s#\s|\s;\s|\s//\s")
_WIDE = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"}


def decode(instruction: str, registers: Mapping[str, int], bits: int) -> Operand | None:
    """What a load, a store, a call or a return touches; None where it cannot be told."""
    text = _COMMENT.split(instruction[:_LONGEST], maxsplit=1)[0]
    text = " ".join(text.replace("\t", " ").split())
    text = re.sub(r"<[^<>]{0,200}>", "", text).strip()
    word = _WORD.match(text)
    if word is None:
        return None
    name, rest = word["name"], word["rest"].replace(" ptr ", " ").strip()
    if name.startswith("lea") or name == "nop" or name.startswith("nop"):
        return None
    mask = (1 << bits) - 1
    pointer = next((r for r in ("rsp", "esp", "sp") if r in registers), None)
    pops = name in ("ret", "retq", "retl", "pop", "popq", "leave", "leaveq")
    if pops and pointer and "(" not in rest and "[" not in rest:
        value = registers[pointer]
        return Operand("read", value & mask, "the stack", ((pointer, value),))
    direct = name.startswith(("call", "j")) and not any(sign in rest for sign in "*([%")
    operands = [] if direct else split(rest)
    written = len(operands) - 1 if "%" in rest or "$" in rest else 0  # of AT&T and of Intel
    found = [
        Operand(access(name, place == written), at[0] & mask, operand, at[1])
        for place, operand in enumerate(operands)
        if (at := _address(operand, registers)) is not None
    ]
    if len(found) == 1:
        return found[0]
    if found:  # strings are copied or compared: which of both failed is told where one cannot be
        low = [one for one in found if one.address < _LOWEST]
        return low[0] if len(low) == 1 else None
    if name.startswith(("call", "jmp")):
        target = _wild_target(rest, registers)
        if target is not None:
            return target
    if name.startswith(("call", "push")) and pointer is not None:
        step = bits // 8
        value = registers[pointer]
        if value % _PAGE < step:  # else the same page took what was pushed last
            return Operand("write", (value - step) & mask, "the stack", ((pointer, value),))
    return None


def _wild_target(rest: str, registers: Mapping[str, int]) -> Operand | None:
    """Where a call or jump through a register goes, if to no canonical address: the processor
    refuses that at the call itself (Intel SDM volume 2, CALL: #GP(0))."""
    through = _THROUGH.fullmatch(rest)
    value = registers.get(through[1]) if through is not None else None
    if through is None or value is None or not 1 << 47 <= value < (1 << 64) - (1 << 47):
        return None
    return Operand("execute", value, rest, ((through[1], value),))


def _address(
    operand: str, registers: Mapping[str, int]
) -> tuple[int, tuple[tuple[str, int], ...]] | None:
    if re.search(r"\b[fg]s:", operand):
        return None
    absolute = _ABSOLUTE.search(operand)
    if absolute is not None and "%" not in operand.replace("%ds:", "") and "$" not in operand:
        return int(absolute["disp"], 16), ()
    written = _MEMORY.search(operand.lower())
    mem = memory(written[0]) if written is not None else None
    if mem is None or not mem.scale or mem.extend:
        return None
    total, used = mem.disp, []
    for name, times in ((mem.base, 1), (mem.index, mem.scale)):
        value = lookup(name, registers) if name is not None else 0
        if value is None:
            return None
        total += value * times
        used += [(name, value)] if name is not None else []
    return total, tuple(sorted(used, key=lambda pair: operand.find(pair[0])))


def lookup(name: str, registers: Mapping[str, int]) -> int | None:
    """A register's value; a part of a wider one is cut out of it."""
    if name in registers:
        return registers[name]
    if name.startswith("e") and f"r{name[1:]}" in registers:
        return registers[f"r{name[1:]}"] & 0xFFFFFFFF
    if name.startswith("r") and f"e{name[1:]}" in registers and name[1:] in _WIDE:
        return registers[f"e{name[1:]}"]
    if name.endswith("d") and name[:-1] in registers:
        return registers[name[:-1]] & 0xFFFFFFFF
    if name.startswith("w") and f"x{name[1:]}" in registers:
        return registers[f"x{name[1:]}"] & 0xFFFFFFFF
    if name in ("xzr", "wzr"):
        return 0
    return None
