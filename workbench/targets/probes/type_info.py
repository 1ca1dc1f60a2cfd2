"""``std::type_info`` objects and the classes that they derive from.

Itanium C++ ABI 2.9.5: [vtable][name]; ``__si_class_type_info`` adds one base,
``__vmi_class_type_info`` flags, a count, and pairs of base and offset.
"""

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes.demangle import readable

_MAX_NAME = 2048
_MAX_BASES = 16
_MAX_CLASSES = 64


class Base(Struct, frozen=True):
    """An ancestor and the distance of its part from the object's start."""

    name: str
    offset: int


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
    queue = [(address, 0)]
    while queue and len(seen) < _MAX_CLASSES:
        at, offset = queue.pop(0)
        for base, distance in _direct_bases(core, at):
            if distance is None:
                continue  # a virtual base, whose place only the vtable knows
            name = _name(core, base)
            if name is not None and base not in seen:
                seen.add(base)
                bases.append(Base(name, offset + distance))
                queue.append((base, offset + distance))
    return TypeInfo(address, mangled, tuple(bases))


def ancestors(core: Dump, address: int) -> list[str]:
    """The mangled names of all classes that the one with a type_info derives from, virtual bases
    among them."""
    found: dict[int, str] = {}
    queue = [address]
    while queue and len(found) < _MAX_CLASSES:
        for base, _ in _direct_bases(core, queue.pop(0)):
            name = _name(core, base)
            if name is not None and base not in found:
                found[base] = name
                queue.append(base)
    return list(found.values())


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
