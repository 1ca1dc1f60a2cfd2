"""A person's questions to a session: answered from evidence, looked up where that does not tell."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from workbench.agents.assisted.chat import commands, in_words
from workbench.agents.assisted.helper import Helper
from workbench.agents.chat.answer import ChatPorts, Context, answer, gather
from workbench.agents.chat.follow import resolved
from workbench.agents.chat.looks import look_up, looks
from workbench.agents.chat.unknown import NOTHING_SAID
from workbench.model.conversation import Exchange, Reply
from workbench.model.events import ChatAnswered, ChatAsked

STOPPED = Reply(notes=("It was not answered: something stopped it.",))
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
            reply = STOPPED
            try:
                reply = await self._answer(question, on_text)
            finally:  # a question that is cancelled is not left waiting
                await self._ports.record(ChatAnswered(id=identifier, reply=reply))
        return next(one for one in self._ports.state.chat if one.id == identifier)

    async def _answer(self, question: str, on_text: OnText | None) -> Reply:
        meant = resolved(question, self._ports.state)
        looked = await self._look_up(meant)
        context = await gather(self._ports, meant)
        reply = await asyncio.to_thread(answer, context)
        helper = self._helper()
        more = await self._look(context, reply, helper)
        if more:
            context = await gather(self._ports, meant)
            reply = await asyncio.to_thread(answer, context)
        reply = replace(reply, looked=(*looked, *more))
        if helper is not None:
            reply = await _in_words(helper, context, reply, on_text)
        if meant != question:
            reply = replace(reply, notes=(*reply.notes, f"Read as: {meant}"))
        if self._gone:
            reply = replace(reply, notes=(*reply.notes, self._gone))
        return reply

    async def _look_up(self, question: str) -> tuple[str, ...]:
        """The ids of what was printed of the expressions and structures that a question names."""
        if self._gone or self._ports.state.recorded:
            return ()
        before = set(self._ports.state.evidence)
        await look_up(self._ports, question)
        return tuple(id for id in self._ports.state.evidence if id not in before)

    def _helper(self) -> Helper | None:
        """The way to a model; None without one."""
        if self._ports.models is None:
            return None

        return Helper(self._ports, self._ports.models, whole=False)

    async def _look(self, context: Context, reply: Reply, helper: Helper | None) -> tuple[str, ...]:
        """The ids of what was collected, where the evidence does not suffice."""
        if self._gone:
            return ()
        before = set(self._ports.state.evidence)
        if not reply.answers or reply.unknown:
            for command in looks(context.asked, context.unnamed(), self._ports.state):
                await self._ports.ask(command)
        if (
            helper is not None
            and not self._ports.state.recorded
            and len(self._ports.state.evidence) == len(before)
        ):
            for command in await commands(helper, context, reply):
                await self._ports.ask(command)
        return tuple(id for id in self._ports.state.evidence if id not in before)


async def _in_words(
    helper: Helper, context: Context, reply: Reply, on_text: OnText | None
) -> Reply:
    """What plain code says, and a model's own words beside it."""
    text, model = await in_words(helper, context, reply, on_text)
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
