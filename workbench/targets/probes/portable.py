"""The faulting instruction on processors other than x86-64, in the lines that `fault` writes."""

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import transfer
from workbench.targets.probes.branches import unseen_call
from workbench.targets.probes.machines.base import Branch, Effect, Machine, Raw, Registers, number
from workbench.targets.probes.operands import Access, Division, told_division
from workbench.targets.probes.places import NEAR_NULL, place, read_some, target_place
from workbench.targets.probes.taint import line_of
from workbench.targets.probes.touched import (
    access_line,
    alignment_line,
    faulting_access,
    forbidden,
    register_lines,
    wanted_multiple,
)
from workbench.targets.probes.x86 import signed

_BUS, _FPE = 7, 8


def lines(core: Dump, thread: CoreThread) -> list[str]:
    """What the thread's instruction is, what it touched, and where its pointer came from."""
    machine = transfer.machine_of(core)
    if machine is None or thread.pc is None:
        return [f"instruction not decoded on {core.arch}"]
    if transfer.cannot_run(core, thread.pc):
        return execute_lines(core, thread, machine)
    raw = at_fault(core, thread, machine)
    if raw is None or not raw.mnemonic:
        at, size = (thread.pc, machine.longest) if raw is None else (raw.address, raw.size)
        code = read_some(core, at, size).hex(" ")
        held = f", bytes: {code or 'not in the dump'}"
        return [f"no instruction can be decoded at {at:#x}{held}"]
    found = [f"instruction {raw.text}", f"mnemonic {raw.mnemonic}"]
    registers = machine.registers(thread.registers)
    touched = machine.accesses(raw, registers)
    found += [access_line(core, access) for access in touched]
    found += told_division(_division(core, machine, raw, registers, touched), raw.mnemonic)
    aligned = core.arch == "i386" or thread.signal == _BUS
    wanted = {a: wanted_multiple(core.arch, raw.mnemonic, a.size) for a in touched}
    odd = [a for a in touched if aligned and (a.address or 0) % max(1, wanted[a])]
    faulty = faulting_access(core, touched, thread.registers, odd)
    if faulty is None:
        found.append("access none: no operand of this instruction lies in memory that forbids it")
        return found
    how = "write" if "write" in faulty.how else "read"
    if how == "write" and faulty.how != "write" and not _allows(core, faulty, "read"):
        how = "read"
    found.append(f"access {how} at {faulty.address or 0:#x} through {faulty.shown}")
    if faulty in odd:
        found.append(alignment_line(raw.mnemonic, wanted[faulty]))
    found += register_lines(core, thread, faulty, machine.bits)
    if how == "read":
        found += taint_lines(core, thread, machine, raw)
    if faulty.base is not None:
        found += origin(core, thread, machine, raw.address, faulty.base)
    return found


def _allows(core: Dump, access: Access, how: str) -> bool:
    return not forbidden(core, replace(access, how=how))


def at_fault(core: Dump, thread: CoreThread, machine: Machine) -> Raw | None:
    """The instruction that the thread stopped at; where the processor had counted on, the one in
    front of that. No mnemonic: bytes that are no instruction, of which only the size is known."""
    pc = thread.pc or 0
    if thread.signal and machine.behind(thread.signal):
        for size in sorted(machine.calls):
            raw = _in_front(core, thread, machine, pc - size, size)
            if raw is not None:
                return raw
    return machine.one(read_some(core, pc, machine.longest), pc, thread.registers)


def _in_front(core: Dump, thread: CoreThread, machine: Machine, at: int, size: int) -> Raw | None:
    """The bytes in front of pc, where they can have raised the signal."""
    code = core.read(at, size) if at >= 0 else None
    if code is None or machine.length(code[0]) != size:
        return None
    raw = machine.one(code, at, thread.registers)
    if thread.signal == _FPE:
        divides = raw is not None and machine.division(raw, machine.registers({})) is not None
        return raw if divides else None
    info = core.siginfo
    told = info is not None and info.address == at
    return Raw(at, size, "", "") if raw is None else raw if told else None


def _division(
    core: Dump, machine: Machine, raw: Raw, registers: Registers, touched: list[Access]
) -> Division | None:
    """The division at the fault, its divisor read from memory where it is there."""
    division = machine.division(raw, registers)
    if division is None or division.value is not None or not touched:
        return division
    access = touched[0]
    held = core.read(access.address, division.size) if access.address is not None else None
    if held is None:
        return division
    value = int.from_bytes(held, "little" if core.little_endian else "big")
    return machine.divided(raw, registers, replace(division, value=value))


