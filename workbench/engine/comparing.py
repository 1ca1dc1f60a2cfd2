"""What two reports share and in what they differ, a table of what is compared; and whether a
signature has been seen before: other sessions beside this one are asked, by code alone."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from analyzers.owners.functions import is_runtime_name
from analyzers.owners.printed import is_entry
from analyzers.signature import DELIMITER
from workbench.agents.report.findings import crash_type, exception_info
from workbench.agents.report.signature import signature_of
from workbench.agents.report.writer import build_report
from workbench.engine.viewing import believed
from workbench.model.category import Category
from workbench.model.report import Report
from workbench.model.session_events import Earlier, Recognised
from workbench.model.text import counted
from workbench.store.catalog import with_signature
from workbench.store.errors import StoreError
from workbench.store.session_row import SessionRow
from workbench.store.summary import program_of
from workbench.store.vouching import is_made_here

if TYPE_CHECKING:
    from workbench.engine.session import Session


_TOLD, _FEW = 5, 3


async def recognise(session: "Session") -> Recognised | None:
    """The signature as it is known now, with what had the same one; None where there is none, or
    it was told already. What the report of the latest says otherwise is told once this one has
    a conclusion."""
    state = session.state
    ended_as = crash_type(state, (state.category or Category.UNKNOWN).value)
    found = signature_of(state, exception_info(state), ended_as)
    if found is None:
        return None
    base = session.folder.parent
    alike = await asyncio.to_thread(
        with_signature, base, found.text, found.stack_hash, session.session_id
    )
    program = program_of(state)
    rows = [row for row in alike if _may_be_same(program, row.program, found.text)]
    differs: tuple[str, ...] = ()
    if rows and state.conclusion is not None:
        with suppress(StoreError):
            async with believed(base / rows[0].session_id) as (_, before):
                # What is compared quotes no text.
                differs = differences(*(build_report(one, lambda _: "") for one in (before, state)))
    recognised = Recognised(
        signature=found.text,
        stack_hash=found.stack_hash,
        count=len(rows),
        earlier=await asyncio.to_thread(
            lambda: tuple(_earlier(session, row) for row in rows[:_TOLD])
        ),
        differs=differs,
    )
    return None if recognised == state.about.recognised else recognised


def _may_be_same(program: str, other: str, signature: str) -> bool:
    """False of two programs; where a log does not name its own, the signature has to name more than
    ``main``, which each program has."""
    if program and other:
        return program == other
    return not is_entry(signature.rpartition(DELIMITER)[2])


def _earlier(session: "Session", row: SessionRow) -> Earlier:
    """What counts of it, as long as all of it was recorded here."""
    vouched = False
    with suppress(StoreError):
        vouched = is_made_here(session.folder.parent / row.session_id)
    return Earlier(
        session_id=row.session_id,
        at=row.updated_at,
        category=row.category,
        confirmed=row.proved if vouched else (),
    )


_LISTED, _FRAMES = 20, 3

Values = tuple[str, ...]


class Compared(Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing of two dumps: what both have, what only the first has, what only the second."""

    what: str
    shared: Values
    only_first: Values
    only_second: Values


def _known(*values: object) -> Values:
    return tuple(str(value) for value in values if value is not None)


def _locks(report: Report) -> Iterable[str]:
    alike = Counter(
        f"{lock.kind}, {'held, ' if lock.owner is not None else ''}{len(lock.waiters)} waiting"
        for lock in report.analysis.synchronization.locks
    )
    return (f"{many} x {told}" if many > 1 else told for told, many in alike.items())


def _groups(report: Report) -> Iterable[str]:
    """What each group does, and where in the program: whoever waits stands in the same functions of
    the C library."""
    for group in report.analysis.threads.groups:
        names = [frame.function for frame in group.stack_trace if frame.function]
        first = next((at for at, name in enumerate(names) if not is_runtime_name(name)), 0)
        does = (group.waits_for or group.state or "").partition(" ")[0]
        calls = " < ".join(names[first : first + _FRAMES])
        yield ": ".join(filter(None, (does, calls))) or "unknown"


