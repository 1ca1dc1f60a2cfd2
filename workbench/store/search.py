"""Search in the evidence of one session: words (SQLite's FTS5) and vectors of its pieces.

The index is a file of its own (``search.db``) that can be made again at any time; it is made when
something is first looked for, so that a run that nobody questions pays nothing for it. It keeps no
text (a contentless table, https://sqlite.org/fts5.html, 4.4.3): lines are read from the
evidence, all of it, whatever its size.
"""

import asyncio
import os
import re
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from workbench.model.chunks import pieces_of
from workbench.store.errors import StoreError
from workbench.store.rows import transaction
from workbench.store.vectors import packed, teach

CHUNK_SIZE = 8000
"""Characters of a piece where the session does not say."""
MOST_WORDS = 64
TOP_K = 10
FILE = "search.db"
_PREFIX = 4
_BATCH = 32
_TOGETHER = 2 << 20  # characters of pieces that are written in one transaction
_VERSION = 1
_CREATE = """
CREATE TABLE indexed (evidence TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE passages (id INTEGER PRIMARY KEY, evidence TEXT, first INTEGER, last INTEGER);
CREATE VIRTUAL TABLE words USING
    fts5(text, content='', tokenize="porter unicode61 tokenchars '_'");
CREATE TABLE vectors (
    passage INTEGER, model TEXT, embedding BLOB NOT NULL, PRIMARY KEY (passage, model)
) WITHOUT ROWID;
"""
_NEAREST = (
    "SELECT evidence, first, last, vec_distance_cosine(embedding, ?) AS distance"
    " FROM vectors JOIN passages ON id = passage WHERE model = ? AND length(embedding) = ?"
    " ORDER BY distance, id LIMIT ?"
)
_BEST = (
    "SELECT evidence, first, last, score FROM"
    " (SELECT rowid AS row, rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?)"
    " JOIN passages ON id = row ORDER BY score, id"
)

Embed = Callable[[Sequence[str]], Awaitable[list[list[float]]]]
"""Vectors for texts; what it raises comes out of the search."""
T = TypeVar("T")


class Passage(Struct, frozen=True):
    """Lines of one evidence item, from 1, both ends included."""

    evidence: str
    first: int
    last: int


class Scored(Struct, frozen=True):
    """A passage with BM25's score, or with the distance of its vector, the better the lower."""

    passage: Passage
    score: float


class Source(Protocol):
    """A session's evidence."""

    async def evidence_ids(self) -> list[str]:
        """All of it, the oldest first. Raises `StoreError`."""

    async def whole(self, evidence_id: str) -> Iterator[str]:
        """The text of one in blocks of lines, held to its sha256. Raises `StoreError`, and
        `OSError` on the way."""


