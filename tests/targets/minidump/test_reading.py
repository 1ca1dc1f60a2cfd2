"""What the streams of a minidump say, for every writer and processor."""

import struct
from pathlib import Path

import pytest

from tests.targets.minidump import builder
from tests.targets.minidump.builder import Dump
from workbench.model.target import TargetKind
from workbench.targets.errors import ProbeError, TargetError
from workbench.targets.identify import identify
from workbench.targets.minidump import open_minidump
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.probing import ProbingReader
from workbench.targets.reader import open_reader


def opened(tmp_path: Path, raw: bytes) -> ProbingReader[MinidumpFile]:
    path = tmp_path / "crash.dmp"
    path.write_bytes(raw)
    return open_minidump(path)


def access_violation() -> Dump:
    """A 64-bit Windows program that read 0x10."""
    dump = Dump()
    context = builder.amd64(rip=0x7FF600001010, rsp=0x10FF80, rax=0)
    dump.thread(100, builder.amd64(rip=0x7FFE00000014, rsp=0x10F000), (0x10FF00, bytes(256)))
    dump.thread(200, b"", name="worker")
    dump.module(0x7FF600000000, 0x4000, "C:\\srv\\app.exe", (0x10002, 0x30004),
                builder.pdb70(bytes(range(16)), 3, "d:\\b\\app.pdb"))  # fmt: skip
    dump.module(0x7FFE00000000, 0x10000, "C:\\Windows\\System32\\ntdll.dll")
    dump.memory(0x7FF600001000, bytes(16) + bytes.fromhex("488b4010") + bytes(60))
    dump.exception(100, 0xC0000005, 0x7FF600001010, (0, 0x10), context=context)
    return dump


def test_a_minidump_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "crash.dmp"
    path.write_bytes(access_violation().build())
    target = identify(path)
    assert target.kind is TargetKind.MINIDUMP
    assert (target.os, target.arch, target.thread_count) == ("Windows NT", "x86_64", 2)
    assert target.recorded_executable == "C:\\srv\\app.exe"
    assert target.signal == "c0000005"
    reader = open_reader(target)
    assert reader.size == path.stat().st_size
    assert reader.sections() == ()
    reader.close()


def test_the_notes_of_an_access_violation(tmp_path: Path) -> None:
    lines = opened(tmp_path, access_violation().build()).answer("@notes").splitlines()
    assert "core: Windows NT x86_64, 64-bit, little-endian" in lines
    assert "system: Windows NT 10.0.19041" in lines
    assert "exception: 0xc0000005 EXCEPTION_ACCESS_VIOLATION_READ in thread 100" in lines
    assert "exception address: 0x7ff600001010" in lines
    assert "exception access: read at 0x10" in lines
    assert "exception parameters: 0x0 0x10" in lines
    # The registers are those of the exception, not those of the thread in its handler.
    assert "thread 100: pc 0x7ff600001010 sp 0x10ff80" in lines
    assert "thread 200: name worker" in lines
    assert "  rip 0x7ff600001010" in lines
    assert not any(line.startswith("signal") for line in lines)


def test_modules_have_versions_and_debug_files(tmp_path: Path) -> None:
    lines = opened(tmp_path, access_violation().build()).answer("@modules").splitlines()
    assert lines[0] == "modules: 2 in address order"
    guid = "03020100050407060809" + "0a0b0c0d0e0f" + "3"
    assert lines[1] == (f"0x7ff600000000-0x7ff600004000 missing unknown {guid} C:\\srv\\app.exe")
    assert lines[2:4] == ["  version: 1.2.3.4", "  debug file: d:\\b\\app.pdb"]


def test_the_fault_is_read_with_the_registers_of_the_exception(tmp_path: Path) -> None:
    lines = opened(tmp_path, access_violation().build()).answer("@fault").splitlines()
    assert "instruction mov rax, qword ptr [rax + 0x10]" in lines
    assert "access read at 0x10 through [rax + 0x10]" in lines
    assert "exception says: read of 0x10, near null, unmapped" in lines
    assert not any(line.startswith("signal") for line in lines)


def test_an_instruction_that_is_not_in_the_dump_is_replaced_by_the_record(tmp_path: Path) -> None:
    dump = access_violation()
    dump.held = [item for item in dump.held if item[0] != 0x7FF600001000]
    lines = opened(tmp_path, dump.build()).answer("@fault").splitlines()
    assert "access read at 0x10: near null, unmapped" in lines


