"""Waiting for gdb to load a dump: it asks nothing, and may take long while it works."""

import asyncio
import time

from workbench.debuggers.channel import Channel, Ended
from workbench.debuggers.marks import Kind

_POLL = 0.25
# A gdb that loads sleeps without a tick of work for this long only when it waits for ever.
_STUCK = 5.0


async def loaded(channel: Channel, deadline: float) -> str | Ended:
    """Wait for the first prompt until ``deadline`` (time.monotonic). Empty when it came, ``stuck``
    when gdb waits for something else than the processor, ``time`` at the deadline."""
    worked = time.monotonic()
    while (now := time.monotonic()) < deadline:
        try:
            async with asyncio.timeout(min(_POLL, deadline - now)):
                event = await channel.events.get()
        except TimeoutError:
            child = channel.child
            if not child.is_waiting() or not child.is_at_rest():
                worked = time.monotonic()
            elif time.monotonic() - worked > _STUCK:
                return "stuck"
            continue
        if isinstance(event, Ended):
            return event
        if event.mark.kind is Kind.PROMPT:
            return ""
    return "time"
