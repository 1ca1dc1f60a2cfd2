"""What every .NET process is asked, beside the native baseline.

What knows .NET is imported where a process turned out to be one.
"""

from analyzers.patterns.managed import commands
from workbench.agents.ports import Ports, spelt
from workbench.model.evidence import Command
from workbench.model.facts import Frame, ManagedThreads
from workbench.model.investigation import Investigation

_EXCEPTIONS = 3


async def collect_managed(ports: Ports) -> None:
    """Ask for threads, stacks, exceptions and heap of a .NET process; nothing of any other."""
    target = ports.state.target
    if target is None or target.runtime is None:
        return
    await _ask(ports, (commands.THREADS,))
    if ports.state.facts.first(ManagedThreads) is None:
        return  # there is no SOS: it would not know the other words either
    await _ask(ports, (commands.STACKS,))
    await _ask(ports, _exceptions(ports.state))
    await _ask(ports, (commands.GC_HEAP, commands.HEAP, commands.ASSEMBLIES))


async def _ask(ports: Ports, wanted: tuple[Command, ...]) -> None:
    for command in spelt(ports.state, wanted):
        await ports.ask(command)


def _exceptions(state: Investigation) -> tuple[Command, ...]:
    """The exceptions of the threads of a process that died. One that lives keeps the last that
    each thread has handled, which says nothing."""
    from analyzers.patterns.managed.case import ManagedCase

    case = state.facts.once(ManagedCase)
    if not case.died:
        return ()
    rows = [i.exception_address for i in case.managed.values() if i.exception_address]
    named = tuple(commands.exception(address) for address in rows[:_EXCEPTIONS])
    return (*named, commands.EXCEPTION)


def managed_code(frame: Frame) -> list[Command]:
    """The code of a managed frame, whose index is none of the native debugger's frames."""
    return [commands.code(frame.address)] if frame.address is not None else []
