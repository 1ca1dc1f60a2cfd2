"""What an instruction touches: its memory operand, from the text of a disassembly.

MASM's notation, as the debuggers print it: ``mov edi,dword ptr [ecx+8]``,
``ldr w8,[x0,#0x10]`` (Intel SDM volume 2; Arm ARM C6).
"""

import re
from dataclasses import dataclass

from workbench.model.mnemonics import access

_INSIDE = re.compile(r"\[([^\[\]]{1,120})\]")
_WORD = re.compile(r"\b[a-z][a-z0-9]{1,3}\b")
_REGISTER = re.compile(
    r"^(?:[re]?(?:ax|bx|cx|dx|si|di|bp|sp|ip)|r(?:8|9|1[0-5])[dwb]?|[abcd][lh]|[sd]il|[bs]pl"
    r"|[xw](?:[12]?[0-9]|30)|sp|fp|lr|pc)$"
)
_SIZES = {"byte": 1, "word": 2, "dword": 4, "fword": 6, "qword": 8, "xmmword": 16, "ymmword": 32,
          "tbyte": 10, "oword": 16}  # fmt: skip
_SIZE = re.compile(r"\b([a-z]+) ptr\b")
_NO_ACCESS = frozenset({"lea", "nop", "prefetchw"})
_PUSHES = frozenset({"push", "call", "pushfd", "pushfq"})


@dataclass(frozen=True)
class Operand:
    """``access``: read | write | none; ``base`` is the first register inside the brackets. Where it
    leads, the debugger shows behind the instruction, and the exception's record."""

    access: str
    base: str | None = None
    index: str | None = None
    size: int | None = None


def memory_operand(mnemonic: str, operands: str) -> Operand:
    """The memory operand of an instruction; access ``none`` where it has none."""
    if mnemonic in _NO_ACCESS:
        return Operand("none")
    inside = _INSIDE.search(operands)
    if inside is None:
        return Operand("write" if mnemonic in _PUSHES else "none")
    named = _SIZE.search(operands)
    size = _SIZES.get(named[1]) if named is not None else None
    # "[module!name (00007ff6`1234abcd)]" is a symbol
    words = () if "(" in inside[1] else _WORD.findall(inside[1].lower())
    base, index, *_ = (*filter(_REGISTER.match, words), None, None)
    return Operand(access(mnemonic, "," not in operands[: inside.start()]), base, index, size)
