"""``@fault``: the instruction at which the process stopped, what it touched, and where the pointer
that it used came from."""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import branches, origin, portable, taint, touched, x86
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import history
from workbench.targets.probes.instruction import MASK, Instruction
from workbench.targets.probes.left import left_lines
from workbench.targets.probes.machines.base import Machine
from workbench.targets.probes.malloc.memory import Span, run_over
from workbench.targets.probes.operands import Access
from workbench.targets.probes.origin import (
    cell_lines,
    kept_alone,
    origin_lines,
    root_lines,
    run_lines,
)
from workbench.targets.probes.places import NEAR_NULL, asked_thread, kind_of, place, read_some
from workbench.targets.probes.stepping import update_lines
from workbench.targets.probes.transfer import cannot_run, machine_of
from workbench.targets.sent import sending_call
from workbench.targets.siginfo import FAULTS, NAMES, SI_KERNEL, SIGFPE, SIGTRAP

_TRAP_BRKPT = 1
_INT3 = b"\xcc"
# Signals that an instruction raises by what it does (signal(7)).


def probe(core: Dump, args: list[str]) -> str:
    """The report on the crashing thread, or on thread ``args[0]``."""
    thread = asked_thread(core, args)
    if thread is None:
        return "no such thread in the dump\n" if args else "the dump has no threads\n"
    lines = [f"thread {thread.tid}"]
    if thread.pc is None:
        return "\n".join([*lines, f"registers not decoded on {core.arch}", ""])
    machine = machine_of(core)
    runs = machine is not None and not cannot_run(core, thread.pc)
    raw = at_fault(core, thread, machine) if machine is not None and runs else None
    pc = raw.address if raw is not None else thread.pc
    lines.append(f"pc {pc:#x}: {place(core, pc)}")
    if pc != thread.pc:
        lines.append(f"the processor counted on to {thread.pc:#x} before the signal")
    if thread.sp is not None:
        lines.append(f"stack pointer {thread.sp:#x}: {place(core, thread.sp)}")
    lines += _signal_lines(core, thread)
    if machine is None:
        lines.append(f"instruction not decoded on {core.arch}")
    elif not runs:
        lines += branches.execute_lines(core, thread, machine)
    elif raw is None or not raw.mnemonic:
        code = read_some(core, pc, machine.longest if raw is None else raw.size).hex(" ")
        held = code or "not in the dump"
        lines.append(f"no instruction can be decoded at {pc:#x}, bytes: {held}")
    else:
        lines += _instruction_lines(core, thread, machine, raw)
        lines += left_lines(core, thread) if core.arch == "x86_64" else []
    lines += spelled_lines(core, lines)
    return "\n".join(lines) + "\n"


def at_fault(core: Dump, thread: CoreThread, machine: Machine) -> Instruction | None:
    """The instruction that a thread stopped at; where the processor had counted on before it
    trapped, the one in front of that: on x86 ``int3`` (Intel SDM volume 3, #BP). No mnemonic: bytes
    that are no instruction, of which only the size is known."""
    pc = thread.pc or 0
    if core.arch in ("x86_64", "i386") and _at_breakpoint(core, thread, pc):
        pc -= len(_INT3)
    elif thread.signal and machine.behind(thread.signal):
        for size in sorted(machine.calls):
            raw = _in_front(core, thread, machine, pc - size, size)
            if raw is not None:
                return raw
    return machine.one(read_some(core, pc, machine.longest), pc, thread.registers)


def _in_front(
    core: Dump, thread: CoreThread, machine: Machine, at: int, size: int
) -> Instruction | None:
    """The bytes in front of pc, where they can have raised the signal."""
    code = core.read(at, size) if at >= 0 else None
    if code is None or machine.length(code[0]) != size:
        return None
    raw = machine.one(code, at, thread.registers)
    if thread.signal == SIGFPE:
        divides = raw is not None and machine.division(raw, machine.registers({})) is not None
        return raw if divides else None
    info = core.siginfo
    told = info is not None and info.address == at
    return Instruction(at, size, "", "") if raw is None else raw if told else None


def _at_breakpoint(core: Dump, thread: CoreThread, pc: int) -> bool:
    if thread.signal != SIGTRAP or _sent(core, thread):
        return False
    if core.siginfo is not None and core.siginfo.code not in (_TRAP_BRKPT, SI_KERNEL):
        return False
    return core.read(pc - len(_INT3), len(_INT3)) == _INT3


def _signal_lines(core: Dump, thread: CoreThread) -> list[str]:
    if not thread.signal:
        return ["no signal: this thread was not stopped by one"]
    if thread.signal in FAULTS and not _sent(core, thread):
        return [f"signal {thread.signal} {NAMES[thread.signal]} raised by an instruction"]
    return [f"signal {thread.signal} is not raised by an instruction here: it was sent"]


