"""What is proposed and not decided yet, in sentences that claim none of it."""

from collections.abc import Iterator

from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation

_MOST = 4
_STANDS = {
    Status.PROPOSED: "is proposed and waits for your decision",
    Status.APPROVED: "is approved and not tested yet",
    Status.TESTING: "is being tested",
}


def open_hypotheses(state: Investigation) -> Iterator[str]:
    """The hypotheses that may still turn out to be it, the likeliest first."""
    left = [h for h in state.hypotheses.values() if h.status in (*_STANDS, Status.INCONCLUSIVE)]
    for one in sorted(left, key=lambda h: -h.confidence)[:_MOST]:
        yield _sentence(one)


def _sentence(one: Hypothesis) -> str:
    category = one.category.replace("-", " ")
    statement = one.statement.rstrip(".")
    if one.status is Status.INCONCLUSIVE:
        reason = f": {one.reason.rstrip('.')}" if one.reason else ""
        return f"{one.id} ({category}) was tested and is not decided{reason}."
    return f'{one.id} ({category}) {_STANDS[one.status]}: "{statement}".'
