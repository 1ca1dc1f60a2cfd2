"""A folder of texts as a target: recognised, opened, read again when files were added."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.evidence import Section
from workbench.model.target import Target, TargetKind
from workbench.targets.documents.folder import RESULT, find
from workbench.targets.errors import ProbeError, TargetError
from workbench.targets.files import FileBytes
from workbench.targets.open_file import is_text as is_utf8
from workbench.targets.overview import lines
from workbench.targets.overview.lines import Cap
from workbench.targets.plain import one_line
from workbench.targets.transcript.decode import encoding_of, is_text, lines_of
from workbench.targets.transcript.split import beside, dialect, split
from workbench.targets.transcript.stamps import TIMES, times_of
from workbench.targets.transcript.window import read_reports

MOST_BYTES = 64 << 20
"""Bytes of all files together that are read."""
MOST_SECTIONS = 1000
_TODO = "put .txt, .md or .log files into it"


class _Read(Struct, frozen=True):
    """What a folder held when it was read."""

    stamp: tuple[tuple[str, int, int], ...]
    files: int
    size: int
    sections: tuple[Section, ...]
    left_out: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def troubles(self) -> tuple[str, ...]:
        """What the folder holds besides, and what of its texts was not read, in sentences."""
        return self.left_out + self.unread


class DocumentsReader:
    """The texts of one folder; `sections` are those of the folder as it is now."""

    def __init__(self, folder: Path) -> None:
        """Raises ``TargetError`` for what is no folder or holds no text."""
        self._folder = folder
        self._read = _Read((), 0, 0, (), (), ())
        name = one_line(str(folder))
        if not is_utf8(str(folder)):
            raise TargetError(name, "its name is not UTF-8", "rename it")
        try:
            self._read = self._look()
        except OSError as error:
            why = "it is no folder" if isinstance(error, NotADirectoryError) else error.strerror
            raise TargetError(name, why or "it cannot be read", "name a folder of texts") from None
        if not self._read.files:
            left = f" ({one_line(self._read.troubles[0])})" if self._read.troubles else ""
            raise TargetError(name, f"it holds no text to read{left}", _TODO)

    @property
    def size(self) -> int:
        """Bytes of all texts."""
        return self._read.size

    @property
    def dialect(self) -> str:
        """Whose commands they hold: see `split.dialect`."""
        return dialect(self._read.sections)

    def answer(self, probe: str) -> str:
        """``@health``: what was read and what was not. Raises ``ProbeError`` for all else."""
        if probe.split() != ["@health"]:
            raise ProbeError(f"{one_line(probe, 80)}: not in these files")
        read = self._read
        printed = [one for one in read.sections if not one.command.startswith(TIMES)]
        cut = "truncated" if read.troubles else "complete"
        cap = Cap(
            0.85,
            "these are files: nothing can be asked beyond what they hold",
            "Put what else is known into the folder, or open the dump itself",
        )
        said = [
            f"file: {read.size} bytes, {cut}",
            f"files: {read.files}",
            lines.sections(printed),
            *(f"not read: {one_line(trouble)}" for trouble in read.troubles),
        ]
        return "\n".join([*said, *lines.limits([cap]), ""])

    def sections(self) -> Sequence[Section]:
        """What the files hold, in order of their names; they are read again when one changed. After
        them the times of lines that have lost theirs with what a collector wrote."""
        with suppress(OSError):  # the folder is gone: what was read stays
            self._read = self._look()
        return self._read.sections

    def close(self) -> None:
        """Nothing is held open."""

    def _look(self) -> _Read:
        if not self._folder.is_dir():
            raise NotADirectoryError(str(self._folder))
        found = find(self._folder)
        stamp = tuple(_stamp(self._folder, name) for name in found.names)
        if stamp and stamp == self._read.stamp:
            return replace(self._read, left_out=found.left_out)
        sections: list[Section] = []
        troubles: list[str] = []
        times: list[Section] = []
        size = files = 0
        for name in found.names:
            try:
                part, count, skipped, own_times = _sections(
                    self._folder / name, name, MOST_BYTES - size
                )
            except (OSError, ValueError) as error:
                troubles.append(f"{name}: {getattr(error, 'strerror', None) or error}")
                continue
            files, size = files + 1, size + count
            if skipped:
                troubles.append(f"{name}: {skipped} bytes of it")
            sections += part
            times += own_times
        if len(sections) > MOST_SECTIONS:
            troubles.append(f"{len(sections) - MOST_SECTIONS} of {len(sections)} sections")
        kept = (*sections[:MOST_SECTIONS], *times)
        return _Read(stamp, files, size, kept, found.left_out, tuple(troubles))


def _stamp(folder: Path, name: str) -> tuple[str, int, int]:
    try:
        status = (folder / name).stat()
    except OSError:
        return name, -1, -1
    return name, status.st_size, status.st_mtime_ns


def _sections(path: Path, name: str, room: int) -> tuple[list[Section], int, int, list[Section]]:
    """A file's sections, its size, how many of its bytes were not read, and the times of lines that
    have lost theirs. Raises `OSError`, and `ValueError` for what is no text."""
    with FileBytes(path, keep=True) as file:
        size = len(file)
        head = bytes(file[0 : 64 * 1024])
        encoding = encoding_of(head)
        if head and not is_text(head, encoding):
            raise ValueError("it is no text")
        if size > room:
            raise ValueError("the files before it are as much as is read")
        data, skipped = read_reports(file, encoding)
    text = lines_of(data, encoding)
    found = in_order(text, name)
    times = [] if skipped else times_of(text, found, name)
    return found, size, skipped, [replace(one, file=name) for one in times]


def in_order(text: Sequence[str], name: str) -> list[Section]:
    """What debuggers and tools printed among the lines, and between them the other text, each with
    the name of its file."""
    found = split(text)
    found += beside(text, found, name)
    return [replace(one, file=name) for one in sorted(found, key=lambda one: one.first_line)]


def recognise(folder: Path) -> Target:
    """What a folder of texts says of itself; raises ``TargetError`` where it holds none."""
    reader = DocumentsReader(folder)
    return Target(
        path=os.path.abspath(folder),  # without dots: the session is named like its folder
        kind=TargetKind.DOCUMENTS,
        size=reader.size,
        arch="unknown",
        os="unknown",
        dialect=reader.dialect,
    )


def open_documents(folder: Path, executable: Path | None, sysroot: Path | None) -> DocumentsReader:
    """The folder for reading; raises ``TargetError``."""
    return DocumentsReader(folder)


__all__ = ["RESULT", "TIMES", "DocumentsReader", "in_order", "open_documents", "recognise"]
