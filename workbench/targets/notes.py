"""The notes of a Linux core: threads, process, signal, auxiliary vector, mapped files (core(5)).

Layouts are those of the kernel: ``elf_prstatus``, ``elf_prpsinfo`` (include/linux/elfcore.h) and
``fill_files_note`` (fs/binfmt_elf.c). Every field is bounded by the note that holds it.
"""

import struct
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets import registers, siginfo
from workbench.targets.elf import Header, Segment
from workbench.targets.files import Buffer

NT_PRSTATUS, NT_PRPSINFO, NT_AUXV = 1, 3, 6
NT_SIGINFO, NT_FILE = 0x53494749, 0x46494C45
NT_ARM_TLS = 0x401

_MAX_NOTES = 2_000_000
_MAX_THREADS = 100_000
_MAX_FILES = 1_000_000
_MAX_OWNERS = 100
_MAX_OWNER = 20

# The notes that are read, and at most how much of each.
_WANTED = {
    ("CORE", NT_PRSTATUS): 1 << 12,
    ("CORE", NT_PRPSINFO): 1 << 12,
    ("CORE", NT_SIGINFO): 1 << 12,
    ("CORE", NT_AUXV): 1 << 16,
    ("CORE", NT_FILE): 1 << 28,
    ("LINUX", NT_ARM_TLS): 1 << 12,
}


class CoreThread(Struct, frozen=True):
    """A thread of the dump. ``signal`` is pr_cursig, 0 when none was being delivered."""

    tid: int
    registers: dict[str, int]
    signal: int
    fs_base: int | None
    pc: int | None
    sp: int | None


class FileMapping(Struct, frozen=True):
    """One entry of NT_FILE; ``offset`` in bytes."""

    start: int
    end: int
    offset: int
    path: str


class Notes(Struct):
    """All that the notes say. ``cut`` is True when they end before they should."""

    threads: list[CoreThread] = []
    pid: int | None = None
    uid: int | None = None
    name: str | None = None
    command_line: str | None = None
    signal: siginfo.SigInfo | None = None
    auxv: dict[int, int] = {}
    files: list[FileMapping] = []
    owners: set[str] = set()
    first: int | None = None
    cut: bool = False

    @property
    def by_debugger(self) -> bool:
        """True for a core that gdb wrote: it describes the target (a note of its own, gdb 12) and
        puts the process before its threads, the kernel after the first one."""
        return "GDB" in self.owners or self.first == NT_PRPSINFO


def read_notes(data: Buffer, header: Header, segments: list[Segment]) -> Notes:
    """Read every PT_NOTE segment of a core."""
    notes = Notes()
    reader = _Reader(header, notes)
    for segment in segments:
        end = segment.offset + segment.filesz
        if end > len(data):
            notes.cut = True
        for note in iterate(data, segment.offset, end, header.order):
            if len(notes.owners) < _MAX_OWNERS:
                notes.owners.add(note.owner)
            if notes.first is None:
                notes.first = note.kind
            wanted = _WANTED.get((note.owner, note.kind), 0)
            body = data[note.start : note.start + min(note.size, wanted)] if wanted else b""
            # A note that reaches over the end counts as cut whether it is wanted or not.
            notes.cut = notes.cut or note.start + note.size > min(end, len(data))
            if wanted:
                reader.take(note.kind, body)
    reader.finish()
    return notes


class Note(Struct, frozen=True):
    """A note's owner and type; its descriptor's ``size`` bytes are at ``start``."""

    owner: str
    kind: int
    start: int
    size: int


def iterate(data: Buffer, start: int, end: int, order: str) -> Iterator[Note]:
    """The notes in a part of a file, as far as their descriptors begin in it (elf(5))."""
    heading = struct.Struct(order + "III")
    at, end = start, min(end, len(data))
    for _ in range(_MAX_NOTES):
        raw = data[at : at + heading.size + _MAX_OWNER]
        if at + heading.size > end or len(raw) < heading.size:
            return
        name_size, size, kind = heading.unpack_from(raw)
        body = at + heading.size + (name_size + 3 & ~3)
        if body > end:
            return
        name = raw[heading.size : heading.size + min(name_size, _MAX_OWNER)]
        yield Note(name.split(b"\0", 1)[0].decode("latin-1"), kind, body, size)
        at = body + (size + 3 & ~3)


