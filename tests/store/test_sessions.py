"""What is done to saved sessions: copied, packed, taken over, compared, recognised, deleted."""

import asyncio
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.crashes import gdbs
from tests.forking import workbench as forked
from tests.resealing import reseal
from tests.store.test_session_store import NOW, evidence, opened
from workbench.debuggers.private_folder import PrivateFolder
from workbench.engine.archive import export, take_in
from workbench.engine.copying import fork
from workbench.engine.viewing import report_of, report_text
from workbench.model.assisted_events import Checkpoint, Checkpointed
from workbench.model.category import Category
from workbench.model.critique import Conclusion
from workbench.model.events import (
    ApproveAll,
    ConclusionDrafted,
    Noticed,
    Phase,
    PhaseEntered,
    SessionOpened,
    Stopped,
    StoppedBy,
)
from workbench.model.investigation import fold
from workbench.model.session_events import Labelled
from workbench.samples import demo_files
from workbench.store.catalog import list_sessions
from workbench.store.cleaning import delete, outdated, unused
from workbench.store.errors import SessionNotOpened, StoreError
from workbench.store.reading import read_events
from workbench.store.session_store import SessionStore

WORKBENCH = (sys.executable, "-m", "workbench")


def workbench(*arguments: str, cwd: Path, status: int = 0, out: bool = False) -> str:
    done = forked(*arguments, cwd=cwd)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if status == 0 or out else done.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sessions on the sample."""
    folder = tmp_path_factory.mktemp("sessions")
    sample = demo_files(folder / "sample")
    for _ in range(2):
        workbench("triage", str(sample.core), "--exe", str(sample.executable), cwd=folder)
    return folder


@pytest.fixture(scope="module")
def first(place: Path) -> Path:
    """The older one's folder."""
    return min((place / ".sessions").glob("session_*"))


@pytest.fixture(scope="module")
def second(place: Path) -> Path:
    """The later one's folder."""
    return max((place / ".sessions").glob("session_*"))


def test_the_list_and_one_session(place: Path, first: Path, second: Path) -> None:
    rows = json.loads(workbench("sessions", "--format", "json", "--limit", "1", cwd=place))
    assert [row["sessionId"] for row in rows] == [second.name]
    (row,) = rows
    assert (row["state"], row["category"]) == ("concluded", "use-after-free")
    assert row["evidenceCount"] == len(fold(read_events(second)).evidence)
    assert row["sizeBytes"] > 50_000
    assert row["signature"]
    shown = json.loads(workbench("sessions", "show", second.name, "--format", "json", cwd=place))
    assert shown["seenBefore"] == [first.name]
    assert shown["events"] == len(read_events(second))
    assert [one["id"] for one in shown["trail"]] == list(fold(read_events(second)).evidence)
    assert all(one["intent"] and one["command"] and one["size"] for one in shown["trail"])
    assert shown["damaged"] == {}


def test_names_notes_and_pins(place: Path, first: Path) -> None:
    workbench("sessions", "rename", first.name, "the first", cwd=place)
    workbench("sessions", "pin", first.name, cwd=place)
    workbench("sessions", "note", first.name, "look again", cwd=place)
    (row,) = [r for r in list_sessions(first.parent) if r.session_id == first.name]
    assert (row.name, row.pinned) == ("the first", True)
    assert row.called == "the first: server (core)"
    text = workbench("sessions", "show", "@last", cwd=place)
    assert "note: look again" in text
    workbench("sessions", "pin", first.name, "--off", cwd=place)
    assert not any(row.pinned for row in list_sessions(first.parent))


async def test_a_known_signature_is_recognised_and_tested_first(first: Path, second: Path) -> None:
    assert (await report_of(first)).analysis.summary.seen_before is None
    report = await report_of(second)
    seen = report.analysis.summary.seen_before
    assert seen is not None
    assert (seen.count, seen.last_session_id) == (1, first.name)
    assert seen.confirmed == "use-after-free"
    state = fold(read_events(second))
    assert next(iter(state.hypotheses.values())).category == "use-after-free"
    text = await report_text(second, "md")
    assert re.search(rf"seen before .* once, last on .*use-after-free.*{first.name}", text)


