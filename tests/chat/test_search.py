"""Search in a session's evidence: by words, and by meaning where that is wanted."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from tests.chat.conftest import GDB_LOG, investigated
from tests.chat.words import Words, failed
from tests.llm.llama import Llama
from tests.store.test_session_store import NOW, evidence, opened
from workbench.engine.finding import ORDERING, Searched, find, folders_of
from workbench.engine.making import questioned_session
from workbench.engine.session import Session
from workbench.llm.models import embedder
from workbench.llm.port import EmbeddingsOff, NoModel
from workbench.model.assisted_events import OutputsRead, PieceRead
from workbench.model.chunks import pieces_of
from workbench.model.models import ModelTier
from workbench.opening import debugger_factory
from workbench.settings import Settings
from workbench.store.search import Passage
from workbench.store.session_store import SessionStore
from workbench.store.vectors import merged

TEXTS = {
    "E1": "thread 4711 waits in futex\nlock 0x4052a0 held by thread 4712\n",
    "E2": "#0 conn_drop (c=0x4052a0) at ring.c:42\n" + "filler line\n" * 2000 + "the last needle\n",
    "E3": "",
}


async def store_of(folder: Path) -> SessionStore:
    store = await SessionStore.create(folder, Path("core"), datetime.now(UTC))
    for number, (name, text) in enumerate(TEXTS.items(), 1):
        storage = "external" if len(text) > 10_000 else "inline"
        event = evidence(number, text.encode(), storage)
        await store.append([event], datetime.now(UTC), {name: text.encode()})
    return store


@pytest.fixture
async def store(tmp_path: Path) -> SessionStore:
    return await store_of(tmp_path)


async def test_words_find_their_passages(store: SessionStore) -> None:
    try:
        assert (await store.search.find(["futex"]))[0] == Passage("E1", 1, 2)
        assert (await store.search.find(["ring.c:42"]))[0].evidence == "E2"
        (needle,) = await store.search.find(["needle"])
        assert needle.evidence == "E2"
        assert needle.last == 2002
        assert await store.search.find(["nowhere"]) == []
        assert await store.search.find(['"', "'; --", "*", ""]) == []
    finally:
        await store.close()


def test_chunks_end_with_lines_and_leave_nothing_out() -> None:
    text = "".join(f"line {number}\n" for number in range(5000))
    chunks = list(pieces_of((text,), 8000))
    assert [line for _, part in chunks for line in part] == text.splitlines()
    assert chunks[0][0] == 1
    assert all(a[0] + len(a[1]) == b[0] for a, b in pairwise(chunks))


def test_two_rankings_become_one() -> None:
    a, b, c = (Passage("E1", n, n) for n in (1, 2, 3))
    assert merged(([a, b], [b, c]), 9) == [b, a, c]


class Meanings(Words):
    """Vectors by the words of a text: a lock and a monitor mean the same."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> tuple[str, list[list[float]]]:
        self.texts += texts
        return "meanings", [[*_meaning(text), 0.1] for text in texts]


def _meaning(text: str) -> tuple[float, float]:
    return (
        float(any(word in text for word in ("lock", "monitor"))),
        float(any(word in text for word in ("drawer", "till", "money"))),
    )


async def session_with(tmp_path: Path, models: Words) -> Session:
    folder = await investigated(tmp_path, GDB_LOG)
    return await questioned_session(
        folder, debugger_factory(Settings()), make_models=lambda _: models
    )


async def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    models = Meanings()
    session = await session_with(tmp_path, models)
    try:
        found = await session.search(["money"], "where is the money?")
        assert found
        text = await session.evidence_text(found[0].evidence)
        assert "drawer" in text or "till" in text
        count = len(models.texts)
        await session.search(["money"], "where is the money?")
        assert len(models.texts) == count + 1  # only the question is new
    finally:
        await session.close()


async def test_where_vectors_fail_words_do_and_it_is_said_once(tmp_path: Path) -> None:
    class Broken(Words):
        async def embed(self, texts: Sequence[str]) -> tuple[str, list[list[float]]]:
            raise failed()

    session = await session_with(tmp_path, Broken())
    try:
        for _ in range(2):
            assert await session.search(["rbx"], "what is in rbx?")
        (notice,) = [n for n in session.state.notices if "words alone" in n.text]
        assert "no route to it" in notice.text
    finally:
        await session.close()


def test_the_settings_say_who_makes_vectors() -> None:
    with pytest.raises(EmbeddingsOff):
        embedder(Settings())
    local = Settings(
        use_embeddings=True, embeddings_provider="ollama", embeddings_model="nomic-embed-text"
    )
    assert (embedder(local).tier, embedder(local).model) == (ModelTier.LOCAL, "nomic-embed-text")
    assert embedder(Settings(use_embeddings=True)).tier is ModelTier.CLOUD
    for provider in ("azure", "nobody"):
        with pytest.raises(NoModel):
            embedder(Settings(use_embeddings=True, embeddings_provider=provider))


