"""Texts of any length: moved in, packed behind the person's back, read a piece at a time."""

import asyncio
import hashlib
import io
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.soak import examples
from tests.store.test_session_store import evidence
from workbench.store import large_text, texts
from workbench.store.errors import StoreError
from workbench.store.large_text import Kept, adopt, blocks_of, pack, read_start
from workbench.store.session_store import SessionStore
from workbench.store.texts import READ_WHOLE, Pages

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LINES = [f"{number:07d} {'x' * (number % 90)}" for number in range(250_000)]
TEXT = ("\n".join(LINES) + "\n").encode()


def known(text: bytes) -> Kept:
    lines = text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))
    return Kept(len(text), lines, hashlib.sha256(text).hexdigest())


async def _stored(folder: Path, text: bytes) -> SessionStore:
    store = await SessionStore.create(folder, Path("core"), NOW)
    source = folder / "spool"
    source.write_bytes(text)
    kept = await store.adopt("E1", source, known(text))
    assert kept == known(text)
    await store.append([evidence(1, text, "external")], NOW)
    return store


async def _packed(store: SessionStore) -> Path:
    plain, packed = (store.folder / "evidence" / f"E1.txt{end}" for end in ("", ".zst"))
    async with asyncio.timeout(60):
        while plain.exists() or not packed.exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return packed


async def test_a_large_text_is_moved_in_packed_and_read_in_pages(tmp_path: Path) -> None:
    store = await _stored(tmp_path, TEXT)
    try:
        assert not (tmp_path / "spool").exists()
        for _ in range(2):  # while it is plain, then packed
            lines = await store.lines("E1")
            assert len(lines) == len(LINES)
            assert lines[0] == LINES[0]
            assert lines[123_456:123_460] == LINES[123_456:123_460]
            assert lines[-1] == LINES[-1]
            start = await store.text("E1")
            assert READ_WHOLE - 100 < len(start) <= READ_WHOLE
            assert TEXT.decode().startswith(start)
            assert start.endswith("\n")
            blocks = list(store.blocks("E1"))
            assert "".join(blocks).encode() == TEXT
            assert all(block.endswith("\n") for block in blocks)
            packed = await _packed(store)
        assert packed.stat().st_mode & 0o777 == 0o600
        with packed.open("rb") as file:
            reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            assert reader.read() == TEXT
        async with store._connection.execute("SELECT file_path FROM evidence") as cursor:
            assert [row[0] for row in await cursor.fetchall()] == ["evidence/E1.txt.zst"]
    finally:
        await store.close()


async def test_what_was_not_packed_is_after_the_next_opening(tmp_path: Path) -> None:
    store = await _stored(tmp_path, TEXT)
    await store.close()
    folder = store.folder
    (folder / "evidence" / "E2.txt").write_text("its commit never came")
    again = await SessionStore.open(folder)
    try:
        assert not (folder / "evidence" / "E2.txt").exists()
        assert (await again.lines("E1"))[200_000] == LINES[200_000]
        await _packed(again)
        assert (await again.lines("E1"))[200_000] == LINES[200_000]
    finally:
        await again.close()


async def test_a_text_whose_commit_failed_does_not_stand_for_the_next(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("core"), NOW)
    try:
        (tmp_path / "spool").write_bytes(TEXT)
        await store.adopt("E1", tmp_path / "spool", None)
        text = b"y" * 20_000
        await store.append([evidence(1, text, "external")], NOW, {"E1": text})
        assert await store.text("E1") == text.decode()
    finally:
        await store.close()


async def test_links_and_pipes_in_a_session_are_not_read(tmp_path: Path) -> None:
    store = await _stored(tmp_path, TEXT)
    packed = await _packed(store)
    packed.unlink()
    (tmp_path / "secret").write_bytes(TEXT)
    for link in (True, False):
        if link:
            packed.symlink_to(tmp_path / "secret")
        else:
            os.mkfifo(packed)
        with pytest.raises(StoreError):
            await store.text("E1")
        with pytest.raises(StoreError):
            await store.lines("E1")
        packed.unlink()
    await store.close()


