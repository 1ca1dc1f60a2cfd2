"""SOSEX beside SOS: ``!dlk`` (deadlocks), ``!mlocks`` (held), ``!mwaits`` (awaited), ``!rwlock``.

``!dlk`` names threads by the CLR's own ids, the tables by the system's too.
"""

import re

from analyzers.base import MAX_ITEMS, Document
from analyzers.sos.text import lines_of
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Frame, Lock, LockCycle, Note, Role, Wait

_LOCK = (
    r"(?:the )?(?:a )?(?:(?:Reader|Writer|UpgradeableReader) )?(?:lock on )?"
    r"(?P<kind>SyncBlock|ReaderWriterLock(?:Slim)?|CriticalSection|thinlock) "
    r"(?P<lock>[0-9a-f`]{8,17})"
)
_HOLDS = re.compile(rf"^CLR thread 0x(?P<thread>[0-9a-f]{{1,8}}) holds {_LOCK}", re.IGNORECASE)
_WAITS = re.compile(rf"^\.\.\.and is waiting (?:for|on) {_LOCK}", re.IGNORECASE)
_AT = re.compile(
    r"^CLR Thread 0x(?P<thread>[0-9a-f]{1,8}) is waiting at (?:(?P<module>[\w.]{1,120})!)?"
    r"(?P<function>[^+\n]{1,1000}?)(?:\(\+0x|\+0x|$)"
)
_ROW = re.compile(
    r"(?i)^0x(?P<clr>[0-9a-f]{1,8})\s+(?P<number>-?\d{1,6})\s+0x(?P<thread>[0-9a-f]{1,8})\s+"
    r"(?P<kind>SyncBlock|RWLock(?:Slim)?|CritSec\w*|CriticalSection|thinlock)\s+"
    r"(?P<lock>[0-9a-f]{8,16})\b"
)
# !rwlock: one lock's writer and those that wait (ReaderWriterLock's own words).
_FIELD = re.compile(
    r"(?i)^\s*(?P<key>Writer ?Thread|(?:Waiting|Held) ?Readers?|Lock|Instance)\w*\s*[:=]\s*"
    r"(?:0x)?(?P<value>[0-9a-f]{1,16})\b"
)
_ORPHAN = 0xFFFFFFFF
_FOUND = "*DEADLOCK DETECTED*"


def read(document: Document) -> list[AnyFact]:
    """Who holds and who waits for what; a ring that ``!dlk`` found, as it says it."""
    found: list[AnyFact] = []
    waiting = ring = False
    first = held = 0
    notes: list[Note] = []
    waits: list[tuple[int, int, int]] = []  # thread, lock, line
    owners: dict[int, int] = {}
    frames: list[Frame] = []
    rwlock = 0
    for number, line in lines_of(document):
        if len(found) + len(waits) >= MAX_ITEMS:
            break
        waiting = waiting or line.startswith("Scanning for threads waiting")
        if line.startswith(_FOUND):
            ring, first = True, first or number
        if (row := _ROW.match(line)) is not None:
            thread, lock = int(row["thread"], 16), int(row["lock"], 16)
            if waiting:
                kind = "rwlock" if row["kind"].startswith("RW") else "mutex"
                found.append(
                    Wait(cite=document.cite(number), thread=thread, kind=kind, address=lock)
                )
            elif thread != _ORPHAN:
                found.append(Lock(cite=document.cite(number), owner=thread, address=lock))
        elif (hold := _HOLDS.match(line)) is not None and ring:
            held = int(hold["thread"], 16)
            owners[_address(hold["lock"])] = held
            notes.append(Note(text=line.strip(), line=number))
        elif (wait := _WAITS.match(line)) is not None and ring:
            waits.append((held, _address(wait["lock"]), number))
            notes.append(Note(text=line.strip(), line=number))
        elif (at := _AT.match(line)) is not None and ring:
            frames.append(
                Frame(
                    index=len(frames),
                    function=at["function"].strip(),
                    module=at["module"],
                    line_no=number,
                )
            )
        elif (field := _FIELD.match(line)) is not None:
            value = int(field["value"], 16)
            if field["key"].lower() in ("lock", "instance"):
                rwlock = value
            elif field["key"].lower().startswith("writer") and value not in (0, _ORPHAN) and rwlock:
                found.append(Lock(cite=document.cite(number), owner=value, address=rwlock))
    if ring:
        found += _ring(document, first, waits, owners, frames, notes)
    return found


def _address(text: str) -> int:
    return int(text.replace("`", ""), 16)


def _ring(
    document: Document,
    first: int,
    waits: list[tuple[int, int, int]],
    owners: dict[int, int],
    frames: list[Frame],
    notes: list[Note],
) -> list[AnyFact]:
    """What ``!dlk`` printed: the finding, each wait with its owner, and the ring where they close
    one."""
    last = max([first, *(note.line for note in notes), *(frame.line_no for frame in frames)])
    stacks = tuple(
        Role(role="access", title=f"thread {at}", line=f.line_no, last=f.line_no, frames=(f,))
        for at, f in enumerate(frames[:8])
    )
    facts: list[AnyFact] = [
        Finding(
            cite=document.cite(first, last),
            tool="SOSEX",
            kind="deadlock",
            message="DEADLOCK DETECTED",
            line=first,
            rank=0,
            category=Category.DEADLOCK,
            stacks=stacks,
            notes=tuple(notes[:12]),
        )
    ]
    facts += [
        Wait(
            cite=document.cite(line - 1, line),
            thread=thread,
            kind="mutex",
            address=lock,
            owner=owners.get(lock),
        )
        for thread, lock, line in waits
    ]
    closed = [(thread, lock) for thread, lock, _ in waits if lock in owners]
    if len(closed) > 1 and len(closed) == len(waits):
        threads, locks = zip(*closed, strict=True)
        facts.append(LockCycle(cite=document.cite(first, last), threads=threads, locks=locks))
    return facts
