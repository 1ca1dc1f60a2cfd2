"""Models in memory that answer as a test says; each question is kept."""

from collections.abc import Callable, Sequence
from typing import Any

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Answer, EmbeddingsOff, Question, Settled
from workbench.model.models import Complexity, ModelTier, Role, Usage


class Words:
    """``answers`` by the prompt's name: a text, a dictionary for its response model, several of
    them one after another, or an error to raise. What is simple is code's, as the router says."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers
        self.asked: list[Question[Any]] = []

    def prompts(self) -> list[str]:
        return [question.prompt for question in self.asked]

    async def ask(
        self, question: Question[Any], on_text: Callable[[str], None] | None = None
    ) -> Answer[Any]:
        if question.complexity is Complexity.SIMPLE:
            raise Settled("code settles this")
        self.asked.append(question)
        given = self._answers.get(question.prompt, "")
        if isinstance(given, list):
            given = given.pop(0) if given else ""
        if isinstance(given, Exception):
            raise given
        value = None
        if question.answer is not None:
            value = question.answer.model_validate(given if isinstance(given, dict) else {})
        text = given if isinstance(given, str) else ""
        for word in text.split(" ") if on_text is not None else ():
            on_text(word + " ")
        return Answer(model="words", tier=ModelTier.LOCAL, value=value, text=text, usage=Usage())

    async def embed(self, texts: Sequence[str]) -> tuple[str, list[list[float]]]:
        raise EmbeddingsOff("embeddings are off")

    async def tell(self) -> None:
        """There is nothing to say."""

    async def close(self) -> None:
        """Nothing is open."""


def failed(fault: Fault = Fault.UNREACHABLE) -> ModelFailed:
    return ModelFailed(fault, "no route to it", provider="p", model="m", role=Role.CHAT, attempt=1)
