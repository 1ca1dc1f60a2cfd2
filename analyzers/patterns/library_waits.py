"""Waits of libraries that build their locks on bare futexes: what the memory shows as a futex, the
stack calls by its name."""

import re

from msgspec.structs import replace

from analyzers.names import bare
from workbench.model.facts import Stack, Wait

_NEAREST = 6
_BARE = ("futex", "once", "semaphore")
# library/std/src/sys/sync/{mutex,rwlock,condvar}/futex.rs; before 1.78 under sys::unix::locks.
_RUST = re.compile(
    r"^std::sys::(?:\w+::){1,5}(?P<kind>Mutex|RwLock|Condvar)"
    r"::(?:lock_contended|write_contended|read_contended|wait|wait_timeout|wait_optional_timeout)$"
)
_KINDS = {"Mutex": "mutex", "RwLock": "rwlock", "Condvar": "condition"}


def named_by_stack(wait: Wait, stack: Stack | None) -> Wait:
    """The wait with the kind that the innermost frames of the thread tell, where they do."""
    if stack is None or wait.kind not in _BARE or wait.owner is not None:
        return wait
    for frame in stack.frames[:_NEAREST]:
        found = _RUST.match(bare(frame.function)) if frame.function else None
        if found is not None:
            return replace(wait, kind=_KINDS[found["kind"]])
    return wait
