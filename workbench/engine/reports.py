"""The report of a session as it stands: built, rendered, written."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec.structs import replace

from workbench.agents.report.markdown import render_markdown
from workbench.agents.report.writer import build_report
from workbench.engine.journal import Journal
from workbench.engine.upkeep import cited_ids
from workbench.model.report import Report, to_json
from workbench.store.errors import StoreError
from workbench.store.replacing import replace_file

FORMATS = ("md", "html", "json")


def render(report: Report, texts: Mapping[str, str], format: str) -> str:
    """The report as ``md``, ``html`` or ``json``; ``texts`` holds the stored text of each evidence
    item by id. Raises `ValueError` for any other format."""
    match format:
        case "json":
            return to_json(report)
        case "md":
            return render_markdown(report, texts)
        case "html":
            from workbench.agents.report.html import render_html

            return render_html(report, texts)
        case _:
            raise ValueError(f"unknown format {format!r}: use one of {', '.join(FORMATS)}")


_QUOTED_UNASKED = 1 << 20  # bytes


class Reports:
    """``text_of`` gives the stored text of an evidence item; what it raises `StoreError` for is
    shown as damaged, and nothing is quoted from it."""

    def __init__(self, journal: Journal, text_of: Callable[[str], Awaitable[str]]) -> None:
        self._journal = journal
        self._text_of = text_of

    async def build(self) -> Report:
        """The report of the state as it is now."""
        return (await self.parts())[0]

    async def text(self, format: str) -> str:
        """The report as ``md``, ``html`` or ``json``."""
        report, texts = await self.parts()
        return await asyncio.to_thread(render, report, texts, format)

    async def parts(self) -> tuple[Report, dict[str, str]]:
        """What `render` takes: the report, and the texts that it may quote by their ids."""
        texts, damaged = dict[str, str](), dict[str, str]()
        for id in self._quotable():
            try:
                texts[id] = await self._text_of(id)
            except StoreError as error:
                texts[id], damaged[id] = "", str(error)
        report = build_report(self._journal.state, texts)
        return (_with_damage(report, damaged) if damaged else report), texts

    async def write(self, folder: Path) -> Path:
        """Write it as Markdown and HTML into a folder; returns the Markdown's path."""
        path = folder / "report.md"
        for suffix in ("md", "html"):
            text = await self.text(suffix)
            await asyncio.to_thread(replace_file, path.with_suffix(f".{suffix}"), text)
        return path

    def _quotable(self) -> list[str]:
        """The items that a report may quote: all but the largest that nothing cites and of which
        nothing is told."""
        state = self._journal.state
        cited = cited_ids(state)
        return [
            id
            for id, item in state.evidence.items()
            if id in cited or item.findings or item.size <= _QUOTED_UNASKED
        ]


def _with_damage(report: Report, damaged: dict[str, str]) -> Report:
    ai = report.analysis.ai_analysis
    rows = tuple(replace(row, damaged=damaged.get(row.id)) for row in ai.evidence_ledger)
    told = tuple(f"{why}: what cites it cannot be looked up." for why in damaged.values())
    ai = replace(ai, evidence_ledger=rows, notices=ai.notices + told)
    return replace(report, analysis=replace(report.analysis, ai_analysis=ai))
