"""Marks for dotnet-dump, which has no command that prints a text: a command that it does not know.

Its input being a pipe, it echoes each line behind its prompt and ends each answer with a line
``<END_COMMAND_OUTPUT>`` or ``<END_COMMAND_ERROR>`` (dotnet/diagnostics, src/
Microsoft.Diagnostics.Repl/ConsoleService.cs). The dump's own strings may say the same, so that an
unknown command, named by a secret of the session, is sent behind each line: where it is echoed, the
answer has ended, and what it says of itself belongs to no answer.
"""

import re

from workbench.debuggers.marks import Kind, Mark

_ENDS = (b"<END_COMMAND_OUTPUT>", b"<END_COMMAND_ERROR>")
_PROMPT = b"> "
_LONG = 1 << 16


def mark_word(kind: Kind, nonce: str, id: str = "") -> bytes:
    """The unknown command."""
    return b"wb_%s_%s_%s" % (nonce.encode(), kind.encode(), id.encode())


class DumpScanner:
    """Splits a byte stream into text and marks by its lines."""

    def __init__(self, nonce: str) -> None:
        word = rb"wb_" + re.escape(nonce.encode()) + rb"_([ACD])_([0-9a-f]{0,16})"
        self._mark = re.compile(rb"(?:> )?" + word)
        self._held = b""  # the start of a line
        self._end = b""  # a line that ends an answer, unless no mark follows
        self._found: Mark | None = None  # its own answer is still coming
        self._fresh = True  # the next line may be the echo of what was sent
        self._inside = False  # a long line of which the start was passed on

    def feed(self, data: bytes) -> list[bytes | Mark]:
        """Text and marks in order; an unfinished line is held back."""
        lines = (self._held + data).split(b"\n")
        self._held = lines.pop()
        parts: list[bytes | Mark] = []
        text: list[bytes] = []
        for line in lines:
            self._take(line + b"\n", parts, text)
        if len(self._held) > _LONG and self._found is None:
            text.append(self._put_end() + self._held)
            self._held, self._inside = b"", True
        if text:
            parts.append(b"".join(text))
        return parts

    def flush(self) -> bytes:
        """What was held back, when the stream has ended."""
        held = self._put_end() + (b"" if self._found is not None else self._held)
        self._held = b""
        return held

    def _take(self, line: bytes, parts: list[bytes | Mark], text: list[bytes]) -> None:
        bare = line.rstrip(b"\r\n")
        if self._inside:
            self._inside = False
            text.append(line)
            return
        if self._found is not None:
            if bare in _ENDS:
                if text:
                    parts.append(b"".join(text))
                    text.clear()
                parts.append(self._found)
                self._found, self._fresh = None, True
            return
        mark = self._mark.fullmatch(bare)
        if mark is not None:
            self._found, self._end = Mark(Kind(mark[1].decode()), mark[2].decode()), b""
            return
        if self._fresh and bare.startswith(_PROMPT):
            self._fresh = False
            return
        if bare:
            self._fresh = False
        text.append(self._put_end())
        if bare in _ENDS:
            self._end = line
        else:
            text.append(line)

    def _put_end(self) -> bytes:
        end, self._end = self._end, b""
        return end
