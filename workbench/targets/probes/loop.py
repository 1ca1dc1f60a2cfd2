"""``@loop TID``: whether a thread that computes can ever come to an end, from the dump alone.

Two things prove that it cannot: no instruction that can follow leaves the code (`Ways`), or the
same registers and memory come back after some instructions, carried out on paper (`stepping`), all
or those that decide where it goes (`undecided`).
Either holds only as long as no other thread and no signal changes what the thread reads.
Of ways out all branches are followed, whatever their conditions; what is not known (an indirect
branch, a system call) counts as one.
"""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress

from msgspec import Struct, field

from workbench.model.aliases import public
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import x86
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.effects import EFFECTS, PURE, StuckError, pure_name
from workbench.targets.probes.instruction import MASK, Instruction
from workbench.targets.probes.machines.x86 import accesses
from workbench.targets.probes.places import (
    clean,
    crashing_thread,
    executable,
    place,
    thread_of,
    variable_at,
)
from workbench.targets.probes.stepping import Stepper
from workbench.targets.probes.x86 import COPIES, FAMILY

_NUMBER = re.compile(r"[0-9]{1,10}")
_FRAMES = 12
_STEPS = 40_000
_PASSES = 256
_MOST_STATES = 4096
_LARGEST = 2048
_READS, _MOST_READ = 4, 64
_STRUCTURE = 256


class Found(Struct, frozen=True):
    """``lines`` say it. Where it comes to no end: ``at`` is the address on the stack of the frame
    that never returns, ``code`` the addresses of its round's own instructions, ``reads`` whether
    the round reads what another thread may change, ``links`` the cells by which a list that it
    follows leads back to itself. None of these depends on the instant at which
    the thread was stopped, `_closed`'s code before the loop apart."""

    lines: tuple[str, ...]
    at: int = 0
    code: frozenset[int] = frozenset()
    reads: bool = False
    links: tuple[int, ...] = ()


def probe(core: Dump, args: list[str]) -> str:
    """What can be said of the thread's next instructions, a line each; of the thread that ended
    the process, without ``args``."""
    if core.arch != "x86_64":
        return f"instructions are not followed on {core.arch}\n"
    known = thread_of(core, int(args[0])) if args and _NUMBER.fullmatch(args[0]) else None
    thread = known if args else crashing_thread(core)
    if thread is None or thread.pc is None:
        return "usage: @loop TID, a thread of the dump\n"
    return "\n".join(look(core, thread).lines) + "\n"


def look(core: Dump, thread: CoreThread) -> Found:
    """Whether an x86-64 thread with a pc comes to an end."""
    return _closed(core, thread) or _around(core, thread)


def _frames(core: Dump, thread: CoreThread) -> Iterator[tuple[int, int]]:
    """Where each function of the stack goes on, innermost first, and its stack pointer there."""
    yield thread.pc or 0, thread.sp or 0
    for caller in callers_of_thread(core, thread, _FRAMES):
        yield caller.call.end, caller.registers["rsp"]


def _closed(core: Dump, thread: CoreThread) -> Found | None:
    """The innermost function of the stack that no way leads out of, when all that is called from
    it only computes."""
    ways = Ways(core)
    for at, _ in _frames(core, thread):
        found = ways.closed(at)
        if found and ways.acts(found):  # for whoever sees what it writes, for all that is known
            line = (
                f"thread {thread.tid}: followed for {len(found)} instructions from {at:#x} "
                "that have no way out and write to memory"
            )
            return Found((line,), at, ways.round(at) or found)
        if found:
            region = f"{min(found):#x} to {max(found):#x}"
            line = (
                f"thread {thread.tid}: no way leads out from {at:#x} ({place(core, at)}): "
                f"the {len(found)} instructions that can follow lie from {region}; none of them "
                "returns, and none enters the kernel"
            )
            return Found((line,), at, ways.round(at) or found)
        if not ways.calm(at):
            return None
    return None


