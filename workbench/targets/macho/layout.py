"""Mach-O headers and load commands (``mach-o/loader.h``), 64-bit and little-endian, and the LC_NOTE
of a core (LLDB's ObjectFileMachO.cpp; XNU's osfmk/kern/kern_coredump.h).

A dump may hold any bytes: commands are bounded by the size that the header gives and the file has,
and nothing here raises anything but ``MachError``.
"""

import contextlib
import json
import struct
from collections.abc import Iterable

from msgspec import Struct

from workbench.targets.files import Buffer

MAGIC = b"\xcf\xfa\xed\xfe"
MH_EXECUTE, MH_CORE, MH_DYLIB, MH_DYLINKER, MH_BUNDLE, MH_DSYM = 2, 4, 6, 7, 8, 10
LC_SYMTAB, LC_THREAD, LC_UNIXTHREAD, LC_ID_DYLIB, LC_ID_DYLINKER = 0x2, 0x4, 0x5, 0xD, 0xF
LC_SEGMENT_64, LC_UUID, LC_NOTE, LC_BUILD_VERSION = 0x19, 0x1B, 0x31, 0x32
CPUS = {0x01000007: "x86_64", 0x0100000C: "aarch64"}

_HEADER = struct.Struct("<IiiIIIII")
_SEGMENT = struct.Struct("<16sQQQQiiII")
_SECTION = struct.Struct("<16s16sQQIIIIIIII")
_NOTE = struct.Struct("<16sQQ")
_MOST_COMMANDS = 2_000_000
_MOST_SECTIONS = 4096


class MachError(Exception):
    """The bytes are no Mach-O file that can be read; the message says why."""


class Section(Struct, frozen=True):
    """A section of a segment; ``address`` is not slid."""

    name: str
    address: int
    size: int


class Segment(Struct, frozen=True):
    """LC_SEGMENT_64. ``protection`` holds VM_PROT_READ 1, VM_PROT_WRITE 2, VM_PROT_EXECUTE 4."""

    name: str
    address: int
    size: int
    offset: int
    filesize: int
    protection: int
    sections: tuple[Section, ...] = ()


class Note(Struct, frozen=True):
    """LC_NOTE: whose it is, and where in the file its ``size`` bytes are."""

    owner: str
    offset: int
    size: int


class Commands(Struct):
    """What the load commands say. ``threads`` are the bodies of LC_THREAD; ``cut`` is True when
    they end before they should."""

    arch: str
    filetype: int
    segments: list[Segment] = []
    threads: list[bytes] = []
    notes: list[Note] = []
    uuid: str | None = None
    identity: str | None = None  # what LC_ID_DYLIB or LC_ID_DYLINKER call it
    symtab: tuple[int, int, int, int] | None = None  # symoff, nsyms, stroff, strsize
    platform: int | None = None
    cut: bool = False


def parse(data: Buffer) -> Commands:
    """The header and the load commands at the start of ``data``; raises ``MachError``."""
    raw = data[0 : _HEADER.size]
    if len(raw) < _HEADER.size or raw[:4] != MAGIC:
        raise MachError("it ends inside its Mach-O header" if raw[:4] == MAGIC else "no Mach-O")
    _, cpu, _, filetype, count, size, _, _ = _HEADER.unpack(raw)
    arch = CPUS.get(cpu)
    if arch is None:
        raise MachError(
            f"it is of a processor that is not read here (cputype {cpu & 0xFFFFFFFF:#x})"
        )
    found = Commands(arch=arch, filetype=filetype)
    end = _HEADER.size + size
    if end > len(data):
        found.cut, end = True, len(data)
    at = _HEADER.size
    for _ in range(min(count, _MOST_COMMANDS)):
        head = data[at : at + 8]
        if len(head) < 8 or at + 8 > end:
            found.cut = True
            break
        command, length = struct.unpack("<II", head)
        if length < 8 or at + length > end:
            found.cut = True
            break
        _take(found, command, data[at : at + length])
        at += length
    else:
        found.cut = found.cut or count > _MOST_COMMANDS
    return found


