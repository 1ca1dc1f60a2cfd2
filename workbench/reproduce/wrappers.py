"""Functions that only hand memory on between an allocator and who uses it: they take or give memory
of no type and never look into it (``xmalloc``, one pointer to all of them), or count its holders
down and give it back with the last one (``unref``)."""

import itertools
import re
from collections.abc import Iterator, Sequence

from workbench.model.facts import Frame
from workbench.reproduce.moment import RED_ZONE, at_hit, before
from workbench.reproduce.owners import innermost, is_own
from workbench.reproduce.wire import Hit
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, history, slicer_at
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import read_some
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

Kept = str | tuple[str, int]
"""A register, or a cell of the function's frame by its base register and displacement."""
_LOST = frozenset(("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"))
"""Registers that a call does not keep (System V ABI, AMD64, 3.2.1)."""
_READS = ("cmp", "test", "push", "call", "jmp")
_MOST, _OBJECT, _CODE, _NEAR = 4, 1 << 12, 8 << 20, 32
_BEHIND = 64
"""Instructions that are looked at behind a call."""
_FIXED = re.compile(r"cdqe|(?:add|sub) \w+, \d|lea \w+, \[\w+ [+-] \d\w*\]")


def kept(code: Code, insn: Instruction, place: int) -> Kept:
    """Where an operand is, if in a register or the frame; else empty."""
    operand = insn.operands[place]
    if operand.mem is not None:
        in_frame = operand.mem.base in code.frame and operand.mem.index is None
        return (operand.mem.base or "", operand.mem.disp) if in_frame else ""
    return FAMILY.get(operand.reg or "", "")


def handed_on(core: Dump, hit: Hit) -> frozenset[int]:
    """The indexes of the frames that handed the block of a birth or a release on, from the
    program's innermost one outwards; what destroys an object for who counts its holders is one,
    and what was inlined into such a function."""
    found, inner = list[int](), list[int]()
    for frame, code, looks in _on_the_way(core, hit):
        only_hands_on = frame.index in hit.untyped and not (looks or inner)
        counts = hit.kind != "alloc" and any(counts_down(code, index) for index in looks)
        inner.append(frame.index)
        if only_hands_on or counts:
            found += inner
            inner = []
        elif hit.kind == "alloc":
            break
    around = 0
    for frame in reversed(hit.frames):
        around = around if frame.inlined else frame.index
        found += [frame.index] if frame.inlined and around in found else []
    return frozenset(found)


def alike(core: Dump, part: Hit, whole: Hit, fault: Sequence[Frame]) -> frozenset[int]:
    """The indexes of the frames in which a release and the one that failed went the same way with
    what they were given, where they part behind these: who gave it is told. ``part`` is the one
    that failed as it was made then, of the ``whole`` of an object."""
    went, then, now = (
        [one for one in frames if is_own(one) and not one.inlined]
        for frames in (whole.frames, part.frames, fault)
    )
    pairs = zip(then, now, strict=False)
    same = sum(1 for _ in itertools.takewhile(lambda two: _place(two[0]) == _place(two[1]), pairs))
    shared = [one.index for one in went[:same]]
    given = [frame.index for frame, _, _ in _on_the_way(core, whole)]
    return frozenset(range(shared[-1] + 1)) if shared and shared == given[:same] else frozenset()


def _place(frame: Frame) -> tuple[str | None, int | None]:
    return frame.function, frame.line


def gives_back(core: Dump, hit: Hit) -> bool:
    """Whether the code behind its call, and behind those around it where they end with it, may use
    what the program's innermost function returns."""
    own = next((n for n, frame in enumerate(hit.frames) if is_own(frame)), 0)
    for inner, outer in itertools.pairwise(hit.frames[own:]):
        code = code_around(core, outer.address or 0)
        at = code.at.get(outer.address or 0) if code is not None else None
        for _ in range(_BEHIND):
            if code is None or at is None or at >= len(code.instructions) or inner.inlined:
                return True
            insn = code.instructions[at]
            named = ((one, one.mem) for one in insn.operands)
            if any("rax" in ((mem.base, mem.index) if mem is not None
                   else (one.reads and FAMILY.get(one.reg or ""),))
                   for one, mem in named):  # fmt: skip
                return True
            if insn.is_call or "rax" in insn.writes:
                return False
            if insn.is_return:
                break
            at = code.at.get(insn.target or 0) if insn.mnemonic == "jmp" else at + 1
        else:
            return True
    return True


