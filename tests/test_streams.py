"""Standard streams that are closed, full, or read by nobody."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forking import workbench
from tests.soak import SOAK

LOG = """Thread 1 "feeder" received signal SIGSEGV, Segmentation fault.
(gdb) bt
#0  0x0000000000401136 in pour (from=0x0) at feeder.c:7
#1  0x0000000000401152 in main () at feeder.c:12
"""
WORKBENCH = f"exec {sys.executable} -m workbench"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "feeder.log"
    path.write_text(LOG)
    return path


def _through_a_shell(
    line: str, cwd: Path, unbuffered: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f"{WORKBENCH} {line}"],
        cwd=cwd,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "closed", ["2>&-", "<&-", "--output report.md >&-", "--output report.md >&- 2>&- <&-"]
)
def test_a_closed_stream_that_is_not_needed_changes_no_exit_status(closed: str, log: Path) -> None:
    as_ever = workbench("triage", log, cwd=log.parent)
    done = _through_a_shell(f"triage {log} {closed}", log.parent)
    assert done.returncode == as_ever.returncode
    report = log.with_name("report.md")
    assert "pour" in (report.read_text() if report.exists() else done.stdout)
    assert "Traceback" not in done.stderr


@pytest.mark.soak
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        *(("--help", ""), ("sessions", "1"), ("triage feeder.log", "")),
        *((("--help", "1"), ("sessions", ""), ("triage feeder.log", "1")) if SOAK else ()),
    ],
)
def test_what_cannot_be_printed_is_one_line(words: str, unbuffered: str, log: Path) -> None:
    """A full disk, and standard output that is closed (EBADF, write(2))."""
    full = "No space left on device; free some space, then run it again"
    for stdout, why in ((">/dev/full", full), (">&-", "Bad file descriptor")):
        done = _through_a_shell(f"{words} {stdout}", log.parent, unbuffered)
        assert done.returncode == 3
        assert done.stderr.splitlines()[-1] == f"workbench: {why}"
        assert "Traceback" not in done.stderr
        assert "ignored" not in done.stderr
    assert _through_a_shell(f"{words} <&- >&- 2>&-", log.parent, unbuffered).returncode == 3


@pytest.mark.parametrize("words", ["--version", "doctor", "sessions", "sessions --format json"])
def test_a_reader_that_has_seen_enough_is_no_error(words: str, log: Path) -> None:
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "workbench", *words.split()]
    done = subprocess.run(
        command, cwd=log.parent, stdout=written, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(written)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
)
def test_a_report_that_nobody_reads_can_be_interrupted(
    number: signal.Signals, status: int, log: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "workbench", "triage", str(log), "--output", str(pipe)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if "reporting" in line:
                    break
            # It opens the pipe, and waits for whoever opens the other end.
            for _ in range(600):
                if "wait_for_partner" in Path(f"/proc/{process.pid}/wchan").read_text():
                    break
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.05)
            process.send_signal(number)
            assert process.wait(60) == status
        finally:
            process.kill()
