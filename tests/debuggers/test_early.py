"""gdb's process from before the command line was read."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crashes import build, crash, needed
from workbench import opening
from workbench.debuggers import early
from workbench.debuggers.choose import begin, make
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import Asker, Recipe
from workbench.model.target import Options
from workbench.opening import Request
from workbench.settings import Settings


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    early.give_up()
    early._sharing.clear()


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def waiting() -> int:
    """The process that waits; 0 for none."""
    return early._waiting[0].child.pid if early._waiting else 0


LOOKS = ("bt 5", "info threads", "x/4gx $sp", "p $_siginfo", "info sharedlibrary", "output $_")


async def asked(recipe: Recipe, *commands: tuple[Asker, str]) -> tuple[int, list[str]]:
    """The process, what it said at its opening and to each command; then it is closed."""
    debugger = make(recipe, {}, begin(recipe, {}))
    assert isinstance(debugger, (GdbDebugger, LldbDebugger))
    try:
        await debugger.start()
        assert debugger._session is not None
        pid = debugger._session._channel.child.pid
        said = [await debugger.execute(text, by=by, timeout=60) for by, text in commands]
        return pid, [re.sub(r"\$\d+ = ", "", one.read()) for one in (debugger.opening, *said)]
    finally:
        await debugger.close()


@pytest.mark.parametrize(
    ("by", "left", "new_values", "kept"),
    [
        ("engine", "p $pc", False, True),
        ("engine", "bt 1", True, True),
        ("engine", "p $pc", True, False),
        ("user", "set print address off", False, False),
        ("user", "up", False, False),
    ],
)
async def test_a_gdb_that_is_shared_says_of_the_next_dump_what_a_new_one_does(
    core: Path, executable: Path, by: Asker, left: str, new_values: bool, kept: bool
) -> None:
    recipe = Recipe(core=core, executable=executable)
    narrow = build("int main(void) { return *(int *)0; }", "-g", "-static", machine="i386")
    looks = [("engine", look) for look in LOOKS]
    _, new = await asked(recipe, *looks)
    assert not waiting()
    early.share(new_values=new_values)
    before = Recipe(core=crash(narrow), executable=narrow)
    first, _ = await asked(before, (by, left), ("engine", "x/4gx $pc"))
    assert (waiting() == first) is kept
    second, said = await asked(recipe, *looks)
    assert (second == first) is kept
    assert said == new


async def test_an_lldb_that_is_shared_says_of_the_next_dump_what_a_new_one_does(
    core: Path, executable: Path
) -> None:
    looks = ("bt 5", "thread list", "memory read $sp", "image list", "frame variable", "version")
    recipe = Recipe(core=core, executable=executable, debugger="lldb")
    commands: list[tuple[Asker, str]] = [("engine", look) for look in looks]
    _, new = await asked(recipe, *commands)
    early.share(new_values=False)
    first, _ = await asked(recipe, ("engine", "frame variable"), ("engine", "memory read $pc"))
    assert waiting() == first
    for _ in range(2):
        second, said = await asked(recipe, *commands)
        assert (second, said) == (first, new)
    third, _ = await asked(recipe, ("user", "frame select 1"))
    assert third == first
    assert not waiting()


async def test_the_gdb_that_waits_loads_the_dump(core: Path, executable: Path) -> None:
    early.begin(["--exe", str(executable), str(core)])
    pid = waiting()
    recipe = Recipe(core=core, executable=executable)
    begun = begin(recipe, {})
    assert begun is not None
    assert begun.child.pid == pid
    assert not waiting()
    debugger = make(recipe, {}, begun)
    assert debugger is not None
    try:
        await debugger.start()
        said = debugger.opening.read()
        assert said.startswith(f"Reading symbols from {executable}...")
        assert "SIGSEGV" in said
        assert "inner" in (await debugger.execute("bt", by="engine", timeout=60)).read()
        assert debugger.restarts == 0
    finally:
        await debugger.close()
    assert is_gone(pid)


def test_nothing_waits_unless_a_core_is_named(core: Path, executable: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "short").write_bytes(b"\x7fELF")
    words = [executable, tmp_path / "pipe", tmp_path / "short", tmp_path, tmp_path / "none"]
    early.begin([*map(str, words), "--issue", "\0", ""])
    assert not waiting()
    for word in ("--debugger=lldb", "--debugger", "--dry-run", "--help"):
        early.begin([word, str(core)])
        assert not waiting()


def test_what_nobody_takes_is_ended(core: Path) -> None:
    early.begin([str(core)])
    waits = early._waiting[0]
    early.give_up()
    assert is_gone(waits.child.pid)
    assert not waits.folder.path.exists()
    assert not waiting()


def test_another_gdb_is_started_in_its_place(core: Path, executable: Path, tmp_path: Path) -> None:
    """One that a setting names; the one that waits is left to be given up."""
    early.begin([str(core)])
    pid = waiting()
    named = tmp_path / "gdb"
    named.symlink_to(needed("/usr/bin/gdb"))
    begun = begin(Recipe(core=core, executable=executable), {"gdb": named})
    assert begun is not None
    assert begun.child.pid != pid
    assert begun.program.path == named
    begun.give_up()
    assert waiting() == pid


@pytest.mark.parametrize(("debugger", "named"), [("lldb", False), ("none", False), ("gdb", True)])
def test_it_does_not_idle_beside_another(
    core: Path, executable: Path, tmp_path: Path, debugger: str, named: bool
) -> None:
    """As where a setting and not the command line names another."""
    early.begin([str(core)])
    pid = waiting()
    assert pid
    (tmp_path / "gdb").symlink_to(needed("/usr/bin/gdb"))
    request = Request(
        target=str(core),
        options=Options(executable=str(executable), debugger=debugger),
        base=tmp_path,
        settings=Settings(gdb=str(tmp_path / "gdb") if named else None),
    )
    begun = opening.begin(request)
    assert begun is not None
    assert is_gone(pid)
    begun.give_up()


def left(*words: str, out: int = subprocess.DEVNULL) -> int:
    command = [sys.executable, "-m", "workbench", "triage", *words]
    return subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=False).returncode


def test_the_status_is_that_of_the_run(core: Path, executable: Path, tmp_path: Path) -> None:
    sessions = ["--sessions-dir", str(tmp_path), "--tier", "offline"]
    assert left(str(core), "--exe", str(executable), *sessions) == 0
    assert left(str(executable), *sessions) == 2
    assert left(str(core), "--exe", str(core), *sessions) == 2
    assert left(str(core), "--no-such-option", *sessions) == 2


def test_a_report_that_cannot_be_written_is_no_success(
    core: Path, executable: Path, tmp_path: Path
) -> None:
    with open("/dev/full", "wb") as full:
        words = ["--exe", str(executable), "--tier", "offline", "--sessions-dir", str(tmp_path)]
        assert left(str(core), *words, out=full.fileno()) not in (0, 1)


BEFORE = """
import sys
from workbench.debuggers import early
early.begin(sys.argv[1:])
assert early._waiting
early.give_up()
print(*sys.modules)
"""


def test_it_needs_nothing_that_takes_long_to_import(core: Path) -> None:
    command = [sys.executable, "-c", BEFORE, str(core)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "workbench.debuggers.early" in loaded
    assert not loaded & {"typer", "asyncio", "sqlite3", "workbench.targets.identify", "analyzers"}
