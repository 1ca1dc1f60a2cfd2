"""Which frame of a stack in a log its report is about."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from analyzers.owners.kernel import is_kernel_reporting
from analyzers.owners.modules import is_kernel_module
from analyzers.owners.printed import is_end, is_entry, is_own, is_report, is_start, up_to_harness
from analyzers.patterns.reported.meant import MANY
from workbench.model.facts import Frame

_NEAR, _FEWEST = 12, 3
_KERNEL_TOOLS = frozenset({"the kernel", "KASAN", "KMSAN", "KCSAN", "KFENCE", "UBSAN"})


def is_kernel(tool: str) -> bool:
    """True for what the kernel itself reports: two of its reports need have nothing in common."""
    return tool in _KERNEL_TOOLS


def kernel_frame(tool: str, frames: Iterable[Frame]) -> Frame | None:
    """The frame that a kernel's own report is about: its reader left out what only reports, and
    names that a C library reserves are the kernel's own. None for other tools."""
    if not is_kernel(tool):
        return None
    named = (frame for frame in frames if frame.function)
    return next((f for f in named if not _reports(f)), None)


def _reports(frame: Frame) -> bool:
    """True for the kernel's own reporting; a loaded module's functions may be called alike."""
    loaded = frame.module is not None and not is_kernel_module(frame.module)
    return not loaded and is_kernel_reporting(frame.function or "")


def _logs(frame: Frame) -> bool:
    return frame.function is not None and is_report(frame.function)


def recurring(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The frames of a stack that ran out, from the innermost of the functions on that fill it: what
    they called last is only where it ended. All where none does: a few calls are enough of a
    listing that was cut, not of a whole one."""
    often = Counter(frame.function for frame in frames if frame.function)
    most = max(often.values(), default=0)
    fills = [at for at, f in enumerate(frames) if f.function and 2 * often[f.function] >= most]
    whole = any(f.function and (is_entry(f.function) or is_start(f.function)) for f in frames)
    return frames[fills[0] :] if most >= _FEWEST and (not whole or len(fills) >= MANY) else frames


def own_frame(frames: Iterable[Frame]) -> Frame | None:
    """The innermost frame of the program's own code; one with a name before one without, unless it
    is but the program's entry. Where a signal's handler waits or ends the process, the crash is
    what it interrupted; where one that a logger called ends it itself, what logged."""
    listed = list(up_to_harness(list(frames)))
    handler = next((at for at, frame in enumerate(listed) if frame.signal_handler), None)
    if handler is not None and not is_own(listed[0]):
        listed = listed[handler + 1 :] or listed
    if listed and is_end(listed[0].function or ""):
        callers = enumerate(pairwise(listed[:_NEAR]), 1)
        sink = next(((at, by) for at, (frame, by) in callers if is_own(frame)), None)
        listed = listed[sink[0] :] if sink is not None and _logs(sink[1]) else listed
    ends = [at for at, frame in enumerate(listed[:_NEAR]) if is_end(frame.function or "")]
    above = listed[ends[-1] + 1 :] if ends else []
    failed = next((f for f in above if is_own(f) or f.function is f.module is None), None)
    if failed is not None and failed.function is failed.module is None and failed.address:
        return failed  # who called it, by name, did not end itself
    known = [f for f in listed if is_own(f) and not (f.function and is_start(f.function))]
    if listed and listed[0].function is listed[0].module is None:
        known = [
            f for f in known if not (f.function and is_entry(f.function))
        ]  # it called unknown code
    named = (f for f in known if f.function and (f is known[0] or not is_entry(f.function)))
    return next(named, known[0] if known else None)
