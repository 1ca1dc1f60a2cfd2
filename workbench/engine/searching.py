"""Search in the evidence: by words always, by meaning where that is wanted and works."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.model.events import Noticed
from workbench.store.errors import StoreError
from workbench.store.search import Passage

if TYPE_CHECKING:
    from workbench.engine.session import Session

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

    return merged((found, near))


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

        return await session.store.vectors.find(asked, model, embed)
    except EmbeddingsOff:
        return ()
    except (NoModel, ModelFailed, StoreError, ValueError) as error:
        text = f"The evidence is searched by words alone: {error}"
        if all(notice.text != text for notice in session.state.notices):
            await session.record(Noticed(text=text, severity="warning"))
        return ()
