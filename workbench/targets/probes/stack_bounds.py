"""Where a thread's stack lies, what is below it, and whether the thread ran out of it."""

from msgspec import Struct

from workbench.model.facts import Region
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import portable, x86
from workbench.targets.probes.calls import machine_of
from workbench.targets.probes.frames import callers_of_thread
from workbench.targets.probes.operands import Access, accesses
from workbench.targets.probes.places import read_some
from workbench.targets.probes.touched import faulting_access
from workbench.targets.probes.transfer import cannot_run


def faulty_access(core: Dump, thread: CoreThread) -> Access | None:
    """None where code was to run at an address without any, or where nothing is forbidden."""
    if thread.pc is None or cannot_run(core, thread.pc):
        return None
    if core.arch == "x86_64":
        insn = x86.decode_one(read_some(core, thread.pc, 16), thread.pc)
        if insn is None:
            return None
        found = accesses(insn, thread.registers)
        return faulting_access(core, found, thread.registers)
    machine = machine_of(core)
    raw = portable.at_fault(core, thread, machine) if machine is not None else None
    if machine is None or raw is None:
        return None
    touched = machine.accesses(raw, machine.registers(thread.registers))
    return faulting_access(core, touched, thread.registers)


_AT_RANDOM, _AT_EXECFN = 25, 31  # getauxval(3): both lie at the top of the first thread's stack
_FAR_BELOW = 64 << 20
_NEAR_END = 1 << 16
_SEGV, _BUS = 11, 7
_CALLERS = 4


class Bounds(Struct, frozen=True):
    """[start, end) of the mapping; ``guard`` is unmapped | no-access | mapped."""

    start: int
    end: int
    main: bool
    guard: str
    guard_start: int | None


def bounds_of(core: Dump, thread: CoreThread) -> Bounds | None:
    """The stack that a thread's stack pointer is in, or, when it points below one, that one."""
    if thread.sp is None:
        return None
    region = (
        _left_below(core, thread) or _stack_region(core, thread.sp) or _first_left_far(core, thread)
    )
    if region is None:
        return None
    below = core.region(region.start - 1)
    guard = "unmapped"
    if below is not None:
        guard = "no-access" if set(below.perms) == {"-"} else "mapped"
    top = [core.auxv.get(key, 0) for key in (_AT_RANDOM, _AT_EXECFN)]
    main = any(region.start <= address < region.end for address in top)
    return Bounds(
        region.start, region.end, main, guard, below.start if below and guard != "mapped" else None
    )


def _left_below(core: Dump, thread: CoreThread) -> Region | None:
    """The stack of a thread that stepped over its guard with a large frame.

    A thread's own data lies at the top of its stack (nptl/allocatestack.c), where fs points on
    x86-64. The stack pointer is in some other mapping beneath, the access that failed between the
    two, and the frames' own rules lead back into that stack: a coroutine's would not.
    """
    base, address = thread.fs_base, fault_address(core, thread)
    if base is None or address is None or thread.sp is None:
        return None
    own = core.region(base)
    if own is None or "w" not in own.perms or own.kind == "file":
        return None
    if not thread.sp <= address < own.start or own.start - thread.sp > _FAR_BELOW:
        return None
    above = callers_of_thread(core, thread, _CALLERS)
    return own if any(own.start <= c.registers.get("rsp", 0) < own.end for c in above) else None


def _first_left_far(core: Dump, thread: CoreThread) -> Region | None:
    """The first thread's stack, which ends with what the kernel put there, where a frame larger
    than all that a stack may be took its stack pointer far below; the frame pointer or the frames'
    own rules lead back into it."""
    top = core.region(core.auxv.get(_AT_RANDOM, 0))
    address = fault_address(core, thread)
    if top is None or address is None or thread.sp is None or not thread.sp < top.start:
        return None
    frames = [c.registers.get("rsp", 0) for c in callers_of_thread(core, thread, _CALLERS)]
    kept = [thread.registers.get(name, 0) for name in ("rbp", "ebp", "x29")]
    led = any(top.start <= at < top.end for at in (*frames, *kept))
    return top if led and thread.sp - _NEAR_END <= address < top.start else None


def _stack_region(core: Dump, sp: int) -> Region | None:
    region = core.region(sp)
    if region is not None and "w" in region.perms:
        return region if region.kind != "file" else None
    for above in core.regions:
        if above.start > sp:
            if above.start - sp > _FAR_BELOW or above.kind == "file":
                return None
            if "w" in above.perms:
                return above
    return None


def fault_address(core: Dump, thread: CoreThread) -> int | None:
    """si_addr, where the signal that stopped this thread is one that has it; what the instruction
    touched, where the dump has no siginfo at all."""
    info = core.siginfo
    if thread.signal not in (_SEGV, _BUS):
        return None
    if info is None:
        found = faulty_access(core, thread)
        return found.address if found is not None else None
    if info.number != thread.signal:
        return None
    return info.address if info.code > 0 else None


def overflowed(core: Dump, thread: CoreThread, bounds: Bounds) -> bool:
    """True when the access that failed went off the low end of this stack.

    The access lies below the mapping, in its guard or in nothing, while the stack pointer is close
    to that end or beyond it, or goes there with the access. The kernel extends a growing stack, so
    an access that it refuses there met the limit (setrlimit(2), RLIMIT_STACK).
    """
    address = fault_address(core, thread)
    if address is None or thread.sp is None or address >= bounds.start:
        return False
    if bounds.start - address > _FAR_BELOW and _first_left_far(core, thread) is None:
        return False
    if thread.sp - bounds.start > _NEAR_END and not _allocates(core, thread):
        return False
    region = core.region(address)
    return region is None or set(region.perms) == {"-"}


def _allocates(core: Dump, thread: CoreThread) -> bool:
    """True for a store through the stack pointer that takes it along, as Power's stdu."""
    found = faulty_access(core, thread)
    return found is not None and found.moves and found.base in ("r1", "sp")
