"""Critical sections: ``!locks``, ``!cs``, ``!critsec``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.base import Document
from analyzers.windbg.text import HEX, MAX_ITEMS, Line, number
from workbench.model.facts import CriticalSection

# "CritSec winsrv!_ScrollBufferLock at 5ffa9f9c", "CritSec ntdll!LdrpLoaderLock+0 at 7c97e178".
_NAMED = re.compile(rf"^\s*CritSec (?P<name>\S.{{0,300}}?)? ?at (?P<address>{HEX})\b")
# "Critical section   = 0x00007ff6`1234 (app!g_lock+0x0)", "Cs at 0x7c97e178".
_CS = re.compile(
    rf"^\s*(?:Critical section\s*=|Cs at)\s+(?P<address>{HEX})(?:\s+\((?P<name>[^()]{{1,300}})\))?"
)
# kd: "Resource @ nwrdr!_Lock (0xfc664ee0)    Exclusively owned", "Resource @ 0x80e97620 Shared 1".
_RESOURCE = re.compile(
    rf"^\s*Resource @ (?:(?P<name>\S{{1,300}}!\S{{1,300}}) \((?P<inside>{HEX})\)"
    rf"|(?P<address>{HEX}))"
    r"(?:\s+(?P<how>Exclusively owned|Shared \d{1,6} owning threads))?"
)
_RESOURCE_OWNER = re.compile(rf"^\s*Threads?:? =? ?(?P<owner>{HEX})(?:-(?P<count>\d{{1,4}})|,)")
_RESOURCE_WAITERS = re.compile(r"^\s*NumberOf\w+Waiters = (?P<count>\d{1,6})\b")
_FIELD = re.compile(
    rf"^\s*(?P<key>LockCount|RecursionCount|OwningThread|WaiterWoken|WaitingThreads|LockSemaphore)"
    rf"\s*=?\s+(?P<value>{HEX})\b"
)
_LOCKED = re.compile(r"^\s*(?:\*\*\* Locked|LOCKED\b)")
_FREE = re.compile(r"^\s*NOT LOCKED\b")
_COUNT = re.compile(r"(?:Number of |)[Ww]aiting threads\s*[=:]?\s+(?P<count>\d{1,6})\b")


@dataclass
class _Open:
    first: int
    address: int
    name: str | None
    last: int = 0
    locked: bool = False
    owner: int | None = None
    owner_line: int = 0
    entered: int | None = None
    lock_count: int | None = None
    waiting: int | None = None
    kind: str = "critical-section"


def read_locks(document: Document, lines: Sequence[Line]) -> list[CriticalSection]:
    """Every critical section that is shown, each with its own lines."""
    found: list[CriticalSection] = []
    now: _Open | None = None

    def close() -> None:
        nonlocal now
        if now is not None and len(found) < MAX_ITEMS:
            found.append(_fact(document, now))
        now = None

    for line in lines:
        if line.prompt:
            close()
            continue
        head = _NAMED.match(line.text) or _CS.match(line.text)
        if head is not None:
            close()
            now = _Open(line.number, number(head["address"]), _clean(head["name"]), line.number)
            continue
        resource = _RESOURCE.match(line.text)
        if resource is not None:
            close()
            where = number(resource["inside"] or resource["address"])
            now = _Open(line.number, where, _clean(resource["name"]), line.number, kind="resource")
            now.locked = resource["how"] is not None
        elif now is not None:
            _read(now, line)
    close()
    return found


def _clean(name: str | None) -> str | None:
    """The symbol without an offset of nothing."""
    text = re.sub(r"\+(?:0x)?0+$", "", (name or "").strip())
    return text or None


def _read(now: _Open, line: Line) -> None:
    if now.kind == "resource":
        owner = _RESOURCE_OWNER.match(line.text) if now.owner is None else None
        waiters = _RESOURCE_WAITERS.match(line.text)
        if owner is not None and number(owner["owner"]):
            now.owner, now.owner_line = number(owner["owner"]), line.number
            now.locked, now.last = True, line.number
        elif waiters is not None:
            now.waiting, now.last = int(waiters["count"]), line.number
        return
    field = _FIELD.match(line.text)
    if field is not None:
        value, key = number(field["value"]), field["key"]
        now.last = line.number
        if key == "OwningThread":
            now.owner, now.owner_line = value or None, line.number
        elif key == "RecursionCount":
            now.entered = value
        elif key == "LockCount":
            now.lock_count = value
        elif key == "WaitingThreads":
            now.waiting = value
        return
    if _FREE.match(line.text):
        now.last = line.number
    elif _LOCKED.match(line.text):
        now.locked, now.last = True, line.number
    else:
        count = _COUNT.search(line.text)
        if count is not None:
            now.waiting, now.last = int(count["count"]), line.number


def _fact(document: Document, now: _Open) -> CriticalSection:
    return CriticalSection(
        cite=document.cite(now.first, now.last),
        address=now.address,
        name=now.name,
        locked=now.locked or now.owner is not None,
        owner=now.owner,
        entered=now.entered,
        lock_count=now.lock_count,
        waiting=now.waiting,
        owner_line=now.owner_line,
        kind=now.kind,
    )
