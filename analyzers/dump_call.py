"""Reads ``@call``: the arguments of one call, recovered from the caller's frame."""

import re

from analyzers.base import Analysis, Document
from workbench.model.facts import Argument

_CALL = re.compile(r"call at (0x[0-9a-f]{1,16}): .* to (an unnamed function|[^\s,]+)(?:, in .*)?")
_ARGUMENT = re.compile(r"argument (\w{2,4}) = (0x[0-9a-f]{1,16}): (.+)")


class DumpCall:
    """The analyzer of ``@call``."""

    name = "dump-call"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@call``."""
        return document.host == "dump" and document.command.split()[:1] == ["@call"]

    def analyze(self, document: Document) -> Analysis:
        """An `Argument` for each argument register whose value is known."""
        at: int | None = None
        function: str | None = None
        facts: list[Argument] = []
        first = 0
        for number, line in document.numbered():
            match = _CALL.fullmatch(line)
            if match is not None and at is None:
                at, first = int(match[1], 16), number
                function = None if match[2] == "an unnamed function" else match[2]
                continue
            match = _ARGUMENT.fullmatch(line)
            if match is None or at is None:
                continue
            where = match[3]
            region = "near-null" if where.startswith("near null") else where.split()[0].rstrip(",")
            facts.append(
                Argument(
                    cite=document.cite(first, number)
                    if number == first + 1
                    else document.cite(number),
                    function=function,
                    register=match[1],
                    value=int(match[2], 16),
                    region=region,
                    at=at,
                )
            )
        if at is None:
            return Analysis("no call was read")
        shown = ", ".join(f"{fact.register} = {fact.value:#x}" for fact in facts[:3])
        summary = f"call to {function or 'an unnamed function'} at {at:#x}"
        if not facts:
            return Analysis(f"{summary}, arguments not known")
        cite = document.cite(first, facts[-1].cite.last)
        return Analysis(f"{summary}: {shown}", tuple(facts), (f"{summary}: {shown} [{cite}]",))
