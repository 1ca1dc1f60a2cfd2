"""`@last`: a program that answers like coredumpctl, since the real one wants a journal."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.engine.conftest import NULL_WRITE
from tests.forking import workbench

# systemd 252: `dump` writes the newest match to --output as a file that all may read.
PLAYER = """#!/bin/sh
for word in "$@"; do case "$word" in --output=*) out="${word#--output=}" ;; esac; done
if [ -z "$CORE" ]; then echo 'No match found.' >&2; exit 1; fi
rm -f "$out"; cat "$CORE" > "$out"; chmod 644 "$out"
echo '           PID: 4711 (program)' >&2
"""


def triage_last(folder: Path, core: str) -> subprocess.CompletedProcess[str]:
    player = folder / "coredumpctl"
    player.write_text(PLAYER)
    player.chmod(0o755)
    env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "CORE": core}
    return workbench("triage", "@last", cwd=folder, env=env)


def test_the_newest_core_is_opened(tmp_path: Path) -> None:
    core = crash(build(NULL_WRITE, "-g", "-O0"))
    done = triage_last(tmp_path, str(core))
    assert done.returncode == 0, done.stderr
    assert "null-pointer-dereference" in done.stdout
    (kept,) = (tmp_path / ".sessions" / "cores").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_bytes() == core.read_bytes()


def test_no_core_is_said_in_its_words(tmp_path: Path) -> None:
    done = triage_last(tmp_path, "")
    assert done.returncode == 2
    assert "@last: No match found." in done.stderr
    assert not list((tmp_path / ".sessions" / "cores").iterdir())


def test_without_coredumpctl_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.fronts.acquire import newest_core
    from workbench.targets.errors import TargetError

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TargetError, match="not installed"):
        newest_core(tmp_path / "core")
