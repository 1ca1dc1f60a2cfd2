"""The last door: nothing passes that was not redacted, within the caps, shown and allowed."""

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.llm.errors import Fault
from workbench.llm.lineup import Backend
from workbench.llm.payloads import LARGEST, keep_payload
from workbench.llm.permission import NotAllowed, Permission
from workbench.llm.port import Question
from workbench.llm.prices import price_table
from workbench.llm.providers.base import Outgoing
from workbench.llm.redaction.redactor import Redactor
from workbench.llm.spending import Caps
from workbench.llm.surroundings import Surroundings
from workbench.llm.trace import Trace
from workbench.model.model_events import PayloadSent

_FROM_DUMP = ("messages", "input", "prompt")  # the parts of a request that a question fills
_STRUCTURE = frozenset({"role", "type", "name", "id", "tool_call_id"})


class Door:
    """Of one session; ``keys`` are those of the settings."""

    def __init__(
        self, surroundings: Surroundings, permission: Permission, caps: Caps, keys: Sequence[str]
    ) -> None:
        self.permission = permission
        self.caps = caps
        self._surroundings = surroundings
        self._keys = keys

    async def pass_through(
        self,
        call: int,
        outgoing: Outgoing,
        backend: Backend,
        question: Question[Any],
        redactor: Redactor,
    ) -> None:
        """Check a request, have it allowed, and write it down before its first byte goes. Raises
        `NotAllowed`, `Narrowed`, and `ModelFailed` for one that is too large."""
        body = outgoing.body
        if len(body) > LARGEST:
            why = f"{len(body)} bytes are more than a person can look through"
            raise backend.failed(question, Fault.TOO_LONG, why)
        if told := await asyncio.to_thread(_told, body, question, redactor, self._keys):
            raise NotAllowed(f"the request would have given away: {told}")
        if why := await asyncio.to_thread(self._too_dear, call, body, backend):
            raise NotAllowed(why)
        ident = await asyncio.to_thread(keep_payload, self._surroundings.folder, body)
        provider, model = backend.provider.name, backend.model
        await self.permission.ask(ident, outgoing.url, provider, model, len(body))
        await self._surroundings.record(
            PayloadSent(
                id=ident,
                url=outgoing.url,
                sha256=hashlib.sha256(body).hexdigest(),
                size=len(body),
                provider=provider,
                model=model,
                role=question.role,
                prompt=question.prompt,
                contents=tuple(sorted(question.contents - self.permission.left_out)),
            )
        )

    def _too_dear(self, call: int, body: bytes, backend: Backend) -> str:
        """In a thread: the price list takes half a second to load, and is needed in no time when a
        person stops the call."""
        price_table()
        asked = json.loads(body)
        answer = asked.get("max_tokens") or asked.get("max_completion_tokens") or 0
        return self.caps.passed_by(call, len(body), answer, backend)


class Passage:
    """What is known of one call while its requests go out. ``waited`` are the seconds that a person
    took to decide, ``sent`` the bytes that went. Without a redactor the machine is not left."""

    def __init__(
        self,
        number: int,
        backend: Backend,
        question: Question[Any],
        door: Door,
        trace: Trace,
        redactor: Redactor | None,
    ) -> None:
        self.waited = 0.0
        self.sent = 0
        self._number, self._attempts = number, 0
        self._backend, self._question = backend, question
        self._door, self._trace, self._redactor = door, trace, redactor

    async def before_send(self, outgoing: Outgoing) -> None:
        """The provider's hook."""
        self._attempts += 1
        begun = time.monotonic()
        if self._redactor is not None:
            await self._door.pass_through(
                self._number, outgoing, self._backend, self._question, self._redactor
            )
        self.waited += time.monotonic() - begun
        role = self._question.role.value
        self._trace.payload(self._number, self._attempts, role, outgoing.body)
        self.sent += len(outgoing.body)


def _told(body: bytes, question: Question[Any], redactor: Redactor, keys: Sequence[str]) -> str:
    """What a request would give away of all that is known to be private: kinds, never values. Empty
    unless something between redaction and here went wrong. Words of schemas and tools are ours,
    whatever some variable of the environment is called."""
    if any(key.encode() in body for key in keys if key):
        return "a key"
    try:
        request = json.loads(body)
    except ValueError:
        return "something that cannot be looked into"
    parts = [request.get(name) for name in _FROM_DUMP] if isinstance(request, dict) else [request]
    ours = set(re.findall(r"[\w.-]+", _schemas(question)))
    kinds = {kind for text in _texts(parts) for kind in redactor.told(text, ours)}
    return ", ".join(sorted(kinds))


def _schemas(question: Question[Any]) -> str:
    asked = [question.answer] if question.answer else []
    schemas = [
        model.model_json_schema() for model in (*asked, *(t.arguments for t in question.tools))
    ]
    return json.dumps([schemas, [(tool.name, tool.description) for tool in question.tools]])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _STRUCTURE:
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
