"""Debug information with macros (-g3) is data, too: gdb expands them in what a person types."""

from pathlib import Path

import pytest

from tests.crashes import build, crash, gdbs
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.protocol import Recipe


@pytest.mark.parametrize("gdb", gdbs(), ids=lambda path: path.parent.parent.name)
async def test_a_macro_cannot_reach_the_shell(gdb: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = build(
        f'#define conn $_shell("touch {mark}")\n'
        "int peek(int *p) { return *p; }\nint main(void) { return peek(0); }\n",
        "-g3",
        "-O0",
    )
    debugger = GdbDebugger(Recipe(core=crash(program), executable=program, program=gdb))
    await debugger.start()
    try:
        for command in ("p conn", "x/s conn", "info symbol conn", 'p $_shell("true")'):
            await debugger.execute(command, by="user", timeout=20)
        assert not mark.exists()
    finally:
        await debugger.close()
