"""The cloud gate of a real session: asked before the first byte, kept through kill -9, and never
answered by what stands in a folder."""

import asyncio
import contextlib
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crashes import CACHE_VARIABLE
from tests.llm.scripted import Scripted
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.llm.port import Answer, Message, NoModel, Question
from workbench.model.events import GateAnswered
from workbench.model.models import Content, ModelTier, ModelWish, Role, TierWish
from workbench.model.target import Options
from workbench.opening import Request, open_session, resume_session
from workbench.settings import Secret, Settings
from workbench.store.errors import StoreError

SETTINGS = Settings(
    openai_base_url="http://models.example/v1",
    openai_model="m",
    openai_api_key=Secret("sk-gate-0123456789"),
)
CLOUD = ModelWish(tier=TierWish.CLOUD)
PUT: Question[Any] = Question(
    role=Role.CHAT,
    prompt="chat",
    messages=(Message("user", "who is at /home/jroe? 0x401136"),),
    contents=frozenset({Content.STACKS}),
)


@pytest.fixture(autouse=True)
def elsewhere(scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that only the proxy of the environment knows: as far away as a test can be."""
    monkeypatch.setenv("HTTP_PROXY", scripted.ollama)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


async def opened(core: tuple[Path, Path], base: Path, mode: GateMode, **wish: Any) -> Session:
    executable, dump = core
    request = Request(
        target=str(dump),
        options=Options(executable=str(executable)),
        base=base,
        settings=SETTINGS,
        wanted=ModelWish(tier=TierWish.CLOUD, **wish),
    )
    return await open_session(request, mode)


def ask(session: Session) -> "asyncio.Task[Answer[Any]]":
    assert session.models is not None
    return asyncio.create_task(session.models.ask(PUT))


async def gate_of(session: Session) -> Any:
    for _ in range(6000):
        if session.state.gate is not None:
            return session.state.gate
        await asyncio.sleep(0.01)
    raise AssertionError("no gate opened")


async def test_it_shows_what_goes_and_then_it_goes(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    session = await opened(null_core, tmp_path, GateMode.ASK)
    try:
        asking = ask(session)
        gate = await gate_of(session)
        assert gate.kind == "cloud"
        ident, url, provider, model = gate.subjects
        assert (url, provider, model) == (
            "http://models.example/v1/chat/completions",
            "http://models.example/v1",
            "m",
        )
        assert scripted.asked == []
        shown = await session.payload(ident)
        await session.gates.answer(gate.id, "approve")
        answer = await asking
        assert answer.tier is ModelTier.CLOUD
        (seen,) = scripted.asked
        assert seen.raw.decode() == shown
        assert "jroe" not in shown
        assert "0x401136" in shown
        assert [sent.id for sent in session.state.models.payloads] == [ident]
        assert session.models is not None
        await session.models.ask(PUT.__class__(**{**vars(PUT), "prompt": "chat2"}))
        assert session.state.gate is None
    finally:
        await session.close()


async def test_no_is_no(null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted) -> None:
    session = await opened(null_core, tmp_path, GateMode.ASK)
    try:
        asking = ask(session)
        gate = await gate_of(session)
        await session.gates.answer(gate.id, "reject")
        with pytest.raises(NoModel, match="not allowed"):
            await asking
        assert scripted.asked == []
        assert session.state.models.payloads == []
    finally:
        await session.close()


CHILD = """
import asyncio, sys
from pathlib import Path
from tests.engine.test_cloud_gate import GateMode, ask, gate_of, opened

async def main():
    session = await opened((Path(sys.argv[1]), Path(sys.argv[2])), Path(sys.argv[3]), GateMode.ASK)
    asking = ask(session)
    gate = await gate_of(session)
    print(session.session_id, gate.id, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_it_survives_kill_9_and_is_asked_again(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    arguments = [*map(str, null_core), str(tmp_path)]
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, *arguments, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    session_id, gate_id = (await child.stdout.readline()).decode().split()
    child.kill()
    await child.wait()

    session = await resume_session(tmp_path / session_id, GateMode.ASK, SETTINGS, CLOUD)
    assert session.state.gate is not None
    assert session.state.gate.id == gate_id
    try:
        # The same bytes are the same question, answered before or after they are asked about again.
        assert scripted.asked == []
        await session.gates.answer(gate_id, "approve")
        await ask(session)
        assert len(scripted.asked) == 1
        assert [a.id for a in session.state.answers] == [gate_id]
    finally:
        await session.close()


async def test_an_answer_in_a_folder_allows_nothing(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    session = await opened(null_core, tmp_path, GateMode.ASK)
    asking = ask(session)
    gate = await gate_of(session)
    await session.gates.answer(gate.id, "approve")
    await asking
    await session.record(GateAnswered(id="G9", answer="approve", by="user"))
    folder = session.folder
    await session.close()
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    assert len(scripted.asked) == 1

    # Without a person: refused, whatever was once said.
    again = await resume_session(folder, GateMode.ASK, SETTINGS, ModelWish(tier=TierWish.AUTO))
    assert again.models is None
    await again.close()
    again = await resume_session(folder, GateMode.ASK, SETTINGS, CLOUD)
    try:
        asking = ask(again)
        gate = await gate_of(again)
        assert gate.kind == "cloud"
        assert len(scripted.asked) == 1
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
    finally:
        await again.close()


async def test_without_a_person_the_option_answers(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    session = await opened(null_core, tmp_path, GateMode.HEADLESS, allow_cloud=True)
    try:
        await ask(session)
        assert len(scripted.asked) == 1
        (answer,) = session.state.answers
        assert (answer.answer, answer.by, answer.reason) == ("approve", "user", "--allow-cloud")
    finally:
        await session.close()


async def test_an_offline_run_closes_a_question_that_nobody_needs(
    null_core: tuple[Path, Path], tmp_path: Path
) -> None:
    session = await opened(null_core, tmp_path, GateMode.ASK)
    asking = ask(session)
    await gate_of(session)
    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking
    folder = session.folder
    await session.close()
    again = await resume_session(folder, GateMode.ASK, Settings())
    assert again.state.gate is None
    await again.close()


async def test_the_dead_process_environment_is_private(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    session = await opened(null_core, tmp_path, GateMode.HEADLESS, allow_cloud=True)
    try:
        told = dict(session.environment())
        assert told["PATH"]
        value = told[CACHE_VARIABLE]
        assert session.models is not None
        words = (Message("user", f"what does {value} mean?"),)
        await session.models.ask(PUT.__class__(**{**vars(PUT), "messages": words}))
        assert value not in scripted.asked[0].raw.decode()
    finally:
        await session.close()


async def test_a_folder_with_links_is_not_opened(
    null_core: tuple[Path, Path], tmp_path: Path
) -> None:
    session = await opened(null_core, tmp_path, GateMode.HEADLESS, allow_cloud=True)
    folder = session.folder
    await session.close()
    (tmp_path / "elsewhere").mkdir()
    (folder / "payloads").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="links"):
        await resume_session(folder, GateMode.ASK, SETTINGS, CLOUD)
