"""``@call [pc=0x.. sp=0x.. [rbp=0x..] [rbx=0x..] ...]``: calls in progress and the arguments that
they passed.

``pc`` is the return address in the caller's frame and the registers are that frame's: at the call
instruction the stack pointer and the callee-saved registers had these values, and the argument
registers are recomputed from them by a slice back through the caller's code. Without arguments the
calls of the crashing thread are found by unwinding, innermost first.
"""

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.callees import FREEING, callee_name, reached, through_plt
from workbench.targets.probes.cfi import Caller, callers_of_thread
from workbench.targets.probes.history import argument, slicer_at
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.origin import origin_lines
from workbench.targets.probes.places import clean, crashing_thread, place, symbol_at
from workbench.targets.probes.transfer import branch_target, call_ending_at

_ALIASES = {"pc": "rip", "sp": "rsp", "bp": "rbp", "fp": "rbp"}
_KEPT = frozenset({"rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"})
_USAGE = "usage: @call pc=0x... sp=0x... [rbp=0x...] [rbx=0x...] [r12=0x...] ..."
_MAX_CALLS = 24


def probe(core: Dump, args: list[str]) -> str:
    """The calls, and for each argument register its value and where that came from."""
    if core.arch != "x86_64":
        return f"calls not decoded on {core.arch}\n"
    if not args:
        return _all_calls(core)
    given = _given(args)
    pc, sp = given.get("rip"), given.get("rsp")
    if pc is None or sp is None:
        return _USAGE + "\n"
    call = call_ending_at(core, pc)
    if call is None:
        return f"no call instruction ends at {pc:#x}: {place(core, pc)}\n"
    registers = {name: value for name, value in given.items() if name in _KEPT}
    caller = Caller(call, registers | _bases_at(core, sp))
    lines = _call_lines(core, caller, brief=False)
    return "\n".join(lines) + "\n"


def _all_calls(core: Dump) -> str:
    thread = crashing_thread(core)
    if thread is None:
        return "the dump has no threads\n"
    lines: list[str] = []
    for caller in callers_of_thread(core, thread, _MAX_CALLS):
        lines += _call_lines(core, caller, brief=True)
    if not lines:
        lines.append(f"no call of thread {thread.tid} can be told by unwinding")
    return "\n".join(lines) + "\n"


def _call_lines(core: Dump, caller: Caller, *, brief: bool) -> list[str]:
    call, registers = caller.call, caller.registers
    slicer = slicer_at(core, call.address, registers)
    name = callee_name(core, call)
    if slicer is None:
        lines = [_call_line(core, call, name)]
        return lines if brief else [*lines, "the calling function cannot be decoded"]
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
    for register in x86.ARGUMENTS[:3] if brief else x86.ARGUMENTS:
        value, steps = argument(core, caller, register)
        if value is not None:
            lines.append(f"argument {register} = {value:#x}: {place(core, value)}")
        elif not brief:
            lines.append(f"argument {register} not known")
        if not brief or (register == "rdi" and name in FREEING):
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
