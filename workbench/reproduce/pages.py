"""Pages that were taken away from under a pointer."""

import itertools

from msgspec.structs import replace

from workbench.model.aliases import public
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.hits import is_from
from workbench.reproduce.moment import RED_ZONE, at_hit
from workbench.reproduce.observing import Observed, hits_of
from workbench.reproduce.owners import in_allocator, is_own
from workbench.reproduce.slices import Lead
from workbench.reproduce.values import Values
from workbench.reproduce.wire import Hit
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.places import kind_of

_CALLS, _WORD = 24, 8
_FRONT = 16
"""Bytes of what malloc maps for a block in front of its memory (glibc, malloc/malloc.c)."""
_ANY = 3
"""PROT_READ and PROT_WRITE: a call that allows both takes nothing away."""


class Pages(Values):
    """Who unmapped, moved or protected the page of a failed access."""

    def _unmapped(self, seen: Observed, lead: Lead, end: int) -> OriginStep | None:
        """Who took away what the access needed. None where the pages were mapped again since:
        of which life the pointer is, is not known; nor where nothing shows where it came from and
        it may have run out of what lies in front."""
        hits = hits_of(seen, "pages", end)
        left = [h for h in hits if h.kind == "mprotect" and (h.new or 0) & _ANY == _ANY]
        gone = [hit for hit in hits if hit.kind != "mmap" and hit not in left]
        if not gone or any(hit.kind == "mmap" and hit.order > gone[0].order for hit in hits):
            return None
        if not lead.cells and self.core.region(gone[-1].address - 1) is not None:
            return None
        mapped = [hit for hit in hits if hit.kind == "mmap" and hit.order < gone[0].order]
        if gone[-1].kind == "mprotect" and any(is_from(gone[-1], one) for one in mapped[-1:]):
            return None  # a guard: nobody ever had them
        freed = in_allocator(gone[-1].frames)
        if freed and self._ran_there(gone[-1]):
            return None
        return self._step(seen, gone[-1], OriginKind.FREED if freed else OriginKind.UNMAPPED)

    def _ran_there(self, gone: Hit) -> bool:
        """Whether the access came to what malloc had mapped out of the memory in front."""
        return 0 <= (self.crash.outcome.address or 0) - gone.address < _FRONT

    async def _moved_under(self, lead: Lead) -> OriginStep | None:
        """The call in which who failed had a block moved that it held a pointer to (realloc(3)) and
        went on to use: pages alone show it, of a block that malloc had mapped for itself. Or who
        gave that block back, where the pointer into it was in no cell."""
        used = next((one for one in self.crash.outcome.frames if _is_call(one)), None)
        held, page = lead.pointer, lead.page
        if used is None or not (held and page and self._was_mapped_alone(held)) or self._left <= 0:
            return None
        seen = await self._observe("who had it moved", pages=(page,))
        gone = hits_of(seen, "pages")[-1:]
        names = [public(one.function or "") for hit in gone for one in hit.frames]
        if seen is None or not gone or gone[0].kind not in ("mremap", "munmap"):
            return None
        if "realloc" not in names:
            # Where a call gave the pointer, no cell leads to who had taken it from the block.
            inside = 0 <= held - gone[0].address < gone[0].size and not lead.cells
            return self._unmapped(seen, lead, 1 << 60) if inside else None
        if self._ran_there(gone[0]):
            return None
        if (
            lead.cells
            and lead.cells[0].value == held
            and kind_of(self.core, lead.cells[0].cell) != "stack"
        ):
            return self._step(seen, gone[0], OriginKind.FREED)  # what it moved left a pointer there
        cells = [one.cell for one in lead.cells[:1]]
        if any(one.address <= cell < one.address + one.size and one.size > _WORD
               for one in self.crash.outcome.variables for cell in cells):  # fmt: skip
            return None  # a member, of what others may have been lent
        call = used.call
        inner = [one for one in gone[0].frames if _is_call(one)]
        calls = [one.call for one in inner]
        if call not in calls or not self._holds(gone[0], used):
            return None
        made = range(inner[calls.index(call)].index)
        return self._step(seen, replace(gone[0], made=tuple(made)), OriginKind.FREED)

    def _holds(self, hit: Hit, used: Frame) -> bool:
        """Whether a call on the stack has a pointer into what a hit takes away, in its frame or in
        a register that is kept."""
        low = hit.registers.get("rsp", 0) - RED_ZONE
        above = callers(at_hit(self.core, hit), hit.registers["rip"], hit.registers, _CALLS)
        for caller, outer in itertools.pairwise(above):
            here, end = (one.registers.get("rsp", 0) for one in (caller, outer))
            if here == used.stack_pointer:
                stack = bytes.fromhex(hit.stack)[here - low : end - low]
                words = [int.from_bytes(stack[at : at + 8], "little")
                         for at in range(0, len(stack), 8)]  # fmt: skip
                held = (*caller.registers.values(), *words)
                return any(0 <= one - hit.address < hit.size for one in held)
        return False


def _is_call(frame: Frame) -> bool:
    return is_own(frame) and not frame.inlined
