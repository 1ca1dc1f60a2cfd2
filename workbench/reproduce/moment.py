"""A dump as it was at a hit: the crash's core with the registers and the stack of that moment."""

import itertools
from collections.abc import Sequence
from typing import Any, cast

from workbench.model.facts import Frame
from workbench.reproduce.wire import Hit
from workbench.targets.dump import Dump
from workbench.targets.probes.code import code_around
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.machines.x86 import accesses

RED_ZONE = 128
"""What lies below the stack pointer and is kept too (`agent.stack_bytes`)."""


class Moment:
    """The stack is as it was before the instruction that wrote. Other memory is as it was at the
    crash: a step of a slice that reads it says itself whether it fits. ``later`` are the addresses
    of such that was read and that the program may have written since."""

    def __init__(self, core: Dump, hit: Hit) -> None:
        self._core = core
        self.later: set[int] = set()
        self._start = hit.registers.get("rsp", 0) - RED_ZONE
        stack = bytearray.fromhex(hit.stack)
        at = hit.address - self._start
        if hit.kind == "write" and hit.old is not None and 0 <= at <= len(stack) - hit.size:
            stack[at : at + hit.size] = hit.old.to_bytes(hit.size, "little")
        self._stack = bytes(stack)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def read(self, address: int, size: int) -> bytes | None:
        """See `Dump.read`."""
        at = address - self._start
        if at >= 0 and at + size <= len(self._stack):
            return self._stack[at : at + size]
        raw, region = self._core.read(address, size), self._core.region(address)
        if raw is not None and region is not None and "w" in region.perms:
            led = self._core.region(int.from_bytes(raw, "little")) if size == 8 else None
            if led is None or "x" not in led.perms:  # the name of what is called
                self.later.add(address)
        return raw

    def number(self, address: int, size: int) -> int | None:
        """See `Dump.number`."""
        raw = self.read(address, size)
        return None if raw is None else int.from_bytes(raw, "little")

    def read_word(self, address: int) -> int | None:
        """See `Dump.read_word`."""
        return self.number(address, 8)


def at_hit(core: Dump, hit: Hit) -> Dump:
    """The core as it was at a hit."""
    return cast(Dump, Moment(core, hit))


def since(moment: Dump) -> set[int]:
    """The addresses that were read at a hit of what may have been written since."""
    return cast(Moment, moment).later


def before(core: Dump, pc: int) -> Instruction | None:
    """The instruction that ends at ``pc``, in the function that holds the byte before it."""
    for at in (pc, *range(pc - 1, pc - 16, -1)):  # the next one of the function, or its last
        code = code_around(core, at)
        if code is None or (at == pc and not code.exact):
            continue
        for index, outline in enumerate(code.instructions.outlines):
            if outline.address + outline.size == pc:
                return code.instructions[index]
    return None


def stored_by(core: Dump, hit: Hit) -> Instruction | None:
    """The instruction that ran right before a hit: of a watch on a cell the one that wrote."""
    return before(core, hit.registers.get("rip", 0))


def wrote(core: Dump, hit: Hit) -> bool:
    """Whether the instruction before a hit writes to its cell: a hit is also a read, where those
    are told, and one of another cell where this one's page has come or a system call has filled it.
    """
    insn = stored_by(core, hit)
    if insn is None:
        return hit.old != hit.new
    for access in accesses(insn, hit.registers):
        if "write" not in access.how or access.address is None:
            continue
        moved = 64 if access.implicit else 0
        if access.address - moved <= hit.address < access.address + max(access.size, 1) + moved:
            return True
    return False


def frame_of(frames: Sequence[Frame], address: int) -> tuple[Frame, int] | None:
    """The frame that an address of the stack lies in, and the stack pointer of its caller."""
    known = [frame for frame in frames if frame.stack_pointer is not None]
    for number, (inner, outer) in enumerate(itertools.pairwise(known)):
        low, high = inner.stack_pointer or 0, outer.stack_pointer or 0
        if low - (0 if number else RED_ZONE) <= address < high:
            return inner, high
    last = known[-1] if known else None  # gdb ends a stack at `main`
    if last is not None and last.function == "main" and address >= (last.stack_pointer or 0):
        return last, 1 << 64
    return None


def is_same_call(one: Sequence[Frame], other: Sequence[Frame], end: int) -> bool:
    """Whether the callers of a frame that ends at ``end`` stand at the same instructions in two
    stacks. A call that a loop makes again looks the same."""
    ways = ([it.address for it in frames if (it.stack_pointer or 0) >= end]
            for frames in (one, other))  # fmt: skip
    return all(a == b for a, b in zip(*ways, strict=False))
