"""@notes: process, signal, threads and the first thread's registers, from the notes.

Lines are ``key: value``. The signal's lines are missing when no signal ended the process, and
``made by`` says so. See siginfo.py for what si_addr and the sender mean.
"""

from workbench.targets import registers, siginfo
from workbench.targets.core import CoreFile, CoreThread
from workbench.targets.overview import lines
from workbench.targets.sent import called, sending_call

_MEANING = {
    "SEGV_MAPERR": "nothing is mapped at the address",
    "SEGV_ACCERR": "the mapping does not permit the access",
    "SEGV_PKUERR": "protection keys forbid the access",
    "BUS_ADRALN": "invalid alignment of the address",
    "BUS_ADRERR": "no such physical address, as past the end of a mapped file",
    "BUS_OBJERR": "hardware error of the object",
    "FPE_INTDIV": "integer division by zero",
    "FPE_INTOVF": "integer overflow",
    "FPE_FLTDIV": "floating-point division by zero",
    "FPE_FLTOVF": "floating-point overflow",
    "FPE_FLTUND": "floating-point underflow",
    "FPE_FLTRES": "inexact floating-point result",
    "FPE_FLTINV": "invalid floating-point operation",
    "ILL_ILLOPN": "illegal operand",
    "ILL_ILLOPC": "illegal opcode",
    "TRAP_BRKPT": "a breakpoint instruction",
    "SI_USER": "sent by kill(2)",
    "SI_TKILL": "sent by tkill(2) or tgkill(2), as raise and abort do",
    "SI_QUEUE": "sent by sigqueue(3)",
    "SI_KERNEL": "sent by the kernel",
}


def answer(core: CoreFile) -> str:
    """The notes as text."""
    threads = core.notes.threads
    found = [
        lines.core("Linux", core.arch, core.bits, core.little_endian),
        *lines.process(core.pid, core.command_line, core.recorded_executable),
        f"threads: {len(threads)}",
        *_signal(core),
        *lines.some(
            (lines.thread(each.tid, each.pc, each.sp) for each in threads),
            len(threads),
            "threads",
            " threads",
        ),
    ]
    if core.notes.cut:
        found.append("notes: they end too early; what follows the cut is unknown")
    if threads:
        found += _registers(core, threads[0])
    return "\n".join(found)


def _signal(core: CoreFile) -> list[str]:
    if core.snapshot:
        return ["made by: a snapshot of the running process; no signal ended it"]
    by = "a debugger, where the signal stopped the process" if core.by_debugger else "the kernel"
    said = [f"made by: {by}"]
    info = core.notes.signal
    number = core.signal
    if number is None or not core.notes.threads:
        return [*said, "signal: unknown"]
    said.append(f"signal: {number} {siginfo.name(number)} in thread {core.notes.threads[0].tid}")
    said += [_inferred(core)] if info is None else _record(core, info, number)
    first = core.interrupted
    if first is None:
        return said
    name = siginfo.name(first.info.number)
    said.append(f"caught before: {first.info.number} {name} in thread {first.thread.tid}")
    said += _record(core, first.info, first.info.number)
    pc, sp = first.thread.pc or 0, first.thread.sp or 0
    what = f"the handler's frame holds pc 0x{pc:x} sp 0x{sp:x}"
    return [*said, f"context: 0x{first.frame:x}, {what}"]


def _record(core: CoreFile, info: siginfo.SigInfo, number: int) -> list[str]:
    """What a signal's record says."""
    named = info.code_name or "unknown"
    meaning, absent = _MEANING.get(named), ""
    if info.code == siginfo.SI_KERNEL and number in (siginfo.SIGSEGV, siginfo.SIGBUS):
        absent = (
            "not given; the processor reports no address for a general protection fault, as on a "
            "non-canonical address"
        )
    code = f"{info.code} {named}" + (f" ({meaning})" if meaning else "")
    return lines.signal(info, core.pid, code, absent)


def _inferred(core: CoreFile) -> str:
    """What is known of si_code in a dump that does not have it."""
    found = sending_call(core.arch, core.notes.threads[0], core.read)
    if found is None:
        return "si_code: not recorded"
    call, code = found
    named = siginfo.code_name(core.signal or 0, code) or "unknown"
    return f"si_code: {code} {named} (not recorded; the thread stands in {call}, which sends it)"


def _registers(core: CoreFile, thread: CoreThread) -> list[str]:
    if not thread.registers:
        return [f"registers: their layout on {core.arch} is not known"]
    found = lines.registers(thread.tid, thread.registers)
    part = registers.layout(core.arch)
    # orig_rax is -1 unless the thread is inside a system call (arch/x86/entry/entry_64.S).
    number = called(core.arch, thread)
    if part is not None and part.syscall.startswith("orig_") and number is not None:
        inside = number < 1 << (core.bits - 1)
        found.append(f"system call: {number}" if inside else "system call: none")
    return found
