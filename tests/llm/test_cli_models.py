"""Models from the command line: tiers, exit statuses, what is said on stderr and in the report."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.engine.conftest import NULL_WRITE
from tests.forking import workbench
from tests.llm.scripted import Scripted, Seen, Turn, fails, says
from tests.soak import SOAK

KEY = "sk-cli-0123456789abcdef"


@pytest.fixture(scope="module")
def core() -> Path:
    return crash(build(NULL_WRITE, "-g", "-O0", "-static"))


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """Nothing of this machine answers unless a test says where."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = f"127.0.0.1:{probe.getsockname()[1]}"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI", "AZURE", "OLLAMA"))}
    return kept | {"OLLAMA_HOST": closed, "XDG_CACHE_HOME": str(tmp_path / "cache"), **more}


def elsewhere(server: Scripted) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": "http://models.example/v1",
        "OPENAI_MODEL": "m",
        "OPENAI_API_KEY": KEY,
        "HTTP_PROXY": server.ollama,
    }


def test_a_required_tier_that_is_not_there_is_status_3(core: Path, tmp_path: Path) -> None:
    env = environment(tmp_path)
    for words in (
        ("--tier", "local"),
        ("--tier", "cloud"),
        ("--tier", "cloud", "--allow-cloud"),
        ("--model", "nonesuch"),
    ):
        done = workbench("triage", core, *words, cwd=tmp_path, env=env)
        assert done.returncode == 3, words
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert done.stdout == ""
    assert not list((tmp_path / ".sessions").glob("session_*"))


def test_auto_without_a_model_is_offline(core: Path, tmp_path: Path) -> None:
    done = workbench("triage", core, "--format", "json", cwd=tmp_path, env=environment(tmp_path))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["analysis"]["aiAnalysis"]["tier"] == "offline"
    assert report["analysis"]["aiAnalysis"]["degraded"] == []
    assert "models" not in done.stderr


