"""A log as a target: recognised, opened, and answering what a log can answer."""

from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from workbench.model.evidence import Section
from workbench.model.target import Target, TargetKind
from workbench.targets.errors import ProbeError, TargetError
from workbench.targets.files import FileBytes
from workbench.targets.overview import lines
from workbench.targets.overview.lines import Cap
from workbench.targets.plain import one_line
from workbench.targets.transcript import decode, stop
from workbench.targets.transcript.split import beside, dialect, split
from workbench.targets.transcript.stamps import times_of
from workbench.targets.transcript.window import LINES, read_reports

_HEAD = 64 * 1024
_HOLE = 1 << 30
"""Bytes that nobody wrote in front of what was, which are passed over."""
NAME = "the log"
_BEFORE, _WIDTH, _PIECES = 200, 1000, 8
"""Lines of text in front of a report that are kept, their width, and of how many reports."""
_TODO = "pass a core, a minidump, or a log that holds a debugger's, sanitizer's or runtime's output"


def _printed(head: bytes) -> bool:
    return decode.is_text(head[:_HEAD], decode.encoding_of(head[:_HEAD]))


class _Log(NamedTuple):
    """What a log's file holds."""

    size: int
    encoding: str
    skipped: int
    cut: bool
    sections: Sequence[Section]
    beside: Sequence[Section]
    """The text in front of reports, and the times of lines that lost theirs."""


def _log(path: Path) -> _Log:
    """A log's file as it is now. Raises ``TargetError`` for what is no log of ours."""
    name = one_line(str(path))
    try:
        stat = path.stat()
        found = _read(path, (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error) or "it cannot be read"
        raise TargetError(name, why, "check the path") from None
    if found is None or not found.sections:
        raise TargetError(name, "it is not a dump", _TODO)
    return found


@lru_cache(maxsize=1)  # it is recognised, then opened
def _read(path: Path, _state: tuple[int, ...]) -> _Log | None:
    with FileBytes(path, keep=True) as file:
        size = len(file)
        packed = file[0:8].startswith(decode.MAGIC)
        with closing(decode.Unpacked(path, _printed) if packed else file) as log:
            pages = range(0, min(len(log), _HOLE), _HEAD)
            begin = next((at for at in pages if bytes(log[at : at + _HEAD]).strip(b"\0")), 0)
            head = bytes(log[begin : begin + _HEAD])
            encoding = decode.encoding_of(head)
            if not head or not decode.is_text(head, encoding):
                return None
            data, skipped = read_reports(log, encoding, begin)
            cut = isinstance(log, decode.Unpacked) and log.cut
    text_lines = decode.lines_of(data, encoding)
    sections = split(text_lines)
    said = (one for one in beside(text_lines, sections, NAME) if any(map(str.isalnum, one.text)))
    text = [_last(one) for one in said] if sections else []
    times = [] if skipped else times_of(text_lines, sections, NAME)
    return _Log(size, encoding, skipped, cut, sections, (*text[:_PIECES], *times))


def _last(section: Section) -> Section:
    """The lines of a text that stand right in front of what follows."""
    whole = section.text.splitlines(keepends=True)
    cut = max(0, len(whole) - _BEFORE)
    text = "".join(line[:_WIDTH] for line in whole[cut:])
    return replace(section, text=text, first_line=section.first_line + cut)


class TranscriptReader:
    """An open log; all of it that matters is in memory."""

    def __init__(self, path: Path) -> None:
        """Raises ``TargetError`` for what is no log of ours."""
        log = _log(path)
        self.size, self.encoding, self.skipped, self.cut, self._sections, self._beside = log

    @property
    def dialect(self) -> str:
        """Whose commands it holds: see `split.dialect`."""
        return dialect(self._sections)

    def answer(self, probe: str) -> str:
        """``@health``: what a log is worth; ``@stop``: why a debugger says that the program
        stopped. Raises ``ProbeError`` for all else."""
        if probe.split() == ["@stop"]:
            said = stop.answer(self._sections)
            if said is None:
                raise ProbeError("no debugger in this log says why the program stopped")
            return said
        if probe.split() != ["@health"]:
            raise ProbeError(f"{one_line(probe, 80)}: not in this log")
        cut = "truncated" if self.skipped or self.cut else "complete"
        caps = [Cap(0.85, "it is a log: nothing can be asked beyond what it recorded",
                    "Open the core or the minidump itself to ask more")]  # fmt: skip
        if self.skipped:
            why = f"they hold no report, or stand behind {LINES:,} lines that do"
            caps.append(
                Cap(
                    0.80,
                    f"{self.skipped} bytes of the log were not read: {why}",
                    "Cut the report out of the log and open that",
                )
            )
        if self.cut:
            why = f"it is damaged, cut or packs over {decode.MOST >> 30} GiB: the rest is unread"
            caps.append(Cap(0.80, why, "Unpack it, cut the report out and open that"))
        head = [f"file: {self.size} bytes, {cut}", f"encoding: {self.encoding}"]
        return "\n".join([*head, lines.sections(self._sections), *lines.limits(caps), ""])

    def sections(self) -> Sequence[Section]:
        """What was recorded, in order; behind it the text in front of reports, and times."""
        return (*self._sections, *self._beside)

    def close(self) -> None:
        """Nothing is held open."""


def recognise(path: Path, executable: Path | None, sysroot: Path | None) -> Target:
    """What a log says of itself; raises ``TargetError`` where it is none."""
    reader = TranscriptReader(path)
    return Target(
        path=str(path.absolute()),
        kind=TargetKind.TRANSCRIPT,
        size=reader.size,
        arch="unknown",
        os="unknown",
        dialect=reader.dialect,
    )


def open_transcript(path: Path, executable: Path | None, sysroot: Path | None) -> TranscriptReader:
    """The log for reading; raises ``TargetError``."""
    return TranscriptReader(path)
