"""The evidence of one saved session or of all, searched by words, and by what models of this
machine add: each hit is a line."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from workbench.agents.assisted.ranking import Place
from workbench.agents.chat.words import is_stop
from workbench.engine.searching import AMONG, Meaning, best_line
from workbench.engine.viewing import viewed
from workbench.llm.port import Models
from workbench.model.citation import parse_citations
from workbench.model.investigation import Investigation
from workbench.store.catalog import list_sessions
from workbench.store.errors import StoreError
from workbench.store.search import TOP_K
from workbench.store.vectors import merged

_LONGEST = 200
ORDERING = "a model of this machine orders them …"
FindModels = Callable[[], Awaitable[Models | None]]


class Hit(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The line of an evidence item that speaks most of what was looked for, or what was found in
    the item where that does. ``score`` is BM25's of the passage within its session, ``distance``
    that of its vector (1 minus the cosine), each the better the lower, and None where that way did
    not find it; what was found has neither."""

    session_id: str
    citation: str
    command: str
    text: str
    score: float | None = None
    distance: float | None = None


class Searched(Struct, frozen=True):
    """What one session gave, the best first; ``trouble`` says what could not be searched. Those
    of no session come last and hold the hits of all, the best first; ``by`` says what ordered them
    beside words, ``trouble`` what is done or why words alone did; the last of them counts."""

    session_id: str
    hits: tuple[Hit, ...] = ()
    trouble: str = ""
    by: str = ""


def folders_of(base: Path, first: Path | None = None) -> Iterator[Path]:
    """All sessions of a folder, the latest touched first, or after ``first``."""
    if first is not None:
        yield first
    for row in list_sessions(base):
        if first is None or row.session_id != first.name:
            yield base / row.session_id


async def find(
    folders: Iterable[Path], text: str, limit: int = TOP_K, find_models: FindModels | None = None
) -> AsyncGenerator[Searched, None]:
    """One session after the other, each with ``limit`` hits at most, then all in one order."""
    words = [word for word in text.split() if not is_stop(word.rstrip(".,;:!?"))] or text.split()
    said, hits = list[str](), list[Hit]()

    async def say(line: str) -> None:
        said[:] = [line]

    models = await find_models() if find_models is not None else None
    try:
        meaning = Meaning(models, text, say)
        waiting = iter(folders)
        while (folder := await asyncio.to_thread(next, waiting, None)) is not None:
            damaged = dict[str, str]()
            try:
                found = await _hits(folder, words, limit, meaning, damaged)
            except (StoreError, OSError) as error:
                yield Searched(folder.name, trouble=str(error))
                continue
            hits += found
            yield Searched(folder.name, tuple(found), "; ".join(damaged.values()))
        best, by = _merged(hits)
        if meaning.orders and len(best) > 1:
            yield Searched("", tuple(best), ORDERING)
            best = await meaning.order(best, [_place(hit) for hit in best[:AMONG]])
            by = "a model" if meaning.orders else ""
        yield Searched("", tuple(best), "; ".join(said), by)
    finally:
        if models is not None:
            await models.close()


def _merged(hits: Iterable[Hit]) -> tuple[Sequence[Hit], str]:
    """The hits of all sessions as one list: by the words' scores, or, where vectors found some, by
    both ways' ranks together."""
    by_words = sorted((h for h in hits if h.score is not None), key=lambda hit: hit.score or 0)
    near = sorted((h for h in hits if h.distance is not None), key=lambda hit: hit.distance or 0)
    found = [hit for hit in hits if hit.score is None and hit.distance is None]
    if not near and not found:
        return by_words, ""

    together = merged((found, by_words, near), len(found) + len(by_words) + len(near))
    return together, "words and meaning" if near else ""


def _place(hit: Hit) -> "Place":
    return Place(f"{hit.command}: {hit.text}")


async def _hits(
    folder: Path, words: Sequence[str], limit: int, meaning: Meaning, damaged: dict[str, str]
) -> list[Hit]:
    """``damaged`` takes why an item that the index still knows cannot be read now."""
    async with viewed(folder) as (store, state):
        store.chunk_size = state.options.chunk_size
        scores = {one.passage: one.score for one in await store.search.scored(words, limit)}
        near = await meaning.near(store.search)
        distances = {one.passage: one.score for one in near[:limit]}
        hits = list(_found(folder.name, state, words))[:limit]
        for passage in dict.fromkeys((*scores, *distances)):
            id = passage.evidence
            try:
                lines = await store.lines(id)
            except StoreError as error:
                damaged[id] = str(error)
                continue
            number, line = best_line(lines, passage, words)
            score, distance = scores.get(passage), distances.get(passage)
            hits.append(
                Hit(session_id=folder.name, citation=f"{id}:{number}",
                    command=state.evidence[id].command if id in state.evidence else "",
                    text=line.strip()[:_LONGEST], score=None if score is None else round(score, 4),
                    distance=None if distance is None else round(distance, 4)))  # fmt: skip
        return hits


def _found(session_id: str, state: Investigation, words: Sequence[str]) -> Iterator[Hit]:
    """What was found in items, in words that hold all that are looked for."""
    for id in state.evidence:
        for text in holding(state, id, words):
            cites = [cite for cite in parse_citations(text) if cite.evidence == id]
            yield Hit(
                session_id=session_id,
                citation=f"{id}:{cites[0].first if cites else 1}",
                command=state.evidence[id].command,
                text=text[:_LONGEST],
            )


def holding(state: Investigation, id: str, words: Sequence[str]) -> list[str]:
    """The summary of an item that was read in pieces and what was found in it, each where it holds
    all the words. A model's own words are marked (`workbench.model.chunks.in_its_words`)."""
    item = state.evidence[id]
    overall = item.overall_findings
    told = (overall.summary, overall.root_cause or "") if overall is not None else ()
    wanted = [word.casefold() for word in words]
    return [
        text
        for text in dict.fromkeys((*told, *item.findings))
        if wanted and all(word in text.casefold() for word in wanted)
    ]
