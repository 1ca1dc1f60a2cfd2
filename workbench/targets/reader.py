"""Answers probes: questions about the dump that our own code answers from its bytes."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from workbench.model.evidence import Section
from workbench.model.target import Target, TargetKind
from workbench.targets.core import CoreFile
from workbench.targets.errors import ProbeError
from workbench.targets.identify import open_core
from workbench.targets.probes import PROBES
from workbench.targets.probing import ProbingReader

__all__ = ["DumpReader", "ProbeError", "Reader", "open_reader"]


class Reader(Protocol):
    """An open target. Whatever its kind, a probe of one name prints the same kinds of lines."""

    @property
    def size(self) -> int:
        """Bytes of the file."""

    def answer(self, probe: str) -> str:
        """The answer as plain text; ``probe`` is like ``@heap 0x4052a0``. Raises ``ProbeError``
        for one that this kind of target does not know or whose arguments make no sense."""

    def sections(self) -> Sequence[Section]:
        """What a transcript recorded, in order; nothing for a dump."""

    def close(self) -> None:
        """Let go of the file."""


def open_reader(target: Target, executable: Path | None, sysroot: Path | None) -> Reader:
    """The reader for a recognised target. Raises ``TargetError``.

    ``executable`` is the program to use, ``sysroot`` the folder of the crashed machine's files.
    """
    path = Path(target.path)
    if target.kind is TargetKind.ELF_CORE:
        return DumpReader(open_core(path, executable, sysroot))
    module, function = _READERS[target.kind]
    opened: Reader = getattr(import_module(module), function)(path, executable, sysroot)
    return opened


_READERS = {
    TargetKind.MACHO_CORE: ("workbench.targets.macho", "open_macho"),
    TargetKind.MINIDUMP: ("workbench.targets.minidump", "open_minidump"),
    TargetKind.TRANSCRIPT: ("workbench.targets.transcript", "open_transcript"),
    TargetKind.DOCUMENTS: ("workbench.targets.documents", "open_documents"),
}


class DumpReader(ProbingReader[CoreFile]):
    """Answers probes about one open ELF core."""

    def __init__(self, core: CoreFile) -> None:
        super().__init__(core, PROBES, "an ELF core")


class GoneReader:
    """Answers nothing; what was read before is evidence."""

    size = 0

    def answer(self, probe: str) -> str:
        """Raises `ProbeError`."""
        raise ProbeError("the target is gone")

    def sections(self) -> Sequence[Section]:
        """None."""
        return ()

    def close(self) -> None:
        """Nothing is open."""
