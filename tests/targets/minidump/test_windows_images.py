"""Full dumps of Windows: names and callers out of the images that stand in their memory."""

import struct
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.targets.minidump import builder
from tests.targets.minidump.builder import Dump
from tests.targets.minidump.test_reading import opened
from workbench.agents.experts import verdict
from workbench.model.category import Category
from workbench.model.facts import CxxException, FactBook, Stack, Wait
from workbench.model.hypothesis import Status
from workbench.targets.minidump.pe import PeImage, Read

APP, NTDLL = 0x7FF600000000, 0x7FFE00000000
STACK = 0x10F000

# push rbx; sub rsp, 0x20: offsets in the prologue, UWOP_ALLOC_SMALL and UWOP_PUSH_NONVOL.
PUSH_AND_ALLOC = bytes([0x01, 5, 2, 0, 5, 0x32, 1, 0x30])
# sub rsp, 0x1000 as UWOP_ALLOC_LARGE with one more slot.
LARGE = bytes([0x01, 7, 2, 0, 7, 0x01]) + struct.pack("<H", 0x1000 // 8)
# push rbp; sub rsp, 0x40; lea rbp, [rsp + 0x20]: the frame register is rbp, 2 * 16 above rsp.
WITH_FRAME = bytes([0x01, 10, 3, 0x25, 10, 0x03, 5, 0x72, 1, 0x50, 0, 0])


def image(functions: list[tuple[int, int, bytes]], exports: dict[int, str]) -> bytes:
    """A 64-bit image of 0x4000 bytes: unwinding records at 0x2000, exports at 0x3000."""
    raw = bytearray(0x4000)
    raw[0:2] = b"MZ"
    struct.pack_into("<I", raw, 0x3C, 0x80)
    raw[0x80:0x84] = b"PE\0\0"
    struct.pack_into("<H", raw, 0x84, 0x8664)
    struct.pack_into("<H", raw, 0x80 + 24, 0x20B)
    directories = 0x80 + 24 + 112
    struct.pack_into("<I", raw, directories - 4, 16)
    table, record = 0x2000, 0x2800
    for index, (begin, end, unwind) in enumerate(functions):
        struct.pack_into("<III", raw, table + 12 * index, begin, end, record)
        raw[record : record + len(unwind)] = unwind
        record += 64
    struct.pack_into("<II", raw, directories + 24, table, 12 * len(functions))
    count, text = len(exports), 0x3400
    struct.pack_into("<5I", raw, 0x3000 + 20, count, count, 0x3100, 0x3200, 0x3300)
    for index, (offset, name) in enumerate(exports.items()):
        struct.pack_into("<I", raw, 0x3100 + 4 * index, offset)
        struct.pack_into("<I", raw, 0x3200 + 4 * index, text)
        struct.pack_into("<H", raw, 0x3300 + 2 * index, index)
        raw[text : text + len(name) + 1] = name.encode() + b"\0"
        text += len(name) + 1
    struct.pack_into("<II", raw, directories, 0x3000, text - 0x3000)
    return bytes(raw)


def reader(raw: bytes) -> Read:
    def read(address: int, size: int) -> bytes | None:
        return raw[address : address + size] if address + size <= len(raw) else None

    return read


def full_dump() -> Dump:
    """A program that waits: ntdll <- a function with a large frame <- one with a frame register <-
    one that pushes."""
    dump = Dump()
    ntdll = image(
        [(0x1F00, 0x1F80, PUSH_AND_ALLOC)], {0x1000: "NtWaitForSingleObject", 0x1100: "RtlOther"}
    )
    app = image(
        [(0x1000, 0x1100, LARGE), (0x1100, 0x1200, WITH_FRAME), (0x1200, 0x1300, PUSH_AND_ALLOC)],
        {0x1200: "run_server"},
    )
    words = bytearray(0x3000)
    sp = 0x100
    struct.pack_into("<Q", words, sp, APP + 0x1050)  # NtWaitForSingleObject is a leaf
    sp += 8 + 0x1000
    struct.pack_into("<Q", words, sp, APP + 0x1150)
    sp += 8
    frame = STACK + sp + 0x20
    sp += 0x40
    struct.pack_into("<Q", words, sp, 0xB0B0)  # the caller's rbp
    struct.pack_into("<Q", words, sp + 8, APP + 0x1300)  # a call at the very end of its function
    sp += 16 + 0x20
    struct.pack_into("<Q", words, sp, 0xBB)  # rbx
    struct.pack_into("<Q", words, sp + 8, 0)
    context = builder.amd64(rip=NTDLL + 0x1014, rsp=STACK + 0x100, rbp=frame)
    dump.thread(100, context, name="server")
    dump.module(APP, 0x4000, "C:\\srv\\app.exe")
    dump.module(NTDLL, 0x4000, "C:\\Windows\\System32\\ntdll.dll")
    dump.full = [(STACK, bytes(words)), (APP, app), (NTDLL, ntdll)]
    return dump


def test_callers_by_unwinding_tables(tmp_path: Path) -> None:
    lines = opened(tmp_path, full_dump().build()).answer("@threads").splitlines()
    assert lines[:2] == ["threads: 1", "thread 100 name server"]
    frames = [line.split(": ", 2) for line in lines[2:]]
    assert [frame[1].split(" at ")[0] for frame in frames] == [
        f"{NTDLL + 0x1014:#x}", f"{APP + 0x1050:#x}", f"{APP + 0x1150:#x}", f"{APP + 0x1300:#x}",
    ]  # fmt: skip
    assert [frame[2] for frame in frames] == [
        "NtWaitForSingleObject in ntdll.dll at offset 0x1014",
        "no symbol in app.exe at offset 0x1050",
        "no symbol in app.exe at offset 0x1150",
        "run_server in app.exe at offset 0x1300",
    ]


def test_what_a_thread_waits_for(tmp_path: Path) -> None:
    text = opened(tmp_path, full_dump().build()).answer("@threads")
    facts = analyze(Document("E1", "@threads", "dump", text)).facts
    (stack,) = [fact for fact in facts if isinstance(fact, Stack)]
    assert (stack.thread, stack.name, len(stack.frames)) == (100, "server", 4)
    (wait,) = [fact for fact in facts if isinstance(fact, Wait)]
    assert (wait.syscall, wait.detail) == ("NtWaitForSingleObject", "an object")
    assert text.split("\n")[wait.cite.first - 1].startswith("frame 0: ")


def test_an_export_does_not_reach_into_the_next_function() -> None:
    raw = image([(0x1000, 0x1010, b""), (0x1010, 0x1100, b"")], {0x1000: "first"})
    found = PeImage(reader(raw), 0)
    assert found.name(0x1008) == ("first", 8)
    assert found.name(0x1020) is None
    assert found.name(0x800) is None


def test_headers_that_are_none() -> None:
    for raw in (b"", bytes(4096), b"MZ" + bytes(4096), b"MZ" + b"\xff" * 8192):
        found = PeImage(reader(raw), 0)
        assert found.exports == []
        assert found.functions == []
        assert found.name(0x1000) is None


def throwing(bits: int) -> Dump:
    """A program that threw a std::runtime_error; its records as the compiler lays them."""
    wide = bits == 64
    dump = Dump() if wide else Dump(processor=builder.X86)
    base = 0x140000000 if wide else 0
    at = 0x140001000 if wide else 0x401000
    word = "<Q" if wide else "<I"
    names = (b".?AVruntime_error@std@@", b".?AVexception@std@@")
    raw = bytearray(0x400)
    struct.pack_into("<4I", raw, 0, 0, 0, 0, at + 0x20 - base)
    struct.pack_into("<3I", raw, 0x20, 2, at + 0x40 - base, at + 0x60 - base)
    for index, name in enumerate(names):
        descriptor = 0x100 + 0x80 * index
        struct.pack_into("<2I", raw, 0x40 + 0x20 * index, 0, at + descriptor - base)
        raw[descriptor + bits // 4 : descriptor + bits // 4 + len(name)] = name
    struct.pack_into(word, raw, 0x200 + bits // 8, at + 0x300)
    raw[0x300:0x30F] = b"disk is full\x1b[0"
    dump.memory(at, bytes(raw))
    context = builder.amd64(rip=at, rsp=0x1000) if wide else builder.x86(eip=at, esp=0x1000)
    dump.thread(5, context)
    parameters = (0x19930520, at + 0x200, at, *((base,) if wide else ()))
    dump.exception(5, 0xE06D7363, at, parameters, context=context)
    return dump


@pytest.mark.parametrize("bits", [32, 64])
def test_the_type_and_message_of_a_cpp_exception(tmp_path: Path, bits: int) -> None:
    text = opened(tmp_path, throwing(bits).build()).answer("@notes")
    assert "uncaught exception: std::runtime_error\n" in text
    assert "uncaught exception message: disk is full\\x1b[0\n" in text
    assert "uncaught exception derives from: std::exception\n" in text
    facts = analyze(Document("E1", "@notes", "dump", text)).facts
    (found,) = [fact for fact in facts if isinstance(fact, CxxException)]
    assert (found.type, found.message) == ("std::runtime_error", "disk is full\\x1b[0")
    assert found.bases == ("std::exception",)
    book = FactBook(facts)
    assert verdict(Category.UNCAUGHT_EXCEPTION, book).status is Status.CONFIRMED
