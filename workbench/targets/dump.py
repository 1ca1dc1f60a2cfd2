"""What a probe needs of a dump, whatever format the dump has."""

from collections.abc import Sequence
from typing import Protocol

from workbench.model.facts import Region
from workbench.targets.modules import CoreModule
from workbench.targets.notes import CoreThread
from workbench.targets.siginfo import SigInfo


class Dump(Protocol):
    """An open dump: its memory by address, its threads, its modules.

    Whatever is asked for by an address is None where the dump does not know it.
    """

    @property
    def arch(self) -> str:
        """As `uname -m` names it."""
        ...

    @property
    def bits(self) -> int:
        """The width of a word: 32 or 64."""
        ...

    @property
    def little_endian(self) -> bool:
        """The byte order of words."""
        ...

    @property
    def threads(self) -> tuple[CoreThread, ...]:
        """The threads, the one that the signal hit first."""
        ...

    @property
    def siginfo(self) -> SigInfo | None:
        """The signal as the kernel recorded it."""
        ...

    @property
    def auxv(self) -> dict[int, int]:
        """The auxiliary vector of getauxval(3), empty where the system has none."""
        ...

    @property
    def regions(self) -> Sequence[Region]:
        """The memory map in address order."""
        ...

    @property
    def modules(self) -> tuple[CoreModule, ...]:
        """Mapped programs and libraries in address order."""
        ...

    @property
    def program(self) -> CoreModule | None:
        """The executable among the modules."""
        ...

    def region(self, address: int) -> Region | None:
        """The mapping that holds an address."""
        ...

    def module_at(self, address: int) -> CoreModule | None:
        """The module that an address lies in."""
        ...

    def symbol(self, module_name_part: str, name: str) -> int | None:
        """A symbol's address in the first module whose name holds the part."""
        ...

    def symbolize(self, address: int) -> tuple[str, int] | None:
        """The function that holds an address and the distance from its start."""
        ...

    def read(self, address: int, size: int) -> bytes | None:
        """``size`` bytes; None unless all of them are known."""
        ...

    def read_word(self, address: int) -> int | None:
        """An unsigned word of the target's width and byte order."""
        ...

    def read_cstring(self, address: int, limit: int = 4096) -> bytes | None:
        """The bytes up to a NUL, at most ``limit``."""
        ...