@pytest.mark.parametrize(
    ("code", "parameters", "name"),
    [
        (0xC0000005, (1, 0x7FF600001000), "EXCEPTION_ACCESS_VIOLATION_WRITE"),
        (0xC0000005, (8, 0x50000), "EXCEPTION_ACCESS_VIOLATION_EXEC"),
        (0xC0000006, (0, 0x50000, 0xC0000185), "EXCEPTION_IN_PAGE_ERROR_READ"),
        (0xC00000FD, (1, 0x50000), "EXCEPTION_STACK_OVERFLOW"),
        (0xC0000094, (), "EXCEPTION_INT_DIVIDE_BY_ZERO"),
        (0xC0000374, (), "STATUS_HEAP_CORRUPTION"),
        (0xE06D7363, (0x19930520, 1, 2, 3), "EXCEPTION_CPP"),
        (0xE0434352, (), "EXCEPTION_CLR"),
        (0xE1234567, (), "0xe1234567"),
    ],
)
def test_exceptions_of_windows_have_names(
    tmp_path: Path, code: int, parameters: tuple[int, ...], name: str
) -> None:
    dump = Dump()
    dump.exception(7, code, 0x1000, parameters, context=builder.amd64(rip=0x1000, rsp=0x2000))
    assert f"exception: {code:#x} {name} in thread 7" in opened(tmp_path, dump.build()).answer(
        "@notes"
    )


def test_a_fast_fail_says_which(tmp_path: Path) -> None:
    dump = Dump()
    dump.exception(7, 0xC0000409, 0x1000, (7, 0), context=builder.amd64(rip=0x1000, rsp=0x2000))
    reader = opened(tmp_path, dump.build())
    assert "fast fail: FAST_FAIL_FATAL_APP_EXIT" in reader.answer("@notes")
    assert "fast fail FAST_FAIL_FATAL_APP_EXIT" in reader.answer("@fault")


def test_a_linux_dump_has_a_signal(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX)
    dump.service_pack = "Linux 6.1.0 #1 SMP x86_64"
    dump.thread(33, builder.amd64(rip=0x401000, rsp=0x7FFE0000), (0x7FFE0000, bytes(64)))
    dump.exception(33, 11, 0x28, flags=1, context=builder.amd64(rip=0x401000, rsp=0x7FFE0000))
    dump.stream(0x47670009, b"00401000-00402000 r-xp 00001000 08:01 99  /srv/app\n"
                            b"7ffe0000-7fff0000 rw-p 00000000 00:00 0   [stack]\n")  # fmt: skip
    dump.stream(0x47670006, b"/srv/app\0--fast\0")
    dump.stream(0x47670004, b"Name:\tapp\nTgid:\t31\nPid:\t31\n")
    reader = opened(tmp_path, dump.build())
    lines = reader.answer("@notes").splitlines()
    assert "signal: 11 SIGSEGV in thread 33" in lines
    assert "si_code: 1 SEGV_MAPERR" in lines
    assert "si_addr: 0x28" in lines
    assert "command line: /srv/app --fast" in lines
    assert "process: 31" in lines
    assert "system: Linux 6.1.0 #1 SMP x86_64" in lines
    mappings = reader.answer("@mappings").splitlines()
    assert mappings[1] == "0x401000-0x402000 r-x 4096 file absent offset 0x1000 /srv/app"
    assert mappings[2] == "0x7ffe0000-0x7fff0000 rw- 65536 stack partial:64 thread 33"


def test_an_old_writer_leaves_the_code_of_a_signal_out(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX)
    dump.exception(9, 11, 0x0, context=builder.amd64(rip=0x401000, rsp=0x7FFE0000))
    text = opened(tmp_path, dump.build()).answer("@notes")
    assert "si_code: not recorded\nsi_addr: 0x0" in text


def test_an_abort_names_its_sender(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX)
    dump.exception(31, 6, 1000 << 32 | 31, flags=0xFFFFFFFA)
    dump.stream(0x47670004, b"Pid:\t31\n")
    text = opened(tmp_path, dump.build()).answer("@notes")
    assert "si_code: -6 SI_TKILL\nsender: process 31 of user 1000 (the process itself)" in text


