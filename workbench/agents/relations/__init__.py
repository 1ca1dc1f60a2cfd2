"""What sentences say that facts can know: a pattern and a test for each kind of statement."""

from workbench.agents.relations.access import ACCESS
from workbench.agents.relations.actors import ACTORS
from workbench.agents.relations.causes import CAUSES
from workbench.agents.relations.code import CODE
from workbench.agents.relations.doings import DOINGS
from workbench.agents.relations.ending import ENDING
from workbench.agents.relations.machine import MACHINE
from workbench.agents.relations.memory import MEMORY
from workbench.agents.relations.parts import Relation
from workbench.agents.relations.threads import THREADS
from workbench.agents.relations.traces import TRACES
from workbench.agents.relations.values import VALUES
from workbench.agents.relations.waiting import WAITING

RELATIONS: tuple[Relation, ...] = (
    *MACHINE,
    *MEMORY,
    *ACCESS,
    *CODE,
    *ACTORS,
    *DOINGS,
    *ENDING,
    *THREADS,
    *WAITING,
    *VALUES,
    *TRACES,
    *CAUSES,
)

__all__ = ["RELATIONS"]