def _sent(core: Dump, thread: CoreThread) -> bool:
    """True when a process sent the signal: si_code is zero or negative (sigaction(2))."""
    info = core.siginfo
    if info is None:
        return sending_call(core.arch, thread, core.read) is not None
    return info.code <= 0


def _instruction_lines(
    core: Dump, thread: CoreThread, machine: Machine, raw: Instruction
) -> list[str]:
    lines = [f"instruction {raw.text}", f"mnemonic {raw.mnemonic}"]
    values, registers = thread.registers, machine.registers(thread.registers)
    lines += [touched.access_line(core, each) for each in machine.accesses(raw, registers)]
    lines += touched.division_lines(core, machine, raw, registers)
    elsewhere = branches.bad_target_lines(core, machine, raw, values)
    lines += elsewhere
    faulty = faulting_access(core, thread, machine, raw)
    if faulty is None and not any(line.startswith("access ") for line in elsewhere):
        lines.append("access none: no operand of this instruction lies in memory that forbids it")
    elif faulty is not None:
        how = "write" if "write" in faulty.how else "read"
        unread = "read" in faulty.how and touched.forbidden(core, replace(faulty, how="read"))
        if unread and machine.reads_first:
            how = "read"
        lines.append(f"access {how} at {faulty.address or 0:#x} through {faulty.shown}")
        multiple = _multiple(core, thread, raw, faulty)
        if (faulty.address or 0) % multiple and not touched.forbidden(core, faulty):
            lines.append(
                f"misaligned: {raw.mnemonic} wants an address that is a multiple of {multiple}"
            )
        lines += touched.register_lines(core, thread, faulty, machine.bits)
        if how == "read":
            lines += taint.taint_lines(core, machine, raw, values)
    if core.arch == "x86_64":
        return lines + _sliced(core, thread, raw, faulty)
    if faulty is not None and faulty.base is not None:
        lines += portable.origin(core, machine, raw.address, faulty.base, values)
    return lines


def faulting_access(
    core: Dump, thread: CoreThread, machine: Machine, raw: Instruction
) -> Access | None:
    """The access that memory forbids, or that an instruction refuses which wants alignment."""
    found = machine.accesses(raw, machine.registers(thread.registers))
    odd = [each for each in found if (each.address or 0) % _multiple(core, thread, raw, each)]
    return touched.faulting_access(core, found, thread.registers, odd)


def _multiple(core: Dump, thread: CoreThread, raw: Instruction, access: Access) -> int:
    return touched.wanted_multiple(core, thread.signal, raw.mnemonic, access.size)


def _sliced(core: Dump, thread: CoreThread, insn: Instruction, faulty: Access | None) -> list[str]:
    """Where the registers of the operand came from, by a slice."""
    wanted: list[tuple[str | None, str]] = []
    lines: list[str] = []
    pc, near = insn.address, faulty is None or kind_of(core, faulty.address or 0) == "near-null"
    if faulty is None:
        wanted.append((x86.divisor_register(insn), "divisor origin"))
    else:
        wanted.append((faulty.base, "origin"))
        if not near:
            wanted.append((faulty.index, "index origin"))
        if faulty.address and not near and "write" not in faulty.how:
            lines += update_lines(core, pc, thread.registers, faulty.address)
    for register, title in wanted:
        if register is not None:
            steps = history(core, pc, register, thread.registers, into=True)
            if title == "origin" and faulty is not None and not steps:
                steps = _given_null(core, thread, pc, faulty)
            steps = _walked_on(core, pc, thread.registers, kept_alone(steps))
            lines += origin_lines(core, steps, title)
            if title == "origin":
                lines += root_lines(thread.registers.get(register, 0), steps)
                lines += run_lines(core, steps) + cell_lines(core, steps)
                lines += origin.call_lines(core, pc, steps, loaded=False)
    return lines


def _walked_on(core: Dump, pc: int, registers: Mapping[str, int], steps: list[Step]) -> list[Step]:
    """The steps, the first with the cell that it was loaded from, where the register that pointed
    there went on to the next element of a list before the fault (``p = p->next``): the element is
    the only place of all memory that holds what the loads through that register have read."""
    step, code = steps[0] if steps else None, code_around(core, pc)
    if step is None or (step.kind, step.source) != ("load", None) or code is None:
        return steps
    first, last = code.at.get(step.at, 0), code.at.get(pc, 0)
    run = code.instructions[first:last]
    mem = run[0].operands[1].mem if run and len(run[0].operands) > 1 else None
    if mem is None or mem.index is not None or mem.base not in x86.FAMILY:
        return steps
    if any(one.is_call or one.is_jump for one in run) or any(
        code.before[at] != (at - 1,) for at in range(first + 1, last + 1)
    ):
        return steps
    read: dict[int, int] = {}  # by their distance: words
    link = None
    for at, insn in enumerate(run):
        into, cell = insn.operands if len(insn.operands) == 2 else (None, None)
        again = any(one.writes & insn.writes for one in run[at + 1 :])
        if insn.mnemonic == "mov" and into is not None and cell is not None and not again:
            held = registers.get(x86.FAMILY.get(into.reg or "", ""))
            from_it = cell.mem is not None and (cell.mem.base, cell.mem.index) == (mem.base, None)
            if cell.mem is not None and from_it and into.size == _WORD and held is not None:
                read[cell.mem.disp] = held
                link = cell.mem.disp if mem.base in insn.writes else None
        if mem.base in insn.writes:
            break
    if link is None or read[link] < NEAR_NULL or not _is_whole(core):
        return steps
    places = list(_standing(core, _bytes_of(core, read[link]), everywhere=True))
    starts = [found - link for found in places]
    fitting = [at for at in starts if all(core.read_word(at + d) == w for d, w in read.items())]
    if len(fitting) != 1 or len(places) >= _MOST_HITS:
        return steps
    return [replace(step, source=fitting[0] + mem.disp), *steps[1:]]


