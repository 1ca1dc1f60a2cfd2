"""Search in the evidence: by words always, by meaning where vectors are wanted and work, else in
the order that a model gives."""

import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from workbench.agents.assisted.ranking import Place, ranked
from workbench.llm.contents import contents_in
from workbench.llm.errors import ModelFailed
from workbench.llm.port import EmbeddingsOff, NoModel, Settled
from workbench.model.events import Noticed
from workbench.store.errors import StoreError
from workbench.store.search import TOP_K, Passage, Scored, Search, holds
from workbench.store.vectors import merged

if TYPE_CHECKING:
    from workbench.engine.session import Session
    from workbench.llm.port import Models

T = TypeVar("T")
_SECONDS = 120.0  # in which passages get their vectors before a question is answered
_LONGEST = 1000
"""Characters of a question that are compared."""
AMONG = 2 * TOP_K
"""Places that words found, among which a model chooses."""


class Meaning:
    """What models add to one search, over one session or many: nothing where none is there, or
    after one has failed, which ``say`` is told in one line."""

    def __init__(
        self, models: "Models | None", wanted: str, say: Callable[[str], Awaitable[None]]
    ) -> None:
        self._models = models if wanted.strip() else None
        self._wanted = wanted[:_LONGEST]
        self._say = say
        self._until = time.monotonic() + _SECONDS
        self._asked: tuple[str, list[float]] | None = None
        self._vectors = True

    @property
    def orders(self) -> bool:
        """Whether a model may be asked for an order."""
        return self._models is not None and not self._asked

    async def near(self, search: Search) -> Sequence[Scored]:
        """The passages of a session nearest in meaning, where embeddings are wanted."""
        models = self._models
        if models is None or not self._vectors:
            return ()
        try:
            if self._asked is None:
                model, (asked,) = await models.embed([self._wanted])
                self._asked = model, asked

            async def embed(texts: Sequence[str]) -> list[list[float]]:
                return (await models.embed(texts))[1]

            seconds = max(0.0, self._until - time.monotonic())
            model, asked = self._asked
            near, left = await search.nearest(asked, model, embed, seconds=seconds)
            if left:
                await self._say(f"{left} passages of the evidence have no vector yet.")
            return near
        except EmbeddingsOff:
            self._vectors = False
        except (NoModel, ModelFailed, StoreError, ValueError) as error:
            await self._fails(error)
        return ()

    async def order(self, found: Sequence[T], places: Sequence["Place"]) -> Sequence[T]:
        """What words found, in a model's order where there are no vectors."""
        if self._models is None or not self.orders or len(found) < 2:
            return found
        try:
            return await ranked(self._models, self._wanted, found, places)
        except Settled:
            return found
        except (NoModel, ModelFailed) as error:
            await self._fails(error)
        return found

    async def _fails(self, error: Exception) -> None:
        self._models = None
        await self._say(f"The evidence is searched by words alone: {error}")


async def search(session: "Session", words: Iterable[str], question: str) -> Sequence[Passage]:
    """The best passages, of both ways together where both found some."""

    async def say(text: str) -> None:
        if all(notice.text != text for notice in session.state.notices):
            await session.record(Noticed(text=text, severity="warning"))

    wanted = list(words)
    meaning = Meaning(session.models, question, say)
    try:
        found = await session.store.search.find(wanted, AMONG if meaning.orders else TOP_K)
    except StoreError:
        return ()
    if near := await meaning.near(session.store.search):
        return merged((found[:TOP_K], [one.passage for one in near]), TOP_K)
    if len(found) > TOP_K and meaning.orders:
        with suppress(StoreError):  # one of them was damaged meanwhile: as words found them
            places = [await _place(session, one, wanted) for one in found]
            found = list(await meaning.order(found, places))
    return found[:TOP_K]


async def _place(session: "Session", passage: Passage, words: Sequence[str]) -> "Place":
    """The lines of a passage from the one on that holds the most of the words."""
    item = session.state.evidence[passage.evidence]
    lines = await session.store.lines(passage.evidence)
    number, _ = best_line(lines, passage, words)
    shown = [lines[at - 1] for at in range(number, min(number + 4, passage.last, len(lines)) + 1)]
    return Place("\n".join(shown), contents_in(item))


_ENDING = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")


def best_line(lines: Sequence[str], passage: Passage, words: Sequence[str]) -> tuple[int, str]:
    """The first of a passage's lines that hold the most of the words, then of what they begin with:
    the index has words without their endings. One that came from elsewhere may name lines that are
    not there."""
    best = (-1, passage.first, "")
    stems = [_ENDING.sub("", word) for word in words]
    for number in range(max(1, passage.first), min(len(lines), passage.last) + 1):
        line = lines[number - 1]
        count = sum(holds(line, each) for each in (*words, *words, *stems))
        if count > best[0]:
            best = (count, number, line)
    return best[1], best[2]
