"""The programs and libraries of a Mach-O core, from what dyld and the core's writer keep of them.

Sources, the best first: the note "all image infos" (LLDB's ObjectFileMachO.cpp), dyld's own
``dyld_all_image_infos`` (mach-o/dyld_images.h) in the section __all_image_info of dyld, and every
segment that begins with a Mach-O header. Function names come out of an image's symbol table,
where the core holds its __LINKEDIT (``struct nlist_64``, mach-o/nlist.h).
"""

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from workbench.targets.dump import AddressSpace
from workbench.targets.files import Buffer, FileBytes
from workbench.targets.macho import layout

Read = Callable[[int, int], bytes | None]

_IMAGES = frozenset({layout.MH_EXECUTE, layout.MH_DYLIB, layout.MH_DYLINKER, layout.MH_BUNDLE})
_MOST = 20_000
_LONGEST_HEADER = 1 << 18
_NAME = 4096


class Image(Struct, frozen=True):
    """An image in memory: where its header lies, what its commands say, where its file was."""

    base: int
    commands: layout.Commands
    path: str

    @property
    def slide(self) -> int:
        """Load address minus link address."""
        text_at = next((s.address for s in self.commands.segments if s.name == "__TEXT"), self.base)
        return self.base - text_at

    @property
    def spans(self) -> list[tuple[int, int, str]]:
        """[start, end) of each segment in memory with its name, but of the empty page at zero."""
        return [
            (s.address + self.slide, s.address + self.slide + s.size, s.name)
            for s in self.commands.segments
            if s.size and s.name != "__PAGEZERO" and s.protection
        ]


class _Memory(Buffer):
    """The bytes from an address on, as far as they are there."""

    def __init__(self, read: Read, base: int) -> None:
        self._read, self._base = read, base

    def __len__(self) -> int:
        return _LONGEST_HEADER

    def __getitem__(self, part: slice, /) -> bytes:
        start, end = part.start or 0, min(part.stop, _LONGEST_HEADER)
        return self._read(self._base + start, max(0, end - start)) or b""


def find_images(
    data: Buffer, memory: AddressSpace, notes: Iterable[layout.Note], starts: Iterable[int]
) -> list[Image]:
    """Every image that can be found, in address order. ``starts`` are those of the segments."""
    paths: dict[int, str] = {}
    for note in notes:
        if note.owner == "all image infos":
            paths |= _noted(data, note)
    bases = dict.fromkeys([*paths, *starts])
    found = {base: image for base in list(bases)[:_MOST] if (image := image_at(memory.read, base))}
    for image in list(found.values()):
        if image.commands.filetype == layout.MH_DYLINKER:
            for base, path in _listed(memory, image).items():
                paths.setdefault(base, path)
                if base not in found and (other := image_at(memory.read, base)) is not None:
                    found[base] = other
    return [
        Image(base, image.commands, paths.get(base) or image.path)
        for base, image in sorted(found.items())
    ]


def image_at(read: Read, base: int) -> Image | None:
    """The image whose header lies at an address."""
    if read(base, 4) != layout.MAGIC:
        return None
    try:
        commands = layout.parse(_Memory(read, base))
    except layout.MachError:
        return None
    if commands.filetype not in _IMAGES:
        return None
    kind = {layout.MH_EXECUTE: "program", layout.MH_DYLINKER: "dyld"}.get(
        commands.filetype, "library"
    )
    return Image(base, commands, commands.identity or kind)


def _noted(data: Buffer, note: layout.Note) -> dict[int, str]:
    """Load addresses and paths of the note "all image infos"."""
    head = data[note.offset : note.offset + 24]
    if len(head) < 24:
        return {}
    _, count, at, size, _ = struct.unpack("<IIQII", head)
    if size < 40:
        return {}
    found = {}
    for index in range(min(count, _MOST)):
        entry = data[at + index * size : at + index * size + 40]
        if len(entry) < 40:
            break
        name_at, _, base, _ = struct.unpack("<Q16sQQ", entry)
        name = layout.text(data[name_at : name_at + _NAME])
        if base and name:
            found[base] = name
    return found


def _listed(memory: AddressSpace, dyld: Image) -> dict[int, str]:
    """Load addresses and paths that dyld lists."""
    section = next(
        (
            s
            for segment in dyld.commands.segments
            for s in segment.sections
            if s.name == "__all_image_info"
        ),
        None,
    )
    head = memory.read(section.address + dyld.slide, 16) if section is not None else None
    if head is None:
        return {}
    _, count, array = struct.unpack("<IIQ", head)
    found = {}
    for index in range(min(count, _MOST)):
        entry = memory.read(array + 24 * index, 24)
        if entry is None:
            break
        base, name_at, _ = struct.unpack("<QQQ", entry)
        name = memory.read_cstring(name_at)
        if base and name:
            found[base] = layout.text(name)
    return found


def uuid_of_file(path: Path) -> str | None:
    """The UUID of a thin 64-bit Mach-O file of this machine, None where there is none."""
    try:
        with FileBytes(path) as file:
            return layout.parse(file).uuid
    except (OSError, ValueError, layout.MachError):
        return None


_N_STAB, _N_TYPE, _N_SECT = 0xE0, 0x0E, 0x0E
_ENTRY = struct.Struct("<IBBHQ")
_SYMBOLS_MOST = 1_000_000
_LONGEST = 4096


class SymbolTable:
    """The defined symbols of one image, by address."""

    def __init__(self, read: Read, image: Image) -> None:
        self._rows: list[tuple[int, int]] = []
        self._strings = b""
        table = image.commands.symtab
        edit = next((s for s in image.commands.segments if s.name == "__LINKEDIT"), None)
        if table is None or edit is None:
            return
        symoff, count, stroff, size = table
        # The table's offsets are the file's; __LINKEDIT is mapped from its own on.
        here = edit.address + image.slide - edit.offset
        count = min(count, _SYMBOLS_MOST)
        raw = read(here + symoff, count * _ENTRY.size)
        strings = read(here + stroff, size) if 0 < size <= 1 << 28 else None
        if raw is None or strings is None:
            return
        self._strings = strings
        rows = [
            (value + image.slide, name_at)
            for name_at, kind, _, _, value in _ENTRY.iter_unpack(raw)
            if not kind & _N_STAB and kind & _N_TYPE == _N_SECT
        ]
        self._rows = sorted(rows)

    @property
    def known(self) -> bool:
        """True when there is a table to look names up in."""
        return bool(self._rows)

    def nearest(self, address: int) -> tuple[str, int] | None:
        """The symbol at or in front of an address, and the distance from it."""
        index = bisect_right(self._rows, (address, 1 << 32)) - 1
        if index < 0:
            return None
        start, name_at = self._rows[index]
        name = self._name(name_at)
        return (name, address - start) if name else None

    def address_of(self, name: str) -> int | None:
        """The address of a symbol."""
        return next((at for at, name_at in self._rows if self._name(name_at) == name), None)

    def _name(self, at: int) -> str:
        """As the source has it: C's names carry an underscore."""
        end = self._strings.find(b"\0", at, at + _LONGEST)
        raw = self._strings[at : end if end >= 0 else at + _LONGEST]
        return raw.decode("utf-8", "backslashreplace").removeprefix("_")
