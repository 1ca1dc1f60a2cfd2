"""Disks that are full or read-only, and sessions that were cut or whose bytes were flipped."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tests.forking import workbench
from tests.soak.full_disk import POINTS, READS, WRITES
from tests.soak.kills import WORKBENCH, check_kept
from workbench.samples import demo_files
from workbench.store.errors import StoreError
from workbench.store.reading import read_events
from workbench.store.schema import DATABASE

_MOUNTED = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && "$@"'
_READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && "$@"'
_RUN = """
import shutil, subprocess, sys
status = subprocess.run(sys.argv[3:]).returncode
shutil.copytree(sys.argv[1], sys.argv[2], symlinks=True)
sys.exit(status)
"""
COMMANDS = ("list", "show", "report", "search", "diff", "export")


def fill_and_triage(
    seed: int, rounds: int, scratch: Path, sizes: Iterable[int] = ()
) -> dict[int, int]:
    """Triage into a disk of a random size (or of each of ``sizes``, in KiB), from one that takes
    nothing to one that takes it all; how often each status came. Raises `AssertionError` where a
    run ends otherwise than with a status, a line that says why and the report of what was found, or
    leaves what cannot be read.
    """
    chance = random.Random(seed)
    sample = demo_files(scratch)
    seen: dict[int, int] = {}
    given = sizes or (int(2 ** chance.uniform(2, 12.5)) for _ in range(rounds))
    for turn, kib in enumerate(given):
        size = f"{kib}k"
        disk, kept = scratch / f"disk-{turn}", scratch / f"kept-{turn}"
        disk.mkdir()
        command = [*WORKBENCH, "triage", str(sample.core), "--exe", str(sample.executable)]
        command += ["--format", "json", "--sessions-dir", str(disk)]
        inner = [sys.executable, "-c", _RUN, str(disk), str(kept), *command]
        done = _run(*own_mounts(_MOUNTED, size, str(disk)), *inner)
        told = f"seed {seed}, {size}: {done.returncode}\n{done.stderr[-2000:]}"
        assert done.returncode in (0, 1, 2, 3), told
        assert "Traceback" not in done.stderr, told
        if done.returncode in (2, 3):
            assert "No space left" in done.stderr or "free some space" in done.stderr, told
        if done.returncode in (0, 1):
            assert json.loads(done.stdout)["analysis"], told
        for folder in kept.glob("session_*"):
            check_whole(folder, told)
        seen[done.returncode] = seen.get(done.returncode, 0) + 1
    return seen


def write_on_full_disk(scratch: Path) -> dict[str, str]:
    """Each write point of `full_disk.POINTS` on a disk without a free byte; what was said. Raises
    `AssertionError` where a command does otherwise than its row says, leaves something behind, or
    the session is not what it was."""
    sample, disk = demo_files(scratch), scratch / "disk"
    outside = scratch / "outside"
    for folder in (disk, outside):
        folder.mkdir()
    inner = [sys.executable, "-m", "tests.soak.full_disk"]
    inner += map(str, (disk, outside, sample.core, sample.executable))
    done = _run(*own_mounts(_MOUNTED, "6m", str(disk)), *inner)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert json.loads(found["after"])["analysis"]["aiAnalysis"]["rootCause"]
    for what, (status, out, said, there, rest, kept) in found["told"].items():
        wanted, told = POINTS[what][0], f"{what}: {status}, {out[-500:]!r}, {said!r}"
        assert kept, told
        assert there == [found["id"]], (told, there)
        assert rest == ["ballast", "sessions"], (told, rest)
        assert (status in (2, 3)) is (wanted == WRITES), told
        assert bool(out) is (wanted != WRITES), told
        assert len(said.splitlines()) == (wanted != READS), told
        full = any(one in said for one in ("No space left", "free some space"))
        assert full is (wanted != READS), told
    return {what: told[2] for what, told in found["told"].items()}


def begin_without_state(scratch: Path) -> None:
    """The first run of all, where the disk of the person's state folder is full: no session is
    sealed without a secret, which would be a stranger's once there is room. Raises
    `AssertionError`."""
    sample, state, base = demo_files(scratch), scratch / "state", scratch / "begun"
    state.mkdir()
    words = ["triage", str(sample.core), "--exe", str(sample.executable)]
    words += ["--sessions-dir", str(base)]
    env = os.environ | {"XDG_STATE_HOME": str(state)}
    filled = ["sh", "-c", 'head -c 1m /dev/zero >"$0" 2>/dev/null; "$@"', str(state / "ballast")]
    full = own_mounts(_MOUNTED, "64k", str(state))
    done = _run(*full, *filled, "env", f"XDG_STATE_HOME={state}", *WORKBENCH, *words)
    assert done.returncode in (2, 3), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"No space left on device: '{state}" in done.stderr, done.stderr
    assert not list(base.glob("session_*"))
    workbench(*words, env=env).check_returncode()
    assert len(list(base.glob("session_*"))) == 1
    assert (state / "workbench" / "secret").stat().st_size


def own_mounts(script: str, *arguments: str) -> list[str]:
    """The start of a command line with mounts that nobody else sees (`unshare`, util-linux)."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--mount", "sh", "-c", script, "sh", *arguments]


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def check_whole(folder: Path, told: str) -> None:
    """What a full disk left is a session without gaps, or one that never began."""
    try:
        rows = read_events(folder)
    except StoreError as error:
        never = ("no such table", "unable to open", "file is not a database")
        if not any(one in str(error) for one in never):
            raise AssertionError(told) from error
        return
    if rows:
        check_kept(folder, rows)


