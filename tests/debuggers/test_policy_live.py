"""What the policy accepts, on a live process where a write would succeed: nothing is changed."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crashes import build
from tests.debuggers.live import GDB, SOURCE, begin, changed_by, state, told
from tests.debuggers.spellings import spellings
from tests.soak import SOAK
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.policy import Answer, check
from workbench.debuggers.protocol import Recipe

ACCEPTED = Path(__file__).with_name("accepted.txt").read_text().splitlines()

COUNT = 6000 if SOAK else 1500


@pytest.fixture(scope="module")
def program() -> Path:
    return build(SOURCE, "-g3", "-O0")


@pytest.fixture
async def live(program: Path, gdb: Path, tmp_path: Path) -> AsyncIterator[GdbDebugger]:
    debugger = GdbDebugger(Recipe(core=None, executable=program, program=gdb))
    await debugger.start()
    await begin(debugger, GDB, tmp_path)
    yield debugger
    await debugger.close()


async def test_accepted_commands_change_nothing(live: GdbDebugger, tmp_path: Path) -> None:
    assert await changed_by(live, GDB, tmp_path, ACCEPTED) == []


@pytest.mark.soak
async def test_no_spelling_finds_a_way_through(live: GdbDebugger, tmp_path: Path) -> None:
    passing = [line for line in spellings(seed=20, count=COUNT) if check(line).accepted]
    assert len(passing) > COUNT / 15
    assert await changed_by(live, GDB, tmp_path, passing) == []


CHANGING = (
    "p victim = 9",
    "p touch(3)",
    "p $rax = 77",
    "set print elements 3",
    "shell touch x",
    "call touch(1)",
    "break touch",
    "alias zz = shell",
    "directory /tmp",
    "handle SIGUSR1 nostop",
    "dump memory x &victim &calls",
    "display victim",
    "skip function touch",
)


async def test_what_is_not_accepted_would_have_changed_it(
    live: GdbDebugger, tmp_path: Path
) -> None:
    before = await state(live, GDB, tmp_path)
    for command in CHANGING:
        assert not check(command).accepted
        await told(live, command)
        after = await state(live, GDB, tmp_path)
        # An alias shows in nothing but what it does.
        assert after != before or command.startswith("alias"), command
        before = after


async def test_a_macro_writes_for_the_person_only(live: GdbDebugger, tmp_path: Path) -> None:
    before = await state(live, GDB, tmp_path)
    spoil = await live.execute("p spoil", by="engine", timeout=30)
    assert "Writing to" in spoil.read() or "spoil is a macro" in spoil.reason
    for command in ("p wipe", "x/s wipe", "info symbol wipe", "frame apply all p wipe"):
        assert check(command).answer is Answer.ACCEPT
        output = await live.execute(command, by="engine", timeout=30)
        assert "Writing to" in output.read() or "wipe is a macro" in output.reason
    assert await state(live, GDB, tmp_path) == before
    await told(live, "p victim = 9")
    assert "= 9" in await told(live, "p victim")
    assert "= 8" in await told(live, "p victim = 8")
    assert os.listdir(tmp_path) == ["kept"]
