"""A text of any length as a sequence of lines, of which only what is looked at is in memory."""

import contextlib
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

from workbench.store.errors import StoreError
from workbench.store.large_text import BLOCK, HOP_SIZE, blocks_of, hop, opened, zstandard

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
