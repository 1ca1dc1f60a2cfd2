"""``workbench search``: the evidence of one session or of all, by words, each hit with its line."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from workbench.delivery import deliver, say
from workbench.engine.viewing import viewed
from workbench.model.text import printable
from workbench.sessions import print_json
from workbench.store.catalog import find_session, list_sessions
from workbench.store.code_words import spellings
from workbench.store.errors import StoreError
from workbench.store.search import TOP_K, Scored

_LONGEST = 200


class Hit(Struct, frozen=True, kw_only=True, rename="camel"):
    """The line of an evidence item that speaks most of what was looked for. ``score`` is BM25's
    of the passage within its session, the better the lower."""

    session_id: str
    citation: str
    command: str
    text: str
    score: float


async def search(base: Path, text: str, session_id: str | None, limit: int, format: str) -> int:
    """Print the hits, the best first; 0 when there are some, else 1. A session that cannot be
    searched is named on stderr. Raises `StoreError` for an unknown session."""
    words = text.split()
    folders = (
        [find_session(base, session_id)]
        if session_id is not None
        else [base / row.session_id for row in list_sessions(base)]
    )
    hits: list[Hit] = []
    for folder in folders:
        try:
            hits += await _hits(folder, words, limit)
        except (StoreError, OSError) as error:
            say(f"{folder.name} is not searched: {error}")
    hits = sorted(hits, key=lambda hit: hit.score)[:limit]
    if format == "json":
        print_json(hits)
    else:
        for hit in hits:
            where = f"{hit.session_id} {hit.citation} {hit.command}"
            deliver(printable(f"{where}: {hit.text}"), None)
    return 0 if hits else 1


async def _hits(folder: Path, words: Sequence[str], limit: int = TOP_K) -> list[Hit]:
    async with viewed(folder) as (store, state):
        store.chunk_size = state.options.chunk_size
        hits = []
        for found in await store.search.scored(words, limit):
            lines = await store.lines(found.passage.evidence)
            number, line = _line(lines, found, words)
            id = found.passage.evidence
            hits.append(
                Hit(
                    session_id=folder.name,
                    citation=f"{id}:{number}",
                    command=state.evidence[id].command if id in state.evidence else "",
                    text=line.strip()[:_LONGEST],
                    score=round(found.score, 4),
                )
            )
        return hits


def _line(lines: Sequence[str], found: Scored, words: Sequence[str]) -> tuple[int, str]:
    """The first of the lines that hold the most of the words."""
    wanted = [[each.casefold() for each in spellings(word)] for word in words]
    best = (-1, found.passage.first, "")
    for number in range(found.passage.first, found.passage.last + 1):
        folded = lines[number - 1].casefold()
        count = sum(any(each in folded for each in one) for one in wanted)
        if count > best[0]:
            best = (count, number, lines[number - 1])
    return best[1], best[2]
