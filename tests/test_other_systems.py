"""Rooms that read dumps come up where POSIX names are missing, as on Windows."""

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import asyncio, os, pathlib, shutil, signal, subprocess, sys, tempfile
sys.path.insert(0, os.getcwd())
for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_NOFOLLOW", "pread", "getuid", "geteuid",
             "posix_spawn", "openpty", "killpg", "fork", "set_blocking"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGWINCH", "SIGHUP", "SIGPIPE"):
    delattr(signal, name)
for name in ("fcntl", "termios", "pty", "tty", "resource", "pwd", "grp"):
    sys.modules[name] = None
import importlib, pkgutil
for room in sys.argv[2:]:
    package = importlib.import_module(room)
    for module in pkgutil.walk_packages(package.__path__, room + "."):
        importlib.import_module(module.name)
"""
READS = """
from workbench.targets.files import FileBytes
path = pathlib.Path(sys.argv[1])
with FileBytes(path, keep=True) as kept:
    assert kept[1:3] == b"bc" and kept[0:9] == b"abcdef"
assert FileBytes(path)[2:4] == b"cd"
"""
SPAWNS = """
from workbench.debuggers.private_folder import PrivateFolder
from workbench.debuggers.protocol import DebuggerUnavailable
from workbench.debuggers.pty import spawn
folder = PrivateFolder(pathlib.Path(sys.argv[1]).parent)
again = PrivateFolder(pathlib.Path(sys.argv[1]).parent)
assert folder.path.exists()
again.remove()
folder.remove()
try:
    spawn(["/bin/true"], {}, 24, 80)
except DebuggerUnavailable as error:
    assert "this system has none" in str(error)
else:
    raise AssertionError("spawned without a terminal")
"""


@pytest.mark.parametrize(
    ("code", "room"), [(READS, "workbench.targets"), (SPAWNS, "workbench.debuggers")]
)
def test_a_room_comes_up_without_posix(tmp_path: Path, code: str, room: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abcdef")
    argv = [sys.executable, "-c", WITHOUT + code, str(file), "analyzers", room]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
