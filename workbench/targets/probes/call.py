"""``@call pc=0x.. sp=0x.. [rbp=0x..] [rbx=0x..] ...``: the call that a frame is waiting in, and the
arguments that it passed.

``pc`` is the return address in the caller's frame and the registers are that frame's: at the call
instruction the stack pointer and the callee-saved registers had these values, and the argument
registers are recomputed from them by a slice back through the caller's code.
"""

from typing import TYPE_CHECKING

from workbench.targets.probes import x86
from workbench.targets.probes.code import code_around
from workbench.targets.probes.origin import origin_lines
from workbench.targets.probes.places import clean, crashing_thread, place, segments_of, symbol_at
from workbench.targets.probes.slicer import Slicer, callee_name, target_name
from workbench.targets.probes.transfer import call_ending_at

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile
    from workbench.targets.notes import CoreThread

_ALIASES = {"pc": "rip", "sp": "rsp", "bp": "rbp", "fp": "rbp"}
_KEPT = frozenset({"rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"})
_USAGE = "usage: @call pc=0x... sp=0x... [rbp=0x...] [rbx=0x...] [r12=0x...] ..."


def probe(core: "CoreFile", args: list[str]) -> str:
    """The call, then each argument register with its value and where that came from."""
    if core.arch != "x86_64":
        return f"calls not decoded on {core.arch}\n"
    given = _given(args)
    pc, sp = given.get("rip"), given.get("rsp")
    if pc is None or sp is None:
        return _USAGE + "\n"
    call = call_ending_at(core, pc)
    if call is None:
        return f"no call instruction ends at {pc:#x}: {place(core, pc)}\n"
    lines = [_call_line(core, call, None)]
    code = code_around(core, call.address)
    if code is None or call.address not in code.at:
        return "\n".join([*lines, "the calling function cannot be decoded", ""])
    thread = _thread_at(core, sp)
    registers = {name: value for name, value in given.items() if name in _KEPT}
    segments = segments_of(thread) if thread is not None else {}
    slicer = Slicer(core, code, code.at[call.address], registers, segments)
    lines = [_call_line(core, call, slicer)]
    for register in x86.ARGUMENTS:
        value = slicer.value(register)
        if value is None:
            lines.append(f"argument {register} not known")
        else:
            lines.append(f"argument {register} = {value:#x}: {place(core, value)}")
            lines += origin_lines(core, slicer, register, f"{register} origin")
    return "\n".join(lines) + "\n"


def _given(args: list[str]) -> dict[str, int]:
    found = {}
    for word in args[:32]:
        name, _, text = word.partition("=")
        try:
            value = int(text, 0)
        except ValueError:
            continue
        if 0 <= value < 1 << 64:
            name = name.removeprefix("$").lower()
            found[_ALIASES.get(name, name)] = value
    return found


def _thread_at(core: "CoreFile", sp: int) -> "CoreThread | None":
    """The thread on whose stack an address is, else the crashing one."""
    region = core.region(sp)
    for thread in core.threads:
        if region is None or thread.sp is None:
            continue
        if region.start <= thread.sp < region.end:
            return thread
    return crashing_thread(core)


def _call_line(core: "CoreFile", call: x86.Instruction, slicer: Slicer | None) -> str:
    name = callee_name(core, call)
    if name is None and slicer is not None and call.target is None and call.operands:
        register = x86.FAMILY.get(call.operands[0].reg or "")
        goal = slicer.value(register) if register is not None else None
        name = target_name(core, goal) if goal is not None else None
    where = symbol_at(core, call.address)
    inside = f", in {clean(where)}" if where is not None else ""
    return (
        f"call at {call.address:#x}: {call.text} to {clean(name or 'an unnamed function')}{inside}"
    )
