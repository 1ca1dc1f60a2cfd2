"""Debuggers that are killed, hang, crash, print bytes, ask; dumps that go away. Each real one."""

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from tests.crashes import gdbs, lldbs
from tests.debuggers.talk import WAITS, Clock, ask, begin, pid_of
from tests.soak import SOAK
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import DebuggerDied, Recipe
from workbench.debuggers.queued import QueuedDebugger

ALL = [*(("gdb", path) for path in gdbs()), *(("lldb", path) for path in lldbs())]
NEWEST = [*ALL[:1], ("lldb", lldbs()[0])]
DUMP_WORDS = {"gdb": "x/200000xb", "lldb": "memory read --force --count 200000 --format x --size 1"}


def make(which: tuple[str, Path], core: Path, executable: Path) -> QueuedDebugger:
    kind, path = which
    recipe = Recipe(core=core, executable=executable, program=path)
    return GdbDebugger(recipe) if kind == "gdb" else LldbDebugger(recipe)


def python(debugger: QueuedDebugger, code: str) -> str:
    """A line of Python in the debugger's own interpreter, as a plugin of its would run."""
    return f"{'python' if debugger.name == 'gdb' else 'script'} {code}"


def _id(which: tuple[str, Path]) -> str:
    return f"{which[0]}-{which[1].parent.parent.name.strip('.')}"


@pytest.fixture(params=ALL, ids=_id)
def which(request: pytest.FixtureRequest) -> tuple[str, Path]:
    found: tuple[str, Path] = request.param
    return found


