"""The command line as another program uses it: streams, exit statuses, errors of one line."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.engine.conftest import NULL_WRITE
from tests.forking import workbench
from workbench.fronts.headless import deliver_somewhere


@pytest.fixture(scope="module")
def crashed() -> tuple[Path, Path]:
    executable = build(NULL_WRITE, "-g", "-O0", "-static")
    return executable, crash(executable)


def test_triage_prints_a_report_and_keeps_the_session(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    executable, core = crashed
    done = workbench("triage", core, "--exe", executable, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "null-pointer-dereference" in done.stdout
    assert "second" in done.stdout
    assert "E1 @health" in done.stderr
    listed = json.loads(workbench("sessions", "--format", "json", cwd=tmp_path).stdout)
    assert [row["state"] for row in listed] == ["concluded"]
    assert listed[0]["category"] == "null-pointer-dereference"
    text = workbench("sessions", cwd=tmp_path).stdout
    assert listed[0]["sessionId"] in text
    shown = workbench("sessions", "show", "@last", cwd=tmp_path).stdout
    assert "proved: null-pointer-dereference" in shown.split("\n")
    (elsewhere := tmp_path / "elsewhere").mkdir()
    assert str(elsewhere / ".sessions") in workbench("sessions", cwd=elsewhere).stdout


def test_json_is_the_contracts(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    executable, core = crashed
    done = workbench("triage", core, "--exe", executable, "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    ai = report["analysis"]["aiAnalysis"]
    assert report["schemaVersion"] == "1"
    assert "second" in ai["rootCause"]
    assert ai["category"] == "null-pointer-dereference"
    assert ai["cwe"] == 476
    assert ai["frame"]["function"] == "second"
    assert ai["stoppedBy"] == "concluded"
    assert ai["tier"] == "offline"
    assert re.fullmatch("[0-9a-f]{64}", report["metadata"]["dump"]["sha256"])
    assert {c["status"] for c in ai["claims"]} == {"verified"}


def test_output_goes_to_a_file(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    executable, core = crashed
    mine = tmp_path / "mine"
    mine.write_text("kept")
    (tmp_path / "r.html.tmp").symlink_to(mine)
    done = workbench(
        "triage", core, "--exe", executable, "--format", "html", "-o", "r.html", cwd=tmp_path
    )
    assert done.returncode == 0
    assert mine.read_text() == "kept"
    assert done.stdout == ""
    page = (tmp_path / "r.html").read_text()
    assert "<html" in page
    assert not re.search(r"""(src|href)=["']?https?:""", page)


