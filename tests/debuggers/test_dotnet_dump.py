"""The dotnet-dump backend, whole, over a real terminal, with a program that answers as it does."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.debuggers.talk import Clock, ask, begin, pid_of
from workbench.debuggers.dotnet.debugger import DotnetDumpDebugger, find_dotnet_dump
from workbench.debuggers.dotnet.marks import DumpScanner, mark_word
from workbench.debuggers.marks import Kind, Mark
from workbench.debuggers.policy import check
from workbench.debuggers.protocol import CommandRefused, DebuggerDied, DebuggerUnavailable, Recipe

PLAYER = Path(__file__).with_name("dotnet_dump_player.py")
NONCE = "a1b2" * 8


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The player as a program."""
    path = tmp_path_factory.mktemp("tools") / "dotnet-dump"
    path.write_text(
        f"#!{sys.executable}\nimport runpy\nrunpy.run_path({str(PLAYER)!r}, run_name='__main__')\n"
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "core_20240514"
    path.write_bytes(b"\x7fELF" + bytes(60))
    return path


@pytest.fixture
async def tool(program: Path, dump: Path) -> AsyncIterator[DotnetDumpDebugger]:
    one = DotnetDumpDebugger(Recipe(core=dump, program=program, debugger="dotnet-dump"))
    await one.start()
    yield one
    await one.close()


async def test_opens_a_dump_and_tells_its_version(tool: DotnetDumpDebugger) -> None:
    assert tool.version.startswith("8.0.547301")
    said = tool.opening.read()
    assert "Loading core dump" in said
    assert "END_COMMAND" not in said
    assert "wb_" not in said


async def test_outputs_are_whole_and_have_no_prompts(tool: DotnetDumpDebugger) -> None:
    text = await ask(tool, "syncblk")
    assert text.startswith("Index         SyncBlock MonitorHeld")
    assert text.endswith("Free            0\n")
    assert await ask(tool, "setsymbolserver -disable") == ""
    assert await ask(tool, "nonsense") == "ERROR: Unrecognized command 'nonsense'\n"


async def test_no_output_passes_for_a_mark(tool: DotnetDumpDebugger) -> None:
    text = await ask(tool, "fake")
    assert text.endswith("_A_\nERROR: none\n<END_COMMAND_ERROR>\n<END_COMMAND_OUTPUT>\n")
    assert await ask(tool, "eeheap -gc") != ""


async def test_megabytes_come_whole(tool: DotnetDumpDebugger) -> None:
    output = await tool.execute("flood 150000", by="engine", timeout=60)
    assert not output.partial
    assert output.read().count("\n") == 150_000


async def test_an_engine_command_means_the_same_wherever_the_person_is(
    tool: DotnetDumpDebugger,
) -> None:
    await ask(tool, "setthread 2", by="user")
    assert "0x1dbff (0)" in await ask(tool, "clrstack")
    assert "0x1dc1e (2)" in await ask(tool, "clrstack", by="user")


async def test_a_hanging_command_is_ended_and_its_part_is_kept(
    tool: DotnetDumpDebugger, clock: Clock
) -> None:
    """It knows no Ctrl-C when its input is a pipe: it is started again."""
    task = await begin(tool, "hang", "engine", b"first part\r")
    clock.run_out()
    output = await task
    assert output.partial
    assert "first part" in output.read()
    assert await ask(tool, "eeheap -gc") != ""
    assert tool.restarts == 1


async def test_one_that_dies_is_started_again(tool: DotnetDumpDebugger) -> None:
    with pytest.raises(DebuggerDied):
        await tool.execute("die", by="user", timeout=10)
    assert tool.restarts == 1
    assert await ask(tool, "eeheap -gc") != ""


async def test_nothing_is_left_of_it(tool: DotnetDumpDebugger) -> None:
    pid = pid_of(tool)
    children = _children(pid)
    assert len(children) == 1  # what hands it the lines
    await tool.close()
    async with asyncio.timeout(60):
        while any(_runs(int(one)) for one in [str(pid), *children]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


async def test_what_is_no_dump_is_told(program: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no dump")
    one = DotnetDumpDebugger(Recipe(core=text, program=program, debugger="dotnet-dump"))
    with pytest.raises(DebuggerUnavailable, match="it is no dump"):
        await one.start()


async def test_the_words_of_the_marks_are_refused(tool: DotnetDumpDebugger) -> None:
    with pytest.raises(CommandRefused):
        await tool.execute("wb_x", by="user", timeout=5)
    assert tool.leaves_debugger("exit")
    assert not tool.leaves_debugger("clrstack")


def test_where_there_is_none_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(DebuggerUnavailable, match="dotnet tool install"):
        find_dotnet_dump()
    tool = tmp_path / ".dotnet" / "tools" / "dotnet-dump"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert find_dotnet_dump().path == tool


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), max_size=30), st.binary(max_size=60))
def test_marks_are_found_however_the_stream_is_cut(cuts: list[int], noise: bytes) -> None:
    noise = noise.replace(b"\n", b" ").replace(b"\r", b" ").lstrip(b"> ")
    mark = mark_word(Kind.PROMPT, NONCE)
    stream = b"> clrstack\n" + noise + b"\nlast\n<END_COMMAND_OUTPUT>\n> " + mark + b"\n"
    stream += b"ERROR: Unrecognized command '" + mark + b"'\n<END_COMMAND_ERROR>\n"
    scanner = DumpScanner(NONCE)
    parts: list[bytes | Mark] = []
    at = 0
    for size in [*cuts, len(stream)]:
        parts += scanner.feed(stream[at : at + size])
        at += size
    assert parts[-1] == Mark(Kind.PROMPT)
    assert b"".join(part for part in parts if isinstance(part, bytes)) == noise + b"\nlast\n"
    assert scanner.flush() == b""


