"""What x86-64 instructions do to registers, memory and flags (Intel SDM, volume 2), and
functions of the C library that only look at memory, by what they give back."""

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.x86 import signed

Byte = Callable[[int], int]

_MOST = 4096
_NAME = re.compile(r"_*(strlen|strcmp|strncmp|memcmp)(?:_(?:avx|avx2|evex|sse)\w*)?")


def pure_name(name: str | None) -> str | None:
    """The name of one of `PURE`, also for a variant that glibc picked for the processor."""
    found = _NAME.fullmatch(name) if name else None
    return found[1] if found is not None else None


def _strlen(byte: Byte, text: int, *_: int) -> int:
    return next((size for size in range(_MOST) if not byte(text + size)), _MOST)


def _compared(byte: Byte, one: int, other: int, most: int, texts: bool) -> int:
    for index in range(min(most, _MOST)):
        first, second = byte(one + index), byte(other + index)
        if first != second:
            return first - second
        if texts and not first:
            return 0
    return 0


PURE: dict[str, Callable[..., int]] = {
    "strlen": _strlen,
    "strcmp": lambda byte, one, other, *_: _compared(byte, one, other, _MOST, True),
    "strncmp": lambda byte, one, other, most: _compared(byte, one, other, most, True),
    "memcmp": lambda byte, one, other, most: _compared(byte, one, other, most, False),
}
"""What each gives back, from a reader of bytes and its arguments (ISO C 7.26)."""


if TYPE_CHECKING:
    from workbench.targets.probes.stepping import Stepper

Effect = Callable[["Stepper", Instruction], None]


class StuckError(Exception):
    """What comes next is not known here; the text says where."""


class Flags(NamedTuple):
    """The status flags after an instruction; None where it leaves one undefined."""

    carry: bool | None
    zero: bool
    sign: bool
    overflow: bool | None
    parity: bool


def flags_of(register: int | None) -> Flags | None:
    """The status flags as the flags register holds them (Intel SDM volume 1, figure 3-8)."""
    if register is None:
        return None
    bits = {
        name: bool(register >> bit & 1)
        for name, bit in (("carry", 0), ("parity", 2), ("zero", 6), ("sign", 7), ("overflow", 11))
    }
    return Flags(**bits)


def sized(size: int) -> int:
    """All ones in so many bytes."""
    return (1 << 8 * size) - 1


def holds(flags: Flags | None, condition: str) -> bool:
    """Whether a condition (``ne`` of ``jne``) is met (Intel SDM volume 1, appendix B)."""
    if flags is None:
        raise StuckError(condition)
    parts = {
        "o": (flags.overflow,), "b": (flags.carry,), "e": (flags.zero,),
        "be": (flags.carry, flags.zero), "s": (flags.sign,), "p": (flags.parity,),
        "l": (flags.sign, flags.overflow), "le": (flags.zero, flags.sign, flags.overflow),
    }  # fmt: skip
    opposite = {"no": "o", "ae": "b", "ne": "e", "a": "be", "ns": "s", "np": "p", "ge": "l",
                "g": "le"}  # fmt: skip
    name = opposite.get(condition, condition)
    needed = parts.get(name)
    if needed is None or None in needed:
        raise StuckError(condition)
    if name in ("l", "le"):
        less = flags.sign != flags.overflow
        met = less or (name == "le" and flags.zero)
    else:
        met = any(needed)
    return met != (condition in opposite)


def _flags(result: int, size: int, carry: bool | None, overflow: bool | None) -> Flags:
    result &= sized(size)
    parity = bin(result & 0xFF).count("1") % 2 == 0
    return Flags(carry, result == 0, bool(result >> (8 * size - 1)), overflow, parity)


def _sum(one: int, other: int, size: int, carry: int = 0, sign: int = 1) -> tuple[int, Flags]:
    """Both and the carry added, or with a ``sign`` of -1 subtracted, and the flags after it."""
    total = one + sign * (other + carry)
    exact = signed(one, size) + sign * (signed(other, size) + carry)
    over = exact != signed(total & sized(size), size)
    return total, _flags(total, size, not 0 <= total <= sized(size), over)


