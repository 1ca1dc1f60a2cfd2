"""How a question is brought to an answer, whatever server is behind it.

A request that fails on the way is sent again after a pause; one whose parts the model refuses is
sent without them, and that is remembered once it worked; an answer that cannot be used is asked
for again, a bounded number of times.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Answer, Question, T, ToolCall
from workbench.llm.providers import messages
from workbench.llm.providers.base import BeforeSend, Limits, ModelInfo, OnText, asked_before
from workbench.llm.providers.call import Call
from workbench.llm.providers.messages import Wishes, with_tools_described
from workbench.llm.providers.spoken import Spoken
from workbench.llm.providers.trouble import Halted, Part, Trouble
from workbench.llm.structured import WAYS, Way, ask_structured
from workbench.model.models import ModelTier, Role

_ESSENTIAL = {Part.TOOLS, Part.FORMAT}  # a question that needs them is asked in another way


@dataclass
class Learned:
    """What one model of one provider is known to refuse, so that for the rest of a run it is asked
    the right way at once. ``modes`` are ways to a structured answer that it refuses."""

    refused: set[Part] = field(default_factory=set)
    modes: set[str] = field(default_factory=set)
    chosen_by_model: bool = False  # tool_choice: only "auto"
    renamed: bool = False  # max_tokens: is called max_completion_tokens

    def copy(self) -> "Learned":
        """To try something without having learned it yet."""
        return Learned(set(self.refused), set(self.modes), self.chosen_by_model, self.renamed)

    def fit(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request without what the model refuses."""
        fitted = dict(request)
        if self.renamed and Part.MAX_TOKENS in fitted:
            fitted[Part.MAX_COMPLETION_TOKENS.value] = fitted.pop(Part.MAX_TOKENS.value)
        if self.chosen_by_model and Part.TOOL_CHOICE in fitted:
            fitted[Part.TOOL_CHOICE.value] = "auto"
        for part in self.refused:
            fitted.pop(part.value, None)
        if Part.STREAM not in fitted:
            fitted.pop(Part.STREAM_OPTIONS.value, None)
        return fitted

    def give_up(self, part: Part, sent: Mapping[str, Any]) -> bool:
        """Do without a part of what was sent; False where the question needs it."""
        if part in _ESSENTIAL or part in self.refused or part not in sent:
            return False
        if part is Part.TOOL_CHOICE and not self.chosen_by_model and sent[part.value] != "auto":
            self.chosen_by_model = True
        elif part is Part.MAX_TOKENS and not self.renamed:
            self.renamed = True
        else:
            self.refused.add(part)
        return True


V = TypeVar("V")