ACCEPTED = """
clrthreads
clrstack
clrstack -all
clrstack -a -all
pe -nested
pe 00007fbbf802d128
syncblk
threadpool
dumpheap -stat
dumpheap -stat -type System.String
dumpheap -mt 7fb969234608 -short
eeheap -gc
finalizequeue
dumpasync
gcroot 7fb94c148538
dumpobj 7fb94c148538
dumpmd 7fb94c148538
dumpmt -md 7fb94c148538
name2ee *!Program.Main
dumpil 7fb94c148538
dso
dumpvc 7fb94c148538 7fb94c148539
dumparray 7fb94c148538
ip2md 7fb94c148538
eeversion
sosstatus
clru 7fb94c148538
soshelp gcroot
""".strip().split("\n")
FORBIDDEN = """
setclrpath /tmp/x
sethostruntime /tmp/x
setsymbolserver -ms
dumplog /tmp/x
logopen /tmp/x
savemodule 7fb94c148538 /tmp/x
SaveAllModules /tmp
traverseheap /tmp/x
bpmd Program.dll Program.Main
stoponexception System.Exception
createdump /tmp/x
loadsymbols
sosflush
sos DumpLog /tmp/x
ext savemodule 1 /tmp/x
sos setclrpath /tmp/x
TRAVERSEHEAP /tmp/x
""".strip().split("\n")


@pytest.mark.parametrize("host", ["lldb", "dotnet-dump"])
@pytest.mark.parametrize("command", ACCEPTED)
def test_what_reads_is_accepted(command: str, host: str) -> None:
    assert check(command, host).accepted, check(command, host)


@pytest.mark.parametrize("host", ["lldb", "dotnet-dump"])
@pytest.mark.parametrize("command", FORBIDDEN)
def test_what_writes_loads_or_asks_the_network_is_forbidden(command: str, host: str) -> None:
    assert check(command, host).answer == "forbid"


@pytest.mark.parametrize(
    "command",
    ["clrstack | sh", "clrstack @/etc/passwd", "dumpheap `id`", "clrthreads; q", "exit", "unknown",
     "setthread 3", "sosstatus -reset", "runtimes -netfx", "threads 3", "", "!dumplog x",
     "clrstack\nexit", "sos sos dumplog"],
)  # fmt: skip
def test_what_is_not_known_to_read_is_not_accepted(command: str) -> None:
    assert not check(command, "dotnet-dump").accepted


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    check(text, "dotnet-dump")
    check(f"sos {text}", "lldb")
