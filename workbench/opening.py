"""From what the person typed to a session: shared by the screen and the headless run.

The debugger needs longest, so its process comes first: before the engine is imported, and where
nothing has to be drawn meanwhile before asyncio is.
"""

import gc
import importlib
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from workbench.debuggers import choose as debuggers
from workbench.debuggers import early
from workbench.debuggers.choose import Choice
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.protocol import Debugger, Recipe
from workbench.engine.recipe import GateMode, recipe_for
from workbench.model.events import Noticed
from workbench.model.models import OFFLINE, ModelWish, TierWish
from workbench.model.target import Options, Target, path_of
from workbench.settings import Settings
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify

if TYPE_CHECKING:
    from workbench.engine.session import Session
    from workbench.llm.surroundings import MakeModels


class Request(Struct, frozen=True, kw_only=True):
    """What is to be opened: a dump's path or a session's id, with the options of a new session and
    the models that this run may use. With ``documents`` it is a folder of texts."""

    target: str
    options: Options
    base: Path
    settings: Settings
    wanted: ModelWish = OFFLINE
    documents: bool = False

    def session_folder(self) -> Path | None:
        """The folder when the target names a saved session, else None. A file of that name wins."""
        if self.documents or os.path.exists(self.target) or not self.target.startswith("session_"):
            return None
        from workbench.store.catalog import find_session

        return find_session(self.base, self.target)


class Begun(Struct, frozen=True, kw_only=True):
    """What a new session is opened with. ``process`` is the debugger's where it has come so far;
    `give_up` ends it unless a session took it."""

    target: Target
    choice: Choice
    recipe: Recipe
    process: HeadStart | None

    def give_up(self) -> None:
        """Nothing will be opened, or it was."""
        if self.process is not None:
            self.process.give_up()


def begin(request: Request) -> Begun | None:
    """Recognise the dump and start its debugger, from the main thread; None for a saved session.
    A gdb that waits since before the command line was read is ended where another debugger is
    taken. Raises `TargetError`."""
    try:
        return _begin(request, recognise(request)) if request.session_folder() is None else None
    finally:
        early.give_up()


def _begin(request: Request, target: Target) -> Begun:
    programs = request.settings.programs()
    sos = Path(request.options.sos) if request.options.sos else None
    choice = debuggers.choose(target, request.options.debugger, programs, sos)
    recipe = recipe_for(target, request.options, choice.name, request.base)
    process = debuggers.begin(recipe, programs)
    return Begun(target=target, choice=choice, recipe=recipe, process=process)


async def open_session(
    request: Request,
    mode: GateMode,
    begun: Begun | None = None,
    models: "Coroutine[Any, Any, MakeModels | None] | None" = None,
) -> "Session":
    """A new session on a dump, or a saved one taken up again. ``begun`` is what `begin` made of the
    request; ``models`` are a new session's, where they are not chosen by the request alone.

    Raises `TargetError`, `StoreError` and `TierMissing`, whose texts are one line for the person.
    """
    asyncio, began, limit = _asyncio(), monotonic(), request.options.timeout
    folder = request.session_folder() if begun is None else None
    if folder is not None:
        given = request.options
        if given.executable or given.sysroot or given.issue:
            raise TargetError(
                folder.name,
                "a saved session keeps its own --exe, --sysroot and --issue",
                "leave them out, or open the dump anew with them",
            )
        return await resume_session(folder, mode, request.settings, request.wanted)
    begun = begun or _begin(request, await asyncio.to_thread(recognise, request))
    debugger: Debugger | None = None
    starting: Any = None
    choosing = asyncio.ensure_future(
        models or _models(request.settings, request.wanted, mode, limit)
    )
    try:
        debugger = debuggers.make(begun.recipe, request.settings.programs(), begun.process)
        if debugger is not None:
            starting = asyncio.ensure_future(debugger.start())
            await debugger.under_way()
        making = await _making()
        session: Session = await making.new_session(
            begun.target,
            request.options,
            request.base,
            mode,
            begun.choice,
            debugger,
            starting,
            make_models=await choosing,
        )
        session.spent = monotonic() - began
        await _say_what_is_not_asked(session, request)
        if request.settings.auto_cleanup:
            await _clean_up(session, request)
        return session
    except BaseException:
        choosing.cancel()
        await asyncio.gather(choosing, return_exceptions=True)
        if debugger is not None and starting is not None:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            await debugger.close()
        begun.give_up()
        raise


async def _clean_up(session: "Session", request: Request) -> None:
    """Only where the person has set it: old sessions go, and it is said how many."""
    from workbench.store.cleaning import clean

    days, keep = request.settings.session_cleanup_days, request.settings.session_keep_recent
    if text := await _asyncio().to_thread(clean, request.base, days, keep):
        await session.record(Noticed(text=text))


async def _say_what_is_not_asked(session: "Session", request: Request) -> None:
    if session.models is not None or request.wanted.tier is TierWish.OFFLINE:
        return
    if text := _choosing().not_asked(request.settings, request.wanted):
        await session.record(Noticed(text=text))


async def resume_session(
    folder: Path, mode: GateMode, settings: Settings, wanted: ModelWish = OFFLINE
) -> "Session":
    """A saved session taken up again. Raises `TargetError`, `StoreError` and `TierMissing`."""
    make_models = await _models(settings, wanted, mode)
    making = await _making()
    session: Session = await making.saved_session(
        folder, mode, debugger_factory(settings), make_models=make_models
    )
    return session


async def session_to_ask(
    folder: Path, settings: Settings, wanted: ModelWish = OFFLINE, within: float | None = None
) -> "Session":
    """A saved session that is only asked, ``within`` so many seconds, its target gone or not.
    Raises `StoreError` and `TierMissing`."""
    make_models = await _models(settings, wanted, GateMode.HEADLESS, within)
    making = await _making()
    session: Session = await making.questioned_session(
        folder, debugger_factory(settings), make_models
    )
    return session


async def _models(
    settings: Settings, wanted: ModelWish, mode: GateMode, within: float | None = None
) -> "MakeModels | None":
    if wanted.tier is TierWish.OFFLINE:
        return None
    asks = mode is GateMode.ASK
    chosen: MakeModels | None = await _choosing().choose_models(
        settings, wanted, asks=asks, within=within
    )
    return chosen


def _choosing() -> Any:
    from workbench.llm import choosing

    return choosing


def _asyncio() -> Any:
    import asyncio

    return asyncio


async def _making() -> Any:
    """`workbench.engine.making`, imported in a thread so that the loop can go on."""
    module = await _asyncio().to_thread(importlib.import_module, "workbench.engine.making")
    # It was off while modules were loaded (`cli.main`); they need not be walked over again, and
    # what an investigation keeps, it keeps to its end.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    return module


def recognise(request: Request) -> Target:
    """What the target is, before any debugger starts. Raises `TargetError`."""
    if request.documents:
        from workbench.targets.documents import recognise as recognise_folder

        return recognise_folder(Path(request.target))
    options = request.options
    return identify(Path(request.target), path_of(options.executable), path_of(options.sysroot))


def debugger_factory(settings: Settings) -> Callable[[Recipe], Debugger | None]:
    """What makes the debugger of a session; programs named in the settings are used for all."""
    return lambda recipe: debuggers.make(recipe, settings.programs())