@pytest.mark.parametrize(
    ("platform", "code"),
    [(builder.LINUX, 0xFFFFFFFF), (builder.MACOS, 0x43507378), (builder.WINDOWS, 0x0517A7ED)],
)
def test_a_dump_that_was_asked_for_is_no_crash(tmp_path: Path, platform: int, code: int) -> None:
    dump = Dump(platform=platform)
    context = builder.amd64(rip=0x401000, rsp=0x7FFE0000)
    dump.thread(5, context, (0x7FFE0000, bytes(64)))
    dump.exception(5, code, 0x401000, context=context)
    reader = opened(tmp_path, dump.build())
    text = reader.answer("@notes")
    assert "made by: a snapshot of the running process; the program" in text
    assert "signal:" not in text
    assert "exception says" not in reader.answer("@fault")


def test_a_dump_without_an_exception_is_a_snapshot(tmp_path: Path) -> None:
    dump = Dump()
    dump.thread(5, builder.amd64(rip=0x401000, rsp=0x7FFE0000), (0x7FFE0000, bytes(64)))
    text = opened(tmp_path, dump.build()).answer("@notes")
    assert "made by: a snapshot of the running process; the dump holds no exception" in text


@pytest.mark.parametrize(
    ("code", "flags", "name"),
    [
        (1, 1, "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS"),
        (1, 13, "EXC_BAD_ACCESS / EXC_I386_GPFLT"),
        (2, 1, "EXC_BAD_INSTRUCTION / EXC_I386_INVOP"),
        (3, 1, "EXC_ARITHMETIC / EXC_I386_DIV"),
        (5, 0x10002, "EXC_SOFTWARE / SIGABRT"),
        (6, 2, "EXC_BREAKPOINT / EXC_I386_BPT"),
        (10, 0, "EXC_CRASH"),
        (0x43506E78, 0, "NSEXCEPTION"),
    ],
)
def test_mach_exceptions_have_names(tmp_path: Path, code: int, flags: int, name: str) -> None:
    dump = Dump(platform=builder.MACOS)
    context = builder.amd64(rip=0x100001000, rsp=0x7FFF0000)
    dump.thread(5, context, (0x7FFF0000, bytes(64)))
    dump.exception(5, code, 0x45, flags=flags, context=context)
    text = opened(tmp_path, dump.build()).answer("@notes")
    assert f"exception: {code:#x} {name} in thread 5" in text
    assert ("exception access: touched at 0x45" in text) == (code == 1 and flags == 1)


@pytest.mark.parametrize(
    ("processor", "context", "pc", "sp"),
    [
        (builder.X86, builder.x86(eip=0x401000, esp=0x12FF00), 0x401000, 0x12FF00),
        (builder.AMD64, builder.amd64(rip=0x401000, rsp=0x12FF00), 0x401000, 0x12FF00),
        (builder.AMD64, builder.x86(eip=0x401000, esp=0x12FF00), 0x401000, 0x12FF00),
        (builder.ARM, builder.arm(pc=0x8000, sp=0xBEFF0000), 0x8000, 0xBEFF0000),
        (builder.ARM64, builder.arm64(pc=0x401000, sp=0x7FF000), 0x401000, 0x7FF000),
        (builder.ARM64, builder.arm64_old(pc=0x401000, sp=0x7FF000), 0x401000, 0x7FF000),
        (builder.ARM64_OLD, builder.arm64_old(pc=0x401000, sp=0x7FF000), 0x401000, 0x7FF000),
        (builder.ARM64_OLD, builder.arm64(pc=0x401000, sp=0x7FF000), 0x401000, 0x7FF000),
        (builder.MIPS, builder.mips(pc=0x401000, sp=0x7FF000), 0x401000, 0x7FF000),
    ],
)
def test_registers_of_every_processor(
    tmp_path: Path, processor: int, context: bytes, pc: int, sp: int
) -> None:
    dump = Dump(platform=builder.LINUX, processor=processor)
    dump.thread(5, context)
    text = opened(tmp_path, dump.build()).answer("@notes")
    assert f"thread 5: pc {pc:#x} sp {sp:#x}" in text


def test_a_byte_swapped_dump_is_read(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX, processor=3, order=">")
    raw = bytearray(1000)
    struct.pack_into(">III", raw, 0, 0x20000001, 0x1000, 0)
    dump.thread(5, bytes(raw))
    dump.module(0x1000, 0x1000, "/srv/app")
    dump.exception(5, 11, 0x28, flags=1)
    text = opened(tmp_path, dump.build()).answer("@notes")
    assert "core: Linux ppc, 32-bit, big-endian" in text
    assert "signal: 11 SIGSEGV in thread 5" in text
    assert "thread 5: pc 0x1000 sp 0x0" in text


