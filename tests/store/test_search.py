"""Search in the evidence: words of code, any size, every piece, an index that is a cache."""

import json
import random
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.test_session_store import NOW, evidence, opened
from tests.store.test_sessions import workbench
from workbench.engine.searching import best_line
from workbench.model.chunks import pieces_of
from workbench.store.errors import StoreError
from workbench.store.search import FILE, Passage
from workbench.store.session_store import SessionStore
from workbench.store.texts import READ_WHOLE

FILLER = "nothing to see at this line\n"


async def store_of(base: Path, *texts: str) -> SessionStore:
    store = await SessionStore.create(base, Path("/c/core"), NOW)
    await store.append([opened(store.session_id)], NOW)
    for number, text in enumerate(texts, 1):
        data = text.encode()
        storage = "external" if len(data) > 10_000 else "inline"
        await store.append([evidence(number, data, storage)], NOW, {f"E{number}": data})
    return store


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("System.InvalidOperationException: Sequence contains no elements", "exception"),
        ("System.InvalidOperationException: Sequence contains no elements", "Operation"),
        ("System.InvalidOperationException: Sequence", "System.InvalidOperationException"),
        ("#3 net::HttpCache::Transaction::DoLoop", "HttpCache::Transaction"),
        ("#3 net::HttpCache::Transaction::DoLoop", "cache"),
        ("#1 my_ring_buffer_push (r=0x0)", "my_ring_buffer_push"),
        ("#1 my_ring_buffer_push (r=0x0)", "buffer"),
        ("#0 f () at src/conn.c:142", "conn.c:142"),
        ("#0 f () at src/conn.c:142", "src/conn.c"),
        ("rax 0x00007ffff7a01234", "0x7ffff7a01234"),
        ("00007ff6`12345678 call", "0x7ff612345678"),
        ("00007ff6`12345678 call", "00007ff6`12345678"),
        ("000055d0c0ffee00 System.String", "0x55d0c0ffee00"),
        ("lock 0x7FFFF7A01234 held", "7ffff7a01234"),
        ("operator<<(std::ostream&)", "operator<<"),
        ("the threads are waiting", "thread"),
        ("#7 core::panicking::panic_fmt", "panicked"),
    ],
)
async def test_words_of_code(tmp_path: Path, line: str, asked: str) -> None:
    texts = [FILLER * 3, f"{FILLER}{line}\n{FILLER}", FILLER * 4]
    store = await store_of(tmp_path, *texts)
    found = await store.search.find(asked.split())
    lines = await store.lines("E2")
    await store.close()
    assert found == [Passage("E2", 1, 3)]
    assert best_line(lines, found[0], asked.split()) == (2, line)


async def test_a_text_of_any_size_is_searched_to_its_end(tmp_path: Path) -> None:
    huge = FILLER * (READ_WHOLE // len(FILLER)) + FILLER * 1000 + "here is the needle\n"
    store = await store_of(tmp_path, FILLER, huge)
    (found,) = await store.search.find(["needle"])
    assert found.evidence == "E2"
    assert found.last == len(await store.lines("E2"))
    await store.append([evidence(3, b"a later needle\n")], NOW, {"E3": b"a later needle\n"})
    assert {one.evidence for one in await store.search.find(["needle"])} == {"E2", "E3"}
    await store.close()


async def test_every_piece_gets_a_vector_as_time_allows(tmp_path: Path) -> None:
    store = await store_of(tmp_path, FILLER * 300 * 500, "the till\n")
    store.chunk_size = 4000
    asked: list[str] = []

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[float("till" in text), 1.0] for text in texts]

    _, left = await store.search.nearest([1.0, 0.0], "m", embed, seconds=0)
    assert left > 1000
    every = left
    found, left = await store.search.nearest([1.0, 0.0], "m", embed)
    assert (found[0].passage, left) == (Passage("E2", 1, 1), 0)
    assert len(asked) == every
    await store.search.nearest([1.0, 0.0], "m", embed)
    assert len(asked) == every
    await store.close()


