"""The evidence of one saved session or of all, searched by words: each hit is a line."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from workbench.engine.viewing import viewed
from workbench.store.catalog import list_sessions
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


class Searched(Struct, frozen=True):
    """What one session gave, the best first; ``trouble`` says why it could not be searched."""

    session_id: str
    hits: tuple[Hit, ...] = ()
    trouble: str = ""


def folders_of(base: Path, first: Path | None = None) -> Iterator[Path]:
    """All sessions of a folder, the latest touched first, or after ``first``."""
    if first is not None:
        yield first
    for row in list_sessions(base):
        if first is None or row.session_id != first.name:
            yield base / row.session_id


async def find(
    folders: Iterable[Path], text: str, limit: int = TOP_K
) -> AsyncGenerator[Searched, None]:
    """One session after the other, each with ``limit`` hits at most."""
    words = text.split()
    waiting = iter(folders)
    while (folder := await asyncio.to_thread(next, waiting, None)) is not None:
        try:
            yield Searched(folder.name, tuple(await _hits(folder, words, limit)))
        except (StoreError, OSError) as error:
            yield Searched(folder.name, trouble=str(error))


async def _hits(folder: Path, words: Sequence[str], limit: int) -> list[Hit]:
    async with viewed(folder) as (store, state):
        store.chunk_size = state.options.chunk_size
        hits = []
        for found in await store.search.scored(words, limit):
            id = found.passage.evidence
            number, line = _line(await store.lines(id), found, words)
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
    """The first of the lines that hold the most of the words. An index that came from elsewhere
    may name lines that are not there."""
    wanted = [[each.casefold() for each in spellings(word)] for word in words]
    best = (-1, found.passage.first, "")
    for number in range(max(1, found.passage.first), min(len(lines), found.passage.last) + 1):
        folded = lines[number - 1].casefold()
        count = sum(any(each in folded for each in one) for one in wanted)
        if count > best[0]:
            best = (count, number, lines[number - 1])
    return best[1], best[2]
