"""@notes: process, exception, threads and the first thread's registers, in the lines of a core's.

A Mach-O core records no exception: what stands here is read from the exception state of a thread
(see ``exception.py``), which the line ``exception state`` gives as it is.
"""

from workbench.targets.macho.core import MachCore
from workbench.targets.macho.exception import MachException
from workbench.targets.minidump import codes_macos
from workbench.targets.overview import lines


def answer(core: MachCore) -> str:
    """The notes as text."""
    program = core.program
    found = [
        lines.core("macOS", core.arch, 64, little_endian=True),
        *lines.process(None, None, program.path if program is not None else None),
        f"threads: {len(core.threads)}",
        *_ending(core),
    ]
    if core.notes.kind is not None:
        found.append(f"core of: a {core.notes.kind}")
    threads = (lines.thread(each.tid, each.pc, each.sp) for each in core.threads)
    found += lines.some(threads, len(core.threads), "threads", " threads")
    first = core.threads[0] if core.threads else None
    if first is not None and first.registers:
        found += lines.registers(first.tid, first.registers)
    return "\n".join(found)


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
    said = [
        "made by: the kernel or a debugger, at the exception",
        f"exception: {found.type:#x} {named} in thread {found.thread}",
        "exception platform: macos",
        f"exception flags: {found.code:#x}",
        *_where(found),
    ]
    trap = core.trap_of(found.thread)
    if trap is not None:
        said.append(
            f"exception state: {'class' if core.arch == 'aarch64' else 'trap'} {trap.number:#x}, "
            f"error {trap.error:#x}, address {trap.address:#x}"
        )
    return said


def _where(found: MachException) -> list[str]:
    if found.data is None:
        return []
    return [
        f"exception address: {found.data:#x}",
        f"exception access: {found.access or 'touched'} at {found.data:#x}",
    ]
