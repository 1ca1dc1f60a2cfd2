"""A check that failed: what it compared."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.facts import Frame
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import (
    Lead,
    Place,
    asks_library,
    callee,
    cells_of,
    from_steps,
    is_product,
    last_step,
)
from workbench.reproduce.wire import Outcome
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import cfi, x86
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step, explain_at
from workbench.targets.probes.history import argument, beside, history
from workbench.targets.probes.instruction import Instruction, Memory
from workbench.targets.probes.places import read_some
from workbench.targets.probes.slicer import MAX_DEPTH, Slicer, Trail, last_stores, stored
from workbench.targets.probes.x86 import FAMILY

_EITHER = Lead(row="either")
"""A comparison of which it is not known what it read: either side may be to blame."""


def check(core: Dump, thread: CoreThread, outcome: Outcome) -> Lead | None:
    """A check of the program's own, or one that its compiler put in, ended it: what the program's
    frame compared before it called what never comes back."""
    if outcome.signal not in ("SIGABRT", "SIGTRAP", "SIGILL"):
        return None
    behind = [frame.address for frame in _checking(outcome.frames) if not frame.inlined]
    for caller in cfi.callers_of_thread(core, thread, 24):
        if caller.call.end in behind[:3]:
            if _comes_back(core, caller):
                return None  # it failed for a reason of its own
            bounds = _bounds(core, caller)
            index, steps = argument(core, caller, bounds[0]) if bounds else (None, [])
            begins, ends, _ = _range_of(callee(core, caller.call)) or ("", "", "")
            if bounds and bounds[0] == ends:
                start, begun = argument(core, caller, begins)  # where it starts is in range
                added, far = beside(core, caller, ends, begun), (index or 0) - (start or 0)
                if added and far <= (argument(core, caller, bounds[1])[0] or 0):
                    return None  # it may have started too late, too
                steps = added or steps
            if is_product(steps):
                return None
            lead = from_steps(core, "check", steps)
            if lead is None or (lead.end is not None and lead.end.kind == "constant"):
                lead = _compared(core, caller)  # else the length is not to blame
            if lead is _EITHER or (lead is None and _PANICS.search(callee(core, caller.call))):
                return None  # and what its callers compared has nothing to do with it
            if lead is not None:
                loads = argument(core, caller, bounds[1])[1] if bounds else []
                same = (
                    s for s in reversed(loads) if s.kind == "load" and s.value == loads[0].value
                )
                last = next(same, None)
                length = replace(last, value=index) if last is not None else None
                between = bool(bounds and bounds[2])
                return replace(lead, until=caller.call.address, length=length, ends=between)
    return None


def _checking(stack: Sequence[Frame]) -> list[Frame]:
    """The frames that may have compared: the program's, and those of a library's generic code in
    it, between its innermost one and what ends a process (``v[i]`` of Rust and of C++'s checked
    containers, not inlined)."""
    first = next((number for number, frame in enumerate(stack) if is_own(frame)), len(stack))
    inner: list[Frame] = []
    for frame in reversed(stack[:first]):
        if is_runtime_library(frame.module) or ENDS.search(frame.function or "abort"):
            break
        inner.insert(0, frame)
    return inner + [frame for frame in stack[first:] if is_own(frame)]


def _comes_back(core: Dump, caller: cfi.Caller) -> bool:
    """Whether a call went to a function of the system's libraries that is not there to end it."""
    library = asks_library(core, caller.call.address)
    return library and re.search(rf"{ENDS.pattern}|__cxa_", callee(core, caller.call)) is None


def _bounds(core: Dump, caller: cfi.Caller) -> tuple[str, str, bool] | None:
    """The registers in which a call is told an index and the length that it is not less than, and
    whether it is a place between elements, which the length itself is one of."""
    name = callee(core, caller.call)
    if _RUSTS.search(name):
        return "rdi", "rsi", "panic_bounds_check" not in name
    if (told := _range_of(name)) is not None:
        start, end, length = (argument(core, caller, one)[0] for one in told)
        if start is None or end is None or length is None:
            return None
        over = zip(told, (start, end), strict=False)
        return next(((one, told[2], True) for one, at in over if at > length), None)
    if _CPPS not in name:
        return None
    text = argument(core, caller, "rdi")[0]
    names = read_some(core, text, 2) == b"%s" if text else False  # who checked, before the two
    return ("rdx", "rcx", True) if names else ("rsi", "rdx", False)


def _range_of(name: str) -> tuple[str, str, str] | None:
    return next((told for function, told in _RANGES.items() if function in name), None)


