"""Any bytes: a core opens or is refused in one line, and every answer comes in bounded time."""

import struct
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import build, crash, hang
from tests.soak import examples
from tests.targets.programs import THREADED
from workbench.model.facts import CoreHealth
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify, open_core
from workbench.targets.reader import DumpReader

SMALL = "int main(void) { *(volatile int *)8 = 1; }"
PROBES = ("@health", "@notes", "@mappings", "@modules")


def tried(count: int) -> settings:
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples(count), deadline=None, suppress_health_check=checks)


@pytest.fixture(scope="module")
def small() -> bytes:
    return crash(build(SMALL, "-static", "-no-pie")).read_bytes()


def survives(path: Path) -> bool:
    """True when it opens; then every probe must answer, and its text be read back."""
    started = time.process_time()
    try:
        identify(path)
        with open_core(path) as core:
            reader = DumpReader(core)
            for probe in PROBES:
                text = reader.answer(probe)
                assert all(line.isprintable() for line in text.split("\n"))
                count = text.count("\n") + 1
                for fact in analyze(Document("E1", probe, "dump", text)).facts:
                    assert 0 < fact.cite.first <= fact.cite.last <= count
            for thread in core.threads[:4]:
                core.symbolize(thread.pc or 0)
                core.read(thread.sp or 0, 4096)
                core.read_cstring(thread.sp or 0)
    except TargetError as error:
        said = str(error)
    else:
        return True
    finally:
        assert time.process_time() - started < 10
    assert said.isprintable()
    return False


@tried(60)
@given(data=st.data())
def test_any_truncation(small: bytes, tmp_path: Path, data: st.DataObject) -> None:
    size = data.draw(
        st.one_of(st.integers(0, 9000), st.integers(0, 200_000), st.integers(0, len(small)))
    )
    path = tmp_path / "core"
    path.write_bytes(small[:size])
    opened = survives(path)
    assert opened or size < 60_000


def test_a_cut_core_says_what_is_missing(small: bytes, tmp_path: Path) -> None:
    path = tmp_path / "core"
    path.write_bytes(small[: len(small) - 140_000])  # the stack comes last
    with open_core(path) as core:
        assert core.truncated
        text = DumpReader(core).answer("@health")
        stack = DumpReader(core).answer("@stack")
    said = analyze(Document("E2", "@stack", "dump", stack)).summary
    assert said.endswith("its memory is not in the dump")
    health = next(
        fact
        for fact in analyze(Document("E1", "@health", "dump", text)).facts
        if isinstance(fact, CoreHealth)
    )
    assert health.truncated
    assert health.ceiling == 0.4
    assert health.missing_bytes >= 4096
    assert any("ulimit -c unlimited" in remedy for remedy in health.remedies)
    assert survives(path)


def test_a_snapshot_cut_short_has_lost_its_notes(tmp_path: Path) -> None:
    whole = hang(build(THREADED, "-g", "-pthread"), "wait").read_bytes()
    path = tmp_path / "core"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TargetError, match="cut off before its threads"):
        identify(path)


@tried(150)
@given(
    flips=st.lists(
        st.tuples(st.one_of(st.integers(0, 64), st.integers(0, 6000)), st.integers(0, 255)),
        min_size=1,
        max_size=12,
    )
)
def test_any_bytes_in_the_headers(
    small: bytes, tmp_path: Path, flips: list[tuple[int, int]]
) -> None:
    broken = bytearray(small[:300_000])
    for at, value in flips:
        broken[at] = value
    path = tmp_path / "core"
    path.write_bytes(broken)
    survives(path)


HUGE = st.sampled_from([0, 1, 0xFFF, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1])


@tried(100)
@given(rows=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6), HUGE), max_size=6))
def test_segments_that_lie(small: bytes, tmp_path: Path, rows: list[tuple[int, int, int]]) -> None:
    broken = bytearray(small[:300_000])
    for index, word, value in rows:
        struct.pack_into("<Q", broken, 64 + 56 * index + 8 * word, value)
    path = tmp_path / "core"
    path.write_bytes(broken)
    survives(path)


@tried(60)
@given(st.binary(max_size=400))
def test_noise_after_the_magic_number(tmp_path: Path, noise: bytes) -> None:
    path = tmp_path / "core"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\0\x3e\0" + noise)
    assert not survives(path) or noise


@tried(40)
@given(
    flips=st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 255)), min_size=1, max_size=40)
)
def test_a_damaged_program_beside_the_core(
    small: bytes, tmp_path: Path, flips: list[tuple[int, int]]
) -> None:
    exe = bytearray(build(SMALL, "-static", "-no-pie").read_bytes())
    for at, value in flips:
        exe[at % len(exe)] = value
    broken, path = tmp_path / "program", tmp_path / "core"
    broken.write_bytes(exe)
    path.write_bytes(small[:300_000])
    try:
        with open_core(path, broken) as core:
            core.symbol("", "main")
            core.symbolize(core.threads[0].pc or 0)
            core.read(core.threads[0].pc or 0, 16)
    except TargetError:
        pass
    # A table that points anywhere, in a file whose header is intact.
    exe = bytearray(build(SMALL, "-static", "-no-pie").read_bytes())
    (sections,) = struct.unpack_from("<Q", exe, 40)
    for at, value in flips:
        place = sections + at % (len(exe) - sections)
        exe[place] = value
    broken.write_bytes(exe)
    with open_core(path, broken) as core:
        core.symbol("", "main")
        core.symbolize(core.threads[0].pc or 0)
