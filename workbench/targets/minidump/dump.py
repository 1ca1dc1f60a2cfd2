"""A minidump opened for reading: what its streams record, and the memory that it holds."""

import re
from bisect import bisect_right
from functools import cached_property
from struct import Struct as Packed

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.facts import Region
from workbench.targets.dump import Dump
from workbench.targets.elf import PF_R, PF_W, PF_X
from workbench.targets.files import FileBytes
from workbench.targets.match import Search
from workbench.targets.minidump import extras
from workbench.targets.minidump import memory as held_memory
from workbench.targets.minidump.contexts import Context
from workbench.targets.minidump.exception import Record, equivalent, read_exception, signal_of
from workbench.targets.minidump.files import read_file, with_files
from workbench.targets.minidump.memory import Coverage, Held
from workbench.targets.minidump.modules import (
    DumpModule,
    UnloadedModule,
    last_part,
    read_modules,
    read_unloaded,
)
from workbench.targets.minidump.pe import PeImage
from workbench.targets.minidump.streams import LINUX_MAPS, MEMORY_INFO, Streams
from workbench.targets.minidump.system import DumpThread, read_system, read_threads
from workbench.targets.notes import CoreThread
from workbench.targets.regions import permissions
from workbench.targets.siginfo import SigInfo
from workbench.targets.spans import START, index_at, piece_at

_USER_TOP = {32: 1 << 32, 64: 1 << 47}
_RUNTIMES = frozenset({"coreclr.dll", "clr.dll", "libcoreclr.so", "libcoreclr.dylib"})


class MinidumpFile(Dump):
    """A minidump as a `Dump`. Every stream is read on opening, bounded by
    what the file holds, and what cannot be read is in ``streams.damage``."""

    def __init__(self, file: FileBytes, search: Search | None = None) -> None:
        self.streams = Streams(file)
        self.system = read_system(self.streams)
        self.arch = self.system.arch
        self.bits = self.system.bits
        self.little_endian = self.streams.raw.order == "<"
        self.record: Record | None = read_exception(self.streams, self.system)
        self.all_threads: list[DumpThread] = read_threads(self.streams, self.system)
        self.loaded: list[DumpModule] = read_modules(self.streams)
        if search is not None and self.system.family == "linux":
            self.loaded = with_files(self.loaded, search)
        self.held: list[Held] = held_memory.read_held(self.streams, self.all_threads)
        self.mapped: list[Mapping] = read_map(self.streams, self.loaded)
        if self._runs_32_bits():
            self.arch, self.bits = "i386", 32
        self.misc = extras.read_misc(self.streams)
        self.asked = extras.read_asked(self.streams)
        self.auxv = extras.read_auxv(self.streams, self.bits)
        self._images: dict[int, PeImage | None] = {}
        order = self.streams.raw.order
        super().__init__(
            file, held_memory.extents(self.held), Packed(order + ("Q" if self.bits == 64 else "I"))
        )

    def _runs_32_bits(self) -> bool:
        """True when every context of a 64-bit dump is a 32-bit one."""
        contexts = [thread.context for thread in self.all_threads]
        if self.record is not None:
            contexts.append(self.record.context)
        known = {context.cpu for context in contexts if context is not None}
        return self.system.cpu == "amd64" and known == {"x86"}

    # --- what made it ---------------------------------------------------------------------------

    @property
    def crashed(self) -> bool:
        """True when an exception ended the process, and nobody merely asked for a dump."""
        return self.record is not None and not self.record.requested

    @cached_property
    def signal(self) -> SigInfo | None:
        """The signal of a Linux dump."""
        return signal_of(self.record) if self.record is not None else None

    @cached_property
    def siginfo(self) -> SigInfo | None:
        """The signal that stands for the exception; see `equivalent`."""
        return equivalent(self.record) if self.record is not None and self.crashed else None

    @cached_property
    def pid(self) -> int | None:
        """The process id, where a stream tells it."""
        return self.misc.pid or extras.status_pid(self.streams)

    @cached_property
    def first_thread(self) -> int | None:
        """The thread that the dump is about: that of the exception, else the one that asked."""
        if self.record is not None:
            return self.record.thread
        if self.asked.requester is not None:
            return self.asked.requester
        return self.all_threads[0].tid if self.all_threads else None

    # --- threads --------------------------------------------------------------------------------

    @cached_property
    def threads(self) -> tuple[CoreThread, ...]:
        """The threads, the one that the dump is about first; its registers are those of the
        exception, since its own context may be that of the handler."""
        found = [self._thread(t.tid, self.context(t)) for t in self.all_threads]
        record = self.record
        listed = {thread.tid for thread in self.all_threads}
        if record is not None and record.context is not None and record.thread not in listed:
            found.append(self._thread(record.thread, record.context))
        return tuple(sorted(found, key=lambda t: t.tid != self.first_thread))

    def context(self, thread: DumpThread) -> Context | None:
        """A thread's registers, at the exception for the one that had it."""
        record = self.record
        if record is not None and record.thread == thread.tid and record.context is not None:
            return record.context
        return thread.context

    def _thread(self, tid: int, context: Context | None) -> CoreThread:
        record = self.record
        number = self.siginfo.number if self.siginfo is not None else 0
        hit = self.crashed and record is not None and record.thread == tid
        return CoreThread(
            tid=tid,
            registers=context.registers if context is not None else {},
            signal=number if hit else 0,
            fs_base=None,
            pc=context.pc if context is not None else None,
            sp=context.sp if context is not None else None,
        )

    def context_of(self, tid: int) -> Context | None:
        """The registers of the thread with this id."""
        for thread in self.all_threads:
            if thread.tid == tid:
                return self.context(thread)
        record = self.record
        return record.context if record is not None and record.thread == tid else None

    # --- memory and modules ---------------------------------------------------------------------

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The memory map in address order; see `mapping.build_regions`."""
        pieces = self.mapped or guessed_map(
            self.held, self.loaded, self._at_exception, _USER_TOP[self.bits], self._refused()
        )
        return tuple(build_regions(pieces, self.coverage, self._at_exception))

    @cached_property
    def coverage(self) -> held_memory.Coverage:
        """Which memory the dump holds."""
        return held_memory.Coverage(self.held)

    def _refused(self) -> tuple[int, str] | None:
        """An address that memory refused, and the access to it: proof, where no map says more."""
        record = self.record
        if record is None or record.data is None or not self.crashed:
            return None
        if record.access is not None:
            return record.data, record.access
        instruction = record.context.pc if record.context is not None else None
        return (record.data, "execute") if record.data == instruction else None

    @cached_property
    def _at_exception(self) -> list[DumpThread]:
        """The threads, the first one first, so that a stack is of the one that matters."""
        return sorted(self.all_threads, key=lambda t: t.tid != self.first_thread)

    @cached_property
    def modules(self) -> tuple[DumpModule, ...]:
        """Loaded modules in address order."""
        return tuple(sorted(self.loaded, key=lambda module: module.base))

    @cached_property
    def unloaded(self) -> list[UnloadedModule]:
        """Modules that were unloaded before."""
        return read_unloaded(self.streams)

    @cached_property
    def program(self) -> DumpModule | None:
        """The executable: every writer puts it first."""
        return self.loaded[0] if self.loaded else None

    @cached_property
    def runtime(self) -> str | None:
        """``coreclr`` where .NET's runtime is loaded."""
        names = {last_part(module.path).lower() for module in self.loaded}
        return "coreclr" if names & _RUNTIMES else None

    def symbolize(self, address: int) -> tuple[str, int] | None:
        """The function that holds an address and the distance from its start: where the module's
        file is here, or where Windows' image is in the dump and exports it."""
        if self.system.family != "windows":
            return super().symbolize(address)
        module = self.module_at(address)
        image = self.image(module.base) if module is not None else None
        return image.name(address - image.base) if image is not None else None

    def image(self, base: int) -> PeImage | None:
        """Windows' image of the module at an address, as far as the dump holds it."""
        if base not in self._images:
            image = PeImage(self.read_dumped, base)
            self._images[base] = image if image.machine else None
        return self._images[base]

    def read(self, address: int, size: int) -> bytes | None:
        """``size`` bytes: what the dump holds, else what a module's own file holds."""
        raw = super().read(address, size)
        if raw is not None or size <= 0:
            return raw
        module = self.module_at(address)
        return read_file(module, address, size) if module is not None else None


