"""When the tool loop is over although the model does not say so."""

from workbench.model.events import StoppedBy
from workbench.model.investigation import Investigation


def reached(state: Investigation) -> tuple[StoppedBy, str] | None:
    """The limit that the loop has come to, with the reason in one line; None while it may go on."""
    limits, done = state.options.limits, state.assisted
    if done.iterations >= limits.iterations:
        return StoppedBy.MAX_ITERATIONS, f"{done.iterations} iterations"
    if done.tool_calls >= limits.tool_calls:
        return StoppedBy.MAX_TOOL_CALLS, f"{done.tool_calls} tool calls"
    if done.meta_calls >= limits.meta_calls:
        return StoppedBy.MAX_TOOL_CALLS, f"{done.meta_calls} calls that ask nothing of the dump"
    if done.idle >= limits.idle_iterations:
        return StoppedBy.NO_PROGRESS, f"{done.idle} iterations led to nothing new"
    if done.tokens >= limits.tokens:
        return StoppedBy.MAX_TOKENS, f"{done.tokens} tokens"
    if done.seconds >= limits.seconds:
        return StoppedBy.TIMEOUT, f"{done.seconds:.0f} s of waiting for a model"
    return None
