"""What every analyzer is: a pure function from one stored output to facts."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from msgspec import Struct

from workbench.model.citation import Citation
from workbench.model.facts import AnyFact
from workbench.model.gdb_commands import bare_command
from workbench.model.models import Complexity

MAX_ITEMS = 20_000
"""No fact holds more frames, threads, registers, variables, objects or rows than this."""


class Document(Struct, frozen=True):
    """One stored output. ``host`` is what printed it: gdb | lldb | ... | dump (our own reader).

    ``whole`` is given where ``text`` is only the beginning of a huge one: it reads all of it.
    """

    id: str
    command: str
    host: str
    text: str
    whole: Callable[[], Iterable[str]] | None = None

    def cite(self, first: int = 0, last: int = 0) -> Citation:
        """A citation of lines of this output, from 1; the whole item without arguments."""
        return Citation(self.id, first, last or first)

    def numbered(self) -> list[tuple[int, str]]:
        """Its lines with their numbers, from 1, split as the store counts them (at LF only)."""
        return list(enumerate(self.text.split("\n"), 1))

    def lines(self, longest: int = 32_768) -> list[tuple[int, str]]:
        """The same, each cut at ``longest`` characters and without CR at its end."""
        return [(number, line[:longest].rstrip("\r")) for number, line in self.numbered()]

    def span(self, rows: Sequence[Any]) -> Citation:
        """A citation from the line of the first row to that of the last."""
        return self.cite(rows[0].line, rows[-1].line)

    def blocks(self) -> Iterable[str]:
        """The whole output in blocks that end with a line, where the line is not longer than they
        may be; only for who holds little of it at a time."""
        return (self.text,) if self.whole is None else self.whole()


class Analysis(Struct, frozen=True):
    """``summary`` is one line; ``findings`` are short sentences, each ending in its citation.
    ``troubles`` are what a person should know of the reading itself, one line each. ``whole`` is
    True when a huge output was read to its end, through `Document.blocks`."""

    summary: str
    facts: tuple[AnyFact, ...] = ()
    findings: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    whole: bool = False


class Analyzer(Protocol):
    """One reader for one command family."""

    def complexity(self, document: Document) -> Complexity:
        """How hard it is to say what such an output means, for whoever chooses a model: simple
        where code settles it, moderate where a small model helps, complex where only a large one
        does. By host and command; the text may be empty."""

    def can_analyze(self, document: Document) -> bool:
        """True when this reader knows the command's output."""

    def analyze(self, document: Document) -> Analysis:
        """Read it. Never raises on any text: what cannot be read yields no facts."""


def hexadecimal(digits: str) -> int:
    """The value of hexadecimal digits with or without ``0x``, or with WinDbg's grave accent; what
    is wider than any register is cut."""
    return int(digits.replace("`", "").lower().removeprefix("0x")[-32:] or "0", 16)


def answers(host: str, *commands: re.Pattern[str]) -> Callable[[Document], bool]:
    """Tells what a debugger printed for a command of these families, whatever it selects first."""

    def tells(document: Document) -> bool:
        bare = bare_command(document.command)
        return document.host == host and any(command.match(bare) for command in commands)

    return tells


def _all(document: Document) -> bool:
    return True


class Reader(Struct, frozen=True):
    """An analyzer that is a function: it reads what ``knows`` knows."""

    analyze: Callable[[Document], Analysis]
    knows: Callable[[Document], bool] = _all
    level: Callable[[Document], Complexity] = lambda document: Complexity.SIMPLE

    def can_analyze(self, document: Document) -> bool:
        """True when this reader knows the command's output."""
        return self.knows(document)

    def complexity(self, document: Document) -> Complexity:
        """How hard it is to say what such an output means."""
        return self.level(document)


def moderate(document: Document) -> Complexity:
    """The level of a reader whose facts are what its output says, but not what that means."""
    return Complexity.MODERATE
