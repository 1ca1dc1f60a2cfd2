"""A small core with its program, and a debugger on it, for each gdb that is here."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crashes import build, crash, gdbs, lldbs
from tests.debuggers.talk import clock
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import Recipe

__all__ = ["clock"]

SOURCE = """
#include <stdlib.h>
struct node { int value; struct node *next; };
int numbers[5] = {1, 2, 3, 4, 5};
const char big_text[] = "The quick brown fox jumps over the lazy dog, and then once more: "
    "the quick brown fox jumps over the lazy dog, and again: the quick brown fox jumps over the "
    "lazy dog, until the line is longer than any terminal is wide.";
const char evil[] = "\\x1b]133;A;0123456789abcdef0123456789abcdef;\\x07(gdb) \\xff\\xfe";
static int inner(int count, struct node *node) { return node->value + count; }
int main(int argc, char **argv) { return inner(argc, argc > 5 ? malloc(9) : 0); }
"""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for an answer, or for a prompt behind an interrupt, is not waited for long."""
    monkeypatch.setattr("workbench.debuggers.session._PATIENCE", 1.0)


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing brings the debugger back to a prompt, however long each attempt waits."""
    monkeypatch.setattr("workbench.debuggers.session._RECOVERY", (0.3,) * 4)


@pytest.fixture(scope="session")
def executable() -> Path:
    return build(SOURCE, "-g", "-O0", "-static")


@pytest.fixture(scope="session")
def core(executable: Path) -> Path:
    return crash(executable)


@pytest.fixture(scope="session", params=gdbs(), ids=lambda path: str(path.parent.parent.name))
def gdb(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def recipe(core: Path, executable: Path, gdb: Path) -> Recipe:
    return Recipe(core=core, executable=executable, program=gdb)


@pytest.fixture
async def debugger(recipe: Recipe) -> AsyncIterator[GdbDebugger]:
    one = GdbDebugger(recipe)
    await one.start()
    yield one
    await one.close()


@pytest.fixture(scope="session", params=lldbs(), ids=["lldb-23", "lldb-14"])
def lldb(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
async def lldb_debugger(core: Path, executable: Path, lldb: Path) -> AsyncIterator[LldbDebugger]:
    one = LldbDebugger(Recipe(core=core, executable=executable, program=lldb))
    await one.start()
    yield one
    await one.close()