def _is_whole(core: Dump) -> bool:
    """True where all that was writable can be searched: what is not there may hold a word, too."""
    written = [region for region in core.regions if region.perms[1] == "w"]
    ends = (at for region in written for at in (region.start, region.end - _WORD))
    sizes = sum(region.end - region.start for region in core.regions)
    return sizes <= _MOST and all(core.read_dumped(at, _WORD) is not None for at in ends)


def _given_null(core: Dump, thread: CoreThread, pc: int, faulty: Access) -> list[Step]:
    """The way of the null that a block function was given to write to: where its end lies before
    null (a length below zero), the instruction that fails is reached from a sum that is not known.
    It returns what it was given, and has it in rax meanwhile (memcpy(3); System V ABI)."""
    address, registers = faulty.address or 0, thread.registers
    near = address < NEAR_NULL or address > MASK - NEAR_NULL
    if not near or "write" not in faulty.how or registers.get("rax") != 0:
        return []
    steps = history(core, pc, "rax", registers, into=True)
    first = next((step for step in steps if step.kind == "argument"), None)
    return steps if first is not None and first.detail == "1" else []


_VALUE = re.compile(r"(?:base register \w+ =|access \w+ at|pc) (0x[0-9a-f]+)\b.*")
_TEXT = re.compile(rb"[\x20-\x7e]{5,}|[A-Za-z0-9 ]{4}")
_REACH = 4096
_BLOCK, _MOST = 1 << 20, 64 << 20
_MOST_HITS = 64
_WORD = 8
_MOST_SHOWN = 4


def spelled_lines(core: Dump, lines: list[str]) -> list[str]:
    """The lines to add behind those on a fault: empty where its pointer is mapped or no text."""
    found = [match for line in lines if (match := _VALUE.fullmatch(line)) is not None]
    found.sort(key=lambda match: not match[0].startswith("base"))
    for match in found:
        value = int(match[1], 16)
        if not value >> 32 or value >> core.bits:  # too short a text, or no word of this machine
            continue
        raw = _bytes_of(core, value).rstrip(b"\0")
        if _TEXT.fullmatch(raw) and core.region(value) is None:
            shown = raw.decode("ascii")
            said = [f'text: the bytes of {value:#x} are the characters "{shown}"']
            covered = any(line.startswith(("run: ", origin.INDEXED)) for line in lines)
            return said if covered else said + _copy_lines(core, value)
    return []


def _bytes_of(core: Dump, value: int) -> bytes:
    return value.to_bytes(core.bits // 8, "little" if core.little_endian else "big", signed=False)


def _copy_lines(core: Dump, value: int) -> list[str]:
    """Where the same word lies in data that runs on into it, outside of the stacks: a pointer that
    was walked along or handed over was read from there into a local one."""
    lines: list[str] = []
    for at in _standing(core, _bytes_of(core, value)):
        region = core.region(at)
        if region is None:
            continue
        low = max(region.start, at - _REACH)
        run = run_over(Span(core, low, min(region.end, at + _REACH)), at)
        if run is not None:
            lines.append(
                f"copy: the word {value:#x} stands at {at:#x} ({place(core, at)}), in {run.what} "
                f"from {run.start:#x} to {run.end:#x}"
            )
    return lines[:_MOST_SHOWN]


def _standing(core: Dump, word: bytes, *, everywhere: bool = False) -> Iterator[int]:
    """Aligned places of a word in writable memory that is no stack, or any ``everywhere``, the
    first few."""
    left, hits = _MOST, 0
    for region in core.regions:
        outside = region.perms[1] != "w" or kind_of(core, region.start) == "stack"
        if outside and not everywhere:
            continue
        at = region.start
        while at < region.end and left > 0:
            data = read_some(core, at, min(_BLOCK, region.end - at, left))
            if not data:
                break
            place_in = data.find(word)
            while place_in >= 0:
                if everywhere or (at + place_in) % len(word) == 0:
                    yield at + place_in
                    hits += 1
                    if hits >= _MOST_HITS:
                        return
                place_in = data.find(word, place_in + 1)
            left -= len(data)
            at += len(data)
