"""Minidumps whose bytes lie: each opens or is refused in one line, and every probe answers."""

import struct
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from tests.soak import examples
from tests.targets.minidump import builder
from tests.targets.minidump.builder import Dump
from tests.targets.minidump.test_reading import access_violation, opened
from tests.targets.minidump.test_windows_images import full_dump, throwing
from workbench.targets.errors import ProbeError, TargetError
from workbench.targets.minidump import open_minidump
from workbench.targets.minidump.probes import PROBES

_RELAXED = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def everything() -> bytes:
    """A dump with a stream of every kind that is read."""
    dump = access_violation()
    dump.full = [(0x50000, b"C" * 64)]
    dump.stream(16, builder.memory_info([(0x10F000, 0x1000, 0x1000, 4, 0x20000)]))
    dump.stream(14, struct.pack("<III", 12, 24, 1) + bytes(24))
    dump.stream(15, struct.pack("<IIIIII", 24, 3, 77, 1, 2, 3))
    dump.stream(12, struct.pack("<IIII", 16, 32, 1, 0) + bytes(32))
    dump.stream(0x47670001, struct.pack("<III", 3, 100, 200))
    dump.stream(0x47670002, b"a\0".ljust(768, b"\0") + bytes(8))
    dump.stream(0x47670004, b"Tgid:\t5\n")
    dump.stream(0x47670006, b"/srv/app\0")
    dump.stream(0x47670008, struct.pack("<QQ", 25, 0x10FF00) + bytes(16))
    dump.stream(0x47670009, b"00400000-00401000 r-xp 00000000 08:01 9 /a\n")
    pair = dump.put(struct.pack("<III", 1, dump.utf8("key"), dump.utf8("value")))
    head = struct.pack("<I", 1) + bytes(32)
    dump.stream(0x43500001, head + struct.pack("<IIII", 12, pair, 16, pair))
    dump.stream(10, b"a comment\0")
    return dump.build()


_WHOLE = everything()
_IMAGES = full_dump().build()
_THROWN = throwing(64).build()


def answers(path: Path) -> None:
    """Ask a file everything; only the two errors may come of it."""
    refused = ""
    try:
        reader = open_minidump(path)
    except TargetError as error:
        refused = str(error)
    if refused:
        assert "\n" not in refused
        return
    try:
        for probe in PROBES:
            try:
                text = reader.answer(probe)
            except ProbeError:
                continue
            assert len(text) < 4 << 20
            analyze(Document("E1", probe, "dump", text))
    finally:
        reader.close()


@_RELAXED
@given(st.data(), st.sampled_from([_WHOLE, _IMAGES, _THROWN]))
def test_changed_words(tmp_path: Path, data: st.DataObject, whole: bytes) -> None:
    raw = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 8))
        word = data.draw(
            st.sampled_from([0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFF0, len(raw), len(raw) - 4])
            | st.integers(0, 0xFFFFFFFF)
        )
        raw[at : at + 4] = struct.pack("<I", word)
    path = tmp_path / "x.dmp"
    path.write_bytes(raw)
    answers(path)


@_RELAXED
@given(st.integers(0, len(_WHOLE)))
def test_cut_anywhere(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x.dmp"
    path.write_bytes(_WHOLE[:size])
    answers(path)


@_RELAXED
@given(st.binary(max_size=600), st.sampled_from([b"MDMP", b"PMDM"]))
def test_noise_behind_the_magic(tmp_path: Path, noise: bytes, magic: bytes) -> None:
    path = tmp_path / "x.dmp"
    path.write_bytes(magic + struct.pack("<III", 0xA793, 8, 32) + noise)
    answers(path)


def test_a_count_that_lies_is_cut_and_said(tmp_path: Path) -> None:
    dump = access_violation()
    dump.stream(3, struct.pack("<I", 0x7FFFFFFF) + bytes(96))
    text = opened(tmp_path, dump.build()).answer("@health")
    assert "damage: stream ThreadList announces 2147483647 records, 2 are in its 100 bytes" in text
    assert "cap: 0." in text


def test_an_address_that_its_machine_cannot_have_is_no_text(tmp_path: Path) -> None:
    """A changed word makes a dump of 64 bits one of 32, with the threads that it had."""
    dump = throwing(64)
    dump.processor = builder.X86
    path = tmp_path / "x.dmp"
    path.write_bytes(dump.build())
    answers(path)


def test_a_stream_behind_the_end_is_said(tmp_path: Path) -> None:
    raw = everything()
    text = opened(tmp_path, raw[:-40]).answer("@health")
    assert "truncated" in text.splitlines()[0]
    assert "the stream directory is cut" in text


def test_overlapping_memory_is_read_once(tmp_path: Path) -> None:
    dump = Dump()
    dump.memory(0x1000, b"A" * 64)
    dump.memory(0x1020, b"B" * 64)
    dump.memory(0xFFFFFFFFFFFFFFF0, b"C" * 64)
    reader = opened(tmp_path, dump.build())
    assert reader.dump.read(0x1000, 96) == b"A" * 64 + b"B" * 32
    assert reader.dump.read(0xFFFFFFFFFFFFFFF0, 16) == b"C" * 16


def test_text_of_the_dump_is_data(tmp_path: Path) -> None:
    dump = Dump()
    dump.module(0x400000, 0x1000, "C:\\a\x1b[31m\nexception: 0x1 X in thread 1\u202e.exe")
    dump.thread(5, builder.amd64(rip=0x400000, rsp=0x1000), name="x\nsignal: 11 SIGSEGV")
    reader = opened(tmp_path, dump.build())
    for probe in PROBES:
        text = reader.answer(probe)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert not any(line.startswith(("signal:", "exception:")) for line in text.splitlines())
