"""Answers on the disk, so that the same question to the same model is paid for once.

One file an answer in the user's cache folder, named by the hash of all that the answer depends on.
An answer of the cloud lies there with the placeholders that it came with.
"""

import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from workbench.llm.port import Answer, Question, ToolCall
from workbench.llm.private_files import read_private, write_private
from workbench.model.models import ModelTier, Usage

_KEPT = 30 * 86_400.0  # seconds
_MOST = 2_000  # answers
_LARGEST = 1_000_000  # bytes


class _Kept(Struct, frozen=True, kw_only=True):
    value: str | None
    text: str
    calls: tuple[tuple[str, str, dict[str, Any]], ...]
    usage: Usage


class AnswerCache:
    """``folder`` is private to the user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(
        self, key: str, question: Question[Any], model: str, tier: ModelTier
    ) -> Answer[Any] | None:
        """The answer of a model under a key; None where there is none, it is too old, or it cannot
        be read as what the question asks for."""
        path = self._folder / key
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _KEPT:
                path.unlink()
                return None
        data = read_private(self._folder, key)
        if data is None or len(data) > _LARGEST:
            return None
        try:
            kept = msgspec.json.decode(data, type=_Kept)
            value = None
            if question.answer is not None:
                value = question.answer.model_validate_json(kept.value or "")
        except (msgspec.MsgspecError, ValueError):  # pydantic's errors are ValueErrors
            return None
        calls = tuple(ToolCall(id, name, arguments) for id, name, arguments in kept.calls)
        return Answer(model, tier, value, kept.text, calls, kept.usage)

    def keep(self, key: str, answer: Answer[Any]) -> None:
        """Remember an answer; a disk that takes none costs nothing but the next call."""
        data = msgspec.json.encode(
            _Kept(
                value=answer.value.model_dump_json() if answer.value is not None else None,
                text=answer.text,
                calls=tuple((c.id, c.name, dict(c.arguments)) for c in answer.calls),
                usage=answer.usage,
            ),
            enc_hook=str,
        )
        if len(data) > _LARGEST:
            return
        with suppress(OSError):
            write_private(self._folder, key, data)
            self._prune()

    def _prune(self) -> None:
        with os.scandir(self._folder) as found:
            entries = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in found]
        for _, path in sorted(entries)[: max(0, len(entries) - _MOST)]:
            os.unlink(path)


def cache_key(
    question: Question[Any], *, prompt: str, model: str, where: str, options: Mapping[str, object]
) -> str:
    """The hash of all that an answer depends on: the user, the dump and the run's options
    (``options``), the prompt's own text, provider and address (``where``), model, and every word of
    the question."""
    whole = {
        "user": os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", ""),
        "options": dict(options),
        "prompt": hashlib.sha256(prompt.encode()).hexdigest(),
        "where": where,
        "model": model,
        "role": question.role.value,
        "messages": [
            [m.role, m.content, [[c.id, c.name, c.arguments] for c in m.calls], m.call_id]
            for m in question.messages
        ],
        "answer": question.answer.model_json_schema() if question.answer else None,
        "tools": [
            [tool.name, tool.description, tool.arguments.model_json_schema()]
            for tool in question.tools
        ],
        "must_call": question.must_call,
    }
    return hashlib.sha256(
        msgspec.json.encode(whole, order="deterministic", enc_hook=str)
    ).hexdigest()