def test_a_local_model_helps_and_the_expert_stays(
    core: Path, tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(says("I do not know."))
    env = environment(tmp_path, OPENAI_BASE_URL=scripted.openai)
    done = workbench("triage", core, "--tier", "local", "--format", "json", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["analysis"]["aiAnalysis"]["category"] == "null-pointer-dereference"
    assert report["usage"]["local"]["calls"] > 0
    assert report["usage"]["cloud"]["calls"] == 0
    assert "models: local: m (" in done.stderr
    assert "asking a model: hypothesis …" in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("models: local: ")


def test_nothing_goes_elsewhere_unasked(core: Path, tmp_path: Path, scripted: Scripted) -> None:
    env = environment(tmp_path, **elsewhere(scripted))
    done = workbench("triage", core, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert scripted.seen == []
    assert "sent to" not in done.stderr


def test_a_server_of_ones_own_elsewhere_is_said_to_be_cloud(core: Path, tmp_path: Path) -> None:
    env = environment(tmp_path, OLLAMA_HOST="http://192.0.2.7:11434")
    done = workbench("triage", core, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    said = "OLLAMA_HOST names another machine, which counts as cloud: --allow-cloud lets it help."
    assert [line for line in done.stderr.splitlines() if said in line]
    assert said not in workbench("triage", core, "--tier", "offline", cwd=tmp_path, env=env).stderr


def test_with_permission_it_goes_and_every_byte_can_be_read_again(
    core: Path, tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(says("I do not know.", usage=(100, 10)))
    env = environment(tmp_path, **elsewhere(scripted), WORKBENCH_PRIVATE="elderberry-cordial")
    words = ("--tier", "cloud", "--allow-cloud", "--issue", "is it elderberry-cordial?")
    done = workbench("triage", core, *words, "--format", "json", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / ".sessions").glob("session_*")
    kept = {path.read_bytes() for path in (folder / "payloads").iterdir()}
    assert {seen.raw for seen in scripted.asked} == kept
    assert b"elderberry" not in b"".join(kept)
    assert b"0x" in b"".join(kept)
    cloud = json.loads(done.stdout)["usage"]["cloud"]
    assert cloud["payloads"] == len(scripted.asked) > 0
    assert cloud["costUsd"] == 0.0
    assert cloud["unpricedCalls"] == cloud["calls"]  # nobody knows what models.example asks
    assert f"sent to m at {env['OPENAI_BASE_URL']}/chat/completions" in done.stderr
    everything = [p for p in folder.rglob("*") if p.is_file()]
    assert everything
    for path in everything:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in done.stdout + done.stderr


def test_a_provider_that_fails_later_degrades(
    core: Path, tmp_path: Path, scripted: Scripted
) -> None:
    def revoked(seen: Seen) -> Turn:
        return fails(401, "the key was revoked")(seen)

    scripted.script(revoked)
    env = environment(tmp_path, **elsewhere(scripted))
    done = workbench(
        "triage", core, "--tier", "cloud", "--allow-cloud", "--format", "json", cwd=tmp_path,
        env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert ai["tier"] == "offline"
    assert ai["category"] == "null-pointer-dereference"
    assert any("code alone" in line for line in ai["degraded"])
    assert len(scripted.asked) == 1


def test_settings_that_cannot_be_used_are_status_2(tmp_path: Path) -> None:
    env = environment(tmp_path, WORKBENCH_CLOUD_LEAVE_OUT="everything")
    done = workbench("sessions", cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "stacks, memory, source, strings" in done.stderr


def test_an_interrupt_says_what_was_spent(core: Path, tmp_path: Path, scripted: Scripted) -> None:
    scripted.script(says("word " * 400, pause=0.5))
    env = environment(tmp_path, OPENAI_BASE_URL=scripted.openai)
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "triage", str(core), "--tier", "local"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert scripted.speaking.wait(60)
        running.send_signal(signal.SIGINT)
        out, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    lines = told.strip().splitlines()
    assert lines[-1].startswith("models: local: 1 call (1 failed)"), told
    assert any("interrupted; saved" in line for line in lines)
    assert scripted.hung_up.wait(60)
    assert len(scripted.asked) == 1
    assert out == ""


def test_the_second_run_is_answered_from_the_cache(
    core: Path, tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(says("I do not know."))
    env = environment(tmp_path, OPENAI_BASE_URL=scripted.openai)
    words = ("triage", core, "--tier", "local", "--format", "json")
    first = workbench(*words, cwd=tmp_path, env=env)
    asked = len(scripted.asked)
    second = workbench(*words, cwd=tmp_path, env=env)
    assert first.returncode == second.returncode == 0, second.stderr
    assert "answered from the cache, nothing spent" in second.stderr
    assert json.loads(second.stdout)["usage"]["local"]["cachedCalls"] > 0
    assert len(scripted.asked) < 2 * asked


def test_a_question_says_what_it_took_and_not_what_was_spent_before(
    core: Path, tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(says("I do not know."))
    env = environment(tmp_path, OPENAI_BASE_URL=scripted.openai)
    assert workbench("triage", core, cwd=tmp_path, env=env).returncode == 0
    (folder,) = (tmp_path / ".sessions").glob("session_*")

    def ask(question: str) -> list[str]:
        done = workbench("ask", folder.name, question, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()

    assert ask("What was in rax?") == []  # code settles it
    # What it says does not hold: it is told so once.
    assert ask("Why did it crash?")[-1].startswith("models: local: 2 calls")


def test_a_cost_cap_ends_the_model_and_not_the_run(
    core: Path, tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(says("I do not know.", usage=(100, 10)))
    env = environment(tmp_path, **elsewhere(scripted), WORKBENCH_MAX_TOKENS="2000")
    done = workbench(
        "triage", core, "--tier", "cloud", "--allow-cloud", "--format", "json",
        cwd=tmp_path, env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert ai["stoppedBy"] == "maxTokens"
    assert any("2000 cloud tokens" in line for line in ai["degraded"])
    assert ai["category"] == "null-pointer-dereference"


@pytest.mark.soak
@pytest.mark.parametrize(
    "words", [("--tier", "local"), *([("--tier", "cloud", "--allow-cloud")] if SOAK else [])]
)
def test_a_disk_that_fills_up_while_a_model_is_asked(
    core: Path, tmp_path: Path, scripted: Scripted, words: tuple[str, ...]
) -> None:
    def fills(seen: Seen) -> Turn:
        if b"You investigate" in seen.raw:
            resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (4096, 4096))
        return says("I do not know.")(seen)

    scripted.script(fills)
    local = {"OPENAI_BASE_URL": scripted.openai}
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "triage", str(core), *words, "--format", "json"],
        cwd=tmp_path,
        env=environment(tmp_path, **(local if "local" in words else elsewhere(scripted))),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        out, told = running.communicate(timeout=60)
    assert running.returncode == 3, told
    assert "Traceback" not in told
    assert "cannot save" in told.strip().splitlines()[-1]
    ai = json.loads(out)["analysis"]["aiAnalysis"]
    assert ai["stoppedBy"] == "failed"
    assert ai["category"] == "null-pointer-dereference"
