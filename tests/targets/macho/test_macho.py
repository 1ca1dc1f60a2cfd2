"""Mach-O cores, built from the documented layouts, read by our own reader and by lldb."""

import random
import struct
import subprocess
from pathlib import Path
from typing import TypeVar

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import needed
from tests.targets.macho.build import (
    ARM,
    DYLIB,
    PAGE,
    PROGRAM,
    X86,
    FakeMachCore,
    Piece,
    arm_thread,
    image,
    x86_thread,
    x86_unified,
)
from tests.targets.macho.programs import BASE, DYLD, MAIN, READ_ITEM, STACK, null_read, pieces
from workbench.debuggers.lldb.find import find_lldb
from workbench.model.facts import CoreHealth, ExceptionRecord, Fault, Module, Process, StackShape
from workbench.model.target import TargetKind
from workbench.targets.errors import ProbeError, TargetError
from workbench.targets.identify import identify
from workbench.targets.macho import open_core, open_macho
from workbench.targets.macho.probes import PROBES
from workbench.targets.reader import open_reader

BOTH = pytest.mark.parametrize("cpu", [X86, ARM])


def written(tmp_path: Path, core: FakeMachCore) -> Path:
    path = tmp_path / "core.1234"
    path.write_bytes(core.build())
    return path


def facts(path: Path, probe: str) -> list[object]:
    reader = open_macho(path)
    try:
        text = reader.answer(probe)
    finally:
        reader.close()
    return list(analyze(Document("E1", probe, "dump", text)).facts)


T = TypeVar("T")


def one(path: Path, probe: str, kind: type[T]) -> T:
    return next(fact for fact in facts(path, probe) if isinstance(fact, kind))


@BOTH
def test_it_tells_what_it_is(tmp_path: Path, cpu: int) -> None:
    target = identify(written(tmp_path, null_read(cpu)))
    assert target.kind is TargetKind.MACHO_CORE
    assert (target.os, target.arch) == ("macos", {X86: "x86_64", ARM: "aarch64"}[cpu])
    assert (target.signal, target.thread_count) == ("EXC_BAD_ACCESS", 2)
    assert target.recorded_executable == "/Users/me/app"
    reader = open_reader(target)
    assert reader.size == target.size
    assert list(reader.sections()) == []
    reader.close()


@BOTH
def test_the_exception_of_the_thread_that_had_it(tmp_path: Path, cpu: int) -> None:
    path = written(tmp_path, null_read(cpu))
    record = one(path, "@notes", ExceptionRecord)
    assert (record.platform, record.code, record.flags) == ("macos", 1, 1)
    assert record.name == "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS"
    assert (record.thread, record.access, record.fault_address) == (1, "read", 0)
    assert record.address == READ_ITEM + 4
    process = one(path, "@notes", Process)
    assert (process.os, process.snapshot, process.threads) == ("macOS", False, (1, 0))
    fault = one(path, "@fault", Fault)
    assert (fault.access, fault.operand, fault.base_value) == ("read", 0, 0)
    assert fault.base_register == {X86: "rax", ARM: "x0"}[cpu]
    if cpu == X86:  # on Arm the register that the pointer was read through is the one it is in
        assert fault.origin[0].source == BASE + PAGE + 0x108
    shape = one(path, "@stack", StackShape)
    assert [frame.function for frame in shape.scanned] == ["main"] if cpu == X86 else True
    assert not shape.overflowed


@BOTH
def test_images_are_named_by_dyld(tmp_path: Path, cpu: int) -> None:
    path = written(tmp_path, null_read(cpu))
    modules = [fact for fact in facts(path, "@modules") if isinstance(fact, Module)]
    assert [(m.path, m.base, m.status, m.symbols) for m in modules] == [
        ("/Users/me/app", BASE, "missing", "symbols"),
        ("/usr/lib/dyld", DYLD, "missing", "symbols"),
    ]
    assert modules[0].build_id == bytes(range(16)).hex()
    health = one(path, "@health", CoreHealth)
    assert (health.truncated, health.executable, health.caps) == (False, None, ())
    with open_it(path) as core:
        assert core.symbolize(READ_ITEM + 4) == ("read_item", 4)
        assert core.symbol("app", "main") == MAIN
        region = core.region(STACK)
        assert region is not None
        assert region.kind == "stack"


class open_it:
    def __init__(self, path: Path, *more: Path | None) -> None:
        self.core = open_core(path, *more)

    def __enter__(self):  # type: ignore[no-untyped-def]
        return self.core

    def __exit__(self, *_: object) -> None:
        self.core.close()


