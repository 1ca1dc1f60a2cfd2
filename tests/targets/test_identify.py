"""What is not a core, and what to do, in one line."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.targets.programs import THREADED
from tests.targets.synthetic import FakeCore
from workbench.model.target import TargetKind
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify, open_core

ELSEWHERE = THREADED.replace("0x2a", "0x2b")


def refusal(path: Path, exe: Path | None = None, sysroot: Path | None = None) -> str:
    with pytest.raises(TargetError) as caught:
        identify(path, exe, sysroot)
    said = str(caught.value)
    assert "\n" not in said
    assert said.isprintable()
    assert caught.value.what
    assert caught.value.why
    assert caught.value.todo
    return said


def test_a_core_is_recognised(dynamic_core: Path, dynamic_exe: Path) -> None:
    target = identify(dynamic_core)
    assert target.kind is TargetKind.ELF_CORE
    assert (target.arch, target.os, target.signal) == ("x86_64", "linux", "SIGSEGV")
    assert target.thread_count == 4
    assert target.size == dynamic_core.stat().st_size
    assert target.executable == target.recorded_executable == str(dynamic_exe)


def test_paths_hold_in_another_folder(
    dynamic_core: Path, dynamic_exe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dynamic_core.parent)
    exe = Path(os.path.relpath(dynamic_exe))
    target = identify(Path("core"), exe)
    assert target.path == str(dynamic_core)
    assert target.executable is not None
    assert Path(target.executable).samefile(dynamic_exe)
    assert Path(target.executable).is_absolute()
    with open_core(Path("core"), exe) as core:
        monkeypatch.chdir("/")
        assert core.symbol("", "main") is not None


def test_missing_and_other_kinds_of_files(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "gone")
    assert "is a directory" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "named pipe" in refusal(tmp_path / "pipe")
    assert "device" in refusal(Path("/dev/zero"))
    listening = socket.socket(socket.AF_UNIX)
    with listening:
        listening.bind(str(tmp_path / "socket"))
        refusal(tmp_path / "socket")
    (tmp_path / "loop").symlink_to("loop")
    refusal(tmp_path / "loop")
    refusal(tmp_path / ("x" * 300))
    refusal(Path("a\0b"))
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/core\xff")
    Path(odd).write_bytes(b"\x7fELF")
    assert "core\\xff: its name is not UTF-8" in refusal(Path(odd))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b"the program was ended by a signal\n", "not a dump"),
        (b"\x7fELF", "header"),
        (b"\x7fELF\x02\x01\x01" + bytes(20), "header"),
        (b"\x7fELF\x09\x01\x01" + bytes(60), "header"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"\xfd7zXZ\0", "xz"),
        (b"MDMP\x93\xa7", "minidump"),
        (b"PAGEDU64", "Windows kernel dump"),
        (b"\xcf\xfa\xed\xfe\x07", "Mach-O"),
    ],
)
def test_what_is_no_core(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "core\x1b[31m"
    path.write_bytes(content)
    said = refusal(path)
    assert why in said
    assert "\\x1b" in said


def test_a_file_of_somebody_else(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    path = tmp_path / "core"
    path.write_bytes(b"\x7fELF")
    path.chmod(0)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from workbench.targets.identify import identify\n"
        "from workbench.targets.errors import TargetError\n"
        "import workbench.targets.core, workbench.model.target\n"
        "path = Path(sys.argv[1])\n"
        "parent = path.parent\n"
        "while parent != parent.parent and os.getuid() == 0:\n"
        "    parent.chmod(parent.stat().st_mode | 0o011)\n"
        "    if parent == Path(sys.argv[2]): break\n"
        "    parent = parent.parent\n"
        "if os.getuid() == 0:\n"
        "    os.setgid(65534); os.setuid(65534)\n"
        "try: identify(path)\n"
        "except TargetError as error: print(error)\n"
    )
    base = tmp_path.parents[1]
    made = subprocess.run(
        [sys.executable, "-c", code, str(path), str(base)], capture_output=True, text=True
    )
    assert made.stderr == ""
    assert "no permission" in made.stdout


def test_programs_and_swapped_arguments(dynamic_core: Path, dynamic_exe: Path) -> None:
    said = refusal(dynamic_exe)
    assert "program" in said
    assert f"--exe {dynamic_exe}" in said
    assert "swapped" in refusal(dynamic_exe, dynamic_core)
    assert "a core, not a program" in refusal(dynamic_core, dynamic_core)


def test_a_program_that_cannot_be_used(dynamic_core: Path, tmp_path: Path) -> None:
    assert "no such file" in refusal(dynamic_core, tmp_path / "gone")
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert "script" in refusal(dynamic_core, script)
    other = tmp_path / "other"
    other.write_bytes(FakeCore(machine=183).build()[:16] + b"\x02\0\xb7\0" + bytes(60))
    assert "aarch64" in refusal(dynamic_core, other)
    assert "no such folder" in refusal(dynamic_core, None, tmp_path / "gone")


def test_cut_before_its_threads(dynamic_core: Path, tmp_path: Path) -> None:
    path = tmp_path / "core"
    path.write_bytes(dynamic_core.read_bytes()[:100])
    assert "cut off" in refusal(path)
    path.write_bytes(FakeCore().build())
    assert "describes no thread" in refusal(path)
    path.write_bytes(FakeCore().note(1, bytes(300), b"FreeBSD").build())
    assert "FreeBSD" in refusal(path)


def test_the_wrong_build_is_not_used(dynamic_core: Path, dynamic_exe: Path) -> None:
    other = build(ELSEWHERE, "-g", "-pthread")
    target = identify(dynamic_core, other)
    assert target.executable is None
    assert target.recorded_executable == str(dynamic_exe)
    with open_core(dynamic_core, other) as core:
        assert core.program is not None
        assert (core.program.status, core.program.file) == ("mismatched", other)
        assert core.symbol("program", "main") is None
        assert core.symbolize(core.threads[0].pc or 0) is None


def test_the_program_is_found_beside_the_core(tmp_path: Path) -> None:
    made = build(THREADED, "-g", "-pthread", "-DBESIDE")
    exe, away = tmp_path / "program", tmp_path / "away"
    shutil.copy(made, exe)
    core = Path(shutil.copy(crash(exe), tmp_path / "core"))
    exe.rename(away)
    assert identify(core).executable is None
    assert identify(core, away).executable == str(away)
    shutil.copy(build(ELSEWHERE, "-g", "-pthread"), exe)  # another build at the recorded path
    assert identify(core).executable is None
    (tmp_path / "beside").mkdir()
    shutil.copy(away, tmp_path / "beside" / "program")
    moved = Path(shutil.move(core, tmp_path / "beside" / "core"))
    assert identify(moved).executable == str(tmp_path / "beside" / "program")


def test_sysroot_is_where_files_are_looked_for(
    dynamic_core: Path, dynamic_exe: Path, tmp_path: Path
) -> None:
    with open_core(dynamic_core, None, tmp_path) as core:
        assert {m.name: m.status for m in core.modules}["libc.so.6"] == "missing"
        assert core.program is not None
        assert core.program.status == "missing"
    copy = tmp_path.joinpath(*dynamic_exe.parts[1:])
    copy.parent.mkdir(parents=True)
    shutil.copy(dynamic_exe, copy)
    with open_core(dynamic_core, None, tmp_path) as core:
        assert core.program is not None
        assert core.program.file == copy


@pytest.mark.parametrize("flags", [("-static", "-no-pie"), ("-pie", "-fPIE")])
def test_without_build_ids_the_bytes_decide(flags: tuple[str, ...]) -> None:
    plain = ("-g", "-pthread", "-Wl,--build-id=none", *flags)
    exe = build(THREADED, *plain)
    padded = build(THREADED + "char more[100000] = {1};", *plain)
    core_path = crash(exe)
    with open_core(core_path) as core:
        assert core.program is not None
        assert core.program.build_id is None
        assert core.program.status == "unverified"
        assert core.symbolize(core.threads[0].pc or 0) is not None
    assert identify(core_path, exe).executable == str(exe)
    assert identify(core_path, padded).executable is None
