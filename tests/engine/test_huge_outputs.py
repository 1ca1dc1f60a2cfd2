"""An output beyond what is held in memory: read to its end where its analyzer can."""

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.analyzers.threads_text import KINDS, gdb_threads, kind_of
from workbench.agents.report.writer import build_report
from workbench.debuggers.protocol import Output
from workbench.engine.commands import CommandRunner
from workbench.engine.journal import Journal
from workbench.model.assisted_events import OutputsRead
from workbench.model.evidence import Command, Evidence
from workbench.model.facts import Stack, StackGroups
from workbench.model.investigation import Investigation, fold
from workbench.model.report_conclusion import LedgerRow
from workbench.store.session_store import SessionStore
from workbench.store.texts import READ_WHOLE

THREADS = 2_500


class Answering:
    """A debugger that has one output in a file, as a large one comes from the pty."""

    name = "gdb"
    version = path = ""
    restarts = 0
    opening = Output("", None, 0)
    on_restart: Callable[[str], None] | None = None

    def __init__(self, spool: Path, text: str) -> None:
        self._spool, self._data = spool, text.encode()

    async def start(self) -> None: ...

    async def execute(self, command: str, **_: object) -> Output:
        self._spool.write_bytes(self._data)
        data = self._data
        digest, lines = hashlib.sha256(data).hexdigest(), data.count(b"\n")
        return Output(None, self._spool, len(data), sha256=digest, lines=lines)


class NoReader:
    """A dump of which nothing is asked."""

    def sections(self) -> tuple[()]:
        return ()


async def answer(folder: Path, command: str, text: str) -> tuple[Evidence, Journal]:
    store = await SessionStore.create(folder, Path("core"), datetime(2026, 1, 2, tzinfo=UTC))
    try:
        journal = Journal(store)
        debugger: Any = Answering(folder / "spool", text)
        reader: Any = NoReader()

        async def agree(_: Command, __: str) -> bool:
            return True

        runner = CommandRunner(journal, reader, debugger, agree)
        await runner.start_debugger()
        evidence = await runner.ask(Command(command, "all threads"))
        assert evidence is not None
        return evidence, journal
    finally:
        await store.close()


async def test_stacks_of_all_threads_are_read_to_the_end(tmp_path: Path) -> None:
    text = "".join(gdb_threads(THREADS))
    assert len(text) > READ_WHOLE
    evidence, journal = await answer(tmp_path, "thread apply all bt", text)
    assert evidence.summary == f"Stacks of {THREADS:,} threads, 40 different"
    (groups,) = journal.state.facts.all(StackGroups)
    assert groups.total == THREADS
    assert groups.cite.last <= evidence.lines
    lines = text.split("\n")
    for stack in journal.state.facts.all(Stack):
        assert str(stack.thread) in lines[stack.cite.first - 1]


async def test_an_output_that_is_not_says_how_far_it_was(tmp_path: Path) -> None:
    text = "".join(f"r{n} 0x{n:x}\n" for n in range(700_000))
    evidence, _ = await answer(tmp_path, "info registers", text)
    assert "read in its first" in evidence.summary


