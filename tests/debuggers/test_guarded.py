"""Dumps whose files hold gdb up: named pipes where libraries, programs or debug files should be."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crashes import crash
from tests.debuggers.talk import ask
from workbench.debuggers import session
from workbench.debuggers.gdb.debugger import GdbDebugger, _spoilt, guarded
from workbench.debuggers.protocol import Recipe

LIBRARY = "int touch(int *where) { return *where; }"
PROGRAM = "int touch(int *); int main(int count, char **words) { return touch(0) + count; }"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_STUCK", 1.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program of its own with a library, and the core of its crash."""
    (tmp_path / "touch.c").write_text(LIBRARY)
    (tmp_path / "main.c").write_text(PROGRAM)
    for line in (
        "gcc -g -O0 -shared -fPIC -o libtouch.so.1.2 -Wl,-soname,libtouch.so.1 touch.c",
        "ln -s libtouch.so.1.2 libtouch.so.1",
        "gcc -g -O0 -o program main.c libtouch.so.1 -Wl,-rpath,$PWD",
    ):
        subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True, timeout=60)
    shutil.copy(crash(tmp_path / "program"), tmp_path / "core")
    shutil.copy(tmp_path / "program", tmp_path / "given")
    return tmp_path


async def _stack(folder: Path, gdb: Path) -> tuple[str, str]:
    debugger = GdbDebugger(Recipe(folder / "core", folder / "given", program=gdb))
    await debugger.start()
    try:
        return debugger.opening.read(), await ask(debugger, "bt")
    finally:
        await debugger.close()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _separate(folder: Path) -> None:
    """Put the program's debug information into a file of its own."""
    for line in (
        "objcopy --only-keep-debug given given.debug",
        "strip -g given",
        "objcopy --add-gnu-debuglink=given.debug given",
    ):
        subprocess.run(line.split(), cwd=folder, check=True, timeout=60)


async def test_a_pipe_in_place_of_the_program(folder: Path, gdb: Path) -> None:
    _pipe(folder / "program")
    said, stack = await _stack(folder, gdb)
    assert f"loaded without what is no regular file: '{folder}/program'" in said
    assert "touch (where=0x0) at" in stack
    assert "main (count=1" in stack


async def test_a_pipe_in_place_of_the_program_and_no_other_given(folder: Path, gdb: Path) -> None:
    """gdb 16 looks for one where the dump says, behind its sysroot too."""
    _pipe(folder / "program")
    debugger = GdbDebugger(Recipe(folder / "core", program=gdb))
    await debugger.start()
    try:
        assert f"no regular file: '{folder}/program'" in debugger.opening.read()
        assert "touch (where=0x0) at" in await ask(debugger, "bt")
    finally:
        await debugger.close()


async def test_a_pipe_in_place_of_a_library(folder: Path, gdb: Path) -> None:
    _pipe(folder / "libtouch.so.1.2")
    said, stack = await _stack(folder, gdb)
    assert "libtouch.so.1.2'" in said
    assert "in main (" in stack
    assert "touch" not in stack


async def test_a_pipe_in_place_of_the_debug_file(folder: Path, gdb: Path) -> None:
    _separate(folder)
    _pipe(folder / "given.debug")
    said, stack = await _stack(folder, gdb)
    assert "a file that another one leads to" in said
    assert "touch (where=0x0) at" in stack
    assert " in main ()" in stack


async def test_a_restarted_gdb_is_not_held_up_again(folder: Path, gdb: Path) -> None:
    _pipe(folder / "program")
    debugger = GdbDebugger(Recipe(folder / "core", folder / "given", program=gdb))
    await debugger.start()
    try:
        await debugger.restart("for the test")
        assert "gdb waits" not in debugger.opening.read()
        assert "main (count=1" in await ask(debugger, "bt")
    finally:
        await debugger.close()


async def test_a_source_that_is_a_pipe_is_not_listed(folder: Path, gdb: Path) -> None:
    _pipe(folder / "main.c")
    debugger = GdbDebugger(Recipe(folder / "core", folder / "given", program=gdb))
    await debugger.start()
    try:
        assert "main.c" in await ask(debugger, "list main")
        assert "touch(0)" not in await ask(debugger, "with listsize 2 -- list main")
    finally:
        await debugger.close()


def test_copies_stay_in_their_folder(tmp_path: Path) -> None:
    source, own = tmp_path / "source", tmp_path / "own"
    source.mkdir()
    own.mkdir()
    (source / "plain").write_bytes(b"x")
    os.mkfifo(source / "pipe")
    row = "  0x1000  0x2000  0x1000  0x0  "
    names = [f"{source}/plain", f"{source}/../source/plain", f"/..{source}/pipe", "/", "/../.."]
    names += [f"{source}/plain/under", "/dev/null", f"{source}/{'n' * 300}", f"{source}/a\0b"]
    text = "".join(f"{row}{name}\n" for name in names)
    recipe, refused = guarded(Recipe(core=None), text, own)
    assert refused == [f"/..{source}/pipe", "/dev/null"]
    made = [path for path in own.rglob("*") if path.is_file() and not path.is_symlink()]
    assert made == [own / "root" / source.relative_to("/") / "plain"]
    assert recipe.sysroot == own / "root"


@pytest.mark.parametrize("size", [1, 7, 31, 33, 4096])
def test_leads_are_spoilt_wherever_blocks_are_cut(size: int) -> None:
    before = b"x" * 50 + b"\0.gnu_debuglink\0.gnu_debugaltlink\0.text\0y" + b".gnu_debuglink" * 3

    def blocks() -> Iterator[bytes]:
        for at in range(0, len(before), size):
            yield before[at : at + size]

    after = b"".join(_spoilt(blocks()))
    assert after == before.replace(b"\0.gnu_debug", b"\0-gnu_debug")
