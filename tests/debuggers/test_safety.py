"""Nothing that came with a dump is run, nothing is left behind, no path is read as a command."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.crashes import build, crash, needed
from tests.debuggers.talk import ask, pid_of
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.gdb.find import find_gdb
from workbench.debuggers.private_folder import PrivateFolder
from workbench.debuggers.protocol import DebuggerDied, DebuggerUnavailable, Recipe

HOSTILE = r"""
asm(".pushsection \".debug_gdb_scripts\", \"MS\",@progbits,1\n"
    ".byte 4\n"
    ".ascii \"gdb.inlined-script\\n\"\n"
    ".ascii \"import os\\n\"\n"
    ".ascii \"open(os.environ['WITNESS'] + '/section', 'w').close()\\n\"\n"
    ".byte 0\n"
    ".popsection\n");
int main(void) { *(volatile int *)0 = 1; }
"""


def _lay_traps(folder: Path, home: Path) -> None:
    """Every file that some gdb runs by itself, each leaving a witness of its own."""
    home.mkdir()
    allow = "set auto-load safe-path /\nset auto-load local-gdbinit on\nadd-auto-load-safe-path /\n"
    (home / ".gdbinit").write_text(f"{allow}shell touch $WITNESS/home\n")
    (home / ".gdbearlyinit").write_text("shell touch $WITNESS/early\n")
    (folder / ".gdbinit").write_text("shell touch $WITNESS/local\n")
    for name in ("victim", "core"):
        (folder / f"{name}-gdb.gdb").write_text(f"shell touch $WITNESS/{name}.gdb\n")
        (folder / f"{name}-gdb.py").write_text(
            f"import os\nopen(os.environ['WITNESS'] + '/{name}.py', 'w').close()\n"
        )
    for name in ("pygments", "encodings", "gdb"):
        (folder / f"{name}.py").write_text(f"import os\nos.system('touch $WITNESS/{name}')\n")


async def test_nothing_of_the_dump_is_run(
    gdb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, witness, home = tmp_path / "dump", tmp_path / "witness", tmp_path / "home"
    folder.mkdir()
    witness.mkdir()
    _lay_traps(folder, home)
    executable = build(HOSTILE, "-g", "-O0")
    shutil.copy(crash(executable), folder / "core")
    shutil.copy(executable, folder / "victim")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WITNESS", str(witness))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    debugger = GdbDebugger(Recipe(core=folder / "core", executable=folder / "victim", program=gdb))
    await debugger.start()
    assert "main" in await ask(debugger, "bt")
    await ask(debugger, "list main")
    await debugger.close()
    assert os.listdir(witness) == []
    # The traps are real: gdb as it comes walks into them.
    monkeypatch.delenv("PYTHONPATH")
    argv = [str(gdb), "-batch", "victim", "core", "-iex", "set debuginfod enabled off"]
    await asyncio.to_thread(
        subprocess.run, argv, cwd=folder, capture_output=True, timeout=60, check=False
    )
    sprung = set(os.listdir(witness))
    assert {"home", "early", "local", "section", "victim.py", "victim.gdb"} <= sprung


@pytest.mark.parametrize(
    "name",
    ["a b", "it's", '"quoted"', "-ex shell touch evil", "back\\slash", "new\nline", "$HOME;|", "~"],
)
async def test_paths_are_only_paths(
    gdb: Path, core: Path, executable: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    shutil.copy(core, folder / name)
    shutil.copy(executable, folder / f"{name}.exe")
    recipe = Recipe(
        core=folder / name,
        executable=folder / f"{name}.exe",
        sysroot=folder,
        source_dirs=(folder, tmp_path / "other:dir"),
        program=gdb,
    )
    debugger = GdbDebugger(recipe)
    await debugger.start()
    try:
        assert "inner (count=1, node=0x0)" in await ask(debugger, "bt")
        assert len((await ask(debugger, "show directories")).split(":")) == 5
    finally:
        await debugger.close()


PARENT = """
import asyncio, sys
from pathlib import Path
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.protocol import Recipe

async def main(core, gdb, command):
    debugger = GdbDebugger(Recipe(core=Path(core), program=Path(gdb)))
    await debugger.start()
    print(debugger._session._channel.child.pid, flush=True)
    if command:
        await debugger.execute(command, by="user", timeout=60)
    await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["", "python while True: pass", "shell sleep 60"])
