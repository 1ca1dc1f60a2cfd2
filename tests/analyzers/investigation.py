"""A bare investigation for tests: real gdb, our reader, the patterns; no engine, no store."""

import functools
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from analyzers.base import Document
from analyzers.patterns import PATTERNS, Pattern
from analyzers.patterns.waitgraph import inferred_waits
from analyzers.registry import analyze
from tests.crashes import gdbs
from tests.forking import ends_with_us
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.debuggers.gdb.recipe import EMPTIED, LOADED
from workbench.model.category import Category
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import FactBook, Process, Signal
from workbench.model.hypothesis import Proposal, Status, Verdict
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader, ProbeError

_MARK = "@@@next@@@"
_ECHO = rf"echo {_MARK}\n"


_KEPT = ("libc.so.6", "ld-linux-x86-64.so.2", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6")
_QUALIFIED = re.compile(
    r"^([* ] |Thread |\[(?:Current|Switching to) thread (?:is )?)1\.(?=\d)", re.M
)
"""The number of a thread as gdb tells it where there is more than one inferior."""


@functools.cache
def _debugger() -> subprocess.Popen[str]:
    """The process's gdb, for one core after another: its start and the libraries' debug information
    take it a hundred times as long as a core. Inferiors of their own keep that information."""
    words = [str(gdbs()[0]), "-nx", "-q", "-iex", "set auto-load no"]
    for setting in ("debuginfod enabled off", "confirm off", "pagination off", "prompt"):
        words += ["-iex", f"set {setting}"]
    for setting in ("width 0", "style enabled off"):
        words += ["-ex", f"set {setting}"]
    for library in _KEPT:
        done = subprocess.run(
            ["gcc", f"-print-file-name={library}"], capture_output=True, text=True
        )
        words += ["-ex", f"add-inferior -exec {os.path.realpath(done.stdout.strip())}"]
    return ends_with_us(subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    ))  # fmt: skip


def ask(executable: Path, core: Path, *commands: str) -> str:
    """What gdb prints for commands, one after the other."""
    return "".join(Inquiry(executable, core).printed(commands).values())


class Inquiry:
    """One core under question: `conclude` asks the baseline and what the patterns want."""

    def __init__(self, executable: Path, core: Path) -> None:
        self.executable, self.core = executable, core
        self.facts = FactBook()
        self.texts: dict[str, str] = {}
        self.evidence: dict[str, Evidence] = {}
        self.asked = {""}  # what another debugger is asked has no text for gdb
        self.verdicts: dict[Category, Verdict] = {}
        self._debugger: subprocess.Popen[str] | None = None

    def conclude(self) -> "Inquiry":
        """Propose, test and evaluate; the four best proposals as the engine takes them."""
        with self.reading() as reader, self.asking():
            self._ask(reader, "@health", "@notes", "@mappings")
            signal, process = self.facts.first(Signal), self.facts.first(Process)
            threads = len(process.threads) if process else 1
            if signal is not None:
                self._ask(reader, "@fault", "@stack", "@abort", "@exception", "@heap", "@reported")
            else:
                self._ask(reader, "@heap")
            self._ask(reader, "@locks", "bt 64", "info registers")
            if threads > 1:
                self._ask(reader, "thread apply all bt 32")
            order = list(Category)
            found = [(p, q) for p in PATTERNS if (q := p.propose(self.facts)) is not None]
            found.sort(key=lambda pair: (-pair[1].confidence, order.index(pair[0].category)))
            for pattern, proposal in found[:4]:
                self._test(reader, pattern, proposal)
            for pattern, _ in found[:4]:
                self.verdicts[pattern.category] = pattern.evaluate(self.facts)
        return self

    @contextmanager
    def reading(self) -> Iterator[DumpReader]:
        """Our own reader of the core."""
        with open_core(self.core, self.executable) as core:
            yield DumpReader(core)

    def _test(self, reader: DumpReader, pattern: Pattern, proposal: Proposal) -> None:
        self._ask(reader, *(command.text for command in proposal.tests))
        for _ in range(3):
            more: tuple[Command, ...] = pattern.followup(self.facts)
            if all(command.text in self.asked for command in more):
                break
            self._ask(reader, *(command.text for command in more))

    def _ask(self, reader: DumpReader, *commands: str) -> None:
        fresh = [c for c in dict.fromkeys(commands) if c not in self.asked]
        self.asked.update(fresh)
        answers = self.printed([c for c in fresh if not c.startswith("@")])
        for command in fresh:
            if not command.startswith("@"):
                self._record(command, "gdb", answers[command])
                continue
            try:
                self._record(command, "dump", reader.answer(command))
            except ProbeError as error:
                raise AssertionError(f"{command}: {error}") from error

    @contextmanager
    def asking(self) -> Iterator[None]:
        """One gdb answers all that is asked inside, also where one of these is inside another."""
        if self._debugger is not None:
            yield
            return
        self._debugger = _debugger()
        try:
            for line in (*EMPTIED, f"file {self.executable}", f"core-file {self.core}", LOADED):
                self._say(line)
            yield
        finally:
            self._debugger = None

    def _say(self, command: str) -> str:
        """What gdb prints for a command."""
        assert self._debugger is not None
        assert self._debugger.stdin is not None
        self._debugger.stdin.write(f"{command}\n{_ECHO}\n")
        self._debugger.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        """What gdb prints up to the next mark."""
        assert self._debugger is not None
        assert self._debugger.stdout is not None
        said = ""
        while not said.endswith(f"{_MARK}\n"):
            line = self._debugger.stdout.readline()
            assert line, f"gdb ended: {said}"
            said += line
        return _QUALIFIED.sub(r"\1", said.removesuffix(f"{_MARK}\n"))

    def printed(self, commands: Sequence[str]) -> dict[str, str]:
        """What gdb prints, by command."""
        if not commands:
            return {}
        said = {}
        with self.asking():
            for command in commands:
                said[command] = self._say(command)
        return said

    def _record(self, command: str, host: str, text: str) -> None:
        identifier = self.record_apart(command, text, by_model=False)
        self.facts.add(analyze(Document(identifier, command, host, text)).facts)

    def record_apart(self, command: str, text: str, by_model: bool = True) -> str:
        """Keep an output that is read into no facts, as a model's command; gives its id."""
        identifier = f"E{len(self.texts) + 1}"
        self.texts[identifier] = text
        self.evidence[identifier] = Evidence(
            id=identifier, command=command, source=Source.FILE, intent="", at="", sha256="",
            size=len(text), lines=len(text.splitlines()), call_hash="", by_model=by_model,
        )  # fmt: skip
        return identifier

    def confirmed(self) -> dict[Category, Verdict]:
        """The hypotheses that stand."""
        return {c: v for c, v in self.verdicts.items() if v.status is Status.CONFIRMED}

    def loose(self) -> list[str]:
        """Every claim, of any verdict, that its cited lines do not hold, or that cites a whole
        item."""
        book = Book(self.facts, self.evidence, self.texts.__getitem__, inferred_waits)
        found = []
        for verdict in self.verdicts.values():
            for claim in check(verdict.claims, book):
                if not claim.holds:
                    found.append(f"{claim.text} {claim.status}: {claim.reason}")
                found += [f"{claim.text}: cites {c}" for c in claim.citations if not c.first]
        return found
