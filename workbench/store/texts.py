"""The texts of a session that are too large for a row: files in its ``evidence`` folder."""

import asyncio
import contextlib
import hashlib
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

from workbench.store import large_text
from workbench.store.errors import Damaged, StoreError
from workbench.store.large_text import BLOCK, HOP_SIZE, Kept, blocks_of, hop, opened, zstandard

_LONGEST_LINE = 64 << 10
_CACHED = 4
_MOST_BLOCKS = 1 << 20  # 1 TiB of text


class Pages(Sequence[str]):
    """The lines of a plain or a packed text (see `large_text`), from 0, without their ends.

    Of a line only the first 64 KiB are given. The file stays open: it may be packed or deleted
    meanwhile. Raises `StoreError` when it cannot be read or is damaged, also on access.
    """

    def __init__(self, path: Path, packed: bool) -> None:
        self._path = path
        self._packed = packed
        self._cache: OrderedDict[int, list[bytes]] = OrderedDict()
        self._places: list[tuple[int, int]] = []  # where each block lies in the file, its length
        self._before: list[int] = [0]  # line ends before each block, and in all
        self._reading = threading.Lock()  # `find` runs in a thread
        try:
            self._file = opened(path)
        except OSError as error:
            raise self._unreadable(error) from error
        self._index_packed() if packed else self._index_plain()
        self._count = self._before[-1] + self._unfinished()

    def _index_plain(self) -> None:
        at = 0
        try:
            for block in blocks_of(self._file):
                self._add(at, len(block), block.count(b"\n"))
                at += len(block)
        except OSError as error:
            raise self._unreadable(error) from error

    def _index_packed(self) -> None:
        at = 0
        while header := self._read(at, HOP_SIZE):
            found = hop(header)
            if found is None or len(self._places) > _MOST_BLOCKS:
                raise self._damaged()
            self._add(at + HOP_SIZE, *found)
            at += HOP_SIZE + found[0]

    def _add(self, at: int, length: int, ends: int) -> None:
        self._places.append((at, length))
        self._before.append(self._before[-1] + ends)

    def _damaged(self) -> StoreError:
        return StoreError(f"{self._path.name} is damaged")

    def _unreadable(self, error: Exception) -> StoreError:
        return StoreError(f"{self._path.name} cannot be read: {error}")

    def _read(self, at: int, count: int) -> bytes:
        parts = []
        try:
            with self._reading:
                self._file.seek(at)
                while count and (data := self._file.read(count)):
                    parts.append(data)
                    count -= len(data)
        except (OSError, ValueError) as error:  # ValueError: it was closed
            raise self._unreadable(error) from error
        return b"".join(parts)

    def _unfinished(self) -> bool:
        return bool(self._places) and not self._block(len(self._places) - 1).endswith(b"\n")

    def _block(self, number: int) -> bytes:
        """The text of one block."""
        at, length = self._places[number]
        data = self._read(at, length)
        if self._packed:
            data = self._unpacked(data)
        if data.count(b"\n") != self._before[number + 1] - self._before[number]:
            raise self._damaged()
        return data

    def _unpacked(self, frame: bytes) -> bytes:
        zstd = zstandard()
        try:
            # A frame that claims more text than one of ours holds is refused unread.
            if zstd.get_frame_parameters(frame).content_size > BLOCK:
                raise self._damaged()
            text: bytes = zstd.ZstdDecompressor().decompress(frame, max_output_size=BLOCK)
        except zstd.ZstdError as error:
            raise self._unreadable(error) from error
        return text

    def _pieces(self, number: int) -> list[bytes]:
        """One block's lines; the last one may go on in the next block."""
        pieces = self._cache.get(number)
        if pieces is None:
            pieces = self._cache[number] = self._block(number).split(b"\n")
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return pieces

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._line(number) for number in range(*index.indices(self._count))]
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self._line(index)

    def __iter__(self) -> Iterator[str]:
        return (self._line(number) for number in range(self._count))

    def _line(self, index: int) -> str:
        number = max(0, bisect_left(self._before, index) - 1)
        pieces = self._pieces(number)
        place = index - self._before[number]
        line = pieces[place]
        while place == len(pieces) - 1 and number + 1 < len(self._places):
            number, place = number + 1, 0
            if len(line) >= _LONGEST_LINE:
                break
            pieces = self._pieces(number)
            line += pieces[0]
        return line[:_LONGEST_LINE].decode("utf-8", "replace")

    def find(self, needle: str, start: int, direction: int) -> int | None:
        """The next line after ``start`` (before it with ``direction`` -1), around the end, that
        holds a text, case ignored; ``start`` itself comes last. Slow: it reads the text."""
        count = len(self._places)
        if not needle or not count:
            return None
        start = max(0, min(start, self._count - 1))
        first = max(0, bisect_left(self._before, start) - 1)
        itself = False
        for step in range(count + 1):
            number = (first + direction * step) % count
            block = self._block(number)
            found = [self._before[number] + place for place in _holding(block, needle)]
            itself = itself or start in found
            found = [
                line for line in found if line != start and (step or (line - start) * direction > 0)
            ]
            if found:
                return found[0] if direction > 0 else found[-1]
        return start if itself else None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it was never opened
            self.close()


