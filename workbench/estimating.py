"""``--dry-run``: what a run would ask of models and what that would cost, before anything is spent.

The calls are those of the workflow, the sizes were measured on investigations of the samples: the
truth lies within a factor of two or three, and never above the budgets.
"""

import math
from enum import Enum

from msgspec import Struct

from workbench.llm.choosing import TierMissing
from workbench.llm.offers import Offer, offers
from workbench.llm.prices import price_table, priced
from workbench.llm.prompts import load, source
from workbench.llm.providers.place import BadAddress
from workbench.llm.router import route
from workbench.model.models import Complexity, Effort, ModelTier, ModelWish, TierWish, Usage
from workbench.model.target import Limits
from workbench.model.text import printable
from workbench.settings import Settings

_CHARACTERS_A_TOKEN = 4
THOUGHT = {Effort.LOW: 1.0, Effort.MEDIUM: 2.0, Effort.HIGH: 4.0}
"""Tokens that a model thinks or writes, for each that the answer itself takes."""


class Work(Enum):
    """What is estimated."""

    INVESTIGATION = "investigation"
    QUESTION = "question"
    CONVERSATION = "conversation"


class Step(Struct, frozen=True):
    """Calls of one prompt: usually so many, at most so many; ``context`` in characters beside the
    prompt's own text, ``answer`` in tokens."""

    prompt: str
    usual: int
    most: int
    context: int
    answer: int


class TierEstimate(Struct, frozen=True, kw_only=True, rename="camel"):
    """If this tier does all that it is fit for. Of each pair the second is the most that the
    budgets allow. ``usd`` is None where no table has the model's price."""

    tier: str
    model: str | None
    calls: tuple[int, int]
    input_tokens: tuple[int, int]
    output_tokens: tuple[int, int]
    usd: tuple[float, float] | None
    used: bool


class StepEstimate(Struct, frozen=True, kw_only=True, rename="camel"):
    """One prompt's part in this run: its ``tier`` is local | cloud, or offline where code alone
    does without it. Of each pair the second is the most."""

    prompt: str
    complexity: Complexity
    tier: str
    calls: tuple[int, int]
    input_tokens: tuple[int, int]
    output_tokens: tuple[int, int]


class Estimate(Struct, frozen=True, kw_only=True, rename="camel"):
    """For each tier, and for each step of this run the tier that takes it; ``cost_cap`` in dollars,
    ``prices`` names the table and its date."""

    tiers: tuple[TierEstimate, ...]
    steps: tuple[StepEstimate, ...]
    prices: str
    cost_cap: float
    token_cap: int


def estimate(work: Work, settings: Settings, wish: ModelWish) -> Estimate:
    """Asks nobody: no server, no debugger. Raises `TierMissing` for an address that is none."""
    steps = _steps(work, settings.limits())
    try:
        there = offers(settings)
    except BadAddress as error:
        raise TierMissing(f"{error}; correct it") from error
    local = next((o for o in there if o.tier is ModelTier.LOCAL and o.setting), None)
    cloud = next((o for o in there if o.tier is ModelTier.CLOUD and o.setting), None)
    there_too = wish.tier is TierWish.CLOUD or (wish.allow_cloud and cloud is not None)
    missing = {} if there_too else {ModelTier.CLOUD: "not used"}
    taken = {step.prompt: _taker(step, wish, missing) for step in steps}
    used = set(taken.values()) or {"offline"}
    hard = [step for step in steps if load(step.prompt).complexity is Complexity.COMPLEX]
    both = {"local", "cloud"} <= used
    easy = [step for step in steps if taken[step.prompt] == "local"]
    rows: tuple[tuple[str, Offer | None, list[Step]], ...] = (
        ("offline", None, []),
        ("local", local, easy if both else steps),
        ("cloud", cloud, steps if wish.tier is TierWish.CLOUD else hard),
    )
    return Estimate(
        tiers=tuple(_of(tier, offer, theirs, wish, tier in used) for tier, offer, theirs in rows),
        steps=tuple(_step(step, taken[step.prompt], wish) for step in steps), prices=price_table(),
        cost_cap=settings.max_cost, token_cap=settings.max_tokens)  # fmt: skip


