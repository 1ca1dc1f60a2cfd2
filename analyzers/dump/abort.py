"""Reads ``@abort``: the message that glibc kept when it ended the process."""

import re

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import AbortMessage

_FIRST = re.compile(r"abort message at 0x[0-9a-f]{1,16}: (.*)")
_MORE = re.compile(r"abort message continues: (.*)")


class DumpAbort(Settled):
    """The analyzer of ``@abort``."""

    name = "dump-abort"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@abort``."""
        return document.host == "dump" and document.command.split()[:1] == ["@abort"]

    def analyze(self, document: Document) -> Analysis:
        """One `AbortMessage` when there is one; its lines joined by LF."""
        parts: list[str] = []
        first = last = 0
        for number, line in document.numbered():
            match = _MORE.fullmatch(line) if parts else _FIRST.fullmatch(line)
            if match is not None:
                parts.append(match[1])
                first, last = first or number, number
        if not parts:
            return Analysis("no abort message")
        cite = document.cite(first, last)
        summary = f"abort message: {parts[0]}"
        fact = AbortMessage(cite=cite, text="\n".join(parts))
        return Analysis(summary, (fact,), (f"{summary} [{cite}]",))
