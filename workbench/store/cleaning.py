"""Which sessions are old enough to go, and how one goes."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workbench.store.catalog import list_folders
from workbench.store.errors import ReadOnly, SessionBusy, StoreError
from workbench.store.lock import SessionLock, is_held
from workbench.store.session_row import CORES, UNBEGUN, SessionRow

_GOING = ".going_"


def outdated(base: Path, days: float, keep: int, now: datetime) -> list[SessionRow]:
    """Those that nobody has touched for so many days, the ``keep`` latest apart; never one that is
    pinned or open, nor one that cannot be read: whether it is pinned is not known. What a link
    leads to is kept elsewhere. What never began is not kept as one of the latest."""
    before, rows = now - timedelta(days=days), list_folders(base)
    latest = [row for row in rows if row.state != UNBEGUN][:keep]
    old = [row for row in rows if row not in latest and row.state != "damaged" and not row.pinned]
    folders = [(row, base / row.session_id) for row in old if _time(row) < before]
    return [row for row, it in folders if not it.is_symlink() and not is_held(it)]


def unused(base: Path, days: float, now: datetime) -> list[Path]:
    """The cores beside the sessions (``cores/``) that none has as its dump and nobody has written
    for so many days; none where a session cannot be read: it may have one of them."""
    rows = list_folders(base)
    named = {row.target for row in rows}
    found = [] if any(row.state == "damaged" for row in rows) else [*(base / CORES).glob("*")]
    before = (now - timedelta(days=days)).timestamp()
    return [one for one in sorted(found) if str(one.resolve()) not in named
            and str(one) not in named and one.is_file() and not one.is_symlink()
            and one.stat().st_mtime < before]  # fmt: skip


def _time(row: SessionRow) -> datetime:
    at = datetime.fromisoformat(row.updated_at)
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def delete(base: Path, rows: list[SessionRow]) -> tuple[list[SessionRow], int]:
    """Delete sessions; those that went and their bytes. One that somebody has opened meanwhile
    stays, as does one that cannot be written where others can. A folder is renamed first, so that
    none is left half. Raises `StoreError`."""
    gone, freed, refused = list[SessionRow](), 0, None
    try:
        for left in base.glob(f"{_GOING}*"):  # by a run that was killed
            shutil.rmtree(left, ignore_errors=True)
        for row in rows:
            folder = base / row.session_id
            try:
                lock = SessionLock(folder)
            except SessionBusy:
                continue
            except ReadOnly as error:
                refused = error
                continue
            try:
                going = folder.rename(base / f"{_GOING}{row.session_id}")
            finally:
                lock.release()
            shutil.rmtree(going)
            gone.append(row)
            freed += row.size_bytes
    except OSError as error:
        raise StoreError(f"a session cannot be deleted: {error}") from error
    if refused is not None and not gone:
        raise refused
    return gone, freed


def clean(base: Path, days: float, keep: int) -> str:
    """Delete what is `outdated` now; in words, empty where nothing was."""
    try:
        gone, freed = delete(base, outdated(base, days, keep, datetime.now(UTC)))
    except StoreError as error:
        return f"Old sessions were not deleted: {error}"
    return f"{len(gone)} old sessions were deleted, {freed:,} bytes." if gone else ""
