"""Answers probes: questions about the dump that our own code answers from its bytes."""

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol

from workbench.model.evidence import Section
from workbench.model.target import Options, Target, TargetKind, path_of
from workbench.targets.core import CoreFile
from workbench.targets.dump import Dump
from workbench.targets.errors import ProbeError
from workbench.targets.identify import open_core
from workbench.targets.probes import PROBES
from workbench.targets.probing import ProbingReader
from workbench.targets.regions import AT_EXECFN, AT_RANDOM

__all__ = ["DumpReader", "ProbeError", "Reader", "open_reader"]

_NONE = Options()


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


def open_reader(target: Target, options: Options = _NONE) -> Reader:
    """The reader for a recognised target. A program that the person named is used even when it does
    not match: the probe of the dump's health then says so and caps confidence. The debugger gets
    only one that matches. Raises ``TargetError``."""
    path, sysroot = Path(target.path), path_of(options.sysroot)
    executable = path_of(options.executable or target.executable)
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


# The environment that a process was started with, from its stack: what a person may not want to
# show to others, since passwords and names stand in it.
_MOST = 1 << 21  # bytes: the usual limit of arguments and environment
_ASSIGNMENT = re.compile(rb"(?<=\x00)([A-Za-z_][A-Za-z0-9_]{0,127})=([^\x00]{1,32768})(?=\x00)")


def environment(reader: Reader) -> list[tuple[str, str]]:
    """Names and values as the process was given them; empty where the dump does not hold them."""
    if not isinstance(reader, ProbingReader):
        return []
    dump = reader.dump
    # From below: argc, argv, envp and auxv, the random bytes, the strings of argv and those of
    # envp, the program's path (Linux: fs/binfmt_elf.c, create_elf_tables; fs/exec.c).
    random, end = dump.auxv.get(AT_RANDOM, 0), dump.auxv.get(AT_EXECFN, 0)
    region = dump.region(random)
    strings = dump.read(random, end - random) if 0 < end - random <= _MOST else None
    if region is None or strings is None:
        return []
    table = dump.read(start := max(region.start, random - _MOST) & ~7, (random & ~7) - start)
    own = strings[_first(dump, table or b"", random, strings) - random :]
    return [
        (name.decode(), value.decode("utf-8", "replace"))
        for name, value in _ASSIGNMENT.findall(b"\0" + own)
    ]


def _first(dump: Dump, table: bytes, begin: int, strings: bytes) -> int:
    """Where the first string of envp lies, by the pointers; where those are not there, ``begin``,
    which has arguments as well."""
    size = dump.bits // 8
    order: Literal["little", "big"] = "little" if dump.little_endian else "big"
    last = begin + strings.rfind(b"\0", 0, -1) + 1
    at = table.rfind(last.to_bytes(size, order) + bytes(size))
    if at < 0 or at % size:
        return begin
    if not any(table[at + 2 * size : at + 3 * size]):
        return begin + len(strings)  # the last argument: envp is empty, and auxv's types are none
    pointers = (
        int.from_bytes(table[one - size : one], order) for one in range(at + size, 0, -size)
    )
    first = last
    for pointer in pointers:
        if not begin < pointer <= last:
            break
        first = pointer
    return first
