"""Compile the sample server, let it crash, and pack executable and core into the package.

    .venv/bin/python -m tests.samples.rebuild_demo

Needs gcc, gdb, unshare(1) and a kernel that writes cores into the working folder. The server runs
as /srv/app/server in a mount namespace of its own with an empty environment, so that nothing of
the machine that builds it is in the core.
"""

import hashlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
import zstandard
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import NoteSegment

from tests.crashes import gdbs, kernel_writes_cores
from workbench import samples

PACKAGE = Path(samples.__file__).parent
HOME = "/srv/app"
FLAGS = ["-g", "-gdwarf-5", "-Og", "-static", "-no-pie", "-Wall", "-Wextra", "-Wl,--build-id=sha1"]
CRASH_SITE = "connection_send"
LIMIT = 1_500_000


def main() -> None:
    if not kernel_writes_cores():
        raise SystemExit("this kernel writes no core into the working folder: see core(5)")
    with tempfile.TemporaryDirectory() as scratch:
        app = Path(scratch, "app")
        app.mkdir()
        for name in ("server.c", "kiosks.trace"):
            shutil.copy(PACKAGE / name, app)
        compile_server(app)
        run_until_crash(Path(scratch))
        check_self_contained(app)
        check_debuggers(app)
        pack(app)


def compile_server(app: Path) -> None:
    mapped = f"-ffile-prefix-map={app}={HOME}"
    subprocess.run(["gcc", *FLAGS, mapped, "-o", "server", "server.c"], cwd=app, check=True)


def run_until_crash(scratch: Path) -> None:
    """Mount the scratch folder over /srv, where the server finds itself as /srv/app/server."""
    inside = (
        f"mount --bind '{scratch}' /srv && cd {HOME} && ulimit -c unlimited"
        " && exec env -i ./server --replay kiosks.trace"
    )
    alone = ["unshare", "--mount", *(["--map-root-user"] if os.getuid() else [])]
    done = subprocess.run([*alone, "sh", "-c", inside], capture_output=True, text=True, timeout=60)
    if done.returncode >= 0:
        raise SystemExit(f"the server did not crash: {done.returncode} {done.stderr}")
    left = [path for path in (scratch / "app").iterdir() if path.name.startswith("core")]
    left[0].rename(scratch / "app" / "core")


def check_self_contained(app: Path) -> None:
    """No library is needed to read the core, and nothing in the files names this machine."""
    with (app / "server").open("rb") as file:
        kinds = [segment["p_type"] for segment in ELFFile(file).iter_segments()]
    assert "PT_INTERP" not in kinds, "the server is not static"
    with (app / "core").open("rb") as file:
        notes = next(s for s in ELFFile(file).iter_segments() if isinstance(s, NoteSegment))
        mapped = {
            name.decode()
            for note in notes.iter_notes()
            if note["n_type"] == "NT_FILE"
            for name in note["n_desc"]["filename"]
        }
    assert mapped == {f"{HOME}/server"}, mapped
    user = pwd.getpwuid(os.getuid())
    private = {str(app), str(app.parent), user.pw_dir, socket.gethostname(), str(Path.cwd())}
    private |= {value for value in os.environ.values() if len(value) > 6}
    for name in ("server", "core"):
        data = (app / name).read_bytes()
        found = [word for word in private if len(word) > 3 and word.encode() in data]
        assert not found, f"{name} holds {found}"


def check_debuggers(app: Path) -> None:
    """Every gdb here shows nine threads, the crash site with its arguments, and the source."""
    for gdb in gdbs():
        said = subprocess.run(
            [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "bt",
             "-ex", "info threads", "server", "core"],
            cwd=app, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert f"#0  {CRASH_SITE} (conn=0x" in said, said
        assert "worker_main (arg=0x" in said, said
        assert said.count("(LWP ") >= 9, said
        assert "size_t room = out->limit - out->queued;" in said, said


def pack(app: Path) -> None:
    files, total = {}, 0
    for name in ("server", "core"):
        data = (app / name).read_bytes()
        packed = zstandard.ZstdCompressor(level=19, write_checksum=True).compress(data)
        (PACKAGE / f"{name}.zst").write_bytes(packed)
        files[name] = samples.PackedFile(len(data), hashlib.sha256(data).hexdigest())
        total += len(packed)
    text = (app / "server.c").read_bytes()
    files["server.c"] = samples.PackedFile(len(text), hashlib.sha256(text).hexdigest())
    assert total < LIMIT, total
    told = samples.Manifest(
        first_line("gcc", "--version"), FLAGS, first_line("ldd", "--version"), files
    )
    document = msgspec.json.format(msgspec.json.encode(told), indent=2)
    (PACKAGE / "manifest.json").write_bytes(document + b"\n")
    print(f"packed {total} bytes into {PACKAGE}", file=sys.stderr)


def first_line(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


if __name__ == "__main__":
    main()
