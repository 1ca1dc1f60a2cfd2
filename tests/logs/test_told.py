"""What other programs, runtimes, supervisors and tools print is recognised and read."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from tests.logs.told_texts import TEXTS, Told
from workbench.model.category import Category as C


@pytest.mark.parametrize("name", TEXTS)
def test_a_report_is_read(tmp_path: Path, name: str) -> None:
    told: Told = TEXTS[name]
    read = read_text(tmp_path, told.text)
    assert told.host in read.hosts
    finding = min(read.findings, key=lambda one: (one.category is None, one.rank))
    assert finding.category == (told.category and told.category.value)
    assert (finding.signal, finding.address) == (told.signal, told.address)
    placed = [f"{f.file}:{f.line}" for role in finding.stacks for f in role.frames]
    assert told.place is None or told.place in (finding.place, *placed[:1])
    frames = [f.function for role in finding.stacks for f in role.frames if f.function]
    if told.function is not None:
        assert told.function in (finding.function or frames[0])
    if told.category is not None:
        assert read.category is told.category
    else:
        assert read.category is None, "nothing proves a cause"


RAISED = """\
Fatal error: exception {said}
Raised at Stdlib.failwith in file "stdlib.ml", line 29, characters 17-33
Called from Dune__exe__Coins.take in file "bin/coins.ml" (inlined), line 17, characters 4-16
Called from Dune__exe__Main in file "bin/main.ml", line 44, characters 10-31
"""


@pytest.mark.parametrize(
    ("text", "host", "tool", "category", "place"),
    [
        (RAISED.format(said='Invalid_argument("index out of bounds")'), "ocaml", "OCaml",
         C.UNCAUGHT_EXCEPTION, "bin/coins.ml:17"),
        (RAISED.format(said="Stack_overflow"), "ocaml", "OCaml", C.STACK_OVERFLOW, None),
        (RAISED.format(said='File "bin/coins.ml", line 9, characters 2-8: Assertion failed'),
         "ocaml", "OCaml", C.ASSERTION_FAILURE, "bin/coins.ml:9"),
        ("Fatal error: Unexpectedly found nil: file /src/Till.swift, line 41\n", "swift", "Swift",
         C.PANIC, "/src/Till.swift:41"),
        ("Till/Till.swift:41: Fatal error: Index out of range\n", "swift", "Swift", C.PANIC,
         "Till/Till.swift:41"),
        ("Till/Till.swift:41: Fatal error\n", "swift", "Swift", C.PANIC, "Till/Till.swift:41"),
        ("Fatal error: Cannot redeclare take() in /srv/till.php on line 3\n", "php", "PHP",
         C.UNCAUGHT_EXCEPTION, "/srv/till.php:3"),
    ],
)  # fmt: skip
def test_whose_fatal_error_it_is(
    tmp_path: Path, text: str, host: str, tool: str, category: C, place: str | None
) -> None:
    read = read_text(tmp_path, text)
    assert read.hosts == [host]
    assert (read.findings[0].tool, read.category) == (tool, category)
    placed = [f"{f.file}:{f.line}" for role in read.findings[0].stacks for f in role.frames]
    assert place is None or place in (read.findings[0].place, *placed[:1])


@pytest.mark.parametrize(
    "text",
    [
        "Use of uninitialized value $n in addition at /srv/till.pl line 3.\n",
        "/src/tests/drawer.cpp:33: FAILED:\n  REQUIRE( coins == 3 )\nwith expansion:\n  2 == 3\n",
        "ERROR: the BoundsError was handled\n",
        "The reason: OOMKilled pods are noisy, says the manual.\n",
        "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n",
    ],
)
def test_what_is_no_crash_is_none(tmp_path: Path, text: str) -> None:
    from workbench.targets.errors import TargetError

    with pytest.raises(TargetError):
        read_text(tmp_path, text)


def test_a_signal_that_the_program_handled_is_none(tmp_path: Path) -> None:
    text = "--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_ACCERR, si_addr=0x7f1c2c000000} ---\n"
    text += "rt_sigreturn({mask=[]}) = 0\n+++ exited with 0 +++\n"
    assert read_text(tmp_path, text).findings == []
