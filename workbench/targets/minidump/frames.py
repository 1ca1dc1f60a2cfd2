"""A thread's frames by the best way that the dump allows, in lines of text."""

from workbench.targets.minidump import unwind_x64
from workbench.targets.minidump.contexts import Context
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.walk import Caller, callers
from workbench.targets.probes.frames import callers_of_thread
from workbench.targets.probes.places import thread_of, where

_MOST_CALLERS = 256


def frame_lines(
    dump: MinidumpFile, tid: int, context: Context, most: int = _MOST_CALLERS
) -> list[str]:
    """``frame 1: 0x401234 at 0x7ffc1230: no symbol in app.exe at offset 0x1234``, nearest first."""
    pc = context.pc or 0
    lines = [f"frame 0: {pc:#x}: {where(dump, pc, is_return=False)}"]
    return lines + [
        f"frame {number}: {caller.address:#x} at {caller.slot:#x}: {where(dump, caller.address)}"
        for number, caller in enumerate(_callers(dump, tid, context)[:most], 1)
    ]


def _callers(dump: MinidumpFile, tid: int, context: Context) -> list[Caller]:
    """The callers by unwinding tables where the modules' files are here or their images in the
    dump, else by frame pointers."""
    walked = callers(dump, context)
    thread = thread_of(dump, tid)
    if dump.arch == "x86_64" and dump.system.family == "windows" and context.sp is not None:
        by_table = unwind_x64.callers(dump, context.registers, _MOST_CALLERS)
        return max(by_table, walked, key=len)
    if dump.arch != "x86_64" or thread is None or not any(m.trusted for m in dump.loaded):
        return walked
    found = [
        Caller(caller.call.end, caller.registers["rsp"] - dump.bits // 8)
        for caller in callers_of_thread(dump, thread, _MOST_CALLERS)
        if "rsp" in caller.registers
    ]
    return max(found, walked, key=len)