_RUSTS = re.compile(r"panic_bounds_check|slice_(?:start|end)_index_len_fail")
"""What Rust's checks of an index call, with the index and then the length (core)."""
_RANGES = {
    "slice_index_fail": ("rdi", "rsi", "rdx"),  # since Rust 1.95
    "slice_error_fail": ("rdx", "rcx", "rsi"),  # of a text, behind its address
}
"""What those of a range call, with where it starts, where it ends, and the length: of a range that
ends before it starts either number may be wrong."""
_PANICS = re.compile(r"core.*(?:panic|_failed)")
"""What a Rust program calls where it panics."""
_CPPS = "__throw_out_of_range_fmt"
"""What those of libstdc++ call, with a text of how to tell them (functexcept.cc)."""
_COLD = ".cold"
ENDS = re.compile(r"panic|abort|raise|assert|_fail(?:ed)?\b|terminate|throw|_rust_")


def _compared(core: Dump, caller: cfi.Caller) -> Lead | None:
    """The cells that the last comparisons before the failing call read: the way that led to the
    call is a conditional jump, in front of which the operands were loaded."""
    code = code_around(core, caller.call.address)
    if code is None or caller.call.address not in code.at:
        return None
    point = code.at[caller.call.address]
    # The failing block begins behind a jump over it, or is jumped to.
    seen, at = {point}, [point]
    while at:
        here = at.pop()
        for index in code.before[here]:
            insn = code.instructions[index]
            if insn.is_jump and len(code.instructions[index].operands) and insn.mnemonic != "jmp":
                return _before_jump(core, code, index, caller)
            if index not in seen:
                seen.add(index)
                at.append(index)
    hot, index = _jumped_from(core, code, {code.instructions[one].address for one in seen})
    return _before_jump(core, hot, index, caller) if hot is not None else None


def _jumped_from(core: Dump, code: Code, block: set[int]) -> tuple[Code | None, int]:
    """The code of a function, and its only conditional jump to a ``block`` of its part that is
    seldom run, which lies elsewhere under a name of its own (GCC, -freorder-blocks-and-partition).
    """
    name, module = core.symbolize(code.start), core.module_at(code.start)
    whole = name[0].removesuffix(_COLD) if name is not None and name[0].endswith(_COLD) else ""
    start = core.symbol(module.name, whole) if whole and module is not None else None
    hot = code_around(core, start) if start is not None else None
    jumps = [at for at, one in enumerate(hot.instructions.outlines) if one.target in block
             ] if hot is not None else []  # fmt: skip
    only = len(jumps) == 1 and hot is not None and hot.instructions[jumps[0]].mnemonic != "jmp"
    return (hot, jumps[0]) if only else (None, 0)


def _before_jump(core: Dump, code: Code, index: int, caller: cfi.Caller) -> Lead | None:
    """What the comparison in front of a jump read."""
    end, known = code.at.get(caller.call.address), caller.registers
    if end is None:  # in another part of the function, which may have pushed more
        end, known = index, _as_before(core, code.instructions[index], caller)
    slicer = Slicer(core, code, end, known)
    flag = False
    for back in range(index - 1, max(index - 6, -1), -1):
        insn = code.instructions[back]
        if insn.mnemonic not in ("cmp", "test") or _is_of_a_flag(code, back):
            flag = flag or insn.mnemonic == "test"
            if not flag and _SETS_FLAGS.fullmatch(insn.mnemonic):
                return _EITHER  # what was reckoned, or two numbers with fractions
            continue
        cells: list[Place] = []
        unseen: Step | None = None
        variable = 0
        row = "flag" if insn.operands[-1].imm == 1 and insn.mnemonic == "test" else "check"
        same = insn.mnemonic == "test" and insn.operands[0].reg == insn.operands[1].reg
        for operand in insn.operands[: 1 if same else 2]:
            trail = (back, None)
            if operand.mem is not None:
                variable += 1
                cell = slicer.effective(operand.mem, trail)
                held = _held_in(slicer, operand.mem, cell, trail) if cell is not None else None
                if held is not None:
                    unseen = unseen or held
                elif cell is not None:
                    cells.append(Place(cell, operand.size, None, insn.address))
                else:  # the call did not keep what its address was made of
                    unseen = unseen or Step("load", insn.address, "", insn.text)
            elif operand.reg is not None:
                family = x86.FAMILY.get(operand.reg, operand.reg)
                steps = history(core, insn.address, family, known)
                last = last_step(steps) if steps else None
                called = _called_for(code, last) if last is not None else None
                asked = _asked(core, called) if called is not None else None
                cells += cells_of(core, steps)[0][:1] if asked is None else ()
                variable += last is None or last.kind != "constant"
                unseen = unseen or asked or (last if last and last.kind == "load" else None)
        if variable > max(len(cells), 1):
            return _EITHER
        if not cells and unseen is not None and unseen.source is None:
            return Lead(row=row, end=unseen)
        # Where it read nothing that is known, what another one read before it did not decide.
        return Lead(row=row, cells=tuple(cells), compared=len(cells) == 2) if cells else _EITHER
    return None


