"""Facts about who holds a lock, as a debugger printed the lock itself."""

from workbench.model.facts.base import Fact


class LockOwner(Fact, frozen=True, kw_only=True, tag="lock-owner"):
    """The TID that a printed mutex names as its owner (glibc's ``__owner``). ``name`` is the
    variable that was printed, ``address`` the lock's, each None where the text does not say.
    ``contended`` when it says that threads wait for the lock (a futex word of 2)."""

    owner: int
    name: str | None = None
    address: int | None = None
    contended: bool = False