def execute_lines(core: Dump, thread: CoreThread, machine: Machine) -> list[str]:
    """The fault is at pc itself. A call has left its return address in the link register or on the
    stack; a return went to what the link register holds, or what was just popped."""
    pc = thread.pc or 0
    found = [f"access execute at {pc:#x}: {target_place(core, pc)}"]
    back = transfer.return_address(core, thread, machine)
    where = machine.link or f"{thread.sp or 0:#x}"
    if machine.link is not None and back is not None and machine.same(back, pc):
        return [*found, f"transfer return: {where} holds {back:#x}, which was returned to"]
    popped = (thread.sp or 0) - machine.bits // 8
    word = core.read_word(popped) if machine.pops else None
    call = transfer.ending_at(core, machine, back, thread.registers) if back is not None else None
    branch = None
    if call is not None:
        branch = machine.branch(call, machine.registers(_before(thread, machine)))
    by_register = branch is not None and branch.indirect
    if word is not None and machine.same(word, pc) and not by_register:
        return [*found, f"transfer return: the word {word:#x} at {popped:#x} was returned to"]
    unseen = unseen_call(core, machine.plain(back), where) if call is None and back else None
    if unseen is not None:
        return [*found, unseen]
    if call is None or back is None:
        return [*found, "transfer unknown: neither a call nor a return explains this address"]
    found.append(
        f"transfer call: the return address {back:#x} in {where} lies behind {call.text} "
        f"at {call.address:#x} ({place(core, call.address)})"
    )
    if branch is not None and branch.indirect:
        return found + _target_lines(core, thread, machine, call, branch)
    jump = None
    if branch is not None and branch.target is not None:
        jump = transfer.tail_jump(
            core, machine, transfer.function_from(core, branch.target), thread
        )
    if jump is None:
        return [found[0], "transfer unknown: the last call went elsewhere, and how control got "
                          "from there to this address cannot be told"]  # fmt: skip
    found.append(
        f"tail jump: the function that was called went on by {jump.text} at {jump.address:#x} "
        f"({place(core, jump.address)})"
    )
    again = machine.branch(jump, machine.registers(thread.registers))
    if again is None:
        return found
    return found + _target_lines(core, thread, machine, jump, again)