class Search:
    """``folder`` is where the index is kept; where none can be, it is made for this run alone."""

    def __init__(self, source: Source, folder: Path, size: int = CHUNK_SIZE) -> None:
        self._source = source
        self._path = folder / FILE
        self._size = size
        self._open: sqlite3.Connection | None = None
        self._busy = asyncio.Lock()

    async def find(self, words: Iterable[str], limit: int = TOP_K) -> list[Passage]:
        """The passages that speak of any of the words, the best first (BM25); a word of several
        parts (``ring.c:42``) is looked for as a phrase. Raises `StoreError`."""
        return [found.passage for found in await self.scored(words, limit)]

    async def scored(self, words: Iterable[str], limit: int = TOP_K) -> list[Scored]:
        """`find` with the scores."""
        wanted = list(dict.fromkeys(word for word in words if any(map(str.isalnum, word))))
        if not wanted:
            return []
        asked = [each for word in wanted[:MOST_WORDS] for each in spellings(word)]
        match = " OR ".join(map(_phrase, asked))
        rows = await self._do(lambda c: c.execute(_BEST, (match, limit)).fetchall())
        return [Scored(Passage(*row[:3]), row[3]) for row in rows]

    async def nearest(
        self, asked: Sequence[float], model: str, embed: Embed, seconds: float = float("inf")
    ) -> tuple[list[Scored], int]:
        """The passages nearest in meaning to a question's vector, the nearest first, and how many
        have no vector yet because ``seconds`` were over: the next question goes on there. ``model``
        says whose vectors are comparable. Raises `StoreError`, and what ``embed`` raises."""
        left = await self._embed_rest(model, embed, time.monotonic() + seconds)
        vector = packed(asked)

        def look(connection: sqlite3.Connection) -> list[tuple[str, int, int, float]]:
            teach(connection)
            return connection.execute(_NEAREST, (vector, model, len(vector), TOP_K)).fetchall()

        return [Scored(Passage(*row[:3]), row[3]) for row in await self._do(look)], left

    def close(self) -> None:
        """Close the index."""
        if self._open is not None:
            self._open.close()
            self._open = None

    # --- inside ---------------------------------------------------------------------------------

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Something with the index, which is complete. One that is damaged is made anew, once."""
        async with self._busy:
            try:
                return await self._tried(work)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise StoreError(f"the evidence cannot be searched: {error}") from error
                self.close()
                with suppress(OSError):
                    self._path.unlink(missing_ok=True)
            try:
                return await self._tried(work)
            except sqlite3.Error as error:
                raise StoreError(f"the evidence cannot be searched: {error}") from error

    async def _tried(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = await asyncio.to_thread(self._connection)
        await self._complete(connection)
        return await asyncio.to_thread(work, connection)

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            try:
                os.close(os.open(self._path, os.O_CREAT | os.O_RDWR | _NO_LINK, 0o600))
                self._open = _opened(str(self._path))
            except (OSError, sqlite3.OperationalError):
                self._open = _opened(":memory:")
        return self._open

    async def _complete(self, connection: sqlite3.Connection) -> None:
        """Take what was recorded since the last time into the index."""
        there = {row[0] for row in connection.execute("SELECT evidence FROM indexed")}
        new = [id for id in await self._source.evidence_ids() if id not in there]
        small: list[tuple[str, str]] = []
        for id in new:
            try:
                blocks = await self._source.whole(id)
            except StoreError:
                continue  # a text that is damaged is found by nobody
            first = next(blocks, "")
            if (second := next(blocks, None)) is None and len(first) <= _TOGETHER:
                small.append((id, first))
                if len(small) < _BATCH:
                    continue
            else:
                rest = _chained(first, second, blocks)
                with suppress(OSError):
                    await asyncio.to_thread(_add, connection, [(id, rest)], self._size)
            await self._add_small(connection, small)
        await self._add_small(connection, small)

    async def _add_small(
        self, connection: sqlite3.Connection, small: list[tuple[str, str]]
    ) -> None:
        texts = [(id, iter((text,))) for id, text in small]
        small.clear()
        if texts:
            await asyncio.to_thread(_add, connection, texts, self._size)

    async def _embed_rest(self, model: str, embed: Embed, until: float) -> int:
        """Vectors for the passages that have none of this model's; how many still have none."""
        rows = await self._do(
            lambda c: c.execute(
                "SELECT evidence, first, id FROM passages WHERE NOT EXISTS"
                " (SELECT 1 FROM vectors WHERE passage = id AND model = ?) ORDER BY id",
                (model,),
            ).fetchall()
        )
        missing: dict[str, dict[int, int]] = {}
        for evidence, first, row in rows:
            missing.setdefault(evidence, {})[first] = row
        left = len(rows)
        for evidence, wanted in missing.items():
            with suppress(StoreError, OSError):
                batch: list[tuple[int, str]] = []
                for first, lines in pieces_of(await self._source.whole(evidence), self._size):
                    if first in wanted:
                        batch.append((wanted.pop(first), "\n".join(lines) or " "))
                    if len(batch) == _BATCH or (batch and not wanted):
                        if time.monotonic() > until:
                            return left
                        await self._keep(model, batch, await embed([text for _, text in batch]))
                        left -= len(batch)
                        batch = []
        return left

    async def _keep(
        self, model: str, batch: Sequence[tuple[int, str]], vectors: list[list[float]]
    ) -> None:
        rows = [(row, model, packed(v)) for (row, _), v in zip(batch, vectors, strict=True)]

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

        await self._do(write)


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def _opened(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")  # what is lost is made again
        if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            with transaction(connection):
                for table in ("indexed", "passages", "words", "vectors"):
                    connection.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _CREATE.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={_VERSION}")
    except BaseException:
        connection.close()
        raise
    return connection


def _chained(first: str, second: str | None, rest: Iterator[str]) -> Iterator[str]:
    yield first
    if second is not None:
        yield second
    yield from rest


def _add(
    connection: sqlite3.Connection, texts: Sequence[tuple[str, Iterator[str]]], size: int
) -> None:
    """The pieces of some items, of each all or none."""
    with transaction(connection):
        for id, blocks in texts:
            if not connection.execute("INSERT OR IGNORE INTO indexed VALUES (?)", (id,)).rowcount:
                continue  # another process was quicker
            for first, lines in pieces_of(blocks, size):
                text = "\n".join(lines)
                row = connection.execute(
                    "INSERT INTO passages(evidence, first, last) VALUES (?, ?, ?)",
                    (id, first, first + len(lines) - 1),
                ).lastrowid
                said = f"{text}\n{' '.join(more_words(text))}"
                connection.execute("INSERT INTO words(rowid, text) VALUES (?, ?)", (row, said))


def _phrase(word: str) -> str:
    """A word for FTS5, quoted; one of letters also finds what begins with it (ThreadCount)."""
    begins = "*" if word.isalpha() and len(word) >= _PREFIX else ""
    return '"' + word.replace('"', '""') + '"' + begins


# What else a text of code is found by, beside its words as FTS5 takes them.
# FTS5 splits at everything but letters, digits and ``_`` (https://sqlite.org/fts5.html, 4.3.1), so
# that ``foo::bar`` and ``file.c:12`` are phrases. What it does not know is added behind the text:
# the parts of CamelCase and snake_case, and an address in one spelling, however it was printed.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Zeros in front, as lldb and SOS print them, and WinDbg's ` in the middle.
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9_])(?:0x0*|0{4,})?([0-9a-fA-F]{1,8}`[0-9a-fA-F]{8}|[0-9a-fA-F]{4,16})"
    r"(?![A-Za-z0-9_])"
)


def more_words(text: str) -> list[str]:
    """Each once, in no order that means anything."""
    found: set[str] = set()
    for name in set(_NAME.findall(text)):
        parts = _PART.findall(name)
        if len(parts) > 1:
            found.update(part for part in parts if len(part) > 1)
    found.update(map(address, set(_ADDRESS.findall(text))))
    return sorted(found)


def address(digits: str) -> str:
    """Hexadecimal digits as ``0x…`` without zeros in front."""
    return "0x" + (digits.replace("`", "").lower().lstrip("0") or "0")


def spellings(word: str) -> list[str]:
    """A word that is looked for, and what it is found by besides."""
    number = _number(word)
    return [word] if number is None else list(dict.fromkeys((word, number)))


def holds(line: str, word: str) -> bool:
    """True for a line in which a word stands, an address in whatever spelling."""
    if word.casefold() in line.casefold():
        return True
    number = _number(word)
    return number is not None and number in map(address, _ADDRESS.findall(line))


def _number(word: str) -> str | None:
    found = _ADDRESS.fullmatch(word)
    return None if found is None or not any(map(str.isdigit, word)) else address(found[1])
