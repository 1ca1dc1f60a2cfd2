"""Archives: made of real cores, opened without the machine's own files, and hostile ones."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import zstandard

from tests.crashes import build, crash
from tests.forking import workbench
from workbench.bundle.collect import collect
from workbench.bundle.manifest import NAME
from workbench.bundle.unpack import is_bundle, unpack
from workbench.debuggers.dotnet.find_sos import PLUGIN, find_sos
from workbench.targets.errors import TargetError
from workbench.targets.identify import open_core

DAC = "libmscordaccore.so"
LIBRARY = """
struct item { int value; struct item *next; };
int last(struct item *item) { return item->next->value; }
"""
PROGRAM = """
struct item { int value; struct item *next; };
int last(struct item *item);
int main(void) { struct item one = {1, 0}; return last(&one); }
"""


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A program and the core of a crash in a library of its own, which its soname links to."""
    folder = tmp_path_factory.mktemp("made")
    built = build(LIBRARY, "-g", "-shared", "-fPIC", "-Wl,-soname,libitem.so.1")
    shutil.copy(built, folder / "libitem.so.1.0.3")
    (folder / "libitem.so.1").symlink_to("libitem.so.1.0.3")
    (folder / "libitem.so").symlink_to("libitem.so.1")
    program = build(PROGRAM, "-g", f"-L{folder}", "-litem", f"-Wl,-rpath,{folder}")
    return program, crash(program)


@pytest.fixture(scope="module")
def archive(crashed: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "crash.workbench"
    said: list[str] = []
    collect(crashed[1], path, None, None, said.append)
    assert any("libitem.so.1.0.3" in line for line in said)
    return path


def test_it_holds_what_was_mapped(archive: Path, crashed: tuple[Path, Path]) -> None:
    with (
        archive.open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file) as packed,
        tarfile.open(fileobj=packed, mode="r|") as content,
    ):
        members = [member.name for member in content]
    assert members[:2] == [NAME, "core"]
    for wanted in (crashed[0].name, "libitem.so.1.0.3", "libc.so.6"):
        assert any(name.endswith(f"/{wanted}") for name in members)
    assert archive.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
