"""What a number was made of in its function, whichever way it came."""

from collections.abc import Collection, Mapping, Sequence

from workbench.reproduce.loops import builds_up
from workbench.reproduce.wrappers import Kept, calls_of, kept
from workbench.targets.dump import Dump
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import summed
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.slicer import Slicer, zeroes
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

Way = tuple[int, Kept]
"""A register or a cell of the frame, as it is right before the instruction with that index."""
IF_NULL, IF_NOT = ("je", "jz"), ("jne", "jnz")
_WIDENS = ("cdqe", "cdq", "cwde")
_DOUBLES = ("cdq", "cqo")
"""What puts the sign of one register into another, and leaves both (Intel SDM 2A, CWD)."""
_COPIES = 4
_SCALES = ("cdqe", "movsxd", "shl", "sal", "imul")


def made_of(
    core: Dump, code: Code, starts: Sequence[Way]
) -> tuple[list[Instruction], Collection[str]]:
    """The instructions that may have made what is held there, calls among them, and the arguments
    of the function that it may be made of: through registers and the cells of its frame."""
    all_of, ways = code.instructions, list(starts)
    found: dict[int, None] = {}
    given: dict[str, None] = {}
    for at, place in ways:
        if isinstance(place, str):
            before = [index for index, _ in Slicer(core, code, at, {}).definitions(place)]
            makes = [index for index in before if index is not None]
            if None in before and place in ARGUMENTS:
                given[place] = None
        else:
            makes = [
                index
                for index, one in enumerate(all_of)
                if one.operands
                and one.mnemonic not in ("cmp", "test")
                and kept(code, one, 0) == place
            ]
        for index in makes:
            insn = all_of[index]
            if index in found:
                continue
            found[index] = None
            if insn.is_call or zeroes(insn):
                continue
            sources = {kept(code, insn, number) for number in range(1, len(insn.operands))}
            if insn.mnemonic == "lea" and insn.operands[1].mem is not None:
                mem = insn.operands[1].mem
                sources = {name for name in (mem.base, mem.index) if name in FAMILY}
            elif insn.mnemonic in _DOUBLES:
                sources = {"rax"}
            elif not insn.mnemonic.startswith("mov"):
                sources.add(place)
            ways += [(index, one) for one in sources if one]
    return [all_of[index] for index in found], given


def element_of(
    core: Dump, store: Instruction, registers: Mapping[str, int]
) -> tuple[list[Instruction], Collection[str]]:
    """What the number of the element of an array was made of that an instruction, with its
    ``registers``, stores to; empty where it stores to none, or the number is not known from the
    array's address."""
    code = code_around(core, store.address)
    mem = store.operands[0].mem if store.operands else None
    if code is None or mem is None or store.address not in code.at:
        return [], ()
    at, pair = added(core, code, store)
    numbers = [made_of(core, code, [(at, name)]) for name in pair or () if name]
    scaled = [one for one in numbers if any(map(scales, one[0]))]
    if mem.index and mem.scale > 1:
        return numbers[-1]
    if mem.index and not scaled:  # of bytes: which of the two is no address
        known = zip((mem.base, mem.index), numbers, strict=False)
        scaled = [one for name, one in known if not core.region(registers.get(name or "", 0))
                  and not any(insn.is_call for insn in one[0])]  # fmt: skip
    return scaled[0] if len(scaled) == 1 else ([], ())


def added(
    core: Dump, code: Code, store: Instruction
) -> tuple[int, tuple[str | None, str | None] | None]:
    """The two registers whose sum, of one perhaps times a size, is where an instruction stores to,
    or reads from, and the index of the instruction right before which they are that."""
    mem, at = next((one.mem for one in store.operands if one.mem), None), code.at[store.address]
    register = mem.base if mem is not None else None
    pair = (mem.base, mem.index) if mem is not None and mem.index else None
    while pair is None and register not in (None, "rip", *code.frame):
        before = list(Slicer(core, code, at, {}).definitions(register or ""))
        index = before[0][0] if len(before) == 1 else None
        insn = code.instructions[index] if index is not None else None
        if insn is None or index is None or len(insn.operands) != 2:
            break
        at, pair = index, summed(insn, register or "")
        if insn.mnemonic != "mov":
            break
        register = FAMILY.get(insn.operands[1].reg or "")
    return at, pair


def kept_by(core: Dump, code: Code, at: int, register: str) -> Kept:
    """Of a register that was loaded through a pointer: where the function has the pointer. Empty
    for any other."""
    for _ in range(_COPIES):
        before = [index for index, _ in Slicer(core, code, at, {}).definitions(register)]
        index = before[0] if len(before) == 1 else None
        insn = code.instructions[index] if index is not None else None
        if insn is None or index is None or insn.mnemonic != "mov" or len(insn.operands) != 2:
            return ""
        at, mem = index, insn.operands[1].mem
        if mem is not None:
            base = mem.base or ""
            return "" if mem.index or base in ("", *code.frame) else through(core, code, at, base)
        register = FAMILY.get(insn.operands[1].reg or "", "")
    return ""


def through(core: Dump, code: Code, at: int, register: str) -> Kept:
    """Where a function has the pointer that is in a register: in a cell of its frame, else in the
    register that it was first in."""
    for _ in range(_COPIES):
        before = [index for index, _ in Slicer(core, code, at, {}).definitions(register)]
        index = before[0] if len(before) == 1 else None
        insn = code.instructions[index] if index is not None else None
        if insn is None or index is None or insn.mnemonic != "mov" or len(insn.operands) != 2:
            break
        if insn.operands[1].mem is not None:
            return kept(code, insn, 1) or register
        at, register = index, FAMILY.get(insn.operands[1].reg or "", "")
    return register


