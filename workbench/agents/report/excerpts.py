"""The cited lines that a report shows of each item of evidence."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from workbench.agents.report.view import findings, shortened
from workbench.model.citation import Citation, parse_citations
from workbench.model.report import Report
from workbench.model.report_conclusion import LedgerRow
from workbench.model.text import counted, lines_of

WHOLE_ITEM = 12
"""Lines that are shown of an item that is cited as a whole."""
LONGEST_SPAN = 16
"""Lines that are shown of one citation."""
MOST_CITED = 120
"""Cited lines that are shown of one item."""
_AROUND = 1


class Line(Struct, frozen=True):
    """A line of an item; ``number`` 0 is a gap of which ``text`` tells."""

    number: int
    text: str
    cited: bool = False


class Excerpt(Struct, frozen=True):
    """A cited item and the lines of it that are shown."""

    row: LedgerRow
    lines: tuple[Line, ...]


def excerpts(report: Report, texts: Mapping[str, str]) -> list[Excerpt]:
    """The cited items in order, each with its cited lines and one around them."""
    cited = _cited(report)
    found = []
    for row in report.analysis.ai_analysis.evidence_ledger:
        if row.id in cited:
            lines = lines_of(texts.get(row.id, ""))
            found.append(Excerpt(row, tuple(_shown(lines, cited[row.id]))))
    return found


def uncited(report: Report) -> list[LedgerRow]:
    """The items that nothing cites; one row, with the first and the last id, for those that follow
    each other and differ in nothing that a row shows."""
    cited = _cited(report)
    rows = (row for row in report.analysis.ai_analysis.evidence_ledger if row.id not in cited)
    alike = [list(group) for _, group in groupby(rows, key=_told)]
    return [
        replace(first, id=f"{first.id}-{rest[-1].id}") if rest else first for first, *rest in alike
    ]


def _told(row: LedgerRow) -> tuple[object, ...]:
    return row.command, row.source, row.lines, row.summary, findings(row)


def _cited(report: Report) -> dict[str, list[Citation]]:
    ai = report.analysis.ai_analysis
    written = [*ai.root_cause_citations, *(ai.origin.evidence if ai.origin is not None else ())]
    for claim in ai.claims:
        written += claim.citations
    for hypothesis in ai.hypotheses:
        written += (*hypothesis.supporting, *hypothesis.contradicting)
    for loser in ai.judge.rejected:
        written += loser.evidence
    for round in ai.critique.rounds:
        for issue in round.issues:
            written += issue.evidence
    found: dict[str, list[Citation]] = {}
    for text in dict.fromkeys(written):
        for citation in parse_citations(text):
            found.setdefault(citation.evidence, []).append(citation)
    return found


def _shown(lines: Sequence[str], citations: list[Citation]) -> list[Line]:
    numbers: set[int] = set()
    for citation in citations:
        if citation.first and len(numbers) < MOST_CITED:
            last = min(citation.last, len(lines), citation.first + LONGEST_SPAN - 1)
            numbers.update(range(citation.first, last + 1))
    shown = {n + by for n in numbers for by in range(-_AROUND, _AROUND + 1)}
    if not numbers:
        shown = set(range(1, WHOLE_ITEM + 1))
    found: list[Line] = []
    before = 0
    for number in sorted(n for n in shown if 1 <= n <= len(lines)):
        if number > before + 1:
            found.append(_gap(number - before - 1, first=before == 0))
        found.append(Line(number, shortened(lines[number - 1]), number in numbers))
        before = number
    if before < len(lines):
        found.append(_gap(len(lines) - before, first=False))
    return found


def _gap(count: int, *, first: bool) -> Line:
    return Line(
        0, f"… {counted(count, 'line')} before" if first else "… " + counted(count, "more line")
    )
