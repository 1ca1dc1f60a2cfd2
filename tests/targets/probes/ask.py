"""Ask a probe of a core and read its answer back into facts."""

from pathlib import Path
from typing import TypeVar

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import build, crash
from workbench.model.facts import AnyFact
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader

F = TypeVar("F")

BUILDS = (("-O0",), ("-O2",), ("-O0", "-static", "-s"), ("-O2", "-static", "-s"))
"""How programs are compiled for the tests that must hold with and without symbols."""


class Answer:
    """A probe's text and the facts that its analyzer reads in it."""

    def __init__(self, text: str, facts: tuple[AnyFact, ...]) -> None:
        self.text = text
        self.facts = facts

    def one(self, kind: type[F]) -> F:
        """The only fact of a kind."""
        found = self.all(kind)
        assert len(found) == 1, self.text
        return found[0]

    def all(self, kind: type[F]) -> list[F]:
        """The facts of a kind."""
        return [fact for fact in self.facts if isinstance(fact, kind)]


def ask(core: Path, command: str, executable: Path | None = None) -> Answer:
    """The answer to a command such as ``@heap 0x1234``."""
    with open_core(core, executable) as opened:
        text = DumpReader(opened).answer(command)
    assert text.endswith("\n") or command == "@notes"
    assert all(line.isprintable() for line in text.splitlines())
    analysis = analyze(Document("E1", command, "dump", text))
    last = len(text.splitlines())
    for fact in analysis.facts:
        assert 1 <= fact.cite.first <= fact.cite.last <= last
    return Answer(text, analysis.facts)


def crashed(source: str, *flags: str, lang: str = "c") -> Path:
    """The core of a program that crashes by itself."""
    return crash(build(source, *flags, lang=lang))
