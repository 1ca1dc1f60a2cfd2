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


@pytest.mark.parametrize("name", ["id_key", "linked.c", "settings.py", ".netrc.c", "plain.c"])
@pytest.mark.parametrize(
    ("kind", "program"), [("gdb", gdbs()[-1]), ("lldb", lldbs()[-1])], ids=["gdb", "lldb"]
)
async def test_only_source_files_are_quoted(
    tmp_path: Path, kind: str, program: Path, name: str
) -> None:
    (tmp_path / ("id_key" if name == "linked.c" else name)).write_text("the private words\n")
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


@pytest.mark.parametrize("line", [1, 9])  # 9: of the other file nothing is shown
async def test_instructions_between_the_lines_of_several_files(tmp_path: Path, line: int) -> None:
    key, source = tmp_path / "id_key", tmp_path / "main.c"
    key.write_text("the private words\n")
    source.write_text(
        f'# 1 "{key}"\nstatic inline __attribute__((always_inline)) int look(int *p)'
        f' {{ return *p; }}\n# {line} "{source}"\nint main(void) {{ return look(0) + 1; }}\n'
    )
    executable = build(source, "-g", "-O1")
    recipe = Recipe(core=crash(executable), executable=executable, program=gdbs()[-1])
    debugger = GdbDebugger(recipe)
    await debugger.start()
    try:
        text = await ask(debugger, "disassemble /s main")
        assert "kept back" in text
        assert "private words" not in text
        assert "private words" in await ask(debugger, "disassemble /s main", by="user")
    finally:
        await debugger.close()
