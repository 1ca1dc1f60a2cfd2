"""A session that was copied from elsewhere: read, never written or believed, until taken over."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.store.test_sessions import first, place, workbench
from workbench.claims.say import say
from workbench.debuggers.private_folder import sweep_out
from workbench.engine.archive import export, take_in
from workbench.engine.making import saved_session
from workbench.engine.reading_again import disarmed
from workbench.engine.recipe import GateMode
from workbench.engine.viewing import report_of, report_text
from workbench.model.assisted_events import Explanation, OutputsRead, PieceRead
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome, Prediction
from workbench.model.events import AnyEvent, TestRan
from workbench.model.hypothesis import Status, TestResult
from workbench.model.investigation import fold
from workbench.model.journal import Recorded
from workbench.model.origin import Origin, OriginKind
from workbench.model.target import Options
from workbench.store.catalog import list_sessions
from workbench.store.errors import ReadOnly, SessionNotOpened
from workbench.store.made_here import SEAL
from workbench.store.reading import read_events
from workbench.store.schema import DATABASE
from workbench.store.session_store import SessionStore

__all__ = ["first", "place"]


def _no_seal(folder: Path) -> None:
    (folder / SEAL).unlink()


def _replaced(folder: Path) -> None:
    database = folder / "evidence.db"
    shutil.copy2(database, folder / "other")
    os.replace(folder / "other", database)


def _copied(folder: Path) -> None:
    shutil.move(shutil.copytree(folder, folder.with_name("copy")), folder.with_name("copied"))
    shutil.rmtree(folder)
    folder.with_name("copied").rename(folder)


def _changed(sql: str, dropped: bool = False) -> Callable[[Path], None]:
    """In the database's own file, or ``dropped`` beside it as a log (``-wal``)."""

    def change(folder: Path) -> None:
        path, log = folder / "evidence.db", folder / "evidence.db-wal"
        with closing(sqlite3.connect(path)) as database:
            if not dropped:
                database.execute("PRAGMA journal_mode=DELETE")
            was = path.read_bytes()
            with database:
                database.execute(sql)
            forged = log.read_bytes() if dropped else b""
        if dropped:
            path.write_bytes(was)
            log.write_bytes(forged)

    return change


_FORGE = "UPDATE events SET body = json_set(body, '$.version', 'forged') WHERE seq = 1"


@pytest.mark.parametrize(
    "how",
    [
        *(_no_seal, _replaced, _copied, _changed(_FORGE), _changed(_FORGE, dropped=True)),
        _changed("UPDATE events SET at = replace(at, '20', '19') WHERE seq = 2"),
        _changed("DELETE FROM events WHERE seq = 1"),
        _changed("INSERT INTO events SELECT 9, at, kind, body, mac FROM events WHERE seq = 2"),
        _changed("UPDATE events SET mac = NULL"),
        _changed("""INSERT INTO evidence(id, metadata) VALUES ('E1', '{"sha256": ""}')"""),
        _changed("ALTER TABLE events DROP COLUMN mac"),
        # What answers the next reader otherwise.
    ],
)
async def test_what_nothing_vouches_for_is_only_read(
    first: Path, tmp_path: Path, how: Callable[[Path], None]
) -> None:
    store = await SessionStore.create(tmp_path, Path("core"), fold(read_events(first)).started_at)  # type: ignore[arg-type]
    await store.take(read_events(first)[:2], {})
    await store.close()
    await (await SessionStore.open(store.folder)).close()
    moved = store.folder.rename(tmp_path / "session_20260101_000000_moved")
    await (await SessionStore.open(moved)).close()  # the same file under another name
    store = await SessionStore.open(moved)
    assert store.made_here
    await store.append([read_events(first)[2].event], read_events(first)[2].at)
    await store.close()
    _changed("DELETE FROM events WHERE seq = 3")(moved)  # as a disk that lost the newest
    await (await SessionStore.open(moved)).close()
    how(moved)
    with pytest.raises(ReadOnly, match="sessions import"):
        await SessionStore.open(moved)
    assert not (await report_of(first)).metadata.made_elsewhere
    assert (await report_of(moved)).metadata.made_elsewhere


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE events RENAME TO held; CREATE VIEW events AS WITH RECURSIVE r(n) AS (SELECT 1"
        " UNION ALL SELECT n + 1 FROM r) SELECT held.* FROM held, r",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM evidence; END",
    ],
)
def test_what_no_workbench_makes_is_not_asked(first: Path, tmp_path: Path, statement: str) -> None:
    """A view in a table's place need not come to an end, and one such folder hung the list."""
    moved = Path(shutil.copytree(first, tmp_path / first.name))
    with closing(sqlite3.connect(moved / DATABASE)) as connection:
        connection.executescript(statement)
    with pytest.raises(SessionNotOpened, match="damaged: no workbench makes"):
        read_events(moved)
    assert [row.state for row in list_sessions(tmp_path)] == ["damaged"]


