"""The wire to a program on a terminal, with programs that read late or never."""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.debuggers.channel import Channel
from workbench.debuggers.display import DisplayStream
from workbench.debuggers.pty import spawn

SLEEPS = "import threading, time; threading.Thread(target=time.sleep, args=[60]).start()"
LATE = """
import os, sys, time
while not os.path.exists(sys.argv[1] + ".go"):
    time.sleep(0.01)
with open(sys.argv[1], "wb") as copy:
    while (line := sys.stdin.buffer.readline()) != b"end\\n":
        copy.write(line)
"""


def _channel(folder: Path, *argv: str) -> Channel:
    child = spawn([sys.executable, *argv], os.environ, 24, 80)
    return Channel(child, "0" * 32, folder, DisplayStream(asyncio.get_running_loop()))


@pytest.fixture
def lines() -> list[bytes]:
    return [b"%06d %s\n" % (number, b"x" * 200) for number in range(5000)]


async def test_a_program_that_reads_late_gets_every_byte_in_order(
    tmp_path: Path, lines: list[bytes]
) -> None:
    channel = _channel(tmp_path, "-c", LATE, str(tmp_path / "copy"))
    channel.start()
    for line in lines:
        channel.send(line)
    channel.send(b"end\n")
    (tmp_path / "copy.go").touch()  # it reads from here on: nothing above waited for that
    async with asyncio.timeout(40):
        await channel.events.get()
    await channel.join()
    assert (tmp_path / "copy").read_bytes() == b"".join(lines)


@pytest.mark.parametrize("kill", [True, False])
async def test_a_program_that_never_reads_stops_nobody(
    tmp_path: Path, lines: list[bytes], kill: bool
) -> None:
    code = "import time; time.sleep(60)" if kill else "import time; time.sleep(0.4)"
    channel = _channel(tmp_path, "-c", code)
    channel.start()
    for line in lines:
        channel.send(line)
    busy = time.process_time()
    await asyncio.sleep(0.3)
    assert time.process_time() - busy < 0.2
    if kill:
        channel.child.signal(9)
    async with asyncio.timeout(40):
        await channel.events.get()
    channel.send(b"to nobody\n")
    await channel.join()
    assert channel.child.master == -1


async def test_a_short_write_is_continued(
    tmp_path: Path, lines: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    write: Callable[[int, bytes], int] = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:7])))
    channel = _channel(tmp_path, "-c", LATE, str(tmp_path / "copy"))
    channel.start()
    for line in lines[:20]:
        channel.send(line)
    channel.send(b"end\n")
    (tmp_path / "copy.go").touch()
    async with asyncio.timeout(40):
        await channel.events.get()
    await channel.join()
    assert (tmp_path / "copy").read_bytes() == b"".join(lines[:20])


@pytest.mark.parametrize(("code", "rests"), [("while True: pass", False), (SLEEPS, True)])
def test_a_program_is_at_rest_when_none_of_its_threads_runs(code: str, rests: bool) -> None:
    child = spawn([sys.executable, "-u", "-c", f"print('begun')\n{code}"], os.environ, 24, 80)
    try:
        while b"begun" not in child.read():
            pass
        deadline = time.monotonic() + 60
        while child.is_at_rest() is not rests and time.monotonic() < deadline:
            time.sleep(0.01)
        assert child.is_at_rest() is rests
    finally:
        child.kill()
        while child.read():
            pass
        child.reap()
        child.hang_up()
