"""What the files and the person have told already, so that nobody asks for it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from workbench.agents.chat.environment import SYSTEM
from workbench.agents.conversation.failures import Failure
from workbench.model.investigation import Investigation
from workbench.targets.transcript.stamps import Stamp

_VERSION = re.compile(
    r"\b(?:version|release|build|ver\.?|v)\s?[:=]?\s?\d+(?:\.\d+)+\b"
    r"|\b[A-Za-z][\w-]{2,} v?\d+\.\d+\.\d+\b",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|started|began|begins?|for (?:days|weeks|months|a (?:day|week|month))|yesterday|"
    r"last (?:night|week|month|year|release|deploy\w*)|after (?:the|an?|we) \w+|"
    r"(?:days?|weeks?|months?) ago|first (?:time|seen))\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:every|each|always|sometimes|often|again|nightly|daily|weekly|hourly|whenever|"
    r"intermittent\w*|sporadic\w*|random\w*|reproduc\w+|repeated\w*|once|at night|only when|never "
    r"before|\d+ times)\b",
    re.IGNORECASE,
)
_MOST = 4 << 20
"""Characters of the files that are looked at."""
_QUIET = 3600
"""Seconds of a log without the failure that make the first one in it the first at all."""


class Known(Struct, frozen=True):
    """``system`` and ``version`` by the files or the person, ``since`` and ``again`` by the person
    or by a failure that stands there several times; ``first`` is the time of the first one, where
    the log begins well before it."""

    system: bool = False
    version: bool = False
    since: bool = False
    again: bool = False
    first: str | None = None


def known(state: Investigation, texts: Mapping[str, str], found: Sequence[Failure]) -> Known:
    """What need not be asked. Never raises on any text."""
    said = " ".join(
        [state.options.issue or "", *(turn.answer or "" for turn in state.conversation)]
    )[:_MOST]
    files = _joined(
        texts.get(item.id, "") for item in state.evidence.values() if item.source != "user"
    )
    left_out = set(state.focus.left_out) if state.focus is not None else set()
    live = [one for one in found if not one.evidence <= left_out]
    times = max((len({line.place for line in one.lines}) for one in live), default=0)
    return Known(
        system=bool(SYSTEM.search(files) or SYSTEM.search(said)),
        version=bool(_VERSION.search(files) or _VERSION.search(said)),
        since=bool(_SINCE.search(said)),
        again=bool(_AGAIN.search(said)) or times > 1,
        first=_first(live[0]) if len(live) == 1 else None,
    )


def _joined(texts: Iterable[str]) -> str:
    parts: list[str] = []
    left = _MOST
    for text in texts:
        parts.append(text[:left])
        left -= len(text)
        if left <= 0:
            break
    return "\n".join(parts)


def _first(failure: Failure) -> str | None:
    first, begins = next(iter(failure.stamps), None), failure.begins
    if first is None or first.day is None or begins is None:
        return None
    quiet = first.after(begins)
    return shown(first) if quiet is not None and quiet >= _QUIET else None


def shown(stamp: Stamp) -> str:
    """A time as it is read."""
    clock = f"{stamp.second // 3600:02}:{stamp.second // 60 % 60:02}:{stamp.second % 60:02}"
    day = stamp.day
    if day is None:
        return clock
    return f"{day:%m-%d} {clock}" if stamp.yearless else f"{day.isoformat()} {clock}"
