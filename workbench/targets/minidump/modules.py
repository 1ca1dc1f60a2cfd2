"""Loaded and unloaded modules with their versions and debug records (MINIDUMP_MODULE).

The CodeView record names the build: ``RSDS`` a PDB's GUID and age (on Linux and macOS what
Breakpad made of the build id or UUID), ``BpEL`` an ELF build id.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from workbench.targets.minidump.streams import MODULES, UNLOADED, Raw, Streams
from workbench.targets.modules import CoreModule
from workbench.targets.plain import one_line

_MAX_MODULES = 20_000
_MAX_RECORD = 1 << 12
_FIXED_INFO = 0xFEEF04BD
_LONGEST_PATH = 1024
_SEPARATORS = re.compile(r"[/\\]")


class DumpModule(CoreModule, eq=False, dict=True):
    """A loaded module. ``build_id`` is the ELF build id, the Mach-O UUID, or a PDB's GUID with its
    age, in hexadecimal; ``debug_file`` the PDB's name; ``stamp`` the linker's time stamp;
    ``identity`` the record's own bytes, which are those of an ELF build id on Linux."""

    version: str | None = None
    debug_file: str | None = None
    stamp: int = 0
    identity: str | None = None

    @property
    def name(self) -> str:
        """The last part of its path, whichever way its slashes go."""
        return last_part(self.path)


class UnloadedModule(Struct, frozen=True):
    """A module that was unloaded before the dump, at [base, end)."""

    name: str
    base: int
    end: int


class Debug(Struct, frozen=True):
    """What a CodeView record says."""

    build_id: str | None = None
    file: str | None = None
    identity: str | None = None


def last_part(path: str) -> str:
    """A file's name of a path with slashes or backslashes."""
    return _SEPARATORS.split(path)[-1] or path


def read_modules(streams: Streams) -> list[DumpModule]:
    """Every module in the order of the dump: the program is the first."""
    raw = streams.raw
    found = []
    for fields in streams.items(MODULES, "QIIII13III", _MAX_MODULES, 108):
        base, size, _, stamp, name, *info, debug_size, debug_at = fields
        debug = _debug(raw.read(debug_at, min(debug_size, _MAX_RECORD)), raw)
        path = one_line(raw.utf16(name) or "unnamed module", _LONGEST_PATH)
        found.append(
            DumpModule(
                path=path,
                base=base,
                end=min(base + size, (1 << 64) - 1),
                build_id=debug.build_id,
                bias=base,
                file=None,
                status="missing",
                image=None,
                version=_version(info),
                debug_file=debug.file,
                stamp=stamp,
                identity=debug.identity,
            )
        )
    return found


def read_unloaded(streams: Streams) -> list[UnloadedModule]:
    """Every module that was unloaded."""
    found = []
    for fields in streams.sized_items(UNLOADED, "III", "QIIII", _MAX_MODULES):
        base, length, _, _, name = fields
        path = one_line(streams.raw.utf16(name) or "unnamed module", _LONGEST_PATH)
        found.append(UnloadedModule(last_part(path), base, base + length))
    return found


def _version(info: Sequence[int]) -> str | None:
    """The file's version of a VS_FIXEDFILEINFO; None where the record is none or says zero."""
    high, low = info[2], info[3]
    if info[0] != _FIXED_INFO or not (high or low):
        return None
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"


def _debug(record: bytes, raw: Raw) -> Debug:
    kind = record[:4] if raw.order == "<" else record[3::-1]
    if kind == b"RSDS" and len(record) >= 24:
        guid = record[4:20]
        if raw.order == "<":
            guid = guid[3::-1] + guid[5:3:-1] + guid[7:5:-1] + guid[8:]
        age = int.from_bytes(record[20:24], "little" if raw.order == "<" else "big")
        return Debug(f"{guid.hex()}{age:x}", _text(record[24:]), record[4:20].hex())
    if kind == b"LEpB" and len(record) > 4:
        return Debug(record[4:68].hex() or None, None, record[4:68].hex())
    if kind == b"NB10" and len(record) >= 16:
        order = "little" if raw.order == "<" else "big"
        stamp, age = (int.from_bytes(record[at : at + 4], order) for at in (8, 12))  # type: ignore[arg-type]
        return Debug(f"{stamp:08x}{age:x}", _text(record[16:]))
    return Debug()


def _text(raw: bytes) -> str | None:
    return one_line(raw.split(b"\0", 1)[0].decode("utf-8", "replace"), _LONGEST_PATH) or None
