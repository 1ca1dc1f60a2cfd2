"""Questions as the roles put them, and bounds that suit a test."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.llm.scripted import Scripted, says
from workbench.llm.errors import ModelFailed
from workbench.llm.port import Answer, Message, Question, Tool
from workbench.llm.providers.asking import Provider
from workbench.llm.providers.base import Limits
from workbench.model.models import Role

LIMITS = Limits(
    connect=10.0,
    silence=20.0,
    deadline=60.0,
    first_wait=0.01,
    longest_wait=2.0,
    answer_tokens={"low": 1000, "medium": 2000, "high": 4000},
)
# For a real model on a busy machine.
FEW = replace(LIMITS, silence=60.0, answer_tokens={"low": 8, "medium": 24, "high": 40})

GOOD = '{"cause": "deadlock", "confidence": 0.5}'  # a `Verdict`
KEY = "sk-secret-0123456789"


class Verdict(BaseModel):
    """What was found."""

    cause: str
    confidence: float = Field(ge=0, le=1)


class Exec(BaseModel):
    """Run a command of the debugger."""

    command: str


def tools() -> tuple[Tool, ...]:
    return (Tool("exec", "Run one command of the debugger and read its output.", Exec),)


def question(
    text: str = "Which thread holds the lock?",
    *,
    answer: type[BaseModel] | None = None,
    tools: tuple[Tool, ...] = (),
    must_call: bool = False,
    before: tuple[Message, ...] = (),
) -> Question[BaseModel]:
    system = Message("system", "You read crash dumps. Answer in one short sentence.")
    return Question(
        role=Role.INVESTIGATOR,
        prompt="investigator",
        messages=(system, *before, Message("user", text)),
        answer=answer,
        tools=tools,
        must_call=must_call,
    )


async def cancelled(
    provider: Provider, scripted: Scripted, asked: Question[BaseModel]
) -> tuple[float, float]:
    """Seconds until a call that is cancelled in mid-answer has ended, and until the server saw the
    connection close; the answer would take a minute."""
    scripted.script(says("word " * 120, pause=0.5))
    scripted.speaking.clear()
    scripted.hung_up.clear()
    task = asyncio.create_task(provider.complete("m", asked, temperature=0.2))
    assert await asyncio.to_thread(scripted.speaking.wait, 60)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ended = time.monotonic() - began
    assert await asyncio.to_thread(scripted.hung_up.wait, 60)
    return ended, scripted.hung_up_at - began


async def ask(provider: Provider, **how: Any) -> Answer[Any]:
    """Put one question; ``how`` is for `question`."""
    return await provider.complete("m", question(**how), temperature=0.2)


async def failure(provider: Provider, **how: Any) -> ModelFailed:
    """Put one question that ends in a failure."""
    with pytest.raises(ModelFailed) as caught:
        await ask(provider, **how)
    return caught.value


def bodies(scripted: Scripted) -> list[dict[str, Any]]:
    """What was asked, request by request."""
    return [seen.body for seen in scripted.asked]
