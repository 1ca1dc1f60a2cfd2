"""The part of an investigation's state that calls of models fill: what they cost, what was sent."""

from collections.abc import Mapping

from msgspec import Struct, field

from workbench.model.model_events import (
    ModelAnswered,
    ModelDegraded,
    ModelEvent,
    ModelsChosen,
    PayloadSent,
)
from workbench.model.models import ModelTier, Role, Usage


class Spent(Struct, frozen=True, kw_only=True):
    """A sum over calls. ``cost_usd`` is that of the calls whose price is known, ``unpriced`` counts
    the cloud's others."""

    calls: int = 0
    cached_calls: int = 0
    failed_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """What went in and came out."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Spent") -> "Spent":
        """The sum of two."""
        return Spent(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )

    def minus(self, other: "Spent") -> "Spent":
        """What came after an earlier sum."""
        return Spent(
            **{name: getattr(self, name) - getattr(other, name) for name in self.__struct_fields__}
        )


Spender = tuple[str, ModelTier, Role]
"""A model, where it runs, and in which role it was asked."""


class ModelUse(Struct):
    """Empty in a run without a model. ``spent`` is by model, tier and role."""

    chosen: ModelsChosen | None = None
    spent: dict[Spender, Spent] = field(default_factory=dict)
    payloads: list[PayloadSent] = field(default_factory=list)
    degraded: list[ModelDegraded] = field(default_factory=list)
    last: ModelAnswered | None = None
    prices: str = ""

    def apply(self, event: ModelEvent) -> None:
        """Take one event in."""
        match event:
            case ModelsChosen():
                self.chosen = event
            case PayloadSent():
                self.payloads.append(event)
            case ModelDegraded():
                if event not in self.degraded:
                    self.degraded.append(event)
            case ModelAnswered():
                self.last = event
                self.prices = event.prices or self.prices
                key = (event.model, event.tier, event.role)
                self.spent[key] = self.spent.get(key, Spent()).plus(_spent(event))

    def of(
        self, tier: ModelTier | None = None, before: Mapping[Spender, Spent] | None = None
    ) -> Spent:
        """The sum over one tier, or over both; without what was spent ``before``."""
        total = Spent()
        for spender, spent in self.spent.items():
            if tier in (None, spender[1]):
                total = total.plus(spent.minus((before or {}).get(spender, Spent())))
        return total

    @property
    def tier(self) -> str:
        """The highest tier that answered anything: cloud | local | offline."""
        answered = {
            tier for (_, tier, _), spent in self.spent.items() if spent.calls > spent.failed_calls
        }
        for tier in (ModelTier.CLOUD, ModelTier.LOCAL):
            if tier in answered:
                return tier.value
        return "offline"


def _spent(event: ModelAnswered) -> Spent:
    usage = Usage() if event.cached else event.usage
    priced = event.cached or event.tier is ModelTier.LOCAL or usage.cost_usd is not None
    return Spent(
        calls=1, cached_calls=int(event.cached), failed_calls=int(bool(event.failed)),
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens, reasoning_tokens=usage.reasoning_tokens,
        cost_usd=usage.cost_usd or 0.0, unpriced=int(not priced))  # fmt: skip