@BOTH
def test_lldb_sees_the_same(tmp_path: Path, cpu: int) -> None:
    path = written(tmp_path, null_read(cpu))
    programs = [find_lldb(), find_lldb(needed("lldb-14"))]
    for program in programs:
        line = [str(program.path), *program.options, "--no-lldbinit", "--batch"]
        for command in (f"target create --core {path}", "thread list", "image list",
                        f"memory region {STACK}"):  # fmt: skip
            line += ["-o", command]
        made = subprocess.run(
            line, env=program.environment(), capture_output=True, text=True, timeout=60
        )
        assert f"{READ_ITEM + 4:#018x} app`read_item" in made.stdout
        assert "thread #2: tid = 0x0001" in made.stdout
        assert "/Users/me/app" in made.stdout
        assert "00010203-0405-0607-0809-0A0B0C0D0E0F" in made.stdout
        end = STACK + 2 * PAGE
        assert f"[{STACK:#018x}-{end:#018x}) rw-" in made.stdout


def test_the_kernels_unified_states(tmp_path: Path) -> None:
    registers = {"rip": READ_ITEM, "rdi": 0, "rsp": STACK + PAGE}
    core = FakeMachCore(X86, pieces(X86), [x86_unified(registers, (14, 4, 8))])
    record = one(written(tmp_path, core), "@notes", ExceptionRecord)
    assert (record.access, record.fault_address, record.address) == ("read", 8, READ_ITEM)


@pytest.mark.parametrize(
    ("trap", "code", "flags", "access", "data"),
    [
        ((14, 7, BASE + 0x10), 1, 2, "write", BASE + 0x10),
        ((14, 20, 0x7000), 1, 1, "execute", 0x7000),
        ((13, 0, 0), 1, 13, None, None),
        ((6, 0, 0), 2, 1, None, None),
        ((3, 0, 0), 6, 2, None, None),
    ],
)
def test_traps_of_x86(
    tmp_path: Path,
    trap: tuple[int, int, int],
    code: int,
    flags: int,
    access: str | None,
    data: int | None,
) -> None:
    core = FakeMachCore(X86, pieces(X86), [x86_thread({"rip": READ_ITEM, "rsp": STACK}, trap)])
    record = one(written(tmp_path, core), "@notes", ExceptionRecord)
    assert (record.code, record.flags) == (code, flags)
    assert (record.access, record.fault_address) == (access, data)


@pytest.mark.parametrize(
    ("esr", "far", "code", "access"),
    [
        (0x24 << 26 | 1 << 6 | 0x0F, BASE, 1, "write"),
        (0x20 << 26 | 0x06, 0x4000, 1, "execute"),
        (0x3C << 26 | 1, 0, 6, None),
        (0x00 << 26 | 1 << 25, 0, 2, None),
    ],
)
def test_syndromes_of_arm(
    tmp_path: Path, esr: int, far: int, code: int, access: str | None
) -> None:
    core = FakeMachCore(ARM, pieces(ARM), [arm_thread({"pc": READ_ITEM, "sp": STACK}, far, esr)])
    record = one(written(tmp_path, core), "@notes", ExceptionRecord)
    assert (record.code, record.access) == (code, access)
    assert record.fault_address == (far if access else None)


def test_a_division_by_zero_and_a_state_of_zeros(tmp_path: Path) -> None:
    code = bytes.fromhex("f7f1")  # div ecx
    parts = [*image(X86, PROGRAM, BASE, code), Piece(STACK, bytes(PAGE))]
    at = {"rip": BASE + 0x800, "rsp": STACK}
    record = one(
        written(tmp_path, FakeMachCore(X86, parts, [x86_thread(at)])), "@notes", ExceptionRecord
    )
    assert record.code == 3
    elsewhere = FakeMachCore(X86, pieces(X86), [x86_thread({"rip": READ_ITEM, "rsp": STACK})])
    found = facts(written(tmp_path, elsewhere), "@notes")
    assert not any(isinstance(fact, ExceptionRecord) for fact in found)


def test_a_served_page_fault_is_no_crash(tmp_path: Path) -> None:
    """The state of the last fault stays in a thread that runs on."""
    thread = x86_thread({"rip": READ_ITEM, "rsp": STACK}, (14, 6, STACK + 8))
    core = FakeMachCore(X86, pieces(X86), [thread])
    process = one(written(tmp_path, core), "@notes", Process)
    assert not process.snapshot
    core.notes = [(b"all image infos", struct.pack("<IIQII", 1, 0, 0, 40, 0))]
    path = written(tmp_path, core)
    assert one(path, "@notes", Process).snapshot
    assert identify(path).signal is None


