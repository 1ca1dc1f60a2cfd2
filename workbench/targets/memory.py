"""An address space as a dump holds it: pieces of memory in address order, read by address."""

from bisect import bisect_right
from struct import Struct

from workbench.targets.extents import Extent
from workbench.targets.files import Buffer

_MAX_READ = 1 << 30


class AddressSpace:
    """Reads dumped memory; a subclass's ``_undumped`` gives what was not dumped."""

    def __init__(self, data: Buffer, extents: list[Extent], word: Struct) -> None:
        self._data = data
        self._word = word
        self.extents = extents
        self._starts = [extent.start for extent in extents]

    def read(self, address: int, size: int) -> bytes | None:
        """``size`` bytes at ``address``; None unless all of them are known."""
        extent = self.extent(address)
        if extent is not None and 0 < size <= extent.start + extent.present - address:
            at = extent.position + address - extent.start
            raw = self._data[at : at + size]
            return raw if len(raw) == size else None
        return self._across(address, size, dumped_only=False)

    def read_dumped(self, address: int, size: int) -> bytes | None:
        """As ``read``, but only what the core itself holds."""
        return self._across(address, size, dumped_only=True)

    def read_word(self, address: int) -> int | None:
        """An unsigned word of the target's width and byte order."""
        raw = self.read(address, self._word.size)
        return None if raw is None else int(self._word.unpack(raw)[0])

    def read_cstring(self, address: int, limit: int = 4096) -> bytes | None:
        """The bytes up to a NUL, at most ``limit``; None when memory ends before either."""
        found = bytearray()
        while len(found) < limit:
            step = min(256 - (address + len(found)) % 256, limit - len(found))
            raw = self.read(address + len(found), step)
            if raw is None:
                return None
            end = raw.find(b"\0")
            if end >= 0:
                return bytes(found + raw[:end])
            found += raw
        return bytes(found)

    def extent(self, address: int) -> Extent | None:
        """The piece that holds an address."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and address < self.extents[index].end:
            return self.extents[index]
        return None

    def _across(self, address: int, size: int, dumped_only: bool) -> bytes | None:
        if size <= 0 or size > _MAX_READ:
            return b"" if size == 0 else None
        parts = []
        while size > 0:
            extent = self.extent(address)
            if extent is None:
                return None
            skipped = address - extent.start
            if skipped < extent.present:
                step = min(size, extent.present - skipped)
                at = extent.position + skipped
                raw: bytes | None = self._data[at : at + step]
            else:
                step = min(size, extent.end - address)
                raw = None if dumped_only else self._undumped(extent, skipped, step)
            if raw is None or len(raw) < step:
                return None
            parts.append(raw)
            address += step
            size -= step
        return b"".join(parts)

    def _undumped(self, extent: Extent, skipped: int, size: int) -> bytes | None:
        return None
