"""One step of unwinding by ``.eh_frame`` or ``.debug_frame``: the caller's registers from the
callee's.

DWARF 5, 6.4 (call frame information) with the augmentations of the Linux Standard Base; register
numbers of the System V AMD64 ABI, figure 3.36. Rules that need a DWARF expression are not followed.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.instruction import MASK, Instruction
from workbench.targets.probes.transfer import call_ending_at, calling_branch, cannot_run
from workbench.targets.probes.unwind_table import find_record, function_bounds
from workbench.targets.probes.x86 import BASES

_NAMES = (
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip",
)  # fmt: skip
_KEPT = frozenset({"rbx", "rbp", "r12", "r13", "r14", "r15"})
_RETURN = 16
_PROLOGUE = 64
"""Bytes of code in which a function has kept what it is to give back."""
_MAX_RECORD = 1 << 16
_SIZES_IN = 4
"""The version of a common record from which on it says how wide addresses are."""
_MAX_STATES = 64
_POINTER_SIZES = {0x00: 8, 0x02: 2, 0x03: 4, 0x04: 8, 0x0A: 2, 0x0B: 4, 0x0C: 8}
_PCREL_SDATA4 = 0x1B


class _OddError(Exception):
    """The record holds something that is not followed here."""


class _Bytes:
    """A reader that never runs over the end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    @property
    def left(self) -> bool:
        return self.at < len(self.data)

    def number(self, size: int, signed: bool = False) -> int:
        raw = self.data[self.at : self.at + size]
        if len(raw) < size:
            raise _OddError
        self.at += size
        return int.from_bytes(raw, "little", signed=signed)

    def uleb(self, signed: bool = False) -> int:
        value = shift = 0
        while shift < 70:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value
        raise _OddError

    def sleb(self) -> int:
        return self.uleb(signed=True)

    def skip(self, size: int) -> None:
        self.at += size

    def text(self) -> bytes:
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise _OddError
        found = self.data[self.at : end]
        self.at = end + 1
        return found


class _Rules(Struct):
    """``cfa`` is (register number, offset); a saved register's value lies at cfa + its offset;
    None: its rule is not followed here."""

    cfa: tuple[int, int] | None = None
    saved: dict[int, int | None] = field(default_factory=dict)

    def copy(self) -> "_Rules":
        return _Rules(self.cfa, dict(self.saved))


def caller_of(
    core: Dump, pc: int, registers: Mapping[str, int]
) -> tuple[int, dict[str, int]] | None:
    """The return address of the function at ``pc`` and the registers that its caller has there:
    the stack pointer and those that a function keeps. None when that cannot be told."""
    try:
        rules = _rules_at(core, pc)
    except _OddError:
        return None
    if rules is None or rules.cfa is None:
        return None
    number, offset = rules.cfa
    base = registers.get(_NAMES[number]) if number < len(_NAMES) else None
    if base is None:
        return None
    cfa = (base + offset) & MASK
    where = rules.saved.get(_RETURN)
    back = core.read_word((cfa + where) & MASK) if where is not None else None
    if not back:
        return None
    found = {name: registers[name] for name in BASES if name in registers} | {"rsp": cfa}
    for index, name in enumerate(_NAMES):
        if name not in _KEPT:
            continue
        if index not in rules.saved:
            value = registers.get(name)
        else:
            place = rules.saved[index]
            value = core.read_word((cfa + place) & MASK) if place is not None else None
        if value is not None:
            found[name] = value
    return back, found


def kept_at(core: Dump, start: int, register: str) -> int | None:
    """How far from the stack pointer that its caller has behind the call the function at ``start``
    keeps a register of the caller's; None where it keeps none, or not as it begins."""
    bounds = function_bounds(core, start)
    if register not in _KEPT or bounds is None or bounds[0] != start:
        return None
    index = _NAMES.index(register)
    try:
        for pc in range(start, min(bounds[1], start + _PROLOGUE)):
            rules = _rules_at(core, pc)
            if rules is not None and rules.saved.get(index) is not None:
                return rules.saved[index]
    except _OddError:
        pass
    return None


def _rules_at(core: Dump, pc: int) -> _Rules | None:
    record = find_record(core, pc)
    if record is None:
        return None
    if record.common:
        return _Program(_Bytes(record.common)).run(_Bytes(record.body), pc - record.start)
    head = core.read(record.address, 8)
    if head is None:
        raise _OddError
    size, back = int.from_bytes(head[:4], "little"), int.from_bytes(head[4:], "little")
    common = record.address + 4 - back
    cie = core.read(common, 4)
    if cie is None or not 8 < size <= _MAX_RECORD:
        raise _OddError
    common_size = int.from_bytes(cie, "little")
    body = core.read(record.address + 8, size - 4)
    common_body = core.read(common + 8, common_size - 4) if 4 < common_size <= _MAX_RECORD else None
    if body is None or common_body is None:
        raise _OddError
    data = _Bytes(body)
    data.skip(8)
    return _Program(_Bytes(common_body)).run(data, pc - record.start)


