"""lldb runs nothing that came with a dump, leaves nothing behind, takes no path for a command."""

import asyncio
import os
import shutil
import struct
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.debuggers.talk import WAITS, Clock, ask, begin
from tests.targets.minidump.builder import LINUX, Dump, amd64
from workbench.debuggers import session
from workbench.debuggers.channel import Channel, Ended
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import DebuggerUnavailable, DumpRefused, Recipe

CRASHES = "int main(void) { return *(volatile int *)0; }"


def _lay_traps(folder: Path, home: Path) -> None:
    """Every file that lldb or its Python might run by itself, each leaving a witness of its own."""
    home.mkdir()
    (home / ".lldbinit").write_text("platform shell touch $WITNESS/home\n")
    (home / ".lldbinit-lldb").write_text("platform shell touch $WITNESS/program\n")
    (folder / ".lldbinit").write_text("platform shell touch $WITNESS/local\n")
    scripts = folder / "victim.dSYM" / "Contents" / "Resources" / "Python"
    scripts.mkdir(parents=True)
    for place in (scripts / "victim.py", folder / "victim.py"):
        place.write_text("import os\nos.system('touch $WITNESS/script')\n")
    for name in ("lldb", "encodings", "six", "pygments"):
        (folder / f"{name}.py").write_text(f"import os\nos.system('touch $WITNESS/{name}')\n")


