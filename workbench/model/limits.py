"""How long a model may go on: the guards of an investigation with a model."""

from msgspec import Struct
from msgspec.structs import replace

LARGE = 64_000
"""Tokens of a window from which on one conversation holds a usual crash."""
_SOME = 32_000
_MOST_TOLD = 200_000


class Limits(Struct, frozen=True, kw_only=True):
    """Where the tool loop and the passes around it end; the numbers are the contract's, ``tokens``
    and ``seconds`` (of waiting for models, a person's time at a gate left out) ours.

    ``meta_calls`` counts what asks nothing of the dump (scores, remarks, checkpoints), which
    ``tool_calls`` leaves out. ``piece_calls`` are pieces of large outputs. ``excerpt`` (an
    answer of a tool), ``told`` (of the case, in one call) and ``conversation`` (what is kept of it)
    are in characters.
    """

    iterations: int = 30
    tool_calls: int = 100
    calls_an_iteration: int = 40
    idle_iterations: int = 4
    meta_calls: int = 200
    checkpoint_every: int = 4
    tokens: int = 1_000_000
    seconds: float = 1800.0
    reading_calls: int = 6
    piece_calls: int = 12
    critic_rounds: int = 2
    excerpt: int = 2048
    told: int = 8000
    conversation: int = 48_000

    def within(self, window: int | None) -> "Limits":
        """What is shown to a model of so many tokens of context, None where that is not known.
        Of addresses and code a token is two characters or a little more: the case has about half
        of the window, the conversation the other. What a person set otherwise stays."""
        usual = Limits()
        if window is None or window < _SOME:
            return self
        large = {
            "excerpt": 32_768 if window >= LARGE else 16_384,
            "told": min(_MOST_TOLD, window),
            "conversation": window,
        }
        return replace(
            self, **{k: v for k, v in large.items() if getattr(self, k) == getattr(usual, k)}
        )
