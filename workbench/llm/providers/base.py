"""What every provider gives, and the bounds in which each is asked."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from workbench.model.models import ModelTier

RESTART = "\f"  # said to on_text when an answer begins anew: the words before it are void

OnText = Callable[[str], None]


@dataclass(frozen=True)
class Outgoing:
    """One request as it is about to leave: its address and its exact bytes, without headers."""

    url: str
    body: bytes


BeforeSend = Callable[[Outgoing], Awaitable[None]]
asked_before: ContextVar[BeforeSend | None] = ContextVar("asked_before", default=None)
"""What hears of a request before it leaves."""


@dataclass(frozen=True)
class ModelInfo:
    """A model that answers. ``tier`` says where it runs: an Ollama on this machine may hand a
    question on to another. ``context`` is in tokens, ``size`` in bytes; None where not told."""

    name: str
    tier: ModelTier
    context: int | None = None
    size: int | None = None


@dataclass(frozen=True)
class Limits:
    """How long and how often. Seconds and bytes.

    ``silence`` is the longest pause between two bytes: there is no limit on a whole call, since
    what may leave the machine is shown to a person first. ``deadline`` counts from the answer's
    first byte. ``tries`` bounds requests that failed on the way, ``answers`` those which came and
    could not be used. A server that asks for a longer pause than ``longest_wait`` is busy.
    """

    connect: float = 5.0
    silence: float = 60.0
    deadline: float = 900.0
    tries: int = 4
    answers: int = 3
    first_wait: float = 1.0
    longest_wait: float = 60.0
    answer_bytes: int = 8_000_000
    calls: int = 40
    answer_tokens: Mapping[str, int] = field(
        default_factory=lambda: {"low": 2048, "medium": 8192, "high": 24576}
    )
