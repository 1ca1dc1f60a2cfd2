"""A session's line, from its events: read only where the catalog is behind."""

import stat
from datetime import UTC, datetime
from pathlib import Path

from workbench.model.category import Category
from workbench.model.events import Phase
from workbench.model.facts import ExceptionRecord, Finding, Process, Signal
from workbench.model.investigation import Investigation, fold
from workbench.store.errors import StoreError
from workbench.store.made_here import is_sealed
from workbench.store.reading import read_events
from workbench.store.schema import DATABASE
from workbench.store.session_row import UNBEGUN, SessionRow
from workbench.store.vouching import is_made_here


def row_of(folder: Path) -> SessionRow:
    """A session's line; of one that cannot be read that it is damaged, and of one without an event
    that it never began."""
    size, database = folder_size(folder), folder / DATABASE
    try:
        state = fold([] if _is_untouched(database) else read_events(folder))
        is_ours = is_sealed(database) if not state.seq else is_made_here(folder)
        if is_ours and not state.seq:
            at = datetime.fromtimestamp(database.stat().st_mtime, UTC).isoformat()
            return SessionRow(session_id=folder.name, size_bytes=size, updated_at=at, state=UNBEGUN)
    except (StoreError, OSError):
        return SessionRow(session_id=folder.name, size_bytes=size)
    if not is_ours:
        state.about.elsewhere, state.conclusion = True, None  # forged, perhaps: `import` draws it
    return summarise(state, folder.name, size)


def _is_untouched(database: Path) -> bool:
    """True where whoever made a session was killed before its tables were there, and its texts."""
    empty = database.is_file() and not database.stat().st_size
    return empty and not any((database.parent / "evidence").iterdir())


def folder_size(folder: Path) -> int:
    """Bytes of the files in a session's folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            found = path.stat(follow_symlinks=False)
        except OSError:
            continue
        kept = stat.S_ISREG(found.st_mode) and not path.name.endswith("-shm")  # of who reads now
        total += found.st_size if kept else 0
    return total


def program_of(state: Investigation) -> str:
    """The name of the program that the target was a process of, as far as it is known."""
    process = state.facts.first(Process)
    given = state.target.executable if state.target is not None else None
    return (given or (process.executable if process is not None else None) or "").rpartition("/")[2]


def _signal(state: Investigation) -> str | None:
    """What ended the process: as the target's own notes say, else what a log or a tool names."""
    if state.target is not None and state.target.signal is not None:
        return state.target.signal
    facts = state.facts
    named: list[str | None] = [fact.name for fact in facts.all(Signal)]
    named += [fact.name for fact in facts.all(ExceptionRecord)]
    named += [fact.signal for fact in facts.all(Finding)]
    return next(filter(None, named), None)


def _confidence(state: Investigation) -> float | None:
    """As the report says it: nothing is sure of no cause, where no run showed an origin."""
    if state.conclusion is None:
        return None
    nothing = state.category is Category.UNKNOWN and _began(state) is None
    return 0.0 if nothing else state.conclusion.confidence


def _began(state: Investigation) -> str | None:
    """The function and line of the origin that runs showed."""
    origin = state.conclusion.origin if state.conclusion is not None else None
    if origin is None or not origin.runs:
        return None
    place = f"{(origin.file or '').rpartition('/')[2]}:{origin.line}" if origin.line else ""
    return f"{origin.function or ''} {place}".strip() or None


def summarise(state: Investigation, session_id: str, size: int = 0) -> SessionRow:
    """A session's line from its state."""
    finished = state.phase is Phase.DONE and state.stopped is not None
    recognised, category = state.about.recognised, state.category
    own = [one for one in state.hypotheses.values() if one.is_confirmed_by_user]
    proved = [one for one in state.hypotheses.values() if one.is_proved]
    return SessionRow(
        session_id=session_id,
        name=state.about.name,
        pinned=state.about.pinned,
        target=state.target.path if state.target else "",
        program=program_of(state),
        created_at=state.started_at.isoformat() if state.started_at else "",
        updated_at=state.updated_at.isoformat() if state.updated_at else "",
        phase=state.phase.value,
        signal=_signal(state),
        category=category.value if category else None,
        user_category=own[-1].category.value if own else None,
        began=_began(state),
        proved=()
        if state.about.elsewhere
        else tuple(dict.fromkeys(one.category.value for one in proved)),
        confidence=_confidence(state),
        signature=recognised.signature if recognised else None,
        stack_hash=recognised.stack_hash if recognised else None,
        evidence_count=len(state.evidence),
        size_bytes=size,
        made_elsewhere=state.about.elsewhere,
        state=state.stopped.by.value if finished and state.stopped else "open",
    )