def _move(step: "Stepper", insn: Instruction) -> None:
    step.store(insn, 0, step.value(insn, 1))


def _move_signed(step: "Stepper", insn: Instruction) -> None:
    step.store(insn, 0, signed(step.value(insn, 1), insn.operands[1].size))


def _lea(step: "Stepper", insn: Instruction) -> None:
    step.store(insn, 0, step.address(insn, 1))


def _adds(sign: int, keep: bool = True, carried: bool = False) -> Effect:
    def effect(step: "Stepper", insn: Instruction) -> None:
        carry = int(holds(step.flags, "b")) if carried else 0
        one, other = step.value(insn, 0), step.value(insn, 1)
        result, step.flags = _sum(one, other, insn.operands[0].size, carry, sign)
        if keep:
            step.store(insn, 0, result)

    return effect


def _joins(operation: Callable[[int, int], int], keep: bool = True) -> Effect:
    def effect(step: "Stepper", insn: Instruction) -> None:
        result = operation(step.value(insn, 0), step.value(insn, 1))
        step.flags = _flags(result, insn.operands[0].size, False, False)
        if keep:
            step.store(insn, 0, result)

    return effect


def _xor(step: "Stepper", insn: Instruction) -> None:
    one, other = insn.operands
    if one.reg is not None and one.reg == other.reg:  # zero whatever it held
        step.store(insn, 0, 0)
        step.flags = _flags(0, one.size, False, False)
    else:
        _joins(operator.xor)(step, insn)


def _by_one(sign: int) -> Effect:
    def effect(step: "Stepper", insn: Instruction) -> None:
        result, flags = _sum(step.value(insn, 0), 1, insn.operands[0].size, 0, sign)
        step.flags = flags._replace(carry=step.flags.carry if step.flags else None)
        step.store(insn, 0, result)

    return effect


def _negate(step: "Stepper", insn: Instruction) -> None:
    result, step.flags = _sum(0, step.value(insn, 0), insn.operands[0].size, 0, -1)
    step.store(insn, 0, result)


def _invert(step: "Stepper", insn: Instruction) -> None:
    step.store(insn, 0, ~step.value(insn, 0))


def _shift(kind: str) -> Effect:
    def effect(step: "Stepper", insn: Instruction) -> None:
        size = insn.operands[0].size
        value = step.value(insn, 0)
        count = step.value(insn, 1) if len(insn.operands) > 1 else 1
        count &= 63 if size == 8 else 31
        if kind == "shl":
            result = value << count
        else:
            result = (signed(value, size) if kind == "sar" else value) >> count
        if count:
            step.flags = _flags(result, size, None, None)
        step.store(insn, 0, result)

    return effect


def _rotate(left: bool) -> Effect:
    def effect(step: "Stepper", insn: Instruction) -> None:
        size = insn.operands[0].size
        value = step.value(insn, 0)
        count = step.value(insn, 1) if len(insn.operands) > 1 else 1
        count = (count & (63 if size == 8 else 31)) % (8 * size)
        other = 8 * size - count
        up, down = (count, other) if left else (other, count)
        step.store(insn, 0, value << up | value >> down)
        if step.flags is not None:
            step.flags = step.flags._replace(carry=None, overflow=None)

    return effect


def _multiply(step: "Stepper", insn: Instruction) -> None:
    size = insn.operands[0].size
    if len(insn.operands) == 1:
        _multiply_wide(step, insn, size)
        return
    one, other = (1, 2) if len(insn.operands) == 3 else (0, 1)
    result = signed(step.value(insn, one), size) * signed(step.value(insn, other), size)
    step.flags = None
    step.store(insn, 0, result)


def _multiply_wide(step: "Stepper", insn: Instruction, size: int) -> None:
    one, other = step.value(insn, 0), step.registers.get("rax")
    if other is None or size < 4:
        raise StuckError(insn.text)
    other &= sized(size)
    if insn.mnemonic == "imul":
        one, other = signed(one, size), signed(other, size)
    result = (one * other) & sized(2 * size)
    step.registers["rax"], step.registers["rdx"] = result & sized(size), result >> 8 * size
    step.flags = None


