"""Whose frame it is: the program's own, the allocator's, another library's; and frames that left by
a jump: a function whose last act is a call has none any more when the callee runs (``jmp free``),
and its line is the one that is looked for."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.functions import is_library_namespace, is_runtime_name, is_runtime_source
from analyzers.owners.modules import is_runtime_library
from workbench.model.facts import Frame
from workbench.reproduce.moment import before
from workbench.reproduce.wire import Hit, Outcome
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.code import code_around
from workbench.targets.probes.unwind_table import function_bounds

_ALLOCATOR = re.compile(
    r"^(?:_int_\w+|(?:__libc_|__GI___libc_|__)?(?:malloc|free|calloc|realloc|memalign|cfree)"
    r"|unlink_chunk\w*|malloc_consolidate|sysmalloc\w*|systrim\w*|tcache_\w+|_mid_memalign"
    r"|aligned_alloc|posix_memalign|operator (?:new|delete)\b.*|_Zn[wa]\w*|_Zd[la]\w*"
    r"|munmap_chunk|ptmalloc_init\w*|__rust_(?:alloc|dealloc|realloc)\w*|__rdl_\w+)$"
)

_LIBRARYS = re.compile(r"^(?:__libc_|__GI___libc_|__)?(?:malloc|free|calloc|realloc)_?\w*$")
"""Names of the C library's own, which begin as those of many a program's functions."""

_DEPENDENCIES = "/rust/deps/"
"""Where Rust's standard library is built with what it uses of others (hashbrown, gimli)."""
SIZES = {"malloc": "rdi", "realloc": "rsi", "calloc": "rdi", "Znwm": "rdi", "Znam": "rdi",
         "alloc": "rdi"}  # fmt: skip
"""Where an allocating function takes its size, by the last part of its name."""


def is_own(frame: Frame) -> bool:
    """The program's, or a library's that is none of the system's. Where the source is known a
    name that the C library has too says nothing."""
    name = frame.function
    if name is None or frame.signal_handler or is_runtime_library(frame.module):
        return False
    if frame.file is None:
        return not is_runtime_name(name)
    system = frame.file.startswith(("/usr/include/", "/usr/lib/", "/rustc/", _DEPENDENCIES))
    return not (system or is_library_namespace(name) or is_runtime_source(frame))


def is_astray(frame: Frame) -> bool:
    """A function of the program's, by its name, at a header's line, that of what was inlined into
    it, or at none."""
    name = frame.function or ""
    if frame.file is None or frame.file.startswith(_DEPENDENCIES):
        return False
    own_name = not is_library_namespace(name) and is_own(replace(frame, file=None))
    return own_name and not (is_own(frame) and frame.line)


def is_nameless(frame: Frame) -> bool:
    """A frame of a program or library without symbols, which may be the program's."""
    return (
        frame.function is None
        and frame.module is not None
        and not (frame.signal_handler or is_runtime_library(frame.module))
    )


def innermost(frames: Sequence[Frame]) -> Frame | None:
    """The program's frame nearest to what happened."""
    return next((frame for frame in frames if is_own(frame)), None)


def own(frames: Sequence[Frame]) -> Frame | None:
    """The program's frame nearest to what happened, one with a line before one without."""
    found = [frame for frame in frames if is_own(frame)]
    return next((one for one in found if one.line), found[0] if found else None)


def in_allocator(frames: Sequence[Frame]) -> bool:
    """True when the allocator did it, for whichever frame of the program."""
    for frame in frames:
        name = frame.function or ""
        if _ALLOCATOR.match(name) and not (frame.file or "").endswith("/new"):
            return True  # the header's own ones are given the place
        if is_own(frame):
            return False
        if _LIBRARYS.match(name):
            return True
    return False


def released_once(outcome: Outcome) -> tuple[Hit, ...]:
    """A run's events without the releases of blocks that the program had released before, and had
    no part in: a thread that ends gives back what its cache holds (glibc, malloc/malloc.c,
    tcache_thread_shutdown). One that malloc ended the run for stays."""
    state: dict[int, str] = {}
    failed = [hit for hit in outcome.events[-1:] if in_allocator(outcome.frames)]
    kept = []
    for hit in outcome.events:
        if hit.watch == "block":
            again = hit not in failed and (hit.kind, state.get(hit.address)) == ("free", "free")
            if again and not any(is_own(one) or is_nameless(one) for one in hit.frames):
                continue
            state[hit.address] = hit.kind
        kept.append(hit)
    return tuple(kept)


_MOST_JUMPS = 4


def last_jump(core: Dump, frames: Sequence[Frame]) -> tuple[int, int] | None:
    """Where in a stack a frame is missing, and the jump by which it left: the program's innermost
    frame called another function than the one that the stack has next; 0 where it may have left by
    more than one. None where nothing is missing."""
    at = next((number for number, frame in enumerate(frames) if is_own(frame)), 0)
    if at == 0 or frames[at].address is None:
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
            if one.name == "jmp" and (one.target is None or not bounds[0] <= one.target < bounds[1])
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
