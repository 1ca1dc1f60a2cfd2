"""``@call pc=0x.. sp=0x.. [rbp=0x..] [rbx=0x..] ...``: a call in progress and the arguments that it
passed.

``pc`` is the return address in the caller's frame and the registers are that frame's: at the call
instruction the stack pointer and the callee-saved registers had these values, and the argument
registers are recomputed from them by a slice back through the caller's code.
"""

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.callees import FREEING, callee_name, reached, through_plt
from workbench.targets.probes.cfi import Caller
from workbench.targets.probes.history import argument, slicer_at
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.origin import origin_lines
from workbench.targets.probes.places import clean, crashing_thread, place, symbol_at
from workbench.targets.probes.transfer import branch_target, call_ending_at

_ALIASES = {"pc": "rip", "sp": "rsp", "bp": "rbp", "fp": "rbp"}
_KEPT = frozenset({"rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"})
_USAGE = "usage: @call pc=0x... sp=0x... [rbp=0x...] [rbx=0x...] [r12=0x...] ..."


def probe(core: Dump, args: list[str]) -> str:
    """The call, and for each argument register its value and where that came from."""
    if core.arch != "x86_64":
        return f"calls not decoded on {core.arch}\n"
    given = _given(args)
    pc, sp = given.get("rip"), given.get("rsp")
    if pc is None or sp is None:
        return _USAGE + "\n"
    call = call_ending_at(core, pc)
    if call is None:
        return f"no call instruction ends at {pc:#x}: {place(core, pc)}\n"
    registers = {name: value for name, value in given.items() if name in _KEPT}
    caller = Caller(call, registers | _bases_at(core, sp))
    lines = _call_lines(core, caller)
    return "\n".join(lines) + "\n"


def _call_lines(core: Dump, caller: Caller) -> list[str]:
    call, registers = caller.call, caller.registers
    slicer = slicer_at(core, call.address, registers)
    name = callee_name(core, call)
    if slicer is None:
        return [_call_line(core, call, name), "the calling function cannot be decoded"]
    if name is None:
        operand = call.operands[0] if call.operands else None
        needed = {} if operand is None else {**registers}
        if operand is not None and operand.reg is not None:
            held = slicer.known(x86.FAMILY.get(operand.reg, operand.reg))
            needed = {} if held is None else {x86.FAMILY.get(operand.reg, operand.reg): held}
        goal = branch_target(core, call, needed)
        name = reached(core, goal) if goal is not None else None
    elif call.target is not None and name not in FREEING:
        name = reached(core, through_plt(core, call.target)) or name
    lines = [_call_line(core, call, name)]
    for register in x86.ARGUMENTS:
        value, steps = argument(core, caller, register)
        told = "not known" if value is None else f"= {value:#x}: {place(core, value)}"
        lines.append(f"argument {register} {told}")
        lines += origin_lines(core, steps, f"{register} origin")
    return lines


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


def _bases_at(core: Dump, sp: int) -> dict[str, int]:
    """Where thread-local data begins for the thread on whose stack an address is, else for the
    crashing one."""
    region = core.region(sp)
    on = (t for t in core.threads if region and t.sp and region.start <= t.sp < region.end)
    thread = next(on, crashing_thread(core))
    known = thread.registers if thread is not None else {}
    return {name: known[name] for name in x86.BASES if name in known}


def _call_line(core: Dump, call: Instruction, name: str | None) -> str:
    where = symbol_at(core, call.address)
    inside = f", in {clean(where)}" if where is not None else ""
    goes = clean(name) if name else "an unnamed function"
    return f"call at {call.address:#x}: {call.text} to {goes}{inside}"
