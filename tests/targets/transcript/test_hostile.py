"""No bytes raise or hang: logs are hostile."""

import gzip
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from tests.logs import test_families as families
from tests.soak import SOAK, examples, part
from workbench.targets.errors import TargetError
from workbench.targets.files import FileBytes
from workbench.targets.identify import identify
from workbench.targets.transcript import TranscriptReader, reader, window
from workbench.targets.transcript.dresses import own
from workbench.targets.transcript.prompts import typed_commands
from workbench.targets.transcript.sign_table import SIGNS
from workbench.targets.transcript.signs import sign_of
from workbench.targets.transcript.split import split

SAMPLES = [
    value
    for name, value in sorted(vars(families).items())
    if name.isupper() and len(value) > 40 and isinstance(value, str)
]
HOSTS = [host for host, _, _ in SIGNS] + ["asan", "tsan", "libfuzzer", "gdb", "@stop"]
PIECES = (
    *("==1==ERROR: AddressSanitizer: ", "#0 0x1 in ", "(gdb) "),
    *("at 0x0: f (a.c:1)", "BUG: KASAN: "),
    *("goroutine 1 [", 'Exception in thread "', 'File "a", line 1, in ', "[<0>] f+0x1/0x2", "+0x"),
    *("Assertion `", "panicked at ", "1" * 40, "a" * 300, "Thread ", "*** "),
    *("\x1b[", "\x00", "|", "0x"),
    *("(", ")", "[", "]", "<", ">", '"', "'", ":", " ", "\t", "#", "=", "."),
    *("$", "\n", "\r", "é", "\ufffd"),
)  # fmt: skip


def _document(host: str, text: str) -> Document:
    command = "@stop" if host == "@stop" else "(log)"
    return Document("E1", command, "dump" if host == "@stop" else host, text)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_text_is_split_and_read(text: str) -> None:
    for section in split(text.split("\n")):
        analyze(Document("E1", section.command, section.host, section.text))
    for host in HOSTS:
        analyze(_document(host, text))


@settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=4000), st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"(gdb) bt\n"]))
def test_any_bytes_open_or_are_refused(tmp_path: Path, data: bytes, head: bytes) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(head + data)
    try:
        identify(log)
    except TargetError as error:
        if "\n" in str(error):
            raise AssertionError("an error of two lines") from error


@pytest.mark.parametrize("seed", range(4))
def test_damaged_reports_are_read_as_far_as_they_go(seed: int) -> None:
    pick = random.Random(seed)
    for sample in SAMPLES:
        for _ in range(8):
            at = pick.randrange(len(sample))
            cut = (
                sample[:at]
                + pick.choice(PIECES) * pick.randrange(3)
                + sample[at + pick.randrange(9) :]
            )
            for section in split(cut.split("\n")):
                analyze(Document("E1", section.command, section.host, section.text))


def _unit() -> float:
    """Processor seconds that a known piece of such work takes here and now: a machine that does
    other work besides gives less for a second."""
    began = time.process_time()
    for _ in range(5):
        _WORK.findall("a1 0x1f (b) " * 10_000)
    return time.process_time() - began


_WORK = re.compile(r"(\w+) (0x[0-9a-f]+) \((\w+)\)")
HEADS = ("#0 0x1 in ", "==1== ", "   at ", "panic: ", "    #1 ", "0   a   0x1234 ")
_UNITS = 600
"""Seven times what the slowest takes; what goes back and forth in a line takes thousands."""


