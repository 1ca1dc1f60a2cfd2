"""A conversation as a person has it: piped lines in, turns out, the result beside the files."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.chat.conftest import GDB_LOG, POOL_LOG
from tests.forking import workbench
from workbench.agents.chat.clauses import asks
from workbench.fronts.analyzing import answers, write_result
from workbench.model.conversation import approves, ends

APP_LOG = """\
10:00:00 INFO  starting shop
10:00:05 WARN  slow query
10:01:00 ERROR db: connection refused by 10.0.0.5:5432
10:01:02 ERROR db: connection refused by 10.0.0.5:5433
10:02:00 FATAL worker 3: pool exhausted, 50 connections in use
CPU utilization: 98%
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "case"
    made.mkdir()
    (made / "app.log").write_text(APP_LOG)
    return made


def words(folder: Path, query: str = "why does it fail?") -> list[str]:
    return [
        "analyze", "--query", query, "--inputs", str(folder),
        "--tier", "offline", "--sessions-dir", str(folder.parent / "sessions"),
    ]  # fmt: skip


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "workbench", *words(folder)]


def analyze(
    folder: Path, said: str, query: str = "why does it fail?"
) -> subprocess.CompletedProcess[str]:
    return workbench(*words(folder, query), said=said)


def result(folder: Path) -> str:
    return (folder / "analysis_result.md").read_text()


@pytest.mark.parametrize(
    "word", ["DONE", "done", " Done ", "SOLUTION APPROVED", "solution\tapproved"]
)
def test_the_whole_answer_ends_it(word: str) -> None:
    assert ends(word)
    assert approves(word) is ("done" not in word.lower())


@pytest.mark.parametrize(
    "word", ["not done", "done?", "DONE.", "I am done", "solution", "", "approved"]
)
def test_any_other_answer_is_one(word: str) -> None:
    assert not ends(word)


def test_a_proved_cause_is_proposed_and_approved(folder: Path) -> None:
    (folder / "crash.txt").write_text(GDB_LOG)
    done = analyze(folder, "Solution Approved\n")
    assert done.returncode == 0, done.stderr
    assert "Proposed solution: Null pointer dereference" in done.stdout
    assert "close_drawer" in result(folder)
    assert "Approved by the user" in result(folder)
    assert result(folder) in done.stdout


def test_without_facts_it_asks_one_question_a_turn_then_says_what_stands_out(folder: Path) -> None:
    done = analyze(folder, "the shop\nnot done\nno\nDoNe\n")
    assert done.returncode == 1, done.stderr
    turns = done.stdout.split("\n\nAnswer")
    assert [turn.count("Question: ") for turn in turns[:4]] == [1, 1, 1, 0]
    assert "FATAL worker 3: pool exhausted" in turns[0]
    assert "FATAL worker 3: pool exhausted" in turns[3]
    assert "Answered: not done" in result(folder)
    assert "Ended by the user" in result(folder)


def test_a_number_that_the_files_deny_is_contradicted(folder: Path) -> None:
    done = analyze(folder, "CPU was at 30 %\nDONE\n", query="CPU was 20 %, why is it slow?")
    assert 'contradicts "CPU was 20 %"' in done.stdout
    assert 'contradicts "CPU was at 30 %"' in done.stdout
    assert "CPU utilization: 98%" in done.stdout


