"""What a waiting person reads of the models' part in a run: a line a step, and a sum at the end."""

from collections.abc import Mapping

from workbench.model.assisted_events import LoopEnded, PassEnded, PassEntered, PieceRead, ToolUsed
from workbench.model.events import AnyEvent
from workbench.model.model_events import ModelAnswered, ModelDegraded, ModelsChosen, PayloadSent
from workbench.model.model_use import ModelUse, Spender, Spent
from workbench.model.models import ModelTier

_ARGUMENTS = 100


def model_line(event: AnyEvent) -> str | None:
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
