"""Who took a lock that is waited for, and in which order."""

from collections.abc import Sequence

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.observing import Observing
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
        self.steps += [self._step(seen, hit, OriginKind.LOCKED) for hit in taken[:-1]]
        return self._step(seen, taken[-1], OriginKind.LOCKED)


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
