"""Who took out of a container what the statement that failed looks up in it."""

import re
from collections.abc import Sequence
from itertools import pairwise

from workbench.model.citation import Citation
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.reproduce.observing import Observing, hits_of, origin_of
from workbench.reproduce.owners import own
from workbench.reproduce.wire import Cell, Hit, Lookup
from workbench.targets.probes.places import NEAR_NULL

_NODE = 8
"""Bytes in front of what a node of libstdc++'s hash tables holds (hashtable_policy.h)."""
_ENDS = re.compile(r"std::__throw_|core::option::(?:unwrap|expect)_failed$")
"""Who is told that there is no value."""
_LOOKS_UP = re.compile(
    r"std::(?:__detail::_Map_base|(?:unordered_)?map)<.*>::at$"
    r"|core::option::Option<&.*>::(?:unwrap|expect)\b|std::collections::hash::map::"
)
"""A lookup in a container, or what is done with the place of an element that Rust's gives back."""


class Lookups(Observing):
    """What was looked up and not found, which decides alone who is to blame."""

    async def found_missing(self) -> Origin | None:
        """Who took out of a container the only key that the statement which failed asks for and
        that is in none of those, if it was there once: what was never there tells of nobody. Who
        does both in one line was to do it once."""
        used, outcome = own(self.crash.outcome.frames), self.crash.outcome
        found = outcome.looked
        if len(found) != 1 or used is None or found[0].frame != used.index or (
            outcome.hung or not self._failed_by(found[0])
        ):  # fmt: skip
            return None
        cell = Cell("N", found[0].address)
        again = await self._observe("who took it out", cells=(cell,), lookup=found[0])
        gone = _took_out(hits_of(again, "N"), found[0].kind)
        if again is None or gone is None:
            return None
        step = self._step(again, gone, OriginKind.TAKEN_OUT)
        if (step.function, step.line) == (used.function, used.line) or step.line is None:
            return None
        use = OriginStep(
            kind=OriginKind.USED, function=used.function, file=used.file, line=used.line,
            evidence=(Citation(self.crash.id),), stack=outcome.frames,
        )  # fmt: skip
        return origin_of(step, (step, use))

    def _failed_by(self, lookup: Lookup) -> bool:
        """Whether what is given for a key that is not there can have failed so: who checks for it
        ends the process, and an iterator of a hash table leads from null to what lies behind the
        key. That of a tree leads to its header. What a library ended the process for was the
        lookup where that asked for it itself."""
        if self.crash.outcome.signal == "SIGABRT":
            names = [one.function or "" for one in self.crash.outcome.frames[: lookup.frame + 1]]
            ended = (by for end, by in pairwise(names) if _ENDS.match(end))
            return all(_LOOKS_UP.match(by) for by in ended)
        at = self.crash.outcome.address or 0
        return lookup.kind == "chain" and _NODE + lookup.size <= at < NEAR_NULL


def _took_out(hits: Sequence[Hit], kind: str) -> Hit | None:
    """The only write by which a container came to hold less, since it last held the key until it
    was first seen not to; nothing may have been put in since of which it is not known."""
    after = [
        _held_after(hit, then, kind) for hit, then in zip(hits, [*hits[1:], None], strict=True)
    ]
    last = max((at for at, known in enumerate(after) if known == 1), default=len(hits))
    if -1 in after[last:]:
        return None
    one, two = (*hits[last : last + 2], None, None)[:2]
    near = one is not None and two is not None and two.nth == one.nth + 1
    left = (one.new or 0) - (two.new or 0) if one is not None and two is not None else 0
    if left > 1 and any((hit.new or 0) > (hit.old or 0) for hit in hits[last + 2 :]):
        return None  # it was emptied to be filled anew: who left one out is to blame
    return two if near and two is not None and (two.new or 0) < (two.old or 0) else None


def _held_after(hit: Hit, then: Hit | None, kind: str) -> int:
    """Whether the key was there behind a write of the count: Rust's tables count an element before
    they store it (hashbrown, RawTable::insert), so that the next write sees whether it was this."""
    if kind != "table" or hit.held == 1 or (hit.new or 0) < (hit.old or 0) or then is None:
        return hit.held
    rises = (then.new or 0) > (then.old or 0)
    return then.held if rises or then.held == 1 else -1
