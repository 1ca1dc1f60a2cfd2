"""Checkpoints: what a run that lost its conversation goes on from. A model may write one; where it
gives none, code does."""

from collections.abc import Sequence

from workbench.agents.assisted.arguments import CONTRACTS, NEW, REFUSED, Complete, Result
from workbench.agents.assisted.claims import claims_of, held, hold
from workbench.agents.ports import Ports
from workbench.agents.tokens import extract, stands_in
from workbench.debuggers.policy import Answer, check
from workbench.model.assisted_events import Checkpoint, Checkpointed
from workbench.model.claims import Claim
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_MOST = 12
_STEPS = 5


async def complete(ports: Ports, asked: Complete) -> Result:
    """``checkpoint_complete``: the facts that hold are kept, all else is written by code."""
    claims = await hold(ports, claims_of(asked.facts, _MOST))
    if not held(claims):
        why = "; ".join(claim.reason for claim in claims) or "it holds no facts"
        return Result(f"not taken: {why}", REFUSED)
    steps = [step for step in asked.next_steps if plain_step(ports.state, step)]
    number = ports.state.assisted.iterations + 1
    await ports.record(
        Checkpointed(checkpoint=_made(ports.state, number, held(claims), steps, "model"))
    )
    struck = [
        f"{claim.status.value}: {claim.text}: {claim.reason}" for claim in claims if claim.reason
    ]
    return Result("\n".join(["taken", *struck])[:1000], NEW)


async def by_code(ports: Ports) -> None:
    """A checkpoint of what the state knows, unless the model wrote one in the last iteration."""
    state = ports.state
    last = state.assisted.checkpoints[-1] if state.assisted.checkpoints else None
    if last is not None and last.iteration >= state.assisted.iterations:
        return
    facts = held(await hold(ports, _known(state)))
    checkpoint = _made(state, state.assisted.iterations, facts, _missing(state), "code")
    await ports.record(Checkpointed(checkpoint=checkpoint))


def plain_step(state: Investigation, step: str) -> bool:
    """True for a plan that may be shown: it orders nobody about, and what it names is known."""
    forbidden = check(step.strip("`"), state.host).answer is Answer.FORBID
    if not step.strip() or forbidden:
        return False
    known = "\n".join(
        [item.command + "\n" + item.summary for item in state.evidence.values()]
        + [h.statement for h in state.hypotheses.values()]
    )
    return all(stands_in(token, known) for token in extract(step))


def _made(
    state: Investigation, number: int, facts: Sequence[Claim], steps: Sequence[str], by: str
) -> Checkpoint:
    scores = state.assisted.scores
    return Checkpoint(
        iteration=number,
        facts=tuple(facts)[:_MOST],
        hypotheses=tuple(
            f"{h.id} {h.category}: {h.status}, {h.confidence:.2f}"
            + (f", the model says {scores[h.id].likelihood:.2f}" if h.id in scores else "")
            for h in state.hypotheses.values()
        ),
        evidence=tuple(f"{i.id} {i.command}: {i.summary}"[:160] for i in state.evidence.values()),
        do_not_repeat=tuple(state.assisted.by_call),
        next_steps=tuple(steps)[:_STEPS],
        tools=tuple(f"{name}: {purpose}" for name, purpose in CONTRACTS.items()),
        by=by,
    )


def _known(state: Investigation) -> list[Claim]:
    """What experts state of each hypothesis."""
    found = [
        claim
        for h in state.hypotheses.values()
        if h.verdict is not None and h.status is not Status.REJECTED
        for claim in h.verdict.claims
    ]
    return list(dict.fromkeys(found))


def _missing(state: Investigation) -> list[str]:
    return [
        f"{h.id}: {missing}"
        for h in state.hypotheses.values()
        if h.status is Status.INCONCLUSIVE and h.verdict is not None
        for missing in h.verdict.missing
    ]
