"""What a probe needs of a dump, whatever format the dump has."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from struct import Struct
from types import TracebackType
from typing import Self

from workbench.model.facts import Region
from workbench.targets.extents import Extent
from workbench.targets.files import FileBytes
from workbench.targets.memory import AddressSpace
from workbench.targets.modules import CoreModule
from workbench.targets.notes import CoreThread
from workbench.targets.siginfo import SigInfo


class Dump(AddressSpace):
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

    @cached_property
    def _region_starts(self) -> list[int]:
        return [region.start for region in self.regions]

    def region(self, address: int) -> Region | None:
        """The mapping that holds an address."""
        index = bisect_right(self._region_starts, address) - 1
        found = self.regions[index] if index >= 0 else None
        return found if found is not None and address < found.end else None

    @cached_property
    def _module_starts(self) -> list[int]:
        return [module.base for module in self.modules]

    def module_at(self, address: int) -> CoreModule | None:
        """The module that an address lies in."""
        index = bisect_right(self._module_starts, address) - 1
        found = self.modules[index] if index >= 0 else None
        return found if found is not None and address < found.end else None

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

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
