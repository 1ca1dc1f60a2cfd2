"""One line on stderr for each step that a waiting person would want to see."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.delivery import say
from workbench.model.events import (
    AnyEvent,
    CommandFailed,
    DebuggerStarted,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisProposed,
    Noticed,
    Phase,
    PhaseEntered,
)
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.model.text import counted
from workbench.model_lines import model_line

if TYPE_CHECKING:
    from workbench.engine.session import Session
    from workbench.llm.watched import Speech


def show_progress(session: "Session") -> Callable[[], None]:
    """Print a line for each step from now on, with the time since the session began; returns what
    ends that."""

    def show(rows: Sequence[Recorded]) -> None:
        started = session.state.started_at
        for row in rows:
            text = progress_line(row.event, session.state)
            if text:
                elapsed = (row.at - started).total_seconds() if started else 0.0
                say(f"{elapsed:6.2f}s  {text}")

    def asking(role: str) -> None:
        started = session.state.started_at
        elapsed = (datetime.now(UTC) - started).total_seconds() if started else 0.0
        say(f"{elapsed:6.2f}s  asking a model: {role} …")

    if session.state.phase is Phase.OPENING:  # what was noticed while it was opened
        for notice in session.state.notices:
            say(f"{0.0:6.2f}s  {progress_line(notice, session.state)}")
    return _both(session.subscribe(show), _on_calls(session, asking))


def show_steps(session: "Session") -> Callable[[], None]:
    """The same without times and phases, for a session whose beginning is long ago."""

    def show(rows: Sequence[Recorded]) -> None:
        for row in rows:
            text = progress_line(row.event, session.state)
            if text and not isinstance(row.event, PhaseEntered | HypothesisProposed):
                say(text)

    def asking(role: str) -> None:
        say(f"asking a model: {role} …")

    return _both(session.subscribe(show), _on_calls(session, asking))


def _on_calls(session: "Session", asking: Callable[[str], None]) -> Callable[[], None]:
    """Say that a call begins: a small machine may need minutes for its answer."""

    def hear(speech: "Speech") -> None:
        if not speech.text and not speech.ended:
            asking(speech.role.value.replace("_", " "))

    return session.speaking.listen(hear)


def _both(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def end() -> None:
        first()
        second()

    return end


def progress_line(event: AnyEvent, state: Investigation) -> str | None:
    """The line for an event, None for one that nobody waits for."""
    match event:
        case PhaseEntered(phase=phase):
            return f"── {phase.value}" if phase is not Phase.DONE else None
        case DebuggerStarted():
            why = state.debugger_why
            return f"{event.name} {event.version}" + (f" ({why})" if why else "")
        case EvidenceRecorded(evidence=item):
            partial = ", partial" if item.partial else ""
            return (
                f"{item.id} {item.command}  ({counted(item.lines, 'line')}{partial}) {item.summary}"
            )
        case CommandFailed():
            return f"not run: {event.command.text}: {event.reason}"
        case HypothesisProposed(hypothesis=h):
            return f"{h.id} {h.category}: {h.statement}"
        case HypothesisDecided(id=id, verdict=verdict):
            return f"{id} {verdict.status} ({verdict.confidence:.2f}): {verdict.reason}"
        case Noticed():
            return f"{event.severity}: {event.text}"
        case _:
            return model_line(event)
