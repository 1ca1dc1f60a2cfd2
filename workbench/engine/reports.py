"""The report of a session as it stands: built, rendered, written."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from workbench.agents.report_writer import build_report
from workbench.engine.journal import Journal
from workbench.engine.upkeep import cited_ids, replace_file
from workbench.model.report import Report

_QUOTED_UNASKED = 1 << 20  # bytes


class Reports:
    """``text_of`` gives the stored text of an evidence item."""

    def __init__(self, journal: Journal, text_of: Callable[[str], Awaitable[str]]) -> None:
        self._journal = journal
        self._text_of = text_of

    async def build(self) -> Report:
        """The report of the state as it is now."""
        return build_report(self._journal.state, await self._quotable())

    async def text(self, format: str) -> str:
        """The report as ``md``, ``html`` or ``json``."""
        from workbench.agents.rendering import render

        texts = await self._quotable()
        report = build_report(self._journal.state, texts)
        return await asyncio.to_thread(render, report, texts, format)

    async def write(self, folder: Path) -> Path:
        """Write it as Markdown and HTML into a folder; returns the Markdown's path."""
        path = folder / "report.md"
        for suffix in ("md", "html"):
            text = await self.text(suffix)
            await asyncio.to_thread(replace_file, path.with_suffix(f".{suffix}"), text)
        return path

    async def _quotable(self) -> dict[str, str]:
        """The texts that a report may quote: all but the largest that nothing cites."""
        state = self._journal.state
        cited = cited_ids(state)
        return {
            id: await self._text_of(id)
            for id, item in state.evidence.items()
            if id in cited or item.size <= _QUOTED_UNASKED
        }
