"""``@monitors``: which thread holds which .NET monitor, read from the runtime's own table.

Runtimes that were not stripped (libcoreclr.so of .NET Core 1 and 2) name their table of sync
blocks, ``g_pSyncTable``: pairs of a SyncBlock and its object (coreclr, src/vm/syncblk.h). A
SyncBlock begins with its AwareLock: the lock's word, the recursion, the Thread that holds it, and
the block's index. The object's header word names the same index, so that each entry proves itself.
"""

import re
import struct
from typing import NamedTuple

from workbench.targets.dump import Dump
from workbench.targets.managed import mapped_runtime

_MOST = 65_536
_PAGE = 1024
_INDEX = 0x03FF_FFFF
_HAS_INDEX, _IS_HASH = 0x0800_0000, 0x0400_0000
_THREAD_BYTES = 0x800
_VERSION = re.compile(r"/(\d{1,3})\.(\d{1,3})\.\d[^/]*/libcoreclr\.so$")


class _Entry(NamedTuple):
    number: int
    object: int
    word: int
    recursion: int
    holder: int


def probe(core: Dump, args: list[str]) -> str:
    """One line a held monitor; one line in all where no runtime is mapped, or one whose table has
    no name."""
    found = mapped_runtime(region.path for region in core.regions)
    if found is None:
        return "no .NET runtime is mapped\n"
    if core.bits != 64 or not core.little_endian:
        return f"the runtime's tables are not read on {core.arch}\n"
    place = core.symbol("libcoreclr.so", "g_pSyncTable")
    table = core.read_word(place) if place is not None else None
    if place is None or not table:
        return "this runtime does not name its table of sync blocks\n"
    version = _VERSION.search(found[1])
    counts_waiters = version is None or (int(version[1]), int(version[2])) >= (2, 1)
    entries = _held(core, table)
    threads = _threads(core, {entry.holder for entry in entries if entry.holder})
    lines = [f"sync table {table:#x} (g_pSyncTable {place:#x}), {len(entries)} held monitors"]
    lines += [_line(entry, threads, counts_waiters) for entry in entries]
    return "\n".join(lines) + "\n"


def _held(core: Dump, table: int) -> list[_Entry]:
    """Entries whose lock is held or waited for; the table ends where entries stop to be true."""
    found: list[_Entry] = []
    empty = 0
    for index in range(1, _MOST):
        pair = core.read(table + 16 * index, 16)
        if pair is None or empty > _PAGE:
            break
        block, target = struct.unpack("<QQ", pair)
        entry = _entry(core, index, block, target)
        empty = 0 if entry is not None else empty + 1
        if entry is not None and (entry.word or entry.holder):
            found.append(entry)
    return found


def _entry(core: Dump, index: int, block: int, target: int) -> _Entry | None:
    if not block or not target or block & 7 or target & 7:
        return None
    header, lock = core.read(target - 4, 4), core.read(block, 24)
    if header is None or lock is None:
        return None
    (bits,) = struct.unpack("<I", header)
    if not bits & _HAS_INDEX or bits & _IS_HASH or bits & _INDEX != index:
        return None
    word, recursion, holder, _, own = struct.unpack("<IIQII", lock)
    return None if own & _INDEX != index else _Entry(index, target, word, recursion, holder)


def _threads(core: Dump, holders: set[int]) -> dict[int, int]:
    """The TIDs of the runtime's Threads: the one field that holds a thread's TID in all of them,
    since its place is another in each version."""
    known = {thread.tid for thread in core.threads}
    fields: dict[int, tuple[int, ...]] = {}
    for holder in holders:
        data = core.read(holder, _THREAD_BYTES) if not holder & 7 else None
        if data is not None:
            fields[holder] = struct.unpack(f"<{_THREAD_BYTES // 4}I", data)
    if not fields:
        return {}
    places = [
        place
        for place in range(_THREAD_BYTES // 4)
        if all(values[place] in known for values in fields.values())
    ]
    tids = {holder: {values[place] for place in places} for holder, values in fields.items()}
    if any(len(each) != 1 for each in tids.values()):
        return {}
    return {holder: next(iter(each)) for holder, each in tids.items()}


def _line(entry: _Entry, threads: dict[int, int], counts_waiters: bool) -> str:
    """What the lock's word means: since 2.1 bit 0 is "held" and the waiters are counted from bit 6
    on; before, it is 1 for the owner and 2 for each waiter."""
    waiters = entry.word >> 6 if counts_waiters else entry.word >> 1
    tid = threads.get(entry.holder)
    who = f"thread {tid} ({tid:#x}), " if tid is not None else ""
    held = f"held by {who}the runtime's thread {entry.holder:#x}" if entry.holder else "not held"
    return (
        f"monitor {entry.number}: object {entry.object:#x}, {held}, recursion {entry.recursion}, "
        f"{waiters} waiters, lock word {entry.word:#x}"
    )