def test_no_orphan_after_kill_9(
    gdb: Path, core: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    argv = [sys.executable, "-c", textwrap.dedent(PARENT), str(core), str(gdb), command]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    deadline = time.monotonic() + 40
    while _runs(pid):
        assert time.monotonic() < deadline, "gdb outlived its parent"
        time.sleep(0.01)
    (left,) = tmp_path.iterdir()
    mine = PrivateFolder(tmp_path)
    assert not left.exists()
    PrivateFolder(tmp_path).remove()
    assert mine.path.exists()
    mine.remove()
    assert list(tmp_path.iterdir()) == []


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def test_start_that_fails_says_why(core: Path, tmp_path: Path) -> None:
    program = tmp_path / "gdb"
    program.write_text("#!/bin/sh\necho cannot do it\nexit 3\n")
    program.chmod(0o700)
    with pytest.raises(DebuggerUnavailable, match=r"status 3 .*cannot do it"):
        await GdbDebugger(Recipe(core=core, program=program)).start()
    program.write_text("#!/bin/sh\nsleep 60\n")
    with pytest.raises(DebuggerUnavailable, match="did not load"):
        await GdbDebugger(Recipe(core=core, program=program, start_timeout=0.5)).start()


async def test_core_that_is_none_is_said_not_raised(gdb: Path, tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"\x7fELF nonsense")
    debugger = GdbDebugger(Recipe(core=tmp_path / "core", program=gdb))
    await debugger.start()
    assert "not a core dump" in debugger.opening.read()
    await debugger.close()


def test_order_of_debuggers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "_vendor" in str(find_gdb().path)
    system = needed("/usr/bin/gdb")
    assert "asked for" in find_gdb(system).why
    assert find_gdb(system).path == system
    with pytest.raises(DebuggerUnavailable):
        find_gdb(tmp_path / "none")


async def test_no_other_modules_are_found(core: Path) -> None:
    """Each line of a .pth file that begins with import runs wherever its folder is a site's."""
    debugger = GdbDebugger(Recipe(core=core))
    await debugger.start()
    sites = "[one for one in sys.path if one.endswith('packages')]"
    shown = await ask(debugger, f"python import sys; print({sites})")
    assert shown == f"{[str(find_gdb().path.parents[3])]}\n"
    await debugger.close()


async def test_output_is_bounded(core: Path, executable: Path, gdb: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    recipe = Recipe(
        core=core, executable=executable, program=gdb, spool=spool, output_limit=1_000_000
    )
    debugger = GdbDebugger(recipe)
    await debugger.start()
    output = await debugger.execute("python while True: print('x' * 1000)", by="engine", timeout=30)
    assert output.partial
    assert "cut at 1000000 bytes" in output.reason
    assert output.size == 1_000_000
    assert output.path is not None
    assert output.path.is_relative_to(spool)
    assert await ask(debugger, "p 7") == "$1 = 7\n"
    await debugger.close()
    assert os.listdir(spool) == []


async def test_memory_does_not_grow_with_the_output(debugger: GdbDebugger) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    debugger.display = lambda data: None
    before = resident()
    command = "shell head -c 200000000 /dev/zero | tr '\\\\0' x"
    output = await debugger.execute(command, by="user", timeout=60)
    assert output.size == 200_000_000
    assert resident() - before < 64 << 20
    assert pid_of(debugger) > 0


async def test_history_is_written_over_nothing(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spool = tmp_path / "spool"
    debugger = GdbDebugger(recipe._replace(spool=spool))
    await debugger.start()
    try:
        shown = await ask(debugger, "show history filename")
        assert debugger._folder is not None
        private = debugger._folder.path
        assert str(private / "history") in shown
        for command in ("set history save on", "set history size 100", "p 1"):
            await ask(debugger, command, by="user")
        with pytest.raises(DebuggerDied):
            await debugger.execute("quit", by="user", timeout=60)
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
        assert os.listdir(tmp_path) == ["spool"]
        assert await ask(debugger, "p 7") == "$1 = 7\n"
    finally:
        await debugger.close()
    assert os.listdir(spool) == []
    assert not private.exists()


def test_an_output_is_bounded_unasked() -> None:
    assert Recipe(core=None).output_limit > 1 << 30


async def test_loading_quotes_no_file(gdb: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("the words of a stranger\n" * 9)
    source = f'# 1 "{tmp_path}/private"\nint main(void) {{ return *(volatile int *)0; }}'
    executable = build(source, "-g", "-O0")
    debugger = GdbDebugger(Recipe(core=crash(executable), executable=executable, program=gdb))
    await debugger.start()
    try:
        assert "main () at" in debugger.opening.read()
        assert "stranger" not in debugger.opening.read()
        assert "stranger" in await ask(debugger, "frame 0", by="user")
    finally:
        await debugger.close()
