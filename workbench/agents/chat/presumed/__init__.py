"""What a person takes for granted, held to the facts: one module for each kind of thing."""

from collections.abc import Callable, Iterator

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.clauses import clauses, denies, is_open
from workbench.agents.chat.presumed import accesses, endings, owners, places, sizes
from workbench.agents.chat.presumed.told import LineOf, Told
from workbench.model.claims import Claim
from workbench.model.conversation import Contradiction
from workbench.model.investigation import Investigation

_Rule = Callable[[str, Asked, Investigation, LineOf], Iterator[Told]]
_STATED: tuple[_Rule, ...] = (
    accesses.told,
    places.told,
    owners.told,
    endings.told,
    sizes.told,
)
_MOST = 3


def presumed(
    asked: Asked, state: Investigation, line_of: LineOf
) -> tuple[list[Contradiction], list[Claim]]:
    """What the facts deny of what a question states, and what they show to be so."""
    denied: list[Contradiction] = []
    agreed: list[Claim] = []
    for clause in clauses(asked.text):
        if denies(clause):
            continue
        rules = (endings.in_passing,) if is_open(clause) else _STATED
        for rule in rules:
            for one in list(rule(clause, asked, state, line_of))[:_MOST]:
                if one.agrees:
                    agreed.append(one.claim)
                else:
                    denied.append(Contradiction(clause, one.claim))
    return denied, agreed


__all__ = ["presumed"]
