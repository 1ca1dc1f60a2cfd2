"""``@fault``: the instruction at which the process stopped, what it touched, and where the pointer
that it used came from."""

import re
from collections.abc import Iterator, Mapping

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import (
    branches,
    operands,
    origin,
    portable,
    taint,
    touched,
    transfer,
    x86,
)
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import history
from workbench.targets.probes.malloc.memory import Span, run_over
from workbench.targets.probes.operands import Access, accesses
from workbench.targets.probes.origin import cell_lines, origin_lines, root_lines, run_lines
from workbench.targets.probes.places import (
    MASK,
    NEAR_NULL,
    crashing_thread,
    kind_of,
    place,
    read_some,
    thread_of,
)
from workbench.targets.probes.stepping import update_lines
from workbench.targets.probes.transfer import cannot_run
from workbench.targets.sent import sending_call

_SIGBUS, _BUS_ADRALN = 7, 1
_SIGTRAP, _TRAP_BRKPT, _SI_KERNEL = 5, 1, 0x80
_INT3 = b"\xcc"
# Signals that an instruction raises by what it does (signal(7)).
_SYNCHRONOUS = {4: "SIGILL", 5: "SIGTRAP", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}


def probe(core: Dump, args: list[str]) -> str:
    """The report on the crashing thread, or on thread ``args[0]``."""
    thread = _thread(core, args)
    if thread is None:
        return "no such thread in the dump\n" if args else "the dump has no threads\n"
    lines = [f"thread {thread.tid}"]
    if thread.pc is None:
        return "\n".join([*lines, f"registers not decoded on {core.arch}", ""])
    pc = _stopped_at(core, thread, thread.pc)
    lines.append(f"pc {pc:#x}: {place(core, pc)}")
    if pc != thread.pc:
        lines.append(f"the processor counted on to {thread.pc:#x} before the signal")
    if thread.sp is not None:
        lines.append(f"stack pointer {thread.sp:#x}: {place(core, thread.sp)}")
    lines += _signal_lines(core, thread)
    if core.arch != "x86_64":
        lines += portable.lines(core, thread)
    elif cannot_run(core, thread.pc):
        lines += branches.execute_lines(core, thread)
    else:
        lines += _instruction_lines(core, thread, pc)
    lines += spelled_lines(core, lines)
    return "\n".join(lines) + "\n"


def _stopped_at(core: Dump, thread: CoreThread, pc: int) -> int:
    """The instruction that a thread stopped at; some processors count on before they trap. On x86
    ``int3`` does (Intel SDM volume 3, #BP: the saved instruction pointer is behind it)."""
    if core.arch == "x86_64" and _at_breakpoint(core, thread, pc):
        return pc - len(_INT3)
    if core.arch == "x86_64" or cannot_run(core, pc):
        return pc

    machine = transfer.machine_of(core)
    raw = portable.at_fault(core, thread, machine) if machine is not None else None
    return raw.address if raw is not None else pc


def _at_breakpoint(core: Dump, thread: CoreThread, pc: int) -> bool:
    if thread.signal != _SIGTRAP or _sent(core, thread):
        return False
    if core.siginfo is not None and core.siginfo.code not in (_TRAP_BRKPT, _SI_KERNEL):
        return False
    return core.read(pc - len(_INT3), len(_INT3)) == _INT3


def _thread(core: Dump, args: list[str]) -> CoreThread | None:
    if args and args[0].isdigit():
        return thread_of(core, int(args[0]))
    return crashing_thread(core)


def _signal_lines(core: Dump, thread: CoreThread) -> list[str]:
    if not thread.signal:
        return ["no signal: this thread was not stopped by one"]
    if thread.signal in _SYNCHRONOUS and not _sent(core, thread):
        return [f"signal {thread.signal} {_SYNCHRONOUS[thread.signal]} raised by an instruction"]
    return [f"signal {thread.signal} is not raised by an instruction here: it was sent"]


def _sent(core: Dump, thread: CoreThread) -> bool:
    """True when a process sent the signal: si_code is zero or negative (sigaction(2))."""
    info = core.siginfo
    if info is None:
        return sending_call(core.arch, thread, core.read) is not None
    return info.code <= 0


