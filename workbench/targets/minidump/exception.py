"""The exception that made the dump (MINIDUMP_EXCEPTION_STREAM), read as its system means it.

Windows: an EXCEPTION_RECORD. Linux: the code is the signal, the flags si_code, the address si_addr
(Breakpad's ``minidump_writer.cc``). macOS: the code is the Mach exception, the flags its first
code, the address that of the data for EXC_BAD_ACCESS (Crashpad's ``exception_snapshot_mac.cc``).
"""

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets import siginfo
from workbench.targets.minidump import codes_macos, codes_windows
from workbench.targets.minidump.codes_windows import STACK_OVERFLOW
from workbench.targets.minidump.contexts import Context, read_context
from workbench.targets.minidump.streams import EXCEPTION, Streams
from workbench.targets.minidump.system import System
from workbench.targets.siginfo import SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SigInfo

LINUX_REQUESTED = 0xFFFFFFFF
"""Breakpad's DUMP_REQUESTED and Crashpad's simulated signal: nobody crashed."""
_MAX_PARAMETERS = 15
_MAX_CONTEXT = 1 << 16
_MEMORY = frozenset({7, 11})
_SENT = frozenset({0, -1, -3, -6})


class Record(Struct, frozen=True):
    """One exception. ``raw_address`` is the record's address field, ``address`` the same as wide as
    the processor's (some writers extend the sign); ``access`` and ``data`` say how and where memory
    was touched, where that is known; ``detail`` names a fast-fail's reason. ``requested`` when
    somebody asked for the dump and nothing had crashed."""

    thread: int
    code: int
    flags: int
    address: int
    parameters: tuple[int, ...]
    name: str
    platform: str
    context: Context | None
    access: str | None = None
    data: int | None = None
    requested: bool = False
    detail: str | None = None
    raw_address: int = 0


def read_exception(streams: Streams, system: System) -> Record | None:
    """The exception, None where the dump has none or its stream is cut."""
    stream = streams.find(EXCEPTION)
    if stream is None:
        return None
    raw = streams.raw
    head = raw.unpack("IIIIQQII", stream.position)
    if head is None or stream.size < 48:
        streams.note("stream Exception is cut")
        return None
    thread, _, code, flags, _, address, count, _ = head
    words = raw.unpack("15Q", stream.position + 40) or ()
    context = None
    where = raw.unpack("II", stream.position + 160)
    if where is not None and where[0]:
        context = read_context(
            raw.read(where[1], min(where[0], _MAX_CONTEXT)), raw.order, system.cpu
        )
    parameters = tuple(words[: min(count, _MAX_PARAMETERS)])
    mask = (1 << system.bits) - 1
    record = Record(
        thread,
        code,
        flags,
        address & mask,
        parameters,
        f"{code:#x}",
        system.family,
        context,
        raw_address=address,
    )
    return _named(record, system, mask)


def _named(record: Record, system: System, mask: int) -> Record:
    match system.family:
        case "windows":
            return replace(record, **_windows(record, mask))
        case "linux":
            return replace(record, **_linux(record))
        case "macos":
            return replace(record, **_macos(record, system.arch))
        case _:
            return record


def _windows(record: Record, mask: int) -> dict[str, object]:
    found: dict[str, object] = {"name": codes_windows.name(record.code) or record.name}
    touched = codes_windows.access(record.code, record.parameters)
    if touched is not None:
        how, address = touched
        found |= {"access": how, "data": address & mask}
    if touched is not None and record.code != codes_windows.STACK_OVERFLOW:
        suffix = {"read": "READ", "write": "WRITE", "execute": "EXEC"}[how]
        found["name"] = f"{found['name']}_{suffix}"
    if record.code == codes_windows.FAST_FAIL and record.parameters:
        found["detail"] = codes_windows.fast_fail(record.parameters[0])
    found["requested"] = record.code == codes_windows.CRASHPAD_SIMULATED
    return found


def _linux(record: Record) -> dict[str, object]:
    if record.code == LINUX_REQUESTED:
        return {"name": "DUMP_REQUESTED", "requested": True}
    found: dict[str, object] = {"name": siginfo.name(record.code)}
    # lldb's save-core writes the SIGSTOP of its own attaching.
    found["requested"] = record.code in siginfo.HARMLESS
    info = signal_of(record)
    if info is not None and info.number in _MEMORY and info.address is not None:
        found["data"] = info.address
    return found


def _macos(record: Record, arch: str) -> dict[str, object]:
    name = codes_macos.name(record.code) or record.name
    code = codes_macos.code_name(record.code, record.flags, arch)
    found: dict[str, object] = {"name": f"{name} / {code}" if code else name}
    if record.code == codes_macos.BAD_ACCESS and code != "EXC_I386_GPFLT":
        found["data"] = record.address
    found["requested"] = record.code == codes_macos.SIMULATED
    return found


def signal_of(record: Record) -> SigInfo | None:
    """The signal of a Linux dump as siginfo_t has it, None where it is none.

    Old writers leave si_code out, as zero; a fault that the kernel sent with an address is told
    from a signal that a process sent by its number. si_addr shares its bytes with the sender's
    process and user (sigaction(2)), of which the writer knows nothing.
    """
    if record.platform != "linux" or not 0 < record.code <= 64:
        return None
    code = record.flags - (1 << 32) if record.flags >> 31 else record.flags
    address = pid = uid = None
    number = record.code
    if number in siginfo.FAULTS and code >= 0 and code != siginfo.SI_KERNEL:
        address = record.address
    elif code in _SENT and record.raw_address:
        pid, uid = record.raw_address & 0xFFFFFFFF, record.raw_address >> 32
    return SigInfo(number, code, 0, address, pid, uid, b"")


# An exception of Windows or macOS as the signal that Linux would have raised for it.
# The probes that read instructions reason from siginfo_t; this lets them work on any minidump.
# What is shown to people is never this signal.
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
