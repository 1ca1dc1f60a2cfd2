"""Where functions begin and end, from unwinding tables: they are there in stripped programs too.

``.eh_frame_hdr`` is a table sorted by address, ``.eh_frame`` the records that it points to (Linux
Standard Base, "Exception Frames"). Compilers for x86-64 write them for C as well as for C++; a
statically linked program has only the records.
"""

import struct
from bisect import bisect_right
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile, CoreModule
    from workbench.targets.image import Image

_PT_LOAD, _PT_GNU_EH_FRAME = 1, 0x6474E550
_MAX_ENTRIES = 1 << 21
_TABLE_DATAREL_SDATA4 = 0x3B
_MAX_RECORDS = 400_000

_records: "WeakKeyDictionary[Image, tuple[list[int], list[int]]]" = WeakKeyDictionary()


def function_bounds(core: "CoreFile", address: int) -> tuple[int, int | None] | None:
    """(start, start of the next function or None) around a code address, or None without table."""
    module = core.module_at(address)
    if module is None or core.bits != 64:
        return None
    found = _header_of(core, module.base)
    if found is None:
        return _among_records(module, address)
    header, size = found
    raw = core.read(header, 12)
    if raw is None or raw[0] != 1 or raw[3] != _TABLE_DATAREL_SDATA4 or raw[2] != 0x03:
        return None
    (count,) = struct.unpack_from("<I", raw, 8)
    count = min(count, (size - 12) // 8, _MAX_ENTRIES)
    if count <= 0:
        return None
    table = core.read(header + 12, count * 8)
    if table is None:
        return None
    starts = memoryview(table).cast("i")[::2]
    index = bisect_right(starts, address - header) - 1
    if index < 0:
        return None
    after = header + starts[index + 1] if index + 1 < count else None
    return header + starts[index], after


def _header_of(core: "CoreFile", base: int) -> tuple[int, int] | None:
    """Address and size of the table of the module that is mapped at ``base``."""
    raw = core.read(base, 64)
    if raw is None or raw[:4] != b"\x7fELF":
        return None
    (phoff,) = struct.unpack_from("<Q", raw, 32)
    entry_size, count = struct.unpack_from("<HH", raw, 54)
    if entry_size != 56 or phoff > 1 << 20:
        return None
    headers = core.read(base + phoff, 56 * min(count, 64))
    if headers is None:
        return None
    bias, table = None, None
    for kind, _, _, vaddr, _, _, memsz, _ in struct.iter_unpack("<IIQQQQQQ", headers):
        if kind == _PT_LOAD and bias is None:
            bias = base - (vaddr & ~0xFFF)
        elif kind == _PT_GNU_EH_FRAME:
            table = (vaddr, memsz)
    if bias is None or table is None:
        return None
    return bias + table[0], table[1]


def _among_records(module: "CoreModule", address: int) -> tuple[int, int | None] | None:
    """Bounds from the file's ``.eh_frame``; pointers in it are relative to where they stand, four
    bytes wide (DW_EH_PE_pcrel | DW_EH_PE_sdata4, what compilers for x86-64 write)."""
    image = module.image
    if image is None or not module.trusted:
        return None
    section = next((s for s in image.sections if s.name == ".eh_frame"), None)
    segment = next(
        (
            s
            for s in image.segments
            if section is not None
            and s.type == _PT_LOAD
            and s.offset <= section.offset < s.offset + s.filesz
        ),
        None,
    )
    if section is None or segment is None:
        return None
    cached = _records.get(image)
    if cached is None:
        raw = bytes(image.data[section.offset : section.offset + section.size])
        cached = _records[image] = _read_records(
            raw, section.offset - segment.offset + segment.vaddr
        )
    starts, ends = cached
    wanted = address - module.bias
    index = bisect_right(starts, wanted) - 1
    if index < 0 or wanted >= ends[index]:
        return None
    return starts[index] + module.bias, ends[index] + module.bias


def _read_records(raw: bytes, start: int) -> tuple[list[int], list[int]]:
    """Where the functions of all records begin and end, sorted, as the file has it."""
    found = []
    at = 0
    for _ in range(_MAX_RECORDS):
        if at + 16 > len(raw):
            break
        size, kind, begin, length = struct.unpack_from("<IIiI", raw, at)
        if size in (0, 0xFFFFFFFF):
            break
        if kind:
            lower = start + at + 8 + begin
            found.append((lower, lower + length))
        at += size + 4
    found.sort()
    return [lower for lower, _ in found], [upper for _, upper in found]
