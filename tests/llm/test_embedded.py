"""A GGUF file in this process."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.llm.asks import FEW, question
from tests.llm.llama import weights
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.providers.embedded import Embedded, idle
from workbench.llm.providers.openai_like import OpenAiLike


async def test_a_file_answers_and_nobody_else_may_ask(capfd: pytest.CaptureFixture[str]) -> None:
    provider = Embedded(weights(), limits=FEW, context=512, threads=1)
    (model,) = await provider.models()
    reply, vectors = await asyncio.gather(
        provider.complete(model.name, question(), temperature=0.0),
        provider.embed(model.name, ["one", "two"]),
    )
    assert reply.text
    assert len(vectors[0]) == len(vectors[1]) > 100
    stranger = OpenAiLike(provider.place, limits=FEW)
    with pytest.raises(ModelFailed) as caught:
        await stranger.complete(model.name, question(), temperature=0.0)
    assert caught.value.fault is Fault.REFUSED_KEY
    await stranger.close()
    await provider.close()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("load", "threads"), [(0.2, 8), (2.6, 5), (17.0, 1)])
def test_as_many_threads_think_as_processors_do_nothing(
    monkeypatch: pytest.MonkeyPatch, load: float, threads: int
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 9.0, 9.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert idle() == threads


async def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF" + b"\xff" * 1000)
    provider = Embedded(path, limits=FEW)
    with pytest.raises(ModelFailed, match="cannot load"):
        await provider.complete("bad", question(), temperature=0.0)
    await provider.close()
