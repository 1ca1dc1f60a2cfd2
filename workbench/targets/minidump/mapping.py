"""The map of the memory that a process had.

It is recorded as MINIDUMP_MEMORY_INFO (VirtualQueryEx; minidump-writer and Crashpad write it on
Linux too) or as Breakpad's copy of /proc/PID/maps. Without either a dump says nothing of memory
that it does not hold; such gaps are regions of kind ``unknown``.
"""

import re
from bisect import bisect_right

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.facts import Region
from workbench.targets.elf import PF_R, PF_W, PF_X
from workbench.targets.minidump.memory import Coverage, Held
from workbench.targets.minidump.modules import DumpModule
from workbench.targets.minidump.streams import LINUX_MAPS, MEMORY_INFO, Streams
from workbench.targets.minidump.threads import DumpThread
from workbench.targets.regions import permissions

_MAX_RANGES = 1_000_000
_TOP = 1 << 64
_FREE, _RESERVED = 0x10000, 0x2000
_PRIVATE, _MAPPED = 0x20000, 0x40000
_GUARD = 0x100
_RIGHTS = {
    0x01: 0, 0x02: PF_R, 0x04: PF_R | PF_W, 0x08: PF_R | PF_W, 0x10: PF_X, 0x20: PF_R | PF_X,
    0x40: PF_R | PF_W | PF_X, 0x80: PF_R | PF_W | PF_X,
}  # fmt: skip
_MAPS = re.compile(
    r"([0-9a-f]{1,16})-([0-9a-f]{1,16}) ([r-][w-][x-])[ps-] ([0-9a-f]{1,16}) \S+ \d+\s*(.*)"
)
NEAR_NULL = 0x10000
_PAGE = 4096
_WITHOUT = {"read": "-??", "write": "?-?", "execute": "??-"}


class Mapping(Struct, frozen=True):
    """One entry of the map. ``kind``: file | stack | heap | anonymous | vdso | none; ``flags`` None
    where the dump does not say them; ``guard`` for a page that faults once; ``perms`` is told in
    letters where only a part of the permissions is known."""

    start: int
    end: int
    flags: int | None
    kind: str
    path: str | None = None
    offset: int = 0
    guard: bool = False
    perms: str = ""


def read_map(streams: Streams, modules: list[DumpModule]) -> list[Mapping]:
    """The memory map that the dump records, empty where it records none."""
    found = _linux_map(streams) or _memory_info(streams, modules)
    found.sort(key=lambda m: (m.start, m.end))
    kept: list[Mapping] = []
    for mapping in found:
        if not kept or mapping.start >= kept[-1].end:
            kept.append(mapping)
    return kept


def _memory_info(streams: Streams, modules: list[DumpModule]) -> list[Mapping]:
    ordered = sorted(modules, key=lambda m: m.base)
    starts = [m.base for m in ordered]
    found = []
    for position, size in streams.sized_items(MEMORY_INFO, "IIQ", _MAX_RANGES):
        fields = streams.raw.unpack("QQIIQIII", position) if size >= 44 else None
        if fields is None:
            break
        start, base, _, _, length, state, protection, kind = fields
        if state == _FREE or not length or start + length > _TOP:
            continue
        flags = 0 if state == _RESERVED else _RIGHTS.get(protection & 0xFF)
        guard = bool(protection & _GUARD)
        at = bisect_right(starts, start) - 1
        module = ordered[at] if at >= 0 and start < ordered[at].end else None
        # Only Windows tells an image from a file that is merely mapped; others give no type.
        path = module.path if module is not None and kind != _PRIVATE else None
        what = "file" if path is not None or kind == _MAPPED else "anonymous"
        if not flags and path is None:
            what = "none"
        offset = start - base if path is not None else 0
        found.append(
            Mapping(start, start + length, 0 if guard else flags, what, path, offset, guard)
        )
    return found


def _linux_map(streams: Streams) -> list[Mapping]:
    text = streams.text(LINUX_MAPS)
    found = []
    for line in (text or "").splitlines()[:_MAX_RANGES]:
        match = _MAPS.fullmatch(line.rstrip())
        if match is None:
            continue
        start, end, offset = (int(match[n], 16) for n in (1, 2, 4))
        if start >= end:
            continue
        letters = match[3]
        flags = PF_R * (letters[0] == "r") | PF_W * (letters[1] == "w") | PF_X * (letters[2] == "x")
        path = match[5] or None
        kind = _linux_kind(path, flags)
        found.append(Mapping(start, end, flags, kind, path if kind == "file" else None, offset))
    return found


