"""What an instruction touches: its memory operand and divisor, from the text of a disassembly.

MASM's notation, as the debuggers print it: ``mov edi,dword ptr [ecx+8]``, ``idiv eax,ecx``,
``ldr w8,[x0,#0x10]`` (Intel SDM volume 2; Arm ARM C6).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_INSIDE = re.compile(r"\[([^\[\]]{1,120})\]")
_WORD = re.compile(r"\b[a-z][a-z0-9]{1,3}\b")
_REGISTER = re.compile(
    r"^(?:[re]?(?:ax|bx|cx|dx|si|di|bp|sp|ip)|r(?:8|9|1[0-5])[dwb]?|[abcd][lh]|[sd]il|[bs]pl"
    r"|[xw](?:[12]?[0-9]|30)|sp|fp|lr|pc)$"
)
_SIZES = {"byte": 1, "word": 2, "dword": 4, "fword": 6, "qword": 8, "xmmword": 16, "ymmword": 32,
          "tbyte": 10, "oword": 16}  # fmt: skip
_SIZE = re.compile(r"\b([a-z]+) ptr\b")
# These only read their first operand.
_READERS = frozenset(
    {"cmp", "test", "push", "call", "jmp", "mul", "div", "idiv", "bt", "ucomiss", "ucomisd",
     "comiss", "comisd", "fld", "fild", "prefetchnta", "prefetcht0", "lods", "scas", "cmps",
     "vucomiss", "vucomisd", "ldmxcsr"}
)  # fmt: skip
_NO_ACCESS = frozenset({"lea", "nop", "prefetchw"})
_PUSHES = frozenset({"push", "call", "pushfd", "pushfq"})
_STORES_ARM = ("st", "cas", "swp")
_NARROW = {
    "eax": ("rax", 32), "ebx": ("rbx", 32), "ecx": ("rcx", 32), "edx": ("rdx", 32),
    "esi": ("rsi", 32), "edi": ("rdi", 32), "ebp": ("rbp", 32), "esp": ("rsp", 32),
    "ax": ("rax", 16), "bx": ("rbx", 16), "cx": ("rcx", 16), "dx": ("rdx", 16),
    "al": ("rax", 8), "bl": ("rbx", 8), "cl": ("rcx", 8), "dl": ("rdx", 8),
    "si": ("rsi", 16), "di": ("rdi", 16), "sil": ("rsi", 8), "dil": ("rdi", 8),
}  # fmt: skip

Get = Callable[[str], int | None]


@dataclass(frozen=True)
class Operand:
    """``access``: read | write | none; ``base`` is the first register inside the brackets. Where it
    leads, the debugger shows behind the instruction, and the exception's record."""

    access: str
    base: str | None = None
    index: str | None = None
    size: int | None = None


def register(name: str, get: Get) -> int | None:
    """A register's value, a narrow one's out of the wide one that was printed."""
    value = get(name)
    if value is not None:
        return value
    if name in _NARROW:
        wide, bits = _NARROW[name]
        value = get(wide)
        if value is None:
            value = get("e" + wide[1:])
    elif re.fullmatch(r"r\d{1,2}[dwb]", name):
        bits = {"d": 32, "w": 16, "b": 8}[name[-1]]
        value = get(name[:-1])
    elif re.fullmatch(r"w\d{1,2}", name):
        bits, value = 32, get("x" + name[1:])
    else:
        return None
    return value & ((1 << bits) - 1) if value is not None else None


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
    return Operand(_access(mnemonic, operands, inside.start()), base, index, size)


def _access(mnemonic: str, operands: str, at: int) -> str:
    if mnemonic.startswith("ld") and mnemonic != "ldmxcsr":
        return "read"
    if mnemonic.startswith(_STORES_ARM) and not mnemonic.startswith("stc"):
        return "write"
    first = "," not in operands[:at]
    if not first or mnemonic in _READERS or mnemonic.startswith(("fld", "fild", "fcom")):
        return "read"
    return "write"


@dataclass(frozen=True)
class Division:
    """A division's ``divisor`` (unsigned, ``bits`` wide) and whether the quotient cannot fit."""

    divisor: int | None
    bits: int
    overflows: bool


def division(mnemonic: str, operands: str, get: Get, annotated: int | None) -> Division | None:
    """The divisor of ``div`` and ``idiv``; None for any other instruction. ``annotated`` is what
    the debugger shows at the memory operand."""
    if mnemonic not in ("div", "idiv"):
        return None
    last = operands.rsplit(",", 1)[-1].strip()
    sized = _SIZE.search(last)
    if "[" in last:
        bits = 8 * (_SIZES.get(sized[1], 4) if sized else 4)
        divisor = annotated & ((1 << bits) - 1) if annotated is not None else None
    else:
        bits = _width(last)
        divisor = register(last, get)
    return Division(divisor, bits, _overflows(mnemonic, divisor, bits, get))


def _width(name: str) -> int:
    if name in _NARROW:
        return _NARROW[name][1]
    if name[-1:] in "dwb" and name[:1] == "r" and name[1:-1].isdigit():
        return {"d": 32, "w": 16, "b": 8}[name[-1]]
    return 64 if name[:1] == "r" else 32


def _overflows(mnemonic: str, divisor: int | None, bits: int, get: Get) -> bool:
    """True for the smallest integer by minus one (Intel SDM volume 2, IDIV)."""
    if divisor is None or mnemonic != "idiv" or divisor != (1 << bits) - 1:
        return False
    name = {64: "rax", 32: "eax", 16: "ax"}.get(bits)
    return name is not None and register(name, get) == 1 << (bits - 1)