def test_a_copied_folder_is_told_by_every_command(place: Path, first: Path, tmp_path: Path) -> None:
    base = tmp_path / "theirs"
    assert not any(row.made_elsewhere for row in list_sessions(first.parent))
    shutil.copytree(first.parent, base, symlinks=True)  # with its catalog, times and all
    there, id = ("--sessions-dir", str(base)), first.name
    shown = workbench("sessions", "show", id, *there, cwd=place)
    assert shown.startswith("made elsewhere: ")  # before what it concluded
    for words in (("ask", id, "why?"), ("verify", id), ("sessions", "fork", id), ("triage", id)):
        told = workbench(*words, *there, cwd=place, status=2)
        assert "made elsewhere, or copied" in told, words
        assert len(told.strip().splitlines()) == 1, words
    assert "not verified here" in workbench("report", id, *there, cwd=place).split("- Where:")[0]
    assert "(made elsewhere)" in workbench("sessions", *there, cwd=place)
    plain = tmp_path / "plain.log"
    plain.write_text("(gdb) bt\n#0  0x0000000000001131 in idle () at idle.c:3\n")
    workbench("triage", str(plain), *there, cwd=place, status=1, out=True)
    (open_,) = [
        row.session_id for row in list_sessions(base) if row.session_id.endswith("plain.log")
    ]
    other = tmp_path / "others"
    shutil.copytree(base, other, symlinks=True)
    title = workbench("report", open_, "--sessions-dir", str(other), cwd=place).split("\n")[0]
    assert title.startswith("# Inconclusive")
    assert title.endswith("(made elsewhere)")
    own = ("--sessions-dir", str(tmp_path / "own"))
    made = workbench("sessions", "import", str(base / id), *own, cwd=place).strip()
    assert "the citations hold" in workbench("verify", made, *own, cwd=place)
    assert "not verified here" not in workbench("report", made, *own, cwd=place)


async def test_a_copied_session_is_looked_at_on_the_screen(first: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(first, tmp_path / first.name))
    looking = await saved_session(folder, GateMode.ASK, None)
    assert looking.state.about.elsewhere
    assert "sessions import" in looking.store.read_only
    await looking.close()


Change = Callable[[dict[str, object]], None]


def _forged(first: Path, archive: Path, change: Change) -> Path:
    """The archive of a session whose journal was changed."""
    target = archive.with_name("forged.zip")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "journal.jsonl":
                lines = [json.loads(line) for line in data.splitlines()]
                for line in lines:
                    change(line["event"])
                data = "".join(json.dumps(line) + "\n" for line in lines).encode()
            new.writestr(name, data)
    return target


def _other_cause(event: dict[str, object]) -> None:
    if event["event"] == "conclusion":
        conclusion = event["conclusion"]
        assert isinstance(conclusion, dict)
        conclusion |= {"category": "divide-by-zero", "confidence": 0.99}


