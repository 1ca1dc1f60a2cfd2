"""One line on stderr for each step that a waiting person would want to see."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.delivery import say
from workbench.model import events
from workbench.model.assisted_events import LoopEnded, PassEnded, PassEntered, PieceRead, ToolUsed
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.model.model_events import ModelAnswered, ModelDegraded, ModelsChosen, PayloadSent
from workbench.model.model_use import ModelUse, Spender, Spent
from workbench.model.models import ModelTier
from workbench.model.text import counted

if TYPE_CHECKING:
    from workbench.engine.session import Session
    from workbench.llm.watched import Speech


def show_progress(session: "Session") -> Callable[[], None]:
    """Print a line for each step from now on, with the time since the session began; returns what
    ends that."""

    def since(at: datetime) -> str:
        started = session.state.started_at
        return f"{(at - started).total_seconds() if started else 0.0:6.2f}s  "

    if session.state.phase is events.Phase.OPENING:  # what was noticed while it was opened
        for notice in session.state.notices:
            say(f"{0.0:6.2f}s  {progress_line(notice, session.state)}")
    return _show(session, since, ())


def show_steps(session: "Session") -> Callable[[], None]:
    """The same without times and phases, for a session whose beginning is long ago."""
    return _show(session, lambda _: "", (events.PhaseEntered, events.HypothesisProposed))


def _show(
    session: "Session", since: Callable[[datetime], str], without: tuple[type, ...]
) -> Callable[[], None]:
    """A line for each event, and for each call that begins: a small machine may need minutes for
    its answer."""

    def show(rows: Sequence[Recorded]) -> None:
        for row in rows:
            text = progress_line(row.event, session.state)
            if text and not isinstance(row.event, without):
                say(since(row.at) + text)

    def hear(speech: "Speech") -> None:
        if not speech.text and not speech.ended:
            role = speech.role.value.replace("_", " ")
            say(f"{since(datetime.now(UTC))}asking a model: {role} …")

    ends = session.subscribe(show), session.speaking.listen(hear)

    def end() -> None:
        for one in ends:
            one()

    return end


def progress_line(event: events.AnyEvent, state: Investigation) -> str | None:
    """The line for an event, None for one that nobody waits for."""
    match event:
        case events.PhaseEntered(phase=phase):
            return f"── {phase.value}" if phase is not events.Phase.DONE else None
        case events.DebuggerStarted():
            why = state.debugger_why
            return f"{event.name} {event.version}" + (f" ({why})" if why else "")
        case events.EvidenceRecorded(evidence=item):
            partial = ", partial" if item.partial else ""
            return (
                f"{item.id} {item.command}  ({counted(item.lines, 'line')}{partial}) {item.summary}"
            )
        case events.CommandFailed():
            return f"not run: {event.command.text}: {event.reason}"
        case events.HypothesisProposed(hypothesis=h):
            return f"{h.id} {h.category}: {h.statement}"
        case events.HypothesisDecided(id=id, verdict=verdict):
            return f"{id} {verdict.status} ({verdict.confidence:.2f}): {verdict.reason}"
        case events.Noticed():
            return f"{event.severity}: {event.text}"
        case _:
            return model_line(event)


# What a waiting person reads of the models' part in a run: a line a step, and a sum at the end.
_ARGUMENTS = 100


def model_line(event: events.AnyEvent) -> str | None:
    """The line for an event of the models' part, None for any other."""
    match event:
        case ModelsChosen():
            return f"models: {event.why}"
        case PayloadSent():
            held = f", with {', '.join(event.contents)}" if event.contents else ""
            where = f"payloads/{event.id}.json"
            return f"sent to {event.model} at {event.url}: {event.size} bytes{held} ({where})"
        case ModelDegraded():
            return f"warning: {event.wanted} → {event.to or 'code alone'}: {event.why}"
        case ModelAnswered():
            return f"{event.role} asked {event.model} ({event.tier}): {_outcome(event)}"
        case PassEntered():
            return f"model: {event.name}"
        case PassEnded() if event.failed:
            return f"model: no {event.name}: {event.failed}"
        case PieceRead():
            found = f"{len(event.findings)} findings" if event.findings else "nothing"
            lines = f"lines {event.first} to {event.last}"
            return f"model: {event.evidence}, {lines}, one of {event.total} pieces: {found}"
        case ToolUsed(use=use):
            return f"model: {use.tool} {use.arguments[:_ARGUMENTS]}: {use.outcome}"
        case LoopEnded():
            return f"model: no more tools: {event.reason}"
        case _:
            return None


def _outcome(event: ModelAnswered) -> str:
    usage = event.usage
    if event.cached:
        return f"answered from the cache, nothing spent (then {usage.output_tokens} tokens)"
    spent = f"{usage.input_tokens} tokens in, {usage.output_tokens} out, {event.seconds:.1f} s"
    if event.tier is ModelTier.CLOUD:
        known = usage.cost_usd is not None
        spent += f", ${usage.cost_usd:.4f}" if known else ", price not known"
    return f"failed: {event.failed} ({spent})" if event.failed else spent


def summary_line(use: ModelUse, before: Mapping[Spender, Spent] | None = None) -> str:
    """What models took, for the end of a run, without what they had taken ``before`` it; empty
    where none was asked."""
    parts = []
    for tier in ModelTier:
        spent = use.of(tier, before)
        if spent.calls:
            parts.append(f"{tier}: {_spent_words(spent)}{_cost(spent, tier)}")
    table = f" ({use.prices})" if use.prices and parts else ""
    return f"models: {'; '.join(parts)}{table}" if parts else ""


def _spent_words(spent: Spent) -> str:
    calls = "1 call" if spent.calls == 1 else f"{spent.calls} calls"
    notes = [f"{spent.cached_calls} from the cache"] if spent.cached_calls else []
    notes += [f"{spent.failed_calls} failed"] if spent.failed_calls else []
    noted = f" ({', '.join(notes)})" if notes else ""
    return f"{calls}{noted}, {spent.input_tokens:,} tokens in, {spent.output_tokens:,} out"


def _cost(spent: Spent, tier: ModelTier) -> str:
    if tier is ModelTier.LOCAL:
        return ""
    unknown = f" and {spent.unpriced} calls without a known price" if spent.unpriced else ""
    return f", ${spent.cost_usd:.4f}{unknown}"
