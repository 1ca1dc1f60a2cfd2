"""The cited commands again, in a fresh debugger: do the citations still rest on the same lines?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.engine.upkeep import citations_of, same_dump
from workbench.model.citation import Citation
from workbench.model.evidence import Command, Evidence
from workbench.model.investigation import Investigation
from workbench.model.session_events import Verified
from workbench.model.text import lines_of, without_number
from workbench.store.errors import StoreError
from workbench.store.session_store import SessionStore

if TYPE_CHECKING:
    from workbench.engine.session import Session

_SHOWN = 120
_MOST = 100_000
"""Lines of one citation that are compared."""


async def verify(state: Investigation, store: SessionStore, fresh: "Session") -> Verified:
    """``fresh`` is a new session on the same target, in which nothing was asked yet. A command
    that its policy refuses, or that left nothing, is a difference."""
    differences: list[str] = []
    again = 0
    if (changed := await same_dump(state)) is not None:
        differences.append(changed)
    cited: dict[str, list[Citation]] = {}
    for citation in sorted(citations_of(state)):
        cited.setdefault(citation.evidence, []).append(citation)
    recorded = state.target is not None and state.target.recorded
    if recorded:
        await fresh.keep_recorded()
    for id, citations in cited.items():
        item = state.evidence.get(id)
        if item is None:
            differences.append(f"{id} is not there")
            continue
        try:
            before = lines_of(await store.text(id))
        except StoreError as error:
            differences.append(str(error))
            continue
        if not recorded and item.command.startswith("(") and item.command != "(opening)":
            continue  # what a run, or a tool in one, printed is no question to the dump
        again += 1
        answer = await _again(item, fresh)
        if answer is None:
            why = fresh.state.failure_of(Command(item.command, item.intent)) or "it left nothing"
            differences.append(f"{id} {item.command}: {why}")
            continue
        now = lines_of(await fresh.text(answer.id))
        differences += [
            f"{citation} {item.command}: {found}"
            for citation in citations
            if (found := _difference(citation, before, now)) is not None
        ]
    return Verified(commands=again, differences=tuple(differences))


async def _again(item: Evidence, fresh: "Session") -> Evidence | None:
    """The answer of today. What a log recorded, and what loading the dump printed, comes by
    itself: the item with the same call hash."""
    state = fresh.state
    if item.command == "(opening)" and item.call_hash not in state.by_call_hash:
        await fresh.ask(Command("@health", "the first question starts the debugger"))
    known = state.by_call_hash.get(item.call_hash)
    if known is not None:
        return state.evidence[known]
    return await fresh.ask(Command(item.command, item.intent))


def _difference(citation: Citation, before: Sequence[str], now: Sequence[str]) -> str | None:
    """None where the cited lines stand in the answer of today, one after another, wherever."""
    place = max(0, citation.first - 1)
    last = max(citation.first, citation.last) or _MOST
    wanted = [_plain(line) for line in before[place : min(last, place + _MOST)]]

    def found(at: int) -> list[str]:
        return [_plain(line) for line in now[at : at + len(wanted)]]

    if not wanted or found(place) == wanted:
        return None
    if any(_plain(line) == wanted[0] and found(at) == wanted for at, line in enumerate(now)):
        return None
    pairs = zip(wanted, [*found(place), *[""] * len(wanted)], strict=False)
    was, is_now = next(((a, b) for a, b in pairs if a != b), (wanted[0], ""))
    return f"was {was[:_SHOWN]!r}, is {is_now[:_SHOWN]!r}"


def _plain(line: str) -> str:
    """The line with single spaces, without what depends on the commands before it."""
    return without_number(" ".join(line.split()))
