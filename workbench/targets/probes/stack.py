"""``@stack [TID]``: a thread's stack as memory: its bounds and guard, overwritten return slots,
return addresses that repeat, and the words around the stack pointer."""

from msgspec import Struct

from workbench.model.facts import Region
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import stack_scan as scan
from workbench.targets.probes.branches import execute_lines
from workbench.targets.probes.cfi import caller_of, callers, callers_of_thread
from workbench.targets.probes.fault import at_fault
from workbench.targets.probes.machines.base import Machine
from workbench.targets.probes.malloc.memory import Span, run_over
from workbench.targets.probes.operands import Access
from workbench.targets.probes.places import asked_thread, place, where
from workbench.targets.probes.touched import faulting_access
from workbench.targets.probes.transfer import cannot_run, machine_of
from workbench.targets.probes.unwind_table import function_bounds


def faulty_access(core: Dump, thread: CoreThread) -> Access | None:
    """None where code was to run at an address without any, or where nothing is forbidden."""
    if thread.pc is None or cannot_run(core, thread.pc):
        return None
    machine = machine_of(core)
    raw = at_fault(core, thread, machine) if machine is not None else None
    if machine is None or raw is None:
        return None
    touched = machine.accesses(raw, machine.registers(thread.registers))
    return faulting_access(core, touched, thread.registers)


_AT_RANDOM, _AT_EXECFN = 25, 31  # getauxval(3): both lie at the top of the first thread's stack
_FAR_BELOW = 64 << 20
_NEAR_END = 1 << 16
_SEGV, _BUS = 11, 7
_CALLERS = 4
_DEEP = 64


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
        _left_below(core, thread) or _stack_region(core, thread) or _first_left_far(core, thread)
    )
    if region is None:
        return None
    below, guard = core.region(region.start - 1), scan.guard_of(core, region.start)
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
    last = thread.sp - core.bits // 8  # what a call pushes
    if not last <= address < own.start or own.start - thread.sp > _FAR_BELOW:
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
    if top.start - thread.sp > _LARGEST_FRAME:
        return None  # it was set to another place
    led = _leads_into(core, thread, top) and thread.sp - _NEAR_END <= address < top.start
    return top if led else None


def _leads_into(core: Dump, thread: CoreThread, stack: Region) -> bool:
    """Whether the frame pointer or the frames' own rules lead into a stack: to a call there, or
    from a signal's handler to what it returns to."""
    frames = [c.registers.get("rsp", 0) for c in callers_of_thread(core, thread, _CALLERS)]
    back = caller_of(core, thread.pc or 0, thread.registers)
    frames += [back[1]["rsp"]] if back is not None and not cannot_run(core, back[0]) else []
    kept = [thread.registers.get(name, 0) for name in ("rbp", "ebp", "x29")]
    return any(stack.start <= at < stack.end for at in (*frames, *kept))


def _stack_region(core: Dump, thread: CoreThread) -> Region | None:
    sp = thread.sp or 0
    region = core.region(sp)
    if region is not None and "w" in region.perms:
        return region if region.kind != "file" else None
    for above in core.regions:
        if above.start > sp:
            if above.start - sp > _FAR_BELOW or above.kind == "file":
                return None
            if "w" in above.perms:
                return above if _ran_below(core, thread, above) else None
    return None


def _ran_below(core: Dump, thread: CoreThread, above: Region) -> bool:
    """Whether a thread whose stack pointer lies below a mapping has it for its stack: it is the
    first one's, the thread's own data is there, or its frames lead back into it. What lies above a
    stack pointer that was set to another place may be anything."""
    if core.arch != "x86_64" or above.start <= core.auxv.get(_AT_RANDOM, 0) < above.end:
        return True
    first = core.threads and thread.tid == min(one.tid for one in core.threads)
    base = None if first else thread.fs_base  # the first one's is the loader's, in no stack
    own = base is not None and above.start <= base < above.end
    return own or _leads_into(core, thread, above)


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

    The access lies below the mapping, in its guard, in nothing or in what a large frame stepped
    into, while the stack pointer is close to that end or beyond it, or goes there with the access.
    The kernel extends a growing stack, so
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
    here = core.region(thread.sp)
    if region is None or set(region.perms) == {"-"}:
        return True
    no_stack = here is not None and "w" not in here.perms  # nothing can be pushed there
    return no_stack and _left_below(core, thread) is not None


