"""A number of what the program reads, a file's or a stream's, that led a pointer astray, and that
nobody compared with anything."""

import itertools
import re
from collections.abc import Sequence

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.loops import builds_up
from workbench.reproduce.makers import compares, made_of
from workbench.reproduce.moment import at_hit, before, wrote
from workbench.reproduce.nulls import ahead_of
from workbench.reproduce.observing import Bound, fitting
from workbench.reproduce.owners import is_own
from workbench.reproduce.sizes import Sizes
from workbench.reproduce.slices import cells_of
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import Kept, kept
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import Code, code_around, reached
from workbench.targets.probes.fault import faulting_access
from workbench.targets.probes.history import argument, history
from workbench.targets.probes.instruction import MASK, Instruction
from workbench.targets.probes.places import crashing_thread, read_some
from workbench.targets.probes.transfer import machine_of
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY, decode_one

_DEEP, _MOST, _RUNS = 24, 8, 4
_READS = re.compile(r"(?:^|_)(?:fread|fgets|getdelim|getline|xsgetn)(?:_unlocked)?$"
                    r"|^std::.*(?:istream|filebuf|streambuf)")  # fmt: skip
"""The C and C++ library's functions that hand over what a stream holds."""
_ELEMENT = re.compile(r"add \w+, (?:[89]|0x\w|\d\d)")
_SCALES = re.compile(r"(?:shl|sal|imul) |lea \w+, \[(?:\w+ \+ )?\w+\*")
_CUTS = re.compile(r"movzx|movsx \w+, (?:byte|word|[a-d][lx]\b)|i?mul|sub|and|sh[lr]|sar")
"""What may have made the size of a block smaller than what was meant."""
_STEPS = ("add", "sub", "inc", "dec")
_SAME = re.compile(r"(?:mov\w*|shl|sal|bswap) |cdqe|lea \w+, \[\w+\*\d\]|imul \w+, \w+, \d")
"""What leaves a number as it was read, but for its width, its bytes' order and an element's size.
"""


