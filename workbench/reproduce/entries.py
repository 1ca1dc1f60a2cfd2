"""Where cells of the stack, which earlier calls used too, become the frame's that failed."""

from workbench.reproduce.wire import Point
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.places import crashing_thread

_FRAMES = 64


def entry_of(core: Dump, address: int, name: str) -> tuple[Point, int] | None:
    """The entry of the function whose frame holds an address of the failing thread's stack, and the
    stack pointer there: its return address is pushed already (System V ABI, AMD64, 3.2.2)."""
    thread = crashing_thread(core)
    if thread is None or thread.sp is None or thread.pc is None or address < thread.sp:
        return None
    pc = thread.pc
    for caller in callers_of_thread(core, thread, _FRAMES):
        above = caller.registers["rsp"]
        if address < above:
            code = code_around(core, pc)
            return (Point(name, code.start, caller.call.end), above - 8) if code else None
        pc = caller.call.address
    return None
