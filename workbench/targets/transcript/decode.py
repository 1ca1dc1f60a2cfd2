"""A log's bytes, unpacked where it was packed, as lines of plain text."""

import re
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_SAMPLE = 64 * 1024
_MOST_JUNK = 0.05
LONGEST_LINE = 32_768
"""Characters; the rest of a longer line is left out."""
LONGEST_RECORD = 1 << 20
"""The same of a line that may be a record: a report, or lines in a format of a collector's."""

# ECMA-48: CSI sequences, OSC strings, and the two-character escapes.
_ESCAPES = re.compile(
    r"\x1b(?:_[^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)|"  # an application's own: Buildkite's times
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|[@-Z\\^_=>78()])"
)
_HOLE = re.compile(rb"\0{64,}")
"""What nobody wrote: where a file was cut under its writer (logrotate's copytruncate), or lost what
the disk had not got by a power cut."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def encoding_of(head: bytes) -> str:
    """The encoding that a file's first bytes speak for: by its mark, else UTF-16 where every
    second byte is zero, else UTF-8 where they are valid, else Latin-1."""
    for mark, name in BOMS:
        if head.startswith(mark):
            return name
    sample = _HOLE.sub(b"", head)[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if (
        len(sample) >= 8
        and max(even, odd) > len(sample) // 4
        and min(even, odd) < len(sample) // 16
    ):
        return "utf-16-le" if odd > even else "utf-16-be"
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character that the sample's end cuts is no fault of the encoding.
        if error.start < len(sample) - 4:
            return "latin-1"
    return "utf-8"


def is_text(head: bytes, encoding: str) -> bool:
    """False for what no program prints: too many control characters among the first bytes."""
    text = _ESCAPES.sub("", _HOLE.sub(b"", head)[:_SAMPLE].decode(encoding, "replace"))
    if not text:
        return False
    junk = sum(1 for _ in _CONTROL.finditer(text)) + text.count("\ufffd")
    c1 = sum("\x80" <= char <= "\x9f" for char in text) if encoding == "latin-1" else 0
    return junk + c1 <= max(2, _MOST_JUNK * len(text))


def lines_of(data: bytes, encoding: str) -> list[str]:
    """Lines without line ends, escape sequences and NULs. A line that was drawn over (a lone CR)
    keeps what was drawn last; where nothing else ends lines a CR does."""
    if data.startswith(b"__CURSOR="):
        data = _without_sizes(data)
    text = data.decode(encoding, "replace").lstrip("\ufeff")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    text = text.replace("\r\n", "\n").replace("\x00", "")
    if "\r" in text and "\n" not in text.rstrip("\n"):
        text = text.replace("\r", "\n")
    found = text.split("\n")
    if found and not found[-1]:
        found.pop()
    return [_drawn(line)[:LONGEST_RECORD] for line in found]


def _without_sizes(data: bytes) -> bytes:
    """journald's export format, where a field of several lines stands as its name, its size (eight
    bytes, little endian) and its bytes, as a field of one line does."""
    found = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at:end]
        if not line or b"=" in line or end + 9 > len(data):
            found.append(line + b"\n")
            at = end + 1
            continue
        size = int.from_bytes(data[end + 1 : end + 9], "little")
        found.append(line + b"=\n" + data[end + 9 : end + 9 + size] + b"\n")
        at = end + 9 + size + 1
    return b"".join(found)


def _drawn(line: str) -> str:
    if "\r" not in line:
        return line
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""


MOST = 1 << 30
"""Bytes to which a log is unpacked; what is behind them is left out."""
_STEP = 1 << 16
# First bytes, and the module whose ``open`` reads such a file.
_KINDS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\0": "lzma",
    b"\x28\xb5\x2f\xfd": "zstandard",
}
MAGIC = tuple(_KINDS)


class Unpacked:
    """The content of a packed file as a ``Buffer``, in a file without a name. What is damaged or
    cut ends where it can be unpacked no further: ``cut`` is set then."""

    def __init__(self, path: Path, wanted: Callable[[bytes], bool], most: int = MOST) -> None:
        """Unpack what ``wanted`` says of its first bytes that it is to be read; else it is empty.
        Raises ``OSError``, and ``ValueError`` for what is not packed."""
        self.size, self.cut = 0, False
        with path.open("rb") as raw:
            head = raw.read(8)
            raw.seek(0)
            name = next((name for magic, name in _KINDS.items() if head.startswith(magic)), None)
            if name is None:
                raise ValueError("it is not packed")
            module = import_module(name)
            own = (getattr(module, kind, OSError) for kind in ("LZMAError", "ZstdError"))
            damaged = (OSError, EOFError, ValueError, zlib.error, *own)
            reader: Any = module.open(raw)
            self._file = TemporaryFile()  # noqa: SIM115  # closed with the object
            while not self.cut:
                try:
                    part: bytes = reader.read1(_STEP)
                except damaged:
                    self.cut = True
                    break
                if not part or (not self.size and not wanted(part)):
                    break
                self._file.write(part)
                self.size += len(part)
                self.cut = self.size >= most

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice, /) -> bytes:
        start = max(0, part.start or 0)
        self._file.seek(start)
        return self._file.read(max(0, min(part.stop, self.size) - start))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