def _take(found: Commands, command: int, body: bytes) -> None:
    if command == LC_SEGMENT_64 and len(body) >= 8 + _SEGMENT.size:
        found.segments.append(_segment(body))
    elif command in (LC_THREAD, LC_UNIXTHREAD):
        found.threads.append(body[8:])
    elif command == LC_NOTE and len(body) >= 8 + _NOTE.size:
        owner, offset, size = _NOTE.unpack_from(body, 8)
        found.notes.append(Note(text(owner), offset, size))
    elif command == LC_UUID and len(body) >= 24:
        found.uuid = body[8:24].hex()
    elif command in (LC_ID_DYLIB, LC_ID_DYLINKER) and len(body) >= 12:
        (at,) = struct.unpack_from("<I", body, 8)
        found.identity = text(body[at:]) if 12 <= at < len(body) else None
    elif command == LC_SYMTAB and len(body) >= 24:
        symoff, count, stroff, size = struct.unpack_from("<IIII", body, 8)
        found.symtab = symoff, count, stroff, size
    elif command == LC_BUILD_VERSION and len(body) >= 12:
        (found.platform,) = struct.unpack_from("<I", body, 8)


def _segment(body: bytes) -> Segment:
    name, address, size, offset, filesize, _, protection, count, _ = _SEGMENT.unpack_from(body, 8)
    sections = []
    for index in range(min(count, _MOST_SECTIONS)):
        at = 8 + _SEGMENT.size + index * _SECTION.size
        if at + _SECTION.size > len(body):
            break
        fields = _SECTION.unpack_from(body, at)
        sections.append(Section(text(fields[0]), fields[2], fields[3]))
    return Segment(text(name), address, size, offset, filesize, protection & 7, tuple(sections))


def text(raw: bytes) -> str:
    """Bytes up to the first NUL."""
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


_MOST_JSON = 1 << 24
_MOST_THREADS = 100_000
_KINDS = {1: "kernel", 2: "user process", 3: "firmware"}


class Notes(Struct):
    """``address_bits`` is how many bits of a pointer are address, 0 where it is not said;
    ``thread_ids`` are in the order of LC_THREAD; ``kind`` is what the core is of; ``owners`` are
    all notes' owners; ``threads_json`` what is left of the process's description."""

    address_bits: int = 0
    thread_ids: list[int] = []
    kind: str | None = None
    owners: list[str] = []


def read_notes(data: Buffer, notes: Iterable[Note]) -> Notes:
    """What the notes say, as far as they can be read."""
    found = Notes()
    for note in list(notes)[:1000]:
        found.owners.append(note.owner)
        raw = data[note.offset : note.offset + min(note.size, _MOST_JSON)]
        if note.owner == "addrable bits" and len(raw) >= 8:
            version, bits = struct.unpack_from("<II", raw)
            found.address_bits = bits if version in (3, 4) and 0 < bits <= 64 else 0
        elif note.owner == "main bin spec" and len(raw) >= 8:
            _, kind = struct.unpack_from("<II", raw)
            found.kind = _KINDS.get(kind)
        elif note.owner == "process metadata":
            found.thread_ids = _thread_ids(raw)
    return found


def _thread_ids(raw: bytes) -> list[int]:
    """``{"threads": [{"thread_id": 123}, …]}``; empty unless every thread has one of its own."""
    start, end = raw.find(b"{"), raw.rfind(b"}")
    with contextlib.suppress(ValueError, RecursionError):
        told = json.loads(raw[start : end + 1]) if 0 <= start < end else None
        rows = told.get("threads") if isinstance(told, dict) else None
        if isinstance(rows, list) and len(rows) <= _MOST_THREADS:
            ids = [row.get("thread_id") for row in rows if isinstance(row, dict)]
            good = [n for n in ids if isinstance(n, int) and 0 < n < 10**10]
            if len(good) == len(rows) == len(set(good)):
                return good
    return []
