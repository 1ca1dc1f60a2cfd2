"""The words for models: who asks, how hard the question is, what of the dump it carries."""

from enum import StrEnum

from msgspec import Struct


class Role(StrEnum):
    """Who asks. Each has a temperature of its own (`TEMPERATURES`)."""

    HYPOTHESIS = "hypothesis"
    INVESTIGATOR = "investigator"
    REASONER = "reasoner"
    CRITIC = "critic"
    JUDGE = "judge"
    REPORT_WRITER = "report_writer"
    CHAT = "chat"


TEMPERATURES = {
    Role.HYPOTHESIS: 0.0, Role.INVESTIGATOR: 0.1, Role.REASONER: 0.2, Role.CRITIC: 0.5,
    Role.JUDGE: 0.0, Role.REPORT_WRITER: 0.2, Role.CHAT: 0.2,
}  # fmt: skip


class ModelTier(StrEnum):
    """Where a model runs: on this machine, or anywhere else."""

    LOCAL = "local"
    CLOUD = "cloud"


class TierWish(StrEnum):
    """Which models a person lets help: ``auto`` takes a local one if it answers."""

    AUTO = "auto"
    OFFLINE = "offline"
    LOCAL = "local"
    CLOUD = "cloud"


class Effort(StrEnum):
    """How long a model may think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ModelWish(Struct, frozen=True, kw_only=True):
    """What the person wants of models in this run. It is never read from a session's folder: who
    made that has no say in where this machine sends what it holds."""

    tier: TierWish = TierWish.OFFLINE
    model: str | None = None
    effort: Effort = Effort.MEDIUM
    allow_cloud: bool = False
    refresh: bool = False


OFFLINE = ModelWish()


class Complexity(StrEnum):
    """How hard a question is: settled by code, fit for a small model, or fit for a large one."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    COMPLEX = "complex"


class Content(StrEnum):
    """What of the dump a question carries; a person may leave each kind out of cloud calls."""

    STACKS = "stacks"
    MEMORY = "memory"
    SOURCE = "source"
    STRINGS = "strings"


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one call as the provider counts them; ``cached_tokens`` are part of the input,
    ``reasoning_tokens`` of the output. ``cost_usd`` is None where the price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