def _other_facts(event: dict[str, object]) -> None:
    if event["event"] == "evidence":
        text = json.dumps(event).replace("connection_send", "innocent_bystander")
        evidence = event["evidence"]
        event |= json.loads(text)
        event["evidence"] = evidence


def _other_status(event: dict[str, object]) -> None:
    if event["event"] == "hypothesis-decided":
        verdict = event["verdict"]
        assert isinstance(verdict, dict)
        verdict |= {"status": "rejected", "reason": "trust me"}
        event |= {"verdict": verdict}


def _by_a_person(event: dict[str, object]) -> None:
    if event["event"] == "hypothesis-decided":
        id = event["id"]
        event.clear()
        event |= {"event": "hypothesis-moved", "id": id, "status": "rejected", "by": "user"}


def _by_a_model(event: dict[str, object]) -> None:
    """A prediction that came true and a chain that holds, as it says itself."""
    freed = say("frees", (Citation("E2", 1, 1),), function="innocent_bystander", at=99)
    freed = replace(freed, status=Outcome.VERIFIED, by="model")
    if event["event"] == "hypothesis-proposed":
        hypothesis = event["hypothesis"]
        assert isinstance(hypothesis, dict)
        foretold = Prediction(claim=freed, command="bt", known=3, outcome=Outcome.VERIFIED)
        hypothesis |= {
            "predictions": [msgspec.to_builtins(foretold)], "confidence": 0.99,
            "statement": "`innocent_bystander` freed it.",
        }  # fmt: skip
    if event["event"] == "test-ran":
        origin = Origin(
            kind=OriginKind.FREED, function="innocent_bystander", file="a.c", line=99,
            evidence=freed.citations,
        )  # fmt: skip
        told = Explanation(
            hypothesis="H1", confidence=0.99, claims=(freed,), chain=(1,), origin=origin,
            category=Category("use-after-free"), text="It did.", model="m",
        )  # fmt: skip
        event.clear()
        event |= {"event": "explained", "explanation": msgspec.to_builtins(told)}


@pytest.mark.parametrize(
    "change", [_other_cause, _other_facts, _other_status, _by_a_person, _by_a_model]
)
async def test_a_forged_journal_changes_nothing_that_is_concluded_here(
    first: Path, tmp_path: Path, change: Change
) -> None:
    archive = await export(first, tmp_path / "x.zip")
    whole = await report_of(await take_in(archive, tmp_path / "whole"))
    forged = await report_of(await take_in(_forged(first, archive, change), tmp_path / "forged"))
    mine = (await report_of(first)).analysis.ai_analysis
    for theirs in (whole.analysis.ai_analysis, forged.analysis.ai_analysis):
        assert theirs.root_cause == mine.root_cause
        assert (theirs.category, theirs.confidence) == (mine.category, mine.confidence)
        assert theirs.frame == mine.frame
        assert [c.text for c in theirs.claims] == [c.text for c in mine.claims]
        assert [h.status for h in theirs.hypotheses if h.status == Status.CONFIRMED] == [
            h.status for h in mine.hypotheses if h.status == Status.CONFIRMED
        ]
        assert theirs.stopped_by == mine.stopped_by
        assert theirs.origin == mine.origin
        told = msgspec.to_builtins((theirs.hypotheses, theirs.claims, theirs.chain))
        assert "innocent_bystander" not in str(told)
    assert forged.analysis.exception.stack_trace == whole.analysis.exception.stack_trace


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (
            OutputsRead(evidence=("E2",), summary="18 ends", root_cause="It was Bob."),
            OutputsRead(evidence=("E2",)),
        ),
        (
            PieceRead(evidence="E2", first=1, last=9, total=2, findings=("Bob",), root_cause="Bob"),
            PieceRead(evidence="E2", first=1, last=9, total=2),
        ),
        (
            TestRan(id="H1", result=TestResult(command="bt", evidence="E2", verdict="proved")),
            TestRan(id="H1", result=TestResult(command="bt", evidence="E2")),
        ),
    ],
)
def test_what_was_said_of_an_output_elsewhere_is_not_code_s(said: AnyEvent, left: AnyEvent) -> None:
    row = Recorded(7, datetime(2026, 1, 1, tzinfo=UTC), said)
    assert disarmed(row, "gdb", Options(), lambda _: iter(())) == row._replace(event=left)


