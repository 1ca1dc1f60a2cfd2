"""What was changed, lost or written by two: the rest works, and it is said which part does not."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.engine.conftest import NULL_WRITE, Opener, close, null_core, open_one
from tests.store.test_session_store import NOW, evidence, opened
from workbench.engine.gates import IntentError
from workbench.engine.journal import Journal
from workbench.engine.making import saved_session
from workbench.engine.recipe import GateMode
from workbench.engine.reports import Reports
from workbench.engine.viewing import viewed
from workbench.model.events import Noticed
from workbench.store.catalog import list_sessions
from workbench.store.errors import Damaged, ReadOnly, SessionNotOpened, StoreError
from workbench.store.lock import is_held
from workbench.store.reading import read_events
from workbench.store.session_store import SessionStore
from workbench.store.texts import READ_WHOLE

__all__ = ["NULL_WRITE", "null_core", "open_one"]

SMALL = b"one\n"
LARGE = b"frame\n" * 10_000
HUGE = b"a line of an output that is read in pages only\n" * (READ_WHOLE // 40)


async def saved(base: Path) -> Path:
    store = await SessionStore.create(base, Path("/c/core"), NOW)
    for number, text in enumerate((SMALL, LARGE, HUGE), 1):
        storage = "inline" if text is SMALL else "external"
        await store.append([evidence(number, text, storage)], NOW, {f"E{number}": text})
    await store.close()
    return store.folder


def change_rows(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        database.execute(sql)
        database.commit()


def change(folder: Path, id: str, data: bytes) -> None:
    import zstandard

    (folder / "evidence" / f"{id}.txt.zst").write_bytes(zstandard.compress(data))


DAMAGE = {
    "the row was changed": (
        "E1",
        lambda folder: change_rows(folder, "UPDATE evidence SET content = 'two' WHERE id = 'E1'"),
    ),
    "the row is gone": (
        "E1",
        lambda folder: change_rows(folder, "DELETE FROM evidence WHERE id = 'E1'"),
    ),
    "one byte less": ("E2", lambda folder: change(folder, "E2", LARGE[:-1])),
    "another text": ("E2", lambda folder: change(folder, "E2", LARGE.replace(b"f", b"g"))),
    "no zstd": ("E2", lambda folder: (folder / "evidence" / "E2.txt.zst").write_bytes(b"no")),
    "gone": ("E2", lambda folder: (folder / "evidence" / "E2.txt.zst").unlink()),
    "one byte of a huge one": ("E3", lambda folder: change(folder, "E3", HUGE[:-2] + b"!\n")),
    "a huge one is gone": ("E3", lambda folder: (folder / "evidence" / "E3.txt.zst").unlink()),
}


@pytest.mark.parametrize("how", DAMAGE)
async def test_a_text_that_is_not_what_was_recorded_is_damaged_and_the_rest_is_read(
    tmp_path: Path, how: str
) -> None:
    folder = await saved(tmp_path)
    id, damage = DAMAGE[how]
    damage(folder)
    store = await SessionStore.open(folder)
    for one in ("E1", "E2", "E3"):
        for read in (store.text, store.lines):
            if one == id:
                with pytest.raises(Damaged, match=f"{id} is damaged: "):
                    await read(one)
            else:
                assert (await read(one))[0]
    await store.close()


async def test_a_file_that_changes_while_the_session_is_open(tmp_path: Path) -> None:
    store = await SessionStore.open(await saved(tmp_path))
    assert await store.text("E2") == LARGE.decode()
    change(store.folder, "E2", LARGE.replace(b"f", b"g"))
    with pytest.raises(Damaged):
        await store.text("E2")
    await store.close()


async def test_a_report_says_what_is_damaged(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    whole = await session.build_report()
    cited = whole.analysis.ai_analysis.claims[0].citations[0].split(":")[0]
    with closing(sqlite3.connect(session.store.folder / "evidence.db")) as database:
        database.execute("UPDATE evidence SET content = 'x' WHERE id = ?", (cited,))
        database.commit()
    await close(session)
    again = await open_one(session.session_id, mode=GateMode.HEADLESS)
    report = await again.build_report()
    ai = report.analysis.ai_analysis
    assert {row.id: bool(row.damaged) for row in ai.evidence_ledger if row.damaged} == {cited: True}
    assert any(f"{cited} is damaged" in notice for notice in ai.notices)
    assert ai.category == whole.analysis.ai_analysis.category
    assert f"{cited} is damaged" in await again.report("md")


@pytest.mark.parametrize("told", [True, False])
async def test_a_large_text_of_which_something_is_told_is_looked_at(
    tmp_path: Path, *, told: bool
) -> None:
    """Nothing of it is cited; one that nobody looks at is not read for a report."""
    large = b"row\n" * 300_000
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    item = evidence(1, large, "external")
    found = ("x [E1:3]",) if told else ()
    item = replace(item, evidence=replace(item.evidence, findings=found))
    await store.append([opened(store.session_id), item], NOW, {"E1": large})
    await store.close()
    for file in (store.folder / "evidence").iterdir():
        file.unlink()
    async with viewed(store.folder) as (seen, state):
        report = await Reports(Journal(seen, state), seen.text).text("md")
    assert ("E1 is damaged: its file is missing" in report) is told


HOLD = """
import asyncio, sys
from pathlib import Path
from workbench.store.session_store import SessionStore
async def hold():
    store = await SessionStore.open(Path(sys.argv[1]))
    print("held", flush=True)
    sys.stdin.readline()
    await store.close()
