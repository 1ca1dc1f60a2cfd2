"""Rows that several facts give together: who called whom, how many threads, what all of them do."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from workbench.claims.rows import Row, overlaps
from workbench.claims.values import number, same
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Value
from workbench.model.facts import (
    Fact,
    FactBook,
    Frame,
    Hit,
    Lock,
    LockCycle,
    Monitors,
    Process,
    Stack,
    StackGroups,
    Threads,
    Wait,
)

if TYPE_CHECKING:
    from workbench.claims.book import Book

_REPEATS = 3


def _caller(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    for stack in book.stacks(near):
        for inner, outer in zip(stack.frames, stack.frames[1:], strict=False):
            if inner.function and outer.function and inner.index + 1 == outer.index:
                values: dict[str, Value] = {"function": inner.function, "caller": outer.function}
                yield row_of(threaded(values, stack), stack, outer)


def _repeats(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    for stack in book.stacks(near):
        seen: dict[str, int] = {}
        for frame in stack.frames:
            values: dict[str, Value] = {}
            for name, value in (("function", frame.function), ("address", frame.address)):
                key = f"{name} {value}"
                seen[key] = seen.get(key, 0) + 1
                if value and seen[key] == _REPEATS:
                    values[name] = value
            if values:
                yield row_of(values, stack, frame)


def _threads_in(book: "Book", claim: Claim) -> Iterator[Row]:
    wanted, found = str(claim.get("function") or ""), dict[int, tuple[Stack, Frame]]()
    stacks = book.facts.all(Stack)
    # A listing of the selected thread alone does not say whose it is.
    for stack in [each for each in stacks if each.thread is not None] or stacks:
        for frame in stack.frames:
            if frame.function and same("name", frame.function, wanted):
                found.setdefault(stack.thread or -(stack.number or 0), (stack, frame))
                break
    for stack, frame in list(found.values())[:1]:
        count: dict[str, Value] = {"what": "threads", "function": wanted, "count": len(found)}
        yield row_of(count, stack, frame)


def _waiting(book: "Book", claim: Claim) -> Iterator[Row]:
    """How many threads wait for what a statement names; none, and of how many, only where each
    one's state is known."""
    inferred = [f for f in book.inferred.all(Wait) if f.blocks]
    waits = {wait.thread: wait for wait in (*book.facts.all(Wait), *inferred)}
    wanted = {name: claim.get(name) for name in ("kind", "lock", "owner")}
    found = [
        wait
        for wait in waits.values()
        if wait.blocks
        and wanted["kind"] in (None, wait.kind)
        and (wanted["lock"] is None or wait.address == number(wanted["lock"]))
        and (wanted["owner"] is None or wait.owner == number(wanted["owner"]))
    ]
    threads = {tid for process in book.facts.all(Process) for tid in process.threads}
    threads = threads or set(waits)
    cites = [wait.cite for wait in found or waits.values()]
    known = threads <= waits.keys()
    if not cites or not (found or known):
        return
    values: dict[str, Value] = {n: value for n, value in wanted.items() if value is not None}
    if known:
        values["total"] = len(threads)
        rest = threads - {wait.thread for wait in found}
        if len(rest) == 1 and len(values) == 1:
            (values["but"],) = rest
            cites.append(waits[min(rest)].cite)
    cite = _across(cites)
    yield Row({"what": "waiting", **values, "count": len(found)}, cite, cite)


def _held(facts: FactBook) -> Iterator[tuple[int | None, Citation]]:
    yield from ((wait.owner, wait.cite) for wait in facts.all(Wait) if wait.kind != "join")
    yield from ((lock.owner, lock.cite) for lock in facts.all(Lock))
    for monitors in facts.all(Monitors):
        yield from ((row.owner, _at(monitors.cite, row.line)) for row in monitors.items)


def _in_ring(facts: FactBook) -> Iterator[tuple[int | None, Citation]]:
    yield from ((tid, ring.cite) for ring in facts.all(LockCycle) for tid in ring.threads)


TALLIES: dict[str, Callable[[FactBook], Iterator[tuple[int | None, Citation]]]] = {
    "hold": _held,
    "ring": _in_ring,
}


