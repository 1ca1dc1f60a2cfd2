"""The investigation's order of work. Every step can be cut anywhere and taken up again."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.agents import critic, hypothesis, investigator, judge, reasoner
from workbench.agents.model_choice import by_its_chain, explained_by
from workbench.agents.ports import Ports
from workbench.agents.weight import allowed_confidence
from workbench.engine.gates import Gates
from workbench.engine.upkeep import cited_ids
from workbench.model import events
from workbench.model.claims import Claim
from workbench.model.critique import Conclusion, Round
from workbench.model.evidence import Command
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind

if TYPE_CHECKING:  # an offline run loads nothing of models
    from workbench.agents.assisted.flow import Assistance

PROPOSAL_ROUNDS = 2

_MOST_COMPARED = 1 << 18
"""Bytes of an output that a person's words are compared with."""


class Workflow:
    """Walks the phases from wherever the state stands to `Phase.DONE`.

    ``converse`` takes one step of the conversation about a folder of texts.
    """

    def __init__(
        self, ports: Ports, gates: Gates, converse: Callable[[], Awaitable[events.Phase | None]]
    ) -> None:
        self._ports = ports
        self._gates = gates
        self._converse = converse
        self._assistance: Assistance | None = None

    @property
    def _help(self) -> "Assistance | None":
        """What a model adds to each step; None without one."""
        if self._is_conversation:
            return None  # a model speaks in the conversation instead
        if self._assistance is None and self._ports.models is not None:
            from workbench.agents.assisted.flow import Assistance

            self._assistance = Assistance(self._ports, self._ports.models)
        return self._assistance

    def models_changed(self) -> None:
        """The person has picked others."""
        if self._assistance is not None:
            self._assistance.begin_again()

    @property
    def _state(self) -> Investigation:
        return self._ports.state

    async def run(self) -> None:
        """Go on until the report is due. Cancelling it loses nothing."""
        steps: dict[events.Phase, Callable[[], Awaitable[events.Phase | None]]] = {
            events.Phase.OPENING: self._open,
            events.Phase.BASELINE: self._baseline,
            events.Phase.HYPOTHESES: self._hypotheses,
            events.Phase.TESTING: self._testing,
            events.Phase.INVESTIGATING: self._investigating,
            events.Phase.REASONING: self._reasoning,
            events.Phase.CRITIQUE: self._critique,
            events.Phase.JUDGING: self._judging,
            events.Phase.REPORTING: self._reporting,
            events.Phase.CONVERSING: self._converse,
        }
        while self._state.phase is not events.Phase.DONE:
            phase = await steps[self._state.phase]()
            if phase is None:
                return  # nobody is there to answer
            await self._ports.record(events.PhaseEntered(phase=phase))

    async def conclude(self) -> None:
        """The best conclusion that today's evidence carries, without asking for more: for a run
        that is cut short. The phase stays, so that a resume goes on from there."""
        await self._draft()
        if self._may_criticise:
            await self._criticise(None)
        await self._ports.record(events.Judged(judgement=judge.judge(self._state)))

    async def _open(self) -> events.Phase:
        return events.Phase.BASELINE

    async def _baseline(self) -> events.Phase:
        await investigator.collect_baseline(self._ports)
        return events.Phase.HYPOTHESES

    async def _hypotheses(self) -> events.Phase:
        await self._ports.recognise()
        if not self._state.undecided() and not self._state.untested():
            proposed = hypothesis.propose(self._state)
            if proposed:
                await self._ports.record(*proposed)
            if self._help is not None:
                await self._help.propose()
        await self._gates.open_hypotheses()
        while self._state.undecided():
            if self._state.wanted:
                await investigator.test(self._ports, self._state.wanted[0])
                continue
            await self._gates.wait_for_change()
        await self._gates.close_hypotheses()
        return events.Phase.TESTING

    async def _testing(self) -> events.Phase:
        while waiting := self._state.untested():
            wanted = self._state.wanted
            await investigator.test(self._ports, wanted[0] if wanted else self._likely(waiting).id)
        confirmed = any(h.status is Status.CONFIRMED for h in self._state.hypotheses.values())
        if not confirmed and self._state.proposals < PROPOSAL_ROUNDS:
            # A rejection is a reason to look elsewhere: the tests may have shown what was not seen.
            return events.Phase.HYPOTHESES
        return events.Phase.INVESTIGATING

    def _likely(self, waiting: list[Hypothesis]) -> Hypothesis:
        """The cause that the same signature had before is tested first."""
        recognised = self._state.about.recognised
        before = {c for e in recognised.earlier for c in e.confirmed} if recognised else set()
        return min(waiting, key=lambda hypothesis: hypothesis.category.value not in before)

    async def _investigating(self) -> events.Phase:
        await investigator.deepen(self._ports)
        await investigator.watch(self._ports)
        if self._help is not None:
            await self._help.investigate()
        if self._state.undecided():  # a model proposed more on the way
            return events.Phase.HYPOTHESES
        return events.Phase.REASONING

    async def _reasoning(self) -> events.Phase:
        if self._help is not None:
            await self._draft()
            await self._help.explain()
        await self._draft()
        return events.Phase.CRITIQUE

    async def _draft(self) -> None:
        conclusion = reasoner.reason(self._state)
        if self._state.assisted.explanation is not None:
            conclusion = explained_by(conclusion, self._state)
        conclusion = critic.numbered(conclusion)
        await self._confirm_by_chain(conclusion)
        await self._ports.record(events.ConclusionDrafted(conclusion=conclusion))

    async def _confirm_by_chain(self, conclusion: Conclusion) -> None:
        """A model's cause is confirmed by its chain, and by what it foretold or what is left."""
        chosen = self._state.hypotheses.get(conclusion.hypothesis or "")
        if chosen is None or not conclusion.chain or chosen.status is Status.CONFIRMED:
            return
        said = self._state.assisted.explanation
        verdict = by_its_chain(conclusion, said.proof if said is not None else ())
        await self._ports.record(events.HypothesisDecided(id=chosen.id, verdict=verdict))

    async def _critique(self) -> events.Phase:
        """The first round checks and objects; each further one verifies what was mended. No
        statement goes unchecked by code, so that without a round of the critic's one is left."""
        help = self._help if self._state.options.limits.critic_rounds else None
        while self._may_criticise:
            if self._state.rounds and not await self._is_mended(self._state.rounds[-1]):
                break
            await self._criticise(help)
        return events.Phase.JUDGING

    @property
    def _may_criticise(self) -> bool:
        return len(self._state.rounds) < max(1, self._state.options.limits.critic_rounds)

    async def _is_mended(self, last: Round) -> bool:
        """Collect what a round of the critic asked for and reason again; False where it found
        nothing, or where nothing has come of it."""
        failed = [check for check in last.checks if not check.passed]
        if not failed:
            return False
        known = len(self._state.evidence)
        for command in (command for check in failed for command in check.asks):
            asked = Command(command.text, command.intent, by_model=command.by_model)
            await self._ports.ask(asked)
        if self._help is not None:
            await self._help.explain()
        elif len(self._state.evidence) == known:
            return False
        await self._draft()
        return True

    async def _criticise(self, help: "Assistance | None") -> None:
        conclusion = self._state.conclusion
        if conclusion is None:
            return
        criticised, claims = await self._judged_by_the_critic()
        judged = critic.without_broken_chain(replace(conclusion, claims=claims))
        confidence = min(judged.confidence, allowed_confidence(self._state, judged))
        if help is not None:
            criticised = await help.object_to(criticised)
        await self._ports.record(
            events.Criticised(round=criticised),
            events.ConclusionDrafted(conclusion=replace(judged, confidence=confidence)),
        )

    async def _judged_by_the_critic(self) -> tuple[Round, tuple[Claim, ...]]:
        cited = cited_ids(self._state) & set(self._state.evidence)
        conclusion = self._state.conclusion
        converts = conclusion is not None and any(c.kind == "converts" for c in conclusion.claims)
        # What the person stated may be measured anywhere, a member declared in any listing.
        if self._state.options.issue or converts:
            cited |= {e.id for e in self._state.evidence.values() if e.size <= _MOST_COMPARED}
        texts = {name: await self._ports.text(name) for name in cited}
        return critic.criticise(
            self._state, lambda e: texts.get(e, ""), len(self._state.rounds) + 1
        )

    async def _judging(self) -> events.Phase:
        judgement = judge.judge(self._state)
        await self._ports.record(events.Judged(judgement=judgement))
        return events.Phase.REPORTING

    async def _reporting(self) -> events.Phase:
        await self._ports.recognise()
        if self._is_conversation:
            return events.Phase.CONVERSING
        await self._ports.record(self._stopped())
        return events.Phase.DONE

    @property
    def _is_conversation(self) -> bool:
        target = self._state.target
        return target is not None and target.kind is TargetKind.DOCUMENTS

    def _stopped(self) -> events.Stopped:
        """How it ended: by the guard of the tool loop where one did, else by the judge's choice."""
        loop = self._state.assisted.loop
        if loop is not None and loop.limit is not None:
            return events.Stopped(by=events.StoppedBy(loop.limit), reason=loop.reason)
        selected = self._state.judgement.selected if self._state.judgement else None
        return events.Stopped(
            by=events.StoppedBy.CONCLUDED if selected else events.StoppedBy.INCONCLUSIVE
        )
