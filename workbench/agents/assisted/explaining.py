"""The final answer of a model: statements, the chain that they make, and its own words beside.

One answer and, where something is wrong with it, one more, which is told all that was wrong."""

import itertools
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from workbench.agents.assisted.against import against
from workbench.agents.assisted.answers import Explained as Answered
from workbench.agents.assisted.claims import claims_of, faults, hold
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.completing import between, goal_of
from workbench.agents.assisted.context import (
    ENDING,
    ORIGIN_KINDS,
    Row,
    fenced,
    rows_of,
    stating,
    summary,
)
from workbench.agents.assisted.gathering import code_of
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.hypotheses import category_of, settled
from workbench.agents.assisted.numbered import short
from workbench.agents.assisted.proof import proved
from workbench.agents.assisted.released import met
from workbench.agents.model_choice import lacking
from workbench.agents.ports import Ports
from workbench.agents.tokens import Kind, extract, stands_in
from workbench.claims.chain import breaks, onward, ways
from workbench.model.assisted_events import Explained, Explanation
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_NONE: Row = ("none yet", frozenset())
MOST_FAULTS = 40
_MOST_CHAINS = 16
"""Chains of one answer that are tried."""
_MOST_UNSEEN = 40
_SMALL = 16
"""Counts and ordinals of everyday words."""


async def explain(helper: Helper) -> None:
    """Ask for the explanation; after a round of the critic with what was wrong with the last. The
    loop of a large window has given it, repaired, so that only the critic can ask for another."""
    ports = helper.ports
    state = ports.state
    old = state.assisted.explanation
    asked = _asked_by_the_critic(state)
    wrong = [(short(text), ENDING) for text in (wrong_with(old, state) if old else ())]
    if old is not None and not asked and (state.one_loop or not wrong):
        return

    async def values(size: int) -> dict[str, Any]:
        return {
            "summary": await summary(ports, size),
            "hypotheses": ", ".join(state.hypotheses) or "none",
            "criticism": fenced("criticism", [*wrong, *asked][:MOST_FAULTS] or [_NONE], size // 3),
            "kinds": stating(size),
            "origins": ORIGIN_KINDS,
            "question": state.options.issue or "",
        }

    async with helper.at_work("explanation"):
        answer = await helper.ask("explanation", values, answer=Answered)
        if answer is None or answer.value is None:
            return
        explanation = await explanation_of(ports, answer.value, answer.model)
        if explanation.claims or explanation.text:
            await take(ports, explanation)


async def take(ports: Ports, explanation: Explanation) -> None:
    """Keep it, unless it is a repair that holds less than what it repairs."""
    old = ports.state.assisted.explanation
    if old is None or _weight(explanation, ports.state) >= _weight(old, ports.state):
        await ports.record(Explained(explanation=explanation))


async def explanation_of(ports: Ports, given: Answered, model: str) -> Explanation:
    """An answer with its statements checked, and its predictions tested."""
    hypothesis = await settled(ports, given)
    claims = await hold(ports, claims_of(given.statements))
    origin = given.origin
    kind = next((one for one in OriginKind if one.value == origin.kind.strip().lower()), None)
    found = None
    if kind is not None and (origin.function or origin.file):
        found = Origin(
            kind=kind, function=origin.function or None, file=origin.file or None,
            line=origin.line or None, evidence=())  # fmt: skip
    chain = tuple(at for at in given.chain if 1 <= at <= len(claims))
    code = await code_of(ports, found) if found and chain else None
    claims = tuple(map(code.placed, claims)) if code else claims
    if found and code and (goal := await goal_of(ports, found, claims[chain[-1] - 1], code)):
        claims, chain = (*claims, goal), (*chain, len(claims) + 1)
    links = tuple(claims[at - 1] for at in chain)
    if found and code and (file := code.file_of(links[-1])):
        found = replace(found, file=file)
    category = category_of(given.category)
    said: tuple[str, ...] = ()
    proof: tuple[Claim, ...] = ()
    if found and code:
        said = await against(ports, found, links, code)
        tried = set[tuple[Claim, ...]]()
        shown = await _first(ports, found, category, _chains(links), code, tried)
        if shown is None and all(link.holds for link in links):
            for more in await between(ports, links, code):
                ways_there = _chains(links, more)
                shown = shown or await _first(ports, found, category, ways_there, code, tried)
        if shown is not None:
            claims = (*claims, *(one for one in shown[0] if one not in claims))
            chain = tuple(claims.index(link) + 1 for link in shown[0])
            proof, said = shown[1], ()
    return Explanation(
        hypothesis=hypothesis, category=category, confidence=given.confidence, claims=claims,
        chain=chain, origin=found, text=given.explanation,
        unseen=await unseen_of(ports, given.explanation), against=said, proof=proof, model=model,
    )  # fmt: skip


def _chains(links: tuple[Claim, ...], more: tuple[Claim, ...] = ()) -> Iterator[tuple[Claim, ...]]:
    """The chain as it was given, then those that its links make, with ``more`` between them: in
    which order they were told, and with what beside, says nothing of them. Also those to a value,
    and from there to the last one: whether that was done to the value's object may be proved by
    other means (`met`)."""
    *_, last = links
    if not more:
        yield links
    follow = onward((*links, *more))
    yield from ways(last, follow)
    for one in links:
        if one.kind == "value":
            yield from ((*way, last) for way in ways(one, follow))


async def _first(
    ports: Ports, origin: Origin, category: Category | None, chains: Iterator[tuple[Claim, ...]],
    code: Code, tried: set[tuple[Claim, ...]],
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]] | None:  # fmt: skip
    """The first of some chains whose origin is proved, with what proves it; none is tried twice."""
    for one in itertools.islice(chains, _MOST_CHAINS):
        if one in tried:
            continue
        tried.add(one)
        if shown := await _shown(ports, origin, category, one, code):
            return shown
    return None