class Provider(ABC):
    """A server of models, here or elsewhere: the part that does not depend on its protocol."""

    # In the order in which they are tried.
    ways: tuple[Way, ...] = WAYS

    def __init__(self, name: str, tier: ModelTier, limits: Limits) -> None:
        self.name = name
        self.tier = tier
        self.limits = limits
        self._learned: dict[str, Learned] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @abstractmethod
    async def chat(self, request: Mapping[str, Any], on_text: OnText | None) -> Spoken:
        """Send one request in OpenAI's words. Raises `Trouble`, `Halted`."""

    @abstractmethod
    async def vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """Send one request for embeddings. Raises `Trouble`, `Halted`."""

    @abstractmethod
    async def models(self) -> Sequence[ModelInfo]:
        """The models that it offers, in its own order. Raises `ModelFailed`."""

    @abstractmethod
    async def tier_of(self, model: str) -> ModelTier:
        """Where this model's answers are made; cloud when that cannot be told."""

    @abstractmethod
    async def close(self) -> None:
        """End connections and whatever was started."""

    async def complete(
        self,
        model: str,
        question: Question[T],
        *,
        temperature: float,
        effort: str = "medium",
        on_text: OnText | None = None,
        before_send: BeforeSend | None = None,
        allowed: ModelTier | None = None,
    ) -> Answer[T]:
        """Ask one question.

        Args:
            temperature: Left out where the model refuses one.
            effort: ``low`` | ``medium`` | ``high``.
            on_text: Gets prose as it comes, and `RESTART` before it begins anew.
            before_send: Awaited before each request, with its exact bytes; what it raises ends
                the call and comes out of here as it is.
            allowed: How far the question may go; the provider's own tier without one.

        Raises:
            ModelFailed: No usable answer, or the model's tier is not allowed.
        """
        call = Call(model, question.role, on_text, allowed or self.tier)
        await self._may_go(call, allowed)
        request: dict[str, Any] = {
            "model": model,
            "temperature": temperature,
            "max_tokens": self.limits.answer_tokens.get(effort, 8192),
            "reasoning_effort": effort,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        with self._told(call, before_send):
            if question.tools:
                return await self._with_tools(call, question, request)
            request["messages"] = messages.flat(question.messages)
            if question.answer is not None:
                value = await ask_structured(self, call, question.answer, request, self.ways)
                return call.answer(value=value)
            return await self._prose(call, request)

    async def embed(
        self,
        model: str,
        texts: Sequence[str],
        *,
        before_send: BeforeSend | None = None,
        allowed: ModelTier | None = None,
    ) -> list[list[float]]:
        """A vector of finite numbers for each text; arguments as for `complete`. Raises
        `ModelFailed`."""
        call = Call(model, Role.INVESTIGATOR)
        await self._may_go(call, allowed)
        with self._told(call, before_send):
            found = await again(self.limits, lambda: self.vectors(model, texts))
            return messages.sound_vectors(found, len(texts))

    @contextmanager
    def _told(self, call: Call, before_send: BeforeSend | None) -> Iterator[None]:
        """``before_send`` hears of each request; what ends the call is raised in our words."""
        token = asked_before.set(before_send)
        try:
            yield
        except Halted as halted:
            raise halted.error from halted
        except Trouble as trouble:
            raise self._failed(trouble, call) from trouble
        finally:
            asked_before.reset(token)

    async def listing(self, ask: Callable[[], Awaitable[V]]) -> V:
        """One look at what there is. Raises `ModelFailed`."""
        try:
            return await ask()
        except Trouble as trouble:
            raise self._failed(trouble, Call("", Role.INVESTIGATOR, sent=1)) from trouble

    async def _may_go(self, call: Call, allowed: ModelTier | None) -> None:
        if (allowed or self.tier) is ModelTier.LOCAL and (
            await self.tier_of(call.model) is ModelTier.CLOUD
        ):
            why = "this model does not run on this machine, and only local ones may be asked"
            raise self._failed(Trouble(Fault.UNSUPPORTED, why), call)

    def learned(self, model: str) -> Learned:
        """What is known of a model."""
        return self._learned.setdefault(model, Learned())

    async def exchange(
        self, call: Call, request: Mapping[str, Any], on_text: OnText | None
    ) -> Spoken:
        """One answer to one request, adapted and repeated as far as that helps."""
        spoken = await again(self.limits, lambda: self._adapted(call, request, on_text))
        call.take(spoken, request)
        return spoken

    async def _adapted(
        self, call: Call, request: Mapping[str, Any], on_text: OnText | None
    ) -> Spoken:
        trial = self.learned(call.model).copy()
        while True:
            sent = trial.fit(request)
            call.restart()
            call.sent += 1
            try:
                spoken = await self.chat(sent, on_text)
            except Trouble as trouble:
                part = trouble.part
                if trouble.opaque and sent.get(Part.TOOL_CHOICE, "auto") != "auto":
                    part = Part.TOOL_CHOICE  # refused by some without a word of what it was
                if part is None or not trial.give_up(part, sent):
                    raise
            else:
                self._learned[call.model] = trial
                return spoken

    async def _prose(self, call: Call, request: dict[str, Any]) -> Answer[Any]:
        while True:
            spoken = await self.exchange(call, request, call.say)
            if spoken.text.strip():
                return call.answer(text=spoken.text)
            self._spent(call, "an empty answer")

    async def _with_tools(
        self, call: Call, question: Question[T], request: dict[str, Any]
    ) -> Answer[T]:
        if Part.TOOLS in self.learned(call.model).refused:
            return await self._wishes(call, question, request)
        request["messages"] = messages.native(question.messages)
        offered = {
            **request,
            "tools": [messages.tool(tool) for tool in question.tools],
            "tool_choice": "required" if question.must_call else "auto",
        }
        while True:
            try:
                spoken = await self.exchange(call, offered, call.say)
            except Trouble as trouble:
                if trouble.part is not Part.TOOLS and not trouble.opaque:
                    raise
                reply = await self._wishes(call, question, request)
                self.learned(call.model).refused.add(Part.TOOLS)
                return reply
            calls, unreadable = messages.calls_of(spoken.calls, len(question.messages))
            if calls or spoken.text.strip():
                dropped = spoken.dropped + unreadable
                return call.answer(text=spoken.text, calls=calls, dropped=dropped)
            self._spent(call, "tool calls that cannot be read" if unreadable else "an empty answer")

    async def _wishes(
        self, call: Call, question: Question[T], request: dict[str, Any]
    ) -> Answer[T]:
        """Tools for a model that knows none: described in words, wished for in JSON."""
        described = with_tools_described(question.messages, question.tools, question.must_call)
        request["messages"] = messages.flat(described)
        ways = tuple(way for way in self.ways if way is not Way.TOOLS)
        said = await ask_structured(self, call, Wishes, request, ways)
        kept = said.calls[: self.limits.calls]
        calls = tuple(
            ToolCall(f"call_{len(question.messages)}_{number}", wish.name, wish.arguments)
            for number, wish in enumerate(kept, 1)
        )
        if said.text and call.on_text is not None:
            call.on_text(said.text)
        dropped = len(said.calls) - len(kept)
        return call.answer(text=said.text, calls=calls, dropped=dropped)

    def _spent(self, call: Call, why: str) -> None:
        """Raises `Trouble` when no answer is left to be asked for."""
        if call.answers >= self.limits.answers:
            raise Trouble(Fault.UNUSABLE, f"it gave {why}, {call.answers} times")

    def _failed(self, trouble: Trouble, call: Call) -> ModelFailed:
        return ModelFailed(
            trouble.fault,
            trouble.why,
            self.name,
            call.model,
            call.role,
            call.sent,
            call.usage,
            trouble.excess,
        )


async def again(limits: Limits, send: Callable[[], Awaitable[V]]) -> V:
    """What ``send`` brings. Raises its last `Trouble` when all tries are used up, or one that no
    try mends."""

    def enough(state: RetryCallState) -> bool:
        error = _trouble(state)
        tries = error.tries if error is not None else None
        return state.attempt_number >= min(tries or limits.tries, limits.tries)

    def worth_it(error: BaseException) -> bool:
        if not isinstance(error, Trouble):
            return False
        return error.again and (error.retry_after or 0.0) <= limits.longest_wait

    def pause(state: RetryCallState) -> float:
        error = _trouble(state)
        if error is not None and error.retry_after is not None:
            return error.retry_after
        growing: float = limits.first_wait * 2 ** (state.attempt_number - 1)
        return min(growing * random.uniform(0.75, 1.25), limits.longest_wait)

    async def once() -> V:  # a lambda that gives a coroutine is not one to tenacity
        return await send()

    retrying = AsyncRetrying(
        stop=enough, retry=retry_if_exception(worth_it), wait=pause, reraise=True
    )
    return await retrying(once)


def _trouble(state: RetryCallState) -> Trouble | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, Trouble) else None
