"""Writes minidumps from nothing, so that tests need no dump of anybody's."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

WINDOWS, MACOS, LINUX = 2, 0x8101, 0x8201
X86, AMD64, ARM, ARM64, ARM64_OLD, MIPS = 0, 9, 5, 12, 0x8003, 1


@dataclass
class Dump:
    """A minidump under construction; `build` gives its bytes. Streams stand in front, the
    directory behind them."""

    platform: int = WINDOWS
    processor: int = AMD64
    order: str = "<"
    service_pack: str | None = None
    body: bytearray = field(default_factory=lambda: bytearray(32))
    streams: list[tuple[int, int, int]] = field(default_factory=list)
    threads: list[bytes] = field(default_factory=list)
    names: list[tuple[int, str]] = field(default_factory=list)
    modules: list[bytes] = field(default_factory=list)
    held: list[tuple[int, int, int]] = field(default_factory=list)
    full: list[tuple[int, bytes]] = field(default_factory=list)

    def pack(self, layout: str, *values: int) -> bytes:
        return struct.pack(self.order + layout, *values)

    def put(self, raw: bytes) -> int:
        """Place bytes; where they stand."""
        while len(self.body) % 8:
            self.body.append(0)
        at = len(self.body)
        self.body += raw
        return at

    def text(self, text: str) -> int:
        """A MINIDUMP_STRING."""
        raw = text.encode("utf-16-le" if self.order == "<" else "utf-16-be")
        return self.put(self.pack("I", len(raw)) + raw + b"\0\0")

    def utf8(self, text: str) -> int:
        raw = text.encode()
        return self.put(self.pack("I", len(raw)) + raw + b"\0")

    def stream(self, kind: int, raw: bytes) -> None:
        self.streams.append((kind, len(raw), self.put(raw)))

    def memory(self, address: int, raw: bytes) -> None:
        self.held.append((address, len(raw), self.put(raw)))

    def thread(
        self, tid: int, context: bytes, stack: tuple[int, bytes] = (0, b""), name: str | None = None
    ) -> None:
        where = self.put(stack[1]) if stack[1] else 0
        record = self.put(context) if context else 0
        self.threads.append(
            self.pack("IIIIQQIIII", tid, 0, 0, 0, 0x7FFD0000, stack[0], len(stack[1]), where,
                      len(context), record)
        )  # fmt: skip
        if stack[1]:
            self.held.append((stack[0], len(stack[1]), where))
        if name is not None:
            self.names.append((tid, name))

    def module(
        self,
        base: int,
        size: int,
        path: str,
        version: tuple[int, int] | None = None,
        record: bytes = b"",
    ) -> None:
        name = self.text(path)
        info = [0] * 13
        if version is not None:
            info[0:4] = [0xFEEF04BD, 0x10000, *version]
        where = self.put(record) if record else 0
        self.modules.append(
            self.pack("QIIII", base, size, 0, 0x5F000000, name)
            + self.pack("13I", *info)
            + self.pack("IIII", len(record), where, 0, 0)
            + bytes(16)
        )

    def exception(
        self,
        thread: int,
        code: int,
        address: int,
        parameters: tuple[int, ...] = (),
        flags: int = 0,
        context: bytes = b"",
    ) -> None:
        record = self.put(context) if context else 0
        words = [*parameters, *([0] * (15 - len(parameters)))]
        self.stream(
            6,
            self.pack("IIIIQQII", thread, 0, code, flags, 0, address, len(parameters), 0)
            + self.pack("15Q", *words)
            + self.pack("II", len(context), record),
        )

    def build(self) -> bytes:
        if self.platform >= 0:
            pack = self.text(self.service_pack) if self.service_pack is not None else 0
            self.stream(
                7,
                self.pack("HHHBBIIIII", self.processor, 6, 0, 4, 1, 10, 0, 19041, self.platform,
                          pack)
                + bytes(28),
            )  # fmt: skip
        if self.threads:
            self.stream(3, self.pack("I", len(self.threads)) + b"".join(self.threads))
        if self.names:
            rows = [self.pack("IQ", tid, self.text(name)) for tid, name in self.names]
            self.stream(24, self.pack("I", len(rows)) + b"".join(rows))
        if self.modules:
            self.stream(4, self.pack("I", len(self.modules)) + b"".join(self.modules))
        if self.held:
            rows = [self.pack("QII", *item) for item in self.held]
            self.stream(5, self.pack("I", len(rows)) + b"".join(rows))
        if self.full:
            rows = [self.pack("QQ", address, len(raw)) for address, raw in self.full]
            data = self.put(b"".join(raw for _, raw in self.full))
            self.stream(9, self.pack("QQ", len(rows), data) + b"".join(rows))
        rows = [self.pack("III", *item) for item in self.streams]
        directory = self.put(b"".join(rows))
        magic = b"MDMP" if self.order == "<" else b"PMDM"
        head = magic + self.pack("IIIIIQ", 0xA793, len(rows), directory, 0, 1_600_000_000, 0)
        self.body[0:32] = head
        return bytes(self.body)


def _context(size: int, order: str, fields: Mapping[int, tuple[str, int]]) -> bytes:
    raw = bytearray(size)
    for at, (kind, value) in fields.items():
        struct.pack_into(order + kind, raw, at, value)
    return bytes(raw)


_AMD64_NAMES = "rax rcx rdx rbx rsp rbp rsi rdi"
_X86_NAMES = "edi esi ebx edx ecx eax ebp eip"
_AMD64 = dict(zip(_AMD64_NAMES.split(), range(120, 184, 8), strict=True))
_AMD64 |= {f"r{number}": 184 + 8 * (number - 8) for number in range(8, 16)} | {"rip": 248}
_X86 = dict(zip(_X86_NAMES.split(), range(156, 188, 4), strict=True)) | {"esp": 196}


AMD64_REGISTERS = frozenset(_AMD64)


def amd64(**registers: int) -> bytes:
    """CONTEXT of winnt.h, 1232 bytes."""
    fields = {48: ("I", 0x10001F)} | {_AMD64[n]: ("Q", v) for n, v in registers.items()}
    return _context(1232, "<", fields)


def x86(**registers: int) -> bytes:
    """The 32-bit CONTEXT, 716 bytes."""
    fields = {0: ("I", 0x1003F)} | {_X86[n]: ("I", v) for n, v in registers.items()}
    return _context(716, "<", fields)


def arm64(order: str = "<", **registers: int) -> bytes:
    """ARM64_NT_CONTEXT: flags, cpsr, x0 to x30, sp, pc."""
    places = {f"x{n}": 8 + 8 * n for n in range(31)} | {"sp": 256, "pc": 264}
    fields = {0: ("I", 0x400007)} | {places[n]: ("Q", v) for n, v in registers.items()}
    return _context(912, order, fields)


def arm64_old(**registers: int) -> bytes:
    """Breakpad's first layout for arm64: 64 bits of flags."""
    places = {f"x{n}": 8 + 8 * n for n in range(31)} | {"sp": 256, "pc": 264}
    fields = {0: ("Q", 0x80000006)} | {places[n]: ("Q", v) for n, v in registers.items()}
    return _context(796, "<", fields)


