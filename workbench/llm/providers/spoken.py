"""What came over the wire in answer to one request, put together from its pieces."""

from dataclasses import dataclass, field
from typing import Any

from workbench.llm.errors import Fault
from workbench.llm.providers.base import OnText
from workbench.llm.providers.trouble import Trouble
from workbench.model.models import Usage

_LONGEST_NAME = 300
_OPEN, _CLOSE = "<think>", "</think>"


@dataclass
class RawCall:
    """A tool call as it was written; ``arguments`` is text, JSON or not."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Spoken:
    """A whole answer. ``reasoned`` counts characters that were thought, not said."""

    text: str = ""
    calls: list[RawCall] = field(default_factory=list)
    finish: str = ""
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)
    dropped: int = 0
    reasoned: int = 0


class Gatherer:
    """Takes the pieces of one answer in turn; what a model thinks aloud is no part of it."""

    def __init__(self, on_text: OnText | None, calls: int) -> None:
        self.spoken = Spoken()
        self._on_text = on_text
        self._calls = calls
        self._slots: dict[object, RawCall | None] = {}
        self._parts: list[str] = []
        self._held = ""
        self._thinking = False

    def say(self, text: object) -> None:
        """A piece of the text."""
        if not isinstance(text, str) or not text:
            return
        self._held += text
        while True:
            mark = _CLOSE if self._thinking else _OPEN
            before, found, after = self._held.partition(mark)
            if not found:
                break
            self._emit(before)
            self._thinking, self._held = not self._thinking, after
        keep = _tail(self._held, _CLOSE if self._thinking else _OPEN)
        self._emit(self._held[: len(self._held) - keep])
        self._held = self._held[len(self._held) - keep :]

    def think(self, text: object) -> None:
        """A piece of what the server itself marks as thought."""
        if isinstance(text, str):
            self.spoken.reasoned += len(text)

    def call(self, slot: object, ident: object, name: object, arguments: object) -> None:
        """A piece of the tool call in ``slot``; calls past the bound are counted, not kept."""
        if slot not in self._slots:
            kept = RawCall() if len(self.spoken.calls) < self._calls else None
            if kept is None:
                self.spoken.dropped += 1
            else:
                self.spoken.calls.append(kept)
            self._slots[slot] = kept
        call = self._slots[slot]
        if call is None:
            return
        if isinstance(ident, str) and ident:
            call.id = ident
        if isinstance(name, str):
            call.name += name
        if isinstance(arguments, str):
            call.arguments += arguments

    def end(self) -> Spoken:
        """All of it. Raises `Trouble` on a refusal, and where the end never came."""
        self._emit(self._held)
        spoken = self.spoken
        spoken.text = "".join(self._parts)
        if spoken.refusal or spoken.finish == "content_filter":
            raise Trouble(Fault.DECLINED, "it declined to answer")
        if spoken.finish in ("", "error"):
            raise Trouble(Fault.UNREACHABLE, "the answer was cut off", again=True)
        return spoken

    def _emit(self, text: str) -> None:
        if not text:
            return
        if self._thinking:
            self.spoken.reasoned += len(text)
            return
        if not self._parts:
            text = text.lstrip()
            if not text:
                return
        self._parts.append(text)
        if self._on_text is not None:
            self._on_text(text)


def _tail(text: str, mark: str) -> int:
    """How many of the last characters may be the beginning of a mark."""
    longest = min(len(text), len(mark) - 1)
    return next((n for n in range(longest, 0, -1) if mark.startswith(text[-n:])), 0)


def count(value: Any) -> int:
    """A number of tokens, or 0 for what is none."""
    sound = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 2**53
    return int(value) if sound else 0


def sound_name(name: str) -> bool:
    """Whether this may be a model's name: a server may list anything."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable()
