"""Sending again what failed on the way: after a pause that grows, or that the server asks for."""

import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tenacity import AsyncRetrying, retry_if_exception

from workbench.llm.providers.base import Limits
from workbench.llm.providers.trouble import Trouble

if TYPE_CHECKING:
    from tenacity import RetryCallState

V = TypeVar("V")


async def again(limits: Limits, send: Callable[[], Awaitable[V]]) -> V:
    """What ``send`` brings. Raises its last `Trouble` when all tries are used up, or one that no
    try mends."""

    def enough(state: "RetryCallState") -> bool:
        error = _trouble(state)
        tries = error.tries if error is not None else None
        return state.attempt_number >= min(tries or limits.tries, limits.tries)

    def worth_it(error: BaseException) -> bool:
        if not isinstance(error, Trouble):
            return False
        return error.again and (error.retry_after or 0.0) <= limits.longest_wait

    def pause(state: "RetryCallState") -> float:
        error = _trouble(state)
        if error is not None and error.retry_after is not None:
            return error.retry_after
        growing: float = limits.first_wait * 2 ** (state.attempt_number - 1)
        return min(growing * random.uniform(0.75, 1.25), limits.longest_wait)

    async def once() -> V:  # a lambda that gives a coroutine is not one to tenacity
        return await send()

    retrying = AsyncRetrying(
        stop=enough, retry=retry_if_exception(worth_it), wait=pause, reraise=True
    )
    return await retrying(once)


def _trouble(state: "RetryCallState") -> Trouble | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, Trouble) else None