class _Program:
    """The common record of a function's unwinding rules."""

    def __init__(self, data: _Bytes) -> None:
        version = data.number(1)
        augmentation = data.text()
        if version >= _SIZES_IN:
            data.skip(2)  # of an address and of a segment's selector
        self.code_align = data.uleb()
        self.data_align = data.sleb()
        returns = data.number(1) if version == 1 else data.uleb()
        self.augmented = augmentation.startswith(b"z")
        if returns != _RETURN or (augmentation and not self.augmented):
            raise _OddError
        length = data.uleb() if self.augmented else 0
        end = data.at + length
        for letter in augmentation[1:]:
            if letter == ord("R"):
                if data.number(1) != _PCREL_SDATA4:
                    raise _OddError
            elif letter == ord("L"):
                data.number(1)
            elif letter == ord("P"):
                data.number(_POINTER_SIZES.get(data.number(1) & 0xF, 9))
            elif letter != ord("S"):
                raise _OddError
        data.at = end
        self.initial = _Rules()
        self._execute(data, self.initial, None, self.initial)

    def run(self, data: _Bytes, distance: int) -> _Rules:
        """The rules at ``distance`` bytes from the function's start."""
        if self.augmented:
            data.skip(data.uleb())
        rules = self.initial.copy()
        self._execute(data, rules, distance, self.initial)
        return rules

    def _execute(self, data: _Bytes, rules: _Rules, distance: int | None, initial: _Rules) -> None:
        at = 0
        stack: list[_Rules] = []
        while data.left:
            code = data.number(1)
            high, low = code & 0xC0, code & 0x3F
            if high == 0x40 or code in (2, 3, 4):
                step = low if high else data.number({2: 1, 3: 2, 4: 4}[code])
                at += step * self.code_align
                if distance is not None and at > distance:
                    return
            elif high == 0x80:
                rules.saved[low] = data.uleb() * self.data_align
            elif high == 0xC0 or code == 0x06:
                number = low if high else data.uleb()
                if number in initial.saved:
                    rules.saved[number] = initial.saved[number]
                else:
                    rules.saved.pop(number, None)
            elif code == 0x0A:
                if len(stack) >= _MAX_STATES:
                    raise _OddError
                stack.append(rules.copy())
            elif code == 0x0B:
                if not stack:
                    raise _OddError
                kept = stack.pop()
                rules.cfa, rules.saved = kept.cfa, kept.saved
            else:
                self._plain(data, rules, code)

    def _plain(self, data: _Bytes, rules: _Rules, code: int) -> None:
        match code:
            case 0x00:
                pass
            case 0x05:
                number = data.uleb()
                rules.saved[number] = data.uleb() * self.data_align
            case 0x07:
                rules.saved[data.uleb()] = None
            case 0x08:
                rules.saved.pop(data.uleb(), None)
            case 0x09:
                rules.saved[data.uleb()] = None
                data.uleb()
            case 0x0C:
                rules.cfa = (data.uleb(), data.uleb())
            case 0x0D:
                rules.cfa = (data.uleb(), rules.cfa[1] if rules.cfa else 0)
            case 0x0E:
                rules.cfa = (rules.cfa[0] if rules.cfa else 7, data.uleb())
            case 0x0F:
                rules.cfa = None
                data.skip(data.uleb())
            case 0x10 | 0x16:
                rules.saved[data.uleb()] = None
                data.skip(data.uleb())
            case 0x11:
                number = data.uleb()
                rules.saved[number] = data.sleb() * self.data_align
            case 0x2E:
                data.uleb()
            case _:
                raise _OddError


# The calls that a thread is inside of, innermost first, by unwinding.
class Caller(Struct, frozen=True):
    """A call in progress and the registers of the function that made it, as they were at the
    call: its stack pointer and what calls keep."""

    call: Instruction
    registers: dict[str, int]


def callers(core: Dump, pc: int, registers: Mapping[str, int], limit: int) -> Iterator[Caller]:
    """The calls that led to the instruction at ``pc``, at most ``limit``, as far as unwinding
    tables and memory go. The stack pointer must rise with each."""
    at, known = pc, dict(registers)
    for _ in range(limit):
        found = caller_of(core, at, known)
        if found is None or found[1]["rsp"] <= known.get("rsp", 0):
            return
        back, known = found
        call = call_ending_at(core, back)
        if call is None:
            return
        yield Caller(call, known)
        at = call.address


def callers_of_thread(core: Dump, thread: CoreThread, limit: int) -> Iterator[Caller]:
    """As `callers` from where a thread stopped; from the call, when its pc is no code."""
    if thread.pc is None:
        return
    if not cannot_run(core, thread.pc):
        yield from callers(core, thread.pc, thread.registers, limit)
        return
    branch = calling_branch(core, thread)
    if branch is not None:
        before = {**thread.registers, "rsp": ((thread.sp or 0) + 8) & MASK}
        yield Caller(branch.call, before)
        yield from callers(core, branch.call.address, before, limit - 1)
