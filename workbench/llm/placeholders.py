"""A question with placeholders for what is private, and its answer with the names put back."""

from dataclasses import replace
from typing import Any

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Answer, Message, Question, T, ToolCall
from workbench.llm.redaction.redactor import Redactor


def hidden(messages: tuple[Message, ...], redactor: Redactor) -> tuple[Message, ...]:
    """The messages as they may leave the machine.

    What a later message gives away may stand in an earlier one: all are read before one is made.
    """
    for message in messages:
        redactor.redact(message.content)
        redactor.redact_all([call.arguments for call in message.calls])
    return tuple(
        Message(
            message.role,
            redactor.redact(message.content),
            tuple(
                ToolCall(call.id, call.name, redactor.redact_all(call.arguments))
                for call in message.calls
            ),
            message.call_id,
        )
        for message in messages
    )


def put_back(
    answer: Answer[T], question: Question[T], redactor: Redactor, provider: str
) -> Answer[T]:
    """The answer with what the placeholders stand for, in its text, its value and the arguments of
    its calls. Raises `ModelFailed` when it no longer is what was asked for."""
    return replace(
        answer,
        value=_value(answer, question, redactor, provider),
        text=redactor.restore(answer.text),
        calls=tuple(
            ToolCall(call.id, call.name, redactor.restore_all(call.arguments))
            for call in answer.calls
        ),
    )


def _value(answer: Answer[T], question: Question[T], redactor: Redactor, provider: str) -> T | None:
    if answer.value is None or question.answer is None:
        return answer.value
    told: Any = redactor.restore_all(answer.value.model_dump(mode="json"))
    try:
        return question.answer.model_validate(told)
    except ValueError as error:
        raise ModelFailed(
            Fault.UNUSABLE,
            "with the names put back it is not what was asked for",
            provider=provider,
            model=answer.model,
            role=question.role,
            attempt=1,
            usage=answer.usage,
        ) from error
