"""Who waits for whom where no table says it: stacks and tables of locks put together."""

from collections.abc import Iterator

from analyzers.patterns.case import Case
from analyzers.patterns.managed.locks import managed_waits
from analyzers.patterns.windows.chain import ring_of, waiting_threads
from workbench.model.facts import FactBook, LockCycle, Wait


def inferred_waits(facts: FactBook) -> Iterator[Wait | LockCycle]:
    """The waits for monitors and for critical sections, and the rings among them; and what a
    library's frames call a wait that the memory shows as a bare futex."""
    told = facts.all(Wait)
    yield from (wait for wait in Case(facts).waits.values() if wait not in told)
    waits, cycles = managed_waits(facts)
    yield from waits
    yield from cycles
    sections = {}
    for thread, section in waiting_threads(facts):
        sections[thread] = section
        yield Wait(
            cite=section.cite,
            thread=thread,
            kind=section.kind,
            address=section.address,
            owner=section.owner,
            name=section.name,
        )
    ring = ring_of(facts)
    if ring and all(thread in sections for thread in ring):
        held = tuple(sections[thread].address for thread in ring)
        yield LockCycle(cite=sections[ring[0]].cite, threads=ring, locks=held)
