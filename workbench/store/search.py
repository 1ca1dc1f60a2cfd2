"""Full-text search in the evidence of one session: SQLite's FTS5 over chunks of about 8 KB.

The index is made when something is first looked for, so that an investigation that nobody
questions pays nothing for it. It keeps no text (a contentless table): lines are read from the
evidence (https://sqlite.org/fts5.html, 4.4.3).
"""

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Protocol

from msgspec import Struct

from workbench.model.chunks import pieces_of
from workbench.store.errors import StoreError

CHUNK_SIZE = 8000
"""Characters of a chunk, which ends at a line's end unless one line is longer."""
MOST_WORDS = 64
_PREFIX = 4
TOP_K = 10

_CREATE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS chunk_text USING "
    "fts5(text, content='', tokenize=\"porter unicode61 tokenchars '_'\")"
)


class Passage(Struct, frozen=True):
    """Lines of one evidence item, from 1, both ends included; ``first`` 0 for an empty item."""

    evidence: str
    first: int
    last: int


class Connection(Protocol):
    """A session's database: ``work`` runs in one transaction."""

    async def transact(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Raises `sqlite3.Error`."""
        ...


class Search:
    """``text`` gives the stored text of an evidence item."""

    def __init__(self, connection: Connection, text: Callable[[str], Awaitable[str]]) -> None:
        self._connection = connection
        self._text = text

    async def find(self, words: Iterable[str], limit: int = TOP_K) -> list[Passage]:
        """The passages that speak of any of the words, the best first (BM25); a word of several
        parts (``ring.c:42``) is looked for as a phrase. Raises `StoreError`."""
        wanted = list(dict.fromkeys(word for word in words if any(map(str.isalnum, word))))
        if not wanted:
            return []
        match = " OR ".join(map(_phrase, wanted[:MOST_WORDS]))
        rows: list[tuple[str, int, int]] = []

        def look(connection: sqlite3.Connection) -> None:
            rows.extend(
                connection.execute(
                    "SELECT evidence_id, first_line, last_line FROM chunk_text"
                    " JOIN chunks ON chunks.id = chunk_text.rowid"
                    " WHERE chunk_text MATCH ? ORDER BY bm25(chunk_text), chunks.id LIMIT ?",
                    (match, limit),
                )
            )

        try:
            await self.complete()
            await self._connection.transact(look)
        except sqlite3.Error as error:
            raise StoreError(f"the evidence cannot be searched: {error}") from error
        return [Passage(*row) for row in rows]

    async def complete(self) -> None:
        """Take what was recorded since the last time into the index. Raises `sqlite3.Error`."""
        new: list[str] = []

        def missing(connection: sqlite3.Connection) -> None:
            connection.execute(_CREATE)
            new.extend(
                str(row[0])
                for row in connection.execute(
                    "SELECT id FROM evidence WHERE id NOT IN (SELECT evidence_id FROM chunks"
                    " WHERE id IN (SELECT rowid FROM chunk_text)) ORDER BY rowid"
                )
            )

        await self._connection.transact(missing)
        for identifier in new:
            try:
                pieces = list(chunks_of(await self._text(identifier)))
            except StoreError:
                continue  # a text that cannot be read is found by nobody
            await self._connection.transact(partial(_insert, identifier, pieces))


def _phrase(word: str) -> str:
    """A word for FTS5, quoted; one of letters also finds what begins with it (ThreadCount)."""
    begins = "*" if word.isalpha() and len(word) >= _PREFIX else ""
    return '"' + word.replace('"', '""') + '"' + begins


def _insert(
    identifier: str, pieces: list[tuple[int, int, str]], connection: sqlite3.Connection
) -> None:
    there = {
        (first, last): row
        for row, first, last in connection.execute(
            "SELECT id, first_line, last_line FROM chunks WHERE evidence_id = ?", (identifier,)
        )
    }
    for number, (first, last, text) in enumerate(pieces):
        row = (
            there.get((first, last))
            or connection.execute(
                "INSERT INTO chunks(evidence_id, chunk_num, first_line, last_line)"
                " VALUES (?, ?, ?, ?)",
                (identifier, number, first, last),
            ).lastrowid
        )
        connection.execute("INSERT INTO chunk_text(rowid, text) VALUES (?, ?)", (row, text))


def chunks_of(text: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, text) of each chunk; one of no lines for an empty text."""
    if not text:
        yield 0, 0, ""
    for first, lines in pieces_of((text,), CHUNK_SIZE):
        yield first, first + len(lines) - 1, "\n".join(lines)
