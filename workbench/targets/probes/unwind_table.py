"""Where functions begin and end, from unwinding tables: they are there in stripped programs too.

``.eh_frame_hdr`` is a table sorted by address, ``.eh_frame`` the records that it points to (Linux
Standard Base, "Exception Frames"). Compilers for x86-64 write them for C as well as for C++; a
statically linked program has only the records. What is built with -fno-asynchronous-unwind-tables
and -g has the same in ``.debug_frame``, which is not loaded (DWARF 5, 6.4.1).
"""

import struct
from bisect import bisect_right
from collections.abc import Callable
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.elf import PT_LOAD
from workbench.targets.image import Image, Section
from workbench.targets.modules import CoreModule
from workbench.targets.spans import piece_at

_PT_GNU_EH_FRAME = 0x6474E550
_MAX_ENTRIES = 1 << 21
_TABLE_DATAREL_SDATA4 = 0x3B
_MAX_RECORDS = 400_000
_DWARF64 = _COMMON = 0xFFFFFFFF


class Record(Struct, frozen=True):
    """A function's unwinding record, which lies at ``address``; the function is [start, end). One
    of ``.debug_frame`` comes with what it says, and what the common record says."""

    start: int
    end: int
    address: int
    body: bytes = b""
    common: bytes = b""


_records: "WeakKeyDictionary[Image, dict[str, list[Record]]]" = WeakKeyDictionary()


def function_bounds(core: Dump, address: int) -> tuple[int, int] | None:
    """[start, end) of the function around a code address, or None without a record for it."""
    record = find_record(core, address)
    return (record.start, record.end) if record is not None else None


def find_record(core: Dump, address: int) -> Record | None:
    """The record of the function that holds an address, at run-time addresses."""
    module = core.module_at(address)
    if module is None or core.bits != 64:
        return None
    found = next((s for s in module.segments if s.type == _PT_GNU_EH_FRAME), None)
    if found is not None and core.little_endian:
        record = _in_table(core, address, module.bias + found.vaddr, found.memsz)
    else:
        record = _among_records(module, address, ".eh_frame", _read_records)
    if record is None or not record.start <= address < record.end:
        record = _among_records(module, address, ".debug_frame", _read_debug_records)
    return record if record is not None and record.start <= address < record.end else None


def _in_table(core: Dump, address: int, header: int, size: int) -> Record | None:
    raw = core.read(header, 12)
    if raw is None or raw[0] != 1 or raw[3] != _TABLE_DATAREL_SDATA4 or raw[2] != 0x03:
        return None
    (count,) = struct.unpack_from("<I", raw, 8)
    count = min(count, (size - 12) // 8, _MAX_ENTRIES)
    table = core.read(header + 12, count * 8) if count > 0 else None
    if table is None:
        return None
    entries = memoryview(table).cast("i")
    index = bisect_right(entries[::2], address - header) - 1
    if index < 0:
        return None
    start, record = header + entries[2 * index], header + entries[2 * index + 1]
    span = core.number(record + 12, 4)
    return Record(start, start + span, record) if span is not None else None


def _among_records(
    module: CoreModule, address: int, name: str, read: Callable[[Image, Section], list[Record]]
) -> Record | None:
    """The record out of one of the file's sections."""
    image = module.image
    if image is None or not module.trusted:
        return None
    known = _records.setdefault(image, {})
    if name not in known:
        section = next((s for s in image.sections if s.name == name), None)
        known[name] = read(image, section) if section is not None else []
    found = piece_at(known[name], address - module.bias)
    if found is None:
        return None
    bias = module.bias
    return replace(
        found, start=found.start + bias, end=found.end + bias, address=found.address + bias
    )


def _read_debug_records(image: Image, section: Section) -> list[Record]:
    """Every record of ``.debug_frame``, by the function's start: in 32-bit DWARF, with addresses of
    eight bytes; a common record is named by where it stands in the section."""
    raw = bytes(image.data[section.offset : section.offset + section.size])
    found, at = [], 0
    for _ in range(_MAX_RECORDS):
        if at + 24 > len(raw):
            break
        size, common, begin, length = struct.unpack_from("<IIQQ", raw, at)
        if size in (0, _DWARF64) or at + 4 + size > len(raw):
            break
        if common != _COMMON and size >= 20 and common + 8 <= len(raw):
            (shared,) = struct.unpack_from("<I", raw, common)
            body = raw[at + 24 : at + 4 + size]
            what = raw[common + 8 : common + 4 + shared]
            found.append(Record(begin, begin + length, at, body, what))
        at += size + 4
    return sorted(found, key=lambda record: record.start)


def _read_records(image: Image, section: Section) -> list[Record]:
    """Every record of ``.eh_frame``, by the function's start; addresses as the file has them.
    Pointers in it are relative to where they stand, four bytes wide (DW_EH_PE_pcrel |
    DW_EH_PE_sdata4, what compilers for x86-64 write)."""
    for segment in image.segments:
        inside = segment.offset <= section.offset < segment.offset + segment.filesz
        if segment.type == PT_LOAD and inside:
            start = section.offset - segment.offset + segment.vaddr
            break
    else:
        return []
    raw = bytes(image.data[section.offset : section.offset + section.size])
    found = []
    at = 0
    for _ in range(_MAX_RECORDS):
        if at + 16 > len(raw):
            break
        size, kind, begin, length = struct.unpack_from("<IIiI", raw, at)
        if size in (0, _DWARF64):
            break
        if kind:
            lower = start + at + 8 + begin
            found.append(Record(lower, lower + length, start + at))
        at += size + 4
    return sorted(found, key=lambda record: record.start)