def _as_before(core: Dump, jump: Instruction, caller: cfi.Caller) -> dict[str, int]:
    """The registers at a jump to the part of its function that made a call: its caller's are the
    same, however far the stack pointer is below them."""
    known = dict(caller.registers)
    then = cfi.caller_of(core, caller.call.address, known)
    now = cfi.caller_of(core, jump.address, known)
    if then is not None and now is not None and "rsp" in known:
        known["rsp"] += then[1]["rsp"] - now[1]["rsp"]
    return known


def _called_for(code: Code, last: Step) -> Step | None:
    """The call whose answer a load, the last step, reads from where the instruction in front of it
    keeps it; the step itself where it is a call."""
    at = code.at.get(last.at, 0) if last.kind == "load" else 0
    load, store, call = (code.instructions[one] for one in (at, at - 1, at - 2))
    kept = at > 1 and call.is_call and store.mnemonic == "mov" and (
        store.operands[1].reg == "rax" and store.operands[0].mem == load.operands[-1].mem
    )  # fmt: skip
    return Step("call", call.address, "rax", "") if kept else last if last.kind == "call" else None


def _held_in(slicer: Slicer, mem: Memory, cell: int, trail: Trail) -> Step | None:
    """The load, from a cell that only a run shows, of what the function keeps in one of its own."""
    if mem.base not in slicer.code.frame or mem.index is not None:
        return None
    stores, unset = last_stores(slicer, cell, trail, MAX_DEPTH)
    kept = stored(slicer, stores[0]) if len(stores) == 1 and not unset else None
    steps = (
        explain_at(slicer, FAMILY[kept.reg], None, stores[0]) if kept and kept.reg in FAMILY else []
    )
    last = last_step(steps) if steps else None
    return last if last is not None and last.kind == "load" and not last.source else None


_SETS_FLAGS = re.compile(
    r"add|sub|inc|dec|neg|and|or|xor|sh[lr]|sar|i?mul|bt\w?|ad[cd]|sbb|xadd|cmpxchg|v?u?comis[sd]"
)
"""What a jump may go by, beside a comparison of integers (Intel SDM 2)."""


def _is_of_a_flag(code: Code, at: int) -> bool:
    """Whether a comparison is of what another one right before it gave, as 0 or 1."""
    insn, near = code.instructions[at], code.instructions[max(at - 3, 0) : at]
    if insn.mnemonic == "test" and insn.operands[0].reg == insn.operands[1].reg is not None:
        return any(one.mnemonic.startswith("set") and one.operands[0].reg == insn.operands[0].reg
                   for one in near)  # fmt: skip
    return insn.operands[-1].imm == 1 and any(
        one.mnemonic.startswith(("cmov", "set")) for one in near
    )


def _asked(core: Dump, step: Step) -> Step | None:
    """Where a function looked at what it was given, that says whether anything is in it
    (``as_ref`` of Rust's Option, ``_M_empty`` of std::function, a function of its own without
    optimisation), if it looks at no more of it."""
    call = insn_at(core, step.at)
    code = code_around(core, call.target) if call is not None and call.target else None
    if code is None or any(one.is_call for one in code.instructions):
        return None
    given, kept, looks = {"rdi"}, set[Memory](), list[Step]()
    for insn in code.instructions:
        mems = [one.mem for one in insn.operands if one.mem and insn.mnemonic != "lea"]
        if any(mem.base in given and mem.index is None for mem in mems):
            looks.append(Step("load", insn.address, "", insn.text))
        if insn.is_jump:
            break
        into, source = insn.operands if len(insn.operands) == 2 else (None, None)
        same = insn.mnemonic == "mov" and source is not None and (
            FAMILY.get(source.reg or "") in given or source.mem in kept
        )  # fmt: skip
        given -= set(insn.writes)
        if same and into is not None and into.mem is not None and into.mem.base in code.frame:
            kept.add(into.mem)
        elif same and into is not None and into.reg is not None:
            given.add(FAMILY.get(into.reg, into.reg))
    return looks[0] if len(looks) == 1 else None
