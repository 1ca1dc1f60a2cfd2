"""A search in a million lines of evidence, against raw FTS5 over the same pieces."""

import asyncio
import hashlib
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.timing import Result, interleaved, ratio
from workbench.model.chunks import pieces_of
from workbench.model.events import EvidenceRecorded, SessionOpened
from workbench.model.evidence import Evidence, Source
from workbench.model.target import Options
from workbench.samples import DemoSample
from workbench.store.search import CHUNK_SIZE, Search
from workbench.store.session_store import SessionStore
from workbench.targets.identify import identify

LINES = 1_000_000
BOUND = 1.5
WORDS = ("worker", "conn_drop", "timeout", "0x7f0000001000")
MATCH = " OR ".join(f'"{word}"' for word in WORDS)


def run(sample: DemoSample, scratch: Path, repeats: int = 15) -> Result:
    """`Search.find` on an index that is there, in turn with the query alone."""
    text = text_of(LINES)
    raw = sqlite3.connect(scratch / "raw.db")
    begun = time.perf_counter()
    raw.execute("CREATE VIRTUAL TABLE raw USING fts5(text, content='')")
    for number, (_, lines) in enumerate(pieces_of((text,), CHUNK_SIZE), 1):
        raw.execute("INSERT INTO raw(rowid, text) VALUES (?, ?)", (number, "\n".join(lines)))
    raw.commit()
    raw_build = time.perf_counter() - begun
    store = asyncio.run(_store(sample, scratch, text.encode()))
    loop = asyncio.new_event_loop()
    view = loop.run_until_complete(SessionStore.view(store, "read"))
    search: Search = view.search
    begun = time.perf_counter()
    loop.run_until_complete(search.find(["nowhere"]))
    build = time.perf_counter() - begun

    def ours() -> float:
        begun = time.perf_counter()
        found = loop.run_until_complete(search.find(WORDS))
        took = time.perf_counter() - begun
        assert len(found) == 10
        return took

    def bare() -> float:
        begun = time.perf_counter()
        query = "SELECT rowid FROM raw WHERE raw MATCH ? ORDER BY rank LIMIT 10"
        rows = raw.execute(query, (MATCH,)).fetchall()
        took = time.perf_counter() - begun
        assert len(rows) == 10
        return took

    try:
        seconds = interleaved({"ours": ours, "raw": bare}, repeats)
    finally:
        loop.run_until_complete(view.close())
        loop.close()
        raw.close()
    value, bound, kept = ratio(seconds["ours"] / seconds["raw"], BOUND)
    return Result(
        f"Search in {LINES:,} lines",
        (
            ("the ten best passages", f"{seconds['ours'] * 1000:.1f} ms", ""),
            ("the same words in raw FTS5", f"{seconds['raw'] * 1000:.1f} ms", ""),
            ("ratio", value, bound),
            ("making the index, once", f"{build:.1f} s", ""),
            ("making raw FTS5's", f"{raw_build:.1f} s", ""),
        ),
        (f"Search.find({WORDS!r})", f"SELECT rowid FROM raw WHERE raw MATCH '{MATCH}' …"),
        kept,
    )


def text_of(lines: int) -> str:
    """Stack frames, the words that are looked for among them now and then."""
    kinds = ("worker_main", "conn_drop", "poll_once", "on_timeout", "read_frame", "timeout")
    base = 0x7F0000000000
    return "".join(
        f"#{n % 20}  {base + n * 16 % 65536:#x} in {kinds[n % 6]} (n={n}) at f{n % 97}.c:{n}\n"
        for n in range(lines)
    )


async def _store(sample: DemoSample, scratch: Path, text: bytes) -> Path:
    now = datetime.now(UTC)
    store = await SessionStore.create(scratch / "search", sample.core, now)
    target = identify(sample.core, sample.executable, None)
    item = Evidence(
        id="E1",
        command="thread apply all bt",
        source=Source.DEBUGGER,
        intent="all stacks",
        at=now.isoformat(),
        sha256=hashlib.sha256(text).hexdigest(),
        size=len(text),
        lines=LINES,
        call_hash="1",
        storage="external",
    )
    opened = SessionOpened(
        session_id=store.session_id, target=target, options=Options(), version="0"
    )
    await store.append([opened, EvidenceRecorded(evidence=item)], now, {"E1": text})
    await store.close()
    return store.folder
