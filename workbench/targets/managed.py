"""A .NET runtime in a dump: which one is mapped, and what its own dumper wrote.

``createdump`` of .NET Core 2.1 to 5 (src/coreclr/debug/createdump) gives every thread SIGABRT in
NT_PRSTATUS and writes no NT_SIGINFO, whether the process crashed or was merely copied. A process
that crashed waits for it in wait4(2): PROCCreateCrashDump (src/coreclr/pal/src/thread/process.cpp).
"""

from collections.abc import Iterable, Sequence
from signal import SIGABRT

from workbench.targets.notes import CoreThread

_RUNTIMES = {
    "libcoreclr.so": "coreclr",
    "libcoreclr.dylib": "coreclr",
    "coreclr.dll": "coreclr",
    "clr.dll": "clr",
    "mscorwks.dll": "clr",
}
_WAIT4 = {"x86_64": 61, "aarch64": 260, "arm": 114, "i386": 114, "ppc64le": 114, "riscv64": 260}


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
    wait4 = _WAIT4.get(arch)
    return wait4 is not None and all(thread.syscall != wait4 for thread in threads)