def _instruction_lines(core: Dump, thread: CoreThread, pc: int) -> list[str]:
    insn = x86.decode_one(read_some(core, pc, 16), pc)
    if insn is None:
        raw = read_some(core, pc, 16).hex(" ")
        return [f"no instruction can be decoded at {pc:#x}, bytes: {raw or 'not in the dump'}"]
    lines = [f"instruction {insn.text}", f"mnemonic {insn.mnemonic}"]
    registers = thread.registers
    found = accesses(insn, registers)
    lines += [touched.access_line(core, access) for access in found]
    lines += operands.division_lines(core, insn, registers)
    elsewhere = branches.bad_target_lines(core, thread, insn)
    lines += elsewhere
    faulty = faulting_access(core, insn, found, registers)
    if faulty is None and not any(line.startswith("access ") for line in elsewhere):
        lines.append("access none: no operand of this instruction lies in memory that forbids it")
    elif faulty is not None:
        how = "write" if "write" in faulty.how else "read"
        lines.append(f"access {how} at {faulty.address or 0:#x} through {faulty.shown}")
        if not touched.forbidden(core, faulty) and _misaligned(core, insn, faulty):
            lines.append(touched.alignment_line(insn.mnemonic, faulty.size))
        lines += touched.register_lines(core, thread, faulty)
        if how == "read":
            lines += taint.taint_lines(core, pc)
            if faulty.address and kind_of(core, faulty.address) != "near-null":
                lines += update_lines(core, pc, registers, faulty.address)
    return lines + _origins(core, thread, pc, faulty, insn)


def faulting_access(
    core: Dump, insn: x86.Instruction, found: list[Access], registers: Mapping[str, int]
) -> Access | None:
    """The access that memory forbids, or that an instruction refuses which wants alignment."""
    odd = [access for access in found if _misaligned(core, insn, access)]
    return touched.faulting_access(core, found, registers, odd)


def _misaligned(core: Dump, insn: x86.Instruction, access: Access) -> bool:
    """True for an address that the instruction, or the processor as it is set, refuses."""
    if not (access.address or 0) % max(1, min(access.size, 64)):
        return False
    return touched.wants_alignment(insn.mnemonic, access.size) or _checks_alignment(core)


def _checks_alignment(core: Dump) -> bool:
    """True when the processor refused an access for its alignment alone, which a program may ask
    for (EFLAGS.AC): si_code BUS_ADRALN, sigaction(2)."""
    info = core.siginfo
    return info is not None and (info.number, info.code) == (_SIGBUS, _BUS_ADRALN)


def _origins(
    core: Dump, thread: CoreThread, pc: int, faulty: Access | None, insn: x86.Instruction
) -> list[str]:
    wanted: list[tuple[str | None, str]] = []
    if faulty is None:
        wanted.append((operands.divisor_register(insn), "divisor origin"))
    else:
        wanted.append((faulty.base, "origin"))
        if kind_of(core, faulty.address or 0) != "near-null":
            wanted.append((faulty.index, "index origin"))
    lines: list[str] = []
    for register, title in wanted:
        if register is not None:
            steps = history(core, pc, register, thread.registers, into=True)
            if title == "origin" and faulty is not None and not steps:
                steps = _given_null(core, thread, pc, faulty)
            lines += origin_lines(core, steps, title)
            if title == "origin":
                lines += root_lines(thread.registers.get(register, 0), steps)
                lines += run_lines(core, steps) + cell_lines(core, steps)
                lines += origin.call_lines(core, pc, steps, loaded=False)
    return lines


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
_MOST_SHOWN = 4


def spelled_lines(core: Dump, lines: list[str]) -> list[str]:
    """The lines to add behind those on a fault: empty where its pointer is mapped or no text."""
    found = [match for line in lines if (match := _VALUE.fullmatch(line)) is not None]
    found.sort(key=lambda match: not match[0].startswith("base"))
    for match in found:
        value = int(match[1], 16)
        raw = _bytes_of(core, value).rstrip(b"\0")
        if _TEXT.fullmatch(raw) and value >> 32 and core.region(value) is None:
            shown = raw.decode("ascii")
            said = [f'text: the bytes of {value:#x} are the characters "{shown}"']
            covered = any(line.startswith("run: ") for line in lines)
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


def _standing(core: Dump, word: bytes) -> Iterator[int]:
    """Aligned places of a word in writable memory that is no stack, the first few."""
    left, hits = _MOST, 0
    for region in core.regions:
        if region.perms[1] != "w" or kind_of(core, region.start) == "stack":
            continue
        at = region.start
        while at < region.end and left > 0:
            data = read_some(core, at, min(_BLOCK, region.end - at, left))
            if not data:
                break
            place_in = data.find(word)
            while place_in >= 0:
                if (at + place_in) % len(word) == 0:
                    yield at + place_in
                    hits += 1
                    if hits >= _MOST_HITS:
                        return
                place_in = data.find(word, place_in + 1)
            left -= len(data)
            at += len(data)