def filled_for(core: Dump, hit: Hit) -> frozenset[int]:
    """The indexes of the frames that filled memory which they were given and know no type of, so
    that they can not know where it ends; the innermost one serves several callers."""
    found: list[int] = []
    low = hit.registers["rsp"] - RED_ZONE
    stack = [frame for frame in hit.frames if not frame.inlined and frame.index >= 0]
    moment, insn = at_hit(core, hit), before(core, hit.registers["rip"])
    base = insn.operands[0].mem.base if insn and insn.operands and insn.operands[0].mem else None
    steps = history(moment, insn.address, base, hit.registers) if insn and base else []
    passed = [step.value for step in steps if step.kind == "argument"]  # one of each frame
    calls = callers(moment, hit.registers["rip"], hit.registers, len(stack))
    for number, (frame, caller) in enumerate(zip(stack[:-1], calls, strict=False)):
        if not is_own(frame):
            continue
        given = [argument(moment, caller, name)[0] for name in ARGUMENTS]
        given += passed[number : number + 1]
        inside = any(one and abs(hit.address - one) < _OBJECT for one in given)
        inside = inside and not low <= hit.address < caller.registers["rsp"]  # no local of its own
        if not inside or frame.index not in hit.untyped or not (found or _serves(core, frame)):
            break
        found.append(frame.index)
    return frozenset(found)


def fills_by_number(core: Dump, hit: Hit) -> bool:
    """Whether a function that fills plain memory for several callers reckoned where, or how much:
    it may have done so wrongly, or the number that it was given is wrong. Only where it wrote a
    fixed distance behind its argument does the caller's pointer alone decide."""
    frame = innermost(hit.frames)
    insn = before(core, frame.address or 0) if frame is not None else None
    through = len(filled_for(core, hit))
    if insn is None or not through:
        return False
    moment, call = at_hit(core, hit), None
    if insn.is_call:
        call = next(callers(moment, hit.registers["rip"], hit.registers, 1), None)
        size = argument(moment, call, "rdx")[1] if call is not None else []
        if not size or size[-1].kind != "constant" or any(_varies(step) for step in size):
            return True
        steps = argument(moment, call, "rdi")[1] if call is not None else []
    else:
        mem = insn.operands[0].mem if insn.operands else None
        if mem is None or mem.base is None or mem.index or insn.mnemonic.startswith("rep"):
            return True
        steps = history(moment, insn.address, mem.base, hit.registers)
        slicer = slicer_at(core, insn.address, {})
        ways = list(slicer.definitions(mem.base)) if slicer is not None else []
        if slicer is None or len(ways) > 1 or any(
            at is not None and slicer.code.instructions[at].mnemonic.startswith("cmov")
            for at, _ in ways
        ):  # fmt: skip
            return True  # which of them it took is its own choice
    passed = [number for number, step in enumerate(steps) if step.kind == "argument"]
    return len(passed) < through or any(_varies(step) for step in steps[: passed[through - 1]])


def _varies(step: Step) -> bool:
    """Whether a step reckons with more than what it had and a constant."""
    return step.kind == "computed" and not _FIXED.match(step.text)


def _serves(core: Dump, frame: Frame) -> bool:
    """Whether a frame's function is called from more than one place of its module."""
    start, _ = function_bounds(core, frame.address or 0) or (0, 0)
    return start != 0 and len(calls_of(core, start)) > 1


def calls_of(core: Dump, start: int) -> list[int]:
    """Where the calls of a function, and jumps to it, of its module end, as its bytes look."""
    region = core.region(start)
    begin, end = (region.start, region.end) if region is not None else (0, 0)
    code = read_some(core, begin, min(end - begin, _CODE))
    ends = (at.end() + 4 for at in re.finditer(rb"[\xe8\xe9]", code))
    return [begin + end for end in ends
            if begin + end + int.from_bytes(code[end - 4 : end], "little", signed=True) == start
            ]  # fmt: skip


def count_of(core: Dump, hit: Hit) -> tuple[int, int] | None:
    """The cell in a released block, and its size, in which its holders were counted."""
    for _, code, looks in _on_the_way(core, hit):
        for index in looks:
            operand = code.instructions[index].operands[0]
            if operand.mem is not None and not operand.mem.index and counts_down(code, index):
                return hit.address + operand.mem.disp, operand.size
    return None


def counted_elsewhere(core: Dump, hit: Hit) -> bool:
    """Whether the program's innermost function counted down an element of an array outside of its
    frame, and decided by that, right before its call that released a block."""
    frame = innermost(hit.frames)
    insn = before(core, frame.address or 0) if frame is not None else None
    code = code_around(core, insn.address) if insn is not None else None
    if insn is None or code is None:
        return False
    end = code.at.get(insn.address, 0)
    for index in range(end - 1, max(end - _NEAR, -1), -1):
        one = code.instructions[index]
        if one.is_call or (counts_down(code, index) and not kept(code, one, 0)):
            place = one.operands[0].mem if one.operands else None
            return not one.is_call and place is not None and bool(place.index)
    return False


def _on_the_way(core: Dump, hit: Hit) -> Iterator[tuple[Frame, Code, list[int]]]:
    """The program's innermost frames that a block came through, each with the instructions that
    look into it."""
    own = [frame for frame in hit.frames if is_own(frame) and not frame.inlined]
    passed = _passed(core, hit) if hit.kind != "alloc" else {}
    for frame in own[: min(_MOST, len(own) - 1)]:
        site = _site(core, frame)
        code = code_around(core, site)
        if code is None:
            break
        if hit.kind == "alloc":
            start = code.at.get(frame.address or 0) if site == frame.address else code.at[site] + 1
            holder = "rax"
        else:
            start, holder = 0, passed.get(code.start, "")
        if start is None or not holder:
            break
        yield frame, code, list(_looks_into(code, start, holder))


