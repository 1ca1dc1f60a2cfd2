"""@notes: process, exception, threads and the first thread's registers, in the lines of a core's.

A Mach-O core records no exception: what stands here is read from the exception state of a thread
(see ``exception.py``), which the line ``exception state`` gives as it is.
"""

from itertools import islice

from workbench.targets.errors import ProbeError
from workbench.targets.macho.core import MachCore
from workbench.targets.macho.exception import MachException
from workbench.targets.minidump import codes_macos
from workbench.targets.notes import CoreThread
from workbench.targets.plain import one_line

_MOST_THREADS = 20_000


def answer(core: MachCore, words: list[str]) -> str:
    """The notes as text."""
    if words:
        raise ProbeError("@notes takes no argument")
    program = core.program
    lines = [
        f"core: macOS {core.arch}, 64-bit, little-endian",
        "process: unknown",
        "command line: unknown",
        f"executable: {one_line(program.path) if program is not None else 'unknown'}",
        f"threads: {len(core.threads)}",
        *_ending(core),
    ]
    if core.notes.kind is not None:
        lines.append(f"core of: a {core.notes.kind}")
    lines += [_thread(thread) for thread in islice(core.threads, _MOST_THREADS)]
    if len(core.threads) > _MOST_THREADS:
        lines.append(f"not shown: {len(core.threads) - _MOST_THREADS} more threads")
    first = core.threads[0] if core.threads else None
    if first is not None and first.registers:
        lines.append(f"registers of thread {first.tid}:")
        lines += [f"  {name} 0x{value:x}" for name, value in first.registers.items()]
    return "\n".join(lines)


def _ending(core: MachCore) -> list[str]:
    found = core.exception
    if found is None and "all image infos" in core.notes.owners:
        return [
            "made by: a snapshot of the process by lldb; no thread's exception state shows a fault"
        ]
    if found is None:
        return [
            "made by: the kernel, for a reason that the core does not record; no thread's "
            "exception state shows a fault, as after an abort"
        ]
    code = codes_macos.code_name(found.type, found.code, core.arch)
    name = codes_macos.name(found.type) or "exception"
    named = f"{name} / {code}" if code else name
    lines = [
        "made by: the kernel or a debugger, at the exception",
        f"exception: {found.type:#x} {named} in thread {found.thread}",
        "exception platform: macos",
        f"exception flags: {found.code:#x}",
        *_where(found),
    ]
    trap = core.trap_of(found.thread)
    if trap is not None:
        lines.append(
            f"exception state: {'class' if core.arch == 'aarch64' else 'trap'} {trap.number:#x}, "
            f"error {trap.error:#x}, address {trap.address:#x}"
        )
    return lines


def _where(found: MachException) -> list[str]:
    if found.data is None:
        return []
    return [
        f"exception address: {found.data:#x}",
        f"exception access: {found.access or 'touched'} at {found.data:#x}",
    ]


def _thread(thread: CoreThread) -> str:
    text = f"thread {thread.tid}:"
    if thread.pc is not None and thread.sp is not None:
        text += f" pc 0x{thread.pc:x} sp 0x{thread.sp:x}"
    return text