async def test_a_real_server_makes_vectors(llama: Llama) -> None:
    settings = Settings(
        use_embeddings=True, openai_base_url=llama.url, embeddings_model=llama.model
    )
    backend = embedder(settings)
    try:
        one, other = await backend.provider.embed(
            backend.model, ["a lock", "a lock"], allowed=ModelTier.LOCAL
        )
        assert len(one) > 100
        assert one == pytest.approx(other, abs=0.01)
    finally:
        await backend.provider.close()


MANY = "".join(f"note {n}: the till\n{'x' * 300}\n" for n in range(60))


async def test_without_vectors_a_model_orders_what_words_found(tmp_path: Path) -> None:
    models = Words(ranking={"order": [3, "2", 3, 99, -1]})
    session = await session_with(tmp_path, models)
    try:
        session.store.chunk_size = 400
        await session.keep_run("notes", MANY, ())
        found = await session.store.search.find(["till"], 20)
        assert len(found) == 20
        best = await session.search(["till"], "which till?")
        assert best == [found[2], found[1], found[0], *found[3:10]]
        assert models.prompts() == ["ranking"]
        sent = models.asked[0].messages[-1].content
        assert "which till?" in sent
        assert "place 20" in sent
        assert await session.search(["drawer"], "") == await session.store.search.find(["drawer"])
        assert models.prompts() == ["ranking"]  # a few need no order, and nothing no model
    finally:
        await session.close()


async def test_where_no_order_comes_words_do_and_it_is_said_once(tmp_path: Path) -> None:
    session = await session_with(tmp_path, Words(ranking=failed()))
    try:
        session.store.chunk_size = 400
        await session.keep_run("notes", MANY, ())
        for _ in range(2):
            found = await session.search(["till"], "which till?")
            assert found == await session.store.search.find(["till"])
        (notice,) = [n for n in session.state.notices if "words alone" in n.text]
        assert "no route to it" in notice.text
    finally:
        await session.close()


async def everywhere(base: Path, text: str, models: Words | None) -> Searched:
    async def make() -> Words | None:
        return models

    found = [one async for one in find(folders_of(base), text, find_models=make)]
    assert {one.session_id for one in found} == {"", *(one.name for one in folders_of(base))}
    asks = models is not None and not isinstance(models, Meanings)
    assert [one.trouble for one in found[:-1] if not one.session_id] == [ORDERING] * asks
    assert not found[-1].session_id
    return found[-1]


async def test_all_sessions_in_one_order(tmp_path: Path) -> None:
    for text in ("the till is open\n", "a drawer\n", "the till\n" * 3):
        store = await SessionStore.create(tmp_path, Path("core"), NOW)
        data = text.encode()
        await store.append([opened(store.session_id), evidence(1, data)], NOW, {"E1": data})
        await store.close()
    plain = await everywhere(tmp_path, "till", None)
    assert [hit.text for hit in plain.hits] == ["the till", "the till is open"]
    assert (plain.by, plain.trouble) == ("", "")
    ranked = await everywhere(tmp_path, "till", Words(ranking={"order": [2, 1]}))
    assert [hit.text for hit in ranked.hits] == ["the till is open", "the till"]
    assert ranked.by == "a model"
    near = await everywhere(tmp_path, "till", Meanings())
    assert near.by == "words and meaning"
    assert {hit.text for hit in near.hits} == {"the till", "the till is open", "a drawer"}
    alone = await everywhere(tmp_path, "till", Words(ranking=failed()))
    assert (alone.hits, alone.by) == (plain.hits, "")
    assert "words alone" in alone.trouble


async def test_what_was_found_is_found(tmp_path: Path) -> None:
    session = await session_with(tmp_path, Words())
    try:
        text = "".join(f"{n} Monitor.Wait on 0x{n:x}\n" for n in range(2000))
        item = await session.keep_run("a table", text, ())
        cite = f"[{item.id}:7-9]"
        await session.record(
            PieceRead(evidence=item.id, first=1, last=9, total=2, findings=(f"a tangle {cite}",)),
            OutputsRead(evidence=(item.id,), summary="the model: knotted"),
        )
        assert await session.search_evidence("TANGLE") == {item.id}
        assert await session.search_evidence("itor.wait ON 0x7c") == {item.id}
        assert not await session.search_evidence("wait monitor")
        assert await session.search_evidence("knotted") == {item.id}
        folder = session.folder
    finally:
        await session.close()
    (hit,) = (await everywhere(folder.parent, "tangle", None)).hits
    assert (hit.citation, hit.text) == (f"{item.id}:7", f"a tangle {cite}")
    assert (await everywhere(folder.parent, "knotted", None)).hits[0].citation == f"{item.id}:1"
