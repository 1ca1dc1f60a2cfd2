"""A person's questions to a session: answered from evidence, looked up where that does not tell."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from workbench.agents.chat.answer import ChatPorts, Context, answer, gather
from workbench.agents.chat.looks import looks
from workbench.model.chat import Exchange, Reply
from workbench.model.events import ChatAnswered, ChatAsked

OnText = Callable[[str], None]


class Chat:
    """One question at a time. ``gone`` says why nothing more can be asked of the target; empty
    where it can."""

    def __init__(self, ports: ChatPorts, gone: str = "") -> None:
        self._ports = ports
        self._gone = gone
        self._asking = asyncio.Lock()

    async def ask(self, question: str, on_text: OnText | None = None) -> Exchange:
        """Answer a question; it and its answer become events. ``on_text`` gets a model's words as
        they come: a draft, of which only the held sentences are kept."""
        async with self._asking:
            identifier = f"Q{len(self._ports.state.chat) + 1}"
            await self._ports.record(ChatAsked(id=identifier, question=question))
            reply = await self._answer(question, on_text)
            await self._ports.record(ChatAnswered(id=identifier, reply=reply))
        return next(one for one in self._ports.state.chat if one.id == identifier)

    async def _answer(self, question: str, on_text: OnText | None) -> Reply:
        context = await gather(self._ports, question)
        reply = await asyncio.to_thread(answer, context)
        looked = await self._look(context, reply)
        if looked:
            context = await gather(self._ports, question)
            reply = replace(await asyncio.to_thread(answer, context), looked=looked)
        if self._gone:
            reply = replace(reply, notes=(*reply.notes, self._gone))
        return reply

    async def _look(self, context: Context, reply: Reply) -> tuple[str, ...]:
        """The ids of what was collected, where the evidence does not suffice."""
        if self._gone or (reply.answers and not reply.unknown):
            return ()
        before = set(self._ports.state.evidence)
        for command in looks(context.asked, context.unnamed(), self._ports.state):
            await self._ports.ask(command)
        return tuple(id for id in self._ports.state.evidence if id not in before)
