"""What a model's sentence is held to besides: an expert makes its own from facts."""

from workbench.agents.relations import RELATIONS
from workbench.agents.relations.access import ACCESS
from workbench.agents.relations.actors import ACTORS
from workbench.agents.relations.calls import CALLS
from workbench.agents.relations.doings import DOINGS
from workbench.agents.relations.memory import MEMORY_OF_MODELS
from workbench.agents.relations.parts import Relation
from workbench.agents.relations.traces import TRACES
from workbench.agents.relations.values import VALUES
from workbench.agents.relations.waiting import WAITING

EVERY: tuple[Relation, ...] = (
    *RELATIONS,
    *MEMORY_OF_MODELS,
    *ACCESS,
    *ACTORS,
    *CALLS,
    *DOINGS,
    *WAITING,
    *VALUES,
    *TRACES,
)
