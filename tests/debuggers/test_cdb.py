"""The cdb backend, whole, over a real terminal, with a program that answers as cdb does."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.debuggers.talk import Clock, ask, begin
from workbench.agents import experts
from workbench.debuggers.cdb.debugger import CdbDebugger
from workbench.debuggers.cdb.find import find_cdb
from workbench.debuggers.protocol import (
    CommandRefused,
    DebuggerDied,
    DebuggerUnavailable,
    Recipe,
)
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Status

PLAYER = Path(__file__).with_name("cdb_player.py")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The player as a program."""
    path = tmp_path_factory.mktemp("cdb") / "cdb"
    path.write_text(
        f"#!{sys.executable}\nimport runpy\nrunpy.run_path({str(PLAYER)!r}, run_name='__main__')\n"
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "orders.dmp"
    path.write_bytes(b"MDMP\x93\xa7" + bytes(26))
    return path


@pytest.fixture
async def cdb(program: Path, dump: Path) -> AsyncIterator[CdbDebugger]:
    one = CdbDebugger(Recipe(core=dump, program=program, debugger="cdb"))
    await one.start()
    yield one
    await one.close()


async def test_opens_a_dump_and_tells_its_version(cdb: CdbDebugger) -> None:
    assert cdb.version == "10.0.22621.2428"
    said = cdb.opening.read()
    assert "Access violation - code c0000005" in said
    assert "*** ERROR: Module load completed" in said
    assert "[wb:" not in said
    assert not said.rstrip().endswith(">")


async def test_outputs_are_whole_and_have_no_prompts(cdb: CdbDebugger) -> None:
    assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"
    text = await ask(cdb, "!analyze -v")
    assert text.startswith("****")
    assert "FAILURE_BUCKET_ID:  NULL_CLASS_PTR_READ_c0000005" in text
    assert "0:000>" not in text
    assert "*** ERROR: Symbol file could not be found." in text


async def test_what_it_prints_gives_a_cause(cdb: CdbDebugger) -> None:
    facts = FactBook()
    for number, command in enumerate(("!analyze -v", "kn 0n64", ".frame 0n0; dv /t /v"), 1):
        text = await ask(cdb, command)
        facts.add(analyze(Document(f"E{number}", command, "cdb", text)).facts)
    verdict = experts.verdict(Category.NULL_POINTER_DEREFERENCE, facts)
    assert verdict.status is Status.CONFIRMED
    assert "`Basket::total` at `basket.cpp:41`" in verdict.claims[0].text
    assert "0x30" in " ".join(claim.text for claim in verdict.claims)


async def test_an_error_an_empty_output_and_one_without_a_line_end(cdb: CdbDebugger) -> None:
    assert await ask(cdb, "nonsense") == "Couldn't resolve error at 'nonsense'\n"
    assert await ask(cdb, ".lines -e") == ""
    assert await ask(cdb, '.printf "no end"') == "no end"
    assert await ask(cdb, ".echo 0:000> k") == "0:000> k\n"


async def test_no_output_passes_for_a_mark(cdb: CdbDebugger) -> None:
    text = await ask(cdb, "fake")
    assert text.startswith("0:000> k\n[wb:0123456789abcdef0123456789abcdef:A:]\n")
    assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"


async def test_megabytes_come_whole(cdb: CdbDebugger) -> None:
    output = await cdb.execute("flood 150000", by="engine", timeout=60)
    assert not output.partial
    text = output.read()
    assert text.count("\n") == 150_000
    assert text.endswith("line 149999 of many\n")


async def test_an_engine_command_means_the_same_wherever_the_person_is(cdb: CdbDebugger) -> None:
    await ask(cdb, "~1s", by="user")
    await ask(cdb, ".frame 3", by="user")
    await ask(cdb, "!gle")
    assert await cdb.selection() == (1, 3)
    text = await ask(cdb, "~", by="user")
    assert ".  1  Id: 1a2c.1f08" in text


async def test_a_hanging_command_is_stopped_and_its_part_is_kept(
    cdb: CdbDebugger, clock: Clock
) -> None:
    task = await begin(cdb, "hang", "engine", b"first part\r")
    clock.run_out()
    output = await task
    assert output.partial
    assert "first part" in output.read()
    assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"
    assert cdb.restarts == 0


async def test_a_person_stops_a_command(cdb: CdbDebugger) -> None:
    running = await begin(cdb, "hang", "user", b"first part\r")
    await cdb.interrupt()
    output = await running
    assert output.partial
    assert "first part" in output.read()
    assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"


async def test_a_cdb_that_dies_is_started_again(cdb: CdbDebugger) -> None:
    with pytest.raises(DebuggerDied):
        await cdb.execute("die", by="user", timeout=10)
    assert cdb.restarts == 1
    assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"


async def test_a_question_does_not_stop_the_session(cdb: CdbDebugger, clock: Clock) -> None:
    task = await begin(cdb, "ask", "engine", b"(y/n)")
    clock.run_out()
    output = await task
    assert "Overwrite it? (y/n)" in output.read()
    assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"


async def test_what_goes_on_at_another_prompt_is_refused(cdb: CdbDebugger) -> None:
    for command in ("a 401000", "ed 401000", "r eax?"):
        with pytest.raises(CommandRefused):
            await cdb.execute(command, by="user", timeout=5)
    assert cdb.leaves_debugger("k; qd")
    assert not cdb.leaves_debugger("!locks")


async def test_a_terminal_that_echoes_changes_no_framing(
    program: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDB_PLAYER_ECHO", "1")
    one = CdbDebugger(Recipe(core=dump, program=program, debugger="cdb"))
    await one.start()
    try:
        assert await ask(one, "!gle") == "!gle\nLastErrorValue: 0\n"
        assert (await ask(one, ".echo x")).endswith("\nx\n")
    finally:
        await one.close()


async def test_what_is_no_dump_is_told(program: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no dump")
    one = CdbDebugger(Recipe(core=text, program=program, debugger="cdb"))
    with pytest.raises(DebuggerUnavailable, match="cdb"):
        await one.start()


def test_elsewhere_than_on_windows_it_says_where_cdb_runs() -> None:
    if sys.platform != "win32":
        with pytest.raises(DebuggerUnavailable, match="Windows"):
            find_cdb()
    with pytest.raises(DebuggerUnavailable, match="no cdb at"):
        find_cdb(Path("/nonexistent/cdb"))