def _allocates(core: Dump, thread: CoreThread) -> bool:
    """True for a store through the stack pointer that takes it along, as Power's stdu."""
    found = faulty_access(core, thread)
    return found is not None and found.moves and found.base in ("r1", "sp")


_SCAN_ABOVE, _SCAN_BELOW = 0x8000, 0x1000
_LARGEST_FRAME = 1 << 40
"""Bytes that no array on a stack has, whatever length it was given by mistake."""
_MAX_SLOTS, _MAX_BELOW, _MAX_OUTER = 32, 8, 24
_MAX_STACK = 1 << 26


def probe(core: Dump, args: list[str]) -> str:
    """The report on the crashing thread's stack, or on that of thread ``args[0]``."""
    thread = asked_thread(core, args)
    if thread is None:
        return "no such thread in the dump\n"
    lines = [f"thread {thread.tid}"]
    if thread.sp is None:
        return "\n".join([*lines, f"stack not decoded on {core.arch}", ""])
    bounds = bounds_of(core, thread)
    if bounds is None:
        lines.append(f"stack pointer {thread.sp:#x}: {place(core, thread.sp)}, in no stack")
        return "\n".join(lines) + "\n"
    lines += _bounds_lines(core, thread, bounds)
    code = scan.CodeMap(core)
    size = core.bits // 8
    start = max(thread.sp, bounds.start) // size * size
    lines += _smashed_lines(core, thread, bounds, code)
    repeats = _repeat_lines(core, code, start, bounds)
    lines += repeats
    above = scan.words_at(core, start, min(bounds.end, start + _SCAN_ABOVE))
    if not above:
        lines.append("memory of the stack: none of it is in the dump from the stack pointer on")
    for slot in scan.return_slots(code, above, _MAX_BELOW if repeats else _MAX_SLOTS):
        lines.append(f"return address {_slot(core, slot)}")
    below = scan.words_at(core, max(bounds.start, start - _SCAN_BELOW) // size * size, start)
    for slot in scan.return_slots(code, below[::-1], _MAX_BELOW):
        lines.append(f"left below the stack pointer: return address {_slot(core, slot)}")
    lines += scan.word_lines(core, start, bounds.start, bounds.end)
    return "\n".join(lines) + "\n"


def _bounds_lines(core: Dump, thread: CoreThread, bounds: Bounds) -> list[str]:
    sp = thread.sp or 0
    whose = "the first thread" if bounds.main else "a thread that was started later"
    if not core.auxv:
        whose = "a thread"  # which was the first is told by the auxiliary vector
    below = f"below the stack: {bounds.guard}"
    if bounds.guard_start is not None:
        below += f" {bounds.guard_start:#x}-{bounds.start:#x}"
    lines = [*scan.bounds_lines(bounds.start, bounds.end, whose, sp, f"the {scan.LOWEST}"), below]
    address = fault_address(core, thread)
    if address is not None:
        lines.append(scan.fault_line(core, bounds.start, bounds.end, address))
    if overflowed(core, thread, bounds):
        lines.append(scan.overflow_line(bounds.start, address or 0))
    return lines


def _smashed_lines(core: Dump, thread: CoreThread, bounds: Bounds, code: scan.CodeMap) -> list[str]:
    """The slot that a ``ret`` took or is about to take its target from, when no code is there; else
    that of a function which still runs, where data runs across it."""
    taken = _return_slot(core, thread, bounds, code)
    slot = taken or _kept_slot(core, thread, code)
    if slot is None or not bounds.start <= slot.at < bounds.end:
        return []
    lines = [
        f"smashed: the return slot {slot.at:#x} holds {slot.address:#x}, which is no code address: "
        f"{place(core, slot.address)}"
    ]
    low = max(bounds.start, slot.at - 0x1000)
    run = run_over(Span(core, low, min(bounds.end, slot.at + 0x1000)), slot.at)
    if taken is None and (run is None or run.what.startswith("zero")):
        return []
    if run is not None:
        lines.append(
            f"run: {run.what} from {run.start:#x} to {run.end:#x} runs across the return slot "
            f"{slot.at:#x}"
        )
    return lines


def _return_slot(
    core: Dump, thread: CoreThread, bounds: Bounds, code: scan.CodeMap
) -> scan.Slot | None:
    pc, sp = thread.pc, thread.sp
    if pc is None or sp is None or not thread.signal:
        return None
    size = core.bits // 8
    machine = machine_of(core)
    if machine is not None and machine.link is not None:
        return None if code.executable(pc) else _restored_slot(core, thread, bounds, machine)
    if core.arch not in ("x86_64", "i386"):
        return None
    if not code.executable(pc):
        popped = core.read_word(sp - size)
        pushed = core.read_word(sp)
        called = pushed is not None and code.returned_to(pushed)
        return scan.Slot(sp - size, pc) if popped == pc and not called else None
    opcode = core.read(pc, 2) or b""
    if opcode[:1] in (b"\xc3", b"\xc2") or opcode == b"\xf3\xc3" or opcode == b"\xf2\xc3":
        target = core.read_word(sp)
        if target is not None and not code.executable(target):
            return scan.Slot(sp, target)
    return None


def _kept_slot(core: Dump, thread: CoreThread, code: scan.CodeMap) -> scan.Slot | None:
    """Where the first of the functions that still run has no address of code to return to, by the
    unwinding tables of those that do."""
    at, known = thread.pc or 0, thread.registers
    for caller in callers_of_thread(core, thread, _DEEP):
        at, known = caller.call.address, caller.registers
    found = caller_of(core, at, known) if code.executable(at) else None
    if found is None or code.executable(found[0]):
        return None
    return scan.Slot(found[1]["rsp"] - core.bits // 8, found[0])


def _restored_slot(
    core: Dump, thread: CoreThread, bounds: Bounds, machine: Machine
) -> scan.Slot | None:
    """The word of the frame that was just left which a return restored its bad address from:
    the highest one that holds it, below the stack pointer or, on Power, in the caller's frame."""
    sp, size = thread.sp or 0, core.bits // 8
    if not any(line.startswith("transfer return") for line in execute_lines(core, thread, machine)):
        return None
    popped = core.read_word(sp - size) if machine.pops else None
    if popped is not None and machine.same(popped, thread.pc or 0):
        return scan.Slot(sp - size, thread.pc or 0)
    low = max(bounds.start, sp - _SCAN_BELOW)
    words = scan.words_at(core, low // size * size, sp + 4 * size)
    found = [at for at, word in words if machine.same(word, thread.pc or 0)]
    return scan.Slot(found[-1], thread.pc or 0) if found else None


def _repeat_lines(core: Dump, code: scan.CodeMap, start: int, bounds: Bounds) -> list[str]:
    found = scan.repetitions(core, code, start, bounds.end)
    lines = scan.repeat_lines(core, found)
    return lines + (_entered_lines(core, bounds, {one.address for one in found}) if found else [])


def _entered_lines(core: Dump, bounds: Bounds, known: set[int]) -> list[str]:
    """Who called the outermost of the frames that repeat, and who called those: unwound from its
    return address, the highest on the stack that repeats."""
    if core.arch != "x86_64":
        return []
    words = scan.words_at(core, max(bounds.start, bounds.end - _MAX_STACK), bounds.end)
    last = next((at for at, word in reversed(words) if word in known), None)
    back = core.read_word(last) if last is not None else None
    if last is None or back is None:
        return []
    members = {bounds_ for bounds_ in (function_bounds(core, word) for word in known) if bounds_}
    saved = core.read_word(last - 8) or 0  # where a callee with a frame pointer keeps rbp
    outer = [
        caller.call.end
        for caller in callers(core, back - 1, {"rsp": last + 8, "rbp": saved}, _MAX_OUTER)
        if function_bounds(core, caller.call.address) not in members
    ]
    return [f"recursion entered: from return address {at:#x}: {where(core, at)}" for at in outer]


def _slot(core: Dump, slot: scan.Slot) -> str:
    return f"{slot.address:#x} at {slot.at:#x}: {where(core, slot.address)}"
