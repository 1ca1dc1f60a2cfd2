"""A limit of time passes only while nobody is waited for, and nothing outlives it."""

import asyncio

import pytest

from workbench.agents.within import OutOfTime, within


class Forever:
    """Work without end, which says how it ended."""

    def __init__(self) -> None:
        self.ended = False

    async def __call__(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True


def nobody() -> bool:
    return False


async def test_work_that_ends_gives_its_result_or_what_it_raises() -> None:
    async def fail() -> None:
        raise TimeoutError("its own")

    assert await within(None, asyncio.sleep(0, "done"), nobody) == "done"
    assert await within(60, asyncio.sleep(0, "done"), nobody) == "done"
    with pytest.raises(TimeoutError, match="its own"):
        await within(60, fail(), nobody)


async def test_work_over_its_limit_is_ended_before_it_is_told() -> None:
    work = Forever()
    took: list[float] = []
    with pytest.raises(OutOfTime):
        await within(0.01, work(), nobody, took.append)
    assert work.ended
    assert sum(took) >= 0.01


async def test_work_whose_time_is_over_does_not_begin() -> None:
    work = Forever()
    with pytest.raises(OutOfTime):
        await within(0, work(), nobody)
    assert not work.ended


async def test_waiting_for_a_person_costs_no_time() -> None:
    answered = asyncio.Event()
    asked = 0
    took: list[float] = []

    def waits() -> bool:
        nonlocal asked
        asked += 1
        if asked == 3:
            answered.set()
        return True

    assert await within(0.01, answered.wait(), waits, took.append)
    assert asked >= 3
    assert sum(took) == 0


async def test_whoever_is_cancelled_takes_the_work_along() -> None:
    work = Forever()
    began = asyncio.Event()

    def waits() -> bool:
        began.set()
        return False

    task = asyncio.create_task(within(None, work(), waits))
    await asyncio.wait_for(began.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.ended
