"""A log as the engine reads it, without the engine: sections, facts, verdict, claims that hold."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.base import Document
from analyzers.registry import analyze
from tests.claims.holding import unproved
from workbench.agents import experts
from workbench.claims.render import headline
from workbench.model.category import Category
from workbench.model.claims import Outcome
from workbench.model.facts import FactBook, Finding
from workbench.model.hypothesis import Status, Verdict
from workbench.targets.errors import ProbeError
from workbench.targets.transcript import TranscriptReader
from workbench.targets.transcript.reader import NAME


class Read(NamedTuple):
    """What a log gave."""

    facts: FactBook
    hosts: list[str]
    category: Category | None
    verdict: Verdict | None

    @property
    def findings(self) -> list[Finding]:
        """What the tools themselves said."""
        return self.facts.all(Finding)

    @property
    def cause(self) -> str:
        """The cause and what it rests on, as the headline tells them."""
        assert self.verdict is not None
        return headline([replace(c, status=Outcome.VERIFIED) for c in self.verdict.claims])

    @property
    def function(self) -> str | None:
        """The frame at fault."""
        assert self.verdict is not None
        return self.verdict.frame.function if self.verdict.frame else None


def read_log(path: Path) -> Read:
    """Read a log and let the surest expert decide; every one of its claims has to hold."""
    reader = TranscriptReader(path)
    texts: dict[str, str] = {}
    facts = FactBook()
    documents = [(s.command, s.host, s.text) for s in reader.sections()]
    with suppress(ProbeError):
        documents.append(("@stop", "dump", reader.answer("@stop")))
    for number, (command, host, text) in enumerate(documents, 1):
        texts[f"E{number}"] = text
        facts.add(analyze(Document(f"E{number}", command, host, text)).facts)
    proposals, failed = experts.proposals(facts, set())
    assert not failed
    confirmed = [
        (p.category, v)
        for p in proposals
        if (v := experts.verdict(p.category, facts)).status is Status.CONFIRMED
    ]
    hosts = [host for name, host, _ in documents if host != "dump" and not name.startswith(NAME)]
    if not confirmed:
        return Read(facts, hosts, None, None)
    category, verdict = confirmed[0]
    assert not unproved(verdict.claims, facts, texts)
    return Read(facts, hosts, category, verdict)


def read_text(folder: Path, text: str) -> Read:
    """Read a log that is given as text."""
    path = folder / "log.txt"
    path.write_text(text, encoding="utf-8")
    return read_log(path)