class Inputs(Sizes):
    """Where a pointer was led astray by what was read."""

    async def _unchecked(self) -> OriginStep | None:
        """The line that added a number to a pointer, which had come from a file or a stream as it
        stood there, is more than there are bytes behind that pointer, and was compared with nothing
        by then: any number may stand there. None where another function had handed it over, or
        looked at it: what that should have done is not known."""
        sums = self._sums()
        self._left = max(self._left, _RUNS)
        seen = await self._observe(
            "which number was added", points=tuple(Point("R", at) for at in sums)
        ) if sums else None  # fmt: skip
        stack = self.core.region(self._stack_pointer)
        last = {one.address: one for one in (seen.outcome.events if seen is not None else ())
                if self.core.region(one.registers.get("rsp", 0)) is stack}  # fmt: skip
        for hit in sorted(last.values(), key=lambda one: -one.order):
            found = self._far(hit)
            if found is None:
                continue
            load, cell, start = found
            seen_at = await self._read(load.address, Bound()) if not cell else None
            cell = seen_at[3] if seen_at is not None else cell
            read = await self._is_read(cell, load, start) if cell and self._left > 0 else None
            if seen is None or read is None:
                return None
            lines = {(one.function, one.line) for one in await self._runs.own_places(
                [load.address, hit.address]) if is_own(one)}  # fmt: skip
            if len(lines) != 1:
                return None  # the compiler had it added where it liked
            self.steps += [read] if read.kind is OriginKind.WRITTEN else []
            return self._step(seen, hit, OriginKind.COMPUTED)
        return None

    def _sums(self) -> list[int]:
        """The instructions of the program's that may have added up the address that failed."""
        thread, machine = crashing_thread(self.core), machine_of(self.core)
        pc = thread.pc if thread is not None else None
        insn = decode_one(read_some(self.core, pc, 16), pc) if pc is not None else None
        if thread is None or machine is None or pc is None or insn is None:
            return []
        access = faulting_access(self.core, thread, machine, insn)
        ways = [pc]
        for name in (access.base, access.index) if access is not None else ():
            if name is None:
                continue
            value, at = thread.registers.get(name), self.core.module_at(pc)
            slices = [history(self.core, pc, name, thread.registers, into=True)]
            for caller in callers_of_thread(self.core, thread, _DEEP):
                if self.core.module_at(caller.call.address) is not at:
                    given = [argument(self.core, caller, one) for one in ARGUMENTS]
                    slices += [steps for one, steps in given if one == value]
                    break
            for steps in slices:
                ways += [step.at for step in steps]
                last = steps[-1] if steps else None
                code = code_around(self.core, last.at) if last is not None else None
                if last is not None and code is not None and last.at in code.at:  # a loop's
                    made = made_of(self.core, code, [(code.at[last.at], last.register)])[0]
                    ways += [one.address for one in made]
        return [one for one in dict.fromkeys(ways) if self._adds(one)][:_MOST]

    def _adds(self, at: int) -> bool:
        """Whether an instruction adds two that both vary."""
        code = code_around(self.core, at)
        insn = code.instructions[code.at[at]] if code is not None and at in code.at else None
        if code is None or insn is None or len(insn.operands) != 2:
            return False
        mems = [one.mem for one in insn.operands if one.mem is not None]
        return (insn.mnemonic == "add" and insn.operands[1].imm is None) or any(
            one.index is not None and one.base not in (None, *code.frame) for one in mems
        )

    def _far(self, hit: Hit) -> tuple[Instruction, int, int] | None:
        """The load of the number that an instruction adds to an address, where that leads out of
        the memory there and is more than its bytes, the cell that it was read from, 0
        where only a run shows it, and the address."""
        insn = decode_one(read_some(self.core, hit.address, 16), hit.address)
        code = code_around(self.core, hit.address)
        if insn is None or code is None:
            return None
        moment, parts = at_hit(self.core, hit), list[tuple[int, int, str, int]]()
        into, mem = insn.operands[0], insn.operands[-1].mem or insn.operands[0].mem
        if insn.mnemonic == "add":
            cell = insn.effective(mem, hit.registers) if mem is not None else None
            name, other = (FAMILY.get(one.reg or "", "") for one in insn.operands)
            parts.append((hit.registers.get(name, 0), 1, name, 0))
            if cell is not None:
                parts.append((moment.number(cell, into.size) or 0, 1, "", cell))
            else:
                parts.append((hit.registers.get(other, 0), 1, other, 0))
        elif mem is not None:
            parts += [(hit.registers.get(one or "", 0), by, one or "", 0)
                      for one, by in ((mem.base, 1), (mem.index, mem.scale))]  # fmt: skip
        total = sum(value * by for value, by, _, _ in parts) & MASK
        for (value, _, name, cell), (start, one, _, _) in zip(parts, parts[::-1], strict=True):
            region = self.core.region(start) if one == 1 else None
            if region is None or self.core.region(total) is region:
                continue
            if not self._room(start) < value < 1 << 63:
                continue
            if cell:
                return insn, cell, start
            steps = history(moment, insn.address, name, hit.registers)
            load = next((step for step in steps if step.kind == "load" and step.matches), None)
            ahead = steps[: steps.index(load)] if load is not None else []
            plain = all(step.kind in ("copy", "load", "store") or _SAME.match(step.text)
                        for step in ahead)  # fmt: skip
            places = cells_of(moment, steps)[0]
            at = places[0].at if places else load.at if load is not None else 0
            if plain and at in code.at:
                return code.instructions[code.at[at]], places[0].cell if places else 0, start
        return None

    def _room(self, start: int) -> int:
        """How many bytes are behind an address, of its heap block, or its mapping."""
        block, region = self._block_start(start), self.core.region(start)
        size = (self.core.read_word(block - 8) or 0) & ~7 if block is not None else 0
        return size or (region.end - region.start if region is not None else 0)

    async def _is_read(self, at: int, load: Instruction, start: int) -> OriginStep | None:
        """Who read what stands in a cell ``at`` from a file or a stream, where nobody but an
        instruction ``load`` looked at it afterwards, its function compares it with nothing, nobody
        counted up the place where it was looked for, who may have miscounted, and the block of the
        address ``start`` that it was added to was asked for in no size that was worked out."""
        cell = Cell("X", at, load.operands[-1].size)
        region, code = self.core.region(at), code_around(self.core, load.address)
        across = cell.address % cell.size  # no member of a structure: its place may be wrong
        if across or region is None or code is None or self._compared(code, load):
            return None
        mem = load.operands[-1].mem
        starts = [(code.at[load.address], mem.base or "")] if mem is not None else []
        made = made_of(self.core, code, starts)[0]
        sums = [one for one in (*made, load) if self._adds(one.address)]
        seen = await self._observe(
            "who looked at what was read", cells=(cell,), blocks=(at, start), reads=True,
            points=tuple(Point("L", one.address) for one in {load.address: load, **{
                one.address: one for one in sums}}.values()),
        )  # fmt: skip
        hits = [one for one in seen.outcome.events if one.watch == "X"] if seen is not None else []
        lives = self._blocks(seen, at, 1 << 60) if seen is not None else []
        births = self._blocks(seen, start, 1 << 60) if seen is not None else []
        sizes = [
            step for one in births[-1:] for by, name in self._asks(one)[-1:]
            for into in (name, "rsi") for step in argument(at_hit(self.core, one), by, into)[1]
        ]  # fmt: skip
        if any(_CUTS.match(step.text) for step in sizes):
            return None
        if seen is None or len(lives) > 1 or seen.outcome.totals.get("X", 0) != len(hits):
            return None
        put = [one for one in hits if one.kind == "filled" or wrote(self.core, one)]
        since = [one for one in hits if not put or one.order > put[-1].order]
        mapped = region.kind == "file" and self.core.module_at(cell.address) is None
        if any(before(self.core, one.registers["rip"]) != load for one in since) or not since:
            return None
        if not (self._streams(put[-1]) if put else mapped):
            return None
        ways = {one.address: one for one in seen.outcome.events
                if one.watch == "L" and one.order < since[-1].order}  # fmt: skip
        if await self._is_stepped(list(ways.values())):
            return None
        return self._step(seen, *((put[-1], OriginKind.WRITTEN) if put else (
            since[-1], OriginKind.USED)))  # fmt: skip

    async def _is_stepped(self, ways: Sequence[Hit]) -> bool:
        """Whether a pointer, or a number that is no element's, from which one of these instructions
        made an address, may have been stepped on."""
        cells = list[Cell]()
        for hit in ways:
            insn = decode_one(read_some(self.core, hit.address, 16), hit.address)
            mem = next((one.mem for one in insn.operands if one.mem), None) if insn else None
            names = [FAMILY.get(one.reg or "", "") for one in insn.operands] if insn else []
            cell = insn.effective(mem, hit.registers) if insn and mem else None
            if insn is not None and mem is not None and insn.mnemonic == "add":
                cells += [Cell(f"P{len(cells)}", cell)] if cell is not None else []
            elif mem is not None:
                names = [mem.base or "", "" if mem.scale > 1 else mem.index or ""]
            for name in (one for one in names if one not in ("", "rip")):
                moment = at_hit(self.core, hit)
                steps = history(moment, hit.address, name, hit.registers)
                places = cells_of(moment, steps)[0]
                if not any(_SCALES.match(step.text) for step in steps):
                    if not steps or any(
                        builds_up(self.core, one.at) and not _ELEMENT.match(one.text)
                        for one in steps
                        if one.kind == "computed"
                    ):
                        return True
                    cells += [Cell(f"P{len(cells)}", one.cell, one.size) for one in places[:1]]
        if len(fitting(cells)) != len(cells) or (cells and self._left <= 0):
            return True
        seen = await self._observe("whether it was counted on", cells=cells) if cells else None
        return bool(cells) and (seen is None or any(
            is_own(one.frames[0]) and (builds_up(self.core, at.address) or at.mnemonic in _STEPS)
            for one in seen.outcome.events if one.frames
            and (at := before(self.core, one.registers.get("rip", 0))) is not None
        ))  # fmt: skip

    def _streams(self, hit: Hit) -> bool:
        """Whether the system, or the library that reads a stream, wrote there."""
        inner = itertools.takewhile(lambda one: not is_own(one), hit.frames)
        return hit.kind == "filled" or any(_READS.search(one.function or "") for one in inner)

    def _compared(self, code: Code, load: Instruction) -> bool:
        """Whether a function compares what an instruction of its loaded, or what it made of that,
        with more than nought, or hands it to another of the program's, on its way to what failed.
        """
        ahead, begun = ahead_of(code), code.at[load.address]
        running = [code.at[at] for frame in self.crash.outcome.frames
                   if (at := frame.address or 0) in code.at]  # fmt: skip
        ends = [at - (code.instructions[at - 1].is_call) for at in running[:1]]
        way = reached(ahead, begun, set(ends))
        way &= reached(code.before, ends[0], {begun}) if ends else way
        for at in way - set(ends):
            one, places = code.instructions[at], list[Kept]()
            if one.mnemonic in ("cmp", "test") and not compares(one):
                places = [kept(code, one, number) for number in (0, 1)]
            elif one.is_call and self._own_called(one) is not None:
                places = list(ARGUMENTS)
            for place in places:
                if place and load in made_of(self.core, code, [(at, place)])[0]:
                    return True
        return False