def test_a_copy_counts_what_it_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(TEXT)
    assert adopt(source, target, None) == known(TEXT)
    monkeypatch.setattr(Path, "replace", _other_disk)
    assert adopt(target, source, None) == known(TEXT)
    assert source.read_bytes() == TEXT
    assert not target.exists()


def _other_disk(self: Path, target: Path) -> Path:
    raise OSError(18, "Invalid cross-device link")


def test_stopping_leaves_nothing_half_packed(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(TEXT)
    stop = threading.Event()
    stop.set()
    assert not pack(tmp_path / "plain", tmp_path / "packed", stop)
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


PIECES = st.lists(
    st.sampled_from([b"\n", b"a", b"needle", "Ünï".encode(), b"\xff", b"x" * 40]), max_size=60
)


@settings(max_examples=examples(200), deadline=None)
@given(PIECES, st.booleans(), st.integers(0, 60), st.sampled_from([1, -1]))
def test_pages_are_the_lines(
    tmp_path_factory: pytest.TempPathFactory,
    pieces: list[bytes],
    packed: bool,
    start: int,
    direction: int,
) -> None:
    text = b"".join(pieces)
    folder = tmp_path_factory.mktemp("pages", numbered=True)
    block = 16
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_text, "BLOCK", block)
        patch.setattr(texts, "BLOCK", block)
        path = folder / "plain"
        path.write_bytes(text)
        assert b"".join(blocks_of(io.BytesIO(text))) == text
        if packed:
            pack(path, folder / "packed", threading.Event())
        one = Pages(folder / "packed" if packed else path, packed)
        lines = text.decode("utf-8", "replace").split("\n")
        if not lines[-1]:
            lines.pop()
        assert [line.replace("\ufffd", "") for line in one] == [
            line.replace("\ufffd", "") for line in lines
        ]
        plain, zst = (path, folder / "none") if not packed else (folder / "none", folder / "packed")
        assert text.startswith(read_start(plain, zst, 20))
        # A needle that a block's end cuts in two is only in lines longer than a block.
        whole = [number for number, line in enumerate(lines) if "NEEDLE" in line.upper()]
        found = one.find("nEEdle", start, direction)
        start = max(0, min(start, len(lines) - 1))
        assert found is None or found in whole
        if all(len(line.encode()) < block - 1 for line in lines):
            after = [n for n in whole if (n - start) * direction > 0]
            around = [n for n in whole if n not in after and n != start]
            wanted = (after or around or [n for n in whole if n == start])[::direction]
            assert found == (wanted[0] if wanted else None)
        one.close()


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, 400), st.binary(min_size=1, max_size=6), st.booleans())
def test_damaged_texts_are_said_to_be(
    tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes, cut: bool
) -> None:
    folder = tmp_path_factory.mktemp("damaged", numbered=True)
    text = "\n".join(LINES[:3000]).encode()
    (folder / "plain").write_bytes(text)
    pack(folder / "plain", folder / "packed", threading.Event())
    data = bytearray((folder / "packed").read_bytes())
    data[at : at + len(junk)] = junk
    (folder / "packed").write_bytes(data[: at + 1] if cut else data)
    try:
        one = Pages(folder / "packed", True)
        assert all(len(line) < 1 << 17 for line in one)
        one.find("nothing of the kind", 0, 1)
    except StoreError:
        return


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    frame = zstandard.compress(bytes(1 << 28))
    header = large_text._HOP.pack(large_text._HOP_MAGIC, 8, len(frame), 0)
    (tmp_path / "bomb").write_bytes(header + frame)
    with pytest.raises(StoreError):
        Pages(tmp_path / "bomb", True)
    assert len(read_start(tmp_path / "none", tmp_path / "bomb", 1000)) == 1000
