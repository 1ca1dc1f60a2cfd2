"""Reads ``@call``: the arguments of calls, recovered from the callers' frames."""

import re

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import Argument

_CALL = re.compile(r"call at (0x[0-9a-f]{1,16}): .* to (an unnamed function|[^\s,]+)(?:, in .*)?")
_ARGUMENT = re.compile(r"argument (\w{2,4}) = (0x[0-9a-f]{1,16}): (.+)")


class DumpCall(Settled):
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
        first = calls = 0
        for number, line in document.numbered():
            match = _CALL.fullmatch(line)
            if match is not None:
                at, first = int(match[1], 16), number
                calls += 1
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
        findings = tuple(_said(fact) for fact in facts if fact.register == "rdi")
        known = f"{len(facts)} arguments recovered"
        if calls > 1:
            return Analysis(f"{calls} calls in progress, {known}", tuple(facts), findings)
        summary = f"call to {function or 'an unnamed function'} at {at:#x}: {known}"
        return Analysis(summary, tuple(facts), findings)


def _said(fact: Argument) -> str:
    name = fact.function or "an unnamed function"
    return f"{name} was given {fact.value:#x} ({fact.region}) [{fact.cite}]"
