"""Pointers that passed through 32 bits: what is left of one is no address, and the address that it
was has the same lower half."""

from typing import NamedTuple

from analyzers.patterns.bounds import bad_access
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.stated import mapped
from analyzers.patterns.words import of
from workbench.claims.say import at, say
from workbench.model.claims import Claim

_BITS = 32
_HALF = 1 << _BITS
_TOP = (1 << 64) - (_HALF >> 1)
"""Where the lower halves begin that were taken for signed."""
_MOST = 1 << 26
"""Bytes of memory in which an address has a given lower half by chance once in 64 times."""


class Cut(NamedTuple):
    """What is left of a pointer, and what it was."""

    left: int
    whole: int


def cut_short(case: Case) -> Cut | None:
    """The bad pointer, where one address that it could point to has its lower half."""
    fault = bad_access(case)
    if fault is None or case.memory is None:
        return None
    called = fault.access == "execute"
    left = fault.operand if called else fault.base_value
    if left is None or not (NEAR_NULL <= left < _HALF or _TOP <= left < (1 << 64) - NEAR_NULL):
        return None
    wanted = "x" if called else "w"
    high = [r for r in case.memory.regions if r.start >= _HALF and wanted in r.perms]
    if sum(region.end - region.start for region in high) > _MOST:
        return None
    found = [whole for region in high
             if (whole := region.start + (left - region.start) % _HALF) < region.end]  # fmt: skip
    return Cut(left, found[0]) if len(found) == 1 else None


def told(case: Case, cut: Cut) -> list[Claim]:
    """The address that it was, and that its lower half is what failed."""
    whole = mapped(case, cut.whole)
    halved = say("computed", of(case.fault), left=cut.whole, operator="truncated-to-bits",
                 right=at(_BITS, of(case.fault), f"0 to {_BITS - 1}"), result=cut.left)  # fmt: skip
    return [halved, *whole]
