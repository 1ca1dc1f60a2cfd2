"""Search in the evidence: by words always, by meaning where that is wanted and works."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.model.events import Noticed
from workbench.store.errors import StoreError
from workbench.store.search import TOP_K, Passage

if TYPE_CHECKING:
    from workbench.engine.session import Session

_SECONDS = 120.0  # in which passages get their vectors before a question is answered
_LONGEST = 1000
"""Characters of a question that are compared."""


async def search(session: "Session", words: Iterable[str], question: str) -> Sequence[Passage]:
    """The best passages, of both ways together where both found some."""
    try:
        found = await session.store.search.find(words)
    except StoreError:
        return ()
    if session.models is None or not question.strip():
        return found
    near = await _by_meaning(session, question)
    if not near:
        return found
    from workbench.store.vectors import merged

    return merged((found, near), TOP_K)


async def _by_meaning(session: "Session", question: str) -> Sequence[Passage]:
    """Nothing where embeddings are off or fail: words have to do then, and it is said once."""
    from workbench.llm.errors import ModelFailed
    from workbench.llm.port import EmbeddingsOff, NoModel

    models = session.models
    if models is None:
        return ()
    try:
        model, (asked,) = await models.embed([question[:_LONGEST]])

        async def embed(texts: Sequence[str]) -> list[list[float]]:
            return (await models.embed(texts))[1]

        near, left = await session.store.search.nearest(asked, model, embed, seconds=_SECONDS)
        if left:
            await _say(session, f"{left} passages of the evidence have no vector yet.")
        return near
    except EmbeddingsOff:
        return ()
    except (NoModel, ModelFailed, StoreError, ValueError) as error:
        await _say(session, f"The evidence is searched by words alone: {error}")
        return ()


async def _say(session: "Session", text: str) -> None:
    """Once."""
    if all(notice.text != text for notice in session.state.notices):
        await session.record(Noticed(text=text, severity="warning"))