def as_text(made: Estimate) -> str:
    """For a person; of ``a to b`` the second is what the budgets allow at most."""
    lines = ["Nothing was asked, sent or spent. If a tier does what it is fit for:"]
    for one in made.tiers:
        used = "  ← this run" if one.used else ""
        if one.tier == "offline":
            lines.append(f"  offline  no calls, no tokens, $0{used}")
            continue
        cost = "$0" if one.tier == "local" else "price not known"
        if one.tier == "cloud" and one.usd is not None:
            cost = f"${one.usd[0]:.2f} to ${min(one.usd[1], made.cost_cap):.2f}"
        if one.tier == "cloud" and one.model is None:
            cost = "no model of it is set"
        model = f"  ({printable(one.model)})" if one.model else ""
        lines.append(
            f"  {one.tier:<7}  {_pair(one.calls)} calls, {_pair(one.input_tokens)} tokens in, "
            f"{_pair(one.output_tokens)} out, {cost}{model}{used}"
        )
    if any(step.tier != "offline" for step in made.steps):
        lines.append("This run, step by step:")
    for step in made.steps:
        if step.tier != "offline":
            calls = f"{_pair(step.calls)} calls"
            lines.append(f"  {step.tier:<7}  {step.prompt:<12} {calls:<15} {step.complexity}")
    lines.append(
        f"Caps: ${made.cost_cap:g}, {made.token_cap:,} cloud tokens. Prices: {made.prices}."
    )
    return "\n".join(lines) + "\n"


def _pair(values: tuple[int, int]) -> str:
    return f"{values[0]:,} to {values[1]:,}"


def _taker(step: Step, wish: ModelWish, missing: dict[ModelTier, str]) -> str:
    """Whether a model of this machine answers is not asked: it is taken to be there."""
    way = route(load(step.prompt).complexity, wish.tier, missing)
    return way.tiers[0].value if way.tiers else "offline"


def _step(step: Step, tier: str, wish: ModelWish) -> StepEstimate:
    complexity = load(step.prompt).complexity
    sizes = _sizes(_ends([step], wish.effort))
    return StepEstimate(prompt=step.prompt, complexity=complexity, tier=tier, **sizes)


def _of(
    tier: str, offer: Offer | None, steps: list[Step], wish: ModelWish, used: bool
) -> TierEstimate:
    named = wish.model or (offer.model if offer else None) if tier != "offline" else None
    ends = _ends(steps, wish.effort)
    costs: list[float | None] = [0.0, 0.0]
    if tier == "cloud":
        address = offer.place.shown if offer else ""
        seller = offer.seller if offer else ""
        costs = [priced(usage, named or "", seller, address).cost_usd for _, usage in ends]
    low, high = costs
    usd = (low, high) if low is not None and high is not None else None
    return TierEstimate(tier=tier, model=named, usd=usd, used=used, **_sizes(ends))


def _ends(steps: list[Step], effort: Effort) -> list[tuple[int, Usage]]:
    """Calls and tokens as they usually are, and at most."""
    return [_sum(steps, effort, usual=usual) for usual in (True, False)]


def _sizes(ends: list[tuple[int, Usage]]) -> dict[str, tuple[int, int]]:
    """The pairs that the estimates of a tier and of a step have in common."""
    low, high = ends
    return {
        "calls": (low[0], high[0]),
        "input_tokens": (low[1].input_tokens, high[1].input_tokens),
        "output_tokens": (low[1].output_tokens, high[1].output_tokens),
    }


def _sum(steps: list[Step], effort: Effort, *, usual: bool) -> tuple[int, Usage]:
    calls = taken = given = 0
    for step in steps:
        count = step.usual if usual else step.most
        size = len(source(step.prompt)) + step.context
        calls += count
        taken += count * math.ceil(size / _CHARACTERS_A_TOKEN)
        given += math.ceil(count * step.answer * THOUGHT[effort])
    return calls, Usage(input_tokens=taken, output_tokens=given)


def _steps(work: Work, limits: Limits) -> list[Step]:
    rounds = limits.critic_rounds
    if work is Work.QUESTION:
        return [Step("chat_plan", 1, 2, 4_000, 200), Step("chat", 1, 2, 9_000, 400)]
    if work is Work.CONVERSATION:
        return [
            Step("initial", 1, 1, 12_000, 400),
            Step("followup", 3, limits.iterations, 14_000, 400),
            Step("final", 1, 2, 14_000, 700),
        ]
    return [
        Step(
            "reading",
            min(2, limits.reading_calls),
            limits.reading_calls + limits.piece_calls,
            5_500,
            300,
        ),
        Step("hypotheses", 1, 2, 4_500, 700),
        Step("investigate", min(8, limits.iterations), limits.iterations, 14_000, 250),
        Step("explanation", 1, max(1, rounds), 5_500, 900),
        Step("criticism", min(1, rounds), min(1, rounds), 4_500, 600),
        Step("verification", 0, max(0, rounds - 1), 4_500, 300),
    ]
