"""Statements about the crashes of the corpus `away`, ready to be checked: written in the kinds of
`workbench.claims`, each citing the output of the command that shows it.

A statement is ``{"kind", "args", "shows", "denied"}``; ``shows`` is a debugger's command, a probe,
``@source`` (the program's whole listing), ``{"heap": [reference…]}``, or "" for what follows from
others. Values that change from run to run are references: ``{"frame", "expr", "thread"}`` is what
gdb gives for an expression, ``{"tid"}`` the system's number of gdb's thread, ``{"line"}`` the line
of the program that has this text.
"""

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from analyzers.base import Document
from analyzers.patterns.waitgraph import inferred_waits
from analyzers.registry import analyze
from tests.analyzers.investigation import Inquiry
from tests.samples.away import Away
from tests.samples.case import make
from workbench.claims.book import Book
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim
from workbench.model.facts import FactBook

Json = dict[str, Any]
_FOLDER = Path(__file__).parent / "away"
_NUMBER = re.compile(r"0x[0-9a-f]+|(?<![\w.])-?\d+")


def stated(file: str, program: str) -> list[Json]:
    """What truths.json or lies.json states of one program."""
    return [one for one in json.loads((_FOLDER / file).read_text()) if one["program"] == program]


class Stated(Inquiry):
    """One crash: the experts' evidence, that of the commands which statements cite, and the
    statements as claims of a model."""

    def __init__(self, away: Away, *statements: list[Json]) -> None:
        super().__init__(*make(away.case))
        self.text = away.source.read_text()
        self.name = away.name
        self._claims = [claim for file in statements for one in file for claim in one["claims"]]
        with self.asking():
            self.conclude()
            self._values = self._resolved()
            commands = dict.fromkeys(self._command(claim["shows"]) for claim in self._claims)
            fresh = [c for c in commands if c and c not in self.asked]
            self.asked.update(fresh)
            with self.reading() as reader:
                probes = {c: reader.answer(c) for c in fresh if c.startswith("@")}
            said = self.printed([c for c in fresh if not c.startswith("@")]) | probes
        for command in fresh:
            self.record_apart(command, said[command])
        self._of = {item.command: name for name, item in self.evidence.items()}

    @cached_property
    def book(self) -> Book:
        """What the statements are checked against, as the engine makes it."""
        return Book(
            self.facts, self.evidence, self.texts.__getitem__, inferred_waits, self._facts_of
        )

    def claims(self, one: Json) -> tuple[Claim, ...]:
        """The claims of one entry."""
        return tuple(self._claim(claim) for claim in one["claims"])

    def _claim(self, claim: Json) -> Claim:
        command = self._command(claim["shows"])
        cites = (Citation(self._of[command]),) if command else ()
        args = tuple(Arg(n, self._value(v), cites) for n, v in claim["args"].items())
        return Claim(claim["kind"], args, claim.get("denied", False), by="model")

    def _facts_of(self, name: str) -> FactBook:
        host = "dump" if self.evidence[name].command.startswith("@") else "gdb"
        document = Document(name, self.evidence[name].command, host, self.texts[name])
        return FactBook(analyze(document).facts)

    def _command(self, shows: str | Json) -> str:
        if shows == "@source":
            return f"list {self.name}:1,{self.text.count(chr(10))}"
        if isinstance(shows, dict):
            return " ".join(["@heap", *(f"{self._value(v):#x}" for v in shows["heap"])])
        return shows

    def _value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "line" in value:
            assert self.text.count(value["line"]) == 1, value
            return self.text[: self.text.index(value["line"])].count("\n") + 1
        return self._values[_spelt(value)]

    def _resolved(self) -> dict[str, int]:
        """What gdb gives for each reference."""
        wanted = [v for c in self._claims for v in c["args"].values() if isinstance(v, dict)]
        asked = list(dict.fromkeys(_spelt(value) for value in wanted if "line" not in value))
        found = {}
        for command, said in self.printed(asked).items():
            match = re.search(r"LWP (\d+)", said) or _NUMBER.search(said)
            assert match is not None, f"{command}: {said}"
            found[command] = int(match[match.re.groups], 0)
        return found


def _spelt(value: Json) -> str:
    if "tid" in value:
        return f"info threads {value['tid']}"
    thread = f"thread apply {value['thread']} -q " if "thread" in value else ""
    return f"{thread}frame apply level {value['frame']} -q output {value['expr']}"