def test_an_elf_build_id_is_the_modules(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX)
    dump.module(0x400000, 0x1000, "/srv/app", record=builder.elf_id(bytes.fromhex("ab" * 20)))
    assert f"missing unknown {'ab' * 20} /srv/app" in opened(tmp_path, dump.build()).answer(
        "@modules"
    )


def test_a_full_dump_holds_its_memory_in_one_run(tmp_path: Path) -> None:
    dump = Dump()
    dump.full = [(0x10000, b"A" * 32), (0x30000, b"B" * 16)]
    reader = opened(tmp_path, dump.build())
    assert reader.dump.read(0x10010, 16) == b"A" * 16
    assert reader.dump.read(0x30000, 16) == b"B" * 16
    assert reader.dump.read(0x30000, 17) is None


def test_the_memory_map_of_windows(tmp_path: Path) -> None:
    dump = Dump()
    dump.module(0x400000, 0x2000, "C:\\app.exe")
    dump.thread(5, builder.amd64(rip=0x400010, rsp=0x20800), (0x20000, bytes(4096)))
    rows = [
        (0x1F000, 0x1000, 0x1000, 0x104, 0x20000),  # a guard page
        (0x20000, 0x1000, 0x1000, 0x04, 0x20000),
        (0x30000, 0x1000, 0x10000, 0x01, 0),  # free
        (0x400000, 0x1000, 0x1000, 0x20, 0x1000000),
        (0x401000, 0x1000, 0x2000, 0, 0x1000000),  # reserved
    ]
    dump.stream(16, builder.memory_info(rows))
    lines = opened(tmp_path, dump.build()).answer("@mappings").splitlines()
    assert lines[1:] == [
        "0x1f000-0x20000 --- 4096 anonymous absent",
        "0x20000-0x21000 rw- 4096 stack dumped thread 5",
        "0x400000-0x401000 r-x 4096 file absent offset 0x0 C:\\app.exe",
        "0x401000-0x402000 --- 4096 file absent offset 0x0 C:\\app.exe",
    ]


def test_memory_without_a_map_is_unknown_but_for_the_refused_page(tmp_path: Path) -> None:
    dump = Dump(processor=builder.X86)
    context = builder.x86(eip=0x401000, esp=0x12FF00, eax=0x41414141)
    dump.thread(5, context, (0x12F000, bytes(4096)))
    dump.exception(5, 0xC0000005, 0x401000, (1, 0x41414141), context=context)
    text = opened(tmp_path, dump.build()).answer("@mappings")
    assert "0x12f000-0x130000 rw- 4096 stack dumped thread 5" in text
    assert "0x41414000-0x41415000 ?-? 4096 unknown absent" in text
    assert text.rstrip().endswith("unknown absent")


def test_annotations_assertions_and_who_asked(tmp_path: Path) -> None:
    dump = Dump()
    dump.thread(5, builder.amd64(rip=0x401000, rsp=0x7FFE0000))
    dump.module(0x400000, 0x1000, "C:\\app.exe")
    dump.stream(0x47670001, struct.pack("<III", 3, 8, 5))
    parts = [text.encode("utf-16-le").ljust(256, b"\0") for text in ("n > 0", "grow", "ring.c")]
    dump.stream(0x47670002, b"".join(parts) + struct.pack("<II", 42, 2))
    pair = dump.put(struct.pack("<III", 1, dump.utf8("product"), dump.utf8("Shop\x1b[31m")))
    dump.stream(0x43500001, struct.pack("<I", 1) + bytes(32) + struct.pack("<IIII", 12, pair, 0, 0))
    lines = opened(tmp_path, dump.build()).answer("@notes").splitlines()
    assert "asked for by: thread 5" in lines
    assert "written by: thread 8" in lines
    assert "assertion: pure virtual call n > 0 in grow at ring.c:42" in lines
    assert "annotation: product = Shop\\x1b[31m" in lines


def test_unloaded_modules_and_times(tmp_path: Path) -> None:
    dump = Dump()
    name = dump.text("C:\\old\\plugin.dll")
    dump.stream(14, struct.pack("<III", 12, 24, 1) + struct.pack("<QIIII", 0x500000, 0x1000, 0, 0,
                                                                 name))  # fmt: skip
    dump.stream(15, struct.pack("<IIIIII", 24, 3, 77, 1_500_000_000, 12, 3))
    lines = opened(tmp_path, dump.build()).answer("@notes").splitlines()
    assert "process: 77" in lines
    assert "unloaded module: 0x500000-0x501000 plugin.dll" in lines
    assert "processor time: 12 s user, 3 s system" in lines