def test_a_finished_session_is_a_target(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    workbench("triage", crashed[1], "--exe", crashed[0], cwd=tmp_path)
    (session,) = [path.name for path in (tmp_path / ".sessions").glob("session_*")]
    again = workbench("triage", session, cwd=tmp_path)
    assert again.returncode == 0
    other = workbench("triage", session, "--exe", crashed[0], cwd=tmp_path)
    assert other.returncode == 2
    assert "keeps its own" in other.stderr
    assert "null-pointer-dereference" in again.stdout


def test_a_reader_that_has_seen_enough(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    command = f"{sys.executable} -m workbench triage {crashed[1]} --exe {crashed[0]} | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr
    assert "error:" not in done.stderr


def test_two_runs_on_one_dump_are_two_sessions(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    for _ in range(2):
        assert workbench("triage", crashed[1], "--exe", crashed[0], cwd=tmp_path).returncode == 0
    assert len(json.loads(workbench("sessions", "--format", "json", cwd=tmp_path).stdout)) == 2


BAD = {
    "missing": None,
    "empty": b"",
    "text": b"hello\nworld\n",
    "garbage": bytes(range(256)) * 40,
    "half a header": b"\x7fELF\x02\x01",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "core"
    content = BAD[name]
    if content is not None:
        path.write_bytes(content)
    for command in (["triage"], ["open"]):
        done = workbench(*command, path, cwd=tmp_path, timeout=60)
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1
        assert "Traceback" not in done.stderr
    assert not (tmp_path / ".sessions").exists()


def test_the_screen_needs_a_terminal(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    for command in (["open", str(crashed[1])], ["demo"], []):
        done = workbench(*command, cwd=tmp_path, timeout=60)
        assert done.returncode == 2
        assert done.stdout == ""
        assert "no terminal" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_an_output_that_cannot_be_written_is_said_first(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    done = workbench("triage", crashed[1], "-o", tmp_path / "none" / "r.md", cwd=tmp_path)
    assert done.returncode == 2
    assert "--output" in done.stderr
    assert "E1" not in done.stderr


def test_a_program_is_not_a_core(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    done = workbench("triage", crashed[0], cwd=tmp_path)
    assert done.returncode == 2
    assert "--exe" in done.stderr


def test_any_truncation_is_a_line_or_a_capped_report(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    executable, core = crashed
    whole = core.read_bytes()
    for number, size in enumerate((100, 2000, 8192, len(whole) // 2, len(whole) - 1)):
        cut = tmp_path / f"cut{number}"
        cut.write_bytes(whole[:size])
        done = workbench("triage", cut, "--exe", executable, "--format", "json", cwd=tmp_path)
        assert "Traceback" not in done.stderr
        if done.returncode == 2:
            assert len(done.stderr.strip().splitlines()) == 1
            continue
        assert done.returncode in (0, 1), done.stderr
        report = json.loads(done.stdout)
        assert report["analysis"]["coreHealth"]["truncated"]
        assert report["analysis"]["coreHealth"]["caps"]
        assert report["analysis"]["aiAnalysis"]["confidence"] < 0.9


def test_another_programs_executable_caps_confidence(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    other = build("int main(void) { return 3; }\n", "-g", "-O0")
    done = workbench("triage", crashed[1], "--exe", other, "--format", "json", cwd=tmp_path)
    assert done.returncode in (0, 1)
    report = json.loads(done.stdout)
    assert report["analysis"]["coreHealth"]["executableMatches"] is False
    assert report["analysis"]["coreHealth"]["caps"]
    assert report["analysis"]["aiAnalysis"]["confidence"] <= 0.8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("triage",), "none was named"),
        (("triage", "x", "--format", "pdf"), "'md', 'json', 'html'"),
        (("triage", "x", "--timeout", "0"), "--timeout"),
        (("triage", "x", "--tier", "far"), "`python -m workbench triage --help`"),
        (("triage", "x", "--nonsense"), "--nonsense"),
        (("triage", "x", "y\n[red]z"), "extra argument"),
        (("triage", "program", "core"), "triage CORE --exe PROGRAM`"),
        (("triage", "x" * 300), "check the path"),
        (("ask", "session_none"), "question"),
        (("sessions", "resume", "session_none"), "session_none"),
        (("sessions", "resume"), "session_id"),
        (("sessions", "nonsense"), "nonsense"),
        (("nonsense",), "nonsense"),
        (("diff", "a", "b"), "did you mean `workbench sessions diff`?"),
        (("resume",), "did you mean `workbench sessions resume`?"),
        (("core.1",), "did you mean `workbench open core.1`?"),
        (("sessions", "triage", "x"), "did you mean `workbench triage`?"),
        (("evaluate",), "workbench evaluate --help`"),
        (("--nonsense",), "`python -m workbench --help`"),
    ],
)
def test_usage_errors_are_one_line_and_status_2(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "core.1").touch()
    done = workbench(*words, cwd=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("workbench: ")
    assert said in line
    assert done.stdout == ""


HELP = (
    *((it,) for it in ("--help", "-h", "--version")),
    *((it, "--help") for it in ("triage", "sessions", "evaluate")),
)


def test_help_and_version_are_no_errors(tmp_path: Path) -> None:
    for words in HELP:
        done = workbench(*words, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "workbench" in done.stdout
        assert "..." not in done.stdout.partition("Commands:")[2]  # a command's help is cut


def test_a_question_that_is_no_utf8_is_asked_all_the_same(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    words = os.fsdecode(b"which signal ended it \xe0 midi?")
    command = ("triage", crashed[1], "--exe", crashed[0], "--issue", words)
    done = workbench(*command, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(workbench("sessions", "--format", "json", cwd=tmp_path).stdout)
    done = workbench("ask", row["sessionId"], words, cwd=tmp_path)
    assert "SIGSEGV" in done.stdout
    assert done.returncode in (0, 1)


@pytest.mark.parametrize("option", ["--sessions-dir", "--sysroot", "--clr-path"])
def test_a_folder_whose_name_is_no_utf8_is_one_line(
    crashed: tuple[Path, Path], tmp_path: Path, option: str
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve"))
    folder.mkdir()
    done = workbench("triage", crashed[1], option, folder, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert option in line
    assert "its name is not UTF-8: rename it" in line


def test_no_debugger_is_status_3_with_a_report(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    env = {**os.environ, "WORKBENCH_GDB": str(tmp_path / "none")}
    done = workbench("triage", crashed[1], "--exe", crashed[0], cwd=tmp_path, env=env)
    assert done.returncode == 3
    assert "No debugger" in done.stderr
    assert done.stdout.startswith("#")


def test_a_timeout_prints_the_best_so_far(crashed: tuple[Path, Path], tmp_path: Path) -> None:
    slow = tmp_path / "gdb"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    env = {**os.environ, "WORKBENCH_GDB": str(slow)}
    begun = time.monotonic()
    done = workbench(
        "triage", crashed[1], "--exe", crashed[0], "--timeout", "2", "--format", "json",
        cwd=tmp_path, env=env,
    )  # fmt: skip
    assert time.monotonic() - begun < 50, "it waited for its debugger"
    assert json.loads(done.stdout)["analysis"]["aiAnalysis"]["stoppedBy"] == "timeout"


@pytest.mark.parametrize("size", [80_000, 120_000])
def test_a_full_disk_is_one_line_and_what_was_found(
    crashed: tuple[Path, Path], tmp_path: Path, size: int
) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    words = ("triage", crashed[1], "--exe", crashed[0], "--format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *map(str, words)], cwd=tmp_path, preexec_fn=limit,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "cannot save" in done.stderr.strip().splitlines()[-1]
    ai = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert ai["stoppedBy"] == "failed"
    assert ai["evidenceLedger"]


def test_a_report_that_its_file_does_not_take_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver_somewhere("report", tmp_path / "gone" / "r.md")
    assert capsys.readouterr().out == "report\n"
    (tmp_path / f".r.md.{os.getpid()}.tmp").mkdir()
    deliver_somewhere("again", tmp_path / "r.md")
    assert capsys.readouterr().out == "again\n"


def test_a_full_disk_under_the_report_is_named_and_the_report_printed(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    words = ("triage", crashed[1], "--exe", crashed[0], "--format", "json", "--output", "/dev/full")
    done = workbench(*words, cwd=tmp_path)
    assert done.returncode == 3
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .endswith("/dev/full: No space left on device; free some space, then run it again")
    )
    assert json.loads(done.stdout)["analysis"]["aiAnalysis"]["stoppedBy"] == "concluded"


def test_an_interrupt_saves_and_says_how_to_go_on(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    slow = tmp_path / "gdb"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "triage", str(crashed[1]), "--exe", str(crashed[0])],
        cwd=tmp_path, env={**os.environ, "WORKBENCH_GDB": str(slow)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    while "E1 " not in (line := process.stderr.readline()):
        assert line
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    session = re.search(r"sessions resume (session_\S+?)(?: --sessions-dir \S+)?`", errors)
    assert session is not None
    done = workbench("triage", f".sessions/{session[1]}", cwd=tmp_path)
    told = f"it is a session's folder; name the session: {session[1]} --sessions-dir .sessions"
    assert (done.returncode, told in done.stderr) == (2, True)
    done = workbench("triage", session[1], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_nothing_that_lies_beside_the_dump_is_run(
    crashed: tuple[Path, Path], tmp_path: Path
) -> None:
    """Init files, auto-load scripts, a home that allows them all, and a .env."""
    import shutil

    executable, core = tmp_path / "prog", tmp_path / "core"
    shutil.copy(crashed[0], executable)
    shutil.copy(crashed[1], core)
    mark = tmp_path / "ran"
    (tmp_path / ".gdbinit").write_text(f"shell touch {mark}\n")
    (tmp_path / "prog-gdb.gdb").write_text(f"shell touch {mark}\n")
    (tmp_path / "prog-gdb.py").write_text(f"open({str(mark)!r}, 'w')\n")
    (tmp_path / "core-gdb.py").write_text(f"open({str(mark)!r}, 'w')\n")
    (tmp_path / ".env").write_text("SESSIONS_BASE_DIR=/tmp/stolen\nWORKBENCH_GDB=/bin/true\n")
    (tmp_path / "workbench.toml").write_text("sessions_base_dir = '/tmp/stolen'\n")
    (tmp_path / ".gdbearlyinit").write_text(f"shell touch {mark}\n")
    home = tmp_path / "home"
    (home / ".config/gdb").mkdir(parents=True)
    allow = "set auto-load safe-path /\nset auto-load local-gdbinit on\n"
    for init in (home / ".gdbinit", home / ".config/gdb/gdbinit", home / ".gdbearlyinit"):
        init.write_text(allow + f"shell touch {mark}\n")
    env = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    done = workbench("triage", core, "--exe", executable, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert not mark.exists()
    assert (tmp_path / ".sessions").is_dir()


def test_the_engine_runs_without_the_screen() -> None:
    code = (
        "import sys, workbench.fronts.headless, workbench.engine.session;"
        "sys.exit(any(m.split('.')[0] in ('textual', 'pyte', 'openai') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
