"""Verified statements with one argument exchanged for another value of the same evidence."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.agents.checking import book_of
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.kinds import KINDS
from workbench.claims.rows import Row
from workbench.claims.values import scalar
from workbench.model.claims import Arg, Claim, Value

if TYPE_CHECKING:
    from workbench.engine.session import Session

_MOST_VALUES = 3
FABRICATED = "fabricated_by_nobody"
"""What stands in no evidence: a quote or a name that somebody made up."""
_UNLISTED = ("precedes", "never_sets", "mapped")
"""No list of all that is true of these is made: what an exchange gives may be."""


def still_held(told: Sequence[Claim], book: Book) -> tuple[int, list[str]]:
    """How many false statements exchanges made of verified ones, and those that are verified."""
    made = list(_exchanged([c for c in told if c.kind not in _UNLISTED], book))
    checked = check([false for _, false in made], book)
    pairs = zip(made, checked, strict=True)
    return len(made), [f"{real.text} -> {now.text}" for (real, _), now in pairs if now.holds]


def _exchanged(told: Sequence[Claim], book: Book) -> Iterator[tuple[Claim, Claim]]:
    """Each statement with what one exchange makes of it; none that a row says as well."""
    rows: dict[str, list[Row]] = {}
    by_type: dict[str, dict[Value, None]] = defaultdict(dict)
    for kind in KINDS.values():
        rows[kind.name] = list(book.rows(Claim(kind.name)))
        for row in rows[kind.name]:
            for name, value in row.values.items():
                by_type[kind.columns[name].type][value] = None
    for claim in told:
        if KINDS[claim.kind].decided == "derived":
            continue
        for arg in claim.args:
            if not arg.cites:  # constant words of an expert: no line says them
                continue
            own = [row.values[arg.name] for row in rows[claim.kind] if arg.name in row.values]
            others = dict.fromkeys((*own, *by_type[KINDS[claim.kind].columns[arg.name].type]))
            made_up = [FABRICATED] if isinstance(arg.value, str) else []
            found = [v for v in others if not _alike(v, arg.value)][:_MOST_VALUES]
            for other in found + made_up:
                args = [replace(a, value=other, shown="") if a is arg else a for a in claim.args]
                if not any(all(_has(row, a) for a in args) for row in rows[claim.kind]):
                    yield claim, replace(claim, args=tuple(args))


def _has(row: Row, arg: Arg) -> bool:
    return arg.name in row.values and _alike(row.values[arg.name], arg.value)


def _alike(one: Value, other: Value) -> bool:
    """One value however it is written, one name with and without its scope, one file's too."""
    left, right = (str(value).replace("> >", ">>") for value in (one, other))
    if left == right or any(
        a.endswith((f"::{b}", f"/{b}")) for a, b in ((left, right), (right, left))
    ):
        return True
    return scalar(left) is not None and scalar(left) == scalar(right)


async def exchanges(session: "Session") -> dict[str, int]:
    """The same of a finished session: its statements, false ones made of them, and how many of
    those are verified."""
    texts = {id: await session.evidence_text(id) for id in session.state.evidence}
    book = book_of(session.state, texts.__getitem__)
    told = [
        claim
        for hypothesis in session.state.hypotheses.values()
        if hypothesis.verdict is not None
        for claim in hypothesis.verdict.claims
        if claim.kind in KINDS
    ]
    held = [claim for claim in check(told, book) if claim.holds]
    made, still = still_held(held, book)
    return {"verified": len(held), "exchanged": made, "held": len(still)}