def _site(core: Dump, frame: Frame) -> int:
    """An address inside a frame's function: behind the jump by which it left may be another's."""
    last = before(core, frame.address or 0)
    return last.address if last is not None and last.is_jump else frame.address or 0


def _passed(core: Dump, hit: Hit) -> dict[int, str]:
    """By the start of each function that was given the block: the register that it came in."""
    moment = at_hit(core, hit)
    last = next((_site(core, frame) for frame in hit.frames if is_own(frame)), 0)
    left = insn_at(core, last)
    low, high = function_bounds(core, last) or (0, 0)
    if left is not None and left.is_jump and not low <= (left.target or 0) < high:  # no frame left
        steps = history(moment, last, "rdi", hit.registers)
    else:
        caller = next(callers(moment, hit.registers["rip"], hit.registers, 4), None)
        steps = argument(moment, caller, "rdi")[1] if caller is not None else []
    return {
        step.at: step.register for step in steps if step.kind == "argument"
        and (step.value is None or 0 <= step.value - hit.address < max(hit.size, 1))
    }  # fmt: skip


def _looks_into(code: Code, start: int, holder: str) -> Iterator[int]:
    """The instructions from ``start`` on that read or write through a pointer in ``holder``, or
    keep the pointer anywhere but in the function's frame."""
    held: set[Kept] = {holder}
    for index in range(start, len(code.instructions)):
        insn = code.instructions[index]
        operands = insn.operands
        for operand in operands:
            if operand.mem is not None and insn.mnemonic not in ("lea", "nop") and (
                operand.mem.base in held or operand.mem.index in held
            ):  # fmt: skip
                yield index
        if insn.is_call:
            held -= _LOST
        elif insn.mnemonic == "mov" and len(operands) == 2:
            given, target = kept(code, insn, 1) in held, kept(code, insn, 0)
            if given and not target:
                yield index
            held = held | {target} if given else held - {target}
        elif operands and insn.mnemonic not in _READS:
            held -= {kept(code, insn, 0)} - {""}


def counts_down(code: Code, index: int, alone: bool = False) -> bool:
    """Whether an instruction takes one from a number in memory, or stores one that the few before
    it took one from; an exchange that adds (``lock xadd``) is given its -1 so, too. The result
    decides a branch, where it does not do so ``alone``: who gives back what nobody uses any more
    asks for that."""
    insn = code.instructions[index]
    if not insn.operands or insn.operands[0].mem is None:
        return False
    if _less_one(insn):
        return alone or _decides(code, index, index)
    name = _name(insn)
    if name not in ("mov", "xadd") or insn.operands[1].reg not in FAMILY:
        return False
    stored = FAMILY[insn.operands[1].reg]
    for back in range(index - 1, max(index - 6, -1), -1):
        one = code.instructions[back]
        if stored not in one.writes:
            continue
        source = one.operands[1] if len(one.operands) == 2 else None
        if name == "mov" or source is None or source.reg not in FAMILY:
            minus = one.mnemonic == "neg" or (source is not None and source.imm == -1)
            return (minus if name == "xadd" else _less_one(one)) and (
                alone or _decides(code, back, index)
            )
        stored = FAMILY[source.reg]
    return False


def counts_off(core: Dump, code: Code, index: int) -> int:
    """Where a number was read from memory of which an instruction takes one in a register, and that
    decides a branch: gcc stores no nought into what is released then. 0 for any other."""
    insn = code.instructions[index]
    if not insn.operands or not _less_one(insn) or not _decides(code, index, index):
        return 0
    mem = insn.operands[-1].mem
    name = mem.base if mem is not None else FAMILY.get(insn.operands[0].reg or "", "")
    ways = list(Slicer(core, code, index, {}).definitions(name or ""))
    at = ways[0][0] if len(ways) == 1 else None
    return at if at is not None and code.instructions[at].mnemonic == "mov" else 0


def _decides(code: Code, reckoned: int, stored: int) -> bool:
    """Whether a conditional jump stands between the two, or behind them before anything is
    called."""
    for at in range(reckoned + 1, min(stored + 10, len(code.instructions))):
        insn = code.instructions[at]
        if insn.is_jump and insn.mnemonic != "jmp":
            return True
        if insn.is_call or insn.is_jump or insn.is_return:
            return False
    return False


def _name(insn: Instruction) -> str:
    """The mnemonic without ``lock``."""
    return insn.mnemonic.rsplit(" ", 1)[-1]


def _less_one(insn: Instruction) -> bool:
    if _name(insn) == "dec":
        return True
    if len(insn.operands) != 2:
        return False
    amount, mem = insn.operands[1].imm, insn.operands[1].mem
    if insn.mnemonic == "lea":
        return mem is not None and mem.disp == -1 and mem.index is None
    return (_name(insn), amount) in (("sub", 1), ("add", -1))