# The map of the memory that a process had.
# It is recorded as MINIDUMP_MEMORY_INFO (VirtualQueryEx; minidump-writer and Crashpad write it on
# Linux too) or as Breakpad's copy of /proc/PID/maps. Without either a dump says nothing of memory
# that it does not hold; such gaps are regions of kind ``unknown``.
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
    where the dump does not say them; ``perms`` is told in letters where only a part of the
    permissions is known."""

    start: int
    end: int
    flags: int | None
    kind: str
    path: str | None = None
    offset: int = 0
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
    ordered = sorted(modules, key=START)
    found = []
    for fields in streams.sized_items(MEMORY_INFO, "IIQ", "QQIIQIII", _MAX_RANGES):
        start, base, _, _, length, state, protection, kind = fields
        if state == _FREE or not length or start + length > _TOP:
            continue
        flags = 0 if state == _RESERVED else _RIGHTS.get(protection & 0xFF)
        module = piece_at(ordered, start)
        # Only Windows tells an image from a file that is merely mapped; others give no type.
        path = module.path if module is not None and kind != _PRIVATE else None
        what = "file" if path is not None or kind == _MAPPED else "anonymous"
        if not flags and path is None:
            what = "none"
        offset = start - base if path is not None else 0
        flags = 0 if protection & _GUARD else flags  # a page that faults once
        found.append(Mapping(start, start + length, flags, what, path, offset))
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
    found: dict[int, int] = {}
    for thread in threads:
        sp = thread.context.sp if thread.context is not None else None
        for address in (sp, thread.stack[0] if thread.stack[1] > thread.stack[0] else None):
            if address is None:
                continue
            index = index_at(pieces, address)
            if index is None:
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
    known.sort(key=START)
    pieces: list[Mapping] = []
    for module in known:
        if not pieces or module.start >= pieces[-1].end:
            pieces.append(module)
    extra = []
    for item in held:
        start, end = item.start, item.start + item.announced
        index = bisect_right(pieces, start, key=START) - 1
        if index >= 0 and start < pieces[index].end:
            start = pieces[index].end
        if index + 1 < len(pieces):
            end = min(end, pieces[index + 1].start)
        if start < end:
            flags = PF_R | PF_W if item.start in stacks else None
            extra.append(Mapping(start, end, flags, "anonymous"))
    pieces = sorted(pieces + extra, key=START)
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
