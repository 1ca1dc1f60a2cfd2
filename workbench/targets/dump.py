"""What a probe needs of a dump, whatever format the dump has."""

from abc import abstractmethod
from collections.abc import Sequence
from struct import Struct
from typing import Literal

from workbench.model.facts import Region
from workbench.targets.extents import Extent
from workbench.targets.files import Buffer, Closing, FileBytes
from workbench.targets.modules import CoreModule
from workbench.targets.notes import CoreThread
from workbench.targets.siginfo import SigInfo
from workbench.targets.spans import piece_at

_MAX_READ = 1 << 30


class AddressSpace:
    """Reads dumped memory; a subclass's ``_undumped`` gives what was not dumped."""

    def __init__(self, data: Buffer, extents: list[Extent], word: Struct) -> None:
        self._data = data
        self.word = word
        self.extents = extents

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
        raw = self.read(address, self.word.size)
        return None if raw is None else int(self.word.unpack(raw)[0])

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
        return piece_at(self.extents, address)

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


class Dump(AddressSpace, Closing):
    """An open dump: its memory by address, its threads, its modules.

    ``arch`` is what `uname -m` says, ``bits`` the width of a word (32 or 64), ``size`` the file's
    bytes, ``auxv`` the auxiliary vector of getauxval(3), empty where the system has none. Whatever
    is asked for by an address is None where the dump does not know it.
    """

    arch: str
    bits: int
    little_endian: bool
    auxv: dict[int, int]

    def __init__(self, file: FileBytes, extents: list[Extent], word: Struct) -> None:
        super().__init__(file, extents, word)
        self._file = file
        self.path = file.path
        self.size = file.size

    @property
    @abstractmethod
    def threads(self) -> tuple[CoreThread, ...]:
        """The threads, the one that the signal hit first."""

    @property
    @abstractmethod
    def siginfo(self) -> SigInfo | None:
        """The signal as the kernel recorded it."""

    @property
    @abstractmethod
    def regions(self) -> tuple[Region, ...]:
        """The memory map in address order."""

    @property
    @abstractmethod
    def modules(self) -> Sequence[CoreModule]:
        """Mapped programs and libraries in address order."""

    @property
    @abstractmethod
    def program(self) -> CoreModule | None:
        """The executable among the modules."""

    def number(self, address: int, size: int) -> int | None:
        """An unsigned number of ``size`` bytes in the target's byte order."""
        raw = self.read(address, size)
        order: Literal["little", "big"] = "little" if self.little_endian else "big"
        return None if raw is None else int.from_bytes(raw, order)

    def region(self, address: int) -> Region | None:
        """The mapping that holds an address."""
        return piece_at(self.regions, address)

    def module_at(self, address: int) -> CoreModule | None:
        """The module that an address lies in."""
        return piece_at(self.modules, address)

    def symbol(self, module_name_part: str, name: str) -> int | None:
        """The run-time address of a symbol in the first module whose name holds the part; an empty
        part looks in every module."""
        for module in self.modules:
            for image in module.images if module_name_part in module.name else ():
                found = image.symbol(name)
                if found is not None:
                    return found.value + module.bias
        return None

    def symbolize(self, address: int) -> tuple[str, int] | None:
        """The function that holds an address and the distance from its start."""
        module = self.module_at(address)
        for image in module.images if module is not None else ():
            found = image.nearest_function(address - (module.bias if module is not None else 0))
            if found is not None:
                return found
        return None

    def symbol_size(self, address: int) -> int:
        """The bytes of the function that holds an address; 0 where no symbol tells."""
        module = self.module_at(address)
        if module is None:
            return 0
        sizes = (image.function_size(address - module.bias) for image in module.images)
        return next(filter(None, sizes), 0)

    def close(self) -> None:
        """Release the file."""
        self._file.close()
