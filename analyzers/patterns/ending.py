"""How a process ended, in one vocabulary for signals and for the exceptions of Windows and macOS.

Sources: signal(7) and sigaction(2); ``ntstatus.h``; ``mach/exception_types.h`` with the codes of
``mach/i386/exception.h`` and ``mach/arm/exception.h``.
"""

from enum import StrEnum
from typing import NamedTuple

from workbench.model.facts import ExceptionRecord, Signal


class Kind(StrEnum):
    """What an ending says of its cause, as far as the system tells."""

    ACCESS = "access"  # memory that may not be touched so
    PAGING = "paging"  # memory that could not be provided: SIGBUS, an in-page error
    MISALIGNED = "misaligned"
    STACK = "stack"  # the thread ran out of stack
    ARITHMETIC = "arithmetic"  # a division by zero or one that does not fit
    DIVISION = "division"  # a division by zero, and no other
    FLOAT_DIVISION = "float-division"
    OVERFLOW = "overflow"  # a result that does not fit, and no other
    FLOATING = "floating"  # another exception of floating-point arithmetic (IEEE 754, 7)
    ILLEGAL = "illegal"  # an instruction that the processor refuses
    PRIVILEGED = "privileged"  # one that only the kernel may run
    TRAP = "trap"  # a breakpoint instruction
    ABORT = "abort"  # the process ended itself
    THROWN = "thrown"  # an exception of C++ that nobody caught
    OTHER = "other"


MEMORY = (Kind.ACCESS, Kind.PAGING, Kind.MISALIGNED, Kind.STACK)
"""Kinds that an access to memory raises."""


class Ending(NamedTuple):
    """The signal or exception that ended the process. ``raised`` by an instruction of the thread;
    ``sent`` by a process (sigaction(2), si_code zero or negative)."""

    kind: Kind
    name: str
    thread: int | None
    raised: bool
    sent: bool
    fact: Signal | ExceptionRecord

    @property
    def address(self) -> int | None:
        """The address of the data that was touched, where the system says it."""
        return self.fact.fault_address


_SIGNALS = {
    "SIGSEGV": Kind.ACCESS, "SIGBUS": Kind.PAGING, "SIGFPE": Kind.ARITHMETIC,
    "SIGILL": Kind.ILLEGAL, "SIGTRAP": Kind.TRAP, "SIGABRT": Kind.ABORT,
}  # fmt: skip
_SIGNAL_CODES = {
    "BUS_ADRALN": Kind.MISALIGNED,
    "FPE_FLTDIV": Kind.FLOAT_DIVISION,
    **dict.fromkeys(("FPE_FLTOVF", "FPE_FLTUND", "FPE_FLTRES", "FPE_FLTINV"), Kind.FLOATING),
    "ILL_PRVOPC": Kind.PRIVILEGED,
    "ILL_PRVREG": Kind.PRIVILEGED,
}
_WINDOWS = {
    0x80000001: Kind.ACCESS,  # a guard page that nobody handles
    0x80000002: Kind.MISALIGNED,
    0x80000003: Kind.TRAP,
    0x80000004: Kind.TRAP,
    0x4000001F: Kind.TRAP,  # the same in a 32-bit process
    0x4000001E: Kind.TRAP,
    0xC0000005: Kind.ACCESS,
    0xC0000006: Kind.PAGING,
    0xC000001D: Kind.ILLEGAL,
    0xC000008E: Kind.FLOAT_DIVISION,
    0xC0000094: Kind.DIVISION,
    0xC0000095: Kind.OVERFLOW,
    0xC0000096: Kind.PRIVILEGED,
    0xC00000FD: Kind.STACK,
    0xE06D7363: Kind.THROWN,
    0x40000015: Kind.ABORT,  # STATUS_FATAL_APP_EXIT, abort() of older C runtimes
}
_FAST_FAIL, _FATAL_APP_EXIT = 0xC0000409, 7
_BAD_ACCESS, _BAD_INSTRUCTION, _ARITHMETIC, _SOFTWARE, _BREAKPOINT, _CRASH = 1, 2, 3, 5, 6, 10
_MACH = {
    _BAD_ACCESS: Kind.ACCESS,
    _BAD_INSTRUCTION: Kind.ILLEGAL,
    _ARITHMETIC: Kind.ARITHMETIC,
    _BREAKPOINT: Kind.TRAP,
}
_ARM_MISALIGNED = (0x101, 0x103)
_MACH_SIGABRT, _SIGABRT = 0x10002, 6
# Crashpad's and Breakpad's numbers for an NSException that nobody caught.
_FROM_NSEXCEPTION, _NSEXCEPTION = 0x43506E78, 0xDEADC0DE
_LINUX = {4: Kind.ILLEGAL, 5: Kind.TRAP, 6: Kind.ABORT, 7: Kind.PAGING, 8: Kind.ARITHMETIC,
          11: Kind.ACCESS}  # fmt: skip
_BY_PROCESS = (Kind.ABORT, Kind.THROWN, Kind.OTHER)


NEVER_RAISED = frozenset(
    {"SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU",
     "SIGXFSZ", "SIGUSR1", "SIGUSR2", "SIGPWR", "SIGIO", "SIGPOLL", "SIGKILL", "SIGSTKFLT"}
)  # fmt: skip
"""What no instruction of the program raises (signal(7)): the kernel may have sent it, as at a key
of the terminal."""


def of_signal(signal: Signal) -> Ending:
    """A signal as an ending."""
    sent = (signal.code is not None and signal.code <= 0) or signal.name in NEVER_RAISED
    kind = _SIGNAL_CODES.get(signal.code_name or "", _SIGNALS.get(signal.name, Kind.OTHER))
    return Ending(kind, signal.name, signal.thread, not sent, sent, signal)


def of_record(record: ExceptionRecord) -> Ending:
    """An exception as an ending; its name with the code, unless that is all of the name."""
    kind = _kind(record)
    code = f"{record.code:#x}"
    name = f"{record.name} ({code})" if record.name and record.name != code else code
    return Ending(kind, name, record.thread, kind not in _BY_PROCESS, False, record)


def _kind(record: ExceptionRecord) -> Kind:
    match record.platform:
        case "windows":
            if record.code == _FAST_FAIL and record.parameters[:1] == (_FATAL_APP_EXIT,):
                return Kind.ABORT
            return _WINDOWS.get(record.code, Kind.OTHER)
        case "macos":
            return _mach_kind(record)
        case "linux":
            return _LINUX.get(record.code, Kind.OTHER)
    return Kind.OTHER


def _mach_kind(record: ExceptionRecord) -> Kind:
    if record.code == _BAD_ACCESS and record.flags in _ARM_MISALIGNED:
        return Kind.MISALIGNED
    if record.code == _FROM_NSEXCEPTION:
        return Kind.ABORT
    if record.code == _SOFTWARE:
        return Kind.ABORT if record.flags in (_MACH_SIGABRT, _NSEXCEPTION) else Kind.OTHER
    if record.code == _CRASH:
        # EXC_CRASH carries the signal in the top byte of its first code (osfmk/kern/exception.h).
        words = (record.flags, *record.parameters[:2])
        return Kind.ABORT if any(w >> 24 & 0xFF == _SIGABRT for w in words) else Kind.OTHER
    return _MACH.get(record.code, Kind.OTHER)
