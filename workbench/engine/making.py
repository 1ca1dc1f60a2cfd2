"""How a session comes to be: new on a recognised target, or from its folder."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench import __version__
from workbench.debuggers.choose import Choice
from workbench.debuggers.protocol import Debugger, Recipe
from workbench.engine.journal import Journal, utc_now
from workbench.engine.recipe import GateMode, recipe_for
from workbench.engine.session import Session
from workbench.engine.upkeep import metadata_of
from workbench.model.events import AnyEvent, GateAnswered, Noticed, Resumed, SessionOpened
from workbench.model.target import Options, Target, TargetKind
from workbench.store.errors import ReadOnly, StoreError
from workbench.store.session_store import SessionStore
from workbench.targets.errors import TargetError
from workbench.targets.reader import GoneReader, Reader, open_reader

if TYPE_CHECKING:  # an offline run loads nothing of models
    from workbench.llm.surroundings import MakeModels

DebuggerFactory = Callable[[Recipe], Debugger | None]


async def new_session(
    target: Target, options: Options, base: Path, mode: GateMode, choice: Choice,
    debugger: Debugger | None, starting: asyncio.Future[None] | None = None,
    clock: Callable[[], datetime] = utc_now, make_models: "MakeModels | None" = None,
) -> Session:  # fmt: skip
    """A new session on a recognised target. Raises `StoreError`.

    ``starting`` is the debugger's start where that is under way already; ``make_models`` is None
    for an offline run.
    """
    store = await SessionStore.create(base, Path(target.path), clock())
    async with _closed_where_it_fails(store):
        journal = Journal(store, clock=clock)
        await journal.record(
            SessionOpened(
                session_id=store.session_id,
                target=target,
                options=options,
                version=__version__,
                debugger=choice.name,
                debugger_why=choice.why,
            )
        )
        reader = await asyncio.to_thread(open_reader, target, options)
        store.write_metadata(metadata_of(journal.state))
        return Session(store, journal, mode, reader, debugger, starting, make_models)


@asynccontextmanager
async def _closed_where_it_fails(store: SessionStore) -> AsyncIterator[None]:
    """The database's thread would keep the process."""
    try:
        yield
    except BaseException:
        await store.close()
        raise


async def _begun(store: SessionStore) -> tuple[Journal, Target]:
    """The journal of a session and its target. Raises `StoreError` for one that never began."""
    journal = await Journal.load(store)
    if journal.state.target is None:
        raise StoreError(f"session {store.session_id} stopped before it began: open anew")
    return journal, journal.state.target


async def saved_session(
    folder: Path,
    mode: GateMode,
    make_debugger: DebuggerFactory | None,
    make_models: "MakeModels | None" = None,
) -> Session:
    """A saved session, with a debugger started by the same recipe; where a person only looks at
    the screen, one that another process holds or that cannot be written is `viewed_session`.

    Raises `StoreError`, and `TargetError` when the dump is no longer there.
    """
    try:
        store = await SessionStore.open(folder)
    except ReadOnly as error:
        if mode is not GateMode.ASK:
            raise
        return await viewed_session(folder, f"Read only: {error}.")
    async with _closed_where_it_fails(store):
        journal, target = await _begun(store)
        state, talk = journal.state, target.kind is TargetKind.DOCUMENTS
        if talk and mode is not GateMode.CONVERSE:
            todo = f"go on with `workbench sessions resume {store.session_id}`"
            raise TargetError(store.session_id, "it is a conversation about texts", todo)
        recipe = recipe_for(target, state.options, state.chosen_debugger, folder.parent)
        reader = await asyncio.to_thread(open_reader, target, state.options)
        debugger = make_debugger(recipe) if make_debugger else None
        session = Session(store, journal, mode, reader, debugger, make_models=make_models)
        events: list[AnyEvent] = [Resumed(version=__version__)]
        if make_models is None:
            events += [
                GateAnswered(id=g.id, answer="reject", by="engine", reason="no model is used now")
                for g in state.gates
                if g.kind == "cloud"
            ]
        if reader.size != target.size and not talk:
            changed = "The dump's size has changed since this session began."
            events.append(Noticed(text=changed, severity="error"))
        if state.debugger is not None:
            anew = (
                "Resumed: the debugger starts anew with the same recipe; convenience variables and "
                "settings made in it before are gone."
            )
            events.append(Noticed(text=anew))
        await journal.record(*events)
    return session


async def questioned_session(
    folder: Path, make_debugger: DebuggerFactory, make_models: "MakeModels | None" = None
) -> Session:
    """A saved session that is only asked: nothing is resumed, a debugger starts when the evidence
    does not tell, and a target that is gone leaves the evidence. Raises `StoreError`."""
    store = await SessionStore.open(folder)
    async with _closed_where_it_fails(store):
        journal, target = await _begun(store)
        options, chosen = journal.state.options, journal.state.chosen_debugger
        reader: Reader
        gone = ""
        try:
            reader = await asyncio.to_thread(open_reader, target, options)
        except TargetError as error:
            reader, gone = GoneReader(), str(error.why)
        if not gone and reader.size != target.size and target.kind is not TargetKind.DOCUMENTS:
            reader.close()
            reader, gone = GoneReader(), "its size has changed"
        debugger = None
        if not gone:
            debugger = make_debugger(recipe_for(target, options, chosen, folder.parent))
        else:
            left = "answered from the saved evidence alone"
            gone = f"{target.path} cannot be asked any more ({gone}): {left}."
        return Session(
            store, journal, GateMode.HEADLESS, reader, debugger, make_models=make_models, gone=gone
        )


async def viewed_session(folder: Path, why: str) -> Session:
    """A session that is only looked at: nothing is written, nothing is asked of its target, and
    what another process adds is shown as it comes. ``why`` is a notice. Raises `StoreError`."""
    store = await SessionStore.view(folder, why)
    async with _closed_where_it_fails(store):
        journal = await Journal.load(store)
        return Session(store, journal, GateMode.HEADLESS, GoneReader(), None, gone=why)
