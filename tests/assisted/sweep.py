"""Every false origin that true statements lead to: each part of a true chain, continued by any line
of the source that it is linked to, told as any origin that such a line shows.

Whether what a liar foretells comes true is left out: whoever sees a dump foretells it."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

from msgspec.structs import replace

from tests.assisted.script import statement
from workbench.agents.assisted.against import against
from workbench.agents.assisted.answers import Explained, Statement
from workbench.agents.assisted.claims import claims_of, hold
from workbench.agents.assisted.explaining import explanation_of
from workbench.agents.assisted.gathering import code_of
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.proof import proved
from workbench.agents.model_choice import lacking
from workbench.claims.chain import SHOWN_BY, breaks, linked, same_function, shows
from workbench.claims.kinds import KINDS
from workbench.engine.session import Session
from workbench.model.origin import OriginKind

Answer = dict[str, Any]


def stated_of(line: Line) -> dict[str, Any]:
    """A row of source as a model states it."""
    columns = KINDS[line.row.kind].columns
    return statement(
        line.row.kind, **{k: v for k, v in line.row.values.items() if v != "" and k in columns}
    )


async def sweep(
    session: Session, said: Answer, true: Iterable[tuple[str, int]]
) -> AsyncIterator[tuple[str, list[str]]]:
    """Each false origin with all that is said against it, its predictions apart. ``true`` are the
    functions and lines that did it."""
    whole = await explanation_of(session, Explained.model_validate(said), "m")
    links = [whole.claims[at - 1] for at in whole.chain]
    assert whole.origin is not None
    code = await code_of(session, whole.origin)
    lines = {str(stated_of(line)): line for line in code.lines
             if line.function and line.row.kind in KINDS}  # fmt: skip
    stated = [Statement.model_validate(stated_of(line)) for line in lines.values()]
    claims = await hold(session, claims_of(stated, len(stated)))
    for claim, line in zip(claims, lines.values(), strict=True):
        if not claim.holds or any(
            line.at == at and same_function(line.function, name) for name, at in true
        ):
            continue
        for to in range(1, len(links) + 1):
            if not linked(links[to - 1], claim) or claim.text in [one.text for one in links[:to]]:
                continue
            kinds = [
                kind for kind, row in SHOWN_BY.items()
                if shows(kind, claim) and whole.category in row.categories
            ]  # fmt: skip
            chain = (*links[:to], claim)
            for kind in kinds:
                origin = replace(
                    whole.origin, kind=OriginKind(kind), function=line.function, line=line.at
                )
                said = await against(session, origin, chain, code)
                told = replace(
                    whole,
                    claims=chain,
                    chain=tuple(range(1, len(chain) + 1)),
                    origin=origin,
                    proof=()
                    if breaks(chain) or said
                    else await proved(session, origin, whole.category, chain, code),
                    against=said,
                )
                found = lacking(told, session.state)
                yield f"{kind}: {claim.text}", [w for w in found if not w.startswith("prediction")]
