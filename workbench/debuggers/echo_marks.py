"""Marks for a debugger whose prompt cannot carry one: a line that it echoes after each command.

``.echo [wb:NONCE:A:]`` behind a command prints the mark on a line of its own, between two prompts.
The nonce is a secret of the session, so no output can print it; prompts around the mark, and the
echo of what was sent where the terminal shows that, belong to the mark and not to the output.
"""

import re
from collections.abc import Iterator

from workbench.debuggers.marks import CutScanner, Kind

# "0:000> ", "0:000:x86> ", "1: kd> ", "16.0: kd:x86> ", "lkd> ".
_PROMPT = rb"(?:\d{1,4}:\d{3,6}(?::\w{1,12})?|(?:\d{1,4}(?:\.\d{1,4})?: )?l?kd(?::\w{1,12})?)> "
_PART_OF_PROMPT = re.compile(
    rb"\d{1,4}(?::\d{0,6}(?::\w{0,12})?)?>?"
    rb"|(?:\d{1,4}(?:\.\d{0,4})?(?:: ?)?)?l?k?d?(?::\w{0,12})?>?"
)
_ECHO = b".echo "
_LONGEST = 256


def mark_text(kind: Kind, nonce: str, id: str = "") -> bytes:
    """A mark as it is printed."""
    return b"[wb:%s:%s:%s]" % (nonce.encode(), kind.encode(), id.encode())


def mark_line(kind: Kind, nonce: str, id: str = "") -> bytes:
    """The line that makes the debugger print a mark."""
    return _ECHO + mark_text(kind, nonce, id) + b"\n"


class EchoScanner(CutScanner):
    """Finds the marks that `mark_line` makes the debugger print."""

    def __init__(self, nonce: str) -> None:
        super().__init__()
        text = rb"\[wb:" + re.escape(nonce.encode()) + rb":([ACD]):([0-9a-f]{0,16})\]"
        echoed = (
            rb"(?:\.echo \[wb:" + re.escape(nonce.encode()) + rb":[ACD]:[0-9a-f]{0,16}\]\r?\n)?"
        )
        self._pattern = re.compile(
            rb"(?:" + _PROMPT + echoed + rb")?(?<!\.echo )" + text + rb"\r?\n(?:" + _PROMPT + rb")?"
        )
        self._starts = tuple(mark_text(kind, nonce)[:-1] for kind in Kind)
        self._prompt = re.compile(_PROMPT)

    def _marks(self, data: bytes) -> Iterator[re.Match[bytes]]:
        for found in self._pattern.finditer(data):
            ended = found[0].endswith(b"> ")
            if not ended and _PART_OF_PROMPT.fullmatch(data[found.end() : found.end() + 32]):
                return  # the prompt behind it is still to come
            yield found

    def _possible_mark(self, data: bytes, start: int) -> int:
        for at in range(max(start, len(data) - _LONGEST), len(data)):
            if data[at] in b"0123456789lk[" and self._may_begin(data[at:]):
                return at
        return len(data)

    def _may_begin(self, tail: bytes) -> bool:
        """True when more bytes could make a mark of the tail."""
        prompt = self._prompt.match(tail)
        if prompt is None and _PART_OF_PROMPT.fullmatch(tail):
            return True
        rest = tail[prompt.end() :] if prompt is not None else tail
        if prompt is not None and (_ECHO.startswith(rest) or rest.startswith(_ECHO)):
            end = rest.find(b"\n")
            if end < 0:
                return self._may_be_mark(rest[len(_ECHO) :].rstrip(b"\r"))
            rest = rest[end + 1 :]
        return self._may_be_mark(rest)

    def _may_be_mark(self, text: bytes) -> bool:
        if any(whole.startswith(text) for whole in self._starts):
            return True
        for whole in self._starts:
            if text.startswith(whole):
                behind = re.fullmatch(
                    rb"[0-9a-f]{0,16}(?:\](?:\r?(?:\n(.*))?)?)?", text[len(whole) :]
                )
                return behind is not None and (
                    not behind[1] or _PART_OF_PROMPT.fullmatch(behind[1]) is not None
                )
        return False
