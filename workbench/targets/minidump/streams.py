"""The container: header, directory and the bounded reading of what they point at.

Layouts are those of ``minidumpapiset.h`` (Microsoft) and Breakpad's ``minidump_format.h``. All
places in the file are 32-bit offsets (RVA) unless a stream says otherwise; nothing is trusted
beyond the file's end, and a list whose count does not fit its stream is cut to what does.
"""

import struct
from collections.abc import Iterator

from msgspec import Struct

from workbench.targets.files import Buffer

MAGIC = b"MDMP"
MAGIC_SWAPPED = b"PMDM"

THREADS, MODULES, MEMORY, EXCEPTION, SYSTEM = 3, 4, 5, 6, 7
THREADS_EX, MEMORY64, COMMENT_A, COMMENT_W, HANDLES = 8, 9, 10, 11, 12
UNLOADED, MISC, MEMORY_INFO, THREAD_INFO, THREAD_NAMES = 14, 15, 16, 17, 24
BREAKPAD, ASSERTION = 0x47670001, 0x47670002
LINUX_CPU, LINUX_STATUS, LINUX_LSB, LINUX_CMDLINE = 0x47670003, 0x47670004, 0x47670005, 0x47670006
LINUX_ENVIRON, LINUX_AUXV, LINUX_MAPS, LINUX_DSO = 0x47670007, 0x47670008, 0x47670009, 0x4767000A
CRASHPAD = 0x43500001

_NAMES = {
    0: "unused", THREADS: "ThreadList", MODULES: "ModuleList", MEMORY: "MemoryList",
    EXCEPTION: "Exception", SYSTEM: "SystemInfo", THREADS_EX: "ThreadExList",
    MEMORY64: "Memory64List", COMMENT_A: "CommentA", COMMENT_W: "CommentW", HANDLES: "HandleData",
    13: "FunctionTable", UNLOADED: "UnloadedModuleList", MISC: "MiscInfo",
    MEMORY_INFO: "MemoryInfoList", THREAD_INFO: "ThreadInfoList", 18: "HandleOperationList",
    19: "Token", 20: "JavaScriptData", 21: "SystemMemoryInfo", 22: "ProcessVmCounters",
    23: "IptTrace", THREAD_NAMES: "ThreadNames", BREAKPAD: "BreakpadInfo",
    ASSERTION: "AssertionInfo", LINUX_CPU: "LinuxCpuInfo", LINUX_STATUS: "LinuxProcStatus",
    LINUX_LSB: "LinuxLsbRelease", LINUX_CMDLINE: "LinuxCmdLine", LINUX_ENVIRON: "LinuxEnviron",
    LINUX_AUXV: "LinuxAuxv", LINUX_MAPS: "LinuxMaps", LINUX_DSO: "LinuxDsoDebug",
    CRASHPAD: "CrashpadInfo", 0x4B6B0002: "StabilityReport", 0x4D7A0001: "MozMacosCrashInfo",
    0x4D7A0002: "MozMacosBootargs", 0x4D7A0003: "MozLinuxLimits", 0x4D7A0004: "MozSoftErrors",
}  # fmt: skip

_MAX_STREAMS = 4096
_MAX_STRING = 1 << 16
MAX_TEXT = 1 << 24
"""The longest text stream that is read, in bytes."""


def stream_name(kind: int) -> str:
    """``ThreadList``, or the number of a stream that has no name here."""
    return _NAMES.get(kind, f"{kind:#x}")


class Stream(Struct, frozen=True):
    """One entry of the directory; ``size`` bytes at ``position``."""

    kind: int
    size: int
    position: int

    @property
    def name(self) -> str:
        """As `stream_name`."""
        return stream_name(self.kind)


class Raw:
    """Bounded reading of one file in one byte order (``<`` or ``>``)."""

    def __init__(self, data: Buffer, order: str) -> None:
        self.data = data
        self.order = order
        self.size = len(data)

    def read(self, position: int, size: int) -> bytes:
        """At most ``size`` bytes; fewer where the file ends."""
        if position < 0 or size <= 0 or position >= self.size:
            return b""
        return self.data[position : min(position + size, self.size)]

    def unpack(self, layout: str, position: int) -> tuple[int, ...] | None:
        """Fields of ``layout`` at a position, None when the file ends before."""
        packed = struct.Struct(self.order + layout)
        raw = self.read(position, packed.size)
        return packed.unpack(raw) if len(raw) == packed.size else None

    def rows(
        self, layout: str, position: int, count: int, step: int = 0
    ) -> Iterator[tuple[int, ...]]:
        """Fields of ``count`` entries of ``step`` bytes, or as many as ``layout`` has; fewer where
        the file ends."""
        step = step or struct.calcsize(self.order + layout)
        for index in range(count):
            fields = self.unpack(layout, position + step * index)
            if fields is None:
                return
            yield fields

    def utf16(self, position: int) -> str | None:
        """A MINIDUMP_STRING: a length in bytes, then UTF-16."""
        raw = self._string(position)
        return None if raw is None else self.decode16(raw[: len(raw) & ~1])

    def utf8(self, position: int) -> str | None:
        """A MINIDUMP_UTF8_STRING (Crashpad): a length in bytes, then UTF-8."""
        raw = self._string(position)
        return None if raw is None else raw.decode("utf-8", "replace")

    def _string(self, position: int) -> bytes | None:
        head = self.unpack("I", position) if position else None
        return None if head is None else self.read(position + 4, min(head[0], _MAX_STRING))

    def decode16(self, raw: bytes) -> str:
        """UTF-16 in the file's order up to its first NUL; what is none is replaced."""
        coding = "utf-16-le" if self.order == "<" else "utf-16-be"
        return raw.decode(coding, "replace").split("\0", 1)[0]