def test_elsewhere_it_is_all_there(
    debugger: str, archive: Path, crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    """The machine's own program and library are gone; the archive alone names the line."""
    program = crashed[0]
    with open_core(crashed[1]) as core:
        library = next(m.file for m in core.modules if "libitem" in m.path)
    assert library is not None
    hidden = {path: path.with_name(f"{path.name}.away") for path in (program, library)}
    for path, away in hidden.items():
        path.rename(away)
    try:
        options = ("--format", "json", "--debugger", debugger)
        done = workbench("triage", archive, *options, cwd=tmp_path)
    finally:
        for path, away in hidden.items():
            away.rename(path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    ai = report["analysis"]["aiAnalysis"]
    assert ai["category"] == "null-pointer-dereference"
    assert (ai["frame"]["function"], ai["frame"]["line"]) == ("last", 3)
    assert report["analysis"]["coreHealth"]["executableMatches"] is True
    (unpacked,) = (tmp_path / ".sessions" / "bundles").iterdir()
    assert (unpacked / "core").read_bytes() == crashed[1].read_bytes()
    assert unpacked.stat().st_mode & 0o777 == 0o700


def test_it_is_unpacked_once(archive: Path, tmp_path: Path) -> None:
    first = unpack(archive, tmp_path)
    os.utime(first.core, (1, 1))
    assert unpack(archive, tmp_path) == first
    assert first.core.stat().st_mtime == 1


def test_no_archive_is_written_over_and_no_half_one_left(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(TargetError, match="exists already"):
        collect(crashed[1], there, None, None, lambda _: None)
    assert there.read_text() == "mine"

    def fails(line: str) -> None:
        if "libc" in line:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        collect(crashed[1], tmp_path / "new", None, None, fails)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def hostile(path: Path, manifest: dict[str, object], *members: tarfile.TarInfo) -> Path:
    """An archive with a manifest and members of one's choice, each filled with ``x``."""
    head = json.dumps(
        {
            "format": 1, "workbenchVersion": "1", "createdAt": "", "arch": "x86_64",
            "coreName": "c", "executable": None, "modules": [], **manifest,
        }
    ).encode()  # fmt: skip
    first = tarfile.TarInfo(NAME)
    first.size = len(head)
    with (
        path.open("wb") as file,
        zstandard.ZstdCompressor().stream_writer(file) as packed,
        tarfile.open(fileobj=packed, mode="w|") as content,
    ):
        content.addfile(first, io.BytesIO(head))
        for member in members:
            content.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(
    name: str, size: int = 4, kind: bytes = tarfile.REGTYPE, to: str = ""
) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = (size if kind == tarfile.REGTYPE else 0), kind, to
    return info


@pytest.mark.parametrize(
    ("manifest", "bad"),
    [
        ({"sizes": {"../out": 4}}, member("../out")),
        ({"sizes": {"/tmp/out": 4}}, member("/tmp/out")),
        ({"sizes": {"root/../../out": 4}}, member("root/../../out")),
        ({"sizes": {"root/a": 5}}, member("root/a")),
        ({}, member("root/a")),
        ({"sizes": {"root/l": 0}}, member("root/l", kind=tarfile.SYMTYPE, to="/etc")),
        ({"sizes": {"root/h": 0}}, member("root/h", kind=tarfile.LNKTYPE, to="core")),
        ({"sizes": {"root/p": 0}}, member("root/p", kind=tarfile.FIFOTYPE)),
        ({"sizes": {NAME: 4}}, member(NAME)),
        ({"sizes": {"core": -1}}, member("core")),
        ({"sizes": {f"root/{'n' * 300}": 4}}, member(f"root/{'n' * 300}")),
        ({"sizes": {"core": 4}, "links": [["/a", "/b"]] * 30_000}, member("core")),
    ],
    ids=lambda value: value.name if isinstance(value, tarfile.TarInfo) else "",
)
def test_a_hostile_archive_writes_nowhere_else(
    manifest: dict[str, object], bad: tarfile.TarInfo, tmp_path: Path
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    path = hostile(inner / "bad", manifest, bad)
    assert is_bundle(path)
    with pytest.raises(TargetError):
        unpack(path, inner / "to")
    assert [p.name for p in tmp_path.iterdir()] == ["inner"]
    assert not [p for p in (inner / "to").rglob("*") if not p.is_dir()]


def test_links_stay_inside(tmp_path: Path) -> None:
    links = [
        ["/out", "/../../../etc"], ["/a/../../../up", "/core"], ["/x", "/x"],
        ["/d", "/usr"], ["/d/inside", "/usr"], ["/", "/usr"],
    ]  # fmt: skip
    sizes = {"core": 4, "root/usr/file": 4}
    path = hostile(
        tmp_path / "bad", {"sizes": sizes, "links": links}, member("core"), member("root/usr/file")
    )
    place = unpack(path, tmp_path / "to").core.parent
    for found in place.rglob("*"):
        assert found.resolve().is_relative_to(place)


def test_one_that_promises_more_than_the_disk_holds(tmp_path: Path) -> None:
    path = hostile(tmp_path / "bad", {"sizes": {"core": 1 << 60}}, member("core"))
    with pytest.raises(TargetError, match="are free"):
        unpack(path, tmp_path / "to")


@pytest.mark.parametrize("cut", [10, 100, 1000, -200])
def test_a_cut_archive_is_one_line(cut: int, archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(archive.read_bytes()[:cut])
    if is_bundle(path):
        with pytest.raises(TargetError, match="damaged"):
            unpack(path, tmp_path / "to")
    else:
        assert cut > 0


def test_other_files_are_none(tmp_path: Path) -> None:
    for content in (b"", b"\x28\xb5\x2f\xfd", zstandard.compress(b"text"), b"\x7fELF"):
        path = tmp_path / "file"
        path.write_bytes(content)
        assert not is_bundle(path)


def test_a_log_needs_no_archive(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(
        "(gdb) bt\n#0  0x1 in crash () at a.c:1\n#1  0x2 in main () at a.c:2\n(gdb) quit\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "collect", log, "-o", "x.bundle"],
        cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2
    assert "holds all that it will ever hold" in done.stderr
    assert not (tmp_path / "x.bundle").exists()


def test_no_plugin_of_an_archive_is_loaded(tmp_path: Path) -> None:
    """SOS is code: one that lies beside an archive's runtime came with the dump."""
    place = tmp_path / "bundles" / "x"
    runtime = place / "root" / "usr" / "share" / "dotnet" / "libcoreclr.so"
    runtime.parent.mkdir(parents=True)
    for file in (place / "core", runtime, runtime.parent / PLUGIN, runtime.parent / DAC):
        file.write_bytes(b"")
    found = find_sos(place / "core", runtime)
    assert found.clr is None
    assert found.plugin is None or not found.plugin.is_relative_to(tmp_path)


def packed(path: Path, *blocks: bytes) -> Path:
    """A zstd file with whatever blocks."""
    with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as stream:
        for block in blocks:
            stream.write(block)
    return path


def test_headers_are_never_held_in_memory(tmp_path: Path) -> None:
    """A first member that is a long name or an extended header of gigabytes."""
    for kind in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE):
        info = tarfile.TarInfo("x")
        info.type, info.size = kind, 3 << 30
        path = packed(tmp_path / "bomb", info.tobuf(tarfile.GNU_FORMAT), *[bytes(1 << 20)] * 64)
        assert not is_bundle(path)
    info.size, info.type = 4, tarfile.GNUTYPE_LONGNAME
    one = info.tobuf(tarfile.GNU_FORMAT) + b"name".ljust(512, b"\0")
    assert not is_bundle(packed(tmp_path / "bomb", one * 5000))


def test_members_in_each_others_way_are_damage(tmp_path: Path) -> None:
    for names in (("root/a", "root/a"), ("root/a", "root/a/b")):
        sizes = dict.fromkeys(names, 4)
        path = hostile(tmp_path / "bad", {"sizes": sizes}, *map(member, names))
        with pytest.raises(TargetError, match="damaged"):
            unpack(path, tmp_path / "to")
        assert not any((tmp_path / "to").iterdir())


def test_long_paths_come_back(tmp_path: Path, crashed: tuple[Path, Path]) -> None:
    folder = tmp_path / Path(*["deep" * 20] * 4)
    folder.mkdir(parents=True)
    program = folder / "program"
    shutil.copy(crashed[0], program)
    core = crash(program)
    collect(core, tmp_path / "archive", None, None, lambda _: None)
    found = unpack(tmp_path / "archive", tmp_path / "to")
    assert found.executable is not None
    assert found.executable.read_bytes() == program.read_bytes()


def test_a_pipe_is_no_archive_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert not is_bundle(tmp_path / "pipe")