def _holding(block: bytes, needle: str) -> list[int]:
    """Which of a block's lines hold a text, case ignored."""
    if not needle.isascii():
        folded = needle.casefold()
        lines = block.decode("utf-8", "replace").split("\n")
        return [place for place, line in enumerate(lines) if folded in line.casefold()]
    low, block = needle.lower().encode(), block.lower()
    if low not in block:
        return []
    return [place for place, line in enumerate(block.split(b"\n")) if low in line]


_Seen = tuple[int, int, int]
"""Which file, its length in bytes and when it was written (ns): as long as these are the same, what
was compared once need not be compared again."""
READ_WHOLE = 8 << 20
"""Bytes up to which a text is handed out whole; of a larger one only its pages are."""


def file_path(evidence_id: str, packed: bool) -> str:
    """Where a text lies in the session's folder."""
    return f"evidence/{evidence_id}.txt{'.zst' if packed else ''}"


class Texts:
    """``packed`` is called with an evidence id once its text was compressed, before the plain file
    is deleted. What raises here raises `OSError` unless it says so."""

    def __init__(self, folder: Path, packed: Callable[[str], Awaitable[None]]) -> None:
        self._folder = folder
        self._tell = packed
        self._unpacked: list[str] = []
        self._packing: asyncio.Task[None] | None = None
        self._stop = threading.Event()
        self._whole: dict[str, _Seen] = {}

    def _plain(self, evidence_id: str) -> Path:
        return self._folder / file_path(evidence_id, False)

    def _packed(self, evidence_id: str) -> Path:
        return self._folder / file_path(evidence_id, True)

    def _both(self, evidence_id: str) -> tuple[Path, Path]:
        return self._plain(evidence_id), self._packed(evidence_id)

    async def write(self, evidence_id: str, text: bytes) -> None:
        """Keep a text that is in memory, in place of one whose commit failed."""
        self.drop_plain(evidence_id)
        await asyncio.to_thread(large_text.write, self._packed(evidence_id), text)
        self._remember(evidence_id)

    async def adopt(self, evidence_id: str, source: Path, known: Kept | None) -> Kept:
        """Take one that lies in a file; see `large_text.adopt`."""
        kept = await asyncio.to_thread(large_text.adopt, source, self._plain(evidence_id), known)
        self._remember(evidence_id)
        return kept

    async def check(self, evidence_id: str, sha256: str) -> None:
        """Compare a text with its recorded sha256 (hex). Raises `Damaged`."""
        try:
            if self._whole.get(evidence_id) == (seen := self._seen(evidence_id)):
                return
            found = await asyncio.to_thread(self._digest, evidence_id)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            why = "its file is missing" if missing else error.strerror or str(error)
            raise Damaged(evidence_id, why) from error
        if found != sha256:
            raise Damaged(evidence_id, "its sha256 is not the recorded one")
        self._whole[evidence_id] = seen

    def _digest(self, evidence_id: str) -> str:
        digest = hashlib.sha256()
        for block in large_text.read_bytes(*self._both(evidence_id)):
            digest.update(block)
        return digest.hexdigest()

    def _seen(self, evidence_id: str) -> _Seen:
        """Of the file that is read: the plain one where both are there."""
        try:
            found = self._plain(evidence_id).stat(follow_symlinks=False)
        except FileNotFoundError:
            found = self._packed(evidence_id).stat(follow_symlinks=False)
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _remember(self, evidence_id: str) -> None:
        """A text that was written by this process, its sum known."""
        with contextlib.suppress(OSError):
            self._whole[evidence_id] = self._seen(evidence_id)

    async def start(self, evidence_id: str) -> bytes:
        """The first `READ_WHOLE` bytes at most, cut at a line end."""
        paths = self._both(evidence_id)
        return await asyncio.to_thread(large_text.read_start, *paths, READ_WHOLE)

    def blocks(self, evidence_id: str) -> Iterator[str]:
        """The whole text, a block of lines at a time; for a thread of its own."""
        return large_text.read_blocks(*self._both(evidence_id))

    def pages(self, evidence_id: str) -> Sequence[str]:
        """The lines of one over `READ_WHOLE` bytes; for a thread of its own where it is not yet
        packed. Raises `StoreError`."""
        plain, packed = self._both(evidence_id)
        if plain.exists():
            with contextlib.suppress(StoreError):  # it may have been packed this moment
                return Pages(plain, False)
        return Pages(packed, True)

    def left_plain(self) -> list[str]:
        """The ids of the texts that an earlier run left uncompressed, committed or not."""
        return [path.stem for path in (self._folder / "evidence").glob("E*.txt")]

    def drop_plain(self, evidence_id: str) -> None:
        """Delete an uncompressed text that no evidence needs."""
        self._plain(evidence_id).unlink(missing_ok=True)

    def pack_later(self, ids: list[str]) -> None:
        """Compress texts in the background, one after another. One that cannot be, as on a full
        disk, stays as it is."""
        self._unpacked += ids
        if self._unpacked and (self._packing is None or self._packing.done()):
            self._packing = asyncio.ensure_future(self._pack())

    async def _pack(self) -> None:
        while self._unpacked and not self._stop.is_set():
            id = self._unpacked.pop(0)
            plain, packed = self._both(id)
            with contextlib.suppress(OSError, StoreError):
                if await asyncio.to_thread(large_text.pack, plain, packed, self._stop):
                    await self._tell(id)
                    plain.unlink()
                    self._remember(id)

    async def close(self) -> None:
        """Stop compressing."""
        self._stop.set()
        if self._packing is not None:
            await self._packing
