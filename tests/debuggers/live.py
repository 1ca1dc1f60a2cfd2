"""A live process in a debugger, where a write would succeed, and all that it may have changed.

What a policy accepts is run here; `changed_by` tells which command left anything behind.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.debuggers.protocol import Asker
from workbench.debuggers.queued import QueuedDebugger

SOURCE = """
#include <errno.h>
#include <stdlib.h>
#define wipe (victim = 9)
#define spoil ($rax = 77)
struct foo { int value; struct foo *next; };
int victim = 1;
int calls = 0;
int arr[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int touch(int by) { calls += by; return calls; }
int f(int count, struct foo *p) {
    struct foo *frame_local = p, *ptr = p, x = *p;
    int n = 2, a = 1, b = 2;
    char name[4] = "abc";
    char *heap = malloc(100);
    heap[0] = name[0];
    return frame_local->value + ptr->value + x.value + n + a + b + name[0] + count + heap[0];
}
int main(int argc, char **argv) {
    struct foo one = {5, 0};
    return f(argc, &one) + touch(0);
}
"""


@dataclass(frozen=True)
class Host:
    """How a debugger gets to the middle of ``f``, and what shows all that could be changed.

    ``state`` has a command for each thing; of its output the lines that ``moving`` finds do not
    count: history, and where a listing goes on.
    """

    begin: Sequence[str]
    state: Mapping[str, str]
    moving: re.Pattern[str]


GDB = Host(
    # A debugger as it comes: no setting of ours that would stop what the policy lets through.
    # What it would look for in the debug information of the C library is no part of the question.
    begin=(
        "set may-call-functions on",
        "set debug-file-directory",
        "break f",
        "run",
        "next",
        "next",
    ),
    state={
        "registers": "info registers",
        "stack": "x/512xb $sp",
        "data": "x/64xb &victim",
        "calls": "output calls",
        "settings": "show",
        "breakpoints": "info breakpoints",
        "selection": "info frame",
        "threads": "info threads",
        "files": "info files",
        "skips": "info skip",
        "displays": "info display",
        "signals": "info signals",
        "user": "show user",
    },
    moving=re.compile(r"^\$|^may-write|history|values|convenience|^commands|^version|^user|istory"),
)


async def begin(debugger: QueuedDebugger, host: Host, folder: Path) -> None:
    """Run to the middle of ``f``, in a folder with one file."""
    (folder / "kept").write_text("as it was")
    for command in (*host.begin, f"cd {folder}"):
        await told(debugger, command)


async def told(debugger: QueuedDebugger, command: str) -> str:
    """The whole output of a person's command."""
    output = await debugger.execute(command, by="user", timeout=30)
    assert not output.partial, (command, output.reason)
    return output.read()


async def state(debugger: QueuedDebugger, host: Host, folder: Path) -> dict[str, str]:
    """Everything that could have been changed, by what it is."""
    shown = {}
    for name, command in host.state.items():
        lines = (await told(debugger, command)).splitlines()
        shown[name] = "\n".join(line for line in lines if not host.moving.search(line))
    shown["folder"] = _listing(folder)
    return shown


def _listing(folder: Path) -> str:
    return "\n".join(
        f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(folder.iterdir())
    )


async def changed_by(
    debugger: QueuedDebugger, host: Host, folder: Path, commands: Sequence[str]
) -> list[tuple[str, str]]:
    """Run commands; those that left something behind, with what it was.

    They run for the engine, which is what the product does, and then as the person's, which
    nothing but the policy keeps from writing; the latter without those that select a frame.
    All at once first: each alone only when something has changed.
    """
    free = [command for command in commands if not debugger.words.moves_selection(command)]
    asked: list[tuple[Asker, Sequence[str]]] = [("engine", commands), ("user", free)]
    found = []
    before = await state(debugger, host, folder)
    for by, some in asked:
        await _run(debugger, some, by)
        after = await state(debugger, host, folder)
        if after == before:
            continue
        found.append((f"one of {len(some)}", _differing(before, after)))
        for command in some:
            await _run(debugger, [command], by)
            before, after = after, await state(debugger, host, folder)
            if after != before:
                found.append((command, _differing(before, after)))
        before = after
    return found


async def _run(debugger: QueuedDebugger, commands: Sequence[str], by: Asker) -> None:
    for command in commands:
        output = await debugger.execute(command, by=by, timeout=30)
        assert not output.partial or "is a macro" in output.reason, (command, output.reason)


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    return ", ".join(name for name in before if before[name] != after[name])
