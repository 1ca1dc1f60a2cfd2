"""What a saved session says, without its lock, its debugger or its target."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.engine.journal import Journal, utc_now
from workbench.engine.reports import Reports
from workbench.engine.scripting import script_of
from workbench.model.investigation import Investigation
from workbench.model.report import Report
from workbench.store.errors import StoreError
from workbench.store.made_here import is_made_here
from workbench.store.session_store import DATABASE, SessionStore


@asynccontextmanager
async def viewed(folder: Path) -> AsyncIterator[tuple[SessionStore, Investigation]]:
    """The session's store, which takes nothing, and its state. Raises `StoreError`."""
    store = await SessionStore.view(folder, f"session {folder.name} is only read")
    try:
        yield store, (await Journal.load(store)).state
    finally:
        await store.close()


@asynccontextmanager
async def believed(folder: Path) -> AsyncIterator[tuple[SessionStore, Investigation]]:
    """As `viewed`; of a session that nobody here vouches for, what an import of it would say, in a
    copy that is gone afterwards. Where a text of it is damaged it concludes nothing. Raises
    `StoreError`."""
    from workbench.engine.copying import take_over, texts_of

    async with viewed(folder) as (store, state), AsyncExitStack() as stack:
        if not is_made_here(folder / DATABASE):
            base = Path(stack.enter_context(TemporaryDirectory(prefix="workbench-view-")))
            rows = await store.events()
            try:
                copied = await take_over(base, rows, await texts_of(store, rows), utc_now())
                store, state = await stack.enter_async_context(viewed(copied))
            except StoreError:
                state.conclusion = state.judgement = None
        yield store, state


async def report_of(folder: Path) -> Report:
    """Its report as it stands. Raises `StoreError`."""
    async with believed(folder) as (store, state):
        return await Reports(Journal(store, state), store.text).build()


async def report_text(folder: Path, format: str) -> str:
    """Its report as ``md``, ``json`` or ``html``, or as a ``script`` for the bare debugger. Raises
    `StoreError`."""
    async with believed(folder) as (store, state):
        if format == "script":
            return script_of(state)
        return await Reports(Journal(store, state), store.text).text(format)
