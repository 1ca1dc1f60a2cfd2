"""Critical sections: ``!locks``, ``!cs``, ``!critsec``."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks
from analyzers.windbg.text import HEX, MAX_ITEMS, Line, plain
from workbench.model.facts import Lock

# "CritSec winsrv!_ScrollBufferLock at 5ffa9f9c", "CritSec ntdll!LdrpLoaderLock+0 at 7c97e178";
# "Critical section   = 0x00007ff6`1234 (app!g_lock+0x0)", "Cs at 0x7c97e178".
_SECTION = re.compile(
    rf"^\s*(?:CritSec (?P<name>\S.{{0,300}}?)? ?at (?P<x_address>{HEX})\b"
    rf"|(?:Critical section\s*=|Cs at)\s+(?P<x_address_>{HEX})"
    r"(?:\s+\((?P<name_>[^()]{1,300})\))?)"
)
# kd: "Resource @ nwrdr!_Lock (0xfc664ee0)    Exclusively owned", "Resource @ 0x80e97620 Shared 1".
_RESOURCE = re.compile(
    rf"^\s*Resource @ (?:(?P<name>\S{{1,300}}!\S{{1,300}}) \((?P<x_address>{HEX})\)"
    rf"|(?P<x_address_>{HEX}))"
    r"(?:\s+(?P<locked>Exclusively owned|Shared \d{1,6} owning threads))?"
)
_FIELDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^\s*OwningThread\s*=?\s+(?P<x_owner>{HEX})\b",
        rf"^\s*RecursionCount\s*=?\s+(?P<x_entered>{HEX})\b",
        rf"^\s*LockCount\s*=?\s+(?P<x_lock_count>{HEX})\b",
        rf"^\s*WaitingThreads\s*=?\s+(?P<x_waiting>{HEX})\b",
        rf"^\s*(?:WaiterWoken|LockSemaphore)\s*=?\s+{HEX}\b",
        r"^\s*(?:NOT LOCKED\b|(?P<locked>\*\*\* Locked|LOCKED\b))",
        r".*?[Ww]aiting threads\s*[=:]?\s+(?P<d_waiting>\d{1,6})\b",
    )
)
_OWNER = re.compile(rf"^\s*Threads?:? =? ?(?P<x_owner>(?!(?:0x)?[0`]+\b){HEX})(?:-\d{{1,4}}|,)")
_WAITERS = re.compile(r"^\s*NumberOf\w+Waiters = (?P<d_waiting>\d{1,6})\b")
_FORMS = {
    "critical-section": Form((_SECTION,), _FIELDS, end=_RESOURCE),
    "resource": Form((_RESOURCE,), (_WAITERS,), (_OWNER,), end=_SECTION, most=1),
}


def read_locks(document: Document, lines: Sequence[Line]) -> list[Lock]:
    """Every critical section and resource that is shown, each with its own lines."""
    found: list[Lock] = []
    for kind, form in _FORMS.items():
        for block in read_blocks(form, plain(lines)):
            said = block.rows[0] if block.rows else {}
            owner = said.get("owner") or block.values.get("owner") or None
            found.append(
                Lock(
                    cite=document.cite(block.first, block.last), kind=kind,
                    address=block.values["address"], name=_clean(block.values["name"]),
                    locked=bool(block.values.get("locked") or owner), owner=owner,
                    owner_line=said.get("line") or block.where.get("owner", 0),
                    entered=block.values.get("entered"), waiting=block.values.get("waiting"),
                    lock_count=block.values.get("lock_count"),
                )
            )  # fmt: skip
    return sorted(found, key=lambda fact: fact.cite.first)[:MAX_ITEMS]


def _clean(name: str | None) -> str | None:
    """The symbol without an offset of nothing."""
    return re.sub(r"\+(?:0x)?0+$", "", (name or "").strip()) or None
