"""`workbench doctor`: what is there, what is missing, and for a target its modules."""

import json
import os
import shutil
import socket
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.engine.conftest import NULL_WRITE
from tests.forking import workbench
from tests.llm.scripted import Scripted
from workbench.fronts import doctor


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


@pytest.mark.parametrize(
    ("events", "paranoid", "root", "state", "todo"),
    [
        (None, "2", True, "; no processor events here", ""),
        ("cpu", "2", True, "", ""),
        ("cpu_core", "2", False, "", "sysctl kernel.perf_event_paranoid=1"),
        ("cpu", "-1", False, "", ""),
    ],
)
def test_whether_rr_could_record_is_said(
    events: str | None, paranoid: str, root: bool, state: str, todo: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if events is not None:
        (tmp_path / events).mkdir()
    rr = tmp_path / "rr"
    rr.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(doctor, "_COUNTERS", tmp_path)
    monkeypatch.setattr(doctor, "_system_text", lambda path: paranoid)
    monkeypatch.setattr(doctor, "_is_root", lambda: root)
    (said,) = doctor._recording()
    assert (said.state, said.todo) == (f"{rr}{state}", todo)


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


def test_a_server_elsewhere_is_named_and_asked_only_when_allowed(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        proxy = f"http://127.0.0.1:{probe.getsockname()[1]}"
    env = os.environ | {"OLLAMA_HOST": "http://192.0.2.7:11434", "HTTP_PROXY": proxy}
    for words, todo in (
        ((), "it is another machine: cloud; `workbench doctor --allow-cloud` asks it"),
        (("--allow-cloud",), "correct OLLAMA_HOST"),
    ):
        done = workbench("doctor", "--format", "json", *words, cwd=tmp_path, env=env)
        (server,) = (
            s for s in json.loads(done.stdout)["models"]["servers"] if "192.0" in s["address"]
        )
        assert server["tier"] == "cloud"
        assert server["todo"].startswith(todo)


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
        done = workbench(*words, cwd=tmp_path, timeout=60)
        assert done.returncode == 2, words
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / ".sessions").exists()


def test_models_that_answer_keys_and_what_is_missing(scripted: Scripted, tmp_path: Path) -> None:
    key = "sk-doctor-0123456789"
    env = os.environ | {
        "WORKBENCH_LOCAL_BASE_URL": scripted.openai,
        "OPENAI_API_KEY": key,
        "AZURE_OPENAI_ENDPOINT": "https://corp.openai.azure.com",
        "AZURE_OPENAI_API_KEY": "",
    }
    done = workbench("doctor", "--format", "json", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)["models"]
    servers = {one["address"]: one for one in seen["servers"]}
    here = servers[scripted.openai]
    assert (here["answers"], here["tier"], here["models"]) == (True, "local", ["m"])
    cloud = servers["https://api.openai.com/v1"]
    assert (cloud["answers"], cloud["key"], cloud["tier"]) == (False, "present", "cloud")
    assert "--allow-cloud" in cloud["todo"]
    azure = servers["https://corp.openai.azure.com"]
    assert azure["todo"] == "export AZURE_OPENAI_API_KEY=…"
    keys = {one["name"]: one["present"] for one in seen["keys"]}
    assert keys["OPENAI_API_KEY"]
    assert not keys["AZURE_OPENAI_API_KEY"]
    text = workbench("doctor", cwd=tmp_path, env=env)
    assert scripted.openai in text.stdout
    assert key not in done.stdout + done.stderr + text.stdout + text.stderr


def test_where_no_model_answers_it_says_how_to_get_one(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = f"127.0.0.1:{probe.getsockname()[1]}"
        env = os.environ | {"OLLAMA_HOST": closed}
        seen = json.loads(workbench("doctor", "--format", "json", cwd=tmp_path, env=env).stdout)
    (server,) = [s for s in seen["models"]["servers"] if closed in s["address"]]
    assert not server["answers"]
    assert "ollama" in server["todo"].lower()
