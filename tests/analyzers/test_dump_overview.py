"""@health, @notes, @mappings, @modules: what the reader writes is read back, and nothing else."""

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import build, crash
from tests.soak import examples
from workbench.model.facts import CoreHealth, Memory, Module, Process, Registers, Signal
from workbench.targets.core import CoreFile
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader

PROBES = ("@health", "@notes", "@mappings", "@modules")
PROGRAM = "#include <stdlib.h>\nint main(void) { abort(); }\n"


def real_core() -> CoreFile:
    return open_core(crash(build(PROGRAM, "-g")))


@cache
def real_text(probe: str) -> str:
    with real_core() as core:
        return DumpReader(core).answer(probe)


def document(probe: str, text: str) -> Document:
    return Document("E7", probe, "dump", text)


def test_the_memory_map_is_read_back_whole() -> None:
    (memory,) = analyze(document("@mappings", real_text("@mappings"))).facts
    assert isinstance(memory, Memory)
    with real_core() as core:
        assert len(memory.regions) == len(core.regions)
        for read, region in zip(memory.regions, core.regions, strict=True):
            for name in ("start", "end", "perms", "path", "offset", "kind", "thread", "dumped"):
                assert getattr(read, name) == getattr(region, name)
            line = real_text("@mappings").split("\n")[read.line - 1]
            assert f"0x{region.start:x}-0x{region.end:x} " in line


def test_the_modules_are_read_back_from_either_probe() -> None:
    with real_core() as core:
        expected = [
            (m.name, m.path, m.base, m.end, m.build_id, m.status, m.symbols) for m in core.modules
        ]
    for probe in ("@modules", "@health"):
        text = real_text(probe)
        found = [f for f in analyze(document(probe, text)).facts if isinstance(f, Module)]
        assert [
            (m.name, m.path, m.base, m.end, m.build_id, m.status, m.symbols) for m in found
        ] == expected
        for module in found:
            assert module.path in text.split("\n")[module.cite.first - 1]


def test_a_sound_core_has_no_cap() -> None:
    analysis = analyze(document("@health", real_text("@health")))
    health = analysis.facts[0]
    assert isinstance(health, CoreHealth)
    assert (health.ceiling, health.caps, health.remedies) == (1.0, (), ())
    assert health.executable_matches is True
    assert not health.truncated
    assert health.missing_bytes == 0
    assert analysis.findings == ()


def test_the_notes_are_read_back() -> None:
    analysis = analyze(document("@notes", real_text("@notes")))
    process, signal, registers = analysis.facts
    assert isinstance(process, Process)
    assert isinstance(signal, Signal)
    assert isinstance(registers, Registers)
    with real_core() as core:
        assert process.pid == core.pid == signal.sender_pid
        assert process.threads == tuple(thread.tid for thread in core.threads)
        assert {r.name: r.value for r in registers.values} == core.threads[0].registers
    lines = real_text("@notes").split("\n")
    for register in registers.values:
        assert lines[register.line - 1] == f"  {register.name} 0x{register.value:x}"
    assert (signal.number, signal.name, signal.code, signal.code_name) == (
        6,
        "SIGABRT",
        -6,
        "SI_TKILL",
    )
    assert lines[signal.cite.first - 1].startswith("signal: 6 SIGABRT in thread ")
    assert analysis.findings[0].endswith(f"[{signal.cite}]")


HEALTH = """file: 100 bytes, truncated
memory: 4096 bytes dumped, 8192 bytes missing
executable: /srv/app with spaces
executable match: no, build id aa in the dump, bb in the file
modules: 1, of them 0 found, 1 mismatched, 0 missing, 0 unverified
cap: 0.50 /srv/app is not the executable that crashed: build id aa in the dump, bb in the file
remedy: --exe PATH with the very build that crashed
cap: 0.40 the dump is truncated
remedy: ulimit -c unlimited
confidence ceiling: 0.40
module: 0x400000-0x401000 mismatched unknown aa /srv/app with spaces"""


