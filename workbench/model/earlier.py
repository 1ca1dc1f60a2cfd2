"""Events as earlier versions wrote them, brought to today's form when they are read.

The stored rows stay as they are. A change of an event that older rows do not fit is a step here.
"""

import json
from collections.abc import Callable
from typing import Any


def _without_sentences(event: dict[str, Any]) -> None:
    """A claim was a sentence before it was typed (`workbench.model.claims`): nothing checks one any
    more, so that it is left out; an import draws the conclusion again."""
    for holder in (event.get("verdict"), event.get("conclusion")):
        if isinstance(holder, dict) and isinstance(holder.get("claims"), list):
            holder["claims"] = [
                one for one in holder["claims"] if not isinstance(one, dict) or "kind" in one
            ]


def _one_lock(event: dict[str, Any]) -> None:
    """A mutex and a critical section were facts of two kinds before they were one `Lock`."""
    facts = event.get("facts")
    for fact in facts if isinstance(facts, list) else ():
        if isinstance(fact, dict) and fact.get("fact") in ("lock-owner", "critical-section"):
            if fact["fact"] == "critical-section":
                fact.setdefault("kind", "critical-section")
                fact.setdefault("locked", False)
            fact["fact"] = "lock"


STEPS: tuple[Callable[[dict[str, Any]], None], ...] = (_without_sentences, _one_lock)
"""In the order in which the form changed; each changes the event in place where it fits."""


def of_today(data: bytes | str) -> str:
    """An event's JSON after all steps. Raises ``ValueError`` for what is no object."""
    event = json.loads(data)
    if not isinstance(event, dict):
        raise ValueError("an event is an object")
    for step in STEPS:
        step(event)
    return json.dumps(event)
