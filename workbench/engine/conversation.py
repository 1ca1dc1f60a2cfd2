"""The conversation about a folder of texts: each pause is a gate that survives a restart."""

from typing import TYPE_CHECKING

from workbench.agents import hypothesis
from workbench.agents.assisted import conversing
from workbench.agents.assisted.helper import Helper
from workbench.agents.chat.answer import ChatPorts
from workbench.agents.conversation.final import final_answer as render
from workbench.agents.conversation.focus import refocus
from workbench.agents.conversation.turns import concluded, final_turn, next_turn
from workbench.agents.ports import texts_of
from workbench.engine.gates import Gates
from workbench.model.conversation import Turn, TurnKind, approves, ends
from workbench.model.events import (
    AnyEvent,
    HypothesisMoved,
    Phase,
    Stopped,
    StoppedBy,
    TurnHeard,
    TurnTaken,
)
from workbench.model.hypothesis import Status

if TYPE_CHECKING:
    from workbench.engine.session import Session


class Conversation:
    """`go_on` walks from wherever the state stands to the next phase."""

    def __init__(self, ports: "Session", gates: Gates) -> None:
        self._ports = ports
        self._gates = gates
        self._help: Helper | None = None

    def _helper(self) -> Helper | None:
        """The way to a model; None without one."""
        if self._help is None and self._ports.models is not None:
            self._help = Helper(self._ports, self._ports.models, whole=False)
        return self._help

    def models_changed(self) -> None:
        """The person has picked others."""
        if self._help is not None:
            self._help.begin_again()

    async def go_on(self) -> Phase | None:
        """The next phase; None where nobody is there to answer."""
        state = self._ports.state
        if state.undecided() or state.untested():
            return Phase.HYPOTHESES
        last = state.conversation[-1] if state.conversation else None
        if last is None and (focused := await refocus(self._ports)):
            await self._ports.record(*focused)
            return Phase.HYPOTHESES
        if last is None or last.heard:
            await self._take_turn()
            return Phase.CONVERSING
        if last.kind is TurnKind.FINAL:
            return Phase.DONE
        if last.answer is None:
            return Phase.CONVERSING if await self._gates.answered(last.id) else None
        if ends(last.answer):
            final = await final_turn(self._ports)
            if (helper := self._helper()) is not None:
                final = await conversing.final(helper, self._ports, final)
            await self._ports.record(TurnTaken(turn=final), self._end(last))
            return Phase.DONE
        return await self._listen(last)

    async def _take_turn(self) -> None:
        turn = await next_turn(self._ports)
        choice = turn.kind is TurnKind.QUESTION and turn.claims
        if not choice and (helper := self._helper()) is not None:
            turn = await conversing.next_turn(helper, self._ports, turn)
        gate = self._gates.of_turn(turn)
        await self._ports.record(TurnTaken(turn=turn), gate)

    async def _listen(self, turn: Turn) -> Phase:
        """Take an answer, and what was put into the folder since, into the evidence; then the
        experts look again."""
        await self._ports.keep_recorded()
        await self._ports.keep_answer(turn)
        state = self._ports.state
        if focused := await refocus(self._ports):
            await self._ports.record(TurnHeard(id=turn.id), *focused)
            return Phase.HYPOTHESES
        again = [
            HypothesisMoved(id=one.id, status=Status.APPROVED, by="engine")
            for one in state.hypotheses.values()
            if one.decided_by == "engine"
            and one.status is not Status.CONFIRMED
            and not state.is_set_aside(one)
        ]
        events: list[AnyEvent] = [TurnHeard(id=turn.id), *hypothesis.propose(state), *again]
        await self._ports.record(*events)
        return Phase.HYPOTHESES

    def _end(self, turn: Turn) -> Stopped:
        """The person decides when it ends; whether it is concluded, the evidence or they do."""
        approved = approves(turn.answer or "") and turn.kind is TurnKind.SOLUTION
        proved = bool(concluded(self._ports.state))
        by = StoppedBy.CONCLUDED if approved or proved else StoppedBy.INCONCLUSIVE
        return Stopped(by=by, reason="approved by the user" if approved else "")


async def final_answer(ports: ChatPorts) -> str:
    """What the conversation came to, as Markdown."""
    state = ports.state
    last = state.conversation[-1] if state.conversation else None
    if last is None or last.kind is not TurnKind.FINAL:
        last = await final_turn(ports)
    texts = await texts_of(ports)
    return render(state, last, texts.__getitem__)