def test_frame_pointers_lead_to_the_callers(tmp_path: Path) -> None:
    dump = Dump(processor=builder.X86)
    words = [0] * 64
    words[4], words[5] = 0x12FF40, 0x401234  # saved ebp, return address
    words[16], words[17] = 0, 0x402345
    stack = b"".join(struct.pack("<I", word) for word in words)
    dump.module(0x400000, 0x4000, "C:\\app.exe")
    context = builder.x86(eip=0x401100, esp=0x12FF00, ebp=0x12FF10)
    dump.thread(5, context, (0x12FF00, stack))
    dump.exception(5, 0xC0000005, 0x401100, (0, 0), context=context)
    lines = opened(tmp_path, dump.build()).answer("@stack").splitlines()
    assert "frame 0: 0x401100: no symbol in app.exe at offset 0x1100" in lines
    assert "frame 1: 0x401234 at 0x12ff14: no symbol in app.exe at offset 0x1234" in lines
    assert "frame 2: 0x402345 at 0x12ff44: no symbol in app.exe at offset 0x2345" in lines
    assert not any(line.startswith("frame 3") for line in lines)


def test_recursion_shows_without_the_code(tmp_path: Path) -> None:
    dump = Dump(processor=builder.X86)
    words: list[int] = []
    for index in range(40):
        words += [0x12F000 + 16 * (index + 1), 0x401234, 1, 2]
    dump.module(0x400000, 0x4000, "C:\\app.exe")
    context = builder.x86(eip=0x401100, esp=0x12F000, ebp=0x12F000)
    dump.thread(5, context, (0x12F000, b"".join(struct.pack("<I", word) for word in words)))
    dump.exception(5, 0xC00000FD, 0x401100, (1, 0x12EFF0), context=context)
    text = opened(tmp_path, dump.build()).answer("@stack")
    assert "return address 0x401234 stands 40 times on the stack, every 0x10 bytes" in text
    assert "stack overflow: the system raised EXCEPTION_STACK_OVERFLOW" in text


def test_a_call_to_nowhere_has_left_its_return_address(tmp_path: Path) -> None:
    dump = Dump()
    context = builder.amd64(rip=0, rsp=0x10FF00)
    dump.module(0x400000, 0x4000, "C:\\app.exe")
    dump.thread(5, context, (0x10FF00, struct.pack("<Q", 0x401234) + bytes(64)))
    dump.exception(5, 0xC0000005, 0, (8, 0), context=context)
    lines = opened(tmp_path, dump.build()).answer("@fault").splitlines()
    assert "access execute at 0x0: near null, unmapped" in lines
    assert any(line.startswith("transfer call: ") for line in lines)


@pytest.mark.parametrize(("code", "told"), [("90909090 9090ffd0", 1), ("90ffd090 90909090", 0)])
def test_a_return_address_stands_right_behind_a_call(tmp_path: Path, code: str, told: int) -> None:
    dump = Dump()
    context = builder.amd64(rip=0x401100, rsp=0x10FF00)
    dump.module(0x400000, 0x4000, "C:\\app.exe")
    dump.memory(0x40122C, bytes.fromhex(code))
    dump.thread(5, context, (0x10FF00, struct.pack("<Q", 0x401234) + bytes(64)))
    dump.exception(5, 0xC0000005, 0x401100, (0, 0), context=context)
    text = opened(tmp_path, dump.build()).answer("@stack")
    assert text.count("0x401234 at 0x10ff00") == told


def test_windows_says_nothing_of_an_address_that_is_none(tmp_path: Path) -> None:
    dump = access_violation()
    dump.streams = [item for item in dump.streams if item[0] != 6]
    context = builder.amd64(rip=0x7FF600001010, rsp=0x10FF80, rax=0x4141414141414141)
    dump.exception(100, 0xC0000005, 0x7FF600001010, (0, (1 << 64) - 1), context=context)
    lines = opened(tmp_path, dump.build()).answer("@fault").splitlines()
    assert "access read at 0x4141414141414151 through [rax + 0x10]" in lines
    assert "operand [rax + 0x10] = 0x4141414141414151: read of 8 bytes, non-canonical" in lines


