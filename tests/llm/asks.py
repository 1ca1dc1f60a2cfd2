"""Questions as the roles put them, and bounds that suit a test."""

from dataclasses import replace

from pydantic import BaseModel, Field

from workbench.llm.port import Message, Question, Tool
from workbench.llm.providers.base import Limits
from workbench.model.models import Role

LIMITS = Limits(
    connect=2.0,
    silence=20.0,
    deadline=60.0,
    first_wait=0.01,
    longest_wait=2.0,
    answer_tokens={"low": 1000, "medium": 2000, "high": 4000},
)
# For a real model on a busy machine.
FEW = replace(LIMITS, silence=60.0, answer_tokens={"low": 8, "medium": 24, "high": 40})


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