def _around(core: Dump, thread: CoreThread) -> Found:
    """Goes on until a state comes back; what was read on the last round is told."""
    step = Stepper(core, thread.pc or 0, thread.registers)
    _leave_pure(core, thread, step)
    known: dict[tuple[object, ...], int] = {}
    passed = _Passed()
    for count in range(_STEPS):
        try:
            insn = step.step()
        except StuckError as stuck:
            return Found(
                (
                    f"thread {thread.tid}: followed for {count} instructions from "
                    f"{thread.pc:#x}, not past {clean(str(stuck))}",
                )
            )
        if step.pc > insn.address or insn.is_call or len(step.written) > _LARGEST:
            continue
        state = step.state()
        if state in known:
            return _round(core, thread, step, count + 1 - known[state], "registers and memory")
        length = passed.again(step, count)
        if length:
            what = "the registers and memory that decide where it goes"
            return _round(core, thread, step, length, what)
        if len(known) < _MOST_STATES:
            known[state] = count + 1
    return Found(
        (
            f"thread {thread.tid}: followed for {_STEPS} instructions from {thread.pc:#x} "
            "without an end",
        )
    )


def _leave_pure(core: Dump, thread: CoreThread, step: Stepper) -> None:
    """A thread inside of a function that only looks at memory goes on behind it: such functions
    use vectors, and keep their arguments while what they look at is short."""
    name = pure_name(public((core.symbolize(step.pc) or ("", 0))[0]))
    caller = next(callers_of_thread(core, thread, 1), None) if name else None
    if name is None or caller is None:
        return
    arguments = [thread.registers.get(register, 0) for register in x86.ARGUMENTS[:3]]
    with suppress(StuckError):
        result = PURE[name](lambda address: step.load(address, 1), *arguments)
        step.registers = {**caller.registers, "rax": result & MASK}
        step.flags, step.pc = None, caller.call.end


