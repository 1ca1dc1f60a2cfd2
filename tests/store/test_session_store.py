import asyncio
import hashlib
import json
import os
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.model.events import (
    EvidenceRecorded,
    Noticed,
    Phase,
    PhaseEntered,
    SessionOpened,
    Stopped,
    StoppedBy,
)
from workbench.model.evidence import Evidence, Source
from workbench.model.investigation import fold
from workbench.model.target import Options, Target, TargetKind
from workbench.store.catalog import find_session, list_sessions
from workbench.store.errors import SessionBusy, StoreError
from workbench.store.session_store import SessionStore

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def opened(session_id: str) -> SessionOpened:
    target = Target(path="/c/core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    return SessionOpened(session_id=session_id, target=target, options=Options(), version="0")


def evidence(number: int, text: bytes, storage: str = "inline") -> EvidenceRecorded:
    return EvidenceRecorded(
        evidence=Evidence(
            id=f"E{number}", command="bt", source=Source.DEBUGGER, intent="", at=NOW.isoformat(),
            sha256=hashlib.sha256(text).hexdigest(), size=len(text), lines=1,
            call_hash=f"h{number}", storage=storage,
        )
    )  # fmt: skip


async def test_a_session_survives_closing(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core.1"), NOW)
    large = b"frame\n" * 10_000
    await store.append([opened(store.session_id), PhaseEntered(phase=Phase.BASELINE)], NOW)
    await store.append([evidence(1, b"one")], NOW, {"E1": b"one"})
    await store.append([evidence(2, large, "external")], NOW, {"E2": large})
    await store.close()

    again = await SessionStore.open(store.folder)
    rows = await again.events()
    assert [row.seq for row in rows] == [1, 2, 3, 4]
    assert fold(rows).phase is Phase.BASELINE
    assert await again.text("E1") == "one"
    assert await again.text("E2") == large.decode()
    more = await again.append([Noticed(text="x")], NOW)
    assert more[0].seq == 5
    await again.close()


async def test_who_reads_a_session_that_is_closed_is_told_so(tmp_path: Path) -> None:
    """A person may leave while a pane still reads."""
    store = await SessionStore.create(tmp_path, Path("/c/core.1"), NOW)
    await store.append([evidence(1, b"one")], NOW, {"E1": b"one"})
    reading = [asyncio.ensure_future(store.text("E1")) for _ in range(50)]
    await asyncio.sleep(0)
    await store.close()
    for found in await asyncio.gather(*reading, return_exceptions=True):
        assert found == "one" or isinstance(found, StoreError)
    for late in (store.text("E1"), store.events(), store.append([Noticed(text="x")], NOW)):
        with pytest.raises(StoreError):
            await late


async def test_layout_is_the_contracts_and_private(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/x/my core;rm -rf"), NOW)
    second = await SessionStore.create(tmp_path, Path("/x/my core;rm -rf"), NOW)
    await store.append([evidence(1, b"a" * 20_000, "external")], NOW, {"E1": b"a" * 20_000})
    store.write_metadata({"sessionId": store.session_id})
    await store.close()
    await second.close()
    assert store.session_id == "session_20260102_030405_my-core-rm--rf"
    assert second.session_id == store.session_id + "_2"
    for path in [store.folder, *store.folder.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
    columns = {
        row[1]
        for row in sqlite3.connect(store.folder / "evidence.db").execute(
            "PRAGMA table_info(evidence)"
        )
    }
    assert columns >= {
        "id", "session_id", "command", "file_path", "size", "summary", "key_findings",
        "embedding", "metadata", "timestamp",
    }  # fmt: skip
    assert "E1 debugger 20000 B" in (store.folder / "session.log").read_text()


async def test_one_writer_at_a_time(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("core"), NOW)
    with pytest.raises(SessionBusy, match="open in another workbench"):
        await SessionStore.open(store.folder)
    await store.close()
    await (await SessionStore.open(store.folder)).close()


async def test_a_folder_that_takes_no_session_is_told_without_numbers(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file: File exists; choose another folder"):
        await SessionStore.create(tmp_path / "file", Path("core"), NOW)


async def test_a_refused_write_leaves_nothing_half_done(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("core"), NOW)
    await store.append([evidence(1, b"one")], NOW, {"E1": b"one"})
    with pytest.raises(StoreError, match="cannot save"):  # E1 is there already
        await store.append([Noticed(text="lost"), evidence(1, b"x")], NOW, {"E1": b"x"})
    assert len(await store.events()) == 1
    assert (await store.append([Noticed(text="kept")], NOW))[0].seq == 2
    await store.close()


async def test_the_list_is_newest_first_and_survives_damage(tmp_path: Path) -> None:
    for minute in (1, 2):
        at = NOW.replace(minute=minute)
        store = await SessionStore.create(tmp_path, Path("core"), at)
        await store.append([opened(store.session_id)], at)
        await store.close()
    done = await SessionStore.open(store.folder)
    await done.append(
        [PhaseEntered(phase=Phase.DONE), Stopped(by=StoppedBy.CONCLUDED)], NOW.replace(minute=9)
    )
    await done.close()
    (tmp_path / "session_broken").mkdir()
    (tmp_path / "session_broken" / "evidence.db").write_bytes(b"not a database at all" * 99)
    rows = list_sessions(tmp_path)
    assert [row.state for row in rows] == ["concluded", "open", "damaged"]
    assert list_sessions(tmp_path) == rows  # from the catalog this time
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as catalog, catalog:
        catalog.execute("UPDATE sessions SET summary = replace(summary, 'core', 'else')")
    assert list_sessions(tmp_path) == rows  # what another hand wrote there is not believed
    (tmp_path / "catalog.db").write_bytes(b"garbage" * 1000)
    assert list_sessions(tmp_path) == rows
    assert find_session(tmp_path, rows[0].session_id).name == rows[0].session_id
    assert find_session(tmp_path, f"{tmp_path}/{rows[0].session_id}/").name == rows[0].session_id
    with pytest.raises(StoreError, match="fits 2"):
        find_session(tmp_path, "session_2026")
    with pytest.raises(StoreError, match="no session"):
        find_session(tmp_path, "../etc")


def test_no_sessions_yet(tmp_path: Path) -> None:
    assert list_sessions(tmp_path / "none") == []


async def test_nothing_is_written_through_links(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path / "s", Path("core"), NOW)
    await store.close()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (store.folder / "session.log").symlink_to(victim)
    with pytest.raises(StoreError, match="not made here"):
        await SessionStore.open(store.folder)
    (store.folder / "session.log").unlink()
    again = await SessionStore.open(store.folder)
    (store.folder / f".metadata.json.{os.getpid()}.tmp").symlink_to(victim)
    again.write_metadata({"x": 1})
    assert json.loads((store.folder / "metadata.json").read_text()) == {"x": 1}
    with pytest.raises(StoreError, match="no evidence"):
        await again.text("../../x")
    await again.close()
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("what", ["a file", "nothing", "a pipe"])
async def test_a_catalog_that_is_no_file_of_ours_is_left_alone(tmp_path: Path, what: str) -> None:
    store = await SessionStore.create(tmp_path / "s", Path("core"), NOW)
    await store.append([opened(store.session_id)], NOW)
    await store.close()
    victim, catalog = tmp_path / "victim", tmp_path / "s" / "catalog.db"
    if what == "a pipe":
        os.mkfifo(catalog)
    else:
        catalog.symlink_to(victim)
    if what == "a file":
        victim.touch()
    assert [row.state for row in list_sessions(tmp_path / "s")] == ["open"]
    assert victim.exists() == (what == "a file")
    assert what != "a file" or not victim.stat().st_size


@pytest.mark.parametrize(
    "name", ["evidence.db", "evidence.db-wal", "session.lock", "session.log", "metadata.json"]
)
async def test_a_pipe_among_a_sessions_files_is_waited_for_by_nobody(
    name: str, tmp_path: Path
) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    await store.append([opened(store.session_id)], NOW)
    await store.close()
    (store.folder / name).unlink(missing_ok=True)
    os.mkfifo(store.folder / name)
    with pytest.raises(StoreError):
        await SessionStore.open(store.folder)
    assert [row.state for row in list_sessions(tmp_path)] == ["damaged"]
