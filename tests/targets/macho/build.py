"""Mach-O cores built from the layouts of mach-o/loader.h, as XNU's kernel and lldb write them."""

import struct
from dataclasses import dataclass, field

PAGE = 0x1000
READ, WRITE, EXECUTE = 1, 2, 4
X86, ARM = 0x01000007, 0x0100000C
CORE, PROGRAM, DYLIB, DYLINKER = 4, 2, 6, 7


@dataclass
class Piece:
    """A segment of the core."""

    address: int
    data: bytes
    protection: int = READ | WRITE
    size: int | None = None


@dataclass
class FakeMachCore:
    """Collects what a core holds; ``build`` gives its bytes."""

    cpu: int = X86
    pieces: list[Piece] = field(default_factory=list)
    threads: list[bytes] = field(default_factory=list)
    notes: list[tuple[bytes, bytes]] = field(default_factory=list)
    filetype: int = CORE

    def build(self) -> bytes:
        commands = [_thread(body) for body in self.threads]
        room = 32 + sum(map(len, commands)) + 72 * len(self.pieces) + 40 * len(self.notes)
        at = (room + PAGE - 1) // PAGE * PAGE
        content = b""
        for piece in self.pieces:
            size = piece.size if piece.size is not None else len(piece.data)
            commands.append(
                struct.pack("<II16sQQQQiiII", 0x19, 72, b"", piece.address, size,
                            at + len(content), len(piece.data), piece.protection,
                            piece.protection, 0, 0)
            )  # fmt: skip
            content += piece.data.ljust((len(piece.data) + PAGE - 1) // PAGE * PAGE, b"\0")
        for owner, body in self.notes:
            commands.append(struct.pack("<II16sQQ", 0x31, 40, owner, at + len(content), len(body)))
            content += body
        joined = b"".join(commands)
        sub = 3 if self.cpu == X86 else 0
        head = struct.pack("<IIIIIIII", 0xFEEDFACF, self.cpu, sub, self.filetype, len(commands),
                           len(joined), 0, 0)  # fmt: skip
        return (head + joined).ljust(at, b"\0") + content


def _thread(body: bytes) -> bytes:
    return struct.pack("<II", 0x4, 8 + len(body)) + body


def x86_thread(registers: dict[str, int], trap: tuple[int, int, int] = (0, 0, 0)) -> bytes:
    """x86_THREAD_STATE64 and x86_EXCEPTION_STATE64 (trap number, error, address)."""
    names = "rax rbx rcx rdx rdi rsi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags cs fs gs"
    values = [registers.get(name, 0) for name in names.split()]
    state = struct.pack("<II21Q", 4, 42, *values)
    number, error, address = trap
    return state + struct.pack("<IIHHIQ", 6, 4, number, 0, error, address)


def x86_unified(registers: dict[str, int], trap: tuple[int, int, int] = (0, 0, 0)) -> bytes:
    """The same as the kernel writes it: x86_THREAD_STATE and x86_EXCEPTION_STATE."""
    plain = x86_thread(registers, trap)
    state, exception = plain[: 8 + 168], plain[8 + 168 :]
    return struct.pack("<II", 7, 44) + state + struct.pack("<II", 9, 6) + exception


def arm_thread(registers: dict[str, int], far: int = 0, esr: int = 0) -> bytes:
    """ARM_THREAD_STATE64 and ARM_EXCEPTION_STATE64."""
    names = [*(f"x{n}" for n in range(31)), "sp", "pc"]
    values = [registers.get(name, 0) for name in names]
    state = struct.pack("<II33QII", 6, 68, *values, registers.get("cpsr", 0), 0)
    return state + struct.pack("<IIQII", 7, 4, far, esr, 0)


def image(
    cpu: int,
    filetype: int,
    base: int,
    code: bytes,
    *,
    uuid: bytes = bytes(range(16)),
    symbols: dict[str, int] | None = None,
    data: bytes = b"",
    infos_at: int | None = None,
    name: bytes = b"",
) -> list[Piece]:
    """An image in memory: __TEXT (header, and code at 0x800), __DATA and __LINKEDIT."""
    strings, table = b"\0", b""
    for symbol, value in (symbols or {}).items():
        table += struct.pack("<IBBHQ", len(strings), 0x0F, 1, 0, value)
        strings += b"_" + symbol.encode() + b"\0"
    count = len(symbols or {})
    edit = table + strings
    commands = [_segment(b"__PAGEZERO", 0, base, 0, 0, 0)] if filetype == PROGRAM else []
    commands.append(
        _segment(b"__TEXT", base, PAGE, 0, PAGE, 5,
                 [(b"__text", base + 0x800, len(code), 0x800, 0x80000400)])
    )  # fmt: skip
    sections = [] if infos_at is None else [(b"__all_image_info", infos_at, 0x100, 0, 0)]
    commands.append(_segment(b"__DATA", base + PAGE, PAGE, PAGE, PAGE, 3, sections))
    commands.append(_segment(b"__LINKEDIT", base + 2 * PAGE, PAGE, 2 * PAGE, len(edit), 1))
    commands.append(
        struct.pack("<IIIIII", 2, 24, 2 * PAGE, count, 2 * PAGE + len(table), len(strings))
    )
    commands.append(struct.pack("<II16s", 0x1B, 24, uuid))
    if name:
        padded = name.ljust((len(name) + 8) // 8 * 8, b"\0")
        command = 0xD if filetype == DYLIB else 0xE if filetype == PROGRAM else 0xF
        body = struct.pack("<I", 24) + bytes(12) if filetype == DYLIB else struct.pack("<I", 12)
        commands.append(struct.pack("<II", command, 8 + len(body) + len(padded)) + body + padded)
    if filetype == PROGRAM:
        commands.append(struct.pack("<IIIIII", 0x32, 24, 1, 0xC0000, 0xC0000, 0))
    joined = b"".join(commands)
    head = struct.pack("<IIIIIIII", 0xFEEDFACF, cpu, 3 if cpu == X86 else 0, filetype,
                       len(commands), len(joined), 0x85, 0)  # fmt: skip
    text = (head + joined).ljust(0x800, b"\0") + code
    return [
        Piece(base, text.ljust(PAGE, b"\0"), READ | EXECUTE),
        Piece(base + PAGE, data.ljust(PAGE, b"\0"), READ | WRITE),
        Piece(base + 2 * PAGE, edit.ljust(PAGE, b"\0"), READ),
    ]


def _segment(
    name: bytes,
    address: int,
    size: int,
    offset: int,
    filesize: int,
    protection: int,
    sections: list[tuple[bytes, int, int, int, int]] | None = None,
) -> bytes:
    rows = [
        struct.pack("<16s16sQQIIIIIIII", section, name, at, length, where, 2, 0, 0, flags, 0, 0, 0)
        for section, at, length, where, flags in sections or []
    ]
    body = b"".join(rows)
    return (
        struct.pack("<II16sQQQQiiII", 0x19, 72 + len(body), name, address, size, offset, filesize,
                    protection, protection, len(rows), 0) + body
    )  # fmt: skip


def dyld_infos(array: int, images: list[tuple[int, int]], at: int) -> tuple[bytes, bytes]:
    """``dyld_all_image_infos`` and its array of (load address, address of the path)."""
    head = struct.pack("<IIQQQQ", 17, len(images), array, 0, 0, at)
    return head, b"".join(struct.pack("<QQQ", base, name, 0) for base, name in images)
