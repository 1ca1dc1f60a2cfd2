"""Reads ``@reported``: errno, and what the dynamic loader last reported."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import AnyFact, LastError, LoaderMessage

_ERRNO = re.compile(
    r"thread (\d{1,10}): errno at 0x[0-9a-f]{1,16} is (\d{1,4}) \(([^)]{1,40})\): .*"
)
_ASKS = re.compile(
    r"the function at 0x[0-9a-f]{1,16} \(.*\), which led to the end, asks for memory by (\S{1,80}) "
    r"at (0x[0-9a-f]{1,16})"
)
_LOADER = re.compile(r"loader message at 0x[0-9a-f]{1,16}: (.{1,700}?)(?: about (\S.{0,700}))?")


class DumpReported(Settled):
    """The analyzer of ``@reported``."""

    name = "dump-reported"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@reported``."""
        return document.host == "dump" and document.command.split()[:1] == ["@reported"]

    def analyze(self, document: Document) -> Analysis:
        """A `LastError` where a call had failed, a `LoaderMessage` for each message."""
        facts: list[AnyFact] = []
        findings: list[str] = []
        for number, line in document.numbered():
            cite = document.cite(number)
            if (match := _ERRNO.fullmatch(line)) is not None:
                error = LastError(
                    cite=cite, thread=int(match[1]), number=int(match[2]), name=match[3]
                )
                facts.append(error)
                findings.append(f"{line} [{cite}]")
            elif (match := _ASKS.fullmatch(line)) is not None and facts:
                if isinstance(facts[0], LastError):
                    facts[0] = replace(
                        facts[0], asks=match[1], asks_at=int(match[2], 16), asks_line=number
                    )
            elif (match := _LOADER.fullmatch(line)) is not None:
                facts.append(LoaderMessage(cite=cite, text=match[1], about=match[2]))
                findings.append(f"{line} [{cite}]")
        told = [fact for fact in facts if isinstance(fact, LoaderMessage)]
        plural = "" if len(told) == 1 else "s"
        summary = (
            f"{len(told)} dynamic-loader error{plural}" if told else "no dynamic-loader errors"
        )
        errno = next((fact for fact in facts if isinstance(fact, LastError)), None)
        if errno is not None:
            summary += f"; errno {errno.name}"
        return Analysis(summary, tuple(facts), tuple(findings))
