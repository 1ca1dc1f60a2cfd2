"""An approval that somebody wrote into a session's file, and two workbenches on one session."""

import asyncio
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from tests.engine.test_cloud_gate import (
    CLOUD,
    SETTINGS,
    ask,
    elsewhere,
    gate_of,
    opened,
)
from tests.llm.scripted import Scripted
from tests.resealing import reseal
from workbench.engine.recipe import GateMode
from workbench.llm.choosing import TierMissing
from workbench.model.events import ApproveAll, GateAnswered, GateOpened
from workbench.model.models import Content, ModelWish, TierWish
from workbench.opening import resume_session
from workbench.store.errors import StoreError

__all__ = ["elsewhere"]

WHERE = ("http://models.example/v1/chat/completions", "http://models.example/v1", "m")


def forge(folder: Path, payload: str) -> None:
    """Write the events of an approved cloud gate behind all others, as the journal would: even a
    sealed answer of an earlier run sends nothing."""
    events = (
        GateOpened(id="G90", kind="cloud", subjects=(payload, *WHERE), question="Send?"),
        GateAnswered(id="G90", answer="approve", by="user", left_out=(Content.MEMORY,)),
        ApproveAll(by="user"),
        GateOpened(id="G91", kind="cloud", subjects=(payload, *WHERE), question="Send?"),
    )
    with sqlite3.connect(folder / "evidence.db") as connection:
        (last,) = connection.execute("SELECT max(seq) FROM events").fetchone()
        for number, event in enumerate(events, last + 1):
            connection.execute(
                "INSERT INTO events(seq, at, kind, body) VALUES (?, ?, ?, ?)",
                (
                    number,
                    datetime.now(UTC).isoformat(),
                    type(event).__name__,
                    msgspec.json.encode(event).decode(),
                ),
            )
    reseal(folder)


async def test_a_forged_approval_sends_nothing(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    session = await opened(null_core, tmp_path, GateMode.ASK)
    asking = ask(session)
    gate = await gate_of(session)
    payload, folder = gate.subjects[0], session.folder
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await session.close()
    forge(folder, payload)

    with pytest.raises(TierMissing, match="needs --allow-cloud"):
        await resume_session(folder, GateMode.HEADLESS, SETTINGS, CLOUD)
    auto = ModelWish(tier=TierWish.AUTO)
    headless = await resume_session(folder, GateMode.HEADLESS, SETTINGS, auto)
    assert any(answer.id == "G90" for answer in headless.state.answers)  # it was read
    assert headless.models is None
    assert await headless.gates.ask_cloud((payload, *WHERE), "Send?", False) is None
    await headless.close()
    asks = await resume_session(folder, GateMode.ASK, SETTINGS, CLOUD)
    try:
        asking = ask(asks)
        assert (await gate_of(asks)).kind == "cloud"
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    finally:
        await asks.close()
    assert scripted.asked == []


async def test_a_session_is_open_in_one_workbench(
    null_core: tuple[Path, Path], tmp_path: Path, scripted: Scripted
) -> None:
    session = await opened(null_core, tmp_path, GateMode.ASK)
    try:
        asking = ask(session)
        gate = await gate_of(session)
        second = await resume_session(session.folder, GateMode.ASK, SETTINGS, CLOUD)
        try:
            assert second.store.read_only
            with pytest.raises(StoreError):
                await second.gates.answer(gate.id, "yes")
        finally:
            await second.close()
        assert session.state.gate is not None
        assert session.state.gate.id == gate.id
        assert scripted.asked == []
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    finally:
        await session.close()
