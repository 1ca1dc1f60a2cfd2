"""What a thrown object says: a message that it holds, or its value."""

import struct

from workbench.targets.dump import Dump
from workbench.targets.probes.type_info import TypeInfo

_WITH_MESSAGE = ("St13runtime_error", "St11logic_error")
_STRINGS = (
    "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE",
    "Ss",
)
_NUMBERS = {
    "b": "<?", "a": "<b", "h": "<B", "s": "<h", "t": "<H", "i": "<i", "j": "<I", "l": "<q",
    "m": "<Q", "x": "<q", "y": "<Q", "f": "<f", "d": "<d",
}  # fmt: skip
_MAX_TEXT = 4096
_MEMBERS = 6


def message_of(core: Dump, info: TypeInfo, address: int) -> str | None:
    """The text or value of an object of this type.

    ``std::runtime_error`` and ``std::logic_error`` hold a pointer to their text behind the vtable
    pointer, in libstdc++ and libc++ alike. Of other classes the first text among the members is
    taken: what() is code and cannot be asked.
    """
    if info.mangled in _NUMBERS:
        layout = struct.Struct(_NUMBERS[info.mangled])
        raw = core.read(address, layout.size)
        return None if raw is None else str(layout.unpack(raw)[0])
    if info.mangled in ("PKc", "Pc"):
        pointer = core.read_word(address)
        return _text(core, pointer, 1) if pointer else "(null)" if pointer == 0 else None
    if info.mangled == "c":
        raw = core.read(address, 1)
        return None if raw is None else repr(raw.decode("latin-1"))
    if info.mangled in _STRINGS:
        return _string(core, address)
    part = info.part(*_WITH_MESSAGE)
    if part is not None:
        pointer = core.read_word(address + part + 8)
        return _text(core, pointer, 0) if pointer else None
    if info.mangled.startswith(("P", "St")):
        return None
    return _member(core, address)


def _member(core: Dump, address: int) -> str | None:
    for index in range(_MEMBERS):
        at = address + 8 * index
        found = _string(core, at)
        if found:
            return found
        pointer = core.read_word(at)
        if not pointer or core.region(pointer) is None or _points_on(core, pointer):
            continue
        text = _text(core, pointer, 4)
        if text is not None:
            return text
    return None


def _points_on(core: Dump, address: int) -> bool:
    """Whether an address stands there, as in a vtable: with random layouts its few bytes are
    letters now and then."""
    word = core.read_word(address)
    return word is not None and core.region(word) is not None


def _string(core: Dump, address: int) -> str | None:
    """A ``std::string`` of libstdc++: pointer, length, then the characters when they are few."""
    pointer, length = core.read_word(address), core.read_word(address + 8)
    if not pointer or length is None or not 0 < length <= _MAX_TEXT:
        return None
    raw = core.read(pointer, length + 1)
    if raw is None or raw[-1] != 0:
        return None
    return _printable(raw[:-1])


def _text(core: Dump, pointer: int, shortest: int) -> str | None:
    raw = core.read_cstring(pointer, _MAX_TEXT)
    return None if raw is None or len(raw) < shortest else _printable(raw)


def _printable(raw: bytes) -> str | None:
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text or not all(c.isprintable() or c in "\n\t" for c in text):
        return None
    return text