def test_the_report_groups_all_threads_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "threads.log"
    log.write_text("(gdb) thread apply all bt\n" + "".join(gdb_threads(2000, 20)) + "(gdb) quit\n")
    command = [sys.executable, "-m", "workbench", "triage", str(log), "--format", "json"]
    done = subprocess.run(
        [*command, "--tier", "offline", "--sessions-dir", str(tmp_path / "s")],
        capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    threads = json.loads(done.stdout)["analysis"]["threads"]
    assert threads["count"] == 2000
    assert len(threads["groups"]) == KINDS
    for group in threads["groups"]:
        kinds = {kind_of(thread - 100_000) for thread in group["threadIds"]}
        assert len(kinds) == 1
        assert len(group["stackTrace"]) == 20
        assert f"module_{kinds.pop()}::step_0" == group["stackTrace"][0]["function"]


def session_of(base: Path) -> Path:
    (folder,) = (path for path in base.iterdir() if path.name.startswith("session_"))
    return folder


def saved(base: Path) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    """The rows of chunks, and the metadata of the one evidence item."""
    database = sqlite3.connect(session_of(base) / "evidence.db")
    rows = database.execute(
        "SELECT evidence_id, chunk_num, first_line, last_line, analysis FROM chunks"
    ).fetchall()
    metadata = json.loads(database.execute("SELECT metadata FROM evidence").fetchone()[0])
    database.close()
    return rows, metadata


async def test_a_large_output_that_nobody_reads_is_told_in_pieces(tmp_path: Path) -> None:
    text = "Thread 4 (LWP 9):\n#0  0x1 in poll ()\n" + "0x10: 1 2 3\n" * 2_000
    evidence, journal = await answer(tmp_path, "x/8000gx $sp", text)
    assert journal.state.facts.first(Stack) is None
    assert evidence.overall_findings is not None
    assert "1 waiting calls: poll (1)" in evidence.overall_findings.summary
    assert evidence.findings[0].startswith("Calls that wait: poll [E1:1-")
    rows, metadata = saved(tmp_path)
    assert metadata["overall_findings"]["root_cause"] is None
    assert [row[:2] for row in rows] == [("E1", number) for number in range(len(rows))]
    assert [row[2] for row in rows[1:]] == [row[3] + 1 for row in rows[:-1]]
    assert (rows[0][2], rows[-1][3]) == (1, evidence.lines)
    analysis = json.loads(rows[0][4])
    assert analysis["blocking_operations"] == [{"thread_id": "4", "operation": "poll"}]
    assert {"summary", "thread_states", "exceptions"} <= set(analysis)


async def test_no_pieces_where_an_analyzer_reads_it_or_it_is_small(tmp_path: Path) -> None:
    for number, (command, text) in enumerate(
        (("thread apply all bt", "".join(gdb_threads(20, 20))), ("p x", "$1 = 3\n"))
    ):
        evidence, _ = await answer(tmp_path / str(number), command, text)
        assert evidence.overall_findings is None


async def test_what_was_told_in_pieces_is_found_by_its_words(tmp_path: Path) -> None:
    text = "0x10: 1 2 3\n" * 2_000 + "Thread 4 (LWP 9):\n#0  0x1 in poll ()\n"
    await answer(tmp_path, "x/8000gx $sp", text)
    rows, _ = saved(tmp_path)
    store = await SessionStore.open(session_of(tmp_path))
    try:
        (found,) = await store.search.find(["poll"])
        assert (found.evidence, found.first, found.last) == ("E1", rows[-1][2], rows[-1][3])
    finally:
        await store.close()
    assert len(saved(tmp_path)[0]) == len(rows)


async def test_what_the_pieces_say_together_is_the_items_summary(tmp_path: Path) -> None:
    """In the browser, in the report and in the database; a model's cause goes in front of it."""
    text = "0x10: 1 2 3\n" * 2_000 + "Thread 4 (LWP 9):\n#0  0x1 in poll ()\n"
    item, _ = await answer(tmp_path, "x/8000gx $sp", text)
    assert item.overall_findings is not None
    assert item.overall_findings.summary in item.summary
    assert any("poll" in finding for finding in item.findings)
    store = await SessionStore.open(session_of(tmp_path))
    try:
        await store.append(
            [OutputsRead(evidence=("E1",), root_cause="it polls")], datetime.now(UTC)
        )
        state = fold(await store.events())
        assert state.evidence["E1"].summary == f"{item.overall_findings.summary}; it polls"
        with closing(sqlite3.connect(store.folder / "evidence.db")) as database:
            row = database.execute("SELECT summary, key_findings FROM evidence").fetchone()
        assert row[0] == state.evidence["E1"].summary
        assert "it polls" in row[1]
        (ledger,) = report_of(state)
        assert ledger.summary == row[0]
    finally:
        await store.close()


def report_of(state: Investigation) -> tuple[LedgerRow, ...]:
    return build_report(state, lambda _: "").analysis.ai_analysis.evidence_ledger
