"""The models of one run: at most one on this machine and one elsewhere."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.llm.errors import NOTHING, Fault, ModelFailed
from workbench.llm.port import Question
from workbench.model.models import ModelTier, Usage

if TYPE_CHECKING:  # it loads pydantic
    from workbench.llm.providers.asking import Provider


@dataclass(frozen=True)
class Backend:
    """A model and who serves it. ``tier`` is the model's: an Ollama of this machine may hand a
    question on to another. ``url`` is where the provider is, without user or key; ``seller`` is the
    name under which a price list has it, empty where only the address tells. ``context`` is in
    tokens, None where the server does not tell it."""

    provider: "Provider"
    model: str
    tier: ModelTier
    url: str
    seller: str = ""
    context: int | None = None

    @property
    def label(self) -> str:
        """What a person reads: ``gpt-5-mini (openai)``."""
        return f"{self.model} ({self.provider.name})"

    def failed(
        self, question: Question[Any], fault: Fault, why: str, usage: Usage = NOTHING
    ) -> ModelFailed:
        """What became of a question that was answered, or ready to go, in vain."""
        return ModelFailed(fault, why, self.provider.name, self.model, question.role, 1, usage)


@dataclass(frozen=True)
class Lineup:
    """``missing`` says in one line each why a tier has no model."""

    backends: dict[ModelTier, Backend]
    missing: dict[ModelTier, str]

    @property
    def why(self) -> str:
        """One line for the journal."""
        there = [f"{tier}: {one.label}" for tier, one in self.backends.items()]
        return "; ".join([*there, *(f"no {tier}: {why}" for tier, why in self.missing.items())])

    async def close(self) -> None:
        """Let go of the providers."""
        ending = (one.provider.close() for one in self.backends.values())
        await asyncio.gather(*ending, return_exceptions=True)
