"""Prompt marks: where one output ends, told by a nonce that no output can know.

The debugger's prompt is an OSC 133 sequence (the shell integration marks of FinalTerm) that
carries a secret of the session. Anything else that looks like a mark is output.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol

_INTRODUCER = b"\x1b]133;"


class Kind(StrEnum):
    """``PROMPT`` the debugger waits for a command; ``OPENING`` its set-up is done and it now loads
    the dump; ``ECHO`` it answers to a resynchronisation, whose id the mark carries."""

    PROMPT = "A"
    OPENING = "C"
    ECHO = "D"


class Mark(NamedTuple):
    """One genuine mark."""

    kind: Kind
    id: str = ""


def mark(kind: Kind, nonce: str, id: str = "") -> bytes:
    """The bytes of a mark."""
    return b"\x1b]133;%s;%s;%s\x07" % (kind.encode(), nonce.encode(), id.encode())


def mark_escaped(kind: Kind, nonce: str, id: str = "") -> str:
    """The same as gdb's ``echo`` and ``set prompt`` want it written."""
    return rf"\033]133;{kind};{nonce};{id}\007"


class Scanner(Protocol):
    """Splits a byte stream into text and marks."""

    def feed(self, data: bytes) -> list[bytes | Mark]:
        """Text and marks in order. The start of a possible mark at the end is held back."""

    def flush(self) -> bytes:
        """What was held back, when the stream has ended."""


class CutScanner(ABC):
    """Splits a byte stream into text and marks, however the stream is cut into chunks."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> list[bytes | Mark]:
        """Text and marks in order. The start of a possible mark at the end is held back."""
        data = self._held + data
        parts: list[bytes | Mark] = []
        start = 0
        for found in self._marks(data):
            if found.start() > start:
                parts.append(data[start : found.start()])
            parts.append(Mark(Kind(found[1].decode()), found[2].decode()))
            start = found.end()
        cut = self._possible_mark(data, start)
        if cut > start:
            parts.append(data[start:cut])
        self._held = data[cut:]
        return parts

    def flush(self) -> bytes:
        """What was held back, when the stream has ended."""
        held, self._held = self._held, b""
        return held

    @abstractmethod
    def _marks(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """The whole marks: their kinds and ids."""

    @abstractmethod
    def _possible_mark(self, data: bytes, start: int) -> int:
        """Where an unfinished mark may begin in the last bytes; ``len(data)`` if nowhere."""


class MarkScanner(CutScanner):
    """Finds the marks that `mark` writes."""

    def __init__(self, nonce: str) -> None:
        super().__init__()
        self._pattern = re.compile(
            rb"\x1b\]133;([ACD]);" + re.escape(nonce.encode()) + rb";([0-9a-f]{0,16})\x07"
        )
        self._longest = len(mark(Kind.PROMPT, nonce, "0" * 16))

    def feed(self, data: bytes) -> list[bytes | Mark]:
        if not self._held and b"\x1b" not in data:
            return [data] if data else []
        return super().feed(data)

    def _marks(self, data: bytes) -> Iterator[re.Match[bytes]]:
        return self._pattern.finditer(data)

    def _possible_mark(self, data: bytes, start: int) -> int:
        at = data.find(b"\x1b", max(start, len(data) - self._longest + 1))
        while at != -1:
            tail = data[at:]
            if _INTRODUCER.startswith(tail) or (
                tail.startswith(_INTRODUCER) and b"\x07" not in tail
            ):
                return at
            at = data.find(b"\x1b", at + 1)
        return len(data)