class Streams:
    """The directory. ``damage`` collects in words what cannot be read, for @health."""

    def __init__(self, data: Buffer) -> None:
        self.raw = Raw(data, ">" if data[0:4] == MAGIC_SWAPPED else "<")
        self.damage: list[str] = []
        self.entries: list[Stream] = []
        self.time = 0
        header = self.raw.unpack("IIIIIIQ", 0)
        if header is None:
            self.note(f"the header is cut: {self.raw.size} of 32 bytes")
            return
        _, _, announced, directory, _, self.time, _ = header
        for index in range(min(announced, _MAX_STREAMS)):
            entry = self.raw.unpack("III", directory + 12 * index)
            if entry is None:
                self.note(f"the stream directory is cut: {index} of {announced} entries")
                break
            self.entries.append(Stream(*entry))
        else:
            if announced > _MAX_STREAMS:
                self.note(
                    f"the stream directory announces {announced} entries; {_MAX_STREAMS} were read"
                )
        for stream in self.entries:
            if stream.kind and stream.position + stream.size > self.raw.size:
                self.note(
                    f"stream {stream.name} ends at byte {stream.position + stream.size}, "
                    f"the file at {self.raw.size}"
                )

    def note(self, text: str) -> None:
        """Keep what cannot be read, once."""
        if text not in self.damage:
            self.damage.append(text)

    def find(self, kind: int) -> Stream | None:
        """The first stream of a kind that holds anything."""
        return next((s for s in self.entries if s.kind == kind and s.size), None)

    def all(self, kind: int) -> list[Stream]:
        """Every stream of a kind; a well-made dump has one."""
        return [s for s in self.entries if s.kind == kind and s.size]

    def text(self, kind: int) -> str | None:
        """A stream that is plain text."""
        stream = self.find(kind)
        if stream is None:
            return None
        raw = self.raw.read(stream.position, min(stream.size, MAX_TEXT))
        return raw.decode("utf-8", "surrogateescape")

    def items(self, kind: int, layout: str, most: int, size: int = 0) -> Iterator[tuple[int, ...]]:
        """The fields of the entries of a list: a count, then entries of ``size`` bytes, or as many
        as ``layout`` has.

        Some writers pad the count to eight bytes (Breakpad's ``MinidumpMemoryListStream`` and its
        kin accept both). A count that does not fit is cut to what the stream can hold.
        """
        size = size or struct.calcsize("<" + layout)
        for stream in self.all(kind):
            head = self.raw.unpack("I", stream.position)
            if head is None or stream.size < 4:
                self.note(f"stream {stream.name} is cut before its count")
                continue
            count = head[0]
            start = stream.position + (8 if stream.size >= 8 + count * size else 4)
            if stream.size != 8 + count * size:
                start = stream.position + 4
            count = self._fitting(stream, start, count, size, most)
            yield from self.raw.rows(layout, start, count, size)

    def sized_items(
        self, kind: int, fixed: str, layout: str, most: int
    ) -> Iterator[tuple[int, ...]]:
        """As `items` for lists whose header names the sizes of header and entry. ``fixed`` is the
        header's layout: sizes first, count next."""
        for stream in self.all(kind):
            head = self.raw.unpack(fixed, stream.position)
            if head is None:
                self.note(f"stream {stream.name} is cut before its count")
                continue
            header, size, count = head[:3]
            if not 8 <= header <= stream.size or not 4 <= size <= 4096:
                self.note(
                    f"stream {stream.name} names impossible sizes: header {header}, entry {size}"
                )
                continue
            start = stream.position + header
            count = self._fitting(stream, start, count, size, most)
            if size >= struct.calcsize("<" + layout):
                yield from self.raw.rows(layout, start, count, size)

    def _fitting(self, stream: Stream, start: int, count: int, size: int, most: int) -> int:
        """How many entries of a list are read."""
        end = min(stream.position + stream.size, self.raw.size)
        fits = max(0, (end - start) // size)
        if count > fits:
            self.note(
                f"stream {stream.name} announces {count} records, {fits} are in its "
                f"{stream.size} bytes"
            )
        elif count > most:
            self.note(f"stream {stream.name} has {count} records; {most} were read")
        return min(count, fits, most)
