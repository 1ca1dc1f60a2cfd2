"""What a session did, read from its journal and its report: nothing is hooked in."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.evaluate.records import Capture, ModelUse
from workbench.model.events import (
    CommandFailed,
    CommandStarted,
    EvidenceRecorded,
    GateAnswered,
    HypothesisDecided,
)
from workbench.model.evidence import Source
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.model.model_events import ModelAnswered


def capture(
    id: str, rows: Iterable[Recorded], state: Investigation, report: Mapping[str, Any]
) -> Capture:
    """A finished session as one row."""
    events: Counter[str] = Counter()
    commands, confirmed, took = [], [], defaultdict[tuple[str, str, str], float](float)
    for row in rows:
        event = row.event
        events[str(event.__struct_config__.tag)] += 1
        match event:
            case EvidenceRecorded():
                events[f"evidence/{event.evidence.host or 'none'}"] += 1
                events.update(f"fact/{type(fact).__name__}" for fact in event.facts)
            case CommandStarted(source=Source.DEBUGGER):
                commands.append(event.command.text)
            case CommandFailed(refused=True):
                events["policy/refused"] += 1
            case GateAnswered():
                events[f"gate/{event.answer}"] += 1
            case ModelAnswered():
                outcome = "failed" if event.failed else "answered"
                events[f"{outcome}/{event.prompt}"] += 1
                events[f"{outcome}/{event.role.value}"] += 1
                took[event.model, event.tier.value, event.role.value] += event.seconds
            case HypothesisDecided():
                category = state.hypotheses[event.id].category.value
                events[f"{event.verdict.status}/{category}"] += 1
                if event.verdict.status is Status.CONFIRMED:
                    confirmed.append(category)
    analysis = report["analysis"]
    cause = analysis["aiAnalysis"]
    models = tuple(
        ModelUse.model_validate(
            {k: v for k, v in used.items() if k in _USED}
            | {"seconds": round(took[used["name"], used["tier"], used["role"]], 3)}
        )
        for used in report["usage"]["models"]
    )
    return Capture(
        id=id,
        category=cause["category"] or "unknown",
        confidence=cause["confidence"],
        root_cause=cause["rootCause"] or "",
        severity=(analysis["summary"]["severity"] or {}).get("class"),
        confirmed=tuple(dict.fromkeys(confirmed)),
        events=dict(events),
        commands=tuple(dict.fromkeys(commands)),
        models=models,
        degraded=tuple(str(one) for one in cause.get("degraded") or ()),
    )


_USED = {"name", "tier", "calls", "inputTokens", "outputTokens", "reasoningTokens", "costUsd"}
