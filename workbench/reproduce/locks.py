"""Who took a lock that is waited for, and in which order."""

from collections.abc import Sequence

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.observing import Observing
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead
from workbench.reproduce.wire import Hit


class Locks(Observing):
    """What the locks and unlocks of a run come to."""

    async def _lock(self, lead: Lead) -> OriginStep | None:
        """Who took a lock that is waited for and did not give it back."""
        seen = await self._observe("who takes the locks", locks=lead.locks)
        if seen is None:
            return None
        held, orders = _holding(seen.outcome.events)
        waited = {hit.thread: hit.address for hit in seen.outcome.events if hit.kind == "lock"}
        taken = [held[lock] for lock in lead.locks if lock in held]
        if not taken:
            return None
        # Whoever waits for a lock which others take before the one that it holds broke the order;
        # whoever waits for its own comes first.
        taken.sort(
            key=lambda hit: (
                waited.get(hit.thread) == hit.address,
                (waited.get(hit.thread), hit.address) in orders,
                hit.order,
            )
        )
        told = [_where_they_differ(hit, taken) for hit in taken]
        *others, last = (self._step(seen, hit, OriginKind.LOCKED) for hit in told)
        self.steps += others
        shown = [cite for step in (last, *others[-1:]) for cite in step.evidence]
        return replace(last, evidence=tuple(shown))


def _where_they_differ(hit: Hit, taken: Sequence[Hit]) -> Hit:
    """The hit without the program's innermost frames that all of them share: a function that
    everyone takes locks with is no cause."""
    stacks = [[frame for frame in one.frames if is_own(frame)] for one in taken]
    shared: set[int] = set()
    for own, *others in zip(*stacks, strict=False):
        if any((own.function, own.line) != (one.function, one.line) for one in others):
            break
        shared |= {frame.index for frame in hit.frames if frame.function == own.function}
    whole = len(taken) < 2 or all(f.index in shared for f in hit.frames if is_own(f))
    return hit if whole else replace(hit, made=(*hit.made, *sorted(shared)))


def _holding(events: Sequence[Hit]) -> tuple[dict[int, Hit], set[tuple[int | None, int]]]:
    """Who holds which lock in the end, and each pair of locks that one thread took in that order;
    a lock that is given back goes to whoever asked first."""
    held: dict[int, Hit] = {}
    asking: dict[int, list[Hit]] = {}
    orders: set[tuple[int | None, int]] = set()

    def take(hit: Hit) -> None:
        mine = [lock for lock, other in held.items() if other.thread == hit.thread]
        orders.update((lock, hit.address) for lock in mine)
        held[hit.address] = hit

    for hit in events:
        if hit.kind == "lock" and hit.address in held:
            asking.setdefault(hit.address, []).append(hit)
        elif hit.kind == "lock":
            take(hit)
        elif hit.kind == "unlock":
            held.pop(hit.address, None)
            if asking.get(hit.address):
                take(asking[hit.address].pop(0))
    return held, orders
