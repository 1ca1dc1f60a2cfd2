"""The system call that a thread is in, and whether it sent itself the signal that stopped it, where
the dump has no siginfo (qemu-user and old kernels write none).

Numbers: arch/*/kernel/syscalls/syscall.tbl and include/uapi/asm-generic/unistd.h.
"""

from collections.abc import Callable

from workbench.targets.notes import CoreThread
from workbench.targets.registers import layout

Read = Callable[[int, int], bytes | None]

SI_USER, SI_TKILL = 0, -6

# kill, tkill, tgkill
_NUMBERS = {
    "x86_64": (62, 200, 234), "i386": (37, 238, 270), "arm": (37, 238, 268),
    "aarch64": (129, 130, 131), "riscv64": (129, 130, 131), "ppc64": (37, 208, 250),
    "ppc64le": (37, 208, 250), "ppc": (37, 208, 250), "s390x": (37, 237, 241),
}  # fmt: skip
_NAMES = ("kill", "tkill", "tgkill")
# The instructions that enter the kernel, as they stand in memory in front of pc.
_ENTRIES = {
    "aarch64": ("010000d4",), "riscv64": ("73000000",), "ppc64": ("44000002",),
    "ppc64le": ("02000044",), "ppc": ("44000002",), "arm": ("000000ef", "00df"),
}  # fmt: skip


def sending_call(arch: str, thread: CoreThread, read: Read) -> tuple[str, int] | None:
    """The name of the call and the si_code that the kernel gives its signals (signal.c), or None
    when the thread is in no such call."""
    numbers = _NUMBERS.get(arch)
    number = entered(arch, thread, read)
    if numbers is None or number not in numbers:
        return None
    name = _NAMES[numbers.index(number)]
    return name, SI_USER if name == "kill" else SI_TKILL


def called(arch: str, thread: CoreThread) -> int | None:
    """What the register holds that has a system call's number inside of one."""
    part = layout(arch)
    return thread.registers.get(part.syscall) if part is not None else None


def entered(arch: str, thread: CoreThread, read: Read) -> int | None:
    """The number of the system call that a thread is in. x86 has it in a register of its own (-1
    outside of a call), which a signal that interrupts the call leaves; elsewhere the instruction in
    front of pc must enter the kernel."""
    pc, number = thread.pc or 0, called(arch, thread)
    if arch in ("x86_64", "i386"):
        return number
    if arch == "s390x":
        svc = read(pc - 2, 2) or b"\0\0"
        return (svc[1] or number) if svc[0] == 0x0A else None
    for code in _ENTRIES.get(arch, ()):
        size = len(code) // 2
        if (read(pc - size, size) or b"").hex() == code:
            return number
    return None