def _linux_kind(path: str | None, flags: int) -> str:
    if path is not None and path.startswith("["):
        if path.startswith("[stack"):
            return "stack"
        return {"[heap]": "heap", "[vdso]": "vdso", "[vvar]": "vdso", "[vsyscall]": "vdso"}.get(
            path, "anonymous"
        )
    if path is not None and path.startswith("/"):
        return "file"
    return "anonymous" if flags else "none"


def build_regions(
    pieces: list[Mapping], coverage: Coverage, threads: list[DumpThread]
) -> list[Region]:
    """A map as regions in address order, each told whose stack it is, and whether the dump holds
    all of it."""
    owners = _stack_owners(pieces, threads)
    return [
        Region(
            start=piece.start,
            end=piece.end,
            perms=piece.perms or permissions(piece.flags),
            path=piece.path,
            offset=piece.offset,
            kind="stack" if index in owners and piece.kind in ("anonymous", "heap") else piece.kind,
            thread=owners.get(index),
            dumped=coverage.of(piece.start, piece.end) >= piece.end - piece.start,
        )
        for index, piece in enumerate(pieces)
    ]


def _stack_owners(pieces: list[Mapping], threads: list[DumpThread]) -> dict[int, int]:
    """The first thread whose stack pointer, or whose saved stack, lies in a piece."""
    starts = [piece.start for piece in pieces]
    found: dict[int, int] = {}
    for thread in threads:
        sp = thread.context.sp if thread.context is not None else None
        for address in (sp, thread.stack[0] if thread.stack[1] > thread.stack[0] else None):
            if address is None:
                continue
            index = bisect_right(starts, address) - 1
            if index < 0 or address >= pieces[index].end:
                continue
            if pieces[index].path is None and pieces[index].kind in ("anonymous", "stack"):
                found.setdefault(index, thread.tid)
                break
    return found


def guessed_map(
    held: list[Held],
    modules: list[DumpModule],
    threads: list[DumpThread],
    top: int,
    refused: tuple[int, str] | None = None,
) -> list[Mapping]:
    """What can be known without a map: modules, stacks and held memory; what lies between is
    ``unknown`` up to ``top``. ``refused`` is an address and how it could not be accessed."""
    stacks = {start for thread in threads if (start := thread.stack[0])}
    known = [Mapping(m.base, m.end, None, "file", m.path) for m in modules if m.end > m.base]
    known.sort(key=lambda m: m.start)
    pieces: list[Mapping] = []
    for module in known:
        if not pieces or module.start >= pieces[-1].end:
            pieces.append(module)
    starts = [piece.start for piece in pieces]
    extra = []
    for item in held:
        start, end = item.start, item.start + item.announced
        index = bisect_right(starts, start) - 1
        if index >= 0 and start < pieces[index].end:
            start = pieces[index].end
        if index + 1 < len(pieces):
            end = min(end, pieces[index + 1].start)
        if start < end:
            flags = PF_R | PF_W if item.start in stacks else None
            extra.append(Mapping(start, end, flags, "anonymous"))
    pieces = sorted(pieces + extra, key=lambda m: m.start)
    filled: list[Mapping] = []
    reached = NEAR_NULL
    for piece in pieces:
        if piece.start > reached and reached < top:
            filled.append(Mapping(reached, min(piece.start, top), None, "unknown"))
        filled.append(piece)
        reached = max(reached, piece.end)
    if reached < top:
        filled.append(Mapping(reached, top, None, "unknown"))
    return [part for piece in filled for part in _carved(piece, refused)]


def _carved(piece: Mapping, refused: tuple[int, str] | None) -> list[Mapping]:
    """A piece whose page at the refused address is one of its own, without that permission."""
    if refused is None or not piece.start <= refused[0] < piece.end or piece.flags is not None:
        return [piece]
    low = max(piece.start, refused[0] & ~(_PAGE - 1))
    high = min(piece.end, low + _PAGE)
    parts = [
        replace(piece, end=low),
        replace(piece, start=low, end=high, offset=piece.offset + low - piece.start,
                perms=_WITHOUT[refused[1]]),
        replace(piece, start=high, offset=piece.offset + high - piece.start),
    ]  # fmt: skip
    return [part for part in parts if part.start < part.end]
