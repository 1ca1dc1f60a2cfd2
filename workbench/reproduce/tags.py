"""A number taken for a pointer, since its object says that it is of a kind that has one there."""

from collections.abc import Mapping, Sequence

from analyzers.owners.modules import is_runtime_library
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.loops import loaded_for
from workbench.reproduce.observing import call_of, hits_of
from workbench.reproduce.owners import in_allocator, is_own
from workbench.reproduce.sizes import Sizes
from workbench.reproduce.slices import Lead, Place
from workbench.reproduce.wire import Cell, Point, Variable
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.history import slicer_at
from workbench.targets.probes.places import crashing_thread

_BESIDE = 64
"""Bytes of an object in which its kind is looked for."""
_WATCHED = 2
UNION = "<union>"
UNION_HERE = "<union here>"
"""What a variable is called that is a union of what the failing function's pointers lead to; of a
variable of its own."""
_DEEP = 24


class Tags(Sizes):
    """What an object says of itself."""

    async def _retagged(self, lead: Lead) -> OriginStep | None:
        """Who made an object one of another kind without what that has: the failing function
        compared a member with a constant on its way, which was changed, in another call, after the
        number was stored that was read as a pointer by another member of a union, or where the
        object ends in front of it."""
        place = lead.cells[0] if lead.row in ("pointer", "copy") and lead.cells else None
        value = place.value if place is not None else None
        if place is None or value is None or self.core.region(value) or lead.derived:
            return None
        at, tags = self._tags(place)
        if not tags or self._left <= 1:
            return None
        seen = await self._observe(
            "what says of which kind it is", points=(Point("U", at),),
            cells=(Cell("C1", place.cell), *tags[:_WATCHED]), blocks=(place.cell, tags[0].address),
        )  # fmt: skip
        if seen is None:
            return None
        births = [h for h in self._blocks(seen, tags[0].address) if h.kind == "alloc"]
        born = births[-1].order if births else 0
        stored = [h for h in hits_of(seen) if h.order > born and not in_allocator(h.frames)]
        shared = any(self._in_union(place.cell, hit.variables) for hit in hits_of(seen))
        put = [hit for hit in stored if hit.watch == "C1" and hit.new == value]
        behind = bool(births) and self._behind_end(births[-1], Cell("C1", place.cell))
        kept = put[-1] if put and value and shared else None
        changed = [
            hit for hit in stored
            if hit.watch != "C1" and is_own(hit.frames[0]) and hit.old != hit.new
            and (hit.order > kept.order and call_of(hit) != call_of(kept) if kept
                 else behind and any(h.watch == hit.watch and h.order < hit.order for h in stored))
        ]  # fmt: skip
        if len({hit.watch for hit in changed}) != 1:
            return None
        if kept is not None:
            self.steps.append(self._step(seen, kept, OriginKind.WRITTEN))
        return self._step(seen, changed[-1], OriginKind.WRITTEN)

    async def _in_a_union(self, lead: Lead) -> bool:
        """Whether what was used as a pointer lay in a union of a variable of the failing function:
        another member may hold it by right, and who wrote it is to blame no more than who said of
        which kind the object is."""
        held = [(place.cell, place.value) for place in lead.cells[:1]]
        held += [(one.source, one.value) for one in lead.steps if one.kind == "load" and one.source]
        at, _ = self._at_program()
        if lead.row not in ("pointer", "copy") or not held or not held[0][1] or self._is_spent():
            return False
        seen = await self._observe("whether it lies in a union", points=(Point("U", at),))
        hits = hits_of(seen)
        return bool(hits) and self._in_union(held[0][0], hits[-1].variables)

    def _tags(self, place: Place) -> tuple[int, list[Cell]]:
        """Where the program failed, and the members beside a cell that its function compared with
        constants on its way, the last one first."""
        pc, registers = self._at_program()
        slicer = slicer_at(self.core, pc, registers) if pc else None
        found = dict[int, Cell]()
        for index, rest, _ in slicer.back() if slicer is not None else ():
            insn = slicer.code.instructions[index] if slicer is not None and index else None
            if slicer is None or index is None or insn is None or insn.mnemonic not in (
                "cmp", "test"
            ):  # fmt: skip
                continue
            one, other = insn.operands
            if other.imm is None and one != other:
                continue
            at, plain = loaded_for(slicer, one, (index, rest))
            base = at if place.base is None else place.base
            if not (at and plain and self._block_start(at) == self._block_start(base or 0)):
                continue  # another object's
            if 0 < abs(at - place.cell) <= _BESIDE and at not in found:
                found[at] = Cell(f"C{len(found) + 2}", at, one.size)
        return pc, list(found.values())

    def _at_program(self) -> tuple[int, Mapping[str, int]]:
        """The failing thread's innermost instruction of the program itself, with the registers
        there; 0 where there is no thread."""
        thread = crashing_thread(self.core)
        if thread is None:
            return 0, {}
        above = callers_of_thread(self.core, thread, _DEEP)
        inside = [
            (thread.pc or 0, thread.registers),
            *((a.call.address, a.registers) for a in above),
        ]
        return next((one for one in inside if self._is_programs(one[0])), inside[0])

    def _is_programs(self, pc: int) -> bool:
        module = self.core.module_at(pc)
        return module is not None and not is_runtime_library(module.name)

    def _in_union(self, cell: int, variables: Sequence[Variable]) -> bool:
        """Whether a cell lies in a union of an element of what one of a function's pointers leads
        to, in the same block: the unions of the first one stand in front of it."""
        unions: list[Variable] = []
        for one in variables:
            if one.name == UNION_HERE:
                if 0 <= cell - one.address < one.size:
                    return True
                continue
            if one.name == UNION:
                unions.append(one)
                continue
            if any((cell - u.address) % max(one.size, 1) < u.size for u in unions) and (
                self.core.region(cell) is self.core.region(one.address)
                and self._block_start(cell) == self._block_start(one.address)
            ):
                return True
            unions = []
        return False
