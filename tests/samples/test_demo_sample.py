"""The packaged sample unpacks whole, once, and mends itself."""

import hashlib
import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import gdbs
from workbench import samples
from workbench.samples import DemoSample, SampleError, demo_files, manifest

SOURCES = Path(__file__).parent


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> DemoSample:
    return demo_files(tmp_path_factory.mktemp("cache"))


def test_package_holds_the_source_and_stays_small() -> None:
    package = Path(samples.__file__).parent
    text = hashlib.sha256((package / "server.c").read_bytes()).hexdigest()
    assert manifest().files["server.c"].sha256 == text
    assert sum((package / f"{name}.zst").stat().st_size for name in ("server", "core")) < 1_500_000


@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_every_gdb_shows_threads_arguments_and_source(gdb: Path, sample: DemoSample) -> None:
    command = [str(gdb), "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    command += ["-iex", f"directory {sample.source_dir}", "-ex", "info threads", "-ex", "bt"]
    done = subprocess.run(
        [*command, str(sample.executable), str(sample.core)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(
        r"#0  connection_send \(conn=0x\w+, message=\S+\) at server.c:\d+", done.stdout
    )
    assert "size_t room = out->limit - out->queued;" in done.stdout
    assert len(re.findall(r"^[* ] +\d+ +Thread ", done.stdout, re.MULTILINE)) == 9


def test_second_call_writes_nothing(sample: DemoSample) -> None:
    before = sample.core.stat()
    again = demo_files(sample.core.parent.parent)
    assert (again, again.core.stat().st_ino) == (sample, before.st_ino)
    assert {path.name for path in sample.core.parent.iterdir()} == {"server", "core"}


def test_the_program_is_no_older_than_its_source(tmp_path: Path) -> None:
    program = demo_files(tmp_path).executable
    os.utime(program, (1, 1))
    assert demo_files(tmp_path).executable.stat().st_mtime > 1


@pytest.mark.parametrize("damage", [b"", b"\0" * 4096])
def test_damaged_copy_is_unpacked_again(damage: bytes, tmp_path: Path) -> None:
    sample = demo_files(tmp_path)
    whole = sample.core.read_bytes()
    sample.core.write_bytes(damage + whole[len(damage) :] if damage else damage)
    assert demo_files(tmp_path).core.read_bytes() == whole


def test_processes_that_start_together_all_get_it(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        made = pool.map(demo_files, [tmp_path] * 8)
    assert len(set(made)) == 1
    assert {path.name for path in made[0].core.parent.iterdir()} == {"server", "core"}


def test_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    """A file-size limit stands in for a full disk: the write fails part of the way."""
    script = (
        "import resource, signal, sys, pathlib\n"
        "from workbench.samples import SampleError, demo_files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        "    demo_files(pathlib.Path(sys.argv[1]))\n"
        "except SampleError as why:\n"
        "    print(why)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES.parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    assert done.stdout.startswith(f"cannot unpack the sample to {tmp_path}")
    assert "File too large" in done.stdout
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_folder_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(SampleError, match="make it writable"):
        demo_files(tmp_path / "cache")


def test_damaged_package_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "manifest.json").write_bytes(
        (Path(samples.__file__).parent / "manifest.json").read_bytes()
    )
    (package / "server.zst").write_bytes(b"not zstd")
    monkeypatch.setattr(samples, "_HERE", package)
    with pytest.raises(SampleError, match="install workbench again"):
        demo_files(tmp_path / "cache")
