"""Standard streams that are closed, full, or read by nobody."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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


def _through_a_shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f"{WORKBENCH} {line}"],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("closed", "printed"), [("2>&-", True), (">&-", False), ("<&-", True), (">&- 2>&- <&-", False)]
)
def test_a_closed_stream_changes_no_exit_status(
    closed: str, printed: bool, log: Path, tmp_path: Path
) -> None:
    as_ever = _through_a_shell(f"triage {log}", tmp_path)
    done = _through_a_shell(f"triage {log} {closed}", tmp_path)
    assert done.returncode == as_ever.returncode
    assert ("pour" in done.stdout) is printed
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", ["--help", "sessions", "triage feeder.log"])
def test_a_full_disk_is_one_line(words: str, log: Path) -> None:
    done = _through_a_shell(f"{words} >/dev/full", log.parent)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "workbench: No space left on device"
    assert "Traceback" not in done.stderr


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
            assert process.wait(20) == status
        finally:
            process.kill()
