"""Answers are cached in a folder of the test's own; a provider in front of the scripted server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.llm.asks import KEY, LIMITS
from tests.llm.scripted import Scripted
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.settings import Secret


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
async def provider(scripted: Scripted) -> AsyncIterator[OpenAiLike]:
    """One that speaks OpenAI's words, with a key."""
    made = OpenAiLike(place_of(scripted.openai), Secret(KEY), name="cloudy", limits=LIMITS)
    yield made
    await made.close()