@pytest.mark.parametrize("probe", ["", "@heap", "@locks", "@health x", "@notes 1", "@nothing"])
def test_what_a_minidump_cannot_answer(tmp_path: Path, probe: str) -> None:
    reader = opened(tmp_path, access_violation().build())
    with pytest.raises(ProbeError):
        reader.answer(probe)


@pytest.mark.parametrize("raw", [b"MDMP", b"MDMP" + bytes(28), b"PMDM" + bytes(40)])
def test_a_dump_that_holds_nothing(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "crash\x1b[31m.dmp"
    path.write_bytes(raw)
    with pytest.raises(TargetError) as caught:
        identify(path)
    assert "minidump that holds nothing" in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_32_bit_address_is_given_in_32_bits_and_as_recorded(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX, processor=builder.X86)
    context = builder.x86(eip=0x8048000, esp=0xBFFF0000)
    dump.thread(5, context)
    dump.exception(5, 11, 0xFFFFFFFFF7FF0045, flags=1, context=context)
    lines = opened(tmp_path, dump.build()).answer("@notes").splitlines()
    assert "si_addr: 0xf7ff0045" in lines
    assert "exception address: 0xf7ff0045" in lines
    assert "exception address as recorded: 0xfffffffff7ff0045" in lines


def test_a_module_may_reach_the_end_of_memory(tmp_path: Path) -> None:
    dump = Dump()
    dump.module(0xFFFFFFFFFFFF0000, 0x20000, "C:\\last.dll")
    text = opened(tmp_path, dump.build()).answer("@modules")
    assert "0xffffffffffff0000-0xffffffffffffffff missing unknown - C:\\last.dll" in text


def test_a_32_bit_program_under_the_64_bit_layer(tmp_path: Path) -> None:
    dump = Dump()
    dump.module(0x77000000, 0x1000, "C:\\Windows\\System32\\wow64.dll")
    dump.thread(5, builder.amd64(rip=0x77001000, rsp=0x8FE00))
    dump.memory(0x7FFD0000 + 0x1488, struct.pack("<Q", 0x50000))
    inner = builder.x86(eip=0x401000, esp=0x12FF00)
    dump.memory(0x50000, struct.pack("<HH", 0, 0x14C) + inner)
    reader = opened(tmp_path, dump.build())
    text = reader.answer("@notes")
    assert "32-bit registers of thread 5: gs 0x0" in text
    assert "eip 0x401000" in text
    assert "a 64-bit tool wrote this dump of a 32-bit process" in reader.answer("@health")


def test_a_64_bit_dump_of_32_bit_contexts_is_read_as_one_of_32_bits(tmp_path: Path) -> None:
    dump = Dump()
    context = builder.x86(eip=0x401000, esp=0x12FF00, eax=0x10)
    dump.thread(5, context, (0x12F000, bytes(4096)))
    dump.memory(0x401000, bytes.fromhex("8b00").ljust(16, b"\x90"))
    dump.exception(5, 0xC0000005, 0x401000, (0, 0x10), context=context)
    lines = opened(tmp_path, dump.build()).answer("@fault").splitlines()
    assert "instruction mov eax, dword ptr [eax]" in lines


def test_the_map_of_a_linux_writer_that_gives_no_types(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX)
    dump.module(0x400000, 0x2000, "/srv/app")
    dump.thread(5, builder.amd64(rip=0x400010, rsp=0x20800), (0x20000, bytes(4096)))
    rows = [(0x20000, 0x1000, 0x1000, 0x04, 0), (0x400000, 0x2000, 0x1000, 0x20, 0)]
    dump.stream(16, builder.memory_info(rows))
    lines = opened(tmp_path, dump.build()).answer("@mappings").splitlines()
    assert lines[1:] == [
        "0x20000-0x21000 rw- 4096 stack dumped thread 5",
        "0x400000-0x402000 r-x 8192 file absent offset 0x0 /srv/app",
    ]


def test_the_exceptions_thread_need_not_be_listed(tmp_path: Path) -> None:
    dump = Dump()
    dump.thread(5, builder.amd64(rip=0x401000, rsp=0x2000))
    dump.memory(0x402000, bytes.fromhex("488b00").ljust(16, b"\x90"))
    context = builder.amd64(rip=0x402000, rsp=0x3000, rax=0)
    dump.exception(9, 0xC0000005, 0x402000, (0, 0), context=context)
    lines = opened(tmp_path, dump.build()).answer("@fault").splitlines()
    assert lines[0] == "thread 9"
    assert "access read at 0x0 through [rax]" in lines