def use_read_only(scratch: Path) -> None:
    """A sessions folder that cannot be written is read; what writes says so in one line. Raises
    `AssertionError`."""
    base = scratch / "read-only"
    sample, session = one_session(scratch, base)
    fixed = own_mounts(_READ_ONLY, str(base))
    for name in COMMANDS[:-1]:
        done = workbench(*_words(name, session, base, scratch), within=fixed)
        assert done.returncode == 0, (name, done.stderr)
        assert done.stdout, name
    triage = ["triage", str(sample), "--sessions-dir", str(base)]
    for words in (triage, _words("rename", session, base, scratch)):
        done = workbench(*words, within=fixed)
        assert done.returncode in (2, 3), done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "Read-only file system" in done.stderr, done.stderr


def damage_sessions(seed: int, rounds: int, scratch: Path) -> dict[int, int]:
    """Cut a session's database at random, or flip its bytes, and read it in every way; how often
    each status came. Raises `AssertionError` on a traceback, on an error of more than one line, on
    a list that leaves the session out."""
    chance = random.Random(seed)
    base = scratch / "whole"
    _, session = one_session(scratch, base)
    seen: dict[int, int] = {}
    for turn in range(rounds):
        broken = scratch / f"broken-{turn}"
        shutil.copytree(base, broken)
        (broken / "catalog.db").unlink(missing_ok=True)
        how = _damaged(broken / session / DATABASE, chance)
        for name in COMMANDS:
            done = workbench(*_words(name, session, broken, broken))
            told = f"seed {seed} turn {turn}, {name}: {how}\n{done.stderr[-2000:]}"
            assert done.returncode in (0, 1, 2, 3), told
            assert "Traceback" not in done.stderr, told
            assert name == "search" or len(done.stderr.splitlines()) <= 1, told
            if name == "list":
                assert session in done.stdout, told
            seen[done.returncode] = seen.get(done.returncode, 0) + 1
        shutil.rmtree(broken)
    return seen


def _damaged(path: Path, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    if chance.random() < 0.4:
        keep = chance.randrange(len(data))
        path.write_bytes(data[:keep])
        return f"cut to {keep} bytes"
    places = [chance.randrange(len(data)) for _ in range(chance.choice((1, 10, 300)))]
    for place in places:
        data[place] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return f"flipped bits of {places[:20]}"


def one_session(scratch: Path, base: Path) -> tuple[Path, str]:
    """The sample's core, and the id of a finished session on it."""
    sample = demo_files(scratch)
    words = ("triage", sample.core, "--exe", sample.executable, "--sessions-dir", base)
    workbench(*words).check_returncode()
    (session,) = (path.name for path in base.glob("session_*"))
    with suppress(OSError):
        (base / session / f"{DATABASE}-shm").unlink()
    return sample.core, session


def _words(name: str, session: str, base: Path, scratch: Path) -> list[str]:
    words = {
        "list": ("sessions", "--format", "json"),
        "show": ("sessions", "show", session),
        "report": ("report", session, "--format", "json"),
        "search": ("search", "connection_send"),
        "diff": ("sessions", "diff", session, session),
        "export": ("sessions", "export", session, "-o", str(scratch / "x.zip")),
        "rename": ("sessions", "rename", session, "x"),
    }[name]
    return [*words, "--sessions-dir", str(base)]
