"""The exception of a thread, from its exception state: a Mach-O core records no other.

The state stays from the last trap, which may have been served long ago (a page that was brought
in), or be that of a system call: it counts as the end of the process only when memory really
forbids what the instruction does at that address, or when the trap is one that is never served.
x86 traps: Intel SDM volume 3, 6.15; page-fault error bits, 4.7. ESR: Arm ARM, D17.2.37.
"""

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.macho.states import Trap
from workbench.targets.notes import CoreThread
from workbench.targets.probes import x86

BAD_ACCESS, BAD_INSTRUCTION, ARITHMETIC, BREAKPOINT = 1, 2, 3, 6
_INVALID, _PROTECTION, _GENERAL = 1, 2, 13
SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV = 4, 5, 10, 8, 11
SIGNALS = {BAD_ACCESS: SIGSEGV, BAD_INSTRUCTION: SIGILL, ARITHMETIC: SIGFPE, BREAKPOINT: SIGTRAP}
"""The signals that the kernel makes of exceptions (bsd/uxkern/ux_exception.c), all memory faults
as SIGSEGV."""


class MachException(Struct, frozen=True):
    """``type`` is the Mach exception's, ``code`` its first code; ``data`` the address that was
    touched, ``access`` read | write | execute where the state says it."""

    thread: int
    type: int
    code: int
    data: int | None
    access: str | None


def exception_of(core: Dump, thread: CoreThread, trap: Trap) -> MachException | None:
    """The exception that a thread's state shows, None when it shows none that ended anything."""
    found = _x86(core, thread, trap) if core.arch == "x86_64" else _arm(thread, trap)
    if found is None or found.type != BAD_ACCESS or found.data is None:
        return found
    return found if _refused(core, found) else None


def _x86(core: Dump, thread: CoreThread, trap: Trap) -> MachException | None:
    tid = thread.tid
    match trap.number:
        case 0:
            # The state of a thread that never trapped reads as a division, too.
            return MachException(tid, ARITHMETIC, 1, None, None) if _divides(core, thread) else None
        case 3:
            return MachException(tid, BREAKPOINT, 2, None, None)
        case 6:
            return MachException(tid, BAD_INSTRUCTION, 1, None, None)
        case 13:
            return MachException(tid, BAD_ACCESS, _GENERAL, None, None)
        case 14:
            access = "execute" if trap.error & 16 else "write" if trap.error & 2 else "read"
            code = _PROTECTION if trap.error & 1 else _INVALID
            return MachException(tid, BAD_ACCESS, code, trap.address, access)
    return None


def _divides(core: Dump, thread: CoreThread) -> bool:
    code = core.read(thread.pc or 0, 16) or b""
    insn = x86.decode_one(code, thread.pc or 0)
    return insn is not None and insn.mnemonic in ("div", "idiv")


def _arm(thread: CoreThread, trap: Trap) -> MachException | None:
    tid = thread.tid
    match trap.number:
        case 0x00 | 0x0E if trap.error:
            return MachException(tid, BAD_INSTRUCTION, 1, None, None)
        case 0x20 | 0x21:
            return MachException(tid, BAD_ACCESS, _status(trap), trap.address, "execute")
        case 0x24 | 0x25:
            access = "write" if trap.error & 64 else "read"
            return MachException(tid, BAD_ACCESS, _status(trap), trap.address, access)
        case 0x3C:
            return MachException(tid, BREAKPOINT, 1, None, None)
    return None


def _status(trap: Trap) -> int:
    """Translation faults are 4 to 7, permission faults 12 to 15 (DFSC and IFSC)."""
    return _PROTECTION if 12 <= trap.error & 63 <= 15 else _INVALID


def _refused(core: Dump, found: MachException) -> bool:
    """True when memory does not allow that access."""
    if found.data is None:
        return True
    region = core.region(found.data)
    if region is None:
        return True
    wanted = {"read": (0, "r"), "write": (1, "w"), "execute": (2, "x")}[found.access or "read"]
    return region.perms[wanted[0]] != wanted[1]