async def test_nothing_of_the_dump_is_run(
    lldb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, witness, home = tmp_path / "dump", tmp_path / "witness", tmp_path / "home"
    folder.mkdir()
    witness.mkdir()
    _lay_traps(folder, home)
    executable = build(CRASHES, "-g", "-O0")
    shutil.copy(crash(executable), folder / "core")
    shutil.copy(executable, folder / "victim")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WITNESS", str(witness))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    recipe = Recipe(core=folder / "core", executable=folder / "victim", program=lldb)
    debugger = LldbDebugger(recipe)
    await debugger.start()
    assert "main" in await ask(debugger, "bt")
    assert await debugger.complete("frame va") == ["frame variable"]
    await debugger.close()
    assert os.listdir(witness) == []
    # The traps are real: lldb as it comes walks into the first.
    argv = [str(lldb), "--batch", "-o", "settings set target.load-cwd-lldbinit true", "victim"]
    monkeypatch.delenv("PYTHONPATH")
    await asyncio.to_thread(
        subprocess.run, argv, cwd=folder, capture_output=True, timeout=60, check=False
    )
    assert os.listdir(witness)


@pytest.mark.parametrize(
    "name", ["a b", "it's", '"quoted"', "-o quit", "back\\slash", "new\nline", "`1`;|$HOME", "~"]
)
async def test_paths_are_only_paths(
    lldb: Path, core: Path, executable: Path, tmp_path: Path, name: str
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
        program=lldb,
    )
    debugger = LldbDebugger(recipe)
    await debugger.start()
    try:
        assert "inner(count=1, node=0x0000000000000000)" in await ask(debugger, "bt")
        shown = await ask(debugger, "settings show target.source-map", "user")
        assert shown.count(" -> ") == 1
    finally:
        await debugger.close()


@pytest.mark.parametrize("kept_path", [True, False])
async def test_sources_are_found_where_they_are_now(
    lldb: Path, tmp_path: Path, kept_path: bool
) -> None:
    build_place = tmp_path / "build" / "deep"
    build_place.mkdir(parents=True)
    source = build_place / "victim.c"
    source.write_text("int main(void) { /* here */ return *(volatile int *)0; }\n")
    executable = build(source, "-g", "-O0")
    core = crash(executable)
    now = tmp_path / "now"
    place = now / str(build_place).lstrip("/") if kept_path else now
    place.mkdir(parents=True)
    source.rename(place / "victim.c")
    recipe = Recipe(core=core, executable=executable, source_dirs=(now,), program=lldb)
    debugger = LldbDebugger(recipe)
    await debugger.start()
    try:
        assert "/* here */" in await ask(debugger, "frame select 0")
    finally:
        await debugger.close()


async def test_nothing_is_asked_of_the_network(lldb_debugger: LldbDebugger) -> None:
    urls = "settings show plugin.symbol-locator.debuginfod.server-urls"
    shown = await ask(lldb_debugger, urls, "user")
    assert "invalid value path" in shown or "http" not in shown
    for name, value in (("target.load-script-from-symbol-file", "false"),
                        ("symbols.enable-external-lookup", "false"),
                        ("target.load-cwd-lldbinit", "false")):  # fmt: skip
        assert f"= {value}" in await ask(lldb_debugger, f"settings show {name}", "user")


async def test_loading_quotes_no_file(lldb: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("the words of a stranger\n" * 9)
    source = f'# 1 "{tmp_path}/private"\nint main(void) {{ return *(volatile int *)0; }}'
    executable = build(source, "-g", "-O0")
    debugger = LldbDebugger(Recipe(core=crash(executable), executable=executable, program=lldb))
    await debugger.start()
    try:
        assert "stranger" not in debugger.opening.read()
        assert "stranger" not in await ask(debugger, "bt")
        assert "stranger" in await ask(debugger, "frame select 0", by="user")
    finally:
        await debugger.close()


async def test_a_pipe_that_the_dump_names_is_said(
    lldb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_STUCK", 1.0)
    executable = tmp_path / "victim"
    shutil.copy(build(CRASHES, "-g", "-O0"), executable)
    core = tmp_path / "core"
    shutil.copy(crash(executable), core)
    executable.unlink()
    os.mkfifo(executable)
    with pytest.raises(DebuggerUnavailable, match="lldb waits for a file that the dump names"):
        await LldbDebugger(Recipe(core=core, executable=executable, program=lldb)).start()


async def test_an_lldb_that_waits_at_its_start_is_started_again(
    lldb: Path, core: Path, executable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its threads seldom wait for each other; one such start is simulated."""
    real, starts = session.loaded, []

    async def first_stuck(channel: Channel, deadline: float) -> str | Ended:
        starts.append(channel)
        return "stuck" if len(starts) == 1 else await real(channel, deadline)

    monkeypatch.setattr(session, "loaded", first_stuck)
    debugger = LldbDebugger(Recipe(core=core, executable=executable, program=lldb))
    await debugger.start()
    try:
        assert "inner(count=1" in await ask(debugger, "bt")
        assert len(starts) > 1
    finally:
        await debugger.close()


@pytest.mark.parametrize("damage", [b"MDMP", b"MDMP" + b"\xff" * 400, b"\xcf\xfa\xed\xfe" * 9])
async def test_a_damaged_dump_is_refused(lldb: Path, tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "dump").write_bytes(damage)
    with pytest.raises(DumpRefused, match="lldb cannot open the dump: "):
        await LldbDebugger(Recipe(core=tmp_path / "dump", program=lldb)).start()


PARENT = """
import asyncio, sys
from pathlib import Path
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import Recipe

async def main(core, lldb, command):
    debugger = LldbDebugger(Recipe(core=Path(core), program=Path(lldb)))
    await debugger.start()
    print(debugger._session._channel.child.pid, flush=True)
    if command:
        await debugger.execute(command, by="user", timeout=60)
    await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["", "script import time; time.sleep(60)"])
def test_no_orphan_after_kill_9(lldb: Path, core: Path, command: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-c", textwrap.dedent(PARENT), str(core), str(lldb), command]
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    deadline = time.monotonic() + 40
    while Path(f"/proc/{pid}/stat").exists() and not _is_zombie(pid):
        assert time.monotonic() < deadline, "lldb outlived its parent"
        time.sleep(0.01)


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_triage_says_that_a_dump_was_refused(tmp_path: Path) -> None:
    """lldb takes no minidump whose directory leads out of the file; what our own reader still
    finds is reported, with a warning and without a cause."""
    made = Dump(platform=LINUX)
    made.thread(7, amd64(rip=0x401000, rsp=0x7FFE0000))
    raw = bytearray(made.build())
    count, directory = struct.unpack_from("<II", raw, 8)
    struct.pack_into("<I", raw, directory + 12 * (count - 1) + 8, 0x7FFFFFFF)
    dump = tmp_path / "cut.dmp"
    dump.write_bytes(raw)
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "triage", str(dump), "--debugger", "lldb",
         "--sessions-dir", str(tmp_path / "s"), "--tier", "offline"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "warning: No debugger: lldb cannot open the dump" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("deaf")
async def test_lldb_that_hears_nothing_is_started_again(
    lldb_debugger: LldbDebugger, clock: Clock
) -> None:
    deaf = f"script import signal; signal.pthread_sigmask(0, {{2}}); {WAITS}"
    task = await begin(lldb_debugger, deaf, "user")
    clock.run_out()
    output = await task
    assert output.partial
    assert "inner" in await ask(lldb_debugger, "bt")
    assert lldb_debugger.restarts == 1
