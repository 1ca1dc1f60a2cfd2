"""What a person takes for granted, held to the facts: one module for each kind of thing."""

from collections.abc import Callable, Iterator
from itertools import islice

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.clauses import clauses, denies, is_open
from workbench.agents.chat.presumed import accesses, endings, owners, places, sizes
from workbench.agents.chat.talk import Talk, Told
from workbench.model.claims import Claim
from workbench.model.conversation import Contradiction
from workbench.model.investigation import Investigation

_STATED: tuple[Callable[[str, Talk], Iterator[Told]], ...] = (
    accesses.told,
    places.told,
    owners.told,
    endings.told,
    sizes.told,
)
_MOST = 3


def presumed(talk: Talk) -> Iterator[Told]:
    """What the facts show to be as a question states it, and what they deny."""
    for clause in clauses(talk.asked.text):
        if not denies(clause):
            for rule in (endings.in_passing,) if is_open(clause) else _STATED:
                for one in islice(rule(clause, talk), _MOST):
                    yield one._replace(said=clause)


__all__ = ["presumed"]
