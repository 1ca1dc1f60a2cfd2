"""Search by meaning in the evidence of one session: a vector for each chunk, compared in SQLite.

The distance is sqlite-vec's; where this Python loads no extensions into SQLite (a build without
them), the same function is ours.
"""

import math
import sqlite3
import struct
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from workbench.store.errors import StoreError
from workbench.store.search import TOP_K, Connection, Passage, Search

MOST_CHUNKS = 400
"""Chunks of a session that get a vector: at about 8 KB each, over 3 MB of text."""
BATCH = 32
_CREATE = (
    "CREATE TABLE IF NOT EXISTS chunk_vectors (chunk_id INTEGER PRIMARY KEY REFERENCES chunks,"
    " model TEXT NOT NULL, embedding BLOB NOT NULL)"
)

Embed = Callable[[Sequence[str]], Awaitable[list[list[float]]]]
"""Vectors for texts; what it raises comes out of the search."""


class Vectors:
    """``text`` gives the stored text of an evidence item."""

    def __init__(
        self,
        connection: Connection,
        search: Search,
        text: Callable[[str], Awaitable[str]],
    ) -> None:
        self._connection = connection
        self._search = search
        self._text = text

    async def find(
        self, asked: Sequence[float], model: str, embed: Embed, limit: int = TOP_K
    ) -> list[Passage]:
        """The passages nearest in meaning to a question's vector, the nearest first. ``model`` says
        whose vectors are comparable. Raises `StoreError`, and what ``embed`` raises."""
        try:
            await self._search.complete()
            await self._complete(model, embed)
            return await self._nearest(_packed(asked), model, limit)
        except sqlite3.Error as error:
            raise StoreError(f"the evidence cannot be searched by meaning: {error}") from error

    async def _complete(self, model: str, embed: Embed) -> None:
        """Vectors for the chunks that have none of this model's."""
        rows: list[tuple[int, str, int, int]] = []

        def missing(connection: sqlite3.Connection) -> None:
            connection.execute(_CREATE)
            rows.extend(
                connection.execute(
                    "SELECT id, evidence_id, first_line, last_line FROM chunks"
                    " WHERE id <= (SELECT min(id) + ? FROM chunks) AND last_line > 0"
                    " AND id NOT IN (SELECT chunk_id FROM chunk_vectors WHERE model = ?)"
                    " ORDER BY id",
                    (MOST_CHUNKS, model),
                )
            )

        await self._connection.transact(missing)
        for at in range(0, len(rows), BATCH):
            part = rows[at : at + BATCH]
            vectors = await embed([await self._lines(*row[1:]) for row in part])
            pairs = [(row[0], row[1], _packed(v)) for row, v in zip(part, vectors, strict=True)]
            await self._connection.transact(partial(_keep, model, pairs))

    async def _lines(self, evidence: str, first: int, last: int) -> str:
        lines = (await self._text(evidence)).split("\n")
        return "\n".join(lines[first - 1 : last]) or " "

    async def _nearest(self, asked: bytes, model: str, limit: int) -> list[Passage]:
        rows: list[tuple[str, int, int]] = []

        def look(connection: sqlite3.Connection) -> None:
            _teach(connection)
            rows.extend(
                connection.execute(
                    "SELECT evidence_id, first_line, last_line FROM chunk_vectors"
                    " JOIN chunks ON chunks.id = chunk_id"
                    " WHERE model = ? AND length(embedding) = ?"
                    " ORDER BY vec_distance_cosine(embedding, ?), chunks.id LIMIT ?",
                    (model, len(asked), asked, limit),
                )
            )

        await self._connection.transact(look)
        return [Passage(*row) for row in rows]


def _keep(
    model: str, pairs: Sequence[tuple[int, str, bytes]], connection: sqlite3.Connection
) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO chunk_vectors(chunk_id, model, embedding) VALUES (?, ?, ?)",
        [(chunk, model, vector) for chunk, _, vector in pairs],
    )
    connection.executemany(
        "UPDATE evidence SET embedding = ? WHERE id = ? AND embedding IS NULL",
        [(vector, evidence) for _, evidence, vector in pairs],
    )


def _packed(vector: Sequence[float]) -> bytes:
    """As sqlite-vec reads a vector: 32-bit floats in the machine's order."""
    return struct.pack(f"{len(vector)}f", *vector)


def _teach(connection: sqlite3.Connection) -> None:
    """Give a connection ``vec_distance_cosine``."""
    try:
        import sqlite_vec

        connection.enable_load_extension(True)
        try:
            sqlite_vec.load(connection)
        finally:
            connection.enable_load_extension(False)
    except (ImportError, AttributeError, sqlite3.Error):
        connection.create_function("vec_distance_cosine", 2, _distance, deterministic=True)


def _distance(one: bytes, other: bytes) -> float:
    """1 minus the cosine of the angle between two vectors of one length; 1 where one is zero."""
    a = struct.unpack(f"{len(one) // 4}f", one)
    b = struct.unpack(f"{len(other) // 4}f", other)
    size = math.hypot(*a) * math.hypot(*b)
    if not size or len(a) != len(b):
        return 1.0
    return 1.0 - math.fsum(x * y for x, y in zip(a, b, strict=True)) / size


def merged(rankings: Sequence[Sequence[Passage]], limit: int = TOP_K) -> list[Passage]:
    """Several rankings as one, by reciprocal rank (Cormack et al. 2009, k = 60)."""
    score: dict[Passage, float] = {}
    for ranking in rankings:
        for place, passage in enumerate(ranking):
            score[passage] = score.get(passage, 0.0) + 1 / (60 + place)
    return sorted(score, key=lambda passage: -score[passage])[:limit]
