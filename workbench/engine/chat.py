"""A person's questions to a session: answered from evidence, looked up where that does not tell."""

import asyncio

from msgspec.structs import replace

from workbench.agents.assisted.chat import commands, in_words
from workbench.agents.assisted.helper import Helper
from workbench.agents.chat.answer import ChatPorts, answer, gather
from workbench.agents.chat.follow import resolved
from workbench.agents.chat.looks import look_up, looks
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.unknown import NOTHING_SAID
from workbench.model.conversation import Exchange, Reply
from workbench.model.events import ChatAnswered, ChatAsked

STOPPED = Reply(notes=("It was not answered: something stopped it.",))


class Chat:
    """One question at a time. ``gone`` says why nothing more can be asked of the target; empty
    where it can."""

    def __init__(self, ports: ChatPorts, gone: str = "") -> None:
        self._ports = ports
        self._gone = gone
        self._asking = asyncio.Lock()

    async def ask(self, question: str) -> Exchange:
        """Answer a question; it and its answer become events."""
        async with self._asking:
            identifier = f"Q{len(self._ports.state.chat) + 1}"
            await self._ports.record(ChatAsked(id=identifier, question=question))
            reply = STOPPED
            try:
                reply = await self._answer(question)
            finally:  # a question that is cancelled is not left waiting
                await self._ports.record(ChatAnswered(id=identifier, reply=reply))
        return next(one for one in self._ports.state.chat if one.id == identifier)

    async def _answer(self, question: str) -> Reply:
        ports = self._ports
        meant, before = resolved(question, ports.state), set(ports.state.evidence)
        if not (self._gone or ports.state.recorded):
            await look_up(ports, meant)
        talk = await gather(ports, meant)
        reply = await asyncio.to_thread(answer, talk)
        helper = Helper(ports, ports.models, whole=False) if ports.models is not None else None
        seen = len(ports.state.evidence)
        if not self._gone:
            await self._look(talk, reply, helper)
        if len(ports.state.evidence) > seen:
            talk = await gather(ports, meant)
            reply = await asyncio.to_thread(answer, talk)
        reply = replace(reply, looked=tuple(id for id in ports.state.evidence if id not in before))
        if helper is not None:
            reply = await _in_words(helper, talk, reply)
        notes = [*reply.notes, *([f"Read as: {meant}"] if meant != question else []), self._gone]
        return replace(reply, notes=tuple(filter(None, notes)))

    async def _look(self, talk: Talk, reply: Reply, helper: Helper | None) -> None:
        """Collect more, where the evidence does not suffice: what code asks, else a model."""
        ports = self._ports
        seen = len(ports.state.evidence)
        if not reply.answers or reply.unknown:
            for command in looks(talk.asked, talk.unnamed, ports.state):
                await ports.ask(command)
        if helper and not ports.state.recorded and len(ports.state.evidence) == seen:
            for command in await commands(helper, talk, reply):
                await ports.ask(command)


async def _in_words(helper: Helper, talk: Talk, reply: Reply) -> Reply:
    """What plain code says, and a model's own words beside it."""
    text, model = await in_words(helper, talk, reply)
    notes = list(reply.notes)
    if helper.settled:
        notes.append("Plain code settles this: no model was asked.")
    elif not model:
        notes.append(f"No model answered: {helper.failed}. This is the answer of plain code.")
    return replace(
        reply,
        notes=tuple(notes),
        by=model if text else "code",
        explanation=text,
        unknown=tuple(u for u in reply.unknown if not text or u != NOTHING_SAID),
    )
