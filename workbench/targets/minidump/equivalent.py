"""An exception of Windows or macOS as the signal that Linux would have raised for it.

The probes that read instructions reason from siginfo_t; this lets them work on any minidump. What
is shown to people is never this signal.
"""

from workbench.targets import siginfo
from workbench.targets.minidump import codes_macos
from workbench.targets.minidump.codes_windows import STACK_OVERFLOW
from workbench.targets.minidump.exception import Record, signal_of
from workbench.targets.siginfo import SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SigInfo

_WINDOWS = {
    0x80000001: SIGSEGV, 0x80000002: SIGBUS, 0x80000003: SIGTRAP, 0x4000001F: SIGTRAP,
    0xC0000005: SIGSEGV, 0xC0000006: SIGBUS, 0xC000001D: SIGILL, 0xC0000094: SIGFPE,
    0xC0000095: SIGFPE, 0xC0000096: SIGSEGV, STACK_OVERFLOW: SIGSEGV,
}  # fmt: skip
_MACOS = {
    codes_macos.BAD_ACCESS: SIGSEGV, codes_macos.BAD_INSTRUCTION: SIGILL,
    codes_macos.ARITHMETIC: SIGFPE, codes_macos.BREAKPOINT: SIGTRAP,
}  # fmt: skip
_RAISED = 1


def equivalent(record: Record) -> SigInfo | None:
    """The signal, its address that of the data; None where nothing corresponds."""
    number = 0
    if record.platform == "linux":
        info = signal_of(record)
        if info is None or info.code or info.number not in siginfo.FAULTS:
            return info
        number = info.number  # an old writer: raised, and the code left out
    elif record.platform == "windows":
        number = _WINDOWS.get(record.code, 0)
    elif record.platform == "macos":
        number = _MACOS.get(record.code, 0)
    if not number:
        return None
    code = _RAISED
    if record.platform == "macos" and number == SIGSEGV and record.data is None:
        code = siginfo.SI_KERNEL
    address = data_address(record)
    if number not in (SIGSEGV, SIGBUS):
        address = record.address  # sigaction(2): that of the instruction
    return SigInfo(number, code, 0, address, None, None, b"")


def data_address(record: Record) -> int | None:
    """The address that was touched. Windows gives all ones for one that the processor refuses,
    and says no more of it."""
    if record.data is None:
        return None
    ones = (1 << 64) - 1
    return None if record.platform == "windows" and record.data == ones else record.data
