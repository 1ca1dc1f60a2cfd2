"""``WORKBENCH_TRACE``: one JSON line a call; ``WORKBENCH_TRACE_FILES``: what was sent and answered,
in full. Both in the session's ``trace/``, for its owner alone."""

import json
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from workbench.llm.private_files import write_private
from workbench.model.model_events import ModelAnswered

FOLDER = "trace"
CALLS = "calls.jsonl"
WARNING = "The trace files in the session's trace/ hold content of the dump: mind who gets them."


class Trace:
    """``keys`` are cut out of everything; ``cap`` bounds each file, in bytes. A disk that takes no
    trace stops no investigation."""

    def __init__(
        self, session: Path, *, calls: bool, files: bool, cap: int, keys: Collection[str]
    ) -> None:
        self._folder = session / FOLDER
        self._calls = calls or files
        self._files = files
        self._cap = cap
        self._keys = [key for key in keys if key]

    @property
    def warns(self) -> bool:
        """True when files with content of the dump are written."""
        return self._files

    def call(self, event: ModelAnswered, number: int) -> None:
        """The line for a call that ended."""
        if self._calls:
            row = {"call": number, "at": _now(), **msgspec.to_builtins(event)}
            row.pop("event", None)
            self._write(CALLS, json.dumps(row).encode() + b"\n", append=True)

    def payload(self, number: int, attempt: int, role: str, body: bytes) -> None:
        """A request's body."""
        if self._files:
            self._write(f"{number:04}-{role}-request-{attempt}.json", body)

    def answer(self, number: int, role: str, text: str) -> None:
        """What came back."""
        if self._files:
            self._write(f"{number:04}-{role}-answer.txt", text.encode("utf-8", "replace"))

    def _write(self, name: str, data: bytes, append: bool = False) -> None:
        for key in self._keys:
            data = data.replace(key.encode(), b"[key]")
        if len(data) > self._cap:
            note = f"\n[cut: {len(data)} bytes]\n".encode()
            data = data[: max(0, self._cap - len(note))] + note
        with suppress(OSError):
            write_private(self._folder, name, data, append=append)


def _now() -> str:
    return datetime.now(UTC).isoformat()
