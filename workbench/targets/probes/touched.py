"""Which of an instruction's accesses the memory forbids, and its registers, in lines of text."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.machines.base import Machine, Registers
from workbench.targets.probes.operands import Access
from workbench.targets.probes.places import place
from workbench.targets.probes.x86 import signed
from workbench.targets.siginfo import SIGBUS

_ALIGNED = re.compile(r"v?mov(?:ap[sd]|dqa|ntp[sd]|ntdq)|cmpxchg16b")
_ANY_ADDRESS = ("v", "movup", "movdqu", "lddqu", "pcmpestr", "pcmpistr", "lgdt", "sgdt", "bnd")
_BUS_ADRALN = 1
_RIGHTS = {"read": (0, "r"), "write": (1, "w")}


def access_line(core: Dump, access: Access) -> str:
    """One operand: its address, what the instruction does there, and what lies there."""
    what = "implicit operand" if access.implicit else "operand"
    if access.address is None:
        return f"{what} {access.shown}: {access.how}, address not known"
    return (
        f"{what} {access.shown} = {access.address:#x}: {access.how} of {access.size} bytes, "
        f"{place(core, access.address)}"
    )


def faulting_access(
    core: Dump,
    found: list[Access],
    registers: Mapping[str, int],
    candidates: list[Access] | None = None,
) -> Access | None:
    """The access that memory forbids; the one at si_addr where several are forbidden.
    ``candidates`` are those to take where memory forbids none."""
    bad = [access for access in found if forbidden(core, access)] or candidates or []
    info = core.siginfo
    told = info.address if info is not None else None
    chosen = bad[0] if bad else None
    if told:
        for access in bad or found:
            if access.address is not None and access.address <= told < access.address + access.size:
                chosen = access
                break
    return with_roles(core, registers, chosen) if chosen is not None else None


def with_roles(core: Dump, registers: Mapping[str, int], access: Access) -> Access:
    """Base and index by what they hold: in ``[a + b]`` either may be the pointer."""
    base, index = registers.get(access.base or ""), registers.get(access.index or "")
    if base is None or index is None or access.scale != 1:
        return access
    if core.region(base) is None and core.region(index) is not None:
        return replace(access, base=access.index, index=access.base)
    return access


def alignment_of(mnemonic: str, size: int) -> int:
    """What an address has to be a multiple of on x86; 1 for any. Instructions of SSE want each
    operand of 16 bytes aligned but for those that say otherwise in their names and the string
    comparisons; of AVX only the aligned moves do (Intel SDM volume 1, 10.4.1.1 and 14.9). What
    saves the processor's state wants its area aligned (10.5.1 and 13.4)."""
    if mnemonic.startswith(("fxsave", "fxrstor")):
        return 16
    if mnemonic.startswith(("xsave", "xrstor")):
        return 64
    wants = _ALIGNED.match(mnemonic) or (size == 16 and not mnemonic.startswith(_ANY_ADDRESS))
    return size if wants else 1


# What refuses an odd address elsewhere than on x86, which Linux ends with SIGBUS: exclusive loads
# and stores and read-modify-writes (Arm ARM B2.7.2; RISC-V's A extension), on ARMv7 also those of
# several registers, for which a word's boundary is enough (A3.2.1).
_REFUSING = {
    "aarch64": re.compile(
        r"(?:ld|st)l?a?x[rp]|cas|swp|ldl?ar|stl?lr|(?:ld|st)(?:add|clr|eor|set|[su]m(?:ax|in))"
    ),
    "arm": re.compile(r"(?:ld|st)l?a?(?:r?ex|m)|(?:ld|st)rd"),
    "riscv64": re.compile(r"lr\.|sc\.|amo"),
}


def wanted_multiple(core: Dump, signal: int, mnemonic: str, size: int) -> int:
    """What an address has to be a multiple of; 1 for any. A program may ask x86 for the alignment
    of every access (EFLAGS.AC): si_code BUS_ADRALN, sigaction(2)."""
    info = core.siginfo
    if core.arch in ("x86_64", "i386"):
        asked = info is not None and (info.number, info.code) == (SIGBUS, _BUS_ADRALN)
        return max(1, min(size, 64)) if asked else alignment_of(mnemonic, size)
    wanted = _REFUSING.get(core.arch)
    if signal != SIGBUS or wanted is None or wanted.match(mnemonic) is None:
        return 1
    return min(size, 4) if core.arch == "arm" else size


def forbidden(core: Dump, access: Access) -> bool:
    """True when memory's permissions do not allow an access."""
    if access.address is None:
        return False
    for address in (access.address, access.address + max(access.size, 1) - 1):
        region = core.region(address)
        if region is None:
            return True
        for how, (place_in, letter) in _RIGHTS.items():
            if how in access.how and region.perms[place_in] not in (letter, "?"):
                return True
    return False


def division_lines(
    core: Dump, machine: Machine, raw: Instruction, registers: Registers
) -> list[str]:
    """The divisor, and what is wrong with the division; nothing for other instructions."""
    division = machine.division(raw, registers)
    if division is None:
        return []
    for access in machine.accesses(raw, registers)[:1] if division.value is None else ():
        at = access.address
        value = core.number(at, division.size) if at is not None else None
        if value is not None:
            division = machine.divided(raw, registers, replace(division, value=value))
    if division.value is None:
        return ["divisor not known"]
    value, size = division.value, division.size
    found = [f"divisor {division.shown} = {value:#x} ({size} bytes, {raw.mnemonic})"]
    if value == 0:
        return [*found, "division by zero"]
    if division.dividend is not None:
        found.append(f"dividend = {division.dividend:#x} ({2 * size} bytes)")
    if division.overflow:
        found.append(f"quotient overflow: the quotient does not fit into {size} bytes")
    return found


def register_lines(core: Dump, thread: CoreThread, access: Access, bits: int = 64) -> list[str]:
    """What the base and the index register hold."""
    lines = []
    for role, name in (("base", access.base), ("index", access.index)):
        value = thread.registers.get(name or "")
        if name is not None and value is not None:
            what = place(core, value) if role == "base" else f"decimal {signed(value, bits // 8)}"
            lines.append(f"{role} register {name} = {value:#x}: {what}")
    return lines