async def test_a_fork_is_the_beginning_of_another_session(first: Path) -> None:
    for at in (1, 20, len(read_events(first))):
        made = await fork(first, at, datetime.now(UTC))
        rows, before = read_events(made), read_events(first)[:at]
        assert [(r.seq, r.at) for r in rows[:-1]] == [(r.seq, r.at) for r in before]
        assert [r.event for r in rows[1:-1]] == [r.event for r in before[1:]]
        state = fold(rows)
        assert state.session_id == made.name != first.name
        assert state.about.forked is not None
        assert (state.about.forked.session_id, state.about.forked.at) == (first.name, at)
        store = await SessionStore.open(made)
        for id in state.evidence:
            assert await store.text(id)
        await store.close()
        delete(first.parent, [r for r in list_sessions(first.parent) if r.session_id == made.name])
    with pytest.raises(StoreError, match="has no event 0"):
        await fork(first, 0, datetime.now(UTC))


def test_a_fork_goes_on_to_its_own_end(place: Path, first: Path) -> None:
    made = workbench("sessions", "fork", first.name, "--at", "40", cwd=place).strip()
    assert "use-after-free" in workbench("triage", made, cwd=place)
    delete(first.parent, [r for r in list_sessions(first.parent) if r.session_id == made])


def test_two_sessions_compared(place: Path, first: Path, second: Path) -> None:
    told = json.loads(
        workbench("sessions", "diff", first.name, second.name, "--format", "json", cwd=place)
    )
    by_name = {one["what"]: one for one in told["compared"]}
    assert by_name["signature"]["shared"]
    assert by_name["modules"]["shared"]
    assert not by_name["category"]["onlyFirst"]
    text = workbench("sessions", "diff", first.name, second.name, cwd=place)
    assert "signature: " in text.split("Shared:")[1]


