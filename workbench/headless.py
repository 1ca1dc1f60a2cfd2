"""An investigation without a screen: progress on stderr, the report on stdout."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.delivery import check_output, deliver, on_signals, say
from workbench.engine.outcome import INTERRUPTED, exit_status, resume_hint
from workbench.engine.recipe import GateMode
from workbench.model.events import (
    CommandFailed,
    DebuggerStarted,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisProposed,
    Noticed,
    Phase,
    PhaseEntered,
    StoppedBy,
)
from workbench.model.journal import Recorded
from workbench.model_lines import model_line, summary_line
from workbench.opening import Begun, Request, open_session
from workbench.store.errors import StoreError

if TYPE_CHECKING:
    from workbench.engine.session import Session


async def triage(
    request: Request, format: str, output: Path | None, begun: Begun | None = None
) -> int:
    """Run to the end, print the report, return the exit status of the contract. ``begun`` is what
    `begin` made of the request.

    Raises `TargetError`, `StoreError` and `OSError` (the output file) for the caller to print.
    """
    if output is not None:
        check_output(output)
    session = await open_session(request, GateMode.HEADLESS, begun)
    ended = session.state.phase is Phase.DONE
    end = session.subscribe(Progress(session).show)
    try:
        status = exit_status(session.state) if ended else await _run(session)
        if spent := summary_line(session.state.models):
            say(spent)
        if status != INTERRUPTED:
            deliver(await session.report(format), output)
        return status
    except (StoreError, OSError):
        raise  # nothing more can be written
    except Exception as error:
        await session.cut_short(StoppedBy.FAILED, repr(error))
        deliver(await session.report(format), output)
        raise
    finally:
        end()
        await session.close()


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


class Progress:
    """One line on stderr for each step that a waiting person would want to see."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    def show(self, rows: Sequence[Recorded]) -> None:
        """Print the lines of a committed batch."""
        started = self._session.state.started_at
        for row in rows:
            text = self._line(row)
            if text:
                elapsed = (row.at - started).total_seconds() if started else 0.0
                say(f"{elapsed:6.2f}s  {text}")

    def _line(self, row: Recorded) -> str | None:
        match row.event:
            case PhaseEntered(phase=phase):
                return f"── {phase.value}" if phase is not Phase.DONE else None
            case DebuggerStarted():
                why = self._session.state.debugger_why
                return f"{row.event.name} {row.event.version}" + (f" ({why})" if why else "")
            case EvidenceRecorded(evidence=item):
                partial = ", partial" if item.partial else ""
                return f"{item.id} {item.command}  ({item.lines} lines{partial}) {item.summary}"
            case CommandFailed():
                return f"not run: {row.event.command.text}: {row.event.reason}"
            case HypothesisProposed(hypothesis=h):
                return f"{h.id} {h.category}: {h.statement}"
            case HypothesisDecided(id=id, verdict=verdict):
                return f"{id} {verdict.status} ({verdict.confidence:.2f}): {verdict.reason}"
            case Noticed():
                return f"{row.event.severity}: {row.event.text}"
            case _:
                return model_line(row.event)
