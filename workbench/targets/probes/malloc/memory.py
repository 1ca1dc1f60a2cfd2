"""Words out of a span of memory that is read once."""

import struct

from workbench.targets.dump import Dump
from workbench.targets.probes.places import read_some

_MAX_SPAN = 1 << 30


class Span:
    """[start, end) as one run of bytes; shorter than asked for where memory is not in the dump."""

    def __init__(self, core: Dump, start: int, end: int) -> None:
        self.start = start
        self.data = read_some(core, start, min(max(end - start, 0), _MAX_SPAN))
        self.end = start + len(self.data)
        self._word = struct.Struct("<Q" if core.little_endian else ">Q")

    def word(self, address: int) -> int | None:
        """The word at an address, or None outside of the span."""
        offset = address - self.start
        if offset < 0 or offset + 8 > len(self.data):
            return None
        value: int = self._word.unpack_from(self.data, offset)[0]
        return value

    def words(self, address: int, count: int) -> list[int]:
        """Up to ``count`` words from an address on."""
        found = []
        for index in range(count):
            value = self.word(address + 8 * index)
            if value is None:
                break
            found.append(value)
        return found

    def bytes_at(self, address: int, size: int) -> bytes:
        """Up to ``size`` bytes from an address on."""
        offset = address - self.start
        if offset < 0:
            return b""
        return self.data[offset : offset + max(size, 0)]
