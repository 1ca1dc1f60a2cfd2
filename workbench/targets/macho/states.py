"""Thread states of LC_THREAD: registers, and how the thread last trapped.

Layouts: ``mach/i386/_structs.h``, ``mach/arm/_structs.h``; flavors: ``mach/i386/thread_status.h``,
``mach/arm/thread_status.h``. A core holds one flavor after the other, each with its count of 32-bit
words; a unified flavor holds another heading and the state of its width.
"""

import struct
from collections.abc import Iterator

from msgspec import Struct

_UNIFIED = {"x86_64": frozenset({7, 9}), "aarch64": frozenset({1})}
_X86 = [
    *("rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "rsp"),
    *(f"r{n}" for n in range(8, 16)),
    *("rip", "eflags", "cs", "fs", "gs"),
]
_ARM = [f"x{n}" for n in range(31)] + ["sp", "pc"]
_MOST_STATES = 64


class Trap(Struct, frozen=True):
    """The exception state. x86: trap number, error code, faulting address (cr2). arm64: ``number``
    is the exception class of ESR (bits 26 to 31), ``error`` ESR, ``address`` FAR."""

    number: int
    error: int
    address: int


class State(Struct, frozen=True):
    """One thread: registers by gdb's names, and its exception state where there is one."""

    registers: dict[str, int]
    trap: Trap | None


def read_state(arch: str, body: bytes) -> State:
    """The states in the body of one LC_THREAD; what is cut off is left out."""
    registers: dict[str, int] = {}
    trap = None
    for flavor, data in _flavors(arch, body):
        if arch == "x86_64" and flavor == 4 and not registers:
            values = _words(data, len(_X86))
            registers = dict(zip(_X86, values, strict=False))
        elif arch == "x86_64" and flavor == 6 and len(data) >= 16:
            number, _, error, address = struct.unpack_from("<HHIQ", data)
            trap = Trap(number, error, address)
        elif arch == "aarch64" and flavor == 6 and not registers:
            values = _words(data, len(_ARM))
            registers = dict(zip(_ARM, values, strict=False))
            if len(data) >= 8 * len(_ARM) + 4:
                (registers["cpsr"],) = struct.unpack_from("<I", data, 8 * len(_ARM))
        elif arch == "aarch64" and flavor == 7 and len(data) >= 12:
            address, error = struct.unpack_from("<QI", data)
            trap = Trap(error >> 26, error, address)
    return State(registers, trap)


def _flavors(arch: str, body: bytes) -> Iterator[tuple[int, bytes]]:
    """Each flavor with its bytes, a unified one as what it holds."""
    at = 0
    for _ in range(_MOST_STATES):
        if at + 8 > len(body):
            return
        flavor, count = struct.unpack_from("<II", body, at)
        data = body[at + 8 : at + 8 + 4 * count]
        at += 8 + 4 * count
        if flavor in _UNIFIED[arch] and len(data) >= 8:
            (inner,) = struct.unpack_from("<I", data)
            yield inner, data[8:]
        else:
            yield flavor, data


def _words(data: bytes, count: int) -> list[int]:
    have = min(count, len(data) // 8)
    return [int(value) for value in struct.unpack_from(f"<{have}Q", data)]