@pytest.mark.soak
@pytest.mark.parametrize("piece", part(PIECES, every=3))
def test_no_long_line_takes_long(piece: str) -> None:
    # As many lines as an end of line makes of it are read one by one, which is no matter here.
    line = piece * ((3_000 if piece in "\r\n" else 30_000) // len(piece))
    before, began = _unit(), time.process_time()
    own(line), sign_of(line), typed_commands([line])
    for turn, host in enumerate(HOSTS, PIECES.index(piece)):
        for head in HEADS if SOAK else HEADS[turn % len(HEADS) :][:1]:
            analyze(_document(host, head + line))
    taken = time.process_time() - began
    assert taken < _UNITS * max(before, _unit())


@pytest.mark.soak
def test_a_huge_log_opens_in_time_and_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not SOAK:
        monkeypatch.setattr(window, "WHOLE", window.WHOLE // 8)
    log = tmp_path / "ci.log"
    filler = b"2025-01-02T03:04:05.123Z compiling object file number 4711 with flags -O2 -g\n"
    report = (
        b"==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000014 at pc 0x1\n"
    )
    with log.open("wb") as file:
        for block in range(100 if SOAK else 12):
            if block == 8:
                file.write(report + b"    #0 0x1 in close_drawer /src/drawer.c:31:5\n")
            file.write(filler * ((1 << 20) // len(filler)))
    assert log.stat().st_size > window.WHOLE
    began = time.process_time()
    reader = TranscriptReader(log)
    assert time.process_time() - began < 30
    assert reader.sections()[0].host == "asan"
    assert "close_drawer" in reader.sections()[0].text
    assert "were not read" in reader.answer("@health")


def test_reports_without_end_are_read_to_a_bound_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "LINES", 2000)
    monkeypatch.setattr(window, "_TAIL", 1000)
    log = tmp_path / "small.log.gz"
    log.write_bytes(gzip.compress(b"#0  0x0000555555555151 in main () at a.c:5\n" * 300_000))
    reader = TranscriptReader(log)
    assert sum(section.text.count("\n") for section in reader.sections()) < 2100
    said = reader.answer("@health")
    assert "truncated" in said
    assert f"{43 * (300_000 - 2000 - 23)} bytes of the log were not read" in said


def _reading(log: Path, read: Callable[[Path], object]) -> float:
    """Processor seconds that it takes to read a log, the least of two."""
    took = []
    for _ in range(2):
        reader._read.cache_clear()
        began = time.process_time()
        read(log)
        took.append(time.process_time() - began)
    return min(took)


def _plainly(log: Path) -> None:
    """Read it by blocks as they come, and look for ends of lines."""
    with FileBytes(log, keep=True) as file:
        for at in range(0, len(file), window.STEP):
            file[at : at + window.STEP].find(b"\n")


@pytest.mark.parametrize("piece", [b"tid:", b"=", b"a"])
def test_a_line_of_a_hundred_million_characters_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: bytes
) -> None:
    """More of a line costs only the reading of its blocks, which a file system makes cheap or dear;
    all else goes by a log with a tenth of it: looking at each character takes ten times that."""
    monkeypatch.setattr(window, "WHOLE", window.WHOLE // 8)
    log, short = tmp_path / "one.log", tmp_path / "short.log"
    for path, count in ((log, 100), (short, 10)):
        with path.open("wb") as file:
            for _ in range(count):
                file.write(piece * ((1 << 20) // len(piece)))
            file.write(b"\n" + families.GO.encode() + b"\n")
            file.write(piece * (2 << 20))
    bound = 4 * _reading(log, _plainly) + 2 * _reading(short, TranscriptReader)
    assert _reading(log, TranscriptReader) < bound
    sections = TranscriptReader(log).sections()
    assert next(section.text for section in sections).startswith(families.GO[:200])


@pytest.mark.parametrize(
    "frame",
    [
        "    #{0} 0x29f0b{0} in clear third_party/pdf/fpdfapi/fpdf_page.h:{0}:5\n",
        '#{0}  0x00007f1{0} in show (at={0}, text=0x7fff "abc") at /src/show.c:{0}\n',
    ],
)
def test_a_log_of_nothing_but_frames_opens_in_time(tmp_path: Path, frame: str) -> None:
    log = tmp_path / "deep.txt"
    head = "==9==ERROR: AddressSanitizer: stack-overflow on address 0x7ffd00000000 (pc 0x1 T0)\n"
    frames = "".join(map(frame.format, range((24 << 20) // (len(frame) + 8))))
    log.write_text(head + frames, encoding="utf-8")
    began = time.process_time()
    assert TranscriptReader(log).sections()[0].host == "asan"
    assert time.process_time() - began < 10  # a tenth of it here
