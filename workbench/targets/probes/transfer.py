"""Control that went, or was about to go, where no code is."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import machines, x86
from workbench.targets.probes.code import code_around
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.machines.base import Machine
from workbench.targets.probes.places import executable, read_some
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.siginfo import SIGSEGV

_MOST_CODE = 4096
_LARGEST_PAGE = 1 << 16
_MOST_JUMPS = 3
"""Functions that left by a jump, one into the other, and of one how many ways are followed."""


class BadBranch(Struct, frozen=True):
    """How control got to a bad pc: the call that left the return address, and the jump out of the
    function that it went to, when that is what took the bad target. ``registers`` are those at the
    last of the two: nothing ran since. ``function`` is where the call went, when that is known to
    be another place than pc and it is not known which jump went there."""

    call: Instruction
    jump: Instruction | None
    registers: dict[str, int]
    function: int | None = None


def machine_of(core: Dump) -> Machine | None:
    """The machine that a dump comes from."""
    return machines.machine(core.arch, core.bits, core.little_endian)


def calling_branch(core: Dump, thread: CoreThread) -> BadBranch | None:
    """The branch to a bad pc, or None when pc was returned to or came from nowhere."""
    machine, pc = machine_of(core), thread.pc or 0
    back = return_address(core, thread, machine) if machine is not None else None
    if machine is None or back is None or (machine.link is not None and machine.same(back, pc)):
        return None
    calls = _likely(core, calls_ending_at(core, back, thread.registers))
    if not calls:
        return None
    before = dict(thread.registers)
    if machine.link is None:
        before[machine.sp] = ((thread.sp or 0) + machine.bits // 8) & machine.mask
    goals = [branch_target(core, call, before) for call in calls]
    # The last bytes of a call can read as a shorter one (41 ff d4 and ff d4): where no function's
    # start tells which it was, only one of them may go to pc.
    here = (at for at, goal in enumerate(goals) if goal is not None and machine.same(goal, pc))
    which = next(here, None)
    call = calls[which or 0]
    goal = _loaded(core, call, before) or goals[which or 0]
    # Zeros lie below many a stack pointer: a call that left its return address is likelier then.
    popped = pc != 0 and popped_from(core, thread, machine) is not None
    if goal is None or machine.same(goal, pc):
        return None if goal is None and popped else BadBranch(call, None, before)
    jumps = _tail_jumps(core, thread, machine, goal)
    if len(jumps) == 1:
        return BadBranch(call, jumps[0], dict(thread.registers))
    if which is not None and not jumps and core.read(goal, 1) is not None:
        return BadBranch(call, None, before)  # its register was loaded from what changed since
    # A link register keeps its address behind the function that was called.
    return None if popped or machine.link is not None else BadBranch(call, None, before, goal)


def _is_instruction(core: Dump, address: int) -> bool:
    """Whether a function, decoded from where it is known to begin, has an instruction there."""
    code = code_around(core, address)
    return code is not None and code.exact and address in code.at


def _loaded(core: Dump, call: Instruction, registers: dict[str, int]) -> int | None:
    """The code that a call went to by a register which functions need not keep (System V ABI,
    AMD64, 3.2.1), as what stands in front of the call loaded it: what was called may have used the
    register since."""
    register = x86.FAMILY.get(call.operands[0].reg or "") if call.operands else None
    code = code_around(core, call.address) if core.arch == "x86_64" else None
    at = code.at.get(call.address) if code is not None else None
    if register not in x86.CALLER_SAVED or code is None or at is None:
        return None
    kept = {name: it for name, it in registers.items() if name not in x86.CALLER_SAVED}
    found = Slicer(core, code, at, kept).known(register)
    return found if found is not None and executable(core, found) else None


def return_address(core: Dump, thread: CoreThread, machine: Machine) -> int | None:
    """Where the function that was called last returns to, before it saved that elsewhere."""
    if machine.link is None:
        return core.read_word(thread.sp or 0)
    return thread.registers.get(machine.link)


def popped_from(core: Dump, thread: CoreThread, machine: Machine) -> int | None:
    """The cell below the stack pointer, where a return took the bad pc from it."""
    below = ((thread.sp or 0) - machine.bits // 8) & machine.mask
    word = core.read_word(below) if machine.pops else None
    return below if word is not None and machine.same(word, thread.pc or 0) else None


def _tail_jumps(
    core: Dump, thread: CoreThread, machine: Machine, function: int, deep: int = 0
) -> list[Instruction]:
    """The indirect jumps of a function that go to pc with the registers as they are, and those of
    one that it jumps to in turn."""
    if not executable(core, function) or deep > _MOST_JUMPS:
        return []
    code = read_some(core, function, _end_of(core, function) - function)
    registers = machine.registers(thread.registers)
    found, left = [], []
    for raw in machine.decode(code, function, thread.registers, len(code) // machine.step):
        branch = machine.branch(raw, registers)
        if branch is None or branch.kind != "jump":
            continue
        goal = branch_target(core, raw, thread.registers)
        if branch.indirect and goal is not None and machine.plain(goal) == thread.pc:
            found.append(raw)
        elif not branch.indirect and goal and not function <= goal < function + len(code):
            left.append(goal)
    for one in list(dict.fromkeys(left))[:_MOST_JUMPS]:
        found += _tail_jumps(core, thread, machine, one, deep + 1)
    return list({jump.address: jump for jump in found}.values())


def _end_of(core: Dump, address: int) -> int:
    """Where the function ends that a code address lies in, as far as its unwinding record or
    symbols tell."""
    bounds, name, end = function_bounds(core, address), core.symbolize(address), address
    if bounds is not None:
        return min(bounds[1], address + _MOST_CODE)
    while end < address + _MOST_CODE:
        found = core.symbolize(end)
        if found is None or name is None or found[0] != name[0]:
            break
        end += 64
    return end if end > address else address + 256


def branch_target(core: Dump, insn: Instruction, values: Mapping[str, int]) -> int | None:
    """Where a call, jump or return goes with these registers; None when that is not known."""
    machine = machine_of(core)
    branch = machine.branch(insn, machine.registers(values)) if machine is not None else None
    if branch is None or branch.cell is None:
        return branch.target if branch is not None else None
    return core.read_word(branch.cell)


def call_ending_at(core: Dump, address: int) -> Instruction | None:
    """The call instruction right in front of a return address, or None when there is none."""
    return next(iter(_likely(core, calls_ending_at(core, address, {}))), None)


def follows_call(core: Dump, address: int) -> bool:
    """Whether bytes in front of an address read as a call, which is fast to tell."""
    return any(True for _ in calls_ending_at(core, address, {}))


def _likely(core: Dump, calls: Iterable[Instruction]) -> list[Instruction]:
    """Of several readings of the same bytes those that the function's code has there."""
    found = list(calls)
    if len(found) < 2 or core.arch != "x86_64":
        return found
    return [call for call in found if _is_instruction(core, call.address)] or found