def test_caps_and_remedies() -> None:
    analysis = analyze(document("@health", HEALTH))
    health, module = analysis.facts
    assert isinstance(health, CoreHealth)
    assert isinstance(module, Module)
    assert (health.cite.first, health.cite.last) == (1, 10)
    assert health.truncated
    assert (health.executable, health.executable_matches) == ("/srv/app with spaces", False)
    assert (health.dumped_bytes, health.missing_bytes, health.ceiling) == (4096, 8192, 0.4)
    assert [cap.split(":")[0] for cap in health.caps] == [
        "/srv/app is not the executable that crashed",
        "the dump is truncated",
    ]
    assert len(health.remedies) == 2
    assert [finding[-7:] for finding in analysis.findings] == [" [E7:6]", " [E7:8]"]
    assert module.name == "app with spaces"


@pytest.mark.parametrize(
    ("match", "expected"), [("yes, build id aa", True), ("no, x", False), ("unverified, x", None)]
)
def test_how_the_executable_matches(match: str, expected: bool | None) -> None:
    text = HEALTH.replace(
        "no, build id aa in the dump, bb in the file\nmodules", match + "\nmodules"
    )
    health = analyze(document("@health", text)).facts[0]
    assert isinstance(health, CoreHealth)
    assert health.executable_matches is expected
    assert health.executable is not None


def test_an_executable_that_was_not_found() -> None:
    text = HEALTH.replace("executable match: no,", "executable match: not found,")
    health = analyze(document("@health", text)).facts[0]
    assert isinstance(health, CoreHealth)
    assert health.executable_matches is None
    assert health.executable is None


def sound(probe: str, text: str) -> None:
    """Whatever the text: no exception, and every span lies inside it."""
    analysis = analyze(document(probe, text))
    count = text.count("\n") + 1
    assert "\n" not in analysis.summary
    for fact in analysis.facts:
        assert fact.cite.evidence == "E7"
        assert 1 <= fact.cite.first <= fact.cite.last <= count
        for region in fact.regions if isinstance(fact, Memory) else ():
            assert fact.cite.first <= region.line <= fact.cite.last
            assert 0 <= region.start < region.end <= 1 << 64
        for register in fact.values if isinstance(fact, Registers) else ():
            assert fact.cite.first <= register.line <= fact.cite.last


@settings(max_examples=examples(300), deadline=None)
@given(
    probe=st.sampled_from(PROBES),
    source=st.sampled_from(PROBES),
    seed=st.randoms(use_true_random=False),
    cut=st.integers(0, 4000),
    noise=st.text(max_size=30),
)
def test_cut_shuffled_and_mixed_text(
    probe: str, source: str, seed: random.Random, cut: int, noise: str
) -> None:
    lines = (real_text(probe) + "\n" + real_text(source)).split("\n")
    if seed.random() < 0.5:
        seed.shuffle(lines)
    for _ in range(seed.randrange(6)):
        at = seed.randrange(len(lines))
        place = seed.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:place] + noise + lines[at][place + seed.randrange(8) :]
    sound(probe, "\n".join(lines)[: cut or None])


WORDS = [
    "signal:", "si_code:", "si_addr:", "sender:", "core:", "thread", "registers of thread 1:",
    "0x" + "f" * 16, "0x" + "f" * 40, "9" * 5000, "-", "٣", "1", "rw-", "stack", "dumped", "offset",
    "  rax", "cap:", "1.00", "file:", "bytes,", "complete", "confidence ceiling:", " ", "\n", "\r",
    "made by: a snapshot", "0x1-0x2", "found", "\u2028", "\x85",
]  # fmt: skip


@settings(max_examples=examples(300), deadline=None)
@given(probe=st.sampled_from(PROBES), words=st.lists(st.sampled_from(WORDS), max_size=40))
def test_words_in_any_order(probe: str, words: list[str]) -> None:
    sound(probe, " ".join(words).replace(" \n ", "\n"))


@settings(max_examples=examples(200), deadline=None)
@given(probe=st.sampled_from(PROBES), text=st.text(max_size=300))
def test_any_text(probe: str, text: str) -> None:
    sound(probe, text)


def test_long_lines_take_no_time() -> None:
    for probe in PROBES:
        sound(probe, "0x" * 3_000_000)
        sound(probe, "module: 0x1-0x2 found unknown " + "a" * 1_000_000)
        sound(probe, "si_code: 1 " + "(" * 1_000_000)