def _modules(report: Report) -> Iterable[str]:
    for one in report.analysis.modules:
        yield " ".join(_known(one.name, one.version or one.build_id))


_WHAT: dict[str, Callable[[Report], Iterable[str]]] = {
    "signature": lambda r: _known(r.analysis.summary.signature),
    "stack hash": lambda r: _known(r.analysis.summary.stack_hash),
    "category": lambda r: _known(r.analysis.ai_analysis.category),
    "root cause": lambda r: _known(r.analysis.ai_analysis.root_cause),
    "exception": lambda r: _known(r.analysis.exception.type),
    "signal": lambda r: _known(r.analysis.exception.signal, r.analysis.exception.signal_code),
    "message": lambda r: _known(r.analysis.exception.message),
    "fault address": lambda r: _known(r.analysis.exception.fault_address),
    "executable": lambda r: _known(r.metadata.executable),
    "system": lambda r: _known(r.analysis.environment.os, r.analysis.environment.arch),
    "threads": lambda r: _known(r.analysis.threads.count),
    "stacks": _groups,
    "locks": _locks,
    "deadlocks": lambda r: (
        counted(len(ring), "thread") for ring in r.analysis.synchronization.deadlocks
    ),
    "heap": lambda r: (
        f"{counted(one.in_use, 'chunk')} in use, {one.free:,} free"
        for one in r.analysis.memory.heaps or ()
    ),
    "modules": _modules,
}


def _types(report: Report, names: Iterable[str]) -> Iterable[str]:
    """What each of these types takes. One that a report does not list may be there too: it lists
    those that fill the heap."""
    top = {one.name: one for one in report.analysis.memory.top_types or ()}
    for name in names if top else ():
        one = top.get(name)
        takes = f"{counted(one.count, 'object')}, {one.bytes:,} bytes" if one else "not listed"
        yield f"{name}: {takes}"


def compare(first: Report, second: Report) -> list[Compared]:
    """Each thing that one of the two has."""
    found = []
    tops = [one.name for r in (first, second) for one in r.analysis.memory.top_types or ()]
    types = {"heap types": lambda r: _types(r, dict.fromkeys(tops))}
    for what, values in (_WHAT | types).items():
        one, other = dict.fromkeys(values(first)), dict.fromkeys(values(second))
        if one or other:
            found.append(
                Compared(what=what, shared=tuple(v for v in one if v in other),
                         only_first=tuple(v for v in one if v not in other),
                         only_second=tuple(v for v in other if v not in one)))  # fmt: skip
    return found


def differences(before: Report, now: Report) -> tuple[str, ...]:
    """What is otherwise now, a line each."""
    return tuple(
        f"{each.what}: {_few(each.only_second)} (before: {_few(each.only_first)})"
        for each in compare(before, now)
        if each.only_first or each.only_second
    )


def _few(values: Values) -> str:
    more = f" and {len(values) - _FEW} more" if len(values) > _FEW else ""
    return "; ".join(values[:_FEW]) + more or "none"


def as_text(found: list[Compared], first: str, second: str) -> str:
    """For people: what differs, then what is shared."""
    lines = [f"A: {first}", f"B: {second}", "", "Differs:"]
    for each in found:
        if each.only_first or each.only_second:
            lines.append(f"  {each.what}")
            lines += [f"    A  {value}" for value in _listed(each.only_first)]
            lines += [f"    B  {value}" for value in _listed(each.only_second)]
    lines += ["  nothing", "", "Shared:"] if lines[-1] == "Differs:" else ["", "Shared:"]
    for each in found:
        if each.shared:
            lines.append(f"  {each.what}: {_few(each.shared)}")
    return "\n".join(lines)


def _listed(values: Values) -> list[str]:
    more = len(values) - _LISTED
    return [*values[:_LISTED], *([f"and {more} more"] if more > 0 else [])] or ["none"]