class _Passed:
    """The rounds so far, by the place where they end and its stack pointer."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int | None], tuple[int, int, Stepper | None]] = {}
        self._left = _STEPS

    def again(self, step: Stepper, count: int) -> int:
        """The length of a round whose way nothing that changes in it decides; 0 where none is
        shown. A pass of a place is held against the last one before it whose number is a power of
        two (R. P. Brent, BIT 20, 1980): a ring of data takes as many passes as it has members. Of
        late ones, by which a longer ring would have come round, only the next to that one is."""
        place = step.pc, step.registers.get("rsp")
        times, last, before = self._seen.get(place, (0, 0, None))
        times += 1
        length = count - last
        looked_at = times <= _PASSES or not (times - 1) & (times - 2)
        if before is not None and looked_at and length <= self._left:
            vain = in_vain(before, step, length)
            if not vain:
                return length
            self._left -= vain
        if not times & (times - 1):
            last, before = count, step.copy()
        self._seen[place] = times, last, before
        return 0


def _round(core: Dump, thread: CoreThread, step: Stepper, length: int, what: str) -> Found:
    """The round once more, to see where it goes and what it reads. What it calls returns within
    the round; the outermost frame that it comes to has the loop."""
    step.read.clear()
    step.changed.clear()
    passed = [(step.registers["rsp"], step.step().address) for _ in range(length)]
    top = max(pointer for pointer, _ in passed)
    inside = [at for at, pointer in _frames(core, thread) if pointer <= top]
    first = inside[-1] if inside else step.pc
    addresses = [address for _, address in passed]
    lines = [
        f"thread {thread.tid}: goes round without an end from {first:#x} ({place(core, first)}): "
        f"{what} are the same again after {length} instructions between "
        f"{min(addresses):#x} and {max(addresses):#x}"
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
    own = frozenset(address for pointer, address in passed if pointer == top)
    return Found(tuple(lines), first, own, bool(named), _ring(core, step.read))


def _ring(core: Dump, read: Collection[int]) -> tuple[int, ...]:
    """The cells, all of them read, each of which holds the address of the structure in which the
    next one lies at the same place, the first again behind the last."""
    for start in sorted(read):
        for offset in range(0, _STRUCTURE, 8):
            ring: list[int] = []
            at = start
            while at in read and at not in ring:
                ring.append(at)
                at = (core.read_word(at) or 0) + offset
            if ring and at == start:
                return tuple(ring)
    return ()


def _may_change(core: Dump, address: int) -> bool:
    region = core.region(address)
    return region is not None and "w" in region.perms


_MOST = 3000
_DEEPEST = 6
_LONGEST = 15
_LEAVES = frozenset({"syscall", "sysenter", "int", "int1", "int3", "ud2", "hlt", "xbegin", "retf",
                     "iretq", "ud0", "ud1"})  # fmt: skip


class Ways(Struct):
    """The instructions that can follow, until one leaves; calls count as returning where all that
    can follow in what they call is known and stays in the program."""

    core: Dump
    seen: int = 0
    _calm: dict[int, bool] = field(default_factory=dict)

    def closed(self, start: int) -> frozenset[int] | None:
        """The addresses that control can get to from ``start``, or None when it can return or
        leave."""
        found = self._follow(start, returns=False, depth=0)
        return None if found is None else frozenset(found)

    def acts(self, addresses: Collection[int]) -> bool:
        """True where one of the instructions calls, or stores to another place than the stack."""
        return any(
            insn.is_call
            or any(
                "write" in access.how and access.base not in ("rsp", "rbp")
                for access in accesses(insn, {})
            )
            for at in addresses
            if (insn := self._decode(at)) is not None
        )

    def round(self, start: int) -> frozenset[int]:
        """Of what `closed` gives the part that ``start`` comes back from: its loop."""
        after = self._follow(start, returns=False, depth=0) or {}
        before: dict[int, list[int]] = {}
        for at, following in after.items():
            for one in following:
                before.setdefault(one, []).append(at)
        todo, found = [start], set[int]()
        while todo:
            for one in before.get(todo.pop(), ()):
                if one not in found:
                    found.add(one)
                    todo.append(one)
        return frozenset(found)

    def calm(self, start: int, depth: int = 0) -> bool:
        """True when control that goes on at ``start`` can do nothing but compute and return."""
        known = self._calm.get(start)
        if known is None:
            self._calm[start] = True  # recursion adds nothing
            known = self._follow(start, returns=True, depth=depth) is not None
            self._calm[start] = known
        return known

    def _follow(self, start: int, returns: bool, depth: int) -> dict[int, list[int]] | None:
        """Each address that control gets to, and which ones follow it."""
        todo, reached = [start], dict[int, list[int]]()
        while todo:
            at = todo.pop()
            while at not in reached:
                self.seen += 1
                insn = self._decode(at) if self.seen <= _MOST else None
                if insn is None or insn.mnemonic.rsplit(" ", 1)[-1] in _LEAVES:
                    return None
                following = reached[at] = list[int]()
                if insn.is_return:
                    if not returns:
                        return None
                    break
                if insn.is_call and not self._returns(insn, depth):
                    return None
                if insn.is_jump:
                    if insn.target is None:
                        return None
                    following.append(insn.target)
                    if insn.mnemonic.rsplit(" ", 1)[-1] == "jmp":
                        at = insn.target
                        continue
                    todo.append(insn.target)
                following.append(insn.end)
                at = insn.end
        return reached

    def _returns(self, insn: Instruction, depth: int) -> bool:
        if insn.target is None or depth >= _DEEPEST:
            return False
        return self.calm(insn.target, depth + 1)

    def _decode(self, at: int) -> Instruction | None:
        if not executable(self.core, at):
            return None
        return x86.decode_one(self.core.read(at, _LONGEST) or b"", at)


# Whether a loop's way depends on what changes in it: a sum, a count that nothing asks for.
# One round is carried out on paper (`stepping`) with the registers and bytes that differed between
# two rounds taken as unknown. Where no branch and no address asks for one of them, and after the
# round no more than those is unknown and all else is what it was, every further round goes the
# same way.
_TRAPS = frozenset({"div", "idiv"})
"""Instructions that may end the process by what they are given."""
_KEEP_FLAGS = frozenset({*COPIES, "lea", "not", "cdqe", "cwde", "cdq", "cqo", "push", "pop"})
_READ_BY = {"strlen": 1, "strcmp": 2}
"""How many arguments a function reads that only looks at memory; others three."""
_TRIES = 4


class _UnknownError(StuckError):
    """A value that is not known was asked for."""


class _Round(Stepper):
    """Goes on from another one's state, with some of it unknown."""

    def __init__(self, known: Stepper, registers: set[str], cells: set[int]) -> None:
        super().__init__(known.core, known.pc, known.registers)
        self.written = dict(known.written)
        self.flags = None
        self.hidden = set(cells)
        for name in registers:
            self.registers.pop(name, None)

    def step(self) -> Instruction:
        """One instruction; of what it reads that is unknown its result is unknown."""
        insn, before = self._decode(), self.pc
        try:
            return super().step()
        except _UnknownError:
            if self.pc != before:
                raise
        name = insn.mnemonic
        if name not in EFFECTS.keys() - _TRAPS | {"push", "pop"}:
            raise StuckError(insn.text)
        if name == "pop":
            self.registers["rsp"] = self._register("rsp") + 8
        touched = accesses(insn, self.registers)
        if name == "push":
            self._push(0)
        for access in touched:
            if access.address is None:
                raise StuckError(insn.text)
            if "write" in access.how:
                self._hide(access.address, access.size)
        for family in insn.writes - {"rsp"}:
            self.registers.pop(family, None)
        if name not in _KEEP_FLAGS:
            self.flags = None
        self.pc = insn.end
        return insn

    def address(self, insn: Instruction, which: int) -> int:
        """Raises `StuckError` for an address made from what is unknown."""
        memory = insn.operands[which].mem
        for name in (memory.base, memory.index) if memory is not None else ():
            if name not in (None, "rip") and name not in self.registers:
                raise _UnknownError(insn.text)
        return super().address(insn, which)

    def load(self, address: int, size: int) -> int:
        """Raises `StuckError` for what is unknown."""
        if self.hidden and not self.hidden.isdisjoint(range(address, address + size)):
            raise _UnknownError(f"memory at {address:#x}")
        return super().load(address, size)

    def put(self, address: int, value: int, size: int) -> None:
        """What is written is known."""
        super().put(address, value, size)
        self.hidden.difference_update(range(address, address + size))

    def _register(self, name: str) -> int:
        if FAMILY.get(name) not in self.registers:
            raise _UnknownError(name)
        return super()._register(name)

    def _gone_to(self, goal: int) -> int:
        name = self._pure(goal)
        for register in x86.ARGUMENTS[: _READ_BY.get(name, 3)] if name is not None else ():
            if register not in self.registers:
                raise StuckError(register)
        return super()._gone_to(goal)

    def _hide(self, address: int, size: int) -> None:
        self.changed.add(address)
        self.hidden.update(range(address, address + size))


def in_vain(before: Stepper, now: Stepper, length: int) -> int:
    """0 where every round of ``length`` instructions from ``now`` goes the way of the first one,
    and ``before`` was a round earlier at the same place; else how many instructions it took to see
    that it is not shown."""
    registers = {
        name
        for name in before.registers.keys() | now.registers.keys()
        if before.registers.get(name) != now.registers.get(name)
    }
    cells = {at for at, _ in before.written.items() ^ now.written.items()}
    taken = 1
    for _ in range(_TRIES if "rsp" not in registers else 0):
        round_ = _Round(now, registers, cells)
        start = dict(round_.registers)
        try:
            for _ in range(length):
                taken += 1
                round_.step()
        except StuckError:
            return taken
        more, hidden = now.registers.keys() - round_.registers.keys(), round_.hidden
        if more <= registers and hidden <= cells:
            same = {name: value for name, value in start.items() if name not in more}
            known = {at: byte for at, byte in round_.written.items() if at not in cells}
            was = {at: byte for at, byte in now.written.items() if at not in cells}
            kept = all(round_.registers.get(name) == value for name, value in same.items())
            return 0 if round_.pc == now.pc and kept and known == was else taken
        registers, cells = registers | more, cells | hidden
    return taken
