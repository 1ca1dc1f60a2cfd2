"""Where the registers stand in a core's NT_PRSTATUS note, by architecture.

The order is that of the kernel's ``elf_gregset_t`` (arch/*/include/asm/elf.h and uapi ptrace.h);
the names are those that gdb uses.
"""

import struct

from msgspec import Struct


class Layout(Struct, frozen=True):
    """Names in the note's order, and which of them play which part."""

    names: tuple[str, ...]
    pc: str
    sp: str
    syscall: str  # holds the system call's number at the time of the dump


def _numbered(letter: str, count: int, rest: str) -> str:
    return " ".join(f"{letter}{number}" for number in range(count)) + " " + rest


_RISCV = "pc ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "
_RISCV += "t3 t4 t5 t6"
_PPC = _numbered("r", 32, "pc msr orig_r3 ctr lr xer cr")

# Architecture: names in order; program counter, stack pointer, the system call's number.
_TABLE = {
    "x86_64": (
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs",
        "rip rsp orig_rax",
    ),
    "i386": (
        "ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp ss",
        "eip esp orig_eax",
    ),
    "aarch64": (_numbered("x", 31, "sp pc cpsr"), "pc sp x8"),
    "arm": (_numbered("r", 13, "sp lr pc cpsr orig_r0"), "pc sp r7"),
    "riscv64": (_RISCV, "pc sp a7"),
    "riscv32": (_RISCV, "pc sp a7"),
    "ppc64le": (_PPC, "pc r1 r0"),
    "ppc64": (_PPC, "pc r1 r0"),
    "ppc": (_PPC, "pc r1 r0"),
    "loongarch64": (_numbered("r", 32, "orig_a0 pc badv"), "pc r3 r11"),
    "s390x": ("pswm pswa " + _numbered("r", 16, ""), "pswa r15 r1"),
}
_LAYOUTS = {
    arch: Layout(tuple(names.split()), *parts.split()) for arch, (names, parts) in _TABLE.items()
}


def layout(arch: str) -> Layout | None:
    """The layout of an architecture, or None when it is not known."""
    return _LAYOUTS.get(arch)


def decode(arch: str, word: struct.Struct, raw: bytes) -> dict[str, int]:
    """The registers in ``raw``, the bytes of pr_reg; those that are cut off are left out."""
    known = layout(arch)
    if known is None:
        return {}
    size = word.size
    count = min(len(known.names), len(raw) // size)
    values = (value for (value,) in word.iter_unpack(raw[: count * size]))
    return dict(zip(known.names, values, strict=False))
