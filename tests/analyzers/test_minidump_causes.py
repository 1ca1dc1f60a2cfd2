"""From the bytes of a minidump to a cause, with nothing but our own reader and the experts."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.claims.holding import unproved
from tests.targets.minidump import builder
from tests.targets.minidump.builder import Dump
from workbench.agents import experts
from workbench.model.category import Category
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import CxxException, ExceptionRecord, FactBook, Process, Stack, Threads
from workbench.model.hypothesis import Status, Verdict
from workbench.targets.minidump import open_minidump

_PROBES = ("@health", "@notes", "@mappings", "@modules", "@fault", "@stack")
APP = 0x7FF600000000
CODE = APP + 0x1000
STACK = 0x10F000


@dataclass
class Read:
    """What the reader said of one dump, and the facts in it."""

    texts: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    facts: FactBook = field(default_factory=FactBook)

    def verdicts(self) -> dict[Category, Verdict]:
        """The verdicts on the four causes that are proposed as the likeliest."""
        found, failed = experts.proposals(self.facts, set())
        assert not failed
        return {p.category: experts.verdict(p.category, self.facts) for p in found[:4]}

    def confirmed(self) -> list[Category]:
        """What stands, the surest first; every claim has to hold."""
        verdicts = self.verdicts()
        for verdict in verdicts.values():
            assert unproved(verdict.claims, self.facts, self.texts) == []
        held = [(v.confidence, c) for c, v in verdicts.items() if v.status is Status.CONFIRMED]
        return [category for _, category in sorted(held, key=lambda pair: -pair[0])]


def read(tmp_path: Path, dump: Dump) -> Read:
    path = tmp_path / "crash.dmp"
    path.write_bytes(dump.build())
    reader = open_minidump(path)
    found = Read()
    for number, probe in enumerate(_PROBES, 1):
        name = f"E{number}"
        text = reader.answer(probe)
        found.texts[name] = text
        found.evidence[name] = Evidence(
            id=name, command=probe, source=Source.FILE, intent="", at="", sha256="",
            size=len(text), lines=text.count("\n"), call_hash="",
        )  # fmt: skip
        found.facts.add(analyze(Document(name, probe, "dump", text)).facts)
    reader.close()
    return found


def program(code: str, platform: int = builder.WINDOWS, **registers: int) -> tuple[Dump, bytes]:
    """A 64-bit program that stands at the instruction ``code`` (hexadecimal), and its context."""
    dump = Dump(platform=platform)
    path = "C:\\srv\\app.exe" if platform == builder.WINDOWS else "/srv/app"
    context = builder.amd64(**({"rip": CODE, "rsp": STACK + 0x800} | registers))
    words = bytearray(0x1000)
    struct.pack_into("<Q", words, 0x800, APP + 0x1234)
    dump.thread(100, context, (STACK, bytes(words)))
    dump.module(APP, 0x4000, path)
    dump.module(0x7FFE00000000, 0x10000, "C:\\Windows\\System32\\ntdll.dll")
    dump.memory(CODE, bytes.fromhex(code).ljust(64, b"\x90"))
    return dump, context


CRASHES = {
    "null read": (
        "488b4010", 0xC0000005, (0, 0x10), {"rax": 0}, Category.NULL_POINTER_DEREFERENCE),
    "null write": (
        "c70001000000", 0xC0000005, (1, 0), {"rax": 0}, Category.NULL_POINTER_DEREFERENCE),
    "near null of 64 KiB": (
        "488b00", 0xC0000005, (0, 0xFFF0), {"rax": 0xFFF0}, Category.NULL_POINTER_DEREFERENCE),
    "text as a pointer": (
        "488b00", 0xC0000005, (0, (1 << 64) - 1), {"rax": 0x4847464544434241},
        Category.CORRUPTED_POINTER),
    "a wild pointer": (
        "488b00", 0xC0000005, (0, 0x12345678), {"rax": 0x12345678}, Category.WILD_POINTER),
    "a refused pointer": (
        "488b00", 0xC0000005, (0, (1 << 64) - 1), {"rax": 0x1234567812345678},
        Category.WILD_POINTER),
    "a null call": (
        "90", 0xC0000005, (8, 0), {"rip": 0}, Category.NULL_FUNCTION_POINTER_CALL),
    "a division by zero": ("f7f9", 0xC0000094, (), {"rcx": 0, "rax": 7}, Category.DIVIDE_BY_ZERO),
    "a division that cannot be read": ("", 0xC0000094, (), {}, Category.DIVIDE_BY_ZERO),
    "a quotient that does not fit": (
        "f7f9", 0xC0000095, (), {"rcx": 0xFFFFFFFF, "rax": 0x80000000, "rdx": 0xFFFFFFFF},
        Category.INTEGER_OVERFLOW),
    "an illegal instruction": ("0f0b", 0xC000001D, (), {}, Category.ILLEGAL_INSTRUCTION),
    "a privileged instruction": ("f4", 0xC0000096, (), {}, Category.ILLEGAL_INSTRUCTION),
    "a stack that ran out": (
        "57", 0xC00000FD, (1, STACK - 8), {"rsp": STACK}, Category.STACK_OVERFLOW),
    "a breakpoint": ("cc", 0x80000003, (0,), {}, Category.TRAP),
    "a broken heap": ("90", 0xC0000374, (), {}, Category.HEAP_CORRUPTION),
    "a stack cookie": ("cd29", 0xC0000409, (2,), {"rcx": 2}, Category.STACK_BUFFER_OVERFLOW),
    "a C++ exception": (
        "90", 0xE06D7363, (0x19930520, 0, 0, 0), {}, Category.UNCAUGHT_EXCEPTION),
    "a .NET exception": ("90", 0xE0434352, (0x80131500,), {}, Category.UNCAUGHT_EXCEPTION),
}  # fmt: skip


OPEN = {"near null of 64 KiB", "text as a pointer", "a wild pointer", "a refused pointer"}
"""Where nothing tells how the address came about."""


@pytest.mark.parametrize("name", CRASHES)
def test_exceptions_of_windows(tmp_path: Path, name: str) -> None:
    code, number, parameters, registers, category = CRASHES[name]
    dump, context = program(code, **registers)
    if not code:
        dump.held = [item for item in dump.held if item[0] != CODE]
    dump.exception(100, number, registers.get("rip", CODE), parameters, context=context)
    found = read(tmp_path, dump)
    assert found.confirmed()[:1] == ([] if name in OPEN else [category])
    assert found.verdicts()[category].status is not Status.REJECTED
    words = " ".join(claim.text for v in found.verdicts().values() for claim in v.claims)
    assert "signal" not in words.lower()
    assert "SIG" not in words


MACH = {
    "null": ("c7404501000000", 1, 1, 0x45, {"rax": 0}, Category.NULL_POINTER_DEREFERENCE),
    "a refused pointer": (
        "488b00", 1, 13, CODE, {"rax": 0x4847464544434241}, Category.CORRUPTED_POINTER),
    "an illegal instruction": ("0f0b", 2, 1, CODE, {}, Category.ILLEGAL_INSTRUCTION),
    "a division by zero": ("f7f9", 3, 1, CODE, {"rcx": 0, "rax": 7}, Category.DIVIDE_BY_ZERO),
    "a breakpoint": ("cc", 6, 2, CODE, {}, Category.TRAP),
}  # fmt: skip


@pytest.mark.parametrize("name", MACH)
def test_exceptions_of_macos(tmp_path: Path, name: str) -> None:
    code, number, flags, address, registers, category = MACH[name]
    dump, context = program(code, builder.MACOS, **registers)
    dump.exception(100, number, address, flags=flags, context=context)
    found = read(tmp_path, dump)
    assert found.confirmed()[:1] == ([] if name in OPEN else [category])
    assert found.verdicts()[category].status is not Status.REJECTED
    assert not any("SIG" in c.text for v in found.verdicts().values() for c in v.claims)


def test_a_write_to_a_read_only_page(tmp_path: Path) -> None:
    dump, context = program("c70001000000", rax=APP + 0x3000)
    rows = [
        (STACK, 0x1000, 0x1000, 0x04, 0x20000),
        (APP, 0x3000, 0x1000, 0x20, 0x1000000),
        (APP + 0x3000, 0x1000, 0x1000, 0x02, 0x1000000),
    ]
    dump.stream(16, builder.memory_info(rows))
    dump.exception(100, 0xC0000005, CODE, (1, APP + 0x3000), context=context)
    assert read(tmp_path, dump).confirmed()[:1] == [Category.WRITE_TO_READ_ONLY_MEMORY]


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (0xC000009C, Category.BUS_ERROR),  # STATUS_DEVICE_DATA_ERROR
        (0xC0000011, Category.TRUNCATED_MAPPING),  # STATUS_END_OF_FILE
    ],
)
def test_a_page_of_a_file_that_could_not_be_read(
    tmp_path: Path, status: int, cause: Category
) -> None:
    dump, context = program("488b00", rax=APP + 0x3000)
    dump.exception(100, 0xC0000006, CODE, (0, APP + 0x3000, status), context=context)
    assert read(tmp_path, dump).confirmed()[:1] == [cause]


def test_a_signal_of_linux(tmp_path: Path) -> None:
    dump, context = program("488b4010", builder.LINUX, rax=0)
    dump.exception(100, 11, 0x10, flags=1, context=context)
    found = read(tmp_path, dump)
    assert found.confirmed()[:1] == [Category.NULL_POINTER_DEREFERENCE]


def test_a_division_whose_signal_has_no_code(tmp_path: Path) -> None:
    dump, context = program("f7f9", builder.LINUX, rcx=0, rax=7)
    dump.exception(100, 8, CODE, context=context)
    assert read(tmp_path, dump).confirmed()[:1] == [Category.DIVIDE_BY_ZERO]


def test_a_null_read_on_arm64(tmp_path: Path) -> None:
    dump = Dump(platform=builder.LINUX, processor=builder.ARM64_OLD)
    context = builder.arm64_old(pc=0x401000, sp=0x7FF00, x0=0)
    dump.thread(5, context, (0x7FF00, bytes(64)))
    dump.module(0x400000, 0x4000, "/srv/app")
    dump.memory(0x401000, bytes.fromhex("080840f9").ljust(32, b"\0"))  # ldr x8, [x0, #16]
    dump.exception(5, 11, 0x10, flags=1, context=context)
    assert read(tmp_path, dump).confirmed()[:1] == [Category.NULL_POINTER_DEREFERENCE]


def test_an_objective_c_exception_has_its_name_and_reason(tmp_path: Path) -> None:
    dump, context = program("90", builder.MACOS)
    dump.exception(100, 0x43506E78, CODE, context=context)
    reason = dump.utf8("index 42 beyond bounds")
    pairs = dump.put(
        struct.pack("<IIIII", 2, dump.utf8("exceptionName"), dump.utf8("NSRangeException"),
                    dump.utf8("exceptionReason"), reason)
    )  # fmt: skip
    dump.stream(
        0x43500001, struct.pack("<I", 1) + bytes(32) + struct.pack("<IIII", 20, pairs, 0, 0)
    )
    found = read(tmp_path, dump)
    thrown = found.facts.first(CxxException)
    assert thrown is not None
    assert (thrown.type, thrown.message) == ("NSRangeException", "index 42 beyond bounds")
    assert found.confirmed()[:1] == [Category.UNCAUGHT_EXCEPTION]


@pytest.mark.parametrize("asked", [True, False])
def test_a_snapshot_has_no_crash(tmp_path: Path, asked: bool) -> None:
    dump, context = program("488b00", builder.LINUX, rax=0)
    if asked:
        dump.exception(100, 0xFFFFFFFF, CODE, context=context)
    found = read(tmp_path, dump)
    process = found.facts.first(Process)
    assert process is not None
    assert process.snapshot
    assert found.confirmed() == []


def test_the_facts_cite_the_lines_that_say_them(tmp_path: Path) -> None:
    dump, context = program("488b4010", rax=0)
    dump.names.append((100, "main loop"))
    dump.exception(100, 0xC0000005, CODE, (0, 0x10), context=context)
    found = read(tmp_path, dump)
    record = found.facts.first(ExceptionRecord)
    assert record is not None
    assert (record.platform, record.code, record.thread) == ("windows", 0xC0000005, 100)
    assert (record.address, record.access, record.fault_address) == (CODE, "read", 0x10)
    assert record.parameters == (0, 0x10)
    lines = found.texts["E2"].split("\n")[record.cite.first - 1 : record.cite.last]
    assert lines[0].startswith("exception: 0xc0000005")
    assert lines[-1] == "exception parameters: 0x0 0x10"
    threads = found.facts.first(Threads)
    assert threads is not None
    assert [(item.thread, item.name, item.current) for item in threads.items] == [
        (100, "main loop", True)
    ]
    stack = found.facts.first(Stack)
    assert stack is not None
    assert stack.frames[0].module == "app.exe"
    assert stack.frames[0].offset == 0x1000


@pytest.mark.parametrize(
    ("line", "category", "words"),
    [
        ("assertion: invalid parameter unknown in wcscpy_s at strcpy.inl:13",
         Category.ASSERTION_FAILURE, "wcscpy_s"),
        ("assertion: pure virtual call unknown in unknown at unknown:0",
         Category.PURE_VIRTUAL_CALL, "pure virtual call"),
        ("annotation of libsystem_c.dylib: Assertion failed: (n > 0), function till_open, "
         "file till.c, line 9.", Category.ASSERTION_FAILURE, "n > 0"),
        ("annotation of app.exe: note = *** stack smashing detected ***: terminated",
         Category.STACK_BUFFER_OVERFLOW, "stack smashing"),
        ("annotation: ver = 1.2", None, ""),
        ("annotation: switch = --assert-nothing", None, ""),
    ],
)  # fmt: skip
def test_what_a_writer_was_told(line: str, category: Category | None, words: str) -> None:
    text = f"core: windows x86_64, 64-bit, little-endian\nprocess: 7\n{line}\n"
    found = Read({"E1": text})
    found.evidence["E1"] = Evidence(
        id="E1", command="@notes", source=Source.FILE, intent="", at="", sha256="",
        size=len(text), lines=3, call_hash="",
    )  # fmt: skip
    found.facts.add(analyze(Document("E1", "@notes", "dump", text)).facts)
    assert found.confirmed()[:1] == ([] if category is None else [category])
    if category is not None:
        assert words in found.verdicts()[category].claims[1].text


CONSTANT = "90" * 24 + "48b8{}90" + "{}"


@pytest.mark.parametrize(
    ("value", "instruction", "access"),
    [
        ("4141414141414141", "488b00", "read"),
        ("7878787878787878", "48c70001000000", "write"),
        ("1515151515151515", "488908", "write"),
    ],
)
def test_a_pointer_that_the_code_sets_was_not_overwritten(
    tmp_path: Path, value: str, instruction: str, access: str
) -> None:
    number = int.from_bytes(bytes.fromhex(value), "little")
    dump, context = program(CONSTANT.format(value, instruction), rip=CODE + 35, rax=number)
    dump.exception(100, 0xC0000005, CODE + 35, (0, (1 << 64) - 1), context=context)
    found = read(tmp_path, dump)
    assert Category.CORRUPTED_POINTER not in found.confirmed()
    assert f"access {access} at {number:#x}" in "\n".join(found.texts.values())