def _widen(target: str, source: str, size: int, high: bool) -> Effect:
    def effect(step: "Stepper", insn: Instruction) -> None:
        if source not in step.registers:
            raise StuckError(source)
        value = signed(step.registers[source] & sized(size), size)
        if high:
            step.registers[target] = (-1 if value < 0 else 0) & sized(size)
        else:
            step.registers[target] = value & sized(2 * size)

    return effect


def _divide(step: "Stepper", insn: Instruction) -> None:
    size = insn.operands[0].size
    divisor = step.value(insn, 0)
    if size < 4 or not {"rax", "rdx"} <= set(step.registers):
        raise StuckError(insn.text)
    high, low = step.registers["rdx"] & sized(size), step.registers["rax"] & sized(size)
    value = high << 8 * size | low
    if insn.mnemonic == "idiv":
        value, divisor = signed(value, 2 * size), signed(divisor, size)
    quotient = abs(value) // abs(divisor) if divisor else 0
    if (value < 0) != (divisor < 0):
        quotient = -quotient
    limits = (
        (-(1 << 8 * size - 1), sized(size) >> 1) if insn.mnemonic == "idiv" else (0, sized(size))
    )
    if not divisor or not limits[0] <= quotient <= limits[1]:
        raise StuckError(insn.text)
    step.registers["rax"] = quotient & sized(size)
    step.registers["rdx"] = (value - quotient * divisor) & sized(size)
    step.flags = None


def _exchange(step: "Stepper", insn: Instruction) -> None:
    one, other = step.value(insn, 0), step.value(insn, 1)
    step.store(insn, 0, other)
    step.store(insn, 1, one)


def _exchange_add(step: "Stepper", insn: Instruction) -> None:
    one, other = step.value(insn, 0), step.value(insn, 1)
    result, step.flags = _sum(one, other, insn.operands[0].size)
    step.store(insn, 1, one)
    step.store(insn, 0, result)


def _compare_exchange(step: "Stepper", insn: Instruction) -> None:
    size = insn.operands[0].size
    if "rax" not in step.registers:
        raise StuckError(insn.text)
    wanted, found = step.registers["rax"] & sized(size), step.value(insn, 0)
    _, step.flags = _sum(wanted, found, size, 0, -1)
    if wanted == found:
        step.store(insn, 0, step.value(insn, 1))
    elif size >= 4:
        step.registers["rax"] = found
    else:
        step.registers["rax"] = step.registers["rax"] & ~sized(size) | found


EFFECTS: dict[str, Effect] = {
    "mov": _move, "movabs": _move, "movzx": _move, "movsx": _move_signed,
    "movsxd": _move_signed, "lea": _lea,
    "add": _adds(1), "sub": _adds(-1), "adc": _adds(1, carried=True),
    "sbb": _adds(-1, carried=True), "cmp": _adds(-1, keep=False), "xor": _xor,
    "and": _joins(operator.and_), "or": _joins(operator.or_),
    "test": _joins(operator.and_, keep=False),
    "inc": _by_one(1), "dec": _by_one(-1), "neg": _negate, "not": _invert,
    "shl": _shift("shl"), "sal": _shift("shl"), "shr": _shift("shr"), "sar": _shift("sar"),
    "rol": _rotate(left=True), "ror": _rotate(left=False),
    "imul": _multiply, "mul": _multiply, "div": _divide, "idiv": _divide,
    "cdqe": _widen("rax", "rax", 4, high=False), "cwde": _widen("rax", "rax", 2, high=False),
    "cqo": _widen("rdx", "rax", 8, high=True),
    "cdq": _widen("rdx", "rax", 4, high=True),
    "xchg": _exchange, "xadd": _exchange_add, "cmpxchg": _compare_exchange,
}  # fmt: skip
"""What each instruction does, by its mnemonic without prefixes."""
