"""What a saved session says, without its lock, its debugger or its target."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from workbench.engine.journal import Journal
from workbench.engine.reports import Reports
from workbench.engine.scripting import script_of
from workbench.model.investigation import Investigation
from workbench.model.report import Report
from workbench.store.session_store import SessionStore


@asynccontextmanager
async def viewed(folder: Path) -> AsyncIterator[tuple[SessionStore, Investigation]]:
    """The session's store, which takes nothing, and its state. Raises `StoreError`."""
    store = await SessionStore.view(folder, f"session {folder.name} is only read")
    try:
        yield store, (await Journal.load(store)).state
    finally:
        await store.close()


async def report_of(folder: Path) -> Report:
    """Its report as it stands. Raises `StoreError`."""
    async with viewed(folder) as (store, state):
        return await Reports(Journal(store, state), store.text).build()


async def report_text(folder: Path, format: str) -> str:
    """Its report as ``md``, ``json`` or ``html``, or as a ``script`` for the bare debugger. Raises
    `StoreError`."""
    async with viewed(folder) as (store, state):
        if format == "script":
            return script_of(state)
        return await Reports(Journal(store, state), store.text).text(format)