@pytest.mark.parametrize("how", ["gone", "garbage", "cut", "older"])
async def test_the_index_is_made_again(tmp_path: Path, how: str) -> None:
    store = await store_of(tmp_path, "one needle\n", FILLER)
    before = await store.search.find(["needle"])
    await store.close()
    index = store.folder / FILE
    assert index.stat().st_mode & 0o777 == 0o600
    match how:
        case "gone":
            index.unlink()
        case "garbage":
            index.write_bytes(b"no database at all" * 1000)
        case "cut":
            index.write_bytes(index.read_bytes()[:5000])
        case "older":
            with closing(sqlite3.connect(index)) as database:
                database.execute("PRAGMA user_version=77")
    again = await SessionStore.open(store.folder)
    assert await again.search.find(["needle"]) == before
    await again.close()


async def test_a_damaged_text_is_found_by_nobody_and_the_rest_is(tmp_path: Path) -> None:
    store = await store_of(tmp_path, "one needle\n", "a needle\n" * 2000)
    await store.close()
    (store.folder / "evidence" / "E2.txt.zst").write_bytes(b"x")
    again = await SessionStore.open(store.folder)
    assert [one.evidence for one in await again.search.find(["needle"])] == ["E1"]
    await again.close()
    with pytest.raises(StoreError):
        await again.search.find(["needle"])


async def test_what_was_damaged_after_it_was_indexed_leaves_the_rest(tmp_path: Path) -> None:
    store = await store_of(tmp_path / ".sessions", "one needle\n", "a needle\n" * 2000)
    assert len(await store.search.find(["needle"])) > 1
    await store.close()
    (store.folder / "evidence" / "E2.txt.zst").unlink()
    hits = json.loads(workbench("search", "needle", "--format", "json", cwd=tmp_path))
    assert [hit["citation"] for hit in hits] == ["E1:1"]


def test_no_piece_ends_within_a_stack() -> None:
    chance = random.Random(1)
    lines: list[str] = []
    for number in range(1, 400):
        lines.append(f"Thread {number} (Thread 0x7f00 (LWP {number})):")
        lines += [f"#{n}  frame_{n} () at f.c:{n}" for n in range(chance.choice((2, 20, 300)))]
        lines += [""] * chance.randrange(2)
    lines += ["#0 no stack", *["x" * 100] * 500]
    text = "\n".join(lines)
    pieces = list(pieces_of((text[:5000], text[5000:]), 3000))
    assert [line for _, part in pieces for line in part] == lines
    at = 1
    for first, part in pieces:
        assert first == at
        at += len(part)
        assert not part[0].startswith("#") or part[0] == "#0 no stack"
    longest = "Thread 1 (x):\n" + "#1 frame\n" * 1_000_000
    begun = time.monotonic()
    assert 1 < len(list(pieces_of((longest,), 3000))) < 5000
    assert time.monotonic() - begun < 30


async def test_words_of_a_question_that_ask_for_nothing_find_nothing(tmp_path: Path) -> None:
    base = tmp_path / ".sessions"
    for text in ("it was it, which it was\n", f"{FILLER}System.InvalidOperationException: x\n"):
        await (await store_of(base, text)).close()
    asked = ("search", "which exception was it?", "--format", "json")
    assert {hit["citation"] for hit in json.loads(workbench(*asked, cwd=tmp_path))} == {"E1:2"}
    assert "E1:1" in workbench("search", "was it", cwd=tmp_path)


async def test_the_command_searches_all_sessions(tmp_path: Path) -> None:
    base = tmp_path / ".sessions"
    texts = ("#1 conn_drop (c=0x0) at conn.c:42\n", f"{FILLER}rbx 0x42\nconn_drop here\n", FILLER)
    for text in texts:
        await (await store_of(base, text)).close()
    (base / "session_20200101_000000_damaged").mkdir()
    (base / "session_20200101_000000_damaged" / "evidence.db").write_bytes(b"x")
    hits = json.loads(workbench("search", "conn_drop", "--format", "json", cwd=tmp_path))
    assert {hit["citation"] for hit in hits} == {"E1:1", "E1:3"}
    assert len({hit["sessionId"] for hit in hits}) == 2
    one = hits[0]["sessionId"]
    text = workbench("search", "conn_drop", "--session", one, "--limit", "1", cwd=tmp_path)
    assert text.startswith(f"{one} E1:")
    workbench("search", "nowhere_at_all", cwd=tmp_path, status=1)
    assert "no session" in workbench("search", "x", "--session", "y", cwd=tmp_path, status=2)
