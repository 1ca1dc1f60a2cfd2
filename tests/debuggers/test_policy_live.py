"""Accepted commands on a live process, where a write would succeed: nothing is changed."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crashes import build
from workbench.debuggers.gdb import GdbDebugger
from workbench.debuggers.policy import check
from workbench.debuggers.protocol import Recipe

SOURCE = """
#include <errno.h>
#include <stdlib.h>
struct foo { int value; struct foo *next; };
int victim = 1;
int calls = 0;
int arr[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int touch(int by) { calls += by; return calls; }
int f(int count, struct foo *p) {
    struct foo *frame_local = p, *ptr = p, x = *p;
    int n = 2, a = 1, b = 2;
    char name[4] = "abc";
    return frame_local->value + ptr->value + x.value + n + a + b + name[0] + count;
}
int main(int argc, char **argv) {
    struct foo one = {5, 0};
    return f(argc, &one) + touch(0);
}
"""
ACCEPTED = Path(__file__).with_name("accepted.txt").read_text().splitlines()
# What may move is history: $1, $_, the current line of "list". Nothing that the dump is read with.
_MOVING = ("$", "history", "values", "convenience", "commands", "version", "user")


@pytest.fixture(scope="module")
def program() -> Path:
    return build(SOURCE, "-g", "-O0")


@pytest.fixture
async def live(program: Path, gdb: Path) -> AsyncIterator[GdbDebugger]:
    debugger = GdbDebugger(Recipe(core=None, executable=program, program=gdb))
    await debugger.start()
    for command in ("set may-call-functions on", "break f", "run", "next"):
        output = await debugger.execute(command, by="user", timeout=20)
        assert not output.partial, output
    yield debugger
    await debugger.close()


async def _ask(debugger: GdbDebugger, command: str) -> str:
    output = await debugger.execute(command, by="user", timeout=30)
    assert not output.partial, (command, output.reason)
    return output.read()


async def _state(debugger: GdbDebugger) -> dict[str, str]:
    shown = [
        line
        for line in (await _ask(debugger, "show")).splitlines()
        if not line.startswith(_MOVING) and "istory" not in line
    ]
    return {
        "registers": await _ask(debugger, "info registers"),
        "stack": await _ask(debugger, "x/256xb $sp"),
        "data": await _ask(debugger, "x/64xb &victim") + await _ask(debugger, "output calls"),
        "settings": "\n".join(shown),
        "breakpoints": await _ask(debugger, "info breakpoints"),
        "selection": await _ask(debugger, "info frame"),
    }


async def test_accepted_commands_change_nothing(live: GdbDebugger, tmp_path: Path) -> None:
    await _ask(live, f"cd {tmp_path}")
    before = await _state(live)
    for command in ACCEPTED:
        output = await live.execute(command, by="engine", timeout=30)
        assert not output.partial, (command, output.reason)
    assert await _state(live) == before
    assert os.listdir(tmp_path) == []


async def test_what_is_forbidden_would_have_changed_it(live: GdbDebugger, tmp_path: Path) -> None:
    await _ask(live, f"cd {tmp_path}")
    before = await _state(live)
    for command in ("p victim = 9", "p touch(3)", "shell touch x", "set print elements 3"):
        assert not check(command).accepted
        await _ask(live, command)
    after = await _state(live)
    assert after["data"] != before["data"]
    assert after["settings"] != before["settings"]
    assert os.listdir(tmp_path) == ["x"]
