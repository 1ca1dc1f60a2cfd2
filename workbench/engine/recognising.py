"""Has this signature been seen before? Other sessions beside this one are asked, by code alone."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from workbench.agents.report_findings import crash_type, exception_info
from workbench.agents.report_signature import signature_of
from workbench.engine.comparing import differences
from workbench.engine.viewing import report_of
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation, fold
from workbench.model.session_events import Earlier, Recognised
from workbench.store.catalog import with_signature
from workbench.store.errors import StoreError
from workbench.store.reading import read_events
from workbench.store.session_row import SessionRow
from workbench.store.vouching import is_made_here

if TYPE_CHECKING:
    from workbench.engine.session import Session

_TOLD = 5


async def recognise(session: "Session") -> Recognised | None:
    """The signature as it is known now, with what had the same one; None where there is none, or
    it was told already. What the report of the latest says otherwise is told once this one has
    a conclusion."""
    state = session.state
    category = state.conclusion.category.value if state.conclusion is not None else "unknown"
    found = signature_of(state, exception_info(state), crash_type(state, category))
    if found is None:
        return None
    base = session.folder.parent
    rows = await asyncio.to_thread(with_signature, base, found.text, found.stack_hash)
    rows = [row for row in rows if row.session_id != session.session_id]
    differs: tuple[str, ...] = ()
    if rows and state.conclusion is not None:
        with suppress(StoreError):
            before = await report_of(base / rows[0].session_id)
            differs = differences(before, await session.build_report())
    recognised = Recognised(
        signature=found.text,
        stack_hash=found.stack_hash,
        count=len(rows),
        earlier=await asyncio.to_thread(
            lambda: tuple(_earlier(session, row) for row in rows[:_TOLD])
        ),
        differs=differs,
    )
    return None if recognised == state.about.recognised else recognised


def _earlier(session: "Session", row: SessionRow) -> Earlier:
    folder = session.folder.parent / row.session_id
    try:
        state = fold(read_events(folder))
        strange = state.about.elsewhere or not is_made_here(folder)
    except StoreError:
        state, strange = Investigation(), True
    vouched = () if strange else state.hypotheses.values()
    confirmed = (h for h in vouched if _is_proved(h))
    return Earlier(
        session_id=row.session_id,
        at=row.updated_at,
        category=row.category,
        confirmed=tuple(dict.fromkeys(h.category.value for h in confirmed)),
    )


def _is_proved(one: Hypothesis) -> bool:
    """By a person or by an expert's verdict: a model's own chain may be wrong the next time too."""
    by_expert = one.verdict is not None and not one.verdict.by_chain
    return one.status is Status.CONFIRMED and (by_expert or one.is_confirmed_by_user)
