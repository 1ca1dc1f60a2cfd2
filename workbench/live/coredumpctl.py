"""The newest core that systemd-coredump(8) kept."""

import os
import shutil
import subprocess
from pathlib import Path

from workbench.targets.errors import TargetError

LAST = "@last"
_PATIENCE = 600.0  # seconds; a large core is unpacked meanwhile


def newest_core(path: Path) -> Path:
    """Write coredumpctl's newest core to ``path`` (0600) and return it. Raises `TargetError`."""
    program = shutil.which("coredumpctl")
    if program is None:
        raise TargetError(
            LAST,
            "coredumpctl is not installed, so nothing here keeps a list of cores",
            "name the core file (cat /proc/sys/kernel/core_pattern says where they go)",
        )
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _dump(program, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _dump(program: str, path: Path) -> None:
    command = [program, "--no-pager", "--quiet", "dump", f"--output={path}"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TargetError(LAST, f"coredumpctl failed: {error}", "name the core file") from None
    path.chmod(0o600)  # it writes a file of its own, for all to read
    if done.returncode or not path.stat().st_size:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = said[-1] if said else f"coredumpctl ended with status {done.returncode}"
        raise TargetError(LAST, why, "coredumpctl list shows what there is; name a core file")
