"""Waits of libraries that build their locks on bare futexes: what the memory shows as a futex, the
stack calls by its name."""

import re

from msgspec.structs import replace

from analyzers.names import bare
from workbench.model.facts import Stack, Wait

_NEAREST = 6
_BARE = ("futex", "once", "semaphore", "condition")
# library/std/src/sys/sync/{mutex,rwlock,condvar}/futex.rs; before 1.78 under sys::unix::locks.
_RUST = re.compile(
    r"^std::sys::(?:\w+::){1,5}(?P<kind>Mutex|RwLock|Condvar)"
    r"::(?:lock_contended|write_contended|read_contended|wait|wait_timeout|wait_optional_timeout)$"
)
_KINDS = {"Mutex": "mutex", "RwLock": "rwlock", "Condvar": "condition"}


# libstdc++: bits/atomic_futex.h under std::future; libc++: src/future.cpp. Rust: std::sync::mpmc.
_OTHERS = (
    ("future", re.compile(r"^std::(?:__\w+::)?(?:__atomic_futex_unsigned|__future_base::"
                          r"|__assoc_sub_state::)")),
    ("channel", re.compile(r"^std::sync::mp[ms]c::")),
)  # fmt: skip


def named_by_stack(wait: Wait, stack: Stack | None) -> Wait:
    """The wait with the kind that the innermost frames of the thread tell, where they do."""
    if stack is None or wait.kind not in _BARE or wait.owner is not None:
        return wait
    for frame in stack.frames[:_NEAREST]:
        name = bare(frame.function) if frame.function else ""
        found = _RUST.match(name)
        kind = _KINDS[found["kind"]] if found is not None else next(
            (kind for kind, frames in _OTHERS if frames.match(name)), None)  # fmt: skip
        if kind is not None:
            return replace(wait, kind=kind)
    return wait
