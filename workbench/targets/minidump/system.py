"""What system and processor a minidump comes from (MINIDUMP_SYSTEM_INFO).

Numbers of platforms and processors over 0x8000 are Breakpad's (``minidump_format.h``).
"""

from msgspec import Struct

from workbench.targets.minidump.contexts import Context, read_context
from workbench.targets.minidump.streams import SYSTEM, THREAD_NAMES, THREADS, THREADS_EX, Streams

# Number: the dump's own word, our name of the architecture, bits.
_PROCESSORS = {
    0: ("x86", "i386", 32), 1: ("mips", "mips", 32), 2: ("alpha", "alpha", 32),
    3: ("ppc", "ppc", 32), 4: ("shx", "sh4", 32), 5: ("arm", "arm", 32), 6: ("ia64", "ia64", 64),
    7: ("alpha64", "alpha", 64), 9: ("amd64", "x86_64", 64), 10: ("x86 on win64", "i386", 32),
    12: ("arm64", "aarch64", 64), 0x8001: ("sparc", "sparc64", 64), 0x8002: ("ppc64", "ppc64", 64),
    0x8003: ("arm64(old)", "aarch64", 64), 0x8004: ("mips64", "mips64", 64),
    0x8005: ("riscv", "riscv32", 32), 0x8006: ("riscv64", "riscv64", 64),
}  # fmt: skip
# Number: name, family.
_PLATFORMS = {
    0: ("Windows 3.1", "windows"), 1: ("Windows 9x", "windows"), 2: ("Windows NT", "windows"),
    3: ("Windows CE", "windows"), 0x8000: ("Unix", "other"), 0x8101: ("macOS", "macos"),
    0x8102: ("iOS", "macos"), 0x8201: ("Linux", "linux"), 0x8202: ("Solaris", "other"),
    0x8203: ("Android", "linux"), 0x8204: ("PS3", "other"), 0x8205: ("NaCl", "linux"),
    0x8206: ("Fuchsia", "other"),
}  # fmt: skip


class System(Struct, frozen=True):
    """``os`` and ``cpu`` in the dump's own words, ``arch`` as ``uname -m`` names it, ``family``:
    windows | macos | linux | other | unknown."""

    os: str = "unknown"
    family: str = "unknown"
    version: str | None = None
    cpu: str = "unknown"
    arch: str = "unknown"
    bits: int = 64
    processors: int = 0
    service_pack: str | None = None


def read_system(streams: Streams) -> System:
    """The system, every part unknown where the stream is missing or cut."""
    stream = streams.find(SYSTEM)
    head = streams.raw.unpack("HHHBBIIIII", stream.position) if stream is not None else None
    if head is None:
        if stream is not None:
            streams.note("stream SystemInfo is cut")
        return System()
    processor, _, _, count, _, major, minor, build, platform, pack = head
    cpu, arch, bits = _PROCESSORS.get(
        processor, (f"processor {processor:#x}", f"processor-{processor:#x}", 64)
    )
    os, family = _PLATFORMS.get(platform, (f"platform {platform:#x}", "other"))
    version = f"{major}.{minor}" + (f".{build}" if build else "")
    return System(
        os=os,
        family=family,
        version=version if major or minor or build else None,
        cpu=cpu,
        arch=arch,
        bits=bits,
        processors=count,
        service_pack=streams.raw.utf16(pack) or None,
    )


# Threads and their names (MINIDUMP_THREAD, MINIDUMP_THREAD_EX, MINIDUMP_THREAD_NAME).
_MAX_THREADS = 100_000
_MAX_CONTEXT = 1 << 16


class DumpThread(Struct, frozen=True):
    """One thread. ``stack`` is [start, end) of the memory that was saved of its stack, ``saved``
    where it stands in the file."""

    tid: int
    teb: int
    stack: tuple[int, int]
    saved: int
    context: Context | None
    name: str | None = None


def read_threads(streams: Streams, system: System) -> list[DumpThread]:
    """Every thread, in the order of the dump."""
    names = _names(streams)
    raw = streams.raw
    found = []
    for kind, size in ((THREADS, 48), (THREADS_EX, 64)):
        for fields in streams.items(kind, "IIIIQQIIII", _MAX_THREADS, size):
            tid, _, _, _, teb, start, length, saved, context_size, context = fields
            record = raw.read(context, min(context_size, _MAX_CONTEXT)) if context_size else b""
            found.append(
                DumpThread(
                    tid=tid,
                    teb=teb,
                    stack=(start, start + length),
                    saved=saved,
                    context=read_context(record, raw.order, system.cpu),
                    name=names.get(tid),
                )
            )
        if found:
            break
    return found


def _names(streams: Streams) -> dict[int, str]:
    names = streams.items(THREAD_NAMES, "IQ", _MAX_THREADS)
    return {tid: name for tid, at in names if (name := streams.raw.utf16(at))}
