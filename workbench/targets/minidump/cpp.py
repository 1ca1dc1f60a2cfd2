"""The C++ exception that a Windows program threw: its type and message, as far as the dump holds
the object and the compiler's records of its type.

Layouts: Microsoft's C++ runtime (``ehdata.h``: ThrowInfo, CatchableTypeArray, CatchableType,
TypeDescriptor; ``vcruntime_exception.h``: std::exception keeps its text behind the vtable's
pointer). On x64 the records name each other by offsets in the image.
"""

import re
import struct

from msgspec import Struct

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.exception import Record

CODE = 0xE06D7363
_MAGIC = range(0x19930520, 0x19930523)
_MOST_TYPES = 32
_LONGEST = 512
_PLAIN = re.compile(r"\.\?A[UV]([A-Za-z_]\w*(?:@[A-Za-z_]\w*)*)@@")


class Thrown(Struct, frozen=True):
    """``type`` is readable where its name is a plain one, else ``mangled``; ``bases`` are what it
    can be caught as besides, nearest first; ``message`` is what() of a std::exception."""

    type: str
    mangled: str
    bases: tuple[str, ...] = ()
    message: str | None = None


def thrown(dump: MinidumpFile, record: Record) -> Thrown | None:
    """The exception's type, None where the dump does not hold it."""
    words = record.parameters
    if record.code != CODE or len(words) < 3 or words[0] not in _MAGIC:
        return None
    mask = (1 << dump.bits) - 1
    base = (words[3] & mask if len(words) > 3 else 0) if dump.bits == 64 else 0
    if dump.bits == 64 and not base:
        return None
    info = _numbers(dump, words[2] & mask, 4)
    listed = _numbers(dump, base + info[3], 1) if info else ()
    if not listed:
        return None
    names = []
    for entry in _numbers(dump, base + info[3] + 4, min(listed[0], _MOST_TYPES)):
        described = _numbers(dump, base + entry, 2)
        name = _name(dump, base + described[1]) if described else None
        if name is not None:
            names.append(name)
    if not names:
        return None
    readable = [readable_name(name) for name in names]
    message = _message(dump, words[1] & mask) if "std::exception" in readable else None
    return Thrown(readable[0], names[0], tuple(readable[1:]), message)


def _numbers(dump: MinidumpFile, address: int, count: int) -> tuple[int, ...]:
    raw = dump.read(address, 4 * count) if address and count else None
    return struct.unpack(f"<{count}I", raw) if raw is not None else ()


def _name(dump: MinidumpFile, descriptor: int) -> str | None:
    raw = dump.read_cstring(descriptor + 2 * (dump.bits // 8), _LONGEST)
    text = raw.decode("ascii", "replace") if raw else ""
    return text if text.startswith(".") else None


def readable_name(mangled: str) -> str:
    """``std::runtime_error`` for ``.?AVruntime_error@std@@``; others stay as they are."""
    match = _PLAIN.fullmatch(mangled)
    return "::".join(reversed(match[1].split("@"))) if match is not None else mangled


def _message(dump: MinidumpFile, address: int) -> str | None:
    size = dump.bits // 8
    text = dump.read_word(address + size)
    raw = dump.read_cstring(text, _LONGEST) if text else None
    return raw.decode("utf-8", "replace") if raw else None