def test_the_cited_commands_run_in_the_bare_debugger(place: Path, second: Path) -> None:
    script = place / "script.gdb"
    workbench("report", second.name, "--format", "script", "-o", str(script), cwd=place)
    state = fold(read_events(second))
    assert state.target is not None
    done = subprocess.run(
        [gdbs()[0], "-nx", "-batch", "-x", script, state.target.executable, state.target.path],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "connection_send" in done.stdout
    for format in ("md", "html", "json"):
        assert "use-after-free" in workbench("report", second.name, "--format", format, cwd=place)


async def test_a_script_holds_read_only_commands_alone(tmp_path: Path) -> None:
    """A session may come from elsewhere."""
    from msgspec.structs import replace

    from workbench.engine.viewing import script_of
    from workbench.model.citation import Citation
    from workbench.model.events import HypothesisProposed
    from workbench.model.hypothesis import Hypothesis

    bad = ("shell touch /tmp/x", "python print(1)", "bt\nshell id", "p system(1)", "source x", "bt")
    rows = []
    for number, command in enumerate(bad, 1):
        event = evidence(number, b"x")
        rows.append(replace(event, evidence=replace(event.evidence, command=command)))
    cited = Hypothesis(
        id="H1", statement="x", category=Category.UNKNOWN,
        citations=tuple(Citation(f"E{n}", 1, 1) for n in range(1, len(bad) + 1)),
    )  # fmt: skip
    events = [opened("s"), *rows, HypothesisProposed(hypothesis=cited)]
    script = script_of(fold((n, NOW, e) for n, e in enumerate(events, 1)))
    assert [line for line in script.splitlines() if line and line[0] != "#"] == ["bt"]


@pytest.mark.parametrize("redact", [False, True])
async def test_an_archive_comes_back_as_the_same_session(
    second: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redact: bool
) -> None:
    before = fold(read_events(second))
    assert before.target is not None
    monkeypatch.setenv("USER", "jane.doe")
    monkeypatch.setenv("HOME", str(Path(before.target.path).parents[1]))
    archive = await export(second, tmp_path / "x.zip", redact=redact)
    assert archive.stat().st_mode & 0o777 == 0o600
    base = tmp_path / "elsewhere"
    made = await take_in(archive, base)
    assert made.name == second.name
    state = fold(read_events(made))
    assert list(state.evidence) == list(before.evidence)
    assert [i.lines for i in state.evidence.values()] == [i.lines for i in before.evidence.values()]
    assert state.conclusion is not None
    assert before.conclusion is not None
    assert state.conclusion.category == before.conclusion.category
    report = await report_text(made, "md")
    assert "use-after-free" in report
    assert "damaged" not in report
    with zipfile.ZipFile(archive) as packed:
        everything = b"".join(packed.read(name) for name in packed.namelist())
        html = packed.read("report.html").decode()
    assert "<html" in html
    assert not re.search(r"<(user|home|host|secret)-\d", html)
    again = await take_in(archive, base)
    assert again.name == f"{second.name}_2"
    assert (before.target.path.encode() in everything) is not redact
    if not redact:
        assert (await report_of(made)).metadata.dump == (await report_of(second)).metadata.dump


async def test_a_name_that_a_later_text_gives_away_is_hidden_in_all(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    await store.append([opened(store.session_id)], NOW)
    for number, text in enumerate((b"marietta says it hangs\n", b"at /home/marietta/a.c:7\n"), 1):
        await store.append([evidence(number, text)], NOW, {f"E{number}": text})
    await store.close()
    archive = await export(store.folder, tmp_path / "x.zip", redact=True)
    with zipfile.ZipFile(archive) as packed:
        assert packed.read("evidence/E1.txt") == b"<user-1> says it hangs\n"


async def test_a_string_of_what_a_command_calls_a_secret_is_hidden(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    text = b'0x55e7:\t"rose bud"\n'
    item = evidence(1, text)
    item = replace(item, evidence=replace(item.evidence, command="x/s a->passphrase"))
    await store.append([opened(store.session_id), item], NOW, {"E1": text})
    await store.close()
    archive = await export(store.folder, tmp_path / "x.zip", redact=True)
    with zipfile.ZipFile(archive) as packed:
        assert packed.read("evidence/E1.txt") == b'0x55e7:\t"<secret-1>"\n'


async def test_what_a_checkpoint_says_of_an_item_is_hidden(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    said = 'E1 print g_password: g_password = "Gl0balTr0ub4d"'
    kept = Checkpoint(iteration=1, facts=(), hypotheses=(), evidence=("E1", said), by="model",
                      do_not_repeat=(), next_steps=(), tools=())  # fmt: skip
    await store.append([opened(store.session_id), Checkpointed(checkpoint=kept)], NOW)
    await store.close()
    archive = await export(store.folder, tmp_path / "x.zip", redact=True)
    with zipfile.ZipFile(archive) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    assert [name for name, part in parts.items() if "Tr0ub4d" in part] == []
    assert '["E1", "E1 print g_password: g_password = \\"<secret-1>\\""]' in parts["journal.jsonl"]


@pytest.mark.parametrize(
    "secret", ["rock&roll&88", 'abc"rolled99x', "hunter*roll*zebra", "röll_roll_ä88"]
)
async def test_what_a_report_escapes_is_hidden_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("DB_PASSWORD", secret)
    monkeypatch.setenv("USER", "jdoe77")
    store = await SessionStore.create(tmp_path, Path("/c/core.jdoe77"), NOW)
    text = f"the value {secret} failed\n".encode()
    item = evidence(1, text)
    item = replace(item, evidence=replace(item.evidence, summary=text.decode().strip()))
    await store.append([opened(store.session_id), item], NOW, {"E1": text})
    await store.close()
    archive = await export(store.folder, tmp_path / "x.zip", redact=True)
    with zipfile.ZipFile(archive) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    assert [name for name, part in parts.items() if "roll" in part or "jdoe77" in part] == []
    assert all("<secret-1>" in parts[name] for name in ("trail.json", "evidence/E1.txt"))


async def test_what_was_approved_elsewhere_is_asked_again(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    event = opened(store.session_id)
    await store.append([event, ApproveAll(by="user")], NOW)
    await store.close()
    for source in (store.folder, await export(store.folder, tmp_path / "x.zip")):
        state = fold(read_events(await take_in(source, tmp_path / "b")))
        assert not state.approve_all
        assert not state.options.approve_all
        assert any("made elsewhere" in notice.text for notice in state.notices)


def _broken(archive: Path, folder: Path, change: str) -> Path:
    target = folder / "broken.zip"
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if change == "a text" and name == "evidence/E1.txt":
                data = data.replace(b"one", b"two")
            elif change == "a longer text" and name == "evidence/E1.txt":
                data += b"x" * 100
            elif change == "no text" and name == "evidence/E1.txt":
                continue
            elif change == "the journal" and name == "journal.jsonl":
                data = data.replace(b'"seq"', b'"sek"').replace(b"evidence", b"evil")
            elif change == "an id" and name == "journal.jsonl":
                data = data.replace(b'"E1"', b'"../../E1"')
            elif change == "its kind" and name == "workbench.json":
                data = b'{"kind": "other"}'
            elif change == "a list" and name == "workbench.json":
                data = b"[]"
            elif change == "a number" and name == "journal.jsonl":
                data += b"7\n"
            elif change == "a time" and name == "journal.jsonl":
                data = re.sub(rb'"at": "2[^"]*"', b'"at": {}', data)
            elif change == "a depth" and name == "journal.jsonl":
                data = data.replace(b'"event": {', b'"event": ' + b"[" * 9999 + b"{", 1)
            elif change == "an event twice" and name == "journal.jsonl":
                data += data.splitlines(keepends=True)[-1]
            new.writestr(name, data)
    return target


async def test_an_archive_replaces_no_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="replaces no device, pipe or folder"):
        await export(tmp_path, pipe)
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    "change",
    [
        *("a text", "a longer text", "no text", "the journal", "an id", "its kind", "no zip"),
        *("a list", "a number", "a time", "a depth", "an event twice"),
    ],
)
async def test_an_archive_that_was_changed_is_refused_and_leaves_nothing(
    tmp_path: Path, change: str
) -> None:
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    await store.append([opened(store.session_id), evidence(1, b"one")], NOW, {"E1": b"one"})
    await store.close()
    archive = await export(store.folder, tmp_path / "x.zip")
    assert await take_in(archive, tmp_path / "fine")
    if change == "no zip":
        broken = tmp_path / "broken.zip"
        broken.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    else:
        broken = _broken(archive, tmp_path, change)
    with pytest.raises(SessionNotOpened):
        await take_in(broken, tmp_path / "b")
    assert not list((tmp_path / "b").glob("*"))


async def test_an_archive_that_is_not_there_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(SessionNotOpened, match=r"x\.zip: no such file; check the path$"):
        await take_in(tmp_path / "x.zip", tmp_path / "b")


@pytest.mark.parametrize("how", ["import", "fork"])
async def test_a_copy_that_cannot_be_saved_to_its_end_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    none = Conclusion(hypothesis=None, category=Category.UNKNOWN, confidence=0.0, claims=())
    await store.append([opened(store.session_id), ConclusionDrafted(conclusion=none)], NOW)
    await store.close()
    archive, take, taken = await export(store.folder, tmp_path / "x.zip"), SessionStore.take, []

    async def full(self: SessionStore, rows: Any, texts: Any) -> None:
        taken.append(rows)
        if len(taken) > (2 if how == "import" else 1):
            await self._connection.close()  # as a disk that is full: no write comes through
        await take(self, rows, texts)

    monkeypatch.setattr(SessionStore, "take", full)
    with pytest.raises(StoreError, match="run it again"):
        await (
            take_in(archive, tmp_path / "b") if how == "import" else fork(store.folder, None, NOW)
        )
    left = [one.name for base in ("a", "b") for one in (tmp_path / base).glob("session_*")]
    assert left == [store.folder.name]


async def test_a_session_without_one_of_its_events_is_taken_over(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    await store.append([opened(store.session_id), Noticed(text="a"), Noticed(text="b")], NOW)
    await store.close()
    with closing(sqlite3.connect(store.folder / "evidence.db")) as connection:
        connection.execute("DELETE FROM events WHERE seq = 2")
        connection.commit()
    made = await take_in(store.folder, tmp_path / "b")
    assert [row.seq for row in read_events(made)][:2] == [1, 3]


@pytest.mark.parametrize(
    "change", ["UPDATE events SET at = x'ff'", "UPDATE evidence SET size = 'x'"]
)
async def test_a_forged_row_is_damage_and_spoils_no_list(tmp_path: Path, change: str) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    await store.append([opened(store.session_id), evidence(1, b"one")], NOW, {"E1": b"one"})
    await store.close()
    with closing(sqlite3.connect(store.folder / "evidence.db")) as connection:
        connection.execute(change)
        connection.commit()
    assert len(list_sessions(tmp_path)) == 1
    with pytest.raises(SessionNotOpened, match="damaged"):
        await take_in(store.folder, tmp_path / "b")
    assert not list_sessions(tmp_path / "b")


@pytest.mark.parametrize("ended", [False, True])
async def test_what_only_the_end_is_missing_of_is_not_left_open(
    tmp_path: Path, *, ended: bool
) -> None:
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    none = Conclusion(hypothesis=None, category=Category.UNKNOWN, confidence=0.0, claims=())
    events = [opened(store.session_id), ConclusionDrafted(conclusion=none)]
    ending = [PhaseEntered(phase=Phase.REPORTING), Stopped(by=StoppedBy.INCONCLUSIVE)]
    await store.append([*events, *ending[: 1 + ended]], NOW)
    await store.close()
    await take_in(store.folder, tmp_path / "b")
    (row,) = list_sessions(tmp_path / "b")
    assert (row.state, row.phase) == ("inconclusive", "done")


@pytest.mark.parametrize("source", ["a folder", "its journal", "its texts", "a text in a row"])
async def test_what_would_fill_the_disk_is_taken_when_somebody_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr("workbench.engine.copying._UNASKED", 1 << 16)
    large = b"a" * (9 << 20)
    if source == "its journal":
        item, text = Noticed(text=large.decode()), b""
    else:
        item = evidence(1, large, "inline" if source == "a text in a row" else "external")
        text = large
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    await store.append([opened(store.session_id), item], NOW, {"E1": text})
    await store.close()
    made = store.folder
    if source != "a folder":
        made = await export(made, tmp_path / "x.zip")
    with pytest.raises(StoreError, match="--yes"):
        await take_in(made, tmp_path / "b")
    assert not list_sessions(tmp_path / "b")
    if source == "a text in a row":
        with pytest.raises(StoreError, match="too large for the database"):
            await take_in(made, tmp_path / "b", trusted=True)
    else:
        assert await take_in(made, tmp_path / "b", trusted=True)


async def old_session(base: Path, days: float, *, pinned: bool = False) -> SessionStore:
    at = datetime.now(UTC) - timedelta(days=days)
    store = await SessionStore.create(base, Path("/c/core"), at)
    await store.append([opened(store.session_id), Labelled(pinned=pinned)], at)
    return store


async def test_cleanup_takes_what_is_old_alone(tmp_path: Path) -> None:
    base = tmp_path / ".sessions"
    stores = {
        "new": await old_session(base, 1),
        "pinned": await old_session(base, 30, pinned=True),
        "held": await old_session(base, 31),
        "old": await old_session(base, 32),
        "older": await old_session(base, 33),
        "tomorrow": await old_session(base, -1),
    }
    for name, store in stores.items():
        if name != "held":
            await store.close()
    (base / "session_20200101_000000_damaged").mkdir()
    (base / "session_20200101_000000_damaged" / "evidence.db").write_bytes(b"x")
    now = datetime.now(UTC)
    names = {store.session_id: name for name, store in stores.items()}

    def would(days: float, keep: int) -> set[str]:
        return {names[row.session_id] for row in outdated(base, days, keep, now)}

    assert would(7, 0) == {"old", "older"}
    assert would(7, 5) == {"older"}
    assert would(7, 6) == would(40, 0) == set()
    assert would(0, 0) == {"new", "old", "older"}
    text = workbench("sessions", "cleanup", "--keep", "0", "--dry-run", cwd=tmp_path)
    assert len(text.splitlines()) == 2
    assert "nobody is there to ask" in workbench(
        "sessions", "cleanup", "--keep", "0", cwd=tmp_path, status=2
    )
    assert stores["old"].folder.is_dir()
    workbench("sessions", "cleanup", "--keep", "0", "--yes", cwd=tmp_path)
    assert {name for name, s in stores.items() if s.folder.is_dir()} == {
        "new", "pinned", "held", "tomorrow",
    }  # fmt: skip
    assert not list(base.glob(".going*"))
    await stores["held"].close()


KILLED = """
import asyncio, datetime, os, pathlib, signal, sys
from tests.store.test_session_store import opened
from workbench.store import session_store
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
setattr(session_store, sys.argv[2], die)
async def make():
    base, now = pathlib.Path(sys.argv[1]), datetime.datetime.now(datetime.UTC)
    store = await session_store.SessionStore.create(base, pathlib.Path("core"), now)
    await store.append([opened(store.session_id)], now)
asyncio.run(make())
"""


@pytest.mark.parametrize("at", ["_connect", "lay_out", "insert"])
def test_what_a_kill_left_before_the_first_event_is_no_session(tmp_path: Path, at: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), at], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.glob("session_*")
    asyncio.run((other := asyncio.run(old_session(tmp_path, 1))).close())
    assert [row.session_id for row in list_sessions(tmp_path)] == [other.session_id]
    now = datetime.now(UTC)
    assert outdated(tmp_path, 7, 1, now) == []
    delete(tmp_path, outdated(tmp_path, 0, 1, now))
    assert not left.exists()
    assert other.folder.exists()


async def test_cleanup_takes_a_core_that_no_session_has(tmp_path: Path) -> None:
    base = tmp_path / ".sessions"
    (base / "cores").mkdir(parents=True)
    for name, age in {"left": 9, "taken": 9, "young": 1}.items():
        core = base / "cores" / name
        core.write_bytes(b"core")
        os.utime(core, (time.time() - age * 86400,) * 2)
    store = await SessionStore.create(base, base / "cores" / "taken", datetime.now(UTC))
    event = opened(store.session_id)
    target = replace(event.target, path=str(base / "cores" / "taken"))
    await store.append([replace(event, target=target)], datetime.now(UTC))
    await store.close()
    workbench("sessions", "cleanup", "--days", "7", "--yes", cwd=tmp_path)
    assert sorted(one.name for one in (base / "cores").iterdir()) == ["taken", "young"]
    (base / "session_20200101_000000_damaged").mkdir()
    (base / "session_20200101_000000_damaged" / "evidence.db").write_bytes(b"x")
    assert unused(base, 0, datetime.now(UTC)) == []


def test_cleanup_takes_what_killed_debuggers_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    held = PrivateFolder(sweep=False)
    spooled = tmp_path / ".sessions" / held.path.name
    for left in (one := tmp_path / f"{held.path.name}x", spooled):
        left.mkdir(mode=0o700, parents=True)
        (left / "lock").touch()
    workbench("sessions", "cleanup", "--dry-run", cwd=tmp_path)
    assert one.exists()
    assert spooled.exists()
    workbench("sessions", "cleanup", "--yes", cwd=tmp_path)
    assert not one.exists()
    assert not spooled.exists()
    assert held.path.exists()
    held.remove()


async def test_a_session_that_a_link_leads_to_stays(tmp_path: Path) -> None:
    store = await old_session(tmp_path / "elsewhere", 30)
    await store.close()
    (tmp_path / store.session_id).symlink_to(store.folder)
    assert len(list_sessions(tmp_path)) == 1
    assert outdated(tmp_path, 7, 0, datetime.now(UTC)) == []


async def test_a_session_that_is_opened_meanwhile_stays(tmp_path: Path) -> None:
    store = await old_session(tmp_path, 30)
    await store.close()
    rows = outdated(tmp_path, 7, 0, datetime.now(UTC))
    store = await SessionStore.open(store.folder)
    assert delete(tmp_path, rows) == ([], 0)
    assert store.folder.is_dir()
    await store.close()
    gone, freed = delete(tmp_path, rows)
    assert len(gone) == 1
    assert freed > 0


async def test_a_list_while_another_process_writes_the_catalog(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core"), NOW)
    events = [opened(store.session_id), PhaseEntered(phase="done")]
    assert isinstance(events[0], SessionOpened)
    await store.append([events[0], Stopped(by="failed")], NOW)  # type: ignore[arg-type]
    await store.close()
    rows = list_sessions(tmp_path)
    with closing(sqlite3.connect(tmp_path / "catalog.db", isolation_level=None)) as other:
        other.execute("UPDATE sessions SET stamp = 1")
        other.execute("BEGIN IMMEDIATE")
        assert list_sessions(tmp_path) == rows


def test_the_cited_commands_are_run_again(place: Path, second: Path) -> None:
    assert "the citations hold" in workbench("verify", second.name, cwd=place)
    report = json.loads(workbench("report", second.name, "--format", "json", cwd=place))
    assert report["metadata"]["verified"] is True
    made = workbench("sessions", "fork", second.name, cwd=place).strip()
    folder = second.parent / made
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        rows = database.execute("SELECT seq, body FROM events WHERE kind = 'EvidenceRecorded'")
        for seq, body in rows.fetchall():
            event = json.loads(body)
            item = event["evidence"]
            if item["command"] == "@fault":
                text = database.execute(
                    "SELECT content FROM evidence WHERE id = ?", (item["id"],)
                ).fetchone()[0]
                text = text.replace(b"read", b"write")
                item["sha256"] = hashlib.sha256(text).hexdigest()
                database.execute(
                    "UPDATE evidence SET content = ?, metadata = ? WHERE id = ?",
                    (text, json.dumps(item), item["id"]),
                )
                database.execute(
                    "UPDATE events SET body = ? WHERE seq = ?", (json.dumps(event), seq)
                )
        database.commit()
    reseal(folder)
    told = json.loads(workbench("verify", made, "--format", "json", cwd=place, status=1, out=True))
    assert told["verified"] is False
    assert any("@fault: was " in one for one in told["differences"])
    report = json.loads(workbench("report", made, "--format", "json", cwd=place))
    assert report["metadata"]["verified"] is False
    delete(second.parent, [r for r in list_sessions(second.parent) if r.session_id == made])


def test_another_dump_is_a_difference_and_a_missing_one_an_error(tmp_path: Path) -> None:
    sample = demo_files(tmp_path / "sample")
    core = tmp_path / "core"
    core.write_bytes(sample.core.read_bytes())
    workbench("triage", str(core), "--exe", str(sample.executable), cwd=tmp_path)
    (row,) = list_sessions(tmp_path / ".sessions")
    with core.open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"!")
    text = workbench("verify", row.session_id, cwd=tmp_path, status=1, out=True)
    assert "sha256 differs" in text
    core.unlink()
    assert str(core) in workbench("verify", row.session_id, cwd=tmp_path, status=2)


@pytest.mark.parametrize("log", ["GDB_LOG"])
def test_a_log_is_verified_too(tmp_path: Path, log: str) -> None:
    from tests.chat import conftest

    (tmp_path / "gdb.txt").write_text(getattr(conftest, log))
    subprocess.run([*WORKBENCH, "triage", "gdb.txt"], cwd=tmp_path, capture_output=True)
    (row,) = list_sessions(tmp_path / ".sessions")
    assert "the citations hold" in workbench("verify", row.session_id, cwd=tmp_path)


@pytest.mark.parametrize("wanted", [True, False])
async def test_cleanup_by_itself_only_where_it_is_set(tmp_path: Path, wanted: bool) -> None:
    old = await old_session(tmp_path / ".sessions", 30)
    await old.close()
    sample = demo_files(tmp_path / "sample")
    environment = {**os.environ, "SESSION_KEEP_RECENT": "1", "SESSION_CLEANUP_DAYS": "20"}
    if wanted:
        environment["WORKBENCH_AUTO_CLEANUP"] = "true"
    command = [*WORKBENCH, "triage", str(sample.core), "--exe", str(sample.executable)]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)  # noqa: ASYNC221
    assert old.folder.is_dir() is not wanted
    assert len(list_sessions(tmp_path / ".sessions")) == (1 if wanted else 2)
    environment["SESSION_CLEANUP_DAYS"] = "many"
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)  # noqa: ASYNC221
    assert done.returncode == 2
    assert "session_cleanup_days" in done.stderr
