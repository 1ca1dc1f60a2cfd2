"""One call from question to answer: what is known already, what goes out, what it cost."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from typing import Any

import msgspec
from platformdirs import user_cache_path

from workbench.llm.cache import AnswerCache, cache_key
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.lineup import Backend
from workbench.llm.outward import Door, Passage
from workbench.llm.permission import Narrowed, NotAllowed, Permission, narrowed
from workbench.llm.port import Answer, Message, Question, T, ToolCall
from workbench.llm.prices import price_table
from workbench.llm.prompts import source
from workbench.llm.redaction.machine import Term, of_environment, of_this_machine
from workbench.llm.redaction.redactor import Redactor, Stream
from workbench.llm.spending import Caps, estimated, with_price
from workbench.llm.surroundings import Surroundings
from workbench.llm.trace import WARNING, Trace
from workbench.model.events import Noticed
from workbench.model.model_events import ModelAnswered
from workbench.model.models import TEMPERATURES, Content, ModelTier, ModelWish, Role, Usage
from workbench.settings import Secret, Settings


def hidden(messages: tuple[Message, ...], redactor: Redactor) -> tuple[Message, ...]:
    """The messages as they may leave the machine.

    What a later message gives away may stand in an earlier one: all are read before one is made.
    """
    asked = {call.id: call.arguments for message in messages for call in message.calls}
    for message in messages:
        redactor.redact_all([call.arguments for call in message.calls])
        command = asked.get(message.call_id or "", {}).get("command", "")
        redactor.redact(f"{command}\n{message.content}")
    return tuple(
        Message(
            message.role,
            redactor.redact(message.content),
            tuple(
                ToolCall(call.id, call.name, redactor.redact_all(call.arguments))
                for call in message.calls
            ),
            message.call_id,
        )
        for message in messages
    )


def put_back(
    answer: Answer[T], question: Question[T], redactor: Redactor, backend: Backend
) -> Answer[T]:
    """The answer with what the placeholders stand for, in its text, its value and the arguments of
    its calls. Raises `ModelFailed` when it no longer is what was asked for."""
    return replace(
        answer,
        value=_value(answer, question, redactor, backend),
        text=redactor.restore(answer.text),
        calls=tuple(
            ToolCall(call.id, call.name, redactor.restore_all(call.arguments))
            for call in answer.calls
        ),
    )


def _value(
    answer: Answer[T], question: Question[T], redactor: Redactor, backend: Backend
) -> T | None:
    if answer.value is None or question.answer is None:
        return answer.value
    told: Any = redactor.restore_all(answer.value.model_dump(mode="json"))
    try:
        return question.answer.model_validate(told)
    except ValueError as error:
        why = "with the names put back it is not what was asked for"
        raise backend.failed(question, Fault.UNUSABLE, why, answer.usage) from error


# What a provider adds to a question in its own words stands in these.
_ASKING = ("structured.py", "providers/messages.py")
_LEARNT = 32_000  # bytes of an output
_TELLING = re.compile(r"(?i)pass|pwd|secret|token|key|cookie|credential|authorization")
_NOT_OF_THE_ANSWER = ("sessions_dir", "timeout", "command_timeout", "approve_all")


class Calls:
    """Asks the backend that it is given; which one that is, the router says."""

    def __init__(self, surroundings: Surroundings, wish: ModelWish, settings: Settings) -> None:
        self._surroundings = surroundings
        self._wish = wish
        values = (getattr(settings, name) for name in settings.__struct_fields__)
        self._keys = [value.reveal() for value in values if isinstance(value, Secret)]
        permission = Permission(surroundings, wish.allow_cloud, settings.kept_here())
        self._door = Door(surroundings, permission, Caps(surroundings, settings), self._keys)
        self._trace = Trace(
            surroundings.folder,
            calls=settings.trace,
            files=settings.trace_files,
            cap=settings.trace_file_cap,
            keys=self._keys,
        )
        self._number = 0
        self._read = set[str]()  # of the evidence
        self._preparing = asyncio.Lock()  # one redactor: a name has one placeholder

    def cloud_closed(self) -> str:
        """Why no cloud call is made any more: the person said no, or a cap is reached; empty while
        there is no reason."""
        return self._door.permission.refusal() or self._door.caps.reached()

    @property
    def cap(self) -> bool | None:
        """Which cap was met: True for the one in dollars, False in tokens, None for none."""
        return self._door.caps.money

    async def ask(
        self, backend: Backend, question: Question[T], on_text: Callable[[str], None]
    ) -> Answer[T]:
        """One answer. Raises `ModelFailed` and `NotAllowed`."""
        if backend.tier is ModelTier.LOCAL:
            return await self._ask(backend, question, on_text, None)
        while True:
            try:
                return await self._ask_hidden(backend, question, on_text)
            except Narrowed:
                continue

    async def embed(self, backend: Backend, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text. What goes elsewhere is redacted, shown and allowed like any
        question; where some kind of content is to stay, nothing of this goes. Raises `ModelFailed`,
        `NotAllowed` and `Narrowed`."""
        if backend.tier is ModelTier.LOCAL:
            return await backend.provider.embed(backend.model, texts, allowed=backend.tier)
        if left_out := self._door.permission.left_out:
            raise NotAllowed(f"{', '.join(sorted(left_out))} may not leave the machine")
        async with self._preparing:
            redactor = await asyncio.to_thread(lambda: self._redactor)
            await self._learn(redactor)
        sent = await asyncio.to_thread(lambda: [redactor.redact(text) for text in texts])
        self._number += 1
        number = self._number
        question = Question[Any](Role.CHAT, "embeddings", (), contents=frozenset(Content))
        passage = Passage(number, backend, question, self._door, self._trace, redactor)
        begun = time.monotonic()
        try:
            found = await backend.provider.embed(
                backend.model, sent, before_send=passage.before_send, allowed=backend.tier
            )
            usage = with_price(estimated(passage.sent), backend)
            await self._note(backend, question, usage, time.monotonic() - begun - passage.waited)
        finally:
            self._door.caps.settle(number)
        return found

    # --- inside ---------------------------------------------------------------------------------

    async def _ask_hidden(
        self, backend: Backend, question: Question[T], on_text: Callable[[str], None]
    ) -> Answer[T]:
        """With placeholders on the way out and names on the way in."""
        messages = narrowed(question, self._door.permission.left_out)
        async with self._preparing:
            redactor = await asyncio.to_thread(lambda: self._redactor)
            await self._learn(redactor)
        sent = replace(question, messages=await asyncio.to_thread(hidden, messages, redactor))
        stream = Stream(redactor)
        answer = await self._ask(backend, sent, lambda text: on_text(stream.more(text)), redactor)
        if rest := stream.end():
            on_text(rest)
        return put_back(answer, question, redactor, backend)

    async def _learn(self, redactor: Redactor) -> None:
        """What any output of the session tells to be private is so wherever it stands: each output
        that names such is read once, up to its size."""
        evidence = self._surroundings.state.evidence
        for name in [one for one in evidence if one not in self._read]:
            self._read.add(name)
            if evidence[name].size <= _LEARNT:
                text = await self._surroundings.text(name)
                if _TELLING.search(text):
                    command = evidence[name].command
                    await asyncio.to_thread(redactor.redact, f"{command}\n{text}")

    async def _ask(
        self,
        backend: Backend,
        question: Question[T],
        on_text: Callable[[str], None],
        redactor: Redactor | None,
    ) -> Answer[T]:
        key = self._key(backend, question)
        if key is not None and not self._wish.refresh:
            kept = await asyncio.to_thread(
                self._cache.find, key, question, backend.model, backend.tier
            )
            if kept is not None:
                await self._note(backend, question, kept.usage, cached=True)
                return kept
        self._number += 1
        number = self._number
        if self._trace.warns and number == 1:
            await self._surroundings.record(Noticed(text=WARNING, severity="warning"))
        passage = Passage(number, backend, question, self._door, self._trace, redactor)
        begun = time.monotonic()

        async def note(usage: Usage, failed: str = "") -> None:
            seconds = time.monotonic() - begun - passage.waited
            await self._note(backend, question, usage, seconds, failed=failed)
            self._door.caps.settle(number)

        warmth = question.temperature
        try:
            answer = await backend.provider.complete(
                backend.model,
                question,
                temperature=TEMPERATURES[question.role] if warmth is None else warmth,
                effort=self._wish.effort.value,
                on_text=on_text,
                before_send=passage.before_send,
                allowed=backend.tier,
            )
        except ModelFailed as failure:
            await note(with_price(failure.usage, backend), str(failure))
            raise
        except Narrowed:
            self._door.caps.settle(number)
            raise
        except (asyncio.CancelledError, NotAllowed) as ended:
            aside = self._door.caps.settle(number)
            if passage.sent:  # what was read of it is paid for, and nobody has counted it
                why = str(ended) or "cancelled"
                answered = aside.output_tokens if isinstance(ended, NotAllowed) else 0
                await note(with_price(estimated(passage.sent, answered), backend), why)
            raise
        except Exception as error:  # a library may raise anything on what a server says
            why = f"the client failed on it: {type(error).__name__}"
            await note(with_price(estimated(passage.sent), backend), why)
            raise backend.failed(question, Fault.UNUSABLE, why) from error
        answer = replace(answer, usage=with_price(answer.usage, backend))
        await note(answer.usage)
        self._trace.answer(number, question.role.value, _as_text(answer))
        if key is not None:
            await asyncio.to_thread(self._cache.keep, key, answer)
        return answer

    async def _note(
        self,
        backend: Backend,
        question: Question[Any],
        usage: Usage,
        seconds: float = 0.0,
        *,
        cached: bool = False,
        failed: str = "",
    ) -> None:
        prices = ""
        if backend.tier is ModelTier.CLOUD and not cached:
            prices = price_table()  # loaded before anything went
        event = ModelAnswered(
            provider=backend.provider.name,
            model=backend.model,
            tier=backend.tier,
            role=question.role,
            prompt=question.prompt,
            usage=usage,
            seconds=round(seconds, 3),
            cached=cached,
            failed=failed,
            prices=prices,
        )
        self._trace.call(event, self._number)
        await self._surroundings.record(event)

    def _key(self, backend: Backend, question: Question[Any]) -> str | None:
        """What an answer is kept under; None while the dump's hash is not known."""
        state = self._surroundings.state
        if state.dump_sha256 is None:
            return None
        try:
            prompt = source(question.prompt)
        except OSError:  # a question that was not made from a file
            prompt = question.prompt
        asked = msgspec.to_builtins(state.options)
        options = {name: value for name, value in asked.items() if name not in _NOT_OF_THE_ANSWER}
        return cache_key(
            question,
            prompt=prompt,
            model=backend.model,
            where=f"{backend.provider.name} {backend.url}",
            options={**options, "dump": state.dump_sha256, "effort": self._wish.effort.value},
        )

    @cached_property
    def _cache(self) -> AnswerCache:
        return AnswerCache(user_cache_path("workbench") / "answers")

    @cached_property
    def _redactor(self) -> Redactor:
        keys = [Term(key, "secret", False) for key in self._keys if len(key) >= 4]
        dump = of_environment(self._surroundings.environment())
        prompts = (file for file in files("prompts").iterdir() if file.name.endswith(".md"))
        asking = (files("workbench.llm") / name for name in _ASKING)
        ours = "\n".join(file.read_text("utf-8") for file in (*prompts, *asking))
        return Redactor([*keys, *of_this_machine(), *dump], common=ours)


def _as_text(answer: Answer[Any]) -> str:
    parts = [answer.text]
    if answer.value is not None:
        parts.append(answer.value.model_dump_json(indent=2))
    parts += [json.dumps([call.name, dict(call.arguments)], default=str) for call in answer.calls]
    return "\n".join(part for part in parts if part)
