"""Cores put together by hand: other architectures, sizes and lies that no real program makes."""

import struct
from dataclasses import dataclass, field

PAGE = 4096


@dataclass
class Load:
    """A PT_LOAD; ``memory`` may be shorter than ``size``."""

    start: int
    size: int
    flags: int
    memory: bytes = b""


@dataclass
class FakeCore:
    """A core of ``machine``; ``build`` gives its bytes in the kernel's layout."""

    machine: int = 62
    bits: int = 64
    order: str = "<"
    loads: list[Load] = field(default_factory=list)
    notes: list[tuple[bytes, int, bytes]] = field(default_factory=list)
    extended: bool = False  # PN_XNUM

    def note(self, kind: int, body: bytes, owner: bytes = b"CORE") -> "FakeCore":
        self.notes.append((owner, kind, body))
        return self

    def thread(self, tid: int, registers: list[int], signal: int = 11) -> "FakeCore":
        word = "Q" if self.bits == 64 else "I"
        head = struct.pack(self.order + "iiihh", signal, 0, 0, signal, 0)
        if self.bits == 64:
            head += bytes(16) + struct.pack(self.order + "i", tid) + bytes(76)
        else:
            head += bytes(8) + struct.pack(self.order + "i", tid) + bytes(44)
        body = head + struct.pack(self.order + word * len(registers), *registers)
        return self.note(1, body + bytes(self.bits // 8))

    def process(self, pid: int, name: bytes, arguments: bytes) -> "FakeCore":
        if self.bits == 64:
            head = struct.pack(self.order + "BBBBIQIIiiii", 0, 82, 0, 0, 0, 0, 7, 7, pid, 1, 1, 1)
        else:
            head = struct.pack(self.order + "BBBBIHHiiii", 0, 82, 0, 0, 0, 7, 7, pid, 1, 1, 1)
        return self.note(3, head + name.ljust(16, b"\0")[:16] + arguments.ljust(80, b"\0")[:80])

    def files(self, rows: list[tuple[int, int, int, bytes]]) -> "FakeCore":
        word = "Q" if self.bits == 64 else "I"
        body = struct.pack(self.order + word * 2, len(rows), PAGE)
        for start, end, page, _ in rows:
            body += struct.pack(self.order + word * 3, start, end, page)
        return self.note(0x46494C45, body + b"".join(path + b"\0" for *_, path in rows))

    def auxv(self, values: dict[int, int]) -> "FakeCore":
        word = "Q" if self.bits == 64 else "I"
        rows = [struct.pack(self.order + word * 2, *row) for row in [*values.items(), (0, 0)]]
        return self.note(6, b"".join(rows))

    def build(self) -> bytes:
        wide = self.bits == 64
        head_size, ph_size = (64, 56) if wide else (52, 32)
        count = len(self.loads) + 1
        body = b"".join(self._note(*note) for note in self.notes)
        notes_at = head_size + ph_size * count
        at = -(-(notes_at + len(body)) // PAGE) * PAGE
        table = [self._segment(4, 0, notes_at, 0, len(body), 0)]
        memory = []
        for load in self.loads:
            held = load.memory[: load.size]
            table.append(self._segment(1, load.flags, at, load.start, len(held), load.size))
            memory.append(held)
            at += len(held)
        sections_at = at if self.extended else 0
        start = self._header(head_size, ph_size, count, sections_at) + b"".join(table) + body
        start = start.ljust(-(-len(start) // PAGE) * PAGE, b"\0")
        last = b""
        if self.extended:
            last = struct.pack(self.order + "IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, count, 0, 0)
        return start + b"".join(memory) + last

    def _header(self, head_size: int, ph_size: int, count: int, sections_at: int) -> bytes:
        wide = self.bits == 64
        ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if self.order == "<" else 2, 1]) + bytes(9)
        return ident + struct.pack(
            self.order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"),
            4,
            self.machine,
            1,
            0,
            head_size,
            sections_at,
            0,
            head_size,
            ph_size,
            0xFFFF if self.extended else count,
            64 if self.extended else 0,
            1 if self.extended else 0,
            0,
        )

    def _segment(
        self, kind: int, flags: int, offset: int, vaddr: int, filesz: int, memsz: int
    ) -> bytes:
        align = PAGE if kind == 1 else 4
        if self.bits == 64:
            row = (kind, flags, offset, vaddr, 0, filesz, memsz, align)
            return struct.pack(self.order + "IIQQQQQQ", *row)
        row = (kind, offset, vaddr, 0, filesz, memsz, flags, align)
        return struct.pack(self.order + "IIIIIIII", *row)

    def _note(self, owner: bytes, kind: int, body: bytes) -> bytes:
        name = owner + b"\0"
        head = struct.pack(self.order + "III", len(name), len(body), kind)
        return (
            head
            + name.ljust(-(-len(name) // 4) * 4, b"\0")
            + body.ljust(-(-len(body) // 4) * 4, b"\0")
        )
