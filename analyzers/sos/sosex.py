"""SOSEX beside SOS: ``!dlk`` (deadlocks), ``!mlocks`` (held), ``!mwaits`` (awaited), ``!rwlock``.

``!dlk`` names threads by the CLR's own ids, the tables by the system's too.
"""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks, read_rows
from analyzers.sos.text import lines_of
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Frame, Lock, LockCycle, Note, Role, Wait

_LOCK = (
    r"(?:the )?(?:a )?(?:(?:Reader|Writer|UpgradeableReader) )?(?:lock on )?"
    r"(?:SyncBlock|ReaderWriterLock(?:Slim)?|CriticalSection|thinlock) "
)
_ADDRESS = r"[0-9a-f`]{8,17}"
_HOLDS = re.compile(
    rf"(?i)^CLR thread 0x(?P<x_holder>[0-9a-f]{{1,8}}) holds {_LOCK}(?P<x_held>{_ADDRESS})"
)
_WAITS = re.compile(rf"(?i)^\.\.\.and is waiting (?:for|on) {_LOCK}(?P<x_awaited>{_ADDRESS})")
_AT = re.compile(
    r"^CLR Thread 0x[0-9a-f]{1,8} is waiting at (?:(?P<module>[\w.]{1,120})!)?"
    r"(?P<function>[^+\n]{1,1000}?)(?:\(\+0x|\+0x|$)"
)
_RING = Form((re.compile(r"^\*DEADLOCK DETECTED\*"),), rows=(_HOLDS, _WAITS, _AT))
_ROW = re.compile(
    r"(?i)^0x[0-9a-f]{1,8}\s+-?\d{1,6}\s+0x(?P<x_thread>[0-9a-f]{1,8})\s+"
    r"(?:(?P<rwlock>RWLock(?:Slim)?)|SyncBlock|CritSec\w*|CriticalSection|thinlock)\s+"
    r"(?P<x_lock>[0-9a-f]{8,16})\b"
)
# !rwlock: one lock's writer and those that wait (ReaderWriterLock's own words).
_FIELD = re.compile(
    r"(?i)^\s*(?:(?P<writer>Writer ?Thread)|(?P<lock>Lock|Instance))\w*\s*[:=]\s*"
    r"(?:0x)?(?P<x_value>[0-9a-f]{1,16})\b"
)
_ORPHAN = 0xFFFFFFFF


def read(document: Document) -> list[AnyFact]:
    """Who holds and who waits for what; a ring that ``!dlk`` found, as it says it."""
    lines = lines_of(document)
    scanned = (n for n, line in lines if line.startswith("Scanning for threads waiting"))
    waiting = next(scanned, len(lines) + 1)
    found: list[AnyFact] = []
    for row in read_rows(_ROW, lines):
        cite, thread, lock = document.cite(row["line"]), row["thread"], row["lock"]
        if row["line"] > waiting:
            kind = "rwlock" if row["rwlock"] else "mutex"
            found.append(Wait(cite=cite, thread=thread, kind=kind, address=lock))
        elif thread != _ORPHAN:
            found.append(Lock(cite=cite, owner=thread, address=lock))
    of = 0
    for row in read_rows(_FIELD, lines):
        if row["lock"]:
            of = row["value"]
        elif row["value"] not in (0, _ORPHAN) and of:
            found.append(Lock(cite=document.cite(row["line"]), owner=row["value"], address=of))
    return [*found, *_ring(document, lines)]


def _ring(document: Document, lines: list[tuple[int, str]]) -> Iterator[AnyFact]:
    """What ``!dlk`` printed: the finding, each wait with its owner, and the ring where they close
    one."""
    blocks = read_blocks(_RING, lines)
    if not blocks:
        return
    rows = [row for block in blocks for row in block.rows]
    cite = document.cite(blocks[0].first, max(block.last for block in blocks))
    owners: dict[int, int] = {}
    waits: list[Wait] = []
    stacks: list[Role] = []
    holder = 0
    for row in rows:
        line = row["line"]
        if "held" in row:
            holder = owners[row["held"]] = row["holder"]
        elif "awaited" in row:
            at = document.cite(line - 1, line)
            waits.append(Wait(cite=at, thread=holder, kind="mutex", address=row["awaited"]))
        else:
            frame = Frame(
                index=len(stacks), line_no=line, function=row["function"], module=row["module"]
            )
            title = f"thread {len(stacks)}"
            stacks.append(Role(role="access", title=title, line=line, last=line, frames=(frame,)))
    texts = dict(lines)
    said = [row["line"] for row in rows if "function" not in row]
    yield Finding(
        cite=cite,
        tool="SOSEX",
        kind="deadlock",
        message="DEADLOCK DETECTED",
        line=blocks[0].first,
        rank=0,
        category=Category.DEADLOCK,
        stacks=tuple(stacks[:8]),
        notes=tuple(Note(text=texts[line].strip(), line=line) for line in said[:12]),
    )
    yield from (replace(wait, owner=owners.get(wait.address or 0)) for wait in waits)
    locks = tuple(wait.address for wait in waits if wait.address in owners)
    if 1 < len(locks) == len(waits):
        threads = tuple(wait.thread for wait in waits)
        yield LockCycle(cite=cite, threads=threads, locks=locks)