async def _shown(
    ports: Ports, origin: Origin, category: Category | None, links: tuple[Claim, ...], code: Code
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]] | None:
    """A chain, as far as it is needed, and what proves its origin; None where it is none, something
    is said against it, or nothing proves it."""
    if await against(ports, origin, links, code):
        return None
    proof = () if breaks(links) else await proved(ports, origin, category, links, code)
    if not proof and (shorter := await met(ports, links, code, category)):
        links, proof = shorter, await proved(ports, origin, category, shorter, code)
    return (links, tuple(proof)) if proof else None


def wrong_with(explanation: Explanation, state: Investigation) -> list[str]:
    """All that is wrong with an answer: each statement that does not hold, and what keeps its
    origin, where it has one or a chain, from being the cause."""
    found = faults(explanation.claims)
    if explanation.chain or explanation.origin is not None:
        found += lacking(explanation, state)
    return found[:MOST_FAULTS]


def _weight(explanation: Explanation, state: Investigation) -> tuple[bool, int]:
    """An origin that is proved first, then how much of it is verified."""
    return not lacking(explanation, state), sum(claim.holds for claim in explanation.claims)


def _asked_by_the_critic(state: Investigation) -> list[Row]:
    """What the critic's last round found beside the explanation's own statements."""
    explanation = state.assisted.explanation
    known = {claim.text for claim in explanation.claims} if explanation is not None else set()
    last = state.rounds[-1] if state.rounds else None
    failed = (check for check in (last.checks if last is not None else ())
              if not check.passed and check.subject not in known)  # fmt: skip
    told = ((f"{one.kind}: {one.subject}: {one.detail}", one.evidence) for one in failed)
    return rows_of(state, told)


async def unseen_of(ports: Ports, text: str) -> tuple[str, ...]:
    """Numbers, addresses and symbols of a model's own words that no item of the evidence holds,
    each once: marked, never struck."""
    tokens = {
        token.text: token
        for token in extract(text)
        if token.kind is not Kind.QUOTE and not (token.value is not None and token.value < _SMALL)
    }
    for name in ports.state.evidence:
        if not tokens:
            break
        held = await ports.text(name)
        tokens = {key: token for key, token in tokens.items() if not stands_in(token, held)}
    return tuple(tokens)[:_MOST_UNSEEN]