asyncio.run(hold())
"""


async def test_a_second_process_looks_on_and_says_who_holds_the_session(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    folder = session.store.folder
    await close(session)
    assert not is_held(folder)
    pipe = asyncio.subprocess.PIPE
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(folder), stdin=pipe, stdout=pipe
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    assert is_held(folder)
    told = f"process {holder.pid} on {os.uname().nodename}, since "
    for mode in (GateMode.HEADLESS, GateMode.CONVERSE):
        with pytest.raises(ReadOnly, match=told):
            await saved_session(folder, mode, None)
    before = read_events(folder)
    looking = await saved_session(folder, GateMode.ASK, None)
    assert looking.state.conclusion == session.state.conclusion
    assert "null pointer" in await looking.report("md")
    for intent in (
        looking.user_command("bt"),
        looking.gates.approve("H1"),
        looking.gates.approve_all(),
    ):
        with pytest.raises((StoreError, IntentError)):
            await intent
    await looking.close()
    assert read_events(folder) == before
    await holder.communicate(b"\n")
    await (await SessionStore.open(folder)).close()


async def test_what_the_holder_adds_is_shown_to_who_looks_on(tmp_path: Path) -> None:
    from workbench.engine.journal import Journal

    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    looking = await SessionStore.view(store.folder, "held")
    journal = await Journal.load(looking)
    shown: list[object] = []
    journal.subscribe(lambda rows: shown.extend(row.event for row in rows))
    for text in ("one", "two"):
        await store.append([Noticed(text=text)], NOW)
        await journal.follow()
    await journal.follow()
    assert shown == [Noticed(text="one"), Noticed(text="two")]
    assert journal.state.seq == 2
    with pytest.raises(ReadOnly, match="held"):
        await journal.record(Noticed(text="mine"))
    await looking.close()
    await store.close()


_WITHOUT_ROOM = """
import resource, sys
from pathlib import Path
from workbench.store.reading import read_events
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
print(len(read_events(Path(sys.argv[1]))))
"""


@pytest.mark.parametrize("waiting", [False, True], ids=["all of it written", "some in the -wal"])
async def test_what_needs_no_room_is_read_where_there_is_none(
    tmp_path: Path, waiting: bool
) -> None:
    """A full disk, as a limit on the size of files: SQLite cannot make its -shm."""
    folder = await saved(tmp_path)
    held = sqlite3.connect(folder / "evidence.db")
    if waiting:
        held.execute("CREATE TABLE more (x)")
        held.commit()
        assert (folder / "evidence.db-wal").stat().st_size
        (tmp_path / "copy").mkdir()
        for name in ("evidence.db", "evidence.db-wal", "session.seal"):
            shutil.copy(folder / name, tmp_path / "copy")
        folder = tmp_path / "copy"
    command = [sys.executable, "-c", _WITHOUT_ROOM, folder]
    done = await asyncio.to_thread(
        lambda: subprocess.run(command, capture_output=True, text=True, timeout=60)
    )
    held.close()
    if waiting:  # to read it takes a copy, for which there is no room either
        assert "is damaged" not in done.stderr
        assert "free some space" in done.stderr
    else:
        assert done.stdout == "3\n", done.stderr


async def test_the_first_event_is_read_without_the_others(tmp_path: Path) -> None:
    """A resume looks at it before its first frame: that must not take as long as the session."""
    folder = await saved(tmp_path)
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        database.execute("UPDATE events SET body = 'unreadable' WHERE seq > 1")
        database.commit()
    assert [row.seq for row in read_events(folder, most=1)] == [1]
    with pytest.raises(StoreError):
        read_events(folder)


@pytest.mark.parametrize("free", [8 << 10, 1 << 40])
@pytest.mark.parametrize(
    ("code", "full"),
    [
        (sqlite3.SQLITE_FULL, (True, True)),
        (sqlite3.SQLITE_IOERR_SHMSIZE, (True, False)),
        (sqlite3.SQLITE_IOERR_WRITE, (True, False)),
        (sqlite3.SQLITE_CORRUPT, (False, False)),
        (sqlite3.SQLITE_NOTADB, (False, False)),
    ],
)
async def test_a_full_disk_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, full: tuple[bool, bool], free: int
) -> None:
    folder = await saved(tmp_path)
    room = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: room)
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorcode = code

    async def failing(*_: object) -> None:
        raise fault

    monkeypatch.setattr("workbench.store.session_store.lay_out", failing)
    with pytest.raises(SessionNotOpened) as told:
        await SessionStore.open(folder)
    said = str(told.value)
    assert ("free some space, then run it again" in said) is full[free > 1 << 20]
    assert ("is damaged" in said) is not full[free > 1 << 20]
    with pytest.raises(StoreError, match="free some space, then run it again"):
        await SessionStore.create(tmp_path, Path("core"), NOW)
    assert len(list_sessions(tmp_path)) == 1
