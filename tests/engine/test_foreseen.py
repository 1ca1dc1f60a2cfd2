"""Commands that are run before they are asked for, and events that share a transaction."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.engine.conftest import Opener
from workbench.debuggers.protocol import DebuggerDied, Output
from workbench.engine.foreseen import Foreseen
from workbench.engine.journal import Journal
from workbench.engine.recipe import GateMode
from workbench.model.events import EvidenceRecorded, Noticed
from workbench.model.evidence import Source
from workbench.model.journal import Recorded
from workbench.store.session_store import SessionStore


def output(text: str) -> Output:
    return Output(text, None, len(text))


async def test_an_output_waits_until_it_is_taken_once() -> None:
    foreseen, ran = Foreseen(), list[str]()

    async def execute(command: str) -> Output:
        ran.append(command)
        await asyncio.sleep(0)
        return output(command.upper())

    foreseen.expect(["bt", "info threads", "print x"])
    running = asyncio.ensure_future(foreseen.run(["bt", "info threads"], execute))
    second = await foreseen.take("info threads")
    first = await foreseen.take("bt")
    await running
    foreseen.end()
    assert ran == ["bt", "info threads"]
    assert first is not None
    assert second is not None
    assert (first.text, second.text) == ("BT", "INFO THREADS")
    for command in ("bt", "print x", "list"):  # taken, not run, not foreseen
        assert await foreseen.take(command) is None


async def test_what_a_debugger_says_of_its_end_is_said_to_who_asks() -> None:
    foreseen = Foreseen()

    async def execute(command: str) -> Output:
        if command == "bt":
            raise DebuggerDied("gone", output("#0"))
        return output("alive")

    foreseen.expect(["bt", "info threads"])
    await foreseen.run(["bt", "info threads"], execute)
    foreseen.end()
    with pytest.raises(DebuggerDied) as died:
        await foreseen.take("bt")
    assert died.value.partial is not None
    again = await foreseen.take("info threads")
    assert again is not None
    assert again.text == "alive"


async def test_who_stops_to_wait_stops_the_command() -> None:
    foreseen, stopped = Foreseen(), asyncio.Event()

    async def execute(command: str) -> Output:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.set()
            raise
        return output(command)

    foreseen.expect(["bt", "info threads"])
    running = asyncio.ensure_future(foreseen.run(["bt", "info threads"], execute))
    asking = asyncio.ensure_future(foreseen.take("bt"))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stopped.is_set()
    foreseen.end()
    assert await foreseen.take("info threads") is None


async def test_each_command_runs_once_and_is_numbered_in_order(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    shown = bytearray()
    session.on_display(shown.extend)
    await session.run()
    items = list(session.state.evidence.values())
    assert [item.id for item in items] == [f"E{n}" for n in range(1, len(items) + 1)]
    asked = [item.command for item in items if item.source is Source.DEBUGGER]
    assert asked[0] == "(opening)"
    assert "bt 64" in asked
    files = [n for n, item in enumerate(items) if item.source is Source.FILE]
    assert files[4] < items.index(next(item for item in items if item.command == "bt 64"))
    lines = [f" {command}\x1b[0m\r\n".encode() for command in asked[1:]]
    for _ in range(500):  # the display is drawn now and then
        if all(map(shown.count, lines)):
            break
        await asyncio.sleep(0.01)
    assert [shown.count(line) for line in lines] == [1] * len(lines)


async def test_a_person_who_types_meanwhile_disturbs_nothing(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    typed: list[asyncio.Future[None]] = []

    def type_it(rows: Sequence[Recorded]) -> None:
        events = [row.event for row in rows if isinstance(row.event, EvidenceRecorded)]
        if any(event.evidence.id == "E3" for event in events):  # next, commands are run ahead
            typed.append(asyncio.ensure_future(session.user_command("frame 1")))

    session.subscribe(type_it)
    await session.run()
    await asyncio.gather(*typed)
    await session.user_command("frame")
    items = list(session.state.evidence.values())
    assert [item.id for item in items] == [f"E{n}" for n in range(1, len(items) + 1)]
    own = [item for item in items if item.source is Source.USER]
    assert [item.command for item in own] == ["frame 1", "frame"]
    for item in own:  # the selection stays the person's
        assert (await session.text(item.id)).startswith("#1 ")
    (code,) = [item for item in items if item.command == "x/3i $pc"]
    assert "=> 0x" in await session.text(code.id), "the engine's is the frame that died"


async def journal(folder: Path) -> tuple[Journal, SessionStore]:
    store = await SessionStore.create(folder, Path("core"), datetime(2026, 1, 1, tzinfo=UTC))
    return Journal(store), store


async def test_what_is_posted_shares_the_next_transaction(tmp_path: Path) -> None:
    written, store = await journal(tmp_path)
    batches: list[list[str]] = []

    def note(rows: Sequence[Recorded]) -> None:
        events = [row.event for row in rows]
        batches.append([event.text for event in events if isinstance(event, Noticed)])

    written.subscribe(note)
    posted = written.post(Noticed(text="a"))
    await written.record(Noticed(text="b"))
    assert posted.done()
    assert batches == [["a", "b"]]
    await written.post(Noticed(text="c"))  # which waits for nothing but the time
    late = written.post(Noticed(text="d"))
    await written.close()
    assert late.done()
    assert batches[1:] == [["c"], ["d"]]
    assert [row.event for row in await store.events()] == [Noticed(text=text) for text in "abcd"]
    await store.close()
