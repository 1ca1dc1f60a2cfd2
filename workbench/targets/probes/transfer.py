"""Control that went, or was about to go, where no code is."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import machines, x86
from workbench.targets.probes.code import code_around
from workbench.targets.probes.machines.base import Machine, Raw
from workbench.targets.probes.places import executable, read_some
from workbench.targets.probes.x86 import MASK
from workbench.targets.siginfo import SIGSEGV

_LONGEST_CALL = 8
_LARGEST_PAGE = 1 << 16


class Branch(Struct, frozen=True):
    """How control got to a bad pc: the call that pushed the return address, and the jump out of
    the function that it went to, when that is what took the bad target. ``registers`` are those at
    the last of the two: nothing ran since."""

    call: x86.Instruction
    jump: x86.Instruction | None
    registers: dict[str, int]


def calling_branch(core: Dump, thread: CoreThread) -> Branch | None:
    """The branch to a bad pc, or None when pc was returned to or came from nowhere."""
    pc, sp = thread.pc or 0, thread.sp or 0
    pushed = core.read_word(sp)
    calls = list(calls_ending_at(core, pushed)) if pushed is not None else []
    if not calls:
        return None
    before = {**thread.registers, "rsp": (sp + 8) & MASK}
    goals = [branch_target(core, call, before) for call in calls]
    # The last bytes of a call can read as a shorter one (41 ff d4 and ff d4): which it was is
    # known where only one of them goes to pc.
    which = goals.index(pc) if pc in goals else 0
    call, goal = calls[which], goals[which]
    if goal == pc or (goal is None and core.read_word((sp - 8) & MASK) != pc):
        return Branch(call, None, before)
    jump = _tail_jump(core, thread, goal, pc) if goal is not None else None
    if jump is not None:
        return Branch(call, jump, dict(thread.registers))
    if core.read_word((sp - 8) & MASK) == pc:
        return None
    return Branch(call, None, before)


def _tail_jump(core: Dump, thread: CoreThread, function: int, pc: int) -> x86.Instruction | None:
    """The indirect jump of a function that goes to ``pc`` with the registers as they are."""
    code = code_around(core, function) if executable(core, function) else None
    if code is None:
        return None
    for index, item in enumerate(code.instructions.outlines):
        if item.mnemonic.rsplit(" ", 1)[-1] != "jmp" or item.target is not None:
            continue
        jump = code.instructions[index]
        if branch_target(core, jump, thread.registers) == pc:
            return jump
    return None


def branch_target(core: Dump, insn: x86.Instruction, registers: Mapping[str, int]) -> int | None:
    """Where a call, jump or return goes with these registers; None when that is not known."""
    if insn.is_return:
        sp = registers.get("rsp")
        return core.read_word(sp) if sp is not None else None
    if insn.target is not None or not insn.operands:
        return insn.target
    operand = insn.operands[0]
    if operand.reg is not None:
        return registers.get(x86.FAMILY.get(operand.reg, operand.reg))
    cell = insn.effective(operand.mem, registers) if operand.mem is not None else None
    return core.read_word(cell) if cell is not None else None


def call_ending_at(core: Dump, address: int) -> x86.Instruction | None:
    """The call instruction right in front of a return address, or None when there is none."""
    return next(calls_ending_at(core, address), None)


def calls_ending_at(core: Dump, address: int) -> Iterator[x86.Instruction]:
    """Every reading of the bytes in front of an address as a call, the likeliest first."""
    if not executable(core, address - 1 if address else 0):
        return
    for size in (_LONGEST_CALL, 5, 2):
        code = core.read(address - size, size) if address >= size else None
        if code is not None:
            calls = x86.calls_before(code, address)
            yield from (call for call in calls if _goes_to_code(core, call))
            return


def _goes_to_code(core: Dump, call: x86.Instruction) -> bool:
    """False for a direct call to where no code is: such bytes are no call, they only look so."""
    return call.target is None or executable(core, call.target)


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


# Calls on processors other than x86-64: the one in front of a return address, the return address
# of a thread, and jumps out of a function that was called.
_MOST_CODE = 4096


def machine_of(core: Dump) -> Machine | None:
    """The machine that a dump comes from; None for x86-64, which has modules of its own."""
    return machines.machine(core.arch, core.bits, core.little_endian)


def ending_at(core: Dump, machine: Machine, address: int, values: Mapping[str, int]) -> Raw | None:
    """The call instruction right in front of a return address, or None when there is none."""
    values = machine.returning_to(address, values)
    address = machine.plain(address)
    if not executable(core, address - 1 if address else 0):
        return None
    for size in machine.calls:
        code = core.read(address - size, size) if address >= size else None
        raw = machine.one(code, address - size, values) if code is not None else None
        if raw is None or raw.size != size:
            continue
        branch = machine.branch(raw, machine.registers({}))
        if branch is not None and branch.kind == "call":
            goal = branch.target
            if goal is None or executable(core, goal):
                return raw
    return None


def return_address(core: Dump, thread: CoreThread, machine: Machine) -> int | None:
    """Where the function that was called last returns to, before it saved that elsewhere."""
    if machine.link is None:
        return core.read_word(thread.sp or 0)
    return thread.registers.get(machine.link)


def function_from(core: Dump, address: int) -> tuple[int, int]:
    """[start, end) of the code from an address to the end of its function, as far as symbols
    tell."""
    name = core.symbolize(address)
    end = address
    while end < address + _MOST_CODE:
        found = core.symbolize(end)
        if found is None or name is None or found[0] != name[0]:
            break
        end += 64
    return address, end if end > address else address + 256


def tail_jump(
    core: Dump, machine: Machine, span: tuple[int, int], thread: CoreThread
) -> Raw | None:
    """The indirect jump of a function that goes to pc with the registers as they are."""
    start, end = span
    if not executable(core, start):
        return None
    registers = machine.registers(thread.registers)
    code = read_some(core, start, end - start)
    for raw in machine.decode(code, start, thread.registers, len(code) // machine.step):
        branch = machine.branch(raw, registers)
        if branch is None or branch.kind != "jump" or not branch.indirect:
            continue
        goal = branch.target
        if branch.cell is not None:
            goal = core.read_word(branch.cell)
        if goal is not None and machine.plain(goal) == thread.pc:
            return raw
    return None