def test_notes_of_lldb(tmp_path: Path) -> None:
    library = 0x7FF800000000
    parts = [
        *pieces(ARM, dyld=False),
        *image(ARM, DYLIB, library, b"", name=b"/usr/lib/libq.dylib"),
    ]
    pointer = READ_ITEM | 0x2A << 55 & ~(1 << 63)
    core = FakeMachCore(ARM, parts, [arm_thread({"pc": pointer, "sp": STACK})])
    core.notes = [
        (b"addrable bits", struct.pack("<IIQ", 3, 47, 0)),
        (b"main bin spec", struct.pack("<IIQ16sII", 1, 2, BASE, bytes(range(16)), 12, 0)),
        (b"process metadata", b'{"threads":[{"thread_id":4711}]}\0'),
    ]
    path = written(tmp_path, core)
    with open_it(path) as opened:
        assert opened.notes.kind == "user process"
        assert [(t.tid, t.pc) for t in opened.threads] == [(4711, READ_ITEM)]
        assert [m.path for m in opened.modules] == ["program", "/usr/lib/libq.dylib"]


def test_a_program_with_another_uuid(tmp_path: Path) -> None:
    path = written(tmp_path, null_read(X86))
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_bytes(image(X86, PROGRAM, BASE, b"")[0].data)
    wrong.write_bytes(image(X86, PROGRAM, BASE, b"", uuid=b"W" * 16)[0].data)
    for file, status in ((right, "found"), (wrong, "mismatched"), (tmp_path / "none", "missing")):
        with open_it(path, file) as core:
            assert core.program.status == status
    assert identify(path, right).executable == str(right)
    assert identify(path, wrong).executable is None
    beside = tmp_path / "app"  # as it is recorded: /Users/me/app
    right.rename(beside)
    assert identify(path).executable == str(beside)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xca\xfe\xba\xbe\0\0\0\2" + bytes(64), "universal file"),
        (b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(64), "Java"),
        (b"\xce\xfa\xed\xfe" + bytes(64), "32-bit"),
        (b"\xfe\xed\xfa\xcf" + bytes(64), "big-endian"),
        (b"\xcf\xfa\xed\xfe" + bytes(4), "ends inside"),
        (FakeMachCore(filetype=2).build(), "a Mach-O program, not a core"),
        (FakeMachCore(filetype=6).build(), "a Mach-O library"),
        (FakeMachCore(filetype=10).build(), "dSYM"),
        (FakeMachCore(cpu=18).build(), "processor"),
        (FakeMachCore().build(), "no thread"),
        (null_read(X86).build()[:200], "cut off"),
    ],
)
def test_what_is_no_core(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(TargetError, match=words):
        identify(path)


def test_a_cut_core_says_what_is_missing(tmp_path: Path) -> None:
    data = null_read(X86).build()
    path = tmp_path / "core"
    path.write_bytes(data[: len(data) - PAGE - 100])
    health = one(path, "@health", CoreHealth)
    assert health.truncated
    assert health.missing_bytes > 0
    assert health.ceiling < 0.8
    assert any("truncated" in cap for cap in health.caps)
    assert any("ulimit" in remedy for remedy in health.remedies)


def test_probes_that_make_no_sense(tmp_path: Path) -> None:
    reader = open_macho(written(tmp_path, null_read(X86)))
    for probe in ("", "@locks", "@notes 1", "@health x", "@modules x", "@mappings x"):
        with pytest.raises(ProbeError):
            reader.answer(probe)


@BOTH
def test_damage_ends_in_answers(tmp_path: Path, cpu: int) -> None:
    """Cut anywhere, and with bytes changed anywhere that is no plain memory."""
    whole = null_read(cpu).build()
    path = tmp_path / "core"
    source = random.Random(cpu)
    opened = 0
    for number in range(120):
        data = bytearray(whole)
        if number % 3 == 0:
            del data[source.randrange(4, len(data)) :]
        for _ in range(source.choice((1, 4, 40))):
            data[source.randrange(0, min(len(data), 0x1000))] = source.choice((0, 0xFF, 0x7F, 1))
        data[0:4] = whole[0:4]
        path.write_bytes(data)
        try:
            reader = open_macho(path)
        except TargetError:
            continue
        opened += 1
        for name in PROBES:
            text = reader.answer(name)
            assert all(line.isprintable() for line in text.split("\n"))
        reader.close()
    assert opened > 20
