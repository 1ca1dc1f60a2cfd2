"""What can go wrong with a provider, said so that a person can mend it."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.models import Role, Usage


class Fault(StrEnum):
    """Kinds of failure, by what is to be done about them."""

    UNREACHABLE = "unreachable"  # no answer, cut, or silent for too long
    BUSY = "busy"  # 429, 503: asked again after a while in vain
    REFUSED_KEY = "refused-key"  # never tried again
    TOO_LONG = "too-long"  # the context does not hold the question
    DECLINED = "declined"  # the model refuses to answer
    UNUSABLE = "unusable"  # an answer came, and no attempt gave one that can be read
    REFUSED = "refused"  # the request, without a word that tells what of it
    STOPPED = "stopped"  # by the person who looked on
    UNSUPPORTED = "unsupported"  # tools or JSON in none of the ways that are known


@dataclass(frozen=True)
class Excess:
    """What a question takes and what the model's context holds, both in tokens."""

    tokens: int
    context: int


NOTHING = Usage()


@dataclass(eq=False)
class ModelFailed(Exception):
    """A call that gave nothing usable; the message names provider, model, role and attempt.

    ``usage`` is what it cost all the same; ``excess`` says of one that is too long by how much,
    where the provider tells.
    """

    fault: Fault
    why: str
    provider: str
    model: str
    role: Role
    attempt: int
    usage: Usage = NOTHING
    excess: Excess | None = None

    def __str__(self) -> str:
        return f"{self.provider} {self.model} ({self.role}, attempt {self.attempt}): {self.why}"
