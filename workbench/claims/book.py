"""What statements are checked against: facts, stored texts, and the rows that only these give."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.claims import expressions, printed, several
from workbench.claims.kinds import KINDS
from workbench.claims.rows import Row, overlaps, rows
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import AnyFact, FactBook, Memory, Process, Stack
from workbench.model.text import lines_of

if TYPE_CHECKING:
    from workbench.claims.source import SourceText  # parsers, which most runs never need

Read = Callable[[str], FactBook]
"""The facts of one item that was not read into the case's: a model's or a person's command."""
Infer = Callable[[FactBook], Iterable[AnyFact]]
"""The facts that follow from several others: waits and rings."""
_MOST_LINES = 4000


class Book:
    """Facts and texts of one investigation. ``text_of`` gives an item's stored text; ``infer`` what
    follows from facts; ``read`` the facts of an item that is in ``evidence`` and was not read into
    ``facts``."""

    def __init__(
        self, facts: FactBook, evidence: Mapping[str, Evidence], text_of: Callable[[str], str],
        infer: Infer, read: Read | None = None,
    ) -> None:  # fmt: skip
        self.facts = facts
        self.evidence = evidence
        self._text_of = text_of
        self._infer = infer
        self._read = read
        self._lines: dict[str, Sequence[str]] = {}
        self._more: dict[str, FactBook] = {}
        self.listings: dict[str, Sequence[SourceText]] = {}  # of each item (`listed.texts_of`)

    def text(self, evidence: str) -> str:
        """The text of an item, of a huge one its `Start`; empty where there is none."""
        try:
            return self._text_of(evidence) if evidence in self.evidence else ""
        except (LookupError, OSError):
            return ""

    def lines(self, evidence: str) -> Sequence[str]:
        """The lines of an item, to be looked at by their numbers: there may be many."""
        if evidence not in self._lines:
            text = self.text(evidence)
            self._lines[evidence] = lines_of(text) if text else ()
        return self._lines[evidence]

    def exists(self, citation: Citation) -> bool:
        """True when it leads to lines that are there."""
        item = self.evidence.get(citation.evidence)
        if item is None:
            return False
        last = citation.last or citation.first
        return not citation.first or 1 <= citation.first <= last <= max(item.lines, 1)

    def cited(self, citation: Citation, most: int = _MOST_LINES) -> Iterator[tuple[int, str]]:
        """The numbered lines of a citation."""
        lines = self.lines(citation.evidence)
        first = max(citation.first, 1)
        last = (citation.last or citation.first) or len(lines)
        yield from enumerate(lines[first - 1 : min(last, first + most - 1)], first)

    def rows(self, claim: Claim, near: Iterable[Citation] = ()) -> Iterator[Row]:
        """The rows that a statement of this kind is compared with; with ``near`` those of these
        lines."""
        kind = KINDS[claim.kind]
        wanted = tuple(near)
        for facts in self.books(wanted) if kind.sources else ():
            for row in rows(kind, facts, wanted):
                yield self._threaded(row) if "thread" in kind.columns else row
        if claim.kind in ("waits", "owns", "cycle"):
            yield from rows(kind, self.inferred, wanted)
        if kind.decided == "source":
            from workbench.claims.listed import source_rows  # parsers, too

            yield from source_rows(self, claim, wanted)
            return

        producer = (several.ROWS | printed.ROWS | expressions.ROWS).get(claim.kind)
        if producer is not None:
            yield from producer(self, claim, wanted)

    def _threaded(self, row: Row) -> Row:
        """A row with its thread, which goes without saying where there is one."""
        if self._only is None or "thread" in row.values:
            return row
        return row._replace(values={**row.values, "thread": self._only})

    @cached_property
    def _only(self) -> int | None:
        process = self.facts.first(Process)
        return process.threads[0] if process is not None and len(process.threads) == 1 else None

    def books(self, near: tuple[Citation, ...]) -> Iterator[FactBook]:
        """The case's facts, and those of what was read apart where a citation leads there."""
        yield self.facts
        for name in dict.fromkeys(c.evidence for c in near):
            item = self.evidence.get(name)
            if (
                item is not None
                and self._read is not None
                and (item.by_model or item.source is Source.USER)
            ):
                if name not in self._more:
                    self._more[name] = self._read(name)
                yield self._more[name]

    def stacks(self, near: tuple[Citation, ...]) -> Iterator[Stack]:
        """The stacks, with ``near`` those of these lines."""
        for facts in self.books(near):
            for stack in facts.all(Stack):
                if not near or any(overlaps(stack.cite, c) for c in near):
                    yield stack

    @cached_property
    def inferred(self) -> FactBook:
        """Waits and rings that stacks and tables of locks tell together."""
        return FactBook(self._infer(self.facts))

    @cached_property
    def regions(self) -> Memory | None:
        """The first table of mappings."""
        return self.facts.first(Memory)
