"""A .NET runtime in a dump: which one is mapped, and what its own dumper wrote.

``createdump`` of .NET Core 2.1 to 5 (src/coreclr/debug/createdump) gives every thread SIGABRT in
NT_PRSTATUS and writes no NT_SIGINFO, whether the process crashed or was merely copied. A process
that crashed starts it and waits for it: PROCCreateCrashDump in
src/coreclr/pal/src/thread/process.cpp.
"""

from collections.abc import Iterable, Sequence
from signal import SIGABRT

from workbench.targets.notes import CoreThread
from workbench.targets.sent import called

_RUNTIMES = {
    "libcoreclr.so": "coreclr", "libcoreclr.dylib": "coreclr", "coreclr.dll": "coreclr",
    "clr.dll": "clr", "mscorwks.dll": "clr",
}  # fmt: skip
# wait4(2), and clone, clone3 and fork, in which it may still be when the copy is taken.
_DUMPING = {
    "x86_64": frozenset({61, 56, 435, 57, 58}),
    "aarch64": frozenset({260, 220, 435}),
    "riscv64": frozenset({260, 220, 435}),
    "arm": frozenset({114, 120, 435, 2, 190}),
    "i386": frozenset({114, 120, 435, 2, 190}),
}


def mapped_runtime(paths: Iterable[str | None]) -> tuple[str, str] | None:
    """``coreclr`` (.NET) or ``clr`` (.NET Framework) and the path of its library, the first of the
    mapped files that is one; None for a process without."""
    for path in paths:
        name = path.replace("\\", "/").rsplit("/", 1)[-1].lower() if path else ""
        if path and name in _RUNTIMES:
            return _RUNTIMES[name], path
    return None


def copied_by_createdump(threads: Sequence[CoreThread], arch: str) -> bool:
    """True for the notes that createdump writes of a process that went on living."""
    if len(threads) < 2 or any(thread.signal != SIGABRT for thread in threads):
        return False
    dumping = _DUMPING.get(arch)
    return dumping is not None and all(called(arch, thread) not in dumping for thread in threads)
