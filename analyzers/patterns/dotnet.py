"""Whether the facts speak of .NET at all: without, its experts are not even loaded."""

from workbench.model.facts import (
    FactBook,
    HeapTypes,
    ManagedException,
    ManagedThreads,
    Monitors,
    PoolState,
    Stack,
)

_KINDS = (ManagedThreads, ManagedException, Monitors, PoolState, HeapTypes)


def speaks_of_dotnet(facts: FactBook) -> bool:
    """True when SOS or the runtime itself said anything."""
    return any(isinstance(f, _KINDS) or (isinstance(f, Stack) and f.managed) for f in facts)