def _before(thread: CoreThread, machine: Machine) -> dict[str, int]:
    """The registers at the call: one that pushed its return address moved the stack pointer."""
    if machine.link is not None:
        return thread.registers
    moved = ((thread.sp or 0) + machine.bits // 8) & machine.mask
    return {**thread.registers, machine.sp: moved}


def _target_lines(
    core: Dump, thread: CoreThread, machine: Machine, raw: Raw, branch: Branch
) -> list[str]:
    """How the branch got its target."""
    if branch.cell is not None:
        word = core.read_word(branch.cell)
        held = "not readable" if word is None else f"{word:#x}"
        shown = raw.operands[raw.operands.find("[") :] if "[" in raw.operands else raw.operands
        return [f"target cell {shown} = {branch.cell:#x} ({place(core, branch.cell)}) holds {held}"]
    if branch.register is None:
        return []
    value = thread.registers.get(branch.register, 0)
    found = [f"base register {branch.register} = {value:#x}: the branch's target"]
    return found + origin(core, thread, machine, raw.address, branch.register)


_MOST = 64
_WORD = re.compile(r"[a-z]\w*")
# Branches that compare for themselves end the block as all others do; bic and bfi are none.
_BRANCHES = re.compile(r"(?:c\.)?(?:b(?!ic|f[imx]|clr|ext|set|inv)|cb|tb[nz]|j|loop|cr|cg|clr|clg)")
_SETS = ("mov", "ld", "l", "li", "adr", "c.l", "c.mv", "c.mov", "pop", "mr")


def taint_lines(core: Dump, thread: CoreThread, machine: Machine, raw: Raw) -> list[str]:
    """The line on what a failed read's value decides about, as `taint.taint_lines`."""
    names = machine.registers({})
    tainted = set(machine.written(raw)) - {machine.sp}
    start = raw.address + raw.size
    code = read_some(core, start, _MOST * machine.longest)
    for insn in machine.decode(code, start, thread.registers, _MOST):
        if not tainted:
            return []
        branch = machine.branch(insn, names)
        touched = machine.accesses(insn, names)
        if branch is not None or _BRANCHES.match(insn.mnemonic):
            held = branch.register if branch is not None else None
            held = (
                held
                if held in tainted
                else next((a.base for a in touched if a.base in tainted and not a.implicit), None)
            )
            if branch is None or held is None:
                return []
            kind = {"call": "call", "jump": "branch"}.get(branch.kind, "return")
            return [line_of(kind, held, insn.text, insn.address)]
        for access in touched:
            through = next((r for r in (access.base, access.index) if r in tainted), None)
            if through is not None and "write" in access.how and not access.implicit:
                return [line_of("store", through, insn.text, insn.address)]
        _pass_on(machine, insn, tainted)
    return []


def _pass_on(machine: Machine, insn: Raw, tainted: set[str]) -> None:
    """Mark what an instruction computes from marked registers; unmark what it sets otherwise."""
    written = machine.written(insn) - {machine.sp}
    _, _, sources = insn.operands.partition(",")
    read = {machine.others.get(word, word) for word in _WORD.findall(sources)}
    if read & tainted:
        tainted |= written
    elif insn.mnemonic.startswith(_SETS):
        tainted -= written


# Where a register's value came from, on processors other than x86-64.
# Straight back through the function, as far as it is straight: a call that may change the
# register, a branch that leads in between, or an instruction that is not understood ends the way.
# A load is told only when its address is known and memory still holds the value that was used.
_MOST_BACK = 1024
_MOST_STEPS = 8
_PROLOGUE = 6
"""Within so many instructions a function has set up its frame."""
_FRAMES = frozenset(["sp", "x29", "esp", "ebp", "fp", "s0", "r11", "r7", "r31", "r1", "r15", "r3"])
"""Registers that a frame's cells are addressed by; one that is set again later is none."""


def origin(core: Dump, thread: CoreThread, machine: Machine, at: int, register: str) -> list[str]:
    """``origin 1: x0 was loaded with 0x0 from 0x… (…) by ldr x0, [x0, #8] at 0x…``, nearest
    first; empty where nothing is known."""
    code = _code_before(core, thread, machine, at)
    walk = _Walk(core, machine, code, thread.registers)
    lines: list[str] = []
    place_in, name = len(code), register
    base = known = walk.value(name, place_in, _MOST_STEPS)
    root: tuple[int, str, int] | None = None
    while len(lines) < _MOST_STEPS:
        found = walk.definition(name, place_in)
        if found is None:
            if known == 0 and root is None and lines and place_in < len(code):
                root = known, "value", code[place_in].address
            break
        index, effect = found
        text = walk.told(index, effect, known)
        if text is None:
            break
        lines.append(f"origin {len(lines) + 1}: {text}")
        value = walk.result(index, effect, _MOST_STEPS)
        stored = walk.stored(index, effect)
        if stored is not None and value is not None:
            index, name = stored
            fixed = number(name)
            raw, cell = code[index], walk.address(found[0], effect, _MOST_STEPS) or 0
            what = f"{value:#x} was stored to {cell:#x} from {name}"
            if fixed is not None:
                what = f"the constant {value:#x} was stored to {cell:#x}"
                root = value, "constant", raw.address
            lines.append(f"origin {len(lines) + 1}: {what} by {raw.text} at {raw.address:#x}")
            if fixed is not None:
                break
            place_in, known = index, value
            continue
        if effect.kind in ("load", "constant") and root is None and value is not None:
            root = value, effect.kind, code[index].address
        if effect.base is None:
            break
        name, place_in = effect.base, index
        known = walk.value(name, place_in, _MOST_STEPS)
    if root is not None and base is not None and (root[1] == "constant" or base < NEAR_NULL):
        lines.append(f"root: {base:#x} was made from {root[0]:#x} by the {root[1]} at {root[2]:#x}")
    return lines


def _code_before(core: Dump, thread: CoreThread, machine: Machine, at: int) -> list[Raw]:
    """The instructions of the function up to ``at``, one after the other; a start is known by the
    function's symbol, else by the width of all instructions."""
    named = core.symbolize(at)
    back = min(named[1], _MOST_BACK) if named is not None else 0
    if named is None or named[1] > _MOST_BACK:
        if machine.step != 4:
            return []
        region = core.region(at)
        back = 64 if named is None else _MOST_BACK
        back = min(back, at - region.start) if region is not None else 0
    code = read_some(core, at - back, back)
    if not code or len(code) < back:
        return []
    found = list(machine.decode(code, at - back, thread.registers, len(code)))
    return found if found and found[-1].end == at else []


class _Walk(Struct):
    core: Dump
    machine: Machine
    code: list[Raw]
    registers: Mapping[str, int]

    def definition(self, register: str, before: int) -> tuple[int, Effect] | None:
        """The instruction that set a register last before a place, and how."""
        named = self.machine.registers({}).name(register)
        if named == self.machine.sp:
            return None
        for index in range(before - 1, -1, -1):
            raw = self.code[index]
            branch = self.machine.branch(raw, self.machine.registers({}))
            if branch is not None and branch.kind == "call":
                if named in self.machine.volatile:
                    return None
            elif branch is not None and branch.kind == "return":
                return None
            elif named in self.machine.written(raw):
                effect = self.machine.effect(raw)
                same = effect is not None and self.machine.registers({}).name(effect.register)
                if effect is None or same != named or self._entered(index, before):
                    return None
                return index, effect
        return None

    def _entered(self, index: int, before: int) -> bool:
        """True when some branch of the function leads in between two places."""
        if not self.code or before <= index:
            return False
        low = self.code[index].end
        high = self.code[before].address if before < len(self.code) else self.code[-1].end
        for raw in self.code:
            target = raw.operands.rsplit(",", 1)[-1].strip().lstrip("#")
            if target.startswith("0x") and len(target) <= 18:
                try:
                    if low <= int(target, 16) <= high:
                        return True
                except ValueError:
                    continue
        return False

    def stored(self, before: int, load: Effect) -> tuple[int, str] | None:
        """The store of the function into the frame's cell that a load reads, the last one in front
        of it, and what it stored: a register or a number. None where a branch leads in between."""
        frame = self.machine.registers({}).name(load.base or "")
        cell = self.address(before, load, _MOST_STEPS) if frame in _FRAMES else None
        if load.kind != "load" or cell is None or self._written_after(frame):
            return None
        held = self.machine.registers({frame: self.registers.get(frame, 0)})
        for index in range(before - 1, -1, -1):
            raw = self.code[index]
            for access in self.machine.accesses(raw, held):
                if "write" not in access.how or access.address != cell:
                    continue
                names = [text.strip().lstrip("#") for text in raw.operands.split(",")]
                what = names[-1] if self.machine.pops else names[0]
                plain = access.how == "write" and not self._entered(index, before)
                return (index, what) if plain else None
        return None

    def _written_after(self, frame: str) -> bool:
        """True when the frame's register is not set once and for all by the first instructions."""
        places = [at for at, raw in enumerate(self.code) if frame in self.machine.written(raw)]
        return any(at >= _PROLOGUE for at in places)

    def value(self, register: str, before: int, depth: int) -> int | None:
        """A register's value right before a place: as it is now where nothing set it since, else
        worked out from what set it."""
        name = self.machine.registers({}).name(register)
        if not any(name in self.machine.written(raw) for raw in self.code[before:]):
            return self.registers.get(name)
        found = self.definition(name, before) if depth else None
        return None if found is None else self.result(found[0], found[1], depth - 1)

    def result(self, index: int, effect: Effect, depth: int) -> int | None:
        """What an instruction put into its register."""
        if effect.kind == "constant":
            return effect.offset & self.machine.mask
        where = self.address(index, effect, depth)
        if effect.kind == "move" or where is None:
            return where
        return self._loaded(where, effect)

    def address(self, index: int, effect: Effect, depth: int) -> int | None:
        """Base and offset, as they were."""
        base = 0 if effect.base is None else self.value(effect.base, index, depth)
        return None if base is None else (base + effect.offset) & self.machine.mask

    def _loaded(self, where: int, effect: Effect) -> int | None:
        raw = self.core.read(where, effect.size)
        if raw is None:
            return None
        value = int.from_bytes(raw, "little" if self.core.little_endian else "big")
        if effect.signed:
            value = signed(value, effect.size) & self.machine.mask
        return value

    def told(self, index: int, effect: Effect, known: int | None) -> str | None:
        """One step in words; None where what it computes is not what was used."""
        raw = self.code[index]
        by = f"by {raw.text} at {raw.address:#x}"
        if effect.kind == "constant":
            return f"{effect.register} was set to the constant {effect.offset:#x} {by}"
        where = self.address(index, effect, _MOST_STEPS)
        if where is None:
            return None
        if effect.kind == "move":
            verb = "copied" if not effect.offset else "computed"
            return f"{effect.register} = {where:#x} was {verb} {by}"
        value = self._loaded(where, effect)
        if value is None or (known is not None and value != known):
            return None
        return (
            f"{effect.register} was loaded with {value:#x} from {where:#x} "
            f"({place(self.core, where)}) {by}"
        )
