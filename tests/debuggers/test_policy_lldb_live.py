"""What the policy accepts for lldb, on a live process where a write would succeed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crashes import build
from tests.debuggers.live import SOURCE, begin, changed_by, state, told
from tests.debuggers.lldb_live import LLDB, spellings
from tests.soak import SOAK
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.policy import check
from workbench.debuggers.protocol import Recipe

ACCEPTED = Path(__file__).with_name("lldb_accepted.txt").read_text().splitlines()

COUNT = 6000 if SOAK else 1500


@pytest.fixture(scope="module")
def program() -> Path:
    return build(SOURCE, "-g", "-O0")


@pytest.fixture
async def live(program: Path, lldb: Path, tmp_path: Path) -> AsyncIterator[LldbDebugger]:
    debugger = LldbDebugger(Recipe(core=None, executable=program, program=lldb))
    await debugger.start()
    await begin(debugger, LLDB, tmp_path)
    await told(debugger, f"script import os; os.chdir({str(tmp_path)!r})")
    assert "f(count=1" in await told(debugger, "frame info")
    yield debugger
    await debugger.close()


async def test_accepted_commands_change_nothing(live: LldbDebugger, tmp_path: Path) -> None:
    assert await changed_by(live, LLDB, tmp_path, ACCEPTED) == []


@pytest.mark.soak
async def test_no_spelling_finds_a_way_through(live: LldbDebugger, tmp_path: Path) -> None:
    lines = dict.fromkeys(spellings(seed=14, count=COUNT))
    passing = [line for line in lines if check(line, "lldb").accepted]
    assert len(passing) > COUNT / 15
    assert await changed_by(live, LLDB, tmp_path, passing) == []


CHANGING = (
    "expression victim = 9",
    "memory read `touch(3)`",
    "memory read (char*)touch(3)",
    "p touch(3)",
    "register write rax 77",
    "memory write &victim 7",
    "platform shell touch {folder}/x",
    "memory read --outfile x $rsp",
    "settings set target.max-children-count 3",
    "breakpoint set --name touch",
    "process handle SIGUSR1 --stop false",
    "target stop-hook add -o bt",
    "type format add -f x int",
)


async def test_what_is_not_accepted_would_have_changed_it(
    live: LldbDebugger, tmp_path: Path
) -> None:
    before = await state(live, LLDB, tmp_path)
    for command in CHANGING:
        assert not check(command, "lldb").accepted
        command = command.replace("{folder}", str(tmp_path))
        output = await live.execute(command, by="user", timeout=30)
        assert not output.partial
        after = await state(live, LLDB, tmp_path)
        assert after != before, command
        before = after


FILE = ("source list -f {file} -l 1", "source list -f {file}", "list {file}:1",
        "source info -f {file}", "source list -f ../{name} -l 1")  # fmt: skip


async def test_a_file_that_is_no_source_of_the_program_is_not_read(
    live: LldbDebugger, tmp_path: Path
) -> None:
    file = tmp_path / "notes.c"
    file.write_text("int private_note = 4711;\n")
    for command in FILE:
        command = command.replace("{file}", str(file)).replace("{name}", file.name)
        assert "private_note" not in await told(live, command), command
