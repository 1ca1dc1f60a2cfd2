"""``@fault``: the instruction at which the process stopped, what it touched, and where the pointer
that it used came from."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.targets.probes import branches, division, x86
from workbench.targets.probes.history import history
from workbench.targets.probes.operands import Access, accesses
from workbench.targets.probes.origin import origin_lines, run_lines
from workbench.targets.probes.places import (
    crashing_thread,
    kind_of,
    place,
    read_some,
    segments_of,
    thread_of,
)
from workbench.targets.probes.transfer import cannot_run

if TYPE_CHECKING:
    from workbench.targets.dump import Dump
    from workbench.targets.notes import CoreThread

_ALIGNED = ("movaps", "movapd", "movdqa", "movntps", "movntpd", "movntdq", "vmovaps", "vmovdqa")
# Signals that an instruction raises by what it does (signal(7)).
_SYNCHRONOUS = {4: "SIGILL", 5: "SIGTRAP", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}


def probe(core: "Dump", args: list[str]) -> str:
    """The report on the crashing thread, or on thread ``args[0]``."""
    thread = _thread(core, args)
    if thread is None:
        return "no such thread in the dump\n" if args else "the dump has no threads\n"
    lines = [f"thread {thread.tid}"]
    if thread.pc is None:
        return "\n".join([*lines, f"registers not decoded on {core.arch}", ""])
    lines.append(f"pc {thread.pc:#x}: {place(core, thread.pc)}")
    if thread.sp is not None:
        lines.append(f"stack pointer {thread.sp:#x}: {place(core, thread.sp)}")
    lines += _signal_lines(core, thread)
    if core.arch != "x86_64":
        lines.append(f"instruction not decoded on {core.arch}")
    elif cannot_run(core, thread.pc):
        lines += branches.execute_lines(core, thread)
    else:
        lines += _instruction_lines(core, thread, thread.pc)
    return "\n".join(lines) + "\n"


def _thread(core: "Dump", args: list[str]) -> "CoreThread | None":
    if args and args[0].isdigit():
        return thread_of(core, int(args[0]))
    return crashing_thread(core)


def _signal_lines(core: "Dump", thread: "CoreThread") -> list[str]:
    if not thread.signal:
        return ["no signal: this thread was not stopped by one"]
    if thread.signal in _SYNCHRONOUS and not _sent(core):
        return [f"signal {thread.signal} {_SYNCHRONOUS[thread.signal]} raised by an instruction"]
    return [f"signal {thread.signal} is not raised by an instruction here: it was sent"]


def _sent(core: "Dump") -> bool:
    """True when a process sent the signal: si_code is zero or negative (sigaction(2))."""
    info = core.siginfo
    return info is not None and info.code <= 0


def _instruction_lines(core: "Dump", thread: "CoreThread", pc: int) -> list[str]:
    insn = x86.decode_one(read_some(core, pc, 16), pc)
    if insn is None:
        raw = read_some(core, pc, 16).hex(" ")
        return [f"no instruction can be decoded at {pc:#x}, bytes: {raw or 'not in the dump'}"]
    lines = [f"instruction {insn.text}", f"mnemonic {insn.mnemonic}"]
    registers, segments = thread.registers, segments_of(thread)
    found = accesses(insn, registers, segments)
    lines += [access_line(core, access) for access in found]
    lines += division.lines(core, insn, registers, segments)
    elsewhere = branches.bad_target_lines(core, thread, insn)
    lines += elsewhere
    faulty = faulting_access(core, insn, found, registers)
    if faulty is None and not any(line.startswith("access ") for line in elsewhere):
        lines.append("access none: no operand of this instruction lies in memory that forbids it")
    elif faulty is not None:
        how = "write" if "write" in faulty.how else "read"
        lines.append(f"access {how} at {faulty.address or 0:#x} through {faulty.shown}")
        if not forbidden(core, faulty) and insn.mnemonic.startswith(_ALIGNED):
            lines.append(
                f"misaligned: {insn.mnemonic} wants an address that is a multiple of {faulty.size}"
            )
        lines += _register_lines(core, thread, faulty)
    return lines + _origins(core, thread, pc, faulty, insn)


def access_line(core: "Dump", access: Access) -> str:
    """One operand: its address, what the instruction does there, and what lies there."""
    what = "implicit operand" if access.implicit else "operand"
    if access.address is None:
        return f"{what} {access.shown}: {access.how}, address not known"
    return (
        f"{what} {access.shown} = {access.address:#x}: {access.how} of {access.size} bytes, "
        f"{place(core, access.address)}"
    )


def faulting_access(
    core: "Dump", insn: x86.Instruction, found: list[Access], registers: Mapping[str, int]
) -> Access | None:
    """The access that memory forbids; the one at si_addr where several are forbidden."""
    bad = [access for access in found if forbidden(core, access)]
    if not bad and insn.mnemonic.startswith(_ALIGNED):
        bad = [access for access in found if (access.address or 0) % min(access.size, 64)]
    info = core.siginfo
    told = info.address if info is not None else None
    chosen = bad[0] if bad else None
    if told:
        for access in bad or found:
            if access.address is not None and access.address <= told < access.address + access.size:
                chosen = access
                break
    return with_roles(core, registers, chosen) if chosen is not None else None


def with_roles(core: "Dump", registers: Mapping[str, int], access: Access) -> Access:
    """Base and index by what they hold: in ``[a + b]`` either may be the pointer."""
    base, index = registers.get(access.base or ""), registers.get(access.index or "")
    if base is None or index is None or access.scale != 1:
        return access
    if core.region(base) is None and core.region(index) is not None:
        return replace(access, base=access.index, index=access.base)
    return access


def forbidden(core: "Dump", access: Access) -> bool:
    """True when memory's permissions do not allow an access."""
    if access.address is None:
        return False
    for address in (access.address, access.address + max(access.size, 1) - 1):
        region = core.region(address)
        if region is None:
            return True
        if "?" in region.perms:
            continue
        if "write" in access.how and "w" not in region.perms:
            return True
        if "read" in access.how and "r" not in region.perms:
            return True
    return False


def _register_lines(core: "Dump", thread: "CoreThread", access: Access) -> list[str]:
    lines = []
    for role, name in (("base", access.base), ("index", access.index)):
        value = thread.registers.get(name or "")
        if name is not None and value is not None:
            what = place(core, value) if role == "base" else f"decimal {signed(value)}"
            lines.append(f"{role} register {name} = {value:#x}: {what}")
    return lines


def signed(value: int) -> int:
    """A 64-bit word as a signed number."""
    return value - (1 << 64) if value >> 63 else value


def _origins(
    core: "Dump", thread: "CoreThread", pc: int, faulty: Access | None, insn: x86.Instruction
) -> list[str]:
    wanted: list[tuple[str | None, str]] = []
    if faulty is None:
        wanted.append((division.divisor_register(insn), "divisor origin"))
    else:
        wanted.append((faulty.base, "origin"))
        if kind_of(core, faulty.address or 0) != "near-null":
            wanted.append((faulty.index, "index origin"))
    lines: list[str] = []
    for register, title in wanted:
        if register is not None:
            steps = history(core, pc, register, thread.registers, segments_of(thread))
            lines += origin_lines(core, steps, title)
            if title == "origin":
                lines += run_lines(core, steps)
    return lines
