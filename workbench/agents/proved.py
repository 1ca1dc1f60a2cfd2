"""Whether the statements of a chain show the category that is claimed of it.

What the experts proved stays, unless a statement of the chain shows the other category by itself;
where they proved nothing a statement has to be of what the category is about.
"""

import re
from collections.abc import Sequence

from workbench.claims.chain import words
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_BOUNDS = ("headers", "element finding converts loops allocates data outside")
_STALE = ("freed", "finding message loaded chunk argument frees")
_SHOWN: dict[str, tuple[str, str]] = {
    **dict.fromkeys(words("heap-buffer-overflow stack-buffer-overflow buffer-overflow "
                          "out-of-bounds-write out-of-bounds-read heap-corruption"), _BOUNDS),
    **dict.fromkeys(words("use-after-free double-free invalid-free mismatched-deallocation"),
                    _STALE),
    **dict.fromkeys(words("uninitialized-pointer uninitialized-value"),
                    ("never_sets unset", "declares allocates")),
    "integer-overflow": ("converts computed", ""),
    "unchecked-allocation": ("allocates returned_by", ""),
    "infinite-loop": ("loop loops", ""),
    "data-race": ("", "threads"),
    "type-confusion": ("member virtual_call", "declares converts"),
    "null-pointer-dereference": ("", "near-null"),
    "null-function-pointer-call": ("", "near-null"),
    "divide-by-zero": ("", "divides"),
}  # fmt: skip
"""Of a category what shows it by itself, and what else is enough where nothing is proved."""
_IN_USE = frozenset({"in-use", "in use", "header", "None"})
_ELEMENT = re.compile(r"\(*[^&]*&[^&]*\[.+\]")
_NEAR_NULL = 1 << 16


def unproved(category: Category, chain: Sequence[Claim], state: Investigation) -> list[str]:
    """Why the chain does not show the category; empty where it does."""
    proved = {
        one.category
        for one in state.hypotheses.values()
        if one.proposed_by == "expert" and one.status is Status.CONFIRMED
        and one.verdict is not None and not one.verdict.by_chain
    }  # fmt: skip
    if category in proved:
        return []
    alone, beside = (words(text) for text in _SHOWN.get(category.value, ("", "")))
    marks = {mark for claim in chain for mark in _marks(claim)}
    if len({claim.get("thread") for claim in chain} - {None}) > 1:
        marks.add("threads")
    if marks & alone or (not proved and (marks & beside or not alone | beside)):
        return []
    if proved:
        known = ", ".join(sorted(proved))
        return [f"category: {known} is proved, and no statement of the chain shows {category}"]
    return [f"category: no statement of the chain shows {category}"]


def _marks(claim: Claim) -> set[str]:
    """What a statement shows: its kind, and what its arguments make of it."""
    found = {claim.kind}
    address = claim.get("address")
    if claim.kind == "chunk" and str(claim.get("state")) not in _IN_USE:
        found.add("freed")
    if claim.kind == "value" and _ELEMENT.fullmatch(str(claim.get("expression"))):
        found.add("element")
    if claim.kind == "access":
        found |= {"divides"} if claim.get("divisor") is not None else set()
        found |= {"near-null"} if isinstance(address, int) and address < _NEAR_NULL else set()
    return found
