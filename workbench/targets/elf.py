"""ELF headers and program headers, read with ``struct`` (elf(5)).

A dump may hold any bytes: every count is bounded by the size of the file, and nothing here raises
anything but ``ElfError``.
"""

import struct

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.files import Buffer

ET_EXEC, ET_DYN, ET_CORE = 2, 3, 4
PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PF_X, PF_W, PF_R = 1, 2, 4
PN_XNUM = 0xFFFF
_MAX_SEGMENTS = 2_000_000

# e_machine of elf(5), <elf.h>; the names are those of `uname -m`.
_MACHINES = {
    2: "sparc", 3: "i386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 43: "sparc64",
    62: "x86_64", 183: "aarch64", 243: "riscv64", 258: "loongarch64",
}  # fmt: skip


class ElfError(Exception):
    """The bytes are not an ELF file that can be read; the message says why."""


class Segment(Struct, frozen=True):
    """A program header. ``flags`` are PF_R, PF_W, PF_X."""

    type: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int
    align: int


class Header(Struct, frozen=True):
    """The ELF header. ``phnum`` is already corrected for PN_XNUM."""

    arch: str
    machine: int
    type: int
    bits: int
    little_endian: bool
    entry: int
    phoff: int
    phentsize: int
    phnum: int
    shoff: int
    shentsize: int
    shnum: int
    shstrndx: int

    @property
    def order(self) -> str:
        """The ``struct`` prefix of the file's byte order."""
        return "<" if self.little_endian else ">"

    @property
    def word(self) -> struct.Struct:
        """A word of the target's width."""
        return struct.Struct(self.order + ("Q" if self.bits == 64 else "I"))


def parse_header(data: Buffer) -> Header:
    """The header at the start of ``data``; raises ``ElfError``."""
    ident = data[0:16]
    if ident[:4] != b"\x7fELF":
        raise ElfError("no ELF magic number")
    if len(ident) < 16 or ident[4] not in (1, 2) or ident[5] not in (1, 2):
        raise ElfError("its ELF header is damaged")
    bits = 64 if ident[4] == 2 else 32
    little = ident[5] == 1
    layout = struct.Struct(
        ("<" if little else ">") + ("HHIQQQIHHHHHH" if bits == 64 else "HHIIIIIHHHHHH")
    )
    raw = data[16 : 16 + layout.size]
    if len(raw) < layout.size:
        raise ElfError("it ends inside its ELF header")
    fields = layout.unpack(raw)
    kind, machine, _, entry, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, shstrndx = (
        fields
    )
    header = Header(
        arch=_arch(machine, bits, little),
        machine=machine,
        type=kind,
        bits=bits,
        little_endian=little,
        entry=entry,
        phoff=phoff,
        phentsize=phentsize,
        phnum=phnum,
        shoff=shoff,
        shentsize=shentsize,
        shnum=shnum,
        shstrndx=shstrndx,
    )
    return header if phnum != PN_XNUM else _with_phnum(header, _extended_phnum(data, header))


def parse_segments(data: Buffer, header: Header) -> list[Segment]:
    """The program headers that the file really holds; fewer than announced when it is cut."""
    wide = header.bits == 64
    layout = struct.Struct(header.order + ("IIQQQQQQ" if wide else "IIIIIIII"))
    if header.phentsize != layout.size or header.phnum == 0:
        return []
    wanted = min(header.phnum, _MAX_SEGMENTS)
    end = min(header.phoff + wanted * layout.size, len(data))
    count = max(0, (end - header.phoff) // layout.size)
    raw = data[header.phoff : header.phoff + count * layout.size]
    if wide:
        return [
            Segment(kind, flags, offset, vaddr, filesz, memsz, align)
            for kind, flags, offset, vaddr, _, filesz, memsz, align in layout.iter_unpack(raw)
        ]
    return [
        Segment(kind, flags, offset, vaddr, filesz, memsz, align)
        for kind, offset, vaddr, _, filesz, memsz, flags, align in layout.iter_unpack(raw)
    ]


def _arch(machine: int, bits: int, little: bool) -> str:
    name = _MACHINES.get(machine, f"machine-{machine}")
    if name == "ppc64" and little:
        return "ppc64le"
    if name == "riscv64" and bits == 32:
        return "riscv32"
    if name == "x86_64" and bits == 32:
        return "x32"
    if name == "s390x" and bits == 32:
        return "s390"
    return name


def _extended_phnum(data: Buffer, header: Header) -> int:
    """More than 65534 segments: the count stands in sh_info of section 0 (elf(5), PN_XNUM).

    The kernel writes that section last, so a cut core lacks it. It writes the notes right behind
    the program headers (fs/binfmt_elf.c, elf_core_dump), which gives the count as well.
    """
    at = header.shoff + (44 if header.bits == 64 else 28)
    raw = data[at : at + 4] if header.shoff else b""
    if len(raw) == 4:
        count = int(struct.unpack(header.order + "I", raw)[0])
        if count:
            return count
    first = parse_segments(data, _with_phnum(header, 1))
    if first and first[0].type == PT_NOTE and first[0].offset > header.phoff:
        return (first[0].offset - header.phoff) // header.phentsize
    return PN_XNUM


def _with_phnum(header: Header, phnum: int) -> Header:
    return replace(header, phnum=phnum)
