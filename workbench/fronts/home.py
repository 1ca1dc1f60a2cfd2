"""The full-screen front end on what is saved: the list of sessions, and one of them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.engine.finding import find, folders_of
from workbench.engine.journal import utc_now
from workbench.engine.recipe import GateMode
from workbench.fronts.analyzing import go_on, is_conversation
from workbench.fronts.screen import need_terminal, with_models
from workbench.llm.picking import Picking
from workbench.model.models import ModelWish
from workbench.model.session_events import Labelled
from workbench.opening import resume_session
from workbench.settings import Settings
from workbench.store.catalog import find_session, list_sessions
from workbench.store.cleaning import delete
from workbench.store.session_store import SessionStore
from workbench.tui.app import run_home as run
from workbench.tui.app import run_workbench

if TYPE_CHECKING:
    from workbench.engine.finding import Searched
    from workbench.engine.session import Session
    from workbench.store.session_row import SessionRow


def run_resume(session_id: str, base: Path, settings: Settings, wanted: ModelWish) -> int:
    """The workbench on a saved session; a conversation about texts goes on where it was left."""
    folder = find_session(base, session_id)
    if is_conversation(folder):
        return asyncio.run(go_on(folder, settings, wanted))
    need_terminal()
    return run_workbench(_resumer(folder, settings, wanted))


def run_home(base: Path, settings: Settings, wanted: ModelWish) -> int:
    """The list of sessions; opening one shows the workbench on it."""
    need_terminal()

    def rows() -> list["SessionRow"]:
        return list_sessions(base)

    async def open_one(session_id: str) -> "Session":
        return await _resumer(find_session(base, session_id), settings, wanted)()

    return run(rows, open_one, _Shelf(base, settings, wanted))


class _Shelf:
    """The saved sessions of a folder (`workbench.tui.port.Shelf`)."""

    def __init__(self, base: Path, settings: Settings, wanted: ModelWish) -> None:
        self._base = base
        self._settings = settings
        self._wanted = wanted

    async def rename(self, id: str, name: str) -> None:
        await self._label(id, Labelled(name=name))

    async def pin(self, id: str, pinned: bool) -> None:
        await self._label(id, Labelled(pinned=pinned))

    async def _label(self, id: str, label: Labelled) -> None:
        await SessionStore.add(find_session(self._base, id), label, utc_now())

    def find(self, text: str) -> "AsyncGenerator[Searched, None]":
        here = Picking(self._settings, self._wanted).here
        return find(folders_of(self._base), text, find_models=lambda: here(self._base))

    async def delete(self, id: str) -> bool:
        rows = [row for row in list_sessions(self._base) if row.session_id == id]
        gone, _ = await asyncio.to_thread(delete, self._base, rows)
        return bool(gone)


def _resumer(
    folder: Path, settings: Settings, wanted: ModelWish
) -> Callable[[], Awaitable["Session"]]:
    async def make() -> "Session":
        session = await resume_session(folder, GateMode.ASK, settings, wanted)
        return with_models(session, settings, wanted)

    return make