def arm(**registers: int) -> bytes:
    """Breakpad's layout for 32-bit Arm: flags, r0 to r15, cpsr."""
    places = {f"r{n}": 4 + 4 * n for n in range(16)} | {"cpsr": 68}
    places |= {"sp": 56, "lr": 60, "pc": 64}
    fields = {0: ("I", 0x40000006)} | {places[n]: ("I", v) for n, v in registers.items()}
    return _context(368, "<", fields)


def mips(**registers: int) -> bytes:
    """Breakpad's layout for MIPS: 64-bit registers from offset 8, epc behind them."""
    places = {"sp": 8 + 8 * 29, "ra": 8 + 8 * 31, "pc": 312}
    fields = {0: ("I", 0x40000)} | {places[n]: ("Q", v) for n, v in registers.items()}
    return _context(600, "<", fields)


def pdb70(guid: bytes, age: int, name: str) -> bytes:
    """A CodeView record of a PDB."""
    return b"RSDS" + guid + struct.pack("<I", age) + name.encode() + b"\0"


def elf_id(build_id: bytes) -> bytes:
    """Breakpad's record of an ELF build id."""
    return struct.pack("<I", 0x4270454C) + build_id


def memory_info(rows: list[tuple[int, int, int, int, int]]) -> bytes:
    """MINIDUMP_MEMORY_INFO_LIST of (address, size, state, protection, type)."""
    body = b"".join(
        struct.pack("<QQIIQIIII", at, at, protection, 0, size, state, protection, kind, 0)
        for at, size, state, protection, kind in rows
    )
    return struct.pack("<IIQ", 16, 48, len(rows)) + body
