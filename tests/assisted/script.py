"""A model in memory that says what it was told to say."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Answer, Question, ToolCall
from workbench.model.model_events import ModelsChosen
from workbench.model.models import ModelTier, Role, Usage

Said = Mapping[str, Any] | str | Sequence[tuple[str, Mapping[str, Any]]] | Exception
"""An object for a structured answer, prose, calls of tools, or what goes wrong."""


def failure(fault: Fault) -> ModelFailed:
    return ModelFailed(
        fault, "the test says so", provider="script", model="m", role=Role.CHAT, attempt=1
    )


class Scripted:
    """Answers by the prompt's name: each of a list in turn, the last for ever. What is not in the
    script is answered with nothing. ``asked`` are the questions that came, ``window`` is what it
    says of its context, in tokens."""

    def __init__(self, script: Mapping[str, Any] | None = None, window: int | None = None) -> None:
        self._window = window
        self._record: Any = None
        self._script = {
            k: list(v) if isinstance(v, list) else [v] for k, v in (script or {}).items()
        }
        self.asked: list[Question[Any]] = []

    def at(self, surroundings: Any) -> "Scripted":
        self._record = surroundings.record
        return self

    async def tell(self) -> None:
        if self._window is not None and self._record is not None:
            await self._record(ModelsChosen(local="m", context=self._window))
            self._record = None

    def count(self, prompt: str) -> int:
        return sum(question.prompt == prompt for question in self.asked)

    def said(self, prompt: str) -> list[str]:
        """What a prompt's questions told the model, in order."""
        return [
            "\n".join(message.content for message in question.messages)
            for question in self.asked
            if question.prompt == prompt
        ]

    async def ask(
        self, question: Question[Any], on_text: Callable[[str], None] | None = None
    ) -> Answer[Any]:
        turns = self._script.get(question.prompt, [{} if question.answer else ""])
        number = self.count(question.prompt)
        self.asked.append(question)
        turn = turns[min(number, len(turns) - 1)]
        said = turn(question) if callable(turn) else turn
        if isinstance(said, Exception):
            raise said
        usage = Usage(input_tokens=100, output_tokens=10)
        if isinstance(said, str):
            return Answer("m", ModelTier.LOCAL, text=said, usage=usage)
        if isinstance(said, Mapping):
            assert question.answer is not None
            value = question.answer.model_validate(dict(said))
            return Answer("m", ModelTier.LOCAL, value=value, usage=usage)
        calls = tuple(
            ToolCall(f"c{number}_{n}", name, arguments) for n, (name, arguments) in enumerate(said)
        )
        return Answer("m", ModelTier.LOCAL, calls=calls, usage=usage)

    async def close(self) -> None:
        pass


def item(question: Question[Any], command: str) -> str:
    """The id of the evidence of a command, as the summary's index names it."""
    told = "\n".join(message.content for message in question.messages)
    found = re.search(rf"^(E\d+) `{re.escape(command)}", told, re.MULTILINE)
    assert found is not None, f"{command} is not in what the model was told"
    return found[1]


def sentence(text: str, *citations: str) -> dict[str, Any]:
    return {"text": text, "citations": list(citations)}


def statement(kind: str, /, *citations: str, **args: Any) -> dict[str, Any]:
    """A statement as a model gives it."""
    pairs = [{"name": name, "value": str(value)} for name, value in args.items()]
    return {"kind": kind, "args": pairs, "citations": list(citations)}
