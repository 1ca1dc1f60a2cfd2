"""Windows' images as a full dump holds them in memory: exported names and unwinding tables.

Layouts: Microsoft's PE format, ``winnt.h``. Everything is read from the dump by address; counts are
bounded, and what cannot be read is missing.
"""

import struct
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from operator import itemgetter

from msgspec import Struct

from workbench.targets.spans import piece_at

Read = Callable[[int, int], bytes | None]
"""Bytes of the dump's memory at an address, or None."""

_MAX_NAMES = 65_536
_MAX_FUNCTIONS = 500_000
_MAX_NAME = 512
_MAX_STRINGS = 8 << 20
_FAR = 0x1000
"""How far behind an export without unwinding tables its function is believed to reach."""


class Function(Struct, frozen=True):
    """A RUNTIME_FUNCTION: [start, end) and its unwinding record, as offsets in the image."""

    start: int
    end: int
    unwind: int


class PeImage:
    """One image at ``base``. Empty where its headers are not in the dump."""

    def __init__(self, read: Read, base: int) -> None:
        self._read = read
        self.base = base
        self.machine = 0
        self._directories: list[tuple[int, int]] = []
        self._headers()

    def _headers(self) -> None:
        head = self._read(self.base, 0x40)
        if head is None or head[:2] != b"MZ":
            return
        (offset,) = struct.unpack_from("<I", head, 0x3C)
        nt = self._read(self.base + offset, 24 + 112 + 16 * 8) if offset < 0x1000 else None
        if nt is None or nt[:4] != b"PE\0\0":
            return
        (self.machine,) = struct.unpack_from("<H", nt, 4)
        (magic,) = struct.unpack_from("<H", nt, 24)
        start = 24 + (112 if magic == 0x20B else 96)
        (count,) = struct.unpack_from("<I", nt, start - 4)
        for index in range(min(count, 16)):
            if start + 8 * index + 8 <= len(nt):
                self._directories.append(struct.unpack_from("<II", nt, start + 8 * index))

    def _directory(self, index: int) -> tuple[int, int]:
        return self._directories[index] if index < len(self._directories) else (0, 0)

    def _words(self, rva: int, count: int, layout: str) -> tuple[int, ...]:
        size = struct.calcsize("<" + layout)
        raw = self._read(self.base + rva, count * size) if rva and count else None
        return struct.unpack(f"<{count}{layout}", raw) if raw is not None else ()

    @cached_property
    def exports(self) -> list[tuple[int, str]]:
        """(offset, name) of each exported function in order of offset."""
        rva, size = self._directory(0)
        raw = self._read(self.base + rva, 40) if rva and size >= 40 else None
        if raw is None:
            return []
        functions, names, addresses, name_table, ordinals = struct.unpack_from("<5I", raw, 20)
        functions, names = min(functions, _MAX_NAMES), min(names, _MAX_NAMES)
        targets = self._words(addresses, functions, "I")
        texts = self._words(name_table, names, "I")
        numbers = self._words(ordinals, names, "H")
        if not texts:
            return []
        low, high = min(texts), max(texts) + _MAX_NAME
        strings = None
        if high - low <= _MAX_STRINGS:
            strings = self._read(self.base + low, high - low)
            if strings is None:  # the last name may stand at the end of what was dumped
                strings = self._read(self.base + low, max(texts) - low)
        found: dict[int, str] = {}
        for text, number in zip(texts, numbers, strict=False):
            target = targets[number] if number < len(targets) else 0
            forwarded = rva <= target < rva + size
            name = _name(strings, text - low) if strings is not None else ""
            if target and name and not forwarded:
                found.setdefault(target, name)
        return sorted(found.items())

    @cached_property
    def functions(self) -> list[Function]:
        """The unwinding table of an x64 image, in order of offset."""
        rva, size = self._directory(3)
        count = min(size // 12, _MAX_FUNCTIONS)
        words = self._words(rva, count * 3, "I") if self.machine == 0x8664 else ()
        return [Function(*words[at : at + 3]) for at in range(0, len(words), 3)]

    def function(self, offset: int) -> Function | None:
        """The table's entry for the code at an offset."""
        return piece_at(self.functions, offset)

    def name(self, offset: int) -> tuple[str, int] | None:
        """The exported function that holds an offset, and the distance from its start.

        An export reaches to the end of its own entry in the unwinding table; where there is no
        table, not far.
        """
        index = bisect_right(self.exports, offset, key=itemgetter(0)) - 1
        if index < 0:
            return None
        start, name = self.exports[index]
        if self.functions:
            known = self.function(offset)
            if known is None:
                return (name, offset - start) if offset - start < 64 else None
            return (name, offset - start) if known.start <= start else None
        return (name, offset - start) if offset - start < _FAR else None

    def read(self, rva: int, size: int) -> bytes | None:
        """Bytes of the image at an offset."""
        return self._read(self.base + rva, size)


def _name(strings: bytes, at: int) -> str:
    end = strings.find(b"\0", at, at + _MAX_NAME)
    raw = strings[at : end if end >= 0 else at]
    return raw.decode("ascii", "replace")
