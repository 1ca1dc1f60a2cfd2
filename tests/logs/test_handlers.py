"""A debugger's listing in a log: the crash below a signal's handler, and a listing's outer end."""

from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.patterns.reported.case import Reports
from analyzers.registry import analyze
from tests.logs.reading import read_text
from workbench.model.category import Category as C
from workbench.model.facts import FactBook

_TILL = "at /home/ann/till/till.c"


def _handled(number: int, *below: str, handler: str = "Guard::onCrash") -> str:
    frames = "".join(f"#{at}  {text}\n" for at, text in enumerate(below, 3))
    return (
        "Thread 2 (Thread 0x7fddaac76740 (LWP 1254)):\n"
        "#0  0x00007fdda985f5b5 in poll () from /lib/libc.so.6\n"
        "#1  0x0000000000402f00 in main () at /home/ann/till/main.c:9\n\n"
        "Thread 1 (Thread 0x7fddaac76740 (LWP 1255)):\n"
        "#0  0x00007fdda985f5b5 in waitpid () from /lib/libpthread.so.0\n"
        f"#1  0x00000000004037e7 in {handler} (sig={number}) at /home/ann/guard.cpp:34\n"
        "#2  <signal handler called>\n"
        f"{frames}"
    )


@pytest.mark.parametrize(
    ("number", "below", "category", "function"),
    [
        (11, (f"0x0000000000402e7b in count (d=0x5) {_TILL}:5",), None, "count"),
        (11, ("0x0000000000000000 in ?? ()", f"0x0000000000402e7b in ring () {_TILL}:8"),
         C.NULL_FUNCTION_POINTER_CALL, "ring"),
    ],
)  # fmt: skip
def test_the_crash_is_what_the_handler_interrupted(
    tmp_path: Path, number: int, below: tuple[str, ...], category: C | None, function: str
) -> None:
    read = read_text(tmp_path, _handled(number, *below))
    reports = Reports(read.facts)
    assert reports.primary is not None
    frame, _ = reports.fault_frame(reports.primary)
    assert frame is not None
    assert frame.function == function
    assert read.category is category


@pytest.mark.parametrize(
    ("handler", "signal"), [("sigsegv", "SIGSEGV"), ("sigbus_handler", "SIGBUS"), ("signer", None)]
)
def test_a_handler_that_is_called_as_its_signal_is(
    tmp_path: Path, handler: str, signal: str | None
) -> None:
    below = f"0x0000000000402e7b in count (d=0x5) {_TILL}:5"
    text = _handled(11, below, handler=handler).replace("(sig=11)", "(sig=<optimized out>)")
    assert {found.signal for found in read_text(tmp_path, text).findings} == (
        set() if signal is None else {signal}
    )


def test_a_frame_with_a_parameter_of_that_name_is_no_handler(tmp_path: Path) -> None:
    text = _handled(11).replace("#2  <signal handler called>\n", "")
    assert [found for found in read_text(tmp_path, text).findings if found.signal] == []


def _deep(function: str) -> str:
    outer = "".join(
        f"#{at} 0x0000555555555156 in {function} (n={at}) at a.c:1\n" for at in range(24949, 24959)
    )
    return (
        "Program received signal SIGSEGV, Segmentation fault.\n"
        f"0x0000555555555134 in {function} (n=1) at a.c:1\n{outer}"
        f"#0  0x0000555555555134 in {function} (n=1) at a.c:1\n"
        f"#1  0x0000555555555156 in {function} (n=2) at a.c:1\n"
    )


def test_thousands_of_calls_of_one_function_ran_out_of_stack(tmp_path: Path) -> None:
    read = read_text(tmp_path, _deep("descend"))
    assert read.category is C.STACK_OVERFLOW
    assert read.function == "descend"


def test_a_listing_is_the_one_that_begins_at_the_innermost_frame() -> None:
    facts = analyze(Document("E1", "(log)", "gdb", _deep("descend"))).facts
    listed = Reports(FactBook(facts)).listed
    assert listed is not None
    assert [frame.index for frame in listed.frames] == [0, 1]


_FREED_MEMORY = """\
==42==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x401136 bp 0x7
READ of size 4 at 0x602000000010 thread T0
    #0 0x401135 in g /a.c:12:7

"""


def test_each_of_many_reports_is_not_held_to_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sanitizer that goes on (halt_on_error=0) leaves hundreds."""
    reports = Reports(read_text(tmp_path, _FREED_MEMORY * 30).facts)
    assert len(reports.all) == 30
    asked, outlived = [], Reports.outlived
    monkeypatch.setattr(
        Reports, "outlived", lambda self, one: asked.append(one) or outlived(self, one)
    )
    assert reports.primary == reports.all[0]
    assert len(asked) == 1
