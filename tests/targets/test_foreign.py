"""Cores that cannot be made here: other architectures, many mappings, hostile strings."""

import re
import struct
import subprocess
import time
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import build, crash
from tests.targets.synthetic import PAGE, FakeCore, Load
from workbench.model.facts import Memory, Module, Process, Registers, Signal
from workbench.targets.core import CoreFile
from workbench.targets.errors import ProbeError, TargetError
from workbench.targets.identify import identify, open_core
from workbench.targets.reader import DumpReader

R, W, X = 4, 2, 1
SEGV = struct.pack("<iiiiQ", 11, 0, 1, 0, 0x1234).ljust(128, b"\0")


def opened(path: Path, fake: FakeCore) -> CoreFile:
    path.write_bytes(fake.build())
    return open_core(path)


def facts(core: CoreFile, probe: str) -> list[object]:
    text = DumpReader(core).answer(probe)
    return list(analyze(Document("E1", probe, "dump", text)).facts)


@pytest.mark.parametrize(
    ("arch", "machine", "bits", "order", "count", "pc", "sp"),
    [
        ("x86_64", 62, 64, "<", 27, ("rip", 16), ("rsp", 19)),
        ("i386", 3, 32, "<", 17, ("eip", 12), ("esp", 15)),
        ("aarch64", 183, 64, "<", 34, ("pc", 32), ("sp", 31)),
        ("arm", 40, 32, "<", 18, ("pc", 15), ("sp", 13)),
        ("riscv64", 243, 64, "<", 32, ("pc", 0), ("sp", 2)),
        ("ppc64le", 21, 64, "<", 48, ("pc", 32), ("r1", 1)),
        ("s390x", 22, 64, ">", 27, ("pswa", 1), ("r15", 17)),
        ("loongarch64", 258, 64, "<", 45, ("pc", 33), ("r3", 3)),
    ],
)
def test_registers_of_every_architecture(
    tmp_path: Path,
    arch: str,
    machine: int,
    bits: int,
    order: str,
    count: int,
    pc: tuple[str, int],
    sp: tuple[str, int],
) -> None:
    stack = 0x70000000
    values = [0x1000 + n for n in range(count)]
    values[sp[1]] = stack + 64
    fake = FakeCore(machine, bits, order, [Load(stack, PAGE, R | W, b"s" * PAGE)])
    fake.thread(77, values, 6).process(77, b"app", b"app --serve ").thread(78, values)
    with opened(tmp_path / "core", fake) as core:
        assert (core.arch, core.bits, core.little_endian) == (arch, bits, order == "<")
        assert [thread.tid for thread in core.threads] == [77, 78]
        first = core.threads[0]
        assert first.registers[pc[0]] == first.pc == 0x1000 + pc[1]
        assert first.registers[sp[0]] == first.sp == stack + 64
        assert first.signal == core.signal == 6
        assert (core.pid, core.command_line) == (77, "app --serve")
        assert core.read_word(stack) == int.from_bytes(b"s" * (bits // 8), "little")
        region = core.region(stack)
        assert region is not None
        assert (region.kind, region.thread) == ("stack", 77)
        found = facts(core, "@notes")
        registers = next(fact for fact in found if isinstance(fact, Registers))
        assert registers.get(pc[0]) == first.pc
        assert {r.name: r.value for r in registers.values} == first.registers
        process = next(fact for fact in found if isinstance(fact, Process))
        assert (process.arch, process.threads) == (arch, (77, 78))


@pytest.mark.parametrize(
    ("machine", "bits", "order", "count"),
    [
        (62, 64, "<", 27),
        (3, 32, "<", 17),
        (183, 64, "<", 34),
        (40, 32, "<", 18),
        (243, 64, "<", 32),
        (21, 64, "<", 48),
        (22, 64, ">", 27),
        (258, 64, "<", 45),
    ],
)
def test_registers_agree_with_gdb(
    tmp_path: Path, gdb_path: Path, machine: int, bits: int, order: str, count: int
) -> None:
    values = [0x1000 + 16 * n for n in range(count)]
    fake = FakeCore(machine, bits, order, [Load(0x70000000, PAGE, R | W, bytes(PAGE))])
    path = tmp_path / "core"
    with opened(path, fake.thread(77, values, 6).process(77, b"app", b"app")) as core:
        ours = core.threads[0].registers
    safe = ["-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no"]
    made = subprocess.run(
        [gdb_path, *safe, "-ex", "info registers", "-c", path], capture_output=True, text=True
    )
    shown = {k: int(v, 16) for k, v in re.findall(r"^(\w+) +(0x[0-9a-f]+)", made.stdout, re.M)}
    both = shown.keys() & ours.keys() - {"r0"}  # gdb shows loongarch's r0 as the constant it is
    assert len(both) >= min(16, count - 2)
    assert {name: shown[name] for name in both} == {name: ours[name] for name in both}


def test_an_unknown_architecture_still_opens(tmp_path: Path) -> None:
    fake = FakeCore(machine=9999).thread(5, [1, 2, 3]).note(0x53494749, SEGV)
    with opened(tmp_path / "core", fake) as core:
        assert core.arch == "machine-9999"
        assert core.threads[0].registers == {}
        text = DumpReader(core).answer("@notes") + DumpReader(core).answer("@health")
        assert "registers: their layout on machine-9999 is not known" in text
        assert "cap: 0.60" in text
        signal = next(fact for fact in facts(core, "@notes") if isinstance(fact, Signal))
        assert (signal.name, signal.fault_address) == ("SIGSEGV", 0x1234)


def test_the_thread_pointer_of_aarch64(tmp_path: Path) -> None:
    fake = FakeCore(machine=183)
    for tid, base in ((1, 0xAAAA0000), (2, 0xBBBB0000)):
        fake.thread(tid, list(range(34))).note(0x401, struct.pack("<Q", base), b"LINUX")
    with opened(tmp_path / "core", fake) as core:
        assert [thread.fs_base for thread in core.threads] == [0xAAAA0000, 0xBBBB0000]


@pytest.mark.parametrize("cut", [False, True])
def test_more_segments_than_a_header_counts(tmp_path: Path, cut: bool) -> None:
    count = 70_000
    loads = [Load(0x10000 + n * 2 * PAGE, PAGE, R | (W if n % 2 else 0)) for n in range(count)]
    loads[-1] = Load(0x7FFF00000000, PAGE, R | W, b"the last page".ljust(PAGE, b"\0"))
    data = FakeCore(loads=loads, extended=True).thread(9, [0] * 27).build()
    path = tmp_path / "core"
    path.write_bytes(data[:-64] if cut else data)
    started = time.process_time()
    with open_core(path) as core:
        assert len(core.regions) == count
        assert core.read_cstring(0x7FFF00000000) == b"the last page"
        text = DumpReader(core).answer("@mappings")
        (memory,) = analyze(Document("E1", "@mappings", "dump", text)).facts
        assert isinstance(memory, Memory)
        assert len(memory.regions) == count
        DumpReader(core).answer("@health")
    assert time.process_time() - started < 10


def test_what_a_dump_says_stays_on_its_line(tmp_path: Path) -> None:
    evil = b"/srv/\x1b[2Ja\nsignal: 9 SIGKILL in thread 1\n\xff\xe2\x80\xae"
    fake = FakeCore(loads=[Load(0x400000, PAGE, R | X, b"\x7fELF")])
    fake.thread(3, [0] * 27).process(3, b"x\ny", b"a\nthread 99:\r\x07" + b"\xe2\x80\xa8")
    fake.files([(0x400000, 0x401000, 0, evil)])
    with opened(tmp_path / "core", fake) as core:
        for probe in ("@notes", "@health", "@mappings", "@modules"):
            text = DumpReader(core).answer(probe)
            assert all(line.isprintable() for line in text.split("\n"))
        process = next(fact for fact in facts(core, "@notes") if isinstance(fact, Process))
        assert process.threads == (3,)
        assert process.command_line == "a\\nthread 99:\\x0d\\x07\\u2028"
        assert "\\x1b[2Ja\\nsignal" in str(process.executable)
        assert "\\xff\\u202e" in str(process.executable)
    assert identify(tmp_path / "core").signal == "SIGSEGV"


def test_a_path_may_not_leave_the_sysroot_or_wait(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_bytes(b"\x7fELF")
    fake = FakeCore(loads=[Load(0x400000, PAGE, R | X)]).thread(3, [0] * 27)
    rows = [b"/../outside", b"/dev/zero", b"/dev/tty", b"/proc/self/mem", b"relative", b""]
    spans = [(0x400000 + n * PAGE, 0x401000 + n * PAGE, 0, path) for n, path in enumerate(rows)]
    path = tmp_path / "core"
    path.write_bytes(fake.files(spans).build())
    with open_core(path, None, root) as core:
        assert {module.status for module in core.modules} == {"missing"}
    with open_core(path) as core:
        assert {module.status for module in core.modules} <= {"missing"}


def test_files_that_lie_about_their_number(tmp_path: Path) -> None:
    body = struct.pack("<QQ", 1 << 60, PAGE) + struct.pack("<QQQ", 0x1000, 0x2000, 0) + b"/a\0"
    fake = FakeCore().thread(3, [0] * 27).note(0x46494C45, body)
    with opened(tmp_path / "core", fake) as core:
        assert core.notes.cut
        assert core.truncated


def test_without_a_list_of_files_the_linker_names_the_modules(tmp_path: Path) -> None:
    base, library, data = 0x400000, 0x7F0000000000, 0x500000
    dynamic = struct.pack("<4Q", 21, data + 0x100, 0, 0)
    links = bytearray(PAGE)
    struct.pack_into("<QQ", links, 0x100, 1, data + 0x200)  # r_debug
    struct.pack_into("<4Q", links, 0x200, 0, data + 0x800, 0, data + 0x300)  # the program
    struct.pack_into("<4Q", links, 0x300, library, data + 0x810, 0, data + 0x200)  # and in a ring
    links[0x810:0x820] = b"/lib/libq.so\0\0\0\0"
    links[0x900:0x90A] = b"/srv/app\0\0"
    fake = FakeCore(
        loads=[
            Load(base, PAGE, R | X, _image(2, base, dynamic)),
            Load(data, PAGE, R | W, bytes(links)),
            Load(library, PAGE, R | X, _image(3, 0, b"")),
        ]
    )
    fake.thread(3, [0] * 27).auxv({3: base + 64, 9: base, 31: data + 0x900})
    with opened(tmp_path / "core", fake) as core:
        assert core.recorded_executable == "/srv/app"
        assert [(m.path, m.base) for m in core.modules] == [
            ("/srv/app", base),
            ("/lib/libq.so", library),
        ]
        found = [fact for fact in facts(core, "@modules") if isinstance(fact, Module)]
        assert [module.name for module in found] == ["app", "libq.so"]
        assert {module.status for module in found} == {"missing"}


def _image(kind: int, base: int, dynamic: bytes) -> bytes:
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    head = struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, base, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    table = struct.pack("<IIQQQQQQ", 1, R | X, 0, base, 0, PAGE, PAGE, PAGE)
    table += struct.pack("<IIQQQQQQ", 2, R, 0x200, base + 0x200, 0, len(dynamic), len(dynamic), 8)
    return (ident + head + table).ljust(0x200, b"\0") + dynamic.ljust(PAGE - 0x200, b"\0")


def test_probes_that_make_no_sense(core: CoreFile) -> None:
    reader = DumpReader(core)
    for probe in ("", "   ", "@nothing", "@notes 5", "@health x", "@mappings x", "@modules x"):
        with pytest.raises(ProbeError):
            reader.answer(probe)


def test_errors_say_three_things() -> None:
    error = TargetError("core", "it is empty", "make another")
    assert str(error) == "core: it is empty; make another"


def test_a_real_32_bit_core() -> None:
    source = "void _start(void) { *(volatile int *)16 = 1; }"
    with open_core(crash(build(source, "-m32", "-nostdlib", "-static"))) as core:
        assert (core.arch, core.bits) == ("i386", 32)
        assert core.symbolize(core.threads[0].pc or 0) is not None
        assert core.threads[0].registers["eax"] == 16
        signal = next(fact for fact in facts(core, "@notes") if isinstance(fact, Signal))
        assert (signal.name, signal.code_name, signal.fault_address) == (
            "SIGSEGV",
            "SEGV_MAPERR",
            16,
        )
        assert core.program is not None
        assert core.program.status == "found"
