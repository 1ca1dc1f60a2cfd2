"""Patterns that allocators and tools write over memory that is free or not yet set.

Weaker evidence than the lists: a program may hold such a value itself. Sources: linux/poison.h
(0x6b, 0x5a), Microsoft's debug heap (0xcd, 0xdd, 0xfeeefeee, 0xbaadf00d, 0xabababab), jemalloc's
junk filling (0xa5 on allocation, 0x5a on free), OpenBSD's malloc (0xdb on allocation, 0xdf on
free), the customary 0xdeadbeef.
"""

_BYTES = {
    0x6B: "freed memory",
    0x5A: "freed memory",
    0xDD: "freed memory",
    0xDF: "freed memory",
    0xCD: "memory never written",
    0xA5: "memory never written",
    0xDB: "memory never written",
    0xAB: "a guard behind a block",
}
_HALVES = {
    0xDEADBEEF: "freed memory",
    0xFEEEFEEE: "freed memory",
    0xBAADF00D: "memory never written",
}


def poison_of(value: int) -> str | None:
    """What a word's pattern stands for, or None. A small offset from the pattern still counts."""
    if value < 0x10000:
        return None
    for shift in (0, 32):
        half = value >> shift & 0xFFFFFFFF
        for known, what in _HALVES.items():
            if 0 <= half - known <= 0x1000:
                return f"{known:#x}: {what}"
    top = value >> 56
    if top in _BYTES and all((value >> at & 0xFF) == top for at in range(16, 64, 8)):
        return f"{top:#x} repeated: {_BYTES[top]}"
    return None


def fill_of(memory: bytes) -> int | None:
    """The byte that fills memory, other than zero; None when it is not one byte throughout."""
    if len(memory) < 8 or memory[0] == 0 or memory.count(memory[0]) != len(memory):
        return None
    return memory[0]
