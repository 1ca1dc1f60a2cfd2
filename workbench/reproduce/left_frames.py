"""Pointers to locals of calls that have come back."""

import itertools
from collections.abc import Sequence

from msgspec.structs import replace

from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.makers import returns
from workbench.reproduce.moment import frame_of
from workbench.reproduce.observing import Observed, Observing, hits_of
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead
from workbench.reproduce.unset import LENT
from workbench.reproduce.wire import Cell, Hit, Outcome, Point
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.instruction import led_to
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.unwind_table import function_bounds

_DEEP = 64


class LeftFrames(Observing):
    """Who kept the address of a local for longer than its call ran."""

    def _frame_gone(self, seen: Observed, lead: Lead, end: int) -> OriginStep | None:
        """A pointer to a local of a function that has come back since it was stored."""
        base = lead.cells[0].base
        stored = [
            hit for hit in hits_of(seen)
            if hit.watch[0] == "C" and hit.watch != "C1" and hit.order < end
            and (hit.watch == "C2" if len(lead.cells) > 1 else hit.new == base)
        ]  # fmt: skip
        number = stored and kind_of(self.core, stored[-1].new or 0) != "stack"
        if not stored or lead.stack_block or number:
            return None
        read = next((hit for hit in hits_of(seen) if hit.order == end), self.crash.outcome)
        return self._left_frame(seen, stored[-1], lead.cells[0].cell, read)

    async def _came_back(self, seen: Observed, step: OriginStep) -> bool:
        """Whether the function in whose frame a step was made ended with its own return, and by no
        way past it (longjmp(3), an exception), and had not given the address to two that looked
        where it is kept: the second may be to take it away. True where that is not seen. Never
        where it had put back what was there before it: that was passed over this time."""
        if _puts_back(hits_of(seen), step):
            return False
        stack = [one for one in step.stack if not one.inlined]
        at = next((n for n, one in enumerate(stack) if one.function == step.function), len(stack))
        code = code_around(self.core, stack[at].address or 0) if at + 1 < len(stack) else None
        ends = returns(code) if code is not None else []
        if code is None or not ends or self._left <= 0 or any(
            one.is_jump and one.target is not None
            and not code.start <= one.target < code.instructions[-1].end
            for one in code.instructions
        ):  # fmt: skip
            return True
        top = stack[at + 1].stack_pointer or 0
        bases = {"rbp": top - 16, "rsp": stack[at].stack_pointer or 0}
        lent = [
            one.address
            for one in code.instructions
            for base, far in (led_to(one),)
            if base in code.frame and bases[base or ""] + far == int(step.new or "0", 16)
        ]
        points = (Point("E", code.start), *(Point("R", one) for one in ends))
        asked = len(lent) > 1 and step.address is not None
        ended = await self._observe(
            "whether its frame ended with a return",
            points=(*points, *(Point("A", one) for one in lent[:LENT] if asked)),
            cells=(Cell("L", step.address or 0),) if asked else (), reads=asked,
        )  # fmt: skip
        events = hits_of(ended)
        hits = [h for h in events if h.watch in "ER" and h.registers.get("rsp", 0) + 8 == top]
        entered = max((h.order for h in hits if h.watch == "E"), default=1 << 60)
        gave, looked = 0, set[int]()
        for hit in events:
            if hit.order > entered and hit.watch == "A":
                gave = hit.address
            elif hit.order > entered and hit.watch == "L" and gave:
                looked.add(gave)
            elif hit.watch == "R":
                gave = 0
        return len(looked) < 2 and (not hits or hits[-1].watch == "R")

    def _left_frame(
        self, seen: Observed, hit: Hit, address: int, read: Hit | Outcome
    ) -> OriginStep | None:
        """The function in whose frame an address lay at a hit, where that frame is gone when it
        is ``read``."""
        then = frame_of(hit.frames, address)
        # A frame that comes back to where no code is leads to no other.
        frames = list(itertools.takewhile(
            lambda one: not one.index or self.core.region(one.address or 0), read.frames
        ))  # fmt: skip
        now = frame_of(frames, address)
        if then is None or not is_own(then[0]):
            return None
        if now is not None and (now[0].function, now[1]) == (then[0].function, then[1]):
            return None
        if now is None and self._may_run_elsewhere(*then, address):
            return None
        top = frames[0].stack_pointer or 0 if frames else 0
        if now is None and top <= address and self.core.region(top) == self.core.region(address):
            return None  # above it, where the stack cannot be followed: it may be there
        step, frame = self._step(seen, hit, OriginKind.RELEASED_EARLY), then[0]
        return replace(step, function=frame.function, file=frame.file, line=frame.line, left=True)

    def _may_run_elsewhere(self, frame: Frame, top: int, address: int) -> bool:
        """Whether a function's frame, in which ``address`` lay and above which its caller's stack
        pointer is ``top``, may be on the stack of a thread that did not fail: its calls lead there,
        or cannot be followed as far."""
        bounds = function_bounds(self.core, frame.address or 0) or (0, 0)
        stack = self.core.region(address)
        for thread in self.core.threads:
            if thread.sp is None or thread.sp > address or self.core.region(thread.sp) != stack:
                continue
            inside = thread.pc or 0
            for caller in callers_of_thread(self.core, thread, _DEEP):
                if caller.registers["rsp"] > address:
                    within = bounds[0] <= inside < bounds[1]
                    return within and (caller.registers["rsp"] == top or frame.function == "main")
                inside = caller.call.address
            return True
        return False


def _puts_back(hits: Sequence[Hit], step: OriginStep) -> bool:
    """Whether the function that kept the address of its local in a cell, as a step says, had in a
    call, or round, before put back into that cell what its local took the place of."""
    stores = [hit for hit in hits if hit.address == step.address and hit.old != hit.new]
    for one, other in itertools.pairwise(stores):
        frame = frame_of(one.frames, one.new or 0)
        if frame is not None and frame[0].function == step.function and other.new == one.old:
            now = frame_of(other.frames, one.new or 0)
            if now is not None and (now[0].function, now[1]) == (frame[0].function, frame[1]):
                return True
    return False