def calls_ending_at(core: Dump, address: int, values: Mapping[str, int]) -> Iterator[Instruction]:
    """Every reading of the bytes in front of an address as a call that goes to code, the likeliest
    first. More than one may decode: the bytes of an indirect call's neighbours can look like a
    direct one."""
    machine = machine_of(core)
    if machine is None:
        return
    values = machine.returning_to(address, values)
    address = machine.plain(address)
    if not executable(core, address - 1 if address else 0):
        return
    in_front = (
        core.read(address - n, n) for n in sorted(machine.calls, reverse=True) if n <= address
    )
    code = next((raw for raw in in_front if raw is not None), b"")
    for size in machine.calls:
        piece = code[-size:]
        if size > len(code) or not machine.may_call(piece):
            continue
        raw = machine.one(piece, address - size, values)
        branch = machine.branch(raw, machine.registers({})) if raw is not None else None
        if raw is None or raw.size != size or branch is None or branch.kind != "call":
            continue
        if branch.target is None or executable(core, branch.target):
            yield raw


def cannot_run(core: Dump, pc: int) -> bool:
    """True when no code is at an address: nothing mapped there, or not executable.

    A dump may leave out what is only read: where the fault was elsewhere, the instruction at ``pc``
    had been fetched, and a dump without any mapping says nothing.
    """
    region = core.region(pc)
    if region is not None:
        return region.perms[2] == "-"
    return bool(core.regions) and not _fetched(core, pc)


def _fetched(core: Dump, pc: int) -> bool:
    """True when the signal tells of another address than that of the instruction. si_addr may lie
    anywhere in the page that failed (s390x clears its low bits), so that near ones do not tell."""
    info = core.siginfo
    if info is None or info.number != SIGSEGV or info.address is None:
        return False
    return abs(info.address - pc) > _LARGEST_PAGE
