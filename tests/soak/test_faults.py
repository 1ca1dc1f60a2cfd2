"""The short form of `make soak`'s faults, and those that need no luck."""

import asyncio
import json
import os
import subprocess
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import pytest

from tests.engine.conftest import Opener, null_core, open_one
from tests.soak import SOAK
from tests.soak.faults import (
    begin_without_state,
    damage_sessions,
    fill_and_triage,
    one_session,
    use_read_only,
    write_on_full_disk,
)
from tests.soak.kills import WORKBENCH
from tests.store.test_session_store import evidence, opened
from workbench.engine.journal import Journal
from workbench.engine.recipe import GateMode
from workbench.store.catalog import list_sessions
from workbench.store.cleaning import outdated
from workbench.store.session_store import SessionStore

__all__ = ["null_core", "open_one"]


def test_a_disk_that_is_full_at_any_moment(tmp_path: Path) -> None:
    # At 77 and 78 KiB what fails is the start of the debugger, beside the run.
    seen = fill_and_triage(5, 5, tmp_path, sizes=(4, 77, 78, 300, 6000))
    assert seen.get(3, 0) + seen.get(2, 0) > 0
    assert seen.get(0, 0) > 0


def test_each_write_point_on_a_full_disk(tmp_path: Path) -> None:
    assert write_on_full_disk(tmp_path)


def test_a_first_run_whose_secret_has_no_room(tmp_path: Path) -> None:
    begin_without_state(tmp_path)


def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    use_read_only(tmp_path)


def test_damaged_sessions_are_one_line_and_the_list_stands(tmp_path: Path) -> None:
    damage_sessions(seed=5, rounds=2, scratch=tmp_path)


async def test_a_clock_that_goes_back(open_one: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Order is by number, never by time: each event comes an hour before the last."""
    from workbench.engine import journal

    now = datetime.now(UTC)
    hours = iter(range(100_000))

    class Back(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp((now - timedelta(hours=next(hours))).timestamp(), tz)

    monkeypatch.setattr(journal, "datetime", Back)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    assert session.state.stopped is not None
    assert session.state.conclusion is not None
    times = [row.at for row in await session.store.events()]
    assert times == sorted(times, reverse=True)
    base = session.store.folder.parent
    (row,) = list_sessions(base)
    assert row.state == "concluded"
    assert await session.report("md")
    assert outdated(base, 7, 0, now - timedelta(days=365 * 30)) == []


async def test_a_session_of_tomorrow(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("core"), datetime.now(UTC) + timedelta(days=1))
    at = datetime.now(UTC) + timedelta(days=1)
    await store.append([opened(store.session_id), evidence(1, b"x")], at, {"E1": b"x"})
    journal = await Journal.load(store)
    await journal.record(opened(store.session_id))
    assert journal.state.seq == 3
    await journal.close()
    await store.close()
    assert outdated(tmp_path, 0, 0, datetime.now(UTC) - timedelta(seconds=60)) == []


@pytest.mark.soak
def test_two_processes_on_one_session_and_on_one_folder(tmp_path: Path) -> None:
    count = 4 if SOAK else 2
    base = tmp_path / "sessions"
    core, session = one_session(tmp_path, base)
    command = [*WORKBENCH, "triage", "--sessions-dir", str(base)]

    def together(target: str) -> list[tuple[int, str, str]]:
        running = [
            subprocess.Popen(
                [*command, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(count)
        ]
        return [(one.wait(), *one.communicate()) for one in running]

    for status, _, told in together(session):
        assert status in (0, 2), told
        assert status == 0 or ("open in another workbench (process " in told), told
    for status, _, told in together(str(core)):
        assert status in (0, 1), told
    rows = list_sessions(base)
    assert len(rows) == 1 + count
    assert {row.state for row in rows} <= {"concluded", "inconclusive"}


@pytest.mark.soak
async def test_ten_thousand_sessions(tmp_path: Path) -> None:
    """Each is a folder with the same database; a tenth of them in the short form."""
    count = 10_000 if SOAK else 1_000
    await many_sessions(tmp_path, count)
    command = [*WORKBENCH, "sessions", "--sessions-dir", str(tmp_path), "--format", "json"]
    for _ in range(2):
        begun = os.times()
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, timeout=200)
        ended = os.times()
        assert len(json.loads(done.stdout)) == count
    took = sum(ended[2:4]) - sum(begun[2:4])  # processor time of children
    assert 0 < took < 5  # the benchmark holds it to its bound


async def many_sessions(base: Path, count: int) -> None:
    """That many sessions that share one file."""
    store = await SessionStore.create(base, Path("core"), datetime.now(UTC))
    await store.append([opened(store.session_id)], datetime.now(UTC))
    await store.close()
    for number in range(count - 1):
        folder = base / f"session_20260101_000000_core_{number}"
        folder.mkdir()
        os.link(store.folder / "evidence.db", folder / "evidence.db")
