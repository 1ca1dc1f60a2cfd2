"""Reports that a log's message quotes, beside the one that the process printed itself."""

from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.logs.reading import read_text
from workbench.model.category import Category
from workbench.model.facts import ExceptionRecord

FREED = """\
==42==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x401234
READ of size 4 at 0x602000000010 thread T0
    #0 0x401233 in innocent /src/a.c:10
freed by thread T0 here:
    #0 0x493bcd in free
    #1 0x401222 in innocent /src/a.c:9
SUMMARY: AddressSanitizer: heap-use-after-free /src/a.c:10 in innocent"""
DEEP = """\
==42==ERROR: AddressSanitizer: stack-overflow on address 0x7ffd00000000 (pc 0x401999 T0)
    #0 0x401999 in guilty /src/b.c:5
    #1 0x401999 in guilty /src/b.c:5
SUMMARY: AddressSanitizer: stack-overflow /src/b.c:5 in guilty
"""


@pytest.mark.parametrize("head", ['msg: user said "', f'msg: user said "{"=" * 65}\n', "got `"])
def test_the_processs_own_report_is_believed(tmp_path: Path, head: str) -> None:
    read = read_text(tmp_path, f'start\n{head}{FREED}"\n{DEEP}')
    assert read.category is Category.STACK_OVERFLOW
    assert read.function == "guilty"


def test_a_report_that_only_a_message_holds_is_read(tmp_path: Path) -> None:
    assert read_text(tmp_path, f'msg: "{FREED}"\n').category is Category.USE_AFTER_FREE


def test_two_reports_of_one_process_decide_on_nothing(tmp_path: Path) -> None:
    assert read_text(tmp_path, f"user said:\n{FREED}\n{DEEP}").category is None


def test_reports_of_two_processes_do_not_contradict(tmp_path: Path) -> None:
    read = read_text(tmp_path, f"{FREED}\n{DEEP.replace('==42==', '==43==')}")
    assert read.category is Category.USE_AFTER_FREE


def test_an_event_in_a_dumped_string_happened_to_nobody() -> None:
    text = (
        '0:000> da 401000\n00401000 "(1a4.1b8): Access violation - code c0000005 (first chance)"\n'
        "(1a4.1b8): Integer divide-by-zero - code c0000094 (first chance)\n"
    )
    facts = analyze(Document("E1", "da 401000", "cdb", text)).facts
    codes = [fact.code for fact in facts if isinstance(fact, ExceptionRecord)]
    assert 0xC0000005 not in codes
