"""The score is fair: other words for the same thing count, other things do not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import cause, minidump, parsers
from tests.corpus.numbers import numbers
from tests.corpus.report import Report


def _report(category: str = "unknown", root: str = "", **analysis: object) -> Report:
    ai = {"category": category, "rootCause": root, "hypotheses": []}
    return Report({"analysis": {"aiAnalysis": ai, **analysis}})


@pytest.mark.parametrize(
    ("words", "category", "root", "expected"),
    [
        ("double free", "double-free", "", 1.0),
        ("attempting double-free in Parser::close", "double-free", "Parser::close frees it", 1.0),
        ("kernel null deref", "null-pointer-dereference", "", 1.0),
        ("kernel null deref", "wild-pointer", "", 0.0),
        ("null read of 0x7f0010 in load_page()", "null-pointer-dereference", "load_page", 2 / 3),
        ("Heap buffer overrun: `fill_row` writes", "out-of-bounds-write", "fill_row", 1.0),
        ("stack overflow in parse_value", "stack-overflow", "parse_item", 0.5),
        ("no crash: dump requested", "unknown", "", 1.0),
        ("no crash: dump requested", "deadlock", "", 0.0),
        ("panicked at 'already borrowed'", "panic", "it says 'already borrowed'", 1.0),
    ],
)
def test_a_cause_is_compared_by_sort_names_and_addresses(
    words: str, category: str, root: str, expected: float
) -> None:
    assert cause.score(words, _report(category, root))[0] == pytest.approx(expected)


@pytest.mark.parametrize("words", [None, "", "test_MinidumpParser", 3])
def test_a_cause_that_is_none_is_not_scored(words: object) -> None:
    assert cause.stated(words) is None


def test_numbers_are_compared_in_either_base() -> None:
    assert {0x7FFE, 0xC0000005, 12, 0x000000010A0} <= numbers("0x7ffe c0000005 12 000010a0")


def test_a_dump_is_compared_by_what_is_known() -> None:
    report = _report(
        environment={"os": "windows", "arch": "i386"},
        exception={"type": "ACCESS_VIOLATION", "hresult": "0xc0000005", "threadId": 77},
        summary={"threadCount": 2, "moduleCount": 3},
    )
    truth: dict[str, object] = {"os": "Windows NT", "cpu": "x86", "exception": "0xc0000005"}
    truth |= {"threads": 2, "modules": 4, "crashing_thread_id": 77, "address": None}
    found = minidump.checks(truth, report)
    assert found.pop("modules") is False
    assert all(found.values())
    assert set(found) == {"os", "cpu", "exception", "threads", "thread"}


def test_a_signal_may_be_a_number_or_a_name() -> None:
    report = _report(environment={"os": "linux"}, exception={"signal": "SIGSEGV"})
    assert minidump.exception_holds("0xb", report)
    assert not minidump.exception_holds("0x6", report)


def test_a_folder_is_scored(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk, bread\n", encoding="utf-8")
    entries = [{"file": "notes.txt", "kind": "transcript", "truth": {"cause": "double free"}}]
    (tmp_path / "manifest.json").write_text(json.dumps(entries), encoding="utf-8")
    command = [sys.executable, "-m", "tests.corpus", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "score 0.000 of 1 files" in done.stdout
    assert "exit 2" in done.stdout


def test_a_folder_without_a_manifest_is_said(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.corpus", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "manifest.json" in done.stderr


_ANALYZER = """
def test_freed(self):
    data = self._read_test_data('freed.txt')
    expected_type = 'Heap-use-after-free\\nREAD 8'
    expected_address = '0x602000000010'
    expected_state = ('till::close\\n' 'main\\n')
    self._validate_get_crash_data(data, expected_type, expected_address, expected_state)
"""
_CRASH_INFO = """
def test_stop():
    crashInfo = GDBCrashInfo([], (FIXTURE_PATH / "stop.txt").read_text().splitlines(), config)
    assert crashInfo.backtrace[0] == "till::close"
    assert crashInfo.crashAddress == 0x18
    assert crashInfo.crashInstruction == "mov (%rax),%eax"
"""


@pytest.mark.parametrize(
    ("test", "log", "said", "one", "address"),
    [
        ("stack_analyzer_test.py:" + _ANALYZER, "stack_analyzer_data/freed.txt",
         "Heap-use-after-free\nREAD 8", "use-after-free", 0x602000000010),
        ("test_CrashInfo.py:" + _CRASH_INFO, "fixtures/stop.txt", "access",
         "null-pointer-dereference", 0x18),
    ],
)  # fmt: skip
def test_what_tests_of_other_parsers_expect_is_read(
    tmp_path: Path, test: str, log: str, said: str, one: str, address: int
) -> None:
    name, _, code = test.partition(":")
    (tmp_path / log).parent.mkdir()
    (tmp_path / log).write_text("a log\n", encoding="utf-8")
    (tmp_path / name).write_text(code, encoding="utf-8")
    (entry,) = parsers.entries(tmp_path)
    assert entry["file"] == log
    truth = entry["truth"]
    assert (truth["said"], truth["frames"][0], truth["address"]) == (said, "till::close", address)
    assert one in parsers.categories(truth)
    ai = {"category": one, "frame": {"function": "till::close()"}}
    report = Report({"analysis": {"aiAnalysis": ai, "exception": {"faultAddress": hex(address)}}})
    assert parsers.checks(truth, report) == {"frame": True, "address": True}
    assert cause.outcome(set(parsers.categories(truth)), report) == "right"


@pytest.mark.parametrize(
    ("category", "outcome"),
    [("double-free", "right"), ("unknown", "open"), (None, "open"), ("panic", "wrong")],
)
def test_what_is_not_concluded_is_open(category: str | None, outcome: str) -> None:
    first = {"category": "double-free", "status": "inconclusive"}
    report = Report({"analysis": {"aiAnalysis": {"category": category, "hypotheses": [first]}}})
    assert cause.outcome({"double-free"}, report) == outcome
    assert cause.score("double free", report)[0] == float(outcome == "right")
