"""An executable or library as an ELF image: build id, sections, symbols.

The image is a file on this machine or bytes out of the dump (the vDSO). Files may be as hostile as
dumps: offsets are checked against the size, and nothing raises but ``ElfError`` on opening.
"""

import struct
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from workbench.targets import elf
from workbench.targets.files import Buffer, FileBytes
from workbench.targets.notes import iterate

Read = Callable[[int, int], bytes | None]
"""Reads ``size`` bytes at ``address``, or None."""

NT_GNU_BUILD_ID = 3
SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 2, 8, 11
STT_OBJECT, STT_FUNC, STT_TLS, STT_GNU_IFUNC = 1, 2, 6, 10
_FUNCTIONS = frozenset({STT_FUNC, STT_GNU_IFUNC})
_NESTED = 8

_PAGE = 4096
_MAX_NOTE_BYTES = 1 << 20
_MAX_NAME = 4096
_MAX_SYMBOLS = 20_000_000


class Section(Struct, frozen=True):
    """A section header."""

    name: str
    type: int
    offset: int
    size: int
    link: int


class Symbol(Struct, frozen=True):
    """A symbol; ``value`` is not relocated, ``size`` is in bytes, 0 where it is not known."""

    value: int
    size: int


# Tables of large programs have millions of rows, so rows are plain tuples:
# value, size, offset of the name in the string table, type.
_Row = tuple[int, int, int, int]


class _Table(Struct, frozen=True):
    rows: list[_Row]
    strings: bytes

    def name(self, at: int) -> str:
        end = self.strings.find(b"\0", at, at + _MAX_NAME)
        raw = self.strings[at : end if end >= 0 else at + _MAX_NAME]
        return raw.decode("utf-8", "backslashreplace")


class Image:
    """An ELF image. Raises ``ElfError`` when it is none."""

    def __init__(self, data: Buffer, path: Path | None = None) -> None:
        self.data = data
        self.path = path
        self.header: elf.Header = elf.parse_header(data)
        self.segments: list[elf.Segment] = elf.parse_segments(data, self.header)

    @cached_property
    def build_id(self) -> str | None:
        """The GNU build id in hex digits, or None."""
        for segment in self.segments:
            if segment.type == elf.PT_NOTE and segment.filesz <= _MAX_NOTE_BYTES:
                raw = self.data[segment.offset : segment.offset + segment.filesz]
                found = build_id_in_notes(raw, self.header.order)
                if found:
                    return found
        return None

    @cached_property
    def base_vaddr(self) -> int | None:
        """The address at which the file's first byte wants to be, None without PT_LOAD."""
        return load_base(self.segments)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The section headers, empty when there are none or they are damaged."""
        return tuple(_sections(self.data, self.header))

    @cached_property
    def is_debug_only(self) -> bool:
        """True for what ``objcopy --only-keep-debug`` leaves: symbols, and no code where the
        program headers say it is."""
        return any(s.name == ".text" and s.type == SHT_NOBITS for s in self.sections)

    @property
    def has_debug_info(self) -> bool:
        """True when it carries DWARF."""
        return any(section.name in (".debug_info", ".zdebug_info") for section in self.sections)

    @property
    def has_symbols(self) -> bool:
        """True when it carries a full symbol table (not stripped)."""
        return any(s.type == SHT_SYMTAB and s.size for s in self.sections)

    def writable_at(self, link_address: int) -> bool:
        """True when the page of an unrelocated address is loaded writable; data that relocation
        writes and the loader protects later (RELRO) counts as such."""
        return any(
            s.type == elf.PT_LOAD
            and s.flags & elf.PF_W
            and s.vaddr - s.vaddr % max(s.align, _PAGE) <= link_address < s.vaddr + s.memsz
            for s in self.segments
        )

    def symbol(self, name: str) -> Symbol | None:
        """The defined symbol of that name, .symtab before .dynsym; thread-local ones are not
        addresses and are left out."""
        wanted = name.encode()
        for table in self._tables:
            offsets = _name_offsets(table.strings, wanted)
            if not offsets:
                continue
            for value, size, at, kind in table.rows:
                if at in offsets and kind != STT_TLS:
                    return Symbol(value, size)
        return None

    def nearest_function(self, value: int) -> tuple[str, int] | None:
        """The function that holds an unrelocated address, and the distance from its start."""
        found = self._holding(value)
        return (self._tables[found[3]].name(found[2]), value - found[0]) if found else None

    def function_size(self, value: int) -> int:
        """The bytes of the function that holds an unrelocated address; 0 where no symbol tells."""
        found = self._holding(value)
        return found[1] if found else 0

    def _holding(self, value: int) -> _Row | None:
        starts, functions = self._functions
        nearest = bisect_right(starts, value) - 1
        # A short local symbol may lie inside a function: what it does not reach, that may.
        for index in range(nearest, max(-1, nearest - _NESTED), -1):
            start, size, *_ = functions[index]
            if value - start < size or (not size and index == nearest):
                return functions[index]
        return None

    def object_at(self, value: int) -> tuple[str, int] | None:
        """The variable that holds an unrelocated address, the smallest of several, and the distance
        from its start."""
        found = [
            (size, start, at, table)
            for table in self._tables
            for start, size, at, kind in table.rows
            if kind == STT_OBJECT and start <= value < start + size
        ]
        if not found:
            return None
        _, start, at, table = min(found, key=lambda row: row[:2])
        return table.name(at), value - start

    @cached_property
    def _tables(self) -> list[_Table]:
        return [
            _symbols(self.data, self.header, self.sections, section)
            for kind in (SHT_SYMTAB, SHT_DYNSYM)
            for section in self.sections
            if section.type == kind
        ]

    @cached_property
    def _functions(self) -> tuple[list[int], list[_Row]]:
        """Sorted starts, and rows whose last item is the index of their table; of those that start
        together the longest comes last."""
        found = sorted(
            (value, size, at, index)
            for index, table in enumerate(self._tables)
            for value, size, at, kind in table.rows
            if kind in _FUNCTIONS
        )
        return [row[0] for row in found], found


def open_image(path: Path) -> Image | None:
    """The program or library in a file of this machine; None when it is none or not readable."""
    try:
        image = Image(FileBytes(path), path)
    except (OSError, ValueError, elf.ElfError):
        return None
    return image if image.header.type in (elf.ET_EXEC, elf.ET_DYN) else None


def build_id_in_notes(raw: bytes, order: str) -> str | None:
    """The build id among the notes in ``raw``."""
    for note in iterate(raw, 0, len(raw), order):
        if note.owner == "GNU" and note.kind == NT_GNU_BUILD_ID and 0 < note.size <= 64:
            body = raw[note.start : note.start + note.size]
            if len(body) == note.size:
                return body.hex()
    return None


def load_base(segments: list[elf.Segment]) -> int | None:
    """The lowest loaded address, moved to where the file's first byte would be."""
    loads = [s for s in segments if s.type == elf.PT_LOAD]
    if not loads:
        return None
    first = min(loads, key=lambda s: s.vaddr)
    return first.vaddr - first.offset


