"""Callers on 64-bit Windows by the unwinding tables of its images ("x64 exception handling" of
Microsoft's ABI documentation: UNWIND_INFO, UNWIND_CODE).

A function's prologue is undone as far as it has run. Only the innermost frame can stand in an
epilogue; there one step may be wrong, and is dropped where it leads to no code.
"""

import struct
from collections.abc import Callable

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.pe import Function, PeImage
from workbench.targets.minidump.walk import Caller, is_code

_NAMES = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15"
_REGISTERS = tuple(_NAMES.split())
_PUSH, _LARGE, _SMALL, _SET_FP, _SAVE, _SAVE_FAR = 0, 1, 2, 3, 4, 5
_EPILOG, _SPARE, _XMM, _XMM_FAR, _MACHINE = 6, 7, 8, 9, 10
_SLOTS = {_SAVE: 2, _SAVE_FAR: 3, _EPILOG: 2, _SPARE: 3, _XMM: 2, _XMM_FAR: 3}
_CHAINED = 4
_MOST_CHAINS = 32
_MASK = (1 << 64) - 1


def callers(dump: MinidumpFile, registers: dict[str, int], limit: int) -> list[Caller]:
    """The callers of the function that ``registers`` are in, nearest first."""
    state = dict(registers)
    found: list[Caller] = []
    while len(found) < limit:
        before = state["rsp"]
        # A call may be the last instruction of its function: the return address lies behind it.
        after = _step(dump, state, 1 if found else 0)
        if after is None or after["rsp"] <= before or not is_code(dump, after["rip"]):
            return found
        found.append(Caller(after["rip"], after["rsp"] - 8))
        state = after
    return found


def _step(dump: MinidumpFile, state: dict[str, int], back_by: int) -> dict[str, int] | None:
    """The registers of the caller, None where the stack cannot be read."""
    module = dump.module_at(state["rip"])
    image = dump.image(module.base) if module is not None else None
    after = dict(state)
    if image is not None and module is not None:
        offset = state["rip"] - back_by - module.base
        function = image.function(offset)
        if function is None and not image.functions:
            return None  # no table in the dump: nothing is known of this function
        if function is not None:
            machine = _undo(dump.read_word, image, function, offset, after)
            if machine is None:
                return None
            if machine:
                return after
    elif is_code(dump, state["rip"]):
        return None
    back = dump.read_word(after["rsp"])
    if back is None:
        return None
    after["rip"], after["rsp"] = back, (after["rsp"] + 8) & _MASK
    return after


def _undo(
    word: Callable[[int], int | None],
    image: PeImage,
    function: Function,
    offset: int,
    state: dict[str, int],
) -> bool | None:
    """Undo a prologue. True when an interrupt frame gave pc itself, None when it cannot be done."""
    for _ in range(_MOST_CHAINS):
        head = image.read(function.unwind & ~3, 4)
        if head is None:
            return None
        flags, count = head[0] >> 3, head[2]
        raw = image.read((function.unwind & ~3) + 4, 2 * count + 16)
        codes = raw or image.read((function.unwind & ~3) + 4, 2 * count)
        if codes is None and count:
            return None
        done = _codes(word, codes or b"", head, offset - function.start, state)
        if done is not False:
            return done
        if not flags & _CHAINED:
            return False
        at = (count + 1) // 2 * 4
        chained = image.read((function.unwind & ~3) + 4 + at, 12)
        if chained is None:
            return None
        function = Function(*struct.unpack("<III", chained))
        offset = function.end  # the whole of the chained prologue has run
    return None


def _codes(
    word: Callable[[int], int | None], codes: bytes, head: bytes, ran: int, state: dict[str, int]
) -> bool | None:
    count, frame = head[2], head[3]
    base = state["rsp"]
    fixed = any(
        codes[2 * n + 1] & 15 == _SET_FP and ran >= codes[2 * n]
        for n in range(count)
        if 2 * n + 1 < len(codes)
    )
    if frame & 15 and fixed:
        base = (state.get(_REGISTERS[frame & 15], 0) - 16 * (frame >> 4)) & _MASK
    index = 0
    while index < count and 2 * index + 1 < len(codes):
        at, operation, info = codes[2 * index], codes[2 * index + 1] & 15, codes[2 * index + 1] >> 4
        slots = (3 if info else 2) if operation == _LARGE else _SLOTS.get(operation, 1)
        operand = codes[2 * index + 2 : 2 * (index + slots)]
        index += slots
        if ran < at:
            continue  # this part of the prologue has not run yet
        if operation == _PUSH:
            value = word(state["rsp"])
            if value is None:
                return None
            state[_REGISTERS[info]] = value
            state["rsp"] = (state["rsp"] + 8) & _MASK
        elif operation == _SMALL:
            state["rsp"] = (state["rsp"] + 8 * info + 8) & _MASK
        elif operation == _LARGE:
            size = int.from_bytes(operand, "little") * (1 if info else 8)
            state["rsp"] = (state["rsp"] + size) & _MASK
        elif operation == _SET_FP:
            state["rsp"] = base
        elif operation in (_SAVE, _SAVE_FAR):
            scale = 8 if operation == _SAVE else 1
            value = word((base + int.from_bytes(operand, "little") * scale) & _MASK)
            if value is not None:
                state[_REGISTERS[info]] = value
        elif operation == _MACHINE:
            at_sp = (state["rsp"] + 8 * info) & _MASK
            pc, sp = word(at_sp), word((at_sp + 24) & _MASK)
            if pc is None or sp is None:
                return None
            state["rip"], state["rsp"] = pc, sp
            return True
    return False
