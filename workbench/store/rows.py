"""Events and evidence as rows of a session's database."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import aiosqlite
import msgspec

from workbench.model.assisted_events import OutputsRead, PieceRead
from workbench.model.events import AnyEvent, EvidenceRecorded, encode_event
from workbench.model.evidence import Evidence
from workbench.model.journal import Recorded
from workbench.store.texts import file_path
from workbench.store.vouching import chained, last_of


class Connection(aiosqlite.Connection):
    """aiosqlite with a whole transaction as one call to its thread, rather than one a statement."""

    async def transact(
        self, work: Callable[[sqlite3.Connection], None], *, writes: bool = True
    ) -> None:
        """Run ``work`` between BEGIN and COMMIT; undo it when it raises."""
        await self._execute(_transact, self._conn, work, writes)

    async def rows(self, question: str, *values: object) -> list[Any]:
        """All that answers a question, as one call to its thread too."""
        return list(await self.execute_fetchall(question, values))

    # Closed under a reader, aiosqlite raises `ValueError`; who reads expects an error of SQLite's,
    # as whoever was a moment earlier gets.
    @property
    def _conn(self) -> sqlite3.Connection:
        if self._connection is None:
            raise sqlite3.ProgrammingError("the session was closed")
        return self._connection

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not self._running or not self._connection:
            raise sqlite3.ProgrammingError("the session was closed")
        return await super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]


def _transact(
    connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], None], writes: bool
) -> None:
    with transaction(connection, writes=writes):
        work(connection)


@contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool = True) -> Iterator[None]:
    """From BEGIN to COMMIT; undone when anything raises."""
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def insert(
    connection: sqlite3.Connection, session_id: str, rows: Sequence[Recorded],
    texts: Mapping[str, bytes], key: bytes,
) -> None:  # fmt: skip
    """Write events, with the rows of the evidence among them; ``texts`` are theirs by id, ``key``
    seals them."""
    sealed = [
        (row.seq, row.at.isoformat(), type(row.event).__name__, _body(row.event)) for row in rows
    ]
    connection.executemany(
        "INSERT INTO events(seq, at, kind, body, mac) VALUES (?, ?, ?, ?, ?)",
        [
            (*row, mac)
            for row, mac in zip(sealed, chained(key, last_of(connection), sealed), strict=True)
        ],
    )
    connection.executemany(
        "INSERT INTO evidence(id, session_id, command, file_path, size, summary, key_findings,"
        " metadata, timestamp, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            _evidence_row(session_id, row.event.evidence, texts.get(row.event.evidence.id))
            for row in rows
            if isinstance(row.event, EvidenceRecorded)
        ],
    )
    connection.executemany(
        "INSERT INTO chunks(evidence_id, chunk_num, first_line, last_line, analysis)"
        " VALUES (?, ?, ?, ?, ?)",
        [
            (row.event.evidence.id, number, chunk.first, chunk.last, _json(chunk.analysis))
            for row in rows
            if isinstance(row.event, EvidenceRecorded)
            for number, chunk in enumerate(row.event.chunks)
        ],
    )
    connection.executemany(
        "UPDATE evidence SET key_findings = json_insert(key_findings, '$[#]', ?1) WHERE id = ?2",
        [(found, id) for row in rows for id, found in _found_by_a_model(row.event)],
    )
    told = "coalesce(?2, json_extract(metadata, '$.overall_findings.summary'))"
    connection.executemany(
        "UPDATE evidence SET metadata = json_set(metadata, '$.overall_findings.root_cause', ?1,"
        f" '$.overall_findings.summary', {told}), summary = {told} || coalesce('; ' || ?1, '')"
        " WHERE id = ?3 AND json_extract(metadata, '$.overall_findings') IS NOT NULL",
        [
            (row.event.root_cause, row.event.summary, id)
            for row in rows
            if isinstance(row.event, OutputsRead) and (row.event.root_cause or row.event.summary)
            for id in row.event.evidence
        ],
    )


def _found_by_a_model(event: AnyEvent) -> list[tuple[str, str]]:
    """What a model's reading adds to the findings of an item."""
    if isinstance(event, PieceRead):
        return [(event.evidence, text) for text in event.findings]
    if isinstance(event, OutputsRead) and event.root_cause is not None:
        return [(id, event.root_cause) for id in event.evidence]
    return []


def _evidence_row(session_id: str, evidence: Evidence, text: bytes | None) -> tuple[object, ...]:
    external = evidence.storage == "external"
    return (
        evidence.id,
        session_id,
        evidence.command,
        file_path(evidence.id, text is not None) if external else None,
        evidence.size,
        evidence.summary,
        json.dumps(evidence.findings),
        _json(evidence),
        evidence.at,
        None if external else text or b"",
    )


def _body(event: AnyEvent) -> str:
    return encode_event(event).decode()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
