"""How long a model may go on: the guards of an investigation with a model."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """Where the tool loop and the passes around it end; the numbers are the contract's, ``tokens``
    and ``seconds`` (of waiting for models, a person's time at a gate left out) ours.

    ``meta_calls`` counts what asks nothing of the dump (scores, remarks, checkpoints), which
    ``tool_calls`` leaves out. ``excerpt`` and ``told``, what a
    model is told of the case in one call, are in characters.
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
    critic_rounds: int = 2
    excerpt: int = 2048
    told: int = 8000