class _Reader:
    """Collects notes into ``Notes``; a thread's notes follow its NT_PRSTATUS."""

    def __init__(self, header: Header, notes: Notes) -> None:
        self._header = header
        self._notes = notes
        self._wide = header.bits == 64
        self._order = header.order
        self._layout = registers.layout(header.arch)
        self._tls: dict[int, int] = {}

    def take(self, kind: int, body: bytes) -> None:
        """One of the wanted notes."""
        if kind == NT_PRSTATUS:
            self._prstatus(body)
        elif kind == NT_PRPSINFO:
            self._prpsinfo(body)
        elif kind == NT_SIGINFO and self._notes.signal is None:
            self._notes.signal = siginfo.decode(body, self._order, self._wide, self._header.arch)
        elif kind == NT_AUXV:
            self._auxv(body)
        elif kind == NT_FILE:
            self._files(body)
        elif kind == NT_ARM_TLS and self._notes.threads and len(body) >= 8:
            (base,) = struct.unpack_from(self._order + "Q", body)
            self._tls[len(self._notes.threads) - 1] = int(base)

    def finish(self) -> None:
        """Put the thread pointers that came in notes of their own where they belong."""
        for index, base in self._tls.items():
            self._notes.threads[index] = replace(self._notes.threads[index], fs_base=base)

    def _prstatus(self, body: bytes) -> None:
        tid_at, registers_at = (32, 112) if self._wide else (24, 72)
        if len(body) < registers_at or len(self._notes.threads) == _MAX_THREADS:
            self._notes.cut = True
            return
        (signal,) = struct.unpack_from(self._order + "H", body, 12)
        (tid,) = struct.unpack_from(self._order + "i", body, tid_at)
        values = registers.decode(self._header.arch, self._header.word, body[registers_at:])
        part = self._layout
        self._notes.threads.append(
            CoreThread(
                tid=tid,
                registers=values,
                signal=signal,
                fs_base=values.get("fs_base"),
                pc=values.get(part.pc) if part else None,
                sp=values.get(part.sp) if part else None,
            )
        )

    def _prpsinfo(self, body: bytes) -> None:
        if self._wide:
            uid_at, pid_at, name_at = 16, 24, 40
        elif len(body) >= 128:  # 32-bit uid_t, as on ppc and riscv32
            uid_at, pid_at, name_at = 8, 16, 32
        else:
            uid_at, pid_at, name_at = 8, 12, 28
        if len(body) < name_at + 16:
            return
        (self._notes.pid,) = struct.unpack_from(self._order + "i", body, pid_at)
        (self._notes.uid,) = struct.unpack_from(self._order + "I", body, uid_at)
        if pid_at == 12:
            (self._notes.uid,) = struct.unpack_from(self._order + "H", body, uid_at)
        self._notes.name = _text(body[name_at : name_at + 16])
        self._notes.command_line = _text(body[name_at + 16 : name_at + 96]).rstrip(" ")

    def _auxv(self, body: bytes) -> None:
        pair = struct.Struct(self._order + ("QQ" if self._wide else "II"))
        usable = len(body) - len(body) % pair.size
        for key, value in pair.iter_unpack(body[:usable]):
            if key == 0:
                break
            self._notes.auxv.setdefault(key, value)

    def _files(self, body: bytes) -> None:
        word = self._header.word
        if len(body) < 2 * word.size:
            return
        (count,) = word.unpack_from(body, 0)
        (page,) = word.unpack_from(body, word.size)
        entry = struct.Struct(self._order + ("QQQ" if self._wide else "III"))
        table = 2 * word.size
        room = min((len(body) - table) // (entry.size + 1), _MAX_FILES)
        if count > room:
            self._notes.cut = True
            count = room
        names = body[table + count * entry.size :].split(b"\0")
        rows = list(entry.iter_unpack(body[table : table + count * entry.size]))
        unit = 1 if _in_bytes([offset for _, _, offset in rows], page) else page
        self._notes.files.extend(
            FileMapping(start, end, offset * unit, _text(name))
            for (start, end, offset), name in zip(rows, names, strict=False)
            if start < end
        )


def _in_bytes(offsets: list[int], page: int) -> bool:
    """True when NT_FILE counts offsets in bytes, as createdump of .NET Core 2 does, not in pages:
    then all of them are whole pages, which pages' numbers are not."""
    some = [offset for offset in offsets if offset]
    return len(some) > 3 and page > 1 and all(offset % page == 0 for offset in some)


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
