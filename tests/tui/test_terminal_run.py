"""The program in a real terminal: it leaves as promised and says how to go on."""

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest


def converse(command: list[str], steps: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    """Run a command on a pty; after each awaited text send its keys. Exit status and output."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40")
        os.execv(command[0], command)
    seen, at, ends = b"", 0, time.monotonic() + 60
    pending = list(steps)
    while time.monotonic() < ends:
        ready, _, _ = select.select([fd], [], [], 0.1)
        if ready:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            seen += data
        if pending and (found := seen.find(pending[0][0], at)) >= 0:
            at = found + 1
            os.write(fd, pending.pop(0)[1])
    os.close(fd)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), seen


@pytest.fixture
def workbench_command() -> list[str]:
    return [sys.executable, "-m", "workbench"]


def test_q_restores_the_terminal_and_says_how_to_resume(
    workbench_command: list[str], tmp_path: Path
) -> None:
    status, seen = converse(
        [*workbench_command, "demo", "--sessions-dir", str(tmp_path)],
        [(b"should be tested", b"q")],
    )
    [session] = [path.name for path in tmp_path.iterdir() if path.is_dir()]
    assert status == 130
    after = seen[seen.rindex(b"\x1b[?1049l") :]
    assert b"\x1b[?25h" in after
    hint = after.decode().partition("Open it again with: ")[2].splitlines()[0].split()
    called = len(hint) - 5
    assert hint[called:] == ["sessions", "resume", session, "--sessions-dir", str(tmp_path)]
    status, seen = converse(hint, [(b"should be tested", b"q")])
    assert status == 130


def test_a_target_that_is_no_dump_is_one_line(workbench_command: list[str], tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    target.write_text("hello")
    status, seen = converse(
        [*workbench_command, "open", str(target), "--sessions-dir", str(tmp_path / "s")], []
    )
    assert status == 2
    text = seen[seen.rfind(b"\x1b[?1049l") + 1 :].decode()
    assert str(target) in text
    assert "Traceback" not in text


def test_a_closed_terminal_takes_the_program_with_it(
    workbench_command: list[str], tmp_path: Path
) -> None:
    """Also where SIGHUP is ignored from the start, as under nohup."""
    pid, fd = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40")
        os.execv(
            workbench_command[0],
            [*workbench_command, "demo", "--sessions-dir", str(tmp_path)],
        )
    seen, ends = b"", time.monotonic() + 60
    while b"should be tested" not in seen and time.monotonic() < ends:
        if select.select([fd], [], [], 0.1)[0]:
            seen += os.read(fd, 65536)
    assert b"should be tested" in seen
    os.close(fd)
    ends = time.monotonic() + 60
    while (gone := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() < ends:
        time.sleep(0.1)
    if gone[0] == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert gone[0] == pid
