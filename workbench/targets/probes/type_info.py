"""``std::type_info`` objects and the classes that they derive from.

Itanium C++ ABI 2.9.5: [vtable][name]; ``__si_class_type_info`` adds one base,
``__vmi_class_type_info`` flags, a count, and pairs of base and offset.
"""

import struct

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes.demangle import readable

_MAX_NAME = 2048
_MAX_BASES = 16
_MAX_CLASSES = 64


class Base(Struct, frozen=True):
    """An ancestor and the distance of its part from the object's start; None of a virtual one,
    whose place only the vtable knows, and of what that derives from."""

    name: str
    offset: int | None


class TypeInfo(Struct, frozen=True):
    """A type as the program knows it. ``bases`` are all its ancestors, nearest first."""

    address: int
    mangled: str
    bases: tuple[Base, ...]

    @property
    def name(self) -> str:
        """The readable name."""
        return readable(self.mangled)

    def part(self, *names: str) -> int | None:
        """Where the part of a class with one of these mangled names begins; 0 for the type
        itself."""
        if self.mangled in names:
            return 0
        return next((base.offset for base in self.bases if base.name in names), None)


def type_at(core: Dump, address: int) -> TypeInfo | None:
    """The type_info at an address, or None when there is none."""
    mangled = _name(core, address)
    if mangled is None:
        return None
    bases: list[Base] = []
    seen = {address}
    queue: list[tuple[int, int | None]] = [(address, 0)]
    while queue and len(seen) < _MAX_CLASSES:
        at, offset = queue.pop(0)
        for base, distance in _direct_bases(core, at):
            name = _name(core, base)
            if name is not None and base not in seen:
                seen.add(base)
                place = None if offset is None or distance is None else offset + distance
                bases.append(Base(name, place))
                queue.append((base, place))
    return TypeInfo(address, mangled, tuple(bases))


def _direct_bases(core: Dump, address: int) -> list[tuple[int, int | None]]:
    """Each with its distance; None for a virtual one."""
    third = core.read_word(address + 16)
    if third is None:
        return []
    if third % 8 == 0 and third != address and _name(core, third) is not None:
        return [(third, 0)]
    flags, count = third & 0xFFFFFFFF, third >> 32
    if flags > 3 or not 0 < count <= _MAX_BASES:
        return []
    found: list[tuple[int, int | None]] = []
    for index in range(count):
        base = core.read_word(address + 24 + 16 * index)
        where = core.read_word(address + 32 + 16 * index)
        if base is None or where is None or _name(core, base) is None:
            return []
        found.append((base, None if where & 1 else where >> 8))
    return found


def _name(core: Dump, address: int) -> str | None:
    """The mangled name in a type_info, when its words look like one."""
    vtable, pointer = core.read_word(address), core.read_word(address + 8)
    if not vtable or not pointer or core.region(vtable) is None:
        return None
    raw = core.read_cstring(pointer & (1 << 63) - 1, _MAX_NAME)
    if not raw or len(raw) >= _MAX_NAME:
        return None
    text = raw.removeprefix(b"*")
    if not text or not (text[:1].isalnum()) or not text.replace(b"_", b"a").isalnum():
        return None
    return raw.decode("ascii", "replace").removeprefix("*")


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
    return None if raw is None or raw[-1] != 0 else _printable(raw[:-1])


def _text(core: Dump, pointer: int, shortest: int) -> str | None:
    raw = core.read_cstring(pointer, _MAX_TEXT)
    return None if raw is None or len(raw) < shortest else _printable(raw)


def _printable(raw: bytes) -> str | None:
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text or not all(c.isprintable() or c in "\n\t" for c in text):
        return None
    return text
