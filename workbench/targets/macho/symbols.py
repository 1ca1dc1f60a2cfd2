"""Function names out of an image's symbol table, where the core holds its __LINKEDIT.

``struct nlist_64``: mach-o/nlist.h.
"""

import struct
from bisect import bisect_right

from workbench.targets.macho.images import Image, Read

_N_STAB, _N_TYPE, _N_SECT = 0xE0, 0x0E, 0x0E
_ENTRY = struct.Struct("<IBBHQ")
_MOST = 1_000_000
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
        count = min(count, _MOST)
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
