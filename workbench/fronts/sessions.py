"""What the command line does with saved sessions: each function prints, and returns the status."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from workbench.debuggers.private_folder import sweep_out
from workbench.delivery import check_output, deliver, say
from workbench.engine.archive import export as write
from workbench.engine.archive import take_in
from workbench.engine.comparing import as_text, compare
from workbench.engine.copying import fork as make
from workbench.engine.journal import utc_now
from workbench.engine.viewing import believed, report_of, report_text, trail_of
from workbench.model.events import PhaseEntered
from workbench.model.session_events import Labelled
from workbench.model.text import counted, human_size, json_text, printable
from workbench.store.catalog import find_session
from workbench.store.cleaning import delete, outdated, unused
from workbench.store.errors import SessionBusy, StoreError
from workbench.store.lock import is_held
from workbench.store.session_store import SessionStore
from workbench.store.summary import folder_size, summarise
from workbench.targets.errors import TargetError


async def show(base: Path, session_id: str, format: str) -> int:
    """One session. Raises `StoreError`."""
    folder = find_session(base, session_id)
    async with believed(folder) as (store, state):
        rows = await store.events()
        trail = await trail_of(store, state)
        damaged = {}
        for id in state.evidence:
            try:
                await store.check(id)
            except StoreError as error:
                damaged[id] = str(error)
    about, recognised = state.about, state.about.recognised
    told: dict[str, Any] = {
        **msgspec.to_builtins(summarise(state, folder.name, folder_size(folder))),
        "folder": str(folder),
        "open": is_held(folder),
        "notes": about.notes,
        "question": state.options.issue,
        "events": state.seq,
        "phases": [
            {"event": row.seq, "at": row.at.isoformat(), "phase": row.event.phase.value}
            for row in rows
            if isinstance(row.event, PhaseEntered)
        ],
        "seenBefore": [e.session_id for e in recognised.earlier] if recognised else [],
        "forkedFrom": about.forked.session_id if about.forked else None,
        "damaged": damaged,
        "trail": trail,
    }
    if format == "json":
        deliver(json_text(told), None)
    else:
        deliver("\n".join(map(printable, _shown(told))), None)
    return 0


_ELSEWHERE = (
    "made elsewhere: nothing vouches for it; what follows was drawn again here from its texts "
    "(`workbench verify` runs its commands, once `workbench sessions import` has taken it over)"
)


def _shown(told: dict[str, Any]) -> list[str]:
    listed = ("phases", "trail", "notes", "damaged", "seenBefore", "madeElsewhere")
    lines = [_ELSEWHERE] if told["madeElsewhere"] else []
    lines += [
        f"{name}: {', '.join(value) if isinstance(value, tuple) else value}"
        for name, value in told.items()
        if name not in listed and value
    ]
    lines += [f"note: {one}" for one in told["notes"]]
    lines += [f"same signature: {id}" for id in told["seenBefore"]]
    lines += [f"event {one['event']}: {one['phase']}, {one['at']}" for one in told["phases"]]
    for one in told["trail"]:
        size = f"{one['size']} B, {counted(one['lines'], 'line')}"
        lines.append(f"{one['id']} {one['command']} ({size}): {one['intent']}")
        overall = one["overallFindings"] or {}
        said = [one["summary"], overall.get("summary"), overall.get("rootCause")]
        said += one["findings"]
        said += [
            f"lines {chunk['first']}-{chunk['last']}: {chunk['analysis'].get('summary')}"
            for chunk in one["chunks"]
        ]
        lines += [f"    {text}" for text in dict.fromkeys(said) if text]
    return lines + list(told["damaged"].values())


async def fork(base: Path, session_id: str, at: int | None) -> int:
    """A new session from an older one's beginning. Raises `StoreError`."""
    deliver((await make(find_session(base, session_id), at, utc_now())).name, None)
    return 0


async def diff(base: Path, first: str, second: str, format: str) -> int:
    """What two sessions' dumps share, and what differs. Raises `StoreError`."""
    one, other = find_session(base, first), find_session(base, second)
    found = compare(await report_of(one), await report_of(other))
    if format == "json":
        told = {"first": one.name, "second": other.name, "compared": found}
        deliver(json_text(told), None)
    else:
        lines = as_text(found, one.name, other.name).split("\n")
        deliver("\n".join(map(printable, lines)), None)
    return 0


async def export(base: Path, session_id: str, output: Path | None, *, redact: bool) -> int:
    """One archive of a session. Raises `StoreError`, `TargetError` and `OSError`."""
    folder = find_session(base, session_id)
    target = output or Path(f"{folder.name}.zip")
    check_output(target)
    deliver(str(await write(folder, target, redact=redact)), None)
    return 0


async def take_over(base: Path, file: Path, *, trusted: bool) -> int:
    """A session made elsewhere becomes one of ours. Raises `StoreError`."""
    deliver((await take_in(file, base, trusted=trusted)).name, None)
    return 0


async def label(
    base: Path, session_id: str, *, name: str | None = None, pinned: bool | None = None,
    note: str | None = None,
) -> int:  # fmt: skip
    """Name, pin or note. Raises `StoreError`."""
    labelled = Labelled(name=name, pinned=pinned, note=note)
    try:
        await SessionStore.add(find_session(base, session_id), labelled, utc_now())
    except SessionBusy as error:
        if note is None:
            raise
        raise SessionBusy(f"{error}; i on its screen writes a note") from error
    return 0


async def report(base: Path, session_id: str, format: str, output: Path | None) -> int:
    """A saved session's report. Raises `StoreError`, `TargetError` and `OSError`."""
    if output is not None:
        check_output(output)
    deliver(await report_text(find_session(base, session_id), format), output)
    return 0


def cleanup(base: Path, days: float, keep: int, *, dry_run: bool, yes: bool) -> int:
    """Delete old sessions, each named with its size. Raises `StoreError` and `TargetError`."""
    if not dry_run:
        sweep_out()
        sweep_out(base)
    now = datetime.now(UTC)
    rows, cores = outdated(base, days, keep, now), unused(base, days, now)
    size = human_size(sum((*(row.size_bytes for row in rows), *(c.stat().st_size for c in cores))))
    for row in rows:
        deliver(printable(f"{row.session_id}  {human_size(row.size_bytes)}"), None)
    for core in cores:
        deliver(printable(f"{core.name}  {human_size(core.stat().st_size)}"), None)
    if not (rows or cores) or dry_run:
        say(f"{counted(len(rows), 'session')}, {size}: nothing was deleted")
        return 0
    if not yes:
        if not sys.stdin.isatty():
            raise TargetError("cleanup", "nobody is there to ask", "say --yes, or --dry-run")
        also = f" and {counted(len(cores), 'core')} that no session has" if cores else ""
        sys.stderr.write(f"Delete these {counted(len(rows), 'session')}{also} ({size})? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            return 0
    gone, freed = delete(base, rows)
    for core in cores:
        freed += core.stat().st_size
        core.unlink(missing_ok=True)
    stay = f", {len(rows) - len(gone):,} cannot be now" if len(gone) < len(rows) else ""
    say(f"{counted(len(gone), 'session')} deleted, {human_size(freed)} freed{stay}")
    return 0
