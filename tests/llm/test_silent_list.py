"""A server that accepts and never says a word must not hold a run up."""

import asyncio
from contextlib import closing

import pytest

from workbench.llm import choosing
from workbench.llm.choosing import TierMissing, choose_models
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.settings import Settings


async def _says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with closing(writer):  # also where the test has ended before it sees that the client has
        await reader.read()


@pytest.mark.parametrize(("longest", "within"), [(0.2, None), (60.0, 1.6)])
async def test_a_server_that_says_nothing_holds_no_run_up(
    longest: float, within: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(choosing._LONGEST, ModelTier.LOCAL, longest)
    server = await asyncio.start_server(_says_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    here = f"http://127.0.0.1:{port}"
    settings = Settings(local_base_url=f"{here}/v1", ollama_host=here)
    try:
        choosing_one = choose_models(settings, ModelWish(tier=TierWish.LOCAL), within=within)
        with pytest.raises(TierMissing, match="did not say within"):
            await asyncio.wait_for(choosing_one, 30)
    finally:
        server.close()
