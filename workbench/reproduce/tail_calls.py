"""Frames that left by a jump: a function whose last act is a call has no frame of its own any more
when the callee runs (``jmp free``), and its line is the one that is looked for."""

from collections.abc import Sequence

from analyzers.owners.modules import is_runtime_library
from workbench.model.facts import Frame
from workbench.reproduce.moment import before
from workbench.reproduce.owners import is_own
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.code import code_around
from workbench.targets.probes.unwind_table import function_bounds

_MOST_JUMPS = 4


def last_jump(core: Dump, frames: Sequence[Frame]) -> tuple[int, int] | None:
    """Where in a stack a frame is missing, and the jump by which it left: the program's innermost
    frame called another function than the one that the stack has next; 0 where it may have left by
    more than one. None where nothing is missing."""
    at = next((number for number, frame in enumerate(frames) if is_own(frame)), 0)
    if at == 0 or frames[at].address is None or frames[at].inlined:
        return None
    inner = next((frame for frame in reversed(frames[:at]) if not frame.inlined), frames[at - 1])
    inside = inner.address or 0
    call = before(core, frames[at].address or 0)
    if call is None or not call.is_call or call.target is None:
        return None
    goal, jump = through_plt(core, call.target), None
    for _ in range(_MOST_JUMPS):
        bounds = function_bounds(core, goal)
        module = core.module_at(goal)
        if bounds is None or module is None or bounds[0] <= inside < bounds[1]:
            break
        if is_runtime_library(module.name):
            break  # the allocator's entry, which may jump on
        code = code_around(core, goal)
        leaving = [
            one
            for one in (code.instructions.outlines if code is not None else ())
            if one.mnemonic.rsplit(" ", 1)[-1] == "jmp"
            and (one.target is None or not bounds[0] <= one.target < bounds[1])
        ]
        into = [one for one in leaving if _leads_to(core, one.target or 0, inside)] or leaving
        if len(into) != 1:
            return at, 0
        jump = into[0].address
        if into[0].target is None:
            break
        goal = through_plt(core, into[0].target)
    return (at, jump) if jump is not None else None


def _leads_to(core: Dump, target: int, inside: int) -> bool:
    bounds = function_bounds(core, through_plt(core, target))
    return bounds is not None and bounds[0] <= inside < bounds[1]
