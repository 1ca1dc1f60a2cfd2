"""Taking up a session of 10,000 events, against sqlite3 and the fold alone."""

import asyncio
import hashlib
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.bench.timing import Result, interleaved, ratio
from workbench.engine.making import saved_session
from workbench.engine.recipe import GateMode
from workbench.model.citation import Citation
from workbench.model.events import (
    AnyEvent,
    CommandStarted,
    EvidenceRecorded,
    Noticed,
    SessionOpened,
    decode_event,
)
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import Frame, Stack
from workbench.model.investigation import Investigation, fold
from workbench.model.target import Options
from workbench.samples import DemoSample
from workbench.store.session_store import DATABASE, SessionStore
from workbench.targets.identify import identify

EVENTS = 10_000
BOUND = 2.0
TEXT = b"#0  f () at f.c:1\n" * 20
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def run(sample: DemoSample, scratch: Path, repeats: int = 9) -> Result:
    """`saved_session` without a debugger, in turn with the same rows read by sqlite3."""
    folder = asyncio.run(make_session(sample, scratch))

    def resumed() -> float:
        begun = time.perf_counter()
        asyncio.run(_resume(folder))
        return time.perf_counter() - begun

    def bare() -> float:
        begun = time.perf_counter()
        state = read_bare(folder)
        took = time.perf_counter() - begun
        assert state.seq >= EVENTS
        return took

    seconds = interleaved({"resume": resumed, "bare": bare}, repeats)
    value, bound, kept = ratio(seconds["resume"] / seconds["bare"], BOUND)
    return Result(
        f"Resume of a session with {EVENTS:,} events",
        (
            ("session taken up, lock and dump opened", f"{seconds['resume'] * 1000:.0f} ms", ""),
            ("sqlite3 and the fold", f"{seconds['bare'] * 1000:.0f} ms", ""),
            ("ratio", value, bound),
        ),
        (
            "saved_session(folder, GateMode.ASK, None), then close",
            'sqlite3.connect(db).execute("SELECT seq, at, body FROM events ORDER BY seq"), '
            "decode_event on each, fold",
        ),
        kept,
    )


async def make_session(sample: DemoSample, scratch: Path, events: int = EVENTS) -> Path:
    """A saved session of that many events: commands with their stacks as evidence, and notices."""
    store = await SessionStore.create(scratch / "sessions", sample.core, BEGUN)
    target = identify(sample.core, sample.executable, None)
    await store.append(
        [SessionOpened(session_id=store.session_id, target=target, options=Options(), version="0")],
        BEGUN,
    )
    batch: list[AnyEvent] = []
    texts: dict[str, bytes] = {}
    for number in range(1, events):
        kind = number % 3
        evidence_id = f"E{number // 3 + 1}"
        command = Command(f"thread apply {number} bt 20", "a stack")
        if kind == 0:
            batch.append(CommandStarted(command=command, source=Source.DEBUGGER))
        elif kind == 1:
            batch.append(_evidence(evidence_id, command))
            texts[evidence_id] = TEXT
        else:
            batch.append(Noticed(text=f"step {number} is done"))
        if len(batch) == 500 or number == events - 1:
            await store.append(batch, BEGUN + timedelta(milliseconds=number), texts)
            batch, texts = [], {}
    await store.close()
    return store.folder


def read_bare(folder: Path) -> Investigation:
    """The state by the shortest way: one query, decode, fold."""
    connection = sqlite3.connect(folder / DATABASE)
    rows = connection.execute("SELECT seq, at, body FROM events ORDER BY seq").fetchall()
    state = fold((seq, datetime.fromisoformat(at), decode_event(body)) for seq, at, body in rows)
    connection.close()
    return state


async def _resume(folder: Path) -> None:
    session = await saved_session(folder, GateMode.ASK, None)
    await session.close()


def _evidence(id: str, command: Command) -> EvidenceRecorded:
    frames = tuple(
        Frame(index=index, function=f"step_{index}", file="server.c", line=100 + index)
        for index in range(6)
    )
    return EvidenceRecorded(
        evidence=Evidence(
            id=id,
            command=command.text,
            source=Source.DEBUGGER,
            intent=command.intent,
            at=BEGUN.isoformat(),
            sha256=hashlib.sha256(TEXT).hexdigest(),
            size=360,
            lines=20,
            call_hash=id,
        ),
        facts=(Stack(cite=Citation(id, 1, 6), number=1, thread=1, name=None, frames=frames),),
    )
