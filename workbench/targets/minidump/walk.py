"""Callers by frame pointers, where a function keeps one: each step has to prove itself.

Layouts: x86 and amd64 push the caller's frame pointer below the return address (System V ABI; MSVC
with /Oy-); AArch64 and 32-bit Arm keep a pair of them (AAPCS64, Apple's ABI for Arm).
"""

from dataclasses import dataclass

from workbench.targets.minidump.contexts import Context
from workbench.targets.minidump.dump import MinidumpFile

_MOST = 256
_FARTHEST = 1 << 24  # bytes between two frames of one stack
_POINTER = (1 << 47) - 1  # without the signature that Arm's pointers may carry


@dataclass(frozen=True)
class Caller:
    """A return address and the stack slot that it was read from."""

    address: int
    slot: int


def callers(dump: MinidumpFile, context: Context) -> list[Caller]:
    """The callers of the function that a context is in, nearest first; empty where the frame
    pointer leads nowhere."""
    word = dump.bits // 8
    pc, sp = context.pc, context.sp
    if pc is None or sp is None:
        return []
    found = _from_no_code(dump, context, pc, sp)
    for fp in _frame_pointers(dump, context):
        chain = _chain(dump, fp, sp, word)
        if chain:
            known = {caller.slot for caller in found}
            return [*found, *(caller for caller in chain if caller.slot not in known)]
    return found


def _frame_pointers(dump: MinidumpFile, context: Context) -> list[int]:
    names = {"arm": ("r7", "r11")}.get(dump.arch)
    if dump.arch not in ("i386", "x86_64", "aarch64", "arm"):
        return []
    values = [context.registers.get(name) for name in names] if names else [context.fp]
    return [value for value in values if value]


def _from_no_code(dump: MinidumpFile, context: Context, pc: int, sp: int) -> list[Caller]:
    """The caller of an address where no code is: a call has just left its return address."""
    if is_code(dump, pc):
        return []
    if context.link is not None:
        back = context.link if is_code(dump, context.link) else context.link & _POINTER
        return [Caller(back, sp)] if is_code(dump, back) else []
    back_word = dump.read_word(sp)
    return [Caller(back_word, sp)] if back_word is not None and is_code(dump, back_word) else []


def _chain(dump: MinidumpFile, fp: int, sp: int, word: int) -> list[Caller]:
    found: list[Caller] = []
    low = sp
    while len(found) < _MOST:
        if fp < low or fp % (word if dump.arch != "arm" else 4) or fp - low > _FARTHEST:
            return found
        saved, back = dump.read_word(fp), dump.read_word(fp + word)
        if saved is None or back is None:
            return found
        if dump.arch == "aarch64" and not is_code(dump, back):
            back &= _POINTER
        if not is_code(dump, back) or not _goes_on(dump, saved, fp):
            return found
        found.append(Caller(back, fp + word))
        low, fp = fp + 2 * word, saved
    return found


def _goes_on(dump: MinidumpFile, saved: int, fp: int) -> bool:
    """True when a saved frame pointer ends the chain or leads further up the same stack."""
    if not saved:
        return True
    region = dump.region(fp)
    return fp < saved and region is not None and saved < region.end


def is_code(dump: MinidumpFile, address: int) -> bool:
    """True when an address lies in a module, or in memory that is known to be executable."""
    region = dump.region(address)
    if region is None or region.perms[2] == "-":
        return False
    return region.perms[2] == "x" or dump.module_at(address) is not None
