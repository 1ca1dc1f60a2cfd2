"""A program's debug information may name any file: no private one is quoted for the tool."""

from pathlib import Path

import pytest

from tests.crashes import build, crash, gdbs, lldbs
from tests.debuggers.talk import ask
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import Recipe

SOURCE = '# 1 "{}"\nint main(void) {{ return *(volatile int *)0; }}\n'
ASKED = {
    "gdb": ("frame apply level 0 -q frame", "list main", "frame apply all -q frame"),
    "lldb": ("frame select 0", "source list -n main"),
}


@pytest.mark.parametrize("name", ["id_key", "linked.c", "plain.c"])
@pytest.mark.parametrize(
    ("kind", "program"), [("gdb", gdbs()[-1]), ("lldb", lldbs()[-1])], ids=["gdb", "lldb"]
)
async def test_only_source_files_are_quoted(
    tmp_path: Path, kind: str, program: Path, name: str
) -> None:
    (tmp_path / ("plain.c" if name == "plain.c" else "id_key")).write_text("the private words\n")
    if name == "linked.c":
        (tmp_path / name).symlink_to(tmp_path / "id_key")
    executable = build(SOURCE.format(tmp_path / name), "-g", "-O0")
    recipe = Recipe(core=crash(executable), executable=executable, program=program)
    debugger = GdbDebugger(recipe) if kind == "gdb" else LldbDebugger(recipe)
    await debugger.start()
    try:
        for command in ASKED[kind]:
            text = await ask(debugger, command)
            assert ("private words" in text) is (name == "plain.c"), text
            assert ("kept back" in text) is (name != "plain.c"), text
        assert "private words" in await ask(debugger, ASKED[kind][0], by="user")
    finally:
        await debugger.close()