def tallied(what: str, facts: FactBook, inferred: FactBook) -> dict[int, Citation]:
    """The threads of the process (TIDs) that a word of ``count`` is of, each with a line that says
    so; empty where nothing tells of any, which does not mean that there are none."""
    alive = {tid for process in facts.all(Process) for tid in process.threads}
    found: dict[int, Citation] = {}
    for book in (facts, inferred) if what in TALLIES else ():
        for tid, cite in TALLIES[what](book):
            if tid is not None and (tid in alive or not alive):
                found.setdefault(tid, cite)
    return found


def _across(cites: list[Citation]) -> Citation:
    """The lines of the first one's item from the first to the last that is cited."""
    lines = [cite for cite in cites if cite.evidence == cites[0].evidence]
    first, last = min(c.first for c in lines), max(c.last or c.first for c in lines)
    return Citation(cites[0].evidence, first, last)


def _thread(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    """Owners of locks that are no thread of the process."""
    threads = {tid for process in book.facts.all(Process) for tid in process.threads}
    for wait in book.facts.all(Wait) if threads else ():
        if wait.owner is not None and wait.owner not in threads:
            yield Row({"thread": wait.owner, "state": "gone"}, wait.cite, wait.cite)


def _count(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    counted = [(p.cite, len(p.threads)) for p in book.facts.all(Process) if p.threads]
    counted += [(listed.cite, len(listed.items)) for listed in book.facts.all(Threads)]
    counted += [(groups.cite, groups.total) for groups in book.facts.all(StackGroups)]
    for cite, count in counted:
        yield Row({"what": "threads", "count": count}, cite, cite)
    yield from _threads_in(book, claim)
    yield from _waiting(book, claim)
    for what in TALLIES:
        if found := tallied(what, book.facts, book.inferred):
            cite = _across(list(found.values()))
            yield Row({"what": what, "count": len(found)}, cite, cite)


def _mapped(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    address = _address(claim)
    memory = book.regions
    if address is None or memory is None or not memory.regions:
        return
    region = memory.region(address)
    if region is None:
        yield Row({"address": address, "kind": "unmapped"}, memory.cite, memory.cite)
        return
    values: dict[str, Value] = {"address": address, "kind": region.kind, "perms": region.perms,
                                "start": region.start, "end": region.end}  # fmt: skip
    if region.path:
        values["path"] = region.path
    yield Row(values, _at(memory.cite, region.line), memory.cite)


def _address(claim: Claim) -> int | None:
    stated = claim.get("address")
    return number("" if stated is None else stated)


def threaded(values: dict[str, Value], stack: Stack) -> dict[str, Value]:
    """The values with the thread of the stack, where that is known."""
    if stack.thread is not None:
        values["thread"] = stack.thread
    return values


def row_of(values: dict[str, Value], stack: Fact, frame: Frame) -> Row:
    """A row of the line of a frame."""
    line = frame.line_no
    cite = Citation(stack.cite.evidence, line, line) if line else stack.cite
    return Row(values, cite, stack.cite)


def _at(cite: Citation, line: int) -> Citation:
    return Citation(cite.evidence, line, line) if line else cite


def _hit(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    """What runs showed, a row for each frame; of a block also what lies inside."""
    inside = claim.get("inside")
    for hit in book.facts.all(Hit):
        if near and not any(overlaps(hit.cite, c) for c in near):
            continue
        named = ("role", "cell", "size", "old", "new", "into", "signal")
        told = {name: value for name in named if (value := getattr(hit, name)) is not None}
        if isinstance(inside, int) and hit.holds(inside):
            told["inside"] = inside
        for frame in hit.frames or (Frame(index=0),):
            place = {"function": frame.function, "file": frame.file, "line": frame.line,
                     "address": frame.address}  # fmt: skip
            known = {name: value for name, value in place.items() if value is not None}
            yield row_of({**told, **known}, hit, frame)


ROWS = {
    "caller": _caller, "repeats": _repeats, "thread": _thread, "count": _count, "mapped": _mapped,
    "role": _hit,
}  # fmt: skip
"""By kind."""
