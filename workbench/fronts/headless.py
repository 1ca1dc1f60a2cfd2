"""An investigation without a screen: progress on stderr, the report on stdout."""

import asyncio
import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.delivery import check_output, deliver, on_signals, say
from workbench.engine.outcome import INTERRUPTED, ask_hint, exit_status, resume_hint
from workbench.engine.recipe import GateMode
from workbench.fronts.progress import show_progress, summary_line
from workbench.model.events import Phase, StoppedBy
from workbench.opening import Begun, Request, open_session
from workbench.store.errors import StoreError

if TYPE_CHECKING:
    from workbench.engine.session import Session


async def triage(
    request: Request, format: str, output: Path | None, begun: Begun | None = None
) -> int:
    """Run to the end, print the report, return the exit status of the contract. ``begun`` is what
    `begin` made of the request.

    Raises `TargetError`, `StoreError` and `OSError` (the output file) for the caller to print;
    what was found is printed first, where the file does not take it on stdout.
    """
    if output is not None:
        check_output(output)
    session = await open_session(request, GateMode.HEADLESS, begun)
    try:
        return await _investigated(session, format, output)
    finally:  # whatever went wrong: the database's thread would keep the process
        await session.close()


async def _investigated(session: "Session", format: str, output: Path | None) -> int:
    # A run without a model makes some 50,000 objects that stay; nobody waits here for a key.
    gc.set_threshold(100_000, 20, 20)
    ended = session.state.phase is Phase.DONE
    end = show_progress(session)
    try:
        try:
            status = exit_status(session.state) if ended else await _run(session)
        except (StoreError, OSError) as error:
            await session.cut_short(StoppedBy.FAILED, str(error), saved=False)
            deliver_somewhere(await session.report(format), output)
            raise
        if spent := summary_line(session.state.models):
            say(spent)
        session.rest()
        if status != INTERRUPTED:
            refused = deliver_somewhere(await session.report(format), output)
            if refused is not None:
                raise refused
            if sys.stderr.isatty():
                say(f"ask on: `{ask_hint(session.state)}`")
        return status
    except (StoreError, OSError):
        raise  # said already, or it is where the report was to go
    except Exception as error:
        await session.cut_short(StoppedBy.FAILED, repr(error))
        deliver_somewhere(await session.report(format), output)
        raise
    finally:
        end()


def deliver_somewhere(text: str, output: Path | None) -> OSError | None:
    """To the file, or where that lies on the full disk, to stdout; what the file raised. Raises
    `OSError` where stdout does not take it either."""
    refused: OSError | None = None
    if output is not None:
        try:
            deliver(text, output)
            return None
        except OSError as error:
            refused = error
    deliver(text, None)
    return refused


async def _run(session: "Session") -> int:
    work = asyncio.ensure_future(session.run())
    interrupted = on_signals(work)
    await asyncio.wait([work])
    if interrupted:
        await session.cut_short(StoppedBy.INTERRUPTED, "interrupted")
        say(f"interrupted; saved: `{resume_hint(session.state)}` goes on")
    else:
        work.result()
    return exit_status(session.state)