def table_word(core: Dump, call: Instruction) -> int | None:
    """Bytes from its start at which a call's target stands in the table that its first argument
    points to, as a virtual one's does (Itanium C++ ABI, 2.5); None where it does not."""
    code = code_around(core, call.address)
    at, target, word = code.at[call.address] if code is not None else 0, call.operands[0], 0
    for _ in range(1 if target.mem else 2):
        word = target.mem.disp if target.mem else word
        base = target.mem.base if target.mem else FAMILY.get(target.reg or "", "")
        made = list(Slicer(core, code, at, {}).definitions(base)) if code and base else []
        index = made[0][0] if len(made) == 1 else None
        if code is None or index is None or code.instructions[index].mnemonic != "mov":
            return None
        at, target = index, code.instructions[index].operands[1]
    mem = target.mem
    if code is None or mem is None or not mem.base or mem.index:
        return None
    here = code.at[call.address]
    its = through(core, code, at, mem.base) == through(core, code, here, "rdi")
    return word if its else None


def scales(insn: Instruction) -> bool:
    """Whether an instruction multiplies a number, as by the size of an element."""
    mem = insn.operands[1].mem if insn.mnemonic == "lea" else None
    return insn.mnemonic in _SCALES or (mem is not None and mem.scale > 1)


def is_reckoned(core: Dump, insn: Instruction) -> bool:
    """Whether an instruction gives a number that is another than what it had, but for one that
    counts in a loop."""
    same = insn.mnemonic.startswith("mov") or insn.mnemonic in _WIDENS or zeroes(insn)
    return not same and not builds_up(core, insn.address)


def tells_of_members(code: Code) -> bool:
    """Whether a function only works out a number from members of what it was given."""
    read = [one.operands[-1].mem for one in code.instructions
            if one.mnemonic != "lea" and one.operands and one.operands[-1].mem]  # fmt: skip
    members = [mem for mem in read if mem.base not in (None, "rip", "rsp", *code.frame)]
    return len(members) > 1 and not any(one.is_jump or one.is_call for one in code.instructions)


def times(core: Dump, steps: Sequence[Step]) -> int:
    """How many times the number that these steps loaded went into what they gave; 0 where they did
    more than multiply by constants."""
    found = 1
    for step in steps:
        if step.kind == "load":
            return found
        insn = insn_at(core, step.at)
        last = insn.operands[-1] if insn is not None and insn.operands else None
        if insn is None or (step.kind != "copy" and step.kind != "computed"):
            return 0
        mem, name = last.mem if last is not None else None, insn.mnemonic
        if mem is not None and name == "lea" and not mem.disp and mem.base in (None, mem.index):
            found *= mem.scale + (mem.base is not None)
        elif last is not None and last.imm is not None and name in ("shl", "sal", "imul"):
            found *= last.imm if name == "imul" else 1 << last.imm
        elif name == "add" and last is not None and last.reg == insn.operands[0].reg:
            found *= 2
        elif not name.startswith("mov") and name not in _WIDENS:
            return 0
    return 0


def returns(code: Code) -> list[int]:
    """Where a function comes back."""
    return [one.address for one in code.instructions.outlines
            if one.name.startswith("ret")]  # fmt: skip


def compares(insn: Instruction) -> bool:
    """Whether an instruction asks whether something is null."""
    if insn.mnemonic not in ("test", "cmp") or len(insn.operands) != 2:
        return False
    left, right = insn.operands
    return right.imm == 0 or (left.reg is not None and left.reg == right.reg)


def asks_for_null(core: Dump, behind: int) -> bool:
    """Whether the instruction in front of an address reads what it, or one of the next, compares
    with null for a jump."""
    code = code_around(core, behind)
    at = code.at.get(behind) if code is not None else None
    if code is None or not at:
        return False
    read, near = code.instructions[at - 1], code.instructions[at : at + _COPIES]
    if compares(read):
        return True
    held = FAMILY.get(read.operands[0].reg or "", "-") if read.operands else "-"
    return any(compares(one) and FAMILY.get(one.operands[0].reg or "") == held for one in near)


def is_asked_for_null(core: Dump, start: int) -> bool:
    """Whether who calls a function compares the pointer that it gives back with null."""
    for behind in calls_of(core, start):
        code = code_around(core, behind)
        at = code.at.get(behind) if code is not None else None
        for one in code.instructions[at : at + _COPIES] if code is not None and at else ():
            if compares(one) and one.operands[0].reg == "rax":
                return True
            if one.is_call or "rax" in one.writes:
                break
        call = code.instructions[at - 1] if code is not None and at else None
        if code is not None and call is not None and looks_at(core, code, call):
            return True
    return False


def looks_at(core: Dump, code: Code, call: Instruction) -> bool:
    """Whether a function compares with null what a call of its gave it."""
    for index, one in enumerate(code.instructions):
        place = kept(code, one, 0) if compares(one) and one.operands[0].size == 8 else ""
        made, _ = made_of(core, code, [(index, place)]) if place else ([], ())
        if [insn for insn in made if insn.is_call] == [call] and all(
            insn.is_call or insn.mnemonic == "mov" for insn in made
        ):
            return True
    return False


def given_in(core: Dump, code: Code, way: Way) -> str:
    """The argument of its function that a place holds as it was given; empty for any other."""
    made, given = made_of(core, code, [way])
    whole = all(one.mnemonic == "mov" and kept(code, one, 1) for one in made)
    return "".join(given) if whole and len(given) == 1 else ""


def asks_of(core: Dump, code: Code, register: str) -> bool:
    """Whether a function compares with null what it was given in a register."""
    return any(
        given_in(core, code, (index, place)) == register
        for index, one in enumerate(code.instructions)
        if compares(one) and (place := kept(code, one, 0))
    )
