"""`workbench doctor`: what is there, what is missing, and for a target its modules."""

import json
import os
import shutil
from pathlib import Path

from tests.crashes import build, crash
from tests.engine.conftest import NULL_WRITE
from tests.test_cli import workbench


def test_it_lists_debuggers_with_versions_and_what_installs_the_missing(tmp_path: Path) -> None:
    done = workbench("doctor", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    gdb = next(one for one in found["debuggers"] if one["name"] == "gdb")
    assert Path(gdb["path"]).exists()
    assert gdb["version"][0].isdigit()
    assert gdb["missing"] is None
    assert found["seen"] is None
    text = workbench("doctor", cwd=tmp_path).stdout
    assert gdb["version"] in text
    assert not (tmp_path / ".sessions").exists()


def test_a_debugger_that_is_not_there_is_said(tmp_path: Path) -> None:
    env = os.environ | {"WORKBENCH_GDB": "/nonexistent/gdb"}
    done = workbench("doctor", "--format", "json", cwd=tmp_path, env=env)
    gdb = next(one for one in json.loads(done.stdout)["debuggers"] if one["name"] == "gdb")
    assert gdb["path"] is None
    assert "no gdb at /nonexistent/gdb" in gdb["missing"]


def test_each_module_of_a_target_with_what_to_do(tmp_path: Path) -> None:
    program = tmp_path / "prog"
    shutil.copy(build(NULL_WRITE, "-g", "-O0"), program)
    core = crash(program)
    before = json.loads(workbench("doctor", core, "--format", "json", cwd=tmp_path).stdout)
    assert before["seen"]["debugger"] == "gdb"
    mine = next(m for m in before["seen"]["modules"] if m["path"] == str(program))
    assert (mine["status"], mine["symbols"], mine["todo"]) == ("found", "debug-info", "")

    program.unlink()
    shutil.copy(build(NULL_WRITE, "-O1"), program)
    after = json.loads(workbench("doctor", core, "--format", "json", cwd=tmp_path).stdout)
    mine = next(m for m in after["seen"]["modules"] if m["path"] == str(program))
    assert mine["status"] == "mismatched"
    assert "--sysroot" in mine["todo"]

    program.unlink()
    text = workbench("doctor", core, cwd=tmp_path).stdout
    (line,) = [line for line in text.splitlines() if f" {program} " in line]
    assert line.split()[0] == "missing"
    assert "workbench collect" in line


def test_what_is_no_target_is_one_line(tmp_path: Path) -> None:
    done = workbench("doctor", tmp_path / "nothing", cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_targets_that_clash_or_are_missing(tmp_path: Path) -> None:
    for words in (["triage"], ["triage", "core", "--pid", "1"], ["triage", "--pid", "999999999"]):
        done = workbench(*words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert done.stderr.splitlines()[-1].startswith("workbench: ")


def test_options_in_front_of_the_command_count(tmp_path: Path) -> None:
    core = crash(build(NULL_WRITE, "-g", "-O0"))
    done = workbench("--sessions-dir", tmp_path / "mine", "triage", core, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine").is_dir()
    assert not (tmp_path / ".sessions").exists()
    own = ("--sessions-dir", tmp_path / "mine", "triage", core, "--sessions-dir", tmp_path / "own")
    assert workbench(*own, cwd=tmp_path).returncode == 0
    assert (tmp_path / "own").is_dir()


def test_what_was_named_and_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    core = crash(build(NULL_WRITE, "-g", "-O0"))
    os.mkfifo(tmp_path / "pipe")
    for words in (
        ("triage", core, "--sos", "nonsense"),
        ("triage", core, "--clr-path", "/nonexistent"),
        ("triage", core, "-o", tmp_path),
        ("triage", tmp_path / "pipe"),
    ):
        done = workbench(*words, cwd=tmp_path, timeout=20)
        assert done.returncode == 2, words
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / ".sessions").exists()
