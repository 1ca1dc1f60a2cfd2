"""Large texts beside the database: moved in as they are, compressed later, read a piece at a time.

A packed text is a row of Zstandard frames (RFC 8878) of at most `BLOCK` bytes of text each, cut
at a line end where there is one. Before each stands a skippable frame with the length of the next
and its line ends, so that a reader hops to any place; ``zstd -d`` gives the whole text.
"""

import contextlib
import errno
import hashlib
import io
import os
import shutil
import stat
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

BLOCK = 1 << 20
"""Bytes of text in one frame."""

_HOP = struct.Struct("<IIII")  # magic number, 8 bytes follow, length of the next frame, line ends
_HOP_MAGIC = 0x184D2A57
LONGEST_FRAME = BLOCK + (BLOCK >> 7) + 1024  # more than ZSTD_compressBound(BLOCK)
_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
# What a copy leaves of a disk: the journal has to say that it was cut.
_RESERVE = 32 << 20


class Kept(Struct, frozen=True):
    """What lies in a file now; ``trouble`` says why it is not the whole (empty if it is)."""

    size: int
    lines: int
    sha256: str
    trouble: str = ""


def adopt(source: Path, target: Path, known: Kept | None) -> Kept:
    """Move a finished text into a session, ``known`` telling what it holds where that was counted.

    On another disk it is copied, as much as fits. Raises `OSError` when nothing can be kept.
    """
    with contextlib.suppress(OSError):
        source.replace(target)
        return known or _count(target)
    kept = _copy(source, target)
    source.unlink(missing_ok=True)
    return kept


def _count(path: Path) -> Kept:
    with path.open("rb") as file:
        return _through(iter(lambda: file.read(BLOCK), b""), None, path.parent)


def _copy(source: Path, target: Path) -> Kept:
    with source.open("rb") as file, _created(target) as copy:
        return _through(iter(lambda: file.read(BLOCK), b""), copy, target.parent)


def _through(blocks: Iterator[bytes], copy: BinaryIO | None, folder: Path) -> Kept:
    digest = hashlib.sha256()
    size = lines = 0
    last, trouble = b"\n", ""
    for block in blocks:
        if copy is not None:
            trouble = _write(copy, block, folder)
            if trouble:
                copy.truncate(size)
                trouble = f"output cut at {size} bytes: {trouble}"
                break
        digest.update(block)
        size += len(block)
        lines += block.count(b"\n")
        last = block[-1:]
    return Kept(size, lines + (last != b"\n"), digest.hexdigest(), trouble)


def _write(copy: BinaryIO, block: bytes, folder: Path) -> str:
    room = shutil.disk_usage(folder)
    if room.free < min(_RESERVE, room.total // 8) + len(block):
        return f"the disk is almost full: {folder}"
    try:
        copy.write(block)
    except OSError as error:
        return f"{error.strerror}: {folder}"
    return ""


def _created(path: Path) -> BinaryIO:
    path.unlink(missing_ok=True)  # a link that somebody put there is not written through
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    return os.fdopen(handle, "wb", buffering=0)


def pack(source: Path, target: Path, stop: threading.Event) -> bool:
    """Compress a text; False when ``stop`` was set meanwhile and nothing was left. Raises
    `OSError`."""
    temporary = target.with_suffix(".tmp")
    with opened(source) as text:
        done = _pack(blocks_of(text), temporary, stop)
    if done:
        temporary.replace(target)
    else:
        temporary.unlink(missing_ok=True)
    return done


def zstandard() -> Any:
    """The module: most sessions have no text so large."""
    import zstandard as module

    return module


def _pack(blocks: Iterator[bytes], target: Path, stop: threading.Event) -> bool:
    compressor = zstandard().ZstdCompressor()
    try:
        with _created(target) as file:
            for block in blocks:
                if stop.is_set():
                    return False
                frame = compressor.compress(block)
                file.write(_HOP.pack(_HOP_MAGIC, 8, len(frame), block.count(b"\n")) + frame)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return True


def write(target: Path, text: bytes) -> None:
    """Keep a text that is in memory, compressed. Raises `OSError`."""
    if len(text) > BLOCK:
        _pack(blocks_of(io.BytesIO(text)), target, threading.Event())
        return
    with _created(target) as file:
        file.write(zstandard().compress(text))


def read_start(plain: Path, packed: Path, limit: int) -> bytes:
    """The first ``limit`` bytes of a text at most, cut at a line end, from whichever file is
    there. Raises `OSError`, also where the packed one is damaged."""
    try:
        with opened(plain) as file:
            text = file.read(limit + 1)
    except FileNotFoundError:
        with _unpacked(packed) as reader:
            text = reader.read(limit + 1)
    return text if len(text) <= limit else text[: text.rfind(b"\n", 0, limit) + 1 or limit]


@contextlib.contextmanager
def _unpacked(packed: Path) -> Iterator[BinaryIO]:
    """The text of a packed file. Raises `OSError`, also while it is read."""
    zstd = zstandard()
    with opened(packed) as file:
        unpacking = zstd.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        try:
            with unpacking as reader:
                yield reader
        except zstd.ZstdError as error:
            raise OSError(errno.EIO, f"it is damaged: {error}", str(packed)) from error


def read_blocks(plain: Path, packed: Path) -> Iterator[str]:
    """`read_bytes` as text."""
    return (block.decode("utf-8", "replace") for block in read_bytes(plain, packed))


def read_bytes(plain: Path, packed: Path) -> Iterator[bytes]:
    """The whole text in blocks of at most `BLOCK` bytes that end with a line where they can, from
    whichever file is there. Raises `OSError`, also where the packed one is damaged."""
    try:
        file = opened(plain)
    except FileNotFoundError:
        with _unpacked(packed) as reader:
            yield from blocks_of(reader)
        return
    with file:
        yield from blocks_of(file)


def opened(path: Path) -> BinaryIO:
    """A regular file for reading; a link or a pipe is none of ours."""
    file = os.fdopen(os.open(path, _FLAGS), "rb", buffering=0)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise FileNotFoundError(errno.ENOENT, "it is no regular file", str(path))
    return file


def blocks_of(text: BinaryIO) -> Iterator[bytes]:
    """The text in blocks of at most `BLOCK` bytes that end with a line where they can."""
    held = b""
    while data := text.read(BLOCK - len(held)):
        block = held + data
        cut = block.rfind(b"\n") + 1 or len(block)
        held = block[cut:]
        yield block[:cut]
    if held:
        yield held


def hop(header: bytes) -> tuple[int, int] | None:
    """The length of the frame that follows a skippable one and the text's line ends in it; None
    where none stands or its length cannot be."""
    if len(header) != _HOP.size:
        return None
    magic, size, length, ends = _HOP.unpack(header)
    if magic != _HOP_MAGIC or size != 8 or length > LONGEST_FRAME or ends > BLOCK:
        return None
    return length, ends


HOP_SIZE = _HOP.size
"""Bytes of a skippable frame."""