class MemoryImage(Struct, frozen=True):
    """What an image's own headers say in memory: ``bias`` is load address minus link address,
    ``end`` the end of its last segment."""

    header: elf.Header
    segments: list[elf.Segment]
    bias: int
    end: int
    build_id: str | None


def image_in_memory(read: Read, base: int) -> MemoryImage | None:
    """Read an image's headers where it was loaded, through ``read(address, size)``."""
    head = read(base, 64)
    if head is None or head[:4] != b"\x7fELF":
        return None
    try:
        header = elf.parse_header(head)
    except elf.ElfError:
        return None
    table = read(base, min(header.phoff + header.phnum * header.phentsize, 4096))
    if table is None:
        return None
    segments = elf.parse_segments(table, header)
    start = load_base(segments)
    if start is None:
        return None
    bias = base - start
    end = max(s.vaddr + s.memsz for s in segments if s.type == elf.PT_LOAD) + bias
    found = None
    for segment in segments:
        if segment.type == elf.PT_NOTE and segment.memsz <= _MAX_NOTE_BYTES and found is None:
            raw = read(segment.vaddr + bias, segment.memsz)
            found = build_id_in_notes(raw, header.order) if raw else None
    return MemoryImage(header, segments, bias, end, found)


def _sections(data: Buffer, header: elf.Header) -> list[Section]:
    wide = header.bits == 64
    layout = struct.Struct(header.order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII"))
    if not header.shoff or header.shentsize != layout.size:
        return []
    end = min(header.shoff + header.shnum * layout.size, len(data))
    usable = max(0, end - header.shoff) // layout.size * layout.size
    rows = list(layout.iter_unpack(data[header.shoff : header.shoff + usable]))
    names = b""
    if header.shstrndx < len(rows):
        _, _, _, _, offset, size, *_ = rows[header.shstrndx]
        names = data[offset : offset + min(size, 1 << 20)]
    return [
        Section(
            name=names[name : names.find(b"\0", name)].decode("latin-1")
            if name < len(names)
            else "",
            type=kind,
            offset=offset,
            size=size if kind != SHT_NOBITS else 0,
            link=link,
        )
        for name, kind, _, _, offset, size, link, _, _, _ in rows
    ]


def _symbols(
    data: Buffer, header: elf.Header, sections: tuple[Section, ...], section: Section
) -> _Table:
    wide = header.bits == 64
    layout = struct.Struct(header.order + ("IBBHQQ" if wide else "IIIBBH"))
    size = min(section.size, _MAX_SYMBOLS * layout.size, max(0, len(data) - section.offset))
    raw = data[section.offset : section.offset + size - size % layout.size]
    unpacked = layout.iter_unpack(raw)
    if wide:
        rows = [
            (value, length, name, info & 15)
            for name, info, _, place, value, length in unpacked
            if place and value
        ]
    else:
        # On arm the lowest bit of a function's address says Thumb (ELF for the Arm Architecture).
        odd = 1 if header.arch == "arm" else 0
        rows = [
            (value & ~odd if info & 15 == STT_FUNC else value, length, name, info & 15)
            for name, value, length, info, _, place in unpacked
            if place and value
        ]
    strings = b""
    if section.link < len(sections):
        table = sections[section.link]
        strings = data[table.offset : table.offset + table.size]
    return _Table(rows, strings)


def _name_offsets(strings: bytes, name: bytes) -> set[int]:
    """Where a name may begin: linkers share tails, so it need not follow a NUL."""
    found = set()
    at = strings.find(name + b"\0")
    while at >= 0:
        found.add(at)
        at = strings.find(name + b"\0", at + 1)
    return found
