"""``workbench verify``: does what a saved session cites still hold?"""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from workbench.debuggers.private_folder import PrivateFolder
from workbench.delivery import deliver, say
from workbench.engine.journal import utc_now
from workbench.engine.outcome import FAILED, INCONCLUSIVE
from workbench.engine.recipe import GateMode
from workbench.engine.verifying import verify as run
from workbench.engine.viewing import viewed
from workbench.model.investigation import Investigation
from workbench.model.session_events import Verified
from workbench.model.target import Options, TargetKind
from workbench.model.text import counted, json_text, printable
from workbench.opening import Request, open_session
from workbench.settings import Settings
from workbench.store.catalog import find_session
from workbench.store.errors import SessionNotOpened, StoreError
from workbench.store.session_store import SessionStore
from workbench.store.vouching import need_made_here


async def verify(
    base: Path, session_id: str, given: Options, settings: Settings, format: str
) -> int:
    """0 the citations hold, 1 they do not, 3 the time ran out. What was found is kept in the
    session where that can be written. Raises `StoreError` and `TargetError`."""
    folder = find_session(base, session_id)
    need_made_here(folder)
    async with viewed(folder) as (store, state):
        if state.target is None:
            raise SessionNotOpened(
                f"session {folder.name} stopped before it began: nothing is cited"
            )
        try:
            found = await asyncio.wait_for(_verified(store, state, given, settings), given.timeout)
        except TimeoutError:
            say(f"workbench: not done within {given.timeout:g} s: give it more with --timeout")
            return FAILED
    await _keep(folder, found)
    if format == "json":
        told: dict[str, object] = {"sessionId": folder.name, "verified": not found.differences}
        told |= {"commands": found.commands, "differences": found.differences}
        deliver(json_text(told), None)
    else:
        lines = [*found.differences, _summary(found)]
        deliver("\n".join(map(printable, lines)), None)
    return INCONCLUSIVE if found.differences else 0


def _summary(found: Verified) -> str:
    if found.differences:
        differences = counted(len(found.differences), "difference")
        return f"{differences} in {counted(found.commands, 'cited command')}"
    return f"the citations hold: {counted(found.commands, 'cited command')} run again"


async def _verified(
    store: SessionStore, state: Investigation, given: Options, settings: Settings
) -> Verified:
    assert state.target is not None
    own = state.options
    chosen = state.chosen_debugger if given.debugger == "auto" else given.debugger
    options = replace(
        own,
        executable=given.executable or own.executable or state.target.executable,
        sysroot=given.sysroot or own.sysroot,
        debugger="auto" if chosen == "none" else chosen,
        timeout=None,
    )
    documents = state.target.kind is TargetKind.DOCUMENTS
    with PrivateFolder() as base:
        fresh = await open_session(
            Request(
                target=state.target.path,
                options=options,
                base=base,
                settings=settings,
                documents=documents,
            ),
            GateMode.CONVERSE if documents else GateMode.HEADLESS,
        )
        try:
            return await run(state, store, fresh)
        finally:
            await fresh.close()


async def _keep(folder: Path, found: Verified) -> None:
    try:
        await SessionStore.add(folder, found, utc_now())
    except StoreError as error:
        say(f"not kept in the session: {error}")
