"""A root cause is a chain: verified statements from the fault back to an origin, in which what one
hands on is what the next one takes over (`kinds`: ``<`` and ``>``)."""

import itertools
import re
from collections.abc import Sequence

from msgspec import Struct

from workbench.claims.kinds import KINDS
from workbench.claims.values import number
from workbench.model.claims import Claim

FAULT = frozenset({"access", "fault_address", "base", "divisor", "transfer", "raised", "message",
                   "panic", "exception", "finding", "waits", "cycle", "recursion", "stack_room",
                   "stack_overflowed", "broken_chunk", "bugcheck", "uncaught"})  # fmt: skip
"""Kinds with which a chain may begin: what failed."""
ORIGINS = {
    "freed": ("frees", "calls"),
    "released-early": ("frees", "calls", "precedes"),
    "written": ("assigns", "calls", "passes"),
    "truncated": ("assigns", "casts", "narrows", "truncated", "declares"),
    "computed": ("assigns", "returns", "passes", "loops", "compares", "sum", "product"),
    "cleared": ("assigns", "calls", "frees"),
    "never-set": ("never_sets", "declares", "allocates", "unset", "returns"),
    "allocated-too-small": ("allocates", "declares", "passes", "calls"),
    "unmapped": ("calls", "frees"),
    "returned": ("returns", "returned_by"),
    "passed-wrong": ("passes", "calls"),
    "locked": ("under_lock", "calls", "owns"),
    "looped": ("loops", "loop"),
    "recursed": ("calls", "recursion", "repeats"),
    "thrown": ("calls", "exception"),
}
"""The statements by which an origin of each kind is shown: the last link is one of them."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_TRIVIAL = frozenset({0, 1, -1})
_CALLS = frozenset({"frame", "caller", "calls", "passes"})


class Break(Struct, frozen=True):
    """Where a chain does not hold: between which links, and why."""

    link: int
    reason: str


def breaks(chain: Sequence[Claim]) -> tuple[Break, ...]:
    """What keeps statements from being a chain; empty where they are one, from what failed to
    something that code did."""
    if not chain:
        return (Break(0, "it has no links"),)
    found = [
        Break(at, f"{claim.id or claim.kind} is {claim.status}: {claim.reason}")
        for at, claim in enumerate(chain)
        if not claim.holds
    ]
    if chain[0].kind not in FAULT:
        found.append(Break(0, f"it begins with {chain[0].kind}, which is not what failed"))
    found += [
        Break(at, f"nothing that {left.id or left.kind} states is what {right.id or right.kind} "
              "begins with")
        for at, (left, right) in enumerate(itertools.pairwise(chain), 1)
        if not linked(left, right)
    ]  # fmt: skip
    return tuple(found)


def linked(left: Claim, right: Claim) -> bool:
    """True where the two share what the kinds' links carry: a number that is no mere 0 or 1, a
    variable, a field, a lock; or a function where one of them is a call."""
    if _ends(left) & _ends(right):
        return True
    if left.kind in _CALLS or right.kind in _CALLS:
        return bool(_functions(left) & _functions(right))
    return False


def _ends(claim: Claim) -> set[object]:
    kind = KINDS.get(claim.kind)
    if kind is None:
        return set()
    found: set[object] = set()
    for arg in claim.args:
        column = kind.columns.get(arg.name)
        if column is None:
            continue
        value = number(arg.value)
        if (column.takes or column.gives) and value is not None:
            if claim.kind == "value" and str(arg.value) in str(claim.get("expression")):
                continue  # the expression says the number itself
            found |= {value} - _TRIVIAL
        elif isinstance(arg.value, str) and _is_expression(claim, arg.name):
            found |= set(_NAME.findall(arg.value))
    return found


def _is_expression(claim: Claim, name: str) -> bool:
    """Arguments that are written in the program's own words."""
    column = KINDS[claim.kind].columns[name]
    return ((column.takes or column.gives) and column.type in ("name", "code")) or (name in (
        "name", "target", "expression", "left", "right", "condition", "lock", "arguments",
    ) and claim.kind not in ("signal", "raised", "finding", "thread"))  # fmt: skip


def _functions(claim: Claim) -> set[object]:
    return {str(arg.value) for arg in claim.args if arg.name in ("function", "callee", "caller")}


def shows(kind: str, last: Claim) -> bool:
    """True when the last link is of a kind that shows such an origin."""
    return last.kind in ORIGINS.get(kind, ())
