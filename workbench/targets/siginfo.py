"""siginfo_t of the signal that ended the process, decoded per sigaction(2).

Layouts: include/uapi/asm-generic/siginfo.h. Code names: include/uapi/asm-generic/siginfo.h and
sigaction(2). Numbers are those of the generic ABI (not mips, sparc, alpha, parisc).
"""

import struct

from msgspec import Struct

_NAMES = (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP "
    "TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
)
NAMES = {number: "SIG" + name for number, name in enumerate(_NAMES.split(), 1)}

SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS = 4, 5, 7, 8, 11, 31
HARMLESS = frozenset({17, 18, 19, 20, 21, 22, 23, 28})
"""Signals that by default end no process (signal(7)): a dump with one of them is a snapshot."""
SI_KERNEL = 128

_GENERAL = {
    0: "SI_USER", SI_KERNEL: "SI_KERNEL", -1: "SI_QUEUE", -2: "SI_TIMER", -3: "SI_MESGQ",
    -4: "SI_ASYNCIO", -5: "SI_SIGIO", -6: "SI_TKILL", -7: "SI_DETHREAD", -60: "SI_ASYNCNL",
}  # fmt: skip
_CODES = {
    SIGILL: ("ILL", "ILLOPC ILLOPN ILLADR ILLTRP PRVOPC PRVREG COPROC BADSTK BADIADDR"),
    SIGFPE: (
        "FPE",
        "INTDIV INTOVF FLTDIV FLTOVF FLTUND FLTRES FLTINV FLTSUB DECOVF DECDIV DECERR INVASC "
        "INVDEC FLTUNK CONDTRAP",
    ),
    SIGSEGV: ("SEGV", "MAPERR ACCERR BNDERR PKUERR ACCADI ADIDERR ADIPERR MTEAERR MTESERR CPERR"),
    SIGBUS: ("BUS", "ADRALN ADRERR OBJERR MCEERR_AR MCEERR_AO"),
    SIGTRAP: ("TRAP", "BRKPT TRACE BRANCH HWBKPT UNK PERF"),
    SIGSYS: ("SYS", "SECCOMP USER_DISPATCH"),
}
_BY_SIGNAL = {
    number: [f"{prefix}_{code}" for code in codes.split()]
    for number, (prefix, codes) in _CODES.items()
}
FAULTS = frozenset({SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP})
"""Signals that an instruction raises by what it does (signal(7))."""


class SigInfo(Struct, frozen=True):
    """``address`` is si_addr where signal and code define it; ``pid`` and ``uid`` are the sender's
    where the code says that a process sent it. ``raw`` are the note's bytes."""

    number: int
    code: int
    errno: int
    address: int | None
    pid: int | None
    uid: int | None
    raw: bytes

    @property
    def name(self) -> str:
        """SIGSEGV."""
        return name(self.number)

    @property
    def code_name(self) -> str | None:
        """SEGV_MAPERR, or None where the code has no name."""
        return code_name(self.number, self.code)


def name(number: int) -> str:
    """The signal's name; real-time signals by their distance from SIGRTMIN (signal(7))."""
    if number in NAMES:
        return NAMES[number]
    if 32 <= number <= 64:
        return "SIGRTMIN" if number == 34 else f"SIGRTMIN{number - 34:+d}"
    return f"signal {number}"


def code_name(number: int, code: int) -> str | None:
    """The name of si_code for a signal."""
    codes = _BY_SIGNAL.get(number, [])
    return codes[code - 1] if 1 <= code <= len(codes) else _GENERAL.get(code)


def decode(raw: bytes, order: str, wide: bool, arch: str = "") -> SigInfo | None:
    """siginfo_t from the bytes of NT_SIGINFO, or None when they are cut. ``arch`` as `uname -m` has
    it: MIPS has si_code before si_errno (arch/mips/include/uapi/asm/siginfo.h)."""
    union_at = 16 if wide else 12
    if len(raw) < union_at + 8:
        return None
    number, errno, code = struct.unpack_from(order + "iii", raw, 0)
    if arch.startswith("mips"):
        errno, code = code, errno
    address = pid = uid = None
    if number in FAULTS and code > 0 and code != SI_KERNEL:
        (address,) = struct.unpack_from(order + ("Q" if wide else "I"), raw, union_at)
    elif code in (0, -1, -3, -6):  # SI_USER, SI_QUEUE, SI_MESGQ, SI_TKILL
        pid, uid = struct.unpack_from(order + "iI", raw, union_at)
    return SigInfo(number, code, errno, address, pid, uid, raw)
