"""The texts of a session that are too large for a row: files in its ``evidence`` folder."""

import asyncio
import contextlib
import hashlib
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

from workbench.store import large_text
from workbench.store.errors import Damaged, StoreError
from workbench.store.large_text import Kept
from workbench.store.pages import Pages

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
        plain, packed = self._plain(evidence_id), self._packed(evidence_id)
        for block in large_text.read_bytes(plain, packed):
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
        plain, packed = self._plain(evidence_id), self._packed(evidence_id)
        return await asyncio.to_thread(large_text.read_start, plain, packed, READ_WHOLE)

    def blocks(self, evidence_id: str) -> Iterator[str]:
        """The whole text, a block of lines at a time; for a thread of its own."""
        return large_text.read_blocks(self._plain(evidence_id), self._packed(evidence_id))

    def pages(self, evidence_id: str) -> Sequence[str]:
        """The lines of one over `READ_WHOLE` bytes; for a thread of its own where it is not yet
        packed. Raises `StoreError`."""
        plain, packed = self._plain(evidence_id), self._packed(evidence_id)
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
            plain, packed = self._plain(id), self._packed(id)
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
