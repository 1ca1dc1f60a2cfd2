"""An output beyond what is held in memory: read to its end where its analyzer can."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.analyzers.threads_text import KINDS, gdb_threads, kind_of
from workbench.debuggers.protocol import Output
from workbench.engine.commands import CommandRunner
from workbench.engine.journal import Journal
from workbench.model.evidence import Command, Evidence
from workbench.model.facts import Stack, StackGroups
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

        async def refuse(_: Command, __: str) -> bool:
            return False

        runner = CommandRunner(journal, reader, debugger, refuse)
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
        capture_output=True, text=True, timeout=100, check=False,
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
