"""What stands before a failure each time that it happened."""

from collections import Counter
from collections.abc import Sequence

from workbench.agents.chat.quoting import quoting
from workbench.agents.conversation.failures import Failure
from workbench.agents.conversation.files import Line
from workbench.agents.conversation.standing_out import sort_of
from workbench.model.claims import Claim

_WITHIN = 300
"""Seconds before it."""
_BACK = 300
"""Lines before it."""
_MOST = 2
_APART = 60
"""Seconds between two times that are two."""


def before_each(failure: Failure, lines: Sequence[Line]) -> list[Claim]:
    """The messages that stand shortly before every one of its times and hardly ever else, quoted
    where they first do; nothing where it happened once."""
    at = {(line.evidence, line.number): index for index, line in enumerate(lines)}
    times: list[int] = []
    for line in failure.lines:
        index = at.get((line.evidence, line.number))
        if index is None or line.stamp is None:
            continue
        last = lines[times[-1]].stamp if times else None
        gap = line.stamp.after(last) if last is not None else None
        if not times or gap is None or gap >= _APART:
            times.append(index)
    if len(times) < 2:
        return []
    total = Counter(sort_of(line.text) for line in lines if line.own)
    each = [_sorts_before(index, lines) for index in times]
    common = [sort for sort in each[0] if all(sort in other for other in each[1:])]
    claims = []
    for sort in common:
        if total[sort] > 2 * len(times) or sort == failure.sort:
            continue
        line = lines[each[0][sort]]
        claims += quoting("Before it, each time", line.evidence, line.number, line.text)
    return claims[-_MOST:]


def _sorts_before(index: int, lines: Sequence[Line]) -> dict[str, int]:
    """Sorts of messages before a line, each with where it stands last, in order."""
    when = lines[index].stamp
    found: dict[str, int] = {}
    for place in range(index - 1, max(-1, index - _BACK), -1):
        line = lines[place]
        gap = when.after(line.stamp) if when is not None and line.stamp is not None else None
        if gap is None or gap > _WITHIN:
            break
        if line.own:
            found.setdefault(sort_of(line.text), place)
    return dict(reversed(found.items()))
