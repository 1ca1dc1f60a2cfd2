"""What sentences say that facts can know: a pattern and a test for each kind of statement."""

from workbench.agents.relations.causes import CAUSES
from workbench.agents.relations.code import CODE
from workbench.agents.relations.ending import ENDING
from workbench.agents.relations.machine import MACHINE
from workbench.agents.relations.memory import MEMORY
from workbench.agents.relations.parts import Relation
from workbench.agents.relations.threads import THREADS

RELATIONS: tuple[Relation, ...] = (*MACHINE, *MEMORY, *CODE, *ENDING, *THREADS, *CAUSES)
"""What anybody's sentence is held to."""


def relations_of(*, by_model: bool) -> tuple[Relation, ...]:
    """What a sentence is held to: a model's to more, which a run without one does not load."""
    if not by_model:
        return RELATIONS
    from workbench.agents.relations.of_models import EVERY

    return EVERY


__all__ = ["RELATIONS", "relations_of"]