def test_notes_may_be_corrected_and_a_design_needs_a_model(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    notes = "# Export\n\nThe endpoint returns at most 500 rows; handle one million rows.\n"
    (tmp_path / "in" / "feature.md").write_text(notes)
    told = analyze(
        tmp_path / "in", "we have ten million rows\na queue\nno\nDONE\n", "build it"
    ).stdout
    assert "contradicts" not in told
    assert "a model (`--tier local`), where a design or a plan is asked for" in told
    (tmp_path / "in" / "app.log").write_text("10:00:05 WARN  db: 500 rows in the queue\n")
    told = analyze(tmp_path / "in", "there are ten million rows\nDONE\n", "why is it slow?").stdout
    assert 'contradicts "there are 10000000 rows"' in told


def test_what_the_person_asks_back_is_answered_before_it_goes_on(folder: Path) -> None:
    said = "why did the pool run out?\nwhat do you think the root cause is\nDONE\n"
    first, second, third = analyze(folder, said).stdout.split("\n\nAnswer")[:3]
    heard = "What the evidence says to your question:"
    assert heard not in first
    asked = [turn.rpartition("Question: ")[2].split("\n")[0] for turn in (first, second, third)]
    assert len(set(asked)) == 1  # a question of the person's own uses up no turn
    assert "pool exhausted, 50 connections in use" in second.split(heard)[1].split("Question: ")[0]
    last = third.split(heard)[1].split("Question: ")[0]
    assert "No cause is proved" in last
    assert "What stands out most: " in last
    assert "pool exhausted, 50 connections" in result(folder).split("## Conversation")[1]


@pytest.mark.parametrize(
    "text",
    [
        "why did the pool run out?",
        "hm, but which thread took it?",
        "It is new. Is the pool size 50?",
        "what caused it",
        "how did that happen",
    ],
)
def test_a_question_of_the_person_is_one(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "the second?",
        "when it was full",
        "which was new",
        "no",
        "a1\na2\nwhy did it?\na3",
        "GET /a?why=1 200",
    ],
)
def test_an_answer_is_no_question(text: str) -> None:
    assert not asks(text)


def test_a_number_behind_the_rank_of_its_line_is_contradicted(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "app.log").write_text("10:00:05 WARN  db pool exhausted size=5 waiting=37\n")
    told = analyze(tmp_path / "in", "the pool size is 50\nis the pool size 60?\nDONE\n").stdout
    assert 'contradicts "the pool size is 50"' in told
    assert 'contradicts "is the pool size 60' in told


