"""Reads ``@abort``: the message that glibc, or Rust's std, kept when it ended the process."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import AbortMessage, RustPanic

_FIRST = re.compile(r"abort message at 0x[0-9a-f]{1,16}: (.*)")
_MORE = re.compile(r"abort message continues: (.*)")
_PANIC = re.compile(r"rust panic: the function at 0x[0-9a-f]{1,16} \(.*\) names the text: .*")
_PLACE = re.compile(
    r"rust panic at (.{1,1100}):(\d{1,8}):(\d{1,5}): the call at 0x[0-9a-f]{1,16} \(.*\) passes "
    r"this location, 0x[0-9a-f]{1,16}, and returns to (0x[0-9a-f]{1,16})"
)
_WORDS = re.compile(r"rust panic message at 0x[0-9a-f]{1,16}: (.*)")


class DumpAbort(Settled):
    """The analyzer of ``@abort``."""

    name = "dump-abort"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@abort``."""
        return document.host == "dump" and document.command.split()[:1] == ["@abort"]

    def analyze(self, document: Document) -> Analysis:
        """One `AbortMessage` when there is one, its lines joined by LF; or a `RustPanic`."""
        parts: list[str] = []
        first = last = 0
        for number, line in document.numbered():
            match = _MORE.fullmatch(line) if parts else _FIRST.fullmatch(line)
            if match is not None:
                parts.append(match[1])
                first, last = first or number, number
        if not parts:
            return _panic(document) or Analysis("no abort message")
        cite = document.cite(first, last)
        summary = f"abort message: {parts[0]}"
        fact = AbortMessage(cite=cite, text="\n".join(parts))
        return Analysis(summary, (fact,), (f"{summary} [{cite}]",))


def _panic(document: Document) -> Analysis | None:
    """The panic that the lines tell of, or None."""
    found: RustPanic | None = None
    for number, line in document.numbered():
        if found is None:
            if _PANIC.fullmatch(line) is not None:
                found = RustPanic(cite=document.cite(number))
            continue
        where, words = _PLACE.fullmatch(line), _WORDS.fullmatch(line)
        if where is not None and not found.place_line:
            found = replace(found, file=where[1], line=int(where[2]), column=int(where[3]),
                            returns_to=int(where[4], 16), place_line=number)  # fmt: skip
        elif words is not None and found.message is None:
            found = replace(found, message=words[1], message_line=number)
    if found is None:
        return None
    summary = "a Rust panic"
    if found.file is not None:
        summary += f" at {found.file}:{found.line}"
    if found.message is not None:
        summary += f": {found.message}"
    return Analysis(summary, (found,), (f"{summary} [{found.cite}]",))
