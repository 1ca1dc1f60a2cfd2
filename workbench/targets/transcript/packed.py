"""A log that was packed, as its bytes."""

import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

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
