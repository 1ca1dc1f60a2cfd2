"""``@loop TID``: whether a thread that computes can ever come to an end, from the dump alone.

Two things prove that it cannot: no instruction that can follow leaves the code (`ways`), or the
same registers and memory come back after some instructions, carried out on paper (`stepping`).
Either holds only as long as no other thread and no signal changes what the thread reads.
"""

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from workbench.targets.probes import x86
from workbench.targets.probes.callees import plain_name
from workbench.targets.probes.effects import StuckError
from workbench.targets.probes.frames import callers_of_thread
from workbench.targets.probes.places import (
    clean,
    crashing_thread,
    place,
    segments_of,
    thread_of,
    variable_at,
)
from workbench.targets.probes.pure import PURE, pure_name
from workbench.targets.probes.stepping import Stepper
from workbench.targets.probes.ways import Ways

if TYPE_CHECKING:
    from workbench.targets.dump import Dump
    from workbench.targets.notes import CoreThread

_NUMBER = re.compile(r"[0-9]{1,10}")
_FRAMES = 12
_STEPS = 40_000
_MOST_STATES = 4096
_LARGEST = 2048
_READS, _MOST_READ = 4, 64


def probe(core: "Dump", args: list[str]) -> str:
    """What can be said of the thread's next instructions, a line each; of the thread that ended
    the process, without ``args``."""
    if core.arch != "x86_64":
        return f"instructions are not followed on {core.arch}\n"
    known = thread_of(core, int(args[0])) if args and _NUMBER.fullmatch(args[0]) else None
    thread = known if args else crashing_thread(core)
    if thread is None or thread.pc is None:
        return "usage: @loop TID, a thread of the dump\n"
    lines = _closed(core, thread) or _around(core, thread)
    return "\n".join(lines) + "\n"


def _closed(core: "Dump", thread: "CoreThread") -> list[str]:
    """The innermost function of the stack that no way leads out of, when all that is called from
    it only computes."""
    ways, at = Ways(core), thread.pc or 0
    calls = callers_of_thread(core, thread, _FRAMES)
    while True:
        found = ways.closed(at)
        if found:
            region = f"{min(found):#x} to {max(found):#x}"
            return [
                f"thread {thread.tid}: no way leads out from {at:#x} ({place(core, at)}): "
                f"the {len(found)} instructions that can follow lie from {region}; none of them "
                "returns, and none enters the kernel"
            ]
        if not ways.calm(at):
            return []
        caller = next(calls, None)
        if caller is None:
            return []
        at = caller.call.end


def _around(core: "Dump", thread: "CoreThread") -> list[str]:
    """Goes on until a state comes back; what was read on the last round is told."""
    step = Stepper(core, thread.pc or 0, thread.registers, segments_of(thread))
    _leave_pure(core, thread, step)
    known: dict[tuple[object, ...], int] = {}
    for count in range(_STEPS):
        try:
            insn = step.step()
        except StuckError as stuck:
            return [f"thread {thread.tid}: followed for {count} instructions from "
                    f"{thread.pc:#x}, not past {clean(str(stuck))}"]  # fmt: skip
        if step.pc > insn.address or insn.is_call or len(step.written) > _LARGEST:
            continue
        state = step.state()
        if state in known:
            return _round(core, thread, step, count + 1 - known[state])
        if len(known) < _MOST_STATES:
            known[state] = count + 1
    return [f"thread {thread.tid}: followed for {_STEPS} instructions from {thread.pc:#x} "
            "without an end"]  # fmt: skip


def _leave_pure(core: "Dump", thread: "CoreThread", step: Stepper) -> None:
    """A thread inside of a function that only looks at memory goes on behind it: such functions
    use vectors, and keep their arguments while what they look at is short."""
    name = pure_name(plain_name((core.symbolize(step.pc) or ("", 0))[0]))
    caller = next(callers_of_thread(core, thread, 1), None) if name else None
    if name is None or caller is None:
        return
    arguments = [thread.registers.get(register, 0) for register in x86.ARGUMENTS[:3]]
    with suppress(StuckError):
        result = PURE[name](lambda address: step.load(address, 1), *arguments)
        step.registers = {**caller.registers, "rax": result & x86.MASK}
        step.flags, step.pc = None, caller.call.end


def _round(core: "Dump", thread: "CoreThread", step: Stepper, length: int) -> list[str]:
    """The round once more, to see where it goes and what it reads."""
    step.read.clear()
    step.changed.clear()
    first = step.pc
    passed = {step.step().address for _ in range(length)}
    lines = [
        f"thread {thread.tid}: goes round without an end from {first:#x} ({place(core, first)}): "
        f"registers and memory are the same again after {length} instructions between "
        f"{min(passed):#x} and {max(passed):#x}"
    ]
    stack = core.region(thread.sp or 0)
    outside = sorted(a for a in step.read if core.region(a) is not stack)
    written = next((a for a in sorted(step.changed) if core.region(a) is not stack), None)
    if written is not None:
        lines.append(f"thread {thread.tid}: the round writes {written:#x} ({place(core, written)})")
    named = [(variable_at(core, a), a) for a in outside[:_MOST_READ] if _may_change(core, a)]
    for name, address in sorted(named, key=lambda item: item[0] is None)[:_READS]:
        about = f"the variable {name}" if name else "no variable with a name"
        lines.append(
            f"thread {thread.tid}: the round reads {address:#x} ({place(core, address)}), {about}"
        )
    return lines


def _may_change(core: "Dump", address: int) -> bool:
    region = core.region(address)
    return region is not None and "w" in region.perms
