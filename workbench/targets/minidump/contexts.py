"""Registers of a thread's CONTEXT record, by architecture.

Layouts: ``winnt.h`` and Breakpad's ``minidump_cpu_*.h``. A context's own flags say what processor
it is of; a record that is cut gives the registers that are there.
"""

import struct

from msgspec import Struct


def _run(names: str, kind: str, start: int) -> tuple[tuple[str, str, int], ...]:
    size = struct.calcsize("<" + kind)
    return tuple((name, kind, start + size * i) for i, name in enumerate(names.split()))


def _numbered(letter: str, count: int) -> str:
    return " ".join(f"{letter}{number}" for number in range(count))


_AMD64_NAMES = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 rip"
_AMD64 = (*_run("cs ds es fs gs ss", "H", 56), ("eflags", "I", 68), *_run(_AMD64_NAMES, "Q", 120))
_X86 = _run("gs fs es ds edi esi ebx edx ecx eax ebp eip cs eflags esp ss", "I", 140)
_ARM64 = (("cpsr", "I", 4), *_run(_numbered("x", 31) + " sp pc", "Q", 8))
_ARM64_OLD = (*_run(_numbered("x", 31) + " sp pc", "Q", 8), ("cpsr", "I", 272))
_ARM = _run(_numbered("r", 13) + " sp lr pc cpsr", "I", 4)
_MIPS_NAMES = (
    "zero at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 t8 t9 k0 k1 gp sp "
    "fp ra"
)
_MIPS = (*_run(_MIPS_NAMES + " hi lo", "Q", 8), ("pc", "Q", 312), ("badvaddr", "Q", 320))
_PPC = (("pc", "I", 4), ("msr", "I", 8), *_run(_numbered("r", 32) + " cr xer lr ctr", "I", 12))
_PPC64 = (("pc", "Q", 8), ("msr", "Q", 16), *_run(_numbered("r", 32) + " cr xer lr ctr", "Q", 24))
_SPARC_NAMES = "".join(f"{letter}{n} " for letter in "goli" for n in range(8))
_SPARC = (*_run(_SPARC_NAMES, "Q", 8), ("pc", "Q", 272), ("npc", "Q", 280))
_RISCV_NAMES = (
    "pc ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 "
    "t5 t6"
)

# Context flag of the processor: where the flags stand, registers, program counter, stack pointer,
# frame pointer, link register.
_Layout = tuple[tuple[tuple[str, str, int], ...], str, str, str, str]
_LAYOUTS: dict[str, _Layout] = {
    "amd64": (_AMD64, "rip", "rsp", "rbp", ""),
    "x86": (_X86, "eip", "esp", "ebp", ""),
    "x86 on win64": (_X86, "eip", "esp", "ebp", ""),
    "arm64": (_ARM64, "pc", "sp", "x29", "x30"),
    "arm64(old)": (_ARM64_OLD, "pc", "sp", "x29", "x30"),
    "arm": (_ARM, "pc", "sp", "r11", "lr"),
    "mips": (_MIPS, "pc", "sp", "fp", "ra"),
    "mips64": (_MIPS, "pc", "sp", "fp", "ra"),
    "ppc": (_PPC, "pc", "r1", "r1", "lr"),
    "ppc64": (_PPC64, "pc", "r1", "r1", "lr"),
    "sparc": (_SPARC, "pc", "o6", "i6", "o7"),
    "riscv": (_run(_RISCV_NAMES, "I", 8), "pc", "sp", "s0", "ra"),
    "riscv64": (_run(_RISCV_NAMES, "Q", 8), "pc", "sp", "s0", "ra"),
}
# Where a context's flags stand as 32 bits, their bits that name the processor, which ones it
# sets, and the least size of such a record (winnt.h and Breakpad, CONTEXT_*). Windows sets bits
# over these to tell of exceptions under way, Breakpad's own numbers are up there.
_FLAGS = {
    "amd64": (48, 0x00FF0000, 0x00100000, 256),
    "x86": (0, 0x00FF0000, 0x00010000, 204),
    "arm64": (0, 0x00FF0000, 0x00400000, 272),
    "arm64(old)": (0, 0xFFFF0000, 0x80000000, 276),
    "arm": (0, 0xFFFF0000, 0x40000000, 72),
}


class Context(Struct, frozen=True):
    """The registers of one thread with their parts. ``cpu`` is the context's own processor."""

    cpu: str
    registers: dict[str, int]
    pc: int | None
    sp: int | None
    fp: int | None
    link: int | None


def read_context(raw: bytes, order: str, cpu: str) -> Context | None:
    """The context in ``raw`` of a dump whose header names ``cpu``; None when there is none."""
    found = _own_cpu(raw, order, cpu)
    layout = _LAYOUTS.get(found)
    if layout is None:
        return None
    values = {}
    for name, kind, at in layout[0]:
        size = struct.calcsize("<" + kind)
        if at + size <= len(raw):
            (values[name],) = struct.unpack_from(order + kind, raw, at)
    return Context(found, values, *map(values.get, layout[1:])) if values else None


def known(cpu: str) -> bool:
    """True when the registers of that processor can be read."""
    return cpu in _LAYOUTS


def _own_cpu(raw: bytes, order: str, cpu: str) -> str:
    """The processor that a context's flags name, where that differs from the header's: an x86
    context in an amd64 dump (WOW64), or either of the two layouts for arm64."""
    for name in sorted(_FLAGS, key=lambda name: name != cpu):
        at, mask, wanted, least = _FLAGS[name]
        if len(raw) < least:
            continue
        (flags,) = struct.unpack_from(order + "I", raw, at)
        if flags & mask == wanted:
            return name
    return cpu
