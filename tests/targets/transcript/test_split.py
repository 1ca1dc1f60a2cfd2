"""What of a log is a command, what its output, and what is a report by itself."""

import re
from pathlib import Path

import pytest

from workbench.model.target import TargetKind
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify
from workbench.targets.transcript import TranscriptReader
from workbench.targets.transcript.dresses import own
from workbench.targets.transcript.sign_table import CALLERS, INSIDE, SIGNS
from workbench.targets.transcript.signs import WORDS
from workbench.targets.transcript.split import split

ASAN = "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000014 at pc 0x1\n"


def _sections(text: str) -> list[tuple[str, str, int]]:
    return [(s.host, s.command, s.first_line) for s in split(text.split("\n"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(gdb) bt\n#0  f () at a.c:1\n(gdb) info locals\nx = 1\n(gdb) \n",
         [("gdb", "bt", 1), ("gdb", "info locals", 3)]),
        ("pwndbg> p x\n$1 = 3\npwndbg> bt\n#0  f () at a.c:1\n",
         [("gdb", "p x", 1), ("gdb", "bt", 3)]),
        ("gef➤  bt\n#0  f () at a.c:1\n", [("gdb", "bt", 1)]),
        ("+bt\n#0  f () at a.c:1\n+info registers\nrax  0x0  0\n",
         [("gdb", "bt", 1), ("gdb", "info registers", 3)]),
        ("(lldb) bt\n* thread #1\n(lldb) register read\nrax = 0x0\n",
         [("lldb", "bt", 1), ("lldb", "register read", 3)]),
        ("0:000> kb\nChildEBP RetAddr\n0:000:x86> r\neax=0\n2: kd> !analyze -v\nBUG\n",
         [("cdb", "kb", 1), ("cdb", "r", 3), ("cdb", "!analyze -v", 5)]),
        ("> clrthreads\nThreadCount: 3\n> clrstack -all\nOS Thread Id: 0x1\n",
         [("dotnet-dump", "clrthreads", 1), ("dotnet-dump", "clrstack -all", 3)]),
        ("Program terminated with signal SIGSEGV, Segmentation fault.\n#0  f () at a.c:1\n",
         [("gdb", "(log)", 1)]),
        (f"compiling\n{ASAN}    #0 0x1 in f a.c:1\nSUMMARY: AddressSanitizer: x\n",
         [("asan", "(AddressSanitizer report)", 2)]),
        ("(gdb) run\nStarting program: a\n" + ASAN + "    #0 0x1 in f a.c:1\n(gdb) bt\n#0  f ()\n",
         [("gdb", "run", 1), ("asan", "(AddressSanitizer report)", 3), ("gdb", "bt", 5)]),
        # what stands in whole reports, too, begins none in them
        ("Exception in thread \"main\" a.b.C: x\n\tat a.b.C.f(C.java:1)\n\tat a.b.C.g(C.java:2)\n",
         [("java", "(Java's error report)", 1)]),
        ("\tat a.b.C.f(C.java:1)\n\tat a.b.C.g(C.java:2)\n" + ASAN,
         [("stack", "(a stack without its first line)", 1),
          ("asan", "(AddressSanitizer report)", 3)]),
        ("\tat a.b.C.f(C.java:1)\nit was late\n", []),
        ("x.exe: << EXCEPTION_ACCESS_VIOLATION >>\n",
         [("wer", "(a Windows exception by its name)", 1)]),
        ("Caught EXCEPTION_STACK_OVERFLOW in worker 3\n",
         [("wer", "(a Windows exception by its name)", 1)]),
        ("code C0000005: EXCEPTION_ACCESS_VIOLATION at 0x00401000\n",
         [("wer", "(a Windows exception by its name)", 1)]),
        ("INFO: a handler for EXCEPTION_ACCESS_VIOLATION and EXCEPTION_STACK_OVERFLOW\n", []),
        ("expected EXCEPTION_ACCESS_VIOLATION, got EXCEPTION_ACCESS_VIOLATION, ok\n", []),
        ("seh.cpp(41): warning C4005: EXCEPTION_ACCESS_VIOLATION: macro redefinition\n", []),
        ("a.c:1:2: runtime error: x\na.c:2:2: runtime error: y\n" + ASAN,
         [("ubsan", "(runtime errors)", 1), ("asan", "(AddressSanitizer report)", 3)]),
    ],
)  # fmt: skip
def test_commands_and_reports(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert _sections(text) == expected


def test_a_section_keeps_its_prompt_and_its_own_lines() -> None:
    sections = split(
        ["intro", "0:024> kb", "", "ChildEBP RetAddr", "0569fca4 77f79c78 ntdll!f", ""]
    )
    assert [s.command for s in sections] == ["(opening)", "kb"]
    assert sections[1].text == "0:024> kb\n\nChildEBP RetAddr\n0569fca4 77f79c78 ntdll!f\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dear all,\nthe till is closed on Monday.\n",
        "def main():\n    print('panic: no coins')\n",
        "> I agree.\n> So do I.\nthreads are hard\n",
        "panic: at the disco\nis a band\n",
        "Error: the file was not found\n",
        "goto bar\n+1 for this\n+bt\n",
        "#0 is the first hit\n#1 is the second\n",
        "Killed a bug today\n",
    ],
)
def test_other_text_is_no_dump(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TargetError):
        identify(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_encodings_and_line_ends(tmp_path: Path, encoding: str, ending: str) -> None:
    log = tmp_path / "log.txt"
    text = "Größe\n0:000> kb\nChildEBP RetAddr\n0012ff 77f79c78 till!Öffnen+0x4\n"
    log.write_bytes(text.replace("\n", ending).encode(encoding))
    reader = TranscriptReader(log)
    assert reader.dialect == "cdb"
    assert reader.sections()[-1].text == text.split("\n", 1)[1]


def test_latin_1_is_read_where_utf_8_is_not_valid(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes('(gdb) bt\n#0  f (name=0x1 "Müller") at a.c:1\n'.encode("latin-1"))
    assert "Müller" in TranscriptReader(log).sections()[0].text


@pytest.mark.parametrize(("encoding", "size", "front"), [
    ("utf-8", 4096, True), ("utf-8", 4096, False), ("utf-16-le", 4096, True),
    ("utf-16-le", 4096, False), ("utf-8", 1 << 27, True),
])  # fmt: skip
def test_a_hole_that_nobody_wrote_is_passed_over(
    tmp_path: Path, encoding: str, size: int, front: bool
) -> None:
    """Left in front by a cut under the writer (logrotate's copytruncate), behind by a power cut."""
    log = tmp_path / "log.txt"
    with log.open("wb") as file:
        file.seek(size if front else 0)
        file.write(ASAN.encode(encoding))
        file.truncate(size + len(ASAN.encode(encoding)))
    assert [one.text for one in TranscriptReader(log).sections()] == [ASAN]


def test_a_log_is_a_target(tmp_path: Path) -> None:
    log = tmp_path / "core.txt"
    log.write_text(ASAN, encoding="utf-8")
    target = identify(log)
    assert (target.kind, target.dialect, target.thread_count) == (TargetKind.TRANSCRIPT, "log", 0)


def test_health_says_that_it_is_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(ASAN, encoding="utf-8")
    text = TranscriptReader(log).answer("@health")
    assert "cap: 0.85 it is a log" in text
    assert "confidence ceiling: 0.85" in text


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("2025-01-02T03:04:05.1234567Z ==1==ERROR", "==1==ERROR"),
        ("[2025-01-02 03:04:05,678] #0 0x1", "#0 0x1"),
        ("Jan  2 03:04:05 box kernel: [   12.345678] BUG: KASAN", "BUG: KASAN"),
        ("<4>[   12.345678][ T1234] BUG: KASAN", "BUG: KASAN"),
        ("01-02 03:04:05.678  1234  1240 F DEBUG   : signal 11", "signal 11"),
        ("F/DEBUG   ( 1234): signal 11", "signal 11"),
        ("web-1  | panic: x", "panic: x"),
        ("[task 2025-01-02T03:04:05.678Z] 03:04:05     INFO - GECKO(12) | Assertion", "Assertion"),
        ("0:000> kb", "0:000> kb"),
        ("    #0 0x1 in f a.c:3", "    #0 0x1 in f a.c:3"),
        ("[<ffffffc0002099e8>] dump_stack+0x0/0x148", "[<ffffffc0002099e8>] dump_stack+0x0/0x148"),
    ],
)  # fmt: skip
def test_what_collectors_write_in_front_is_taken_off(line: str, rest: str) -> None:
    assert own(line) == rest


def test_the_file_of_first_lines_names_nothing_that_is_not_there() -> None:
    assert not [p for _, _, patterns in SIGNS for p in patterns if re.search(r"<<[A-Z_]+>>", p)]
    assert {title for _, title, _ in SIGNS} >= INSIDE - {CALLERS}
    assert all(patterns for _, _, patterns in SIGNS)


def test_every_pattern_without_an_anchor_has_a_word_that_is_looked_for_first() -> None:
    for _, _, patterns in SIGNS:
        for pattern in patterns:
            plain = pattern.replace(r"\x20", " ").replace("\\", "")
            assert pattern.startswith("^") or any(word in plain for word in WORDS), pattern