async def test_a_copied_session_says_what_its_texts_say(first: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(first, tmp_path / first.name))
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        forged = 0
        for seq, body in database.execute("SELECT seq, body FROM events").fetchall():
            event = json.loads(body)
            for change in (_other_cause, _other_facts, _other_status):
                change(event)
            if event != json.loads(body):
                forged += 1
                database.execute("UPDATE events SET body=? WHERE seq=?", (json.dumps(event), seq))
        database.commit()
    assert forged > 2
    mine, theirs = await report_of(first), await report_of(folder)
    for report in (mine, theirs):
        assert report.metadata.session_id == first.name
    ours, drawn = mine.analysis.ai_analysis, theirs.analysis.ai_analysis
    assert (drawn.category, drawn.confidence, drawn.root_cause, drawn.frame) == (
        ours.category, ours.confidence, ours.root_cause, ours.frame
    )  # fmt: skip
    assert theirs.metadata.made_elsewhere
    text = (await report_text(folder, "md")).splitlines()
    assert text[0].endswith("(made elsewhere)")
    shown = workbench("sessions", "show", first.name, "--format", "json",
                      "--sessions-dir", str(tmp_path), cwd=tmp_path)  # fmt: skip
    told = json.loads(shown)
    assert (told["category"], told["confidence"]) == (ours.category, ours.confidence)
    (row,) = list_sessions(tmp_path)
    assert (row.category, row.confidence, row.made_elsewhere) == (None, None, True)
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        database.execute("UPDATE evidence SET content = 'x' WHERE id = 'E2'")
        database.commit()
    assert (await report_of(folder)).analysis.ai_analysis.root_cause is None


LOOK = """
import asyncio, sys
from pathlib import Path
from workbench.engine.viewing import believed
async def look():
    async with believed(Path(sys.argv[1])):
        print("there", flush=True)
        sys.stdin.readline()
asyncio.run(look())
"""


def test_a_copy_that_is_looked_at_is_swept_after_a_kill(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, scratch = Path(shutil.copytree(first, tmp_path / first.name)), tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    command = [sys.executable, "-c", LOOK, str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as looking:
        assert looking.stdout is not None
        assert looking.stdout.readline() == "there\n"
        sweep_out(scratch)
        assert list(scratch.glob(f"*/{first.name}"))
        looking.kill()
    sweep_out(scratch)
    assert not list(scratch.iterdir())


async def test_a_forged_text_is_its_own_evidence(first: Path, tmp_path: Path) -> None:
    """Texts can be forged too: that is why the report says that nothing vouches for them."""
    archive = await export(first, tmp_path / "x.zip")
    made = await take_in(archive, tmp_path / "b")
    assert (await report_of(made)).metadata.made_elsewhere
    (row,) = list_sessions(tmp_path / "b")
    assert row.made_elsewhere


async def test_a_plugin_that_another_person_named_is_not_loaded(
    first: Path, tmp_path: Path
) -> None:
    from msgspec.structs import replace

    def named(row: Recorded) -> Recorded:
        event = row.event
        if hasattr(event, "options"):
            event = replace(event, options=replace(event.options, sos="/t/x.so", clr_path="/t"))
        return row._replace(event=event)

    folder = Path(shutil.copytree(first, tmp_path / first.name))
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        from workbench.model.events import encode_event

        body = encode_event(named(read_events(folder)[0]).event)
        database.execute("UPDATE events SET body = ? WHERE seq = 1", (body.decode(),))
        database.commit()
    assert fold(read_events(folder)).options.sos == "/t/x.so"
    options = fold(read_events(await take_in(folder, tmp_path / "b"))).options
    assert (options.sos, options.clr_path) == (None, None)
