"""An investigation without a screen: progress on stderr, the report on stdout."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

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
from workbench.model.text import printable
from workbench.opening import Request, open_session
from workbench.store.errors import StoreError
from workbench.targets.errors import TargetError

if TYPE_CHECKING:
    from workbench.engine.session import Session


async def triage(request: Request, format: str, output: Path | None) -> int:
    """Run to the end, print the report, return the exit status of the contract.

    Raises `TargetError`, `StoreError` and `OSError` (the output file) for the caller to print.
    """
    if output is not None:
        _check_output(output)
    session = await open_session(request, GateMode.HEADLESS)
    ended = session.state.phase is Phase.DONE
    end = session.subscribe(Progress(session).show)
    try:
        status = exit_status(session.state) if ended else await _run(session)
        if status != INTERRUPTED:
            _deliver(await session.report(format), output)
        return status
    except (StoreError, OSError):
        raise  # nothing more can be written
    except Exception as error:
        await session.cut_short(StoppedBy.FAILED, repr(error))
        _deliver(await session.report(format), output)
        raise
    finally:
        end()
        await session.close()


def _check_output(output: Path) -> None:
    """Better said before the work than after it."""
    if output.is_dir():
        raise TargetError(str(output), "it is a folder", "name a file with --output")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise TargetError(str(output), "it cannot be written", "name another file with --output")


async def _run(session: "Session") -> int:
    work = asyncio.ensure_future(session.run())
    interrupted = _on_signals(work)
    await asyncio.wait([work])
    if interrupted:
        await session.cut_short(StoppedBy.INTERRUPTED, "interrupted")
        _say(f"interrupted; saved: `{resume_hint(session.state)}` goes on")
    else:
        work.result()
    return exit_status(session.state)


def _on_signals(work: asyncio.Future[None]) -> list[int]:
    """Let Ctrl-C and SIGTERM end the work in order; the list names what came."""
    came: list[int] = []

    def stop(number: int) -> None:
        came.append(number)
        work.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: Ctrl-C cancels the main task instead
            loop.add_signal_handler(number, stop, number)
    return came


def _deliver(text: str, output: Path | None) -> None:
    if output is None:
        try:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough; the session keeps the rest
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    if output.exists() and not output.is_file():  # a pipe or a device is written to, not replaced
        output.write_text(text, encoding="utf-8")
        return
    temporary = output.with_name(output.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(output)
    _say(f"report written to {output}")


def _say(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")
    sys.stderr.flush()


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
                _say(f"{elapsed:6.2f}s  {text}")

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
                return None
