"""A debugger whose process was started before anything that speaks with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import gdbs, lldbs
from workbench.debuggers.choose import begin, make
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.protocol import Recipe


def started(recipe: Recipe, program: Path) -> HeadStart:
    begun = begin(recipe, {recipe.debugger: program})
    assert begun is not None
    return begun


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


PROGRAMS = [*(("gdb", path) for path in gdbs()), *(("lldb", path) for path in lldbs())]


@pytest.fixture(params=PROGRAMS, ids=lambda one: f"{one[0]}-{one[1].parent.parent.name}")
def given(request: pytest.FixtureRequest, core: Path, executable: Path) -> tuple[Recipe, Path]:
    """A recipe and the program that opens it."""
    name, program = request.param
    return Recipe(core=core, executable=executable, debugger=name), program


async def test_the_process_that_was_started_is_the_one_that_answers(
    given: tuple[Recipe, Path],
) -> None:
    recipe, program = given
    begun = started(recipe, program)
    debugger = make(recipe, {recipe.debugger: program}, begun)
    assert debugger is not None
    try:
        await debugger.start()
        assert begun.taken
        assert debugger.path == str(begun.program.path)
        os.kill(begun.child.pid, 0)
        line = "bt" if recipe.debugger == "gdb" else "thread backtrace"
        output = await debugger.execute(line, by="engine", timeout=60)
        assert "inner" in output.read()
        assert not output.partial
        assert debugger.restarts == 0
    finally:
        await debugger.close()
    assert is_gone(begun.child.pid)
    assert not begun.folder.path.exists()
    begun.give_up()  # which it was taken from: nothing happens


async def test_it_starts_again_without_it(core: Path, executable: Path, gdb: Path) -> None:
    recipe = Recipe(core=core, executable=executable)
    begun = started(recipe, gdb)
    debugger = make(recipe, {"gdb": gdb}, begun)
    assert debugger is not None
    try:
        await debugger.start()
        begun.child.kill()
        output = await debugger.execute("bt", by="engine", timeout=60)
        assert "inner" in output.read()
        assert debugger.restarts == 1
    finally:
        await debugger.close()


def test_what_nobody_takes_is_given_up(given: tuple[Recipe, Path]) -> None:
    begun = started(*given)
    begun.give_up()
    assert is_gone(begun.child.pid)
    assert not begun.folder.path.exists()
    begun.give_up()


async def test_a_debugger_that_is_closed_before_its_start_ends_it(
    given: tuple[Recipe, Path],
) -> None:
    recipe, program = given
    begun = started(recipe, program)
    debugger = make(recipe, {recipe.debugger: program}, begun)
    assert debugger is not None
    await debugger.close()
    assert is_gone(begun.child.pid)
    assert not begun.folder.path.exists()


def test_what_cannot_be_started_is_left_to_the_start_in_order(
    core: Path, gdb: Path, tmp_path: Path
) -> None:
    recipe = Recipe(core=core)
    assert begin(recipe, {"gdb": tmp_path / "none"}) is None
    assert begin(recipe._replace(core=tmp_path / "none"), {"gdb": gdb}) is None
    assert begin(recipe._replace(debugger="replay"), {}) is None
    assert begin(recipe._replace(debugger="none"), {}) is None


BEFORE = """
import sys
from pathlib import Path
from workbench.model.target import Options
from workbench.opening import Request, begin
from workbench.settings import Settings
core, executable, base = map(Path, sys.argv[1:])
request = Request(
    target=str(core), options=Options(executable=str(executable)), base=base, settings=Settings()
)
begun = begin(request)
assert begun.process is not None
begun.give_up()
print(*sys.modules)
"""


def test_it_needs_nothing_that_takes_long_to_import(
    core: Path, executable: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", BEFORE, str(core), str(executable), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "workbench.debuggers.head_start" in loaded
    assert not loaded & {"asyncio", "sqlite3", "workbench.engine.session", "analyzers"}
