"""The four stages on a small corpus, by the command that a user types."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.evaluate import corpus
from tests.forking import workbench
from tests.soak import SOAK
from workbench.evaluate import corpora
from workbench.evaluate.folder import RunFolder
from workbench.evaluate.records import Scenarios
from workbench.store.lock import SessionLock

COMMAND = [sys.executable, "-m", "workbench", "evaluate"]


def evaluate(*words: object, status: int = 0) -> str:
    """Run it, by one worker unless more are asked for; stdout and stderr."""
    one = ("--jobs", 1) if words[0] in ("run", "execute") and "--jobs" not in words else ()
    done = workbench("evaluate", *words, *one)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(the run's folder, the corpus), with a program and its bare baseline."""
    base = tmp_path_factory.mktemp("evaluate")
    given = corpus.write(base / "till", program=True)
    evaluate(
        "run", "--folder", base / "run", "--corpus", given, "--bare", "--jobs", 2, "--allow-build"
    )
    return base / "run", given


def test_progress_has_an_estimate_where_there_is_no_terminal(tmp_path: Path) -> None:
    said = evaluate("execute", "--folder", tmp_path, "--corpus", "templates", "--component",
                    "policy")  # fmt: skip
    assert re.search(r"^25 of 34 cases, about \d+ s left$", said, re.MULTILINE)
    assert "34 of 34 cases\n" in said


def test_a_run_leaves_each_stages_file_and_is_right(ran: tuple[Path, Path]) -> None:
    folder, _ = ran
    found = results(folder)
    verdicts = {one["id"]: one for one in found["cases"]}
    assert {one["verdict"] for one in verdicts.values()} == {"right"}
    assert all(one["decidedBy"] == "capture" and one["weight"] == 1 for one in verdicts.values())
    program = verdicts["null.c--g-O0-SIGSEGV"]
    assert program["parts"] == dict.fromkeys(("frame", "severity", "signature"), "right")
    assert found["groups"]["all"]["all"]["right"]["hits"] == 3
    assert found["groups"]["expected"]["use-after-free"]["precision"]["of"] == 1
    assert found["seconds"]["bare"] > 0
    assert {tool: row["right"]["hits"] for tool, row in found["bare"].items()} == {
        "gdb": 1, "summary": 1}  # fmt: skip
    for name in ("analysis", "scenarios", "captures", "state"):
        assert json.loads((folder / f"{name}.json").read_text())
    told = json.loads(RunFolder(folder).transcript("freed.log").read_text())
    assert told["report"]["analysis"]["aiAnalysis"]["category"] == "use-after-free"
    assert told["capture"]["events"]["confirmed/use-after-free"] == 1


def test_page_and_junit_hold_every_case(ran: tuple[Path, Path]) -> None:
    folder, _ = ran
    page = (folder / "results.html").read_text()
    assert page.count("<svg") == 2
    assert "http" not in page.replace("http-equiv", "")
    suites = ElementTree.fromstring((folder / "junit.xml").read_text())
    assert {case.get("name") for case in suites.iter("testcase")} == {
        one["id"] for one in results(folder)["cases"]
    }
    assert suites.get("failures") == "0"