def test_a_folder_that_is_open_elsewhere_is_told_so(folder: Path) -> None:
    with subprocess.Popen(
        command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        _read_until(running, "end with DONE")
        other = analyze(folder, "DONE\n")
        assert running.stdin is not None
        running.stdin.write("DONE\n")
        running.stdin.close()
        running.wait(timeout=60)
    assert other.returncode == 2
    assert "is open in another workbench" in other.stderr
    assert "another --query" in other.stderr
    assert "dump" not in other.stderr


def test_a_log_that_is_pasted_or_put_into_the_folder_is_read(folder: Path) -> None:
    done = analyze(folder, f"```\n{GDB_LOG}```\nDONE\n")
    assert done.returncode == 0, done.stderr
    assert "Null pointer dereference" in result(folder)
    assert "more lines" in result(folder)


def test_what_is_put_into_the_folder_meanwhile_is_read(folder: Path) -> None:
    with subprocess.Popen(
        command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        _read_until(running, "end with DONE")
        (folder / "pool.txt").write_text(POOL_LOG)
        (folder / "crash.txt").write_text(GDB_LOG)
        running.stdin.write("it is in the folder now\n")
        running.stdin.flush()
        assert "Proposed solution: Null pointer dereference" in _read_until(running, "accept it")
        running.stdin.write("done\n")
        running.stdin.close()
        assert running.wait(timeout=60) == 0


def _read_until(running: "subprocess.Popen[str]", words: str) -> str:
    assert running.stdout is not None
    text = ""
    while words not in text:
        line = running.stdout.readline()
        assert line, text
        text += line
    return text


@pytest.mark.parametrize("again", ["analyze", "resume"])
def test_a_pause_survives_kill_9(folder: Path, again: str) -> None:
    with subprocess.Popen(
        command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        first = _read_until(running, "Question: ")
        _read_until(running, "end with DONE")
        running.stdin.write("the shop\n")
        running.stdin.flush()
        second = _read_until(running, "Question: ")
        _read_until(running, "end with DONE")
        running.send_signal(signal.SIGKILL)
    (session,) = (folder.parent / "sessions").glob("session_*")
    place = ["--sessions-dir", str(folder.parent / "sessions")]
    go_on = ["sessions", "resume", session.name, *place]
    done = workbench(*(words(folder) if again == "analyze" else go_on), said="no\nDONE\n")
    assert done.returncode == 1, done.stderr
    assert second.split("Question: ")[1] in done.stdout
    assert first.split("Question: ")[1] not in done.stdout.split("# why")[0]
    assert "Answered: the shop" in result(folder)
    assert len(list((folder.parent / "sessions").glob("session_*"))) == 1


def test_the_end_of_the_input_is_a_pause(folder: Path) -> None:
    left = analyze(folder, "")
    assert left.returncode == 130
    assert "sessions resume" in left.stderr
    assert not (folder / "analysis_result.md").exists()
    other = analyze(folder, "DONE\n", query="another question")
    assert other.returncode == 1
    assert len(list((folder.parent / "sessions").glob("session_*"))) == 2


def test_a_conversation_is_no_target_of_another_command_but_can_be_asked(folder: Path) -> None:
    assert analyze(folder, "").returncode == 130
    (session,) = (folder.parent / "sessions").glob("session_*")
    place = ["--sessions-dir", str(session.parent)]
    for words, status, said in (
        (["triage", session.name], 2, "sessions resume"),
        (["ask", session.name, "What is the CPU utilization?", "--tier", "offline"], 0, "98%"),
    ):
        done = workbench(*words, *place)
        assert done.returncode == status, done.stderr
        assert said in done.stdout + done.stderr


def test_ctrl_c_leaves_it_resumable(folder: Path) -> None:
    with subprocess.Popen(
        command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        _read_until(running, "end with DONE")
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
    assert analyze(folder, "DONE\n").returncode == 1


def test_a_signal_ends_it_while_answers_keep_coming(folder: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.write_text("go on\n" * 5000)
    with (
        answers.open() as given,
        subprocess.Popen(
            command(folder), stdin=given, stdout=subprocess.PIPE, text=True
        ) as running,
    ):
        _read_until(running, "end with DONE")
        running.send_signal(signal.SIGTERM)
        assert running.stdout is not None
        running.stdout.read()
        assert running.wait(timeout=60) == 130


def test_an_older_result_is_kept_and_never_read(folder: Path) -> None:
    (folder / "analysis_result.md").write_text("secret of yesterday")
    assert analyze(folder, "DONE\n").returncode == 1
    assert (folder / "analysis_result.md.bak").read_text() == "secret of yesterday"
    assert "yesterday" not in result(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "analysis_result.md", "analysis_result.md.bak", "app.log",
    ]  # fmt: skip


def test_no_link_is_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "analysis_result.md").symlink_to(outside)
    (folder / "analysis_result.md.bak").symlink_to(outside)
    write_result(folder, "new")
    assert outside.read_text() == "mine"
    assert not (folder / "analysis_result.md").is_symlink()


def test_a_folder_that_cannot_be_written_still_shows_the_result(folder: Path) -> None:
    (folder / "analysis_result.md").mkdir()
    (folder / "analysis_result.md" / "x").write_text("x")
    (folder / "analysis_result.md.bak").mkdir()
    (folder / "analysis_result.md.bak" / "y").write_text("y")
    done = analyze(folder, "DONE\n")
    assert done.returncode == 3
    assert "# why does it fail?" in done.stdout
    assert done.stderr.count("workbench: ") == 1


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_texts_is_a_wrong_target(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    done = analyze(tmp_path / name, "")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_answers_are_lines_or_what_stands_between_fences() -> None:
    given = iter(["", "one", "  ", "```", "two", "", "three", "```", "four", "```text", "five"])
    assert list(answers(given)) == ["one", "two\n\nthree", "four", "five"]


def test_hostile_texts_and_answers_are_shown_harmless(folder: Path) -> None:
    (folder / "evil.md").write_text(
        "\x1b]0;owned\x07 ERROR \x1b[31m[link](http://x) <script>\nFATAL `rm -rf` \u202eevil\n"
    )
    done = analyze(folder, "\x1b[2J\u202e <b> ``` x\n\x00\n" + "y" * 5000 + "\nDONE\n")
    assert done.returncode == 1, done.stderr
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    text = result(folder).split("## Evidence")[0]  # what is quoted there stands in fences
    assert "<script>" not in text
    assert "[link](" not in text
    assert os.access(folder / "analysis_result.md", os.R_OK)