@pytest.fixture
def own_core(core: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged, named as a crash in this folder would name its own."""
    return Path(shutil.copy(core, tmp_path / "core"))


@pytest.fixture
async def debugger(
    which: tuple[str, Path], own_core: Path, executable: Path
) -> AsyncIterator[QueuedDebugger]:
    one = make(which, own_core, executable)
    await one.start()
    yield one
    await one.close()


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


async def alive(debugger: QueuedDebugger) -> None:
    assert "inner" in await ask(debugger, "bt")


async def test_killed_in_the_middle_of_a_command(debugger: QueuedDebugger) -> None:
    task = await begin(debugger, python(debugger, WAITS), "user")
    os.kill(pid_of(debugger), signal.SIGKILL)
    with pytest.raises(DebuggerDied, match="killed by SIGKILL during") as death:
        await task
    assert death.value.partial is not None
    assert death.value.partial.read() == "before\n"
    await alive(debugger)
    assert debugger.restarts == 1


async def test_hung_in_the_middle_of_a_command(debugger: QueuedDebugger, clock: Clock) -> None:
    task = await begin(debugger, python(debugger, WAITS), "engine")
    stopped = pid_of(debugger)
    os.kill(stopped, signal.SIGSTOP)
    clock.run_out()
    output = await task
    assert (output.partial, output.read()) == (True, "before\n")
    assert output.reason == "timed out after 100 s"
    await alive(debugger)
    assert debugger.restarts == 1
    with pytest.raises(ProcessLookupError):
        os.kill(stopped, 0)


async def test_crash_in_its_own_plugin(
    debugger: QueuedDebugger, own_core: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_core.parent)
    before = _bytes(own_core)
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    try:
        await debugger.restart("with cores of its own")
        code = "import ctypes; print('part', flush=True); ctypes.string_at(0)"
        with pytest.raises(DebuggerDied, match="SIGSEGV during") as death:
            await debugger.execute(python(debugger, code), by="engine", timeout=60)
        assert death.value.partial is not None
        assert "part\n" in death.value.partial.read()
        await alive(debugger)
        assert debugger.restarts == 3, "the engine's command is tried once more"
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    assert os.listdir(own_core.parent) == ["core"]
    assert _bytes(own_core) == before, "the debugger's core lies where the dump was"


async def test_bytes_that_are_no_text(debugger: QueuedDebugger) -> None:
    raw = (
        r"b'\x1b[2J\x1b[31mred\x1b[m \x00nul \xff\xfe\xc3( \xe2\x82\xac'"
        r" + b'\x1b]133;A;' + b'0' * 32 + b';\x07(gdb) \x9b31m \x1b]0;t\x07 \x1bP+q\x1b\\ end\n'"
    )
    text = await ask(debugger, python(debugger, f"import os; n = os.write(1, {raw})"), "user")
    assert text == "red \x00nul \ufffd\ufffd\ufffd( €(gdb) \ufffd31m   end\n"
    await alive(debugger)
    assert debugger.restarts == 0


@pytest.mark.usefixtures("impatient")
async def test_a_plugin_that_asks_a_question(debugger: QueuedDebugger) -> None:
    output = await debugger.execute(
        python(debugger, "print('before'); input('really? ')"), by="engine", timeout=30
    )
    assert output.partial
    assert output.reason == f"{debugger.name} asked a question"
    assert output.read().startswith("before\nreally? ")
    await alive(debugger)


@pytest.mark.parametrize("how", ["cut", "deleted"])
async def test_a_dump_that_goes_away(debugger: QueuedDebugger, own_core: Path, how: str) -> None:
    await alive(debugger)
    if how == "cut":
        os.truncate(own_core, 4096)
    else:
        os.unlink(own_core)
    for command in (f"{DUMP_WORDS[debugger.name]} $sp", "bt", "info threads"):
        with contextlib.suppress(DebuggerDied):
            await debugger.execute(command, by="engine", timeout=20)
    assert debugger.restarts <= 6
    # Whatever became of the dump, there is a debugger that answers.
    assert "7" in await ask(debugger, python(debugger, "print(3 + 4)"), "user")


PARENT = """
import asyncio, sys
from pathlib import Path
from tests.debuggers.test_faults import make
from workbench.debuggers.protocol import Recipe

async def main(kind, program, core, executable, end, *commands):
    debugger = make((kind, Path(program)), Path(core), Path(executable))
    await debugger.start()
    print(debugger._session._channel.child.pid, flush=True)
    for command in commands:
        await debugger.execute(command, by="user", timeout=20)
    busy = asyncio.create_task(debugger.execute(end, by="user", timeout=60))
    print("busy", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await debugger.close()
    busy.cancel()

asyncio.run(main(*sys.argv[1:]))
"""
SLEEP = 61.25  # seconds that no other process sleeps


CODES = {
    "busy": "exec('while True: pass')",
    "grandchild": f"import os; os.system('sleep {SLEEP}; true')",
    "child": f"import subprocess; subprocess.run(['sleep', '{SLEEP}'])",
    "asleep": f"import time; time.sleep({SLEEP})",
}


@pytest.mark.soak
@pytest.mark.parametrize("which", ALL if SOAK else NEWEST, ids=_id, indirect=True)
@pytest.mark.parametrize("killed", [True, False], ids=["kill-9", "closed"])
@pytest.mark.parametrize("code", CODES if SOAK else [*CODES][:2])
def test_nothing_is_left_behind(
    which: tuple[str, Path],
    core: Path,
    executable: Path,
    code: str,
    killed: bool,
    tmp_path: Path,
) -> None:
    word = "python" if which[0] == "gdb" else "script"
    mark = tmp_path / "begun"
    code = f"open({str(mark)!r}, 'w').close(); {CODES[code]}"
    has_child = "sleep {" in code or "'sleep'" in code or "'sleep " in code
    begun = _sleeps if has_child else lambda pid: mark.exists()
    left = _after(which, core, executable, killed, begun, f"{word} {code}")
    assert left == []


@pytest.mark.soak
@pytest.mark.parametrize("which", ALL if SOAK else NEWEST, ids=_id, indirect=True)
@pytest.mark.parametrize("killed", [True, False], ids=["kill-9", "closed"])
def test_no_process_that_a_person_ran_is_left_behind(
    which: tuple[str, Path], core: Path, executable: Path, killed: bool
) -> None:
    sleeper = shutil.which("sleep") or "/bin/sleep"
    commands = {
        "gdb": (f"file {sleeper}", f"run {SLEEP}"),
        "lldb": (f"target create {sleeper}", f"process launch -- {SLEEP}"),
    }[which[0]]
    # lldb's server lets go of the program when lldb is gone: it goes on, as without us.
    own = [f"{sleeper} {SLEEP} "] if killed and which[0] == "lldb" else []
    assert _after(which, core, executable, killed, _sleeps, *commands, own=own) == []


def _sleeps(pid: int) -> bool:
    """True once the program that a debugger is to start runs."""
    return any(re.match(rf"\S*sleep {SLEEP} $", _name(one)) for one in _below(pid))


def _after(
    which: tuple[str, Path],
    core: Path,
    executable: Path,
    killed: bool,
    begun: Callable[[int], bool],
    *commands: str,
    own: Sequence[str] = (),
) -> list[str]:
    """What still runs of a workbench's debugger once it has ended, but for the person's ``own``;
    it ends when the debugger's command has ``begun``, which is told its process id."""
    argv = [sys.executable, "-c", textwrap.dedent(PARENT), which[0], str(which[1])]
    argv += [str(core), str(executable), commands[-1], *commands[:-1]]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == "busy\n"
        deadline = time.monotonic() + 60
        while not begun(pid):
            assert time.monotonic() < deadline, "the command was never begun"
            time.sleep(0.02)
        family = [pid, *_below(pid)]
        if killed:
            parent.kill()
        else:
            parent.stdin.write("\n")
            parent.stdin.flush()
        parent.wait(60)
    deadline = time.monotonic() + 30
    while left := [name for one in family if _runs(one) and (name := _name(one)) not in own]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    for one in family:
        if _runs(one):
            os.kill(one, signal.SIGKILL)
    return left


def _below(pid: int) -> list[int]:
    parents = {
        int(path.name): int(found[1])
        for path in Path("/proc").glob("[0-9]*")
        if (found := re.search(r"^PPid:\s*(\d+)", _status(path), re.MULTILINE))
    }
    family = {pid}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return sorted(family - {pid})


def _status(process: Path) -> str:
    try:
        return (process / "status").read_text()
    except OSError:
        return ""


def _runs(pid: int) -> bool:
    status = _status(Path(f"/proc/{pid}"))
    return bool(status) and not re.search(r"^State:\s*[ZX]", status, re.MULTILINE)


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
