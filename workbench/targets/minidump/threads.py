"""Threads and their names (MINIDUMP_THREAD, MINIDUMP_THREAD_EX, MINIDUMP_THREAD_NAME)."""

from msgspec import Struct

from workbench.targets.minidump.contexts import Context, read_context
from workbench.targets.minidump.streams import THREAD_NAMES, THREADS, THREADS_EX, Streams
from workbench.targets.minidump.system import System

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
        for position in streams.items(kind, size, _MAX_THREADS):
            fields = raw.unpack("IIIIQQIIII", position)
            if fields is None:
                break
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
    found = {}
    for position in streams.items(THREAD_NAMES, 12, _MAX_THREADS):
        entry = streams.raw.unpack("IQ", position)
        name = streams.raw.utf16(entry[1]) if entry is not None else None
        if entry is not None and name:
            found[entry[0]] = name
    return found
