"""Work with a limit of time. Waiting for a person at a gate costs none of it."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
_TICK = 0.5
"""Seconds after which a gate that has opened or closed is noticed."""


class OutOfTime(Exception):
    """The work took longer than it may; it was cancelled."""


async def within(
    seconds: float | None,
    work: Awaitable[T],
    waits: Callable[[], object],
    took: Callable[[float], None] = lambda _: None,
) -> T:
    """The result of ``work``, or what it raises; `OutOfTime` after ``seconds``, None without end.

    While ``waits()`` is true no time passes. ``took`` is told the seconds that did, as they do. The
    work has ended when this does, however it ends.
    """
    task = asyncio.ensure_future(work)
    left = seconds
    try:
        while not task.done():
            if left is not None and left <= 0:
                raise OutOfTime
            begun = monotonic()
            await asyncio.wait([task], timeout=_TICK if left is None else min(left, _TICK))
            passed = 0.0 if waits() else monotonic() - begun
            took(passed)
            if left is not None:
                left -= passed
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
