"""Where the value goes that a failed read would have given: into a call, a jump, a write's address.

Whoever chooses where the read goes chooses that value. CASR's rule (ispras/casr: libcasr,
gdb/exploitable.rs, `check_taint`): from the faulting instruction on, registers only, to the end of
the basic block. Unlike there every register that an instruction writes is followed (a load that
widens, arithmetic with memory), by its 64-bit name.
"""

from collections.abc import Iterator

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.places import read_some
from workbench.targets.probes.x86 import FAMILY, Instruction, Memory

_AHEAD = 512
_MOST = 64
_SETS = ("mov", "lea", "pop", "set")
_CLEARS = ("xor", "sub", "pxor")
# What they read and write is not among their operands: rax, and rdx.
_WIDENS = frozenset({"cbw", "cwde", "cdqe", "cwd", "cdq", "cqo"})


class Reached(Struct, frozen=True):
    """What the value reaches: ``kind`` is call | branch | return | store."""

    kind: str
    insn: Instruction
    through: str


def reached(core: Dump, pc: int) -> Reached | None:
    """The first instruction behind a failed read at ``pc`` that the value decides about."""
    tainted: set[str] = set()
    for number, insn in enumerate(_block(core, pc)):
        if number == 0:
            moved = {"rsp"} if insn.mnemonic.startswith(("pop", "leave")) else set()
            tainted |= insn.writes - moved
            if not tainted:
                return None
            continue
        found = _decides(insn, tainted)
        if found is not None:
            return found
        if insn.is_call or insn.is_jump or insn.is_return:
            return None
        _pass_on(insn, tainted)
        if not tainted:
            return None
    return None


def taint_lines(core: Dump, pc: int) -> list[str]:
    """The line on a failed read, empty where its value decides about nothing."""
    found = reached(core, pc)
    if found is None:
        return []
    return [line_of(found.kind, found.through, found.insn.text, found.insn.address)]


def line_of(kind: str, through: str, text: str, address: int) -> str:
    """One line: ``text`` is the instruction that the value decides about, by ``through``."""
    return f"taint {kind}: the value that could not be read reaches {through} of {text} at " \
           f"{address:#x}"  # fmt: skip


def _block(core: Dump, pc: int) -> Iterator[Instruction]:
    return x86.decode(read_some(core, pc, _AHEAD), pc, _MOST)


def _decides(insn: Instruction, tainted: set[str]) -> Reached | None:
    if insn.is_return:
        return Reached("return", insn, "rsp") if "rsp" in tainted else None
    if insn.is_call or insn.is_jump:
        if insn.target is not None or not insn.operands:
            return None
        operand = insn.operands[0]
        held = FAMILY.get(operand.reg or "")
        through = held if held in tainted else _address(operand.mem, tainted)
        kind = "call" if insn.is_call else "branch"
        return Reached(kind, insn, through) if through is not None else None
    for position, operand in enumerate(insn.operands):
        stores = operand.writes or (position == 0 and insn.mnemonic.startswith(("mov", "vmov")))
        through = _address(operand.mem, tainted) if stores else None
        if through is not None and not insn.mnemonic.startswith("lea"):
            return Reached("store", insn, through)
    return None


def _address(mem: Memory | None, tainted: set[str]) -> str | None:
    """The tainted register that an address is computed from."""
    if mem is None:
        return None
    return next((name for name in (mem.base, mem.index) if name in tainted), None)


def _pass_on(insn: Instruction, tainted: set[str]) -> None:
    """Mark what an instruction computes from marked registers; unmark what it sets otherwise."""
    if insn.mnemonic in _WIDENS:
        if "rax" in tainted:
            tainted |= insn.writes
        return
    sources = {FAMILY.get(op.reg or "") for op in insn.operands[1:]}
    read = {name for name in sources if name in tainted}
    marked = bool(read) or any(_address(op.mem, tainted) for op in insn.operands)
    first = insn.operands[0] if insn.operands else None
    target = FAMILY.get(first.reg or "") if first is not None else None
    if insn.mnemonic.startswith(_CLEARS) and len(insn.operands) == 2:
        marked = marked and insn.operands[0].reg != insn.operands[1].reg
        if insn.operands[0].reg == insn.operands[1].reg:
            tainted -= insn.writes
            return
    if insn.mnemonic == "xchg" and len(insn.operands) == 2:
        other = FAMILY.get(insn.operands[1].reg or "")
        if target is not None and other is not None and (target in tainted) != (other in tainted):
            tainted ^= {target, other}
        return
    if marked:
        tainted |= insn.writes
    elif insn.mnemonic.startswith(_SETS) and first is not None and first.size >= 4:
        tainted -= insn.writes
