"""A core of a machine with another C library: no debugger may name frames by this machine's."""

from pathlib import Path

import pytest

from tests.crashes import build, crash
from workbench.debuggers.choose import make
from workbench.debuggers.matched import matched
from workbench.debuggers.protocol import Recipe
from workbench.engine.recipe import recipe_for
from workbench.model.target import Options
from workbench.targets.identify import identify, open_core

SOURCE = """
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(volatile int *)0; }
int main(void) { int x[4] = {3, 2, 1, 0}; qsort(x, 4, 4, order); return x[0]; }
"""
PROGRAMS = [
    ("gdb", None, "bt"),
    ("gdb", "/usr/bin/gdb", "bt"),
    ("lldb", None, "bt"),
    ("lldb", "/usr/bin/lldb-14", "bt"),
]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The core of a crash inside of qsort, with another build id where libc has its own."""
    core = crash(build(SOURCE, "-g", "-O0"))
    data = bytearray(core.read_bytes())
    with open_core(core) as opened:
        library = next(m for m in opened.modules if m.name.startswith("libc.so"))
        build_id = bytes.fromhex(library.build_id or "")
    at = data.find(build_id)
    assert at > 0
    while at >= 0:
        data[at : at + 4] = b"\xde\xad\xbe\xef"
        at = data.find(build_id, at + 1)
    path = tmp_path_factory.mktemp("other") / "core"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(("name", "program", "command"), PROGRAMS)
async def test_no_frame_by_a_wrong_library(
    other: Path, tmp_path: Path, name: str, program: str | None, command: str
) -> None:
    target = identify(other)
    assert target.files is not None
    wrong = [path for path, file in target.files if file is None]
    assert [path.rsplit("/", 1)[-1] for path in wrong] == ["libc.so.6"]
    debugger = make(
        recipe_for(target, Options(), name, tmp_path), {name: Path(program)} if program else {}
    )
    assert debugger is not None
    try:
        await debugger.start()
        text = (await debugger.execute(command, by="engine", timeout=60)).read()
    finally:
        await debugger.close()
    assert "order" in text
    assert "msort" not in text
    assert "qsort" not in text


def test_right_files_need_no_root(tmp_path: Path) -> None:
    core = crash(build(SOURCE, "-g", "-O0"))
    target = identify(core)
    assert target.files is None
    recipe = recipe_for(target, Options(), "gdb", tmp_path)
    assert matched(recipe, tmp_path) is recipe
    assert not list(tmp_path.iterdir())


def test_the_root_holds_links_and_writes_through_none(tmp_path: Path) -> None:
    folder, system = tmp_path / "own", tmp_path / "system"
    folder.mkdir()
    system.mkdir()
    (system / "libz.so.1.3").write_bytes(b"right")
    (system / "libz.so.1").symlink_to("libz.so.1.3")
    files = [
        ("/usr/lib/libz.so.1.3", system / "libz.so.1.3"),
        ("/usr/lib/libz.so.1.3", None),
        ("/../../lib/libc.so.6", None),
        ("/", None),
        ("/usr/lib/libz.so.1/deeper", None),
    ]
    made = matched(Recipe(core=None, files=files), folder, stubs=True)
    root = folder / "matched"
    assert made.sysroot == root
    assert (root / "lib" / "libz.so.1").read_bytes() == b"right"
    assert (system / "libz.so.1.3").read_bytes() == b"right"
    assert (root / "usr" / "lib" / "libc.so.6").read_bytes().startswith(b"\x7fELF")
    assert {path.name for path in tmp_path.iterdir()} == {"own", "system"}
    assert matched(made, folder) == made