def test_the_scoreboard_has_the_bare_debugger_beside(
    ran: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, _ = ran
    said = evaluate("scoreboard", "--folder", folder)
    assert "| target | no model: right | no model: open | no model: false | baseline: right" in said
    assert "| cores with symbols | 1/1 100% (21-100) | 0/1 0% (0-79) | 0/1 0% (0-79) | 1/1" in said
    assert (
        "| reports of other tools | 2/2 100% (34-100) | 0/2 0% (0-66) | 0/2 0% (0-66) | 1/1" in said
    )
    assert "; 3 of 3 cases, 0 not made there, 0 failed." in said
    assert "Parts that are as expected: frame 2/2 100%" in said
    assert "Parts that are told otherwise: frame 0/2 0%" in said
    assert re.search(r"takes [\d.]+ \(no interval\) of bare gdb with the same commands", said)
    assert re.search(r"A case takes [\d.]+ \([\d.]+-[\d.]+\) s\.", said)
    both = evaluate("scoreboard", "--folder", folder, "--folder", folder)
    assert re.search(r"\| all (\| 3/3 [^|]*\| 0/3 [^|]*\| 0/3 [^|]*){2}\| 2/2 ", both)
    some = shutil.copytree(folder, tmp_path / "some")
    evaluate("evaluate", "--folder", some, "--component", "causes/use-after-free")
    fewer = evaluate("scoreboard", "--folder", some)
    assert re.search(r"\| all \| 1/1 [^|]*\| 0/1 [^|]*\| 0/1 [^|]*\| 1/1 ", fewer)
    assert "no results there" in evaluate("scoreboard", "--folder", folder / "none", status=2)


def test_what_is_done_is_not_done_again_and_edited_stages_count(tmp_path: Path) -> None:
    given, folder = corpus.write(tmp_path / "till"), tmp_path / "run"
    evaluate("generate", "--folder", folder, "--corpus", given)
    scenarios = json.loads((folder / "scenarios.json").read_text())
    scenarios["cases"] = scenarios["cases"][:1]  # the person takes one out and edits the other
    scenarios["cases"][0]["expected"]["category"] = "double-free"
    (folder / "scenarios.json").write_text(json.dumps(scenarios))
    evaluate("run", "--folder", folder, "--corpus", given)
    (one,) = results(folder)["cases"]
    assert (one["verdict"], one["said"]) == ("wrong", "use-after-free")
    before = RunFolder(folder).transcript("freed.log").stat().st_mtime_ns
    evaluate("execute", "--folder", folder, "--corpus", given)
    assert RunFolder(folder).transcript("freed.log").stat().st_mtime_ns == before
    dry = evaluate("execute", "--folder", folder, "--corpus", given, "--failed", "--dry-run")
    assert "execute: 1 cases: 1 triage" in dry
    evaluate("execute", "--folder", folder, "--corpus", given, "--failed")
    assert RunFolder(folder).transcript("freed.log").stat().st_mtime_ns > before
    evaluate("run", "--folder", folder)  # the file has its one case, whatever ships
    assert len(results(folder)["cases"]) == 1


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_run_that_was_ended_goes_on(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    given, folder = corpus.write(tmp_path / "till"), tmp_path / "run"
    told = json.loads((given / "manifest.json").read_text())
    waits = tmp_path / "waits"
    os.mkfifo(waits)  # the last case does not end before the run does
    made = {"command": ["cat", str(waits)]}
    told["cases"].append({"id": "last", "component": "origins", "target": "freed.log",
                          "make": made, "expected": {"category": "panic"}})  # fmt: skip
    (given / "manifest.json").write_text(json.dumps(told))
    words = [*COMMAND, "run", "--folder", folder, "--corpus", given, "--jobs", "1", "--allow-build"]
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    transcripts = folder / "transcripts"
    while running.poll() is None and len(list(transcripts.glob("*.json"))) < 2:
        time.sleep(0.01)
    running.send_signal(sent)
    assert running.wait() == status
    kept = {path: path.stat().st_mtime_ns for path in transcripts.glob("*.json")}
    assert len(kept) == 2
    with suppress(OSError):  # a worker of a killed run may still wait
        os.close(os.open(waits, os.O_WRONLY | os.O_NONBLOCK))
    waits.unlink()
    waits.write_text("it is built")
    evaluate(*words[4:])
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert len(results(folder)["cases"]) == 3


KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.evaluate import folder, stages
name, left, written = sys.argv[1], int(sys.argv[2]), folder.replace_file

def dies(path, text):
    global left
    left -= path.name == name
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    written(path, text)

folder.replace_file = stages.replace_file = dies
run = folder.RunFolder(Path(sys.argv[3]))
wanted = stages.Wanted(corpora=("templates",), component="policy/cdb")
with run.held():
    stages.execute(run, wanted, lambda *_: None)
    stages.evaluate(run, wanted)
"""


WRITES = [("scenarios.json", 1), ("state.json", 2), ("captures.json", 1), ("results.json", 1),
          ("analysis.json", 1), ("state.json", 1), ("state.json", 4), ("junit.xml", 1)]  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize(("name", "nth"), WRITES if SOAK else WRITES[:4])
def test_killed_before_any_file_of_any_stage_it_ends_as_if_it_were_not(
    tmp_path: Path, name: str, nth: int
) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, name, str(nth), tmp_path])
    assert done.returncode == -signal.SIGKILL
    evaluate("run", "--folder", tmp_path, "--corpus", "templates", "--component", "policy/cdb")
    assert [one["verdict"] for one in results(tmp_path)["cases"]] == ["right"] * 5
    state = json.loads((tmp_path / "state.json").read_text())
    assert state["stages"] == dict.fromkeys(("analyze", "generate", "execute", "evaluate"), "done")
    assert len(state["done"]) == 5
    assert (tmp_path / "junit.xml").is_file()


def test_a_sample_is_spread_over_all_cases(tmp_path: Path) -> None:
    words = ("--folder", tmp_path, "--corpus", "templates", "--component", "policy")
    evaluate("run", *words, "--sample", 3)
    ids = [case.id for case in RunFolder(tmp_path).read("scenarios.json", Scenarios).cases]
    policy = [id for id in ids if id.startswith("policy")]
    done = [one["id"] for one in results(tmp_path)["cases"]]
    assert done == [policy[at * len(policy) // 3] for at in range(3)]
    said = evaluate("scoreboard", "--folder", tmp_path)
    assert f"; 3 of {len(ids)} cases" in said


def test_a_folder_that_came_from_elsewhere_runs_nothing(tmp_path: Path) -> None:
    folder, owned = tmp_path / ".evaluate", tmp_path / "owned"
    evaluate("generate", "--folder", folder, "--corpus", "programs")
    told = json.loads((folder / "scenarios.json").read_text())
    shipped = told["cases"][0]
    built = next(RunFolder(folder).path.glob("programs-*"), None)
    assert built is None
    command = {"command": ["touch", str(owned)]}
    told["cases"] = [
        {**shipped, "id": "command", "corpus": "loaders", "target": "x/x", "make": command},
        {**shipped, "id": "corpus", "make": {**shipped["make"], **command}},
        {**shipped, "id": "preload",
         "make": {**shipped["make"], "environment": {"LD_PRELOAD": "x"}}},
    ]  # fmt: skip
    (folder / "scenarios.json").write_text(json.dumps(told))
    for name in ("json", "asyncio", "pydantic"):  # what a worker imports first
        (tmp_path / f"{name}.py").write_text(f"open({str(owned)!r}, 'w')\n")
    script = Path(sys.executable).with_name("workbench")  # whose worker is a Python of its own
    words = [script, "evaluate", "run", "--jobs", "1"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert "cannot be made here without --allow-build" in done.stderr
    assert {one["verdict"] for one in results(folder)["cases"]} == {"cannot"}
    assert not owned.exists()
    made = RunFolder(folder).programs
    assert made == RunFolder(folder).programs, "what was made here is used again"
    copied = shutil.copytree(folder, tmp_path / "copied")
    assert RunFolder(copied).programs.name != made.name
    (folder / "transcripts").rename(tmp_path / "elsewhere")
    (folder / "transcripts").symlink_to(tmp_path / "elsewhere")
    assert "holds links that lead out of it" in evaluate("run", "--folder", folder, status=2)


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    given, folder = corpus.write(tmp_path / "till"), tmp_path / "run"
    folder.mkdir()
    lock = SessionLock(folder)
    try:
        said = evaluate("run", "--folder", folder, "--corpus", given, status=2)
    finally:
        lock.release()
    assert "another run works in this folder" in said
    assert f"process {os.getpid()}" in said


def test_a_regression_is_named_and_ends_with_1(tmp_path: Path) -> None:
    given, before, now = corpus.write(tmp_path / "till"), tmp_path / "before", tmp_path / "now"
    evaluate("run", "--folder", before, "--corpus", given)
    words = ("--folder", now, "--corpus", given, "--baseline", before / "results.json")
    said = evaluate("run", *words)
    assert "0 worse, 0 better: no regression" in said
    corpus.write(tmp_path / "till", category="double-free")
    (now / "scenarios.json").unlink()
    said = evaluate("run", *words, status=1)
    assert "worse   freed.log: right (use-after-free) -> wrong (use-after-free)" in said
    assert "1 worse, 0 better: a regression" in said
    assert "1 case to do again" in said  # the answer was given to another case
    (given / "freed.log").unlink()
    assert "1 case of the baseline not judged this time: freed.log" in evaluate("run", *words)
    told = json.loads((now / "results.json").read_text())
    told["cases"] = [case for case in told["cases"] if case["id"] == "freed.log"]
    (before / "results.json").write_text(json.dumps(told | {"cases": [
        case | {"verdict": "right"} for case in told["cases"]]}))  # fmt: skip
    assert "there is nothing to compare" in evaluate("run", *words, status=3)


def test_batched_and_isolated_say_the_same_and_their_ratio_is_told(tmp_path: Path) -> None:
    given, folder = corpus.write(tmp_path / "till", program=True), tmp_path / "run"
    words = ("run", "--folder", folder, "--corpus", given, "--sessions", "isolated",
             "--allow-build")  # fmt: skip
    evaluate(*words, "--compare-sessions", 3)
    found = results(folder)
    assert (found["differing"]["hits"], found["differing"]["of"]) == (0, 3)
    ratio = found["speed"]["isolated / batched_by_component"]
    assert 0 < ratio["low"] <= ratio["value"] <= ratio["high"]
    assert {one["verdict"] for one in results(folder)["cases"]} == {"right"}


def test_a_dry_run_asks_nobody(tmp_path: Path) -> None:
    given, folder = corpus.write(tmp_path / "till"), tmp_path / "run"
    said = evaluate("run", "--folder", folder, "--corpus", given, "--dry-run")
    assert "execute: 2 cases" in said
    assert "no model: no calls, no tokens, $0" in said
    assert not list((folder / "transcripts").iterdir())


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ('{"name": "x", "cases": [{"targt": "a.log"}]}', "cases.0.targt"),
        ('{"name": "x", "cases": [{"target": "a.log"}, {"target": "a.log"}]}', "two cases"),
        ("[", "Invalid JSON"),
    ],
)
def test_a_manifest_is_checked(tmp_path: Path, manifest: str, said: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    assert said in evaluate(
        "generate", "--folder", tmp_path / "run", "--corpus", tmp_path, status=2
    )


@pytest.mark.parametrize("stage", ["run", "generate", "execute", "evaluate"])
def test_a_component_that_no_case_has_is_an_error_that_names_the_known(
    ran: tuple[Path, Path], stage: str
) -> None:
    words = ("--folder", ran[0], "--corpus", ran[1], "--component")
    said = evaluate(stage, *words, "causes/use-after", status=2)
    assert "no case has the component causes/use-after: there are causes/divide-by-zero, " in said
    assert "causes/use-after-free" in evaluate(stage, *words, "cause", status=2)


def test_what_cannot_be_made_is_said(tmp_path: Path) -> None:
    cases = [
        {"target": "gone.log", "expected": {"category": "panic"}},
        {"target": "gone.c", "make": {}, "expected": {"category": "panic"}},
        {"id": "alone", "target": "manifest.json", "executable": "till"},
        {"target": "../../etc/passwd", "expected": {"category": "panic"}},
        {"id": "own", "target": "x", "make": {"command": ["./build.sh"]},
         "expected": {"category": "panic"}},
        {"id": "twice", "target": "own.c",
         "expected": {"origins": [{"function": "main", "text": "int"}]}},
        {"id": "source", "target": "own.c", "make": {}, "expected": {"category": "panic"}},
    ]  # fmt: skip
    (tmp_path / "own.c").write_text("int main(void) {\n    __builtin_trap();\n    int unused;\n}")
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "x", "cases": cases}))
    said = evaluate("run", "--folder", tmp_path / "run", "--corpus", tmp_path)
    assert "cannot gone.log: gone.log is not in the corpus" in said
    assert "cannot gone.c--SIGSEGV: gone.c is not in the corpus" in said
    assert "cannot alone: till is not in the corpus" in said
    assert "failed ../../etc/passwd: EvaluationError: ../../etc/passwd" in said
    assert "failed twice: EvaluationError: twice: 2 lines of own.c with 'int'" in said
    assert "cannot own: x cannot be made here without --allow-build" in said
    assert "cannot source: own.c cannot be made here without --allow-build" in said
    made = RunFolder(tmp_path / "run").programs
    assert {file.suffix for file in made.iterdir()} == {"", ".seal"}, "nothing was compiled"


def test_to_refuse_or_fail_is_never_right(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(bytes(range(255, 0, -1)) * 20)
    known = {"category": "use-after-free", "open": True}
    cases = [
        {"target": "noise", "expected": known},
        {"id": "none", "target": "noise", "expected": {"category": "unknown"}},
        {"target": "../outside", "expected": known},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "x", "cases": cases}))
    evaluate("run", "--folder", tmp_path / "run", "--corpus", tmp_path)
    found = results(tmp_path / "run")
    assert [one["verdict"] for one in found["cases"]] == ["open", "open", "failed"]
    whole = found["groups"]["all"]["all"]
    assert (whole["right"]["hits"], whole["open"]["hits"], whole["open"]["of"]) == (0, 3, 3)
    junit = ElementTree.fromstring((tmp_path / "run" / "junit.xml").read_text())
    assert (junit.get("skipped"), junit.get("errors")) == ("2", "1")


def test_an_origin_is_looked_for_by_running_again(tmp_path: Path) -> None:
    rows = json.loads((corpora.HERE / "origins" / "manifest.json").read_text())
    rows["cases"] = [row for row in rows["cases"] if row["target"] == "divide.c"]
    (tmp_path / "divide.c").write_text((corpora.HERE / "origins" / "divide.c").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(rows))
    words = ("run", "--folder", tmp_path / "run", "--corpus", tmp_path, "--allow-build")
    evaluate(*words)
    assert [one["verdict"] for one in results(tmp_path / "run")["cases"]] == ["open"]
    evaluate(*words, "--failed", "--again")
    (one,) = results(tmp_path / "run")["cases"]
    assert (one["verdict"], one["parts"]["origin"]) == ("right", "right")
