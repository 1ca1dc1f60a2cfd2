"""LC_NOTE of a Mach-O core (LLDB's ObjectFileMachO.cpp; XNU's osfmk/kern/kern_coredump.h)."""

import contextlib
import json
import struct
from collections.abc import Iterable

from msgspec import Struct

from workbench.targets.files import Buffer
from workbench.targets.macho.layout import Note

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
